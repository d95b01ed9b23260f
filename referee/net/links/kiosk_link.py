"""A kiosk's link."""

from __future__ import annotations

from collections.abc import Callable

from referee.net.credential import Credential
from referee.net.errors import PeerError
from referee.net.links.connection import PATIENCE_S, Connection
from referee.net.links.link_common import Faults, LinkFigures, down, outgoing
from referee.net.topics import codec, topics
from referee.net.topics.incoming import KioskIncoming, LinkUp
from referee.net.topics.notes import KioskNote, KioskWish, Status
from referee.net.topics.topics import Role, Topic
from referee.table.views import PublicEvent, PublicInfo, PublicView


class KioskLink:
    """A kiosk's link: what is public, and the notes for its screen."""

    def __init__(self, credential: Credential, *, on_value: Callable[[KioskIncoming], None]) -> None:
        self._board = credential.board
        self._on_value = on_value
        self._faults = Faults()
        reads = [(text, 1) for text in topics.read_by(Role.KIOSK, self._board)]
        self._connection = Connection(
            credential,
            reads,
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

    def wish(self, wish: KioskWish) -> None:
        """Tell the referee what was tapped."""
        self._connection.publish(outgoing(Topic.KIOSK_OUT, self._board, codec.encode_public(wish)))

    def figures(self) -> LinkFigures:
        """Give how this link fares."""
        return LinkFigures(self._connection.figures(), self._faults.total)

    def _take(self, text: str, payload: bytes) -> None:
        parsed = topics.parse(text, self._board)
        if parsed is None or parsed[0] not in codec.PUBLIC:
            return
        try:
            value = codec.decode_public(parsed[0], payload)
        except PeerError as error:
            if fault := self._faults.note(None, error):
                self._on_value(fault)
            return
        if isinstance(value, Status | PublicInfo | PublicView | PublicEvent | KioskNote):
            self._on_value(value)
