-- When did a receiver sleep in the midst of its session, and which messages tell of one account, last arrival first?
-- The signs of life of a session stand closer than two minutes while the computer is awake; a wider hole is kept here,
-- since the session itself keeps only its newest sign.
CREATE TABLE session_holes (
    session INTEGER NOT NULL REFERENCES sessions (id),
    from_ns INTEGER NOT NULL,         -- the last sign of life before it
    to_ns   INTEGER NOT NULL,         -- the first one after it
    PRIMARY KEY (session, from_ns)
) STRICT, WITHOUT ROWID;

CREATE INDEX events_of_account ON events (account, last_ns, event) WHERE account IS NOT NULL;
