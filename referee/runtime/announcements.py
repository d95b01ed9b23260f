"""What a table and its games say, and to whom: here lines of JSON for programs; join codes and board for people are `table_terminal`'s."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any, Self

import msgspec

from referee.rules.values import Seat
from referee.table.views import PublicEvent, PublicInfo, PublicView


class GameScreen:
    """Where a game says what happens; what a screen does not define is not shown. All methods are called on its loop's thread."""

    def event(self, event: PublicEvent, read_ns: int | None) -> None:
        """Announce a public event; `read_ns` is when its frame was read (monotonic clock), None where none was its cause."""

    def view(self, info: PublicInfo, view: PublicView) -> None:
        """Show the table."""

    def rematch(self, seat: Seat) -> None:
        """Announce that a seat is ready for another game."""

    def note(self, text: str) -> None:
        """Announce something in one line."""


class TableScreen(GameScreen):
    """Where a table's session says what happens, besides what happens in its games."""

    def ready(self, document: Mapping[str, Any]) -> None:
        """Announce that players may come."""

    def invited(self, seat: Seat, url: str, code: str) -> None:
        """Show a new join link, and the code to type instead."""

    def beside_board(self, link: str) -> None:
        """Show the link of a board on a screen with phones beside it, whose invitations are new."""

    def paired(self, seat: Seat, digits: str, again: bool) -> None:
        """Show the digits of a pairing, none where there are none to compare; `again`: the seat's earlier handset was thrown off."""

    def __enter__(self) -> Self:
        """Begin to show."""
        return self

    def __exit__(self, *_: object) -> None:
        """Leave the terminal as it was."""


class JsonScreen(TableScreen):
    """One ready line, then one line a public event on stdout; digits and notes on stderr.

    Views are not printed, for events tell all; nor are join links: `join.json` in the state directory always holds those that are worth
    something.
    """

    def ready(self, document: Mapping[str, Any]) -> None:
        """Print the ready line."""
        self._print(document)

    def paired(self, seat: Seat, digits: str, again: bool) -> None:
        """Print the digits where programs do not look."""
        if digits:
            self.note(f"{seat.value}: {digits}" + (" (its earlier handset was thrown off)" if again else ""))

    def event(self, event: PublicEvent, read_ns: int | None = None) -> None:
        """Print the event."""
        self._print(event)

    def note(self, text: str) -> None:
        """Print a line on stderr."""
        print(text, file=sys.stderr, flush=True)

    def _print(self, value: object) -> None:
        print(msgspec.json.encode(value).decode(), flush=True)
