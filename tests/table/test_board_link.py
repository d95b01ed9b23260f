"""The shell between a board that comes and goes and a table that must not notice more of it than it has to."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import socket
import weakref
from collections.abc import Callable, Coroutine, Iterable
from dataclasses import replace
from types import TracebackType
from typing import Self

import pytest

from firmware_bridge.messages import (
    BoardUnreachableError,
    Command,
    FaultKind,
    Frame,
    Hello,
    LinkBack,
    LinkLost,
    News,
    Reading,
    ResetCause,
    SensingCode,
    WireFault,
)
from referee.rules import rule_set
from referee.rules.values import Rank, Square
from referee.runtime.board_health import BoardWatch
from referee.runtime.event_loop import GAP_MS, TableShell
from referee.sensing import Interpreter
from referee.table.inputs import SeatSays
from referee.table.messages import Declare, Letter, Ready
from referee.table.messages import Hello as HandsetHello
from referee.table.settings import ClockKind, TableSettings, TimeControl
from referee.table.step import Fact
from referee.table.table import Table
from referee.table.views import ClockFace, Phase, PublicEvent, PublicInfo, PublicView
from tests.table.sitting import BLUE, DUEL_BLUE, DUEL_RED, RED

RULES = rule_set("duel")
NO_CLOCK = TimeControl()
MINUTE = TimeControl(ClockKind.SUDDEN_DEATH, 60_000)
POLES = {RED: Reading.RED, BLUE: Reading.BLUE}
HELLO = Hello(0, 0, 1, SensingCode.COLOUR, ResetCause.POWER_ON, True, 92, 92, 100, 1, 0, "t1", "1")


class Line:
    """A board source whose news a test puts in."""

    url = "test:"

    def __init__(self) -> None:
        self._here, self._there = socket.socketpair()
        self._here.setblocking(False)
        self._news: list[News | BoardUnreachableError] = []

    def put(self, news: Iterable[News | BoardUnreachableError]) -> None:
        """Let the board say this."""
        self._news += news
        self._there.send(b".")

    def fileno(self) -> int:
        """Return a descriptor that is readable when something was put in."""
        return self._here.fileno()

    def read(self) -> list[News]:
        """Return all that was put in. Raises an error that was put in."""
        with contextlib.suppress(BlockingIOError):
            self._here.recv(4096)
        news, self._news = self._news, []
        for one in news:
            if isinstance(one, BoardUnreachableError):
                raise one
        return [one for one in news if not isinstance(one, BoardUnreachableError)]

    def send(self, command: Command) -> Command:
        """Nobody asks this board for anything."""
        raise AssertionError(command)

    def close(self) -> None:
        """Close both ends."""
        self._here.close()
        self._there.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class Desk:
    """Ledger and outlet in one: keeps what everybody heard."""

    def __init__(self) -> None:
        self.kinds: list[str] = []
        self.view: PublicView | None = None

    def write(self, facts: Iterable[Fact]) -> None:
        """Nothing is kept."""

    def publish_info(self, info: PublicInfo) -> None:
        """Nothing is kept."""

    def publish_event(self, event: PublicEvent) -> None:
        """Keep what happened."""
        self.kinds.append(f"{event.kind} {event.text}" if event.kind in ("board.link", "ask") else event.kind)

    def publish_state(self, view: PublicView) -> None:
        """Keep the view."""
        self.view = view

    def send(self, letter: Letter, ply: int) -> None:
        """Nothing is kept."""


class Scene:
    """A table with its shell and a board of Duel that is set up; time is the board's own."""

    def __init__(self, clock: TimeControl = NO_CLOCK) -> None:
        self.line, self.desk = Line(), Desk()
        self.machine_ms = 5000
        self.table = Table(TableSettings("t1", "g1", RULES, clock=clock))
        self.interpreter = Interpreter(RULES.board.squares, True, POLES, board=RULES.board)
        self.notes: list[str] = []
        self.shell = TableShell(
            self.table,
            self.interpreter,
            self.line,
            self.desk,
            self.desk,
            watch=BoardWatch(
                lambda hello: () if hello.board_id == "t1" else (f"board: {hello.board_id}",), self.notes.append
            ),
            machine_ms=lambda: self.machine_ms,
        )
        self.magnets: dict[Square, Reading] = {}
        self._ms = 0
        for seat, names in ((RED, DUEL_RED), (BLUE, DUEL_BLUE)):
            self.magnets |= {RULES.board.square(name): POLES[seat] for name in names}

    async def start(self) -> None:
        """Begin the game."""
        self.shell.open()
        for seat in (RED, BLUE):
            self.shell.put_in(SeatSays(seat, Ready(id="r")))
        await self.scan(1000)
        assert self.table.phase is Phase.WAITING_FOR_MOVE

    async def scan(self, for_ms: int) -> None:
        """Let the board scan for so long."""
        await self.say(*self.frames(for_ms))

    def frames(self, for_ms: int) -> list[Frame]:
        """Return what the board scans in so long."""
        frames = []
        for _ in range(for_ms // 10):
            self._ms += 10
            shown = tuple(self.magnets.get(square, Reading.EMPTY) for square in RULES.board.squares)
            frames.append(Frame(0, self._ms, shown))
        return frames

    async def spend(self, for_ms: int) -> None:
        """Let the machine's time pass while the referee runs."""
        for passed in range(0, for_ms, 100):
            self.machine_ms += min(100, for_ms - passed)
            await self.scan(10)

    async def say(self, *news: News | BoardUnreachableError) -> None:
        """Let the source give this, and the shell take it."""
        self.line.put(news)
        for _ in range(3):
            await asyncio.sleep(0)

    def carry(self, source: str, target: str) -> None:
        """Carry a piece."""
        self.magnets[RULES.board.square(target)] = self.magnets.pop(RULES.board.square(source))


def played(act: Callable[[Scene], Coroutine[None, None, None]], clock: TimeControl = NO_CLOCK) -> Scene:
    """Play a scene on a loop of its own."""

    async def whole() -> Scene:
        scene = Scene(clock)
        await scene.start()
        await act(scene)
        scene.shell.close()
        scene.line.close()
        return scene

    return asyncio.run(whole())


def test_what_came_to_stand_while_the_cable_was_out_is_asked_about_and_never_read() -> None:
    """It may have been a move; nobody saw the hand. Put back, the game goes on; put there anew, it is the move."""

    async def act(scene: Scene) -> None:
        await scene.say(LinkLost("the cable is out"))
        assert scene.desk.view is not None
        assert not scene.desk.view.board_connected
        scene.carry("e4", "e5")
        await scene.say(LinkBack(), HELLO)
        assert scene.desk.view.board_connected
        await scene.scan(4000)
        assert scene.table.view().phase is Phase.RESTORING
        scene.carry("e5", "e4")
        await scene.scan(1000)
        assert scene.table.view().phase is Phase.WAITING_FOR_MOVE
        scene.carry("e4", "e5")
        await scene.scan(1000)

    scene = played(act)
    assert scene.desk.kinds[3:] == [
        *("begin", "board.link lost", "board.link back", "ask not-understood", "restored", "move.read"),
    ]


def test_a_cable_that_was_out_while_nobody_moved_is_only_told() -> None:
    """The next move is read as ever."""

    async def act(scene: Scene) -> None:
        await scene.say(LinkLost("the cable is out"), LinkBack(), HELLO)
        await scene.scan(1000)
        scene.carry("e4", "e5")
        await scene.scan(1000)

    assert played(act).desk.kinds[4:] == ["board.link lost", "board.link back", "move.read"]


def test_a_board_that_was_restarted_is_not_believed_either() -> None:
    """Its clock went on by chance, so only the decoder could tell: what stands elsewhere now is asked about."""

    async def act(scene: Scene) -> None:
        scene.carry("e4", "e5")
        await scene.say(WireFault(FaultKind.REBOOTED, "boot count 1, then 2"), HELLO)
        await scene.scan(4000)

    assert played(act).desk.kinds[4:] == ["board.health", "ask not-understood"]


@pytest.mark.parametrize("kind", [FaultKind.GAP, FaultKind.BAD_CRC])
def test_a_lost_frame_in_the_middle_of_a_move_costs_nothing(kind: FaultKind) -> None:
    """A board at a long cable loses one now and then: that is no reason to ask anybody."""

    async def act(scene: Scene) -> None:
        piece = scene.magnets.pop(RULES.board.square("e4"))
        await scene.scan(400)
        scene.magnets[RULES.board.square("e5")] = piece
        await scene.say(WireFault(kind, "one frame"))
        await scene.scan(1000)

    assert played(act).desk.kinds[4:] == ["move.read"]


def test_a_board_that_is_gone_for_good_is_told_before_the_table_stops() -> None:
    """The view says so, and whoever owns the shell gets the reason."""

    async def act(scene: Scene) -> None:
        await scene.say(BoardUnreachableError("board test: it has ended"))
        assert scene.shell.failed.done()
        assert isinstance(scene.shell.failed.exception(), BoardUnreachableError)

    scene = played(act)
    assert scene.desk.kinds[4:] == ["board.link lost"]
    assert scene.desk.view is not None
    assert not scene.desk.view.board_connected


def test_another_board_is_not_listened_to() -> None:
    """Somebody has plugged in the one of the next table: it says why it stands still; with its own board back it goes on."""

    async def act(scene: Scene) -> None:
        await scene.say(LinkLost("the cable is out"), LinkBack(), replace(HELLO, board_id="t2"))
        view = scene.table.view()
        assert (view.board_connected, view.board_fault) == (False, "other-board")
        scene.carry("e4", "e5")
        await scene.scan(4000)
        assert scene.table.view().phase is Phase.WAITING_FOR_MOVE
        scene.carry("e5", "e4")
        await scene.say(LinkLost("the cable is out"), LinkBack(), HELLO)
        await scene.scan(1000)
        assert (scene.table.view().board_connected, scene.table.view().board_fault) == (True, None)
        scene.carry("e4", "e5")
        await scene.scan(1000)

    scene = played(act)
    assert scene.notes == ["board: t2"]
    links = ["lost", "other-board", "lost", "back"]
    assert scene.desk.kinds[4:] == [*(f"board.link {word}" for word in links), "move.read"]


def test_a_board_that_falls_silent_is_not_there() -> None:
    """Its port is open and nothing comes: the view says so, and what stands elsewhere afterwards is asked about."""

    async def act(scene: Scene) -> None:
        scene.shell._heard_s -= 2.9
        scene.shell._notice_silence()
        assert scene.table.view().board_connected, "not yet"
        scene.shell._heard_s -= 10
        scene.shell._notice_silence()
        view = scene.table.view()
        assert (view.board_connected, view.board_fault) == (False, "silent")
        scene.carry("e4", "e5")
        await scene.scan(4000)
        assert scene.table.view().board_connected

    assert played(act).desk.kinds[4:] == ["board.link silent", "board.link back", "ask not-understood"]


def test_the_list_of_squares_follows_the_hands() -> None:
    """While the board is put right it names what is still wrong, and only that."""

    async def act(scene: Scene) -> None:
        seen: list[list[str]] = []
        scene.carry("e4", "a4")
        scene.carry("f4", "b4")
        scene.carry("i4", "e5")
        await scene.scan(4000)
        assert scene.table.view().phase is Phase.RESTORING
        for source, target in (("a4", "e4"), ("e5", "i4")):
            seen.append(sorted(fix.square for fix in scene.table.view().fixes))
            scene.carry(source, target)
            await scene.scan(300)
        seen.append(sorted(fix.square for fix in scene.desk.view.fixes))  # type: ignore[union-attr]  # there is one
        assert seen == [["a4", "b4", "e4", "e5", "f4", "i4"], ["b4", "e5", "f4", "i4"], ["b4", "f4"]]

    assert played(act).desk.kinds[4:] == ["ask disturbed"]


def test_after_a_verdict_the_list_says_what_is_left_to_do() -> None:
    """Not what would have to change from the position before: the target's piece may be off the board already."""

    async def act(scene: Scene) -> None:
        scene.carry("e4", "e5")
        await scene.scan(2500)
        scene.carry("e7", "e6")
        await scene.scan(2500)
        del scene.magnets[RULES.board.square("e5")]
        await scene.scan(300)
        del scene.magnets[RULES.board.square("e6")]
        await scene.scan(600)
        assert scene.table.view().phase is Phase.WAITING_FOR_DECLARATIONS
        for seat, rank in ((RED, Rank.MARSHAL), (BLUE, Rank.SPY)):
            scene.shell.put_in(SeatSays(seat, Declare(id="d", question=1, rank=rank)))
        fixes = scene.desk.view.fixes  # type: ignore[union-attr]  # there is one
        assert [(fix.square, fix.wanted) for fix in fixes] == [("e6", RED)]

    assert played(act).desk.kinds[-1] == "verdict"


def test_a_board_that_stands_as_the_verdict_wants_it_passes_the_turn_at_once() -> None:
    """Both are lost and both are in hand: nothing is left to do, so nobody waits for the next frame, which says nothing more."""

    async def act(scene: Scene) -> None:
        scene.carry("e4", "e5")
        await scene.scan(2500)
        scene.carry("e7", "e6")
        await scene.scan(2500)
        for square in ("e5", "e6"):
            del scene.magnets[RULES.board.square(square)]
            await scene.scan(600)
        for seat in (RED, BLUE):
            scene.shell.put_in(SeatSays(seat, Declare(id="d", question=1, rank=Rank.SCOUT)))
        assert scene.table.view().phase is Phase.WAITING_FOR_MOVE
        await scene.scan(600)

    assert played(act).desk.kinds[-2:] == ["verdict", "board.agrees"]


@pytest.mark.parametrize("stall_ms", [GAP_MS, 1000, 15_000, 120_000])
def test_what_the_referee_was_stopped_for_is_charged_to_nobody(stall_ms: int) -> None:
    """The hand moved at once; the referee reads it only afterwards, however little the mover had left."""

    async def act(scene: Scene) -> None:
        await scene.spend(59_900)
        scene.machine_ms += stall_ms
        scene.carry("e4", "e5")
        await scene.scan(1000)
        assert scene.table.view().clocks[RED].left_ms == 100
        await scene.spend(1000)
        scene.shell.put_in(SeatSays(BLUE, HandsetHello(id="how late is it")))

    scene = played(act, MINUTE)
    assert scene.desk.kinds[4:] == ["move.read"]
    assert scene.table.view().clocks[BLUE] == ClockFace(59_000, True)


@pytest.mark.parametrize("late_ms", [0, 1, GAP_MS - 101])
def test_no_flag_falls_before_what_waits_at_the_port_is_read(late_ms: int) -> None:
    """Whatever wakes the table first: a phone's word, or its own timer. With nothing there the flag falls."""

    async def act(scene: Scene, moves: bool) -> None:
        await scene.spend(59_900)
        scene.machine_ms += 100
        if moves:
            scene.carry("e4", "e5")
            scene.line.put(scene.frames(1000))
        scene.machine_ms += late_ms
        scene.shell.put_in(SeatSays(BLUE, HandsetHello(id="first")))

    def moved(scene: Scene) -> Coroutine[None, None, None]:
        return act(scene, True)

    assert played(moved, MINUTE).desk.kinds[4:] == ["move.read"]
    assert played(lambda scene: act(scene, False), MINUTE).desk.kinds[4:] == ["end"]


def test_a_closed_shell_waits_for_no_garbage_collector() -> None:
    """With all that its game holds it is gone at once, also where who is told holds it, as the table does."""

    async def one_game() -> weakref.ref[TableShell]:
        scene = Scene()
        heard: list[str] = []

        def hear(event: PublicEvent, read_ns: int | None) -> None:
            heard.append(f"{event.kind} of {shell}")

        shell = scene.shell = TableShell(
            scene.table,
            scene.interpreter,
            scene.line,
            scene.desk,
            scene.desk,
            on_event=hear,
            on_view=lambda info, view: heard.append(f"view of {shell}"),
            on_input=lambda told: heard.append(f"input of {shell}"),
        )
        await scene.start()
        shell.close()
        scene.line.close()
        assert {line.partition(" of ")[0] for line in heard} >= {"view", "input", "begin"}, heard
        return weakref.ref(shell)

    gc.collect()
    gc.disable()
    try:
        assert asyncio.run(one_game())() is None
    finally:
        gc.enable()
