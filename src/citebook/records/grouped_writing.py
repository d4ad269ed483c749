"""What several readers want kept at the same moment is kept in one transaction: a commit costs more than its rows."""

import asyncio
from collections.abc import Mapping
from itertools import islice

from citebook.domain.entries import Entry
from citebook.domain.errors import CitebookError, DatabaseUnavailable, RecordRefused
from citebook.ports import ConversationStore

LARGEST_GROUP = 100
_SECONDS_TO_HEAR = 0.25
"""Added for whoever waits: a transaction that is ended in time has to say so."""

_Waiting = Mapping["asyncio.Future[bool]", Entry]


class GroupedWriter:
    def __init__(self, store: ConversationStore, seconds: float) -> None:
        """`seconds` is what the store takes for a transaction at most, and so what anyone waits for its own."""
        self._store, self._seconds = store, seconds
        self._waiting: dict[asyncio.Future[bool], Entry] = {}
        self._writing: asyncio.Task[None] | None = None

    async def keep(self, entry: Entry) -> bool:
        """What the store says to it; raises what the store raises.

        An entry whose transaction has begun may be kept although time was over.
        """
        kept: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        kept.add_done_callback(_look_at)
        self._waiting[kept] = entry
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._write())
        await asyncio.wait({kept}, timeout=self._seconds + _SECONDS_TO_HEAR)
        if not kept.done():
            self._waiting.pop(kept, None)
            raise DatabaseUnavailable("The database did not keep up with what was to be written")
        return kept.result()

    async def _write(self) -> None:
        while self._waiting:
            group = dict(islice(self._waiting.items(), LARGEST_GROUP))
            for kept in group:
                del self._waiting[kept]
            await self._keep_group(group)

    async def _keep_group(self, group: _Waiting) -> None:
        try:
            found = await self._store.keep(*group.values())
        except RecordRefused as refusal:
            if len(group) == 1:
                _fail(group, refusal)
            else:  # one of them; the others are not to suffer for it
                for kept, entry in group.items():
                    await self._keep_group({kept: entry})
        except CitebookError as error:
            _fail(group, error)
        except Exception as error:  # a fault of ours; whoever waits has to hear of it
            _fail(group, error)
            raise
        else:
            for kept, is_kept in zip(group, found, strict=True):
                if not kept.done():
                    kept.set_result(is_kept)

    async def aclose(self) -> None:
        """Ends what was begun."""
        if self._writing is not None:
            await asyncio.wait({self._writing})


def _fail(group: _Waiting, error: Exception) -> None:
    for kept in group:
        if not kept.done():
            kept.set_exception(error)


def _look_at(kept: "asyncio.Future[bool]") -> None:
    """An error that nobody waits for any more is no surprise."""
    if not kept.cancelled():
        kept.exception()
