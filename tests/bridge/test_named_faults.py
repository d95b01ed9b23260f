"""Faults of sensors, wires and magnets, put into a simulated board, and the name that the doctor gives them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pytest

from firmware_bridge.advice import Defect
from firmware_bridge.checkup import Checkup, Expected, diagnose
from firmware_bridge.messages import AskKeyframe, News, Reading
from hardware import load_board
from simulator.board import SimBoard
from simulator.faults import Trouble
from simulator.motions import Lift, Put

BOARD = load_board("travel-10x10")
START = {
    square: Reading.RED if int(square[1:]) <= 4 else Reading.BLUE
    for square in BOARD.squares
    if int(square[1:]) not in (5, 6)
}
SEATS = {square: reading.name.lower() for square, reading in START.items()}
PASSED = ("a1", "b1", "c3", "d3", "e5", "f8", "g8", "h9")


def heard(board: SimBoard, checkup: Checkup, ms: int) -> None:
    """Let time pass, and ask for the amplitudes eight times."""
    for news in board.listen(board.now_ms + ms):
        checkup.hear(news)
    for _ in range(8):
        _take(checkup, board.answer(AskKeyframe(with_raw=True)))


def _take(checkup: Checkup, said: Iterable[News]) -> None:
    for news in said:
        checkup.hear(news)


def found_in_start(fault: str, magnets: Mapping[str, str], seed: int = 3) -> dict[Defect, tuple[str, ...]]:
    """Return what is found in a start position in which some magnets are others, and what is found of the empty board before."""
    board, checkup = SimBoard(BOARD, seed), Checkup(BOARD, START)
    if fault:
        board.trouble(Trouble(fault, "c3"))
    heard(board, checkup, 100)
    row = [square for square in START if square not in ("c3", "d3")]
    for squares in (row, ["c3"], ["d3"]):
        board.lay(
            {square: magnets.get(square, SEATS[square]) for square in START if square in squares} | _standing(board)
        )
        heard(board, checkup, 300)
    return {finding.kind: finding.squares for finding in diagnose(checkup, "sim:").findings}


def _standing(board: SimBoard) -> dict[str, str]:
    return {square: reading.name.lower() for square, reading in board.occupied().items()}


def found_in_passing(
    fault: str, seed: int = 3, wanted: Expected | None = Expected.EMPTY
) -> dict[Defect, tuple[str, ...]]:
    """Return what is found while one red magnet is set on some squares of an empty board, one after the other."""
    board, checkup = SimBoard(BOARD, seed), Checkup(BOARD, START, wanted)
    if fault:
        board.trouble(Trouble(fault, "c3"))
    heard(board, checkup, 100)
    for square in PASSED:
        for motion in (Put("red", square), Lift(square)):
            ends_ms = board.begin(motion)
            heard(board, checkup, ends_ms - board.now_ms + 200)
    heard(board, checkup, 500)
    return {finding.kind: finding.squares for finding in diagnose(checkup, "sim:").findings}


@pytest.mark.parametrize(
    ("fault", "magnets", "kind", "squares"),
    [
        ("open", {}, Defect.OUT_OF_RANGE, ("c3",)),
        ("cold", {}, Defect.COLD_JOINT, ("c3",)),
        ("shorted", {}, Defect.SHORTED, ("c3", "d3")),
        ("weak", {}, Defect.WEAK, ("c3",)),
        ("dead", {}, Defect.NOTHING_FELT, ("c3",)),
        ("", {"c3": "blue"}, Defect.REVERSED, ("c3",)),
    ],
)
def test_the_start_position(fault: str, magnets: Mapping[str, str], kind: Defect, squares: tuple[str, ...]) -> None:
    """An open wire, a cold joint, two wires that touch, a weak magnet, a dead sensor, a magnet turned round."""
    assert found_in_start(fault, magnets)[kind] == squares


@pytest.mark.parametrize(
    ("fault", "kind"), [("turned", Defect.TURNED), ("cold", Defect.COLD_JOINT), ("open", Defect.OUT_OF_RANGE)]
)
def test_a_magnet_passed_over_the_empty_board(fault: str, kind: Defect) -> None:
    """A sensor that lies face down shows the other pole than all others."""
    assert found_in_passing(fault)[kind] == ("c3",)


def test_nobody_said_that_the_board_should_be_empty() -> None:
    """Then pieces of both armies may have come: no sensor is called turned."""
    assert not found_in_passing("turned", wanted=None)


@pytest.mark.parametrize("seed", range(3))
def test_a_board_that_is_well_has_none_of_them(seed: int) -> None:
    """Neither set up nor passed over."""
    assert (
        not {Defect.TURNED, Defect.SHORTED, Defect.COLD_JOINT, Defect.OUT_OF_RANGE}
        & found_in_start("", {}, seed).keys()
    )
    assert not found_in_passing("", seed)
