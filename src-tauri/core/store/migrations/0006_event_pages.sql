-- Which events came last, which of them came twice, late, tied or as tests, and which arrivals make no event?
-- One narrow index for each filter of the screen, so that a page costs the same however long the log is.
CREATE INDEX arrivals_aside ON arrivals (at_ns, seq) WHERE aside IS NOT NULL;
CREATE INDEX events_copied ON events (last_ns, event) WHERE arrivals > 1;
CREATE INDEX events_late ON events (last_ns, event) WHERE placing = 'late';
CREATE INDEX events_tied ON events (last_ns, event) WHERE placing = 'tie';
CREATE INDEX events_tests ON events (last_ns, event) WHERE nature = 'test';
-- The newest live arrival, for the top bar.
CREATE INDEX arrivals_live ON arrivals (at_ns) WHERE session IS NOT NULL;
