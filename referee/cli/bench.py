"""`hallmarshal bench`: runs one of the measurements in `benchmarks/` and prints its figures with the machine's name.

A benchmark is a module of `benchmarks` with `add_arguments(parser)` (optional) and `run(args) -> Mapping[str, object]`, the figures.
Where these have `failures` that is no empty list, something did not go as it must, and the exit code says so.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping

from benchmarks.measuring import StolenTime, machine
from referee.cli.command import LazyParser

BENCHMARKS: Mapping[str, str] = {
    "rules": "the rules engine: one referee ply, plies a second",
    "chain": "what a game's chain costs a ply",
    "computer": "how strong the computer plays",
    "accuracy": "how well hands are read under noise",
    "field-trial": "whether field trials find what simulated boards are like",
    "latency": "from the last change on the board to the message at the handset",
    "handset": "from a tap on a phone to the verdict on both",
    "kiosk": "the kiosk: first picture, event to pixels, idle, memory",
    "hall": "many tables at once",
    "kills": "the referee killed at every moment of a game",
    "faults": "whatever can go wrong, in every phase of a game",
    "siege": "honest games while strangers lean on the front door",
    "soak": "a long run with faults",
    "powercut": "pull the plug, then see that the card has all that was said to be on it",
}

_FAILED = 1


class BenchmarkParser(LazyParser):
    """Imports its benchmark when its arguments are read: they need half of the product, which `bench --help` does not."""

    package = "benchmarks"
    task = "measure"


def add_arguments(parser: LazyParser) -> None:
    """Add every benchmark."""
    names = parser.add_subparsers(dest="benchmark", metavar="benchmark", required=True, parser_class=BenchmarkParser)
    for name, help_text in BENCHMARKS.items():
        names.add_parser(name, help=help_text).add_argument("--json", action="store_true", help="one JSON document")


def run(args: argparse.Namespace) -> int:
    """Run the benchmark that was named."""
    stolen = StolenTime()
    found: Mapping[str, object] = args.measure(args)
    figures = {"benchmark": args.benchmark, "machine": machine(), "stolen_percent": stolen.percent(), **found}
    if args.json:
        print(json.dumps(figures))
    else:
        for name, value in figures.items():
            print(f"{name}: {json.dumps(value) if isinstance(value, (dict, list)) else value}")
    return _FAILED if figures.get("failures") else 0
