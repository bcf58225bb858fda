-- Which of the posts with these very words on this account were told of last?
-- The words alone leave a sort over all of them, and without it the account's newest posts are walked through instead.

DROP INDEX post_words_equal;
CREATE INDEX post_words_equal ON post_words (account, words, last_ns);
