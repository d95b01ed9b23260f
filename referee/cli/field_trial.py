"""`hallmarshal field-trial`: 200 prompted motions on a real board, how well they were read, and the noise profile that fits it.

Here is what the person at the board reads, and the result; it is `referee.runtime.field_trial_session` that runs a trial.
"""

from __future__ import annotations

import argparse
import functools
import json
import math
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from firmware_bridge.sources import SimSource
from referee.cli.calibrate import grid_lines
from referee.cli.command import LazyParser, add_board_arguments
from referee.field_trial.plan import Motion, MotionKind
from referee.field_trial.result import COUNTED
from referee.field_trial.trial import Asks, Counts, Outcome, Prompt, Repeats, SetBoard, Trial
from referee.rules.values import Seat, Square
from referee.runtime.boards import BoardChoice, OpenBoard
from referee.runtime.field_trial_session import run_trial
from referee.runtime.state_folder import shown

MOST_MOTIONS = 5000
_SECONDS = 5
"""A motion and the wait after it take about so long."""

ASKS: Mapping[MotionKind, str] = {
    MotionKind.LIFT: "{seat}: lift {source} over to {target}.",
    MotionKind.SLIDE: "{seat}: slide {source} to {target}, without lifting it.",
    MotionKind.FAR_LIFT: "{seat}: lift {source} over to {target}.",
    MotionKind.FAR_SLIDE: "{seat}: slide {source} to {target} over {over}, without lifting it.",
    MotionKind.BOTH_LIFTED: "{seat} {source} attacks {target}: lift {source}, then {target}, and hold both.",
    MotionKind.SWAPPED: "{seat} {source} attacks {target}: lift {source}, take {target} away, set {source} down there.",
    MotionKind.TARGET_FIRST: "{seat} {source} attacks {target}: take {target} away first, then lift {source} over there.",
    MotionKind.HESITATION: "{seat}: lift {source}, set it down on {rest} for half a second, then lift it on to {target}.",
    MotionKind.REPLY: "{seat}: lift {source} over to {target}; as soon as it stands, the other hand lifts {answer}.",
    MotionKind.LOOK: "{seat}: lift {rest}, look at it, put it back.",
}
"""What a person is asked to do, by kind."""

SENTENCES: Mapping[str, str] = {
    "begin": "Field trial on {board}: {left} motions, some {minutes} min.{there}",
    "there": " {there} are there already.",
    "keys": "Do each motion once, as at play, then take your hand away: no Enter is needed.\n"
    "You did something else: r and Enter. Enough, show the result: q and Enter.\n"
    "Ctrl-C stops; the same command goes on later.",
    "hands": "Simulated hands do it.",
    "set-up": "Set the board as shown, and nothing else on it:",
    "attack": "      Put both pieces back.",
    "wrong": "      Not yet: {squares}.",
    "empty": "{square} should be empty",
    "missing": "a {seat} piece belongs on {square}",
    "again": "      Not counted: {why}. Once more.",
    "left-out": "      Not counted: {why}. This one is left out.",
    "lost": "The board's cable is out. Plug it in; the trial goes on by itself.",
    "back": "The board is back.",
}
"""Everything else that the trial says of itself."""

OUTCOMES: Mapping[str, str] = {
    "misread": "Misread",
    "asked": "Asked for help",
    "lost": "Not noticed",
    "ghosts": "Guessed too early",
    "false_attacks": "False attacks",
}


def add_arguments(parser: LazyParser) -> None:
    """Add what `field-trial` takes."""
    add_board_arguments(parser, rules="rule set by which pieces move (default: one for this board)")
    parser.add_argument("--motions", type=_motions, default=200, metavar="N", help="how many motions (default: 200)")
    parser.add_argument(
        "--state",
        type=Path,
        metavar="DIR",
        help=f"where frames, result and profile are kept (default: {shown('field-trial')}/BOARD)",
    )
    parser.add_argument(
        "--new", action="store_true", help="begin another trial; the files of the last one are put aside"
    )


def _motions(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= MOST_MOTIONS):
        raise argparse.ArgumentTypeError(f"{text!r} is no number of motions from 1 to {MOST_MOTIONS}")
    return int(text)


def run(args: argparse.Namespace) -> int:
    """Make the trial, or go on with it; exit 2 for a board or folder that cannot be used, 3 if the board does not answer."""
    said = _Said(functools.partial(print, file=sys.stderr if args.json else sys.stdout, flush=True))
    board = BoardChoice(args.board, args.board_file, args.sensing, args.rules)
    told = run_trial(board, args.motions, args.state, said, anew=args.new)
    if args.json:
        print(json.dumps(told))
    else:
        said.lines(result_lines(told))
    return 0


class _Said:
    """Shows what a trial says."""

    def __init__(self, say: Callable[[str], object]) -> None:
        self._say = say

    def lines(self, lines: Iterable[str]) -> None:
        """Show these lines."""
        for line in lines:
            self._say(line)

    def begins(self, trial: Trial, board: OpenBoard) -> None:
        """Show what there is to be done, and how."""
        there = len(trial.outcomes)
        left = len(trial.plan) - there
        already = SENTENCES["there"].format(there=there) if there else ""
        minutes = math.ceil(left * _SECONDS / 60)
        self._say(SENTENCES["begin"].format(board=board.file.id, left=left, minutes=minutes, there=already))
        self._say(SENTENCES["hands" if isinstance(board.source, SimSource) else "keys"])

    def said(self, trial: Trial, board: OpenBoard, said: Prompt) -> None:
        """Show what is to be done now, or what came of it."""
        self.lines(lines_of(board, len(trial.plan), said))

    def link(self, lost: bool) -> None:
        """Show that the board's cable is out, or home again."""
        self._say(SENTENCES["lost" if lost else "back"])


def lines_of(board: OpenBoard, motions: int, said: Prompt) -> list[str]:
    """Return what is shown of something that a trial says."""
    match said:
        case Asks(motion=motion, number=number):
            return [f"{number:>4}  {sentence(motion)}"]
        case SetBoard(attack=motion) if motion is not None:
            return [SENTENCES["attack"]]
        case SetBoard(wanted=wanted, differences=differences) if differences:
            wrong = [_wrong(one.square, wanted.get(one.square)) for one in differences]
            return [SENTENCES["wrong"].format(squares="; ".join(wrong)), *_picture(board, wanted)]
        case SetBoard(wanted=wanted):
            return [SENTENCES["set-up"], *_picture(board, wanted)]
        case Repeats(why=why, left_out=left_out):
            return [SENTENCES["left-out" if left_out else "again"].format(why=why.value)]
        case Counts(outcome=outcome):
            return [f"      {told}" for told in _unusual(outcome)]
    return []


def sentence(motion: Motion) -> str:
    """Return what a person is asked to do."""
    first, *rest = motion.plies or (None,)
    return ASKS[motion.kind].format(
        seat=motion.seat.value.capitalize(),
        source=first.source if first else "",
        target=first.target if first else "",
        over=", ".join(square.name for square in first.path[:-1]) if first else "",
        rest=motion.rest,
        answer=" to ".join(f"{ply.source} over to {ply.target}" for ply in rest if ply),
    )


def _wrong(square: Square, seat: Seat | None) -> str:
    return (
        SENTENCES["empty"].format(square=square)
        if seat is None
        else SENTENCES["missing"].format(square=square, seat=seat.value)
    )


def _picture(board: OpenBoard, wanted: Mapping[Square, Seat]) -> list[str]:
    cells = dict.fromkeys(board.file.squares, " .")
    cells |= {square.name: f" {seat.value[0].upper()}" for square, seat in wanted.items()}
    return grid_lines(board.file, cells, 3)


def _unusual(outcome: Outcome) -> list[str]:
    return [OUTCOMES[name] for name, count in COUNTED.items() if count(outcome)]


def result_lines(told: Mapping[str, Any]) -> list[str]:
    """Return the result as a person reads it."""
    counted = told["counted"]
    lines = [
        "",
        f"{counted} of {told['motions']} motions count (repeated: {told['repeated']}, left out: {len(told['left_out'])}).",
    ]
    for name, word in OUTCOMES.items():
        found = told[name]
        lines.append(f"  {word:<18} {found['count']:>4}   (95 % sure: at most {100 * found['upper_95']:.1f} %)")
    times = told["latency_ms"]
    if times["n"]:
        lines.append(
            f"  Reading time: half within {times['p50']} ms, 99 of 100 within {times['p99']} ms, all within {times['most']} ms"
        )
    if told["weakest"]:
        lines.append(
            f"  Weakest piece: {round(100 * told['weakest']['share'])} % of a usual one, on {told['weakest']['square']}"
        )
    if told["restless"]:
        lines.append(
            f"  Restless squares, left out of the rates: {', '.join(told['restless'])} (look with hallmarshal doctor)"
        )
    lines += ["", f"  {'What fits this board':<22} {'value':>12}   95 % between"]
    for key, one in told["fitted"].items():
        value, low, high = one["value"], one["low_95"], one["high_95"]
        text = f"{value[0]} - {value[1]}" if isinstance(value, (list, tuple)) else f"{value:.3g}"
        between = "" if low is None else f"{low:.3g} and {high:.3g}"
        few = f"  (few: seen {one['seen']} times)" if one["few"] else ""
        lines.append(f"  {key:<22} {text:>12}   {between}{few}")
    return [
        *lines,
        "",
        f"Kept in {told['folder']}: frames, result.json, and profile.toml for sim:?noise={told['profile']}",
    ]
