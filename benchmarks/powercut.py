"""`hallmarshal bench powercut`: pull the plug of a real machine, then see that its card has all that was said to be on it.

    ssh pi hallmarshal bench powercut --folder cut | tee heard.txt     # on another machine; pull the plug, as often as you like
    ssh pi hallmarshal bench powercut --folder cut --heard - < heard.txt

The first writes rows to a journal and says each one once the journal says that it is on disk; whoever listens must not be on the machine
that loses its power. The second holds what was heard against the card. Several turns may follow each other in the same two files.
"""

from __future__ import annotations

import argparse
import secrets
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from referee.journal.errors import JournalError
from referee.journal.events import JournalEvent
from referee.journal.journal import Journal
from referee.journal.stored import JOURNAL
from referee.runtime.errors import BadInputError, UnreachableError
from referee.runtime.game_archive import KEY


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what can be asked."""
    parser.add_argument("--folder", type=Path, required=True, help="where the journal lies: on the card in question")
    parser.add_argument(
        "--rows", type=int, default=0, metavar="N", help="write so many (default: until the plug is pulled)"
    )
    parser.add_argument(
        "--heard", metavar="FILE", help="do not write: hold what was heard before (- for stdin) against the folder"
    )


def run(args: argparse.Namespace) -> Mapping[str, object]:
    """Write rows and print them, or compare; `failures` names the rows heard that are missing. Raises
    `UnreachableError`.
    """
    try:
        return _written(args.folder, args.rows) if args.heard is None else _compared(args.folder, args.heard)
    except JournalError as error:
        raise UnreachableError(str(error)) from error


def _written(folder: Path, rows: int) -> Mapping[str, object]:
    slowest_s, count = 0.0, 0
    folder.mkdir(parents=True, exist_ok=True)
    known = (folder / JOURNAL).exists()
    journal = (Journal.open if known else Journal.create)(folder / JOURNAL, folder / KEY)
    try:
        while not rows or count < rows:
            token = secrets.token_hex(8)
            began = time.monotonic()
            seq = journal.append(JournalEvent("ask", {"text": token}))
            slowest_s = max(slowest_s, time.monotonic() - began)
            count += 1
            print(f"row {seq} {token}", flush=True)
    finally:
        journal.close()
    return {"rows": count, "slowest_ms": round(slowest_s * 1000, 1)}


def _compared(folder: Path, heard: str) -> Mapping[str, object]:
    journal = Journal.open(folder / JOURNAL, folder / KEY, read_only=True)
    try:
        there = {row.seq: row.public["text"] for row in journal.rows()}
    finally:
        journal.close()
    said = dict(_rows(heard))
    gone = [seq for seq, token in said.items() if there.get(seq) != token]
    return {
        "heard": len(said),
        "on_disk": len(there),
        "never_heard": len(there.keys() - said.keys()),
        "failures": [f"row {seq} was said to be on disk and is not there" for seq in gone],
    }


def _rows(heard: str) -> Iterator[tuple[int, str]]:
    """Yield number and token of every whole line; the last line may have been cut off. Raises `BadInputError`."""
    try:
        text = sys.stdin.read() if heard == "-" else Path(heard).read_text(encoding="ascii", errors="replace")
    except OSError as error:
        raise BadInputError(f"{heard}: {error.strerror}") from error
    for line in text.splitlines(keepends=True):
        match line.split():
            case ["row", number, token] if number.isdecimal() and line.endswith("\n"):
                yield int(number), token
