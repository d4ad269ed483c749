"""Locks that another program holds on a database, and servers that hang.

A lock is waited for in a thread: whoever has it now may need the event loop to end its work.
"""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import psycopg
from psycopg import sql


@asynccontextmanager
async def locked_file(url: str) -> AsyncIterator[None]:
    """A SQLite file that nobody else can write to."""
    path = url.removeprefix("sqlite:///")
    other = sqlite3.connect(path, timeout=30, isolation_level=None, check_same_thread=False)
    try:
        await asyncio.to_thread(other.execute, "BEGIN IMMEDIATE")
        yield
    finally:
        other.close()


@asynccontextmanager
async def locked_table(url: str, table: str, mode: str = "EXCLUSIVE") -> AsyncIterator[None]:
    """A table of PostgreSQL that others may read and not write, or with ACCESS EXCLUSIVE neither."""
    lock = sql.SQL("LOCK TABLE {} IN {} MODE").format(sql.Identifier(table), sql.SQL(mode))
    with psycopg.connect(url) as other:
        await asyncio.to_thread(other.execute, lock)
        yield
        other.rollback()


def locked(url: str, table: str = "audit_head") -> AbstractAsyncContextManager[None]:
    """A SQLite file that cannot be written to, or a table of PostgreSQL."""
    return locked_file(url) if url.startswith("sqlite") else locked_table(url, table)


@asynccontextmanager
async def stopped(server: Any) -> AsyncIterator[None]:
    """A PostgreSQL server that keeps its connections and answers nothing, as SIGSTOP leaves it."""
    postmaster = server.get_postmaster_info().process
    processes = [postmaster, *postmaster.children(recursive=True)]
    for process in processes:
        process.suspend()
    try:
        yield
    finally:
        for process in processes:
            process.resume()
