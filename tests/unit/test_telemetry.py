"""What is in the logs, and what is not unless it is asked for."""

import logging
from collections.abc import Iterator

import pytest

from citebook.telemetry import set_up_logging, texts


@pytest.fixture(autouse=True)
def _logging_as_before() -> Iterator[None]:
    root, ours = logging.getLogger(), logging.getLogger("citebook")
    handlers, levels = root.handlers[:], (root.level, ours.level, texts.level)
    yield
    root.handlers[:] = handlers
    for logger, level in zip((root, ours, texts), levels, strict=True):
        logger.setLevel(level)


def said(capsys: pytest.CaptureFixture[str]) -> str:
    """After each of those who may log said something at the level debug."""
    logging.getLogger("citebook.agents").debug("an agent took 3 ms")
    logging.getLogger("openai._base_client").debug("Request options: a reader's question")
    texts.debug("agent response: a reader's question")
    return capsys.readouterr().err


def test_debug_logs_hold_no_texts_of_readers(capsys: pytest.CaptureFixture[str]) -> None:
    set_up_logging("debug", "json")
    logged = said(capsys)
    assert "an agent took 3 ms" in logged
    assert "a reader's question" not in logged


def test_texts_are_logged_where_the_operator_asks_for_it(capsys: pytest.CaptureFixture[str]) -> None:
    set_up_logging("debug", "json", with_texts=True)
    assert said(capsys).count("a reader's question") == 2
