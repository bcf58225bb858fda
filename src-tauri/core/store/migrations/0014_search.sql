-- Which messages, jobs and posts carry these words, and how far was the log read for them? Only the words are indexed;
-- the texts stay where they are. What a word is, `core/search/words.rs` decides before the index sees it: a row here is
-- a line of words between blanks, and whatever is no blank belongs to one.
CREATE VIRTUAL TABLE message_index USING fts5 (   -- rowid: arrivals.seq
    words, content = '', contentless_delete = 1, prefix = '2 3',
    tokenize = "unicode61 remove_diacritics 2 categories 'L* M* N* P* S* C*'"
);
CREATE VIRTUAL TABLE job_index USING fts5 (       -- rowid: jobs.id
    words, content = '', contentless_delete = 1, prefix = '2 3',
    tokenize = "unicode61 remove_diacritics 2 categories 'L* M* N* P* S* C*'"
);
CREATE VIRTUAL TABLE post_index USING fts5 (      -- rowid: indexed_posts.id
    words, content = '', contentless_delete = 1, prefix = '2 3',
    tokenize = "unicode61 remove_diacritics 2 categories 'L* M* N* P* S* C*'"
);

-- Rows up to here were read; those past it are looked through by whoever searches.
CREATE TABLE indexed_to (
    what  TEXT PRIMARY KEY CHECK (what IN ('arrivals', 'jobs')),
    upto  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO indexed_to (what, upto) VALUES ('arrivals', 0), ('jobs', 0);

-- What is told of a post can change, so each post has a number that stays and a mark that its words changed.
CREATE TABLE indexed_posts (
    id   INTEGER PRIMARY KEY,
    post TEXT NOT NULL UNIQUE,
    due  INTEGER NOT NULL CHECK (due IN (0, 1))
) STRICT;
CREATE INDEX indexed_posts_due ON indexed_posts (id) WHERE due = 1;
INSERT INTO indexed_posts (post, due) SELECT DISTINCT post, 1 FROM post_words WHERE text IS NOT NULL;

CREATE TRIGGER post_words_came AFTER INSERT ON post_words WHEN new.text IS NOT NULL
BEGIN INSERT INTO indexed_posts (post, due) VALUES (new.post, 1) ON CONFLICT (post) DO UPDATE SET due = 1; END;
CREATE TRIGGER post_words_changed AFTER UPDATE OF text ON post_words WHEN new.text IS NOT old.text
BEGIN INSERT INTO indexed_posts (post, due) VALUES (new.post, 1) ON CONFLICT (post) DO UPDATE SET due = 1; END;

-- Words leave with the body they were read from, whoever removes it.
CREATE TRIGGER bodies_leave_the_index AFTER DELETE ON bodies
BEGIN DELETE FROM message_index WHERE rowid = old.seq; END;

-- Messages of one name, last arrival first.
CREATE INDEX events_by_name ON events (name, last_ns, event);
