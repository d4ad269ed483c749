"""One resolver: a contract's default, then the named settings, then POLICIES."""

import pytest

from citebook.api.contracts import academic, agent, ask, core, textbook
from citebook.domain.errors import InvalidSettings
from citebook.domain.policy import COMMAND_LINE, ContractPolicy
from citebook.root.policies import resolve
from citebook.settings import read_settings

ALL = (textbook.POLICY, core.POLICY, academic.POLICY, agent.POLICY, ask.POLICY, COMMAND_LINE)
OF_CORE = [policy for policy in ALL if policy.name != "academic"]
"""Those whose thresholds are core's."""


def name_of(policy: ContractPolicy) -> str:
    return policy.name


@pytest.mark.parametrize("default", ALL, ids=name_of)
def test_without_settings_the_default_holds(default: ContractPolicy) -> None:
    assert resolve(default, read_settings()) == default


@pytest.mark.parametrize("default", ALL, ids=name_of)
def test_search_top_k_holds_for_all(default: ContractPolicy) -> None:
    resolved = resolve(default, read_settings(search_top_k=8))
    assert resolved.policy().top_k == 8


@pytest.mark.parametrize("default", OF_CORE, ids=name_of)
def test_thresholds_hold_for_all_that_follow_core(default: ContractPolicy) -> None:
    resolved = resolve(default, read_settings(refuse_below=0.4, warn_below=0.5))
    assert (resolved.refuse_below, resolved.warn_below) == (0.4, 0.5)


def test_academic_keeps_its_own_thresholds() -> None:
    resolved = resolve(academic.POLICY, read_settings(refuse_below=0.1, warn_below=0.2))
    assert (resolved.refuse_below, resolved.warn_below) == (0.60, 0.70)


def test_a_higher_refusal_takes_the_warning_with_it() -> None:
    assert resolve(core.POLICY, read_settings(refuse_below=0.5)).warn_below == 0.5


@pytest.mark.parametrize("default", ALL, ids=name_of)
def test_policies_come_last(default: ContractPolicy) -> None:
    settings = read_settings(
        refuse_below=0.4, policies={default.name: {"refuse_below": 0.8, "warn_below": 0.9, "top_k": 3}}
    )
    resolved = resolve(default, settings)
    assert (resolved.refuse_below, resolved.warn_below, resolved.top_k) == (0.8, 0.9, 3)


def test_rate_limits_of_the_seeds_are_those_of_core_and_keep_their_window() -> None:
    resolved = resolve(core.POLICY, read_settings(rate_limit_anonymous=3, rate_limit_authenticated=7))
    assert resolved.signed_in is not None
    assert (resolved.anonymous.questions, resolved.signed_in.questions) == (3, 7)
    assert (resolved.anonymous.seconds, resolved.signed_in.seconds) == (3600, 3600)
    assert resolve(ask.POLICY, read_settings(rate_limit_anonymous=3)).anonymous.questions == 30


@pytest.mark.parametrize(
    ("policies", "said"),
    [
        ({"aks": {}}, "there is no contract aks. Did you mean ask?"),
        ({"ask": {"refuse_blow": 0.1}}, "ask.refuse_blow: is no rule of a contract. Did you mean refuse_below?"),
        ({"ask": {"refuse_below": 7}}, "less than or equal to 1"),
        ({"ask": {"refuse_below": 0.5, "warn_below": 0.1}}, "warn_below must not be lower"),
    ],
)
def test_what_would_have_no_effect_or_no_sense_is_named(policies: dict[str, dict[str, float]], said: str) -> None:
    with pytest.raises(InvalidSettings, match="POLICIES") as told:
        resolve(ask.POLICY, read_settings(policies=policies))
    assert said in str(told.value)
