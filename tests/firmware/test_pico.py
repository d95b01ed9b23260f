"""The image for a Raspberry Pi Pico in an emulated RP2040 (rp2040js): its USB, its flash, its watchdog and its boot loader."""

from __future__ import annotations

import json
import struct

import pytest

from firmware_bridge.messages import (
    AskHello,
    AskKeyframe,
    FaultKind,
    Frame,
    FrameFlag,
    Hello,
    Log,
    Raw,
    ResetCause,
    Save,
    SelfTest,
    WireFault,
)
from firmware_bridge.wire import encode
from hardware.board_file import HALF_SUPPLY
from tests.firmware.chips import ON_A_PICO, Powered, powered
from tests.firmware.host_core import COUNT, EMPTY_BOARD, LINEAR

pytestmark = [pytest.mark.process, ON_A_PICO]

SECTOR = 4096
IN_ERASING = 65535


def host_fetches(one: Powered, yes: bool) -> None:
    """Set whether the host fetches what the board has to send."""
    one.chip._say(b"H" + bytes((yes,)))


def test_what_it_says_of_itself_on_usb() -> None:
    """A serial port of one configuration, whose name ends in the number of its flash chip; the host's line coding is what it tells back."""
    with powered(LINEAR, "rp2040") as one:
        one.boot()
        said = json.loads(one.chip.ask(b"U"))
    assert said["device"][8:12] == [0x8A, 0x2E, 0x0A, 0x00]
    assert (said["maker"], said["product"], said["serial"]) == ("Hallmarshal", "Board", "0" * 16)
    assert said["configuration"][:4] == [9, 2, len(said["configuration"]), 0]
    assert said["coding"] == [*struct.pack("<I", 115200), 0, 0, 8]


def test_raw_and_the_longest_answers() -> None:
    """More than a packet of 64 bytes, and a self-test that finds every square bad: whole, in order, and no scan is late for it."""
    with powered(LINEAR, "rp2040") as one:
        one.chip.feel([1023] * COUNT)
        one.boot()
        for _ in range(3):
            raws = one.ask(AskKeyframe(with_raw=True), Raw)
            assert [value for raw in raws for value in raw.values] == [1023] * COUNT + [HALF_SUPPLY] * 3
        logs = one.ask(SelfTest(), Log, 200)
        assert [log.text for log in logs] == [f"self-test: square {square} reads 1023" for square in range(COUNT)]
        assert not one.ask(AskKeyframe(), Frame)[0].flags & FrameFlag.SCAN_LATE


def test_a_host_that_does_not_fetch() -> None:
    """Frames and answers find no room and are left out whole, and every scan is made; then `seq` shows it and a KEYFRAME confesses it."""
    with powered(LINEAR, "rp2040") as one:
        one.chip.feel([1023] * COUNT)
        one.boot()
        before = one.chip.state().frames
        host_fetches(one, False)
        said = one.hear(400, encode(SelfTest()) * 4)
        assert one.chip.state().frames == before + 40
        host_fetches(one, True)
        said += one.hear(600)
        assert {item.kind for item in said if isinstance(item, WireFault)} == {FaultKind.GAP}
        assert FrameFlag.QUEUE_FULL in {item.flags for item in said if isinstance(item, Frame)}
        assert one.greeted().boot_count == 1
        assert one.ask(AskKeyframe(), Frame)[0].flags == FrameFlag(0)


@pytest.mark.parametrize("written", [IN_ERASING, 0, 2000, SECTOR - 8, SECTOR - 4])
def test_power_that_fails_while_flash_is_written(written: int) -> None:
    """What was kept before is there, whole, and the next start is counted and kept: each start writes the sector that is the older one."""
    with powered(LINEAR, "rp2040") as one:
        one.chip.feel(EMPTY_BOARD)
        one.boot()
        one.ask(Save(), Frame)
        kept = one.chip.store()
        one.chip._say(b"K" + struct.pack("<H", written))
        one.chip.start()
        one.chip.run(50)
        assert one.chip.state().how == "off"
        assert one.chip.store() == kept
        one.boot()
        hello = one.greeted()
        assert (hello.boot_count, hello.calibrated) == (2, True)


def test_a_program_that_hangs() -> None:
    """The watchdog starts it again within a second, and it says so; what it was is kept."""
    with powered(LINEAR, "rp2040") as one:
        one.chip.feel(EMPTY_BOARD)
        one.boot()
        one.chip._say(b"X")
        one.hear(900)
        one.hear(200)
        (hello,) = [item for item in one.hear(60, encode(AskHello())) if isinstance(item, Hello)]
        assert (hello.boot_count, hello.reset, hello.calibrated) == (2, ResetCause.WATCHDOG, True)


def test_the_way_into_the_boot_loader() -> None:
    """1200 baud, and no other speed, makes it the drive that takes a new image."""
    with powered(LINEAR, "rp2040") as one:
        one.chip.feel(EMPTY_BOARD)
        one.boot()
        for baud, how in ((9600, "running"), (1200, "boot-loader")):
            one.chip._say(b"C" + struct.pack("<I", baud))
            one.hear(100)
            assert one.chip.state().how == how
