"""Frames of a stream."""

import json

from hypothesis import given
from hypothesis import strategies as st

from citebook.api.event_stream import frame


@given(st.text(st.characters()))
def test_a_frame_is_one_line_whatever_is_in_it(text: str) -> None:
    made = frame({"content": text})
    assert made.startswith(b"data: ")
    assert made.endswith(b"\n\n")
    assert len(made.decode("ascii").splitlines()) == 2
    assert json.loads(made[len(b"data: ") :]) == {"content": text}
