"""Conversations, the audit log and API keys in SQL: one file of SQLite, or PostgreSQL."""
