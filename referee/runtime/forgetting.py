"""A player is forgotten: his name, what salts it, and the ranks that are not public go from the games in a table's state directory.

What a journal seals cannot be edited, not even by who has its key: so of each of his games everything goes but the record, which then
tells what everybody knows, and what others let it show. Its chain still holds, since a name stands in it as a salted hash.

It may be killed at any moment: the record is replaced whole, a mark says that the rest of the folder is to go, and the next call goes on.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from referee.journal.errors import (
    JournalDamagedError,
    JournalError,
    JournalFormatError,
    JournalKeyError,
    JournalMissingError,
    JournalWriteError,
    RecordError,
)
from referee.journal.events import fact_of
from referee.journal.journal import public_rows
from referee.journal.journal_to_record import journal_record
from referee.journal.records.formats import read_record, write_record
from referee.journal.records.model import Record, View
from referee.journal.records.views import view_of
from referee.journal.stored import JOURNAL
from referee.library.games import RECORD
from referee.library.shelf import INDEX
from referee.private_file import destroy, sync_folder, write_private
from referee.rules import BySeat, Seat
from referee.runtime.errors import BadInputError
from referee.runtime.game_archive import KEY, has_ended
from referee.runtime.state_file import UNKNOWN, KeptFile, writing
from referee.runtime.state_folder import alone_in
from referee.table.step import Fact

_TABLES = ("table.json", "join.json", "lock", "referee.key", "broker")
"""Files of the table itself, and its folder; only the first has names, which are taken out."""
_MARK = "forgetting"
"""An empty file in a game's folder: all but its record is to go."""


@dataclass(slots=True)
class Forgotten:
    """What was done in a state directory."""

    games: list[str] = field(default_factory=list)
    """Their folders."""
    names: int = 0
    """How many names went from records and from what the table keeps for its next start."""
    ranks: int = 0
    """How many ranks went from records."""
    files: int = 0
    """How many files went: journals, keys, logs, what was sealed."""
    unreadable: list[str] = field(default_factory=list)
    """Folders in which nobody can tell who played; nothing was done to them."""
    left: list[str] = field(default_factory=list)
    """Files that still hold the name: somebody has laid them there, or they lie behind a link."""


def forget(state: Path, player: str) -> Forgotten:
    """Forget a player in a table's state directory, and return what was done; nothing where he never played.

    Raises `BadInputError` while a table runs there or a game with him is on, and `JournalError` when the disk is no help.
    """
    if not state.is_dir():
        raise BadInputError(f"{state}: there is no such directory")
    if not plain(player):
        raise BadInputError("a name is wanted")
    done = Forgotten()
    with alone_in(state, "a table runs in this directory; stop it first"):
        kept = KeptFile(state) if (state / "table.json").exists() else None
        folders = [state, *sorted(path for path in state.glob("games/*") if path.is_dir() and not path.is_symlink())]
        on = _on(folders, kept)
        begun = {folder: frozenset[Seat]() for folder in folders if (folder / _MARK).exists()}  # it may be half gone
        found = {each: seats for each in folders if each not in begun and (seats := _seats_of(each, player, done))}
        if on in found and not has_ended(on):
            raise BadInputError(f"{on}: a game with this player is on; end it first")
        if (index := state / INDEX).exists() and (begun or found or _holds(index, player)):
            with writing(index):
                destroy(index)  # it holds names, and is made again
        for folder, seats in (begun | found).items():
            if kept is not None and folder == on:
                kept.change(game=None)  # nobody comes back to it
            _forget_in(folder, seats, done)
        if kept is not None:
            _forget_kept(kept, player, done)
        with writing(state):
            for draft in state.glob("*.new"):  # of a file that the power went before
                destroy(draft)
            done.left = [str(path) for path in sorted(_others_files(state)) if _holds(path, player)]
    return done


def _on(folders: list[Path], kept: KeptFile | None) -> Path | None:
    """Return the folder of the game that the table comes back to."""
    if kept is None or kept.now.game is None or len(folders) < 2:
        return None
    return folders[-1] if kept.now.game == UNKNOWN else folders[0] / "games" / Path(kept.now.game).name


def _facts(folder: Path) -> list[Fact]:
    """Return the facts of a game without what is sealed, for which no key is needed. Raises a `JournalError`."""
    return [fact_of(row) for row in public_rows(folder / JOURNAL) if not row.type.startswith("journal.")]


def _seats_of(folder: Path, player: str, done: Forgotten) -> frozenset[Seat]:
    """Return the seats that he had in a game, by its record and its journal; all of it where a broken journal holds his name."""
    found: set[Seat] = set()
    try:
        found |= {seat for seat, name in read_record((folder / RECORD).read_bytes()).names.items() if _is(name, player)}
    except FileNotFoundError:
        pass
    except RecordError:
        if _holds(folder / RECORD, player):
            return frozenset(Seat)
    if not (folder / JOURNAL).exists():
        return frozenset(found)
    try:
        found |= {seat for seat, name in _names(_facts(folder)) if _is(name, player)}
    except JournalWriteError:
        raise  # the disk is no help: nothing says that the journal is broken
    except JournalError:
        if found:  # the journal goes as a whole in any case
            return frozenset(found)
        if any(_holds(path, player) for path in folder.glob(f"{JOURNAL}*")):
            return frozenset(Seat)
        done.unreadable.append(str(folder))
    return frozenset(found)


def _names(facts: list[Fact]) -> Iterator[tuple[Seat, str]]:
    """Yield all that players were called in a game."""
    settings = (facts[0].cause or {}).get("settings", {}) if facts else {}
    yield from ((Seat(seat), str(name)) for seat, name in settings.get("names", {}).items())
    for fact in facts:
        if fact.kind == "named" and fact.event is not None and fact.event.text and fact.seat is not None:
            yield fact.seat, fact.event.text


def plain(name: str) -> str:
    """Return a name as it is compared: whatever its capitals, and in one normal form, since an accent may be a letter of its own."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold()).strip()


def _is(name: str, player: str) -> bool:
    return plain(name) == plain(player)


def _holds(path: Path, player: str) -> bool:
    """Return whether the name stands in a file, or in its name, as a word."""
    text = f"{path.name}\n{path.read_bytes().decode(errors='replace')}"
    forms = {plain(player), json.dumps(player)[1:-1].casefold()}
    return any(re.search(rf"(?<!\w){re.escape(form)}(?!\w)", plain(text)) for form in forms)


def _others_files(state: Path) -> Iterator[Path]:
    """Yield each file that is none of a table's own, also behind links to folders, which a table never makes."""
    seen = set[str]()
    for place, folders, names in os.walk(state, followlinks=True):
        folder = Path(place)
        if (real := os.path.realpath(place)) in seen:
            folders.clear()
            continue
        seen.add(real)
        if folder == state:
            folders[:] = [name for name in folders if name not in _TABLES]
        of_a_game = folder.parent == state / "games" and not folder.is_symlink()
        for path in (folder / name for name in names):
            ours = (folder == state and path.name in _TABLES) or (
                (folder == state or of_a_game) and _is_of_a_game(path)
            )
            if not ours and path.is_file():
                yield path


def _forget_in(folder: Path, seats: frozenset[Seat], done: Forgotten) -> None:
    path = folder / RECORD
    with writing(folder):
        if seats:
            record = _record(folder)
            if record is not None:
                left = _without(record, seats)
                done.names += len(record.names) - len(left.names)
                done.ranks += _ranks(record) - _ranks(left)
                write_private(path, write_record(left, "own"))
            elif path.exists():
                destroy(path)
            (folder / _MARK).touch(mode=0o600)
            sync_folder(folder)
        for each in sorted(folder.iterdir()):
            if each.name in (RECORD, _MARK) or not (folder.parent.name == "games" or _is_of_a_game(each)):
                continue
            done.files += 1
            if each.is_symlink():
                each.unlink()
            else:
                shutil.rmtree(each) if each.is_dir() else destroy(each)
        sync_folder(folder)
        (folder / _MARK).unlink()
        sync_folder(folder)
    done.games.append(folder.name)


def _is_of_a_game(path: Path) -> bool:
    """Return whether a file is a game's where a state directory is its folder at the same time, as that of a demo."""
    return path.name.startswith(("journal.", "frames", RECORD))


def _record(folder: Path) -> Record | None:
    """Return the record of a game, made from its journal where there is none yet; None where that cannot be."""
    with contextlib.suppress(FileNotFoundError, RecordError):
        return read_record((folder / RECORD).read_bytes())
    key = folder / KEY
    with contextlib.suppress(
        JournalDamagedError, JournalFormatError, JournalKeyError, JournalMissingError, RecordError
    ):
        return view_of(journal_record(folder / JOURNAL, key, None), View.ARCHIVE)
    return None


def _without(record: Record, seats: frozenset[Seat]) -> Record:
    """Return a record without the names of these seats, what salts them, and those of their ranks that not everybody was shown."""
    if record.view in (View.REFEREE, View.ARCHIVE):
        shown = replace(record, view=View.REFEREE, consent=record.consent - seats)
        record = view_of(shown, View.ARCHIVE)
    names, salts = (
        BySeat({seat: text for seat, text in told.items() if seat not in seats})
        for told in (record.names, record.salts)
    )
    return replace(record, names=names, salts=salts)


def _ranks(record: Record) -> int:
    return sum(len(set_up.known) for set_up in record.set_ups.values())


def _forget_kept(kept: KeptFile, player: str, done: Forgotten) -> None:
    """Take him out of what the table keeps for its next start: who was assigned, and who played last."""
    now = kept.now
    names = {seat: name for seat, name in now.names.items() if not _is(name, player)}
    played = now.played
    if played is not None:
        left = {seat: name for seat, name in played.names.items() if not _is(name, player)}
        done.names += len(played.names) - len(left)
        played = replace(played, names=left)
    done.names += len(now.names) - len(names)
    if (names, played) != (now.names, now.played):
        kept.change(names=names, played=played)
