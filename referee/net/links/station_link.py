"""A station's link: what every board of the hall has published, and orders to them."""

from __future__ import annotations

import time
from collections.abc import Callable

from referee.net.credential import Credential
from referee.net.errors import FloodError, PayloadError, PeerError
from referee.net.links.connection import PATIENCE_S, Connection, LinkFigures, Outgoing, Rate, down, outgoing
from referee.net.sealing.signing import StationKey
from referee.net.topics import codec, topics
from referee.net.topics.payloads import (
    Alerts,
    ArbiterAck,
    ArbiterOrder,
    Bridge,
    FromBoard,
    LinkUp,
    PeerFault,
    Presence,
    StationIncoming,
    Status,
)
from referee.net.topics.topics import Topic
from referee.table.views import PublicEvent, PublicInfo, PublicView


class _BoardRate(Rate):
    """A board plays faster than a hand taps: simulated ones many plies a second."""

    BURST = 4000
    PER_S = 1000.0


_TAKEN = Status | PublicInfo | PublicView | PublicEvent | Presence | ArbiterAck | Alerts | Bridge


class StationLink:
    """A station's link to the hall's broker. Hands `FromBoard` over on paho's own thread; safe to call from any thread."""

    def __init__(
        self,
        credential: Credential,
        key: StationKey,
        *,
        on_value: Callable[[StationIncoming], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._key = key
        self._on_value = on_value
        self._clock = clock
        self._faults: dict[str, int] = {}
        self._rates: dict[str, _BoardRate] = {}
        """What comes from each board: one that floods the hall costs the others nothing."""
        self._connection = Connection(
            credential,
            [(text, 1) for text in topics.hall_reads()],
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

    @property
    def up(self) -> bool:
        """Tell whether the broker is reached."""
        return self._connection.up

    def order(self, order: ArbiterOrder) -> bool:
        """Sign an order and send it to its board; False, and nothing is sent, while the broker is away: no order comes late."""
        if not self._connection.up:
            return False
        payload = codec.encode_public(self._key.sign(order))
        self._connection.publish(outgoing(Topic.ARBITER_COMMAND, order.board, payload))
        return True

    def publish(self, event: str, name: str, payload: bytes) -> None:
        """Publish something of a tournament, retained, to `events/{event}/pub/{name}`."""
        start = f"{topics.ROOT}/events/{topics.checked_name(event)}/pub"
        self._connection.publish(Outgoing(f"{start}/{topics.checked_name(name)}", payload, 1, True))

    def figures(self) -> LinkFigures:
        """Give how this link fares."""
        return LinkFigures(self._connection.figures(), sum(self._faults.values()))

    def _take(self, text: str, payload: bytes) -> None:
        parsed = topics.parse_of_hall(text)
        if parsed is None or parsed[1] not in codec.PUBLIC:
            return
        board, topic, seat = parsed
        try:
            if not self._rates.setdefault(board, _BoardRate()).take(self._clock()):
                raise FloodError("too many messages in too short a time")
            value = codec.decode_public(topic, payload)
            if isinstance(value, PublicInfo | PublicView) and value.board_id != board:
                raise PayloadError("a board speaks for another one")
        except PeerError as error:
            self._note(board, error)
            return
        if isinstance(value, _TAKEN):
            self._on_value(FromBoard(board, value, seat))

    def _note(self, board: str, error: PeerError) -> None:
        count = self._faults[board] = self._faults.get(board, 0) + 1
        if count & (count - 1) == 0:
            self._on_value(PeerFault(None, type(error).__name__, f"{board}: {error}", count))
