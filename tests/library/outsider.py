"""What attacks the library: records written by hand, one who asks, and what he is told.

Written from docs/reference alone, without a look at the code.
"""

from __future__ import annotations

import base64
import builtins
import io
import json
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from nacl.public import Box, PrivateKey, PublicKey

from referee.cli.main import main
from referee.door.messages import Request, Response
from referee.library.pages import LibraryPages, Seats
from referee.library.shelf import Now
from referee.library.worker import work
from referee.net.credential import KeyPair
from referee.web.files import library_files
from tests.library.kept import shelf

NAME, OTHER = "2026-11-20-201500-a1b2c3", "2026-11-21-201500-b1b2c3"

Ranks = Mapping[str, str]
RED_ONE = {"a1": "flag", "b1": "bomb", "c1": "marshal", "d1": "spy", "f1": "general", "i4": "miner", "j1": "scout"}
RED_TWO = {"a1": "marshal", "b1": "miner", "c1": "bomb", "d1": "scout", "f1": "spy", "i4": "general", "j1": "flag"}
BLUE_ONE = {"a10": "flag", "b10": "bomb", "c10": "marshal", "d10": "spy", "f10": "general", "j10": "scout"} | {
    "e7": "miner",
    "i7": "scout",
}
BLUE_TWO = {"a10": "bomb", "b10": "flag", "c10": "miner", "d10": "scout", "f10": "scout", "j10": "spy"} | {
    "e7": "marshal",
    "i7": "general",
}
SHOWN = {"e4": "scout"}
"""Red's scout is captured, so everybody knows it; every other rank above is its owner's (and e7's red's, by the book)."""
PLIES = ("red e4-e5", "blue i7-i6", "red e5-e6", "blue i6-i5", "red e6xe7 scout {e7} defender-wins")
SEEDS = {"seed.red": "5eed" * 16, "seed.blue": "b1ee" * 16, "seed.arbiter": "a4b1" * 16}


def record_text(
    view: str = "archive",
    consent: Sequence[str] = (),
    red: Ranks = RED_ONE,
    blue: Ranks = BLUE_ONE,
    whole: Sequence[str] | None = None,
    names: tuple[str, str] = ("Anna", "Bram"),
    lines: Sequence[str] = (),
    plies: Sequence[str] = PLIES,
    corrections: Sequence[str] = (),
    result: Sequence[str] | None = ("winner = blue", "reason = resign"),
    game: str = "a1b2c3d4e5f60718",
) -> str:
    """Return a record, written from the page of its format alone; `whole` are the seats whose ranks are all in it."""
    if whole is None:
        whole = {"referee": ("red", "blue"), "archive": tuple(consent), "public": ()}.get(view, (view,))
    told = dict(SHOWN)
    told |= red if "red" in whole else {}
    told |= blue if "blue" in whole else {"e7": blue["e7"]} if view == "red" else {}
    said = told.get("e7", "?")
    return "\n".join(
        [
            "hallmarshal record 3",
            "",
            "[game]",
            f"view = {view}",
            "rules = barrage",
            "date = 2026-11-20",
            f"player.red = {names[0]}",
            f"player.blue = {names[1]}",
            *([f"consent = {','.join(consent)}"] if consent else []),
            *([f"game = {game}"] if game else []),
            *lines,
            *_set_up("red", [*red, "e4"], told),
            *_set_up("blue", [*blue], told),
            "",
            "[plies]",
            *(f"{number} {ply.format(e7=said)}" for number, ply in enumerate(plies, start=1)),
            *(["", "[corrections]", *corrections] if corrections else []),
            *(["", "[result]", *result] if result is not None else []),
            "",
        ]
    )


def _set_up(seat: str, squares: Sequence[str], told: Ranks) -> list[str]:
    """Return the lines of a set-up."""
    return ["", f"[set-up {seat}]", *(f"{square} {told.get(square, '?')}" for square in squares)]


def put(state: Path, name: str, text: str | bytes) -> Path:
    """Lay a record into a game's folder; return the folder."""
    folder = state / "games" / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "game.record").write_bytes(text.encode() if isinstance(text, str) else text)
    os.utime(folder / "game.record", (1_790_000_000, 1_790_000_000))
    return folder


def mortal(*told: Any, **more: Any) -> bytes | None:
    """Return what the worker makes; nothing where it dies of it, as of a process of its own."""
    try:
        return work(*told, **more)
    except (ArithmeticError, LookupError, RecursionError, TypeError, ValueError):
        return None


class Browser:
    """Somebody who asks a table's library, by whatever method, path, body and cookie he likes."""

    def __init__(
        self,
        state: Path,
        now: Callable[[], Now] = Now,
        seats: Seats | None = None,
        worker: Callable[..., bytes | None] | None = None,
    ) -> None:
        self.served = LibraryPages(shelf(state, now, worker or mortal), library_files()["/games"], seats)
        self.cookie = ""

    def ask(self, path: str, body: bytes | None = None, method: str = "", **headers: str) -> Response:
        """Return the answer to GET, or with a body to POST."""
        method = method or ("GET" if body is None else "POST")
        sent = {"content-type": "application/json", "cookie": self.cookie} | headers
        return self.served.answer(Request(method, path, "192.0.2.7", sent, body or b""))

    def listing(self, **asked: object) -> dict[str, Any]:
        """Return what the list says."""
        answer = self.ask("/games/list", json.dumps(asked).encode())
        assert answer.status == 200, body_of(answer)
        found: dict[str, Any] = json.loads(body_of(answer))
        return found

    def names(self, **asked: object) -> list[str]:
        """Return the names in the list."""
        return [entry["name"] for entry in self.listing(**asked)["games"]]


def body_of(answer: Response) -> bytes:
    """Return the body of an answer."""
    assert isinstance(answer.body, bytes)
    return answer.body


def all_of(answer: Response) -> str:
    """Return an answer with all that it says, as text to search and compare."""
    return f"{answer!r}\n{body_of(answer)!r}"


def error_of(answer: Response) -> str:
    """Return the word of a refusal."""
    word = json.loads(body_of(answer))["error"]
    assert isinstance(word, str)
    return word


def served(state: Path, now: Callable[[], Now] = Now, name: str = NAME) -> list[str]:
    """Return everything that is served of a game, twice: made, and then out of what was kept."""
    browser = Browser(state, now)
    said = []
    for _ in range(2):
        said.append(all_of(browser.ask("/games/list", b"{}")))
        said += [all_of(browser.ask(f"/games/{name}{tail}")) for tail in ("", "/game.html", "/game.record")]
    return said


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Return what a command says, on stdout and stderr, and its exit code."""
    try:
        code: object = main([*arguments])
    except SystemExit as ended:
        code = ended.code
    out, err = capsys.readouterr()
    return f"{out}\n--\n{err}\n--\n{code}"


def listed(capsys: pytest.CaptureFixture[str], state: Path) -> str:
    """Return what `record list` says of a place, for people and for programs."""
    place = str(state)
    said = printed(capsys, "record", "list", place) + printed(capsys, "record", "list", place, "--json")
    return said.replace(place, "PLACE")


@contextmanager
def opened(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Yield the paths that are opened meanwhile, as they are named to whoever opens them."""
    paths: list[str] = []

    def watched(opens: Callable[..., Any]) -> Callable[..., Any]:
        def open_it(file: Any, *rest: Any, **named: Any) -> Any:
            if not isinstance(file, int):
                paths.append(os.fsdecode(file))
            return opens(file, *rest, **named)

        return open_it

    with monkeypatch.context() as patched:
        for module, opens in ((builtins, open), (io, io.open), (os, os.open)):
            patched.setattr(module, "open", watched(opens))
        yield paths


def differing(one: Sequence[str], two: Sequence[str]) -> list[tuple[str, str]]:
    """Return of each two answers that are not the same what stands around the first difference."""
    found = []
    for a, b in zip(one, two, strict=True):
        if a != b:
            at = next((n for n, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
            found.append((a[max(at - 60, 0) : at + 60], b[max(at - 60, 0) : at + 60]))
    return found


def telling(said: Iterable[str], *words: str) -> list[str]:
    """Return what stands around each word in what was said."""
    return [text[max(at - 60, 0) : at + 60] for text in said for word in words if (at := text.find(word)) >= 0]


def exported(capsys: pytest.CaptureFixture[str], record: Path) -> str:
    """Return what `record export --to jsonl` writes of a record, and its exit code."""
    said = printed(capsys, "record", "export", str(record), "--to", "jsonl")
    return said.replace(str(record), "RECORD")


@contextmanager
def filled(place: Path, what: bytes) -> Iterator[None]:
    """Pour something into a pipe for everybody who opens it meanwhile, so that nobody waits for ever; other files stay as they are."""
    if not place.is_fifo():
        yield
        return
    same, over = place.with_name("same-pipe"), threading.Event()
    os.link(place, same)

    def pour() -> None:
        while not over.is_set():
            with suppress(OSError), open(same, "wb", buffering=0) as pipe:
                if not over.is_set():
                    pipe.write(what)

    thread = threading.Thread(target=pour)
    thread.start()
    try:
        yield
    finally:
        over.set()
        reading = os.open(same, os.O_RDONLY | os.O_NONBLOCK)
        while thread.is_alive():
            with suppress(BlockingIOError):
                os.read(reading, 1 << 20)
            thread.join(0.01)
        os.close(reading)


def text_of(key: bytes) -> str:
    """Return bytes as they stand in JSON."""
    return base64.urlsafe_b64encode(key).rstrip(b"=").decode()


class Players:
    """A referee's key, and the keys that have a seat at his table."""

    def __init__(self) -> None:
        self.referee = PrivateKey.generate()
        self.public: PublicKey = self.referee.public_key
        self.seated: list[str] = []
        self.set_cookie = ""
        self.seats = Seats(KeyPair(bytes(self.referee)), lambda: list(self.seated))

    def sits_down(self, key: PrivateKey | None = None) -> PrivateKey:
        """Return a key that has been given a seat."""
        key = key or PrivateKey.generate()
        self.seated.append(text_of(bytes(key.public_key)))
        return key

    def gets_up(self, key: PrivateKey) -> None:
        """Take its seat from a key."""
        self.seated.remove(text_of(bytes(key.public_key)))

    def challenge(self, browser: Browser) -> str:
        """Return what somebody is asked who has no cookie."""
        answer = browser.ask("/games/list", b"{}", cookie="")
        assert answer.status == 401
        asked = json.loads(body_of(answer))["challenge"]
        assert isinstance(asked, str)
        return asked

    def tries(self, browser: Browser, key: PrivateKey, challenge: str) -> Response:
        """Return the answer to a key that shows itself."""
        box = Box(key, self.public).encrypt(f"hallmarshal library 1\n{challenge}".encode())
        body = {"key": text_of(bytes(key.public_key)), "sealed": text_of(box)}
        return browser.ask("/games/enter", json.dumps(body).encode(), cookie="")

    def enters(self, browser: Browser, key: PrivateKey) -> str:
        """Return the cookie that a key gets."""
        answer = self.tries(browser, key, self.challenge(browser))
        assert answer.status == 200
        self.set_cookie = headers_of(answer)["set-cookie"]
        return self.set_cookie.partition(";")[0]

    def foreign_cookies(self) -> list[str]:
        """Return what is no cookie of this table."""
        return ["", "a=b", "session=1; library=1", f"library={text_of(bytes(32))}", "\0", "=", ";;;", "library"]


def headers_of(answer: Response) -> dict[str, str]:
    """Return the headers of an answer, their names in small letters."""
    return {name.lower(): value for name, value in answer.headers.items()} | {"content-type": answer.kind}


def unconfirmed() -> Now:
    """Return that the result of the game at the table is not confirmed."""
    return Now(unconfirmed=NAME)


def on() -> Now:
    """Return that the game is on again."""
    return Now(unconfirmed=NAME, playing=True)


def another_on() -> Now:
    """Return that some other game is on."""
    return Now(playing=True)
