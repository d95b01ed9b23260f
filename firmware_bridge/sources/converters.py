"""MCP3008 converters on a Raspberry Pi's SPI, through spidev, with gpiozero for the pins that say which of them is meant.

All converters share clock and data lines. The kernel pulls the bus's select line low for each transfer; a 74HC154 hands it on to the
converter whose number stands on its address lines. So each conversion is one transfer of its own, as the part asks: its select line
must go high between two.
"""

from __future__ import annotations

from collections.abc import Callable

import gpiozero  # type: ignore[import-untyped] # it ships no types

from firmware_bridge.sources.chain import Bus, open_bus
from firmware_bridge.sources.pin_factory import default_factory
from hardware import BoardFile
from hardware.linear import HIGHEST_COUNT
from hardware.pins import CONVERTER_INPUTS

_START = 0x01  # after seven idle zeros, so that the answer ends with the third byte
_SINGLE_ENDED = 0x80
_NULL_BIT = 0x04  # of the second byte that comes back: low, if anybody answers
_HIGH_BITS = 0x03


class Converters:
    """The open converters. `factory` is a gpiozero pin factory, `opened` opens the bus; whatever either raises comes out as it is."""

    def __init__(self, board: BoardFile, factory: object = None, opened: Callable[[int, int], Bus] = open_bus) -> None:
        assert board.mcp3008 is not None
        wired = board.mcp3008
        self._count = board.scan.chips * CONVERTER_INPUTS
        used = sorted(board.scan.channels)
        self._inputs = [
            (chip, [channel % CONVERTER_INPUTS for channel in used if channel // CONVERTER_INPUTS == chip])
            for chip in range(board.scan.chips)
        ]
        self._factory = factory or default_factory()
        self._address: list[gpiozero.OutputDevice] = []
        self._bus = opened(wired.bus, wired.device)
        try:
            self._bus.mode = 0  # a bit is taken at the rising edge and comes at the falling one
            self._bus.max_speed_hz = wired.hz
            for pin in wired.address:
                self._address.append(gpiozero.OutputDevice(pin, initial_value=False, pin_factory=self._factory))
        except BaseException:
            self.close()
            raise
        self._meant = 0

    @property
    def is_mock(self) -> bool:
        """True if there are no pins behind it: GPIOZERO_PIN_FACTORY=mock."""
        return bool(type(self._factory).__module__ == "gpiozero.pins.mock")

    def scan(self) -> list[int]:
        """Give what every input reads, 0 to 1023, by channel number: converter * 8 + input; 0 for inputs without a square.

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
