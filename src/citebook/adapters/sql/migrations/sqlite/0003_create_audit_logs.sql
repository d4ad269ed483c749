-- What is kept of each question, as a chain: each record_hash covers its row and the hash before it.

CREATE TABLE audit_logs (
    sequence INTEGER NOT NULL PRIMARY KEY,  -- the place in the chain; without gaps
    log_id TEXT NOT NULL UNIQUE,
    query_id TEXT NOT NULL,
    answer_id TEXT,
    contract TEXT NOT NULL,
    client_id TEXT NOT NULL,
    book TEXT NOT NULL,
    edition TEXT,
    model TEXT,
    prompt_version TEXT,
    user_query_text TEXT NOT NULL,
    source_mode TEXT NOT NULL CHECK (source_mode IN ('full-book', 'context-restricted')),
    retrieval_query TEXT,
    chunks_retrieved_count INTEGER NOT NULL CHECK (chunks_retrieved_count >= 0),
    chunks_returned TEXT NOT NULL DEFAULT '[]',
    retrieval_latency_ms INTEGER NOT NULL CHECK (retrieval_latency_ms >= 0),
    llm_prompt TEXT,
    llm_response TEXT,
    answer_text TEXT,
    confidence_score REAL CHECK (confidence_score IS NULL OR (confidence_score >= 0.0 AND confidence_score <= 1.0)),
    citations TEXT NOT NULL DEFAULT '[]',
    outcome TEXT NOT NULL,
    success INTEGER NOT NULL CHECK (success IN (0, 1)),
    error_message TEXT,
    timestamp TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%f000Z', 'now')),

    salt TEXT,  -- of the digests; gone where the texts were erased
    text_digests TEXT NOT NULL,
    previous_hash TEXT NOT NULL,
    record_hash TEXT NOT NULL,
    erased_at TEXT
) STRICT;

CREATE INDEX idx_query_id ON audit_logs(query_id);
CREATE INDEX idx_answer_id ON audit_logs(answer_id);
CREATE INDEX idx_timestamp ON audit_logs(timestamp);

-- The end of the chain: one row, locked by whoever appends.
CREATE TABLE audit_head (
    only_row INTEGER NOT NULL PRIMARY KEY DEFAULT 1 CHECK (only_row = 1),
    sequence INTEGER NOT NULL,
    record_hash TEXT NOT NULL
) STRICT;

INSERT INTO audit_head (sequence, record_hash)
VALUES (0, '0000000000000000000000000000000000000000000000000000000000000000');

-- Stretches of the chain that now lie in an archive.
CREATE TABLE audit_archives (
    first_sequence INTEGER NOT NULL PRIMARY KEY,
    last_sequence INTEGER NOT NULL,
    previous_hash TEXT NOT NULL,
    last_hash TEXT NOT NULL,
    archive TEXT NOT NULL,  -- name of the file in AUDIT_ARCHIVE
    archived_at TEXT NOT NULL,

    CHECK (last_sequence >= first_sequence)
) STRICT;
