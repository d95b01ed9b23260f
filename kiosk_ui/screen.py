"""Everything that is to be seen at one moment, as one plain value: the table, what lies near each player, an open page. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace

from kiosk_ui.hand import Hand
from kiosk_ui.heard import Heard
from kiosk_ui.sheets import Sheet, sheet
from kiosk_ui.sides import Side, sides
from referee.presentation.sentences import Contact
from referee.presentation.state import KioskState
from referee.words import words


@dataclass(frozen=True, slots=True)
class ScreenState:
    """What one screen shows. Two equal ones look the same: nothing has to be drawn again."""

    table: KioskState
    sides: tuple[Side, ...]
    """Left and right; empty while nobody knows who plays."""
    sheet: Sheet | None
    brightness: int
    motion: bool
    turned: bool
    sheet_turned: bool = False
    """Whether the page is shown upside down, for the player opposite."""


def screen_state(heard: Heard, hand: Hand, passed_ms: int = 0) -> ScreenState:
    """Give what a screen shows after all that was heard and touched, so long after the view was received."""
    spoken = words(hand.settings.language)
    table = heard.table
    view = table[1] if table else None
    seats = table[0].seats if table else tuple(chair.seat for chair in heard.desk.chairs)
    live = heard.contact is Contact.LIVE
    shown = heard.state(spoken, passed_ms)
    if heard.desk.arbiter and live:
        shown = replace(shown, detail=spoken["kiosk.arbiter-called"])
    return ScreenState(
        table=shown,
        sides=sides(seats, hand, heard.desk, view, spoken) if live or table else (),
        sheet=sheet(hand, heard.desk, view, spoken),
        brightness=hand.settings.brightness,
        motion=hand.settings.motion,
        turned=hand.settings.turned,
        sheet_turned=hand.settings.turned and hand.far,
    )
