-- The filters or the scope of a question; NULL where it was asked of all of the book, and in what was kept before.
ALTER TABLE audit_logs ADD COLUMN searched_part TEXT;
