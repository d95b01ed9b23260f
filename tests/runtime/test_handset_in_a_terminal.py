"""The terminal handset on a real pty: digits, board, words, and nothing left in the scrollback."""

from __future__ import annotations

import os
import pty
import queue
import re
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from referee.handset.line_handset import Events
from referee.handset.terminal_handset import TerminalHandset
from referee.net.broker.access import SeatPairing
from referee.net.credential import Address, KeyPair
from referee.net.links.handset_link import HandsetLink
from referee.net.pairing.handshake import Joined
from referee.net.topics.payloads import LinkUp, PeerFault, Status
from referee.rules import rule_set
from referee.rules.values import Seat
from referee.table.settings import TableSettings
from referee.table.table import Table
from referee.table.views import Phase
from referee.words import words
from tests.demo.running import ROOT, environment
from tests.demo.test_what_goes_wrong import wait_until
from tests.patience import PATIENCE_S
from tests.runtime.at_table import AtTable


class Screen:
    """A handset on a pty, and everything that was drawn there."""

    def __init__(self, url: str, state: Path) -> None:
        self._fd, slave = pty.openpty()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "referee.cli.main", "handset", "--language", "nl", "--join", url],
            cwd=ROOT,
            env=environment(state, TERM="xterm-256color", COLUMNS="100", LINES="40"),
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
        )
        os.close(slave)
        self.drawn = ""
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def text(self) -> str:
        """What was drawn, without colours and cursor."""
        return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", self.drawn)

    def type(self, line: str) -> None:
        """Type a line."""
        os.write(self._fd, line.encode() + b"\n")

    def close(self) -> None:
        """End it."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(PATIENCE_S)
        self._reader.join(PATIENCE_S)
        os.close(self._fd)

    def _read(self) -> None:
        while True:
            try:
                data = os.read(self._fd, 65536)
            except OSError:  # EIO: nobody holds the other side any more
                return
            self.drawn += data.decode(errors="replace")


@pytest.mark.process
def test_a_player_at_a_terminal(tmp_path: Path) -> None:
    """Compares the digits, sees the board, enters a set-up and says ready in Dutch, shows nothing that stays, and leaves."""
    with AtTable(tmp_path, "duel", "--mode", "enrol") as table:
        screen = Screen(table.ready["join"]["red"], tmp_path)
        try:
            wait_until(lambda: any(line.startswith("red: ") for line in table.table.complaint))
            digits = table.table.complaint[0].removeprefix("red: ")
            wait_until(lambda: digits in screen.drawn)
            screen.type("")
            wait_until(lambda: "Wachten op Blauw" in screen.drawn)
            table.join(Seat.BLUE, table.ready["join"]["blue"])
            wait_until(lambda: "Je speelt Rood" in screen.drawn and "Duel" in screen.drawn)
            screen.type("onzin")
            wait_until(lambda: "Niet begrepen: onzin" in screen.drawn)
            screen.type("plaats vlag e1")
            wait_until(lambda: "a1   .  .  .  .  F  .  .  .  .  .  j1" in screen.drawn)
            screen.type("opstelling")
            wait_until(lambda: "Spion: 1 te weinig" in screen.drawn)
            screen.type("laad random")
            wait_until(lambda: "Alles staat." in screen.drawn)
            screen.type("opstelling")
            wait_until(lambda: "Opstelling verstuurd" in screen.drawn)
            screen.type("klaar")
            while not any(event["kind"] == "ready" and event["seat"] == "red" for event in table.events):
                table.take()
            screen.type("stop")
            assert screen.process.wait(PATIENCE_S) == 0
            wait_until(lambda: screen.drawn.rstrip().endswith("\x1b[?1049l"))
        finally:
            screen.close()
        assert screen.drawn.index("\x1b[?1049h") < screen.drawn.index(digits)
        assert screen.drawn.count("\x1b[3J") >= 4  # each picture wipes the one before, in the scrollback too


def test_without_a_terminal_nothing_is_said_twice(capsys: pytest.CaptureFixture[str]) -> None:
    """Into a pipe the digits go once, however much comes meanwhile; `army` before any rank is known says so in a sentence."""
    joined = _joined()
    table = Table(TableSettings("kitchen", "g1", rule_set("duel")))
    events: Events = queue.SimpleQueue()
    for item in (LinkUp(), table.info(), LinkUp(), table.view(), "\n", "army\n", None):
        events.put(item)
    with TerminalHandset(joined, HandsetLink(joined.credential, on_value=events.put), "en") as handset:
        assert handset.serve(_one_by_one(events)) is False
    said = capsys.readouterr().out
    assert said.count("482913") == 1
    assert said.count(words("en")["handset.army-unknown"]) == 1
    assert "\x1b" not in said


def test_pieces_that_stand_meanwhile_are_counted_anew(capsys: pytest.CaptureFixture[str]) -> None:
    """A `ready` that came too early is refused with what stands then; the number keeps up, goes with the last piece and stays away."""
    joined = _joined()
    table = Table(TableSettings("kitchen", "g1", rule_set("duel")))
    view = replace(table.view(), phase=Phase.SETTING_UP)
    events: Events = queue.SimpleQueue()
    views = [
        replace(view, seq=number, occupants=dict.fromkeys([f"{column}1" for column in "abcdefghij"][:there], Seat.RED))
        for number, there in enumerate((5, 7, 10, 9))
    ]
    for item in (LinkUp(), table.info(), views[0], "\n", "ready\n", *views[1:], None):
        events.put(item)
    with TerminalHandset(joined, HandsetLink(joined.credential, on_value=events.put), "en") as handset:
        assert handset.serve(_one_by_one(events)) is False
    said = capsys.readouterr().out
    assert re.findall(r"(\d+) of 10 pieces placed", said) == ["5", "7"]
    assert said.count("> ") == 6


def test_before_a_game_it_says_who_is_missing(capsys: pytest.CaptureFixture[str]) -> None:
    """While a seat is free it is waited for; once everybody is there the game begins at the table's screen."""
    joined, up = _joined(), Status(True, 1, "0" * 16)
    events: Events = queue.SimpleQueue()
    for item in (LinkUp(), "\n", up, replace(up, free=(Seat.BLUE,)), replace(up, free=()), None):
        events.put(item)
    with TerminalHandset(joined, HandsetLink(joined.credential, on_value=events.put), "en") as handset:
        assert handset.serve(_one_by_one(events)) is False
    said = [line for line in capsys.readouterr().out.splitlines() if line.startswith(("Waiting", "Everybody"))]
    assert said == [
        "Waiting for the table to start the game",
        "Waiting for Blue. The codes of the seats are on the table’s screen.",
        "Everybody is here. Tap Start on the table’s screen to begin.",
    ]


def _joined() -> Joined:
    keys = KeyPair.create()
    grant = SeatPairing(Address("127.0.0.1", 1), "kitchen", KeyPair.create().public).grant(Seat.RED, keys.public)
    return Joined(grant.credential.with_keys(keys), "482913")


def test_what_was_typed_is_answered_whatever_comes_right_after_it(capsys: pytest.CaptureFixture[str]) -> None:
    """A view with nothing new in it, or a fault, is no reason to leave the answer out."""
    keys = KeyPair.create()
    grant = SeatPairing(Address("127.0.0.1", 1), "kitchen", KeyPair.create().public).grant(Seat.RED, keys.public)
    joined = Joined(grant.credential.with_keys(keys), "482913")
    table = Table(TableSettings("kitchen", "g1", rule_set("duel")))

    class AtOnce(queue.SimpleQueue):  # type: ignore[type-arg]
        def empty(self) -> bool:
            return self.qsize() == 1  # the word to end

    events: Events = AtOnce()
    fault = PeerFault(None, "SealError", "it does not open", 1)
    for item in (LinkUp(), table.info(), table.view(), "\n", "nonsense\n", table.view(), fault, None):
        events.put(item)
    with TerminalHandset(joined, HandsetLink(joined.credential, on_value=events.put), "en") as handset:
        assert handset.serve(events) is False
    assert words("en").say("handset.not-understood", text="nonsense") in capsys.readouterr().out


def _one_by_one(events: Events) -> Events:
    """Return the events in a queue that never shows how many wait, so that each is drawn."""

    class Hesitant(queue.SimpleQueue):  # type: ignore[type-arg]
        def empty(self) -> bool:
            return True

    slow: Events = Hesitant()
    while not events.empty():
        slow.put(events.get())
    return slow


RED_PIECES = ["a1", "b1", "c1", "d1", "a2", "b2", "c2", "d4", "e4", "f4"]


@pytest.mark.process
def test_what_was_not_understood_is_said_on_every_handset(tmp_path: Path) -> None:
    """A hand carries a piece where none can go: both handsets say what the sensors saw, until it is put back."""
    with AtTable(tmp_path, "duel") as table:
        screen = Screen(table.ready["join"]["red"], tmp_path)
        try:
            wait_until(lambda: "ook op de tafel?" in screen.drawn)
            screen.type("")
            blue = table.join(Seat.BLUE, table.ready["join"]["blue"]).name
            table.board.send({"motion": "place", "seat": "red", "squares": RED_PIECES})
            wait_until(lambda: re.search(r"Rood\s+Op het bord 10/10", screen.text))  # before that, ready is not taken
            screen.type("klaar")
            table.play_on("begin", game=1)
            table.rest()
            table.board.send({"motion": "move", "from": "d4", "to": "a6"})
            state = table.next(blue, lambda line: bool(line.get("state", {}).get("saw")))["state"]
            found = {each["square"]: (each["found"], each["seat"]) for each in state["saw"]}
            assert found == {"d4": ("empty", None), "a6": ("piece", "red")}
            assert (state["phase"], state["ask"]) == ("restoring", "not-understood")
            wait_until(lambda: "Ik zie: d4 leeg; een stuk van Rood op a6. Ik kon die zet niet volgen." in screen.drawn)
            table.board.send({"motion": "move", "from": "a6", "to": "d4"})
            state = table.next(blue, lambda line: line.get("state", {}).get("phase") == "waiting-for-move")["state"]
            assert state["saw"] == []
        finally:
            screen.close()
