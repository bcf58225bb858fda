-- What did each imported file bring, which of its lines could not be read, what does the client do wrong whose log it
-- was, and what do the columns of a table mean?
ALTER TABLE imports ADD COLUMN kind TEXT;         -- null: the import did not come to its end
ALTER TABLE imports ADD COLUMN ended_ns INTEGER;
ALTER TABLE imports ADD COLUMN size INTEGER NOT NULL DEFAULT 0;   -- bytes read of it
ALTER TABLE imports ADD COLUMN read INTEGER NOT NULL DEFAULT 0;
ALTER TABLE imports ADD COLUMN added INTEGER NOT NULL DEFAULT 0;
ALTER TABLE imports ADD COLUMN known INTEGER NOT NULL DEFAULT 0;
ALTER TABLE imports ADD COLUMN bad INTEGER NOT NULL DEFAULT 0;
ALTER TABLE imports ADD COLUMN untimed INTEGER NOT NULL DEFAULT 0;
ALTER TABLE imports ADD COLUMN stopped INTEGER NOT NULL DEFAULT 0 CHECK (stopped IN (0, 1));

-- The first lines that could not be read; nothing of a line itself is kept.
CREATE TABLE import_bad (
    import INTEGER NOT NULL REFERENCES imports (id),
    line   INTEGER NOT NULL,
    why    TEXT NOT NULL
) STRICT;
CREATE INDEX import_bad_by_import ON import_bad (import, line);

-- What was found about the client; the words are the program's, the rows those that it rests on.
CREATE TABLE import_findings (
    import INTEGER NOT NULL REFERENCES imports (id),
    code   TEXT NOT NULL,
    count  INTEGER NOT NULL,
    rows   TEXT NOT NULL,             -- JSON: [{job, n, at}], the first ones
    PRIMARY KEY (import, code)
) STRICT, WITHOUT ROWID;

-- The attempts of one file, in time order.
CREATE INDEX attempts_by_import ON attempts (import, at_ns) WHERE import IS NOT NULL;

CREATE TABLE column_maps (
    columns TEXT PRIMARY KEY,         -- names of the columns in order, apart from case, blanks and signs
    mapping TEXT NOT NULL             -- JSON
) STRICT, WITHOUT ROWID;
