-- What experts said of recorded answers. A grade outlives the audit record of its answer, so its id refers to no table.

CREATE TABLE answer_grades (
    id UUID NOT NULL PRIMARY KEY,
    answer_id UUID NOT NULL,
    verdict VARCHAR(13) NOT NULL CHECK (verdict IN ('PASS', 'FAIL', 'HALLUCINATION')),
    note TEXT CHECK (LENGTH(note) BETWEEN 1 AND 1000),
    grader TEXT NOT NULL CHECK (LENGTH(grader) BETWEEN 1 AND 100),
    confidence FLOAT NOT NULL CHECK (confidence >= 0.0 AND confidence <= 1.0),  -- of the answer
    created_at TIMESTAMPTZ NOT NULL,

    UNIQUE (answer_id, grader)  -- the last word of one grader counts
);
