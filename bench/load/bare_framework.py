"""The ceiling: one FastAPI route that does nothing, on the same uvicorn settings as `citebook serve`.

python -m bench.load.bare_framework PORT
"""

import sys
from typing import Annotated, Any

import uvicorn
from fastapi import FastAPI
from pydantic import BaseModel, Field
from starlette.responses import StreamingResponse


class Request(BaseModel):
    question: Annotated[str, Field(min_length=3, max_length=1000)]
    top_k: int = 5


class Citation(BaseModel):
    chapter: str
    excerpt: str


class Answer(BaseModel):
    answer: str
    citations: list[Citation]
    confidence: float


_ANSWER = Answer(answer="x" * 300, citations=[Citation(chapter="y" * 40, excerpt="z" * 200)] * 3, confidence=0.9)
app = FastAPI()


@app.get("/health")
async def health() -> dict[str, Any]:
    return {"status": "healthy"}


@app.post("/api/ask")
async def ask(_body: Request) -> Answer:
    return _ANSWER


@app.post("/api/ask/stream")
async def ask_stream(_body: Request) -> StreamingResponse:
    async def frames() -> Any:
        for _ in range(3):
            yield b'data: {"chunk":"' + b"x" * 100 + b'"}\n\n'

    return StreamingResponse(frames(), media_type="text/event-stream")


def main() -> None:
    uvicorn.run(
        app,
        host="127.0.0.1",
        port=int(sys.argv[1]),
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=15,
        timeout_graceful_shutdown=10,
    )


if __name__ == "__main__":
    main()
