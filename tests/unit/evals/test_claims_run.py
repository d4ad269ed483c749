"""How labelled claims are read, quoted and counted."""

import json
from pathlib import Path

import pytest

from citebook.domain.errors import InvalidQuestionSet
from citebook.evals.claims_run import area_under_curve, evaluate_claims, quote_for, read_claims, summarise
from tests.fakes import ENGLISH

CONTEXT = "The knee bends. The ankle rolls far. The hip swings."


def write(path: Path, *rows: dict[str, str]) -> Path:
    file = path / "claims.jsonl"
    file.write_text("\n".join(json.dumps({"context": CONTEXT, **row}) for row in rows))
    return file


def test_conditions_choose_claims_and_open_ones_are_left_out(tmp_path: Path) -> None:
    file = write(
        tmp_path,
        {"claim": "A", "label": "supported", "source": "Leg/left"},
        {"claim": "B", "label": "not_supported", "source": "Arm"},
        {"claim": "C", "label": "questionable", "source": "Leg"},
    )
    assert [claim.claim for claim in read_claims(file, ["source=leg"])] == ["A"]
    assert [claim.claim for claim in read_claims(file)] == ["A", "B"]


@pytest.mark.parametrize(
    ("line", "named"),
    [("{", "line 1"), ('{"claim": "A"}', "context"), ('{"context": "", "claim": "A", "label": "yes"}', "label")],
)
def test_a_line_that_cannot_be_used_is_named(tmp_path: Path, line: str, named: str) -> None:
    file = tmp_path / "claims.jsonl"
    file.write_text(line)
    with pytest.raises(InvalidQuestionSet, match=named):
        read_claims(file)


def test_conditions_that_nothing_meets_are_told(tmp_path: Path) -> None:
    with pytest.raises(InvalidQuestionSet, match="source=WiCE"):
        read_claims(write(tmp_path, {"claim": "A", "label": "supported"}), ["source=WiCE"])


def test_the_quote_is_the_sentences_that_share_most_words() -> None:
    quoted, _ = quote_for("An ankle rolls, a hip swings.", CONTEXT, ENGLISH)
    assert quoted == "The ankle rolls far. The hip swings."


def test_a_claim_is_as_strong_as_its_weakest_sentence(tmp_path: Path) -> None:
    file = write(
        tmp_path,
        {"claim": "The knee bends. The hip swings.", "label": "supported"},
        {"claim": "The knee bends. The elbow breaks in summer.", "label": "not_supported"},
    )
    summary = summarise(evaluate_claims(read_claims(file), lambda _done: None))
    assert summary["all"]["balanced_accuracy"] == 1.0
    assert summary["all"]["auc"] == 1.0


def test_the_area_counts_ties_half() -> None:
    assert area_under_curve([0.9, 0.5], [0.5, 0.1]) == 0.875
