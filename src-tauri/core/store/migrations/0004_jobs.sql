-- What did we ask Pozy for, with which key and bytes, how often, and what came back?
-- Bytes of requests and answers by their SHA-256; a job's body is frozen here before the first byte leaves.
CREATE TABLE contents (
    hash   BLOB PRIMARY KEY,
    coding TEXT NOT NULL CHECK (coding IN ('plain', 'zstd')),
    bytes  BLOB NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TRIGGER contents_stay BEFORE UPDATE ON contents
BEGIN SELECT RAISE(ABORT, 'contents never change'); END;

CREATE TABLE jobs (
    id         INTEGER PRIMARY KEY,
    mark       TEXT NOT NULL UNIQUE,  -- the name people and imports use
    origin     TEXT NOT NULL CHECK (origin IN ('local', 'import')),
    created_ns INTEGER NOT NULL,
    method     TEXT NOT NULL,
    path       TEXT NOT NULL,
    workspace  INTEGER NOT NULL REFERENCES workspaces (id),
    key        TEXT,                  -- one for life; null: imported without one
    request_id TEXT,                  -- one for life too
    body       BLOB,                  -- hash in `contents`
    again_of   INTEGER REFERENCES jobs (id),
    reason     TEXT,
    import     INTEGER REFERENCES imports (id)
) STRICT;
CREATE UNIQUE INDEX jobs_posted_again_once ON jobs (again_of) WHERE again_of IS NOT NULL;
CREATE TRIGGER jobs_stay BEFORE UPDATE ON jobs
BEGIN SELECT RAISE(ABORT, 'jobs are append-only'); END;

CREATE TABLE attempts (
    id         INTEGER PRIMARY KEY,
    job        INTEGER NOT NULL REFERENCES jobs (id),
    n          INTEGER NOT NULL,
    at_ns      INTEGER NOT NULL,
    method     TEXT NOT NULL,
    path       TEXT NOT NULL,
    workspace  INTEGER NOT NULL REFERENCES workspaces (id),
    key        TEXT,
    key_print  TEXT,                  -- fingerprint of the API key it went out with; null if imported
    request_id TEXT,
    body       BLOB,
    masked     INTEGER NOT NULL DEFAULT 0 CHECK (masked IN (0, 1)),  -- 1: its body was masked at import, never send it
    import     INTEGER REFERENCES imports (id)
) STRICT;
CREATE INDEX attempts_by_job ON attempts (job, n);
CREATE INDEX attempts_by_key ON attempts (workspace, key) WHERE key IS NOT NULL;
CREATE TRIGGER attempts_stay BEFORE UPDATE ON attempts
BEGIN SELECT RAISE(ABORT, 'attempts are append-only'); END;

-- An attempt without a result was sent and never answered: unknown, not failed.
CREATE TABLE results (
    attempt INTEGER PRIMARY KEY REFERENCES attempts (id),
    kind    TEXT NOT NULL CHECK (kind IN ('answered', 'timeout', 'reset', 'crash', 'not_sent')),
    at_ns   INTEGER NOT NULL,
    status  INTEGER,
    headers TEXT NOT NULL,            -- JSON pairs, secrets masked
    body    BLOB
) STRICT;
CREATE TRIGGER results_stay BEFORE UPDATE ON results
BEGIN SELECT RAISE(ABORT, 'results are append-only'); END;

-- What a person saw or decided.
CREATE TABLE notes (
    id     INTEGER PRIMARY KEY,
    at_ns  INTEGER NOT NULL,
    job    TEXT,
    post   TEXT,
    action TEXT NOT NULL CHECK (action IN ('post_again', 'settled', 'seen_twice', 'not_seen', 'comment', 'cancelled')),
    text   TEXT NOT NULL,
    import INTEGER REFERENCES imports (id)
) STRICT;
CREATE INDEX notes_by_job ON notes (job) WHERE job IS NOT NULL;
CREATE INDEX notes_by_post ON notes (post) WHERE post IS NOT NULL;

-- What judging says of each job; moved on with every attempt, result and note.
CREATE TABLE job_states (
    job     INTEGER PRIMARY KEY REFERENCES jobs (id),
    state   TEXT NOT NULL CHECK (state IN ('draft', 'waiting', 'sending', 'unknown', 'done', 'refused', 'stopped', 'cancelled')),
    outcome TEXT NOT NULL CHECK (outcome IN ('none', 'created', 'replayed', 'unknown', 'refused', 'rejected')),
    post    TEXT,
    next_ns INTEGER,
    rules   INTEGER NOT NULL
) STRICT;
CREATE INDEX job_states_due ON job_states (next_ns) WHERE next_ns IS NOT NULL;
