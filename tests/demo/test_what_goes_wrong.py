"""One clear line, the right exit code, nothing left running."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tests.demo.running import ROOT, environment, hallmarshal, processes_of
from tests.patience import PATIENCE_S

pytestmark = pytest.mark.process


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (("--rules", "chess"), 2, "no rule set 'chess'"),
        (("--games", "0"), 2, "--games"),
        (("--speed", "fast"), 2, "--speed"),
        (("--speed", "21"), 2, "a number from 1 to 20"),
        (("--game", "nowhere.record"), 2, "nowhere.record"),
        (("--game", "broken.record"), 2, "broken.record"),
        (("--game", "illegal.xml"), 2, "ply 1 is illegal"),
        (("--sensing", "smell"), 2, "--sensing"),
        (("--state", "broken.record"), 2, "is not a folder"),
        (("--state", "played"), 2, "holds a game already"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_bad_input_is_one_line_and_exit_code_2(
    arguments: tuple[str, ...], code: int, says: str, tmp_path: Path
) -> None:
    """Nothing is started, nothing is written."""
    (tmp_path / "broken.record").write_bytes(b"\xff\x00\xff")
    (tmp_path / "illegal.xml").write_text(ILLEGAL)
    (tmp_path / "played" / "game-1").mkdir(parents=True)
    (tmp_path / "played" / "game-1" / "journal.sqlite").touch()
    arguments = tuple(str(tmp_path / word) if (tmp_path / word).exists() else word for word in arguments)
    done = hallmarshal("demo", "--json", *arguments, state=tmp_path)
    assert (done.returncode, done.stdout) == (code, "")
    assert says in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "hallmarshal").exists()


def test_a_taken_port_is_said_and_nothing_is_left(tmp_path: Path) -> None:
    """Exit code 3 names the port."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = hallmarshal("demo", "--port", port, "--json", state=tmp_path)
    assert (done.returncode, done.stdout) == (3, "")
    assert port in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert processes_of(tmp_path) == []


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL], ids=lambda how: how.name)
def test_no_process_is_left_behind(how: signal.Signals, tmp_path: Path) -> None:
    """Broker, simulator and handsets die with the demo, on Ctrl-C, on a termination signal and on kill -9."""
    process = subprocess.Popen(
        [sys.executable, "-m", "referee.cli.main", "demo", "--speed", "1", "--seed", "1"],
        cwd=ROOT,
        env=environment(tmp_path),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    wait_until(lambda: len(processes_of(tmp_path)) >= 5)
    os.kill(process.pid, how)
    _, complaint = process.communicate(timeout=PATIENCE_S)
    assert "Traceback" not in complaint
    assert process.returncode == {signal.SIGKILL: -9}.get(how, 130), complaint
    wait_until(lambda: processes_of(tmp_path) == [])


def wait_until(happened: object, patience_s: float = PATIENCE_S) -> None:
    """Wait for something that another process does, looking now and then."""
    assert callable(happened)
    tick = threading.Event()
    for _ in range(int(patience_s / 0.05)):
        if happened():
            return
        tick.wait(0.05)
    raise AssertionError("it did not happen in time")


_FIELD = (
    "MB".ljust(30, "A") + "LKEDDC".ljust(10, "A") + "AA__AA__AA" * 2 + "XWQPPO".ljust(10, "A") + "NY".rjust(30, "A")
)
ILLEGAL = (
    '<?xml version="1.0"?><stratego><game type="barrage">'
    f'<field content="{_FIELD}"/><move id="1" source="A4" target="A9"/></game></stratego>'
)
