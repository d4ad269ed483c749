-- Keys for other servers. Only the SHA-256 of a key is kept, in hex.

CREATE TABLE api_keys (
    id UUID PRIMARY KEY,
    name VARCHAR(100) NOT NULL CHECK (LENGTH(name) >= 1),
    key_hash VARCHAR(64) NOT NULL UNIQUE CHECK (LENGTH(key_hash) = 64),
    created_at TIMESTAMPTZ NOT NULL DEFAULT NOW(),
    revoked_at TIMESTAMPTZ,
    limit_per_minute INT CHECK (limit_per_minute >= 1)
);

-- A name is free again once its key is revoked.
CREATE UNIQUE INDEX idx_api_keys_name ON api_keys(name) WHERE revoked_at IS NULL;
