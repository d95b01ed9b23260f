"""What a handset makes of letters that the referee did not write to it, did not write now, or wrote once before.

No seat may publish in another's inbox. Here somebody may all the same: the broker's administrator, or whoever stole his password.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from referee.net.broker.broker import Broker
from referee.net.broker.dynsec import command
from referee.net.credential import Credential, KeyPair
from referee.net.sealing.sealing import LARGE_PAYLOAD, SMALL_PAYLOAD, RefereeSeal, Window, _Session
from referee.net.topics.payloads import FromSeat, PeerFault, ToSeat
from referee.net.topics.topics import Role
from referee.rules.hidden import Hidden
from referee.rules.values import Rank, Seat
from referee.table.messages import Accepted, Hello, Letter, Verdict
from tests.net.hall import BOARD, Stranger
from tests.security.report import Row, hold
from tests.security.scene import BLUE_IN, RED_IN, RED_OUT, Scene
from tests.security.test_letters import Forger, another_game, another_start, letters_to

pytestmark = pytest.mark.process

NAME = "postman"


def postman(scene: Scene) -> Stranger:
    """Return a client that may publish anywhere."""
    broker = scene.hall.broker
    assert isinstance(broker, Broker)
    everything = {"acltype": "publishClientSend", "topic": "#", "priority": 0, "allow": True}
    orders: list[dict[str, object]] = [
        {"command": "createRole", "rolename": NAME, "acls": [everything]},
        {"command": "createClient", "username": NAME, "password": NAME, "roles": [{"rolename": NAME}]},
    ]
    command(broker._control(), orders)
    return scene.hall.stranger(Credential(Role.ENGINEER, NAME, NAME, broker.address, BOARD))


def outcome(scene: Scene, client: Stranger, *payloads: bytes) -> str:
    """Post payloads in red's inbox, and say what red's handset did with them."""
    mark, repeats, number = len(scene.inbox.values), scene.red.figures().repeats, next(scene.numbers)
    scene.red._faults.forget(Seat.RED)
    for payload in payloads:
        client.publish(RED_IN, payload)
    scene.hall.referee.send(Letter(Seat.RED, Hidden(Accepted(id=f"end-{number}", re="nothing"))), 9)
    scene.inbox.wait(ToSeat, lambda value: value.message.id == f"end-{number}")  # everything before it has come
    seen = scene.inbox.values[mark:]
    del scene.inbox.values[mark:]  # red's own affairs have no faults, and are looked at for them
    taken = [value for value in seen if isinstance(value, ToSeat)][:-1]
    if taken:
        return f"TAKEN: {len(taken)}"
    if whats := sorted({value.what for value in seen if isinstance(value, PeerFault)}):
        return f"dropped: {', '.join(f'`{what}`' for what in whats)}"
    return "dropped as a repeat" if scene.red.figures().repeats > repeats else "NOT DELIVERED"


def verdict(scene: Scene, keys: KeyPair) -> bytes:
    """Return a verdict for red, sealed as the referee would, with another key."""
    assert scene.red._credential.own is not None
    session = scene.hall.referee._seals[Seat.RED]._handset
    assert session is not None
    seal = RefereeSeal(keys, scene.red._credential.own.public, Seat.RED, scene.hall.referee._session)
    seal._handset, seal._sessions[session] = session, _Session(Window(), counter=1000)
    body = Verdict(id="forged", question=1, ply=9, result="attacker-wins", own=Rank.SPY, other=Rank.MARSHAL)
    payload = seal.seal(Letter(Seat.RED, Hidden(body)), "game-1", 9)
    assert payload is not None
    return payload


LATER: tuple[tuple[str, Callable[[Scene], None]], ...] = (
    ("a letter of the game before, in the next game", another_game),
    ("a letter of before a restart of the referee, after it, in the same game", another_start),
)


def test_letters_to_handsets(scene: Scene) -> None:
    """Repeats, letters for others, forgeries and old ones are dropped; what the referee writes now is taken meanwhile."""
    client = postman(scene)
    scene.settle_an_attack()
    forger = Forger(scene)
    forger.hello()
    scene.hall.inbox.wait(FromSeat, lambda value: value.seat is Seat.BLUE)
    forger.client.subscribe(BLUE_IN)
    to_blue = letters_to(scene, forger.client)
    to_red = [payload for topic, payload in scene.tap if topic == RED_IN]
    from_red = [payload for topic, payload in scene.tap if topic == RED_OUT]
    assert scene.blue.own is not None
    rows: list[Row] = [
        ("the referee's own letter to red once more", outcome(scene, client, to_red[-1])),
        ("all letters to red so far, ten times", outcome(scene, client, *to_red * 10)),
        ("a letter of the referee to blue", outcome(scene, client, to_blue)),
        ("what red wrote to the referee, sent back", outcome(scene, client, *from_red)),
        (
            "a verdict in the referee's name, sealed with blue's key",
            outcome(scene, client, verdict(scene, scene.blue.own)),
        ),
        (
            "a verdict in the referee's name, sealed with a new key",
            outcome(scene, client, verdict(scene, KeyPair.create())),
        ),
        ("a letter to red with one byte changed", outcome(scene, client, changed(to_red[-1]))),
        ("an empty payload", outcome(scene, client, b"")),
        ("nonsense of either size", outcome(scene, client, b"x" * SMALL_PAYLOAD, b"x" * LARGE_PAYLOAD)),
        ("nonsense of 80,000 bytes", outcome(scene, client, b"x" * 80_000)),
    ]
    for what, begin in LATER:
        mark = len(scene.hall.inbox.values)
        begin(scene)
        if begin is another_game:
            scene.hall.inbox.wait(FromSeat, lambda value: isinstance(value.message, Hello), after=mark)
        outcome(
            scene, client
        )  # what was on its way and belongs to the past is dropped as well, and is nobody's forgery
        rows.append((what, outcome(scene, client, to_red[-1])))
    rows.append(("and red, after all of this", scene.settle_an_attack()))
    hold("Letters to a handset", rows)


def changed(payload: bytes) -> bytes:
    """Return a payload with a different last byte."""
    return payload[:-1] + bytes([payload[-1] ^ 1])
