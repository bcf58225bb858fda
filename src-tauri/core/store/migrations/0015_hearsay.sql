-- What is told of a post by a file only? A file may add to what stands in the way of a new post, and frees nothing that
-- our own answers and messages say is live.
ALTER TABLE tellings ADD COLUMN hearsay INTEGER NOT NULL DEFAULT 0 CHECK (hearsay IN (0, 1));
