"""Subscriptions, forgeries and wills of a client with a valid seat, judged by what was delivered."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from paho.mqtt.enums import MQTTErrorCode

from referee.net.links.referee_link import RefereeLink
from referee.net.sealing.sealing import SMALL_PAYLOAD
from referee.net.topics.payloads import LinkUp, PeerFault, SeatPresence
from referee.net.topics.topics import ROOT, Role, Topic, address, read_by
from referee.rules.values import Seat
from tests.net.hall import BOARD, Stranger
from tests.patience import PATIENCE_S
from tests.security.report import Row, hold
from tests.security.scene import (
    BLUE_IN,
    BLUE_OUT,
    CANARIES,
    PUBLIC,
    RED_IN,
    RED_OUT,
    RED_PRESENCE,
    STATE,
    STATUS,
    Scene,
)

pytestmark = pytest.mark.process

CONTROL = "$CONTROL/dynamic-security/v1"
FILTERS = (
    "#",
    "+/#",
    f"{ROOT}/#",
    f"{ROOT}/boards/+/seat/#",
    f"{ROOT}/boards/{BOARD}/seat/+/in",
    f"{ROOT}/boards/{BOARD}/seat/+/out",
    f"{ROOT}/boards/{BOARD}/+/+/in",
    f"{ROOT}/boards/{BOARD}/seat/red/#",
    RED_IN,
    RED_OUT,
    RED_PRESENCE,
    f"{RED_IN}/",
    f"/{RED_IN}",
    address(Topic.KIOSK_IN, BOARD),
    f"{ROOT}/boards/{BOARD}/arb/#",
    "$SYS/#",
    "$CONTROL/#",
    f"{CONTROL}/response",
    f"$share/x/{RED_IN}",
    f"$share/x/{RED_OUT}",
    f"$share/x/{ROOT}/#",
    "$share/x/#",
)


def short(text: str) -> str:
    """Return an address as the document writes it."""
    return f"`{text.replace(f'{ROOT}/boards/{BOARD}', 'B')}`"


def what_came(got: list[tuple[str, bytes]], allowed: frozenset[str]) -> str:
    """Return in words what a client received beyond what it may."""
    foreign = sorted({topic for topic, _ in got} - allowed)
    told = sorted({canary.decode() for canary in CANARIES for _, payload in got if canary in payload})
    if foreign or told:
        return f"DELIVERED: {', '.join(foreign + told)}"
    return "nothing was delivered but its own and what is public"


def test_reading(scene: Scene) -> None:
    """Whatever blue or a kiosk subscribes to, nothing of red's letters, the other's notes or the broker's topics is delivered."""
    spy = scene.hostile()
    spy.subscribe(STATE)
    rows: list[Row] = []
    for text in FILTERS:
        spy.got.clear()
        spy.subscribe(text)
        scene.settle_an_attack()
        scene.close_with_a_sentinel(spy)
        answer = "granted" if spy.granted[text] else "refused"
        rows.append(
            (f"blue subscribes to {short(text)}", f"answer: {answer}; {what_came(spy.got, PUBLIC | {BLUE_IN})}")
        )
        spy.unsubscribe(text)
    spy.got.clear()
    spy.subscribe(*FILTERS)
    scene.settle_an_attack()
    scene.close_with_a_sentinel(spy)
    rows.append(("blue subscribes to all of these at once", what_came(spy.got, PUBLIC | {BLUE_IN})))
    kiosk = scene.hall.stranger(scene.hall.broker.credential(Role.KIOSK))
    kiosk.subscribe(*FILTERS, STATE)
    scene.settle_an_attack()
    scene.close_with_a_sentinel(kiosk)
    allowed = PUBLIC | {address(Topic.KIOSK_IN, BOARD)}
    rows.append(("the kiosk's credential subscribes to all of these at once", what_came(kiosk.got, allowed)))
    assert any(topic == RED_OUT for topic, _ in scene.tap)  # there was something to be had
    hold("Reading what is another's", rows)


FORGED = (
    RED_IN,
    RED_OUT,
    RED_PRESENCE,
    BLUE_IN,
    STATE,
    address(Topic.INFO, BOARD),
    address(Topic.EVENT, BOARD),
    STATUS,
    address(Topic.KIOSK_IN, BOARD),
    address(Topic.KIOSK_OUT, BOARD),
    address(Topic.ARBITER_COMMAND, BOARD),
    address(Topic.ARBITER_ALERTS, BOARD),
    f"{ROOT}/events/open/pub/results",
    f"{ROOT}/spec/{BOARD}/pub/state",
    "$SYS/broker/uptime",
    f"$share/x/{RED_IN}",
    "anything/else",
)


def test_speaking(scene: Scene) -> None:
    """Publishing as the referee, as red, as the kiosk or the arbiter, retained or not, reaches nobody, now or later."""
    hall = scene.hall
    witness = hall.stranger(hall.broker.credential(Role.KIOSK))
    witness.subscribe(*read_by(Role.KIOSK, BOARD))
    hostile = scene.hostile()
    hall.inbox.wait(SeatPresence, lambda value: value == SeatPresence(Seat.RED, True))
    begun = len(hall.inbox.values)
    marks = {text: b'{"forged":"%d"}' % number for number, text in enumerate(FORGED)}
    for text, mark in marks.items():
        hostile.publish(text, mark, retain=False)
        hostile.publish(text, mark, retain=True)
    change = {"command": "modifyRole", "rolename": f"{BOARD}.blue", "acls": []}
    hostile.publish(
        CONTROL, json.dumps({"commands": [change, {"command": "deleteClient", "username": f"{BOARD}.red"}]}).encode()
    )
    hostile.publish(BLUE_OUT, b"sentinel")
    hall.inbox.wait(PeerFault, lambda fault: fault.seat is Seat.BLUE)
    scene.close_with_a_sentinel(witness)
    heard = [*scene.tap, *witness.got, *retained(scene, witness)]
    rows = [
        (
            f"blue publishes to {short(text)}",
            "HEARD" if any(mark in payload for _, payload in heard) else "nobody heard it, nothing stayed",
        )
        for text, mark in marks.items()
    ]
    assert (BLUE_OUT, b"sentinel") in heard  # what may be said is heard here, so what is not heard was not delivered
    untouched = (
        scene.settle_an_attack() if SeatPresence(Seat.RED, False) not in hall.inbox.values[begun:] else "RED WENT"
    )
    rows.append(
        (
            f"blue publishes commands to {short(CONTROL)}: change its role, delete red's user",
            f"not carried out: {untouched}",
        )
    )
    hold("Speaking in another's name", rows)


def test_a_kiosk_speaks_by_its_own_topic_alone(scene: Scene) -> None:
    """Its credential publishes `kiosk/out`; whatever else it says, retained or not, nobody hears, now or when he comes later."""
    own = address(Topic.KIOSK_OUT, BOARD)
    witness = scene.hostile()
    witness.subscribe(*read_by(Role.HANDSET, BOARD, Seat.BLUE))
    kiosk = scene.hall.stranger(scene.hall.broker.credential(Role.KIOSK))
    kiosk.subscribe(*read_by(Role.KIOSK, BOARD))
    marks = {text: b'{"kiosk":"%d"}' % number for number, text in enumerate((*FORGED, BLUE_OUT, CONTROL))}
    for text, mark in marks.items():
        kiosk.publish(text, mark, retain=False)
        if text != own:
            kiosk.publish(text, mark, retain=True)
    scene.hall.inbox.wait(PeerFault)  # its own topic was heard, as nonsense; the rest the broker has judged by now
    scene.close_with_a_sentinel(witness, kiosk)
    heard = {text for text, mark in marks.items() if any(mark in payload for _, payload in (*scene.tap, *witness.got))}
    assert heard == {own}
    kept = retained(scene, kiosk)
    later = {text for text, mark in marks.items() if any(mark in payload for _, payload in kept)}
    assert later == set()


def retained(scene: Scene, witness: Stranger) -> list[tuple[str, bytes]]:
    """Return what the broker sends to newcomers of two roles, and to one who takes the referee's place."""
    witness.stop()
    newcomer = scene.hall.stranger(scene.hall.pair(Seat.GREEN))
    kiosk = scene.hall.stranger(scene.hall.broker.credential(Role.KIOSK))
    newcomer.subscribe(*read_by(Role.HANDSET, BOARD, Seat.GREEN))
    kiosk.subscribe(*read_by(Role.KIOSK, BOARD))
    scene.close_with_a_sentinel(newcomer, kiosk)
    mark = len(scene.hall.inbox.values)
    with kept_away(scene.hall.referee):
        looker = scene.hall.stranger(scene.hall.broker.credential(Role.REFEREE))  # takes the referee's place
        looker.subscribe(*read_by(Role.REFEREE, BOARD), STATE)
        newcomer.publish(address(Topic.SEAT_OUT, BOARD, Seat.GREEN), b"sentinel")
        looker.wait_for(address(Topic.SEAT_OUT, BOARD, Seat.GREEN), b"sentinel")
        for client in (looker, newcomer, kiosk):
            client.stop()
    scene.hall.inbox.wait(LinkUp, after=mark)
    return [*newcomer.got, *kiosk.got, *looker.got]


@contextmanager
def kept_away(link: RefereeLink) -> Iterator[None]:
    """Let a link whose place is taken come back only afterwards, however long that takes."""
    client, over = link._connection._client, threading.Event()
    come_back = client.reconnect

    def later() -> MQTTErrorCode:
        over.wait(PATIENCE_S)
        return come_back()

    client.reconnect = later  # type: ignore[method-assign]  # its thread calls it a second after the connection was lost
    try:
        yield
    finally:
        over.set()


WILLS = (STATUS, STATE, RED_IN, RED_OUT, RED_PRESENCE, address(Topic.KIOSK_OUT, BOARD), CONTROL)


def test_wills(scene: Scene) -> None:
    """A client that leaves a forgery as its will and vanishes is either refused or unheard."""
    witness = scene.hall.stranger(scene.hall.broker.credential(Role.KIOSK))
    witness.subscribe(*read_by(Role.KIOSK, BOARD))
    rows: list[Row] = []
    for number, text in enumerate((*WILLS, BLUE_OUT)):
        mark = b'{"will":"%d"}' % number
        hostile = scene.hostile(will=(text, mark))
        let_in = hostile.joined.is_set()
        hostile.drop()
        again = scene.hostile()  # the same client id: whatever the broker owes its earlier connection has happened now
        again.publish(BLUE_OUT, b"x" * SMALL_PAYLOAD)
        scene.close_with_a_sentinel(witness)
        heard = any(mark in payload for _, payload in (*scene.tap, *witness.got))
        entry = "let in" if let_in else "refused at once"
        again.stop()
        if text == BLUE_OUT:
            assert heard  # it may stand there, so what is not heard was not delivered
        else:
            rows.append((f"a will on {short(text)}", "HEARD" if heard else f"{entry}; nobody heard it"))
    hold("A last will on another's topic", rows)
