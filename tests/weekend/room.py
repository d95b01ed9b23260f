"""The room of a simulated weekend: boards with real rules, arbitration, orders and passes, and players who play real games to their ends.

Told are the hands: what they do goes into the table as sensing would say it, without magnets; and a seat's letters reach its player
without a phone between. All boards live on one thread, one ply after the other, and come to the hall's own broker, each by its pass.
"""

from __future__ import annotations

import heapq
import itertools
import json
import queue
import secrets
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, Any, TypeVar, cast

from referee.journal.events import JournalRow
from referee.net.broker.hall_broker import HallPass
from referee.net.credential import Address, Credential
from referee.net.links.connection import Connection, outgoing
from referee.net.links.referee_link import alerts_of
from referee.net.topics import codec
from referee.net.topics.payloads import Act, Alerts, ArbiterAck, Occasion, Played, SignedOrder, Status
from referee.net.topics.topics import Role, Topic, address
from referee.rules import RuleSet, rule_set
from referee.rules.values import Seat, Square
from referee.runtime.event_loop import TableShell, monotonic_ms
from referee.runtime.game import RunningTable
from referee.runtime.orders import ArbiterDesk
from referee.runtime.set_ups import generate
from referee.sensing import Agreed, AttackSeen, Final, Lifted, Read, Seen
from referee.simulated_players.player import Bot, BotAct, Do, Fault, Motion, Say, SimulatedPlayer, bot_rng
from referee.table.inputs import Input, Open, SeatSays, Tick
from referee.table.messages import CallArbiter, FromHandset
from referee.table.settings import ClockKind, TableSettings, TimeControl
from referee.table.step import Step
from referee.table.table import Table
from referee.table.views import GameEnd, Phase, PublicView
from tests.patience import PATIENCE_S

CLOCK = TimeControl(ClockKind.FISCHER, 25 * 60_000, 5_000)
SLOW_S = 20.0
"""So long a player thinks whose game must not be over before an arbiter has come."""
MOST_UNSENT, _UNSENT_S = 12, 0.02
"""With so many events on their way to the broker a hand waits, and looks again after so long."""
_TICK_S = 0.25
T = TypeVar("T")


class Room:
    """The thread on which all boards play."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self.tables: dict[str, ToldTable] = {}
        self.faults: list[str] = []
        self._due: list[tuple[float, int, Callable[[], None]]] = []
        self._order = itertools.count()
        self._posted: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._awaited: list[Callable[[], bool]] = []
        self._ended = False
        self._thread = threading.Thread(target=self._run, name="room", daemon=True)
        self._thread.start()

    def add(self, passed: HallPass, rules: Callable[[Occasion | None], str], seed: int) -> ToldTable:
        """Let a table come to the hall with its pass; `rules` says what is played for an event."""
        table = self.tables[passed.board] = ToldTable(self, passed, rules, seed, self._folder / f"{passed.board}.jsonl")
        table.start()
        self._later(_TICK_S, table.tick)
        return table

    def post(self, act: Callable[[], None]) -> None:
        """Let something be done on the room's thread."""
        self._posted.put(act)

    def call(self, act: Callable[[], T]) -> T:
        """Do something on the room's thread, and return what came of it."""
        told: Future[T] = Future()

        def there() -> None:
            try:
                told.set_result(act())
            except Exception as error:
                told.set_exception(error)

        self.post(there)
        return told.result(PATIENCE_S)

    def until(self, what: Callable[[], T | None]) -> T:
        """Wait until something is no longer None, looking after each act of the room. Returns it."""
        told: Future[T] = Future()

        def look() -> bool:
            if (found := what()) is not None:
                told.set_result(found)
            return found is not None

        self.post(lambda: self._awaited.append(look))
        return told.result(PATIENCE_S)

    def _later(self, delay_s: float, act: Callable[[], None]) -> None:
        heapq.heappush(self._due, (time.monotonic() + delay_s, next(self._order), act))

    def stop(self) -> None:
        """Let all tables leave."""
        self._ended = True
        self.post(lambda: None)
        self._thread.join()
        for table in self.tables.values():
            table.stop()

    def _run(self) -> None:
        while not self._ended:
            wait_s = min(1.0, max(0.0, self._due[0][0] - time.monotonic())) if self._due else 1.0
            try:
                act = self._posted.get(timeout=wait_s) if wait_s else self._posted.get_nowait()
            except queue.Empty:
                if not self._due or self._due[0][0] > time.monotonic():
                    continue
                act = heapq.heappop(self._due)[2]
            try:
                act()
                self._awaited = [look for look in self._awaited if not look()]
            except Exception as error:  # a board that fails is told of, and the others play on
                self.faults.append(f"{type(error).__name__}: {error}")


@dataclass(frozen=True, slots=True)
class Ended:
    """What a board keeps of a game: for what, who played, how it ended and after how many plies."""

    event: str
    round: int
    table: int
    red: str
    blue: str
    winner: str | None
    reason: str
    plies: int
    game: str


class ToldTable:
    """One board. Everything happens on the room's thread."""

    def __init__(
        self, room: Room, passed: HallPass, rules: Callable[[Occasion | None], str], seed: int, record: Path
    ) -> None:
        self.board, self._room, self._rules_for, self._seed = passed.board, room, rules, seed
        self.rules: RuleSet = rule_set(rules(None))
        self.think_s = 0.0
        self.waits = False
        """Whether a player of the next game is not there, so that its set-up does not end."""
        self.ended: list[Ended] = []
        self.alerts: list[str] = []
        """The kinds of all alerts that it raised."""
        self._record: IO[str] = record.open("w", encoding="utf-8")
        self._table: Table | None = None
        self._players: dict[Seat, SimulatedPlayer] = {}
        self._laid: dict[Square, Seat] = {}
        self._said: deque[tuple[Seat, BotAct]] = deque()
        self._told_alerts: Alerts | None = None
        self._names: Mapping[Seat, str] = {}
        self._occasion: Occasion | None = None
        self._game, self._games, self._plans, self._session = "", 0, 0, secrets.token_hex(8)
        self._played: Played | None = None
        credential = Credential(
            Role.REFEREE, passed.user, passed.password, Address(passed.host, passed.port), passed.board
        )
        self._events = address(Topic.EVENT, self.board)
        reads = [(address(Topic.ARBITER_COMMAND, self.board), 1)]
        self._connection = Connection(credential, reads, on_message=self._ordered)
        self._desk = ArbiterDesk(passed.key, self.board, self._session, cast(RunningTable, self), self._answer)

    def start(self) -> None:
        """Come to the hall."""
        self._tell_status()
        self._connection.start(60)

    def stop(self) -> None:
        """Leave it."""
        if dropped := self._connection.figures().dropped:
            self._room.faults.append(f"{self.board}: {dropped} messages were dropped")
        self._connection.stop()
        self._record.close()

    # ---- what the station orders

    def assign(self, names: Mapping[Seat, str], occasion: Occasion | None) -> str | None:
        """Take the players of the next game."""
        self._names, self._occasion, self._game, self._played = dict(names), occasion, "", None
        self._tell_status()
        return None

    def begin(self) -> str | None:
        """Begin the game that was assigned."""
        if self._table is not None and self._table.result is None:
            return "not-now"
        self.rules = rule_set(self._rules_for(self._occasion))
        self._game, self._games = secrets.token_hex(8), self._games + 1
        settings = TableSettings(self.board, self._game, self.rules, names=self._names, clock=CLOCK)
        self._table, self._laid, self._said = Table(settings), {}, deque()
        self._players = {seat: self._player(seat) for seat in self.rules.seats}
        self._tell_status()
        self._publish(Topic.INFO, self._table.info())
        self._put(Open())
        return None

    def pair_again(self, seat: Seat) -> str | None:
        """Refuse it: there are no phones here."""
        return "not-now"

    @property
    def game(self) -> AtHand | None:
        """Return the game for the desk, None before the first."""
        return None if self._table is None else AtHand(self, self._table, self.rules)

    # ---- what people do by themselves

    def call_arbiter(self, seat: Seat) -> None:
        """Let a player call the arbiter, which lets the game stand still."""
        self._put(SeatSays(seat, CallArbiter(id=secrets.token_hex(6))))

    def take_time(self, waits: bool) -> None:
        """Let players think long from now on; with `waits` one of the next game is not there."""
        self.think_s, self.waits = SLOW_S, waits

    def sit_down(self) -> None:
        """Let whoever was awaited come, and play as fast as the others."""
        self.waits, self.think_s, self._plans = False, 0.0, self._plans + 1
        for player in self._players.values():
            player.act_again()
        self._look()

    @property
    def shown(self) -> PublicView | None:
        """What everybody sees, None before the first game."""
        return None if self._table is None else self._table.view()

    # ---- players

    def _player(self, seat: Seat) -> SimulatedPlayer:
        assert self._table is not None
        rng = bot_rng(self._seed * 1000 + self._games, seat)
        rng.seed(f"{self.board}/{self._seed}/{self._games}/{seat.value}")
        return SimulatedPlayer(Bot(self.rules, seat, rng, generate(self.rules, seat, rng)), self._table.info())

    def _look(self) -> None:
        """Let everybody at the table look at it, and do what comes of that."""
        view = self.shown
        if view is None or view.result is not None or (self.waits and view.phase is Phase.SETTING_UP):
            return
        for seat, player in self._players.items():
            self._said.extend((seat, deed) for deed in player.view(view))
        self._do_all()

    def _do_all(self) -> None:
        while self._said:
            seat, deed = self._said.popleft()
            match deed:
                case Say(message=message):
                    self._say(seat, message)
                case Do(motion=motion):
                    self._do(seat, motion)
                case Fault(text=text):
                    self._room.faults.append(f"{self.board}: {text}")

    def _say(self, seat: Seat, message: FromHandset) -> None:
        self._put(SeatSays(seat, message))

    def _do(self, seat: Seat, motion: Motion) -> None:
        board = self.rules.board
        match motion["motion"]:
            case "place":
                self._laid |= {board.square(name): seat for name in motion["squares"]}
                if len(self._laid) == sum(self.rules.army.values()) * len(self.rules.seats):
                    self._put(Seen(self._laid, 0))
            case "move" | "lift" | "both":
                assert self._table is not None
                plan = partial(self._reach, seat, motion, self._plans, self._game, self._table.view().ply)
                self._room._later(self.think_s, plan)
            case _:
                pass  # the board is as it should be once the table asks for it

    def _reach(self, seat: Seat, motion: Motion, plans: int, game: str, ply: int) -> None:
        """Make a move, unless the table has changed its mind since it was planned."""
        view = self.shown
        if view is None or view.game != game or view.result is not None or plans != self._plans:
            return
        if view.phase is not Phase.WAITING_FOR_MOVE or view.turn is not seat or view.ply != ply:
            self._players[seat].act_again()
            return
        if self._connection.under_way(self._events) > MOST_UNSENT:  # nobody plays faster than the hall can hear of it
            self._room._later(_UNSENT_S, partial(self._reach, seat, motion, plans, game, ply))
            return
        board = self.rules.board
        source = board.square(motion["square" if motion["motion"] == "lift" else "from"])
        self._put(Lifted(source, 0))
        if motion["motion"] == "both":
            self._put(AttackSeen(source, board.square(motion["target"]), 0))
        elif motion["motion"] == "move":
            public = self._table.public_game if self._table is not None else None
            assert public is not None
            ways = public.situation().prospects
            target = board.square(motion["to"])
            way = next(way for way in ways if (way.source, way.target) == (source, target))
            self._put(Read(way, 0))
            self._put(Final(0))

    # ---- the table

    def tick(self) -> None:
        """Let time pass, and look again for what a pause has held up."""
        self._room._later(_TICK_S, self.tick)
        if self._table is not None and self._table.result is None:
            self._put(Tick())

    def _put(self, given: Input) -> Step:
        assert self._table is not None
        step = self._table.apply(given, monotonic_ms())
        self.take(step)
        return step

    def take(self, step: Step) -> None:
        """Publish a step and let the players hear of it; hands put right what the table asks for."""
        table = self._table
        assert table is not None
        for fact in step.facts:
            if fact.event is not None:
                self._publish(Topic.EVENT, fact.event)
        view = table.view()
        if step.view_changed:
            self._publish(Topic.STATE, view)
            self._tell_alerts(view)
        for fact in step.facts:
            for seat, player in self._players.items():
                if fact.event is not None:
                    self._said.extend((seat, deed) for deed in player.event(fact.event))
        for letter in step.letters:
            said = self._players[letter.seat].letter(letter.body.open_hidden())
            self._said.extend((letter.seat, deed) for deed in said if not isinstance(deed, Fault))
        if any(fact.kind == "end" for fact in step.facts) and table.result is not None:
            self._keep(view, table.result)
        if not (step.facts or step.view_changed):
            return
        if table.phase in (Phase.RESTORING, Phase.WAITING_FOR_BOARD):
            self._room.post(self._put_right)
        self._room.post(self._look)

    def _put_right(self) -> None:
        if self._table is not None and self._table.phase in (Phase.RESTORING, Phase.WAITING_FOR_BOARD):
            for player in self._players.values():
                player.act_again()
            self._put(Agreed(0, 0))

    def _keep(self, view: PublicView, end: GameEnd) -> None:
        occasion = self._occasion or Occasion("", 0, 0)
        red, blue = (self._names.get(seat, "") for seat in (Seat.RED, Seat.BLUE))
        winner = end.winner.value if end.winner else None
        kept = Ended(
            event=occasion.event,
            round=occasion.round,
            table=occasion.table,
            red=red,
            blue=blue,
            winner=winner,
            reason=str(end.reason),
            plies=view.ply,
            game=view.game,
        )
        self.ended.append(kept)
        self._record.write(json.dumps({name: getattr(kept, name) for name in kept.__slots__}) + "\n")
        self._record.flush()

    # ---- the line

    def _ordered(self, _topic: str, payload: bytes) -> None:
        order = codec.decode_public(Topic.ARBITER_COMMAND, payload)
        assert isinstance(order, SignedOrder)
        self._room.post(lambda: self._take_order(order))

    def _take_order(self, order: SignedOrder) -> None:
        self._desk.take(order)

    def _answer(self, ack: ArbiterAck) -> None:
        self._publish(Topic.ARBITER_ACK, ack)

    def _tell_status(self) -> None:
        self._publish(Topic.STATUS, Status(True, 1, self._session, self._occasion, self._game, self._played))

    def _tell_alerts(self, view: PublicView) -> None:
        alerts = alerts_of(view)
        if self._told_alerts is None or (alerts.game, alerts.alerts) != (
            self._told_alerts.game,
            self._told_alerts.alerts,
        ):
            known = set() if self._told_alerts is None else set(self._told_alerts.alerts)
            self.alerts += [alert.kind.value for alert in alerts.alerts if alert not in known]
            self._told_alerts = alerts
            self._publish(Topic.ARBITER_ALERTS, alerts)

    def _publish(self, topic: Topic, value: codec.PublicValue) -> None:
        self._connection.publish(outgoing(topic, self.board, codec.encode_public(value)))


class AtHand:
    """The game that is on, for the desk: it has no disk, and of hands it remembers nothing."""

    def __init__(self, owner: ToldTable, table: Table, rules: RuleSet) -> None:
        self._owner, self.table, self.rules, self.shell = owner, table, rules, cast(TableShell, self)
        self.hands: Iterable[Any] = ()

    def catch_up(self) -> None:
        """Let happen what is due."""
        self._owner._put(Tick())

    def rows(self) -> list[JournalRow]:
        """Return nothing: nothing is written."""
        return []

    def correct(self, act: Act) -> None:
        """Carry an order out. Raises `CorrectionError`."""
        self._owner.take(self.table.apply(cast(Input, act), monotonic_ms()))

    def is_signed(self, *_: object) -> bool:
        """Return False: these games have no chain."""
        return False
