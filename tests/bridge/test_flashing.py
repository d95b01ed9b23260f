"""Finding a controller and putting an image into it: the real avrdude against a stand-in for Optiboot, and a Pico's drive in a folder."""

from __future__ import annotations

import os
import pty
import shutil
import termios
import threading
import tty
from dataclasses import dataclass
from pathlib import Path

import pytest

from firmware_bridge import flashing
from firmware_bridge.flashing import Device, FlashError, found_controllers, write_image
from hardware.images import shipped_image
from referee.cli.main import main

HEX, UF2 = shipped_image("travel-10x10", "atmega328p"), shipped_image("travel-10x10", "rp2040")


@dataclass
class Port:
    """A serial port as pyserial tells of it."""

    device: str
    vid: int | None = None
    pid: int | None = None


def drive(folder: Path, board: str) -> str:
    """Return the line of /proc/mounts of a drive like a Pico's boot loader's."""
    (folder / "INFO_UF2.TXT").write_bytes(
        f"UF2 Bootloader v3.0\r\nModel: Raspberry Pi\r\nBoard-ID: {board}\r\n".encode()
    )
    return f"/dev/sda1 {folder} vfat rw 0 0\n"


@pytest.mark.parametrize(
    ("vid", "pid", "chip"),
    [
        (0x2341, 0x0043, "atmega328p"),
        (0x2A03, 0x0042, "atmega2560"),
        (0x1A86, 0x7523, None),
        (0x2E8A, 0x000A, "rp2040"),
    ],
)
def test_what_is_plugged_in(vid: int, pid: int, chip: str | None) -> None:
    """Each by its numbers on USB; a port of the machine's own is none, and an adapter does not say what is behind it."""
    ports = [Port("/dev/ttyS0"), Port("/dev/ttyACM0", vid, pid)]
    assert found_controllers(ports, "tmpfs /tmp tmpfs rw 0 0\n") == [Device("/dev/ttyACM0", chip)]


@pytest.mark.parametrize(
    ("vid", "pid", "name"), [(0x2341, 0x0058, "Nano Every"), (0x2341, 0x0069, "Uno R4"), (0x2341, 0x0070, "Nano ESP32")]
)
def test_what_looks_alike(vid: int, pid: int, name: str) -> None:
    """What takes no image is named, not tried."""
    with pytest.raises(FlashError, match=name):
        found_controllers([Port("/dev/ttyACM0", vid, pid)], "")


@pytest.mark.parametrize(("board", "chip"), [("RPI-RP2", "rp2040"), ("RP2350", "rp2350")])
def test_a_pico_that_waits_for_an_image(board: str, chip: str, tmp_path: Path) -> None:
    """Its drive is found among the mounted ones by what lies on it, and the image of its chip is copied there whole."""
    (found,) = found_controllers([], drive(tmp_path, board))
    images = {name: shipped_image("travel-10x10", name) or Path() for name in ("rp2040", "rp2350")}
    assert write_image(found, images.__getitem__, lambda line: None) == chip
    assert (tmp_path / "firmware.uf2").read_bytes() == images[chip].read_bytes()


def test_a_pico_that_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its port is opened with 1200 baud, which asks it to become a drive, and the drive gets the image."""
    assert UF2 is not None
    monkeypatch.setattr(flashing, "MOUNTS", tmp_path / "mounts")
    (tmp_path / "mounts").write_text(drive(tmp_path, "RPI-RP2"))
    ours, theirs = pty.openpty()
    try:
        write_image(Device(os.ttyname(theirs), "rp2040"), lambda chip: UF2, lambda line: None)
        assert termios.tcgetattr(theirs)[4] == termios.B1200
    finally:
        os.close(ours)
        os.close(theirs)
    assert (tmp_path / "firmware.uf2").is_file()


# ---------------------------------------------------------------- an Arduino


class Optiboot(threading.Thread):
    """What avrdude's `arduino` programmer speaks with: STK500 version 1, as far as Optiboot knows it."""

    OK, IN_SYNC, END = b"\x10", b"\x14", 0x20

    def __init__(self, line: int) -> None:
        super().__init__(daemon=True)
        self._line = line
        self.flash = bytearray(b"\xff" * 32768)
        self._at = 0

    def run(self) -> None:
        """Answer until the line is closed."""
        try:
            while True:
                answer = self._answer(self._take(1)[0])
                os.write(self._line, self.IN_SYNC + answer + self.OK)
        except OSError:
            return

    def _answer(self, command: int) -> bytes:
        answer = b""
        if command == ord("U"):
            self._at = 2 * int.from_bytes(self._take(2), "little")
        elif command in b"dt":
            count = int.from_bytes(self._take(3)[:2], "big")
            if command == ord("d"):
                self.flash[self._at : self._at + count] = self._take(count)
            answer = b"" if command == ord("d") else bytes(self.flash[self._at : self._at + count])
        else:
            self._take({ord("A"): 1, ord("B"): 20, ord("E"): 5, ord("V"): 4}.get(command, 0))
            answer = {ord("A"): b"\x04", ord("V"): b"\0", ord("u"): bytes((0x1E, 0x95, 0x0F))}.get(command, b"")
        assert self._take(1)[0] == self.END
        return answer

    def _take(self, count: int) -> bytes:
        found = b""
        while len(found) < count:
            found += os.read(self._line, count - len(found))
        return found


@pytest.mark.process
@pytest.mark.skipif(not shutil.which("avrdude"), reason="no avrdude here (apt-get install avrdude)")
def test_an_arduino(tmp_path: Path) -> None:
    """Behind an adapter that says no chip: the first that answers to its signature has every byte of its image."""
    assert HEX is not None
    ours, theirs = pty.openpty()
    tty.setraw(theirs)
    loader = Optiboot(ours)
    loader.start()
    said: list[str] = []
    try:
        assert write_image(Device(os.ttyname(theirs), None), lambda chip: HEX, said.append) == "atmega328p"
    finally:
        os.close(theirs)
        os.close(ours)
    (line,) = said
    assert line.startswith("avrdude")
    image = b"".join(bytes.fromhex(record[9:-2]) for record in HEX.read_text().split() if record[7:9] == "00")
    assert loader.flash[: len(image)] == image
    assert not loader.flash[len(image) :].strip(b"\xff")


def test_a_board_that_wants_no_flashing(capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is searched for: the Pi's own pins scan it."""
    assert main(["flash", "travel-pi-chain"]) == 2
    assert "nothing to flash" in capsys.readouterr().err
