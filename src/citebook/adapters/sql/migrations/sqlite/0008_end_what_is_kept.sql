-- Archives whose retention is over: their files are gone, and the chain still passes over their stretch.
ALTER TABLE audit_archives ADD COLUMN expired_at TEXT;

-- Jobs that one of all workers does, and when one of them last took it on.
CREATE TABLE job_turns (
    job TEXT NOT NULL PRIMARY KEY,
    taken_at TEXT NOT NULL
) STRICT;
