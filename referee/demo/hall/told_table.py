"""One simulated table of a hall: the real referee with its journal, two sealed handsets at the real broker, and told hands."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random
from typing import cast

from referee.demo.bot import Bot
from referee.demo.hall.told_board import Motion, ToldBoard
from referee.demo.player import Deed, Do, Player, Say, bot_rng
from referee.demo.set_ups import generate
from referee.journal.events import JournalRow
from referee.journal.journal import public_rows
from referee.net.broker.hall_broker import HallBroker
from referee.net.credential import KeyPair
from referee.net.errors import LinkError
from referee.net.links.handset_link import HandsetLink
from referee.net.links.referee_link import RefereeLink
from referee.net.sealing.signing import OrderKey
from referee.net.topics.payloads import (
    FromSeat,
    HandsetIncoming,
    HandSign,
    Occasion,
    Played,
    RefereeIncoming,
    SeatPresence,
    SignedOrder,
    ToSeat,
)
from referee.net.topics.topics import Role
from referee.rules import RuleSet
from referee.rules.hidden import Hidden
from referee.rules.values import Seat
from referee.runtime.arbiter_desk import ArbiterDesk
from referee.runtime.event_loop import TableShell
from referee.runtime.game_archive import Keeping
from referee.sensing import Disturbed, Final, Interpreter, Observation
from referee.table.commitments import SEED_BYTES
from referee.table.inputs import Connection, SeatSays
from referee.table.messages import AskResume, CallArbiter, Closed, Question, Rejected, Verdict
from referee.table.settings import TableSettings, TimeControl
from referee.table.table import Table
from referee.table.views import Phase, PublicEvent, PublicInfo, PublicView

_PULSE_S = 1.5


@dataclass(frozen=True, slots=True)
class Pace:
    """How fast simulated people are, in seconds."""

    think_s: tuple[float, float]
    hold_s: float
    """A piece is in the air."""
    settle_s: float
    """Hands are away from the board."""
    clear_s: float
    """Somebody puts the board right."""


HUMAN = Pace((2.0, 9.0), 0.6, 1.0, 2.5)
TOP = Pace((0.0, 0.0), 0.0, 0.0, 0.0)


class ToldShell(TableShell):
    """A table's shell that takes what sensing would say; frames never come."""

    def __init__(self, table: Table, board: ToldBoard, ledger: Keeping, outlet: RefereeLink, **more: object) -> None:
        super().__init__(table, cast(Interpreter, board), board, ledger, outlet, **more)  # type: ignore[arg-type]
        self._told = table

    def observe(self, said: Observation) -> None:
        """Take an observation."""
        self._note_hand(said)
        now_ms = time.monotonic_ns() // 1_000_000
        self._guarded(lambda: self._carry_out(self._told.apply(said, now_ms), None))


@dataclass(slots=True)
class _Played:
    """A game that was begun."""

    table: Table
    shell: ToldShell
    keeping: Keeping
    board: ToldBoard
    rules: RuleSet
    players: Mapping[Seat, Player] = field(default_factory=dict)

    def rows(self) -> list[JournalRow]:
        return public_rows(self.keeping.journal_path)

    def hands(self) -> list[HandSign]:
        return list(self.shell.hands)

    def close(self) -> None:
        self.shell.close()
        self.keeping.close()
        self.board.close()


class ToldTable:
    """Plays one game after the other, each when the station says `begin`. Everything happens on the running loop."""

    def __init__(
        self,
        name: str,
        broker: HallBroker,
        key: OrderKey,
        rules: RuleSet,
        folder: Path,
        *,
        seed: int,
        pace: Pace = HUMAN,
        clock: TimeControl | None = None,
        on_end: Callable[[PublicView], None] = lambda view: None,
    ) -> None:
        self.name, self._rules, self._folder = name, rules, folder
        self._pace, self._clock, self._on_end = pace, clock or TimeControl(), on_end
        self._random = Random(f"{seed}/{name}")
        self._seed, self._games = seed, 0
        self._loop = asyncio.get_running_loop()
        self._timers: set[asyncio.TimerHandle] = set()
        self._settling: asyncio.TimerHandle | None = None
        self._righting: asyncio.TimerHandle | None = None
        self._played: _Played | None = None
        self._names: Mapping[Seat, str] = {}
        self._occasion: Occasion | None = None
        keys = KeyPair.create()
        self._link = RefereeLink(
            broker.credential(name, Role.REFEREE, own=keys), on_value=lambda value: self._later(self._take, value)
        )
        self._handsets: dict[Seat, HandsetLink] = {}
        self._asked: dict[Seat, Question] = {}
        self._refused: dict[Seat, Question] = {}
        """What each player is asked now; and what of it the table did not take the answer to."""
        for seat in rules.seats:
            own = KeyPair.create()
            credential = broker.credential(name, Role.HANDSET, seat, own).with_keys(own, keys.public)
            self._link.pair(seat, own.public)
            self._handsets[seat] = HandsetLink(credential, on_value=partial(self._later, self._hear, seat))
        self._desk = ArbiterDesk(key, name, self._link.session, lambda: self._played, self, self._link.acknowledge)

    def start(self) -> None:
        """Connect referee and handsets; raises a `BrokerError`."""
        self._link.start()
        for handset in self._handsets.values():
            handset.start()

    def stop(self) -> None:
        """Leave."""
        for timer in self._timers:
            timer.cancel()
        if self._played is not None:
            self._played.close()
        for handset in self._handsets.values():
            handset.stop()
        self._link.stop()

    @property
    def view(self) -> PublicView | None:
        """Give what everybody sees, None before the first game."""
        return self._played.table.view() if self._played is not None else None

    # ---- what an arbiter may order beside the game

    def pair_again(self, seat: Seat) -> str | None:
        """Let the seat's handset go and come back, as after a pairing."""
        handset = self._handsets.get(seat)
        if handset is None:
            return "no-such-seat"
        self.drop_handset(seat, 3.0)
        return None

    def assign(self, names: Mapping[Seat, str], occasion: Occasion | None) -> str | None:
        """Take the players of the next game."""
        if set(names) - set(self._rules.seats):
            return "no-such-seat"
        self._names, self._occasion = dict(names), occasion
        if self._played is None or self._played.table.phase is Phase.FINISHED:
            self._link.tell_occasion(occasion, "")
        return None

    def begin(self) -> str | None:
        """Begin the next game."""
        if self._played is not None and self._played.table.phase is not Phase.FINISHED:
            return "not-now"
        game = secrets.token_hex(8)
        self._link.tell_occasion(self._occasion, game)
        self._begin(game, self._occasion)
        return None

    def play_on(self) -> None:
        """Begin another game for themselves, as two players may once theirs is over: it counts for nothing. Safe for any thread."""
        self._later(self._play_on)

    def _play_on(self) -> None:
        assert self._played is not None
        info, end = self._played.table.info(), self._played.table.result
        assert end is not None
        self._link.tell_occasion(self._occasion, info.game, Played(dict(info.names), end))
        self._begin(secrets.token_hex(8), None)

    def _begin(self, game: str, occasion: Occasion | None) -> None:
        if self._played is not None:
            self._played.close()
        self._games += 1
        secret = Hidden(secrets.token_bytes(SEED_BYTES))
        settings = TableSettings(
            self.name,
            game,
            self._rules,
            names=dict(self._names),
            secret=secret,
            clock=self._clock,
            occasion=occasion,
        )
        table = Table(settings)
        board = ToldBoard({square.name: square for square in self._rules.board.squares})
        keeping = Keeping.open(self._folder / f"game-{self._games}", settings)
        shell = ToldShell(table, board, keeping, self._link, on_view=self._seen, on_event=self._heard_event)
        players = {seat: self._player(seat, table.info()) for seat in self._rules.seats}
        self._played = _Played(table, shell, keeping, board, self._rules, players)
        shell.open()
        self._pulse(board)

    def _player(self, seat: Seat, info: PublicInfo) -> Player:
        rng = bot_rng(self._seed * 1000 + self._games, seat)
        rng.seed(f"{self.name}/{self._seed}/{self._games}/{seat.value}")
        bot = Bot(self._rules, seat, rng, generate(self._rules, seat, rng))
        low, high = (int(1000 * seconds) for seconds in self._pace.think_s)
        return Player(bot, info, None, think_ms=(low, high))

    # ---- troubles that a demo makes

    def call_arbiter(self, seat: Seat) -> None:
        """Let a player call the arbiter."""
        self._say(seat, CallArbiter(id=secrets.token_hex(6)))

    def want_to_go_on(self) -> None:
        """Let the players go on after a pause of their own."""
        for seat in self._handsets:
            self._say(seat, AskResume(id=secrets.token_hex(6)))

    def disturb(self) -> None:
        """Let an elbow sweep over the board."""
        game = self._played
        if game is None or game.table.phase is not Phase.WAITING_FOR_MOVE:
            return
        occupied = list(game.table.view().occupants)
        for name in self._random.sample(occupied, min(6, len(occupied))):
            game.board.do({"motion": "remove", "square": name})
        game.shell.observe(Disturbed(game.board.differences(), game.board.now_ms))

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

    # ---- what comes in

    def _take(self, value: RefereeIncoming) -> None:
        match value:
            case SignedOrder():
                self._desk.take(value)
            case FromSeat() if self._played is not None:
                self._played.shell.put_in(SeatSays(value.seat, value.message))
            case SeatPresence() if self._played is not None:
                self._played.shell.put_in(Connection(value.seat, value.here))

    def _hear(self, seat: Seat, value: HandsetIncoming) -> None:
        """Let a player take what came to the handset."""
        game = self._played
        if game is None:
            return
        player = game.players[seat]
        match value:
            case PublicView() if value.game == player.info.game:
                self._do(seat, player.view(value))
                if (
                    value.phase is Phase.WAITING_FOR_DECLARATIONS
                    and seat in value.waiting_for
                    and seat in self._refused
                ):
                    self._do(seat, player.letter(self._refused.pop(seat)))
            case PublicEvent() if value.game == player.info.game:
                self._do(seat, player.event(value))
            case ToSeat(message=Rejected()):
                if seat in self._asked:  # answered in a pause: answered anew once the table goes on
                    self._refused[seat] = self._asked[seat]
                self._after(self._pace.clear_s, player.act_again)
            case ToSeat(message=Question() as question):
                self._asked[seat] = question
                self._do(seat, player.letter(question))
            case ToSeat(message=Closed() | Verdict()):
                self._asked.pop(seat, None)
                self._refused.pop(seat, None)
                self._do(seat, player.letter(value.message))
            case ToSeat():
                self._do(seat, player.letter(value.message))

    def _seen(self, view: PublicView) -> None:
        game = self._played
        if game is None:
            return
        self._settle_soon()
        wrong = view.phase in (Phase.RESTORING, Phase.WAITING_FOR_BOARD)
        if wrong and self._righting is None:
            self._righting = self._after(self._pace.clear_s + self._pace.settle_s, self._put_right)

    def _heard_event(self, event: PublicEvent, _read_ns: int | None) -> None:
        if event.kind == "end" and self._played is not None:
            self._on_end(self._played.table.view())

    # ---- what people do

    def _do(self, seat: Seat, deeds: Iterable[Deed]) -> None:
        for deed in deeds:
            match deed:
                case Say(message=message):
                    self._say(seat, message)
                case Do(motion=motion):
                    game = self._played
                    assert game is not None
                    self._after(motion.get("after_ms", 0) / 1000, partial(self._move, game, seat, motion))

    def _say(self, seat: Seat, message: object) -> None:
        try:
            self._handsets[seat].send(message)  # type: ignore[arg-type]  # a message of a handset, says the player
        except LinkError:
            if self._played is not None:
                self._played.players[seat].act_again()

    def _move(self, game: _Played, seat: Seat, motion: Motion) -> None:
        """Make a motion, unless the table has changed its mind since it was planned."""
        if game is not self._played:
            return
        begins = motion["motion"] in ("move", "both", "lift")
        if begins and not (game.table.phase is Phase.WAITING_FOR_MOVE and game.table.view().turn is seat):
            game.players[seat].act_again()
            return
        shown = game.board.do(motion)
        for number, said in enumerate(shown):
            self._after(self._pace.hold_s * number, partial(self._observe, game, said))
        self._settle_soon()

    def _observe(self, game: _Played, said: Observation) -> None:
        if game is not self._played:
            return
        last = game.table.view().last_move
        if not (isinstance(said, Final) and (last is None or last.final)):
            game.shell.observe(said)

    def _settle_soon(self) -> None:
        if self._settling is None:
            self._settling = self._after(self._pace.settle_s, self._settle)

    def _settle(self) -> None:
        self._settling = None
        game = self._played
        if game is not None:
            for said in game.board.settle():
                self._observe(game, said)

    def _put_right(self) -> None:
        self._righting = None
        game = self._played
        if game is None or game.table.phase not in (Phase.RESTORING, Phase.WAITING_FOR_BOARD):
            return
        view = game.table.view()
        wanted = {name: seat.value for name, seat in view.occupants.items()}
        for said in game.board.do({"motion": "restore", "squares": wanted}):
            self._observe(game, said)
        self._righting = self._after(self._pace.clear_s + self._pace.settle_s, self._put_right)

    def _pulse(self, board: ToldBoard) -> None:
        if self._played is not None and self._played.board is board:
            board.pulse()
            self._after(_PULSE_S, lambda: self._pulse(board))

    def _after(self, delay_s: float, act: Callable[[], object]) -> asyncio.TimerHandle:
        def run() -> None:
            self._timers.discard(timer)
            act()

        timer = self._loop.call_later(delay_s, run)
        self._timers.add(timer)
        return timer

    def _later(self, act: Callable[..., None], *arguments: object) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed: the hall has ended
            self._loop.call_soon_threadsafe(act, *arguments)
