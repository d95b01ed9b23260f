"""What is said to be on disk is there when the writer is killed, or the power of a real disk goes; and a row that is not is missed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from fault_injection.faulty_disk import LoopDisk, why_not
from referee.cli.main import main
from tests.demo.running import ROOT, environment

pytestmark = pytest.mark.process


def write(folder: Path, rows: int, cut: Callable[[], None] | None = None) -> str:
    """Write until so many rows were heard and the writer is killed, by a power cut or without; return everything that was heard before.

    A row that is said after a cut began is no evidence: the dying file system lets an fsync that is under way return success.
    """
    command = [sys.executable, "-m", "referee.cli.main", "bench", "powercut", "--folder", str(folder)]
    with subprocess.Popen(
        command, cwd=ROOT, env=environment(folder), stdout=subprocess.PIPE, text=True, bufsize=1
    ) as writer:
        assert writer.stdout is not None
        heard = "".join(writer.stdout.readline() for _ in range(rows))
        if cut is not None:
            cut()
        os.kill(writer.pid, signal.SIGKILL)
        told = heard + (writer.stdout.read() if cut is None else "")
        return told[: told.rindex("\n") + 1]  # amid a line it has said nothing yet


def compare(
    folder: Path, heard: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> tuple[int, dict[str, object]]:
    """Compare what was heard with the folder. Returns exit code and figures."""
    file = tmp_path / "heard.txt"
    file.write_text(heard)
    code = main(["bench", "powercut", "--folder", str(folder), "--heard", str(file), "--json"])
    return code, json.loads(capsys.readouterr().out)


def test_a_writer_that_is_killed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Twice in the same folder. A row with another token, and one that nobody wrote, are missed; half a line is nothing."""
    folder = tmp_path / "cut"
    heard = write(folder, 20) + write(folder, 20)
    code, figures = compare(folder, heard + "row 9", tmp_path, capsys)
    assert (code, figures["failures"]) == (0, [])
    assert 40 <= figures["heard"] == len(heard.splitlines())  # type: ignore[operator]  # numbers
    code, figures = compare(folder, heard + "row 1 0000\nrow 999999 0000\n", tmp_path, capsys)
    assert (code, len(figures["failures"])) == (1, 2)  # type: ignore[arg-type]  # a list


@pytest.mark.skipif(why_not() is not None, reason=str(why_not()))
def test_the_power_goes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every row that was heard is on the disk when it is mounted again."""
    with LoopDisk(tmp_path) as disk:
        heard = write(disk.path / "cut", 40, disk.cut)
        disk.power_up()
        code, figures = compare(disk.path / "cut", heard, tmp_path, capsys)
    assert (code, figures["failures"]) == (0, [])
    assert figures["heard"] >= 40  # type: ignore[operator]  # a number
