-- How like the question the retrieved chunks were, and whether an answer is only a part; NULL in what was kept before.
ALTER TABLE audit_logs ADD COLUMN avg_similarity FLOAT
    CHECK (avg_similarity IS NULL OR (avg_similarity >= 0.0 AND avg_similarity <= 1.0));
ALTER TABLE audit_logs ADD COLUMN is_partial BOOLEAN;
