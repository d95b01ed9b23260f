"""The delay service's link and a spectator's: the only two that touch `spec/#`."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from referee.net.credential import Credential
from referee.net.errors import PayloadError, PeerError
from referee.net.links.connection import PATIENCE_S, Connection, Outgoing
from referee.net.links.delay import Delayed, DelayLine, Told
from referee.net.links.link_common import Faults, LinkFigures, down
from referee.net.topics import codec, topics
from referee.net.topics.incoming import FromBoard, LinkUp, StationIncoming
from referee.net.topics.topics import Role, Topic
from referee.table.views import PublicEvent, PublicInfo, PublicView

_TOLD = PublicInfo | PublicView | PublicEvent
_LOOK_S = 1.0


class DelayLink:
    """Copies what boards tell everybody at the table to the spectators' topics, later. Safe to call from any thread.

    What waits lives in memory: after its own restart it begins anew with what is retained then, and waits the whole time again, so that
    a fault makes the copy later and never earlier.
    """

    def __init__(self, credential: Credential, line: DelayLine, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._line, self._clock = line, clock
        self._lock = threading.Lock()
        self._faults = Faults()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._release_often, name="delay", daemon=True)
        reads = [(text, 1) for text in topics.hall_reads(Role.DELAY)]
        self._connection = Connection(credential, reads, on_message=self._take)

    def start(self, patience_s: float = PATIENCE_S) -> None:
        """Connect, and release what is due once a second from then on; raises a `BrokerError`."""
        self._connection.start(patience_s)
        self._thread.start()

    def stop(self) -> None:
        """Disconnect. What still waits is never shown."""
        self._ended.set()
        if self._thread.is_alive():
            self._thread.join(timeout=10)
        self._connection.stop()

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

    def figures(self) -> LinkFigures:
        """Give how this link fares."""
        return LinkFigures(self._connection.figures(), self._faults.total)

    def _release_often(self) -> None:
        while not self._ended.wait(_LOOK_S):
            self.release()

    def _take(self, text: str, payload: bytes) -> None:
        parsed = topics.parse_of_hall(text)
        if parsed is None or parsed[1] not in topics.DELAYED:
            return
        board, topic, _ = parsed
        try:
            value = _decoded(board, topic, payload)
        except PeerError as error:
            self._faults.note(None, error)
            return
        with self._lock:
            self._line.take(Delayed(board, topic, payload), value, self._clock())


class SpectatorLink:
    """Reads the delayed copy of every board, and nothing else. Hands `FromBoard` over on paho's own thread."""

    def __init__(self, credential: Credential, *, on_value: Callable[[StationIncoming], None]) -> None:
        self._on_value = on_value
        self._faults = Faults()
        self._connection = Connection(
            credential,
            [(text, 1) for text in topics.hall_reads(Role.SPECTATOR)],
            on_message=self._take,
            on_up=lambda: on_value(LinkUp()),
            on_down=lambda reason: on_value(down(reason)),
        )

    def start(self, patience_s: float = PATIENCE_S) -> None:
        """Connect; raises a `BrokerError`."""
        self._connection.start(patience_s)

    def stop(self) -> None:
        """Disconnect."""
        self._connection.stop()

    def figures(self) -> LinkFigures:
        """Give how this link fares."""
        return LinkFigures(self._connection.figures(), self._faults.total)

    def _take(self, text: str, payload: bytes) -> None:
        parsed = topics.parse_delayed(text)
        if parsed is None:
            return
        board, topic = parsed
        try:
            value = _decoded(board, topic, payload)
        except PeerError as error:
            if fault := self._faults.note(None, error):
                self._on_value(fault)
            return
        self._on_value(FromBoard(board, value, None))


def _decoded(board: str, topic: Topic, payload: bytes) -> Told:
    """Give what a board said; raises a `PeerError`."""
    value = codec.decode_public(topic, payload)
    if not isinstance(value, _TOLD):
        raise PayloadError("not what a board tells everybody")
    if isinstance(value, PublicInfo | PublicView) and value.board_id != board:
        raise PayloadError("a board speaks for another one")
    return value
