-- What readers thought of an answer. An answer may not be kept anywhere, so its id refers to no table.

CREATE TABLE answer_feedback (
    id TEXT NOT NULL PRIMARY KEY CHECK (LENGTH(id) = 36),
    answer_id TEXT NOT NULL CHECK (LENGTH(answer_id) = 36),
    rating TEXT NOT NULL CHECK (rating IN ('up', 'down')),
    note TEXT CHECK (LENGTH(note) BETWEEN 1 AND 1000),
    client_id TEXT NOT NULL CHECK (LENGTH(client_id) BETWEEN 1 AND 100),  -- an address only as a hash
    created_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%f000Z', 'now')),

    UNIQUE (answer_id, client_id)  -- the last rating of one caller counts
) STRICT;

CREATE INDEX idx_answer_feedback_created ON answer_feedback(created_at);
