"""A whole game on boards that a Pi scans itself: hands over strict doubles of its parts, their bytes to the referee, nothing misread."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.accuracy_tally import Tally
from benchmarks.game_sources import RecordedMoves
from benchmarks.hand_match import HandMatch
from benchmarks.hands import FirstHands
from hardware import load_board
from referee.demo.recorded import load_recorded
from referee.rules import Game
from referee.rules.values import Rank, Seat, Square
from simulator.players import Hands
from simulator.profiles import load_profile
from tests.bridge.lockstep import PinnedBoard
from tests.firmware.short_games import EVERY_OUTCOME, SWAP_AND_RUN, game_file


def recorded(folder: Path, plies: str) -> RecordedMoves:
    """Return a game."""
    rules, game = load_recorded(game_file(folder, plies), None)
    ranks: dict[Square, Rank] = {}
    owners: dict[Square, Seat] = {}
    for seat in rules.seats:
        ranks |= game.set_ups[seat]
        owners |= dict.fromkeys(game.set_ups[seat], seat)
    moves = tuple((rules.board.square(source), rules.board.square(target)) for source, target, _ in game.script.turns)
    return RecordedMoves(Game(rules, owners, ranks), moves)


GAMES = {"travel-pi-chain": EVERY_OUTCOME, "travel-pi-mcp3008": SWAP_AND_RUN}


@pytest.mark.parametrize("name", GAMES)
def test_a_whole_game(name: str, tmp_path: Path) -> None:
    """From the set-up to the taken flag: every ply read as it was meant, nothing asked, whatever scans the squares."""
    tally, moves, board_file = Tally(), GAMES[name], load_board(name)
    pinned = PinnedBoard(board_file, 5, tmp_path / "kept")
    match = HandMatch(
        recorded(tmp_path, moves),
        board_file,
        load_profile("clean"),
        "x",
        tally,
        lambda board, profile, seed: FirstHands(pinned, Hands(pinned, 5)),
    )
    try:
        match.play(len(moves.split()), lambda: None)
    finally:
        pinned.source.close()
    assert tally.faults == []
    assert (tally.plies, tally.misread, tally.asked, tally.lost, tally.false_attacks) == (
        len(moves.split()),
        0,
        0,
        0,
        0,
    )
    result = match.referee.game.result
    assert result is not None
    assert (result.winner, result.reason.value) == (Seat.RED, "flag")
