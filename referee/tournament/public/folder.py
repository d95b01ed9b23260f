"""The folder of plain files for players and public, which follows an event: each file is there whole, or as it was before.

    index.html                    the events
    EVENT/                        an event's pages (`pages.py`)
    live.html, live/boards.json   boards as they were some minutes ago, and live/table-N.json
    public/, station/, toolkit/, words.json   what pages load
    hallmarshal.json              which files are ours

It is kept in memory, from where a station serves it, and written to disk where there is a folder for it. Nothing is written that has
not changed.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import re
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from referee.private_file import write_private
from referee.rules.values import Seat
from referee.tournament.event import event as model
from referee.tournament.public.markup import Said, tag
from referee.tournament.public.pages import EventPages, document
from referee.tournament.public.prints import prints
from referee.tournament.public.shown import called, public_event
from referee.tournament.store import StoreError
from referee.web.files import public_files

_log = logging.getLogger(__name__)

MANIFEST = "hallmarshal.json"
LOOK_S = 2.0
"""So often the event is looked at: what is done to it, also by another program, is public after at most so long."""
Json = dict[str, Any]
_NAME = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)?(/[a-z0-9_-]+(\.[a-z0-9_-]+)?)*")
"""A file's name as a manifest may have it: nothing outside the folder is ever taken away."""


class PublicFolderError(Exception):
    """The folder cannot be written, or is not ours to write in; the text says which."""


@dataclass(frozen=True, slots=True)
class Publishing:
    """How an event is shown in public: the language where no script runs, what players are called where the event does not say, and where
    it is on the web.

    `address` ends with a slash: the folder's, as players' phones open it. `games` is where spectators find the games that are over; empty:
    nowhere.
    """

    language: str = "en"
    names: model.PublicNames = model.PublicNames.FULL
    address: str = ""
    games: str = ""

    def names_of(self, event: model.Event) -> model.PublicNames:
        """Return what an event's players are called."""
        return event.public_names or self.names

    def known(self, events: Sequence[model.Event]) -> dict[str, str] | None:
        """Return what everybody who is in an event is called at the boards, by his name; None where there is no event. Who is in several is
        not named whole if one of them says so.
        """
        whole_first = sorted(events, key=lambda event: self.names_of(event) is not model.PublicNames.FULL)
        return (
            {one.name: called(one, self.names_of(event)) for event in whole_first for one in event.players}
            if events
            else None
        )

    def kept_names(self, events: Sequence[model.Event], names: Mapping[Seat, str]) -> dict[Seat, str]:
        """Return names as games have them that are kept for everybody: who is not named whole is a number, as who is forgotten is."""
        shy = [event for event in events if self.names_of(event) is not model.PublicNames.FULL]
        numbers = {one.name: called(one, model.PublicNames.NUMBERS) for event in shy for one in event.players}
        return {seat: numbers.get(name, name) for seat, name in names.items()}


def publishing(options: Any) -> Publishing:
    """Return what the options `--public-language`, `--public-names` and `--public-address` say."""
    address = options.public_address
    names = model.PublicNames(options.public_names or model.PublicNames.FULL.value)
    return Publishing(options.public_language, names, f"{address.rstrip('/')}/" if address else "")


class PublicFiles:
    """The files by their names. Safe from any thread; one thread writes."""

    def __init__(self, folder: Path | None = None) -> None:
        """Begin with what pages load. Raises `PublicFolderError` for a folder that holds files of something else."""
        self._folder, self._files = folder, dict[str, tuple[bytes, float]]()
        self._there = set() if folder is None else _ours(folder)
        self.put("", dict(public_files()))

    def get(self, name: str) -> tuple[bytes, float] | None:
        """Return a file and when it was written, in seconds since 1970; a name that ends with a slash is a folder's first page."""
        return self._files.get(f"{name}index.html" if name == "" or name.endswith("/") else name)

    def put(self, below: str, files: Mapping[str, str | bytes], *, whole: bool = True) -> int:
        """Write these files, of names that begin with `below`, and take away what else begins so unless told not to be `whole`.

        Returns how many have changed. Raises `PublicFolderError`.
        """
        told = {f"{below}{name}": text.encode() if isinstance(text, str) else text for name, text in files.items()}
        changed = [name for name, body in told.items() if self._files.get(name, (None,))[0] != body]
        known = {*self._files, *self._there}
        gone = [name for name in known if below and whole and name.startswith(below) and name not in told]
        try:
            self._note({*known, *told})  # first, so that whoever is killed here leaves no file that nobody takes away
            for name in changed:
                if self._folder is not None:
                    _write(self._folder / name, told[name])
                self._files[name] = told[name], time.time()
            for name in gone:
                self._files.pop(name, None)
                if self._folder is not None:
                    (self._folder / name).unlink(missing_ok=True)
            self._note({*known, *told} - set(gone))
        except OSError as error:
            raise PublicFolderError(f"{self._folder}: {error.strerror}") from None
        return len(changed)

    def events(self) -> set[str]:
        """Return the ids of events that have files here, also of an earlier start."""
        return {name.split("/")[0] for name in {*self._files, *self._there} if "/" in name} - model.NO_IDS

    def _note(self, there: set[str]) -> None:
        """Write down which files are ours, if that has changed."""
        if self._folder is not None and there != self._there:
            self._there = there
            _write(self._folder / MANIFEST, json.dumps(sorted(there)).encode())


def _ours(folder: Path) -> set[str]:
    """Return which files in a folder are ours; raises `PublicFolderError` for one with others and none of ours."""
    try:
        _make(folder)
        if (folder / MANIFEST).exists():
            return set(_names((folder / MANIFEST).read_text()))
        if any(folder.iterdir()):
            raise PublicFolderError(
                f"{folder}: there are files of something else in it; name a folder that is empty or new"
            )
    except OSError as error:
        raise PublicFolderError(f"{folder}: {error}") from None
    except (ValueError, RecursionError):
        raise PublicFolderError(
            f"{folder / MANIFEST}: this is no list of files; name a folder that is empty or new"
        ) from None
    return set()


def _names(manifest: str) -> list[str]:
    """Return the files that a manifest names; raises `ValueError` for what is none, `RecursionError` for what is too deep."""
    names = json.loads(manifest)
    if not isinstance(names, list) or not all(isinstance(name, str) and _NAME.fullmatch(name) for name in names):
        raise ValueError(MANIFEST)
    return names


def _make(folder: Path) -> None:
    if not folder.is_dir():
        folder.mkdir(parents=True)
        folder.chmod(0o755)


def _write(path: Path, body: bytes) -> None:
    """Write a file that everybody may read, whole or not at all."""
    _make(path.parent)
    draft = path.with_name(f".{path.name}.new")
    draft.unlink(missing_ok=True)  # of who was killed, or a link that somebody else has laid
    with draft.open("xb") as made:
        made.write(body)
    draft.chmod(0o644)  # also where the umask keeps other users out, as one of them may be the web server's
    os.replace(draft, path)


def put_event(files: PublicFiles, event: model.Event, how: Publishing) -> int:
    """Write an event's pages. Returns how many files have changed."""
    return files.put(f"{event.id}/", EventPages(public_event(event, how.names_of(event)), Said(how.language)).files())


def put_index(files: PublicFiles, events: Sequence[model.Event], how: Publishing) -> None:
    """Write the first page: the events; where there is one, the way to it."""
    said = Said(how.language)
    links = [tag("li", tag("a", event.name, href=f"{event.id}/")) for event in events]
    live = tag("li", tag("a", said("hall.live-title"), href="live.html"))
    to = tag("meta", http_equiv="refresh", content=f"0; url={events[0].id}/") if len(events) == 1 else None
    main = tag("main", tag("ul", links, live, class_="events"))
    page = document(
        said, said.text("public.events"), "", tag("header", tag("h1", said("public.events"))), main, more=to
    )
    files.put("", {"index.html": page}, whole=False)


def put_pages(folder: Path, event: model.Event, how: Publishing) -> None:
    """Write an event's pages and what they load into a folder. Raises `PublicFolderError`."""
    files = PublicFiles(folder)
    put_event(files, event, how)
    put_index(files, [event], how)


def put_prints(folder: Path, event: model.Event, how: Publishing) -> None:
    """Write what is printed into a folder. Raises `PublicFolderError`."""
    files = PublicFiles(folder)
    files.put(f"{event.id}/", prints(event, how.language, "../", f"{how.address}{event.id}/"))


@dataclass
class Publisher:
    """Keeps the files up to date with the events of a hall and what spectators may see of its boards. `look` from one thread."""

    files: PublicFiles
    how: Publishing
    events: Callable[[], Sequence[tuple[model.Event, int]]]
    """Returns the events that are played, each with its revision."""
    boards: Callable[[int], tuple[int, list[Json]]] = lambda after: (after, [])
    """Returns the number of the last change, and all that spectators may see of the boards that changed after one."""
    delay_s: Callable[[], float] = lambda: 0.0
    named: Callable[[Json], Json] = field(default_factory=lambda: partial(_named, {}))
    """Returns a table with its players called as everywhere here since the last look, before the first one nobody anything. It is another
    function once somebody is called otherwise.
    """
    _known: dict[str, str] | None = field(default_factory=dict)
    _revisions: dict[str, int] = field(default_factory=dict)
    _change: int = 0
    _tables: dict[int, Json] = field(default_factory=dict)
    """What is shown of the boards, by their numbers, with names as the boards have them."""

    def look(self) -> None:
        """Write what has changed since the last look. Raises `PublicFolderError`, and whatever `events` raises."""
        events = self.events()
        changed = [event for event, revision in events if self._revisions.get(event.id.value) != revision]
        if (known := self.how.known([event for event, _ in events])) != self._known:
            self._known, self.named = known, partial(_named, known)
        for event in changed:
            put_event(self.files, event, self.how)
        put_index(self.files, [event for event, _ in events], self.how)
        self._put_boards(bool(changed))
        now = {event.id.value: revision for event, revision in events}
        for gone in self.files.events() - set(now):  # it is not played any more, so nobody would bring it up to date
            self.files.put(f"{gone}/", {})
        self._revisions = now

    def _put_boards(self, renamed: bool) -> None:
        """Write the boards that have changed; all of them where players may be `renamed`."""
        change, changed = self.boards(self._change)
        for table in changed:
            if table["view"] is not None and table["info"] is not None:
                self._tables[table["number"]] = table
        if changed or renamed:
            told = {
                f"table-{number}.json": json.dumps(self.named(table), ensure_ascii=False).encode()
                for number, table in self._tables.items()
            }
            marks = {name[6:-5]: hashlib.sha256(body).hexdigest()[:16] for name, body in told.items()}
            listed = json.dumps({"delay_s": self.delay_s(), "games": self.how.games, "boards": marks}).encode()
            self.files.put("live/", {**told, "boards.json": listed})
            self._change = change


def _named(known: Mapping[str, str] | None, table: Json) -> Json:
    """Return a table with its players called as is `known`, and nobody else called anything; as it is where that is None."""
    if known is None:
        return table
    names = {seat: known.get(name, "") for seat, name in table["names"].items()}
    return {**table, "names": names, **({"info": {**table["info"], "names": names}} if table.get("info") else {})}


REMEMBERED = "public.json"
"""In a station's state: which folder holds its public files, and how they are written."""


def remember(state: Path, folder: Path, how: Publishing) -> None:
    """Note in a station's state where its public files are, so that a player can be forgotten there, too."""
    told = {"folder": str(folder.absolute()), "language": how.language, "names": how.names.value}
    write_private(state / REMEMBERED, json.dumps(told))


def renew(state: Path, events: Sequence[model.Event]) -> Path | None:
    """Write these events' files again where a station of this state wrote them; return where. Raises `PublicFolderError`.

    Its boards are taken away: a station that is open writes them again, with the names that its players have now.
    """
    try:
        told = json.loads((state / REMEMBERED).read_text())
    except FileNotFoundError:
        return None
    folder = Path(told["folder"])
    if not (folder / MANIFEST).exists():
        return None
    files = PublicFiles(folder)
    for event in events:
        put_event(files, event, Publishing(told["language"], model.PublicNames(told["names"])))
    files.put("live/", {})
    return folder


class PublisherThread:
    """Looks at once, and then every `LOOK_S` seconds on a thread of its own, until it is stopped. A fault is logged once."""

    def __init__(self, publisher: Publisher) -> None:
        self._publisher, self._fault = publisher, ""
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="public pages", daemon=True)

    def start(self) -> None:
        """Begin; once this returns, the files are there."""
        self._look()
        self._thread.start()

    def stop(self) -> None:
        """End after the look that is on."""
        self._ended.set()
        if self._thread.is_alive():
            self._thread.join(timeout=10)

    def _run(self) -> None:
        while not self._ended.wait(LOOK_S):
            self._look()

    def _look(self) -> None:
        try:
            self._publisher.look()
            self._fault = ""
        except (
            PublicFolderError,
            StoreError,
        ) as error:  # a disk that is full, a database that is away: it is tried again
            if str(error) != self._fault:
                _log.warning("the pages for the public are not written: %s", error)
            self._fault = str(error)
