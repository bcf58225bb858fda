-- Was this log restored, copied or moved, and up to which job and try is it therefore not known what was sent elsewhere?
CREATE TABLE moves (
    id           INTEGER PRIMARY KEY,
    at_ns        INTEGER NOT NULL,
    reason       TEXT NOT NULL CHECK (reason IN ('copied', 'moved', 'restored', 'unknown', 'repaired')),
    folder       TEXT,                -- where the log was known to lie; null: not known
    behind       INTEGER,             -- tries that the log lacks; null: not known
    last_job     INTEGER NOT NULL,    -- the newest job at that time
    last_attempt INTEGER NOT NULL,    -- the newest try at that time
    agreed_ns    INTEGER              -- when a person said to go on from here; null: nothing is sent
) STRICT;
CREATE INDEX moves_open ON moves (id) WHERE agreed_ns IS NULL;
CREATE TRIGGER moves_remain BEFORE DELETE ON moves
BEGIN SELECT RAISE(ABORT, 'moves are append-only'); END;
