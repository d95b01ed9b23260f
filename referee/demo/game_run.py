"""Games of the demo, one or a series, through every real part: board behind a pty, broker, a handset process a seat, referee, journal.

First what a demo is asked to do, checked before anything starts, and what it says at the end: one object for `--json`, a few lines for
people.
"""

from __future__ import annotations

import asyncio
import contextlib
import datetime
import json
import secrets
import shlex
import signal
import statistics
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import msgspec
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table as Grid
from rich.text import Text

from firmware_bridge.messages import BoardUnreachableError
from firmware_bridge.sources.serial_port import SimSource
from hardware import BoardFile, BoardFileError, Sensing, board_names, load_board
from referee.demo.recorded import ScriptedGame
from referee.journal.history import answer
from referee.net.broker.access import SeatPairing
from referee.net.broker.broker import Broker
from referee.net.credential import KeyPair, PublicKey
from referee.net.errors import LinkError
from referee.net.links.referee_link import RefereeLink
from referee.net.topics.payloads import FromSeat, LinkDown, PeerFault, RefereeIncoming, SeatPresence
from referee.net.topics.topics import Role
from referee.rules import CombatResult, EndReason, GameResult, RuleSet
from referee.rules.hidden import Hidden
from referee.rules.values import Rank, Seat, Square
from referee.runtime.boards import playable_board
from referee.runtime.child_processes import Child, ChildError
from referee.runtime.errors import BadInputError, UnreachableError, told_as
from referee.runtime.event_loop import TableShell
from referee.runtime.game import interpreter_of
from referee.runtime.game_archive import Keeping
from referee.runtime.kiosk_service import start_kiosk
from referee.runtime.set_ups import generate
from referee.runtime.table_config import TableConfig
from referee.simulated_players.player import WaitingHands, bot_rng
from referee.table.commitments import SALT_BYTES, SEED_BYTES
from referee.table.inputs import Abort, Connection, SeatSays
from referee.table.messages import Missed
from referee.table.settings import TableSettings
from referee.table.table import Table
from referee.table.views import Mode, PublicEvent, PublicInfo, PublicView, Reveal
from referee.terminal import LiveBoard, TerminalConsole


@dataclass(frozen=True, slots=True)
class DemoOptions:
    """One demo, or with `games` above 1 a series with seeds that count up from `seed`."""

    rules: RuleSet
    rules_name: str
    """How another process finds the same rules: the name of a shipped set, or the path of a file."""
    state_dir: Path
    seed: int = 0
    games: int = 1
    board: str = "sim"
    board_file: str | None = None
    """The board's name, or its file's path; None for the first that has the squares."""
    sensing: str | None = None
    """`colour` or `occupancy`; None for what the board file says."""
    mode: Mode = Mode.DECLARE
    reveal: Reveal = Reveal.BOOK
    noise: str = "clean"
    pace: int = 0
    """How many times human pace; 0 for as fast as the parts allow."""
    style: str = "sensible"
    recorded: ScriptedGame | None = None
    kiosk: bool = False
    language: str = "en"
    broker_port: int | None = None

    def numbered(self, index: int) -> DemoOptions:
        """Return the options of the game with this index, from 0, in a series."""
        return replace(self, seed=self.seed + index, games=1, state_dir=self.state_dir / f"game-{index + 1}")


# What a demo says at the end.


_PROMPTS = frozenset({"ask", "move.refused"})
"""Events that ask the players for more than the ordinary questions of an attack."""


@dataclass(slots=True)
class Tally:
    """Counts one game while it is played: what the hands did against what became final."""

    intents: dict[int, tuple[str, str]] = field(default_factory=dict)
    finals: dict[int, tuple[str, str]] = field(default_factory=dict)
    attacks: int = 0
    asked: int = 0
    ghost: int = 0
    latencies_ms: list[float] = field(default_factory=list)

    def intend(self, ply: int, source: str, target: str) -> None:
        """Note what the hands are about to do as this ply."""
        self.intents[ply] = (source, target)

    def hear(self, event: PublicEvent) -> None:
        """Note a public event."""
        if event.kind in ("move.final", "verdict"):
            assert event.source
            assert event.target
            self.finals[event.ply] = (event.source, event.target)
        self.attacks += event.kind == "verdict"
        self.asked += event.kind in _PROMPTS
        self.ghost += event.kind in ("move.revised", "move.unread")

    @property
    def plies(self) -> int:
        """Count the final plies."""
        return len(self.finals)

    @property
    def misread(self) -> int:
        """Count the final plies that differ from what the hands did."""
        return sum(1 for ply, squares in self.finals.items() if self.intents.get(ply) != squares)

    @property
    def lost(self) -> int:
        """Count the plies that the hands made and that never became final."""
        return sum(1 for ply in self.intents if ply not in self.finals)


@dataclass(frozen=True, slots=True)
class GameReport:
    """How one game of a demo went."""

    seed: int
    winner: str | None
    """A seat's word, `draw`, or None for a game without a result."""
    reason: str
    tally: Tally
    journal: Path
    record: Path


def document(rules: str, games: Sequence[GameReport], series: bool) -> dict[str, Any]:
    """Return the object of `demo --json`; in a series counts are sums, `winner` is null and `results` lists the games."""
    last = games[-1]
    together: dict[str, Any] = {
        "rules": rules,
        "games": len(games),
        **_totals(games, "plies", "attacks"),
        "winner": None if series else last.winner,
        "reason": None if series else last.reason,
        **_totals(games, "misread", "asked", "ghost", "lost"),
        "latency_ms": _latency(games),
        "journal": str(last.journal),
        "record": str(last.record),
        "seed": games[0].seed,
    }
    if series:
        together["results"] = [_one(game) for game in games]
    return together


def _one(game: GameReport) -> dict[str, Any]:
    return {
        "seed": game.seed,
        "winner": game.winner,
        "reason": game.reason,
        **_totals([game], "plies", "attacks", "misread", "asked"),
        "journal": str(game.journal),
        "record": str(game.record),
    }


def _totals(games: Sequence[GameReport], *names: str) -> dict[str, int]:
    """Return the sums of counts of a tally, by name."""
    return {name: sum(getattr(game.tally, name) for game in games) for name in names}


def _latency(games: Sequence[GameReport]) -> dict[str, float | None]:
    """Return the median and the 99th percentile in milliseconds, rounded to a hundredth; None where nothing was measured."""
    values = [value for game in games for value in game.tally.latencies_ms]
    if len(values) < 2:
        only = round(values[0], 2) if values else None
        return {"p50": only, "p99": only}
    cuts = statistics.quantiles(values, n=100, method="inclusive")
    return {"p50": round(cuts[49], 2), "p99": round(cuts[98], 2)}


def summary(rules: str, games: Sequence[GameReport]) -> list[tuple[str, str]]:
    """Return the closing lines as (label, text)."""
    latency = _latency(games)
    lines: list[tuple[str, str]] = [("Rules", rules)]
    if len(games) == 1:
        game = games[0]
        ending = f"{game.winner} wins" if game.winner not in (None, "draw") else (game.winner or "no result")
        lines.append(("Result", f"{ending} ({game.reason})"))
    else:
        wins = {
            word: sum(1 for game in games if game.winner == word)
            for word in sorted({g.winner or "none" for g in games})
        }
        lines.append(("Games", f"{len(games)}: " + ", ".join(f"{word} {count}" for word, count in wins.items())))
    total = _totals(games, "plies", "attacks", "misread", "asked")
    lines += [
        ("Moves", f"{total['plies']}, of them attacks {total['attacks']}"),
        ("Misread", str(total["misread"])),
        ("Needed help", f"{total['asked']} times"),
        ("Reaction time", f"p50 {latency['p50']} ms, p99 {latency['p99']} ms"),
        ("Journal", str(games[-1].journal)),
        ("Record", str(games[-1].record)),
    ]
    return lines


# The game.


_START_S = 120.0
_CONTROLLERS = {"avr-sim": "atmega328p", "pico-sim": "rp2040", "gpio": "pi"}
"""What the simulated board is told of each `--board` but `sim`."""

_EMULATED = ("avr-sim", "pico-sim")
_STALL_S = 60.0
"""With nothing said for this long a game is stopped as unfinished; longer where players may think, and where a chip is emulated, for which
setting up may take minutes.
"""

Watch = Callable[[PublicInfo, PublicView], None]


class GameRun:
    """Starts all parts, plays, stops all parts; also when something breaks on the way."""

    def __init__(self, options: DemoOptions, board: BoardFile, watch: Watch) -> None:
        self._options = options
        self._board = board
        self._watch = watch
        self._loop = asyncio.get_running_loop()
        self._tally = Tally()
        self._read_ns: dict[int, int] = {}
        self._hands = WaitingHands()
        self._players: dict[Seat, Child] = {}
        self._keys: dict[Seat, asyncio.Future[str]] = {}
        self._over: dict[Seat, asyncio.Future[None]] = {}
        self._broken: asyncio.Future[None] = self._loop.create_future()
        self._progress = asyncio.Event()
        self._leaving = False
        game = secrets.token_hex(8)
        names = {seat: f"{seat.value.capitalize()} ({options.style})" for seat in options.rules.seats}
        secret = Hidden(secrets.token_bytes(SEED_BYTES))
        salts: Hidden[Mapping[Seat, str]] = Hidden({seat: secrets.token_hex(SALT_BYTES) for seat in names})
        self._settings = TableSettings(
            "demo",
            game,
            options.rules,
            options.mode,
            options.reveal,
            names,
            secret=secret,
            salts=salts,
            date=datetime.date.today().isoformat(),
        )
        self._table = Table(self._settings)

    async def play(self) -> GameReport:
        """Play one game. Raises `UnreachableError` when a part cannot be started or breaks."""
        self._loop.set_exception_handler(self._callback_failed)
        with told_as(UnreachableError, LinkError, BoardUnreachableError, ChildError):
            async with AsyncExitStack() as stack:
                try:
                    return await self._play(stack)
                finally:
                    self._leaving = True

    async def _play(self, stack: AsyncExitStack) -> GameReport:
        options = self._options
        broker = Broker.start(options.state_dir / "broker", "demo", port=options.broker_port or 0, on_end=self._later)
        stack.callback(broker.stop)
        keys = KeyPair.create()
        link = RefereeLink(broker.credential(Role.REFEREE, keys), on_value=self._from_link_thread)
        await asyncio.gather(*(self._start_player(seat, stack) for seat in options.rules.seats))
        set_ups = self._set_ups()
        pairing = SeatPairing(broker.address, "demo", keys.public)
        for seat, child in self._players.items():
            key = PublicKey.from_text(await asyncio.wait_for(self._keys[seat], _START_S))
            grant = pairing.grant(seat, key)
            broker.admit(grant)
            link.pair(seat, key)
            child.send({"credential": grant.credential.to_json(), "config": self._config(seat, set_ups[seat])})
        if options.kiosk:
            await self._start_kiosk(broker, stack)
        link.start()
        stack.callback(link.stop)
        source = self._open_board(stack)
        keeping = stack.enter_context(contextlib.closing(Keeping.open(options.state_dir, self._settings)))
        shell = TableShell(
            self._table,
            interpreter_of(options.rules, self._board),
            source,
            keeping.journal,
            link,
            on_event=self._note_event,
            on_view=self._watch,
        )
        self._shell, self._source, self._link, self._keeping = shell, source, link, keeping
        shell.open()
        stack.callback(shell.close)
        await self._until_over(shell)
        return self._report(keeping)

    async def _start_player(self, seat: Seat, stack: AsyncExitStack) -> None:
        self._keys[seat], self._over[seat] = self._loop.create_future(), self._loop.create_future()
        child = await Child.start(
            f"{seat.value}'s player",
            "referee.demo.player_process",
            on_line=lambda line: self._from_player(seat, line),
        )
        stack.push_async_callback(child.stop)
        child.ended.add_done_callback(self._child_ended)
        self._players[seat] = child

    async def _start_kiosk(self, broker: Broker, stack: AsyncExitStack) -> None:
        """Show the kiosk's window; its owner may close it, the game goes on."""
        credential, size = broker.credential(Role.KIOSK), ("--size", "1024x600")
        kiosk = await start_kiosk(TableConfig(), self._options.language, credential, stack, *size)
        kiosk.ended.add_done_callback(_say_why)

    def _open_board(self, stack: AsyncExitStack) -> SimSource:
        speed = str(self._options.pace or "max")
        wanted = {"speed": speed, "seed": str(self._options.seed), "noise": self._options.noise}
        if self._options.board in _CONTROLLERS:
            wanted["controller"] = _CONTROLLERS[self._options.board]
        source = SimSource("sim:", self._board, wanted)
        stack.callback(source.close)
        self._loop.add_reader(source.answers_fileno(), self._board_answers, source)
        stack.callback(self._loop.remove_reader, source.answers_fileno())
        return source

    def _set_ups(self) -> Mapping[Seat, Mapping[Square, Rank]]:
        recorded = self._options.recorded
        if recorded is not None:
            return recorded.set_ups
        rules = self._options.rules
        return {seat: generate(rules, seat, bot_rng(self._options.seed, seat)) for seat in rules.seats}

    def _config(self, seat: Seat, set_up: Mapping[Square, Rank]) -> dict[str, Any]:
        recorded = self._options.recorded
        return {
            "seat": seat.value,
            "rules": self._options.rules_name,
            "seed": self._options.seed,
            "style": self._options.style,
            "pace": self._options.pace,
            "set_up": {square.name: rank.value for square, rank in set_up.items()},
            "script": recorded and msgspec.to_builtins(recorded.script),
        }

    # ---- what comes in

    def _from_link_thread(self, value: RefereeIncoming) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed: the game is over
            self._loop.call_soon_threadsafe(self._from_link, value)

    def _from_link(self, value: RefereeIncoming) -> None:
        match value:
            case FromSeat(message=Missed() as missed):
                self._link.send(
                    answer(self._keeping.journal, value.seat, missed, self._settings.reveal), self._table.view().ply
                )
            case FromSeat():
                self._shell.put_in(SeatSays(value.seat, value.message))
            case SeatPresence():
                self._shell.put_in(Connection(value.seat, value.here))
            case PeerFault():
                self._break(UnreachableError(f"a handset sent what cannot be used: {value.text}"))
            case LinkDown() if value.refused:
                self._break(UnreachableError(f"the broker refuses the referee: {value.reason}"))

    def _from_player(self, seat: Seat, line: Mapping[str, Any]) -> None:
        if self._leaving:
            return
        if "public_key" in line:
            self._keys[seat].set_result(line["public_key"])
        elif "motion" in line:
            if line["intent"] is not None:
                self._tally.intend(*line["intent"])
            if line["motion"] is not None:
                self._make(self._hands.wish(seat, line["motion"]))
        elif "heard" in line:
            read_ns = self._read_ns.get(line["heard"])
            if read_ns is not None:
                self._tally.latencies_ms.append((line["ns"] - read_ns) / 1e6)
        elif "over" in line:
            if not self._over[seat].done():
                self._over[seat].set_result(None)
        elif "unfinished" in line:
            self._shell.put_in(Abort(EndReason.UNFINISHED))
        elif "fault" in line:
            self._break(UnreachableError(line["fault"]))

    def _make(self, motions: Iterable[Mapping[str, Any]]) -> None:
        try:
            for motion in motions:
                self._source.wish(motion)
        except BoardUnreachableError as error:
            self._break(error)

    def _board_answers(self, source: SimSource) -> None:
        try:
            for answer in source.answers():
                if "error" in answer:
                    self._break(UnreachableError(f"the simulated hands cannot do that: {answer['error']}"))
        except BoardUnreachableError as error:
            self._loop.remove_reader(source.answers_fileno())
            self._break(error)

    def _note_event(self, event: PublicEvent, read_ns: int | None) -> None:
        self._tally.hear(event)
        self._progress.set()
        stays = (CombatResult.ATTACKER_WINS.value, CombatResult.FLAG_TAKEN.value)
        if event.kind == "ask" or (event.kind == "verdict" and event.result not in stays):
            self._make(self._hands.lost())
        if read_ns is not None:
            self._read_ns[event.seq] = read_ns

    def _later(self, error: Exception) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed: the game is over
            self._loop.call_soon_threadsafe(self._break, error)

    def _child_ended(self, ended: asyncio.Future[None]) -> None:
        if (error := ended.exception()) is not None:
            self._break(error)

    def _callback_failed(self, _loop: asyncio.AbstractEventLoop, told: dict[str, Any]) -> None:
        """End the game: asyncio would print the text of the error, ranks and all, and go on."""
        if isinstance(error := told.get("exception"), Exception):
            self._break(error)

    def _break(self, error: BaseException) -> None:
        if not self._broken.done():
            self._broken.set_exception(error)
            self._broken.exception()  # seen: the game may be over before anybody asks

    # ---- the end

    async def _until_over(self, shell: TableShell) -> None:
        """Wait until every player has heard the end; a game in which nothing happens any more is aborted."""
        everybody = asyncio.create_task(asyncio.wait(self._over.values()))
        patience_s = _STALL_S * (10 if self._options.pace or self._options.board in _EMULATED else 1)
        try:
            while True:
                self._progress.clear()
                moved = asyncio.create_task(self._progress.wait())
                watched: set[asyncio.Future[Any]] = {everybody, self._broken, shell.failed, moved}
                done, _ = await asyncio.wait(watched, timeout=patience_s, return_when=asyncio.FIRST_COMPLETED)
                moved.cancel()
                for finished in done:
                    finished.result()
                if everybody in done:
                    return
                if not done:
                    shell.put_in(Abort(EndReason.UNFINISHED))
                    return
        finally:
            everybody.cancel()

    def _report(self, keeping: Keeping) -> GameReport:
        end = self._table.result
        reason = end.reason if end is not None else EndReason.UNFINISHED.value
        winner = end.winner if end is not None else None
        record = keeping.write_record(keeping.record(datetime.date.today().isoformat()))
        return GameReport(
            seed=self._options.seed,
            winner=GameResult(winner, EndReason(reason)).winner_word,
            reason=reason,
            tally=self._tally,
            journal=keeping.journal_path,
            record=record,
        )


def _say_why(ended: asyncio.Future[None]) -> None:
    """Print why the kiosk ended by itself; the game continues without it."""
    if (error := ended.exception()) is not None:
        print(error, file=sys.stderr)


# ---- one demo or a series of them, with what is shown meanwhile and said at the end

_PI_PARTS = {Sensing.OCCUPANCY: "chain", Sensing.COLOUR: "mcp3008"}
_BUILDS = {Sensing.OCCUPANCY: "digital", Sensing.COLOUR: "colour"}
"""Which board file is built of which parts."""


def play_series(options: DemoOptions, *, as_json: bool) -> int:
    """Play, print the outcome, and return the exit code 0. Raises `UnreachableError`."""
    board = board_for(options)
    out = TerminalConsole()
    if as_json or options.kiosk or not out.is_terminal or options.games > 1:
        games = _play_all(options, board, TerminalConsole(stderr=True), quiet=as_json)
    else:
        with LiveBoard(out, options.language) as live:
            games = [_run(options, board, live.show)]
    if as_json:
        print(json.dumps(document(options.rules.name, games, series=options.games > 1)))
    else:
        _say_how_it_went(out, options, games)
    return 0


def board_for(options: DemoOptions) -> BoardFile:
    """Return the board file that was asked for, or the first, by name, that the rule set can be played on. Raises `BadInputError`."""
    try:
        board = playable_board(options.rules, options.board_file)
    except BoardFileError as error:
        raise BadInputError(f"--board-file: {error}") from error
    sensing = board.sensing if options.sensing is None else Sensing(options.sensing)
    if options.board == "gpio":
        wired = f"{board.id.partition('-')[0]}-pi-{_PI_PARTS[sensing]}"
    elif options.board == "sim" or sensing is board.sensing:
        return board.with_sensing(sensing)
    else:
        wired = f"{board.id}-{_BUILDS[sensing]}"  # the firmware is built for other sensors: a board file of its own
    if wired not in board_names():
        raise BadInputError(
            f"--board {options.board}: no board with the squares of {options.rules.board.name} is built so ({wired})"
        )
    return load_board(wired)


def _play_all(options: DemoOptions, board: BoardFile, err: TerminalConsole, *, quiet: bool) -> list[GameReport]:
    """Play without showing the games; `quiet` prints nothing for a single game, a series has its progress bar."""
    if options.games == 1:
        if not quiet:
            err.print(Text(f"Playing {options.rules.name} with seed {options.seed} ..."))
        return [_run(options, board, lambda info, view: None)]
    games: list[GameReport] = []
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=err) as progress:
        task = progress.add_task("Games", total=options.games)
        for index in range(options.games):
            games.append(_run(options.numbered(index), board, lambda info, view: None))
            progress.advance(task)
    return games


def _run(options: DemoOptions, board: BoardFile, watch: Watch) -> GameReport:
    """Run one game on a loop of its own; Ctrl-C and a termination signal stop all parts in order."""

    async def guarded() -> GameReport:
        task = asyncio.current_task()
        assert task is not None
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
        return await GameRun(options, board, watch).play()

    try:
        return asyncio.run(guarded())
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None


def _again(record: Path) -> str:
    """Return the command that plays a record on the board in the terminal, as this program was called."""
    called = sys.argv[0] if Path(sys.argv[0]).name == "hallmarshal" else "hallmarshal"
    return shlex.join([called, "record", "show", str(record), "--speed", "2"])


def _say_how_it_went(out: TerminalConsole, options: DemoOptions, games: list[GameReport]) -> None:
    grid = Grid.grid(padding=(0, 2))
    for label, text in [*summary(options.rules.name, games), ("Seed", str(options.seed))]:
        grid.add_row(Text(label, "bold"), text)
    out.print(grid)
    line = Text.assemble(("See it again", "bold"), "      ", _again(games[-1].record))
    out.print(line, soft_wrap=True)  # on one line, to be copied
