"""Letters that were recorded, sent elsewhere, or badly made by somebody who has a right key."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from referee.net.credential import KeyPair
from referee.net.links.referee_link import RefereeLink
from referee.net.sealing.sealing import LARGE_PAYLOAD, HandsetSeal
from referee.net.topics.payloads import FromSeat, LinkUp, PeerFault, SeatPresence
from referee.net.topics.topics import Role
from referee.rules.hidden import Hidden
from referee.rules.values import Rank, Seat
from referee.table.messages import Accepted, Declare, Hello, Letter
from tests.net.hall import Inbox, Stranger, info, view
from tests.patience import PATIENCE_S
from tests.security.report import Row, hold
from tests.security.scene import BLUE_IN, BLUE_OUT, BLUE_PRESENCE, RED_OUT, Scene

pytestmark = pytest.mark.process


class Forger:
    """Blue's credential and keys in the hands of somebody who seals whatever he likes."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        scene.pair_blue()
        self.client = scene.hostile()
        self.client.subscribe(BLUE_IN)
        self.seal = self.start(b"forger01")
        self.here = False

    def start(self, session: bytes, keys: KeyPair | None = None, seat: Seat = Seat.BLUE) -> HandsetSeal:
        """Return a handset's seal before any greeting."""
        blue = self.scene.blue
        assert blue.own is not None
        assert blue.peer is not None
        seal = HandsetSeal(keys or blue.own, self.scene.hall.keys.public, seat, session)
        seal.follow(self.scene.hall.referee._session)
        seal.draw(self.scene.hall.referee._drawn.public.text)
        return seal

    def hello(self) -> bytes:
        """Send hello and return its payload."""
        payload = self.seal.seal(Hello(id="h"), "game-1", 0)
        assert payload is not None
        self.client.publish(BLUE_OUT, payload)
        return payload

    def said(self, name: str, game: str = "game-1", seal: HandsetSeal | None = None) -> bytes:
        """Return a sealed declaration."""
        payload = (seal or self.seal).seal(Declare(id=name, question=1, rank=Rank.SPY), game, 0)
        assert payload is not None
        return payload

    def raw(self, body: bytes, size: int = 256) -> bytes:
        """Return any bytes in a valid envelope."""
        self.seal._counter += 1
        route = (self.seal._session, self.scene.hall.referee._session, "game-1")
        kind = type("Kind", (), {"value": size})
        return self.seal._envelope.close(kind, body, 0, (self.seal._counter, 0), route, self.seal._fresh)  # type: ignore[arg-type]  # its size is all that counts

    def outcome(self, *payloads: bytes) -> str:
        """Send payloads, and say what the referee did with them."""
        hall = self.scene.hall
        mark, repeats = len(hall.inbox.values), hall.referee.figures().repeats
        hall.referee._faults.forget(Seat.BLUE)
        for payload in payloads:
            self.client.publish(BLUE_OUT, payload)
        self.here = not self.here
        self.client.publish(BLUE_PRESENCE, b'{"here":true}' if self.here else b'{"here":false}')
        end = SeatPresence(Seat.BLUE, self.here)  # when it has come, everything before it has
        hall.inbox.wait(SeatPresence, lambda value: value == end, after=mark)
        seen = [value for value in hall.inbox.values[mark:] if getattr(value, "seat", None) is Seat.BLUE]
        taken = [value for value in seen if isinstance(value, FromSeat)]
        if taken:
            return f"TAKEN: {len(taken)}"
        if hall.referee.figures().repeats > repeats:
            return "dropped as a repeat"
        whats = {value.what for value in seen if isinstance(value, PeerFault)}
        named = ", ".join(f"`{what}`" for what in sorted(whats))
        return f"dropped: {named}" if whats else "answered as before, not taken again"


MALFORMED: tuple[tuple[str, bytes], ...] = (
    ("no JSON", b"nonsense"),
    ("an empty body", b""),
    ("an unknown word", b'["abdicate","x"]'),
    ("a referee's word", b'["verdict","x",1,9,"attacker-wins","spy",null]'),
    ("a field too few", b'["declare","x",1]'),
    ("a field too many", b'["declare","x",1,"spy","spy"]'),
    ("a rank that does not exist", b'["declare","x",1,"emperor"]'),
    ("a number where a rank belongs", b'["declare","x",1,7]'),
    ("a number of 180 digits", b'["declare","x",' + b"9" * 180 + b',"spy"]'),
    ("a number below zero", b'["declare","x",-1,"spy"]'),
    ("an id of 49 signs", b'["ready","' + b"x" * 49 + b'"]'),
    ("an id with a line end", b'["ready","a\\nb"]'),
    ("brackets two hundred deep", b"[" * 200),
    ("an object", b'{"type":"ready","id":"x"}'),
    ("bytes that are no UTF-8", b'["ready","\xff\xfe"]'),
)


PRESENCES: tuple[tuple[str, bytes], ...] = (
    ("no JSON", b"here"),
    ("brackets nine hundred deep", b"[" * 900),
    ("a number", b'{"here":1}'),
    ("a field too many", b'{"here":true,"rank":"spy"}'),
    ("2,000 bytes", b'{"here":true}' + b" " * 2000),
)


def test_letters(scene: Scene) -> None:
    """Everything that is not a new, whole, right letter of this seat, game and session is dropped, and red goes on."""
    forger = Forger(scene)
    hello = forger.hello()
    scene.hall.inbox.wait(FromSeat, lambda value: value.seat is Seat.BLUE)
    once = forger.said("once")
    forger.client.publish(BLUE_OUT, once)
    scene.hall.inbox.wait(FromSeat, lambda value: value.message.id == "once")
    reds = [payload for topic, payload in scene.tap if topic == RED_OUT]
    to_blue = letters_to(scene, forger.client)
    rows: list[Row] = [
        ("its own letter once more", forger.outcome(once)),
        ("its own hello once more", forger.outcome(hello)),
        ("its own letter fifty times", forger.outcome(*[once] * 50)),
        ("the same message anew, under the same id", forger.outcome(forger.said("once"))),
        ("a letter of the referee, sent back", forger.outcome(to_blue)),
        ("red's letters, overheard on the air, as its own", forger.outcome(*reds)),
        (
            "a letter that says it is red's",
            forger.outcome(forger.said("x", seal=forger.start(b"forger02", seat=Seat.RED))),
        ),
        (
            "a letter sealed with another key",
            forger.outcome(forger.said("x", seal=forger.start(b"forger03", KeyPair.create()))),
        ),
        ("a letter for another game", forger.outcome(forger.said("x", "game-0"))),
        (
            "a letter of a session that never said hello",
            forger.outcome(forger.said("x", seal=forger.start(b"forger04"))),
        ),
        ("a letter with one byte changed", forger.outcome(once[:-1] + bytes([once[-1] ^ 1]))),
        ("a letter cut short", forger.outcome(once[:-1])),
        ("an empty payload", forger.outcome(b"")),
        ("4,136 bytes of nonsense", forger.outcome(b"y" * LARGE_PAYLOAD)),
    ]
    rows += [(f"sealed rightly: {what}", forger.outcome(forger.raw(body))) for what, body in MALFORMED]
    rows.append(("sealed rightly: a set-up of 350 squares", forger.outcome(forger.raw(large_set_up(), 4096))))
    rows += [(f"its presence: {what}", presence(forger, payload)) for what, payload in PRESENCES]
    rows += [(f"{what}", replayed(scene, forger, once, begin)) for what, begin in LATER]
    rows.append(("its own letter, retained, when the referee starts anew", retained(scene, forger, once)))
    rows.append(("and red, after all of this", scene.settle_an_attack()))
    hold("Letters", rows)


def letters_to(scene: Scene, client: Stranger) -> bytes:
    """Return a message that the referee wrote to blue."""
    scene.hall.referee.send(Letter(Seat.BLUE, Hidden(Accepted(id="a", re="once"))), 9)
    client.wait_for(BLUE_IN, b"")
    return client.got[-1][1]


def large_set_up() -> bytes:
    """Return a set-up with more squares than any board has."""
    return json.dumps(
        ["enrol", "x", dict.fromkeys((f"z{number}" for number in range(350)), "x")], separators=(",", ":")
    ).encode()


def another_game(scene: Scene) -> None:
    """Begin another game at the same table."""
    scene.hall.referee.publish_info(info("game-2"))


def another_start(scene: Scene) -> None:
    """Start the referee anew, with the same keys and the same game, as after a power cut."""
    hall = scene.hall
    hall.referee.stop()
    hall.inbox = Inbox()
    hall.referee = RefereeLink(hall.broker.credential(Role.REFEREE, hall.keys), on_value=hall.inbox, boot=2)
    blue, red = scene.blue.own, scene.red._credential.own
    assert blue is not None
    assert red is not None
    hall.referee.pair(Seat.BLUE, blue.public)  # before it listens: what the broker has kept comes at once
    hall.referee.pair(Seat.RED, red.public)
    hall.referee.publish_info(info())  # without a game letters are not even looked at
    hall.referee.start()
    hall.inbox.wait(LinkUp)
    mark = len(scene.inbox.values)
    hall.referee.publish_state(view(1))
    hall.inbox.wait(FromSeat, lambda value: isinstance(value.message, Hello))
    assert mark <= len(scene.inbox.values)


LATER: tuple[tuple[str, Callable[[Scene], None]], ...] = (
    ("a letter of the game before, in the next game", another_game),
    ("a letter of before a restart, after it, in the same game", another_start),
)


def presence(forger: Forger, payload: bytes) -> str:
    """Send something as blue's presence, and say what the referee did with it."""
    hall = forger.scene.hall
    mark = len(hall.inbox.values)
    hall.referee._faults.forget(Seat.BLUE)
    forger.client.publish(BLUE_PRESENCE, payload)
    forger.client.publish(BLUE_OUT, b"")  # what it is about has been looked at once this is
    hall.inbox.wait(PeerFault, lambda fault: fault.seat is Seat.BLUE and fault.what == "SealError", after=mark)
    seen = [value for value in hall.inbox.values[mark:] if getattr(value, "seat", None) is Seat.BLUE][:-1]
    return ", ".join(f"dropped: `{value.what}`" if isinstance(value, PeerFault) else "TAKEN" for value in seen)


def retained(scene: Scene, forger: Forger, payload: bytes) -> str:
    """Let the broker keep a letter for the referee's next start."""
    forger.client.publish(BLUE_OUT, payload, retain=True)
    another_start(scene)
    fault = scene.hall.inbox.wait(PeerFault, lambda fault: fault.seat is Seat.BLUE)
    forger.client.publish(BLUE_OUT, b"", retain=True)
    return f"delivered, and dropped: `{fault.what}`"


def replayed(scene: Scene, forger: Forger, payload: bytes, begin: Callable[[Scene], None]) -> str:
    """Return in words what happens to an old message once something new has begun."""
    begin(scene)
    assert forger.client.joined.wait(PATIENCE_S)
    return forger.outcome(payload)
