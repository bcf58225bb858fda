-- What is told of a post only by a file, of a workspace that is none of ours? That may add to what stands in the way of a
-- new post, and frees nothing that our own answers and messages say is live.
ALTER TABLE tellings ADD COLUMN hearsay INTEGER NOT NULL DEFAULT 0 CHECK (hearsay IN (0, 1));
