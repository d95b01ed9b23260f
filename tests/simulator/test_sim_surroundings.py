"""Supply and warmth after calibrating: what docs/reference/board-files.md promises, by more boards with `python -m`."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace

import pytest

from firmware_bridge.calibration import Calibration, judge_start, measured
from firmware_bridge.messages import AckResult, Frame, Reading
from hardware import BoardFile, load_board
from hardware.board_file import WITHDRAWN
from simulator.board import SimBoard

BOARD = load_board("travel-10x10")
RED_ROWS, BLUE_ROWS = range(1, 5), range(7, 11)
START = {square: "red" for square in BOARD.squares if int(square[1:]) in RED_ROWS} | {
    square: "blue" for square in BOARD.squares if int(square[1:]) in BLUE_ROWS
}
MIDDLE = {square: seat for n, (square, seat) in enumerate(START.items()) if n % 3} | {"e5": "blue", "f6": "red"}
POSITIONS: Mapping[str, Mapping[str, str]] = {"empty": {}, "start": START, "middle": MIDDLE}
WAYS: Mapping[str, Callable[[int], float] | None] = {
    "up": lambda number: 1.0,
    "down": lambda number: -1.0,
    "every other": lambda number: 1.0 if number % 2 else -1.0,
    "its own": None,
}


def calibrated_board(seed: int) -> SimBoard:
    """Return a board whose sensors differ as real ones do, calibrated as `hallmarshal calibrate` does it."""
    board = SimBoard(BOARD, seed, calibrated=False)
    board.start()
    empty = measured([board.amplitudes()])
    board.lay(START)
    board.advance(board.now_ms + 200)
    wanted = {square: Reading[seat.upper()] for square, seat in START.items()}
    judged = judge_start(BOARD, empty, measured([board.amplitudes()]), wanted)
    assert isinstance(judged, Calibration), judged
    for command in judged.commands(BOARD):
        (ack, *_) = board.answer(command)
        assert getattr(ack, "result", None) is AckResult.DONE
    return board


def outcome(board: SimBoard, position: Mapping[str, str]) -> Counter[str]:
    """Lay a position as hands set it down; return how many squares were right, unsure and misread."""
    board.lay(position)
    frames = [said for said in board.listen(board.now_ms + 600) if isinstance(said, Frame)]
    found: Counter[str] = Counter(right=0, unsure=0, misread=0)
    for square, reading in zip(BOARD.squares, frames[-1].squares, strict=True):
        wanted = Reading[position[square].upper()] if square in position else Reading.EMPTY
        found["right" if reading is wanted else "unsure" if reading is Reading.UNSURE else "misread"] += 1
    return found


def outcomes(seed: int, supply: float, warmer_k: float, way: str) -> Counter[str]:
    """Return the sum over all positions of one board."""
    board = calibrated_board(seed)
    board.surround(supply, warmer_k, WAYS[way])
    return sum((outcome(board, position) for position in POSITIONS.values()), Counter())


@pytest.mark.parametrize(
    ("supply", "warmer_k", "way"),
    [(92, 10, "up"), (108, 10, "every other"), (92, 20, "its own"), (108, 20, "down")],
)
def test_nothing_is_misread(supply: float, warmer_k: float, way: str) -> None:
    """A supply 8 % off and a box 20 K warmer: no square is wrong; up to 10 K none is unsure either."""
    found = outcomes(0, supply, warmer_k, way)
    assert found["misread"] == 0
    assert found["unsure"] == 0 or warmer_k > 10


def test_without_a_divider_it_would_be() -> None:
    """The same shift on a board without one makes empty squares look taken: it is the divider that helps."""
    bare = replace(BOARD, scan=replace(BOARD.scan, supply=None))
    board = SimBoard(bare, 0)
    board.start()
    board.surround(108)
    assert outcome(board, {})["misread"] > 80


@pytest.mark.parametrize("supply", [100, 93])
def test_a_divider_that_comes_off_spoils_no_reading(supply: float) -> None:
    """Its input jumps about from then on; squares are set right for the last supply that was one."""
    board = calibrated_board(0)
    board.surround(supply)
    board.hang_divider()
    found = sum((outcome(board, position) for position in POSITIONS.values()), Counter())
    assert (found["misread"], found["unsure"]) == (0, 0)
    assert len({board.supply for _ in range(8) if board.listen(board.now_ms + 20) is not None}) > 4


def flicker(board: BoardFile) -> int:
    """Return how many squares of the middle position change within two seconds although nobody moves."""
    sim = SimBoard(board, 0)
    sim.start()
    sim.lay(MIDDLE)
    sim.advance(sim.now_ms + 200)
    shown = [said.squares for said in sim.listen(sim.now_ms + 2000) if isinstance(said, Frame)]
    return sum(len(set(readings)) > 1 for readings in zip(*shown, strict=True))


def test_a_matrix_that_powers_its_rows_flickers() -> None:
    """Why it was withdrawn: empty squares amid their own army lie between the sensors' points, and nothing remembers what they were."""
    assert flicker(load_board("travel-pi-chain")) == 0
    assert flicker(load_board(WITHDRAWN / "travel-pi-matrix.toml")) > 5


def main() -> None:
    """Print a table of many boards."""
    boards = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    for supply in (92, 94, 96, 98, 100, 102, 104, 106, 108):
        for warmer_k in (0, 10, 20):
            found: Counter[str] = Counter()
            for seed in range(boards):
                for way in WAYS:
                    found.update(outcomes(seed, supply, warmer_k, way))
            print(supply, warmer_k, dict(found), flush=True)


if __name__ == "__main__":
    main()
