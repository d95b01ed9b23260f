"""The games of a table: how each is put together, its journal, event loop and record, and how one follows the other.

`assemble` is the one place where table, sensing, board, journal and link become an event loop. `RunningTable` plays one game after the
other on one board, with the handsets of one link, and takes orders of its arbiters. Broker, pairing, web server and kiosk are around it
(`referee.runtime.session`); tables of the simulated hall have none of their own.
"""

from __future__ import annotations

import asyncio
import datetime
import logging
import secrets
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from firmware_bridge.sources import BoardSource
from hardware import BoardFile, Sensing
from referee import version
from referee.journal.events import JournalRow
from referee.journal.journal import public_rows
from referee.net.links.referee_link import RefereeLink
from referee.net.sealing.signing import OrderKey
from referee.net.topics.payloads import FromSeat, RefereeIncoming, SeatPresence
from referee.rules import RuleSet
from referee.rules.hidden import Hidden
from referee.rules.values import Seat, Square
from referee.runtime.announcements import GameScreen
from referee.runtime.board_health import BoardWatch
from referee.runtime.boards import POLES, OpenBoard
from referee.runtime.errors import BadInputError
from referee.runtime.event_loop import Ledger, Outlet, TableShell
from referee.runtime.frame_log import FrameLog, FrameTap
from referee.runtime.game_archive import Archive, Keeping, Unfinished, remove_oldest
from referee.runtime.orders import HallSeat, TableDoors
from referee.runtime.state_file import KeptFile
from referee.runtime.table_plan import TablePlan
from referee.runtime.typed_lines import read_order
from referee.sensing import Interpreter
from referee.table.arbiter_commands import CorrectionError
from referee.table.commitments import SEED_BYTES
from referee.table.conduct.takeback import GOES_BACK
from referee.table.inputs import Connection, Input, Pause, SeatSays, as_json
from referee.table.messages import Accepted, Hello, Letter, Ready
from referee.table.settings import TableSettings, settings_as_told
from referee.table.step import Fact
from referee.table.table import Table
from referee.table.views import Phase, PublicEvent, PublicInfo, PublicView

_log = logging.getLogger(__name__)

_TOLD_S = 30.0
"""So long after its end everybody has heard of it; handsets that were away come back within that."""


def interpreter_of(rules: RuleSet, board: BoardFile) -> Interpreter:
    """Return the sensing of a board on which these rules are played."""
    squares = [Square(name) for name in board.squares]
    return Interpreter(
        squares, board.sensing is Sensing.COLOUR, {seat: POLES[seat] for seat in rules.seats}, board=rules.board
    )


def assemble(
    table: Table,
    rules: RuleSet,
    board: BoardFile,
    source: BoardSource,
    ledger: Ledger,
    outlet: Outlet,
    *,
    on_written: Callable[[Iterable[Fact]], None] = lambda facts: None,
    on_event: Callable[[PublicEvent, int | None], None] = lambda event, read_ns: None,
    on_view: Callable[[PublicInfo, PublicView], None] = lambda info, view: None,
    watch: BoardWatch | None = None,
    on_input: Callable[[Input], None] = lambda given: None,
) -> TableShell:
    """Return the event loop of a table that senses `source`: the one assembly, of a real table as of a demo and of a killed referee."""
    info = table.info()
    return TableShell(
        table,
        interpreter_of(rules, board),
        source,
        ledger,
        outlet,
        on_written=on_written,
        on_event=on_event,
        on_view=lambda view: on_view(info, view),
        watch=watch,
        on_input=on_input,
    )


@dataclass(slots=True)
class TableGame:
    """A game that was opened. Close it before the next."""

    table: Table
    shell: TableShell
    rules: RuleSet
    _keeping: Keeping
    _kept: KeptFile
    _log: FrameLog | None = None
    _tap: FrameTap | None = None
    _held: int | None = None
    """The last public event that the journal held when the game was taken up again; None once a handset has missed something in it."""
    on_back: Callable[[], None] = lambda: None
    """Called when it goes back: its end, too, may be no more."""

    @classmethod
    def open(
        cls, plan: TablePlan, board: OpenBoard, watch: BoardWatch, outlet: Outlet, screen: GameScreen
    ) -> TableGame:
        """Begin a journal of its own and open the set-up. Raises `JournalError`."""
        config = plan.config
        settings = TableSettings(
            config.name,
            secrets.token_hex(8),
            plan.rules,
            config.mode,
            config.reveal,
            dict(config.names),
            version(),
            config.answer_limit_s * 1000,
            Hidden(secrets.token_bytes(SEED_BYTES)),
            config.clock,
            plan.kept.now.next_occasion,
        )
        folder = plan.state / "games" / new_folder(settings.game)
        keeping = Keeping.open(folder, settings)
        game = cls._assembled(Table(settings), keeping, plan, board, watch, outlet, screen)
        plan.kept.change(game=folder.name)
        if config.keep_games is not None and (gone := remove_oldest(folder.parent, config.keep_games, folder)):
            screen.note(f"{folder.parent}: {gone} of the oldest games removed (keep-games is {config.keep_games})")
        game.log({"by": "open", "settings": settings_as_told(settings)})
        _log.info("game %s begins, by the rules %s", settings.game, plan.rules.name)
        game.shell.open()
        return game

    @classmethod
    def reopen(
        cls,
        unfinished: Unfinished,
        plan: TablePlan,
        board: OpenBoard,
        watch: BoardWatch,
        outlet: Outlet,
        screen: GameScreen,
    ) -> TableGame:
        """Go on with a game that was not over when the table was stopped. Raises `JournalError`."""
        game = cls._assembled(unfinished.rebuilt.table, unfinished.keeping, plan, board, watch, outlet, screen)
        game._held = game.table.view().seq
        game.log({"by": "reopen"})
        _log.info("game %s goes on", unfinished.settings.game)
        Archive(unfinished.keeping, game.table).align()  # it may have been stopped between the ledger and the record
        game.shell.reopen(unfinished.keeping.journal.last_ago_ms)
        if game.table.result is not None:  # it had ended, and nobody had been told
            game.leave_later()
        elif unfinished.salvaged:
            game.shell.put_in(Pause())  # somebody shall see that rows are missing, and say that it goes on
        plan.kept.change(game=unfinished.keeping.folder.name)  # not before: a table killed earlier salvages again
        return game

    @classmethod
    def _assembled(
        cls,
        table: Table,
        keeping: Keeping,
        plan: TablePlan,
        board: OpenBoard,
        watch: BoardWatch,
        outlet: Outlet,
        screen: GameScreen,
    ) -> TableGame:
        game: TableGame

        def note(event: PublicEvent, read_ns: int | None) -> None:
            screen.event(event, read_ns)
            _log.debug("event %d: %s", event.seq, event.kind)
            if event.kind == "end":
                _log.info("game %s is over", event.game)
                game.leave_later()
            elif event.kind in GOES_BACK:
                game.take_up_again()

        shell = assemble(
            table,
            plan.rules,
            board.file,
            board.source,
            keeping.journal,
            outlet,
            on_written=Archive(keeping, table).written,
            on_event=note,
            on_view=screen.view,
            watch=watch,
            on_input=lambda given: game.log(as_json(given, ranks=True)),
        )
        log = _frame_log(plan, board, keeping.folder, screen)
        game = cls(table, shell, plan.rules, keeping, plan.kept, log, board.tap)
        return game

    def log(self, told: Mapping[str, Any]) -> None:
        """Keep in the frame log what came in beside the board's bytes, if there is one."""
        if self._log is not None:
            self._log.told(told)

    @property
    def journal_path(self) -> Path:
        """Give where the journal lies."""
        return self._keeping.journal_path

    def rows(self) -> list[JournalRow]:
        """Return the journal's rows, what is hidden of them left out."""
        return public_rows(self.journal_path)

    def greet(self, seat: Seat, hello: Hello, note: Callable[[str], None]) -> None:
        """Stand still, and say so, where a handset has heard more of the game than was found of it."""
        if self._held is not None and hello.heard > self._held:
            note(
                f"{self.journal_path}: {seat.value}'s phone has heard more of this game than its journal holds: event "
                f"{hello.heard} after {self._held}; the table stands still until somebody resumes"
            )
            self._held = None
            self.shell.put_in(Pause())

    def order(self, words: list[str], note: Callable[[str], None]) -> None:
        """Carry out an arbiter's order that was typed at the table; why one cannot be goes to `note`."""
        try:
            self.shell.put_in(read_order(words))
        except (BadInputError, CorrectionError) as error:
            note(str(error))

    def take_up_again(self) -> None:
        """Come back to this game at the next start."""
        self.on_back()
        if self._kept.now.game != self._keeping.folder.name:
            self._kept.change(game=self._keeping.folder.name)

    def leave_later(self) -> None:
        """Leave a game that is over after a while: a table that is killed before that shows its end once more."""
        loop = asyncio.get_running_loop()
        loop.call_soon(self._keeping.journal.checkpoint)  # once everybody has been told
        loop.call_later(_TOLD_S, self.leave)

    def leave(self) -> None:
        """Do not come back to this game if it is over."""
        if self.table.result is not None and self._kept.now.game == self._keeping.folder.name:
            self._kept.change(game=None)

    def status(self) -> Mapping[str, Any]:
        """Give what can grow with a game, and its frame log.

        The frame log is whether it still writes; None: it was not asked for.
        """
        return {
            "ply": self.table.view().ply,
            **self.shell.kept(),
            "journal_rows": self._keeping.journal.last_seq,
            "frame_log": None if self._log is None else self._log.on,
        }

    def close(self) -> None:
        """Stop listening to the board and close the journal."""
        self.shell.close()
        self._keeping.close()
        if self._tap is not None:
            self._tap.log_to(None)
        if self._log is not None:
            self._log.close()


def new_folder(game: str) -> str:
    """Give the name of a game's folder: when it was begun, by the machine's clock, and what tells it from any other."""
    return f"{datetime.datetime.now():%Y-%m-%d-%H%M%S}-{game[:6]}"


def _frame_log(plan: TablePlan, board: OpenBoard, folder: Path, screen: GameScreen) -> FrameLog | None:
    if not plan.config.frame_log or board.tap is None:
        return None
    log = FrameLog(folder, board.file, plan.config.frame_log_mb * 1024 * 1024, screen.note)
    board.tap.log_to(log)
    return log


# ---- one game after the other


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
