-- Which posts carry nearly the same words to the same account within a day, so that one may be the other with a slip mended?
-- A pair is kept when words are told of; pairs whose words were told of before are those with equal words alone.
ALTER TABLE doubles ADD COLUMN near INTEGER NOT NULL DEFAULT 0 CHECK (near IN (0, 1));
