-- What happened at Pozy, in which order did we hear of it, and what state does each lane hold?
-- The reading of the body that counts is kept for good, so that judging needs no body that has aged out.
CREATE TABLE events (
    event        TEXT PRIMARY KEY,
    name         TEXT NOT NULL,
    happened_ns  INTEGER,
    happened     TEXT,                -- as it was written
    resource     TEXT NOT NULL,
    nature       TEXT NOT NULL CHECK (nature IN ('real', 'test', 'odd')),
    known        INTEGER NOT NULL CHECK (known IN (0, 1)),
    news         TEXT NOT NULL,       -- JSON: [{lane, status, rank}]
    twin         BLOB NOT NULL,       -- hash of the body without its id and without regard to key order
    platform     TEXT,
    account      TEXT,
    text         TEXT,                -- first words of the post; leaves with the body
    counts       INTEGER NOT NULL,    -- the arrival whose body counts (design 3.4)
    counts_trust INTEGER NOT NULL,
    counts_hash  BLOB NOT NULL,
    first_seq    INTEGER NOT NULL,
    first_ns     INTEGER NOT NULL,
    first_tie    BLOB NOT NULL,
    last_ns      INTEGER NOT NULL,
    arrivals     INTEGER NOT NULL,
    applied      INTEGER NOT NULL CHECK (applied IN (0, 1)),
    placing      TEXT NOT NULL CHECK (placing IN ('in_order', 'late', 'tie', 'unplaced')),
    late_by_ms   INTEGER,
    overtaken_by TEXT,
    stale_lanes  TEXT NOT NULL,       -- JSON
    flags        TEXT NOT NULL,       -- JSON
    rules        INTEGER NOT NULL
) STRICT;
-- A new event that happened and arrived after all others of its resource is judged without reading them.
CREATE INDEX events_by_resource ON events (resource, happened_ns);
CREATE INDEX events_by_arrival ON events (resource, first_ns);
CREATE INDEX events_by_last ON events (last_ns, event);

CREATE TABLE lanes (
    lane         TEXT PRIMARY KEY,
    resource     TEXT NOT NULL,
    status       TEXT,                -- null while tied
    as_of_ns     INTEGER NOT NULL,
    event        TEXT,
    source       TEXT NOT NULL CHECK (source IN ('event', 'observation')),
    confirmed_ns INTEGER,
    tie          INTEGER NOT NULL CHECK (tie IN (0, 1)),
    wants_fetch  INTEGER NOT NULL CHECK (wants_fetch IN (0, 1)),
    rules        INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX lanes_by_resource ON lanes (resource);

-- State fetched from Pozy (design 4.9), and what each fetch says of which lane.
CREATE TABLE observations (
    id        INTEGER PRIMARY KEY,
    at_ns     INTEGER NOT NULL,
    workspace INTEGER REFERENCES workspaces (id),
    path      TEXT NOT NULL,
    status    INTEGER NOT NULL,
    body      BLOB,                   -- hash in `contents`
    import    INTEGER REFERENCES imports (id)
) STRICT;
CREATE INDEX observations_by_time ON observations (at_ns);
CREATE TRIGGER observations_stay BEFORE UPDATE ON observations
BEGIN SELECT RAISE(ABORT, 'observations are append-only'); END;

CREATE TABLE sightings (
    observation INTEGER NOT NULL REFERENCES observations (id),
    lane        TEXT NOT NULL,
    resource    TEXT NOT NULL,
    status      TEXT NOT NULL,
    at_ns       INTEGER NOT NULL,
    PRIMARY KEY (observation, lane)
) STRICT, WITHOUT ROWID;
CREATE INDEX sightings_by_resource ON sightings (resource);
