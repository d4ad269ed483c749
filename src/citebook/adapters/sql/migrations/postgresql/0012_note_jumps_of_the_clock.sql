-- How far the clock went beyond the time that is known to have passed, and when that was seen.
CREATE TABLE clock_jumps (
    seen_at TIMESTAMPTZ NOT NULL PRIMARY KEY,
    seconds DOUBLE PRECISION NOT NULL CHECK (seconds > 0)
);
