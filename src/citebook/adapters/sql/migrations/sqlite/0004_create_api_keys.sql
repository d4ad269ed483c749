-- Keys for other servers. Only the SHA-256 of a key is kept, in hex.

CREATE TABLE api_keys (
    id TEXT NOT NULL PRIMARY KEY CHECK (LENGTH(id) = 36),
    name TEXT NOT NULL CHECK (LENGTH(name) BETWEEN 1 AND 100),
    key_hash TEXT NOT NULL UNIQUE CHECK (LENGTH(key_hash) = 64),
    created_at TEXT NOT NULL,
    revoked_at TEXT,
    limit_per_minute INTEGER CHECK (limit_per_minute >= 1)
) STRICT;

-- A name is free again once its key is revoked.
CREATE UNIQUE INDEX idx_api_keys_name ON api_keys(name) WHERE revoked_at IS NULL;
