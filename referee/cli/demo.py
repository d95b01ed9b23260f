"""`hallmarshal demo`: a whole game on a simulated board through every real part."""

from __future__ import annotations

import argparse
import os
import secrets
from pathlib import Path

from referee.cli.command import LazyParser
from referee.demo.game_run import DemoOptions, play_series
from referee.demo.recorded import load_recorded
from referee.journal.errors import JournalError
from referee.runtime.errors import BadInputError, UnreachableError, told_as
from referee.runtime.state_folder import state_folder
from referee.runtime.table_config import MOST_PORT
from referee.runtime.table_plan import rule_set_named
from referee.table.views import Mode, Reveal
from referee.words import LANGUAGES
from simulator.process import FASTEST
from simulator.profiles import known_profile

MOST_GAMES = 1000


def add_arguments(parser: LazyParser) -> None:
    """Add what `demo` takes."""
    parser.add_argument(
        "--rules",
        metavar="NAME",
        help="rule set, or house rules FILE.toml (default: original, or what the recorded game says)",
    )
    parser.add_argument("--seed", type=int, metavar="N", help="repeat a game: set-ups, hands, verdicts and ending")
    parser.add_argument("--game", type=Path, metavar="FILE", help="play a recorded game (ours, StraDoS2 XML or GSN)")
    parser.add_argument("--games", type=int, default=1, metavar="N", help="play a series, with seeds that count up")
    parser.add_argument(
        "--board",
        choices=("sim", "avr-sim", "pico-sim", "gpio"),
        default="sim",
        help="sim: emulated firmware (default); avr-sim: the real firmware's image in a simulated ATmega328P; "
        "pico-sim: that of a Raspberry Pi Pico, in an emulated one; "
        "gpio: a Raspberry Pi's own scanner, its pins driven by simulated magnets",
    )
    parser.add_argument(
        "--board-file", metavar="NAME", help="a board file, or its name (default: the first with the rules' squares)"
    )
    parser.add_argument(
        "--sensing", choices=("colour", "occupancy"), help="what the sensors tell (default: the board's own)"
    )
    parser.add_argument("--mode", choices=("declare", "enrol"), default="declare", help="how ranks reach the referee")
    parser.add_argument(
        "--reveal", choices=("book", "attacker-only", "result-only"), default="book", help="who hears a survivor's rank"
    )
    parser.add_argument(
        "--noise",
        type=_noise,
        metavar="clean|home|rough|FILE",
        default="clean",
        help="what sensors and hands are like; FILE.toml: a profile that `hallmarshal field-trial` fitted",
    )
    parser.add_argument(
        "--speed",
        type=_pace,
        metavar="max|1-20",
        default=0,
        help="max: as fast as the parts allow (default); 1: human pace, up to 20 times that",
    )
    parser.add_argument("--players", dest="style", choices=("sensible", "random"), default="sensible", help="who plays")
    parser.add_argument(
        "--port", dest="broker_port", type=int, metavar="N", help="TCP port of the broker (default: a free one)"
    )
    parser.add_argument(
        "--state", type=Path, metavar="DIR", help="where journal and record are kept (default: a new one)"
    )
    parser.add_argument("--language", choices=LANGUAGES, default="en", help="of the board shown")
    kiosk = parser.add_mutually_exclusive_group()
    kiosk.add_argument("--kiosk", action="store_true", default=None, help="show the kiosk's window")
    kiosk.add_argument("--no-kiosk", dest="kiosk", action="store_false", help="never show the kiosk's window")
    parser.add_argument("--json", action="store_true", help="print one JSON document and nothing else")


def _pace(text: str) -> int:
    """Return how many times human pace; 0 for as fast as the parts allow."""
    if text == "max":
        return 0
    if text not in map(str, range(1, FASTEST + 1)):
        raise argparse.ArgumentTypeError(f"{text!r} is neither max nor a number from 1 to {FASTEST}")
    return int(text)


def _noise(name: str) -> str:
    if name in ("clean", "home", "rough"):
        return name
    if not name.endswith(".toml"):
        raise argparse.ArgumentTypeError(f"{name!r} is none of clean, home, rough, nor a file (.toml)")
    return known_profile(name)


@told_as(UnreachableError, JournalError)
def run(args: argparse.Namespace) -> int:
    """Play the demo; exit 2 for bad input, 3 when the broker or the board cannot be started."""
    return play_series(_options(args), as_json=args.json)


def _options(args: argparse.Namespace) -> DemoOptions:
    if not 1 <= args.games <= MOST_GAMES:
        raise BadInputError(f"--games: a number from 1 to {MOST_GAMES}, not {args.games}")
    if not 0 <= (args.broker_port or 0) <= MOST_PORT:
        raise BadInputError(f"--port: a number from 0 to {MOST_PORT}, not {args.broker_port}")
    if args.game is not None and args.games != 1:
        raise BadInputError("--game plays one recorded game; leave --games out")
    rules = rule_set_named(args.rules or "original") if args.rules is not None or args.game is None else None
    recorded = None
    if args.game is not None:
        rules, recorded = load_recorded(args.game, rules)
    assert rules is not None
    has_display = bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
    same = ("games", "board", "board_file", "sensing", "noise", "style", "language", "broker_port")
    return DemoOptions(
        rules=rules,
        rules_name=args.rules or rules.name,
        state_dir=_state_dir(args.state),
        seed=secrets.randbelow(1_000_000) if args.seed is None else args.seed,
        mode=Mode(args.mode),
        reveal=Reveal(args.reveal),
        pace=args.speed,
        recorded=recorded,
        kiosk=has_display and not args.json and args.games == 1 if args.kiosk is None else args.kiosk,
        **{name: getattr(args, name) for name in same},
    )


def _state_dir(asked: Path | None) -> Path:
    if asked is not None:
        if asked.exists() and not asked.is_dir():
            raise BadInputError(f"--state: {asked} is not a folder")
        if any(asked.glob("journal.sqlite")) or any(asked.glob("game-*/journal.sqlite")):
            raise BadInputError(f"--state: {asked} holds a game already; name a folder of its own for each demo")
        return asked
    return state_folder(f"demo-{secrets.token_hex(4)}")
