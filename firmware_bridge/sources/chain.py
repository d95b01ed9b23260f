"""A chain of 74HC165 on a Raspberry Pi's SPI, through spidev, with gpiozero for the one pin that latches."""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable, Sequence
from typing import Protocol

import gpiozero  # type: ignore[import-untyped] # it ships no types

from firmware_bridge.sources.pin_factory import default_factory
from hardware import BoardFile

_BITS = tuple(tuple(bool(byte >> bit & 1) for bit in range(8)) for byte in range(256))
_LATCH_S = 1e-6  # a 74HC165 at 3.3 V asks for 0.03 us; a call takes longer anyway


class Bus(Protocol):
    """An open SPI device, as spidev's `SpiDev` is one."""

    mode: int
    max_speed_hz: int

    def xfer2(self, values: Sequence[int]) -> Sequence[int]:
        """Clock these bytes out; give those that came in."""

    def close(self) -> None:
        """Let the device go."""


def open_bus(bus: int, device: int) -> Bus:
    """Open a device by spidev, which comes from apt: there are no wheels of it."""
    found: Bus = importlib.import_module("spidev").SpiDev(bus, device)
    return found


class Chain:
    """The open chain. `factory` is a gpiozero pin factory, `opened` opens the bus; whatever either raises comes out as it is."""

    def __init__(
        self,
        board: BoardFile,
        factory: object = None,
        opened: Callable[[int, int], Bus] = open_bus,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        assert board.spi is not None
        self._board, self._spi, self._pause = board, board.spi, pause
        self._factory = factory or default_factory()
        self._ask = [0] * board.scan.chips
        self._bus = opened(board.spi.bus, board.spi.device)
        try:
            self._bus.mode = 0  # a bit is taken at the edge that shifts the next one out
            self._bus.max_speed_hz = board.spi.hz
            self._latch = gpiozero.OutputDevice(board.spi.latch, initial_value=True, pin_factory=self._factory)
        except BaseException:
            self._bus.close()
            raise

    @property
    def is_mock(self) -> bool:
        """True if there are no pins behind it: GPIOZERO_PIN_FACTORY=mock."""
        return bool(type(self._factory).__module__ == "gpiozero.pins.mock")

    def scan(self) -> list[bool]:
        """Give what every input has, a magnet or none, by channel number: register * 8 + input, A being 0."""
        return self._levels(self._ask)

    def stuck_channels(self) -> set[int]:
        """Give the channels that cannot be believed: of registers whose spare inputs are not silent, or all if the chain is cut.

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
