"""What happens in a weekend besides games, and what the arbiters do about it, all at the pages."""

from __future__ import annotations

from collections.abc import Callable

from referee.rules.values import Seat
from referee.table.views import Phase, PublicView
from tests.weekend.desk import Desk
from tests.weekend.programme import Part
from tests.weekend.room import Room

LATE, NO_SHOW, DISPUTE, COLOUR, TIME = 0, 2, 1, 1, 3
"""Tables of an event at which something happens: none of its own, no-show, dispute, wrong colour, time over."""


class Incidents:
    """Those of one round of one event. Round 1 has a late player, a no-show and a dispute, round 2 a wrong colour and time over."""

    def __init__(
        self, chief: Desk, second: Desk, room: Room, part: Part, number: int, say: Callable[[str], None]
    ) -> None:
        self._chief, self._second, self._room, self._say = chief, second, room, say
        self.part, self.number = part, number
        own = part.count >= 4 and not part.boards
        self._first = own and number == 1
        self._next = own and number == 2
        self._free = ""

    def _table(self, table: int) -> int:
        return self.part.first + table - 1

    def _player(self, at: int) -> str:
        return self.part.players[at].split(",")[0]

    def _slow(self, table: int, *, waits: bool = False) -> None:
        board = self._room.tables[self.part.board(table)]
        self._room.call(lambda: board.take_time(waits))

    def _go_on(self, table: int) -> None:
        self._room.call(self._room.tables[self.part.board(table)].sit_down)

    def _seen(self, table: int, fits: Callable[[PublicView], bool]) -> PublicView:
        """Wait until a board is as wanted."""
        board = self._room.tables[self.part.board(table)]
        return self._room.until(lambda: view if (view := board.shown) is not None and fits(view) else None)

    def before(self) -> None:
        """Do what comes before the round is paired, and let some boards be slow in it."""
        if self._first:
            self._chief.open(self.part.id)
            self._chief.bye(self._player(-1), "zero")
            self._slow(NO_SHOW, waits=True)
            self._slow(DISPUTE)
        elif self._next:
            self._slow(COLOUR)
            self._slow(TIME)

    def meanwhile(self) -> None:
        """Do what comes while the round is played."""
        if self._first:
            self._dispute()
            self._no_show()
            self._late_player()
        elif self._next:
            self._wrong_colour()

    def late(self) -> None:
        """Do what comes when only slow games are still on."""
        if self._next:
            self._time_over()

    def afterwards(self) -> None:
        """Do what comes after the round."""
        if self._first and self.part.rounds > 2:
            self._chief.open(self.part.id)
            self._chief.withdraw(self._player(-2), "Ill")
            self._say(f"{self.part.name}: {self._player(-2)} has withdrawn")
        if self._next:
            self._wrong_slip()

    def _dispute(self) -> None:
        """Let a player call the arbiter: the second one looks, rules and lets them go on."""
        board = self.part.board(DISPUTE)
        self._seen(DISPUTE, lambda view: view.phase is Phase.WAITING_FOR_MOVE and view.result is None)
        self._room.call(lambda: self._room.tables[board].call_arbiter(Seat.BLUE))
        self._second.order(board, "Ruling", "Blue says that he had not let go; he had")
        self._second.order(board, "Resume", "Play on")
        self._go_on(DISPUTE)
        self._say(f"{self.part.name}: a dispute at {board} is ruled")

    def _no_show(self) -> None:
        self._chief.open(self.part.id)
        self._chief.result(self._table(NO_SHOW), "blue-absent")
        self._seen(NO_SHOW, lambda view: view.phase is Phase.FINISHED)
        self._go_on(NO_SHOW)
        self._say(f"{self.part.name}: nobody came to table {self._table(NO_SHOW)}")

    def _late_player(self) -> None:
        """Let the one who asked for a late arrival and the one who is free because of it play after all."""
        byes = self._chief.event(self.part.id)["rounds"][-1]["byes"]
        names = [bye["player"]["name"] for bye in byes]
        self._chief.open(self.part.id)
        self._chief.came_late(names[0], names[1], "The train was late")
        self._say(f"{self.part.name}: {' and '.join(names)} play after all")

    def _wrong_colour(self) -> None:
        """Let two have taken each other's seats: the chief changes them, and a new game begins."""
        before = self._seen(COLOUR, lambda view: view.ply > 0 and view.result is None).game
        self._chief.open(self.part.id)
        self._chief.change_seats(self._table(COLOUR))
        self._seen(COLOUR, lambda view: view.game != before)
        self._go_on(COLOUR)
        self._say(f"{self.part.name}: seats changed at table {self._table(COLOUR)}")

    def _time_over(self) -> None:
        """Let the round's time run out for the last game, which the chief then decides."""
        board = self._room.tables[self.part.board(TIME)]
        self._chief.open(self.part.id)
        self._chief.page.get_by_text("Tables without a result: 1", exact=True).wait_for(timeout=30 * 60_000)
        self._chief.end_round_in(0)
        self._seen(TIME, lambda view: view.hall_clock is not None and view.phase is Phase.PAUSED)
        self._chief.order(board.board, "Result", "Time over, and level by what is left", Result="draw")
        self._go_on(TIME)
        self._say(f"{self.part.name}: time over at table {self._table(TIME)}")

    def _wrong_slip(self) -> None:
        """Let the chief take the no-show's result for a wrong one, see that it was right, and take that back."""
        self._chief.open(self.part.id)
        self._chief.round(1)
        self._chief.correct(self._table(NO_SHOW), "both-absent", "A slip said so")
        self._chief.undo("table", "The slip was of another table")
        self._chief.round(self.number)
        self._say(f"{self.part.name}: a correction of round 1, taken back")
