"""Puts an image into a controller: finds what is plugged in, and hands the image to avrdude or to a Pico's own drive."""

from __future__ import annotations

import contextlib
import os
import subprocess
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import serial
from serial.tools import list_ports

MOUNTS = Path("/proc/mounts")
BY_LABEL = Path("/dev/disk/by-label")
PICO, PICO_2 = "rp2040", "rp2350"
_WAIT_S = 15.0
_LOADER_BAUD = 1200  # makes a Pico that runs this firmware the drive that takes an image

_ATTEMPTS = (("atmega328p", "arduino", 115200), ("atmega328p", "arduino", 57600), ("atmega2560", "wiring", 115200))
"""Chip, boot loader and speed, the likeliest first. avrdude reads the chip's signature and writes nothing into another one."""

_CHIPS: dict[tuple[int, int], str | None] = {
    (0x2E8A, 0x000A): PICO,
    **{(vendor, 0x0043): "atmega328p" for vendor in (0x2341, 0x2A03)},
    **{(vendor, 0x0001): "atmega328p" for vendor in (0x2341, 0x2A03)},
    **{(vendor, 0x0042): "atmega2560" for vendor in (0x2341, 0x2A03)},
    **{(vendor, 0x0010): "atmega2560" for vendor in (0x2341, 0x2A03)},
    **dict.fromkeys([(0x0403, 0x6001), (0x1A86, 0x7523), (0x1A86, 0x55D4), (0x10C4, 0xEA60), (0x067B, 0x2303)]),
}
"""USB's numbers of the maker and the product, and the chip: Arduino's own boards, and the adapters of Nanos and copies, which say none."""

_OTHERS = {
    (0x2341, 0x0058): "an Arduino Nano Every",
    (0x2341, 0x0069): "an Arduino Uno R4",
    (0x2341, 0x1002): "an Arduino Uno R4",
    (0x2341, 0x0070): "an Arduino Nano ESP32",
}
"""What looks like one of them and takes none of the images."""


class FlashError(Exception):
    """The image was not written; the text is for a user."""


class UsbPort(Protocol):
    """What pyserial says of a port; the numbers are None where it is none of USB."""

    device: str
    vid: int | None
    pid: int | None


@dataclass(frozen=True, slots=True)
class Device:
    """A controller that is plugged in: the port, or a Pico's drive, and its chip; None for an adapter, behind which any may be."""

    where: str
    chip: str | None
    is_drive: bool = False

    def __str__(self) -> str:
        return f"{self.where} ({self.chip or 'ATmega328P or ATmega2560'})"


def found_controllers(ports: Iterable[UsbPort] | None = None, mounts: str | None = None) -> list[Device]:
    """Return what is plugged in and takes an image; raise FlashError if there is only what looks like it."""
    found, others = [], []
    for line in (MOUNTS.read_text(encoding="utf-8") if mounts is None else mounts).splitlines():
        drive = Path(line.split()[1].replace("\\040", " "))
        with contextlib.suppress(OSError):
            about = (drive / "INFO_UF2.TXT").read_text(encoding="ascii", errors="replace")
            for name, chip in (("RPI-RP2", PICO), ("RP2350", PICO_2)):
                if f"Board-ID: {name}" in about.splitlines():
                    found.append(Device(str(drive), chip, is_drive=True))
    for port in list_ports.comports() if ports is None else ports:
        number = (port.vid or 0, port.pid or 0)
        if number in _CHIPS:
            found.append(Device(port.device, _CHIPS[number]))
        elif number in _OTHERS:
            others.append(_OTHERS[number])
    if not found and others:
        raise FlashError(
            f"{others[0]} is plugged in: it has another chip, there is no image for it (docs/how-to/flash.md)"
        )
    waiting = (
        []
        if found or mounts is not None
        else [path for name in ("RPI-RP2", "RP2350") if (path := BY_LABEL / name).exists()]
    )
    if waiting:
        raise FlashError(
            f"a Pico's drive is there and not mounted: sudo mount -o umask=0 {waiting[0]} /mnt, then the same again"
        )
    return found


def write_image(found: Device, image_of: Callable[[str], Path], say: Callable[[str], None]) -> str:
    """Write the image that `image_of` names for the chip; return the chip. Raise FlashError if it could not be written whole."""
    if found.chip in (PICO, PICO_2):
        drive = found if found.is_drive else _as_drive(found, say)
        chip = drive.chip or PICO  # on its port a Pico 2 is a Pico
        image = image_of(chip)
        say(f"writing {image.name} to {drive.where}")
        try:
            with (Path(drive.where) / "firmware.uf2").open("wb") as file:
                file.write(image.read_bytes())
                file.flush()
                with contextlib.suppress(OSError):  # a Pico that has all of it restarts at once, and the drive is gone
                    os.fsync(file.fileno())
        except OSError as error:
            raise FlashError(f"{drive.where}: {error.strerror}; unplug the Pico and begin again") from error
        return chip
    return _by_avrdude(found, image_of, say)


def _as_drive(found: Device, say: Callable[[str], None]) -> Device:
    """Return the drive that a Pico becomes when it is asked to."""
    say(f"asking the Pico on {found.where} to take an image")
    with contextlib.suppress(OSError):  # it may be gone before it has answered
        serial.Serial(found.where, _LOADER_BAUD).close()
    until_s = time.monotonic() + _WAIT_S
    while time.monotonic() < until_s:
        for one in found_controllers(ports=()):
            if one.is_drive:
                return one
        time.sleep(0.2)
    raise FlashError(
        "no drive RPI-RP2 came up: hold BOOTSEL while you plug the Pico in, mount the drive, and begin again"
    )


def _by_avrdude(found: Device, image_of: Callable[[str], Path], say: Callable[[str], None]) -> str:
    """Return the chip that took its image. Behind an adapter each is tried: avrdude refuses the wrong one by its signature."""
    said = ""
    for chip, loader, baud in _ATTEMPTS:
        if found.chip not in (None, chip):
            continue
        words = ["avrdude", "-q", "-p", chip, "-c", loader, "-P", found.where, "-b", str(baud)]
        words += [*(["-D"] if loader == "wiring" else []), "-U", f"flash:w:{image_of(chip)}:i"]
        say(" ".join(words))
        try:
            done = subprocess.run(words, capture_output=True, text=True, check=False)  # noqa: S603 # a list, no shell
        except OSError as error:
            raise FlashError("avrdude is missing: sudo apt install avrdude") from error
        said = done.stderr
        if done.returncode == 0:
            return chip
    last = next(
        (line for line in reversed(said.splitlines()) if "error" in line or "not in sync" in line), "it did not answer"
    )
    raise FlashError(f"no ATmega on {found.where} took an image: {last.strip()}")
