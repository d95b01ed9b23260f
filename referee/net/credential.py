"""Keys, and what a client needs to take its place: passed to another process through a pipe, never in arguments."""

from __future__ import annotations

import base64
import hashlib
import re
import socket
import ssl
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Self

from nacl.exceptions import CryptoError
from nacl.public import PrivateKey
from nacl.public import PublicKey as NaClPublicKey
from nacl.utils import random

from referee.net.errors import CredentialError
from referee.net.topics.topics import Role, checked_name
from referee.private_file import write_private
from referee.rules.values import Seat

KEY_BYTES = 32
_PEM = re.compile("-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----", re.DOTALL)


@dataclass(frozen=True, slots=True)
class PublicKey:
    """The public half of a Curve25519 key pair; its text form is URL-safe base64 without padding."""

    raw: bytes

    def __post_init__(self) -> None:
        if len(self.raw) != KEY_BYTES:
            raise CredentialError("a public key has 32 bytes")

    @classmethod
    def from_text(cls, text: str) -> PublicKey:
        """Read the text form; raises `CredentialError`."""
        return cls(read_base64(text))

    @property
    def text(self) -> str:
        """Return the text form."""
        return write_base64(self.raw)

    @property
    def fingerprint(self) -> str:
        """Return 32 hex digits of its SHA-512, for a QR code."""
        return hashlib.sha512(self.raw).hexdigest()[:32]

    def nacl(self) -> NaClPublicKey:
        """Return the library's form."""
        return NaClPublicKey(self.raw)


class StoredKey:
    """A key pair that is made from 32 secret bytes, which a file can keep."""

    __slots__ = ()

    def __init__(self, secret: bytes) -> None:
        raise NotImplementedError

    @classmethod
    def create(cls) -> Self:
        """Make a new pair."""
        return cls(random(KEY_BYTES))

    @classmethod
    def load_or_create(cls, path: Path) -> Self:
        """Return the pair kept in a file; a new one is written there (mode 0600) when the file does not exist.

        Raises `CredentialError`.
        """
        try:
            secret = read_base64(path.read_text().strip())
        except FileNotFoundError:
            secret = random(KEY_BYTES)
            write_private(path, write_base64(secret) + "\n")
        except (OSError, UnicodeDecodeError, CredentialError) as error:
            raise CredentialError(f"{path}: no key can be read from this file") from error
        if len(secret) != KEY_BYTES:
            raise CredentialError(f"{path}: no key can be read from this file")
        return cls(secret)


class KeyPair(StoredKey):
    """A Curve25519 key pair. Its private half is in no text form."""

    __slots__ = ("_private", "public")

    def __init__(self, private: bytes) -> None:
        try:
            self._private = PrivateKey(private)
        except (CryptoError, TypeError, ValueError) as error:
            raise CredentialError("a private key has 32 bytes") from error
        self.public = PublicKey(bytes(self._private.public_key))

    def private_text(self) -> str:
        """Return the secret half as text, for a pipe or a private file."""
        return write_base64(bytes(self._private))

    def nacl(self) -> PrivateKey:
        """Return the library's form."""
        return self._private

    def __repr__(self) -> str:
        return f"KeyPair({self.public.text}, ?)"


@dataclass(frozen=True, slots=True)
class Address:
    """Where a client comes: by TCP at `port`, or where that is 0 by WebSocket (`/mqtt`) at `ws_port`, the front door's.

    `certificate` (PEM) is the one certificate that the TCP listener has to show; without it the connection is plain.
    """

    host: str
    port: int
    ws_port: int | None = None
    certificate: str | None = field(default=None, repr=False)

    @property
    def certificate_fingerprint(self) -> str | None:
        """Return the SHA-256 of the certificate (of its DER form, 64 hex digits, as openssl shows it), None without one.

        Raises `CredentialError` for what is no certificate.
        """
        if self.certificate is None:
            return None
        found = _PEM.search(self.certificate)
        try:
            return hashlib.sha256(ssl.PEM_cert_to_DER_cert(found[0] if found else "")).hexdigest()
        except ValueError:
            raise CredentialError("the broker's certificate cannot be read") from None


@dataclass(frozen=True, slots=True)
class Credential:
    """The place of one client: broker address, user (= client id), password, board, role and seat, and the keys of its letters."""

    role: Role
    user: str
    password: str = field(repr=False)
    address: Address
    board: str
    seat: Seat | None = None
    own: KeyPair | None = None
    peer: PublicKey | None = None
    """A handset's: the referee's key. The referee learns the handsets' keys by pairing."""

    def with_keys(self, own: KeyPair, peer: PublicKey | None = None) -> Credential:
        """Return the same place with the client's own key pair filled in."""
        return replace(self, own=own, peer=peer or self.peer)

    def to_json(self) -> dict[str, Any]:
        """Return an object of JSON values, secrets included: for a pipe."""
        return {
            "role": self.role.value,
            "user": self.user,
            "password": self.password,
            **asdict(self.address),
            "board": self.board,
            "seat": self.seat.value if self.seat else None,
            "own": self.own.private_text() if self.own else None,
            "peer": self.peer.text if self.peer else None,
        }

    @classmethod
    def from_json(cls, source: Mapping[str, Any]) -> Credential:
        """Read what `to_json` gave; raises `CredentialError` naming no secret."""
        try:
            credential = cls(
                role=Role(source["role"]),
                user=_text(source["user"]),
                password=_text(source["password"]),
                address=Address(
                    _text(source["host"]),
                    int(source["port"]),
                    source["ws_port"],
                    _text(source["certificate"]) if source["certificate"] is not None else None,
                ),
                board=checked_name(_text(source["board"])),
                seat=Seat(source["seat"]) if source["seat"] is not None else None,
                own=KeyPair(read_base64(source["own"])) if source["own"] is not None else None,
                peer=PublicKey.from_text(source["peer"]) if source["peer"] is not None else None,
            )
        except CredentialError:
            raise
        except Exception:  # whatever is wrong with it, the error's own text could hold the password
            raise CredentialError("this is no credential: a field is missing or wrong") from None
        if set(source) != set(credential.to_json()):
            raise CredentialError("this is no credential: it has unknown fields")
        return credential


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise CredentialError("this is no credential: a text is missing")
    return value


def write_base64(raw: bytes) -> str:
    """Return bytes as text: URL-safe base64 without padding."""
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def read_base64(text: object) -> bytes:
    """Return the bytes of such a text; raises `CredentialError`."""
    if not isinstance(text, str):
        raise CredentialError("a key is written as text")
    try:
        return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except ValueError as error:
        raise CredentialError("a key is written in URL-safe base64") from error


# Under which address other machines of the local network reach this one.


_SOMEWHERE = ("192.0.2.1", 9)  # an address for documents (RFC 5737): it is looked up in the routes, nothing is sent


def own_address() -> str:
    """Return the address of the interface that leads out; 127.0.0.1 without a network."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(_SOMEWHERE)
            return str(probe.getsockname()[0])
        except OSError:
            return "127.0.0.1"
