-- What reached us, when, what did we answer, and did the answer leave?
-- When could we receive at all? A gap between two sessions is a time in which nothing could arrive.
CREATE TABLE sessions (
    id         INTEGER PRIMARY KEY,
    address    TEXT NOT NULL,
    started_ns INTEGER NOT NULL,
    alive_ns   INTEGER NOT NULL,      -- moved on every few seconds: after a kill it says until when we surely listened
    ended_ns   INTEGER                -- null: runs, or was killed
) STRICT;

CREATE TABLE imports (
    id    INTEGER PRIMARY KEY,
    at_ns INTEGER NOT NULL,
    file  TEXT NOT NULL               -- name without its folders
) STRICT;

-- One row a request. Nothing in it ever changes; bodies age out of their own table.
CREATE TABLE arrivals (
    seq       INTEGER PRIMARY KEY,
    at_ns     INTEGER NOT NULL,
    session   INTEGER REFERENCES sessions (id),    -- a live arrival
    import    INTEGER REFERENCES imports (id),     -- an imported one
    endpoint  TEXT NOT NULL,
    signature TEXT NOT NULL CHECK (signature IN ('valid', 'invalid', 'missing', 'unchecked')),
    answer    INTEGER,                             -- the decided status; null where an import does not say
    took_ms   INTEGER,                             -- imports only; a live answer's time is in `answers`
    event     TEXT,                                -- the id in the body; null if it cannot be read
    aside     TEXT CHECK (aside IN ('quarantined', 'unreadable')),  -- null: makes or repeats an event
    trust     INTEGER NOT NULL CHECK (trust IN (0, 1, 2)),          -- 2 live and signed, 1 live unchecked, 0 imported
    tie       BLOB NOT NULL,                       -- orders arrivals of one instant, the same on every computer
    body_hash BLOB NOT NULL,                       -- first 16 bytes of SHA-256 over the raw body
    body_len  INTEGER NOT NULL,
    headers   BLOB NOT NULL,                       -- JSON pairs, zstd
    flags     TEXT NOT NULL,                       -- JSON: what the request alone says (id_mismatch, unreadable, too_large)
    CHECK ((session IS NULL) <> (import IS NULL))
) STRICT;
CREATE INDEX arrivals_by_time ON arrivals (at_ns);
CREATE INDEX arrivals_by_event ON arrivals (event, at_ns) WHERE aside IS NULL;

CREATE TRIGGER arrivals_stay BEFORE UPDATE ON arrivals
BEGIN SELECT RAISE(ABORT, 'arrivals are append-only'); END;
CREATE TRIGGER arrivals_remain BEFORE DELETE ON arrivals
BEGIN SELECT RAISE(ABORT, 'arrivals are append-only'); END;

CREATE TABLE bodies (
    seq    INTEGER PRIMARY KEY REFERENCES arrivals (seq),
    coding TEXT NOT NULL CHECK (coding IN ('plain', 'zstd')),
    bytes  BLOB NOT NULL
) STRICT;
CREATE TRIGGER bodies_stay BEFORE UPDATE ON bodies
BEGIN SELECT RAISE(ABORT, 'bodies age out, they never change'); END;

-- Written in the batch after the answer left. `left_ns` null: it never left. No row, session over: it never left.
CREATE TABLE answers (
    seq     INTEGER PRIMARY KEY REFERENCES arrivals (seq),
    left_ns INTEGER,
    took_ms INTEGER
) STRICT;
CREATE TRIGGER answers_stay BEFORE UPDATE ON answers
BEGIN SELECT RAISE(ABORT, 'answers are append-only'); END;

-- What judging says of each arrival (design 3.4, 3.8); made anew whenever `rules` is older than the program's.
CREATE TABLE standings (
    seq        INTEGER PRIMARY KEY REFERENCES arrivals (seq),
    standing   TEXT NOT NULL CHECK (standing IN ('first', 'duplicate', 'test', 'quarantined', 'unreadable')),
    copy       INTEGER NOT NULL,                   -- 1 for the first arrival of an event, 0 if it makes no event
    cause      TEXT,
    confidence TEXT CHECK (confidence IN ('high', 'medium', 'low')),
    rests_on   INTEGER REFERENCES arrivals (seq),  -- the earlier copy that the cause was read from
    says       TEXT,                               -- the cause in one sentence
    flags      TEXT NOT NULL,                      -- JSON
    rules      INTEGER NOT NULL
) STRICT;
