"""Sensors on a Raspberry Pi's pins, through gpiozero and spidev: a `Matrix`, a `Chain` of shift registers, or `Converters`.

`default_factory` finds the pins: the header's chip has another number on each model and kernel, but keeps its label.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import struct
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Protocol

import gpiozero  # type: ignore[import-untyped] # it ships no types

from hardware import BoardFile
from hardware.board_file import HIGHEST_COUNT
from hardware.scanners import CONVERTER_INPUTS, Gpio

HEADER_LABELS = frozenset({"pinctrl-rp1", "pinctrl-bcm2711", "pinctrl-bcm2835"})
"""What kernels call the chip of the 40-pin header: Pi 5; Pi 4; all before (pinctrl-rp1.c and pinctrl-bcm2835.c in Linux)."""
_GET_CHIP_INFO = 0x8044B401
"""GPIO_GET_CHIPINFO_IOCTL of linux/gpio.h; it fills in a name and a label of 32 bytes each, and how many lines there are."""
_CHIP_INFO = struct.Struct("32s32sI")


class HeaderNotFoundError(Exception):
    """There are GPIO chips, but none of them is known to be the header's."""


def default_factory() -> object:
    """Return the pin factory that GPIOZERO_PIN_FACTORY names, else that of the header's chip. Raises `HeaderNotFoundError`."""
    with warnings.catch_warnings(), _writable_folder():
        # gpiozero warns of each library that it looked for in vain; only that none is left matters, and that is raised
        warnings.simplefilter("ignore")
        if gpiozero.Device.pin_factory is None and "GPIOZERO_PIN_FACTORY" not in os.environ:
            found = chips()
            with contextlib.suppress(ModuleNotFoundError):  # gpiozero then looks for other libraries
                lgpio = import_module("gpiozero.pins.lgpio") if found else None
                if lgpio is not None:
                    gpiozero.Device.pin_factory = lgpio.LGPIOFactory(chip=header_chip(found))
        gpiozero.Device.ensure_pin_factory()
    return gpiozero.Device.pin_factory


def header_chip(labels: Mapping[int, str]) -> int:
    """Return the number of the header's chip among these labels by number. Raises `HeaderNotFoundError`, which names them all."""
    for number, label in labels.items():
        if label in HEADER_LABELS:
            return number
    found = ", ".join(f"gpiochip{number} ({label})" for number, label in labels.items())
    raise HeaderNotFoundError(
        f"none of the GPIO chips here is the pin header's: {found}; it would be called {' or '.join(sorted(HEADER_LABELS))}"
    )


def chips(folder: Path = Path("/dev"), ask: Callable[[int, int, bytes], bytes] = fcntl.ioctl) -> Mapping[int, str]:
    """Return the label of each GPIO character device by its number; where one may not be opened, why."""
    found = {}
    for path in folder.glob("gpiochip*"):
        if not (number := path.name.removeprefix("gpiochip")).isdecimal() or path.is_symlink():
            continue
        try:
            device = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        except OSError as error:
            found[int(number)] = f"cannot be opened: {error.strerror}"
            continue
        try:
            _, label, _ = _CHIP_INFO.unpack(ask(device, _GET_CHIP_INFO, bytes(_CHIP_INFO.size)))
            found[int(number)] = label.rstrip(b"\0").decode(errors="replace")
        except OSError as error:
            found[int(number)] = f"tells no label: {error.strerror}"
        finally:
            os.close(device)
    return dict(sorted(found.items()))


@contextlib.contextmanager
def _writable_folder() -> Iterator[None]:
    """Run the body in a folder where files can be made: lgpio makes a pipe in the working folder, and fails where it
    cannot.

    A service's is the root, which nobody may write to.
    """
    if os.access(".", os.W_OK):
        yield
        return
    before = os.open(".", os.O_PATH | os.O_DIRECTORY)
    os.chdir(tempfile.gettempdir())
    try:
        yield
    finally:
        os.fchdir(before)
        os.close(before)


class Bus(Protocol):
    """An open SPI device, as spidev's `SpiDev` is one."""

    mode: int
    max_speed_hz: int

    def xfer2(self, values: Sequence[int]) -> Sequence[int]:
        """Clock these bytes out; return those that came in."""

    def close(self) -> None:
        """Let the device go."""


def open_bus(bus: int, device: int) -> Bus:
    """Open a device by spidev, which comes from apt: there are no wheels of it."""
    found: Bus = import_module("spidev").SpiDev(bus, device)
    return found


class Bell:
    """Wakes the scanning thread: a lock that whoever rings lets go. An Event of Python's takes twice as long to wait for."""

    def __init__(self) -> None:
        self._silence = threading.Lock()
        self._silence.acquire()

    def ring(self) -> None:
        """Ring; a bell that rings already rings on."""
        with contextlib.suppress(RuntimeError):
            self._silence.release()

    def heard_within(self, seconds: float) -> bool:
        """Wait for it so long at most; return whether it rang, which ends its ringing."""
        return self._silence.acquire(timeout=seconds)


class Clock:
    """What the scanning thread knows of time: the machine's own."""

    def now_ns(self) -> int:
        """Return a time that never falls: since the machine was started."""
        return time.monotonic_ns()

    def wait(self, bell: Bell, seconds: float) -> bool:
        """Let so much time pass, or less if the bell is rung; return whether it was."""
        return bell.heard_within(seconds)


_THE_CLOCK = Clock()


@dataclass(frozen=True, slots=True)
class PiParts:
    """What scans: a gpiozero pin factory, what opens an SPI device, what waits for microseconds, and the thread's time.

    Others than the machine's own are for tests. Without a factory it is the one that gpiozero finds or that GPIOZERO_PIN_FACTORY names.
    """

    factory: object = None
    opened: Callable[[int, int], Bus] = open_bus
    pause: Callable[[float], None] = time.sleep
    clock: Clock = _THE_CLOCK


OF_THIS_PI = PiParts()


# ---------------------------------------------------------------- a matrix

_PULLS = {"up": True, "down": False, "none": None}


class _Pins:
    def __init__(self, parts: PiParts) -> None:
        self._factory = parts.factory or default_factory()

    @property
    def is_mock(self) -> bool:
        """True if there are no pins behind it: GPIOZERO_PIN_FACTORY=mock."""
        return bool(type(self._factory).__module__ == "gpiozero.pins.mock")


class Matrix(_Pins):
    """The open pins. One row is selected at a time, all columns are read, and between scans no row is selected.

    Whatever a pin library raises comes out of the constructor and of `scan` as it is.
    """

    def __init__(self, gpio: Gpio, parts: PiParts = OF_THIS_PI) -> None:
        self._gpio = gpio
        self._pause = parts.pause
        self._settle_s = gpio.settle_us / 1_000_000
        self._rows: list[gpiozero.OutputDevice] = []
        self._columns: list[gpiozero.InputDevice] = []
        super().__init__(parts)
        pull = _PULLS[gpio.pull]
        try:
            for pin in gpio.rows:
                self._rows.append(
                    gpiozero.OutputDevice(
                        pin, active_high=gpio.row_on_high, initial_value=False, pin_factory=self._factory
                    )
                )
            for pin in gpio.columns:
                # a pull fixes the level that means active; without one it has to be said
                active = gpio.magnet_high if pull is None else None
                self._columns.append(
                    gpiozero.InputDevice(pin, pull_up=pull, active_state=active, pin_factory=self._factory)
                )
        except BaseException:
            self.close()
            raise
        # a device's own value costs three times its pin's: calls in calls, two thousand times a second and row
        self._lines = [column.pin for column in self._columns]
        self._selects = [row.pin for row in self._rows]
        self._order = gpio.scan_order or range(len(gpio.rows))

    def scan(self) -> list[bool]:
        """Return what every crossing has, a magnet or none, by channel number: row * columns + column."""
        width, level, selected = len(self._lines), self._gpio.magnet_high, self._gpio.row_on_high
        found = [False] * (width * len(self._rows))
        for number in self._order:
            row = self._selects[number]
            row.state = selected
            if self._settle_s:
                self._pause(self._settle_s)
            found[number * width : (number + 1) * width] = [line.state == level for line in self._lines]
            row.state = not selected
        return found

    def stuck_channels(self) -> set[int]:
        """Return the crossings, by channel number, of columns that show a magnet although no row is selected.

        They are shorted, or a sensor on them never lets go.
        """
        if self._settle_s:
            self._pause(self._settle_s)
        stuck = [number for number, line in enumerate(self._lines) if bool(line.state) is self._gpio.magnet_high]
        width = len(self._lines)
        return {row * width + column for row in range(len(self._rows)) for column in stuck}

    def close(self) -> None:
        """Let all pins go; they are inputs then. Closing twice is harmless."""
        for device in (*self._rows, *self._columns):
            device.close()


# ---------------------------------------------------------------- a chain of 74HC165 on the SPI, with one pin that latches

_BITS = tuple(tuple(bool(byte >> bit & 1) for bit in range(8)) for byte in range(256))
_LATCH_S = 1e-6  # a 74HC165 at 3.3 V asks for 0.03 us; a call takes longer anyway


class Chain(_Pins):
    """The open chain. Whatever pins and bus raise comes out as it is."""

    def __init__(self, board: BoardFile, parts: PiParts = OF_THIS_PI) -> None:
        assert board.spi is not None
        self._board, self._spi, self._pause = board, board.spi, parts.pause
        super().__init__(parts)
        self._ask = [0] * board.scan.chips
        self._bus = parts.opened(board.spi.bus, board.spi.device)
        try:
            self._bus.mode = 0  # a bit is taken at the edge that shifts the next one out
            self._bus.max_speed_hz = 1000 * board.spi.khz
            self._latch = gpiozero.OutputDevice(board.spi.latch, initial_value=True, pin_factory=self._factory)
        except BaseException:
            self._bus.close()
            raise

    def scan(self) -> list[bool]:
        """Return what every input has, a magnet or none, by channel number: register * 8 + input, A being 0."""
        return self._levels(self._ask)

    def stuck_channels(self) -> set[int]:
        """Return the channels that cannot be believed: of registers whose spare inputs are not silent, or all if the chain is cut.

        Behind the last register comes its SER, which is tied to the supply.
        """
        width, channels = self._board.scan.channels_per_chip, set(self._board.scan.channels)
        levels = self._levels([*self._ask, 0])
        if any(levels[len(self._ask) * width :]) is not self._spi.magnet_high:
            return channels
        spare = {number for number in range(len(self._ask) * width) if levels[number]} - channels
        registers = {number // width for number in spare}
        return {channel for channel in channels if channel // width in registers}

    def close(self) -> None:
        """Let bus and pin go. Closing twice is harmless."""
        self._latch.close()
        self._bus.close()

    def _levels(self, ask: Sequence[int]) -> list[bool]:
        self._latch.off()
        self._pause(_LATCH_S)
        self._latch.on()
        answer = self._bus.xfer2(list(ask))  # spidev overwrites the list that it is given
        if self._spi.magnet_high:
            return [bit for byte in answer for bit in _BITS[byte]]
        return [bit for byte in answer for bit in _BITS[byte ^ 0xFF]]


# ---------------------------------------------------------------- MCP3008 converters on the SPI, with pins that address them

_START = 0x01  # after seven idle zeros, so that the answer ends with the third byte
_SINGLE_ENDED = 0x80
_NULL_BIT = 0x04  # of the second byte that comes back: low, if anybody answers
_HIGH_BITS = 0x03


class Converters(_Pins):
    """The open converters. All share clock and data lines. The kernel pulls the bus's select line low for each transfer; a 74HC154 hands
    it on to the converter whose number stands on its address lines. So each conversion is one transfer of its own, as the part asks: its
    select line must go high between two. Whatever pins and bus raise comes out as it is."""

    def __init__(self, board: BoardFile, parts: PiParts = OF_THIS_PI) -> None:
        assert board.mcp3008 is not None
        wired = board.mcp3008
        self._count = board.scan.chips * CONVERTER_INPUTS
        used = sorted(board.scan.channels)
        self._inputs = [
            (chip, [channel % CONVERTER_INPUTS for channel in used if channel // CONVERTER_INPUTS == chip])
            for chip in range(board.scan.chips)
        ]
        super().__init__(parts)
        self._address: list[gpiozero.OutputDevice] = []
        self._bus = parts.opened(wired.bus, wired.device)
        try:
            self._bus.mode = 0  # a bit is taken at the rising edge and comes at the falling one
            self._bus.max_speed_hz = 1000 * wired.khz
            for pin in wired.address:
                self._address.append(gpiozero.OutputDevice(pin, initial_value=False, pin_factory=self._factory))
        except BaseException:
            self.close()
            raise
        self._meant = 0

    def scan(self) -> list[int]:
        """Return what every input reads, 0 to 1023, by channel number: converter * 8 + input; 0 for inputs without a square.

        A converter that does not answer reads 1023: an end of the range, where a self-test finds it.
        """
        found = [0] * self._count
        transfer = self._bus.xfer2
        for chip, inputs in self._inputs:
            self._select(chip)
            for number in inputs:
                _, high, low = transfer([_START, _SINGLE_ENDED | number << 4, 0])
                counts = HIGHEST_COUNT if high & _NULL_BIT else (high & _HIGH_BITS) << 8 | low
                found[chip * CONVERTER_INPUTS + number] = counts
        return found

    def close(self) -> None:
        """Let bus and pins go. Closing twice is harmless."""
        for line in self._address:
            line.close()
        self._bus.close()

    def _select(self, chip: int) -> None:
        for bit, line in enumerate(self._address):
            if (chip ^ self._meant) >> bit & 1:
                line.value = chip >> bit & 1
        self._meant = chip
