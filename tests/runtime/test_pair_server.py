"""`POST /pair` over a real socket: what a handset gets, and what everybody else gets."""

from __future__ import annotations

import http.client
import json
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Event, Semaphore, Thread
from typing import Any

import pytest
from nacl.public import Box

from referee.door.front_door import WebAddressError, listening
from referee.handset.joining import join
from referee.net.broker import mosquitto
from referee.net.broker.access import Grant, SeatPairing
from referee.net.credential import Address, KeyPair, read_base64
from referee.net.errors import BrokerControlError, BrokerUnreachableError, JoinError
from referee.net.pairing.handshake import Joining, secret_keys
from referee.net.pairing.lobby import WRONG_TRIES, Lobby, Reception, join_url
from referee.rules.values import Seat
from referee.web.pair_server import MOST_BYTES, PairServer
from tests.door.thread_door import ThreadDoor
from tests.patience import PATIENCE_S

REFEREE = KeyPair(bytes(range(32)))
HANDSET = KeyPair(bytes(range(1, 33)))


class Door:
    """A server that hands out seats without a broker; its clock is set by hand."""

    def __init__(self, shown: str | None = None) -> None:
        self.lobby = Lobby((Seat.RED, Seat.BLUE))
        self.now_s = 0.0
        self.fault: Exception | None = None
        self.grants: list[Grant] = []
        self.address = Address("127.0.0.1", 1883, 9001, shown)
        pairing = SeatPairing(self.address, "kitchen", REFEREE.public)
        self.reception = Reception(self.lobby, pairing, REFEREE, self.admit)
        self.server = PairServer.start([listening("127.0.0.1", 0)], self.give, open_door=ThreadDoor)
        self.base = f"http://127.0.0.1:{self.server.port}"

    def give(self, sent: object, address: str) -> dict[str, Any]:
        """Answer a request; each comes from the one address that there is."""
        return self.reception.answer(sent, self.now_s, address)

    def admit(self, grant: Grant) -> None:
        """Take a seat's new handset, as broker and link do."""
        if self.fault is not None:
            raise self.fault
        self.grants.append(grant)

    def ask(self, body: bytes, method: str = "POST", path: str = "/pair", **headers: str) -> tuple[int, Any]:
        """Send a request. Returns status and answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=PATIENCE_S)
        try:
            connection.request(method, path, body, {"Content-Type": "application/json", **headers})
            response = connection.getresponse()
            text = response.read().decode()
            assert response.headers["Cache-Control"] == (
                "no-store" if method == "POST" or response.status != 200 else "no-cache"
            )
            is_json = response.headers["Content-Type"].startswith("application/json")
            return response.status, json.loads(text) if is_json else text
        finally:
            connection.close()

    def post(self, letter: dict[str, Any]) -> tuple[int, Any]:
        """Post a letter of a pairing."""
        return self.ask(json.dumps(letter).encode())

    def pair(self, secret: str) -> tuple[int, Any]:
        """Take the seat of a secret. Returns the status and the answer that ended it."""
        joining = Joining(secret, REFEREE.public.fingerprint)
        status, answer = self.post(joining.first())
        return (status, answer) if status != 200 else self.post(joining.second(answer))

    def begins(self, secret: str) -> tuple[int, Any]:
        """Post the first letter only."""
        return self.post(Joining(secret, None).first())


@pytest.fixture(scope="module")
def ending() -> Iterator[list[Thread]]:
    """What ends servers. Each looks five times a second whether it is to end, and the next test does not wait for that."""
    threads: list[Thread] = []
    yield threads
    for thread in threads:
        thread.join(PATIENCE_S)


@pytest.fixture
def door(ending: list[Thread]) -> Iterator[Door]:
    """A running server."""
    made = Door()
    yield made
    ending.append(Thread(target=made.server.stop))
    ending[-1].start()


def test_a_handset_gets_its_place(door: Door) -> None:
    """User, password, the referee's key and where its broker speaks WebSocket, in a letter that this handset alone can open."""
    invitation = door.lobby.invite(Seat.RED, 0)
    joining = Joining(invitation.secret, REFEREE.public.fingerprint)
    status, shown = door.post(joining.first())
    assert (status, set(shown)) == (200, {"peer", "nonce"})
    status, last = door.post(joining.second(shown))
    assert (status, set(last)) == (200, {"sealed"})
    (grant,) = door.grants
    own = joining.last(last).credential.own
    assert own is not None
    inside = json.loads(Box(own.nacl(), REFEREE.public.nacl()).decrypt(read_base64(last["sealed"])))
    assert inside["ws"] == "ws://127.0.0.1:9001/mqtt"
    credential = inside["credential"]
    assert (credential["user"], credential["seat"], credential["own"]) == ("kitchen.red", "red", None)
    assert (credential["peer"], credential["password"]) == (REFEREE.public.text, grant.credential.password)


def test_a_token_that_is_worth_nothing(door: Door) -> None:
    """Used, expired and unknown are told apart; no seat is given."""
    used, old = (door.lobby.invite(seat, 0) for seat in (Seat.RED, Seat.BLUE))
    assert door.pair(used.secret)[0] == 200
    assert door.begins(used.secret) == door.begins(used.code) == (403, {"error": "token-used"})
    door.now_s = 120
    assert door.begins(old.secret) == door.begins(old.code) == (403, {"error": "token-expired"})
    assert door.begins("x" * 22) == (403, {"error": "token-unknown"})
    assert door.post({"token": secret_keys(used.secret).token, "sealed": "AAAA"}) == (403, {"error": "token-used"})
    assert len(door.grants) == 1


def test_a_typed_code(door: Door) -> None:
    """A link with the code alone does; after too many guesses codes are not taken for a minute, while links are."""
    door.lobby.invite(Seat.BLUE, 0)
    invitation = door.lobby.invite(Seat.RED, 0)
    joined = join(f"{door.base}/join#{invitation.code[:3].lower()}-{invitation.code[3:]}")
    assert (joined.credential.seat, joined.digits) == (Seat.RED, door.grants[0].digits)
    (blue,) = door.lobby.invitations
    for _ in range(WRONG_TRIES):
        assert door.begins("AAAAAA") == (403, {"error": "token-unknown"})
    assert door.begins("AAAAAA") == door.begins(blue.code) == (429, {"error": "too-many-tries"})
    assert door.pair(blue.secret)[0] == 200
    door.now_s = 60
    assert door.begins("AAAAAA") == (403, {"error": "token-unknown"})


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"{}",
        b"\xff\xfe",
        b"[" * 2000,
        b'{"token": 7, "commitment": "AAAA"}',
        b'{"token": "x", "commitment": "AAAA"}',
        b'{"token": "x", "commitment": "' + b"A" * 43 + b'", "seat": "red"}',
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
    assert door.pair(door.lobby.invite(Seat.RED, 0).secret) == (503, {"error": "not-now"})


def test_other_pages(door: Door) -> None:
    """The page for browsers, nothing anywhere else."""
    assert door.ask(b"", "GET", "/")[0] == 200
    assert "/main.js" in door.ask(b"", "GET", "/join?x")[1]
    assert door.ask(b"", "GET", "/../etc/passwd")[0] == 404
    assert door.ask(b"{}", "POST", "/other")[0] == 404


def test_head_says_what_get_would(door: Door) -> None:
    """The same status and length, and nothing behind them."""
    for path in ("/", "/main.js", "/nowhere"):
        said = []
        for method in ("GET", "HEAD"):
            connection = http.client.HTTPConnection("127.0.0.1", door.server.port, timeout=PATIENCE_S)
            connection.request(method, path)
            answer = connection.getresponse()
            said.append((answer.status, answer.headers["Content-Length"], answer.headers["ETag"]))
            assert (len(answer.read()) == 0) == (method == "HEAD")
            connection.close()
        assert said[0] == said[1]


def test_a_lost_last_answer_is_given_again(door: Door) -> None:
    """The same letter gets the same answer for as long as a link lives; the seat is given once, and to nobody else."""
    invitation = door.lobby.invite(Seat.RED, 0)
    joining = Joining(invitation.secret, REFEREE.public.fingerprint)
    letter = joining.second(door.post(joining.first())[1])
    first = door.post(letter)
    assert first[0] == 200
    assert door.post(letter) == first
    assert len(door.grants) == 1
    assert joining.last(first[1]).credential.password == door.grants[0].credential.password
    assert door.post({**letter, "sealed": letter["sealed"][:-4] + "AAAA"}) == (403, {"error": "token-used"})
    door.now_s = 120
    assert door.post(letter) == (403, {"error": "token-used"})


@pytest.mark.parametrize("fault", [None, BrokerControlError("too late")], ids=["answers", "gives up"])
def test_while_the_broker_is_waited_for(fault: Exception | None, door: Door) -> None:
    """The same letter waits for the same answer; other seats are offered, and begun with; nobody is let in twice."""
    begun, answers = Semaphore(0), Event()
    admit = door.admit

    def late(grant: Grant) -> None:
        begun.release()
        assert answers.wait(PATIENCE_S)
        door.fault = fault
        admit(grant)

    door.reception._admit = late
    joining = Joining(door.lobby.invite(Seat.RED, 0).secret, REFEREE.public.fingerprint)
    letter = joining.second(door.post(joining.first())[1])
    with ThreadPoolExecutor() as pool:
        said = [pool.submit(door.post, letter) for _ in range(3)]
        assert begun.acquire(timeout=PATIENCE_S)
        assert door.begins(door.reception.invite(Seat.BLUE, 0).secret)[0] == 200
        answers.set()
        first, *others = [each.result() for each in said]
    assert others == [first] * 2
    assert first[0] == (200 if fault is None else 503)
    assert not begun.acquire(blocking=False)
    assert door.post(letter) == first


def test_joining_while_the_connection_is_cut(door: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    """The letter that spends the link is answered, and the answer is lost halfway: the handset asks again and has its seat."""
    monkeypatch.setattr("referee.handset.joining._PAUSE_S", 0.0)
    with _cutting(door, lost=2) as (base, letters):
        joined = join(join_url(base, door.lobby.invite(Seat.RED, 0), REFEREE.public))
    assert [sorted(letter) for letter in letters] == [["commitment", "token"], *[["sealed", "token"]] * 3]
    assert letters[1] == letters[2] == letters[3]
    (grant,) = door.grants
    assert (joined.digits, joined.credential.password) == (grant.digits, grant.credential.password)


@contextmanager
def _cutting(door: Door, lost: int) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Carry letters to the door, and lose so many of the answers to a seat's proof: half of the first, all of the next."""
    letters: list[dict[str, Any]] = []

    class Between(BaseHTTPRequestHandler):
        def do_POST(self) -> None:  # http.server calls it by this name
            letters.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            status, answer = door.post(letters[-1])
            body = json.dumps(answer).encode()
            cut = "sealed" in letters[-1] and len(letters) - 2 < lost
            if cut and len(letters) > 2:
                return
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body[: len(body) // 2] if cut else body)

        def log_message(self, format: str, *args: object) -> None:
            """Stay silent."""

    with HTTPServer(("127.0.0.1", 0), Between) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", letters
        finally:
            server.shutdown()
            thread.join(PATIENCE_S)


def test_who_says_nothing_stops_nobody(door: Door) -> None:
    """Open connections that send nothing leave room for a handset."""
    silent = [socket.create_connection(("127.0.0.1", door.server.port)) for _ in range(8)]
    try:
        assert door.pair(door.lobby.invite(Seat.RED, 0).secret)[0] == 200
    finally:
        for each in silent:
            each.close()


def test_a_taken_port_is_said() -> None:
    """One line that names it."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(WebAddressError, match=f":{port}: [A-Z][a-z ]+$"):
            listening("127.0.0.1", port)


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


@pytest.mark.process
def test_joining_a_table_whose_broker_shows_a_certificate(tmp_path: Path) -> None:
    """The seat is taken when it is the one that the link tells of; another one, or none at all, is refused."""
    shown = mosquitto.own_certificate(tmp_path, "kitchen").certificate.read_text()
    for text, told, taken in ((shown, None, True), (shown, "0" * 64, False), (None, "0" * 64, False)):
        door = Door(text)
        invitation = door.lobby.invite(Seat.RED, 0)
        link = join_url(door.base, invitation, REFEREE.public, told or door.address.certificate_fingerprint)
        assert link.count("&") == 2
        if taken:
            assert join(link).credential.address.certificate == shown
        else:
            with pytest.raises(JoinError, match="wrong-certificate"):
                join(link)
        door.server.stop()


def test_joining_too_late(door: Door) -> None:
    """The handset hears why."""
    link = join_url(door.base, door.lobby.invite(Seat.BLUE, 0), REFEREE.public)
    door.now_s = 120
    with pytest.raises(JoinError, match="token-expired"):
        join(link)


def test_joining_nobody() -> None:
    """No server: said with its address."""
    invitation = Lobby((Seat.RED,)).invite(Seat.RED, 0)
    with socket.socket() as deaf:  # it has its port, so that nobody else does, and listens to nobody
        deaf.bind(("127.0.0.1", 0))
        port = deaf.getsockname()[1]
        with pytest.raises(BrokerUnreachableError, match=str(port)):
            join(join_url(f"http://127.0.0.1:{port}", invitation, REFEREE.public))
