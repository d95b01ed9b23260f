"""The games of a table on its disk: a journal while each is played, a record at its end, and the one that goes on after a restart."""

from __future__ import annotations

import contextlib
import datetime
import re
import shutil
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from referee.journal.errors import JournalDamagedError, JournalError, JournalFormatError, JournalKeyError
from referee.journal.events import fact_of
from referee.journal.journal import Journal, public_rows
from referee.journal.journal_to_record import record_as_agreed
from referee.journal.owners import OWNERS, sealed_to_owners
from referee.journal.records.formats import write_record
from referee.journal.records.model import Record, View
from referee.journal.records.views import view_of
from referee.journal.stored import JOURNAL
from referee.library.games import RECORD
from referee.private_file import destroy, sync_folder, write_private
from referee.rules import RuleSet, Seat
from referee.runtime.errors import UnreachableError
from referee.runtime.frame_log import part_name
from referee.runtime.state_file import UNKNOWN, writing
from referee.runtime.state_folder import REFEREE_KEY
from referee.table.conduct.takeback import GOES_BACK
from referee.table.replay import Rebuilt, ResumeError, rebuild, told_settings
from referee.table.settings import TableSettings
from referee.table.step import Fact
from referee.table.table import Table

KEY, ANSWERS = "journal.key", "journal.answers"
"""The names of the files of a game in its folder, beside its record's."""
_FOLDER: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}-[0-9]{6}-[0-9a-f]{6}(-saved[0-9]+)?")
"""Names of games' folders: when each was begun (`referee.runtime.game.new_folder`)."""


_SHOWN_IN_THE_RECORD = GOES_BACK | {"end", "consent", "countersigned", "finale"}
"""Facts after which there is a record, none any more, or another one."""


class Keeping:
    """The journal of one game, and the record that is written from it."""

    def __init__(self, journal: Journal, settings: TableSettings, folder: Path, keys: Path | None = None) -> None:
        """`keys` is the folder of keys that lie elsewhere, None where each lies beside its journal."""
        self.journal = journal
        """What a step's facts are written to."""
        self.answers: dict[Seat, Fact] = {}
        """Who has agreed after the end to turn the armies over: rows of the journal once the outcome is shown."""
        self._settings = settings
        self.folder = folder
        self._keys = keys

    @classmethod
    def open(cls, folder: Path, settings: TableSettings, keys: Path | None = None) -> Keeping:
        """Begin a new journal in a folder; the folder's own name survives a power cut too. Raises `JournalError`."""
        with writing(folder):
            new = [each for each in (folder, *folder.parents) if not each.exists()]
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            for each in new:
                sync_folder(each.parent)
        return cls(Journal.create(folder / JOURNAL, key_of(folder, keys)), settings, folder, keys)

    @property
    def journal_path(self) -> Path:
        """Return where the journal lies."""
        return self.folder / JOURNAL

    def record(self, date: str | None) -> Record:
        """Return the record of what the journal holds, in the referee's view. Raises `JournalError`."""
        return record_as_agreed(self.journal.facts(), self._settings.rule_set, date)

    def write_record(self, record: Record, view: View = View.REFEREE) -> Path:
        """Write the record in a view, for its owner only; return its path. Raises `JournalError`."""
        path = self.folder / RECORD
        with writing(path):
            write_private(path, write_record(view_of(record, view), "own"))
        return path

    def write_owners(self, record: Record, handsets: Mapping[Seat, str]) -> None:
        """Write what stays of the ranks for each seat's handset once the key is destroyed. Raises `JournalError`."""
        path = self.folder / OWNERS
        with writing(path):
            write_private(path, sealed_to_owners(record, handsets))

    def write_answers(self) -> None:
        """Write what is not in the journal yet, in a file that does not tell how much it is. Raises `JournalError`."""
        path = self.folder / ANSWERS
        with writing(path):
            write_private(path, self.journal.seal_aside(self.answers.values()))

    def read_answers(self, path: Path) -> list[Fact]:
        """Return what was not in the journal yet, by the file of this game or of the damaged one that it was saved from."""
        with contextlib.suppress(OSError, JournalError):  # lost with the disk: nobody has agreed
            self.answers = {fact.seat: fact for fact in self.journal.opened_aside(path.read_bytes()) if fact.seat}
        return list(self.answers.values())

    def forget_answers(self) -> None:
        """Destroy the file: its content is in the journal, or void. Raises `JournalError`."""
        self.answers.clear()
        path = self.folder / ANSWERS
        if path.exists():
            with writing(path):
                destroy(path)

    def remove(self, *names: str) -> None:
        """Remove those of these files that there are. Raises `JournalError`."""
        for path in (self.folder / name for name in names):
            if path.exists():
                with writing(path):
                    path.unlink()

    def destroy_key(self) -> None:
        """Destroy the journal's key: the game can be shown until the journal is closed, and its ranks by nobody afterwards.

        Raises `JournalError`; then it is tried again at the next start.
        """
        self.journal.forget_key(key_of(self.folder, self._keys))
        _destroy_keys(self.folder, self._keys)

    def close(self) -> None:
        """Close the journal."""
        self.journal.close()


class Archive:
    """The ledger of a game: its journal, and the record beside it, which says what the journal says before anybody hears of it."""

    def __init__(self, keeping: Keeping, table: Table, handsets: Callable[[], Mapping[Seat, str]]) -> None:
        """`handsets` returns the public keys of those who hold the seats now."""
        self._keeping = keeping
        self._table = table
        self._handsets = handsets
        self._owners = handsets()
        """Who held the seats at the end: they get what is left, not who takes a seat for the next game."""

    def write(self, facts: Iterable[Fact]) -> None:
        """Write the facts of a step to the journal, then bring the record into line with them. Raises `JournalError`.

        An answer after the end is kept apart until the outcome is shown: a row, or a record, would tell that it was given.
        """
        written = tuple(facts)
        kinds = {fact.kind for fact in written}
        answers = self._keeping.answers
        if "consent" in kinds and self._table.asks_after_the_end:
            answers.update({fact.seat: fact for fact in written if fact.seat is not None})
            self._keeping.write_answers()
            return
        if "finale" in kinds:
            written = (*(answers[seat] for seat in Seat if seat in answers), *written)
        self._keeping.journal.write(written)
        if "end" in kinds:
            self._owners = self._handsets()
        if not _SHOWN_IN_THE_RECORD.isdisjoint(kinds):
            self.align()
        if (
            self._table.result is not None and "end" not in kinds
        ):  # the log was emptied at the end; nothing may be left in it since
            self._keeping.journal.checkpoint()

    def align(self) -> None:
        """Write what its owners and the archive may keep of a game that is over.

        Of one that goes on, also after its end was taken back, keep none: what owners opened is shut again.
        """
        if self._table.result is None:
            self._keeping.forget_answers()
            self._keeping.remove(RECORD, OWNERS)
            return
        record = self._keeping.record(datetime.date.today().isoformat())
        self._keeping.write_owners(record, self._owners)
        if self._table.public_game is not None:
            self._keeping.write_record(record, View.ARCHIVE)
        else:
            self._keeping.remove(RECORD)
        if self._table.asks_after_the_end:
            self._keeping.write_answers()
        else:
            self._keeping.forget_answers()


def remove_oldest(games: Path, most: int, on: Path, keys: Path | None = None) -> int:
    """Remove the oldest folders of games, by their names, until `most` are left; never the one that is `on`. Return how many went.

    A key that is still there, and a frame log, are destroyed before. What is no game's folder by its name stays, and what cannot be
    removed now stays until the next time.
    """
    folders = (path for path in games.iterdir() if path.is_dir() and not path.is_symlink())
    found = sorted(path for path in folders if _FOLDER.fullmatch(path.name) and path.name != on.name)
    old = found[: max(0, len(found) + 1 - most)]
    for path in old:
        with contextlib.suppress(JournalError):
            for key in (*path.glob(f"{KEY}*"), *([] if keys is None else keys.glob(f"{path.name}.key*"))):
                _destroy(key)
            remove_frame_log(path)
            shutil.rmtree(path, ignore_errors=True)
    return sum(not path.exists() for path in old)


# ---- a game that nobody can take back any more: its key goes


def close_finished(games: Path, on: str | None, note: Callable[[str], None], keys: Path | None = None) -> None:
    """Destroy keys and frame logs of the games that are over and that the table does not come back to; `on` is the one that it does.

    What was begun before a power cut is so finished. What the disk does not let go is noted, and tried again at the next start.
    """
    for path in sorted(games.glob(f"*/{OWNERS}")):
        folder = path.parent
        try:
            if _game(folder.name) != _game(on or "") and (not _keys(folder, keys) or has_ended(folder)):
                _destroy_keys(folder, keys)
                remove_frame_log(folder)
                (folder / ANSWERS).unlink(missing_ok=True)
        except JournalError as error:
            note(f"{error}; the key of this game is still there")


def remove_frame_log(folder: Path) -> None:
    """Destroy the frame log of a game, which holds ranks in the clear. Raises `JournalError`."""
    for path in folder.glob(part_name(0).replace("0", "*")):
        _destroy(path)


def has_ended(folder: Path) -> bool:
    """Return whether a journal's game is over; of a damaged one, what is beside it says so."""
    try:
        rows = public_rows(folder / JOURNAL)
    except JournalError:
        return True
    return _is_over([fact_of(row) for row in rows if not row.type.startswith("journal.")])


def _destroy_keys(folder: Path, keys: Path | None) -> None:
    """Destroy a game's key, and its copies: of a journal that was saved from a damaged one, and those beside it. Raises `JournalError`."""
    for path in _keys(folder, keys):
        _destroy(path)


def _destroy(path: Path) -> None:
    with writing(path):
        destroy(path)


def _keys(folder: Path, keys: Path | None) -> list[Path]:
    game = _game(folder.name)
    beside = [path for each in (game, f"{game}-saved*") for path in folder.parent.glob(f"{each}/{KEY}*")]
    return beside if keys is None else [*beside, *keys.glob(f"{game}*.key*")]


def key_of(folder: Path, keys: Path | None) -> Path:
    """Return where the key of the game in a folder lies: beside it, or among the keys elsewhere."""
    return folder / KEY if keys is None else keys / f"{folder.name}.key"


def _game(name: str) -> str:
    """Return the name of a game's first folder, whose damaged journal may have been saved into others."""
    return name.partition("-saved")[0]


# ---- keys on another disk than what they open


def take_keys(keys: Path, state: Path, referee: str, game: str | None) -> None:
    """Move a table's keys from its state to their folder elsewhere, the first time.

    `referee` is the referee's public key if there was one, `game` the folder of the game that is on.

    Raises `UnreachableError` where folder or keys are not there: nothing is begun by others.
    """
    missing = UnreachableError(f"{keys}: the keys of this table are not here; put in the disk that has them")
    if not keys.is_dir():
        raise missing
    if keys.stat().st_dev == state.stat().st_dev:
        raise UnreachableError(f"{keys}: this folder lies on the same disk as {state}; keys are to lie on another one")
    wanted = {state / REFEREE_KEY: keys / REFEREE_KEY} if referee else {}
    if game and (state / "games" / game / JOURNAL).exists():
        folder = state / "games" / game
        wanted[folder / KEY] = key_of(folder, keys)
    for source, target in wanted.items():
        if target.exists():
            continue
        if not source.exists():
            raise missing
        with writing(target):
            write_private(target, source.read_bytes())
    for source, target in wanted.items():
        if source.exists() and source.read_bytes() == target.read_bytes():
            with writing(source):
                destroy(source)


# ---- the game that a table was playing when it was stopped: found in its state directory, read, rebuilt


@dataclass(frozen=True, slots=True)
class UnfinishedGame:
    """A game without an end in its journal, rebuilt so that it can be resumed."""

    settings: TableSettings
    rebuilt: Rebuilt
    keeping: Keeping
    salvaged: bool
    """Whether the journal was damaged and only its good part is used: then the table stands still until somebody says to go on."""


def find(
    state: Path,
    last: str | None,
    rules_named: Callable[[str], RuleSet],
    note: Callable[[str], None],
    keys: Path | None = None,
) -> UnfinishedGame | None:
    """Return the game that was begun last, if its end was not told; what cannot be gone on with is said and stays where it is.

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
        journal, salvaged = _opened(folder, note, keys)
    except (JournalDamagedError, JournalFormatError, JournalKeyError) as error:
        note(f"{error}; nothing of it can be gone on with")
        return None
    try:
        facts = journal.facts()
        if not facts or (last == UNKNOWN and _is_over(facts)):
            journal.close()
            return None
        return _unfinished(journal, facts, folder, rules_named, salvaged, keys)
    except (ResumeError, JournalFormatError) as error:
        journal.close()
        note(f"{folder / JOURNAL}: this game cannot be gone on with: {error}")
        return None


def _is_over(facts: list[Fact]) -> bool:
    """Return whether the game has ended, and nobody has taken that back."""
    ends = [at for at, fact in enumerate(facts) if fact.kind == "end"]
    backs = [at for at, fact in enumerate(facts) if fact.kind in GOES_BACK]
    return bool(ends) and (not backs or backs[-1] < ends[-1])


def _unfinished(
    journal: Journal,
    facts: list[Fact],
    folder: Path,
    rules_named: Callable[[str], RuleSet],
    salvaged: bool,
    keys: Path | None,
) -> UnfinishedGame:
    settings = told_settings(facts, rules_named)
    rebuilt = rebuild(settings, facts)
    keeping = Keeping(journal, settings, folder if not salvaged else journal.path.parent, keys)
    if rebuilt.table.asks_after_the_end and (answers := keeping.read_answers(folder / ANSWERS)):
        rebuilt = rebuild(settings, [*facts, *answers])
    if rebuilt.owed:
        journal.write(rebuilt.owed)
    return UnfinishedGame(settings, rebuilt, keeping, salvaged)


def _opened(folder: Path, note: Callable[[str], None], keys: Path | None) -> tuple[Journal, bool]:
    """Open the journal, or save the good part of a damaged one into a folder beside it. Raises a `JournalError`."""
    try:
        return Journal.open(folder / JOURNAL, key_of(folder, keys)), False
    except JournalDamagedError as error:
        if error.last_good < 1:
            raise
        target = _beside(folder)
        with writing(target):
            target.mkdir(mode=0o700)
            sync_folder(target.parent)
            write_private(key_of(target, keys), key_of(folder, keys).read_bytes())
        journal = Journal.salvage(folder / JOURNAL, key_of(folder, keys), target / JOURNAL)
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
