"""The same attacks as a phone's page comes in: by WebSocket, through the front door. It has to be as strict as the broker itself."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import ExitStack, suppress

import pytest

from referee.door.front_door import FrontDoor, listening
from referee.door.messages import NOT_FOUND
from referee.door.places import MOST_OF_STRANGER
from referee.door.settings import BrokerTarget, DoorSettings
from referee.net.credential import Address
from referee.net.topics.topics import Role, read_by
from referee.rules.values import Seat
from tests.door.test_door import UPGRADE
from tests.net.hall import BOARD
from tests.patience import PATIENCE_S
from tests.security.report import Row, hold
from tests.security.scene import BLUE_IN, BLUE_OUT, PUBLIC, RED_IN, STATE, Scene
from tests.security.test_entering import connect_packet, entry, length
from tests.security.test_floods import MANY, MIB, looked_at, memory_mib, never_confirms, nonsense, oversize
from tests.security.test_reading_and_speaking import FILTERS, FORGED, retained, what_came

pytestmark = pytest.mark.process


@pytest.fixture
def scene(scene: Scene) -> Iterator[Scene]:
    """Yield a table with an honest red, and a hostile blue in front of its door."""
    inner = scene.hall.broker.inner
    settings = DoorSettings("", broker=BrokerTarget(inner.host, inner.port))
    door = FrontDoor([listening("127.0.0.1", 0)], lambda request: NOT_FOUND, settings)
    scene.way_in = Address("127.0.0.1", 0, door.port)
    yield scene
    door.stop()


def connected(scene: Scene) -> socket.socket:
    """Return a WebSocket that has opened."""
    assert scene.way_in is not None
    raw = socket.create_connection(("127.0.0.1", scene.way_in.ws_port or 0), timeout=PATIENCE_S)
    raw.sendall(UPGRADE + b"\r\n")
    got = b""
    while not got.endswith(b"\r\n\r\n"):
        got += raw.recv(1)
    return raw


def frame(payload: bytes) -> bytes:
    """Return a client's WebSocket frame, masked with zeros."""
    return b"\x82\xff" + len(payload).to_bytes(8) + bytes(4) + payload


def reading(scene: Scene) -> str:
    """Subscribe to everything. Returns in words what came."""
    spy = scene.hostile()
    spy.subscribe(*FILTERS, STATE)
    scene.settle_an_attack()
    scene.close_with_a_sentinel(spy)
    spy.stop()
    return what_came(spy.got, PUBLIC | {BLUE_IN})


def speaking(scene: Scene) -> str:
    """Publish to everything, fleeting and retained. Returns in words who heard it, now or later."""
    witness = scene.hall.stranger(scene.hall.broker.credential(Role.KIOSK))
    witness.subscribe(*read_by(Role.KIOSK, BOARD))
    hostile = scene.hostile()
    for text in FORGED:
        hostile.publish(text, b"by websocket", retain=False)
        hostile.publish(text, b"by websocket", retain=True)
    hostile.publish(BLUE_OUT, b"by websocket, allowed")
    scene.close_with_a_sentinel(witness)
    heard = [payload for _, payload in (*scene.tap, *witness.got, *retained(scene, witness))]
    hostile.stop()
    assert b"by websocket, allowed" in heard
    return "HEARD" if b"by websocket" in heard else "nobody heard it, nothing stayed"


def will(scene: Scene) -> str:
    """Leave a will in red's inbox and vanish, and one where it may stand, which is heard."""
    for text in (RED_IN, BLUE_OUT):
        scene.hostile(will=(text, f"will on {text}".encode())).drop()
    again = scene.hostile()  # the same client id: whatever the broker owes its earlier connections has happened now
    again.publish(BLUE_OUT, b"sentinel")
    scene.close_with_a_sentinel()
    again.stop()
    heard = [payload for _, payload in scene.tap]
    assert f"will on {BLUE_OUT}".encode() in heard
    return "HEARD" if f"will on {RED_IN}".encode() in heard else "nobody heard it"


def impostor(scene: Scene, name: str) -> str:
    """Come in with blue's password and another's client id."""
    return entry(scene.hall.stranger(scene.by_way(scene.blue), client_id=name))


def in_pieces(scene: Scene, size: int) -> str:
    """Publish more than anybody has to say, in WebSocket messages that are small enough. Returns in words what it
    costs.
    """
    scene.pair_blue()
    blue, topic = scene.blue, BLUE_OUT.encode()
    with connected(scene) as raw:
        raw.sendall(frame(connect_packet(blue.user.encode(), blue.password.encode(), blue.user.encode())))
        assert raw.recv(6) == b"\x82\x04\x20\x02\x00\x00"
        packet = b"\x30" + length(2 + len(topic) + size) + len(topic).to_bytes(2) + topic + b"x" * size
        with suppress(ConnectionError):
            for at in range(0, len(packet), 60_000):
                raw.sendall(frame(packet[at : at + 60_000]))
            while raw.recv(4096):
                pass
    went = scene.settle_an_attack()
    return f"its connection is closed; {went}" if max(len(payload) for _, payload in scene.tap) < size else "TAKEN"


def announced(scene: Scene) -> str:
    """Announce a CONNECT of 40 MB six times, without any password, and send all of it but the end."""
    before = memory_mib(scene)
    for _ in range(6):
        with connected(scene) as raw, suppress(ConnectionError):
            raw.sendall(frame(b"\x10" + length(40 * MIB)))
            for _ in range(40):
                raw.sendall(frame(b"x" * (MIB - 1)))
    went = scene.settle_an_attack()
    kept = memory_mib(scene) - before
    return f"the broker hears nothing of it; {went}" if kept < 1 else f"THE BROKER KEEPS {kept:.0f} MiB"


def silent_connections(scene: Scene) -> str:
    """Hold more WebSockets open than one address has places, and say nothing; blue's own phone comes in from there."""
    with ExitStack() as stack:
        for _ in range(2 * MOST_OF_STRANGER):
            stack.enter_context(connected(scene))
        scene.pair_blue()
        came = "IS KEPT OUT" if not scene.hostile().joined.is_set() else "gets in"
        return f"another phone of that address {came}; {scene.settle_an_attack()}"


def test_by_websocket(scene: Scene) -> None:
    """Reading, speaking, wills, takeover, size, floods: what holds by TCP holds here."""
    rows: list[Row] = [
        (f"subscribes to all {len(FILTERS)} filters of above", reading(scene)),
        (f"publishes to all {len(FORGED)} topics of above, fleeting and retained", speaking(scene)),
        ("leaves a will in red's inbox", will(scene)),
        ("comes in with red's client id", impostor(scene, f"{BOARD}.{Seat.RED.value}")),
        ("comes in with the referee's client id", impostor(scene, f"{BOARD}.{Role.REFEREE.value}")),
        ("a payload of 81,000 bytes", oversize(scene, 81_000)),
        ("a payload of 200,000 bytes", oversize(scene, 200_000)),
        ("a payload of 1 MB, in WebSocket messages of 60,000 bytes", in_pieces(scene, 1_000_000)),
        ("no password, and six times a CONNECT of 40 MB", announced(scene)),
        (f"{MANY} payloads of nonsense at once", looked_at(scene, lambda: nonsense(scene, 0))),
        ("reads, and never confirms", never_confirms(scene)),
        (f"holds {2 * MOST_OF_STRANGER} WebSockets open and says nothing", silent_connections(scene)),
        ("and red, after all of this", scene.settle_an_attack()),
    ]
    hold("By WebSocket, as a phone's page comes in", rows)
