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
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack
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
from referee.journal.hand_times import TIMES
from referee.journal.journal import public_rows
from referee.journal.journal_to_record import journal_record
from referee.journal.records.formats import read_record, write_record
from referee.journal.records.model import Record, View
from referee.journal.records.views import view_of
from referee.journal.stored import JOURNAL
from referee.library.games import RECORD
from referee.library.shelf import INDEX, PAGE
from referee.private_file import destroy, sync_folder, write_private
from referee.rules import BySeat, Seat
from referee.runtime.errors import BadInputError
from referee.runtime.game_archive import KEY, has_ended
from referee.runtime.state_file import UNKNOWN, KeptFile, writing
from referee.runtime.state_folder import alone_in
from referee.table.step import Fact

_OWN = (
    *("table.json", "join.json", "lock", "referee.key", "broker"),
    *("events.db", "events.db-wal", "events.db-shm", "events.json", "station.key", "screen.key", "public.json"),
)
"""Files of a table or station itself, and its broker's folder; table and store alone have players' names, which are taken out."""
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
    """Files that still hold the name: somebody has laid them there, or they lie behind a link. Of a store its events' texts."""


@dataclass(slots=True)
class _StateDirectory:
    """A state directory, and what is to be deleted or changed in it."""

    state: Path
    kept: KeptFile | None
    on: Path | None
    """The folder of the game that the table comes back to."""
    found: dict[Path, frozenset[Seat]]
    """Folders of games that he played, with his seats; of one that is half gone none."""


def forget(state: Path, player: str, first: Callable[[], object] = lambda: None) -> Forgotten:
    """Forget a player in the state directory of a table or station, and in those of a demo's tables below it. Return what was done.

    `first` is called once nothing refuses any more, and before anything is changed; what it raises ends it.

    Raises `BadInputError` while a table or station runs there or a game with him is on, and `JournalError` when the disk is no help.
    """
    if not state.is_dir():
        raise BadInputError(f"{state}: there is no such directory")
    if not plain(player):
        raise BadInputError("a name is wanted")
    done = Forgotten()
    states = [state, *sorted(_demo_tables(state))]
    with ExitStack() as stack:
        for each in states:
            stack.enter_context(alone_in(each, "a table or a station runs in this directory; stop it first"))
        places = [_place(each, states, player, done) for each in states]
        first()
        for place in places:
            _forget_at(place, player, done)
        done.games = [_named(Path(folder), state) for folder in done.games]
        with writing(state):
            done.left = [str(path) for path in sorted(_others_files(state, states)) if _holds(path, player)]
    return done


def _demo_tables(state: Path) -> Iterator[Path]:
    """Yield the state directories of a demo's tables: of a series each game's, of a hall each table's."""
    found = (path for path in (*state.glob("game-*"), *state.glob("games/*")) if not path.is_symlink())
    own = (path for path in found if (path / "broker").is_dir() or (path / "table.json").exists())
    yield from own


def _named(folder: Path, state: Path) -> str:
    """Return what a game's folder is called below a state directory."""
    return folder.name if folder.parent in (state.parent, state, state / "games") else str(folder.relative_to(state))


def _place(state: Path, states: Collection[Path], player: str, done: Forgotten) -> _StateDirectory:
    """Return what is to be done in a state directory. Raises `BadInputError` where a game with this player is on."""
    kept = KeptFile(state) if (state / "table.json").exists() else None
    below = sorted(path for path in state.glob("games/*") if path.is_dir() and not path.is_symlink())
    folders = [state, *(path for path in below if path not in states)]
    on = _on(folders, kept)
    begun = {folder: frozenset[Seat]() for folder in folders if (folder / _MARK).exists()}  # it may be half gone
    found = {each: seats for each in folders if each not in begun and (seats := _seats_of(each, player, done))}
    if on in found and not has_ended(on):
        raise BadInputError(f"{on}: a game with this player is on; end it first")
    return _StateDirectory(state, kept, on, begun | found)


def _forget_at(place: _StateDirectory, player: str, done: Forgotten) -> None:
    kept, index = place.kept, place.state / INDEX
    if index.exists() and (place.found or _holds(index, player)):
        with writing(index):
            destroy(index)  # it holds names, and is made again
    for folder, seats in place.found.items():
        if kept is not None and folder == place.on:
            kept.change(game=None)  # nobody comes back to it
        _forget_in(folder, seats, done, whole=folder != place.state)
    if kept is not None:
        _forget_kept(kept, player, done)
    with writing(place.state):
        for draft in place.state.glob("*.new"):  # of a file that the power went before
            destroy(draft)


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


def stands_in(text: str, player: str) -> bool:
    """Return whether the name stands in a text as a word."""
    forms = {plain(player), json.dumps(player)[1:-1].casefold()}
    return any(re.search(rf"(?<!\w){re.escape(form)}(?!\w)", plain(text)) for form in forms)


def without(text: str, player: str) -> str:
    """Return a text with `#` in place of the name, where that stands in it as a word."""
    if not stands_in(text, player):
        return text
    left = re.sub(rf"(?<!\w){re.escape(plain(player))}(?!\w)", "#", unicodedata.normalize("NFC", text), flags=re.I)
    return "#" if stands_in(left, player) else left


def _holds(path: Path, player: str) -> bool:
    """Return whether the name stands in a file, or in its name, as a word."""
    return stands_in(f"{path.name}\n{path.read_bytes().decode(errors='replace')}", player)


def _others_files(state: Path, states: Collection[Path]) -> Iterator[Path]:
    """Yield each file that is none of a table's own, also behind links to folders, which a table never makes.

    What is made of a game's record is its own: another game's has the words of seats, ranks and squares, and no name but its players'.
    """
    seen = set[str]()
    for place, folders, names in os.walk(state, followlinks=True):
        folder = Path(place)
        if (real := os.path.realpath(place)) in seen:
            folders.clear()
            continue
        seen.add(real)
        is_state = folder in states
        if is_state:
            folders[:] = [name for name in folders if name not in _OWN]
        of_a_game = folder.parent.name == "games" and folder.parent.parent in states and not folder.is_symlink()
        for path in (folder / name for name in names):
            ours = (is_state and path.name in _OWN) or ((is_state or of_a_game) and _is_of_a_game(path))
            if not ours and path.is_file():
                yield path


def _forget_in(folder: Path, seats: frozenset[Seat], done: Forgotten, whole: bool) -> None:
    """Take him out of a game; its folder is emptied where the `whole` of it is the game's."""
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
            if each.name in (RECORD, _MARK) or not (whole or _is_of_a_game(each)):
                continue
            done.files += 1
            if each.is_symlink():
                each.unlink()
            else:
                shutil.rmtree(each) if each.is_dir() else destroy(each)
        sync_folder(folder)
        (folder / _MARK).unlink()
        sync_folder(folder)
    done.games.append(str(folder))


def _is_of_a_game(path: Path) -> bool:
    """Return whether a file is a game's where a state directory is its folder at the same time, as that of a demo."""
    return path.name.startswith(("journal.", "frames", RECORD)) or path.name in (PAGE, TIMES)


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
