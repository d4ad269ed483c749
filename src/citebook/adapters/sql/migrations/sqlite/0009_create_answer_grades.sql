-- What experts said of recorded answers. A grade outlives the audit record of its answer, so its id refers to no table.

CREATE TABLE answer_grades (
    id TEXT NOT NULL PRIMARY KEY CHECK (LENGTH(id) = 36),
    answer_id TEXT NOT NULL CHECK (LENGTH(answer_id) = 36),
    verdict TEXT NOT NULL CHECK (verdict IN ('PASS', 'FAIL', 'HALLUCINATION')),
    note TEXT CHECK (LENGTH(note) BETWEEN 1 AND 1000),
    grader TEXT NOT NULL CHECK (LENGTH(grader) BETWEEN 1 AND 100),
    confidence REAL NOT NULL CHECK (confidence >= 0.0 AND confidence <= 1.0),  -- of the answer
    created_at TEXT NOT NULL,

    UNIQUE (answer_id, grader)  -- the last word of one grader counts
) STRICT;
