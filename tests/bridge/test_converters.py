"""Converters on the Pi's SPI: clocked as their datasheet says, judged as a controller judges, and calibrated like any board."""

from __future__ import annotations

import json
import random
import tomllib
from pathlib import Path
from typing import Any

import pytest

from firmware_bridge.host_firmware import BoardCalibration, LinearFirmware
from firmware_bridge.messages import (
    Ack,
    AckResult,
    BoardUnreachableError,
    Frame,
    FrameFlag,
    Hello,
    Log,
    Reading,
    Save,
    SelfTest,
    SetGain,
    SetThresholds,
    SetZero,
)
from firmware_bridge.sources.gpio import GpioSource, calibration_path, read_calibration, write_calibration
from firmware_bridge.sources.pi_pins import Converters
from firmware_bridge.talk import Talk
from firmware_bridge.wire import encode
from hardware import BoardFileError, Sensing, load_board
from hardware.board_file import BOARDS_FOLDER, default_gain, parse_board
from simulator.board import SimBoard
from simulator.firmware import FIRMWARE, TRUE_ZERO
from simulator.motions import Move, Place, Remove
from simulator.simulated_pi import StrictConverters
from tests.bridge.listening import read_until

BOARD = load_board("travel-pi-mcp3008")
COUNT = len(BOARD.squares)
SIMULATED = BoardCalibration(200, 135, (TRUE_ZERO,) * COUNT, (default_gain(BOARD),) * COUNT)


@pytest.mark.parametrize("name", ["travel-pi-mcp3008", "compact-pi-mcp3008"])
def test_a_scan_converts_every_square_once(name: str) -> None:
    """Any counts come out under their own channels, in order; spare inputs are left alone."""
    board = load_board(name)
    double = StrictConverters(board)
    converters = Converters(board, double.parts)
    chance = random.Random(1)
    for _ in range(20):
        double.counts = [chance.randrange(1024) for _ in double.counts]
        double.converted.clear()
        scanned = converters.scan()
        assert [scanned[channel] for channel in board.scan.channels] == [double.counts[c] for c in board.scan.channels]
        assert double.converted == list(board.scan.channels)
    double.silent = {3}
    scanned = converters.scan()
    assert scanned[24:32] == [1023] * 8
    assert scanned[:24] == double.counts[:24]
    converters.close()
    assert double.closed


def test_the_same_bytes_as_a_controllers() -> None:
    """A place, a slide and a removal, scanned at the same instants: every frame equals the simulated firmware's, byte for byte."""
    double = StrictConverters(BOARD)
    converters = Converters(BOARD, double.parts)
    firmware = LinearFirmware(BOARD, FIRMWARE, SIMULATED, lambda kept: True)
    sim = SimBoard(BOARD, 4)
    theirs, ours = sim.start(), [encode(firmware.hello(0))]
    scans = 0
    motions = (
        Place("red", ("a1", "e5", "j10")),
        Place("blue", ("e6", "f5")),
        Remove("f5"),
        Move("e5", "f5", slide=True),
    )
    for motion in motions:
        until_ms = sim.begin(motion) + 1500
        for now_ms in range(scans * 20, until_ms, 20):
            theirs += sim.advance(now_ms)
            for channel, counts in zip(BOARD.scan.channels, sim.amplitudes(), strict=True):
                double.counts[channel] = counts
            scanned = converters.scan()
            frame = firmware.scanned([scanned[channel] for channel in BOARD.scan.channels], now_ms)
            ours.append(encode(frame) if frame else b"")
            scans += 1
    assert b"".join(theirs) == b"".join(ours)
    assert len(list(filter(None, ours))) > 150
    assert Reading.BLUE in sim.firmware.readings


def source(double: StrictConverters, store: Path) -> GpioSource:
    """Open the board on its doubles."""
    return GpioSource("gpio:", BOARD, parts=double.parts, store=store)


def test_a_calibration_is_kept_in_a_file(tmp_path: Path) -> None:
    """Uncalibrated it says so in HELLO, in a LOG and in every frame; what SAVE kept is there at the next start."""
    store, double = tmp_path / "new" / "kept.json", StrictConverters(BOARD)
    with source(double, store) as board:
        hello, log, frame = read_until(board, lambda found: len(found) >= 3)[:3]
        assert isinstance(hello, Hello)
        assert (hello.calibrated, hello.sensing.name, hello.channels, hello.scan_hz) == (False, "COLOUR", 96, 50)
        assert isinstance(log, Log)
        assert log.text == "no calibration: there is none yet"
        assert isinstance(frame, Frame)
        assert frame.flags == FrameFlag.UNCALIBRATED
        talk = Talk(board)
        double.counts[BOARD.scan.channels[0]] = 700
        for command in (SetThresholds(220, 150), SetZero(255, 500), SetGain(0, Reading.RED, -300), Save()):
            assert talk.do(command).result is AckResult.DONE
        assert talk.readings().squares[0] is Reading.BLUE
    with source(double, store) as board:
        hello, frame = read_until(board, lambda found: len(found) >= 2)[:2]
        assert isinstance(hello, Hello)
        assert hello.calibrated
        assert isinstance(frame, Frame)
        assert (frame.squares[0], frame.flags) == (Reading.BLUE, FrameFlag(0))
    kept = json.loads(store.read_text())
    assert (kept["thresholds"], kept["zeros"][1], kept["gains"][0]) == ([220, 150], 500, -300)
    assert [path.name for path in store.parent.iterdir()] == ["kept.json"]


SPOILED: dict[str, Any] = {
    "no JSON": "{",
    "no object": "[]",
    "another board's": {"fingerprint": 1},
    "too few zeros": {"zeros": [512]},
    "a zero beyond the converter": {"zeros": [1024] * COUNT},
    "a gain that would be noise": {"gains": [3] * COUNT},
    "a word": {"gains": ["310"] * COUNT},
    "true": {"zeros": [True] * COUNT},
    "thresholds the wrong way round": {"thresholds": [135, 200]},
}


@pytest.mark.parametrize("name", SPOILED)
def test_a_spoiled_calibration_is_none(name: str, tmp_path: Path) -> None:
    """Whatever is wrong with the file, the board works with defaults and says that it is not calibrated."""
    path = tmp_path / "kept.json"
    assert write_calibration(path, BOARD, SIMULATED)
    assert read_calibration(path, BOARD) == (SIMULATED, "")
    change = SPOILED[name]
    path.write_text(change if isinstance(change, str) else json.dumps(json.loads(path.read_text()) | change))
    settings, why = read_calibration(path, BOARD)
    assert settings is None
    assert why in ("it cannot be read", "it is damaged or another board's")


def test_what_cannot_be_kept_is_refused(tmp_path: Path) -> None:
    """A folder where a file should be: SAVE fails, and the board goes on calling itself uncalibrated."""
    (tmp_path / "kept.json").mkdir()
    (tmp_path / "kept.json" / "x").touch()
    with source(StrictConverters(BOARD), tmp_path / "kept.json") as board:
        talk = Talk(board)
        assert talk.do(Save()).result is AckResult.FAILED
        assert talk.readings().flags == FrameFlag.UNCALIBRATED
    assert [path.name for path in tmp_path.iterdir()] == ["kept.json"]


def test_a_converter_that_does_not_answer_is_found(tmp_path: Path) -> None:
    """The self-test names its eight squares by number, as a controller's does."""
    double = StrictConverters(BOARD)
    double.silent = {0}
    with source(double, tmp_path / "kept.json") as board:
        board.send(SelfTest())
        found = read_until(
            board, lambda found: any(isinstance(item, Log) and "square 7" in item.text for item in found)
        )
    (ack,) = (item for item in found if isinstance(item, Ack))
    assert (ack.result, ack.detail) == (AckResult.FAILED, 8)
    assert [item.text for item in found if isinstance(item, Log)][-8:] == [
        f"self-test: square {number} reads 1023" for number in range(8)
    ]


def test_where_it_is_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """In the user's state directory, under the board's name."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert calibration_path(BOARD) == tmp_path / "hallmarshal/calibration/travel-pi-mcp3008.json"


def test_pins_that_are_taken(tmp_path: Path) -> None:
    """The library's own reason in one line, and the bus is let go."""
    double = StrictConverters(BOARD)
    with source(double, tmp_path / "a.json"), pytest.raises(BoardUnreachableError, match="GPIOPinInUse"):
        source(double, tmp_path / "b.json")
    assert double.closed


def table() -> dict[str, Any]:
    """Return the board file, parsed, to be spoiled."""
    return tomllib.loads((BOARDS_FOLDER / "travel-pi-mcp3008.toml").read_text(encoding="utf-8"))


FAULTS: dict[str, tuple[dict[str, Any], str]] = {
    "three lines": ({"mcp3008": {"address": [22, 23, 24]}}, "mcp3008.address: 4 pins are needed, A0 first"),
    "a pin twice": ({"mcp3008": {"address": [22, 23, 24, 22]}}, "mcp3008.address: pin 22 stands twice"),
    "a pin of the bus": ({"mcp3008": {"address": [22, 23, 24, 9]}}, "mcp3008.address: pin 9 belongs to SPI 0"),
    "too fast": ({"mcp3008": {"khz": 3600}}, "mcp3008.khz: 3600 is more than 1350"),
    "too slow": ({"mcp3008": {"khz": 100}}, "mcp3008.khz: no time for 50 scans a second"),
    "too many": ({"scan": {"chips": 17}}, "mcp3008: a decoder selects 16 converters, scan.chips says 17"),
    "other parts": ({"scan": {"channels_per_chip": 16}}, "mcp3008: a converter has 8 inputs"),
    "presence only": ({"sensing": "occupancy"}, "mcp3008: converters are for linear sensors"),
    "5 V": ({"sensor": {"supply_mv": 5000}}, "sensor.supply_mv: 5000 would reach a Raspberry Pi's pins"),
    "two ways": (
        {"spi": {"bus": 0, "device": 1, "khz": 1000, "latch": 25, "magnet": "low"}},
        "top: mcp3008 and spi cannot both scan the sensors",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_spoiled_table_is_refused_with_the_place(name: str) -> None:
    """Each fault is named with its place."""
    change, fault = FAULTS[name]
    data = table()
    for key, value in change.items():
        data[key] = {**data.get(key, {}), **value} if isinstance(value, dict) else value
    with pytest.raises(BoardFileError) as caught:
        parse_board(data)
    assert [line for line in caught.value.faults if line.startswith(fault)], caught.value.faults


def test_another_sensing_is_not_wired() -> None:
    """Converters asked for presence only, or a chain asked for colours, is refused before a pin is touched."""
    board = BOARD.with_sensing(Sensing.OCCUPANCY)
    with pytest.raises(BoardUnreachableError, match="is not wired for sensing occupancy"):
        GpioSource("gpio:x", board)
