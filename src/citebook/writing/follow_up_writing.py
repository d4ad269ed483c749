"""Lets a language model word a follow-up as a question that stands alone, and checks that it invents nothing."""

import asyncio
import hashlib
import logging
from collections.abc import Sequence
from contextlib import aclosing
from functools import cache
from importlib.resources import files

from citebook.domain.conversation import Exchange
from citebook.domain.errors import CitebookError
from citebook.domain.prompt import Prompt
from citebook.language.languages import Language
from citebook.language.text import INVISIBLE, cut_at_word
from citebook.ports import LanguageModel
from citebook.writing.fencing import fenced, marker

log = logging.getLogger(__name__)

_PATIENCE_SECONDS = 1.0
_LONGEST = 500
_LONGEST_ANSWER = 600
_MOST_OUTPUT_TOKENS = 120


async def reworded(model: LanguageModel, text: str, history: Sequence[Exchange], language: Language) -> str | None:
    """The follow-up as the model words it; None where it is late, fails, or says what nobody has said."""
    try:
        async with asyncio.timeout(_PATIENCE_SECONDS):
            written = await _written(model, _prompt(text, history))
    except (TimeoutError, CitebookError) as error:
        log.warning("the follow-up was not reworded: %s", type(error).__name__)
        return None
    return written if _is_believable(written, text, history, language) else None


async def _written(model: LanguageModel, prompt: Prompt) -> str:
    line = ""
    async with aclosing(model.write(prompt)) as pieces:
        async for piece in pieces:
            if isinstance(piece, str):
                line = (line + piece).lstrip()
                if "\n" in line or len(line) > _LONGEST:
                    break
    return INVISIBLE.sub("", line.partition("\n")[0]).strip()


def _is_believable(written: str, text: str, history: Sequence[Exchange], language: Language) -> bool:
    terms = language.terms
    said = {term for exchange in history for term in terms(f"{exchange.question} {exchange.answer}")}
    told = set(terms(written))
    return 0 < len(written) <= _LONGEST and bool(told) and told <= said.union(terms(text))


def _prompt(text: str, history: Sequence[Exchange]) -> Prompt:
    instructions, version = _instructions()
    said = "\n".join(f"Reader: {e.question}\nBook: {cut_at_word(e.answer, _LONGEST_ANSWER)}" for e in history)
    said, text = INVISIBLE.sub("", said), INVISIBLE.sub("", text)
    mark = marker((said, text))
    message = f"{fenced('conversation', said, mark)}\n\n{fenced('follow-up', text, mark)}\n\nNow write the question."
    return Prompt(instructions=instructions, message=message, version=version, max_output_tokens=_MOST_OUTPUT_TOKENS)


@cache
def _instructions() -> tuple[str, str]:
    text = (files("citebook.writing") / "prompts" / "follow_up.md").read_text(encoding="utf-8").strip()
    return text, f"follow-up-{hashlib.sha256(text.encode()).hexdigest()[:12]}"
