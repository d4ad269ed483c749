-- What an answer says, as blocks; NULL in what was kept before.
ALTER TABLE chat_messages ADD COLUMN parts TEXT;
