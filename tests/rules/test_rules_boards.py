"""The boards: which squares there are, what borders on what, along which lines one runs and shoots."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from referee.rules import Board, Game, Move, rule_set, rule_set_names
from referee.rules.library import board_named
from referee.rules.outcomes import UnknownRuleSetError, UnknownSquareError
from referee.rules.values import Rank, Seat, Square
from referee.runtime.set_ups import generate


def names(squares: tuple[Square, ...]) -> list[str]:
    """Return squares by name."""
    return [square.name for square in squares]


@pytest.mark.parametrize(
    ("name", "squares", "lakes", "borders"),
    [("10x10", 92, 8, 156), ("10x8", 72, 8, 118), ("castle-four", 126, 0, 229), ("castle-three", 95, 0, 172)],
)
def test_boards_have_their_squares_and_borders(name: str, squares: int, lakes: int, borders: int) -> None:
    """Squares in play, lakes, and borders between neighbours (rules, sections 1 and 7)."""
    board = board_named(name)
    assert (len(board.squares), len(board.lakes)) == (squares, lakes)
    assert sum(len(board.neighbours(square)) for square in board.squares) == 2 * borders


def test_squares_come_row_by_row_from_reds_left_corner() -> None:
    """The order of squares is a contract: pieces are numbered by it."""
    board = board_named("10x10")
    assert names(board.squares[:11]) == ["a1", "b1", "c1", "d1", "e1", "f1", "g1", "h1", "i1", "j1", "a2"]
    assert names(board.squares[40:46]) == ["a5", "b5", "e5", "f5", "i5", "j5"]
    assert board.place(board.square("c7")) == (2, 6)
    assert board.shape(board.square("c7")) == (2.5, 6.5, 1, 1)
    castle = board_named("castle-four")
    assert castle.shape(castle.square("ring")) == (6.5, 6.5, 3, 3)


def test_lakes_stand_in_columns_c_d_and_g_h() -> None:
    """Two by two in the middle rows of both boards."""
    assert set(board_named("10x10").lakes) == {(c, r) for c in (2, 3, 6, 7) for r in (4, 5)}
    assert set(board_named("10x8").lakes) == {(c, r) for c in (2, 3, 6, 7) for r in (3, 4)}


def test_lines_end_at_lakes_and_edges() -> None:
    """A ray holds the squares of one direction, nearest first; nothing lies across a lake."""
    board = board_named("10x10")
    rays = {tuple(names(ray)) for ray in board.lines(board.square("c4"))}
    assert rays == {("c3", "c2", "c1"), ("b4", "a4"), ("d4", "e4", "f4", "g4", "h4", "i4", "j4")}
    assert names(board.neighbours(board.square("b5"))) == ["b4", "b6", "a5"]


def test_moves_are_one_instance_each() -> None:
    """A board keeps its moves; an equal value made elsewhere is the same move."""
    board = board_named("10x10")
    one, other = board.square("a1"), board.square("a4")
    assert board.move(one, other) is board.move(one, other)
    assert board.move(one, other) == Move(Square("a1"), Square("a4"))
    assert board.move(one, board.square("b2")) is None
    assert board.move(one, Square("z9")) is None
    assert names(board.path(Move(one, other))) == ["a2", "a3", "a4"]


def test_unknown_names_are_refused() -> None:
    """Squares and boards that do not exist."""
    with pytest.raises(UnknownSquareError, match="c5"):
        board_named("10x10").square("c5")
    with pytest.raises(UnknownRuleSetError, match="no board"):
        board_named("9x9")
    with pytest.raises(UnknownRuleSetError, match="there are original"):
        rule_set("stratego5")


def castle(name: str) -> tuple[Board, Square, Square]:
    """Return a board with its ring and turret."""
    board = board_named(name)
    assert board.ring is not None
    assert board.turret is not None
    return board, board.ring, board.turret


@pytest.mark.parametrize(("name", "touched"), [("castle-four", 12), ("castle-three", 9)])
def test_ring_touches_its_spaces_and_the_turret(name: str, touched: int) -> None:
    """Twelve spaces with four players, nine with three (booklet 004); the turret is entered from the ring only."""
    board, ring, turret = castle(name)
    assert len(board.neighbours(ring)) == touched + 1
    assert board.neighbours(turret) == (ring,)
    assert board.lines(ring) == board.lines(turret) == ()
    assert not any(ring in ray or turret in ray for square in board.squares for ray in board.lines(square))


def test_the_castle_covers_the_cells_that_its_map_gives_it() -> None:
    """Middle, width and height in cells, from red's left corner: kiosk and phone draw by them."""
    board, ring, turret = castle("castle-four")
    assert board.shape(ring) == (6.5, 6.5, 3, 3)
    assert board.shape(turret) == (6.5, 6.5, 1, 1)
    assert board.shape(board.square("a4")) == (0.5, 3.5, 1, 1)


@pytest.mark.parametrize("name", ["stratego4", "stratego4-three", "stratego4-teams"])
def test_zones_of_the_castle_boards(name: str) -> None:
    """Twenty-one spaces a seat: twenty are set up, the middle one is the recruitment space; the flag starts at the back."""
    rules = rule_set(name)
    for seat in rules.seats:
        home = rules.board.homes[seat]
        assert len(home.zone) == 20
        assert home.recruitment is not None
        assert home.flag_start in home.zone
        assert home.recruitment not in home.zone
        assert len(rules.board.neighbours(home.recruitment)) == 4
        assert home.flag_start in rules.board.neighbours(home.recruitment)
    zones = [square for seat in rules.seats for square in rules.zone(seat)]
    assert len(zones) == len(set(zones)) == 20 * len(rules.seats)


def test_seats_sit_clockwise_round_the_castle() -> None:
    """Turn order is red in front, blue on his left, green opposite, yellow on his right."""
    board = rule_set("stratego4").board
    starts = [board.homes[seat].flag_start for seat in rule_set("stratego4").seats]
    assert [square and square.name for square in starts] == ["g1", "a7", "g13", "m7"]
    assert rule_set("stratego4").seat_after(Seat.YELLOW) is Seat.RED
    assert rule_set("stratego4-teams").partners(Seat.RED) == (Seat.RED, Seat.GREEN)


def test_three_player_board_is_the_same_from_every_seat() -> None:
    """Turning the board by one sector maps borders onto borders and lines onto lines."""
    board = board_named("castle-three")
    turn = {"r": "g", "g": "b", "b": "r"}

    def turned(square: Square) -> Square:
        return square if square in (board.ring, board.turret) else Square(turn[square.name[0]] + square.name[1:])

    for square in board.squares:
        assert {turned(near) for near in board.neighbours(square)} == set(board.neighbours(turned(square)))
        rays = {tuple(turned(at) for at in ray) for ray in board.lines(square)}
        assert rays == set(board.lines(turned(square)))
    assert Counter(len(board.neighbours(square)) for square in board.squares) == {4: 60, 3: 27, 2: 6, 10: 1, 1: 1}


def test_shots_go_three_spaces_and_never_over_the_castle() -> None:
    """Exactly three away in a line; at the castle but not over it, and out of it in all four directions (booklet 004)."""
    board, ring, _ = castle("castle-four")
    targets = {shot.target.name: names(shot.between) for shot in board.shots(board.square("g3"))}
    assert targets == {"ring": ["g4", "g5"], "d3": ["f3", "e3"], "j3": ["h3", "i3"]}
    assert {shot.target.name for shot in board.shots(board.square("e7"))} == {"e4", "e10", "b7"}
    assert len(board.shots(ring)) == 12


def test_unverified_geometry_says_so() -> None:
    """What neither stands in a booklet nor follows from one carries the word, and nothing else does."""
    for name in ("castle-four", "castle-three"):
        assert not board_named(name).verified
        assert "unverified" in board_named(name).source
    doubtful = {"stratego4", "stratego4-three", "stratego4-teams", "vintage"}
    for name in rule_set_names():
        assert rule_set(name).verified == (name not in doubtful)
        assert ("unverified" in rule_set(name).source) == (name in doubtful)


def test_what_follows_from_a_booklet_is_as_verified_as_what_stands_there() -> None:
    """Booklet 002: Original's pieces, "maar je vervangt 1 verkenner door de infiltrant"; and it names scouts, bombs and flag."""
    original, army = rule_set("original").army, dict(rule_set("infiltrator").army)
    assert army.pop(Rank.INFILTRATOR) == 1
    assert army == {**original, Rank.SCOUT: original[Rank.SCOUT] - 1}
    assert (army[Rank.SCOUT], army[Rank.BOMB], army[Rank.FLAG]) == (7, 6, 1)


def test_games_leave_the_tables_of_their_board_as_they_were() -> None:
    """All straight moves are made with the board: a referee takes no more memory for it after many games."""
    rules = rule_set("duel")

    def sizes() -> list[int]:
        kept = [table for table in vars(rules.board).values() if isinstance(table, list | tuple | dict)]
        return [len(one) for one in kept] + [len(row) for one in kept for row in one if hasattr(row, "__len__")]

    before = sizes()
    assert len(before) > 92
    rng = random.Random(1)
    for _ in range(3):
        set_ups = {seat: generate(rules, seat, rng) for seat in rules.seats}
        game = Game(
            rules,
            {square: seat for seat, set_up in set_ups.items() for square in set_up},
            {square: rank for set_up in set_ups.values() for square, rank in set_up.items()},
        )
        while game.result is None and game.ply < 200:
            assert game.situation().prospects
            game.play(rng.choice(game.legal_actions()))
    assert sizes() == before
