-- Which effects can a person have been told and have confirmed? One more: a key that stands for another call (R8).
CREATE TABLE confirmed (
    id      INTEGER PRIMARY KEY,
    job     INTEGER NOT NULL REFERENCES jobs (id),
    at_ns   INTEGER NOT NULL,
    action  TEXT NOT NULL CHECK (action IN ('submit', 'ask_again', 'post_again')),
    effect  TEXT NOT NULL CHECK (effect IN ('returns_existing', 'creates_first', 'creates_second', 'creates_again',
                                            'refused_same_content', 'refused_key_reuse', 'in_progress', 'cannot_tell')),
    risk    TEXT NOT NULL CHECK (risk IN ('safe', 'confirm', 'blocked')),
    expects TEXT NOT NULL,            -- JSON
    reasons TEXT NOT NULL             -- JSON: codes alone
) STRICT;
INSERT INTO confirmed (id, job, at_ns, action, effect, risk, expects, reasons)
SELECT id, job, at_ns, action, effect, risk, expects, reasons FROM confirmations;
DROP TABLE confirmations;
ALTER TABLE confirmed RENAME TO confirmations;
CREATE INDEX confirmations_by_job ON confirmations (job);
CREATE TRIGGER confirmations_stay BEFORE UPDATE ON confirmations
BEGIN SELECT RAISE(ABORT, 'confirmations are append-only'); END;
