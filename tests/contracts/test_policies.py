"""What an operator changes of a contract's rules, and what stays."""

from tests.contracts.conftest import Start
from tests.contracts.service import ASKING, Asking


async def test_an_operator_may_change_a_part_of_a_rule(start: Start) -> None:
    policies = {"ask": {"question": {"max_characters": 5}, "max_top_k": 2, "top_k": 1}}
    service = await start(policies=policies)
    asking: Asking = ASKING["ask"]
    statuses = [(await asking.ask(service, text)).status_code for text in ("ab", "cups", "cup of")]
    assert statuses == [400, 200, 400], "the shortest question is still that of the contract"
    assert (await asking.ask(service, "cups", top_k=3)).status_code == 400
