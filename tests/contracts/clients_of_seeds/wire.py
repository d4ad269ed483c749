"""How all five clients reach the service, and how what went over the wire is kept for the record."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import httpx

PATIENCE = 300.0


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request and what came back, as a record shows it."""

    request: str
    sent: Any
    status: int
    got: Any

    def as_json(self) -> dict[str, Any]:
        return {"request": self.request, "sent": self.sent, "status": self.status, "got": self.got}


@dataclass(slots=True)
class Wire:
    """A connection to one service."""

    http: httpx.Client
    exchanges: list[Exchange] = field(default_factory=list)

    def get(self, path: str, **headers: str) -> httpx.Response:
        return self._noted(None, self.http.get(path, headers=headers))

    def delete(self, path: str, **headers: str) -> httpx.Response:
        return self._noted(None, self.http.delete(path, headers=headers))

    def post(self, path: str, body: Any, **headers: str) -> httpx.Response:
        return self._noted(body, self.http.post(path, json=body, headers=headers))

    def post_bytes(self, path: str, body: bytes, **headers: str) -> httpx.Response:
        headers = {"Content-Type": "application/json", **headers}
        return self._noted(body.decode(errors="replace"), self.http.post(path, content=body, headers=headers))

    def upload(self, path: str, name: str, content: bytes, fields: dict[str, str], **headers: str) -> httpx.Response:
        reply = self.http.post(path, files={"file": (name, content)}, data=fields, headers=headers)
        return self._noted({"file": name, **fields}, reply)

    def stream(self, path: str, body: Any, **headers: str) -> Iterator[dict[str, Any]]:
        """The JSON of each `data:` line, as it comes."""
        frames: list[dict[str, Any]] = []
        with self.http.stream("POST", path, json=body, headers=headers) as reply:
            assert reply.status_code == 200, reply.read()
            assert reply.headers["content-type"].startswith("text/event-stream")
            for line in reply.iter_lines():
                if line.startswith("data:"):
                    frames.append(json.loads(line.removeprefix("data:")))
                    yield frames[-1]
            self._note(reply, body, frames)

    def _noted(self, body: Any, reply: httpx.Response) -> httpx.Response:
        is_json = reply.headers.get("content-type", "").startswith("application/json")
        self._note(reply, body, reply.json() if is_json and reply.content else reply.text)
        return reply

    def _note(self, reply: httpx.Response, body: Any, got: Any) -> None:
        request = f"{reply.request.method} {reply.request.url.raw_path.decode()}"
        self.exchanges.append(Exchange(request, body, reply.status_code, got))


def words(count: int, opening: str = "What is inverse kinematics") -> str:
    """So many words, which begin as a question about the book."""
    said = opening.split()
    return " ".join((said + ["really"] * count)[:count])


def characters(count: int, opening: str = "What is inverse kinematics? ") -> str:
    return (opening + "Please tell me. " * count)[:count]
