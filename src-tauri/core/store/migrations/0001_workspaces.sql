-- Which Pozy workspaces has this log talked to, and how is the program set up?
CREATE TABLE settings (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL               -- JSON
) STRICT, WITHOUT ROWID;

-- A workspace is known by base address and fingerprint of its API key (contract, command line); one that only an
-- imported line names has neither. The API key itself is never here.
CREATE TABLE workspaces (
    id         INTEGER PRIMARY KEY,
    name       TEXT NOT NULL UNIQUE,
    base_url   TEXT,
    key_print  TEXT,
    provider   TEXT NOT NULL DEFAULT 'pozy',
    saved      INTEGER NOT NULL DEFAULT 0 CHECK (saved IN (0, 1)),  -- 1: set up by a person, its secrets are kept
    created_ns INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX workspaces_by_connection ON workspaces (base_url, key_print) WHERE base_url IS NOT NULL;
