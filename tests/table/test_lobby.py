"""Tokens work once and for two minutes; links say what they say and nothing else."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.link.credential import KeyPair
from referee.link.errors import JoinError
from referee.link.lobby import Invitation, JoinLink, Lobby, join_url, new_token, read_join_url
from referee.rules.values import Seat

KEY = KeyPair(bytes(range(32))).public


def lobby() -> Lobby:
    """Give a lobby of two seats with tokens that can be told apart."""
    numbers = itertools.count(1)
    return Lobby((Seat.RED, Seat.BLUE), make_token=lambda: f"token-{next(numbers)}")


def refused(lobby: Lobby, token: str, now_s: float) -> str:
    """Give why a token is refused."""
    with pytest.raises(JoinError) as caught:
        lobby.redeem(token, now_s)
    return caught.value.reason


def test_a_token_works_once() -> None:
    """The second who brings it learns that it was used."""
    mine = lobby()
    token = mine.invite(Seat.BLUE, 0).token
    assert mine.redeem(token, 119.9) is Seat.BLUE
    assert refused(mine, token, 119.9) == "token-used"
    assert mine.invitations == ()


def test_a_token_lives_two_minutes() -> None:
    """At 120 s it is worth nothing any more, and stays so."""
    mine = lobby()
    token = mine.invite(Seat.RED, 5).token
    assert refused(mine, token, 125) == "token-expired"
    assert refused(mine, token, 6) == "token-expired"


def test_a_new_invitation_ends_the_earlier_one() -> None:
    """One link a seat is worth something; other seats' links stay."""
    mine = lobby()
    first, other, second = (mine.invite(seat, 0).token for seat in (Seat.RED, Seat.BLUE, Seat.RED))
    assert refused(mine, first, 1) == "token-expired"
    assert mine.redeem(second, 1) is Seat.RED
    assert mine.redeem(other, 1) is Seat.BLUE


def test_a_seat_that_is_withdrawn_is_not_offered() -> None:
    """Its token is worth nothing."""
    mine = lobby()
    token = mine.invite(Seat.RED, 0).token
    mine.withdraw(Seat.RED)
    assert refused(mine, token, 0) == "token-expired"
    assert refused(mine, "token-77", 0) == "token-unknown"


def test_tokens_cannot_be_guessed() -> None:
    """128 bits each, never the same."""
    assert len({new_token() for _ in range(100)}) == 100
    assert len(new_token()) >= 22


def test_a_link_says_everything() -> None:
    """What `join_url` writes `read_join_url` reads."""
    token = new_token()
    url = join_url("http://192.168.1.20:8080", Invitation(Seat.RED, token, 9), KEY)
    assert url == f"http://192.168.1.20:8080/join#{token}&{KEY.fingerprint}"
    assert read_join_url(url + "\n") == JoinLink("192.168.1.20", 8080, token, KEY.fingerprint)


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
        "http://host/join#aaaaaaaaaaaaaaaaaaaa&" + "0" * 31,
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
