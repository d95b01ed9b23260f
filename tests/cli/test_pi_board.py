"""`calibrate` and `doctor` at a board that the Pi itself scans: converters on its SPI, from the first question to what is kept."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import gpiozero  # type: ignore[import-untyped] # it ships no types
import pytest

from hardware import load_board
from referee.cli.main import main
from referee.runtime.boards import start_of
from simulator.board import SimBoard
from simulator.motions import Place
from simulator.simulated_pi import StrictConverters

BOARD = load_board("travel-pi-mcp3008")
START = start_of(BOARD, None)


class Bench:
    """The board on its doubles, and the magnets of a simulated one whose sensors nobody has calibrated."""

    def __init__(self) -> None:
        self.double = StrictConverters(BOARD)
        self._sim = SimBoard(BOARD, 7, calibrated=False)
        self._sim.start()
        self.measure()

    def measure(self) -> None:
        """Let the converters read what the simulated sensors feel."""
        for channel, counts in zip(BOARD.scan.channels, self._sim.amplitudes(), strict=True):
            self.double.counts[channel] = counts

    def set_up(self) -> None:
        """Set down both armies."""
        assert START is not None
        for seat, squares in START.armies.items():
            self._sim.play(Place(seat.value, squares))
        self.measure()


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Bench:
    """Return a board that is the only one of this machine: spidev and pins are its doubles."""
    found = Bench()
    monkeypatch.setitem(sys.modules, "spidev", SimpleNamespace(SpiDev=found.double.open))
    monkeypatch.setattr(gpiozero.Device, "pin_factory", found.double)
    return found


def calibrate(
    bench: Bench, url: str, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> dict[str, Any]:
    """Calibrate as a maker does, who sets up when he is asked and presses Enter. Returns what was printed."""
    ours, enter = os.pipe()
    before = os.dup(0)
    os.dup2(ours, 0)

    def say(text: str) -> None:
        if text.startswith("2. "):
            bench.set_up()
        if text[:2] in ("1.", "2."):
            os.write(enter, b"\n")

    monkeypatch.setattr("referee.cli.calibrate._say_on_stderr", say)
    try:
        assert main(["calibrate", "--board", url, "--json"]) == 0
    finally:
        os.dup2(before, 0)
        for descriptor in (ours, enter, before):
            os.close(descriptor)
    told: dict[str, Any] = json.loads(capfd.readouterr().out)
    return told


def test_calibrated_and_examined(
    bench: Bench, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every zero and gain is found and kept; afterwards the doctor finds the start position and no fault; then a converter falls silent."""
    url = f"gpio:{BOARD.id}?store={tmp_path / 'kept.json'}"
    told = calibrate(bench, url, capfd, monkeypatch)
    assert (told["file"], told["saved"]) == (BOARD.id, True)
    kept = json.loads((tmp_path / "kept.json").read_text())
    assert kept["zeros"] == [told["squares"][square]["zero"] for square in BOARD.squares]
    assert len(set(kept["gains"])) > 20, "each square has its own"

    assert main(["doctor", "--board", url, "--json", "--seconds", "0", "--expect", "start"]) == 0
    report = json.loads(capfd.readouterr().out)
    assert report["hello"]["calibrated"]
    assert report["position"] == "start"
    busy = {"scan-late", "slow-scan", "slow-answers"}  # what a machine with much to do may be told
    assert {finding["kind"] for finding in report["findings"]} - busy <= {"weak"}
    bench.double.silent = {11}
    main(["doctor", "--board", url, "--json", "--seconds", "0", "--expect", "start"])
    report = json.loads(capfd.readouterr().out)
    (named,) = [finding["squares"] for finding in report["findings"] if finding["kind"] == "out-of-range"]
    assert named == ["g10", "h10", "i10", "j10"]
