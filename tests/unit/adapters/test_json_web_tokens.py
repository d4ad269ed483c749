"""Tokens that must be believed, and the many that must not."""

import asyncio
import base64
import hashlib
import hmac
import json
import logging
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from time import monotonic, time
from typing import Any
from uuid import UUID, uuid4, uuid5

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from hypothesis import given
from hypothesis import strategies as st

from citebook.adapters import json_web_tokens
from citebook.adapters.json_web_tokens import SUBJECTS, TokenVerifier
from citebook.domain.errors import InvalidSettings

SECRET = "s" * 32
PRIVATE_KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
OTHER_KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
USER = uuid4()
AUDIENCE, ISSUER = "citebook", "https://issuer.example"

PublicKey = rsa.RSAPublicKey | ec.EllipticCurvePublicKey


def pem_of(key: PublicKey) -> str:
    return key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()


PEM = pem_of(PRIVATE_KEY.public_key())

by_secret = TokenVerifier.by_secret(SECRET, AUDIENCE, ISSUER)
by_public_key = TokenVerifier.by_public_key(PEM, AUDIENCE, ISSUER)


def claims(**changes: Any) -> dict[str, Any]:
    """Good ones, but for the changes; None leaves a claim out."""
    good = {"sub": str(USER), "exp": int(time()) + 600, "aud": AUDIENCE, "iss": ISSUER}
    return {name: value for name, value in {**good, **changes}.items() if value is not None}


def by_hand(header: object, payload: object, secret: bytes = SECRET.encode()) -> str:
    """What no honest library signs, signed all the same."""
    parts = [part if isinstance(part, bytes) else json.dumps(part).encode() for part in (header, payload)]
    signed = b".".join(base64.urlsafe_b64encode(part).rstrip(b"=") for part in parts)
    signature = hmac.digest(secret, signed, hashlib.sha256)
    return (signed + b"." + base64.urlsafe_b64encode(signature).rstrip(b"=")).decode()


HS256 = {"alg": "HS256", "typ": "JWT"}


class TestBelieved:
    async def test_signed_with_our_key(self) -> None:
        assert await by_secret.user_id(jwt.encode(claims(), SECRET, "HS256")) == USER
        assert await by_public_key.user_id(jwt.encode(claims(), PRIVATE_KEY, "RS256")) == USER

    async def test_without_audience_and_issuer_where_none_is_configured(self) -> None:
        token = jwt.encode(claims(aud=None, iss=None), SECRET, "HS256")
        assert await TokenVerifier.by_secret(SECRET).user_id(token) == USER

    @pytest.mark.parametrize("change", [{"exp": -25}, {"nbf": 25}, {"iat": 25}])
    async def test_a_clock_that_is_a_little_wrong(self, change: dict[str, int]) -> None:
        times = {name: int(time()) + seconds for name, seconds in change.items()}
        assert await by_secret.user_id(jwt.encode(claims(**times), SECRET, "HS256")) == USER


class TestSubjects:
    async def user_id(self, subject: str) -> UUID | None:
        return await by_secret.user_id(jwt.encode(claims(sub=subject), SECRET, "HS256"))

    async def test_a_uuid_is_itself_in_either_case(self) -> None:
        assert await self.user_id(str(USER)) == await self.user_id(str(USER).upper()) == USER

    async def test_any_other_is_always_the_same_uuid(self) -> None:
        assert await self.user_id("auth0|42") == uuid5(SUBJECTS, "auth0|42")
        assert UUID("643e1e1a-932b-4b81-869c-c01e92ffa8e3") == SUBJECTS, "users would lose their sessions"

    @pytest.mark.parametrize("form", ["{{{}}}", "urn:uuid:{}", " {}", "{}\n"])
    async def test_an_unusual_spelling_of_a_uuid_is_another_user(self, form: str) -> None:
        assert await self.user_id(form.format(USER)) not in {USER, None}
        assert await self.user_id(USER.hex) not in {USER, None}


class TestNotBelieved:
    @pytest.mark.parametrize(
        ("claim", "values"),
        [
            ("aud", ["another", None, ["another"], 7]),
            ("iss", ["https://evil.example", None, [ISSUER]]),
            ("exp", [None, 0, "soon", []]),
            ("sub", [None, "", 42, ["a"], "\ud800"]),
            ("nbf", [99_999_999_999, "later"]),
            ("iat", [99_999_999_999]),
        ],
    )
    async def test_wrong_claims(self, claim: str, values: list[Any]) -> None:
        for value in values:
            assert await by_secret.user_id(by_hand(HS256, claims(**{claim: value}))) is None, value

    @pytest.mark.parametrize("change", [{"exp": -35}, {"nbf": 35}, {"iat": 40}])
    async def test_outside_the_leeway(self, change: dict[str, int]) -> None:
        times = {name: int(time()) + seconds for name, seconds in change.items()}
        assert await by_secret.user_id(jwt.encode(claims(**times), SECRET, "HS256")) is None

    async def test_made_for_another_service_where_no_audience_is_configured(self) -> None:
        token = jwt.encode(claims(aud="another", iss=None), SECRET, "HS256")
        assert await TokenVerifier.by_secret(SECRET).user_id(token) is None

    @pytest.mark.parametrize(
        "algorithm", ["none", "None", "NONE", "", "hs256", "HS384", "HS512", "RS256", None, 1, []]
    )
    @pytest.mark.parametrize("verifier", [by_secret, by_public_key])
    async def test_another_algorithm(self, verifier: TokenVerifier, algorithm: object) -> None:
        token = by_hand({"alg": algorithm, "typ": "JWT"}, claims())
        assert await verifier.user_id(token) is None
        assert await verifier.user_id(token.rsplit(".", 1)[0] + ".") is None

    @pytest.mark.parametrize("key", [PEM, PEM.strip(), PEM.replace("\n", "\r\n")])
    async def test_the_public_key_as_a_secret(self, key: str) -> None:
        assert await by_public_key.user_id(by_hand(HS256, claims(), key.encode())) is None
        assert await by_public_key.user_id(by_hand({"alg": "RS256"}, claims(), key.encode())) is None

    @pytest.mark.parametrize("algorithm", ["RS384", "RS512", "PS256"])
    async def test_the_right_key_by_another_algorithm(self, algorithm: str) -> None:
        assert await by_public_key.user_id(jwt.encode(claims(), PRIVATE_KEY, algorithm)) is None

    async def test_signed_by_someone_else(self) -> None:
        assert await by_public_key.user_id(jwt.encode(claims(), OTHER_KEY, "RS256")) is None
        assert await by_secret.user_id(by_hand(HS256, claims(), b"t" * 32)) is None

    async def test_a_key_that_the_token_brings_along(self) -> None:
        jwk = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(OTHER_KEY.public_key()))
        headers = {"jwk": jwk, "jku": "https://evil.example/keys", "x5u": "https://evil.example/cert"}
        assert await by_public_key.user_id(jwt.encode(claims(), OTHER_KEY, "RS256", headers=headers)) is None

    async def test_changed_on_the_way(self) -> None:
        header, _, signature = jwt.encode(claims(), PRIVATE_KEY, "RS256").split(".")
        payload = jwt.encode(claims(sub=str(uuid4())), PRIVATE_KEY, "RS256").split(".")[1]
        assert await by_public_key.user_id(f"{header}.{payload}.{signature}") is None

    async def test_an_extension_that_must_be_understood(self) -> None:
        header = {**HS256, "crit": ["x"], "x": 1}
        assert await by_secret.user_id(by_hand(header, claims())) is None

    @pytest.mark.parametrize(
        "token",
        [
            *("", ".", "..", "a.b.c", "\ud800.a.b", "ä.ö.ü"),
            by_hand(b"[" * 3000, {}),
            by_hand(b'{"a":' * 3000, {}),
            by_hand(HS256, b"[" * 100_000),
            by_hand(HS256, [claims()]),
            by_hand(HS256, b"\xff\xfe"),
            by_hand(HS256, b'{"sub":"a","exp":' + b"9" * 5000 + b"}"),
            *(by_hand(HS256, {"sub": "a", "exp": float(number)}) for number in ("inf", "nan")),
            by_hand([], claims()),
            by_hand({**HS256, "kid": 7}, claims()),
            by_hand({**HS256, "b64": False}, claims()),
        ],
        ids=range(17),
    )
    @pytest.mark.parametrize("verifier", [by_secret, by_public_key, TokenVerifier.by_secret(SECRET)])
    async def test_nonsense(self, verifier: TokenVerifier, token: str) -> None:
        assert await verifier.user_id(token) is None

    @given(header=st.binary(max_size=60), payload=st.binary(max_size=60), text=st.text(max_size=60))
    def test_any_bytes(self, header: bytes, payload: bytes, text: str) -> None:
        for token in (by_hand(header, payload), by_hand(HS256, payload), text):
            assert asyncio.run(by_secret.user_id(token)) is None

    async def test_nothing_of_it_is_logged(self, caplog: pytest.LogCaptureFixture) -> None:
        caplog.set_level(logging.DEBUG)
        await by_secret.user_id(jwt.encode(claims(aud="canary"), SECRET, "HS256"))
        assert not caplog.records


class TestSettings:
    @pytest.mark.parametrize("secret", ["", "s" * 31, "ü" * 15, PEM])
    def test_a_bad_secret(self, secret: str) -> None:
        with pytest.raises(InvalidSettings) as refused:
            TokenVerifier.by_secret(secret)
        assert not secret or secret not in str(refused.value)

    @pytest.mark.parametrize(
        "pem",
        [
            *("", SECRET),
            PEM.replace("A", "", 3),
            pem_of(rsa.generate_private_key(public_exponent=65537, key_size=1024).public_key()),
            pem_of(ec.generate_private_key(ec.SECP256R1()).public_key()),
        ],
        ids=["empty", "secret", "broken", "weak", "elliptic"],
    )
    def test_a_bad_public_key(self, pem: str) -> None:
        with pytest.raises(InvalidSettings):
            TokenVerifier.by_public_key(pem)

    @pytest.mark.parametrize("url", ["", "keys", "http://issuer.example/keys", "file:///etc/passwd", "https://"])
    def test_a_bad_key_set(self, url: str) -> None:
        with pytest.raises(InvalidSettings):
            TokenVerifier.by_key_set(url)


class Provider:
    """An identity provider that publishes keys on this machine."""

    def __init__(self) -> None:
        self.keys: list[dict[str, Any]] = []
        self.body: bytes | None = None
        self.fetches = 0
        self.answers = Event()
        self.answers.set()
        provider = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                provider.fetches += 1
                provider.answers.wait(10)
                self.send_response(200)
                self.end_headers()
                self.wfile.write(provider.body or json.dumps({"keys": provider.keys}).encode())

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/keys"
        Thread(target=self.server.serve_forever, args=[0.02], daemon=True).start()

    def publish(self, name: str, key: rsa.RSAPrivateKey, **more: str) -> None:
        jwk = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(key.public_key()))
        self.keys.append({**jwk, "kid": name, **more})


def signed(name: str | None, key: rsa.RSAPrivateKey = PRIVATE_KEY) -> str:
    return jwt.encode(claims(), key, "RS256", headers={"kid": name} if name else None)


@pytest.mark.network
class TestKeySet:
    @pytest.fixture
    def provider(self) -> Iterator[Provider]:
        provider = Provider()
        provider.publish("first", PRIVATE_KEY, use="sig")
        yield provider
        provider.answers.set()
        provider.server.shutdown()
        provider.server.server_close()

    @pytest.fixture
    def verifier(self, provider: Provider) -> TokenVerifier:
        return TokenVerifier.by_key_set(provider.url, AUDIENCE, ISSUER)

    @pytest.fixture
    def _always_due(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(json_web_tokens, "_FETCH_PAUSE_SECONDS", -1.0)
        monkeypatch.setattr(json_web_tokens, "_KEYS_LIVE_SECONDS", -1.0)

    async def test_fetched_once_for_many(self, provider: Provider, verifier: TokenVerifier) -> None:
        users = await asyncio.gather(*(verifier.user_id(signed("first")) for _ in range(50)))
        assert set(users) == {USER}
        assert provider.fetches == 1

    async def test_only_the_named_key_counts(self, provider: Provider, verifier: TokenVerifier) -> None:
        provider.publish("second", OTHER_KEY)
        assert await verifier.user_id(signed("second", OTHER_KEY)) == USER
        for token in (signed("first", OTHER_KEY), signed("third"), signed(None), "a.b.c"):
            assert await verifier.user_id(token) is None

    async def test_made_up_names_cause_no_fetches(self, provider: Provider, verifier: TokenVerifier) -> None:
        for number in range(50):
            assert await verifier.user_id(signed(f"{number}")) is None
        assert provider.fetches == 1

    async def test_keys_for_something_else(self, provider: Provider, verifier: TokenVerifier) -> None:
        provider.publish("encrypting", OTHER_KEY, use="enc")
        provider.publish("longer", OTHER_KEY, alg="RS512")
        shared = base64.urlsafe_b64encode(SECRET.encode()).decode()
        provider.keys.append({"kty": "oct", "kid": "shared", "k": shared, "alg": "RS256"})
        provider.keys.append({"kty": "oct", "kid": "secret", "k": shared})
        for name in ("encrypting", "longer", "shared", "secret"):
            assert await verifier.user_id(signed(name, OTHER_KEY)) is None
            assert await verifier.user_id(by_hand({**HS256, "kid": name}, claims())) is None
        assert await verifier.user_id(signed("first")) == USER

    @pytest.mark.usefixtures("_always_due")
    async def test_keys_change(self, provider: Provider, verifier: TokenVerifier) -> None:
        assert await verifier.user_id(signed("first")) == USER
        provider.keys.clear()
        provider.publish("second", OTHER_KEY)
        assert await verifier.user_id(signed("second", OTHER_KEY)) == USER
        assert await verifier.user_id(signed("first")) is None

    @pytest.mark.usefixtures("_always_due")
    @pytest.mark.parametrize("body", [b"[]", b"{}", b"<html>", b'{"keys": 7}', b'{"keys": [7]}', b"[" * 5000])
    async def test_a_provider_that_fails_takes_no_key_away(
        self, provider: Provider, verifier: TokenVerifier, body: bytes, caplog: pytest.LogCaptureFixture
    ) -> None:
        assert await verifier.user_id(signed("first")) == USER
        provider.body = body
        assert await verifier.user_id(signed("first")) == USER
        assert await verifier.user_id(signed("second", OTHER_KEY)) is None
        assert {record.levelname for record in caplog.records} == {"WARNING"}
        assert "first" not in caplog.text

    async def test_a_provider_that_hangs(
        self, provider: Provider, verifier: TokenVerifier, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(json_web_tokens, "_FETCH_SECONDS", 0.3)
        provider.answers.clear()
        start = monotonic()
        beats = 0

        async def beat() -> None:
            nonlocal beats
            while True:
                await asyncio.sleep(0.01)
                beats += 1

        beating = asyncio.create_task(beat())
        assert set(await asyncio.gather(*(verifier.user_id(signed("first")) for _ in range(20)))) == {None}
        beating.cancel()
        assert monotonic() - start < 5
        assert beats > 1, "the event loop runs on"
        assert provider.fetches == 1

    async def test_a_caller_that_leaves_does_not_stop_the_fetch(
        self, provider: Provider, verifier: TokenVerifier
    ) -> None:
        provider.answers.clear()
        leaving = asyncio.create_task(verifier.user_id(signed("first")))
        await asyncio.sleep(0.05)
        leaving.cancel()
        staying = asyncio.create_task(verifier.user_id(signed("first")))
        await asyncio.sleep(0.05)
        provider.answers.set()
        assert await staying == USER
