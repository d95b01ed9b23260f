"""What lies near each player besides the tray: the way to join, the digits to compare, and what only this side may touch. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import segno

from kiosk_ui.desk import Chair, Desk
from kiosk_ui.hand import Hand
from kiosk_ui.sheets import Button, asks_to_abort, typed_address
from referee.rules.values import Seat
from referee.table.views import Phase, PublicView
from referee.words import Words

QUIET = 4
"""Light modules around a QR code, as its standard wants (ISO/IEC 18004)."""


@dataclass(frozen=True, slots=True)
class Card:
    """How one seat is joined, or how its pairing is checked. `code` is the picture's rows of 0 and 1 without its quiet zone."""

    seat: Seat
    name: str
    text: str
    code: tuple[str, ...] = ()
    digits: str = ""
    question: str = ""
    hints: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Side:
    """One player's side, or that of two who share it: cards in the place of the tray (none: the tray is shown), and buttons below."""

    seats: tuple[Seat, ...]
    cards: tuple[Card, ...]
    buttons: tuple[Button, ...]


def sides(seats: Sequence[Seat], hand: Hand, desk: Desk, view: PublicView | None, words: Words) -> tuple[Side, ...]:
    """Give both sides; the first and third seat sit on the left. Empty while nobody knows who plays."""
    if not seats:
        return ()
    left, right = (tuple(seats[at::2]) for at in (0, 1))
    return _side(left, hand, desk, view, words), _side(right, hand, desk, view, words)


@lru_cache(maxsize=16)
def qr_rows(text: str) -> tuple[str, ...]:
    """Give a QR code as rows of 0 and 1, the top one first, without a quiet zone."""
    return tuple("".join("1" if dark else "0" for dark in row) for row in segno.make_qr(text, error="l").matrix)


def _side(seats: tuple[Seat, ...], hand: Hand, desk: Desk, view: PublicView | None, words: Words) -> Side:
    chairs = [chair for seat in seats if (chair := desk.chair(seat)) is not None]
    wanted = [chair for chair in chairs if hand.shows(chair)]
    cards: tuple[Card, ...] = ()
    if view is None or view.phase is Phase.LOBBY:
        cards = tuple(_card(chair, words) for chair in chairs)
    elif wanted:
        cards = tuple(_card(chair, words) for chair in wanted)
    return Side(seats, cards, tuple(_buttons(seats, chairs, wanted, hand, desk, view, words)))


def _buttons(
    seats: tuple[Seat, ...],
    chairs: Sequence[Chair],
    wanted: Sequence[Chair],
    hand: Hand,
    desk: Desk,
    view: PublicView | None,
    words: Words,
) -> list[Button]:
    if asks_to_abort(hand, desk, view):
        agreed = {chair.seat for chair in chairs if chair.abort}
        text = words["kiosk.abort-agree"]
        return [Button(f"abort={seat.value}", text, seat=seat, on=seat in agreed) for seat in seats]
    if wanted and view is not None and view.phase is not Phase.LOBBY:
        return [Button(f"seen={chair.seat.value}", words["kiosk.seen"], seat=chair.seat) for chair in wanted]
    if view is not None and view.phase is Phase.FINISHED and chairs:
        text = words["kiosk.again"]
        return [Button(f"rematch={chair.seat.value}", text, seat=chair.seat, on=chair.rematch) for chair in chairs]
    return []


def _card(chair: Chair, words: Words) -> Card:
    name = words.seat(chair.seat)
    if chair.digits:
        text = words["kiosk.thrown-off"] if chair.again else words["kiosk.paired"]
        question = words["kiosk.compared" if chair.compared else "kiosk.compare"]
        return Card(chair.seat, name, text, digits=f"{chair.digits[:3]} {chair.digits[3:]}", question=question)
    if chair.link:
        hints = (typed_address(chair.link), *((chair.code,) if chair.code else ()))
        return Card(chair.seat, name, words["kiosk.scan"], code=qr_rows(chair.link), hints=hints)
    return Card(chair.seat, name, words["kiosk.paired" if chair.paired else "kiosk.wait"])
