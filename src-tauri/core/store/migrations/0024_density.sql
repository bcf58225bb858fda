-- How many messages came when, however long the log is, and how does the Timeline draw a post with forty thousand of them?

-- Arrivals by time, in bins of 8^level milliseconds (level 2 to 9: 64 ms to a day and a half). The writing thread keeps it
-- in the transaction of the rows it counts (`store/density`); it always equals a count of those.
CREATE TABLE density (
    level    INTEGER NOT NULL,
    bin      INTEGER NOT NULL,        -- milliseconds since 1970 through the width, rounded down
    arrivals INTEGER NOT NULL,        -- those with a standing: one that was set aside and counts in a later row by now is one
    again    INTEGER NOT NULL,        -- of them, second and later arrivals of an event
    late     INTEGER NOT NULL,        -- of them, first arrivals of events that were overtaken
    PRIMARY KEY (level, bin)
) STRICT, WITHOUT ROWID;

-- The lane an event is drawn in and the state it tells of that lane, read from its news once.
ALTER TABLE events ADD COLUMN home TEXT NOT NULL DEFAULT '';
ALTER TABLE events ADD COLUMN said TEXT;
UPDATE events SET
    home = coalesce((SELECT value ->> 'lane' FROM json_each(news) WHERE value ->> 'rank' = 'own' LIMIT 1), resource),
    said = (SELECT value ->> 'status' FROM json_each(news) WHERE value ->> 'rank' = 'own' LIMIT 1);

WITH RECURSIVE levels (level) AS (SELECT 2 UNION ALL SELECT level + 1 FROM levels WHERE level < 9),
counted (ms, arrivals, again, late) AS (
    SELECT a.at_ns / 1000000 - (a.at_ns % 1000000 < 0), 1, s.copy > 1, 0
    FROM standings AS s JOIN arrivals AS a ON a.seq = s.seq
    UNION ALL
    SELECT first_ns / 1000000 - (first_ns % 1000000 < 0), 0, 0, 1 FROM events WHERE placing = 'late'
)
INSERT INTO density (level, bin, arrivals, again, late)
SELECT level, ms >> (3 * level), sum(arrivals), sum(again), sum(late) FROM counted CROSS JOIN levels GROUP BY 1, 2;
