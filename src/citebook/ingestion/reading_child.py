"""`python -m citebook.ingestion.reading_child SECONDS MEGABYTES`: reads the pages that its parent hands it."""

import os
import resource
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO

from citebook.domain.errors import PageUnreadable
from citebook.ingestion.page_reading import read_page
from citebook.ingestion.reading_apart import OUT_OF_MEMORY, Message, receive, send

_MEGABYTE = 1024 * 1024
_SECONDS_BETWEEN_LOOKS = 0.05


def main() -> None:
    seconds, megabytes = float(sys.argv[1]), int(sys.argv[2])
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    requests, replies = _pipes()
    limit_memory(megabytes)
    try:
        send(replies, ("ready", None))
        while True:
            page, rules = receive(requests)
            limit_time(seconds)
            send(replies, _outcome(page, rules, _counter(requests, replies)))
    except (EOFError, BrokenPipeError):  # our parent has no more pages, or is gone
        os._exit(0)
    except MemoryError:
        os._exit(OUT_OF_MEMORY)


def _pipes() -> tuple[IO[bytes], IO[bytes]]:
    """Where we hear from our parent and where we answer; whatever else prints does so where errors go."""
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return sys.stdin.buffer, replies


def _outcome(page: object, rules: object, count_tokens: Callable[[Sequence[str]], list[int]]) -> Message:
    try:
        return "read", read_page(page, rules, count_tokens)  # type: ignore[arg-type]
    except PageUnreadable as error:
        return "unreadable", error.reason
    except (MemoryError, EOFError, BrokenPipeError):
        raise
    except Exception:  # a door: a fault of ours costs one page, and is told of
        return "failed", traceback.format_exc()


def _counter(requests: IO[bytes], replies: IO[bytes]) -> Callable[[Sequence[str]], list[int]]:
    def count_tokens(texts: Sequence[str]) -> list[int]:
        if not texts:
            return []
        send(replies, ("count", list(texts)))
        counts: list[int] = receive(requests)
        return counts

    return count_tokens


def limit_time(seconds: float) -> None:
    """Our parent watches the clock; this ends us too where it was killed."""
    used = time.process_time()
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    soft = int(used + seconds) + 2
    resource.setrlimit(resource.RLIMIT_CPU, (soft if hard == resource.RLIM_INFINITY else min(soft, hard), hard))


def limit_memory(megabytes: int) -> None:
    """So much more than what is loaded already. macOS knows no such limit: there a thread looks after it."""
    if sys.platform == "linux":
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        limit = pages * resource.getpagesize() + megabytes * _MEGABYTE
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (limit if hard == resource.RLIM_INFINITY else min(limit, hard), hard))
    else:
        threading.Thread(target=end_over, args=(_bytes_in_use() + megabytes * _MEGABYTE,), daemon=True).start()


def end_over(
    limit: int, bytes_in_use: Callable[[], int] | None = None, end: Callable[[int], None] = os._exit
) -> None:
    """Looks again and again, and ends this process where it needs more."""
    bytes_in_use = bytes_in_use or _bytes_in_use
    while bytes_in_use() <= limit:
        time.sleep(_SECONDS_BETWEEN_LOOKS)
    end(OUT_OF_MEMORY)


def _bytes_in_use() -> int:
    """The most that was resident so far, which macOS tells in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


if __name__ == "__main__":
    main()
