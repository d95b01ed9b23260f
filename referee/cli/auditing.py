"""`hallmarshal record audit`: what a record or a journal proves, and what in it is wrong."""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path

from referee.journal.errors import JournalError
from referee.journal.proof import audit_journal
from referee.journal.records import MOST_BYTES, Audit, Record, RecordError, audit, read_record
from referee.journal.records.formats import JOURNAL_MAGIC
from referee.rules import RuleSet
from referee.rules.values import Seat
from referee.runtime.errors import BadInputError

WRONG = 1
"""The exit code when something is wrong."""


def audit_file(args: argparse.Namespace) -> int:
    """Print what was found; exit 0 when nothing is wrong, 1 when something is. Raises `BadInputError` for what cannot be read."""
    from referee.runtime.table_plan import rule_set_named

    rules = None if args.rules is None else rule_set_named(args.rules)
    published = dict(_root(text) for text in args.root)
    try:
        record, found = _audited(args, published, rules)
    except RecordError as error:
        raise BadInputError(f"{args.file}: {error}") from None
    except JournalError as error:  # says of which file
        raise BadInputError(str(error)) from None
    except OSError as error:
        raise BadInputError(f"{args.file}: {error.strerror}") from None
    if args.json:
        print(json.dumps(_document(args.file, record, found)))
    else:
        _print(args.file, found)
    return 0 if found.holds else WRONG


def _audited(
    args: argparse.Namespace, published: dict[Seat, str], rules: RuleSet | None
) -> tuple[Record | None, Audit]:
    if args.file == "-":
        data = sys.stdin.buffer.read(MOST_BYTES + 1)
    else:
        path = Path(args.file)
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
        if data.startswith(JOURNAL_MAGIC):
            return audit_journal(path, args.key or path.with_name("journal.key"), published, rules)
    record = read_record(data)
    return record, audit(record, published, rules)


def _root(text: str) -> tuple[Seat, str]:
    name, equals, root = text.partition("=")
    if not equals or name not in [seat.value for seat in Seat] or not re.fullmatch(r"[0-9a-f]{64}", root):
        raise BadInputError(f"--root: SEAT=HEX with 64 hex digits is wanted, not {text!r}")
    return Seat(name), root


def _document(name: str, record: Record | None, found: Audit) -> dict[str, object]:
    return {
        "file": name,
        "plies": len(record.plies) if record is not None else None,
        "holds": found.holds,
        "proven": found.proven,
        "open": found.open,
        "corrected": found.corrected,
        "wrong": [
            {"what": one.what, "ply": one.ply, "seat": one.seat.value if one.seat else None, "text": one.text}
            for one in found.wrong
        ],
    }


def _print(name: str, found: Audit) -> None:
    print(f"{name}: {'nothing is wrong' if found.holds else 'something is wrong'}")
    for word, texts in (
        ("wrong", [one.text for one in found.wrong]),
        ("proven", found.proven),
        ("open", found.open),
        ("corrected", found.corrected),
    ):
        for text in texts:
            print(f"{word}: {text}")
