-- What is kept of each question, as a chain: each record_hash covers its row and the hash before it.
-- A month is a partition, so that an archived month leaves at once. PostgreSQL wants the column that
-- partitions in every unique key, hence timestamp in both.

CREATE TABLE audit_logs (
    sequence BIGINT NOT NULL,  -- the place in the chain; without gaps
    log_id UUID NOT NULL,
    query_id UUID NOT NULL,
    answer_id UUID,
    contract TEXT NOT NULL,
    client_id TEXT NOT NULL,
    book TEXT NOT NULL,
    edition TEXT,
    model TEXT,
    prompt_version TEXT,
    user_query_text TEXT NOT NULL,
    source_mode VARCHAR(20) NOT NULL CHECK (source_mode IN ('full-book', 'context-restricted')),
    retrieval_query TEXT,
    chunks_retrieved_count INT NOT NULL CHECK (chunks_retrieved_count >= 0),
    chunks_returned JSONB NOT NULL DEFAULT '[]',
    retrieval_latency_ms INT NOT NULL CHECK (retrieval_latency_ms >= 0),
    llm_prompt TEXT,
    llm_response TEXT,
    answer_text TEXT,
    confidence_score FLOAT CHECK (confidence_score IS NULL OR (confidence_score >= 0.0 AND confidence_score <= 1.0)),
    citations JSONB NOT NULL DEFAULT '[]',
    outcome TEXT NOT NULL,
    success BOOLEAN NOT NULL,
    error_message TEXT,
    timestamp TIMESTAMPTZ NOT NULL DEFAULT NOW(),

    salt TEXT,  -- of the digests; gone where the texts were erased
    text_digests JSONB NOT NULL,
    previous_hash VARCHAR(64) NOT NULL,
    record_hash VARCHAR(64) NOT NULL,
    erased_at TIMESTAMPTZ,

    PRIMARY KEY (log_id, timestamp),
    UNIQUE (sequence, timestamp)
) PARTITION BY RANGE (timestamp);

CREATE INDEX idx_query_id ON audit_logs(query_id);
CREATE INDEX idx_answer_id ON audit_logs(answer_id);
CREATE INDEX idx_timestamp ON audit_logs(timestamp);

-- Makes the partition of a moment's month (in UTC), such as audit_logs_2026_01.
CREATE FUNCTION ensure_audit_partition(moment TIMESTAMPTZ) RETURNS VOID AS $$
DECLARE
    month TIMESTAMP := date_trunc('month', moment AT TIME ZONE 'UTC');
    name TEXT := 'audit_logs_' || to_char(month, 'YYYY_MM');
BEGIN
    IF to_regclass(name) IS NULL THEN
        EXECUTE format(
            'CREATE TABLE %I PARTITION OF audit_logs FOR VALUES FROM (%L) TO (%L)',
            name, month AT TIME ZONE 'UTC', (month + INTERVAL '1 month') AT TIME ZONE 'UTC'
        );
    END IF;
END;
$$ LANGUAGE plpgsql;

-- The same for that month and the next one, so that the turn of a month waits for nothing.
CREATE FUNCTION ensure_audit_partitions(moment TIMESTAMPTZ) RETURNS VOID AS $$
BEGIN
    PERFORM ensure_audit_partition(moment);
    PERFORM ensure_audit_partition((moment AT TIME ZONE 'UTC' + INTERVAL '1 month') AT TIME ZONE 'UTC');
END;
$$ LANGUAGE plpgsql;

-- The end of the chain: one row, locked by whoever appends.
CREATE TABLE audit_head (
    only_row BOOLEAN NOT NULL PRIMARY KEY DEFAULT TRUE CHECK (only_row),
    sequence BIGINT NOT NULL,
    record_hash VARCHAR(64) NOT NULL
);

INSERT INTO audit_head (sequence, record_hash) VALUES (0, repeat('0', 64));

-- Stretches of the chain that now lie in an archive.
CREATE TABLE audit_archives (
    first_sequence BIGINT NOT NULL PRIMARY KEY,
    last_sequence BIGINT NOT NULL,
    previous_hash VARCHAR(64) NOT NULL,
    last_hash VARCHAR(64) NOT NULL,
    archive TEXT NOT NULL,  -- name of the file in AUDIT_ARCHIVE
    archived_at TIMESTAMPTZ NOT NULL,

    CHECK (last_sequence >= first_sequence)
);
