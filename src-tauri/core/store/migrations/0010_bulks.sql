-- Which jobs were taken together to be asked or posted again, what was foretold of each in the dry run, what did a
-- person decide of each group, how far is it, and what came of each row?
CREATE TABLE bulks (
    id         INTEGER PRIMARY KEY,
    mark       TEXT NOT NULL UNIQUE,
    created_ns INTEGER NOT NULL,
    workspace  INTEGER NOT NULL REFERENCES workspaces (id),
    filter     TEXT NOT NULL,         -- JSON, as it was asked for
    at_once    INTEGER NOT NULL CHECK (at_once BETWEEN 1 AND 16),
    state      TEXT NOT NULL CHECK (state IN ('planning', 'planned', 'running', 'paused', 'differs', 'stopped', 'done')),
    why        TEXT                   -- why it stands still, in one sentence
) STRICT;

-- What a person decided of a group; no row: it is left alone.
CREATE TABLE bulk_groups (
    bulk       INTEGER NOT NULL REFERENCES bulks (id),
    grp        TEXT NOT NULL CHECK (grp IN ('ask_again', 'already_live', 'post_again', 'failed_targets')),
    reason     TEXT,                  -- theirs; there where new posts are made
    decided_ns INTEGER NOT NULL,
    PRIMARY KEY (bulk, grp),
    CHECK (grp IN ('ask_again', 'already_live') OR trim(reason) <> '')
) STRICT, WITHOUT ROWID;

CREATE TABLE bulk_rows (
    bulk     INTEGER NOT NULL REFERENCES bulks (id),
    n        INTEGER NOT NULL,        -- counts from 1 in the bulk
    job      INTEGER NOT NULL REFERENCES jobs (id),
    grp      TEXT NOT NULL CHECK (grp IN ('ask_again', 'fetch_first', 'already_live', 'post_again', 'failed_targets',
                                          'elsewhere', 'wait', 'look_first', 'fix_first', 'fine', 'left_out')),
    says     TEXT NOT NULL,           -- why it is in that group
    forecast TEXT,                    -- JSON; null: its bytes are not held
    accounts TEXT NOT NULL,           -- JSON: where a Post again goes
    posts    TEXT NOT NULL,           -- JSON: what the forecast rests on, to be fetched
    state    TEXT NOT NULL CHECK (state IN ('waits', 'begun', 'open', 'done', 'differs', 'changed', 'unsettled')),
    before   INTEGER,                 -- attempts of the job when it began
    made     INTEGER REFERENCES jobs (id),  -- the job a Post again made
    next_ns  INTEGER,                 -- open: when it is asked again
    began_ns INTEGER,
    ended_ns INTEGER,
    actual   TEXT,                    -- JSON: what came of it
    PRIMARY KEY (bulk, n),
    UNIQUE (bulk, job)
) STRICT, WITHOUT ROWID;
-- A row is done once.
CREATE TRIGGER bulk_rows_end_once BEFORE UPDATE ON bulk_rows
WHEN old.state IN ('done', 'differs', 'changed', 'unsettled')
BEGIN SELECT RAISE(ABORT, 'a row of a bulk that is over never changes'); END;
