"""The games of a table: how each is put together, its journal, event loop and record, and how one follows the other.

`RunningTable` plays one game after the other on one board, with the handsets of one link, and keeps what the next one counts for in a
hall. Broker, pairing, web server and kiosk are around it (`referee.runtime.session`); tables of the simulated hall have none of their own.
"""

from __future__ import annotations

import asyncio
import datetime
import logging
import secrets
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hardware import BoardFile, Sensing
from referee import version
from referee.journal.errors import JournalError
from referee.journal.events import JournalRow
from referee.journal.history import answer
from referee.journal.journal import public_rows
from referee.journal.records.chained import signature_fits
from referee.net.links.referee_link import RefereeLink
from referee.net.topics.payloads import FromSeat, Occasion, Played, RefereeIncoming, SeatPresence
from referee.rules import Hidden, RuleSet, Seat, Square
from referee.runtime.announcements import GameScreen
from referee.runtime.board_health import BoardWatch
from referee.runtime.boards import POLES, OpenBoard
from referee.runtime.errors import BadInputError
from referee.runtime.event_loop import TableShell
from referee.runtime.frame_log import FrameLog
from referee.runtime.game_archive import Archive, Keeping, UnfinishedGame, remove_frame_log, remove_oldest
from referee.runtime.table_plan import TablePlan
from referee.runtime.typed_lines import read_order
from referee.sensing import Interpreter
from referee.table.arbiter_commands import ArbiterVerb, CorrectionError, SignEnd
from referee.table.chain import signed_end
from referee.table.commitments import SALT_BYTES, SEED_BYTES
from referee.table.conduct.takeback import GOES_BACK
from referee.table.inputs import Connection, Leave, Named, Pause, SeatSays, as_json
from referee.table.messages import Accepted, Countersign, Hello, Letter, Missed, Ready, Rejected
from referee.table.settings import TableSettings, settings_as_told
from referee.table.table import Table
from referee.table.views import Phase, PublicEvent, PublicInfo, PublicView

_log = logging.getLogger(__name__)

_LONGEST_NAME = 24
_MOST_NAMES = 12
"""So often a seat may call itself something else in a game, since each time is a row of the journal."""
_HALL_S = 86_400.0
"""So long after its end a hall's arbiter may overrule a result, unless players are assigned for another game before."""
_TOLD_S = 30.0
"""So long after its end everybody has heard of it; handsets that were away come back within that."""


def interpreter_of(rules: RuleSet, board: BoardFile) -> Interpreter:
    """Return the sensing of a board on which these rules are played."""
    squares = [Square(name) for name in board.squares]
    return Interpreter(
        squares, board.sensing is Sensing.COLOUR, {seat: POLES[seat] for seat in rules.seats}, board=rules.board
    )


@dataclass(frozen=True, slots=True)
class Around:
    """What every game of a table is played with, and what is around its games."""

    board: OpenBoard
    watch: BoardWatch
    link: RefereeLink
    screen: GameScreen
    offer: Callable[[Seat], None]
    """Offers a seat again."""
    ready: Callable[[], bool]
    """Whether every seat has its handset."""
    failed: Callable[[BaseException], None]
    """Is told what ends the table: a step of a game could not be carried out."""
    begins: Callable[[], None] = lambda: None
    """Is told that a game begins: it reads the board from now on."""
    wants_rematch: Callable[[Seat], None] = lambda seat: None
    forget_rematch: Callable[[], None] = lambda: None


class TableGame:
    """A game that was opened. Close it before the next."""

    def __init__(self, plan: TablePlan, around: Around, table: Table, keeping: Keeping) -> None:
        """Put it together; `open` begins one, `reopen` goes on with one."""
        board, screen = around.board, around.screen
        self.table, self.rules = table, plan.rules
        self.computers = table.info().computers
        """Which seats the computer had when the game began, and its level, whoever has them now."""
        self._keeping, self._kept, self._screen, self._tap = keeping, plan.kept, screen, board.tap
        self._page = board.page
        self._held: int | None = None
        """The last public event that the journal held when the game was taken up again; None once a handset has missed something in it."""
        self.on_back: Callable[[], None] = lambda: None
        """Called when it goes back: its end, too, may be no more."""
        self._archive = Archive(keeping, table, lambda: plan.kept.now.seats)
        self._confirm_s = _HALL_S if plan.config.hall else plan.config.confirm_ms / 1000
        self._keep_key = plan.config.keep_keys
        self._confirms: asyncio.TimerHandle | None = None
        self.confirmed = False
        """Whether nobody can take its end back any more: its key is gone."""
        self.shell = TableShell(
            table,
            interpreter_of(plan.rules, board.file),
            board.source,
            self._archive,
            around.link,
            on_event=self._note,
            on_view=self._view,
            watch=around.watch,
            on_input=lambda given: self.log(as_json(given, ranks=True)),
            probe=around.link.probe,
        )
        self._log: FrameLog | None = None
        if plan.config.frame_log and board.tap is not None:
            self._log = FrameLog(keeping.folder, board.file, plan.config.frame_log_mb * 1024 * 1024, screen.note)
            board.tap.log_to(self._log)

    def _view(self, info: PublicInfo, view: PublicView) -> None:
        self._screen.view(info, view)
        if self._page is not None:
            self._page.show(info, view)

    @classmethod
    def open(cls, plan: TablePlan, around: Around) -> TableGame:
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
            config.limits,
            config.elsewhere,
            config.computers,
            finale_ms=config.finale_s * 1000,
            salts=Hidden({seat: secrets.token_hex(SALT_BYTES) for seat in plan.rules.seats}),
            date=datetime.date.today().isoformat(),
        )
        folder = plan.state / "games" / new_folder(settings.game)
        game = cls(plan, around, Table(settings), Keeping.open(folder, settings, config.keys))
        plan.kept.change(game=folder.name, given=())
        most = config.keep_games
        if most is not None and (gone := remove_oldest(folder.parent, most, folder, config.keys)):
            around.screen.note(f"{folder.parent}: {gone} of the oldest games removed (keep-games is {most})")
        game.log({"by": "open", "settings": settings_as_told(settings)})
        _log.info("game %s begins, by the rules %s", settings.game, plan.rules.name)
        game.shell.open()
        return game

    @classmethod
    def reopen(cls, unfinished: UnfinishedGame, plan: TablePlan, around: Around) -> TableGame:
        """Go on with a game that was not over when the table was stopped. Raises `JournalError`."""
        game = cls(plan, around, unfinished.rebuilt.table, unfinished.keeping)
        game._held = game.table.view().seq
        game.log({"by": "reopen"})
        game.table.give(plan.kept.now.given)
        _log.info("game %s goes on", unfinished.settings.game)
        game._archive.align()  # it may have been stopped between the ledger and the record
        game.shell.reopen(unfinished.keeping.journal.last_ago_ms)
        if game.table.result is not None:  # it had ended, and nobody had been told
            game.leave_later()
        elif unfinished.salvaged:
            game.shell.put_in(Pause())  # somebody shall see that rows are missing, and say that it goes on
        plan.kept.change(game=unfinished.keeping.folder.name)  # not before: a table killed earlier salvages again
        return game

    def _note(self, event: PublicEvent, read_ns: int | None) -> None:
        self._screen.event(event, read_ns)
        _log.debug("event %d: %s", event.seq, event.kind)
        if event.kind == "end":
            _log.info("game %s is over", event.game)
            self.leave_later()
        elif event.kind in GOES_BACK:
            self.take_up_again()

    def log(self, told: Mapping[str, Any]) -> None:
        """Keep in the frame log what came in beside the board's bytes, if there is one."""
        if self._log is not None:
            self._log.told(told)

    @property
    def journal_path(self) -> Path:
        """Return where the journal lies."""
        return self._keeping.journal_path

    def rows(self) -> list[JournalRow]:
        """Return the journal's rows, what is hidden of them left out."""
        return public_rows(self.journal_path)

    def greet(self, seat: Seat, hello: Hello) -> None:
        """Stand still, and say so, where a handset has heard more of the game than was found of it."""
        if self._held is not None and hello.heard > self._held:
            self._screen.note(
                f"{self.journal_path}: {seat.value}'s phone has heard more of this game than its journal holds: event "
                f"{hello.heard} after {self._held}; the table stands still until somebody resumes"
            )
            self._held = None
            self.shell.put_in(Pause())

    def tell_again(self, seat: Seat, missed: Missed) -> Letter:
        """Return what a seat's handset has missed of the game, as much as one letter holds. Raises a `JournalError`."""
        return answer(self._keeping.journal, seat, missed, self.table.info().reveal)

    def correct(self, act: ArbiterVerb) -> None:
        """Carry out an arbiter's order. Raises `CorrectionError`, also once the result is confirmed."""
        if self.confirmed:
            raise CorrectionError("not-now", "the result is confirmed, and the game's key destroyed")
        self.shell.order(act)

    def is_signed(self, signer: str, by: Countersign | SignEnd) -> bool:
        """Return whether a signature is one under the end of this game as it is now; `signer` is a seat's word or `station`."""
        signed = signed_end(self.table.view(), signer)
        return signed is not None and signature_fits(f"{by.key} {by.signature}", signed)

    def give(self, seats: Collection[Seat]) -> None:
        """Announce on every screen that a person has taken these seats from the computer, or that it has them back."""
        self.table.give(seats)
        self.shell.publish_again()

    def order(self, words: list[str]) -> None:
        """Carry out an arbiter's order that was typed at the table; why one cannot be goes to the screen."""
        try:
            self.shell.catch_up()
            self.correct(read_order(words))
        except (BadInputError, CorrectionError) as error:
            self._screen.note(str(error))

    def take_up_again(self) -> None:
        """Come back to this game at the next start."""
        self.on_back()
        self._stop_confirming()
        if self._kept.now.game != self._keeping.folder.name:
            self._kept.change(game=self._keeping.folder.name)
        if self._kept.now.given:  # perhaps since it was over, where screens named who had played it
            asyncio.get_running_loop().call_soon(self.give, self._kept.now.given)

    def leave_later(self) -> None:
        """Leave a game that is over after a while: a table that is killed before that shows its end once more."""
        loop = asyncio.get_running_loop()
        loop.call_soon(self._keeping.journal.checkpoint)  # once everybody has been told
        told_s = _TOLD_S + (self.table.info().finale_s if self.table.asks_after_the_end else 0)
        loop.call_later(told_s, self.leave)
        self._stop_confirming()
        earliest_s = told_s if self.table.asks_after_the_end else 0  # what was asked after the end is answered before
        self._confirms = loop.call_later(max(self._confirm_s, earliest_s), self.confirm)

    def leave(self) -> None:
        """Do not come back to this game if it is over."""
        if self.table.result is not None and self._kept.now.game == self._keeping.folder.name:
            self._kept.change(game=None)

    def confirm(self) -> None:
        """Take the result of a game that is over for good: nobody takes it back any more, and its key and frame log are destroyed."""
        self._stop_confirming()
        if self.table.asks_after_the_end:
            self.shell.put_in(Leave())
        if self._keep_key or self.table.result is None or self.confirmed:
            return
        self.leave()  # or the next start would look for the key
        self.confirmed = True
        self._shut_log()
        try:
            self._keeping.destroy_key()
            remove_frame_log(self._keeping.folder)
        except JournalError as error:
            self._screen.note(f"{error}; the key of this game, or its frame log, is still there")

    def _stop_confirming(self) -> None:
        if self._confirms is not None:
            self._confirms.cancel()

    def status(self) -> Mapping[str, Any]:
        """Return what can grow with a game, and its frame log.

        The frame log is whether it still writes; None: it was not asked for.
        """
        return {
            "ply": self.table.view().ply,
            **self.shell.kept(),
            "journal_rows": self._keeping.journal.last_seq,
            "frame_log": None if self._log is None else self._log.on,
        }

    def end_for_good(self) -> None:
        """Confirm its result and close it: the next game begins."""
        self.confirm()
        self.close()

    def close(self) -> None:
        """Stop listening to the board and close the journal."""
        self._stop_confirming()
        self.shell.close()
        self._keeping.close()
        self._shut_log()

    def _shut_log(self) -> None:
        if self._tap is not None:
            self._tap.log_to(None)
        if self._log is not None:
            self._log.close()


def player_name(typed: str) -> str:
    """Return a name in one short line of what can be printed: it is shown on screens and stands in records."""
    return " ".join("".join(letter if letter.isprintable() else " " for letter in typed).split())[
        :_LONGEST_NAME
    ].strip()


def new_folder(game: str) -> str:
    """Return the name of a game's folder: when it was begun, by the machine's clock, and what tells it from any other."""
    return f"{datetime.datetime.now():%Y-%m-%d-%H%M%S}-{game[:6]}"


# ---- one game after the other


class RunningTable:
    """Begins games and hands on what comes in; `plan` is that of the next game. All on the running loop's thread."""

    def __init__(self, plan: TablePlan, around: Around) -> None:
        self.plan = plan
        self.game: TableGame | None = None
        self._around, self._link, self._screen = around, around.link, around.screen
        self._again: set[Seat] = set()
        self._here: dict[Seat, bool] = {}
        self._called: dict[Seat, str] = {}
        """What players typed as their names."""
        self._calls = Counter[Seat]()

    @property
    def over(self) -> bool:
        """Return whether the game that was begun last has ended."""
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
            self._note_played(self.game.table)
            self.game.end_for_good()
        self._again.clear()
        self._tell_again()
        self._around.begins()
        self._calls.clear()
        self._play(TableGame.open(self.plan, self._around))

    def go_on(self, unfinished: UnfinishedGame) -> None:
        """Go on with the game that was played when the table was stopped; the board is compared first. Raises `JournalError`."""
        self._screen.note(f"the game goes on where it was: {unfinished.keeping.folder}")
        self._around.begins()
        self._play(TableGame.reopen(unfinished, self.plan, self._around))

    def _play(self, game: TableGame) -> None:
        self.game = game
        game.on_back = self.forget_rematch
        game.shell.failed.add_done_callback(self._shell_failed)
        for seat, here in self._here.items():
            game.shell.put_in(Connection(seat, here))
        for seat, name in self._called.items():
            self._say_name(seat, name)
        self._note_begun(game.table.view().game)

    def _shell_failed(self, failed: asyncio.Future[None]) -> None:
        if not failed.cancelled() and (error := failed.exception()) is not None:
            self._around.failed(error)

    def take(self, value: RefereeIncoming) -> None:
        """Take what came over the link."""
        match value:
            case SeatPresence():
                self._here[value.seat] = value.here
                if self.game is not None:
                    self.game.shell.put_in(Connection(value.seat, value.here))
                if value.here:
                    self._call(value.seat, player_name(value.name))
            case FromSeat() if self.game is not None:
                self._hear(self.game, value)

    def _call(self, seat: Seat, name: str) -> None:
        """Call a player by the name that he typed, in this game and the next ones."""
        if self._calls[seat] < _MOST_NAMES and name != self._called.get(seat, ""):
            self._called[seat] = name
            self._calls[seat] += 1
            self._say_name(seat, name)

    def _say_name(self, seat: Seat, name: str) -> None:
        """Set what a player is called; a hall that has assigned its players knows better."""
        now = self.plan.kept.now
        if self.game is not None and not now.names and now.occasion is None:
            self.game.shell.put_in(Named(seat, name))

    def _hear(self, game: TableGame, said: FromSeat) -> None:
        if isinstance(said.message, Ready) and self.over:
            accepted = Accepted(id=f"again-{secrets.token_hex(4)}", re=said.message.id)
            self._link.send(Letter(said.seat, Hidden(accepted)), game.table.view().ply)
            self.agree_to_rematch(said.seat)
            return
        if isinstance(said.message, Missed):
            self._link.send(game.tell_again(said.seat, said.message), game.table.view().ply)
            return
        if game.confirmed and not isinstance(said.message, Hello):
            late = Rejected(id=f"late-{secrets.token_hex(4)}", re=said.message.id, reason="not-now")
            self._link.send(Letter(said.seat, Hidden(late)), game.table.view().ply)
            return
        if isinstance(said.message, Countersign) and not game.is_signed(said.seat.value, said.message):
            no = Rejected(id=f"unsigned-{secrets.token_hex(4)}", re=said.message.id, reason="bad-signature")
            self._link.send(Letter(said.seat, Hidden(no)), game.table.view().ply)
            return
        if isinstance(said.message, Hello):
            game.greet(said.seat, said.message)
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

    def forget_rematch(self) -> None:
        """Clear the consent to a rematch where a result is undone, or somebody else is to play: it is not consent to that one."""
        self._again.clear()
        self._tell_again()
        self._around.forget_rematch()

    def close(self) -> None:
        """Stop listening, and close the journal of the game that is on. One whose last step failed is come back to, ended or not."""
        if self.game is not None:
            if not self.game.shell.failed.done():
                self.game.confirm()
                self.game.leave()
            self.game.close()

    # ---- in a hall: who was assigned is kept across restarts, in the table's own file. What an arbiter may order of a table beside its
    # game (`begin` too) returns None, or a stable word that says why not.

    def pair_again(self, seat: Seat) -> str | None:
        """Offer a seat for pairing again."""
        if seat not in self.plan.rules.seats:
            return "no-such-seat"
        self._around.offer(seat)
        return None

    def assign(self, names: Mapping[Seat, str], occasion: Occasion | None) -> str | None:
        """Take the players of the next game."""
        if not set(names) <= set(self.plan.rules.seats):
            return "no-such-seat"
        if self.game is not None and self.over and occasion != self.plan.kept.now.occasion:
            self.game.confirm()  # the hall is done with it
        self.plan.kept.change(names=dict(names), occasion=occasion, occasion_game="", played=None)
        self._name_players(names)
        self._link.tell_occasion(occasion, "")
        return None

    def tell_assigned(self) -> None:
        """Take who was assigned before the table was started, and tell the station what their game counts for."""
        now = self.plan.kept.now
        if now.names:
            self._name_players(now.names)
            self._link.tell_occasion(now.occasion, now.occasion_game, now.played)

    def _name_players(self, names: Mapping[Seat, str]) -> None:
        self.plan = replace(self.plan, config=replace(self.plan.config, names=names))

    def _note_begun(self, game: str) -> None:
        """Note that a game is on: the one that players were assigned for, or one that counts for nothing."""
        now = self.plan.kept.now
        if now.occasion is None:
            return
        if now.occasion_game in ("", game):
            self.plan.kept.change(occasion_game=game)
            self._link.tell_occasion(now.occasion, game)
        elif now.played is None:  # how it ended is not known here any more
            self.plan.kept.change(occasion=None, names={})
            self._link.tell_occasion(None, game)

    def _note_played(self, table: Table) -> None:
        """Note how a game ended when players begin another: what came of one that counted is told until somebody is assigned again."""
        now, info, end = self.plan.kept.now, table.info(), table.result
        if now.occasion is not None and now.occasion_game == info.game and end is not None:
            played = Played(dict(info.names), end)
            self.plan.kept.change(played=played, names={})
            self._link.tell_occasion(now.occasion, now.occasion_game, played)
