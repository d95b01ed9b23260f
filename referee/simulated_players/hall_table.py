"""One table of a simulated hall: the real table, its journals and two sealed handsets, all in this process, played by bots.

Its board is simulated here, too, without a process or a port of its own: a hall of sixty runs on one machine.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from firmware_bridge.messages import Command, News
from firmware_bridge.talk import BoardSource, Talk
from hardware import BoardFile, Sensing, board_names, load_board
from referee.net.credential import Credential, KeyPair
from referee.net.errors import LinkError
from referee.net.links.handset_link import HandsetLink
from referee.net.links.referee_link import RefereeLink
from referee.net.sealing.signing import OrderKey
from referee.net.topics.payloads import FromSeat, HandsetIncoming, RefereeIncoming, ToSeat
from referee.net.topics.topics import Role
from referee.rules import RuleSet
from referee.rules.values import Seat
from referee.runtime.announcements import GameScreen
from referee.runtime.board_listening import TableBoard
from referee.runtime.boards import OpenBoard
from referee.runtime.game import Around, RunningTable
from referee.runtime.orders import open_desk
from referee.runtime.set_ups import generate
from referee.runtime.state_file import KeptFile
from referee.runtime.table_config import TableConfig
from referee.runtime.table_plan import TablePlan
from referee.simulated_players.player import Bot, BotAct, Do, Motion, Say, SimulatedPlayer, bot_rng
from referee.table.messages import AskResume, CallArbiter, Closed, FromHandset, Question, Ready, Rejected, Verdict
from referee.table.settings import TimeControl
from referee.table.views import Phase, PublicEvent, PublicInfo, PublicView
from simulator.board import QUIET_MS, SimBoard
from simulator.script import MotionError

_OUT_OF_ORDER = (Phase.RESTORING, Phase.WAITING_FOR_BOARD)
"""The phases in which hands put the board right."""
_SLICE_S, _BEAT_S = 0.05, 0.5
"""So often a board whose hands are at work is looked at, and one at rest, which sends two frames a second."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How fast simulated people are."""

    think_s: tuple[float, float]
    clear_s: float
    """After so long somebody puts a board right that nobody else has."""
    at_once: bool = False
    """Whether board time leaps to the end of every motion; else hands take the time that hands take."""


HUMAN = Pace((2.0, 9.0), 3.5)
TOP = Pace((0.0, 0.0), 0.5, at_once=True)


class HallBoard(BoardSource):
    """A simulated board as a source of frames on the running loop."""

    url = "sim:"

    def __init__(self, file: BoardFile, seed: int, at_once: bool) -> None:
        self._sim, self._at_once = SimBoard(file, seed), at_once
        self._beats = 4 if at_once else 1
        """So many beats go into the time of one, as with `simulator.process` at full speed: what waits for board time waits shortly."""
        self._ready = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self._news: list[News] = []
        self._wishes: deque[tuple[Motion, Callable[[], None]]] = deque()
        self._ends_ms = 0
        """When the motion that was begun last has ended, and the board was quiet for a while."""
        self._loop = asyncio.get_running_loop()
        self._origin_ms = self._loop.time() * 1000
        self._timer: asyncio.TimerHandle | None = None
        self._run()

    def lay(self, occupants: Mapping[str, str]) -> None:
        """Let pieces stand here (square -> seat), and nothing else."""
        self._wishes.clear()
        self._sim.lay(occupants)
        self._leap(self._sim.now_ms + QUIET_MS)
        self._run()

    def wish(self, motion: Motion, refused: Callable[[], None] = lambda: None) -> None:
        """Let hands make a motion once earlier ones are done; `refused` is called where it is impossible."""
        self._wishes.append((motion, refused))
        self._run()

    def _run(self) -> None:
        """Let board time pass until now, and begin the motions that are due."""
        if self._ready < 0:
            return
        if self._timer is not None:
            self._timer.cancel()
        now_ms = int(self._loop.time() * 1000 - self._origin_ms)
        while self._wishes and self._ends_ms <= max(now_ms, self._sim.now_ms):
            self._news += self._sim.listen(max(now_ms, self._sim.now_ms))
            motion, refused = self._wishes.popleft()
            try:
                self._leap(self._sim.begin(motion) + QUIET_MS)
            except MotionError:
                self._loop.call_soon(refused)
        self._news += self._sim.listen(max(now_ms, self._sim.now_ms))
        if self._news:
            os.eventfd_write(self._ready, 1)
        busy = self._wishes or self._ends_ms > now_ms
        wait_s, act = (_SLICE_S, self._run) if busy else (_BEAT_S / self._beats, self._beat)
        self._timer = self._loop.call_later(wait_s, act)

    def _beat(self) -> None:
        """Let the time of a beat have passed on the board, however soon it was looked at."""
        self._origin_ms -= 1000 * _BEAT_S * (1 - 1 / self._beats)
        self._run()

    def _leap(self, ends_ms: int) -> None:
        self._ends_ms = ends_ms
        if self._at_once:
            self._origin_ms -= max(0, ends_ms - self._sim.now_ms)
            self._news += self._sim.listen(ends_ms)

    def fileno(self) -> int:
        """Return a descriptor that is readable when there are frames."""
        return self._ready

    def read(self) -> list[News]:
        """Return what the board has said."""
        with contextlib.suppress(BlockingIOError):
            os.eventfd_read(self._ready)
        news, self._news = self._news, []
        return news

    def send(self, command: Command) -> Command:
        """Let the board obey."""
        self._news += self._sim.answer(command)
        return command

    def close(self) -> None:
        """Let time stand still. Closing twice is harmless."""
        if self._timer is not None:
            self._timer.cancel()
        if self._ready >= 0:
            os.close(self._ready)
            self._ready = -1


def _board_file(rules: RuleSet) -> BoardFile:
    """Return the first board file, by name, that the rules can be played on, with sensors that tell armies apart."""
    files = (
        file for file in map(load_board, board_names()) if rules.board.is_sensed_by(file.squares) and not file.tiles
    )
    return next(files).with_sensing(Sensing.COLOUR)


class BotTable(GameScreen):
    """Plays one game after the other, each when the station says `begin`. Everything happens on the running loop."""

    def __init__(
        self,
        name: str,
        credential: Callable[[Role, Seat | None, KeyPair], Credential],
        key: OrderKey,
        rules: RuleSet,
        folder: Path,
        *,
        seed: int,
        pace: Pace = HUMAN,
        clock: TimeControl | None = None,
        on_end: Callable[[PublicView], None] = lambda view: None,
    ) -> None:
        """`credential` returns what a user of this table comes to the hall's broker with; `key` is the station's."""
        self.name, self._rules, self._pace, self._on_end = name, rules, pace, on_end
        self._seed, self._games, self._info = seed, 0, ""
        self._loop = asyncio.get_running_loop()
        self._timers: set[asyncio.TimerHandle] = set()
        self._righting: asyncio.TimerHandle | None = None
        self._players: dict[Seat, SimulatedPlayer] = {}
        self._laid: dict[str, str] = {}
        self._told: list[PublicEvent] = []
        """What happened in this game, for players whose handsets were gone meanwhile."""
        self._heard: dict[Seat, int] = {}
        """The number of the last event that a player took."""
        self._handsets: dict[Seat, HandsetLink] = {}
        self._asked: dict[Seat, Question] = {}
        self._refused: dict[Seat, Question] = {}
        """What each player is asked now; and what of it the table did not take the answer to."""
        keys = KeyPair.create()
        link = self._link = RefereeLink(
            credential(Role.REFEREE, None, keys), on_value=lambda value: self._later(self._take, value)
        )
        for seat in rules.seats:
            own = KeyPair.create()
            link.pair(seat, own.public)
            place = credential(Role.HANDSET, seat, own).with_keys(own, keys.public)
            self._handsets[seat] = HandsetLink(place, on_value=partial(self._later, self._hear, seat), signs=True)
        folder.mkdir(parents=True, exist_ok=True)
        kept = KeptFile(folder)
        kept.change(names={}, occasion=None, occasion_game="", played=None)  # bots do not take up a game of before
        file = _board_file(rules)
        self.board = HallBoard(file, seed, pace.at_once)
        plan = TablePlan(TableConfig(name, clock=clock or TimeControl()), rules, folder, "en", self.board.url, kept)
        board = OpenBoard(self.board, Talk(self.board), file, None)
        self._at_rest = TableBoard(board, self.note, plan.language, lambda word: None, self._failed)
        calls = (lambda seat: self.drop_handset(seat, 3.0), lambda: True, self._failed, self._at_rest.leave)
        self.table = RunningTable(plan, Around(board, self._at_rest.watch, link, self, *calls))
        open_desk(key, self.table, link)

    def start(self) -> None:
        """Connect referee and handsets; raises a `BrokerError`."""
        self._at_rest.listen()
        self._link.start()
        for handset in self._handsets.values():
            handset.start()

    def stop(self) -> None:
        """Leave."""
        for timer in self._timers:
            timer.cancel()
        self._at_rest.leave()
        self.table.close()
        self.board.close()
        for handset in self._handsets.values():
            handset.stop(0)  # the table answers nothing any more
        self._link.stop()

    @property
    def shown(self) -> PublicView | None:
        """What everybody sees, None before the first game."""
        return self.table.game.table.view() if self.table.game is not None else None

    def _failed(self, error: BaseException) -> None:
        self._loop.call_exception_handler({"message": f"{self.name}: the table ends", "exception": error})

    # ---- what people do by themselves

    def call_arbiter(self, seat: Seat) -> None:
        """Let a player call the arbiter."""
        self._say(seat, CallArbiter(id=secrets.token_hex(6)))

    def want_to_go_on(self) -> None:
        """Let the players go on after a pause of their own."""
        for seat in self._handsets:
            self._say(seat, AskResume(id=secrets.token_hex(6)))

    def disturb(self) -> None:
        """Knock against the board."""
        if self.shown is not None and self.shown.phase is Phase.WAITING_FOR_MOVE:
            self.board.wish({"motion": "bump"})

    def drop_handset(self, seat: Seat, for_s: float) -> None:
        """Let a handset lose its connection for a while."""
        handset = self._handsets[seat]

        def back() -> None:
            try:
                handset.start()
            except LinkError:
                self._after(5.0, back)

        handset.stop()
        self._after(for_s, back)

    # ---- what the table says

    def event(self, event: PublicEvent, read_ns: int | None) -> None:
        """Take an event of the table's own."""
        if self._told and self._told[-1].game != event.game:
            self._told.clear()
        self._told.append(event)
        if event.kind == "end" and self.shown is not None:
            self._on_end(self.shown)

    def view(self, info: PublicInfo, view: PublicView) -> None:
        """Let somebody put the board right after a while, if nobody else does."""
        if view.phase in _OUT_OF_ORDER and self._righting is None:
            self._righting = self._after(self._pace.clear_s, self._put_right)

    def _put_right(self) -> None:
        self._righting = None
        view, game = self.shown, self.table.game
        if view is not None and game is not None and view.phase in _OUT_OF_ORDER:
            self.board.wish(
                {"motion": "restore", "squares": {name: seat.value for name, seat in view.occupants.items()}}
            )
            for player in self._players.values():
                player.act_again()  # a move made in a pause is undone now, and nobody is told of it
            self.view(game.table.info(), view)

    # ---- what comes in

    def _take(self, value: RefereeIncoming) -> None:
        # ready for a game that the station has ended in its set-up is no wish for another
        if not (isinstance(value, FromSeat) and isinstance(value.message, Ready) and self.table.over):
            self.table.take(value)

    def _hear(self, seat: Seat, value: HandsetIncoming) -> None:
        """Let a player take what came to the handset."""
        if isinstance(value, PublicInfo):
            self._sit_down(seat, value)
            return
        player = self._players.get(seat)
        if player is None:
            return
        match value:
            case PublicView() if value.game == player.info.game:
                self._catch_up(seat, player, value.seq)
                self._do(seat, player.view(value))
                asked_anew = value.phase is Phase.WAITING_FOR_DECLARATIONS and seat in value.waiting_for
                if asked_anew and seat in self._refused:
                    self._do(seat, player.letter(self._refused.pop(seat)))
            case PublicEvent() if value.game == player.info.game:
                self._catch_up(seat, player, value.seq)
            case ToSeat(message=Rejected()):
                if seat in self._asked:  # answered in a pause: answered anew once the table goes on
                    self._refused[seat] = self._asked[seat]
                self._after(self._pace.clear_s, partial(self._act_again, seat, player, self.shown))
            case ToSeat(message=message):
                if isinstance(message, Question):
                    self._asked[seat] = message
                elif isinstance(message, Closed | Verdict):
                    self._asked.pop(seat, None)
                    self._refused.pop(seat, None)
                self._do(seat, player.letter(message))

    def _catch_up(self, seat: Seat, player: SimulatedPlayer, seq: int) -> None:
        """Let a player hear all events up to this one, also those that came while its handset was gone."""
        for event in self._told:
            if event.game == player.info.game and self._heard.get(seat, 0) < event.seq <= seq:
                self._heard[seat] = event.seq
                self._do(seat, player.event(event))

    def _act_again(self, seat: Seat, player: SimulatedPlayer, refused: PublicView | None) -> None:
        """Let a player act again. Nobody has moved since the refusal, so no view may come: it looks at the present one."""
        player.act_again()
        now = self.shown
        if now is not None and refused is not None and (now.game, now.ply) == (refused.game, refused.ply):
            self._do(seat, player.view(now))

    def _sit_down(self, seat: Seat, info: PublicInfo) -> None:
        """Begin a game with another bot; one that has played this game already continues."""
        if info.game != self._info:
            self._info, self._games, self._laid = info.game, self._games + 1, {}
            self._players.clear()
            self._heard.clear()
            self.board.lay({})
        if seat not in self._players:
            rng = bot_rng(self._seed * 1000 + self._games, seat)
            rng.seed(f"{self.name}/{self._seed}/{self._games}/{seat.value}")
            low, high = (int(1000 * seconds) for seconds in self._pace.think_s)
            bot = Bot(self._rules, seat, rng, generate(self._rules, seat, rng))
            self._players[seat] = SimulatedPlayer(bot, info, None, think_ms=(low, high))

    # ---- what players do

    def _do(self, seat: Seat, deeds: Iterable[BotAct]) -> None:
        for deed in deeds:
            match deed:
                case Say(message=message):
                    self._say(seat, message)
                case Do(motion=motion):
                    wait_s = motion.pop("after_ms", 0) / 1000
                    self._after(wait_s, partial(self._move, self._players[seat], motion))

    def _say(self, seat: Seat, message: FromHandset) -> None:
        try:
            self._handsets[seat].send(message)
        except LinkError:
            if seat in self._players:
                self._players[seat].act_again()

    def _move(self, player: SimulatedPlayer, motion: Motion) -> None:
        """Make a motion, unless the table has changed its mind since it was planned."""
        view = self.shown
        if view is None or view.game != player.info.game:
            return
        if motion["motion"] == "place":
            self._laid |= dict.fromkeys(motion["squares"], motion["seat"])
            self.board.lay(self._laid)
        elif motion["motion"] == "restore":
            if view.phase in _OUT_OF_ORDER:  # else somebody was faster, and a piece may have moved since
                self.board.wish(motion)
        elif motion["motion"] not in ("move", "both", "lift"):
            self.board.wish(motion)
        elif view.phase is Phase.WAITING_FOR_MOVE and view.turn is player.seat:
            self.board.wish(motion, player.act_again)
        else:
            player.act_again()

    def _after(self, delay_s: float, act: Callable[[], object]) -> asyncio.TimerHandle:
        def run() -> None:
            self._timers.discard(timer)
            act()

        timer = self._loop.call_later(delay_s, run)
        self._timers.add(timer)
        return timer

    def _later(self, act: Callable[..., None], *arguments: Any) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed: the hall has ended
            self._loop.call_soon_threadsafe(act, *arguments)
