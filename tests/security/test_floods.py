"""Too much, too large, too slow: one hostile client costs the others nothing, and the referee looks at a bounded part of it."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from referee.net.broker.broker import Broker
from referee.net.links.connection import Outgoing, Rate, Resends
from referee.net.sealing.sealing import KEPT, SMALL_PAYLOAD
from referee.net.topics.payloads import FromSeat, PeerFault
from referee.rules.hidden import Hidden
from referee.rules.values import Seat
from referee.table.messages import Hello, Letter, SeatState
from tests.net.hall import Stranger, view
from tests.patience import PATIENCE_S
from tests.security.report import Row, hold
from tests.security.scene import BLUE_IN, BLUE_OUT, BLUE_PRESENCE, STATE, Scene
from tests.security.test_entering import connect_packet, length
from tests.security.test_letters import Forger

pytestmark = pytest.mark.process

MANY = 3000
LETTERS = 1500
HELLOS = 180
"""Within what the referee looks at at once: what a hello costs is measured, not how many are dropped unread."""
MIB = 1024 * 1024


def looked_at(scene: Scene, pour: Callable[[], Stranger]) -> str:
    """Return in words how much of a flood the referee processed, and whether red's attack was settled meanwhile."""
    mark, began_s = len(scene.hall.inbox.values), time.monotonic()
    client = pour()
    meanwhile = scene.settle_an_attack()
    scene.hall.inbox.wait(PeerFault, lambda fault: fault.what == "FloodError", after=mark)
    client.publish(BLUE_PRESENCE, b'{"here":true}')  # confirmed: the broker has had all of it
    scene.settle_an_attack()  # behind it in the referee's queue: so the referee has, too
    client.stop()
    seen = [value for value in scene.hall.inbox.values[mark:] if getattr(value, "seat", None) is Seat.BLUE]
    handed_on = len([value for value in seen if not isinstance(value, PeerFault)])
    opened = sum(value.count for value in seen if isinstance(value, PeerFault) and value.what == "SealError")
    most = Rate.BURST + Rate.PER_S * (
        time.monotonic() - began_s
    )  # faults are told by powers of two: up to twice as many
    bounded = (
        "the first 200 and 20 a second are looked at"
        if max(handed_on, opened) <= max(600, 2 * most)
        else "ALL LOOKED AT"
    )
    dropped = scene.hall.referee.figures().connection.dropped
    return f"{bounded}; {meanwhile}" if dropped == 0 else f"LETTERS LOST: {dropped}"


def nonsense(scene: Scene, qos: int) -> Stranger:
    """Send payloads that do not open."""
    scene.pair_blue()
    client = scene.hostile()
    for _ in range(MANY):
        client._client.publish(BLUE_OUT, b"x" * SMALL_PAYLOAD, qos)
    return client


def letters(scene: Scene) -> Stranger:
    """Send letters that are all right, each under a new id."""
    forger = Forger(scene)
    mark = len(scene.hall.inbox.values)
    forger.hello()
    scene.hall.inbox.wait(FromSeat, lambda value: value.seat is Seat.BLUE, after=mark)
    for payload in [forger.said(f"f-{number}") for number in range(LETTERS)]:
        forger.client._client.publish(BLUE_OUT, payload, 0)
    return forger.client


def presence(scene: Scene) -> Stranger:
    """Come and go again and again."""
    scene.pair_blue()
    client = scene.hostile()
    for number in range(MANY):
        client._client.publish(BLUE_PRESENCE, b'{"here":true}' if number % 2 else b'{"here":false}', 0)
    return client


def state(number: int) -> SeatState:
    """Return a seat's state."""
    return SeatState(id=f"s{number}", seat=Seat.BLUE, ply=0, ready=True, own={}, seen={})


def hellos(scene: Scene) -> str:
    """Send hello again and again without confirming a message; return in words what it costs the seat, and everybody
    else.
    """
    forger, hall = Forger(scene), scene.hall
    forger.client.unsubscribe(BLUE_IN)  # it need not even read; the tap is the referee's own count
    mark = len(hall.inbox.values)
    forger.hello()
    hall.inbox.wait(FromSeat, lambda value: value.seat is Seat.BLUE, after=mark)  # before that nothing is kept for it
    for number in range(KEPT):  # what it might have sent again: states, the largest letters there are
        hall.referee.send(Letter(Seat.BLUE, Hidden(state(number))), 0)
    began_s, sent = time.monotonic(), 0
    publish = hall.referee._connection.publish

    def counting(message: Outgoing) -> None:
        nonlocal sent
        sent += len(message.payload) if message.topic == BLUE_IN else 0
        publish(message)

    hall.referee._connection.publish = counting  # type: ignore[method-assign]  # what goes to blue is counted on its way
    mark, connected = len(hall.inbox.values), hall.referee.figures().connection.connects
    for _ in range(HELLOS):
        payload = forger.seal.seal(Hello(id="h"), "game-1", 0)
        assert payload is not None
        forger.client._client.publish(BLUE_OUT, payload, 0)
    went = {scene.settle_an_attack() for _ in range(10)}
    # how many are refused depends on how long the flood takes here; that no more went out than may is judged below
    hall.inbox.wait(PeerFault, lambda fault: fault.what == "ResendError", after=mark)
    hall.referee._connection.publish = publish  # type: ignore[method-assign]
    most = Resends.BURST + Resends.PER_S * (time.monotonic() - began_s)
    figures = hall.referee.figures().connection
    if sent > most or figures.dropped or figures.connects != connected or len(went) > 1:
        return f"SENT {sent}, DROPPED {figures.dropped}, {went}"
    return f"1 MiB at once and 256 KiB a second go to it, nothing is dropped; {went.pop()} ten times"


def oversize(scene: Scene, size: int) -> str:
    """Return in words what a payload of this size costs its sender."""
    scene.pair_blue()
    client = scene.hostile()
    mark = len(scene.hall.inbox.values)
    client._client.publish(BLUE_OUT, b"x" * size, 1)
    if size > 81920:
        return "its connection is closed" if client.lost.wait(PATIENCE_S) else "TAKEN"
    scene.hall.inbox.wait(PeerFault, lambda fault: fault.seat is Seat.BLUE and fault.what == "SealError", after=mark)
    return "dropped: `SealError`, by its length alone"


def memory_mib(scene: Scene) -> float:
    """Return the broker's resident memory in MiB."""
    broker = scene.hall.broker
    assert isinstance(broker, Broker)
    status = Path(f"/proc/{broker.pid}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) / 1024


def slow_reader(scene: Scene) -> str:
    """Subscribe, and never read again, while the table goes on. Returns in words what the broker keeps for it."""
    scene.pair_blue()
    address, blue = scene.hall.broker.address, scene.blue
    before = memory_mib(scene)
    with socket.socket() as raw:
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        raw.connect((address.host, address.port))
        raw.sendall(connect_packet(blue.user.encode(), blue.password.encode(), blue.user.encode()))
        assert raw.recv(4) == b"\x20\x02\x00\x00"
        topic = STATE.encode()
        body = b"\x00\x01" + len(topic).to_bytes(2) + topic + b"\x01"
        raw.sendall(b"\x82" + length(len(body)) + body)
        raw.recv(64)
        for number in range(2000, 2000 + MANY):
            scene.hall.referee.publish_state(view(number))
            if number % 250 == 0:  # the referee's own queue is bounded as well, so let it be emptied
                scene.close_with_a_sentinel()
        went = scene.settle_an_attack()
        kept = memory_mib(scene) - before
    return f"the broker keeps less than 8 MiB for it; {went}" if kept < 8 else f"THE BROKER KEEPS {kept:.0f} MiB"


def never_confirms(scene: Scene) -> str:
    """Read everything, confirm nothing."""
    scene.pair_blue()
    client = scene.hostile(acknowledges=False)
    client.subscribe(STATE)
    for number in range(9000, 9000 + 1000):
        scene.hall.referee.publish_state(view(number))
        if number % 250 == 0:
            scene.close_with_a_sentinel()
    went = scene.settle_an_attack()
    client.stop()
    return f"it gets 20 messages and no more; {went}" if len(client.got) <= 21 else f"GOT {len(client.got)}"


def many_subscriptions(scene: Scene) -> str:
    """Subscribe to ten thousand topics."""
    scene.pair_blue()
    client = scene.hostile()
    before = memory_mib(scene)
    for first in range(0, 10_000, 500):
        client._client.subscribe([(f"hallmarshal/{number}/" + "x" * 100, 0) for number in range(first, first + 500)])
    client.subscribe(STATE)
    went = scene.settle_an_attack()
    kept = memory_mib(scene) - before
    return f"refused, and not kept; {went}" if kept < 4 else f"THE BROKER KEEPS {kept:.0f} MiB"


def connections(scene: Scene) -> str:
    """Connect and vanish five hundred times, without a password."""
    address = scene.hall.broker.address
    for _ in range(500):
        with socket.create_connection((address.host, address.port), timeout=PATIENCE_S) as raw:
            raw.sendall(connect_packet(b"nobody", b"x", b"nobody"))
    return scene.settle_an_attack()


def test_floods(scene: Scene) -> None:
    """Everything that one client can pour out, one after the other."""
    rows: list[Row] = [
        (f"{MANY} payloads of nonsense at once", looked_at(scene, lambda: nonsense(scene, 0))),
        (f"{MANY} payloads of nonsense, each to be confirmed", looked_at(scene, lambda: nonsense(scene, 1))),
        (f"{LETTERS} letters that are all right, each a new message", looked_at(scene, lambda: letters(scene))),
        (f"comes and goes {MANY} times in its presence", looked_at(scene, lambda: presence(scene))),
        (f"says hello {HELLOS} times, and never that it got a letter", hellos(scene)),
        ("a payload of 81,000 bytes", oversize(scene, 81_000)),
        ("a payload of 200,000 bytes", oversize(scene, 200_000)),
        ("a payload of 20 MB", oversize(scene, 20_000_000)),
        (f"subscribes and never reads, while {MANY} states are published", slow_reader(scene)),
        ("reads, and never confirms", never_confirms(scene)),
        ("subscribes to 10,000 topics", many_subscriptions(scene)),
        ("500 connections that come to nothing", connections(scene)),
    ]
    rows.append(("and red, after all of this", scene.settle_an_attack()))
    hold("Too much, too large, too slow", rows)
