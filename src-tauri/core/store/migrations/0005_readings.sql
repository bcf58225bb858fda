-- What did each answer say, which job does a post belong to, and what does a person have to look at first?
-- Read from the raw answer once, so that judging a job needs no body; made anew when `rules` is older.
CREATE TABLE readings (
    attempt  INTEGER PRIMARY KEY REFERENCES attempts (id),
    meaning  TEXT NOT NULL CHECK (meaning IN ('created', 'replayed', 'poll', 'conflict', 'same_content', 'unknown',
                                              'redirected', 'rejected', 'key_elsewhere')),
    post     TEXT,
    account  TEXT,
    retry_ns INTEGER,                 -- from when on the next try is welcome
    date_ns  INTEGER,                 -- the server's clock
    differs  INTEGER CHECK (differs IN (0, 1)),  -- 1: the returned text is not the sent one; null: one is not known
    rules    INTEGER NOT NULL
) STRICT;
CREATE INDEX readings_by_post ON readings (post) WHERE post IS NOT NULL;

-- How far was Pozy's clock ahead of ours, by its latest answer?
CREATE TABLE clocks (
    workspace INTEGER PRIMARY KEY REFERENCES workspaces (id),
    at_ns     INTEGER NOT NULL,
    ahead_ns  INTEGER NOT NULL
) STRICT;

ALTER TABLE job_states ADD COLUMN scheduled_ns INTEGER;  -- read from the frozen body once
ALTER TABLE job_states ADD COLUMN place INTEGER NOT NULL DEFAULT 0 CHECK (place IN (0, 1, 2));  -- a person first, under way, done
CREATE INDEX job_states_by_place ON job_states (place, job);
CREATE INDEX job_states_sending ON job_states (job) WHERE state = 'sending';

-- First use of a key, newest moment sent from here, and both lists in time order.
CREATE INDEX attempts_by_key_time ON attempts (workspace, key, at_ns) WHERE key IS NOT NULL;
CREATE INDEX attempts_from_here ON attempts (at_ns) WHERE import IS NULL;
CREATE INDEX attempts_by_time ON attempts (at_ns);
CREATE INDEX jobs_by_time ON jobs (created_ns);
DROP INDEX attempts_by_key;
