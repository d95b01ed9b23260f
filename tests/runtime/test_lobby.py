"""Secrets and codes work once and for two minutes; links say what they say and nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nacl.secret import SecretBox

from referee.net.credential import KeyPair
from referee.net.errors import JoinError
from referee.net.pairing.handshake import commitment, secret_keys
from referee.net.pairing.lobby import (
    CODE_LENGTH,
    CODE_SIGNS,
    TOKEN_LIFE_S,
    WRONG_TRIES,
    WRONG_TRIES_IN_ALL,
    WRONG_TRIES_S,
    Invitation,
    JoinLink,
    Lobby,
    join_url,
    new_code,
    new_secret,
    read_join_url,
)
from referee.rules.values import Seat

KEY = KeyPair(bytes(range(32))).public


def lobby() -> Lobby:
    """Return a lobby of two seats."""
    return Lobby((Seat.RED, Seat.BLUE))


def take(lobby: Lobby, secret: str, now_s: float) -> Seat:
    """Take a seat by its secret, as a handset does."""
    keys, handset = secret_keys(secret), KeyPair.create().public
    lobby.begin(keys.token, commitment(handset, b"n" * 16), now_s)
    taken = lobby.redeem(keys.token, bytes(SecretBox(keys.key).encrypt(handset.raw + b"n" * 16)), now_s)
    assert taken.handset_key == handset
    return taken.seat


def refused(lobby: Lobby, secret: str, now_s: float) -> str:
    """Return the reason why a secret is refused."""
    with pytest.raises(JoinError) as caught:
        take(lobby, secret, now_s)
    return caught.value.reason


def test_a_secret_works_once() -> None:
    """The second who brings it learns that it was used, and so does who brings the code of the same invitation."""
    mine = lobby()
    invitation = mine.invite(Seat.BLUE, 0)
    assert take(mine, invitation.secret, 119.9) is Seat.BLUE
    assert refused(mine, invitation.secret, 119.9) == "token-used"
    assert refused(mine, invitation.code, 119.9) == "token-used"
    assert mine.invitations == ()


def test_a_code_works_once() -> None:
    """As the link does, which is then used as well."""
    mine = lobby()
    invitation = mine.invite(Seat.BLUE, 0)
    assert take(mine, invitation.code, 119.9) is Seat.BLUE
    assert refused(mine, invitation.secret, 119.9) == "token-used"


def test_a_link_that_was_begun_is_taken() -> None:
    """Neither the link nor the code can be begun by another meanwhile."""
    mine = lobby()
    invitation = mine.invite(Seat.RED, 0)
    keys = secret_keys(invitation.secret)
    nonce = mine.begin(keys.token, b"c" * 32, 0)
    assert mine.begin(keys.token, b"c" * 32, 0) == nonce
    assert refused(mine, invitation.secret, 0) == refused(mine, invitation.code, 0) == "token-used"


def test_an_invitation_lives_two_minutes() -> None:
    """At 120 s it is worth nothing any more, and stays so."""
    mine = lobby()
    secret = mine.invite(Seat.RED, 5).secret
    assert refused(mine, secret, 125) == "token-expired"
    assert refused(mine, secret, 6) == "token-expired"


def test_a_new_invitation_ends_the_earlier_one() -> None:
    """One link a seat is worth something; other seats' links stay."""
    mine = lobby()
    first, other, second = (mine.invite(seat, 0).secret for seat in (Seat.RED, Seat.BLUE, Seat.RED))
    assert refused(mine, first, 1) == "token-expired"
    assert take(mine, second, 1) is Seat.RED
    assert take(mine, other, 1) is Seat.BLUE


def test_a_seat_that_is_withdrawn_is_not_offered() -> None:
    """Its secret is worth nothing."""
    mine = lobby()
    secret = mine.invite(Seat.RED, 0).secret
    mine.withdraw(Seat.RED)
    assert refused(mine, secret, 0) == "token-expired"
    assert refused(mine, new_secret(), 0) == "token-unknown"


def test_secrets_cannot_be_guessed() -> None:
    """128 bits each, never the same; codes are as long as is said, and none has a sign that could be mistaken."""
    assert len({new_secret() for _ in range(100)}) == 100
    assert len(new_secret()) >= 22
    codes = "".join(new_code() for _ in range(500))
    assert set(codes) == set(CODE_SIGNS)
    assert not set(codes) & set("01ILO")
    assert "secret" not in repr(Invitation(Seat.RED, "secret", "secret", 9))


def test_a_link_says_everything() -> None:
    """What `join_url` writes `read_join_url` reads."""
    secret = new_secret()
    url = join_url("http://192.168.1.20:8080", Invitation(Seat.RED, secret, "K7QM3X", 9), KEY)
    assert url == f"http://192.168.1.20:8080/join#{secret}&{KEY.fingerprint}"
    assert read_join_url(url + "\n") == JoinLink("192.168.1.20", 8080, secret, KEY.fingerprint)
    sealed = join_url("http://192.168.1.20:8080", Invitation(Seat.RED, secret, "K7QM3X", 9), KEY, "0a" * 32)
    assert sealed == f"{url}&{'0a' * 32}"
    assert read_join_url(sealed) == JoinLink("192.168.1.20", 8080, secret, KEY.fingerprint, "0a" * 32)


@pytest.mark.parametrize("fragment", ["K7QM3X", "k7qm3x", "K7Q M3X", "k7q-m3x", "k7q%20m3x"])
@pytest.mark.parametrize("path", ["/join", "/", ""])
def test_a_link_of_a_typed_code(path: str, fragment: str) -> None:
    """However it was typed; it tells no fingerprint."""
    assert read_join_url(f"http://host:8080{path}#{fragment}") == JoinLink("host", 8080, "K7QM3X", None)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "http://192.168.1.20:8080/join",
        "https://192.168.1.20:8080/join#aaaaaaaaaaaaaaaaaaaa&" + "0" * 32,
        "http:///join#aaaaaaaaaaaaaaaaaaaa&" + "0" * 32,
        "http://host:99999/join#aaaaaaaaaaaaaaaaaaaa&" + "0" * 32,
        "http://host/other#aaaaaaaaaaaaaaaaaaaa&" + "0" * 32,
        "http://host/join?x=1#aaaaaaaaaaaaaaaaaaaa&" + "0" * 32,
        "http://host/join#short&" + "0" * 32,
        "http://host/join#K7QM3X&" + "0" * 32,
        "http://host/join#K7QM30",
        "http://host/join#K7QM3",
        "http://host/join#aaaaaaaaaaaaaaaaaaaa&" + "0" * 31,
        "http://host/join#aaaaaaaaaaaaaaaaaaaa&" + "0" * 32 + "&",
        "http://host/join#aaaaaaaaaaaaaaaaaaaa&" + "0" * 32 + "&" + "0" * 63,
        "http://[host/join#aaaaaaaaaaaaaaaaaaaa&" + "0" * 32,
    ],
)
def test_other_links_are_refused(url: str) -> None:
    """No part may be missing or another."""
    with pytest.raises(JoinError, match="link-unreadable"):
        read_join_url(url)


@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    """Nothing else comes out."""
    with pytest.raises(JoinError, match="link-unreadable"):
        read_join_url(text)


def told(lobby: Lobby, token: str, now_s: float, address: str) -> str:
    """Return what a handset hears that brings a token from an address: the reason, or that it may go on."""
    try:
        lobby.begin(secret_keys(token).token, bytes(32), now_s, address)
    except JoinError as error:
        return error.reason
    return "goes on"


def test_who_guesses_codes_keeps_out_only_himself() -> None:
    """One wrong code a second, for as long as he likes: others' codes are taken all the time, his own address's not."""
    table = lobby()
    for second in range(600):
        told(table, f"AAA{second:03}".replace("0", "X").replace("1", "Y"), float(second), "10.0.0.66")
    code = table.invite(Seat.RED, 600.0).code
    assert told(table, "AAAAAA", 600.0, "10.0.0.66") == "token-unknown"  # the first of those 60 was a minute ago
    assert told(table, code, 600.0, "10.0.0.66") == "too-many-tries"
    assert told(table, code, 600.0, "10.0.0.7") == "goes on"
    assert len(table._wrong) == sum(table._wrong_of.values()) <= WRONG_TRIES


def test_guesses_from_everywhere_are_bounded() -> None:
    """After so many of all addresses nobody's code is taken until some are a minute old; a link always is; nothing piles up."""
    table = lobby()
    for number in range(2 * WRONG_TRIES_IN_ALL):
        told(table, "AAAAAA", 0.0, f"10.0.{number % 250}.{number // 250}")
    assert len(table._wrong) == WRONG_TRIES_IN_ALL
    invitation = table.invite(Seat.RED, 1.0)
    assert told(table, invitation.code, 59.0, "10.9.9.9") == "too-many-tries"
    assert told(table, invitation.code, 60.0, "10.9.9.9") == "goes on"
    assert not table._wrong_of
    chance = 2 * TOKEN_LIFE_S / WRONG_TRIES_S * WRONG_TRIES_IN_ALL / len(CODE_SIGNS) ** CODE_LENGTH
    assert chance < 1 / 35_000  # for both seats together, in their whole life
