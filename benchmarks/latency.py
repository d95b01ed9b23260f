"""How long a player waits for the word, and what listening costs.

Three figures beside each other: board time from the first frame that shows the last change to the reading (simulated hands, by class),
wall time from reading that frame to the message at the handset (one game through every real part: pty, sensing, journal, broker), and
the processor time of bridge and sensing, idle and in play: of decoding and reading alone, and of listening to real sources.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

from benchmarks.accuracy import measure, the_board
from benchmarks.accuracy_tally import Tally, percentiles
from benchmarks.arguments import above_zero
from benchmarks.listening_cost import PAUSE_MS, listening_costs
from firmware_bridge import Decoder, Frame
from hardware import BoardFile, Sensing
from referee.demo.game_run import GameRun
from referee.demo.options import DemoOptions
from referee.demo.report import GameReport
from referee.demo.series import board_for
from referee.rules import Game, rule_set, rule_set_names
from referee.rules.values import Seat, Square
from referee.runtime.game import interpreter_of
from referee.sensing import Read
from simulator.board import SimBoard
from simulator.profiles import load_profile, profile_names

DEFAULT_PLIES = 600
IDLE_S = 120
PLAYED_MOVES = 60


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what can be chosen."""
    parser.add_argument("--profile", default="home", choices=profile_names(), help="what board and hands are like")
    parser.add_argument("--sensing", default="colour", choices=[s.value for s in Sensing], help="what sensors tell")
    parser.add_argument("--plies", type=above_zero, default=DEFAULT_PLIES, help="plies for the board time")
    parser.add_argument(
        "--rules", default="duel", choices=rule_set_names(), help="rule set of the game through the real parts"
    )
    parser.add_argument("--seed", type=int, default=1, help="of everything that is drawn")


def run(args: argparse.Namespace) -> Mapping[str, object]:
    """Measure; give the figures."""
    tally = Tally()
    measure(tally, profile=args.profile, sensing=args.sensing, plies=args.plies, seed=args.seed)
    board = the_board(args.sensing, None)
    costs = listening_costs()
    return {
        "profile": args.profile,
        "sensing": args.sensing,
        "plies": tally.plies,
        "board_ms": {name: percentiles(values) for name, values in sorted(tally.latencies.items())},
        "wall_ms": wall_times(args.rules, args.sensing, args.seed),
        "cpu_percent_idle": cpu_percent(board, args.profile, playing=False),
        "cpu_percent_playing": cpu_percent(board, args.profile, playing=True),
        "cpu_percent_idle_by_source": costs["idle"],
        "cpu_percent_playing_by_source": costs["playing"],
        "cpu_percent_idle_bridge_and_sensing_by_source": costs["idle, bridge and sensing"],
        "cpu_percent_playing_bridge_and_sensing_by_source": costs["playing, bridge and sensing"],
        "load_average": round(os.getloadavg()[0], 1),
    }


def wall_times(rules_name: str, sensing: str, seed: int) -> Mapping[str, object]:
    """Give milliseconds from reading the frame that completes a ply to the message at the handset, journal commit included."""
    with tempfile.TemporaryDirectory() as folder:
        options = DemoOptions(
            rules=rule_set(rules_name), rules_name=rules_name, state_dir=Path(folder), seed=seed, sensing=sensing
        )
        report = asyncio.run(_play(options))
    ordered = sorted(report.latencies_ms)
    if not ordered:
        return {"n": 0}
    return {
        "n": len(ordered),
        "p50": round(ordered[len(ordered) // 2], 2),
        "p99": round(ordered[min(len(ordered) - 1, int(0.99 * len(ordered)))], 2),
    }


async def _play(options: DemoOptions) -> GameReport:
    return await GameRun(options, board_for(options), lambda info, view: None).play()


def cpu_percent(board: BoardFile, profile: str, *, playing: bool) -> float:
    """Give the share of one core that decoding and sensing take, in percent of board time."""
    rules = rule_set("original")
    occupants = {square: seat for seat in rules.seats for square in rules.zone(seat)}
    moved = {**occupants, Square("a5"): Seat.RED}
    del moved[Square("a4")]
    situations = [Game(rules, at, turn=Seat.RED).situation() for at in (occupants, moved)]
    sim = SimBoard(board, 1, profile=load_profile(profile))
    sim.lay({square.name: seat.value for square, seat in occupants.items()})
    sent = list(sim.advance(2_000))
    began_ms = sim.now_ms
    for ply in range(PLAYED_MOVES if playing else 0):
        source, target = ("a4", "a5") if ply % 2 == 0 else ("a5", "a4")
        sent += sim.play({"motion": "move", "from": source, "to": target}, after_ms=PAUSE_MS, quiet_ms=50)
    if not playing:
        sent += sim.advance(began_ms + IDLE_S * 1000)
    decoder = Decoder()
    interpreter = interpreter_of(rules, board)
    interpreter.follow(situations[0])
    read = 0
    began = time.process_time()
    for data in sent:
        for message in decoder.feed(data):
            if isinstance(message, Frame):
                for said in interpreter.feed(message):
                    if isinstance(said, Read):
                        read += 1
                        interpreter.follow(situations[read % 2])
    return round((time.process_time() - began) / (sim.now_ms / 1000) * 100, 3)
