"""A Raspberry Pi that scans a simulated board itself: its scanner as it is, and strict doubles of the parts on its pins.

The doubles forgive nothing: who scans a matrix, clocks a chain of shift registers or asks a converter wrongly gets an AssertionError.
Stands alone because gpiozero takes its time to import.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Self

from gpiozero.pins.mock import MockFactory, MockPin  # type: ignore[import-untyped] # it ships no types

from firmware_bridge.host_firmware import BoardCalibration
from firmware_bridge.sources.gpio import PiBoard, write_calibration
from firmware_bridge.sources.pi_pins import PiParts
from hardware import BoardFile
from hardware.scanners import Gpio, SpiChain, SpiConverters
from simulator.board import SimBoard
from simulator.firmware_backends import ChipError, ScannedFirmware, felt

BITS = 10
HIGHEST_HZ = 1_350_000  # at 2.7 V: 75,000 conversions of 18 clocks a second


class StrictPin(MockPin):  # type: ignore[misc] # its base has no types
    """A pin of a double, which is its factory: that is told what it is driven to, and a matrix is asked what it reads."""

    def _set_state(self, value: bool) -> None:
        super()._set_state(value)
        self.factory.driven(int(self.info.name[4:]), bool(value))

    def _get_state(self) -> bool:
        if self.function == "output":
            return bool(super()._get_state())
        return bool(self.factory.level(int(self.info.name[4:]), self._pull))


class StrictMatrix(MockFactory):  # type: ignore[misc] # its base has no types
    """The pin factory and what is wired to it. `magnets` are channels; `history` is all that was done: (row, wait or read, number)."""

    def __init__(self, gpio: Gpio) -> None:
        super().__init__(pin_class=StrictPin)
        self.gpio = gpio
        self.magnets: set[int] = set()
        self.shorted: set[int] = set()
        self.history: list[tuple[str, float]] = []
        self.selected: set[int] = set()
        self._settled = False

    @property
    def parts(self) -> PiParts:
        """What a scanner is handed."""
        return PiParts(self, pause=self.pause)

    def pause(self, seconds: float) -> None:
        """Pass for time.sleep."""
        self.history.append(("wait", seconds))
        self._settled = seconds >= self.gpio.settle_us / 1_000_000

    def driven(self, pin: int, level: bool) -> None:
        """Take a level that a pin was driven to."""
        assert pin in self.gpio.rows, f"pin {pin} is driven and is no row"
        row = self.gpio.rows.index(pin)
        if level == self.gpio.row_on_high:
            assert not self.selected, f"row {row} is selected beside {self.selected}"
            self.selected.add(row)
            self.history.append(("row", row))
            self._settled = not self.gpio.settle_us
        else:
            self.selected.discard(row)

    def level(self, pin: int, pull: str) -> bool:
        """Return the level of a column as the selected row's sensors and the pull make it."""
        assert pin in self.gpio.columns, f"pin {pin} is read and is no column"
        assert pull == {"up": "up", "down": "down", "none": "floating"}[self.gpio.pull]
        assert self._settled, "read before the row has settled"
        column = self.gpio.columns.index(pin)
        self.history.append(("read", column))
        assert len(self.selected) <= 1
        pulled = column in self.shorted or any(
            row * len(self.gpio.columns) + column in self.magnets for row in self.selected
        )
        return pulled == self.gpio.magnet_high


class StrictBus(MockFactory):  # type: ignore[misc] # its base has no types
    """The pin factory and an SPI bus, which is as the board file says."""

    def __init__(self, wired: SpiChain | SpiConverters) -> None:
        super().__init__(pin_class=StrictPin)
        self._bus, self._device = wired.bus, wired.device
        self.mode = -1
        self.max_speed_hz = 0
        self.closed = False

    @property
    def parts(self) -> PiParts:
        """What a scanner is handed."""
        return PiParts(self, self.open, self.pause)

    def pause(self, seconds: float) -> None:
        """Pass for time.sleep."""

    def open(self, bus: int, device: int) -> Self:
        """Pass for spidev's constructor."""
        assert (bus, device) == (self._bus, self._device)
        return self

    def close(self) -> None:
        """Close the bus, or as a pin factory all pins."""
        self.closed = True


class StrictChain(StrictBus):
    """The pin factory and what is wired to it. `magnets` are channels; `cut_behind` registers are heard, then nothing but ground."""

    def __init__(self, board: BoardFile) -> None:
        assert board.spi is not None
        super().__init__(board.spi)
        self._board, self._spi = board, board.spi
        self.magnets: set[int] = set()
        self.cut_behind = 999
        self.history: list[tuple[str, int]] = []
        self._taken: list[bool] | None = None
        self._level = True

    def pause(self, seconds: float) -> None:
        """Pass for time.sleep."""
        assert not self._level, "a pause is for the latch"

    def driven(self, pin: int, level: bool) -> None:
        """Take a level of a pin: low takes the inputs, high lets them be shifted."""
        assert pin == self._spi.latch, f"pin {pin} is none of this chain's"
        if not level:
            count = self._board.scan.chips * 8
            self._taken = [(channel in self.magnets) is self._spi.magnet_high for channel in range(count)]
            self.history.append(("latch", 0))
        self._level = level

    def xfer2(self, values: Sequence[int]) -> list[int]:
        """Shift out what was latched: H first, the register next to the Pi first, then what SER is tied to."""
        assert (self.mode, self.max_speed_hz) == (0, 1000 * self._spi.khz)
        assert self._level, "shifted while the latch is low"
        assert self._taken is not None, "shifted twice after one latch"
        answer = []
        for register in range(len(values)):
            inputs = self._taken[register * 8 : register * 8 + 8] or [True] * 8
            byte = sum(level << bit for bit, level in enumerate(inputs))
            answer.append(byte if register < self.cut_behind else 0)
        self._taken = None
        self.history.append(("bytes", len(values)))
        return answer


def converted(values: Sequence[int], counts: Sequence[int], junk: Random) -> list[int]:
    """Return what one transfer of these bytes clocks out of a part whose inputs read `counts`.

    As its datasheet (DS21295) draws it. After the start bit: single-ended or not and three bits of channel; one clock to sample; a null
    bit, then the number, highest bit first. The bits that no part drives are junk here, as on a real line: who takes one for a part
    of the number gets a wrong one. Bits are taken at rising edges and come at the falling ones before them: both begin at the same clock.
    """
    bits, asked = 8 * len(values), int.from_bytes(bytes(values))
    after = asked.bit_length() - 1  # zeros before the start bit are let pass
    assert after == 4 + 1 + 1 + BITS, "no start bit, or asked for more or fewer bits than there are"
    request = asked >> (after - 4) & 0b1111
    assert request & 0b1000, "a differential conversion was asked for"
    number = counts[request & 0b0111]
    assert 0 <= number < 1 << BITS
    undriven = junk.getrandbits(bits - BITS - 1) << BITS + 1
    return list((undriven | number).to_bytes(len(values)))


class StrictConverters(StrictBus):
    """The pin factory and what is wired to it. `counts` are channels'; converters in `silent` do not answer: DOUT is pulled up."""

    def __init__(self, board: BoardFile) -> None:
        assert board.mcp3008 is not None
        super().__init__(board.mcp3008)
        self._chips, self._wired = board.scan.chips, board.mcp3008
        self.counts = [512] * (8 * board.scan.chips)
        self.silent: set[int] = set()
        self.converted: list[int] = []
        self._levels = dict.fromkeys(board.mcp3008.address, False)
        self._junk = Random(3)

    def driven(self, pin: int, level: bool) -> None:
        """Take a level of an address line."""
        assert pin in self._levels, f"pin {pin} is none of the decoder's"
        self._levels[pin] = level

    def xfer2(self, values: Sequence[int]) -> list[int]:
        """Pull the select line low, clock these bytes through, let it go; the converter that is addressed sees all of it."""
        assert self.mode in (0, 3)
        assert 10_000 <= self.max_speed_hz <= HIGHEST_HZ, "the sample leaks away, or the comparator is too slow"
        chip = sum(level << bit for bit, level in enumerate(self._levels[pin] for pin in self._wired.address))
        assert chip < self._chips, f"converter {chip} is none of this board's"
        answer = converted(values, self.counts[8 * chip : 8 * chip + 8], self._junk)
        self.converted.append(8 * chip + (values[1] >> 4 & 7))
        return [255] * len(values) if chip in self.silent else answer


Double = StrictMatrix | StrictChain | StrictConverters


def double_of(board: BoardFile) -> Double:
    """Return what is wired to the pins of such a board."""
    if board.gpio is not None:
        return StrictMatrix(board.gpio)
    return StrictChain(board) if board.spi is not None else StrictConverters(board)


def show(double: Double, board: BoardFile, values: Sequence[int]) -> None:
    """Let every square read this, in wire order: counts, or 1 for a magnet."""
    by_channel = dict(zip(board.scan.channels, values, strict=True))
    if isinstance(double, StrictConverters):
        for channel, counts in by_channel.items():
            double.counts[channel] = counts
    else:
        double.magnets = {channel for channel, value in by_channel.items() if value}
        double.history.clear()


class PiFirmware(ScannedFirmware):
    """A Raspberry Pi that scans the board itself: its scanner as it is, strict doubles of the parts on its pins, a scan at each period.

    The thread that keeps the scanner's pace on a real Pi is not in it: time is the simulated board's.
    """

    def __init__(self, board: SimBoard) -> None:
        super().__init__(board)
        wired = board.board
        if not (wired.gpio or wired.spi or wired.mcp3008) or board.colour is not (wired.mcp3008 is not None):
            raise ChipError(f"board file {wired.id} is not wired to a Raspberry Pi for sensing {wired.sensing.value}")
        self._folder = tempfile.TemporaryDirectory()
        store = Path(self._folder.name) / "calibration.json"
        if board.calibration:
            limits = (round(1000 * wired.thresholds.on), round(1000 * wired.thresholds.off))
            zeros, gains = board.calibration
            write_calibration(store, wired, BoardCalibration(*limits, tuple(zeros), tuple(gains)))
        self._double = double_of(wired)
        self._store = store
        self._greeted = False
        self._scanner = PiBoard("gpio:", wired, self._double.parts, store)

    def advance(self, until_ms: int) -> list[bytes]:
        """Let board time pass, a scan at a time."""
        sent: list[bytes] = []
        while self._board.now_ms < until_ms:
            sent += self._scan(min(self.next_ms, until_ms))
        return sent

    def hear(self, data: bytes) -> list[bytes]:
        """Carry out commands."""
        now_ms = self._board.now_ms - self._board.boot_ms
        said = [self._scanner.obey(command, now_ms) for command in self._commands(data)]
        return [] if self._board.is_cut else said

    def close(self) -> None:
        """Let the pins go."""
        self._scanner.close()
        self._folder.cleanup()

    def _scan(self, until_ms: int) -> list[bytes]:
        board = self._board
        if self._restarts(until_ms):
            self._greeted = False
            self._scanner.close()
            self._scanner = PiBoard("gpio:", board.board, self._double.parts, self._store)
        now_ms = until_ms - board.boot_ms
        if now_ms <= 0:
            return []  # it is still being restarted
        said = b"" if self._greeted else self._scanner.start(now_ms)
        self._greeted = True
        show(self._double, board.board, felt(board))
        said += self._scanner.scan(now_ms)
        return [said] if said and not board.is_cut else []
