"""A whole table by its commands alone, hands and handsets too, and a search of every byte that it leaves; written from the pages alone."""

from __future__ import annotations

import base64
import contextlib
import json
import queue
import re
import subprocess
import sys
import threading
import unicodedata
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from tests.patience import PATIENCE_S

HALLMARSHAL = str(Path(sys.executable).with_name("hallmarshal"))
_RED = ("miner", "marshal", "scout", "general", "miner", "scout", "spy", "bomb", "bomb", "flag")
_BLUE = ("scout", "general", "miner", "marshal", "scout", "miner", "spy", "bomb", "flag", "bomb")
SET_UPS = {
    "red": {f"{column}4": rank for column, rank in zip("abcdefghij", _RED, strict=True)},
    "blue": {f"{column}7": rank for column, rank in zip("abcdefghij", _BLUE, strict=True)},
}
_DEEPEST = 3  # packed in packed in packed


def called(*arguments: str | Path) -> tuple[int, str]:
    """Return exit code and stdout of `hallmarshal` with `arguments`; fails on a traceback."""
    ran = subprocess.run(
        [HALLMARSHAL, *map(str, arguments)], capture_output=True, text=True, timeout=PATIENCE_S, check=False
    )
    assert "Traceback" not in ran.stderr, ran.stderr
    return ran.returncode, ran.stdout


class Program:
    """One that prints JSON, a line each, and reads lines."""

    def __init__(self, *arguments: str) -> None:
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(arguments, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True)
        self._printed: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as lines:
            for line in lines:
                self._printed.put(json.loads(line))
        self._printed.put(None)

    def say(self, line: str) -> None:
        """Write `line` to the program."""
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def until(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """Return the next line that is `wanted`; fails where the program ends before it."""
        while True:
            line = self._printed.get(timeout=PATIENCE_S)
            assert line is not None, f"ended with {self.process.wait(PATIENCE_S)}"
            if wanted(line):
                return line

    def end(self, last: str = "") -> int:
        """Return the exit code, once it was told `last`, its input has ended, and it has."""
        assert self.process.stdin is not None
        try:
            with contextlib.suppress(BrokenPipeError), self.process.stdin as told:
                told.write(last)
            self.process.wait(PATIENCE_S)
        finally:
            self.process.kill()
            self._reader.join(PATIENCE_S)
        return self.process.returncode


class OutsideTable:
    """A table for Duel on a simulated board, with a handset in the terminal for each seat; `names` are those of its file."""

    def __init__(self, folder: Path, names: dict[str, str], *options: str) -> None:
        self.folder, self.state = folder, folder / "state"
        told = folder / "table.toml"
        told.write_text(
            "[names]\n" + "".join(f"{seat} = {json.dumps(name)}\n" for seat, name in names.items()), "utf-8"
        )
        self._board = Program(sys.executable, "-m", "simulator.process", "--board", "travel-10x10", "--speed", "max")
        pty = self._board.until(lambda line: "pty" in line)["pty"]
        where = ("--board", f"serial:{pty}", "--state", str(self.state), "--web", "127.0.0.1:0", "--config", str(told))
        self.table = Program(HALLMARSHAL, "table", *where, "--rules", "duel", "--mode", "enrol", "--json", *options)
        join = self.table.until(lambda line: "join" in line)["join"]
        self.handsets = {
            seat: Program(HALLMARSHAL, "handset", "--join", link, "--keys", str(self.keys(seat)), "--json")
            for seat, link in join.items()
        }

    def keys(self, seat: str) -> Path:
        """Return the file with the key of that seat's handset."""
        return self.folder / f"{seat}.keys"

    def event(self, kind: str) -> dict[str, Any]:
        """Return the next public event of that kind."""
        return self.table.until(lambda line: line.get("kind") == kind)

    def say(self, seat: str, **message: object) -> None:
        """Let a handset say that, and wait until the referee has accepted it."""
        self.handsets[seat].say(json.dumps(message))
        self.handsets[seat].until(lambda line: line.get("letter", {}).get("type") == "accepted")

    def play(self) -> Path:
        """Return the folder of a game in which both armies were enrolled, and red gave up before anybody saw a rank."""
        for handset in self.handsets.values():
            handset.until(lambda line: line.get("letter", {}).get("type") == "state")
        squares = {square: seat for seat, set_up in SET_UPS.items() for square in set_up}
        self._board.say(json.dumps({"motion": "restore", "squares": squares}))
        assert "done" in self._board.until(lambda line: "done" in line or "error" in line)
        for seat, set_up in SET_UPS.items():
            self.say(seat, type="enrol", set_up=set_up)
            self.say(seat, type="ready")
        self.event("begin")
        self.say("red", type="resign")
        self.event("end")
        for _ in self.handsets:
            self.event("countersigned")
        (game,) = (self.state / "games").iterdir()
        return game

    def quit(self) -> int:
        """Return the exit code of the table, after `quit`; everything else has ended as well."""
        code = self.table.end("quit\n")
        for handset in self.handsets.values():
            handset.end()
        self._board.end()
        return code


def spellings(name: str) -> Iterator[bytes]:
    """Yield `name` as a file may hold it: composed or not, in any capitals, escaped, in UTF-16, base64 and hex."""
    for form in ("NFC", "NFD"):
        text = unicodedata.normalize(form, name)
        for cased in {text, text.lower(), text.upper(), text.casefold()}:
            yield from raw_spellings(cased.encode())
            yield from (cased.encode("utf-16-le"), cased.encode("utf-16-be"))
            yield from (
                json.dumps(cased)[1:-1].encode(),
                json.dumps(json.dumps(cased)[1:-1])[1:-1].encode(),
                quote(cased).encode(),
            )


def raw_spellings(raw: bytes) -> Iterator[bytes]:
    """Yield these bytes as they are, in hex, and in base64 of both alphabets wherever they begin."""
    yield from (raw, raw.hex().encode(), raw.hex().upper().encode())
    for shift in range(3):
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            yield encode(b"\0" * shift + raw)[4 if shift else 0 :][: len(raw) * 4 // 3 - 4]


def contents(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yield each file's name and bytes, and what is packed in them by zlib or gzip; names of files and folders, too."""
    for path in sorted(folder.rglob("*")):
        yield f"the name {path.name}", path.name.encode()
        if path.is_file():
            yield from _opened(str(path.relative_to(folder)), path.read_bytes(), 0)


def _opened(name: str, content: bytes, depth: int) -> Iterator[tuple[str, bytes]]:
    yield name, content
    for begin in re.finditer(rb"\x1f\x8b\x08|\x78[\x01\x9c\xda]", content) if depth < _DEEPEST else ():
        try:
            inside = zlib.decompressobj(47).decompress(content[begin.start() :], 8_000_000)
        except zlib.error:
            continue
        if inside:
            yield from _opened(f"{name}@{begin.start()}", inside, depth + 1)


def holders(folder: Path, needles: Sequence[bytes]) -> list[str]:
    """Return the files below `folder` that hold one of `needles`."""
    assert all(len(needle) > 1 for needle in needles)
    return [name for name, content in contents(folder) if any(needle in content for needle in needles)]


def told_ranks(folder: Path) -> list[str]:
    """Return the files in which a square stands beside the rank of the piece that was set up there."""
    army = {square: rank for set_up in SET_UPS.values() for square, rank in set_up.items()}
    pairs = "|".join(f"{square}[^0-9A-Za-z?]{{1,8}}{rank}" for square, rank in army.items())
    return [name for name, content in contents(folder) if re.search(pairs.encode(), content)]
