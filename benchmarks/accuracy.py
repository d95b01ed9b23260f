"""How well hands are read: simulated hands against rules, sensing and arbitration, in board time, one game after another.

Counts and their meaning: docs/reference/accuracy.md, into which `--page` puts the lines of a run. Everything is drawn from the seed;
the same arguments give the same figures.
"""

from __future__ import annotations

import argparse
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
from benchmarks.measuring import above_zero, add_page, look_for_block, put_line
from hardware import BoardFile, Sensing, load_board
from referee.rules import rule_set
from simulator.profiles import Profile, load_profile, profile_names

DEFAULT_PLIES = 30_000
BOARD = "travel-10x10"
RULES = "original"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what can be chosen."""
    parser.add_argument("--profile", default="home", choices=profile_names(), help="what board and hands are like")
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
    parser.add_argument("--faults", type=int, default=0, metavar="N", help="tell the first N faults in full on stderr")
    add_page(parser)


def factor(text: str) -> float:
    """Return a number from 0 to 1,000. Raises `argparse.ArgumentTypeError`."""
    number = float(text)
    if not 0 <= number <= 1000:  # NaN is not either
        raise argparse.ArgumentTypeError("must be a number from 0 to 1000")
    return number


def run(args: argparse.Namespace) -> Mapping[str, object]:
    """Measure; give the figures."""
    look_for_block(args.page, "counts", "verdicts", "hands")
    tally = Tally()
    began = time.process_time()
    with _progress() as progress:
        task = progress.add_task("plies", total=args.plies, misread=0, asked=0)
        measure(
            tally,
            profile=args.profile,
            sensing=args.sensing,
            plies=args.plies,
            seed=args.seed,
            hz=args.hz,
            moves=args.moves,
            accidents=args.accidents,
            told=lambda: progress.update(
                task, completed=min(tally.plies, args.plies), misread=tally.misread, asked=tally.asked
            ),
        )
    for fault in tally.faults[: args.faults]:
        print(fault, file=sys.stderr)
    figures = {
        "profile": args.profile,
        "sensing": args.sensing,
        "moves": "recorded" if args.moves else "random",
        "seed": args.seed,
        "hz": args.hz or load_board(BOARD).scan_hz,
        "accidents_factor": args.accidents,
        **tally.figures(),
        "cpu_s": round(time.process_time() - began, 1),
    }
    for block, begin, rest in lines(figures):
        put_line(args.page, block, begin, rest)
    return figures


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
    told: Callable[[], None] = lambda: None,
) -> None:
    """Play until so many plies are final."""
    rules, board, hands = rule_set(RULES), the_board(sensing, hz), more_accidents(load_profile(profile), accidents)
    games = recorded_games(rules, moves) if moves else random_games(rules, seed)
    for number, game in enumerate(islice(games, None)):
        HandMatch(game, board, hands, f"{seed}/{number}", tally).play(plies, told)
        if tally.plies >= plies:
            return


def more_accidents(profile: Profile, factor: float) -> Profile:
    """Give the profile with so many times its accidents, cut cables among them."""
    shares = {spec.name: factor * getattr(profile.accidents, spec.name) for spec in fields(profile.accidents)}
    link = replace(profile.link, cut=factor * profile.link.cut)
    return replace(profile, accidents=replace(profile.accidents, **shares), link=link)


def the_board(sensing: str, hz: int | None) -> BoardFile:
    """Give the board that is measured."""
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
