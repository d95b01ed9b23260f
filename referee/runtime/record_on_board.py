"""A recorded game played again on a board: hands set it up and make each move, sensing checks them. Nothing is written down.

`RecordPlayback` stands where a table does and decides nothing: every next ply is the record's, a move that was decided elsewhere. So the
event loop, sensing, the screens and their sentences are those of a game. What the record does not say, as a rank that its view may not
know, is not needed: where pieces stand after each ply follows from the verdicts.
"""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from firmware_bridge.checkup import disagreements
from referee.door.front_door import listening
from referee.journal.records.model import Record
from referee.journal.records.views import screens_of
from referee.net.credential import own_address
from referee.rules import Move, Prospect, RuleSet, Seat, Situation, Square
from referee.runtime.announcements import TableScreen
from referee.runtime.assembly import check_board, on_screen
from referee.runtime.board_health import BoardWatch
from referee.runtime.boards import BoardChoice, OpenBoard, opened
from referee.runtime.event_loop import TableShell
from referee.runtime.game import interpreter_of
from referee.runtime.typed_lines import Orders
from referee.sensing import Agreed, AttackSeen, Difference, Disturbed, Lifted, Masked, Puzzled, Read, Returned
from referee.table.arbiter_commands import CorrectionError, TakeBack
from referee.table.inputs import BoardDiffers, BoardLink, BoardWarnings, Input, Open
from referee.table.messages import Letter
from referee.table.step import Expect, Fact, Follow, SensingOrder, Step
from referee.table.views import Ask, DecidedMove, Fix, Health, Phase, PublicEvent, PublicInfo, PublicView
from referee.web.pair_server import PairServer

INTERRUPTED = 130
LINES = "back | on | go N | quit"
_FOLLOWING = (Phase.WAITING_FOR_MOVE, Phase.PIECE_IN_HAND)
_ANYWHERE = "0.0.0.0"  # noqa: S104 - whoever has the link of a board on a screen shall find it


class RecordPlayback:
    """The game of a record as its hands have come to it: `ply` is how many plies the board shows, or shall show."""

    can_go_back = remembered = 0

    def __init__(self, record: Record, rules: RuleSet, ply: int = 0) -> None:
        """Begin where the game stood after `ply` plies. Raises `RecordError` where its pieces cannot be followed."""
        info, self._positions = screens_of(record, rules)
        self._info, self._plies, self._board = replace(info, decided=rules.seats), record.plies, rules.board
        self._fault: str | None = None
        self._warnings: tuple[Health, ...] = ()
        self._orders: list[SensingOrder] = []
        self.ply = ply
        self._view = replace(self._positions[ply], result=None)

    @property
    def phase(self) -> Phase:
        """Return the phase of the view."""
        return self._view.phase

    @property
    def board_fault(self) -> str | None:
        """Return why the board cannot be read, None while it can."""
        return self._fault

    def info(self) -> PublicInfo:
        """Return what stays the same for this game."""
        return self._info

    def view(self) -> PublicView:
        """Return what every screen shows."""
        return self._view

    def apply(self, given: Input, now_ms: int) -> Step:
        """Take one input and return what came of it. Raises `CorrectionError` for a ply to go to that the game has not."""
        before = self._view
        match given:
            case Open():
                self._lay_out(self.ply, Ask.SET_UP)
            case TakeBack():
                if not 0 <= given.ply <= len(self._plies):
                    raise CorrectionError("no-such-ply", f"go 0 ... go {len(self._plies)}")
                self._lay_out(given.ply, Ask.CORRECTED if given.ply < self.ply else Ask.RESTORE)
            case Lifted() | Returned() if self.phase in _FOLLOWING:
                self._see_hand(given)
            case Read() | AttackSeen():
                self._carried_out()
            case Puzzled() | Disturbed() if self.phase in _FOLLOWING:
                self._lay_out(self.ply, Ask.NOT_DECIDED if isinstance(given, Puzzled) else Ask.DISTURBED)
            case Agreed():
                self._go_on()
            case BoardDiffers():
                self._view = replace(self._view, fixes=tuple(map(_fix, given.differences)))
            case Masked():
                self._view = replace(self._view, blind=tuple(square.name for square in given.squares))
            case BoardLink():
                self._fault = given.fault
            case BoardWarnings():
                self._warnings = tuple(given.warnings)
        faults = () if self._fault is None else (Health(self._fault),)
        self._view = replace(
            self._view,
            board_fault=self._fault,
            board_connected=self._fault is None,
            health=(*faults, *self._warnings),
        )
        orders, self._orders = tuple(self._orders), []
        return Step(orders=orders, view_changed=self._view != before)

    # ---- what hands are to do

    def _lay_out(self, ply: int, ask: Ask) -> None:
        """Ask for the board as it stood after a ply."""
        self._show(ply, Phase.RESTORING, ask, self._decided(ply))
        self._orders.append(Expect(self._occupants(ply)))

    def _go_on(self) -> None:
        """Go on from a board that is right: to the next ply, or to the end."""
        if self.ply == len(self._plies):
            self._show(self.ply, Phase.FINISHED)
            self._view = replace(self._view, result=self._positions[-1].result)
        elif (decided := self._decided(self.ply)) is None:
            self._clear()
        else:
            self._show(self.ply, Phase.WAITING_FOR_MOVE, decided=decided)
            self._orders.append(Follow(self._situation()))

    def _carried_out(self) -> None:
        """Go on after a move that was made; after an attack, or where more has changed than one piece's square, the board is asked for."""
        action = self._plies[self.ply].action
        moved = self._occupants(self.ply)
        if isinstance(action, Move):
            moved[action.target] = moved.pop(action.source)
        attacked = isinstance(action, Move) and action.target in self._occupants(self.ply)
        if attacked or self.ply + 1 == len(self._plies) or moved != self._occupants(self.ply + 1):
            self._clear()
        else:
            self.ply += 1
            self._go_on()

    def _clear(self) -> None:
        """Ask for the board as the next ply leaves it."""
        attack = self._positions[self.ply + 1].attack
        self._show(self.ply + 1, Phase.WAITING_FOR_BOARD, None if attack is None else Ask.REMOVE_CAPTURED)
        self._orders.append(Expect(self._occupants(self.ply)))

    def _see_hand(self, seen: Lifted | Returned) -> None:
        """Note which pieces are in the air."""
        others = tuple(square for square in self._view.in_hand if square != seen.square.name)
        in_hand = (*others, seen.square.name) if isinstance(seen, Lifted) else others
        phase = Phase.PIECE_IN_HAND if in_hand else Phase.WAITING_FOR_MOVE
        self._view = replace(self._view, in_hand=in_hand, phase=phase)

    def _show(self, ply: int, phase: Phase, ask: Ask | None = None, decided: DecidedMove | None = None) -> None:
        before, shown, self.ply = self._view, self._positions[ply], ply
        made = {before.ply: before.attack, before.ply + 1: shown.attack}  # elsewhere nobody has attacked now
        self._view = replace(
            shown,
            seq=before.seq + 1,
            phase=phase,
            ask=ask,
            decided=decided,
            blind=before.blind,
            attack=made.get(ply),
            result=None,
        )

    def _decided(self, ply: int) -> DecidedMove | None:
        """Return the ply after this one as hands make it, None where they make none: a pass, a shot, an infiltration, the end."""
        if ply == len(self._plies) or not isinstance(action := self._plies[ply].action, Move):
            return None
        return DecidedMove(self._plies[ply].seat, action.source.name, action.target.name)

    def _situation(self) -> Situation:
        """Return the position with the record's next ply as the only one that hands might make."""
        ply, occupants = self._plies[self.ply], self._occupants(self.ply)
        assert isinstance(ply.action, Move)
        way = self._board.path(ply.action) or (ply.action.target,)  # a record may end with a ply that no rule allows
        prospect = Prospect(ply.action.source, ply.action.target, ply.action.target in occupants, way, ply.action.via)
        return Situation(occupants, ply.seat, (prospect,))

    def _occupants(self, ply: int) -> dict[Square, Seat]:
        return {Square(name): seat for name, seat in self._positions[ply].occupants.items()}


def _fix(difference: Difference) -> Fix:
    return Fix(difference.square.name, difference.wanted)


# ---- the game at a board


class _Nowhere:
    """Where a replay's word goes besides its screens, and what would keep it: nowhere."""

    def write(self, facts: Iterable[Fact]) -> None:
        """Keep nothing."""

    def publish_info(self, info: PublicInfo) -> None:
        """Do nothing: nobody listens."""

    def publish_event(self, event: PublicEvent) -> None:
        """Do nothing: nobody listens."""

    def publish_state(self, view: PublicView) -> None:
        """Do nothing: nobody listens."""

    def send(self, letter: Letter, ply: int) -> None:
        """Do nothing: nobody listens."""


class BoardReplay:
    """Leads hands at a board through a game: `run` until its end, a typed `quit`, a signal, or `stop`, which any thread may call.

    `show` is told each view besides the screen; with `stays`, and on a board on a screen, the end of the game is not the end. With `typed`
    the end of stdin is one: whoever would type `quit` has gone.
    """

    def __init__(
        self,
        game: RecordPlayback,
        rules: RuleSet,
        choice: BoardChoice,
        screen: TableScreen,
        show: Callable[[PublicView], None] = lambda view: None,
        *,
        stays: bool = False,
        typed: bool = True,
    ) -> None:
        self._game, self._rules, self._choice = game, rules, choice
        self._screen, self._show, self._stays, self._typed = screen, show, stays, typed
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stopped = False

    def stop(self) -> None:
        """End."""
        self._stopped = True
        with suppress(RuntimeError):  # it has ended
            if self._loop is not None:
                self._loop.call_soon_threadsafe(self._end, 0)

    def run(self) -> int:
        """Play and return the exit code. Raises `BadInputError`, `UnreachableError` or `WebAddressError`."""
        with (
            opened(self._choice, lambda news: None) as found,
            TemporaryDirectory(prefix="hallmarshal-") as folder,
            on_screen(found, self._rules, Path(folder)) as board,
        ):
            check_board(self._rules, board)
            with _pages(board, self._rules, self._screen), self._screen:
                return asyncio.run(self._play(board))

    async def _play(self, board: OpenBoard) -> int:
        loop = self._loop = asyncio.get_running_loop()
        self._ended: asyncio.Future[int] = loop.create_future()
        self._page = board.page
        watch = BoardWatch(lambda hello: disagreements(hello, board.file), self._screen.note)
        if board.hello is not None:
            watch.take(board.hello)
        with ExitStack() as stack:
            if threading.current_thread() is threading.main_thread():
                for sign, code in ((signal.SIGINT, INTERRUPTED), (signal.SIGTERM, 0)):
                    loop.add_signal_handler(sign, self._end, code)
            sensing = interpreter_of(self._rules, board.file)
            nowhere = _Nowhere()
            self._shell = TableShell(
                self._game, sensing, board.source, nowhere, nowhere, on_view=self._on_view, watch=watch
            )
            stack.callback(self._shell.close)
            self._shell.failed.add_done_callback(self._failed)
            stack.callback(Orders(self._order, self._no_more_lines).close)
            self._shell.open()
            if self._stopped:
                self._end(0)
            return await self._ended

    def _on_view(self, info: PublicInfo, view: PublicView) -> None:
        self._screen.view(info, view)
        self._show(view)
        if self._page is not None:
            self._page.show(info, view)
        if (
            view.phase is Phase.FINISHED and not self._stays and self._page is None
        ):  # who looks at a page shall see the end
            self._end(0)

    def _order(self, words: list[str]) -> None:
        """Do what was typed."""
        match words:
            case ["back"]:
                self._go_to(self._game.ply - 1)
            case ["on"]:
                self._go_to(self._game.ply + 1)
            case ["go", number] if number.isdecimal() and len(number) < 10:
                self._go_to(int(number))
            case ["quit"]:
                self._end(0)
            case [_, *_]:
                self._screen.note(LINES)

    def _no_more_lines(self) -> None:
        if self._typed:
            self._end(0)

    def _go_to(self, ply: int) -> None:
        try:
            self._shell.put_in(TakeBack(id="replay", reason="replay", ply=ply))
        except CorrectionError as error:
            self._screen.note(str(error))

    def _failed(self, failed: asyncio.Future[None]) -> None:
        if not failed.cancelled() and not self._ended.done() and (error := failed.exception()) is not None:
            self._ended.set_exception(error)

    def _end(self, code: int) -> None:
        if not self._ended.done():
            self._ended.set_result(code)


@contextmanager
def _pages(board: OpenBoard, rules: RuleSet, screen: TableScreen) -> Iterator[None]:
    """Serve the page of a board on a screen; any other has none."""
    if board.page is None:
        yield
        return
    host = own_address()
    door = listening(_ANYWHERE, 0)
    server = PairServer.start([door], lambda sent, address: {"error": "not-now"}, rules, shown=host, board=board.page)
    try:
        screen.ready({"screen": f"http://{host}:{server.port}/screen#{board.page.secret}"})
        yield
    finally:
        server.stop()
