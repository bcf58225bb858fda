-- Would these words be live twice? Which words were asked to go where, which words does each known post carry there,
-- what was told of each of its targets, and what was foretold when a person sent it?
CREATE TABLE job_words (
    job     INTEGER NOT NULL REFERENCES jobs (id),
    account TEXT NOT NULL,
    words   BLOB NOT NULL,            -- hash of text and media: equal for content that Pozy takes for the same (R10)
    text    TEXT NOT NULL,
    PRIMARY KEY (job, account)
) STRICT, WITHOUT ROWID;
CREATE INDEX job_states_open ON job_states (job) WHERE outcome = 'unknown' OR state IN ('waiting', 'sending');

CREATE TABLE post_words (
    post         TEXT NOT NULL,
    account      TEXT NOT NULL,
    words        BLOB,                -- null: not known
    text         TEXT,
    workspace    INTEGER REFERENCES workspaces (id),
    scheduled_ns INTEGER,
    last_ns      INTEGER NOT NULL,    -- latest moment at which it was told of, is planned, or went live
    PRIMARY KEY (post, account)
) STRICT, WITHOUT ROWID;
CREATE INDEX post_words_equal ON post_words (account, words);
CREATE INDEX post_words_late ON post_words (account, last_ns);

-- One row for each time an answer or a fetch told of a target; account '' tells of all targets alike.
CREATE TABLE tellings (
    post         TEXT NOT NULL,
    account      TEXT NOT NULL,
    at_ns        INTEGER NOT NULL,    -- when it held, by the server's clock where that is known
    status       TEXT NOT NULL,
    published_ns INTEGER,
    scheduled_ns INTEGER,
    PRIMARY KEY (post, account, at_ns, status)
) STRICT, WITHOUT ROWID;

-- What a person was told and confirmed before bytes left.
CREATE TABLE confirmations (
    id      INTEGER PRIMARY KEY,
    job     INTEGER NOT NULL REFERENCES jobs (id),
    at_ns   INTEGER NOT NULL,
    action  TEXT NOT NULL CHECK (action IN ('submit', 'ask_again', 'post_again')),
    effect  TEXT NOT NULL CHECK (effect IN ('returns_existing', 'creates_first', 'creates_second', 'creates_again',
                                            'refused_same_content', 'in_progress', 'cannot_tell')),
    risk    TEXT NOT NULL CHECK (risk IN ('safe', 'confirm', 'blocked')),
    expects TEXT NOT NULL,            -- JSON
    reasons TEXT NOT NULL             -- JSON: codes alone
) STRICT;
CREATE INDEX confirmations_by_job ON confirmations (job);
CREATE TRIGGER confirmations_stay BEFORE UPDATE ON confirmations
BEGIN SELECT RAISE(ABORT, 'confirmations are append-only'); END;
