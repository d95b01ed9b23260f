"""Whole games by two players who hear the page and press keys; hands move the pieces on a simulated board.

    .venv/bin/python -m tests.web.games_by_ear

plays them all on one table (`make test` plays the first) and tells what was heard, and which buttons went away under the focus.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser

from benchmarks.handset import chromium
from referee.rules.values import Seat
from tests.demo.test_what_goes_wrong import wait_until
from tests.web.by_ear import Listener
from tests.web.phones import PhoneTable


@dataclass(frozen=True)
class Players:
    """Two listeners at a table."""

    table: PhoneTable
    red: Listener
    blue: Listener

    def take_seats(self) -> None:
        """Open the links, hear the digits and compare them with the table's."""
        digits = []
        for seat, who in (("red", self.red), ("blue", self.blue)):
            who.open(self.table.ready["join"][seat])
            digits.append(f"{seat}: {who.digits()}")
            who.use("Yes, the same")
        for who in (self.red, self.blue):
            who.heading("Set up your pieces.")
        wait_until(lambda: self.table.table.complaint == digits)

    def begin(self) -> None:
        """Stand the pieces in the front rows; both say that they are ready."""
        columns = "abcdefghij"[: sum(self.table.rules.army.values())]
        self.table.set_up({Seat.RED: [f"{each}4" for each in columns], Seat.BLUE: [f"{each}7" for each in columns]})
        for who in (self.red, self.blue):
            who.public.clear()
            who.wait("button", "I am ready")
            who.use("I am ready", "Space")
        self.red.heading("Your move")
        self.blue.heading("Red to move")

    def again(self) -> None:
        """Clear the board; both want another game."""
        self.table.hands(motion="clear")
        for who in (self.red, self.blue):
            who.use("Another game")
        for who in (self.red, self.blue):
            who.heading("Set up your pieces.")

    def settle(self, red: str, blue: str, lost: str) -> None:
        """Answer; what is lost is public from the second answer on."""
        self.red.heading("Your piece on .* which is it.")
        self.blue.heading("Your piece on .* which is it.")
        self.red.use(red)
        for who in (self.red, self.blue):
            who.public |= set(filter(None, lost.split(",")))
        self.blue.use(blue)

    def red_wins(self) -> None:
        """Wait until both heard it."""
        self.red.heading("You win!")
        self.blue.heading("Red wins")

    def faults(self) -> list[str]:
        """Return what was wrong for either."""
        return [f"{who.name}: {fault}" for who in (self.red, self.blue) for fault in who.faults]


def by_the_board(at: Players) -> None:
    """Red tells its attack on the board, with nothing in the hand, and takes the flag."""
    at.red.attack("a4", "a7")
    at.settle("Scout", "Flag", "Flag")
    at.red_wins()


def with_the_piece_in_the_hand(at: Players) -> None:
    """Its target is enough."""
    at.table.hands(motion="lift", square="a4")
    at.red.wait("gridcell", "a4: yours, in the hand")
    assert at.red.go("a7") == "a7: Blue, can be attacked"
    at.red.press("Enter")
    at.settle("Scout", "Flag", "Flag")
    at.red_wins()


def a_draw(at: Players) -> None:
    """It is refused, then accepted."""
    for answer in ("Refuse", "Accept"):
        at.red.menu("Offer a draw")
        at.blue.heading("Red offers a draw.")
        at.blue.use(answer)
        if answer == "Refuse":
            at.blue.heading("Red to move")
            at.red.wait("StaticText", "Blue declined the draw.")
    for who in (at.red, at.blue):
        who.heading("Draw.*")


Play = Callable[[Players], None]
GAMES: tuple[Play, ...] = (by_the_board, with_the_piece_in_the_hand, a_draw)


@contextmanager
def at_table(browser: Browser, state: Path, rules: str) -> Iterator[Players]:
    """Two listeners at a running table, who have taken their seats."""
    with ExitStack() as stack:
        table = stack.enter_context(PhoneTable(state, rules))
        red, blue = (stack.enter_context(closing(Listener(browser, name))) for name in ("red", "blue"))
        players = Players(table, red, blue)
        players.take_seats()
        yield players


def main() -> None:
    """Play all games; end with an error when anything was wrong."""
    with (
        chromium() as browser,
        tempfile.TemporaryDirectory() as state,
        at_table(browser, Path(state), "duel") as players,
    ):
        for number, play in enumerate(GAMES, 1):
            if number > 1:
                players.again()
            players.begin()
            play(players)
            print(f"game {number}: {play.__name__}", flush=True)
        for who in (players.red, players.blue):
            print(f"{who.name}: {len(who.pressed)} keys; went away under the focus: {sorted(set(who.gone))}")
            print(*(f"  {text}" for text in who.heard), sep="\n", flush=True)
        assert players.faults() == []


if __name__ == "__main__":
    main()
