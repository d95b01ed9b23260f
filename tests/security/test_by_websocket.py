"""The same attacks through the other door, the WebSocket listener that phones' pages use: the broker has to be as strict there."""

from __future__ import annotations

import socket
from contextlib import ExitStack, suppress

import pytest

from referee.net.broker.mosquitto import _UPGRADE, MOST_CONNECTIONS
from referee.net.topics.payloads import PeerFault
from referee.net.topics.topics import Role, read_by
from referee.rules.values import Seat
from tests.net.hall import BOARD
from tests.patience import PATIENCE_S
from tests.security.report import Row, hold
from tests.security.scene import BLUE_IN, BLUE_OUT, PUBLIC, RED_IN, STATE, Scene
from tests.security.test_entering import entry, length
from tests.security.test_floods import MANY, MIB, looked_at, memory_mib, never_confirms, nonsense, oversize
from tests.security.test_reading_and_speaking import FILTERS, FORGED, retained, what_came

pytestmark = pytest.mark.process


def reading(scene: Scene) -> str:
    """Subscribe to everything; say what came."""
    spy = scene.hostile()
    spy.subscribe(*FILTERS, STATE)
    scene.settle_an_attack()
    scene.close_with_a_sentinel(spy)
    spy.stop()
    return what_came(spy.got, PUBLIC | {BLUE_IN})


def speaking(scene: Scene) -> str:
    """Publish to everything, fleeting and retained; say who heard it, now or later."""
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
    client = scene.hall.stranger(scene.blue, client_id=name, websocket=True)
    return entry(client)


def too_large(scene: Scene, size: int) -> str:
    """Publish more than anybody has to say, and wait until the broker confirms it; say who was given it."""
    scene.pair_blue()
    client = scene.hostile()
    client.publish(BLUE_OUT, b"x" * size)
    client.publish(BLUE_OUT, b"behind it")
    scene.hall.inbox.wait(PeerFault, lambda fault: fault.seat is Seat.BLUE)
    client.stop()
    got = max(len(payload) for _, payload in scene.tap)
    return "TAKEN" if got >= size else "confirmed, and handed on to nobody"


def announced(scene: Scene) -> str:
    """Announce a CONNECT of 40 MB six times, without any password, and send all of it but the end."""
    address = scene.hall.broker.address
    with ExitStack() as stack:
        for _ in range(6):
            raw = stack.enter_context(socket.create_connection((address.host, address.ws_port), timeout=PATIENCE_S))
            with suppress(ConnectionError):
                raw.sendall(_UPGRADE)
                raw.recv(1024)
                raw.sendall(frame(b"\x10" + length(40 * MIB)))
                for _ in range(40):
                    raw.sendall(frame(b"x" * (MIB - 1)))
        went = scene.settle_an_attack()
        kept = memory_mib(scene)
    return f"the broker keeps less than 100 MiB of it; {went}" if kept < 100 else f"THE BROKER KEEPS {kept:.0f} MiB"


def frame(payload: bytes) -> bytes:
    """Give a client's WebSocket frame, masked with zeros."""
    return b"\x82\xff" + len(payload).to_bytes(8) + bytes(4) + payload


def silent_connections(scene: Scene) -> str:
    """Hold more connections open than a listener has, and say nothing."""
    address = scene.hall.broker.address
    with ExitStack() as stack:
        for _ in range(2 * MOST_CONNECTIONS):
            stack.enter_context(socket.create_connection((address.host, address.ws_port), timeout=PATIENCE_S))
        return scene.settle_an_attack()


def test_by_websocket(scene: Scene) -> None:
    """Reading, speaking, wills, takeover, size, floods: what holds by TCP holds here."""
    scene.by_websocket = True
    rows: list[Row] = [
        (f"subscribes to all {len(FILTERS)} filters of above", reading(scene)),
        (f"publishes to all {len(FORGED)} topics of above, fleeting and retained", speaking(scene)),
        ("leaves a will in red's inbox", will(scene)),
        ("comes in with red's client id", impostor(scene, f"{BOARD}.{Seat.RED.value}")),
        ("comes in with the referee's client id", impostor(scene, f"{BOARD}.{Role.REFEREE.value}")),
        ("a payload of 81,000 bytes", oversize(scene, 81_000)),
        ("a payload of 200,000 bytes", too_large(scene, 200_000)),
        ("a payload of 1 MB", too_large(scene, 1_000_000)),
        ("no password, and six times a CONNECT of 40 MB", announced(scene)),
        (f"{MANY} payloads of nonsense at once", looked_at(scene, lambda: nonsense(scene, 0))),
        ("reads, and never confirms", never_confirms(scene)),
        (f"holds {2 * MOST_CONNECTIONS} connections open and says nothing", silent_connections(scene)),
        ("and red, after all of this", scene.settle_an_attack()),
    ]
    hold("By WebSocket, as a phone's page comes in", rows)
