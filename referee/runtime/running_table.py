"""A table while it runs: one game after the other on one board, with the handsets of one link, and orders of its arbiters.

Broker, pairing, web server and kiosk are around it (`referee.runtime.session`); tables of the simulated hall have none of their own.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from referee.net.links.referee_link import RefereeLink
from referee.net.sealing.signing import OrderKey
from referee.net.topics.payloads import FromSeat, RefereeIncoming, SeatPresence, SignedOrder
from referee.rules.hidden import Hidden
from referee.rules.values import Seat
from referee.runtime.board_health import BoardWatch
from referee.runtime.boards import OpenBoard
from referee.runtime.game import GameScreen, TableGame
from referee.runtime.orders import HallSeat, TableDoors
from referee.runtime.recovery import Unfinished
from referee.runtime.table_plan import TablePlan
from referee.table.inputs import Connection, SeatSays
from referee.table.messages import Accepted, Hello, Letter, Ready
from referee.table.views import Phase


@dataclass(frozen=True, slots=True)
class Around:
    """What is around the games of a table."""

    offer: Callable[[Seat], None]
    """Offers a seat anew."""
    ready: Callable[[], bool]
    """Whether every seat has its handset."""
    failed: Callable[[BaseException], None]
    """Is told what ends the table: a step of a game could not be carried out."""
    begins: Callable[[], None] = lambda: None
    """Is told that a game begins: it reads the board from now on."""
    wants_rematch: Callable[[Seat], None] = lambda seat: None
    forget_rematch: Callable[[], None] = lambda: None


class RunningTable:
    """Begins games and hands on what comes in; `plan` is that of the next game. All on the running loop's thread."""

    def __init__(
        self,
        plan: TablePlan,
        board: OpenBoard,
        watch: BoardWatch,
        link: RefereeLink,
        screen: GameScreen,
        key: OrderKey | None,
        around: Around,
    ) -> None:
        """`key` is the station's of the hall that the table is in."""
        self.plan = plan
        self.game: TableGame | None = None
        self._board, self._watch, self._link, self._screen, self._around = board, watch, link, screen, around
        self._again: set[Seat] = set()
        self._here: dict[Seat, bool] = {}
        doors = TableDoors(lambda: self.game, around.offer, self._name_players, self.begin)
        self.hall = HallSeat(key, plan.config.name, plan.rules.seats, link, plan.kept, doors)

    @property
    def over(self) -> bool:
        """Whether the game that was begun last has ended."""
        return self.game is not None and self.game.table.phase is Phase.FINISHED

    def begin(self) -> str | None:
        """Begin the first game once every seat has its handset, or the next one; return a stable word where that cannot be."""
        if not (self.over or (self.game is None and self._around.ready())):
            return "not-now"
        self.begin_at_once()
        return None

    def begin_at_once(self) -> None:
        """Begin a game: the first, or another on the same board with the same handsets. Raises `JournalError`."""
        if self.game is not None:
            self.hall.left(self.game.table.info(), self.game.table.result)
            self.game.close()
        self._again.clear()
        self._tell_again()
        self._around.begins()
        self._play(TableGame.open(self.plan, self._board, self._watch, self._link, self._screen))

    def go_on(self, unfinished: Unfinished) -> None:
        """Go on with the game that was played when the table was stopped; the board is compared first. Raises `JournalError`."""
        self._screen.note(f"the game goes on where it was: {unfinished.keeping.folder}")
        self._around.begins()
        self._play(TableGame.reopen(unfinished, self.plan, self._board, self._watch, self._link, self._screen))

    def _play(self, game: TableGame) -> None:
        self.game = game
        game.on_back = self._forget_rematch
        game.shell.failed.add_done_callback(self._shell_failed)
        for seat, here in self._here.items():
            game.shell.put_in(Connection(seat, here))
        self.hall.begun(game.table.view().game)

    def _shell_failed(self, failed: asyncio.Future[None]) -> None:
        if not failed.cancelled() and (error := failed.exception()) is not None:
            self._around.failed(error)

    def _name_players(self, names: Mapping[Seat, str]) -> None:
        self.plan = replace(self.plan, config=replace(self.plan.config, names=names))

    def take(self, value: RefereeIncoming) -> None:
        """Take what came over the link."""
        match value:
            case SeatPresence():
                self._here[value.seat] = value.here
                if self.game is not None:
                    self.game.shell.put_in(Connection(value.seat, value.here))
            case FromSeat() if self.game is not None:
                self._hear(self.game, value)
            case SignedOrder():
                self.hall.desk.take(value)

    def _hear(self, game: TableGame, said: FromSeat) -> None:
        if isinstance(said.message, Ready) and self.over:
            accepted = Accepted(id=f"again-{secrets.token_hex(4)}", re=said.message.id)
            self._link.send(Letter(said.seat, Hidden(accepted)), game.table.view().ply)
            self.agree_to_rematch(said.seat)
            return
        if isinstance(said.message, Hello):
            game.greet(said.seat, said.message, self._screen.note)
        game.shell.put_in(SeatSays(said.seat, said.message))

    def agree_to_rematch(self, seat: Seat) -> None:
        """Take it that a seat wants another game; once all do, it begins."""
        if seat not in self._again:
            self._again.add(seat)
            self._tell_again()
            self._screen.rematch(seat)
            self._around.wants_rematch(seat)
        if self._again == set(self.plan.rules.seats):
            self.begin_at_once()

    def _tell_again(self) -> None:
        self._link.tell_again(tuple(seat for seat in self.plan.rules.seats if seat in self._again))

    def _forget_rematch(self) -> None:
        """Clear the consent to a rematch where a result is undone: it is not consent to one after the next end."""
        self._again.clear()
        self._tell_again()
        self._around.forget_rematch()

    def close(self) -> None:
        """Stop listening, and close the journal of the game that is on."""
        if self.game is not None:
            self.game.leave()
            self.game.close()
