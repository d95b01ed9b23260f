"""`hallmarshal kiosk` that says, with each state that it has drawn, all that is then to be seen.

python -m tests.security.watched_kiosk kiosk --json ...

A sorting tray names every rank of the army, as the rule sheet does; of its rows only those that show a captured piece are told.
"""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import replace
from typing import Any

import msgspec

from kiosk_ui.received_state import ReceivedState
from kiosk_ui.screen import ScreenState
from referee.cli import kiosk
from referee.cli.main import main
from referee.presentation.state import Tray

_say = kiosk._print_shown


def told(state: ScreenState) -> Any:
    """Return all that a screen shows as plain values, without the rank names that every tray has."""
    trays = tuple(
        replace(tray, rows=tuple(row for row in tray.rows if any(c.out for c in row.counts)))
        for tray in trays_of(state)
    )
    return msgspec.to_builtins(replace(state, table=replace(state.table, trays=trays)), str_keys=True)


def trays_of(state: ScreenState) -> tuple[Tray, ...]:
    """Return the trays of captured pieces."""
    return state.table.trays


def labels(screen: Any) -> list[str]:
    """Return every text that is drawn, without each tray's column of names and counts."""
    from kiosk_ui.widgets import FitLabel

    drawn = Counter(
        widget.text
        for panel in screen.panels
        for widget in panel.walk(restrict=True)
        if isinstance(widget, FitLabel) and widget.text
    )
    rows = [row for tray in trays_of(screen.state) for row in tray.rows]
    drawn -= Counter(row.name for row in rows)
    return sorted(drawn.elements())


def shown(received: ReceivedState) -> None:
    """Print what was drawn, as the command does, and all of its texts."""
    from kivy.app import App  # type: ignore[import-untyped]  # Kivy ships no types

    screen = App.get_running_app().screen
    kiosk._print_line({"drawn": told(screen.state), "labels": labels(screen)})
    _say(received)


if __name__ == "__main__":
    kiosk._print_shown = shown
    sys.exit(main())
