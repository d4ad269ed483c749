-- For operators who purge by a scheduler of the database, such as pg_cron:
-- SELECT cron.schedule('purge-old-sessions', '0 3 * * *', 'SELECT purge_old_chat_sessions();');
-- SQLite has no stored functions: there, `citebook purge` and the server's daily job do the same.

CREATE FUNCTION purge_old_chat_sessions() RETURNS INTEGER AS $$
DECLARE
    deleted_count INTEGER;
BEGIN
    WITH deleted AS (
        DELETE FROM chat_sessions
        WHERE last_activity_at < NOW() - INTERVAL '30 days'
        RETURNING id
    )
    SELECT COUNT(*) INTO deleted_count FROM deleted;

    RETURN deleted_count;
END;
$$ LANGUAGE plpgsql;
