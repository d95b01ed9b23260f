"""Waiting for a board in tests: on its descriptor only, never on a clock."""

from __future__ import annotations

import select
from collections.abc import Callable

from firmware_bridge.messages import BoardMessage, Frame, LinkBack, LinkLost, News, Reading, WireFault
from firmware_bridge.sources import BoardSource
from tests.patience import PATIENCE_S


def news_until(source: BoardSource, enough: Callable[[list[News]], bool]) -> list[News]:
    """Read until what came is enough, whatever it is."""
    found: list[News] = []
    while not enough(found):
        assert select.select([source], [], [], PATIENCE_S)[0], "nothing comes"
        found += source.read()
    return found


def read_until(source: BoardSource, enough: Callable[[list[BoardMessage]], bool]) -> list[BoardMessage]:
    """Read until the messages that came are enough; no fault and no lost link may come."""
    found: list[BoardMessage] = []
    while not enough(found):
        assert select.select([source], [], [], PATIENCE_S)[0], "no bytes"
        for item in source.read():
            assert not isinstance(item, WireFault | LinkLost | LinkBack), item
            found.append(item)
    return found


def shows_red(found: list[BoardMessage]) -> bool:
    """Return whether the last message is a frame with red (or any magnet) on its first square."""
    return bool(found) and isinstance(found[-1], Frame) and found[-1].squares[0] is Reading.RED


def ask_for_ever(descriptor: int, ask: Callable[[], object]) -> None:
    """Ask each time the descriptor is readable, until that raises."""
    while True:
        assert select.select([descriptor], [], [], PATIENCE_S)[0], "nothing more comes"
        ask()
