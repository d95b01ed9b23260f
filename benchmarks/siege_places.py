"""The honest side of `hallmarshal bench siege`: a table with two phones and simulated hands, and a hall that an arbiter watches.

Both are the product's own commands, watched from outside: a phone at the broker, a browser without pictures, `/proc`.
"""

from __future__ import annotations

import http.client
import json
import os
import signal
import tempfile
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping
from contextlib import ExitStack, closing, suppress
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlsplit

from benchmarks.measuring import LineProcess, spent
from fault_injection.siege.phone import PairingFailedError, Phone
from fault_injection.siege.strangers import Target

PATIENCE_S = 30.0
_PLY_S = 0.25
"""People at the table take at least so long for a ply."""
_ATTACK_EVERY = 9
_COLUMNS = {"red": "abe", "blue": "fij"}
_OPEN = "abefij"
STRANGERS = tuple(f"127.0.0.{number}" for number in range(2, 18))
"""Who attacks has sixteen addresses; people at the table, the arbiter and the referee have another one."""
_SPECTATOR, _SPECTATOR_S = "127.0.0.18", 4.0
"""An honest spectator's address, and how long he tries: strangers lean on the hall longer."""
_CONFIG = '[clock]\nkind = "sudden-death"\nminutes = 600\n'
_RULES = 'base = "original"\nname = "scouts-only"\nsource = "made up"\narmy = { scout = 39, flag = 1 }\n'
View = Mapping[str, Any]


class Place(ABC):
    """Where honest games are played. A context; `plies` grows by the moment of each, with the clocks then in milliseconds."""

    name: str
    target: Target

    def __init__(self) -> None:
        self.plies: list[tuple[float, Mapping[str, int]]] = []
        self.signs: list[float] = []
        """When a game was seen to go on: each ply, and in a hall each other phase of a table."""
        self.answers_s: list[tuple[float, float]] = []
        """When somebody honest asked for something and how long it took: an arbiter for a page, red's phone for its state."""
        self._stack = ExitStack()
        self._ended = threading.Event()
        self._news = threading.Condition()
        self._folder = Path(self._stack.enter_context(tempfile.TemporaryDirectory(prefix="hallmarshal-bench-siege-")))

    def __enter__(self) -> Self:
        try:
            self.open()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._stack.close()

    @abstractmethod
    def open(self) -> None:
        """Start everything, until the first game is on."""

    def start(self, *words: str) -> tuple[LineProcess, dict[str, Any]]:
        """Start one of our commands; return it with its ready line."""
        said = self._folder / "said"
        program = self._stack.enter_context(
            LineProcess("referee.cli.main", *words, output=self._stack.enter_context(said.open("w")))
        )
        self._root = program.process.pid
        until = time.monotonic() + PATIENCE_S
        while program.process.poll() is None and time.monotonic() < until:
            line, end, _ = said.read_text().partition("\n")
            if end:
                return program, json.loads(line)
            time.sleep(0.05)
        raise RuntimeError(f"{words[0]} is not ready")

    def thread(self, work: Any) -> None:
        """Do something on a thread until the end."""
        made = threading.Thread(target=work, daemon=True)
        made.start()
        self._stack.callback(made.join, PATIENCE_S)
        self._stack.callback(self._ended.set)

    def note(self, clocks: Mapping[str, int]) -> None:
        """Note that a ply was played."""
        with self._news:
            self.plies.append((time.monotonic(), clocks))
            self.signs.append(self.plies[-1][0])
            self._news.notify_all()

    def wait(self, fits: Any, patience_s: float = PATIENCE_S) -> bool:
        """Wait until something is so; it is looked at after all news and ten times a second."""
        until = time.monotonic() + patience_s
        with self._news:
            while not (found := fits()) and time.monotonic() < until and not self._ended.is_set():
                self._news.wait(0.1)
        return bool(found)

    @abstractmethod
    def newcomer(self) -> bool:
        """Let a newcomer connect. Returns whether it worked."""

    def kill_door(self) -> None:
        """Kill the front door."""
        os.kill(_children(self._root)["door"], signal.SIGKILL)

    def memory(self) -> dict[str, int]:
        """Return the bytes that each process of the place holds now: `referee` (a hall's station), `broker`, `door`."""
        found = {}
        for name, pid in {"referee": self._root, **_children(self._root)}.items():
            with suppress(OSError):
                found[name] = spent(pid)[1]
        return found

    def as_before(self, since: float) -> bool:
        """Return whether a ply was played since that moment, and a newcomer gets a page."""
        return bool(self.plies) and self.plies[-1][0] > since and page(self.target.http) is not None

    def silence(self, begin: float, end: float) -> tuple[float, float]:
        """Return the longest time without a sign of a game, in s, and what clocks lost in all times without a ply above a second, in s.

        What began before the end is counted until the ply after it: only then it is known what the clocks were given back.
        """
        moments = [begin, *(at for at in self.signs if begin <= at <= end), end]
        lost = sum(
            sum(before[seat] - after[seat] for seat in before) / 1000
            for (at, before), (later, after) in pairwise(self.plies)
            if later - at > 1 and begin <= later and at <= end
        )
        return max(later - at for at, later in pairwise(moments)), lost


def _children(root: int) -> dict[str, int]:
    found = {}
    parents = {}
    for path in Path("/proc").iterdir():
        with suppress(OSError, ValueError):
            parents[int(path.name)] = int((path / "stat").read_text().rpartition(")")[2].split()[1])
    for pid in parents:
        above, up = pid, 0
        while above not in (root, 0) and up < 9:
            above, up = parents.get(above, 0), up + 1
        with suppress(OSError):
            words = Path(f"/proc/{pid}/cmdline").read_text(errors="replace")
            if above == root and pid != root:
                found["broker" if "mosquitto" in words else "door" if "referee.door" in words else f"pid-{pid}"] = pid
    return found


def page(base: str, path: str = "/", cookie: str = "", patience_s: float = 10.0) -> float | None:
    """Return how many seconds a page took over a connection of its own; None where it did not come."""
    address, began = urlsplit(base), time.monotonic()
    line = http.client.HTTPConnection(address.hostname or "", address.port, timeout=patience_s)
    try:
        line.request("GET", path, headers={"Cookie": cookie} if cookie else {})
        answer = line.getresponse()
        answer.read()
    except (OSError, http.client.HTTPException):
        return None
    finally:
        line.close()
    return time.monotonic() - began if answer.status == 200 else None


class BesiegedTable(Place):
    """A whole table on a simulated board: everybody has scouts, who go to and fro, and attack at every ninth ply."""

    name = "table"

    def open(self) -> None:
        """Start board and table, pair both phones, set up."""
        self._view: View = {}
        self.unread = 0
        """Plies that hands have made and the table has not read."""
        self._playing = threading.Lock()
        self._hurry = threading.Event()
        """Set while hands make plies as fast as they are read, and attack nobody."""
        self.phones: dict[str, Phone] = {}
        self._stack.callback(self._hang_up)
        self._board = self._stack.enter_context(
            LineProcess("simulator.process", "--board", "travel-10x10", "--speed", "max")
        )
        pty = json.loads(self._board.hear())["pty"]
        (rules := self._folder / "scouts.toml").write_text(_RULES)
        (config := self._folder / "table.toml").write_text(_CONFIG)
        self._state = self._folder / "table"
        more = ("--rules", str(rules), "--config", str(config), "--state", str(self._state), "--tls", "--json")
        self._table, ready = self.start("table", "--board", f"serial:{pty}", *more, "--web", "127.0.0.1:0")
        for seat in ("red", "blue"):
            self.phones[seat] = self._phone(ready["join"][seat])
        self.target = Target(ready["web"], self.phones["red"].ws, ready["broker"], sources=STRANGERS)
        self._set_up()
        self.thread(self._play)
        self.thread(self._ask)

    def _hang_up(self) -> None:
        for phone in self.phones.values():
            phone.close()

    def _phone(self, link: str) -> Phone:
        return Phone(link, "scout", self._seen)

    def _seen(self, view: View) -> None:
        with self._news:
            before, self._view = self._view, view
            self._news.notify_all()
        if view["ply"] > before.get("ply", 0) and view["game"] == before["game"]:
            self.note({seat: face["left_ms"] for seat, face in view["clocks"].items()})

    def _is(self, *phases: str) -> bool:
        return self._view.get("phase") in phases

    def _do(self, **motion: object) -> bool:
        self._board.say(json.dumps(motion))
        return "done" in json.loads(self._board.hear())

    def _set_up(self) -> None:
        assert self.wait(lambda: self._is("setting-up"))
        for seat, rows in (("red", (1, 2, 3, 4)), ("blue", (7, 8, 9, 10))):
            self._do(motion="place", seat=seat, squares=[f"{column}{row}" for row in rows for column in "abcdefghij"])
        self._ready("waiting-for-move")

    def _ready(self, phase: str) -> None:
        """Let both phones say `ready` until that phase comes: before the board is read it is refused."""
        for _ in range(int(PATIENCE_S)):
            for phone in self.phones.values():
                phone.say("ready")
            if self.wait(lambda: self._is(phase), 1):
                return
        raise RuntimeError(f"the table does not come to {phase}: {self._view}")

    def room_for(self, seconds: float) -> None:
        """Begin another game where this one has not so many attacks left."""
        left = min(sum(_front(self._view, seat, column) is not None for column in _OPEN) for seat in _COLUMNS)
        deep = sum(square[0] in _OPEN and seat == "red" for square, seat in self._view["occupants"].items())
        if left == len(_OPEN) and deep > seconds / _PLY_S / _ATTACK_EVERY + 2:
            return
        with self._playing:
            self._table.say("abort")
            assert self.wait(lambda: self._is("finished"))
            self._do(motion="clear")
            self._ready("setting-up")
            self._set_up()

    def lengthen(self, plies: int) -> None:
        """Let the game become so long, as fast as hands can play, if it is not yet."""
        self._hurry.set()
        assert self.wait(lambda: self._view["ply"] >= plies, plies * _PLY_S + PATIENCE_S)
        self._hurry.clear()

    def kill_door(self) -> None:
        """Kill the front door, and wait until phones have noticed."""
        super().kill_door()
        self.wait(lambda: not any(phone.here.is_set() for phone in self.phones.values()), 2)

    def as_before(self, since: float) -> bool:
        """Return whether in addition both phones are connected."""
        return all(phone.here.is_set() for phone in self.phones.values()) and super().as_before(since)

    def give_away(self) -> Target:
        """Release blue's seat and return the target with its link; until blue has it again nobody attacks, since blue
        could not answer.
        """
        with self._playing:
            self.wait(lambda: self._is("waiting-for-move"))
            self.phones.pop("blue").close()
            return replace(self.target, link=self._link("blue"))

    def taken(self) -> None:
        """Wait until blue's seat, which was given away, is taken."""
        self.wait(lambda: not self._view["connected"]["blue"], 2)  # its old phone has gone
        self.wait(lambda: self._view["connected"]["blue"], 5)

    def _ask(self) -> None:
        """Let red's phone ask for its state twice a second, as pages do after each ply."""
        red = self.phones["red"]
        while not self._ended.wait(0.5):
            began, had = time.monotonic(), red.states
            red.say("hello")
            self.wait(lambda had=had: red.states > had, 10)
            self.answers_s.append((began, time.monotonic() - began))

    def _link(self, seat: str) -> str:
        path = self._state / "join.json"
        before = path.read_text()
        self._table.say(f"pair {seat}")
        self.wait(lambda: path.read_text() != before and seat in path.read_text(), 10)
        return str(json.loads(path.read_text()).get(seat, ""))

    def newcomer(self) -> bool:
        """Let blue continue on another phone."""
        if (old := self.phones.pop("blue", None)) is not None:
            old.close()
        with suppress(OSError, PairingFailedError):
            self.phones["blue"] = self._phone(self._link("blue"))
            return self.phones["blue"].here.wait(10)
        return False

    def _play(self) -> None:
        """Make one ply after the other, as the public view asks."""
        while not self._ended.is_set():
            began = time.monotonic()
            with self._playing:
                self._turn(dict(self._view))
            least_s = 0 if self._hurry.is_set() else _PLY_S
            self._ended.wait(max(0.01, least_s - (time.monotonic() - began)))

    def _turn(self, view: View) -> None:
        if view["phase"] == "restoring":
            self._do(motion="restore", squares=view["occupants"])
            self.wait(lambda: not self._is("restoring"), 1)
        elif view["phase"] == "paused" and not view.get("pause"):
            self._table.say("resume")
            self.wait(lambda: not self._is("paused"), 1)
        elif view["phase"] == "waiting-for-move" and self._do(
            **_motion(view, quiet=self._hurry.is_set() or "blue" not in self.phones)
        ):
            self.unread += not self._read(view["ply"])

    def _read(self, ply: int) -> bool:
        """Wait until the ply after that one is read; meanwhile board time passes as at a real board, where hands are still about.

        What hands do while somebody pauses does not count: then the board is put right first.
        """
        for _ in range(int(10 * PATIENCE_S)):
            if self.wait(lambda: self._view["ply"] > ply and self._is("waiting-for-move", "finished"), 0.1):
                return True
            if self._is("paused", "restoring"):
                return True
            self._do(motion="wait")
        return False


def _front(view: View, seat: str, column: str) -> int | None:
    rows = [int(square[1:]) for square, of in view["occupants"].items() if of == seat and square[0] == column]
    return (max if seat == "red" else min)(rows, default=None)


def _motion(view: View, *, quiet: bool) -> dict[str, object]:
    """Return what the hands of who is to move do: a scout goes to and fro, or, unless `quiet`, attacks along its column."""
    seat, other = ("red", "blue") if view["turn"] == "red" else ("blue", "red")
    if not quiet and view["ply"] % _ATTACK_EVERY == _ATTACK_EVERY - 1:
        pairs = [(_front(view, seat, column), _front(view, other, column), column) for column in _OPEN]
        gap = [(abs(own - rival), column, own, rival) for own, rival, column in pairs if own and rival]
        if gap:
            _, column, own, rival = min(gap)
            return {"motion": "both", "from": f"{column}{own}", "target": f"{column}{rival}"}
    step, home = (1, 1) if seat == "red" else (-1, 10)
    away: list[tuple[str, int]] = []
    at_home: list[tuple[str, int]] = []
    for column in _COLUMNS[seat]:
        row = _front(view, seat, column)
        if row is not None:
            behind = view["occupants"].get(f"{column}{row - step}") == seat
            (at_home if row == home or behind else away).append((column, row))
    column, row = away[0] if away else at_home[view["ply"] // 4 % len(at_home)]
    return {"motion": "move", "from": f"{column}{row}", "to": f"{column}{row - step if away else row + step}"}


class BesiegedHall(Place):
    """A hall whose tables play as people do, and an arbiter who looks at it: what he sees is what is counted."""

    name = "hall"

    def __init__(self, tables: int) -> None:
        super().__init__()
        self._tables = tables

    def open(self) -> None:
        """Start it, log in, and wait until most tables have begun."""
        more = ("--tables", str(self._tables), "--rounds", "20", "--delay", "1", "--web", "127.0.0.1:0", "--json")
        _, ready = self.start("station", "--demo", *more, "--state", str(self._folder / "hall"))
        self._base, name = ready["web"], "chief"
        self._cookie = self._log_in(name, ready["accounts"][name])
        self.target = Target(
            self._base, tls=f"mqtt://{ready['broker']}", login=name, live=ready["live"], sources=STRANGERS
        )
        self._seen: dict[str, tuple[int, str]] = {}
        self.thread(self._watch)
        self.thread(self._look)
        assert self.wait(lambda: len(self._seen) == self._tables and min(self._seen.values())[0] > 0, 4 * PATIENCE_S)

    def _log_in(self, name: str, password: str) -> str:
        line = self._line()
        body = json.dumps({"name": name, "password": password})
        line.request("POST", "/api/login", body, {"Content-Type": "application/json", "X-Hallmarshal": "1"})
        answer = line.getresponse()
        answer.read()
        line.close()
        return (answer.headers["Set-Cookie"] or "").partition(";")[0]

    def _line(self, source: tuple[str, int] | None = None) -> http.client.HTTPConnection:
        address = urlsplit(self._base)
        return http.client.HTTPConnection(address.hostname or "", address.port, PATIENCE_S, source)

    def _watch(self) -> None:
        """Follow the arbiter's live stream; open it again where it ends."""
        while not self._ended.is_set():
            line = self._line()
            with suppress(OSError, http.client.HTTPException, ValueError):
                line.request("GET", "/api/hall", headers={"Cookie": self._cookie})
                answer = line.getresponse()
                while not self._ended.is_set() and (raw := answer.readline()):
                    if raw.startswith(b"data: "):
                        self._take(json.loads(raw[6:]))
            line.close()
            self._ended.wait(0.2)

    def _take(self, told: Any) -> None:
        for table in told.get("tables", ()):
            board, now = table["board"], (table["ply"], table["phase"] or "")
            before, self._seen[board] = self._seen.get(board, (0, "")), now
            if now[0] > before[0]:
                self.note({})
            if now != before:
                self.signs.append(time.monotonic())

    def newcomer(self) -> bool:
        """Let somebody watch from an address that nobody else has; he is told the boards within four seconds, or not."""
        until = time.monotonic() + _SPECTATOR_S
        while time.monotonic() < until:
            line = self._line((_SPECTATOR, 0))
            with closing(line), suppress(OSError, http.client.HTTPException):
                line.request("GET", "/api/live")
                if line.getresponse().readline().startswith(b"data: "):
                    return True
            self._ended.wait(0.5)
        return False

    def _look(self) -> None:
        """Ask for a page ten times a second, and again where none comes, up to ten seconds."""
        while not self._ended.wait(0.1):
            began = time.monotonic()
            while page(self._base, "/api/tables/table-1", self._cookie) is None and time.monotonic() < began + 10:
                self._ended.wait(0.05)
            self.answers_s.append((began, time.monotonic() - began))
