"""MCP3008 converters behind a 74HC154, answering as their datasheet (DS21295) draws it. Who asks wrongly gets an AssertionError.

The bits that a part does not drive are junk here, as on a real line: who takes one for a part of the number gets a wrong one.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from gpiozero.pins.mock import MockFactory, MockPin  # type: ignore[import-untyped] # it ships no types

from hardware import BoardFile

BITS = 10
HIGHEST_HZ = 1_350_000  # at 2.7 V: 75,000 conversions of 18 clocks a second


class AddressPin(MockPin):  # type: ignore[misc] # its base has no types
    """A pin of the decoder's address; no other may be driven."""

    def _set_state(self, value: bool) -> None:
        super()._set_state(value)
        self.factory.decoder.addressed(int(self.info.name[4:]), bool(value))


def converted(values: Sequence[int], counts: Sequence[int], junk: Random) -> list[int]:
    """Return what one transfer of these bytes clocks out of a part whose inputs read `counts`.

    After the start bit: single-ended or not and three bits of channel; one clock to sample; a null bit, then the number, highest bit first.
    Bits are taken at rising edges and come at the falling ones before them, so both begin at the same clock.
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


class StrictConverters(MockFactory):  # type: ignore[misc] # its base has no types
    """The pin factory and what is wired to it. `counts` are channels'; converters in `silent` do not answer: DOUT is pulled up."""

    def __init__(self, board: BoardFile) -> None:
        super().__init__(pin_class=AddressPin)
        assert board.mcp3008 is not None
        self.decoder = self
        self._chips, self._wired = board.scan.chips, board.mcp3008
        self.counts = [512] * (8 * board.scan.chips)
        self.silent: set[int] = set()
        self.converted: list[int] = []
        self.mode = -1
        self.max_speed_hz = 0
        self.closed = False
        self._levels = dict.fromkeys(board.mcp3008.address, False)
        self._junk = Random(3)

    def open(self, bus: int, device: int) -> StrictConverters:
        """Pass for spidev's constructor."""
        assert (bus, device) == (self._wired.bus, self._wired.device)
        return self

    def addressed(self, pin: int, level: bool) -> None:
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

    def close(self) -> None:
        """Close the bus, or as a pin factory all pins."""
        self.closed = True
