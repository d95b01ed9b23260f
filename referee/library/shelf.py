"""The games of a state directory as pages ask for them: an index that follows the records, and replays that are made once.

Whatever takes time is done by `worker`, one at a time, and none of it while a game is played. Safe for any thread.
"""

from __future__ import annotations

import hashlib
import json
import logging
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from referee import version
from referee.library.games import MOST_BYTES, RECORD, GameFilter, GameRow, Index, below, index_line, mark_of, read_index
from referee.library.worker import SECONDS
from referee.private_file import read_start, write_private

_log = logging.getLogger(__name__)

INDEX, PAGE = "library.jsonl", "replay.html"
MOST_PAGES = 100
MOST_PAGE_BYTES = 2_000_000
_INDEX_BYTES = 64_000_000
_TURN_S = 10.0
_PLACES = 3
"""So many wait for the worker or have it; the door's places are for phones that take their seats, too."""
_MOST_OLD_S = 2.0
_MOST_READ = 100
"""So many records are read for one request, the newest first."""
_MOST_FAILED = 1000


class ShelfError(Exception):
    """The wish cannot be met; `word` is the stable word that says why."""

    def __init__(self, word: str) -> None:
        super().__init__(word)
        self.word = word


class Now(NamedTuple):
    """What a table does: the folder's name of the game whose end may still be taken back, and whether a game is played."""

    unconfirmed: str | None = None
    playing: bool = False


def work(what: str, folder: Path, *view: str, given: bytes = b"") -> bytes | None:
    """Return what the worker wrote, None where it could not; of an index the lines that it came to. Raises `ShelfError`."""
    command = [sys.executable, "-m", "referee.library.worker", what, str(folder), *view]
    try:
        done = subprocess.run(command, input=given, capture_output=True, timeout=2 * SECONDS, check=False)  # noqa: S603 # all ours
    except (OSError, subprocess.TimeoutExpired):
        raise ShelfError("busy") from None
    return done.stdout if done.returncode == 0 or what == "index" else None


def _mark(key: bytes, page: bytes) -> bytes:
    """Return the first line of a kept page: what it was made of, and what it is, so that one that was cut is made again."""
    return key + b" " + hashlib.sha256(page).hexdigest().encode()


class Shelf:
    """The kept games of a table or station."""

    def __init__(
        self,
        state: Path,
        now: Callable[[], Now] = Now,
        work: Callable[..., bytes | None] = work,
        clock: Callable[[], float] = time.monotonic,
        house: Path | None = None,
    ) -> None:
        """`house` is the file of the house rules that are played here, if any are."""
        self._house = house
        self._state, self._now, self._work, self._clock = state, now, work, clock
        self._turn, self._places, self._looking = (
            threading.Lock(),
            threading.BoundedSemaphore(_PLACES),
            threading.Lock(),
        )
        self._seen: Mapping[str, str] = {}
        self._look_again = 0.0
        self._index: Index | None = None
        self._version = version().encode()
        self._failed: set[tuple[str, bytes]] = set()
        """Of what no page or record could be made: nobody makes the worker try that again and again."""
        self._last = (b"", b"")
        """The page that was made last, and what it was made of: that of a game that is not confirmed is on no disk."""

    @property
    def playing(self) -> bool:
        """Return whether a game is on, during which no other is shown."""
        return self._now().playing

    def listed(self) -> list[GameRow]:
        """Return the games that may be seen, newest first; while a game is played those that were read before it began."""
        marks = self._marks()
        index, now = self._known(), self._now()
        if not now.playing and any(index.get(name, ("",))[0] != mark for name, mark in marks.items()):
            try:
                index = self._read_again(marks)
                self._look_again = 0.0  # a record that was written anew meanwhile was read as it is now
                marks = self._marks()
            except ShelfError:
                if not index:
                    raise
        lines = ((name, index[name]) for name, mark in marks.items() if name in index and index[name][0] == mark)
        found = [entry for name, (_, entry) in lines if entry is not None and (name, True) != now]
        return [entry.unconfirmed() if entry.name == now.unconfirmed else entry for entry in found]

    def search(self, wanted: GameFilter, before: str, most: int) -> tuple[list[GameRow], bool]:
        """Return the newest games that are looked for, of those that come after `before` in the list, and whether there are more."""
        for _ in range(
            6
        ):  # right after a game's end each of up to four signatures writes its record anew; it is read once more
            found = [entry for entry in self.listed() if (not before or entry.name < before) and wanted.fits(entry)]
            shown = [entry for entry in found[:most] if self._is_as_read(entry)]
            if len(shown) == len(found[:most]):
                break
        return shown, len(found) > most

    def page(self, name: str) -> bytes:
        """Return a game as one file. Raises `ShelfError`."""
        folder, view = self._find(name)
        key = self._key(folder, view)
        kept = folder / PAGE
        if self._last[0] == key:
            return self._last[1]
        with suppress(OSError):
            mark, _, page = read_start(kept, MOST_PAGE_BYTES + 200).partition(b"\n")
            if mark == _mark(key, page):
                return page
        page = self._made("page", folder, view)
        self._last = (key, page)
        if view == "archive" and len(page) <= MOST_PAGE_BYTES and self._key(folder, view) == key:
            with suppress(OSError):
                write_private(kept, _mark(key, page) + b"\n" + page)
                self._remove_old_pages()
        return page

    def record(self, name: str) -> bytes:
        """Return a game's record. Raises `ShelfError`."""
        return self._made("record", *self._find(name))

    def replay(self, name: str) -> bytes:
        """Return a game as a kiosk shows it, packed. Raises `ShelfError`."""
        return self._made("replay", *self._find(name))

    def _find(self, name: str, again: bool = True) -> tuple[Path, str]:
        """Return a game's folder, and the view that may be shown: it is looked for in the list, so no name becomes a path."""
        listed = self.listed()
        named = [
            entry for entry in listed if entry.name == name
        ]  # first: anybody's record may say that its game is called so
        entry = next(iter(named or [entry for entry in listed if entry.game == name]), None)
        if entry is None:
            raise ShelfError("not-found")
        if not self._is_as_read(entry):
            if again:
                return self._find(name, again=False)
            raise ShelfError("not-found")
        return self._state / "games" / entry.name, "public" if entry.name == self._now().unconfirmed else "archive"

    def _marks(self) -> Mapping[str, str]:
        """Return what each record is, by its folder's name, newest first; looking at them all takes a twentieth of the time at most."""
        with self._looking:
            begun = self._clock()
            if begun >= self._look_again:
                found = ((path.name, mark_of(path / RECORD)) for path in below(self._state))
                self._seen = {name: mark for name, mark in found if mark is not None}
                self._look_again = begun + min(_MOST_OLD_S, 20 * (self._clock() - begun))
            return self._seen

    def _is_as_read(self, entry: GameRow) -> bool:
        """Return whether a record is what the index was made of; where it is not, the folders are looked at again at the next wish."""
        same = mark_of(self._state / "games" / entry.name / RECORD) == self._known().get(entry.name, ("",))[0]
        if not same:
            self._look_again = 0.0
        return same

    def _known(self) -> Index:
        if self._index is None:
            try:
                self._index = read_index(read_start(self._state / INDEX, _INDEX_BYTES).splitlines())
            except OSError:
                self._index = {}
        return self._index

    def _read_again(self, marks: Mapping[str, str]) -> Index:
        """Return the index after the worker has read what is new, and write it."""
        with self._my_turn():
            index = self._known()
            stale = [name for name, mark in marks.items() if index.get(name, ("",))[0] != mark]
            if stale := stale[:_MOST_READ]:
                lines = self._work("index", self._state, given=json.dumps(stale).encode())
                read = read_index((lines or b"").splitlines())
                failed = next((name for name in stale if name not in read), None)
                index = {name: line for name, line in (index | read).items() if name in marks}
                if failed is not None:  # the worker ended at it, or it has gone
                    index[failed] = (marks[failed], None)
                self._index = index
                with suppress(OSError):
                    content = b"".join(index_line(name, *line) for name, line in index.items())
                    write_private(self._state / INDEX, content)
            return index

    def _made(self, what: str, folder: Path, view: str) -> bytes:
        if self._now().playing:
            raise ShelfError("game-on")
        key = (what, self._key(folder, view))
        with self._my_turn():
            made = (
                None
                if key in self._failed
                else self._work(what, folder, view, *([] if self._house is None else [str(self._house)]))
            )
        if self._now().playing:  # the end of this very game may have been taken back while it was made
            raise ShelfError("game-on")
        if not made:
            self._failed = {key, *(self._failed if len(self._failed) < _MOST_FAILED else ())}
            _log.info("%s: no %s can be made of this game", folder.name, what)
            raise ShelfError("unreadable")
        return made

    @contextmanager
    def _my_turn(self) -> Iterator[None]:
        """Wait for the worker, not for ever, and not many at once. Raises `ShelfError`."""
        if not self._places.acquire(blocking=False):
            raise ShelfError("busy")
        try:
            if not self._turn.acquire(timeout=_TURN_S):
                raise ShelfError("busy")
            try:
                yield
            finally:
                self._turn.release()
        finally:
            self._places.release()

    def _key(self, folder: Path, view: str) -> bytes:
        """Return what a page is made of, as a hash."""
        try:
            data = read_start(folder / RECORD, MOST_BYTES)
        except OSError:
            raise ShelfError("not-found") from None
        with suppress(OSError):
            data += b"" if self._house is None else read_start(self._house, MOST_BYTES)
        return hashlib.sha256(b"\n".join((self._version, view.encode(), data))).hexdigest().encode()

    def _remove_old_pages(self) -> None:
        made = sorted((page.stat().st_mtime_ns, page) for path in below(self._state) if (page := path / PAGE).is_file())
        for _, page in made[:-MOST_PAGES]:
            page.unlink()
