"""`POST /pair` over a real socket: what a handset gets, and what everybody else gets."""

from __future__ import annotations

import http.client
import json
import socket
from collections.abc import Iterator
from typing import Any

import pytest

from referee.cli.joining import join
from referee.link.credential import Address, KeyPair, PublicKey
from referee.link.errors import BrokerControlError, BrokerUnreachableError, JoinError
from referee.link.lobby import Lobby, join_url
from referee.link.pairing import Grant, Pairing, six_digits
from referee.rules.values import Seat
from referee.web.pair_server import MOST_BYTES, PairServer, WebAddressError

REFEREE = KeyPair(bytes(range(32)))
HANDSET = KeyPair(bytes(range(1, 33)))


class Door:
    """Gives seats away without a broker; its clock is set by hand."""

    def __init__(self) -> None:
        self.lobby = Lobby((Seat.RED, Seat.BLUE))
        self.now_s = 0.0
        self.fault: Exception | None = None
        self.grants: list[Grant] = []
        self._pairing = Pairing(Address("127.0.0.1", 1883, 9001), "kitchen", REFEREE.public)
        self.server = PairServer.start("127.0.0.1", 0, self.give)
        self.base = f"http://127.0.0.1:{self.server.port}"

    def give(self, token: str, key: PublicKey) -> Grant:
        """Give the seat of a token."""
        seat = self.lobby.redeem(token, self.now_s)
        if self.fault is not None:
            raise self.fault
        grant = self._pairing.grant(seat, key, token.encode())
        self.grants.append(grant)
        return grant

    def ask(self, body: bytes, method: str = "POST", path: str = "/pair", **headers: str) -> tuple[int, Any]:
        """Send a request; give status and answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=20)
        try:
            connection.request(method, path, body, headers)
            response = connection.getresponse()
            text = response.read().decode()
            assert response.headers["Cache-Control"] == (
                "no-store" if method == "POST" or response.status != 200 else "no-cache"
            )
            is_json = response.headers["Content-Type"].startswith("application/json")
            return response.status, json.loads(text) if is_json else text
        finally:
            connection.close()

    def pair(self, token: str) -> tuple[int, Any]:
        """Post a token with a key."""
        return self.ask(json.dumps({"token": token, "public_key": HANDSET.public.text}).encode())


@pytest.fixture
def door() -> Iterator[Door]:
    """A running server."""
    made = Door()
    yield made
    made.server.stop()


def test_a_handset_gets_its_place(door: Door) -> None:
    """User, password, the referee's key and where its broker speaks WebSocket; no private key, no digits."""
    token = door.lobby.invite(Seat.RED, 0).token
    status, answer = door.pair(token)
    assert (status, answer["ws"]) == (200, "ws://127.0.0.1:9001/mqtt")
    credential = answer["credential"]
    assert (credential["user"], credential["seat"], credential["own"]) == ("kitchen.red", "red", None)
    assert credential["peer"] == REFEREE.public.text
    (grant,) = door.grants
    assert credential["password"] == grant.credential.password
    assert grant.digits == six_digits(REFEREE.public, HANDSET.public, token.encode())


def test_a_token_that_is_worth_nothing(door: Door) -> None:
    """Used, expired and unknown are told apart; no seat is given."""
    used, old = (door.lobby.invite(seat, 0).token for seat in (Seat.RED, Seat.BLUE))
    assert door.pair(used)[0] == 200
    assert door.pair(used) == (403, {"error": "token-used"})
    door.now_s = 120
    assert door.pair(old) == (403, {"error": "token-expired"})
    assert door.pair("x" * 22) == (403, {"error": "token-unknown"})
    assert len(door.grants) == 1


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"{}",
        b"\xff\xfe",
        b"[" * 2000,
        b'{"token": 7, "public_key": "AAAA"}',
        b'{"token": "x", "public_key": "AAAA"}',
        b'{"token": "x", "public_key": "' + b"A" * 43 + b'", "seat": "red"}',
        b'"' + b"x" * MOST_BYTES + b'"',
    ],
    ids=lambda body: body[:12].decode(errors="replace"),
)
def test_requests_that_make_no_sense(body: bytes, door: Door) -> None:
    """One stable word, status 400, nothing given."""
    assert door.ask(body) == (400, {"error": "request-unreadable"})
    assert door.grants == []


def test_a_length_that_is_no_number(door: Door) -> None:
    """It is not read."""
    assert door.ask(b"{}", **{"Content-Length": "1e3"})[0] == 400
    assert door.ask(b"{}", **{"Content-Length": "-1"})[0] == 400
    assert door.ask(b"{}", **{"Content-Length": "9" * 5000})[0] == 400


def test_a_broker_that_does_not_obey(door: Door) -> None:
    """The handset hears that it is not the time."""
    door.fault = BrokerControlError("a password could stand here")
    assert door.pair(door.lobby.invite(Seat.RED, 0).token) == (503, {"error": "not-now"})


def test_other_pages(door: Door) -> None:
    """The page for browsers, nothing anywhere else."""
    assert door.ask(b"", "GET", "/")[0] == 200
    assert "/main.js" in door.ask(b"", "GET", "/join?x")[1]
    assert door.ask(b"", "GET", "/../etc/passwd")[0] == 404
    assert door.ask(b"{}", "POST", "/other")[0] == 404


def test_who_says_nothing_stops_nobody(door: Door) -> None:
    """Open connections that send nothing leave room for a handset."""
    silent = [socket.create_connection(("127.0.0.1", door.server.port)) for _ in range(8)]
    try:
        assert door.pair(door.lobby.invite(Seat.RED, 0).token)[0] == 200
    finally:
        for each in silent:
            each.close()


def test_a_taken_port_is_said() -> None:
    """One line that names it."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(WebAddressError, match=str(port)):
            PairServer.start("127.0.0.1", port, Door.give)  # type: ignore[arg-type]  # never called


def test_joining(door: Door) -> None:
    """The handset's own half: the same digits as at the table, its key, the referee's key."""
    joined = join(join_url(door.base, door.lobby.invite(Seat.BLUE, 0), REFEREE.public))
    assert joined.digits == door.grants[0].digits
    assert joined.credential.own is not None
    assert joined.credential.own.public == door.grants[0].handset_key
    assert (joined.credential.seat, joined.credential.peer) == (Seat.BLUE, REFEREE.public)


def test_joining_another_referee(door: Door) -> None:
    """The key that comes must be the one that the link tells of."""
    with pytest.raises(JoinError, match="wrong-referee"):
        join(join_url(door.base, door.lobby.invite(Seat.BLUE, 0), HANDSET.public))


def test_joining_too_late(door: Door) -> None:
    """The handset hears why."""
    link = join_url(door.base, door.lobby.invite(Seat.BLUE, 0), REFEREE.public)
    door.now_s = 120
    with pytest.raises(JoinError, match="token-expired"):
        join(link)


def test_joining_nobody() -> None:
    """No server: said with its address."""
    invitation = Lobby((Seat.RED,)).invite(Seat.RED, 0)
    with socket.create_server(("127.0.0.1", 0)) as once:
        port = once.getsockname()[1]
    with pytest.raises(BrokerUnreachableError, match=str(port)):
        join(join_url(f"http://127.0.0.1:{port}", invitation, REFEREE.public))
