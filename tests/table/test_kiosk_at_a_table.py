"""A kiosk at a running table: what it is told, and what becomes of its wishes."""

from __future__ import annotations

import json
import queue
from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.arbitration.views import Mode, PublicInfo
from referee.link.client import KioskLink
from referee.link.credential import Credential
from referee.link.incoming import KioskIncoming
from referee.link.notes import KioskNote, KioskWish
from referee.rules.values import Seat
from tests.table.at_table import PATIENCE_S, AtTable


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
        """Wait for a note; give its text."""
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
    """Links and digits are told; options, the arbiter, breaking off by both and a rematch work, and one player alone ends nothing."""
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
    screen.touch("option", "mode=enrol")
    screen.note("option", text="mode=enrol")
    screen.touch("rematch", "red")
    screen.touch("rematch", "blue")
    screen.note("rematch", Seat.BLUE)
    assert screen.info(Mode.ENROL).rule_set == "duel"
    at_table.play_on("opened", game=2)
    assert [event["kind"] for event in at_table.events].count("end") == 1
    screen.link.stop()
