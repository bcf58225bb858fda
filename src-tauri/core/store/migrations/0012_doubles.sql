-- Which posts carry the same words to the same account at about the same time, so that one of them may be one too many?
-- Written along with the words that are told of a post. Whether both are live, and whether somebody wanted it, is asked
-- when it is shown.
CREATE TABLE doubles (
    first   TEXT NOT NULL,
    second  TEXT NOT NULL,             -- the one that went out later; of one instant, the greater id
    account TEXT NOT NULL,
    at_ns   INTEGER NOT NULL,          -- when the second one went out
    PRIMARY KEY (second, first, account)
) STRICT, WITHOUT ROWID;
CREATE INDEX doubles_by_first ON doubles (first);
CREATE INDEX doubles_by_time ON doubles (at_ns);

WITH went (post, account, words, at_ns) AS MATERIALIZED (
    SELECT w.post, w.account, w.words, coalesce(
        (SELECT max(t.published_ns) FROM tellings AS t WHERE t.post = w.post AND t.account IN (w.account, '')),
        w.scheduled_ns,
        (SELECT min(a.at_ns) FROM readings AS r JOIN attempts AS a ON a.id = r.attempt
         WHERE r.post = w.post AND r.meaning = 'created'),
        w.last_ns)
    FROM post_words AS w WHERE w.words IS NOT NULL)
INSERT OR IGNORE INTO doubles (first, second, account, at_ns)
SELECT a.post, b.post, a.account, b.at_ns
FROM post_words AS e JOIN post_words AS f ON f.account = e.account AND f.words = e.words AND f.post <> e.post
JOIN went AS a ON a.post = e.post AND a.account = e.account
JOIN went AS b ON b.post = f.post AND b.account = f.account
WHERE (a.at_ns, a.post) < (b.at_ns, b.post) AND b.at_ns - a.at_ns <= 259200000000000;
