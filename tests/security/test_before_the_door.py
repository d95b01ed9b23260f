"""What somebody without a password, a seat or a link can send to the pages of a table and of a hall."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator

import pytest

from referee.door.guard import MOST_HEAD
from referee.handset.joining import join
from referee.net.pairing.lobby import join_url
from referee.tournament.hall.accounts import TRIES, Tries
from tests.hall.open_hall import Client, OpenHall
from tests.patience import PATIENCE_S
from tests.security.report import Row, hold
from tests.security.test_pairing_attacks import Door

pytestmark = pytest.mark.process

LINE = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n"
BACKSLASHES = "\\" * 8000


@pytest.fixture(scope="module")
def hall(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenHall]:
    """Yield a hall in which nobody plays."""
    with OpenHall(tmp_path_factory.mktemp("hall"), plays=False) as made:
        yield made


@pytest.fixture
def door() -> Iterator[Door]:
    """Yield a table's door."""
    made = Door()
    yield made
    made.server.stop()


@pytest.fixture(params=["a table", "a hall"])
def port(request: pytest.FixtureRequest, hall: OpenHall, door: Door) -> int:
    """Return the port of the phones' page, then that of the hall's pages."""
    return door.server.port if request.param == "a table" else hall.server.port


def answer(port: int, sent: bytes) -> tuple[int, bytes]:
    """Return status and body of a server's answer to exactly these bytes; status 0 where it answers nothing."""
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S) as line:
        line.sendall(sent)
        raw = b"".join(iter(lambda: line.recv(65536), b""))
    head, _, body = raw.partition(b"\r\n\r\n")
    return int(head.split()[1]) if head else 0, body


def headers(most: int) -> bytes:
    """Return a request's first line and headers, `most` bytes in all, without the empty line that would end them."""
    parts = [LINE]
    while (left := most - sum(map(len, parts))) > 0:
        size = left if left < 1100 else 1000
        parts.append(b"X: " + b"x" * (size - 5) + b"\r\n")
    return b"".join(parts)


def test_a_head_is_read_so_far_and_no_farther(port: int) -> None:
    """The last byte that may be is taken; with one more the answer comes although the head goes on."""
    whole = headers(MOST_HEAD - 2) + b"\r\n"
    assert len(whole) == MOST_HEAD
    assert answer(port, whole)[0] == 200
    status, body = answer(port, headers(MOST_HEAD + 1))
    assert (status, json.loads(body)) == (431, {"error": "request-header-fields-too-large"})
    status, body = answer(port, b"GET /" + b"x" * (MOST_HEAD - 4))
    assert (status, json.loads(body)) == (414, {"error": "request-uri-too-long"})
    assert answer(port, b"GET /" + b"x" * (MOST_HEAD - 37) + b" HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")[0] in (401, 404)


def test_who_sends_on_hears_the_answer(port: int) -> None:
    """What was on its way when a head was refused is let in: a connection that is reset would lose the answer."""
    assert answer(port, headers(2 * MOST_HEAD))[0] == 431


def test_a_cookie_of_backslashes(hall: OpenHall) -> None:
    """Whatever stands in a cookie, ours is the text behind its name up to the next semicolon."""
    client = Client(hall).log_in("Ann")
    for sent, status in (
        (f'hallmarshal="{BACKSLASHES}"', 401),
        (f'other="{BACKSLASHES}"; {client.cookie}', 200),
        (f"a=b;;  {client.cookie} ; c", 200),
        (f"x{client.cookie}", 401),
        (f"{client.cookie[:-1]}", 401),
        ("hallmarshal", 401),
    ):
        assert client.ask("GET", "/api/me", None, Cookie=sent)[0] == status, sent[:30]


def test_before_the_door(hall: OpenHall, door: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same as the document tells it."""
    monkeypatch.setattr(hall.station, "_tries", Tries())  # what is tried here locks no other test out
    rows: list[Row] = []
    for where, port in (("a table", door.server.port), ("a hall", hall.server.port)):
        fat, line = answer(port, headers(MOST_HEAD + 1))[0], answer(port, b"GET /" + b"x" * MOST_HEAD)[0]
        rows.append((f"headers without end, to the pages of {where}", f"{fat} after {MOST_HEAD:,} bytes"))
        rows.append((f"a request line without end, to the pages of {where}", f"{line} after {MOST_HEAD:,} bytes"))
    status, said, _ = Client(hall).ask("GET", "/api/me", None, Cookie=f'hallmarshal="{BACKSLASHES}"')
    rows.append(("a cookie of 8,000 backslashes", f"{status}, `{said['error']}`"))
    for what, path, body in (
        ("passwords for a name", "/api/login", {"name": "Chief", "password": "guess"}),
        ("keys of the room's screen", "/api/screen", {"key": "guess"}),
    ):
        words = [Client(hall).ask("POST", path, body)[1]["error"] for _ in range(TRIES + 1)]
        rows.append((f"{TRIES} {what}, and one more", ", then ".join(f"`{word}`" for word in dict.fromkeys(words))))
    joined = join(join_url(door.base, door.invitation, door.keys.public))
    assert joined.credential.seat is not None
    rows.append(("and red's player with a link, after all of this", f"takes {joined.credential.seat.value}"))
    hold("Before the door", rows)
