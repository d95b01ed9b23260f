"""Reads records and makes replays, in a process of low priority: `python -m referee.library.worker WHAT FOLDER [VIEW]`.

index FOLDER         the lines of an index of the state directory's games whose names come as a JSON list on stdin
page FOLDER VIEW     the game's one file; VIEW is `archive`, or `public` while its end may be taken back
replay FOLDER VIEW   the game as a kiosk shows it again, packed
record FOLDER VIEW   its record

After VIEW may stand the TOML file of the table's house rules, for games that were played by them.
What cannot be read is exit code 1; nothing of it is told.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import zlib
from contextlib import suppress
from pathlib import Path

SECONDS, BYTES = 20, 512 << 20
"""The most that it may take of processor and memory."""


def main() -> int:
    """Do what the arguments say; return the exit code."""
    os.nice(10)
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
    what, folder, *view = sys.argv[1:]
    if what == "index":  # line by line, so that a record that takes too long costs none of those before it
        for name in json.load(sys.stdin):
            sys.stdout.buffer.write(_line(Path(folder) / "games" / name))
            sys.stdout.buffer.flush()
        return 0
    done = work(what, Path(folder), *view)
    if done is None:
        return 1
    sys.stdout.buffer.write(done)
    return 0


def work(what: str, folder: Path, *view: str, given: bytes = b"") -> bytes | None:
    """Return what is asked for, None where it cannot be made. What is imported here counts in the limits."""
    from referee.journal.errors import JournalError, RecordError
    from referee.rules import RulesError

    try:
        if what == "index":
            return b"".join(_line(folder / "games" / name) for name in json.loads(given))
        return _of_game(what, folder, view[0] == "archive", *view[1:])
    except (OSError, RecordError, JournalError, RulesError, RecursionError, MemoryError):
        return None


def _line(folder: Path) -> bytes:
    """Return the line of a game in the index, nothing where there is no record any more."""
    from referee.journal.errors import RecordError
    from referee.library.games import RECORD, entry_of, index_line, mark_of

    entry = None
    if (mark := mark_of(folder / RECORD)) is None:
        return b""
    with suppress(OSError, RecordError, RecursionError):
        entry = entry_of(folder)
    return index_line(folder.name, mark, entry)


def _of_game(what: str, folder: Path, whole: bool, house: str = "") -> bytes:
    from referee.journal.hand_times import times_in
    from referee.journal.records.check import completed
    from referee.journal.records.formats import write_record
    from referee.journal.records.model import rules_of
    from referee.library.games import record_in, shown
    from referee.library.report import figures_of, kiosk_replay, report
    from referee.rules import load_rule_set, rule_set_names

    record = shown(record_in(folder), whole)
    if what == "record":
        return write_record(record, "own").encode()
    own = load_rule_set(house) if house and record.rules not in rule_set_names() else None
    if own is not None and own.name != record.rules:
        own = None
    record = completed(record, own)
    made = (record, rules_of(record, own), figures_of(record, own), times_in(folder))
    return zlib.compress(kiosk_replay(*made)) if what == "replay" else report(*made).encode()


if __name__ == "__main__":
    sys.exit(main())
