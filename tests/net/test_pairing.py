"""Keys, credentials and the giving away of seats."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from referee.net.broker.access import SeatPairing
from referee.net.credential import Address, Credential, KeyPair, PublicKey
from referee.net.errors import CredentialError
from referee.net.topics.topics import Role
from referee.rules.values import Seat

REFEREE, RED = KeyPair(bytes([1]) * 32), KeyPair(bytes([2]) * 32)
ADDRESS = Address("127.0.0.1", 1883, 9001)
PAIRING = SeatPairing(ADDRESS, "b1", REFEREE.public)


def test_a_grant_gives_one_seat_and_a_password_of_its_own() -> None:
    """User and seat are the seat's, the referee's key comes along, and each grant has another password."""
    first, second = PAIRING.grant(Seat.RED, RED.public), PAIRING.grant(Seat.RED, RED.public)
    assert (first.credential.user, first.credential.seat, first.credential.role) == ("b1.red", Seat.RED, Role.HANDSET)
    assert first.credential.peer == REFEREE.public
    assert first.credential.own is None
    assert first.handset_key == RED.public
    assert first.credential.password != second.credential.password
    assert len(first.credential.password) == 32


def test_a_credential_goes_through_a_pipe_whole() -> None:
    """JSON out, JSON in, the same credential with working keys."""
    credential = PAIRING.grant(Seat.BLUE, RED.public).credential.with_keys(RED)
    again = Credential.from_json(json.loads(json.dumps(credential.to_json())))
    assert again.to_json() == credential.to_json()
    assert again.own is not None
    assert again.own.public == RED.public


def test_no_secret_is_shown() -> None:
    """Neither password nor private key stands in a repr."""
    grant = PAIRING.grant(Seat.RED, RED.public)
    shown = repr(grant) + repr(grant.credential.with_keys(RED)) + repr(RED)
    assert grant.credential.password not in shown
    assert RED.private_text() not in shown
    assert RED.public.text in shown


BROKEN: list[dict[str, Any]] = [
    {"role": "emperor"},
    {"role": None},
    {"user": 7},
    {"password": None},
    {"port": "x"},
    {"board": "a/b"},
    {"seat": "purple"},
    {"own": "short"},
    {"own": 3},
    {"peer": "!!!"},
    {"more": 1},
]


@pytest.mark.parametrize("change", BROKEN)
def test_a_broken_credential_is_one_error_without_its_secrets(change: dict[str, Any]) -> None:
    """Missing, wrong and unknown fields: one clear line, and the password is not in it."""
    credential = PAIRING.grant(Seat.RED, RED.public).credential.with_keys(RED)
    with pytest.raises(CredentialError) as caught:
        Credential.from_json({**credential.to_json(), **change})
    assert credential.password not in str(caught.value)
    for name in credential.to_json():
        less = {key: value for key, value in credential.to_json().items() if key != name}
        with pytest.raises(CredentialError):
            Credential.from_json(less)


def test_a_key_file_is_made_once_and_private(tmp_path: Path) -> None:
    """The first call writes the file with mode 0600, later ones read it."""
    path = tmp_path / "referee.key"
    made = KeyPair.load_or_create(path)
    assert KeyPair.load_or_create(path).public == made.public
    assert path.stat().st_mode & 0o777 == 0o600
    assert [entry.name for entry in tmp_path.iterdir()] == ["referee.key"]


@pytest.mark.parametrize("content", [b"", b"abcd", b"\xff\xfe", b"A" * 42])
def test_a_key_file_that_holds_no_key_is_one_clear_line(tmp_path: Path, content: bytes) -> None:
    """A damaged key file is never replaced silently: the handsets would not know the referee again."""
    path = tmp_path / "referee.key"
    path.write_bytes(content)
    with pytest.raises(CredentialError, match=r"referee\.key"):
        KeyPair.load_or_create(path)
    assert path.read_bytes() == content


def test_public_keys_have_a_text_form() -> None:
    """Text to key and back; the fingerprint is short and stable; what is no key is refused."""
    assert PublicKey.from_text(RED.public.text) == RED.public
    assert re.fullmatch(r"[0-9a-f]{32}", RED.public.fingerprint)
    for text in ("", "abc", "é" * 43, RED.public.text + "AAAA"):
        with pytest.raises(CredentialError):
            PublicKey.from_text(text)
    with pytest.raises(CredentialError):
        KeyPair(b"short")
