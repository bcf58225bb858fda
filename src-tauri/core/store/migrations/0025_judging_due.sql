-- What is left to be judged anew, behind what was only recorded?

-- A post with thousands of messages, or a message that came thousands of times, is not judged in the transaction of one
-- more arrival that belongs before others: that would hold the write lock for long. It waits here (`inbound/catch_up`).
CREATE TABLE judging_due (
    kind     TEXT NOT NULL CHECK (kind IN ('resource', 'event')),
    id       TEXT NOT NULL,
    resource TEXT NOT NULL,           -- whose lanes are under way meanwhile
    marks    INTEGER NOT NULL,        -- counts up with every change: what was judged by an older state is judged once more
    PRIMARY KEY (kind, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX judging_due_of ON judging_due (resource);
