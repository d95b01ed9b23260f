"""Measures whether field trials find what boards are like: hidden parameters, a trial on each board, and what fits it against the truth.

Ranges, and what it means that a fit holds: docs/reference/field-trial.md, into which `--page` puts the figures. What fits a board is
given the board's messages and nothing else; the hidden profile stays with the hands that play it.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import Any

from benchmarks.measuring import above_zero, add_page, judged, look_for_block, put_block, table
from firmware_bridge.messages import AskKeyframe
from firmware_bridge.wire import Decoder
from hardware import BoardFile, Sensing, load_board
from referee.field_trial.fitting import Fit, fit, profile_of
from referee.field_trial.result import percentiles
from referee.field_trial.trial import Asks, Prompt, Trial
from referee.runtime.boards import start_of
from referee.runtime.field_trial_hands import Wish, wishes
from referee.runtime.field_trial_session import new_trial, places_of
from simulator.board import SimBoard
from simulator.motions import Both, Move, parse_motion
from simulator.players import Hands
from simulator.profiles import Glitches, HandTimes, Profile, load_profile

BOARD = "travel-10x10"
BOARDS, HOLD = 20, 18
MOTIONS, HELD_OUT = 200, 1000
PARAMETER, LATENCY = 0.20, 0.10
"""A fit holds if each parameter, and the latency of motions that it has not seen, is as near as this."""
_SLICE_MS = 100
_UNASKED = dict.fromkeys(("hesitated", "early_reply", "changed_mind", "adjusted", "lifted_and_returned"), 0.0)
"""What hands at a trial do not do by themselves."""

RANGES: Mapping[str, tuple[float, float]] = {
    "glitches.flips": (5e-5, 1e-3),
    "glitches.bursts_per_s": (0.3, 2.0),
    "burst least": (20, 30),
    "burst most": (45, 60),
    "link.lost": (5e-3, 3e-2),
    "link.repeated": (5e-3, 3e-2),
    "sensors.noise": (3e-3, 1.2e-2),
    "motions.bounced": (0.5, 0.9),
    "times.air_ms": (400, 900),
    "times.crossed_ms": (50, 110),
    "times.border_ms": (40, 90),
    "times.contact_lost_ms": (25, 60),
}
"""What the hidden parameters are drawn from."""
_IN_LOGARITHM = ("glitches.flips", "glitches.bursts_per_s", "link.lost", "link.repeated")


def hidden_profile(random: Random) -> Profile:
    """Return a board and hands with parameters from `RANGES`; hands do nothing but what they are asked for."""
    home = load_profile("home")
    drawn = {
        key: math.exp(random.uniform(math.log(low), math.log(high)))
        if key in _IN_LOGARITHM
        else random.uniform(low, high)
        for key, (low, high) in RANGES.items()
    }
    times = {key.partition(".")[2]: ms for key, ms in drawn.items() if key.startswith("times.")}
    span = (round(drawn["burst least"]), round(drawn["burst most"]))
    return replace(
        home,
        name="hidden",
        about="a board for a field trial",
        sensors=replace(home.sensors, noise=drawn["sensors.noise"]),
        glitches=Glitches(drawn["glitches.flips"], drawn["glitches.bursts_per_s"], span),
        link=replace(home.link, lost=drawn["link.lost"], repeated=drawn["link.repeated"]),
        motions=replace(home.motions, bounced=drawn["motions.bounced"], **_UNASKED),
        times=HandTimes(**times),
    )


class PlayedBoard:
    """A simulated board and the hands at it, in this process: its bytes are decoded as those of a serial port are."""

    def __init__(
        self, board: BoardFile, profile: Profile, seed: int, does: Callable[[Prompt, Random], Iterable[Wish]] = wishes
    ) -> None:
        """Put it together; `does` says what hands do about what is said."""
        self._does = does
        self._sim = SimBoard(board, seed, profile=profile)
        self._hands = Hands(self._sim, seed, healed=1.0)
        self._random = Random(f"{seed}/person")
        self._decoder = Decoder()

    def run(self, trial: Trial) -> None:
        """Let the hands do what the trial asks for, until it is over."""
        waiting: list[Prompt] = [trial.wanted()]

        def hear(frames: Sequence[bytes]) -> None:
            for frame in frames:
                for news in self._decoder.feed(frame):
                    waiting.extend(trial.feed(news))

        hear(self._sim.start())
        while not trial.over:
            if not waiting:
                hear(self._sim.advance(self._sim.now_ms + _SLICE_MS))
                continue
            said = waiting.pop(0)
            if isinstance(said, Asks):
                hear(self._sim.obey(AskKeyframe(with_raw=True)))
            for wish in self._does(said, self._random):
                hear(self._sim.advance(self._begin(wish)))

    def _begin(self, wish: Wish) -> int:
        """Begin a motion; return when its last magnet has been seen at rest."""
        motion, after_ms = parse_motion(dict(wish))
        ends_ms = (
            self._hands.make(motion, after_ms) if isinstance(motion, Move | Both) else self._sim.begin(motion, after_ms)
        )
        return math.ceil(ends_ms + 1000 / self._sim.board.scan.hz)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what can be chosen."""
    parser.add_argument("--boards", type=above_zero, default=BOARDS, help="boards with hidden parameters")
    parser.add_argument("--motions", type=above_zero, default=MOTIONS, help="motions of each trial")
    parser.add_argument("--held-out", type=above_zero, default=HELD_OUT, help="other motions, for the latency")
    parser.add_argument("--seed", type=int, default=1, help="of everything that is drawn")
    add_page(parser)


def run(args: argparse.Namespace) -> Mapping[str, object]:
    """Make the trials. Returns the share of fits that hold, and how far off each parameter was."""
    look_for_block(args.page, "fits")
    found = []
    for number in range(args.boards):
        errors = try_board(f"{args.seed}/{number}", number, args.motions, args.held_out)
        missed = [f"{name} {100 * error:+.1f} %" for name, error in errors.items() if abs(error) > limit_of(name)]
        print(
            f"board {number + 1} of {args.boards}: {', '.join(missed) or 'the fit holds'}", file=sys.stderr, flush=True
        )
        found.append(errors)
    off: dict[str, list[float]] = {}
    for errors in found:
        for name, error in errors.items():
            off.setdefault(name, []).append(error)
    parameters = {
        name: {
            "within": sum(abs(error) <= limit_of(name) for error in errors),
            "mean_off": round(sum(errors) / len(errors), 4),
            "worst_off": round(max(map(abs, errors)), 4),
        }
        for name, errors in off.items()
    }
    holds = sum(all(abs(error) <= limit_of(name) for name, error in errors.items()) for errors in found)
    enough = holds * BOARDS >= HOLD * args.boards
    put_block(args.page, "fits", _page(args, parameters, holds, enough=enough))
    return {
        "boards": args.boards,
        "motions": args.motions,
        "held_out": args.held_out,
        "seed": args.seed,
        "holds": holds,
        "off": parameters,
        "failures": [] if enough else [f"{holds} of {args.boards} fits hold"],
    }


def limit_of(name: str) -> float:
    """Return how far off a figure of this name may be."""
    return LATENCY if name.startswith("latency") else PARAMETER


def try_board(seed: str, number: int, motions: int, held_out: int) -> Mapping[str, float]:
    """Return how far off the fit of one board is, as a share of the truth, by parameter."""
    random = Random(f"{seed}/board")
    hidden = hidden_profile(random)
    sensing = Sensing.OCCUPANCY if number % 2 else Sensing.COLOUR
    board = load_board(BOARD).with_sensing(sensing)
    seeds = [random.randrange(1 << 30) for _ in range(3)]
    trial = played(board, hidden, seeds[0], motions)
    fits = fit(trial.outcomes, places_of(board), board.scan.hz).fits
    fitted = profile_of(fits, "")
    fitted = replace(fitted, motions=replace(fitted.motions, **_UNASKED))
    errors = dict(_errors(fits, hidden))
    truth, guess = (
        percentiles([ms for outcome in played(board, each, other, held_out).outcomes for ms in outcome.latencies_ms])
        for each, other in ((hidden, seeds[1]), (fitted, seeds[2]))
    )
    return {**errors, **{f"latency {name}": guess[name] / truth[name] - 1 for name in ("p50", "p99")}}


def played(board: BoardFile, profile: Profile, seed: int, motions: int) -> Trial:
    """Return a trial that simulated hands have made on a board of that kind."""
    start = start_of(board, None)
    assert start is not None
    trial = new_trial(board, start, motions)
    PlayedBoard(board, profile, seed).run(trial)
    return trial


def _errors(fits: Sequence[Fit], hidden: Profile) -> Mapping[str, float]:
    errors = {name: math.inf for name in RANGES if "." in name}
    for one in fits:
        part, _, key = one.key.partition(".")
        true = getattr(getattr(hidden, part), key)
        if isinstance(one.value, tuple):
            for end, value, wanted in zip(("least", "most"), one.value, true, strict=True):
                errors[f"burst {end}"] = value / wanted - 1
        elif true:
            errors[one.key] = one.value / true - 1
    return errors


def _page(args: argparse.Namespace, parameters: Mapping[str, Mapping[str, Any]], holds: int, *, enough: bool) -> str:
    rows = [
        (
            f"`{name}`",
            judged(f"{found['within']} of {args.boards}", met=found["within"] == args.boards),
            f"{100 * found['mean_off']:+.1f} %",
            f"{100 * found['worst_off']:.1f} %",
        )
        for name, found in parameters.items()
    ]
    text = judged(f"{holds} of {args.boards}", met=enough)
    head = f"**{text} fits hold**" if enough else f"{text} fits hold"
    about = f"{head} (seed {args.seed}, {args.motions} motions a trial, {args.held_out} other ones for the latency; bold: not all within)."
    return about + "\n\n" + table(("parameter", "within", "off on average", "off at most"), rows)
