"""The small public values of the link itself, beside the views of arbitration: status, presence, and the kiosk's notes."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import Enum

from referee.net.topics.orders import Occasion
from referee.rules.values import Seat
from referee.table.views import GameEnd

_SESSION = re.compile(r"[0-9a-f]{16}")


@dataclass(frozen=True, slots=True)
class Played:
    """What came of a game that counted, once another has been begun: a station that was away notes it by this."""

    names: dict[Seat, str]
    end: GameEnd


@dataclass(frozen=True, slots=True)
class Status:
    """Whether the referee of a board is there (topic `pub/status`, also its last will)."""

    up: bool
    boot: int
    """Counts the starts of this referee; higher than before after a restart."""
    session: str
    """16 hex digits, new at every start; letters are sealed for it, so none of an earlier start is taken."""
    occasion: Occasion | None = None
    """What the game counts for, where a station has said so."""
    game: str = ""
    """The game that `occasion` is about; empty before it begins."""
    played: Played | None = None
    """Since another game has been begun, which counts for nothing: who played `game` and how it ended."""
    free: tuple[Seat, ...] | None = None
    """The seats that nobody has taken; None where the referee gives no seats away, as that of a demo."""
    again: tuple[Seat, ...] = ()
    """The seats that want another game, once one is over."""

    def __post_init__(self) -> None:
        if not _SESSION.fullmatch(self.session):
            raise ValueError("a session is 16 hex digits")


class Bridge(Enum):
    """Whether a table's own broker is joined to the hall's (topic `bridge`): Mosquitto's own words for it."""

    CUT = 0
    JOINED = 1


@dataclass(frozen=True, slots=True)
class Presence:
    """Whether a seat's handset is there (topic `seat/.../presence`, also its last will)."""

    here: bool
    compared: bool = False
    """Whether its player has confirmed the six digits of its pairing."""


@dataclass(frozen=True, slots=True)
class KioskNote:
    """Something for the kiosk to show that is not part of a view: a join link, six digits, a choice (docs/reference/messages.md)."""

    kind: str
    text: str
    seat: Seat | None = None


@dataclass(frozen=True, slots=True)
class KioskWish:
    """Something that was touched on the kiosk: start, an option, pause, abort, the arbiter's PIN (docs/reference/messages.md)."""

    kind: str
    value: str = field(default="", repr=False)
    """May be a PIN: no log shows it."""
