-- Sessions, their messages and what each answer cites.

CREATE TABLE chat_sessions (
    id UUID PRIMARY KEY DEFAULT gen_random_uuid(),
    user_id UUID,  -- the subject of a JWT: there is no table of users here
    session_token VARCHAR(64) NOT NULL UNIQUE,  -- SHA-256 of the token, in hex
    created_at TIMESTAMPTZ NOT NULL DEFAULT NOW(),
    last_activity_at TIMESTAMPTZ NOT NULL DEFAULT NOW(),
    metadata JSONB NOT NULL DEFAULT '{}',

    CONSTRAINT valid_identification CHECK (user_id IS NOT NULL OR session_token IS NOT NULL)
);

CREATE INDEX idx_chat_sessions_user_id ON chat_sessions(user_id);
CREATE INDEX idx_chat_sessions_token ON chat_sessions(session_token);
CREATE INDEX idx_chat_sessions_activity ON chat_sessions(last_activity_at);

CREATE TABLE chat_messages (
    id UUID PRIMARY KEY DEFAULT gen_random_uuid(),
    sequence BIGINT GENERATED ALWAYS AS IDENTITY UNIQUE,  -- the order of messages, whatever the clock says
    session_id UUID NOT NULL REFERENCES chat_sessions(id) ON DELETE CASCADE,
    role VARCHAR(20) NOT NULL CHECK (role IN ('user', 'assistant')),
    content TEXT NOT NULL CHECK (LENGTH(content) > 0 AND LENGTH(content) <= 10000),
    tokens_used JSONB NOT NULL DEFAULT '{}',
    confidence FLOAT CHECK (confidence IS NULL OR (confidence >= 0.0 AND confidence <= 1.0)),
    created_at TIMESTAMPTZ NOT NULL DEFAULT NOW(),

    CONSTRAINT confidence_only_for_assistant CHECK (role != 'user' OR confidence IS NULL)
);

CREATE INDEX idx_chat_messages_session ON chat_messages(session_id, sequence);
CREATE INDEX idx_chat_messages_created ON chat_messages(created_at);

CREATE TABLE source_citations (
    id UUID PRIMARY KEY DEFAULT gen_random_uuid(),
    message_id UUID NOT NULL REFERENCES chat_messages(id) ON DELETE CASCADE,
    chapter_id VARCHAR(100) NOT NULL,
    chapter_title VARCHAR(255) NOT NULL,
    relevance_score FLOAT NOT NULL CHECK (relevance_score >= 0.0 AND relevance_score <= 1.0),
    excerpt TEXT NOT NULL CHECK (LENGTH(excerpt) <= 1000),
    position INT NOT NULL CHECK (position > 0),

    UNIQUE (message_id, position)
);

CREATE INDEX idx_source_citations_message ON source_citations(message_id);
CREATE INDEX idx_source_citations_chapter ON source_citations(chapter_id);
