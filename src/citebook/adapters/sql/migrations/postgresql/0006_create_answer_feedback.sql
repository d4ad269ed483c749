-- What readers thought of an answer. An answer may not be kept anywhere, so its id refers to no table.

CREATE TABLE answer_feedback (
    id UUID PRIMARY KEY DEFAULT gen_random_uuid(),
    answer_id UUID NOT NULL,
    rating VARCHAR(4) NOT NULL CHECK (rating IN ('up', 'down')),
    note TEXT CHECK (LENGTH(note) BETWEEN 1 AND 1000),
    client_id TEXT NOT NULL CHECK (LENGTH(client_id) BETWEEN 1 AND 100),  -- an address only as a hash
    created_at TIMESTAMPTZ NOT NULL DEFAULT NOW(),

    UNIQUE (answer_id, client_id)  -- the last rating of one caller counts
);

CREATE INDEX idx_answer_feedback_created ON answer_feedback(created_at);
