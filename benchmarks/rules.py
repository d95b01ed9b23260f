"""How fast the rules are: one referee ply, and random play with the full list of legal moves, both repetition rules on.

Everything goes through the public door (`referee.rules.Game`), with all ranks known, in CPython on one core. A referee ply is
what a table does with a move: ask whether it is legal (`refusals`, both repetition rules), play it, look whether the game is
over. Random play asks for the whole list of legal moves at every ply, draws one and plays it.

Times are processor time of this process, so that what else the machine does lengthens nothing but the wait.
"""

from __future__ import annotations

import argparse
import gc
import random
import statistics
import time
from collections.abc import Mapping

from benchmarks.measuring import above_zero
from referee.rules import Action, Game, RuleSet, rule_set, rule_set_names
from referee.rules.values import Rank, Seat, Square

REFEREE_PLY_LIMIT_US = 4.0
RANDOM_PLIES_WANTED = 120_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what can be chosen."""
    parser.add_argument("--rules", choices=rule_set_names(), default="original", help="rule set (default: original)")
    parser.add_argument("--games", type=above_zero, default=40, help="games a round")
    parser.add_argument("--rounds", type=above_zero, default=9, help="rounds; the median is given")
    parser.add_argument("--seed", type=int, default=1, help="seed of set-ups and moves")


def run(args: argparse.Namespace) -> Mapping[str, object]:
    """Measure. Returns the medians over the rounds, and the best round beside them."""
    rules, rng = rule_set(args.rules), random.Random(args.seed)
    starts = [Game(rules, *random_set_up(rules, rng)) for _ in range(args.games)]
    recorded = [play_out(game.copy(), rng) for game in starts]
    plies = sum(len(actions) for actions in recorded)
    gc.disable()  # as timeit does: what other objects the process holds is not measured here
    try:
        known = [referee_round(starts, recorded) / plies * 1e6 for _ in range(args.rounds)]
        rates = [random_round(starts, rng) for _ in range(args.rounds)]
    finally:
        gc.enable()
    return {
        "rules": rules.name,
        "games": args.games,
        "plies": plies,
        "rounds": args.rounds,
        "clock": "processor time of one core",
        "referee_ply_us": round(statistics.median(known), 2),
        "referee_ply_us_best": round(min(known), 2),
        "referee_ply_us_limit": REFEREE_PLY_LIMIT_US,
        "random_plies_per_s": round(statistics.median(rates)),
        "random_plies_per_s_best": round(max(rates)),
        "random_plies_per_s_wanted": RANDOM_PLIES_WANTED,
    }


def random_set_up(rules: RuleSet, rng: random.Random) -> tuple[dict[Square, Seat], dict[Square, Rank]]:
    """Return random set-ups of all seats as occupants and ranks; flag and bombs stand at the back, as people play."""
    occupants: dict[Square, Seat] = {}
    ranks: dict[Square, Rank] = {}
    for seat in rules.seats:
        army = [rank for rank, count in rules.army.items() for _ in range(count)]
        zone = list(rules.zone(seat) if seat is rules.seats[0] else reversed(rules.zone(seat)))
        still = [rank for rank in army if rank in (Rank.FLAG, Rank.BOMB)]
        back = rng.sample(zone[: max(len(zone) // 2, len(still))], len(still))
        others = rng.sample([square for square in zone if square not in back], len(army) - len(still))
        moving = [rank for rank in army if rank not in (Rank.FLAG, Rank.BOMB)]
        for square, rank in zip([*back, *others], [*still, *moving], strict=True):
            occupants[square], ranks[square] = seat, rank
    return occupants, ranks


def play_out(game: Game, rng: random.Random) -> list[Action]:
    """Play a random game to its end. Returns its actions."""
    actions: list[Action] = []
    while game.result is None:
        action = rng.choice(game.legal_actions())
        game.play(action)
        actions.append(action)
    return actions


def referee_round(starts: list[Game], recorded: list[list[Action]]) -> float:
    """Return the processor seconds for judging and playing the recorded games."""
    games = [game.copy() for game in starts]
    began = time.process_time()
    for game, actions in zip(games, recorded, strict=True):
        for action in actions:
            if game.refusals(action):
                raise AssertionError("a recorded action was refused")
            game.play(action)
            if game.result is not None:
                break
    return time.process_time() - began


def random_round(starts: list[Game], rng: random.Random) -> float:
    """Return the plies a second of random play."""
    games = [game.copy() for game in starts]
    draw, plies = rng.random, 0
    began = time.process_time()
    for game in games:
        before = game.ply
        while game.result is None:
            actions = game.legal_actions()
            game.play(actions[int(draw() * len(actions))])
        plies += game.ply - before
    return plies / (time.process_time() - began)
