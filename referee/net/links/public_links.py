"""The links of those who may only read what everybody may: a kiosk's, and a spectator's with the delay service that feeds it.

Spectators see a board as it was some minutes ago (`DelayLine`, pure); only the delay service and they touch `spec/#`.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from referee.net.credential import Credential
from referee.net.errors import PayloadError
from referee.net.links.connection import PATIENCE_S, Link, Outgoing, outgoing
from referee.net.topics import codec, topics
from referee.net.topics.payloads import FromBoard, KioskIncoming, KioskNote, KioskWish, OfTable, StationIncoming, Status
from referee.net.topics.topics import Role, Topic
from referee.table.views import PublicView


class KioskLink(Link[OfTable | Status | KioskNote]):
    """A kiosk's link: what is public, and the notes for its screen."""

    def __init__(self, credential: Credential, *, on_value: Callable[[KioskIncoming], None]) -> None:
        super().__init__(credential, topics.read_by(Role.KIOSK, credential.board), on_value)

    def wish(self, wish: KioskWish) -> None:
        """Send the referee what was tapped."""
        self._connection.publish(outgoing(Topic.KIOSK_OUT, self._credential.board, codec.encode_public(wish)))

    def _read(self, text: str, payload: bytes) -> OfTable | Status | KioskNote | None:
        parsed = topics.parse(text, self._credential.board)
        if parsed is None or parsed[0] not in codec.PUBLIC:
            return None
        value = codec.decode_public(parsed[0], payload)
        return value if isinstance(value, OfTable | Status | KioskNote) else None


# Public values wait until they are old enough. Pure: times in, values out.


DELAY_S = 15 * 60
"""The delay unless told otherwise: long enough that what a spectator whispers to a player is of no use (design section 8)."""
MOST_WAITING = 2000
"""Of one board: some hundred moves with their states and events come in the quarter of an hour that they wait."""


@dataclass(frozen=True, slots=True)
class Delayed:
    """A message of a board that may be shown now, as it came."""

    board: str
    topic: Topic
    payload: bytes


class DelayLine:
    """Holds what boards say for `delay_s` seconds. Nothing leaves it earlier; order within a board stays.

    A board of which more than `most` wait loses the oldest of them, counted in `dropped`: a gap, which the next state heals.
    """

    def __init__(self, delay_s: float = DELAY_S, most: int = MOST_WAITING) -> None:
        self.delay_s = delay_s
        self.dropped = 0
        self._most = most
        self._waiting: dict[str, deque[tuple[float, Delayed]]] = {}
        self._last: dict[str, PublicView] = {}

    @property
    def waiting(self) -> int:
        """Count what waits, of all boards."""
        return sum(map(len, self._waiting.values()))

    def take(self, message: Delayed, value: OfTable, now_s: float) -> None:
        """Take a message, whose meaning is `value`. A state that differs in running clocks alone is not kept: screens count on."""
        if isinstance(value, PublicView):
            pause = value.pause and replace(value.pause, left_ms=None)
            plain = replace(value, clocks={}, hall_clock=None, pause=pause, graces=dict.fromkeys(value.graces, 0))
            if self._last.get(message.board) == plain:
                return
            self._last[message.board] = plain
        line = self._waiting.setdefault(message.board, deque())
        line.append((now_s, message))
        if len(line) > self._most:
            line.popleft()
            self.dropped += 1

    def due(self, now_s: float) -> Iterator[Delayed]:
        """Yield, once, what has waited long enough: board by board, in the order in which it came."""
        for line in self._waiting.values():
            while line and now_s - line[0][0] >= self.delay_s:
                yield line.popleft()[1]


_LOOK_S = 1.0


class DelayLink(Link[None]):
    """Copies what boards tell everybody at the table to the spectators' topics, later. Safe to call from any thread.

    What waits lives in memory: after its own restart it begins again with what is retained then, and waits the whole time again, so that
    a fault makes the copy later and never earlier.
    """

    def __init__(self, credential: Credential, line: DelayLine, *, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(credential, topics.hall_reads(Role.DELAY), lambda value: None)
        self._line, self._clock = line, clock
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._release_often, name="delay", daemon=True)

    def start(self, patience_s: float = PATIENCE_S) -> None:
        """Connect, and release what is due once a second from then on; raises a `BrokerError`."""
        super().start(patience_s)
        self._thread.start()

    def stop(self) -> None:
        """Disconnect. What still waits is never shown."""
        self._ended.set()
        if self._thread.is_alive():
            self._thread.join(timeout=10)
        super().stop()

    def release(self) -> None:
        """Publish what is due now."""
        with self._lock:
            due = list(self._line.due(self._clock()))
        for one in due:
            self._connection.publish(Outgoing(topics.delayed(one.board, one.topic), one.payload, 1, True))

    @property
    def waiting(self) -> int:
        """Count the messages that wait."""
        with self._lock:
            return self._line.waiting

    @property
    def dropped(self) -> int:
        """Count the messages that were dropped because too many of their board waited."""
        with self._lock:
            return self._line.dropped

    def _release_often(self) -> None:
        while not self._ended.wait(_LOOK_S):
            self.release()

    def _read(self, text: str, payload: bytes) -> None:
        parsed = topics.parse_of_hall(text)
        if parsed is None or parsed[1] not in topics.DELAYED:
            return
        board, topic, _ = parsed
        value = _decoded(board, topic, payload)
        with self._lock:
            self._line.take(Delayed(board, topic, payload), value, self._clock())


class SpectatorLink(Link[FromBoard]):
    """Reads the delayed copy of every board, and nothing else. Hands `FromBoard` over on paho's own thread."""

    def __init__(self, credential: Credential, *, on_value: Callable[[StationIncoming], None]) -> None:
        super().__init__(credential, topics.hall_reads(Role.SPECTATOR), on_value)

    def _read(self, text: str, payload: bytes) -> FromBoard | None:
        parsed = topics.parse_delayed(text)
        return None if parsed is None else FromBoard(parsed[0], _decoded(*parsed, payload))


def _decoded(board: str, topic: Topic, payload: bytes) -> OfTable:
    """Return what a board said; raises a `PeerError`."""
    value = codec.decode_of_board(board, topic, payload)
    if not isinstance(value, OfTable):
        raise PayloadError("not what a board tells everybody")
    return value
