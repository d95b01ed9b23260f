"""What the three links have in common: figures, the count of faults, how a topic's row becomes a message."""

from __future__ import annotations

from dataclasses import dataclass

from referee.net.credential import Credential, KeyPair
from referee.net.errors import CredentialError, PeerError, ReplayError
from referee.net.links.connection import ConnectionFigures, Outgoing
from referee.net.topics import topics
from referee.net.topics.incoming import LinkDown, PeerFault
from referee.net.topics.topics import Topic
from referee.rules.values import Seat


@dataclass(frozen=True, slots=True)
class LinkFigures:
    """How a link fares."""

    connection: ConnectionFigures
    faults: int
    """What the other side sent and could not be used."""
    repeats: int = 0
    """Sealed messages that came a second time and were dropped: MQTT does that, and so does who says hello again."""
    unheard: int = 0
    """Letters for a handset that had not said hello."""


class Faults:
    """Counts faults for each seat and kind, and reports the 1st, 2nd, 4th ... so that a flood of them is no flood of reports.

    A repeat is no fault: it is counted apart and not reported.
    """

    def __init__(self) -> None:
        self.repeats = 0
        self._earlier = 0
        self._counts: dict[tuple[Seat | None, str], int] = {}

    @property
    def total(self) -> int:
        """Count all faults."""
        return self._earlier + sum(self._counts.values())

    def forget(self, seat: Seat) -> None:
        """Begin to count anew for a seat's next handset."""
        self._earlier += sum(count for (whose, _), count in self._counts.items() if whose is seat)
        self._counts = {key: count for key, count in self._counts.items() if key[0] is not seat}

    def note(self, seat: Seat | None, error: PeerError) -> PeerFault | None:
        """Count a fault; give it when it is to be reported."""
        if isinstance(error, ReplayError):
            self.repeats += 1
            return None
        what = type(error).__name__
        count = self._counts[seat, what] = self._counts.get((seat, what), 0) + 1
        return PeerFault(seat, what, str(error), count) if count & (count - 1) == 0 else None


class Rate:
    """Says whether one more is in time: `BURST` at once, then `PER_S` a second. Time is passed in."""

    BURST = 200
    PER_S = 20.0

    def __init__(self) -> None:
        self._left = float(self.BURST)
        self._at_s: float | None = None

    def take(self, now_s: float) -> bool:
        """Count one; False when it is too many."""
        if self._at_s is not None:
            self._left = min(self.BURST, self._left + (now_s - self._at_s) * self.PER_S)
        self._at_s = now_s
        if self._left < 1:
            return False
        self._left -= 1
        return True


def own_keys(credential: Credential) -> KeyPair:
    """Give the own key pair of a credential; raises `CredentialError` when it has none."""
    if credential.own is None:
        raise CredentialError("this credential lacks the own key pair")
    return credential.own


def down(reason: str) -> LinkDown:
    """Give the value for a lost connection."""
    return LinkDown(reason, refused=reason.startswith("refused"))


def outgoing(topic: Topic, board: str, payload: bytes, seat: Seat | None = None) -> Outgoing:
    """Give a message for a topic, published as the table of topics says."""
    row = topics.row(topic)
    return Outgoing(topics.address(topic, board, seat), payload, row.qos, row.retain)
