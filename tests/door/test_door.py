"""The door by itself, before an application that only says what it was asked: who gets in, who has to go, and how much is let in."""

from __future__ import annotations

import asyncio
import json
import os
import queue
import signal
import socket
import ssl
import struct
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import pytest
from aiohttp import ClientSession, WSMsgType

from referee.door import guard, places, relay, server
from referee.door.front_door import FrontDoor, certified_names, listening
from referee.door.messages import MOST_MESSAGE, Request, Response, json_reply
from referee.door.settings import BrokerTarget, DoorSettings
from referee.net.broker import mosquitto
from referee.net.broker.broker import Broker as RealBroker
from tests.door.thread_door import ThreadDoor
from tests.patience import PATIENCE_S

POLICY = "default-src 'none'"
UPGRADE = (
    b"GET /mqtt HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
    b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Protocol: mqtt\r\n"
)
CONNECT = b"\x10\x0e\x00\x04MQTT\x04\x02\x00\x14\x00\x02me"


def application(request: Request) -> Response:
    """Return what was asked as the answer; `/kept` is a file, `/who` logs in, `/stream` sends pieces."""
    match request.path:
        case "/kept":
            return Response(200, "text/plain", b"k" * 300_000, {"Cache-Control": "no-cache"}, keeps=True)
        case "/who":
            return json_reply(200, {}, known=True)
        case "/stream":
            return Response(200, "text/event-stream", (b"data: %d\n\n" % number for number in (1, 2)))
        case "/board" if request.body == b"let me in":
            said: queue.Queue[bytes] = queue.Queue()
            return Response(200, "application/json", (b"heard " + each for each in iter(said.get, b"")), hear=said.put)
        case "/broken":
            raise RuntimeError("a password")
    return json_reply(200, {"method": request.method, "headers": dict(request.headers), "body": request.body.decode()})


def a_door(settings: DoorSettings | None = None, app: Callable[[Request], Response] = application) -> FrontDoor:
    """Return a door at a free port of 127.0.0.1.

    It shares an interpreter with who floods it here, so more may wait to be let in: who finds no room knocks again a second later.
    """
    listener = listening("127.0.0.1", 0)
    listener.listen(1024)
    return ThreadDoor([listener], app, settings or DoorSettings(POLICY, names=("hall.local",), home="http://h"))


@pytest.fixture
def door() -> Iterator[FrontDoor]:
    """Yield a running door."""
    made = a_door()
    yield made
    made.stop()


def connect(door: FrontDoor, source: str = "127.0.0.1") -> socket.socket:
    """Return a connection from an address of this machine."""
    return socket.create_connection(("127.0.0.1", door.port), timeout=PATIENCE_S, source_address=(source, 0))


def rest(line: socket.socket) -> bytes:
    """Return all that still comes; a reset is an end as well."""
    got = b""
    try:
        while data := line.recv(65536):
            got += data
    except ConnectionError:
        pass
    return got


def ask(door: FrontDoor, head: str, body: bytes = b"", source: str = "127.0.0.1") -> tuple[int, dict[str, str], bytes]:
    """Send a request; return status, headers (lower case) and body of the answer; status 0 where there was none."""
    with connect(door, source) as line:
        line.sendall(head.replace("\n", "\r\n").encode() + b"\r\n\r\n" + body)
        raw = rest(line)
    first, _, found = raw.partition(b"\r\n\r\n")
    lines = first.decode().split("\r\n")
    headers = dict(each.split(": ", 1) for each in lines[1:])
    return int(lines[0].split()[1]) if raw else 0, {name.lower(): text for name, text in headers.items()}, found


def get(door: FrontDoor, path: str, more: str = "", source: str = "127.0.0.1") -> tuple[int, dict[str, str], bytes]:
    """Ask for a path by a name that is ours."""
    return ask(door, f"GET {path} HTTP/1.1\nHost: 127.0.0.1{more}", source=source)


def post(door: FrontDoor, path: str, body: bytes, more: str = "") -> tuple[int, dict[str, str], bytes]:
    """Post a body."""
    return ask(door, f"POST {path} HTTP/1.1\nHost: 127.0.0.1\nContent-Length: {len(body)}{more}", body)


def until_closed(line: socket.socket) -> bytes:
    """Return what still comes on a connection that the door ends by itself."""
    line.settimeout(PATIENCE_S)
    return rest(line)


def test_a_request_reaches_the_application_whole(door: FrontDoor) -> None:
    """Method, path, body and the three headers of which it hears; the answer is dressed by the door."""
    status, headers, body = post(door, "/a?b", b"{}", "\nCookie: c=1\nX-Hallmarshal: 1\nX-Other: 2")
    told = json.loads(body)
    assert (status, told["method"], told["body"]) == (200, "POST", "{}")
    assert told["headers"] == {"cookie": "c=1", "x-hallmarshal": "1"}
    assert (headers["content-security-policy"], headers["connection"]) == (POLICY, "close")
    assert headers["cache-control"] == "no-store"


def test_a_file_is_asked_for_once() -> None:
    """Afterwards the door has it: whole, packed, unchanged, or its head alone."""
    asked: list[str] = []

    def counting(request: Request) -> Response:
        asked.append(request.path)
        return application(request)

    door = a_door(app=counting)
    try:
        status, headers, body = get(door, "/kept")
        assert (status, body) == (200, b"k" * 300_000)
        assert get(door, "/kept", f"\nIf-None-Match: {headers['etag']}")[0] == 304
        packed = get(door, "/kept", "\nAccept-Encoding: gzip")
        assert packed[1]["content-encoding"] == "gzip"
        assert len(packed[2]) < 1000
        status, headers, body = ask(door, "HEAD /kept HTTP/1.1\nHost: 127.0.0.1")
        assert (status, headers["content-length"], body) == (200, "300000", b"")
        assert asked == ["/kept"]
    finally:
        door.stop()


def test_a_stream_is_passed_on(door: FrontDoor) -> None:
    """Piece by piece, to its end."""
    status, headers, body = get(door, "/stream")
    assert (status, headers["content-type"]) == (200, "text/event-stream")
    assert body.find(b"data: 1") < body.find(b"data: 2")


def test_what_breaks_says_nothing(door: FrontDoor) -> None:
    """A word, and never the error's text."""
    status, _, body = get(door, "/broken")
    assert (status, body) == (500, b'{"error": "broken"}')


def test_a_head_has_its_size(door: FrontDoor) -> None:
    """The last byte that may be is taken; beyond it the answer comes although the head goes on."""
    for size, status in ((guard.MOST_HEAD, 200), (guard.MOST_HEAD + 1, 431), (3 * guard.MOST_HEAD, 431)):
        begun = b"GET /x HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        fields = b""
        while (left := size - len(begun) - len(fields) - 4) > 0:
            fields += b"X: " + b"x" * (min(left, 1000) - 3 if left > 1010 or left <= 1000 else 500) + b"\r\n"
            fields = fields if len(begun) + len(fields) + 4 <= size else fields[: size - len(begun) - 4] + b"\r\n"
        raw = begun + fields[: size - len(begun) - 4] + b"\r\n\r\n"
        with connect(door) as line:
            line.sendall(raw)
            answer = rest(line)
        assert int(answer.split()[1]) == status, (size, len(raw))
    with connect(door) as line:
        line.sendall(b"GET /" + b"x" * guard.MOST_HEAD)
        assert rest(line).startswith(b"HTTP/1.1 414 ")


def test_a_body_has_its_size(door: FrontDoor) -> None:
    """Neither its length nor its bytes go beyond it."""
    assert post(door, "/x", b"x" * guard.MOST_BODY)[0] == 200
    assert post(door, "/x", b"x" * (guard.MOST_BODY + 1))[0] == 413
    with connect(door) as line:
        line.sendall(b"POST /x HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n")
        try:
            for _ in range(1000):
                line.sendall(b"1000\r\n" + b"x" * 4096 + b"\r\n")
        except ConnectionError:
            return
        assert rest(line) == b""


@pytest.mark.parametrize(
    "head",
    [
        "POST /pair HTTP/1.1\nHost: evil.example\nContent-Length: 2",
        "POST /pair HTTP/1.1\nHost: 127.0.0.1\nOrigin: http://evil.example\nContent-Length: 2",
        "POST /pair HTTP/1.1\nHost: 127.0.0.1\nOrigin: null\nContent-Length: 2",
        "GET /mqtt HTTP/1.1\nHost: evil.example\nUpgrade: websocket",
        "GET /mqtt HTTP/1.1\nHost: 127.0.0.1\nOrigin: http://evil.example\nUpgrade: websocket",
        "OPTIONS /pair HTTP/1.1\nHost: 127.0.0.1\nOrigin: http://evil.example",
        "GET /api/me HTTP/1.1\nHost: 127.0.0.1.evil.example",
        "GET /api/me HTTP/1.1\nHost: ",
        "GET /api/me HTTP/1.1\nHost: [",
    ],
)
def test_another_sites_page_gets_nowhere(head: str) -> None:
    """A7: a foreign Host or Origin never reaches the application."""
    asked: list[Request] = []

    def noting(request: Request) -> Response:
        asked.append(request)
        return application(request)

    door = a_door(app=noting)
    try:
        assert ask(door, head, b"{}" if "POST" in head else b"")[0] in (403, 421, 400)
        assert asked == []
    finally:
        door.stop()


def test_a_foreign_name_is_sent_home(door: FrontDoor) -> None:
    """Who typed a name that is not ours finds the page; names and addresses that are ours are served."""
    status, headers, _ = ask(door, "GET /join HTTP/1.1\nHost: table.example:80")
    assert (status, headers["location"]) == (307, "http://h/join")
    for host in ("localhost:81", "hall.local", "192.168.1.20:8080", "[::1]:8080", "HALL.local:1"):
        assert ask(door, f"GET /x HTTP/1.1\nHost: {host}\nOrigin: http://{host}")[0] == 200, host


@pytest.mark.parametrize(
    ("host", "path"),
    [
        ("connectivitycheck.gstatic.com", "/generate_204"),
        ("captive.apple.com", "/hotspot-detect.html"),
        ("www.msftconnecttest.com", "/connecttest.txt"),
        ("www.msftconnecttest.com", "/redirect"),
        ("detectportal.firefox.com", "/canonical.html"),
    ],
)
def test_a_phone_that_looks_for_the_internet_finds_the_page_that_tells_it_where_to_go(
    door: FrontDoor, host: str, path: str
) -> None:
    """In the access point's network every name leads here; what these ask for elsewhere is nobody's page here."""
    status, headers, _ = ask(door, f"GET {path} HTTP/1.1\nHost: {host}")
    assert (status, headers["location"]) == (307, "http://h/connect")
    assert ask(door, f"POST {path} HTTP/1.1\nHost: {host}\nContent-Length: 0")[0] == 421


def test_half_open_requests_keep_nobody_out(door: FrontDoor) -> None:
    """A3, from the browser's own address and from others, in whatever number: it gets its page."""
    with ExitStack() as stack:
        for source in ("127.0.0.1", "127.0.0.2", *[f"127.0.1.{number}" for number in range(1, 9)]):
            for _ in range(places.MOST_OF_STRANGER + 8):
                stack.enter_context(connect(door, source)).sendall(b"GET / HTTP/1.1\r\nHost: 12")
        for source in ("127.0.0.1", "127.0.0.2", "127.0.0.77"):
            for _ in range(10):
                assert get(door, "/x", source=source)[0] == 200


def test_slow_heads_are_hung_up_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """However slowly a head comes, and a WebSocket that says nothing: both end by themselves."""
    monkeypatch.setattr(guard, "HEAD_S", 0.2)
    monkeypatch.setattr(server, "HEAD_S", 0.2)
    door = a_door(DoorSettings(POLICY, broker=BrokerTarget("127.0.0.1", 1)))
    try:
        with connect(door) as silent, connect(door) as begun, connect(door) as page:
            begun.sendall(b"GET / HT")
            page.sendall(UPGRADE + b"\r\n")
            assert until_closed(silent) == until_closed(begun) == b""
            assert until_closed(page).startswith(b"HTTP/1.1 101 ")
    finally:
        door.stop()


@pytest.mark.process
def test_with_a_certificate_both_are_served_at_one_port(tmp_path: Path) -> None:
    """Plain HTTP stays as it is; where the pages' own address is https, who comes without it is sent there. Silent ones end."""
    made = mosquitto.own_certificate(tmp_path, "hall.local")
    tls = {"certificate": str(made.certificate), "key": str(made.key)}
    trust = ssl.create_default_context(cafile=str(made.certificate))
    for home, plain in (("http://h", 200), ("https://h", 421)):
        door = a_door(DoorSettings(POLICY, names=("hall.local",), home=home, **tls))  # type: ignore[arg-type]  # both are texts
        try:
            with trust.wrap_socket(connect(door), server_hostname="hall.local") as line:
                line.sendall(b"GET /x HTTP/1.1\r\nHost: hall.local\r\nOrigin: https://hall.local\r\n\r\n")
                assert rest(line).startswith(b"HTTP/1.1 200 ")
            with trust.wrap_socket(connect(door), server_hostname="hall.local") as line:
                line.sendall(b"POST /pair HTTP/1.1\r\nHost: anywhere\r\nContent-Length: 0\r\n\r\n")
                assert rest(line).startswith(b"HTTP/1.1 421 ")
            assert get(door, "/x")[0] == plain
            with connect(door) as nonsense:
                nonsense.sendall(b"\x16\x03\x01" + b"\xff" * 600)
                rest(nonsense)
        finally:
            door.stop()


@pytest.mark.process
def test_a_certificate_says_by_which_names_its_machine_is_reached(tmp_path: Path) -> None:
    """Also one for a whole domain; without a file, or with one that is none, nothing is added."""
    named, whole = (tmp_path / name for name in ("named", "whole"))
    for folder in (named, whole):
        folder.mkdir()
    assert certified_names(str(mosquitto.own_certificate(named, "Hall.example").certificate)) == ("hall.example",)
    made = mosquitto.own_certificate(whole, "*.example")
    assert certified_names(str(made.certificate)) == ("*.example",)
    assert certified_names("") == () == certified_names(str(made.key))
    door = a_door(DoorSettings(POLICY, names=("*.example",)))
    try:
        for host, status in (
            ("hall.example", 200),
            ("a.hall.example", 421),
            ("example", 421),
            ("hall.example.net", 421),
        ):
            with connect(door) as line:
                line.sendall(f"GET /x HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
                assert rest(line).startswith(f"HTTP/1.1 {status} ".encode()), host
    finally:
        door.stop()


class Broker:
    """Hears what reaches it, and lets everybody in whose CONNECT does not ask for `no`."""

    def __init__(self) -> None:
        self._server = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._server.getsockname()[1])
        self.heard: list[bytes] = []
        self.lines: list[socket.socket] = []
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while True:
            try:
                line, _ = self._server.accept()
            except OSError:
                return
            self.lines.append(line)
            self.heard.append(line.recv(8192))
            line.sendall(b"\x20\x02\x00" + (b"\x05" if b"no" in self.heard[-1] else b"\x00"))

    def close(self) -> None:
        """Close it."""
        self._server.shutdown(socket.SHUT_RDWR)
        self._thread.join(PATIENCE_S)
        for each in (self._server, *self.lines):
            each.close()


@pytest.fixture
def broker() -> Iterator[Broker]:
    """Yield a broker."""
    made = Broker()
    yield made
    made.close()


@pytest.fixture
def relaying(broker: Broker) -> Iterator[FrontDoor]:
    """Yield a door in front of that broker."""
    made = a_door(DoorSettings(POLICY, broker=BrokerTarget("127.0.0.1", broker.port)))
    yield made
    made.stop()


def frame(payload: bytes) -> bytes:
    """Return a client's WebSocket frame, masked with zeros."""
    return b"\x82\xfe" + len(payload).to_bytes(2) + bytes(4) + payload


def phone(door: FrontDoor, source: str = "127.0.0.1") -> socket.socket:
    """Return a WebSocket that has opened."""
    line = connect(door, source)
    line.sendall(UPGRADE + b"\r\n")
    got = b""
    while not got.endswith(b"\r\n\r\n"):
        got += line.recv(1)
    assert got.startswith(b"HTTP/1.1 101 ")
    return line


def test_a_phone_is_carried_to_the_broker(broker: Broker, relaying: FrontDoor) -> None:
    """Its CONNECT, in however many frames, then all else both ways; the end of one is the end of the other."""
    with phone(relaying) as line:
        line.sendall(frame(CONNECT[:3]))
        line.sendall(frame(CONNECT[3:]))
        assert line.recv(6) == b"\x82\x04\x20\x02\x00\x00"
        line.sendall(frame(b"x" * 20_000))
        got = b""
        while len(got) < 20_000:
            got += broker.lines[0].recv(65536)
        broker.lines[0].sendall(b"back")
        assert line.recv(6) == b"\x82\x04back"
    assert broker.lines[0].recv(1) == b""
    assert broker.heard == [CONNECT]


def test_a_phone_that_is_refused_hears_it(broker: Broker, relaying: FrontDoor) -> None:
    """The broker's answer comes, then the end, which a phone confirms as browsers do: the door waits a second for that."""
    with phone(relaying) as line:
        line.sendall(frame(CONNECT.replace(b"me", b"no")))
        assert line.recv(6) == b"\x82\x04\x20\x02\x00\x05"
        line.sendall(b"\x88\x80" + bytes(4))
        assert until_closed(line)[:1] == b"\x88"


@pytest.mark.process
def test_a_broker_that_shows_a_certificate(tmp_path: Path) -> None:
    """The door believes the one that it was given, and brings nobody to a broker that shows another."""
    brokers = [RealBroker.start(tmp_path / name, name, tls=True) for name in ("one", "two")]
    try:
        for shown in brokers:
            address = brokers[0].address
            door = a_door(
                DoorSettings(POLICY, broker=BrokerTarget(address.host, address.port, shown.address.certificate))
            )
            with phone(door) as line:
                line.sendall(frame(CONNECT))
                said = until_closed(line)
            door.stop()
            assert said.startswith(b"\x82\x04\x20\x02\x00\x05") == (shown is brokers[0]), said
    finally:
        for each in brokers:
            each.stop()


@pytest.mark.parametrize(
    "sent",
    [
        b"\x10\xff\xff\xff\x7f" + b"x" * 300,
        b"\x10\x80\x20" + b"x" * 64,
        b"\x10\xff\xff\xff\xff\x01",
        b"\x30\x02hi",
        b"x" * 60_000,
        b"\x10\xa0\x1f" + b"x" * 5000,
    ],
    ids=["256 MB", "4,096 bytes", "endless length", "no CONNECT", "60,000 bytes", "too many bytes"],
)
def test_what_is_no_small_connect_never_reaches_the_broker(sent: bytes, broker: Broker, relaying: FrontDoor) -> None:
    """A1: it is closed on at once, by what it announces."""
    with phone(relaying) as line:
        line.sendall(frame(sent))
        until_closed(line)
    assert broker.heard == []


def test_who_has_gone_before_he_is_answered_fills_no_log(relaying: FrontDoor, caplog: pytest.LogCaptureFixture) -> None:
    """Neither a page nor a WebSocket that was asked for and hung up on at once is worth a line, however many there are."""
    for number in range(200):
        with connect(relaying) as line:
            line.sendall((UPGRADE if number % 2 else b"GET /kept HTTP/1.1\r\nHost: 127.0.0.1\r\n") + b"\r\n")
            line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    assert get(relaying, "/x")[0] == 200
    assert [record.message for record in caplog.records if record.levelname in ("WARNING", "ERROR")] == []


def test_idle_websockets_keep_no_phone_out(broker: Broker, relaying: FrontDoor) -> None:
    """A1 and A2: WebSockets of six addresses that announce a CONNECT or say nothing, more than there are places; a phone plays."""
    with ExitStack() as stack:
        for number in range(1, 7):
            for _ in range(places.MOST_OF_STRANGER + 4):
                line = stack.enter_context(phone(relaying, f"127.0.3.{number}"))
                if number % 2:
                    line.sendall(frame(b"\x10\xff\x1e" + b"x" * 100))
        for source in ("127.0.0.1", "127.0.3.1"):
            line = stack.enter_context(phone(relaying, source))
            line.sendall(frame(CONNECT))
            assert line.recv(6) == b"\x82\x04\x20\x02\x00\x00"
    assert broker.heard == [CONNECT] * 2


def test_an_address_that_is_known_has_places_kept(door: FrontDoor, monkeypatch: pytest.MonkeyPatch) -> None:
    """Strangers who all ask, so that none of them waits, leave room for who has logged in."""
    monkeypatch.setattr(places, "MOST_STRANGERS", 4)
    assert get(door, "/who", source="127.0.0.9")[0] == 200
    hold, asked = threading.Event(), threading.Semaphore(0)

    def slow(request: Request) -> Response:
        if request.path == "/slow":
            asked.release()
            hold.wait(PATIENCE_S)
        return application(request)

    door._application = slow
    with ExitStack() as stack:
        stack.callback(hold.set)
        for number in range(4):
            line = stack.enter_context(connect(door, f"127.0.4.{number + 1}"))
            line.sendall(b"GET /slow HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            assert asked.acquire(timeout=PATIENCE_S)
        assert is_refused(door, "127.0.0.8")
        assert get(door, "/x", source="127.0.0.9")[0] == 200


def is_refused(door: FrontDoor, source: str) -> bool:
    """Return whether a request from an address is cut off."""
    try:
        return get(door, "/x", source=source)[0] == 0
    except ConnectionError:
        return True


@pytest.mark.process
def test_a_door_that_is_killed_is_opened_again() -> None:
    """As often as it is; who comes meanwhile is answered by the next one, and nothing of the application is lost."""
    hold, asked = threading.Event(), threading.Semaphore(0)

    def slow(request: Request) -> Response:
        asked.release()
        hold.wait(PATIENCE_S)
        return application(request)

    door = FrontDoor([listening("127.0.0.1", 0)], slow, DoorSettings(POLICY))
    try:
        for _ in range(2):
            with connect(door) as line:
                line.sendall(b"GET /x HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
                assert asked.acquire(timeout=PATIENCE_S)
                os.kill(door.pid, signal.SIGKILL)
                assert rest(line) == b""
        hold.set()
        assert get(door, "/x")[0] == 200
        door.listen_too([listening("127.0.0.1", 0)])
        other = door._listeners[1].getsockname()[1]
        with socket.create_connection(("127.0.0.1", other), timeout=PATIENCE_S) as line:
            line.sendall(b"GET /x HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            assert rest(line).startswith(b"HTTP/1.1 200 ")
    finally:
        hold.set()
        door.stop()
    assert not Path(f"/proc/{door.pid}").exists()


def test_places() -> None:
    """How many there are, who goes, and who is turned away."""
    all_of = places.Places()
    strangers = [places.Place("10.0.0.1") for _ in range(places.MOST_OF_STRANGER)]
    assert {all_of.come(each) for each in strangers} == {(True, None)}
    newcomer = places.Place("10.0.0.1")
    all_of.settle(strangers[0])
    assert all_of.come(newcomer) == (True, strangers[1])
    for each in (newcomer, *strangers):
        all_of.settle(each)
    assert all_of.come(places.Place("10.0.0.1")) == (False, None)
    assert all_of.come(places.Place("10.0.0.2")) == (True, None)
    assert (all_of.taken, all_of.refused) == (places.MOST_OF_STRANGER + 1, 2)
    for each in (newcomer, *strangers, *strangers):
        all_of.leave(each)
    assert (all_of.taken, all_of.count("10.0.0.1")) == (1, 0)
    for number in range(places.MOST_KNOWN + 1):
        all_of.remember(f"known {number}")
    assert [all_of.knows(f"known {number}") for number in (0, 1, places.MOST_KNOWN)] == [False, True, True]


def test_who_watches() -> None:
    """When all streams are taken, who has none gets one of the address that has most, its oldest; nobody gains by coming again."""
    all_of = places.Watching()
    greedy = [places.Place("10.0.0.1") for _ in range(places.MOST_WATCHING)]
    assert {all_of.come(each) for each in greedy} == {(True, None)}
    assert all_of.come(places.Place("10.0.0.1")) == (False, None)
    others = [places.Place("10.0.0.2") for _ in range(places.MOST_WATCHING // 2)]
    assert [all_of.come(each) for each in others] == [(True, each) for each in greedy[: len(others)]]
    assert [all_of.come(places.Place(f"10.0.0.{number}")) for number in (1, 2)] == [(False, None)] * 2
    for each in (*greedy, *others):
        all_of.leave(each)
    assert all_of.come(greedy[0]) == (True, None)


def test_one_address_cannot_watch_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whose streams are held by somebody else gets the oldest of them; one too many of that address is refused in a word."""
    monkeypatch.setattr(places, "MOST_WATCHING", 2)
    over = threading.Event()

    def told() -> Generator[bytes, None, None]:
        yield b"data: 1\n\n"
        over.wait(PATIENCE_S)

    door = a_door(_settings(watched="/live"), lambda _: Response(200, "text/event-stream", told()))
    watch = b"GET /live HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    with ExitStack() as stack:
        stack.callback(door.stop)
        stack.callback(over.set)

        def watching(source: str) -> socket.socket:
            line = stack.enter_context(connect(door, source))
            line.sendall(watch)
            heard = b""
            while b"data: 1" not in heard:
                heard += line.recv(65536) or pytest.fail("the stream has ended")
            return line

        oldest, _ = watching("127.0.0.7"), watching("127.0.0.7")
        assert json.loads(get(door, "/live", source="127.0.0.7")[2]) == {"error": "too-many"}
        watching("127.0.0.8")
        until_closed(oldest)
        assert get(door, "/live", source="127.0.0.7")[0] == 503


def test_a_door_that_closes_takes_nobody_in_whom_it_forgets() -> None:
    """Who comes in the moment in which the door stops letting people in is still before it: no connection stays open in nobody's hands."""

    async def close_upon(listener: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        letting_in = loop.create_task(server._accepted(listener))
        await asyncio.sleep(0)  # it waits now
        with socket.create_connection(listener.getsockname(), timeout=PATIENCE_S):
            loop.call_later(0, letting_in.cancel)  # behind the listener's news, in the same turn of the loop
            with suppress(asyncio.CancelledError):
                await letting_in
            listener.accept()[0].close()

    with listening("127.0.0.1", 0) as listener:
        listener.setblocking(False)
        asyncio.run(close_upon(listener))


def test_the_first_packet() -> None:
    """Whole, not yet whole, and never."""
    assert [relay.whole_packet(CONNECT[:size]) for size in range(len(CONNECT) + 1)] == [None] * 16 + [16]
    assert relay.whole_packet(CONNECT + b"more") == 16
    assert relay.whole_packet(b"\x10\xfd\x1f" + b"x" * 4093) == relay.MOST_FIRST
    with pytest.raises(relay.NotWelcomeError):
        relay.whole_packet(b"\x10\xfe\x1f")


def _settings(**fields: Any) -> DoorSettings:
    return DoorSettings(POLICY, **fields)


def test_settings_go_over_a_line() -> None:
    """What is written is read."""
    told = _settings(broker=BrokerTarget("h", 1, "PEM"), names=(), listeners=())
    assert DoorSettings.read(told.written()).broker == told.broker


async def channel(port: int, *said: str) -> list[str]:
    """Send this over a channel; return what is answered to each, and how it ends where it does."""
    heard = []
    async with ClientSession() as session, session.ws_connect(f"ws://127.0.0.1:{port}/board") as line:
        await line.send_str(said[0])
        for more in said[1:]:
            await line.send_str(more)
            answer = await line.receive(PATIENCE_S)
            heard.append(answer.data.strip() if answer.type is WSMsgType.TEXT else "closed")
    return heard


@pytest.mark.parametrize(
    ("said", "heard"),
    [
        (("let me in", "one", "two"), ["heard one", "heard two"]),
        (("let me in", "x" * (MOST_MESSAGE + 1)), ["closed"]),
        (("let me in", "one\ntwo"), ["closed"]),
    ],
)
def test_a_channel_carries_both_ways(door: FrontDoor, said: tuple[str, ...], heard: list[str]) -> None:
    """A message a line, once the application has taken the first of them."""
    assert asyncio.run(channel(door.port, *said)) == heard


def test_a_channel_that_is_not_opened(door: FrontDoor) -> None:
    """The application's answer is all that is said."""
    assert '"method": "CHANNEL"' in asyncio.run(channel(door.port, "who am I", "x"))[0]
