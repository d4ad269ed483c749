"""A real Qdrant server that asks for a key and speaks TLS. Skipped without a binary."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from citebook.adapters.qdrant.server import QdrantServer, ServerAddress, ServerShape
from citebook.domain.errors import VectorStoreUnavailable, VectorStoreUnreachable
from tests.fakes import WORKERS
from tests.ports.test_book_index import BALANCE, KINEMATICS, files, publish, search
from tests.qdrant_servers import BINARY, NO_BINARY, Node, started_node

pytestmark = [
    pytest.mark.network,
    pytest.mark.skipif(BINARY is None, reason=NO_BINARY),
    pytest.mark.filterwarnings("ignore::UserWarning", "ignore::DeprecationWarning"),
]
KEY = "only-for-tests"


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A certificate of 127.0.0.1 that vouches for itself, and its key."""
    folder, key = tmp_path_factory.mktemp("certificate"), ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(hours=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .sign(key, hashes.SHA256())
    )
    own_key = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    (folder / "certificate.pem").write_bytes(made.public_bytes(serialization.Encoding.PEM))
    (folder / "key.pem").write_bytes(own_key)
    return folder / "certificate.pem", folder / "key.pem"


@pytest.fixture(scope="module")
def node(certificate: tuple[Path, Path]) -> Iterator[Node]:
    cert, key = certificate
    environment = (
        ("QDRANT__SERVICE__API_KEY", KEY),
        ("QDRANT__SERVICE__ENABLE_TLS", "true"),
        ("QDRANT__TLS__CERT", str(cert)),
        ("QDRANT__TLS__KEY", str(key)),
    )
    with started_node(environment=environment, is_tls=True) as node:
        yield node


def connected(node: Node, folder: Path, key: str | None = KEY) -> QdrantServer:
    return QdrantServer.connect(ServerAddress((node.url,), key), "book", folder, WORKERS, ServerShape())


async def test_with_its_key_and_its_certificate_a_book_is_kept_and_found(
    node: Node, certificate: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate[0]))
    index = connected(node, tmp_path)
    await publish(index, "first", [KINEMATICS, BALANCE])
    assert files(await search(index, "inverse kinematics"))[0] == "kinematics.mdx"
    await index.aclose()


async def test_a_wrong_key_is_refused(
    node: Node, certificate: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate[0]))
    index = connected(node, tmp_path, "wrong")
    with pytest.raises(VectorStoreUnavailable):
        await index.edition()
    await index.aclose()


async def test_a_certificate_that_nobody_vouches_for_is_refused(node: Node, tmp_path: Path) -> None:
    index = connected(node, tmp_path)
    with pytest.raises(VectorStoreUnreachable):
        await index.edition()
    await index.aclose()
