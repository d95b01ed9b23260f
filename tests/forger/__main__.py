"""`python -m tests.forger [--of-each N] [--every N] [--table FILE] [FILE ...]`: forges records and holds the audit to its page.

Without files it plays games of its own. Exit 1 if a forgery was not found, or one was seen that is none.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from itertools import pairwise
from pathlib import Path

from tests.forger.by_command import audit
from tests.forger.forgeries import forgeries, spliced
from tests.forger.games import every_view, games
from tests.forger.guesses import confirmed, disagreements
from tests.forger.held import Held, countersigned, sampled
from tests.forger.record_text import Text, read


def main(argv: list[str] | None = None) -> int:
    """Forge, audit, print the table and what is not as promised."""
    parser = argparse.ArgumentParser(prog="python -m tests.forger")
    parser.add_argument(
        "--of-each",
        type=int,
        default=0,
        metavar="N",
        help="at most so many forgeries of a kind and record (default: all)",
    )
    parser.add_argument(
        "--every",
        type=int,
        default=1,
        metavar="N",
        help="with each possession besides the file only every Nth (default: 1)",
    )
    parser.add_argument("--table", type=Path, metavar="FILE", help="write the table there")
    parser.add_argument("files", nargs="*", type=Path)
    args = parser.parse_args(argv)
    held = Held()
    said = 0
    before: dict[str, Text] = {}
    with tempfile.TemporaryDirectory() as folder:
        by_command = partial(audit, folder=Path(folder))
        for name, honest in _records(args.files):
            text = countersigned(honest)
            held.honest(name, text, by_command)
            held.broken += [f"{name}: {what} is not made as the page says" for what in disagreements(text)]
            if text.entry("view") == "public":
                held.broken += [f"{name}: {what} is confirmed by a published hash" for what in confirmed(text)]
            made = sampled(forgeries(text), args.of_each, random.Random(1))
            held.look(name, text, made, by_command, args.every)
            key = f"{text.entry('rules')} {text.entry('view')}"
            for one, other in pairwise([before[key], text] if key in before else []):
                held.look(
                    name, one, sampled(spliced(one, other), args.of_each, random.Random(1)), by_command, args.every
                )
            before[key] = text
            print(*held.broken[said:], f"{name}: {sum(held.forged.values())} forgeries", sep="\n", flush=True)
            said = len(held.broken)
    table = "\n".join(held.table())
    if args.table:
        args.table.write_text(table + "\n", encoding="utf-8")
    print(table, f"{len(held.broken)} not as promised", sep="\n")
    return 1 if held.broken else 0


def _records(files: list[Path]) -> Iterator[tuple[str, Text]]:
    """Yield records from files, or of games that are played."""
    for path in files:
        yield path.name, read(path.read_text(encoding="utf-8"))
    if not files:
        for name, record in games():
            for view, text in every_view(record):
                yield f"{name}, {view}", text


if __name__ == "__main__":
    sys.exit(main())
