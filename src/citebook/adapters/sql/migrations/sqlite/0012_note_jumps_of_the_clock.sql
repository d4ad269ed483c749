-- How far the clock went beyond the time that is known to have passed, and when that was seen.
CREATE TABLE clock_jumps (
    seen_at TEXT NOT NULL PRIMARY KEY,
    seconds REAL NOT NULL CHECK (seconds > 0)
) STRICT;
