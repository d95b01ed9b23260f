"""Attacks on the giving away of seats, over a real socket."""

from __future__ import annotations

import http.client
import json
import socket
from collections.abc import Iterator
from typing import Any

import pytest
from nacl.secret import SecretBox

from referee.door import server
from referee.door.front_door import listening
from referee.handset.joining import join
from referee.net.broker.access import Grant, SeatPairing
from referee.net.credential import Address, KeyPair, PublicKey, write_base64
from referee.net.errors import JoinError
from referee.net.pairing.handshake import Joining, commitment, secret_keys, six_digits
from referee.net.pairing.lobby import TOKEN_LIFE_S, WRONG_TRIES, Lobby, Reception, join_url
from referee.rules.values import Seat
from referee.web.pair_server import MOST_BYTES, PairServer
from tests.door.thread_door import ThreadDoor
from tests.patience import PATIENCE_S
from tests.security.report import Row, hold


class Door:
    """A referee that offers red; its clock is set by hand, and whoever listens hears everything."""

    def __init__(self, keys: KeyPair | None = None) -> None:
        self.keys = keys or KeyPair.create()
        self.lobby = Lobby((Seat.RED, Seat.BLUE))
        self.given: list[Grant] = []
        self.now_s = 0.0
        self.overheard = b""
        pairing = SeatPairing(Address("127.0.0.1", 1883, 9001), "kitchen", self.keys.public)
        self._reception = Reception(self.lobby, pairing, self.keys, self.given.append)
        self.server = PairServer.start(
            [listening("127.0.0.1", 0)],
            lambda sent, address: self._reception.answer(sent, self.now_s, address),
            open_door=ThreadDoor,
        )
        self.base = f"http://127.0.0.1:{self.server.port}"
        self.offer()

    def offer(self) -> None:
        """Offer red anew."""
        self.invitation = self.lobby.invite(Seat.RED, self.now_s)

    def elsewhere(self, letter: dict[str, Any]) -> dict[str, Any]:
        """Take a letter from an address of its own. Returns the answer."""
        return self._reception.answer(letter, self.now_s, "192.0.2.7")

    def ask(self, body: bytes) -> dict[str, Any]:
        """Post a body. Returns the answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=PATIENCE_S)
        try:
            connection.request("POST", "/pair", body, {"Content-Type": "application/json"})
            answer = connection.getresponse().read()
        finally:
            connection.close()
        self.overheard += body + answer
        return dict(json.loads(answer))

    def post(self, letter: dict[str, Any]) -> dict[str, Any]:
        """Post a letter. Returns the answer."""
        return self.ask(json.dumps(letter).encode())

    def says(self, letter: dict[str, Any]) -> str:
        """Return the answer to a message of the handshake, in a word."""
        return f"`{self.post(letter).get('error', 'TAKEN')}`"


@pytest.fixture
def door() -> Iterator[Door]:
    """Yield a referee at its door."""
    made = Door()
    yield made
    made.server.stop()


def listened(door: Door) -> list[Row]:
    """Hear everything while red is taken, and use it afterwards."""
    player = Joining(door.invitation.secret, door.keys.public.fingerprint)
    first = player.first()
    shown = door.post(first)
    third = player.second(shown)
    fourth = door.post(third)
    joined = player.last(fourth)
    again = door.post(third)
    repeated = again == fourth and len(door.given) == 1
    secrets = (door.invitation.secret, door.invitation.code, joined.credential.password, joined.credential.user)
    found = [text for text in secrets if text.encode() in door.overheard]
    return [
        (
            "listens while red's seat is taken",
            f"HEARD {len(found)} SECRETS" if found else "hears neither secret, code, user nor password",
        ),
        ("sends red's first letter again afterwards", door.says(first)),
        (
            "sends red's third letter again afterwards",
            "the letter for red that it has heard before; nobody is let in anew" if repeated else f"{again}",
        ),
    ]


def in_between(door: Door) -> list[Row]:
    """Stand between player and table."""
    door.offer()
    player, thief = (Joining(door.invitation.secret, None), Joining("a secret of his own 1", None))
    shown = door.post(player.first())
    theft = {**player.second(shown), "sealed": thief.second(shown)["sealed"]}
    rows = [("puts a key of his own into red's third letter", door.says(theft))]
    honest = Joining(door.invitation.secret, door.keys.public.fingerprint)
    other = {**shown, "peer": KeyPair.create().public.text}
    rows.append(("puts a key of his own into the referee's answer", f"the handset says `{refusal(honest, other)}`"))
    player.last(door.post(player.second(shown)))
    false_door = Door()
    try:
        link = join_url(false_door.base, false_door.invitation, door.keys.public)
        with pytest.raises(JoinError) as caught:
            join(link)
        rows.append(("answers in the referee's place", f"the handset says `{caught.value.reason}`"))
    finally:
        false_door.server.stop()
    return rows


def refusal(joining: Joining, answer: dict[str, Any]) -> str:
    """Return the word with which a handset refuses an answer."""
    with pytest.raises(JoinError) as caught:
        joining.second(answer)
    return caught.value.reason


def typed(door: Door) -> list[Row]:
    """Stand in between when a code was typed, whose hash he has searched in time."""
    door.offer()
    code = door.invitation.code
    player, thief = Joining(code, None), Joining(code, None)
    false, nonce = KeyPair.create(), b"n" * 16
    player.second({"peer": false.public.text, "nonce": write_base64(nonce)})
    players = six_digits(false.public, player._keys.public, nonce, player._nonce)
    taken = thief.last(door.post(thief.second(door.post(thief.first()))))
    differ = taken.digits == door.given[-1].digits != players
    door.offer()
    again = Joining(door.invitation.code, None)
    door.post(again.first())
    return [
        (
            "in between, with the typed code found in time: pairs with either side",
            "the table's digits are those of his key, the player's are others" if differ else "NOBODY NOTICES",
        ),
        (
            "and begins again with another key, until the digits fit",
            door.says(Joining(door.invitation.code, None).first()),
        ),
    ]


def late_and_guessed(door: Door) -> list[Row]:
    """Come too late, come often."""
    door.offer()
    door.now_s += TOKEN_LIFE_S
    rows = [("uses a link after two minutes", door.says(Joining(door.invitation.secret, None).first()))]
    door.offer()
    answers = [door.says(Joining("AAAAAA", None).first()) for _ in range(WRONG_TRIES + 1)]
    rows.append((f"guesses {WRONG_TRIES} codes within a minute, and one more", answers[-1]))
    rows.append(
        ("meanwhile the right code comes from the same address", door.says(Joining(door.invitation.code, None).first()))
    )
    answer = door.elsewhere(Joining(door.invitation.code, None).first())
    rows.append(
        ("meanwhile a player types the right code at another address", "goes on" if "nonce" in answer else str(answer))
    )
    door.offer()
    player = Joining(door.invitation.secret, door.keys.public.fingerprint)
    player.last(door.post(player.second(door.post(player.first()))))
    rows.append(
        ("meanwhile a player scans the link", "takes the seat" if door.given[-1].seat is Seat.RED else "NO SEAT")
    )
    return rows


def unreadable(door: Door) -> list[Row]:
    """Send what is no request, or too much of it."""
    return [
        ("sends brackets two thousand deep", f"`{door.ask(b'[' * 2000)['error']}`"),
        (f"sends {MOST_BYTES + 1} bytes", f"`{door.ask(b'x' * (MOST_BYTES + 1))['error']}`"),
        ("sends a key of low order (32 zero bytes)", low_order(door)),
    ]


def unfinished(door: Door) -> list[Row]:
    """Begin a request and leave it at that."""
    with socket.create_connection(("127.0.0.1", door.server.port), timeout=PATIENCE_S) as slow:
        slow.sendall(b"POST /pair HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\n{")
        return [("says half a request and waits", "hung up" if not slow.recv(100) else "ANSWERED")]


def low_order(door: Door) -> str:
    """Pair with a public key to which every box can be opened."""
    door.offer()
    key, nonce, keys = PublicKey(bytes(32)), b"n" * 16, secret_keys(door.invitation.secret)
    door.post({"token": keys.token, "commitment": write_base64(commitment(key, nonce))})
    sealed = bytes(SecretBox(keys.key).encrypt(key.raw + nonce))
    return door.says({"token": keys.token, "sealed": write_base64(sealed)})


def test_pairing(monkeypatch: pytest.MonkeyPatch, door: Door) -> None:
    """Who listens learns nothing of worth; who stands in between is found out; who guesses is stopped."""
    rows = [*listened(door), *in_between(door), *typed(door), *late_and_guessed(door), *unreadable(door)]
    monkeypatch.setattr(server, "HEAD_S", 0.1)  # from here on nobody has to be as quick as that
    hold("Pairing", [*rows, *unfinished(door)])
