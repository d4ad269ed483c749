"""Whatever is done to sessions, in whatever order: each is its owner's alone, and gone when it is gone."""

import asyncio
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from uuid import UUID, uuid4

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, initialize, invariant, rule

from citebook.adapters.sql.database import Database
from citebook.domain.callers import Caller
from citebook.domain.conversation import SESSION_LIFETIME
from citebook.domain.errors import RecordRefused
from tests.conversing import TalkingStore
from tests.fuzz.test_ingestion import EXAMPLES
from tests.records import NOON

USERS = (UUID(int=1), UUID(int=2))


@dataclass(slots=True)
class Known:
    """What a session must be."""

    id: UUID
    token: str
    user_id: UUID | None
    active_at: datetime
    words: list[str] = field(default_factory=list)
    is_deleted: bool = False

    def lives(self, now: datetime) -> bool:
        return not self.is_deleted and self.active_at >= now - SESSION_LIFETIME


def holder_of(token: str) -> Caller:
    return Caller(kind="session", address="127.0.0.1", session_token=token)


def user(user_id: UUID) -> Caller:
    return Caller(kind="user", address="127.0.0.1", user_id=user_id)


@contextmanager
def empty_database() -> Iterator[str]:
    folder = Path(tempfile.mkdtemp(prefix="citebook-sessions-"))
    yield f"sqlite:///{folder / 'sessions.sqlite3'}"
    shutil.rmtree(folder)


class Sessions(RuleBasedStateMachine):
    sessions: "Bundle[Known]" = Bundle("sessions")

    @initialize()
    def begin(self) -> None:
        self._runner = asyncio.Runner()
        self._opened = empty_database()
        self._database = Database.connect(self._opened.__enter__())
        self._now = NOON
        self._store = TalkingStore(self._database, lambda: self._now)
        self._known: list[Known] = []

    def teardown(self) -> None:
        self._runner.run(self._database.aclose())
        self._runner.close()
        self._opened.__exit__(None, None, None)

    @rule(target=sessions, user_id=st.sampled_from((None, *USERS)))
    def create(self, user_id: UUID | None) -> Known:
        session, token = self._runner.run(self._store.start(user_id))
        known = Known(session.id, token, user_id, self._now)
        self._known.append(known)
        return known

    @rule(session=sessions, words=st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=50))
    def ask(self, session: Known, words: str) -> None:
        """A question that is kept after its session has gone does not bring it back."""
        self._now += timedelta(seconds=1)
        if session.lives(self._now):
            kept = self._runner.run(self._store.add_question(session.id, words))
            session.words.append(kept.content)
            session.active_at = self._now
        elif session.is_deleted:
            with suppress(RecordRefused):
                self._runner.run(self._store.add_question(session.id, words))

    @rule(session=sessions, other=sessions)
    def show_a_wrong_token(self, session: Known, other: Known) -> None:
        for caller in (
            holder_of("wrong"),
            Caller(kind="anonymous", address="127.0.0.1"),
            *self._others(session, other),
        ):
            assert self._runner.run(self._store.find(session.id, caller)) is None
            assert not self._runner.run(self._store.delete(session.id, caller))

    def _others(self, session: Known, other: Known) -> list[Caller]:
        """Those who own another session, or none at all."""
        tokens = [holder_of(other.token)] if other.id != session.id else []
        return [*tokens, *(user(one) for one in (*USERS, uuid4()) if one != session.user_id)]

    @rule(session=consumes(sessions), as_user=st.booleans())
    def delete(self, session: Known, as_user: bool) -> None:
        caller = user(session.user_id) if as_user and session.user_id else holder_of(session.token)
        assert self._runner.run(self._store.delete(session.id, caller)) == session.lives(self._now)
        session.is_deleted = session.is_deleted or session.lives(self._now)

    @rule(days=st.sampled_from((1, 10, 29, 31)))
    def let_time_pass(self, days: int) -> None:
        self._now += timedelta(days=days)

    @rule(days=st.sampled_from((0, 10, 29, 31)))
    def purge_later(self, days: int) -> None:
        self._now += timedelta(days=days)
        idle = [one for one in self._known if not one.is_deleted and not one.lives(self._now)]
        assert self._runner.run(self._store.purge(self._now)) == len(idle)
        for one in idle:
            one.is_deleted = True

    @invariant()
    def each_is_found_by_its_owner_while_it_lives(self) -> None:
        for one in getattr(self, "_known", ()):
            callers = [holder_of(one.token), *([user(one.user_id)] if one.user_id else [])]
            for caller in callers:
                found = self._runner.run(self._store.find(one.id, caller))
                assert (found is not None) == one.lives(self._now)
            history = self._runner.run(self._store.history(one.id, 50, None))
            assert [message.content for message in history] == ([] if one.is_deleted else one.words[-50:])


Sessions.TestCase.settings = settings(
    max_examples=max(10, EXAMPLES // 6),
    stateful_step_count=20,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
TestSessions = Sessions.TestCase
