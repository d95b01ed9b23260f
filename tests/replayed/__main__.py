"""Lay recorded games out and play them again on the simulated board, with hands that err: `python -m tests.replayed --games 100`.

With FILEs those records and journals, as far as they are legal, instead of random games.
"""

from __future__ import annotations

import argparse
import random
import sys
import traceback
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from hardware import Sensing, board_names, load_board
from referee.journal.journal_to_record import journal_record
from referee.journal.records.check import completed, judge
from referee.journal.records.formats import JOURNAL_MAGIC, read_record
from referee.journal.records.model import Record, rules_of
from referee.rules import RuleSet, rule_set, rule_set_names
from tests.records.recorded_games import random_game
from tests.replayed.at_board import RecordAtBoard

PLIES = 60


def played(number: int, plies: int = PLIES) -> RecordAtBoard:
    """Return one game that was played to its end: rule sets, sensors and hands in turn."""
    names = rule_set_names()
    rules = rule_set(names[number % len(names)])
    return replayed(random_game(rules, number, plies).record, rules, number)


def replayed(record: Record, rules: RuleSet, number: int) -> RecordAtBoard:
    """Return a record that was played to its end on the first board that fits; sensors, hands and the ply to begin with by the number."""
    board = next(name for name in board_names() if rules.board.is_sensed_by(load_board(name).squares))
    rng = random.Random(number)
    # where eight pieces of one pole stand round a square, a simulated sensor without colour does not let go of a magnet that was there
    sensing = Sensing.COLOUR if len(rules.seats) > 2 else rng.choice(list(Sensing))
    at_board = RecordAtBoard(record, rules, board, sensing, rng.choice((0, 0, len(record.plies) // 2)))
    at_board.play(rng)
    return at_board


def kept(path: Path, number: int) -> RecordAtBoard:
    """Return the legal part of a record or journal that was played to its end."""
    data = path.read_bytes()
    journal = data.startswith(JOURNAL_MAGIC)
    record = completed(journal_record(path, path.with_name("journal.key")) if journal else read_record(data))
    if (illegal := judge(record).ply) is not None:
        record = replace(record, plies=record.plies[: illegal - 1], result=None)
    return replayed(record, rules_of(record), number)


def main() -> None:
    """Play so many games, and print how many plies were made, how often hands erred, and what went wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.replayed", description=__doc__)
    parser.add_argument("--games", type=int, default=len(rule_set_names()), help="how many random ones")
    parser.add_argument("--first", type=int, default=0, help="the number of the first one")
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE", help="records and journals to play instead")
    asked = parser.parse_args()
    files: list[Callable[[int], RecordAtBoard]] = [partial(kept, path) for path in asked.files]
    games = files or [played] * asked.games
    plies = errors = faults = 0
    for number, play in enumerate(games, start=asked.first):
        try:
            at_board = play(number)
        except Exception:
            faults += 1
            print(f"game {number}:", traceback.format_exc(), sep="\n", flush=True)
        else:
            plies, errors = plies + len(at_board.record.plies), errors + at_board.errors
    print(f"{len(games)} games, {plies} plies, {errors} errors of hands, {faults} faults")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
