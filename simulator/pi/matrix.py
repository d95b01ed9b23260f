"""A matrix of sensors behind gpiozero's mock pins that forgives nothing: whoever scans it wrongly gets an AssertionError."""

from __future__ import annotations

from gpiozero.pins.mock import MockFactory, MockPin  # type: ignore[import-untyped] # it ships no types

from hardware.pins import Gpio


class StrictPin(MockPin):  # type: ignore[misc] # its base has no types
    """A pin that belongs to the matrix of its factory."""

    def _set_state(self, value: bool) -> None:
        super()._set_state(value)
        self.factory.matrix.driven(int(self.info.name[4:]), bool(value))

    def _get_state(self) -> bool:
        if self.function == "output":
            return bool(super()._get_state())
        return bool(self.factory.matrix.level(int(self.info.name[4:]), self._pull))


class StrictMatrix(MockFactory):  # type: ignore[misc] # its base has no types
    """The pin factory and what is wired to it. `magnets` are channels; `history` is all that was done: (row, wait or read, number)."""

    def __init__(self, gpio: Gpio) -> None:
        super().__init__(pin_class=StrictPin)
        self.matrix = self
        self.gpio = gpio
        self.magnets: set[int] = set()
        self.shorted: set[int] = set()
        self.history: list[tuple[str, float]] = []
        self.selected: set[int] = set()
        self._settled = False

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
