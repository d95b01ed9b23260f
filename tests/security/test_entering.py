"""Coming in as somebody else, or with packets that are none."""

from __future__ import annotations

import socket
from dataclasses import replace

import pytest

from referee.net.credential import Credential
from referee.net.topics.topics import Role
from tests.net.hall import BOARD, Stranger
from tests.patience import PATIENCE_S
from tests.security.report import Row, hold
from tests.security.scene import BLUE_OUT, Scene

pytestmark = pytest.mark.process

_KEEPALIVE = b"\xff\xff"
"""Eighteen hours: nobody is put out for his silence here."""


def connect_packet(user: bytes, password: bytes, client: bytes, flags: int = 0xC2) -> bytes:
    """Return a CONNECT as bytes."""
    fields = b"".join(len(text).to_bytes(2) + text for text in (client, user, password))
    body = b"\x00\x04MQTT\x04" + bytes([flags]) + _KEEPALIVE + fields
    return b"\x10" + length(len(body)) + body


def length(number: int) -> bytes:
    """Return MQTT's encoding of a remaining length."""
    out = bytearray()
    while True:
        number, low = divmod(number, 128)
        out.append(low | (128 if number else 0))
        if not number:
            return bytes(out)


def publish_packet(topic: bytes, first: int = 0x30) -> bytes:
    """Return a PUBLISH as bytes."""
    body = len(topic).to_bytes(2) + topic + (b"\x00\x01" if first & 6 else b"") + b"x"
    return bytes([first]) + length(len(body)) + body


def after(scene: Scene, sent: bytes, logged_in: bool = True) -> str:
    """Return in words what happens to a connection that sends these bytes."""
    address, blue = scene.hall.broker.address, scene.blue
    with socket.create_connection((address.host, address.port), timeout=PATIENCE_S) as raw:
        if logged_in:
            raw.sendall(connect_packet(blue.user.encode(), blue.password.encode(), blue.user.encode()))
            assert raw.recv(4) == b"\x20\x02\x00\x00"
        try:
            raw.sendall(sent)
            while raw.recv(4096):
                pass
        except ConnectionError:
            pass
        except TimeoutError:
            return "KEPT OPEN"
    return "connection closed"


PACKETS = (
    ("a topic with a wildcard in it", publish_packet(b"hallmarshal/#")),
    ("an empty topic", publish_packet(b"")),
    ("a topic that is no UTF-8", publish_packet(b"\xff\xfe")),
    ("a topic with a zero byte", publish_packet(b"a\x00b")),
    ("QoS 3", publish_packet(b"a", 0x36)),
    ("a remaining length of five bytes", b"\x30\xff\xff\xff\xff\x7f"),
    ("256 MB announced", b"\x30\xff\xff\xff\x7f"),
    ("a second CONNECT", connect_packet(b"a", b"b", b"c")),
    ("a packet type that does not exist", b"\xf0\x00"),
    ("a SUBSCRIBE without a filter", b"\x82\x02\x00\x01"),
)


def entry(client: Stranger) -> str:
    """Return in words whether a client was let in."""
    assert client.settled.wait(PATIENCE_S)
    return "LET IN" if client.joined.is_set() else "refused"


def test_entering(scene: Scene) -> None:
    """Nobody comes in as another, and nobody's bad packets cost anybody else anything."""
    hall, blue = scene.hall, scene.blue

    def as_(user: str, password: str) -> Credential:
        return replace(blue, user=user, password=password)

    kiosk = hall.broker.credential(Role.KIOSK)
    tries: tuple[tuple[str, Credential, str | None], ...] = (
        ("blue's user and password with red's client id", blue, f"{BOARD}.red"),
        ("blue's user and password with the referee's client id", blue, f"{BOARD}.referee"),
        ("blue's user and password with a client id of its own", blue, "laptop"),
        ("red's name with blue's password", as_(f"{BOARD}.red", blue.password), None),
        ("the referee's name with blue's password", as_(f"{BOARD}.referee", blue.password), None),
        ("the control user's name without a password", as_(f"{BOARD}.control", ""), None),
        ("the kiosk's password with red's name", as_(f"{BOARD}.red", kiosk.password), None),
        ("blue's name without a password", as_(blue.user, ""), None),
        ("a name that nobody has", as_("stranger", "x"), None),
        ("no name at all", as_("", ""), "laptop"),
    )
    rows: list[Row] = [
        (f"connects with {what}", entry(hall.stranger(who, client_id=name))) for what, who, name in tries
    ]
    first = scene.hostile()
    second = scene.hostile()
    pushed = "its first connection ends" if first.lost.wait(PATIENCE_S) else "BOTH STAY"
    second.publish(BLUE_OUT, b"x")
    rows.append(("connects twice with blue's own credential", pushed))
    first.stop()
    second.stop()
    scene.pair_blue()
    rows += [(f"sends {what}", after(scene, packet)) for what, packet in PACKETS]
    rows.append(("says something before CONNECT", after(scene, publish_packet(b"a"), logged_in=False)))
    rows.append(("and red, after all of this", scene.settle_an_attack()))
    hold("Coming in as somebody else", rows)
