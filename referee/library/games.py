"""Which games are kept below a state directory: each folder's `game.record`, read as an entry of the list, newest first.

The record is all that is read of a game. A folder that is not ours, or whose record is damaged or huge, costs its own line.
"""

from __future__ import annotations

import re
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

from referee.journal.errors import RecordError
from referee.journal.records.formats import read_record
from referee.journal.records.model import Record, View
from referee.journal.records.views import view_of
from referee.journal.stored import JOURNAL
from referee.private_file import read_start

RECORD = "game.record"
MOST_BYTES = 1_000_000
_ARCHIVED = (View.ARCHIVE, View.PUBLIC)


@dataclass(frozen=True, slots=True)
class GameRow:
    """One game of the list; the fields are those of its JSON. `name` is that of its folder."""

    name: str
    game: str | None
    date: str | None
    rules: str
    mode: str
    seats: tuple[str, ...]
    players: Mapping[str, str]
    computers: Mapping[str, int]
    winner: str | None
    reason: str | None
    plies: int
    shown: tuple[str, ...]
    signers: Mapping[str, str] = field(default_factory=dict)

    def told(self) -> dict[str, Any]:
        """Return what is said of the game in the list."""
        return asdict(self)

    def unconfirmed(self) -> GameRow:
        """Return it as it may be told while its end may be taken back: who shows his set-up only where all do."""
        return self if set(self.shown) == set(self.seats) else replace(self, shown=())


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A folder of which no entry can be made, and why."""

    path: Path
    why: str


@dataclass(frozen=True, slots=True)
class GameFilter:
    """A search among the kept games; an empty field fits every game."""

    player: str = ""
    rules: str = ""
    date: str = ""
    result: str = ""

    def fits(self, entry: GameRow) -> bool:
        """Return whether a game is looked for."""
        names = [name.casefold() for name in entry.players.values()]
        return (
            (not self.player or any(self.player.casefold() in name for name in names))
            and self.rules.casefold() in entry.rules.casefold()
            and (entry.date or "").startswith(self.date)
            and self.result in ("", entry.winner or "none")
        )


def mark_of(record: Path) -> str | None:
    """Return size and time of a record, None where there is no file of its own; what a link leads to is not ours."""
    try:
        found = record.lstat()
    except OSError:
        return None
    return f"{found.st_size} {found.st_mtime_ns}" if stat.S_ISREG(found.st_mode) else None


def below(state: Path) -> list[Path]:
    """Return the folders below a state's `games`, those with the latest names first; one whose name is no text is not ours."""
    try:
        found = [path for path in (state / "games").iterdir() if path.is_dir() and not path.is_symlink()]
    except OSError:
        return []
    latest: dict[str, Path] = {}
    for path in sorted(filter(lambda path: _is_text(path.name), found), key=lambda path: _copies(path.name)):
        name, number = _copies(path.name)
        latest[name if number == 0 or (path / JOURNAL).exists() else path.name] = path
    return sorted(latest.values(), key=lambda path: path.name, reverse=True)


def _copies(name: str) -> tuple[str, int]:
    """Return what a folder's game was called at first, and in which copy of its good part it went on; 0 is the first journal."""
    copy = re.fullmatch("(.*)-saved([0-9]+)", name)
    return (name, 0) if copy is None else (copy[1], int(copy[2]))


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def folders(state: Path) -> list[Path]:
    """Return the folders of games that have a record, those with the latest names first; a state that is a game's own folder is its own."""
    return [path for path in (*below(state), state) if mark_of(path / RECORD) is not None]


def entries(state: Path) -> Iterator[GameRow | Unreadable]:
    """Yield what is kept below a state directory, newest first."""
    for folder in folders(state):
        try:
            yield entry_of(folder)
        except (OSError, RecordError) as error:
            yield Unreadable(folder, str(error))


def record_in(folder: Path) -> Record:
    """Return the record of a game that is over. Raises `OSError` and `RecordError`."""
    path = folder / RECORD
    data = b"" if mark_of(path) is None else read_start(path, MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise RecordError(f"more than {MOST_BYTES:,} bytes")
    record = read_record(data)
    if record.result is None:
        raise RecordError("the game of this record is not over")
    return record


def shown(record: Record, whole: bool) -> Record:
    """Return what the library may show of a record: the archive's view, or without `whole` the public one unless every owner agreed.

    One that holds more is cut down to it. Raises `RecordError` for a seat's view.
    """
    if record.view in _ARCHIVED:
        record = replace(record, view=View.REFEREE)
    if whole or (record.seats and record.consent == set(record.seats)):
        return view_of(record, View.ARCHIVE)
    return replace(view_of(record, View.PUBLIC), consent=frozenset())


def entry_of(folder: Path) -> GameRow:
    """Return the entry of a game. Raises `OSError` and `RecordError`."""
    record = shown(record_in(folder), whole=True)
    result = record.result
    assert result is not None
    return GameRow(
        name=folder.name,
        game=record.game,
        date=record.date,
        rules=record.rules,
        mode=record.mode.value,
        seats=tuple(seat.value for seat in record.seats),
        players={seat.value: name for seat, name in record.names.items()},
        computers={seat.value: int(level) for seat, level in record.computers.items()},
        winner=result.winner_word,
        reason=result.reason.value,
        plies=len(record.plies),
        shown=tuple(seat.value for seat in record.seats if seat in record.consent),
        signers={who: text.partition(" ")[0] for who, text in record.signatures.items()},
    )


# ---- the index: a line a folder, with what its record was when it was read; null where no entry can be made of it


Index: TypeAlias = dict[str, tuple[str, GameRow | None]]
_LINE = msgspec.json.Decoder(tuple[str, str, GameRow | None])


def read_index(lines: Iterable[bytes]) -> Index:
    """Return an index by the folders' names; a line that cannot be read is as if it were not there."""
    found: Index = {}
    for line in lines:
        with suppress(msgspec.MsgspecError):
            name, mark, entry = _LINE.decode(line)
            found[name] = (mark, entry)
    return found


def index_line(name: str, mark: str, entry: GameRow | None) -> bytes:
    """Return a line of an index."""
    return msgspec.json.encode((name, mark, entry)) + b"\n"
