"""The files for players and public as somebody compares, spoils and breaks them who has read their pages alone; nothing is started."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from referee.cli.main import main
from referee.tournament.event import acts
from referee.tournament.event import event as model
from referee.tournament.public.folder import PublicFiles, PublicFolderError, Publisher, Publishing
from tests.hall.shown_hall import NAMES as AT_BOARDS
from tests.hall.shown_hall import tables
from tests.security.open_office import Office

_NAMES = (
    "Zoë Quux",
    "Bert Ångström",
    "<b>Ann</b> Oxen",
    "=cmd|exe",
    'X" onload="y',
    "Émile O'Neil",
    "van der Berg Jan",
)
_OTHERS = ("Aaa Bbb", "Ccc Dddd", "Eee Ff", "Ggg Hh", "Iii Jjjjjjj Kkk", "Lll & M", "Nnn")
_SECRET = "WHYSECRET"
Files = dict[str, bytes]


class Played:
    """An event of seven, two rounds of which are played, in a folder of its own."""

    def __init__(self, folder: Path, names: tuple[str, ...], called: str, system: str = "swiss") -> None:
        folder.mkdir()
        self._folder, self._office = folder, Office(folder)
        self.chief = self._office.person("Chief")
        wanted = {"name": "E", "system": system, "rounds": 6, "tie_breaks": ["buchholz"], "text": ""}
        assert self.chief.post("office/event", wanted)[0] == 200
        assert self.chief.post("office/play", {"events": ["e"]})[0] == 200
        assert self.chief.post("office/names", {"event": "e", "names": called})[0] == 200
        self.act("enter-all", players=[{"name": name, "rating": 2000 - at} for at, name in enumerate(names)])
        for number in (1, 2):
            self.act("pair")
            for table in self.act("publish")["rounds"][-1]["tables"]:
                won = "red" if table["red"]["number"] < table["blue"]["number"] else "blue"
                self.act("result", round=number, table=table["table"], result=won)

    def act(self, act: str, **given: Any) -> dict[str, Any]:
        """Do an act, which has to go well."""
        status, told = self.chief.act(act, **given)
        assert status == 200, told
        return told

    def written(self, to: str = "pages", folder: Path | None = None) -> Files:
        """Return what `hallmarshal station export` writes into a folder."""
        place = folder or self._folder / to
        store = str(self._folder / "events.db")
        assert main(["station", "export", "e", "--store", store, "--to", to, "--folder", str(place)]) == 0
        return _files(place)


@pytest.fixture(autouse=True)
def same_lots(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw the same lots in every event, and hash passwords at once; what hashing costs is looked at elsewhere."""
    monkeypatch.setattr("secrets.randbelow", lambda most: 3)
    monkeypatch.setattr("referee.tournament.hall.accounts._hash", lambda password, salt: salt + password.encode())


def _files(folder: Path) -> Files:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def _own(files: Files) -> Files:
    """Return the files of the event."""
    return {name: body for name, body in files.items() if name.startswith("e/") or name == "index.html"}


@pytest.mark.parametrize("system", ["swiss", "round-robin"])
def test_numbers_tell_nothing_of_names(system: str, tmp_path: Path) -> None:
    """Two events that differ in nothing but names are the same files, byte for byte, so no file, order, size or ETag tells one."""
    one, other = (
        Played(tmp_path / str(at), names, "numbers", system).written() for at, names in enumerate((_NAMES, _OTHERS))
    )
    assert "e/player-7.html" in one
    assert one == other


def test_initials_hold_no_word_of_a_name(tmp_path: Path) -> None:
    """Of names with signs of HTML in them, too."""
    played = Played(tmp_path / "initials", _NAMES, "initials")
    words = {word for name in _NAMES for word in re.findall(r"\w{3,}", name)} - {"van", "der"}
    text = b" ".join(_own(played.written()).values()).decode()
    assert [word for word in words if re.search(rf"\b{word}\b", re.sub(r"<[^>]*>", " ", text))] == []
    assert "#7" in text


class _Tags(HTMLParser):
    """Collects all tags and attributes of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found = set[str]()
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found |= {f"{tag} {name}" for name, _ in attrs} | {tag}


def test_a_name_is_never_markup(tmp_path: Path) -> None:
    """On pages and prints: whoever is called like a tag or an attribute adds none. A spreadsheet takes no name for a formula."""
    for to in ("pages", "prints"):
        one, other = (Played(tmp_path / f"{to}{at}", names, "full") for at, names in enumerate((_NAMES, _OTHERS)))
        tags = [
            {name: _Tags(body.decode()).found for name, body in _own(at.written(to)).items()} for at in (one, other)
        ]
        assert tags[0] == tags[1]
    rows = bytes(one.chief.raw("GET", "/api/event.csv").body).decode().splitlines()  # type: ignore[arg-type]
    assert [row for row in rows if re.search(r'(^|,)"?[=+@-]', row)] == []


def test_what_arbiters_do_among_themselves_is_in_no_file(tmp_path: Path) -> None:
    """Byes asked for, pair rules, check-in, drafts, corrections that were undone: not a byte changes, and no reason is told."""
    played = Played(tmp_path / "quiet", _OTHERS, "full")
    before = played.written()
    quiet: list[tuple[str, dict[str, Any]]] = [
        ("bye", {"number": 3, "round": 5, "kind": "half"}),
        ("pair-rule", {"players": [1, 2], "kind": "forbidden", "round": None}),
        ("check-in-open", {"round": 3, "present": [1, 2, 3, 4, 5]}),
        ("check-in", {"round": 3, "number": 6, "present": True}),
        ("pair", {}),
    ]
    for act, given in quiet:
        played.act(act, **given, why=_SECRET)
        assert played.written() == before, act
    played.act("correct", round=1, table=1, result="draw", why=_SECRET)
    played.act("undo", entry=played.chief.get("event")[1]["revision"], why=_SECRET)
    assert played.written() == before
    played.act("pair")
    played.act("publish", why=_SECRET)
    told = b" ".join([*played.written().values(), *played.written("prints").values()])
    assert _SECRET.encode() not in told
    assert b"Chief" not in told
    assert _SECRET in json.dumps(played.chief.get("event.log")[1])


def _event(names: tuple[str, ...] = _OTHERS, called: str = "full", name: str = "e", rounds: int = 1) -> model.Event:
    made = acts.new_event(model.EventId(name), {"name": name.upper(), "system": "swiss", "rounds": 5, "seed": 3})
    made = acts.enter_all(made, [acts.Entry(one, 2000 - at) for at, one in enumerate(names)])
    made = acts.settings(made, {"public_names": called})
    for number in range(1, rounds + 1):
        made = acts.publish(acts.propose(made))
        for table in range(1, len(names) // 2 + 1):
            made = acts.record(made, number, table, model.Result.RED_WINS)
    return made


def _look(folder: Path, *events: model.Event, **more: Any) -> None:
    """Look once, as a station does that has just been started."""
    Publisher(PublicFiles(folder), Publishing(), lambda: [(event, 1) for event in events], **more).look()


def test_nothing_outside_a_spoiled_folder_is_touched(tmp_path: Path) -> None:
    """Links in place of files, of drafts, and a list of files that names others': what they lead to stays as it is."""
    victim, folder = tmp_path / "victim", tmp_path / "public"
    victim.write_text("mine")
    _look(folder, _event())
    for name in ("e/index.html", "e/.standings.html.new", "e/.cross.html.new", ".hallmarshal.json.new"):
        (folder / name).unlink(missing_ok=True)
        (folder / name).symlink_to(victim)
    _look(folder, _event(rounds=0))
    assert not (folder / "e/index.html").is_symlink()
    manifest = folder / "hallmarshal.json"
    kept = json.loads(manifest.read_text())
    for odd in ("../victim", "e/../../victim", str(victim), "e/./x", "", "..", None, 1, ["e"], "e/a\0b", "e//x"):
        manifest.write_text(json.dumps([*kept, odd]))
        with pytest.raises(PublicFolderError):
            _look(folder)
    for text in (b"", b"null", b"{", b'{"e/index.html": 1}', b"[" * 100_000, b"\xff"):
        manifest.write_bytes(text)
        with pytest.raises(PublicFolderError):
            _look(folder)
    assert (victim.read_text(), sorted(os.listdir(tmp_path))) == ("mine", ["public", "victim"])


class _KilledError(BaseException):
    """The station is gone at this moment."""


def _killing(after: int) -> Iterator[None]:
    yield from [None] * after
    raise _KilledError


@pytest.mark.parametrize("after", [0, 1, 2, 5, 9, 13])
def test_a_killed_writer_leaves_nothing_for_good(after: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Killed before any file of a new round is put in place: each file is whole, and the next start leaves what a new folder would have."""
    folder, real = tmp_path / "public", os.replace
    _look(folder, _event())
    before = _files(folder)
    with monkeypatch.context() as patched:
        steps = _killing(after)

        def replace(draft: Path, path: Path) -> None:
            next(steps)
            real(draft, path)

        patched.setattr(os, "replace", replace)
        with pytest.raises(_KilledError):
            _look(folder, _event(rounds=2), _event(name="f"))
    _look(tmp_path / "whole", _event(rounds=2), _event(name="f"))
    after_it = _files(tmp_path / "whole")
    for name, body in _files(folder).items():
        if not name.endswith(".new") and name != "hallmarshal.json":
            assert body in (before.get(name), after_it.get(name)), name
    _look(folder, _event(called="numbers"))
    _look(tmp_path / "new", _event(called="numbers"))
    assert {name: body for name, body in _files(folder).items() if not name.endswith(".new")} == _files(
        tmp_path / "new"
    )


def test_an_event_of_an_earlier_start_goes(tmp_path: Path) -> None:
    """Since nobody would bring it up to date: what its players are called could be chosen anew, and would count for nothing."""
    _look(tmp_path, _event(name="old"), _event())
    _look(tmp_path, _event())
    assert [name for name in _files(tmp_path) if name.startswith("old/")] == []
    assert "e/index.html" in _files(tmp_path)


def _boards(after: int) -> tuple[int, list[dict[str, Any]]]:
    made = tables()
    return 1, [whole for board in made.boards.values() if (whole := made.whole(board)) is not None] if not after else []


def test_no_board_tells_a_whole_name(tmp_path: Path) -> None:
    """Neither of who is a number in an event, nor of who is in none; a name that is chosen again counts on boards, too."""
    shy, others = AT_BOARDS[:5], AT_BOARDS[5:]

    def told(folder: str, called: str) -> str:
        _look(tmp_path / folder, _event(shy, called), boards=_boards)
        return b" ".join(_files(tmp_path / folder / "live").values()).decode()

    text = told("one", "full")
    assert [name for name in AT_BOARDS if name in text] == [name for name in shy if name in text] != []
    for folder in ("one", "two"):
        text = told(folder, "numbers")
        assert [name for name in (*shy, *others) if name in text or name.split()[-1] in text] == []
