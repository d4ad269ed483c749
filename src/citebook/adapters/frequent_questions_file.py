"""A book's frequent questions in a file of the data folder, so that they are there when its index is not."""

import logging
from pathlib import Path

from pydantic import ValidationError

from citebook.domain.frequent_questions import FrequentQuestions
from citebook.whole_files import write_whole

log = logging.getLogger(__name__)


class FrequentQuestionsFile:
    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self) -> FrequentQuestions | None:
        """None where there are none. A damaged file is told of, and made anew by the next ingest."""
        try:
            return FrequentQuestions.model_validate_json(self._path.read_bytes())
        except FileNotFoundError:
            return None
        except (OSError, ValidationError):
            log.warning("%s cannot be read", self._path)
            return None

    def keep(self, questions: FrequentQuestions) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(self._path, questions.model_dump_json(indent=1))
