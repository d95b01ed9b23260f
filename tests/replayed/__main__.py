"""Lay recorded games out and play them again on the simulated board, with hands that err: `python -m tests.replayed --games 100`."""

from __future__ import annotations

import argparse
import random
import sys
import traceback

from hardware import Sensing, board_names, load_board
from referee.rules import rule_set, rule_set_names
from tests.records.recorded_games import random_game
from tests.replayed.at_board import RecordAtBoard

PLIES = 60


def played(number: int, plies: int = PLIES) -> RecordAtBoard:
    """Return one game that was played to its end: rule sets, sensors and hands in turn."""
    names = rule_set_names()
    rules = rule_set(names[number % len(names)])
    board = next(name for name in board_names() if rules.board.is_sensed_by(load_board(name).squares))
    record = random_game(rules, number, plies).record
    rng = random.Random(number)
    # where eight pieces of one pole stand round a square, a simulated sensor without colour does not let go of a magnet that was there
    sensing = Sensing.COLOUR if len(rules.seats) > 2 else rng.choice(list(Sensing))
    at_board = RecordAtBoard(record, rules, board, sensing, rng.choice((0, 0, len(record.plies) // 2)))
    at_board.play(rng)
    return at_board


def main() -> None:
    """Play so many games, and print how many plies were made, how often hands erred, and what went wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.replayed", description=__doc__)
    parser.add_argument("--games", type=int, default=len(rule_set_names()), help="how many")
    parser.add_argument("--first", type=int, default=0, help="the number of the first one")
    asked = parser.parse_args()
    plies = errors = faults = 0
    for number in range(asked.first, asked.first + asked.games):
        try:
            at_board = played(number)
        except Exception:
            faults += 1
            print(f"game {number}:", traceback.format_exc(), sep="\n", flush=True)
        else:
            plies, errors = plies + len(at_board.record.plies), errors + at_board.errors
    print(f"{asked.games} games, {plies} plies, {errors} errors of hands, {faults} faults")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
