"""`citebook serve` that can be looked into: GET /longest-stall, GET /tasks.

python -m bench.load.watched_server PORT DATA_DIR
"""

import asyncio
import gc
import sys
from collections import Counter
from pathlib import Path
from time import perf_counter

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from citebook.api.assembly import app_of
from citebook.cli.serve import serve_app
from citebook.root.citebook import Citebook
from citebook.settings import read_settings
from citebook.telemetry import set_up_logging

_PAUSE = 0.005


class LoopWatch:
    """Sleeps for a moment again and again; whatever it oversleeps, the loop was busy with something else."""

    def __init__(self) -> None:
        self.longest = 0.0

    async def run(self) -> None:
        while True:
            started = perf_counter()
            await asyncio.sleep(_PAUSE)
            self.longest = max(self.longest, perf_counter() - started - _PAUSE)

    async def tell(self, _request: Request) -> Response:
        """How long it stood still at most, since it was asked last."""
        longest, self.longest = self.longest, 0.0
        return JSONResponse({"seconds": longest})


async def tell_tasks(_request: Request) -> Response:
    """How many tasks there are, by what they run; what only waits to be collected is collected before."""
    gc.collect()
    names = Counter(getattr(task.get_coro(), "__qualname__", "?") for task in asyncio.all_tasks())
    return JSONResponse(dict(names))


async def main(port: int, data_dir: Path) -> None:
    watch = LoopWatch()
    settings = read_settings(citebook_data_dir=data_dir, api_port=port)
    set_up_logging(settings.log_level, settings.log_format)
    async with Citebook(settings) as citebook:
        app, services = await app_of(citebook)
        app.router.routes[:0] = [Route("/longest-stall", watch.tell), Route("/tasks", tell_tasks)]
        watching = asyncio.create_task(watch.run())
        await serve_app(settings, app, services, lambda _address: None)
        watching.cancel()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), Path(sys.argv[2])))
