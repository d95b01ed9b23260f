"""Rows and columns of sensors on a Raspberry Pi's pins, through gpiozero."""

from __future__ import annotations

import time
from collections.abc import Callable

import gpiozero  # type: ignore[import-untyped] # it ships no types

from firmware_bridge.sources.pin_factory import default_factory
from hardware.pins import Gpio

_PULLS = {"up": True, "down": False, "none": None}


class Matrix:
    """The open pins. One row is selected at a time, all columns are read, and between scans no row is selected.

    `factory` is a gpiozero pin factory; None takes the one that gpiozero finds or that GPIOZERO_PIN_FACTORY names. Whatever a pin
    library raises comes out of the constructor and of `scan` as it is.
    """

    def __init__(self, gpio: Gpio, factory: object = None, pause: Callable[[float], None] = time.sleep) -> None:
        self._gpio = gpio
        self._pause = pause
        self._settle_s = gpio.settle_us / 1_000_000
        self._rows: list[gpiozero.OutputDevice] = []
        self._columns: list[gpiozero.InputDevice] = []
        self._factory = factory or default_factory()
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

    @property
    def is_mock(self) -> bool:
        """True if there are no pins behind it: GPIOZERO_PIN_FACTORY=mock."""
        return bool(type(self._factory).__module__ == "gpiozero.pins.mock")

    def scan(self) -> list[bool]:
        """Give what every crossing has, a magnet or none, by channel number: row * columns + column."""
        width, level, selected = len(self._lines), self._gpio.magnet_high, self._gpio.row_on_high
        found = [False] * (width * len(self._rows))
        for number in self._gpio.scan_order:
            row = self._selects[number]
            row.state = selected
            if self._settle_s:
                self._pause(self._settle_s)
            found[number * width : (number + 1) * width] = [line.state == level for line in self._lines]
            row.state = not selected
        return found

    def stuck_columns(self) -> list[int]:
        """Give the columns that show a magnet although no row is selected: shorted, or a sensor that never lets go."""
        if self._settle_s:
            self._pause(self._settle_s)
        return [number for number, line in enumerate(self._lines) if bool(line.state) is self._gpio.magnet_high]

    def stuck_channels(self) -> set[int]:
        """Give the crossings of stuck columns, by channel number."""
        stuck, width = self.stuck_columns(), len(self._lines)
        return {row * width + column for row in range(len(self._rows)) for column in stuck}

    def close(self) -> None:
        """Let all pins go; they are inputs then. Closing twice is harmless."""
        for device in (*self._rows, *self._columns):
            device.close()
