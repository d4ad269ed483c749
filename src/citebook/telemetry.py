"""Logs: one line a record, as JSON or as text, each with the id of the request it belongs to."""

import json
import logging
import re
import sys
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Literal

current_request_id: ContextVar[str] = ContextVar("current_request_id", default="-")

LogFormat = Literal["json", "text"]
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")


texts = logging.getLogger("citebook.texts")
"""What readers and models wrote: logged only where the operator asks for it."""
texts.setLevel(logging.CRITICAL + 1)


def set_up_logging(level: str, log_format: LogFormat, *, with_texts: bool = False) -> None:
    """At the level `debug` only our own modules say more, and no texts: libraries log whole requests."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_JsonLines() if log_format == "json" else _TextLines())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    wanted = logging.getLevelNamesMapping()[level.upper()]
    root.setLevel(wanted if with_texts else max(wanted, logging.INFO))
    logging.getLogger("citebook").setLevel(wanted)
    texts.setLevel(logging.NOTSET if with_texts else logging.CRITICAL + 1)
    for noisy in ("httpx", "httpx2", "uvicorn.access"):
        logging.getLogger(noisy).setLevel(logging.WARNING)


class _JsonLines(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        entry = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(),
            "level": record.levelname.lower(),
            "logger": record.name,
            "request_id": current_request_id.get(),
            "message": record.getMessage(),
        }
        if record.exc_info:
            entry["exception"] = self.formatException(record.exc_info)
        return json.dumps(entry)


class _TextLines(logging.Formatter):
    """Line breaks of all kinds and other controls are escaped, so that nobody can forge or hide a line."""

    def format(self, record: logging.LogRecord) -> str:
        time = datetime.fromtimestamp(record.created, UTC).strftime("%H:%M:%S")
        message = record.getMessage()
        if record.exc_info:
            message += "\n" + self.formatException(record.exc_info)
        one_line = _UNPRINTABLE.sub(lambda found: found[0].encode("unicode_escape").decode(), message)
        return f"{time} {record.levelname.lower():<7} {current_request_id.get()} {record.name}: {one_line}"
