"""The game that a table was playing when it was stopped: found in its state directory, read, rebuilt."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from referee.journal.errors import JournalDamagedError, JournalFormatError, JournalKeyError, JournalWriteError
from referee.journal.journal import Journal
from referee.private_file import sync_folder, write_private
from referee.rules import RuleSet
from referee.runtime.game_archive import JOURNAL, KEY, Keeping
from referee.runtime.state_file import UNKNOWN
from referee.table.conduct.takeback import GOES_BACK
from referee.table.replay import Rebuilt, ResumeError, rebuild, told_settings
from referee.table.settings import TableSettings
from referee.table.step import Fact


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A game that goes on."""

    settings: TableSettings
    rebuilt: Rebuilt
    keeping: Keeping
    salvaged: bool
    """Whether the journal was damaged and only its good part is used: then the table stands still until somebody says to go on."""


def find(
    state: Path, last: str | None, rules_named: Callable[[str], RuleSet], note: Callable[[str], None]
) -> Unfinished | None:
    """Give the game that was begun last, if its end was not told; what cannot be gone on with is said and stays where it is.

    `last` is its folder below `games/`, `UNKNOWN` when that was lost: then it is the newest by name, unless it is over; None when there
    is none. Raises `JournalError` when the disk is no help.
    """
    folder = _folder(state, last)
    if folder is None:
        return None
    if not (folder / JOURNAL).exists():
        if last != UNKNOWN:
            note(f"{folder / JOURNAL}: the game that was on is gone, and cannot be gone on with")
        return None
    try:
        journal, salvaged = _opened(folder, note)
    except (JournalDamagedError, JournalFormatError, JournalKeyError) as error:
        note(f"{error}; nothing of it can be gone on with")
        return None
    try:
        facts = journal.facts()
        if not facts or (last == UNKNOWN and _is_over(facts)):
            journal.close()
            return None
        return _unfinished(journal, facts, folder, rules_named, salvaged)
    except (ResumeError, JournalFormatError) as error:
        journal.close()
        note(f"{folder / JOURNAL}: this game cannot be gone on with: {error}")
        return None


def _is_over(facts: list[Fact]) -> bool:
    """Tell whether the game has ended, and nobody has taken that back."""
    ends = [at for at, fact in enumerate(facts) if fact.kind == "end"]
    backs = [at for at, fact in enumerate(facts) if fact.kind in GOES_BACK]
    return bool(ends) and (not backs or backs[-1] < ends[-1])


def _unfinished(
    journal: Journal, facts: list[Fact], folder: Path, rules_named: Callable[[str], RuleSet], salvaged: bool
) -> Unfinished:
    settings = told_settings(facts, rules_named)
    rebuilt = rebuild(settings, facts)
    keeping = Keeping(journal, settings, folder if not salvaged else journal.path.parent)
    if rebuilt.owed:
        keeping.write(rebuilt.owed)
    return Unfinished(settings, rebuilt, keeping, salvaged)


def _opened(folder: Path, note: Callable[[str], None]) -> tuple[Journal, bool]:
    """Open the journal, or save the good part of a damaged one into a folder beside it. Raises a `JournalError`."""
    try:
        return Journal.open(folder / JOURNAL, folder / KEY), False
    except JournalDamagedError as error:
        if error.last_good < 1:
            raise
        target = _beside(folder)
        try:
            target.mkdir(mode=0o700)
            sync_folder(target.parent)
            write_private(target / KEY, (folder / KEY).read_bytes())
        except OSError as fault:
            raise JournalWriteError(f"{target}: it cannot be written ({fault.strerror})") from None
        journal = Journal.salvage(folder / JOURNAL, folder / KEY, target / JOURNAL)
        note(f"{error}; the game goes on from there, in {target}; the damaged file stays as it is")
        return journal, True


def _beside(folder: Path) -> Path:
    number = 1
    while (found := folder.with_name(f"{folder.name}-saved{number}")).exists():
        number += 1
    return found


def _folder(state: Path, last: str | None) -> Path | None:
    games = state / "games"
    if last is None:
        return None
    if last != UNKNOWN:
        return games / Path(last).name
    found = sorted(path for path in games.glob("*") if path.is_dir())
    return found[-1] if found else None
