"""What is sent to a language model, and what came of it."""

from pydantic import Field

from citebook.domain.limits import TokenUsage
from citebook.domain.value import Value


class Prompt(Value):
    """The rules and the one message that a model answers. It has no tools and no memory."""

    instructions: str = Field(min_length=1)
    message: str = Field(min_length=1)
    version: str = Field(min_length=1)
    """Names the wording of the rules, so that a record tells which were in force."""
    max_output_tokens: int = Field(gt=0)


class Transcript(Value):
    """One exchange with a language model, for the audit record."""

    prompt_version: str
    prompt: str
    response: str
    usage: TokenUsage = TokenUsage()
    """Zeros where the vendor did not say."""
    estimate: float | None = Field(default=None, ge=0, le=1)
    """How sure the model says it is. It may lower the confidence of the answer, and never raises it."""
    unfounded: int = Field(default=0, ge=0)
    """Claims whose quote stands nowhere in the book, or that are not plain."""
    not_covered: bool = False
    """Whether the model says that the book has no answer."""
