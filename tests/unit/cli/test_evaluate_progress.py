"""What is said while questions are asked."""

import asyncio

import pytest

from citebook.cli.evaluate_progress import count_questions


@pytest.mark.parametrize("stop", [KeyboardInterrupt, asyncio.CancelledError])
def test_when_stopped_it_says_how_far_it_came(stop: type[BaseException], capsys: pytest.CaptureFixture[str]) -> None:
    def ask() -> None:
        with count_questions(1200) as report:
            report(1)
            report(2)
            raise stop

    with pytest.raises(stop):
        ask()
    assert capsys.readouterr().err == "Stopped after 2 of 1,200 questions. Nothing was written.\n"


def test_in_a_pipe_a_line_is_told_from_time_to_time(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 0.0
    monkeypatch.setattr("citebook.cli.evaluate_progress.time.monotonic", lambda: now)
    with count_questions(100) as report:
        for done, now in ((1, 1.0), (10, 5.0), (11, 6.0), (20, 10.0), (100, 50.0)):  # noqa: B007
            report(done)
    assert capsys.readouterr().err.splitlines() == [
        "10 of 100 questions, 2.0 a second, 45 s left",
        "20 of 100 questions, 2.0 a second, 40 s left",
    ]


def test_other_errors_pass_without_a_word(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ValueError, match="broken"), count_questions(2):
        raise ValueError("broken")
    assert capsys.readouterr().err == ""
