"""The HTTP service under load: many readers, readers who leave, too many readers, and what is left of them after."""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BOOK = ROOT / "examples" / "physical-ai" / "docs"
QUESTIONS = ROOT / "examples" / "physical-ai" / "questions.jsonl"
_PLENTY = 1_000_000
_PLENTY_OF_TOKENS = 10**12


def sample_questions() -> list[str]:
    """Those that the sample book answers or refuses."""
    return [json.loads(line)["question"] for line in QUESTIONS.read_text(encoding="utf-8").splitlines()]


def ingested(book: Path, data_dir: Path) -> Path:
    """The data folder of a server that has ingested a book."""
    command = [sys.executable, "-m", "citebook", "ingest", str(book), "--data-dir", str(data_dir)]
    subprocess.run(command, check=True, capture_output=True)
    return data_dir


def without_limits() -> dict[str, str]:
    """The environment of a server that counts nobody's questions, and nobody's tokens."""
    plenty = {"anonymous": {"questions": _PLENTY, "seconds": 60}}
    return {
        "POLICIES": json.dumps(dict.fromkeys(("textbook", "academic", "agent", "ask"), plenty)),
        "RATE_LIMIT_ANONYMOUS": str(_PLENTY),
        "LLM_TOKENS_A_DAY": str(_PLENTY_OF_TOKENS),
        "LLM_TOKENS_A_DAY_PER_CALLER": str(_PLENTY_OF_TOKENS),
        "LOG_LEVEL": "warning",
    }
