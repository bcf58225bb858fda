-- From an arrival to its event without a look at a random page of the ids: firsts are numbered as they come, so what arrived
-- together stands together here.
CREATE INDEX events_by_first ON events (first_seq);
