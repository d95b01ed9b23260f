"""The terminal handset on a real pty: digits, board, words, and nothing left in the scrollback."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
import threading
from pathlib import Path

from referee.rules.values import Seat
from tests.demo.running import ROOT, environment
from tests.demo.test_what_goes_wrong import wait_until
from tests.table.at_table import PATIENCE_S, AtTable


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

    def type(self, line: str) -> None:
        """Type a line."""
        os.write(self._fd, line.encode() + b"\n")

    def close(self) -> None:
        """End it."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(PATIENCE_S)
        self._reader.join()
        os.close(self._fd)

    def _read(self) -> None:
        while True:
            try:
                data = os.read(self._fd, 65536)
            except OSError:  # EIO: nobody holds the other side any more
                return
            self.drawn += data.decode(errors="replace")


def test_a_player_at_a_terminal(tmp_path: Path) -> None:
    """Compares the digits, sees the board, enters a set-up and says ready in Dutch, shows nothing that stays, and leaves."""
    with AtTable(tmp_path, "duel", "--mode", "enrol") as table:
        screen = Screen(table.ready["join"]["red"], tmp_path)
        try:
            wait_until(lambda: any(line.startswith("red: ") for line in table.table.complaint))
            digits = table.table.complaint[0].removeprefix("red: ")
            wait_until(lambda: digits in screen.drawn)
            screen.type("")
            wait_until(lambda: "Wachten op de andere spelers" in screen.drawn)
            table.join(Seat.BLUE, table.ready["join"]["blue"])
            wait_until(lambda: "U speelt Rood" in screen.drawn and "Duel" in screen.drawn)
            screen.type("onzin")
            wait_until(lambda: "Niet begrepen: onzin" in screen.drawn)
            screen.type("plaats vlag e1")
            wait_until(lambda: "a1   .  .  .  .  F  .  .  .  .  .  j1" in screen.drawn)
            screen.type("opstelling")
            wait_until(lambda: "Spion: 1 te weinig" in screen.drawn)
            screen.type("laad random")
            wait_until(lambda: "Alles staat." in screen.drawn)
            screen.type("opstelling")
            wait_until(lambda: "Ingeleverd" in screen.drawn)
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
