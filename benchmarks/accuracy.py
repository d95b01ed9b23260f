"""How well hands are read: simulated hands against rules, sensing and arbitration, in board time, one game after another.

Counts and their meaning: docs/reference/accuracy.md, into which `--page` puts the lines of a run. Everything is drawn from the seed;
the same arguments give the same figures.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from itertools import islice
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from benchmarks.accuracy_tally import Tally, lines
from benchmarks.game_sources import random_games, recorded_games
from benchmarks.hand_match import HandMatch
from benchmarks.hands import Maker, first_hands
from benchmarks.measuring import above_zero, add_page, look_for_block, put_line
from benchmarks.second_hands import second_hands
from hardware import BoardFile, Sensing, load_board
from referee.rules import rule_set
from referee.runtime.errors import BadInputError
from simulator.profiles import Profile, known_profile, load_profile

DEFAULT_PLIES = 30_000
BOARD = "travel-10x10"
RULES = "original"
SAVED_EVERY_S = 20.0
"""A run that is broken off loses at most so much, and the game that it was in."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what can be chosen."""
    parser.add_argument(
        "--profile", default="home", type=known_profile, help="what board and hands are like: a profile, or its file"
    )
    parser.add_argument(
        "--hands", default="first", choices=["first", "second"], help="whose hands play (default: first)"
    )
    parser.add_argument("--sensing", default="colour", choices=[s.value for s in Sensing], help="what sensors tell")
    parser.add_argument("--plies", type=above_zero, default=DEFAULT_PLIES, help="final plies to play")
    parser.add_argument("--seed", type=int, default=1, help="of everything that is drawn")
    parser.add_argument("--hz", type=above_zero, default=None, help="scans a second (default: the board's)")
    parser.add_argument(
        "--moves", type=Path, default=None, metavar="DIR", help="play recorded games (files original-*)"
    )
    parser.add_argument(
        "--accidents", type=factor, default=1.0, metavar="FACTOR", help="so many times as many accidents"
    )
    parser.add_argument(
        "--overlap",
        type=width,
        default=None,
        metavar="SQUARES",
        help="width of the strip at a border in which both neighbours see a piece (second hands; below 0: neither does)",
    )
    parser.add_argument(
        "--set-ups",
        type=Path,
        default=None,
        metavar="FILE",
        help="set-ups of people for random play, 40 letters a line",
    )
    parser.add_argument(
        "--state",
        type=Path,
        default=None,
        metavar="FILE",
        help="keep the counts here, and go on from them if there are any",
    )
    parser.add_argument(
        "--seconds", type=above_zero, default=None, help="stop after so long; --state goes on from there"
    )
    parser.add_argument("--faults", type=int, default=0, metavar="N", help="tell the first N faults in full on stderr")
    add_page(parser)


def factor(text: str) -> float:
    """Return a number from 0 to 1,000. Raises `argparse.ArgumentTypeError`."""
    number = float(text)
    if not 0 <= number <= 1000:  # NaN is not either
        raise argparse.ArgumentTypeError("must be a number from 0 to 1000")
    return number


def width(text: str) -> float:
    """Return a number from -0.3 to 0.5. Raises `argparse.ArgumentTypeError`."""
    number = float(text)
    if not -0.3 <= number <= 0.5:
        raise argparse.ArgumentTypeError("must be a number from -0.3 to 0.5")
    return number


def run(args: argparse.Namespace) -> Mapping[str, object]:
    """Measure. Returns the figures."""
    look_for_block(args.page, "counts", "verdicts", "hands")
    kept = Kept(args.state, arguments_of(args))
    tally, began, stops_s = kept.tally, time.process_time(), time.monotonic() + (args.seconds or math.inf)

    def ended(games: int) -> bool:
        kept.save(games, kept.cpu_s + time.process_time() - began, at_once=False)
        return time.monotonic() < stops_s

    with _progress() as progress:
        task = progress.add_task("plies", total=args.plies, misread=0, asked=0)
        games = measure(
            tally,
            profile=args.profile,
            sensing=args.sensing,
            plies=args.plies,
            seed=args.seed,
            hz=args.hz,
            moves=args.moves,
            set_ups=args.set_ups,
            accidents=args.accidents,
            maker=second_hands(args.overlap) if args.hands == "second" else first_hands,
            first_game=kept.games,
            ended=ended,
            told=lambda: progress.update(
                task, completed=min(tally.plies, args.plies), misread=tally.misread, asked=tally.asked
            ),
        )
    cpu_s = kept.cpu_s + time.process_time() - began
    kept.save(games, cpu_s, at_once=True)
    for fault in tally.faults[: args.faults]:
        print(fault, file=sys.stderr)
    figures = {
        "hands": args.hands,
        "profile": args.profile,
        "overlap": args.overlap,
        "sensing": args.sensing,
        "moves": "recorded" if args.moves else "random",
        "set_ups": "people's" if args.set_ups else "random",
        "seed": args.seed,
        "hz": args.hz or load_board(BOARD).scan.hz,
        "accidents_factor": args.accidents,
        **tally.figures(),
        "cpu_s": round(cpu_s, 1),
    }
    for block, begin, rest in lines(figures):
        put_line(args.page, block, begin, rest)
    return figures


def arguments_of(args: argparse.Namespace) -> dict[str, object]:
    """Return what a run depends on, as plain data; it may be made longer."""
    names = ("hands", "profile", "sensing", "seed", "hz", "accidents", "overlap")
    files = {name: str(path) if (path := getattr(args, name)) else None for name in ("moves", "set_ups")}
    return {**{name: getattr(args, name) for name in names}, **files}


class Kept:
    """A run that can be interrupted after any game: its counts, the number of the next game, and the file that holds
    both.

    Raises `BadInputError` for a file that cannot be used or belongs to a run with other arguments.
    """

    def __init__(self, path: Path | None, arguments: Mapping[str, object]) -> None:
        self.tally, self.games, self.cpu_s = Tally(), 0, 0.0
        self._path, self._arguments, self._saved_s = path, arguments, time.monotonic()
        if path is None or not path.exists():
            return
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
            if found["arguments"] != arguments:
                raise BadInputError(f"{path}: belongs to a run with other arguments: {found['arguments']}")
            self.games, self.cpu_s = int(found["games"]), float(found["cpu_s"])
            self.tally = Tally.taken_up(found["tally"])
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise BadInputError(f"{path}: no counts of this bench: {error}") from None

    def save(self, games: int, cpu_s: float, *, at_once: bool) -> None:
        """Write the file; unless `at_once`, only if the last write was long ago."""
        if self._path is None or (not at_once and time.monotonic() - self._saved_s < SAVED_EVERY_S):
            return
        self._saved_s = time.monotonic()
        document = {"arguments": self._arguments, "games": games, "cpu_s": cpu_s, "tally": self.tally.kept()}
        beside = self._path.with_name(self._path.name + ".new")
        try:
            beside.write_text(json.dumps(document), encoding="utf-8")
            beside.replace(self._path)
        except OSError as error:
            raise BadInputError(f"{self._path}: cannot be written: {error.strerror}") from None


def measure(
    tally: Tally,
    *,
    profile: str,
    sensing: str,
    plies: int,
    seed: int = 1,
    hz: int | None = None,
    moves: Path | None = None,
    accidents: float = 1.0,
    set_ups: Path | None = None,
    maker: Maker = first_hands,
    first_game: int = 0,
    ended: Callable[[int], bool] = lambda games: True,
    told: Callable[[], None] = lambda: None,
) -> int:
    """Play until so many plies are final. Returns the number of the next game.

    After each game `ended` is called with that number; it returns whether to go on.
    """
    rules, board, hands = rule_set(RULES), the_board(sensing, hz), more_accidents(load_profile(profile), accidents)
    games = recorded_games(rules, moves) if moves else random_games(rules, seed, set_ups)
    for number, game in enumerate(islice(games, first_game, None), first_game):
        if tally.plies >= plies:
            break
        HandMatch(game, board, hands, f"{seed}/{number}", tally, maker).play(plies, told)
        if not ended(number + 1):
            return number + 1
    return number


def more_accidents(profile: Profile, factor: float) -> Profile:
    """Return the profile with the rates of all accidents, cut cables among them, multiplied by `factor`."""
    shares = {spec.name: factor * getattr(profile.accidents, spec.name) for spec in fields(profile.accidents)}
    link = replace(profile.link, cut=factor * profile.link.cut)
    return replace(profile, accidents=replace(profile.accidents, **shares), link=link)


def the_board(sensing: str, hz: int | None) -> BoardFile:
    """Return the measured board with this sensing; `hz` scans a second, None for the board file's own rate."""
    board = load_board(BOARD).with_sensing(Sensing(sensing))
    return board if hz is None else replace(board, scan=replace(board.scan, hz=hz))


def _progress() -> Progress:
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("misread {task.fields[misread]}, asked {task.fields[asked]}"),
        TimeRemainingColumn(),
    )
    return Progress(*columns, console=Console(stderr=True), transient=True, refresh_per_second=2)
