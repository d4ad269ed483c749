"""What the errors of language models' SDKs mean, in our own words: theirs may hold a key or a prompt."""

from collections.abc import Iterator
from contextlib import contextmanager

from citebook.domain.errors import GeneratorCutShort, GeneratorFailed, GeneratorUnreachable

REASONS = {
    "AuthenticationError": "does not accept the key",
    "PermissionDeniedError": "does not allow this model or this place",
    "NotFoundError": "does not know the model or the address",
    "BadRequestError": "does not accept the request",
    "UnprocessableEntityError": "does not accept the request",
    "ConflictError": "is busy with a conflicting request",
    "RateLimitError": "asks for fewer requests, or the credit is used up",
    "InternalServerError": "has an error of its own, or is overloaded",
    "APITimeoutError": "did not answer in time",
    "APIConnectionError": "cannot be reached, or broke off",
    "APIResponseValidationError": "answered in a form that is not understood",
    "APIStatusError": "answered with an error",
    "APIError": "reported an error while it wrote",
    "ModelBehaviorError": "stopped before its end, or wrote nothing",
    "ModelRefusalError": "withheld its answer",
    "AgentsException": "did something that an answer does not need",
    "AnthropicError": "cannot be used as it is set up",
    "TimeoutException": "did not answer in time",
    "ServerTimeoutError": "did not answer in time",
    "ClientConnectionError": "cannot be reached, or broke off",
    "ClientError": "answered in a form that is not understood",
    "HTTPError": "cannot be reached, or broke off",
    "StreamError": "broke off",
    "CookieConflict": "answered in a form that is not understood",
    "InvalidURL": "has no usable address",
    "JSONDecodeError": "sent something that is no JSON",
    "ValueError": "sent something of an unknown form",
    "TypeError": "sent something of an unknown form",
    "AttributeError": "sent something of an unknown form",
}
"""By the name of the class or of one that it descends from: the SDKs call the same things by the same names."""

_CONNECTION_FAILED = REASONS["APIConnectionError"]

_OF_STATUS = {
    400: "BadRequestError",
    401: "AuthenticationError",
    403: "PermissionDeniedError",
    404: "NotFoundError",
    409: "ConflictError",
    422: "UnprocessableEntityError",
    429: "RateLimitError",
}
"""The names that the SDKs give to a status."""

CUT_SHORT = {
    "length": "used up its tokens before its end",
    "max_tokens": "used up its tokens before its end",
    "model_context_window_exceeded": "used up its tokens before its end",
    "content_filter": "withheld the rest of its answer",
    "refusal": "withheld the rest of its answer",
}
"""Endings, as the vendors name them, of what is not a whole answer."""

UNREADABLE: tuple[type[Exception], ...] = (ValueError, TypeError, AttributeError)
"""What reading a malformed body raises, in an SDK or in our own reading of what it gave."""


@contextmanager
def vendor_errors(model: str, kinds: tuple[type[Exception], ...]) -> Iterator[None]:
    """Around a call of the SDK and the reading of its answer, and around nothing else of ours.

    An error of our own would be taken for the vendor's. Raises `GeneratorFailed`, and
    `GeneratorUnreachable` where the connection failed.
    """
    try:
        yield
    except kinds + UNREADABLE as error:
        reason = reason_of(type(error))
        failure = GeneratorUnreachable if reason == _CONNECTION_FAILED else GeneratorFailed
        raise failure(f"The model {model} {reason} ({type(error).__name__})") from None


def refused_with(model: str, status: int) -> GeneratorFailed:
    """Of an endpoint that answers by a status alone."""
    name = _OF_STATUS.get(status, "InternalServerError" if status >= 500 else "APIStatusError")
    return GeneratorFailed(f"The model {model} {REASONS[name]} ({status})")


def check_ending(model: str, ending: str | None) -> None:
    """Raises `GeneratorCutShort` where the model would have written more."""
    if ending in CUT_SHORT:
        raise GeneratorCutShort(f"The model {model} {CUT_SHORT[ending]} ({ending})")


def reason_of(kind: type[BaseException]) -> str:
    """The meaning of the nearest class that has one. Raises `StopIteration` where none has."""
    return next(REASONS[one.__name__] for one in kind.__mro__ if one.__name__ in REASONS)
