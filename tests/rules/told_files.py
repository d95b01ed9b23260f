"""Rule and board files told in full: what is read from them, and from files that are spoilt by chance every word against them.

    python -m tests.rules.told_files               writes golden/files.txt anew, after a change of the reader that was meant
    python -m tests.rules.told_files NAME NUMBER   shows what a line of it stands for

A line is one file: whether it was read or refused, with how many faults, and a digest of what it amounts to or of what is said of it.
"""

from __future__ import annotations

import dataclasses
import random
import sys
import tomllib
from collections.abc import Iterator
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any

import referee.rules
from referee.rules import Board, rule_set
from referee.rules.board_file import board_from
from referee.rules.library import board_named
from referee.rules.outcomes import RuleFileError
from referee.rules.rule_file import rule_set_from
from tests.rules.told_games import text

GOLDEN = Path(__file__).parent / "golden" / "files.txt"
DATA = Path(referee.rules.__file__).parent / "data"
RULES = ("original", "infiltrator", "stratego4", "stratego4-teams")
BOARDS = ("10x10", "castle-four", "castle-three")
HOUSE: dict[str, dict[str, Any]] = {
    "house": {
        "name": "ours",
        "base": "barrage",
        "specials": [],
        "seats": ["red", "blue"],
        "army": {"marshal": 1, "spy": 2, "flag": 1},
        "combat": {"order": ["spy", "scout", "miner", "general", "marshal"], "exceptions": ["any flag flag-taken"]},
        "ranks": {"scout": {"gait": "run", "number": 9}},
        "options": {"two_square_limit": 2, "repetition": "none"},
    },
    "house's order": {"name": "ours", "base": "original", "combat": {"order": ["spy", "cannon", "spy"]}},
    "lakes": {"name": "ours", "base": "castle-four", "lakes": "f4:h4 d6 d8", "source": "unverified", "verified": False},
}
FILES = 30
"""How often each is spoilt."""


def spoilt(table: Any, rng: random.Random) -> Any:
    """Return a copy of a TOML table with some values lost, doubled or turned into something else."""
    if isinstance(table, dict):
        return {
            rng.choice([key, key, key, key, "x"]): spoilt(value, rng)
            for key, value in table.items()
            if rng.random() < 0.97
        }
    if isinstance(table, list):
        return [spoilt(value, rng) for value in table for _ in range(rng.choice([1, 1, 1, 1, 1, 0, 2]))]
    return rng.choice([table] * 20 + [0, -3, True, "", "red", "any", 2.5, [], {}, ["flag"], {"a": 1}])


def little_spoilt(table: Any, rng: random.Random) -> Any:
    """Return a copy with one value spoilt, somewhere: the only fault of most of these is one of what the words mean."""
    if isinstance(table, dict | list) and table:
        copy = table.copy()
        at = rng.choice(list(table)) if isinstance(table, dict) else rng.randrange(len(table))
        copy[at] = little_spoilt(table[at], rng)
        return copy
    return rng.choice([0, -3, 1, True, "", "red", "any", "flag", "a1", "spy scout", [], {}, ["flag"], {"a": 1}])


def shipped(name: str) -> dict[str, Any]:
    """Return the table of a file that comes with the referee, or of one of ours."""
    folder = DATA / "boards" if name in BOARDS else DATA
    return HOUSE.get(name) or tomllib.loads((folder / f"{name}.toml").read_text(encoding="utf-8"))


def described(value: object) -> str:
    """Return a rule set or a board by its fields."""
    names = (each.name for each in dataclasses.fields(value) if each.init)  # type: ignore[arg-type]  # both have fields
    fields = {name: getattr(value, name) for name in names}
    return text({key: described(each) if isinstance(each, Board) else each for key, each in fields.items()})


def outcome(name: str, table: dict[str, Any]) -> tuple[str, str]:
    """Return what becomes of a file, and what it amounts to or what is said against it."""
    try:
        if name in BOARDS or name == "lakes":
            return "read", described(board_from(table, board_named))
        return "read", described(rule_set_from(table, board_named, rule_set))
    except RuleFileError as error:
        return f"refused {len(error.faults)}", str(error)


def outcomes(name: str) -> Iterator[tuple[str, str]]:
    """Return what becomes of a file as it is, and of copies with one value spoilt and with many."""
    table, rng = shipped(name), random.Random(name)
    yield outcome(name, table)
    for _ in range(FILES):
        yield outcome(name, little_spoilt(table, rng))
    for _ in range(FILES):
        yield outcome(name, spoilt(table, rng))


def lines(name: str) -> Iterator[str]:
    """Return the golden file's lines of one file."""
    for number, (what, told) in enumerate(outcomes(name)):
        yield f"{name} | {number} {what} | {sha256(told.encode()).hexdigest()[:8]}"


NAMES = (*RULES, *BOARDS, *HOUSE)

if __name__ == "__main__":
    if len(sys.argv) == 3:
        print(next(islice(outcomes(sys.argv[1]), int(sys.argv[2]), None))[1])
    else:
        GOLDEN.write_text("".join(f"{line}\n" for name in NAMES for line in lines(name)), encoding="utf-8")
