"""The rule sets and boards that are shipped, and house rule sets of the user's: read once, when first asked for.

Stands alone since it is the one module of this room that reads files.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from referee.rules.board import Board
from referee.rules.board_file import board_from
from referee.rules.fields import read
from referee.rules.outcomes import FileFault, RuleFileError, UnknownRuleSetError
from referee.rules.rule_file import rule_set_from
from referee.rules.ruleset import RuleSet

_DATA = Path(__file__).with_name("data")
_NAMES = (
    "original",
    "duel",
    "barrage",
    "classic",
    "duel-compact",
    "infiltrator",
    "vintage",
    "stratego4",
    "stratego4-three",
    "stratego4-teams",
)


def rule_set_names() -> tuple[str, ...]:
    """Return the names of the rule sets that are shipped."""
    return _NAMES


@cache
def rule_set(name: str) -> RuleSet:
    """Return a shipped rule set; the same object every time. Raises `UnknownRuleSetError` naming those that there are."""
    if name not in _NAMES:
        raise UnknownRuleSetError(f"no rule set {name!r}; there are {', '.join(_NAMES)}")
    return rule_set_from(read(_DATA / f"{name}.toml"), board_named, rule_set)


def load_rule_set(path: str | Path) -> RuleSet:
    """Return the house rule set of a TOML file, keyed like those in `data/`; its board may be a file beside it.

    Raises `RuleFileError` with every fault.
    """
    path = Path(path)

    def board(name: str) -> Board:
        if not name.endswith(".toml"):
            return board_named(name)
        return board_from(read(path.parent / name), board_named)

    rules = rule_set_from(read(path), board, rule_set)
    if rules.name in _NAMES:
        raise RuleFileError(path.name, [FileFault("name", f"{rules.name!r} is a shipped rule set")])
    return rules


def house_files(path: Path) -> tuple[Path, ...]:
    """Return the files that a house rule set is read from: its own, and its board's if that is one. Raises `RuleFileError`."""
    board = str(read(path).get("board", ""))
    return (path, path.parent / board) if board.endswith(".toml") else (path,)


@cache
def board_named(name: str) -> Board:
    """Return a shipped board; the same object every time. Raises `UnknownRuleSetError` where there is none."""
    names = sorted(file.stem for file in (_DATA / "boards").iterdir())
    if name not in names:
        raise UnknownRuleSetError(f"no board {name!r}; there are {', '.join(names)}")
    return board_from(read(_DATA / "boards" / f"{name}.toml"))
