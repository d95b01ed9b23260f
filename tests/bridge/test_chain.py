"""A chain on the Pi's SPI: clocked as its board file says, and heard as if a controller spoke."""

from __future__ import annotations

import random

import pytest

from firmware_bridge.host_firmware import LevelFirmware
from firmware_bridge.messages import BoardUnreachableError, Hello, Log, Reading, SelfTest
from firmware_bridge.sources.gpio import GpioSource
from firmware_bridge.sources.pi_pins import Chain, PiParts
from firmware_bridge.wire import encode
from hardware import BoardFileError, load_board
from hardware.board_file import parse_board
from simulator.board import SimBoard
from simulator.firmware import FIRMWARE
from simulator.motions import Move, Place, Remove
from simulator.simulated_pi import StrictChain
from tests.bridge.listening import read_until
from tests.bridge.matrix_table import matrix_table

BOARD = load_board("travel-pi-chain")


def wired() -> tuple[Chain, StrictChain]:
    """Return a chain and what is wired to it."""
    double = StrictChain(BOARD)
    return Chain(BOARD, double.parts), double


def test_a_scan_is_one_latch_and_one_transfer() -> None:
    """Any magnets come out under their own channels; nothing else is done to pin or bus."""
    chain, double = wired()
    chance = random.Random(1)
    for _ in range(50):
        double.magnets = set(chance.sample(range(92), 30))
        double.history.clear()
        assert {channel for channel, magnet in enumerate(chain.scan()) if magnet} == double.magnets
        assert double.history == [("latch", 0), ("bytes", 12)]
    chain.close()
    assert double.closed


def test_a_cut_chain_and_a_shorted_register_are_found() -> None:
    """The supply at the end of the chain is looked for, and spare inputs must be silent."""
    chain, double = wired()
    double.magnets = {0, 45, 91}
    assert chain.stuck_channels() == set()
    double.magnets.add(93)  # a spare input of register 11, whose others are 88 to 91
    assert chain.stuck_channels() == {88, 89, 90, 91}
    double.cut_behind = 4
    assert chain.stuck_channels() == set(range(92))


def test_the_same_bytes_as_a_controllers() -> None:
    """A place, a slide and a removal, scanned at the same instants: every frame equals the simulated firmware's, byte for byte."""
    chain, double = wired()
    firmware, sim = LevelFirmware(BOARD, FIRMWARE), SimBoard(BOARD, 4)
    theirs, ours = sim.start(), [encode(firmware.hello(0))]
    scans = 0
    for motion in (Place("red", ("a1", "e5", "j10")), Move("e5", "f5", slide=True), Remove("j10")):
        until_ms = sim.begin(motion) + 1500
        for now_ms in range(scans * 10, until_ms, 10):
            theirs += sim.advance(now_ms)
            readings = zip(sim.firmware.readings, BOARD.scan.channels, strict=True)
            double.magnets = {channel for reading, channel in readings if reading is not Reading.EMPTY}
            scanned = chain.scan()
            frame = firmware.scanned([scanned[channel] for channel in BOARD.scan.channels], now_ms)
            ours.append(encode(frame) if frame else b"")
            scans += 1
    assert b"".join(theirs) == b"".join(ours)


def test_a_source_scans_it() -> None:
    """`gpio:` opens a board with an [spi] table too; its self-test names the squares that a cut chain spoils."""
    double = StrictChain(BOARD)
    double.pause = lambda seconds: None  # type: ignore[method-assign] # the source waits by the real clock
    double.cut_behind = 0
    with GpioSource("gpio:", BOARD, parts=double.parts) as source:
        source.send(SelfTest())
        found = read_until(source, lambda found: sum(isinstance(item, Log) for item in found) >= 92)
    hello = found[0]
    assert isinstance(hello, Hello)
    assert (hello.board_id, hello.channels, hello.firmware) == ("travel-pi-chain", 96, "hallmarshal-gpio pins")


def test_a_pi_without_spidev(monkeypatch: pytest.MonkeyPatch) -> None:
    """One line says what to install, or with mock pins that they have no SPI. (spidev has no wheels: it is never in our environment.)"""

    def missing(bus: int, device: int) -> StrictChain:
        raise ModuleNotFoundError("No module named 'spidev'", name="spidev")

    with pytest.raises(BoardUnreachableError, match=r"spidev is missing.*apt install python3-spidev"):
        GpioSource("gpio:", BOARD, parts=PiParts(StrictChain(BOARD), missing))
    monkeypatch.setenv("GPIOZERO_PIN_FACTORY", "mock")
    with pytest.raises(BoardUnreachableError, match=r"mock pins have no SPI.*demo --board gpio"):
        GpioSource("gpio:", BOARD, parts=PiParts(StrictChain(BOARD), missing))


def test_a_spoiled_table_is_refused_with_the_place() -> None:
    """A latch on the bus's own pins, and two ways to scan at once."""
    table = matrix_table()
    spi = {"bus": 0, "device": 0, "khz": 1000, "latch": 9, "magnet": "low"}
    with pytest.raises(BoardFileError) as caught:
        parse_board({**table, "spi": spi})
    faults = caught.value.faults
    assert "spi.latch: pin 9 belongs to SPI 0" in faults
    assert "top: gpio and spi cannot both scan the sensors" in faults
