"""The kiosk as a child of a demo: it shows its picture, and the game does without it."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.demo.running import PATIENCE_S, ROOT, environment, processes_of

pytestmark = pytest.mark.process


def children_of(parent: int, word: str) -> Iterator[int]:
    """Return the children of a process that were started with a word."""
    for name in Path(f"/proc/{parent}/task/{parent}/children").read_text().split():
        with contextlib.suppress(OSError):  # it has just ended
            if word in Path(f"/proc/{name}/cmdline").read_text(errors="replace").split("\0"):
                yield int(name)


def test_a_demo_does_without_its_kiosk(tmp_path: Path) -> None:
    """The kiosk draws (it tells a watchdog so by its screen's clock); killed, it is one line on stderr, and the game is played to its end.

    The players stand still meanwhile, so that the game waits for the picture.
    """
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as watched:
        watched.bind(str(tmp_path / "notify"))
        watched.settimeout(PATIENCE_S)
        watchdog = {"NOTIFY_SOCKET": str(tmp_path / "notify"), "WATCHDOG_USEC": "100000"}
        demo = subprocess.Popen(
            [
                *(sys.executable, "-m", "referee.cli.main", "demo", "--rules", "duel", "--seed", "3"),
                *("--speed", "max", "--json", "--kiosk"),
            ],
            cwd=ROOT,
            env=environment(tmp_path, SDL_VIDEODRIVER="OFFSCREEN", **watchdog),  # in capitals it passes for a screen
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        while not (kiosks := list(children_of(demo.pid, "kiosk"))):
            assert demo.poll() is None
        players = list(children_of(demo.pid, "referee.demo.player_process"))
        for player in players:
            os.kill(player, signal.SIGSTOP)
        try:
            alive = 0  # the first comes before the first picture; brokers too write to this socket
            while alive < 3:
                alive += watched.recv(100) == b"WATCHDOG=1"
            os.kill(kiosks[0], signal.SIGKILL)
        finally:
            for player in players:
                os.kill(player, signal.SIGCONT)
        out, complaint = demo.communicate(timeout=PATIENCE_S)
    assert (demo.returncode, complaint) == (0, "the kiosk ended by itself (exit code -9)\n")
    told = json.loads(out)
    assert (told["misread"], told["lost"], told["games"]) == (0, 0, 1)
    assert told["winner"] in ("red", "blue", "draw")
    assert processes_of(tmp_path) == []
