"""Resolves the policy of each contract, once: its own default, then the named settings, then POLICIES."""

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any, get_args

from pydantic import ValidationError

from citebook.domain.errors import InvalidSettings
from citebook.domain.policy import ContractName, ContractPolicy
from citebook.settings import Settings

_FOR_ALL = {"search_top_k": "top_k", "refuse_below": "refuse_below", "warn_below": "warn_below"}
"""Settings that hold for each contract which has no rule of its own: `academic` has one for its thresholds."""
_FOR_CORE = {"rate_limit_anonymous": "anonymous", "rate_limit_authenticated": "signed_in"}
"""Settings that hold for the `core` contract: questions in an hour."""


def resolve(default: ContractPolicy, settings: Settings) -> ContractPolicy:
    """The policy in force. Raises `InvalidSettings` that names what the operator must mend."""
    check_names(settings)
    merged = _merged(default.model_dump(), _named(default, settings))
    merged = _merged(merged, settings.policies.get(default.name, {}))
    merged["max_top_k"] = max(merged["max_top_k"], merged["top_k"])
    if not _sets_warning(default, settings):
        merged["warn_below"] = max(merged["warn_below"], merged["refuse_below"])
    try:
        resolved = ContractPolicy.model_validate(merged)
        resolved.policy()
    except ValidationError as error:
        first = error.errors(include_input=False)[0]
        where = ".".join(map(str, (default.name, *first["loc"])))
        raise InvalidSettings(f"POLICIES: {where}: {_rule(first, default)}") from None
    return resolved


def check_names(settings: Settings) -> None:
    """A policy of a contract that there is none of would be without effect."""
    known = get_args(ContractName)
    for name in settings.policies:
        if name not in known:
            raise InvalidSettings(f"POLICIES: there is no contract {name}. {_nearest(name, known)}")


def _named(default: ContractPolicy, settings: Settings) -> dict[str, Any]:
    own = default.model_fields_set
    changed: dict[str, Any] = {
        field: value
        for setting, field in _FOR_ALL.items()
        if (value := getattr(settings, setting)) is not None and field not in own
    }
    if default.name == "core":
        limits = {field: getattr(settings, setting) for setting, field in _FOR_CORE.items()}
        changed |= {field: {"questions": questions} for field, questions in limits.items() if questions is not None}
    return changed


def _sets_warning(default: ContractPolicy, settings: Settings) -> bool:
    is_named = settings.warn_below is not None and "warn_below" not in default.model_fields_set
    return is_named or "warn_below" in settings.policies.get(default.name, {})


def _merged(default: Mapping[str, Any], changed: Mapping[str, Any]) -> dict[str, Any]:
    """A rule of which one part is changed keeps its other parts."""
    merged = dict(default)
    for name, value in changed.items():
        both = isinstance(value, Mapping) and isinstance(merged.get(name), Mapping)
        merged[name] = _merged(merged[name], value) if both else value
    return merged


def _rule(problem: Mapping[str, Any], default: ContractPolicy) -> str:
    if problem["type"] == "extra_forbidden" and len(problem["loc"]) == 1:
        return f"is no rule of a contract. {_nearest(str(problem['loc'][0]), type(default).model_fields)}"
    return str(problem["msg"])


def _nearest(name: str, known: Any) -> str:
    close = get_close_matches(name, list(known), n=1)
    return f"Did you mean {close[0]}?" if close else f"There are: {', '.join(known)}"
