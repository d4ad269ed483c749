"""A local server that speaks the wires of OpenAI's embeddings and of Cohere's embed and rerank."""

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

from citebook.language.languages import language_of
from tests.fakes import WordEmbedder

DIMENSION = 32


class EmbeddingServer(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.requests: list[tuple[str, dict[str, Any], dict[str, str]]] = []
        self.failures: list[int] = []
        """HTTP statuses to answer with before anything else."""
        self.reply: dict[str, Any] | bytes | None = None
        """What to answer instead of the truth."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    server: EmbeddingServer

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append((self.path, body, dict(self.headers)))
        if self.server.failures:
            self._send(self.server.failures.pop(0), {"message": "secret-of-the-vendor"})
        else:
            self._send(200, self.server.reply if self.server.reply is not None else _truth(self.path, body))

    def _send(self, status: int, body: dict[str, Any] | bytes) -> None:
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Retry-After-Ms", "1")
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        pass


def _truth(path: str, body: dict[str, Any]) -> dict[str, Any]:
    if path.endswith("/rerank"):
        asked = language_of("en").term_set(body["query"])
        shares = [len(asked & language_of("en").term_set(text)) / max(1, len(asked)) for text in body["documents"]]
        ranked = sorted(range(len(shares)), key=lambda place: -shares[place])
        return {"id": "1", "results": [{"index": place, "relevance_score": shares[place]} for place in ranked]}
    texts = body["input"] if path.endswith("/embeddings") else body["texts"]
    vectors = asyncio.run(WordEmbedder("words", DIMENSION).embed_passages(texts)) * 3
    if path.endswith("/embeddings"):
        rows = [{"object": "embedding", "index": i, "embedding": v.tolist()} for i, v in enumerate(vectors)]
        usage = {"prompt_tokens": 1, "total_tokens": 1}
        return {"object": "list", "model": body["model"], "data": rows[::-1], "usage": usage}
    return {
        "id": "1",
        "response_type": "embeddings_by_type",
        "embeddings": {"float": vectors.tolist()},
        "texts": texts,
    }


@contextmanager
def serving() -> Iterator[EmbeddingServer]:
    with EmbeddingServer() as server:
        Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        try:
            yield server
        finally:
            server.shutdown()
