-- Sessions, their messages and what each answer cites.
-- Moments are UTC in ISO 8601 with microseconds, so that they sort as text; ids are UUIDs as text.

CREATE TABLE chat_sessions (
    id TEXT NOT NULL PRIMARY KEY CHECK (LENGTH(id) = 36),
    user_id TEXT,  -- the subject of a JWT: there is no table of users here
    session_token TEXT NOT NULL UNIQUE CHECK (LENGTH(session_token) <= 64),  -- SHA-256 of the token, in hex
    created_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%f000Z', 'now')),
    last_activity_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%f000Z', 'now')),
    metadata TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(metadata)),

    CONSTRAINT valid_identification CHECK (user_id IS NOT NULL OR session_token IS NOT NULL)
) STRICT;

CREATE INDEX idx_chat_sessions_user_id ON chat_sessions(user_id);
CREATE INDEX idx_chat_sessions_token ON chat_sessions(session_token);
CREATE INDEX idx_chat_sessions_activity ON chat_sessions(last_activity_at);

CREATE TABLE chat_messages (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,  -- the order of messages, whatever the clock says
    id TEXT NOT NULL UNIQUE CHECK (LENGTH(id) = 36),
    session_id TEXT NOT NULL REFERENCES chat_sessions(id) ON DELETE CASCADE,
    role TEXT NOT NULL CHECK (role IN ('user', 'assistant')),
    content TEXT NOT NULL CHECK (LENGTH(content) > 0 AND LENGTH(content) <= 10000),
    tokens_used TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(tokens_used)),
    confidence REAL CHECK (confidence IS NULL OR (confidence >= 0.0 AND confidence <= 1.0)),
    created_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%f000Z', 'now')),

    CONSTRAINT confidence_only_for_assistant CHECK (role != 'user' OR confidence IS NULL)
) STRICT;

CREATE INDEX idx_chat_messages_session ON chat_messages(session_id, sequence);
CREATE INDEX idx_chat_messages_created ON chat_messages(created_at);

CREATE TABLE source_citations (
    id TEXT NOT NULL PRIMARY KEY CHECK (LENGTH(id) = 36),
    message_id TEXT NOT NULL REFERENCES chat_messages(id) ON DELETE CASCADE,
    chapter_id TEXT NOT NULL CHECK (LENGTH(chapter_id) <= 100),
    chapter_title TEXT NOT NULL CHECK (LENGTH(chapter_title) <= 255),
    relevance_score REAL NOT NULL CHECK (relevance_score >= 0.0 AND relevance_score <= 1.0),
    excerpt TEXT NOT NULL CHECK (LENGTH(excerpt) <= 1000),
    position INTEGER NOT NULL CHECK (position > 0),

    UNIQUE (message_id, position)
) STRICT;

CREATE INDEX idx_source_citations_message ON source_citations(message_id);
CREATE INDEX idx_source_citations_chapter ON source_citations(chapter_id);
