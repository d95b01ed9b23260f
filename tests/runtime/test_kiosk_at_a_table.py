"""A kiosk at a running table: what it is told, and what becomes of its wishes."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.net.credential import Credential
from referee.net.links.public_links import KioskLink
from referee.net.topics.payloads import KioskIncoming, KioskNote, KioskWish
from referee.rules.values import Seat
from referee.table.views import Mode, PublicInfo
from tests.patience import PATIENCE_S
from tests.runtime.at_table import AtTable
from tests.web.screens import ScreenTable

pytestmark = pytest.mark.process


class TouchScreen:
    """A kiosk without a screen: everything that it hears, in order."""

    def __init__(self, state: Path) -> None:
        self._heard: queue.Queue[KioskIncoming] = queue.Queue()
        credential = Credential.from_json(json.loads((state / "table" / "broker" / "kiosk.json").read_text()))
        self.link = KioskLink(credential, on_value=self._heard.put)
        self.link.start()

    def touch(self, kind: str, value: str = "") -> None:
        """Send a wish."""
        self.link.wish(KioskWish(kind, value))

    def note(self, kind: str, seat: Seat | None = None, text: str | None = None) -> str:
        """Wait for a note. Returns its text."""
        while True:
            value = self._heard.get(timeout=PATIENCE_S)
            if isinstance(value, KioskNote) and (value.kind, value.seat) == (kind, seat) and text in (None, value.text):
                return value.text

    def info(self, mode: Mode) -> PublicInfo:
        """Wait for a game of this mode."""
        while True:
            value = self._heard.get(timeout=PATIENCE_S)
            if isinstance(value, PublicInfo) and value.mode is mode:
                return value


@pytest.fixture
def at_table(tmp_path: Path) -> Iterator[AtTable]:
    """A running Duel table whose seats are free."""
    with AtTable(tmp_path) as table:
        yield table


def test_wishes_reach_the_game(at_table: AtTable, tmp_path: Path) -> None:
    """Links and digits are told; options, the arbiter, breaking off by both, a game seen again and a rematch work; one ends nothing."""
    screen = TouchScreen(tmp_path)
    screen.touch("hello")
    assert screen.note("seats") == "red blue"
    assert screen.note("join", Seat.RED) == at_table.ready["join"]["red"]
    assert len(screen.note("code", Seat.BLUE)) == 7
    screen.touch("option", "rules=barrage")
    screen.note("option", text="rules=barrage")
    screen.touch("option", "rules=duel")
    screen.note("option", text="rules=duel")
    for seat in (Seat.RED, Seat.BLUE):
        at_table.join(seat, at_table.ready["join"][seat.value])
        assert screen.note("paired", seat) == at_table.paired[seat]["digits"]
    at_table.play_on("begin", game=1)
    at_table.rest()  # a move or answer that crosses with a pause would be refused
    screen.touch("option", "mode=enrol")
    screen.touch("arbiter")
    at_table.play_on("paused", game=1)
    assert screen.note("arbiter") == "called"
    screen.touch("resume")
    assert screen.note("arbiter") == ""
    for wish in ("red", "red", "", "blue", "red"):
        screen.touch("abort", wish)
    assert at_table.play_on("end", game=1)["text"] == "aborted"
    screen.touch("rematch", "red")
    screen.note("rematch", Seat.RED)
    at_table.table.send("takeback 0 too early")
    at_table.play_on("plies.taken-back", game=1)
    screen.note("rematch")
    for wish in ("red", "blue"):
        screen.touch("abort", wish)
    at_table.play_on("end", game=1)
    screen.touch("games")
    (kept,) = json.loads(screen.note("games"))["games"]
    screen.touch("replay", kept["name"])
    assert screen.note("replay").endswith(f"/games/{kept['name']}")
    assert screen.note("replay-part")
    screen.touch("option", "mode=enrol")
    screen.note("option", text="mode=enrol")
    for seat in (
        Seat.BLUE,
        Seat.RED,
    ):  # red's word after the first end counts no more, or blue's alone would begin a game
        screen.touch("rematch", seat.value)
        screen.note("rematch", seat)
    assert screen.info(Mode.ENROL).rule_set == "duel"
    at_table.play_on("opened", game=2)
    assert [event["kind"] for event in at_table.events].count("end") == 2
    screen.link.stop()


def child_of(parent: int, word: str) -> int:
    """Wait for a child of a process that was started with a word. Returns its number."""
    until, tick = time.monotonic() + PATIENCE_S, threading.Event()
    while time.monotonic() < until:
        for entry in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                above = int(entry.joinpath("stat").read_text().rpartition(")")[2].split()[1])
                if above == parent and word in entry.joinpath("cmdline").read_text(errors="replace").split("\0"):
                    return int(entry.name)
        tick.wait(0.05)
    raise AssertionError(f"no {word} under {parent}")


def test_a_kiosk_of_the_tables_own_may_die(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`--kiosk` is a child process; when it is killed the table says so in a line, and the game begins without it."""
    monkeypatch.setenv(
        "SDL_VIDEODRIVER", "OFFSCREEN"
    )  # SDL does not mind the capitals; the kiosk takes it for a screen
    with AtTable(tmp_path, "duel", "--kiosk") as table:
        kiosk = child_of(table.table.process.pid, "kiosk")
        table.take_seats()
        os.kill(kiosk, signal.SIGKILL)
        table.play_on("move.read", game=1)
        assert table.table.end(signal.SIGTERM) == 0
        assert any("the kiosk ended by itself (exit code -9)" in line for line in table.table.complaint)
    assert not Path("/proc", str(kiosk)).exists()


def test_beside_a_board_on_a_screen_it_is_a_window(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """There the page with the board has to be seen, too."""
    monkeypatch.setenv("SDL_VIDEODRIVER", "OFFSCREEN")
    with ScreenTable(tmp_path, "duel", "--kiosk") as table:
        kiosk = child_of(table.table.process.pid, "kiosk")
        assert b"\0--size\x001024x600" in Path("/proc", str(kiosk), "cmdline").read_bytes()
        assert table.table.end(signal.SIGTERM) == 0


def test_a_computer_shows_no_digits(tmp_path: Path) -> None:
    """There is no phone on which anybody could compare them: on no kiosk, and where programs do not look."""
    with AtTable(tmp_path, "duel", "--blue", "computer:1", "--mode", "enrol") as table:
        screen = TouchScreen(tmp_path)
        screen.touch("hello")
        assert screen.note("paired", Seat.BLUE) == ""
        screen.link.stop()
        assert table.table.end(signal.SIGTERM) == 0
        assert not any(line.startswith("blue:") for line in table.table.complaint)
