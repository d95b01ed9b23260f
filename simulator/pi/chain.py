"""A chain of shift registers behind an SPI that forgives nothing: whoever clocks it wrongly gets an AssertionError."""

from __future__ import annotations

from collections.abc import Sequence

from gpiozero.pins.mock import MockFactory, MockPin  # type: ignore[import-untyped] # it ships no types

from hardware import BoardFile


class LatchPin(MockPin):  # type: ignore[misc] # its base has no types
    """The pin that latches the chain of its factory; no other may be touched."""

    def _set_state(self, value: bool) -> None:
        super()._set_state(value)
        self.factory.chain.latched(int(self.info.name[4:]), bool(value))


class StrictChain(MockFactory):  # type: ignore[misc] # its base has no types
    """The pin factory and what is wired to it. `magnets` are channels; `cut_behind` registers are heard, then nothing but ground."""

    def __init__(self, board: BoardFile) -> None:
        super().__init__(pin_class=LatchPin)
        assert board.spi is not None
        self.chain = self
        self._board, self._spi = board, board.spi
        self.magnets: set[int] = set()
        self.cut_behind = 999
        self.history: list[tuple[str, int]] = []
        self.mode = -1
        self.max_speed_hz = 0
        self.closed = False
        self._taken: list[bool] | None = None
        self._level = True

    def open(self, bus: int, device: int) -> StrictChain:
        """Pass for spidev's constructor."""
        assert (bus, device) == (self._spi.bus, self._spi.device)
        return self

    def pause(self, seconds: float) -> None:
        """Pass for time.sleep."""
        assert not self._level, "a pause is for the latch"

    def latched(self, pin: int, level: bool) -> None:
        """Take a level of a pin: low takes the inputs, high lets them be shifted."""
        assert pin == self._spi.latch, f"pin {pin} is none of this chain's"
        if not level:
            count = self._board.scan.chips * 8
            self._taken = [(channel in self.magnets) is self._spi.magnet_high for channel in range(count)]
            self.history.append(("latch", 0))
        self._level = level

    def xfer2(self, values: Sequence[int]) -> list[int]:
        """Shift out what was latched: H first, the register next to the Pi first, then what SER is tied to."""
        assert (self.mode, self.max_speed_hz) == (0, self._spi.hz)
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

    def close(self) -> None:
        """Close the bus, or as a pin factory all pins."""
        self.closed = True
