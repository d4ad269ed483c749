"""Who goes where there are too many connections."""

from dataclasses import dataclass, field

from citebook.api.listening.connections import SPARE, ConnectionRules, Connections, Silence

PROXY = "10.0.0.1"


@dataclass(eq=False)
class FakeConnection:
    address: str = "203.0.113.1"
    silence: Silence = 2
    was_given_up: bool = field(default=False, init=False)

    def give_up(self) -> None:
        self.was_given_up = True


def connections(most: int = 4, most_per_address: int = 3) -> Connections:
    return Connections(ConnectionRules(most, most_per_address, is_proxy=lambda address: address == PROXY))


def test_an_address_that_has_too_many_loses_its_oldest_silent_one() -> None:
    everyone, known = connections(), [FakeConnection(), FakeConnection(), FakeConnection()]
    for one in known:
        assert everyone.admit(one) == "ordinary"
    known[0].silence = 0
    assert everyone.admit(FakeConnection()) == "ordinary"
    assert [one.was_given_up for one in known] == [False, True, False]
    assert len(everyone) == 3


def test_who_sends_a_body_slowly_goes_after_those_who_send_nothing() -> None:
    everyone, slow, silent = connections(most_per_address=2), FakeConnection(silence=1), FakeConnection()
    everyone.admit(slow)
    everyone.admit(silent)
    everyone.admit(FakeConnection())
    assert (slow.was_given_up, silent.was_given_up) == (False, True)


def test_where_all_are_too_many_the_fullest_address_gives_way() -> None:
    everyone = connections()
    alone = FakeConnection("203.0.113.9")
    many = [FakeConnection(), FakeConnection(), FakeConnection()]
    for one in (alone, *many):
        everyone.admit(one)
    assert everyone.admit(FakeConnection("203.0.113.7")) == "ordinary"
    assert not alone.was_given_up
    assert many[0].was_given_up


def test_who_is_being_answered_stays_and_a_newcomer_may_only_ask_for_health() -> None:
    everyone = connections()
    busy = [FakeConnection(f"203.0.113.{number}", 0) for number in range(4)]
    for one in busy:
        everyone.admit(one)
    assert everyone.admit(FakeConnection("203.0.113.9")) == "spare"
    assert not any(one.was_given_up for one in busy)


def test_room_for_health_is_made_by_those_who_take_it_and_say_nothing() -> None:
    everyone = connections(most=1)
    everyone.admit(FakeConnection(silence=0))
    spare = [FakeConnection(f"203.0.113.{number}") for number in range(SPARE)]
    assert {everyone.admit(one) for one in spare} == {"spare"}
    assert everyone.admit(FakeConnection("203.0.113.99")) == "spare"
    assert spare[0].was_given_up


def test_with_no_room_at_all_a_newcomer_is_not_taken() -> None:
    everyone = connections(most=1)
    everyone.admit(FakeConnection(silence=0))
    for number in range(SPARE):
        everyone.admit(FakeConnection(f"203.0.113.{number}", 0))
    assert everyone.admit(FakeConnection()) == "none"


def test_a_proxy_has_no_limit_of_its_own_and_is_not_closed_for_others() -> None:
    everyone = connections(most=6, most_per_address=1)
    proxied = [FakeConnection(PROXY) for _ in range(5)]
    assert {everyone.admit(one) for one in proxied} == {"ordinary"}
    direct = FakeConnection()
    everyone.admit(direct)
    assert everyone.admit(FakeConnection(PROXY)) == "ordinary"
    assert direct.was_given_up
    assert not any(one.was_given_up for one in proxied)
    assert everyone.admit(FakeConnection(PROXY)) == "spare"


def test_who_leaves_makes_room() -> None:
    everyone, first = connections(most=1), FakeConnection(silence=0)
    everyone.admit(first)
    everyone.leave(first)
    everyone.leave(first)
    assert len(everyone) == 0
    assert everyone.admit(FakeConnection(silence=0)) == "ordinary"
