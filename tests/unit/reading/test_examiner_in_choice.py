"""What an examiner says of the best passages."""

import pytest

from citebook.domain.answer import Claim
from citebook.domain.errors import ExaminerFailed
from citebook.domain.question import Question
from citebook.reading.extractive import ExtractiveReader
from tests.fakes import evidence_of, make_chunk
from tests.unit.reading.quoting import PointingExaminer, collect, told

SHAFTS = make_chunk("Shafts turn gears.\n\nA coupling joins two shafts end to end.\n\nShafts are made of steel.")
ASKED = "Which metal are shafts made of?"


def examined(examiner: PointingExaminer) -> list[Claim]:
    return collect(Question(text=ASKED), evidence_of(SHAFTS, question=ASKED), examiner)


def test_what_the_examiner_is_sure_of_is_told_first() -> None:
    assert examined(PointingExaminer("coupling"))[0].text == "A coupling joins two shafts end to end."


def test_an_answer_that_the_examiner_doubts_scores_less() -> None:
    sure, unsure = (examined(PointingExaminer("steel", points))[0].score or 0.0 for points in (4.0, -4.0))
    assert sure > unsure


def test_the_examiner_reads_units_under_their_headings() -> None:
    examiner = PointingExaminer()
    examined(examiner)
    assert f"{' > '.join(SHAFTS.heading_path)}\nShafts are made of steel." in examiner.read


def test_in_a_hurry_the_first_reading_stands() -> None:
    examiner = PointingExaminer("coupling")
    evidence = evidence_of(SHAFTS, question=ASKED)
    claims = ExtractiveReader(examiner, is_hurried=lambda: True).quote(Question(text=ASKED), evidence)
    assert [claim.text for claim in claims] == told(ASKED, SHAFTS)
    assert not examiner.read


def test_where_the_examiner_fails_the_first_reading_stands(caplog: pytest.LogCaptureFixture) -> None:
    failed = examined(PointingExaminer(error=ExaminerFailed("out of memory")))
    assert [claim.text for claim in failed] == told(ASKED, SHAFTS)
    assert "without the examiner: out of memory" in caplog.text
