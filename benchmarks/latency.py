"""How long a player waits for an answer, and what listening to a board costs.

Three figures beside each other: board time from the first frame that shows the last change to the reading (simulated hands, by class),
wall time from reading that frame to the message at the handset (one game through every real part: pty, sensing, journal, broker), and
the processor time of bridge and sensing, idle and in play: of decoding and reading alone, and of listening to real sources.

For that last figure wall time goes by: each source is listened to for some seconds, as a table does, first at rest, then while pieces
move at the pace of the simulated players. The simulated board is a process of its own and not counted; what the mock pins cost is.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from typing import Any

from gpiozero.pins.mock import MockFactory, MockPin  # type: ignore[import-untyped] # it ships no types

from benchmarks import measuring
from benchmarks.accuracy import measure, the_board
from benchmarks.accuracy_tally import Tally
from firmware_bridge.messages import Frame
from firmware_bridge.sources import BoardSource, SimSource
from firmware_bridge.sources.gpio import GpioSource
from firmware_bridge.sources.pi_pins import PiParts
from hardware import BoardFile, Sensing, load_board
from hardware.board_file import WITHDRAWN
from referee.field_trial.result import percentiles
from referee.rules import Game, Move, rule_set, rule_set_names
from referee.rules.values import Seat, Square
from referee.runtime.board_listening import Listening
from referee.runtime.game import interpreter_of
from referee.sensing import Read
from simulator.profiles import known_profile

DEFAULT_PLIES = 600
_LIMITS = {"idle": 0.5, "playing": 3.0}
"""The most of a core, in percent, that decoding and reading may take."""
SETTLES_S = 6.0
"""Listening hurries for its first seconds, and a board on pins is looked at oftener until nothing has changed for five."""

LISTENS_S = 6.0
PAUSE_MS = 1_800
"""Thinking time between two moves: the median of the simulated players."""

AIR_MS = 700
"""From a lift to the set-down on the mock pins, where no simulated hand is at work."""

READ_S = 0.5
"""After the last set-down, until its move is read."""

GPIO_BOARD = WITHDRAWN / "travel-pi-matrix.toml"
PIECES = {Seat.RED: ("a4", "b4", "e4", "f4", "i4", "j4"), Seat.BLUE: ("a7", "b7", "e7", "f7", "i7", "j7")}
MOVES = [("a4", "a5"), ("b7", "b6"), ("e4", "e5"), ("f7", "f6"), ("i4", "i5"), ("j7", "j6")]

Play = Callable[[], Awaitable[object]]
"""Lets hands make every one of `MOVES`, with a pause before each."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what can be chosen."""
    parser.add_argument(
        "--profile", default="home", type=known_profile, help="what board and hands are like: a profile, or its file"
    )
    parser.add_argument("--sensing", default="colour", choices=[s.value for s in Sensing], help="what sensors tell")
    parser.add_argument("--plies", type=measuring.above_zero, default=DEFAULT_PLIES, help="plies for the board time")
    parser.add_argument(
        "--rules", default="duel", choices=rule_set_names(), help="rule set of the game through the real parts"
    )
    parser.add_argument("--seed", type=int, default=1, help="of everything that is drawn")
    measuring.add_page(parser)


def run(args: argparse.Namespace) -> Mapping[str, object]:
    """Measure. Returns the figures."""
    measuring.look_for_block(args.page, "latency")
    tally = Tally()
    measure(tally, profile=args.profile, sensing=args.sensing, plies=args.plies, seed=args.seed)
    costs = listening_costs(the_board(args.sensing, None), args.profile)
    figures = {
        "profile": args.profile,
        "sensing": args.sensing,
        "plies": tally.plies,
        "board_ms": {name: percentiles(values) for name, values in sorted(tally.latencies.items())},
        "wall_ms": wall_times(args.rules, args.sensing, args.seed),
        **{f"cpu_percent_{what}": costs[f"{what}_bridge_and_sensing"][f"serial, {args.profile}"] for what in _LIMITS},
        **{f"cpu_percent_{name}_by_source": by_source for name, by_source in costs.items()},
        "load_average": round(os.getloadavg()[0], 1),
    }
    measuring.put_block(args.page, "latency", _report(figures))
    return figures


def _report(figures: Mapping[str, Any]) -> str:
    """Return the figures for docs/reference/accuracy.md."""
    wall = figures["wall_ms"]
    shares = {when: _share(figures[f"cpu_percent_{when}"], limit) for when, limit in _LIMITS.items()}
    columns = {
        f"{when}{words} ({limit:g} %)": {
            source: _share(share, limit) for source, share in figures[f"cpu_percent_{when}{what}_by_source"].items()
        }
        for what, words in (("_bridge_and_sensing", ""), ("", ", waking up included"))
        for when, limit in _LIMITS.items()
    }
    rows = [
        (source, *(column[source] for column in columns.values())) for source in figures["cpu_percent_idle_by_source"]
    ]
    return (
        f"Machine: {measuring.machine()}. Load average meanwhile: {figures['load_average']};"
        " whatever else runs makes every waking up dearer.\n\n"
        f"- message at the handset: median {wall['p50']} ms, 99th percentile {wall['p99']} ms (a game of {wall['plies']} plies)\n"
        f"- decoding and reading: {shares['idle']} of a core with an idle board (limit 0.5 %), {shares['playing']} while pieces move"
        f" (limit 3 %)\n\n{measuring.table(('source', *columns), rows)}"
    )


def _share(percent: float, limit: float) -> str:
    return measuring.judged(f"{percent} %", met=percent <= limit)


def wall_times(rules_name: str, sensing: str, seed: int) -> Mapping[str, object]:
    """Return the milliseconds from reading the frame that completes a ply to the message at the handset, with the
    journal's commit.
    """
    with tempfile.TemporaryDirectory() as folder:
        options = ("--rules", rules_name, "--sensing", sensing, "--seed", str(seed), "--state", folder)
        command = [sys.executable, "-m", "referee.cli.main", "demo", "--json", "--speed", "max", *options]
        done = subprocess.run(command, check=True, capture_output=True, text=True)  # noqa: S603  # our own command
    told = json.loads(done.stdout)
    return {"plies": told["plies"], **told["latency_ms"]}


def listening_costs(board: BoardFile, profile: str) -> Mapping[str, Mapping[str, float]]:
    """Return the percent of a core, idle and playing, for this profile and the usual ones over a pty, and for a matrix on (mock) pins.

    `idle` and `playing` are all that the process takes; `..._bridge_and_sensing` leave out what the event loop takes to be woken.
    """
    found = {f"serial, {each}": _serial(board, each) for each in dict.fromkeys(("clean", "home", "rough", profile))}
    found["gpio, mock pins"] = _gpio()
    return {name: {source: cost[name] for source, cost in found.items()} for name in found["gpio, mock pins"]}


def _serial(board: BoardFile, profile: str) -> Mapping[str, float]:
    with SimSource(f"sim:?noise={profile}&quiet-ms=50", board, {"noise": profile, "quiet-ms": "50"}) as source:
        for seat, squares in PIECES.items():
            source.wish({"motion": "place", "seat": seat.value, "squares": list(squares)})

        async def play() -> None:
            wishes = [
                source.wish({"motion": "move", "from": one, "to": other, "style": style, "after_ms": PAUSE_MS})
                for (one, other), style in zip(MOVES, ["lift", "slide", "lift"] * 2, strict=True)
            ]
            await _done(source, wishes[-1])
            await asyncio.sleep(READ_S)

        return asyncio.run(_listen(source, board, lambda: _done(source, len(PIECES)), play))


async def _done(source: SimSource, wish: int) -> None:
    """Wait until the simulated hands have carried out a motion."""
    loop, done = asyncio.get_running_loop(), asyncio.Event()

    def hear() -> None:
        answers = source.answers()
        assert not [answer for answer in answers if "error" in answer], answers
        if any(answer["done"] == wish for answer in answers):
            done.set()

    loop.add_reader(source.answers_fileno(), hear)
    await done.wait()
    loop.remove_reader(source.answers_fileno())


def _gpio() -> Mapping[str, float]:
    board = load_board(GPIO_BOARD).with_sensing(Sensing.OCCUPANCY)
    matrix = _Matrix(board, [square for squares in PIECES.values() for square in squares])
    with GpioSource("gpio:", board, parts=PiParts(matrix)) as source:

        async def play() -> None:
            for one, other in MOVES:
                await asyncio.sleep(PAUSE_MS / 1000)
                matrix.take(one)
                await asyncio.sleep(AIR_MS / 1000)
                matrix.put(other)
            await asyncio.sleep(READ_S)

        return asyncio.run(_listen(source, board, lambda: asyncio.sleep(0), play))


class _Matrix(MockFactory):  # type: ignore[misc] # its base has no types
    """Mock pins with magnets over their crossings."""

    def __init__(self, board: BoardFile, squares: Iterable[str]) -> None:
        super().__init__(pin_class=_MatrixPin)
        assert board.gpio is not None
        width, rows, columns = len(board.gpio.columns), board.gpio.rows, board.gpio.columns
        self._crossings = {
            square: (rows[channel // width], columns[channel % width])
            for square, channel in zip(board.squares, board.scan.channels, strict=True)
        }
        self._felt: dict[int, set[int]] = {row: set() for row in rows}
        self._selecting = board.gpio.row_on_high
        self.felt: Collection[int] = ()
        """The columns that feel a magnet now: those of the row that is selected."""
        self.felt_high = board.gpio.magnet_high
        for square in squares:
            self.put(square)

    def put(self, square: str) -> None:
        """Let a magnet stand on a square."""
        row, column = self._crossings[square]
        self._felt[row].add(column)

    def take(self, square: str) -> None:
        """Take it away."""
        row, column = self._crossings[square]
        self._felt[row].remove(column)

    def drive(self, pin: int, level: bool) -> None:
        """Take the level of a row."""
        self.felt = self._felt[pin] if level is self._selecting else ()


class _MatrixPin(MockPin):  # type: ignore[misc] # its base has no types
    """A row or a column."""

    def __init__(self, factory: _Matrix, info: Any) -> None:
        super().__init__(factory, info)
        self._number = int(info.name.removeprefix("GPIO"))

    def _set_state(self, value: bool) -> None:
        self.factory.drive(self._number, bool(value))

    def _get_state(self) -> bool:
        return (self._number in self.factory.felt) is self.factory.felt_high


async def _listen(source: BoardSource, board: BoardFile, ready: Play, play: Play) -> Mapping[str, float]:
    """Return the cost of listening to an open source, at rest and then in play, in percent of a core. Raises if a move
    is not read.
    """
    rules = rule_set("original")
    game = Game(rules, {Square(name): seat for seat, names in PIECES.items() for name in names})
    interpreter = interpreter_of(rules, board)
    read = []

    def take() -> None:
        for message in source.read():
            if isinstance(message, Frame):
                for said in interpreter.feed(message):
                    if isinstance(said, Read):
                        read.append((said.prospect.source.name, said.prospect.target.name))
                        game.play(Move(said.prospect.source, said.prospect.target))
                        interpreter.advance(game.situation())

    spent = _Spent()
    listening = Listening(
        asyncio.get_running_loop(),
        source.fileno(),
        lambda: spent.during(take),
        lambda: interpreter.quiet,
        lambda: interpreter.now_ms,
    )
    await ready()
    interpreter.follow(game.situation())
    await asyncio.sleep(SETTLES_S)
    costs = {}
    for name, goes_on in (("idle", lambda: asyncio.sleep(LISTENS_S)), ("playing", play)):
        costs[name], costs[f"{name}_bridge_and_sensing"] = await spent.over(goes_on)
    listening.close()
    if read != MOVES:
        raise RuntimeError(f"{source.url}: of {len(MOVES)} moves these were read: {read}")
    return costs


class _Spent:
    """Counts processor time: all of the process, and without what this thread does but `during` a call."""

    def __init__(self) -> None:
        self._heard_s = 0.0

    def during(self, take: Callable[[], None]) -> None:
        """Call `take` and count its processor time."""
        began_s = time.thread_time()
        take()
        self._heard_s += time.thread_time() - began_s

    async def over(self, play: Play) -> tuple[float, float]:
        """Return, while `play` lasts, the process's time and the time without waking the event loop, each in percent of
        a core.
        """
        began_s, cpu_s, loop_s, heard_s = time.monotonic(), time.process_time(), time.thread_time(), self._heard_s
        await play()
        passed_s, cpu_s = time.monotonic() - began_s, time.process_time() - cpu_s
        waking_s = time.thread_time() - loop_s - (self._heard_s - heard_s)
        return round(100 * cpu_s / passed_s, 3), round(100 * (cpu_s - waking_s) / passed_s, 3)
