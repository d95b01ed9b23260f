"""What a link hands to its owner: values, never topics or bytes."""

from __future__ import annotations

from dataclasses import dataclass

from referee.net.topics.notes import Bridge, KioskNote, KioskWish, Presence, Status
from referee.net.topics.orders import Alerts, ArbiterAck, SignedOrder
from referee.rules.values import Seat
from referee.table.messages import FromHandset, ToHandset
from referee.table.views import PublicEvent, PublicInfo, PublicView


@dataclass(frozen=True, slots=True)
class LinkUp:
    """The connection to the broker is there, for the first time or again."""


@dataclass(frozen=True, slots=True)
class LinkDown:
    """The connection was lost. It is tried again, unless `refused`: then this credential is no longer welcome."""

    reason: str
    refused: bool = False


@dataclass(frozen=True, slots=True)
class PeerFault:
    """The other side sent what cannot be used (`what` is the class of the error). Reported the 1st, 2nd, 4th, 8th ... time.

    Never fatal: it was dropped and changed nothing. `OtherGameError` and `OtherSessionError` also come up honestly, when a game or a
    start ends while a message is on its way.
    """

    seat: Seat | None
    what: str
    text: str
    count: int


@dataclass(frozen=True, slots=True)
class FromSeat:
    """A message of a seat's handset, opened, and the ply that the handset knew of."""

    seat: Seat
    message: FromHandset
    ply: int


@dataclass(frozen=True, slots=True)
class SeatPresence:
    """A seat's handset came or went, or its player confirmed the digits of its pairing (`compared`)."""

    seat: Seat
    here: bool
    compared: bool = False


@dataclass(frozen=True, slots=True)
class ToSeat:
    """A letter to the own seat, opened, and the ply at which the referee wrote it."""

    message: ToHandset
    ply: int


@dataclass(frozen=True, slots=True)
class FromBoard:
    """What a board of the hall has published; a presence comes with its seat."""

    board: str
    value: Status | PublicInfo | PublicView | PublicEvent | Presence | ArbiterAck | Alerts | Bridge
    seat: Seat | None = None


RefereeIncoming = LinkUp | LinkDown | PeerFault | FromSeat | SeatPresence | KioskWish | SignedOrder
HandsetIncoming = LinkUp | LinkDown | PeerFault | Status | PublicInfo | PublicView | PublicEvent | ToSeat
KioskIncoming = LinkUp | LinkDown | PeerFault | Status | PublicInfo | PublicView | PublicEvent | KioskNote
StationIncoming = LinkUp | LinkDown | PeerFault | FromBoard
