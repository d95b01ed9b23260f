"""The referee's own link, and the alerts that it publishes: what of a table needs an arbiter, read off its public view."""

from __future__ import annotations

import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from referee.net.credential import Credential, KeyPair, PublicKey
from referee.net.errors import FloodError, NoGameError, PeerError, ResendError
from referee.net.links.connection import (
    MOST_UNDER_WAY,
    PATIENCE_S,
    Link,
    LinkFigures,
    Rate,
    Resends,
    outgoing,
    own_keys,
)
from referee.net.sealing.sealing import LARGE_PAYLOAD, SESSION_BYTES, SMALL_PAYLOAD, RefereeSeal, answered
from referee.net.topics import codec, payloads, topics
from referee.net.topics.payloads import Alert, AlertKind, FromSeat, KioskWish, SeatPresence, SignedOrder
from referee.net.topics.topics import Topic
from referee.rules import Hidden
from referee.rules.values import Seat
from referee.table.messages import Accepted, Hello, Letter, Missed
from referee.table.views import Ask, Phase, PublicEvent, PublicInfo, PublicView

ANSWERS_KEPT = 64
"""How many of a seat's message ids are remembered with their answers."""


class RefereeLink(Link[FromSeat | SeatPresence | KioskWish | SignedOrder]):
    """The referee's link: publishes views and events, seals letters, opens what the handsets send."""

    def __init__(
        self,
        credential: Credential,
        *,
        on_value: Callable[[payloads.RefereeIncoming], None],
        boot: int = 1,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._own = own_keys(credential)
        self._session = secrets.token_bytes(SESSION_BYTES)
        self._drawn = KeyPair.create()
        """The keys of this game's letters: on no disk, so that who steals a disk later opens none of them."""
        self._status = payloads.Status(True, boot, self.session)
        self._lock = threading.Lock()
        self._game: str | None = None
        self._seals: dict[Seat, RefereeSeal] = {}
        self._answers: dict[Seat, OrderedDict[str, tuple[Letter, int] | None]] = {}
        self._clock = clock
        self._rates: dict[Seat | None, Rate] = {}
        """What comes from each seat, and from the kiosk, counted before it is looked at: a flood costs next to nothing."""
        self._resends: dict[Seat, Resends] = {}
        self._unheard = 0
        self._view: PublicView | None = None
        self._alerts: payloads.Alerts | None = None
        self._called = False
        self._thrown_off: tuple[Seat, ...] = ()
        board = credential.board
        will = outgoing(Topic.STATUS, board, codec.encode_public(self._gone()))
        super().__init__(credential, topics.read_by(topics.Role.REFEREE, board), on_value, will=will)

    @property
    def session(self) -> str:
        """Return the session of this start, as `pub/status` says it."""
        return self._session.hex()

    def start(self, patience_s: float = PATIENCE_S) -> None:
        """Connect and say in `pub/status` that the referee is there; raises a `BrokerError`."""
        self._tell()
        super().start(patience_s)

    def stop(self) -> None:
        """Publish in `pub/status` that the referee has gone, and disconnect."""
        self._connection.stop(outgoing(Topic.STATUS, self._credential.board, codec.encode_public(self._gone())))

    def take_orders(self, take: Callable[[SignedOrder], None]) -> None:
        """Hand over arbiters' orders to `take` from now on, on paho's own thread as everything else."""
        on_value = self._on_value
        self._on_value = lambda value: take(value) if isinstance(value, SignedOrder) else on_value(value)

    def pair(self, seat: Seat, key: PublicKey) -> None:
        """Take the key of a seat's handset; letters go to it from now on, and nothing of an earlier key is taken."""
        with self._lock:
            self._seals[seat] = RefereeSeal(self._own, key, seat, self._session)
            self._seals[seat].draw(self._drawn)
            self._answers[seat] = OrderedDict()
            self._faults.forget(seat)
            self._rates.pop(seat, None)
            self._resends.pop(seat, None)

    def probe(self) -> tuple[int, int]:
        """Ask the broker for a sign of life; return how many came so far, and how often it has let the referee in."""
        return self._connection.probe()

    def publish_info(self, info: PublicInfo) -> None:
        """Publish what stays the same for a game; letters belong to that game from now on."""
        with self._lock:
            if self._game != info.game:
                self._game, self._drawn = info.game, KeyPair.create()
                for seal in self._seals.values():
                    seal.draw(self._drawn)
                self._answers = {seat: OrderedDict() for seat in self._seals}
        self._publish(Topic.INFO, replace(info, fresh=f"{self.session}:{self._drawn.public.text}"))

    def publish_state(self, view: PublicView) -> None:
        """Publish the whole public view, and what of it needs an arbiter where that has changed."""
        self._view = view
        self._publish(Topic.STATE, view)
        self._alert()

    def tell_occasion(
        self, occasion: payloads.Occasion | None, game: str, played: payloads.Played | None = None
    ) -> None:
        """Publish in `pub/status` what a game counts for (an empty one: the next), and what came of it if another one is on."""
        self._tell(occasion=occasion, game=game, played=played)

    def tell_free(self, seats: tuple[Seat, ...] | None, locked: bool = False) -> None:
        """Publish in `pub/status` which seats nobody has taken (None: not yet known), and whether only an arbiter chooses who plays."""
        self._tell(free=seats, locked=locked)

    def tell_again(self, seats: tuple[Seat, ...]) -> None:
        """Publish in `pub/status` which seats want another game."""
        self._tell(again=seats)

    def call_arbiter(self, called: bool) -> None:
        """Publish to the hall that the arbiter is wanted at the table as such, by no seat in particular; or no more."""
        self._called = called
        self._alert()

    def tell_thrown_off(self, seats: tuple[Seat, ...]) -> None:
        """Publish to the hall which seats' handsets were thrown off because they sent, or asked for, too much."""
        self._thrown_off = seats
        self._alert()

    def acknowledge(self, ack: payloads.ArbiterAck) -> None:
        """Publish to the station what became of an order."""
        self._publish(Topic.ARBITER_ACK, ack)

    def publish_event(self, event: PublicEvent) -> None:
        """Publish one event."""
        self._publish(Topic.EVENT, event)

    def tell_kiosk(self, note: payloads.KioskNote) -> None:
        """Send the kiosk something to show; that the arbiter was called there, the hall hears as well."""
        self._publish(Topic.KIOSK_IN, note)
        if note.kind == "arbiter":
            self.call_arbiter(note.text == "called")

    def send(self, letter: Letter, ply: int) -> None:
        """Seal a letter and send it. One for a handset that has not said hello is dropped and counted: its hello asks for everything.

        Raises `NoGameError` before any game was published.
        """
        with self._lock:
            if self._game is None:
                raise NoGameError("a letter belongs to a game, and none was published yet")
            about = answered(letter)
            if about is not None and about in self._answers.get(letter.seat, ()):
                self._answers[letter.seat][about] = (letter, ply)
            self._seal_and_send(letter, ply)

    def figures(self) -> LinkFigures:
        """Return how this link fares."""
        return replace(super().figures(), unheard=self._unheard)

    def kept(self) -> Mapping[str, int]:
        """Count what is kept of the seat that has most of it: answers for repeats, letters not confirmed, sessions of its handset."""
        with self._lock:
            seals = self._seals.values()
            return {
                "answers": max(map(len, self._answers.values()), default=0),
                "unconfirmed": max((len(seal.unacknowledged()) for seal in seals), default=0),
                "sessions": max((seal.sessions for seal in seals), default=0),
            }

    def _seal_and_send(self, letter: Letter, ply: int) -> None:
        assert self._game is not None
        seal = self._seals.get(letter.seat)
        payload = seal.seal(letter, self._game, ply) if seal else None
        if payload is None:
            self._unheard += 1
        else:
            self._connection.publish(outgoing(Topic.SEAT_IN, self._credential.board, payload, letter.seat))

    def _read(self, text: str, payload: bytes) -> FromSeat | SeatPresence | KioskWish | SignedOrder | None:
        parsed = topics.parse(text, self._credential.board)
        if parsed is None:
            return None
        topic, seat = parsed
        if not self._rates.setdefault(seat, Rate()).take(self._clock()):
            raise FloodError("too many messages in too short a time")
        if topic is Topic.SEAT_OUT and seat:
            return self._open(seat, payload)
        if topic not in codec.PUBLIC:
            return None
        value = codec.decode_public(topic, payload)
        if isinstance(value, payloads.Presence) and seat is not None:
            return SeatPresence(seat, value.here, value.compared, value.name, value.against)
        return value if isinstance(value, KioskWish | SignedOrder) else None

    def _fault(self, text: str, error: PeerError) -> payloads.PeerFault | None:
        _, seat = topics.parse(text, self._credential.board) or (None, None)
        return self._faults.note(seat, error)

    def _open(self, seat: Seat, payload: bytes) -> FromSeat | None:
        """Open what a handset sent; None for a repeat, which gets the answer that it got before."""
        with self._lock:
            seal = self._seals.get(seat)
            if seal is None or self._game is None:
                return None
            opened = seal.open(payload, self._game)
            message, ply = opened.message, opened.ply
            if isinstance(message, Hello):
                lost = seal.unacknowledged()
                self._charge(seat, len(lost), sum(map(len, lost)) + LARGE_PAYLOAD)  # with the state that answers it
                for letter in lost:
                    self._connection.publish(outgoing(Topic.SEAT_IN, self._credential.board, letter, seat))
                if (
                    opened.drew
                ):  # so that the handset knows whose the key is that it was told, and says what it has to say
                    proof = Accepted(id=f"fresh-{secrets.token_hex(4)}", re=message.id)
                    self._seal_and_send(Letter(seat, Hidden(proof)), ply)
            elif isinstance(message, Missed):
                self._charge(seat, 1, LARGE_PAYLOAD)  # as often as it asks: a repeat is answered from the journal again
            elif message.id in self._answers[seat]:
                if answer := self._answers[seat][message.id]:
                    self._charge(seat, 1, SMALL_PAYLOAD)
                    self._seal_and_send(*answer)
                return None
            else:
                self._answers[seat][message.id] = None
                if len(self._answers[seat]) > ANSWERS_KEPT:
                    self._answers[seat].popitem(last=False)
        return FromSeat(seat, message, ply)  # type: ignore[arg-type]  # the seal opens messages of handsets only

    def _charge(self, seat: Seat, letters: int, size: int) -> None:
        """Take what a seat wants sent again off what it may have; raises `ResendError`, and then nothing is sent."""
        under_way = self._connection.under_way(topics.address(Topic.SEAT_IN, self._credential.board, seat))
        budget = self._resends.setdefault(seat, Resends())
        if under_way + letters > MOST_UNDER_WAY or not budget.take(self._clock(), size):
            raise ResendError("it wants more sent again than a handset may")

    def _alert(self) -> None:
        if self._view is None:
            return
        also = [Alert(AlertKind.THROWN_OFF, seat) for seat in self._thrown_off]
        if self._called:
            also.append(Alert(AlertKind.CALLED))
        alerts = alerts_of(self._view, also)
        if self._alerts is None or (alerts.game, alerts.alerts) != (self._alerts.game, self._alerts.alerts):
            self._alerts = alerts
            self._publish(Topic.ARBITER_ALERTS, alerts)

    def _tell(self, **changes: Any) -> None:
        """Publish the status with these fields changed."""
        self._status = replace(self._status, **changes)
        self._publish(Topic.STATUS, self._status)

    def _gone(self) -> payloads.Status:
        return replace(self._status, up=False)

    def _publish(self, topic: Topic, value: codec.PublicValue) -> None:
        self._connection.publish(outgoing(topic, self._credential.board, codec.encode_public(value)))


# Alerts. Pure: a public view in, what needs an arbiter out.


LITTLE_MS = 60_000
"""A clock that runs and has less left than this wants to be watched."""
_ORDER = {kind: place for place, kind in enumerate(AlertKind)}
_ASKS = {
    Ask.ILLEGAL_MOVE: AlertKind.ILLEGAL_MOVE,
    Ask.DISTURBED: AlertKind.DISTURBED,
    Ask.NOT_UNDERSTOOD: AlertKind.DISTURBED,
    Ask.TAKEN_BACK: AlertKind.DISTURBED,
    Ask.CONFIRM_CLAIM: AlertKind.CLAIM,
}


def alerts_of(view: PublicView, also: Iterable[Alert] = ()) -> payloads.Alerts:
    """Return what needs an arbiter at a table that looks like this, most urgent first; `also` is what no view shows."""
    if view.phase is Phase.FINISHED:
        return payloads.Alerts(view.game, view.seq, tuple(alert for alert in also if alert.kind is AlertKind.CALLED))
    found = sorted((*_found(view), *also), key=lambda alert: _ORDER[alert.kind])
    return payloads.Alerts(view.game, view.seq, tuple(found))


def _found(view: PublicView) -> Iterator[Alert]:
    for seat in view.called:
        yield Alert(AlertKind.CALLED, seat)
    if view.ask in _ASKS:
        yield Alert(_ASKS[view.ask], view.turn, " ".join(fix.square for fix in view.fixes[:8]))
    if not view.board_connected:
        yield Alert(AlertKind.BOARD_LOST, None, view.board_fault or "")
    if warnings := [health.value for health in view.health if health.value != view.board_fault]:
        yield Alert(AlertKind.BOARD_HEALTH, None, " ".join(warnings))
    if view.phase is Phase.PAUSED and not view.called:
        open_attack = view.attack is not None and view.attack.result is None
        silent = view.waiting_for if open_attack else ()
        yield Alert(AlertKind.NO_ANSWER if silent else AlertKind.PAUSED, silent[0] if len(silent) == 1 else None)
    for seat, here in view.connected.items():
        if not here:
            yield Alert(AlertKind.LINK_LOST, seat)
    if view.barred is not None:
        yield Alert(AlertKind.REPETITION, view.turn, view.barred)
    elif view.bars:
        yield Alert(AlertKind.REPETITION, view.turn, "warning")
    for seat, face in view.clocks.items():
        if face.left_ms == 0:
            yield Alert(AlertKind.TIME_OVER, seat)
        elif face.runs and face.left_ms < LITTLE_MS:
            yield Alert(AlertKind.TIME, seat)
    if view.hall_clock is not None and view.hall_clock.left_ms == 0 and view.phase is Phase.PAUSED:
        yield Alert(AlertKind.TIME_OVER, None, "round")
