-- Files of which each machine has a copy: uploaded chapters with their jobs, and calibrations.
CREATE TABLE shared_files (
    folder TEXT NOT NULL,
    path TEXT NOT NULL,
    sha256 TEXT NOT NULL CHECK (LENGTH(sha256) = 64),
    content BLOB NOT NULL,
    changed_at TEXT NOT NULL,

    PRIMARY KEY (folder, path)
) STRICT;

-- Work that one of all processes does, for as long as it says that it is there.
CREATE TABLE job_leases (
    job TEXT NOT NULL PRIMARY KEY,
    owner TEXT NOT NULL,
    ends_at TEXT NOT NULL
) STRICT;
