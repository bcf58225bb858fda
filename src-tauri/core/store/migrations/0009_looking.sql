-- What did a person find when they looked, which workspace of a file is which of ours, until when does Pozy want to be
-- left alone, what is worth a fetch, and where do messages and fetches disagree?
ALTER TABLE notes ADD COLUMN there INTEGER CHECK (there IN (0, 1));  -- settled by hand: 1 it is there, 0 none is; null: it does not say

CREATE INDEX notes_settled ON notes (job) WHERE action = 'settled';

-- A person said that the name in a file means this workspace; null again when it was taken back.
ALTER TABLE workspaces ADD COLUMN same_as INTEGER REFERENCES workspaces (id);
CREATE INDEX workspaces_tied ON workspaces (same_as) WHERE same_as IS NOT NULL;

-- What messages last said of a lane where a later fetch says otherwise.
ALTER TABLE lanes ADD COLUMN told TEXT;
ALTER TABLE lanes ADD COLUMN told_ns INTEGER;

-- Whose messages came in: a post must never be looked for in another workspace, where it would seem gone.
ALTER TABLE sessions ADD COLUMN workspace INTEGER REFERENCES workspaces (id);

-- Pozy asked a whole connection to wait (429).
CREATE TABLE waits (
    workspace INTEGER PRIMARY KEY REFERENCES workspaces (id),
    until_ns  INTEGER NOT NULL,
    told_ns   INTEGER NOT NULL
) STRICT;

-- When a thing may next be fetched without anybody asking, and how often that was done in vain.
CREATE TABLE looks (
    path    TEXT PRIMARY KEY,
    times   INTEGER NOT NULL,
    next_ns INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX lanes_wanting ON lanes (lane) WHERE wants_fetch = 1;
CREATE INDEX job_states_unknown ON job_states (job) WHERE state = 'unknown';
CREATE INDEX post_words_planned ON post_words (scheduled_ns) WHERE scheduled_ns IS NOT NULL;
