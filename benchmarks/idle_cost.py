"""What an idle board costs: processor time of bridge, listening and sensing, through the real sources, as a share of one core.

Wall time goes by: each source is listened to for some seconds, as a table does.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping

import gpiozero.pins.mock  # type: ignore[import-untyped] # it ships no types

from benchmarks.accuracy import the_board
from benchmarks.referee_in_process import POLES
from firmware_bridge import Frame
from firmware_bridge.sources import BoardSource, open_source
from firmware_bridge.sources.gpio import GpioSource
from hardware import BoardFile, Sensing, load_board
from referee.link.listening import Listening
from referee.rules import Game, rule_set
from referee.rules.values import Square
from referee.sensing import Interpreter
from simulator.profiles import profile_names

SETTLES_S = 7.0
"""Listening hurries for its first seconds."""

LISTENS_S = 10.0
GPIO_BOARD = "travel-pi-matrix"


def idle_costs() -> Mapping[str, float]:
    """Give the percent of a core for each profile over a pty, and for a matrix on (mock) pins."""
    found = {}
    for profile in profile_names():
        board = the_board("colour", None)
        found[f"serial, {profile}"] = _cost(open_source(f"sim:?noise={profile}", board), board)
    board = load_board(GPIO_BOARD).with_sensing(Sensing.OCCUPANCY)
    found["gpio, mock pins"] = _cost(GpioSource("gpio:", board, factory=gpiozero.pins.mock.MockFactory()), board)
    return found


def _cost(source: BoardSource, board: BoardFile) -> float:
    with source:
        return asyncio.run(_listen(source, board))


async def _listen(source: BoardSource, board: BoardFile) -> float:
    rules = rule_set("original")
    squares = [Square(name) for name in board.squares]
    interpreter = Interpreter(squares, board.sensing is Sensing.COLOUR, POLES, board=rules.board)
    interpreter.follow(Game(rules, {}).situation())

    def hear() -> None:
        for message in source.read():
            if isinstance(message, Frame):
                interpreter.feed(message)

    loop = asyncio.get_running_loop()
    listening = Listening(loop, source.fileno(), hear, lambda: interpreter.quiet, lambda: interpreter.now_ms)
    await asyncio.sleep(SETTLES_S)
    began_s, cpu_s = time.monotonic(), time.process_time()
    await asyncio.sleep(LISTENS_S)
    spent = (time.process_time() - cpu_s) / (time.monotonic() - began_s)
    listening.close()
    return round(100 * spent, 3)
