"""`citebook serve` with a watch on its event loop: GET /longest-stall says how long it stood still so far."""

import asyncio
import sys
from pathlib import Path
from time import perf_counter

import uvicorn
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from citebook.api.assembly import app_of
from citebook.root.citebook import Citebook
from citebook.settings import read_settings

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
        longest, self.longest = self.longest, 0.0
        return JSONResponse({"seconds": longest})


async def main(port: int, data_dir: Path) -> None:
    watch = LoopWatch()
    async with Citebook(read_settings(citebook_data_dir=data_dir)) as citebook:
        app, _ = await app_of(citebook)
        app.router.routes.append(Route("/longest-stall", watch.tell))
        watching = asyncio.create_task(watch.run())
        config = uvicorn.Config(app, port=port, log_config=None, access_log=False, timeout_graceful_shutdown=10)
        await uvicorn.Server(config).serve()
        watching.cancel()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), Path(sys.argv[2])))
