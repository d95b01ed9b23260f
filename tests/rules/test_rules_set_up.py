"""Set-ups: every fault at once, the warning for a front that cannot open, and 2,000 set-ups that people really used."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from referee.rules import Game, RuleSet, check_set_up, exits, rule_set, rule_set_names, seated_zone
from referee.rules.set_up import FaultKind
from referee.rules.values import Rank, Seat, Square

SET_UPS = Path(__file__).parents[2].parent / "shared" / "data" / "setups.txt"
LETTERS = dict(zip("BCDEFGHIJKLM", list(Rank)[1:2] + list(Rank)[4:] + [Rank.FLAG], strict=True))
OWN = ("DHKDJDIDHD", "ELGICGDHJF", "GFBEDIBEGD", "FBMBEBFBEH")
"""A set-up of Original in the letters of section 8, front row first."""


def placed(rules: RuleSet, seat: Seat, rows: tuple[str, ...]) -> dict[Square, Rank]:
    """Return a set-up written front row first, from the seat's left."""
    last = rules.board.rows
    found = {}
    for number, row in enumerate(rows):
        for column, letter in enumerate(row):
            if letter != ".":
                name = (
                    f"{'abcdefghij'[column]}{len(rows) - number}"
                    if seat is Seat.RED
                    else f"{'jihgfedcba'[column]}{last - len(rows) + 1 + number}"
                )
                found[Square(name)] = LETTERS[letter]
    return found


def test_letters_are_those_of_the_records() -> None:
    """B bomb, C spy, D 2 to L 10, M flag."""
    assert LETTERS["B"] is Rank.BOMB
    assert [LETTERS[letter] for letter in "CDEL"] == [Rank.SPY, Rank.SCOUT, Rank.MINER, Rank.MARSHAL]


@pytest.mark.parametrize("seat", [Seat.RED, Seat.BLUE])
def test_a_good_set_up_has_no_fault(original: RuleSet, seat: Seat) -> None:
    """The whole army, every square of the zone filled."""
    assert check_set_up(original, seat, placed(original, seat, OWN)) == ()


def test_real_set_ups_have_no_fault(original: RuleSet) -> None:
    """Set-ups that people used in Original are all accepted; where they are not at hand our own stands for them."""
    lines = SET_UPS.read_text(encoding="ascii").split() if SET_UPS.exists() else ["".join(OWN)]
    for line in lines:
        rows = (line[:10], line[10:20], line[20:30], line[30:])
        assert check_set_up(original, Seat.RED, placed(original, Seat.RED, rows)) == ()


def test_every_fault_is_named_at_once(original: RuleSet) -> None:
    """A square outside, a rank too often and another too rarely, a rank of another game, an empty square, no square."""
    wrong = placed(original, Seat.RED, OWN)
    del wrong[Square("a1")]  # a sergeant
    wrong[Square("a5")] = Rank.SERGEANT
    wrong[Square("b4")] = Rank.MARSHAL  # was a captain
    wrong[Square("c4")] = Rank.CANNON  # was the general
    wrong[Square("c5")] = Rank.GENERAL
    faults = check_set_up(original, Seat.RED, wrong)
    assert all(fault.fatal for fault in faults)
    assert [(fault.kind, fault.rank, fault.count, [square.name for square in fault.squares]) for fault in faults] == [
        (FaultKind.OUTSIDE_ZONE, None, 0, ["a5"]),
        (FaultKind.NOT_A_SQUARE, None, 0, ["c5"]),
        (FaultKind.SQUARE_EMPTY, None, 0, ["a1"]),
        (FaultKind.TOO_MANY, Rank.MARSHAL, 1, ["b4", "b3"]),
        (FaultKind.NOT_IN_ARMY, Rank.CANNON, 0, ["c4"]),
        (FaultKind.TOO_FEW, Rank.CAPTAIN, 1, []),
    ]
    assert faults[3].text == "too-many marshal 1 b4 b3"


def test_an_empty_set_up_misses_everything(original: RuleSet) -> None:
    """All squares and the whole army."""
    faults = check_set_up(original, Seat.BLUE, {})
    assert faults[0].kind is FaultKind.SQUARE_EMPTY
    assert len(faults[0].squares) == 40
    assert sum(fault.count for fault in faults) == 40


def test_free_zones_may_have_empty_squares() -> None:
    """Duel, Barrage and the compact Duel set up anywhere in their rows."""
    rules = rule_set("barrage")
    army = [rank for rank, count in rules.army.items() for _ in range(count)]
    good = dict(zip(rules.zone(Seat.RED), army, strict=False))
    assert check_set_up(rules, Seat.RED, good) == ()
    assert FaultKind.OUTSIDE_ZONE in {fault.kind for fault in check_set_up(rules, Seat.BLUE, good)}


@pytest.mark.parametrize(
    ("name", "rows"),
    [
        ("original", ("BBEEBBEEBB", "DHKDJDIDHD", "LGICGDHJFG", "FEDIGDFMFH")),
        ("classic", ("BBEEBBEEBM", "DHKDJDIDHD", "LGICGIHJFF")),
    ],
)
def test_a_front_of_bombs_is_warned_of(name: str, rows: tuple[str, ...]) -> None:
    """Six bombs, in Classic five and the flag, on the open front squares leave no first move; it may be played all the same."""
    rules = rule_set(name)
    faults = check_set_up(rules, Seat.RED, placed(rules, Seat.RED, rows))
    assert [fault.kind for fault in faults] == [FaultKind.NO_FIRST_MOVE]
    assert not faults[0].fatal
    assert faults[0].text == "no-first-move"


def test_recruitment_space_stays_empty() -> None:
    """In Stratego 4 the middle space of the zone is none of the set-up's."""
    rules = rule_set("stratego4")
    army = [rank for rank, count in rules.army.items() for _ in range(count)]
    good = dict(zip(rules.zone(Seat.GREEN), army, strict=True))
    assert check_set_up(rules, Seat.GREEN, good) == ()
    moved = {Square("g12") if square == Square("g13") else square: rank for square, rank in good.items()}
    kinds = [fault.kind for fault in check_set_up(rules, Seat.GREEN, moved)]
    assert kinds == [FaultKind.OUTSIDE_ZONE, FaultKind.SQUARE_EMPTY]


@pytest.mark.parametrize("name", rule_set_names())
def test_every_army_fits_its_zone_and_begins_a_game(name: str) -> None:
    """Army, zone and board of each rule set agree, and a game begins from them."""
    rules = rule_set(name)
    ranks: dict[Square, Rank] = {}
    for seat in rules.seats:
        army = [rank for rank, count in rules.army.items() for _ in range(count)]
        assert len(army) <= len(rules.zone(seat))
        assert rules.filled == (len(army) == len(rules.zone(seat)))
        ranks |= dict(zip(reversed(rules.zone(seat)), army, strict=False))
    occupants = {square: seat for seat in rules.seats for square in rules.zone(seat) if square in ranks}
    assert Game(rules, occupants, ranks).ply == 0


@pytest.mark.parametrize("name", rule_set_names())
def test_a_zone_is_seen_from_its_chair(name: str) -> None:
    """Rows of one length hold the whole zone; who sits opposite or aside sees the same shape; squares side by side touch."""
    rules = rule_set(name)
    shapes = set()
    for seat in rules.seats:
        rows = seated_zone(rules.board, seat)
        assert sorted(square.name for row in rows for square in row if square) == sorted(
            square.name for square in rules.zone(seat)
        )
        shapes.add(tuple(tuple(square is None for square in row) for row in rows))
        for row in (*rows, *zip(*rows, strict=True)):
            for one, other in pairwise(row):
                assert one is None or other is None or other in rules.board.neighbours(one)
    assert len(shapes) == 1


def test_left_and_right_are_the_players_own() -> None:
    """Golden: red looks up the board, blue down, and at the castle each towards the middle."""
    seen = {
        (name, seat): [square and square.name for square in seated_zone(rule_set(name).board, seat)[0]]
        for name, seat in (
            ("original", Seat.RED),
            ("original", Seat.BLUE),
            ("stratego4", Seat.BLUE),
            ("stratego4", Seat.YELLOW),
            ("stratego4-three", Seat.GREEN),
        )
    }
    assert [" ".join(map(str, row)) for row in seen.values()] == [
        "a4 b4 c4 d4 e4 f4 g4 h4 i4 j4",
        "j7 i7 h7 g7 f7 e7 d7 c7 b7 a7",
        "c10 c9 c8 c7 c6 c5 c4",
        "k4 k5 k6 k7 k8 k9 k10",
        "ga3 gb3 gc3 gd3 ge3 gf3 gg3",
    ]
    assert seated_zone(rule_set("stratego4").board, Seat.RED)[1][3] is None  # the recruitment space


def test_exits_are_the_squares_with_a_way_out(original: RuleSet) -> None:
    """In Original six of ten front squares: the lakes bar the others; at the castle the spaces around the recruitment space too."""
    assert [square.name for square in exits(original, Seat.RED)] == ["a4", "b4", "e4", "f4", "i4", "j4"]
    castle = {square.name for square in exits(rule_set("stratego4"), Seat.RED)}
    assert castle == {"d3", "e3", "f3", "g3", "h3", "i3", "j3", "f2", "h2", "g1"}
