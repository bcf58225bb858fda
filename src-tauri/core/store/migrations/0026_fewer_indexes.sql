-- Which of the indexes that each arrival is written into answer nothing that another way does not? Ids are random, so each of
-- them is a page of its own to read and to write, for every arrival.

-- A lane is named after its resource, so the lanes of one are found by their names (`store/events`).
DROP INDEX lanes_by_resource;

-- One order for the events of a resource. What happened when is read from the same entries; where that would be many, by
-- `events_by_happened`.
DROP INDEX events_by_resource;
DROP INDEX events_by_arrival;
CREATE INDEX events_of_resource ON events (resource, first_ns, happened_ns);

-- Most events come once. Of those that came several times every arrival stands here, in its order (design 3.4).
CREATE TABLE copies (
    event TEXT NOT NULL,
    at_ns INTEGER NOT NULL,
    tie   BLOB NOT NULL,
    seq   INTEGER NOT NULL,
    PRIMARY KEY (event, at_ns, tie, seq)
) STRICT, WITHOUT ROWID;
INSERT INTO copies (event, at_ns, tie, seq)
SELECT a.event, a.at_ns, a.tie, a.seq FROM events AS e CROSS JOIN arrivals AS a ON a.event = e.event AND a.aside IS NULL
WHERE e.arrivals > 1 ORDER BY a.event, a.at_ns, a.tie, a.seq;
DROP INDEX arrivals_by_event;

-- The arrivals of an event, however many they are.
CREATE VIEW arrived (event, at_ns, tie, seq) AS
SELECT event, first_ns, first_tie, first_seq FROM events WHERE arrivals = 1
UNION ALL SELECT event, at_ns, tie, seq FROM copies;

-- The index of words puts its parts together in steps of its own (`store/search_fill`), never within the commit of a slice.
INSERT INTO message_index (message_index, rank) VALUES ('automerge', 0);
INSERT INTO message_index (message_index, rank) VALUES ('crisismerge', 256);
