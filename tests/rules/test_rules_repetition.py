"""Both repetition rules, clause by clause (rules, section 4)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from referee.rules import Game, Infiltrate, Move, RuleSet, rule_set
from referee.rules.outcomes import IllegalActionError, Mobility, Reason
from referee.rules.values import Rank, Seat, Square

GameOf = Callable[..., Game]
MovesOf = Callable[[str], list[Move]]

FAR = "r:j1=flag r:i1=miner b:j10=flag b:i10=miner b:g10=miner"
"""Pieces far from the play: flags, and miners to pass the time with."""


@pytest.fixture
def after(game_of: GameOf, moves_of: MovesOf) -> Callable[..., Game]:
    """Return a maker of games in which some moves have been played, each of which was legal."""

    def play(position: str, moves: str, rules: str = "original") -> Game:
        game = game_of(position, rule_set(rules))
        for move in moves_of(moves):
            assert game.refusals(move) == (), move
            game.play(move)
        return game

    return play


def reasons(game: Game, move: str) -> list[Reason]:
    """Return the reasons against a move, and see that the legal list says the same."""
    source, _, target = move.partition("-")
    action = Move(Square(source), Square(target))
    found = [refusal.reason for refusal in game.refusals(action)]
    assert (action in game.legal_actions()) == (not found)
    return found


def threatens(game: Game, seat: Seat) -> bool:
    """Return whether a chase of this seat is running; looked up inside, since a chase of one threat shows nowhere else."""
    return game._position.more_squares.seen[game.rule_set.seats.index(seat)] is not None


SHUTTLE = "a4-a5 i10-i9 a5-a4 i9-i10 a4-a5 g10-g9"
"""Red crosses one border three times; blue passes the time with two pieces."""


def test_fourth_crossing_of_a_border_is_barred(after: Callable[..., Game]) -> None:
    """Three crossings in three turns are allowed, the fourth is not (NL, DE, EN)."""
    game = after(f"r:a4=major {FAR}", SHUTTLE)
    assert reasons(game, "a5-a4") == [Reason.TWO_SQUARES]
    assert reasons(game, "a5-a6") == []
    with pytest.raises(IllegalActionError) as error:
        game.play(Move(Square("a5"), Square("a4")))
    assert [refusal.reason for refusal in error.value.refusals] == [Reason.TWO_SQUARES]
    assert game.ply == 6


def test_third_crossing_is_not_barred(after: Callable[..., Game]) -> None:
    """The limit bars the (L+1)th crossing, not the Lth."""
    game = after(f"r:a4=major {FAR}", "a4-a5 i10-i9 a5-a4 i9-i10")
    assert reasons(game, "a4-a5") == []


def test_vintage_bars_the_sixth_crossing(after: Callable[..., Game]) -> None:
    """The old Original says five."""
    five = SHUTTLE + " a5-a4 g9-g10 a4-a5 i10-i9"
    game = after(f"r:a4=major {FAR}", five, "vintage")
    assert reasons(game, "a5-a4") == [Reason.TWO_SQUARES]


def test_moving_another_piece_resets_two_squares(after: Callable[..., Game]) -> None:
    """Only the directly preceding turns of the same piece count."""
    game = after(f"r:a4=major {FAR}", SHUTTLE + " i1-i2 g9-g10")
    assert reasons(game, "a5-a4") == []


def test_crossing_another_border_resets_two_squares(after: Callable[..., Game]) -> None:
    """A turn elsewhere breaks the row, also when the piece comes back."""
    game = after(f"r:a4=major {FAR}", SHUTTLE + " a5-a6 g9-g10 a6-a5 i10-i9")
    assert reasons(game, "a5-a4") == []


def test_a_scouts_run_crosses_every_border_on_its_path(after: Callable[..., Game]) -> None:
    """One border common to four runs of different length is enough; a run that stops before it is free."""
    game = after(f"r:a2=scout {FAR}", "a2-a6 i10-i9 a6-a4 i9-i10 a4-a7 g10-g9")
    assert reasons(game, "a7-a4") == [Reason.TWO_SQUARES]
    assert reasons(game, "a7-a1") == [Reason.TWO_SQUARES]
    assert reasons(game, "a7-a5") == [Reason.TWO_SQUARES]
    assert reasons(game, "a7-a6") == []


def test_attacks_count_like_moves(after: Callable[..., Game]) -> None:
    """An attack crosses the border to its target."""
    game = after(f"r:a4=marshal b:a6=miner b:b7=miner {FAR}", "a4-a5 i10-i9 a5-a4 a6-a5 a4-a5 g10-g9")
    assert reasons(game, "a5-a4") == [Reason.TWO_SQUARES]


def test_an_attack_can_be_barred_by_two_squares(after: Callable[..., Game]) -> None:
    """The rule bars moves, and an attack is a move."""
    game = after(f"r:a4=marshal b:b5=miner b:b6=miner {FAR}", "a4-a5 i10-i9 a5-a4 i9-i10 a4-a5 g10-g9")
    assert reasons(game, "a5-b5") == []
    game = after(f"r:a4=marshal b:b4=scout {FAR}", "a4-a5 i10-i9 a5-a4 i9-i10 a4-a5 b4-a4")
    assert reasons(game, "a5-a4") == [Reason.TWO_SQUARES]


def test_who_began_must_stop_first(after: Callable[..., Game]) -> None:
    """Both shuttle; the one who began meets the bar one ply before the other would."""
    game = after(f"r:a4=major b:c10=major {FAR}", "a4-a5 c10-c9 a5-a4 c9-c10 a4-a5 c10-c9")
    assert reasons(game, "a5-a4") == [Reason.TWO_SQUARES]
    game.play(Move(Square("i1"), Square("i2")))
    assert reasons(game, "c9-c10") == [Reason.TWO_SQUARES]


ROUND = "r:a4=marshal b:b5=general"
ROUND_MOVES = "a4-a5 b5-b4 a5-b5 b4-a4 b5-b4 a4-a5 b4-a4 a5-b5"
"""Red's marshal follows blue's general round four squares; a4-a5 would recreate the position after the first threat."""


def test_recreating_a_chase_position_is_barred(after: Callable[..., Game]) -> None:
    """The position after the first threat counts, and so does every later one."""
    game = after(f"{ROUND} {FAR}", ROUND_MOVES)
    assert reasons(game, "a4-a5") == [Reason.CHASE]
    assert game.refusals(Move(Square("a4"), Square("a5")))[0].squares == (Square("a4"), Square("a5"))


def test_vintage_knows_no_chase(after: Callable[..., Game]) -> None:
    """The old Original has the rule as an option, off; turned on it bars."""
    game = after(f"{ROUND} {FAR}", ROUND_MOVES, "vintage")
    assert reasons(game, "a4-a5") == []


def test_chase_can_be_turned_on_as_an_option(game_of: GameOf, moves_of: MovesOf) -> None:
    """Vintage with the option on bars what Original bars."""
    game = game_of(f"{ROUND} {FAR}", rule_set("vintage").with_options({"repetition": "pursuit"}))
    for move in moves_of(ROUND_MOVES):
        game.play(move)
    assert reasons(game, "a4-a5") == [Reason.CHASE]


def barred_at(position: str, moves: str, rules: RuleSet, game_of: GameOf, moves_of: MovesOf) -> tuple[int, str] | None:
    """Play moves until one is refused. Returns its ply, from 1, and the reason."""
    game = game_of(position, rules)
    for ply, move in enumerate(moves_of(moves), 1):
        refusals = game.refusals(move)
        if refusals:
            assert move not in game.legal_actions()
            assert (move.source, move.target) in game.barred()
            return ply, refusals[0].reason.value
        game.play(move)
    return None


TO_AND_FRO = "a4-a5 b5-b4 a5-a4 b4-b5 a4-a5"
"""Booklets 000 and 001: red pursues over two squares, blue evades; with red's third move the position recurs."""
WAITING = "a1-a2 i10-i9 a2-a1 i9-i10"
"""Nobody threatens anybody."""
GOLDEN: dict[str, tuple[str, str, dict[str, tuple[int, str] | None]]] = {
    "round four squares": (
        f"{ROUND} {FAR}",
        f"{ROUND_MOVES} a4-a5",
        {"pursuit": (9, "chase"), "pursuit-exact": (9, "chase"), "situation": (8, "situation"), "none": None},
    ),
    "straight back": (
        f"{ROUND} {FAR}",
        TO_AND_FRO,
        {"pursuit": None, "pursuit-exact": (5, "chase"), "situation": (4, "situation"), "none": None},
    ),
    "straight back, seen from the first threat": (
        f"r:a3=marshal b:b5=general {FAR}",
        f"a3-a4 i10-i9 {TO_AND_FRO}",
        {"pursuit": None, "pursuit-exact": (7, "chase"), "situation": (6, "situation"), "none": None},
    ),
    "without a threat": (
        f"r:a1=major {FAR}",
        WAITING,
        {"pursuit": None, "pursuit-exact": None, "situation": (4, "situation"), "none": None},
    ),
    "two squares": (
        f"r:a4=major {FAR}",
        f"{SHUTTLE} a5-a4",
        {
            "pursuit": (7, "two-squares"),
            "pursuit-exact": (7, "two-squares"),
            "situation": (4, "situation"),
            "none": (7, "two-squares"),
        },
    ),
}
"""For each value of the option the ply at which which rule bars the move; None: every move is legal."""


@pytest.mark.parametrize("name", GOLDEN)
@pytest.mark.parametrize("value", ["pursuit", "pursuit-exact", "situation", "none"])
def test_golden_games_of_each_repetition(name: str, value: str, game_of: GameOf, moves_of: MovesOf) -> None:
    """The same moves by each reading of the booklets, whether ranks are known or not."""
    position, moves, barred = GOLDEN[name]
    rules = rule_set("original").with_options({"repetition": value})
    assert barred_at(position, moves, rules, game_of, moves_of) == barred[value]

    def unknown(position: str, rules: RuleSet) -> Game:
        return Game(rules, game_of(position, rules).occupants())

    assert barred_at(position, moves, rules, unknown, moves_of) == barred[value]


def test_a_situation_is_where_which_piece_stands(game_of: GameOf, moves_of: MovesOf) -> None:
    """Two sergeants that change places make another situation: pieces are told apart without their ranks."""
    rules = rule_set("original").with_options({"repetition": "situation"})
    moves = "a1-a2 i10-i9 b1-a1 i9-i8 a2-b2 i8-i9 b2-b1 i9-i10"
    assert barred_at(f"r:a1=sergeant r:b1=sergeant {FAR}", moves, rules, game_of, moves_of) is None


def test_the_side_to_move_is_no_part_of_a_situation(game_of: GameOf, moves_of: MovesOf) -> None:
    """A scout comes back in three moves while blue makes two: the same board, the other side to move."""
    rules = rule_set("original").with_options({"repetition": "situation"})
    moves = "a1-a3 i10-i9 a3-a2 i9-i10 a2-a1"
    assert barred_at(f"r:a1=scout {FAR}", moves, rules, game_of, moves_of) == (5, "situation")


def test_a_copied_game_remembers_situations(game_of: GameOf, moves_of: MovesOf) -> None:
    """A copy has its own history, shared by both sides as in the first."""
    rules = rule_set("original").with_options({"repetition": "situation"})
    game = game_of(f"r:a1=major {FAR}", rules)
    for move in moves_of("a1-a2 i10-i9 a2-a1"):
        game.play(move)
    copy = game.copy()
    assert reasons(copy, "i9-i10") == [Reason.SITUATION]
    for move in moves_of("i9-i8 a1-b1 i8-h8"):
        copy.play(move)
    assert reasons(copy, "b1-a1") == []
    game.play(Move(Square("i9"), Square("i8")))
    game.play(Move(Square("a1"), Square("b1")))
    assert reasons(game, "i8-h8") == []  # what the copy played since is not among it
    assert reasons(game, "i8-i9") == []


def test_nothing_recurs_after_a_loss(game_of: GameOf, moves_of: MovesOf) -> None:
    """A piece that is gone makes every situation another one; an attack is never barred."""
    rules = rule_set("original").with_options({"repetition": "situation"})
    moves = "a1-a2 i10-i9 e4-e5 i9-i10 a2-a1 g10-g9"
    assert barred_at(f"r:a1=major r:e4=miner b:e5=bomb {FAR}", moves, rules, game_of, moves_of) is None


def test_a_wrong_guess_repeats_no_situation(game_of: GameOf, moves_of: MovesOf) -> None:
    """It moves nothing and is an attack; the move after it that undoes the one before is barred, the guess is not."""
    rules = rule_set("infiltrator").with_options({"repetition": "situation"})
    game = game_of(f"r:e7=infiltrator r:a1=major b:e9=bomb {FAR}", rules)
    for move in moves_of("e7-f7 i10-i9 f7-e7"):
        game.play(move)
    assert reasons(game, "i9-i10") == [Reason.SITUATION]
    game.play(Move(Square("i9"), Square("i8")))
    guess = Infiltrate(Square("e7"), Square("e9"), Rank.SPY)
    assert guess in game.legal_actions()
    game.play(guess)
    assert reasons(game, "i8-i9") == [Reason.SITUATION]
    soon = game_of(f"r:a1=major r:e2=bomb b:e4=infiltrator {FAR}", rules)
    soon.play(Move(Square("a1"), Square("a2")))
    soon.play(Infiltrate(Square("e4"), Square("e2"), Rank.SPY))
    assert reasons(soon, "a2-a1") == [Reason.SITUATION]


def test_position_before_the_first_threat_does_not_count(after: Callable[..., Game]) -> None:
    """A scout threatens on its way out and comes back to where it stood beside a bomb before it all began."""
    game = after(
        f"r:d3=scout b:d4=bomb b:f2=miner {FAR}",
        "d3-f3 f2-e2 f3-e3 e2-f2",
    )
    assert reasons(game, "e3-d3") == []


def test_straight_back_is_allowed_until_two_squares_bars_it(after: Callable[..., Game]) -> None:
    """Back to where the piece came from a turn ago recreates a position and is legal, until the border is crossed too often."""
    position = f"r:f2=major b:e1=miner {FAR}"
    game = after(position, "f2-e2 e1-f1 e2-f2 f1-e1")
    assert reasons(game, "f2-e2") == []
    game = after(position, "f2-e2 e1-f1 e2-f2 f1-e1 f2-e2 e1-f1")
    assert reasons(game, "e2-f2") == [Reason.TWO_SQUARES]


def test_two_squares_is_named_where_both_bar(after: Callable[..., Game]) -> None:
    """A scout's run that crosses a worn border and recreates a chase position is refused for two squares alone."""
    game = after(
        "r:c3=scout r:a3=flag b:b2=major b:a1=bomb b:a2=flag",
        "c3-c2 b2-b1 c2-c1 b1-b2 c1-b1 b2-c2 b1-c1 c2-c3 c1-c2 c3-b3 c2-b2 b3-c3 b2-b3 c3-c2 b3-b2 c2-c3 b2-b3 c3-c2",
    )
    assert reasons(game, "b3-b1") == [Reason.TWO_SQUARES]


def test_a_turn_without_threat_ends_the_chase(after: Callable[..., Game]) -> None:
    """Red moves elsewhere and back: the position is the same, the chase is another."""
    game = after(f"{ROUND} {FAR}", ROUND_MOVES + " i1-i2 i10-i9 i2-i1 i9-i10")
    assert reasons(game, "a4-a5") == []


def test_a_turn_without_evasion_ends_the_chase(after: Callable[..., Game]) -> None:
    """Red threatens two bombs in turn, blue moves a piece that stood by neither: each threat begins a new chase."""
    position = f"{ROUND} r:f6=miner b:e6=bomb b:f8=bomb {FAR}"
    game = after(position, ROUND_MOVES + " f6-f7 i10-i9 f7-f6 i9-i10")
    assert reasons(game, "a4-a5") == []


def test_an_attack_can_be_the_first_threat(after: Callable[..., Game]) -> None:
    """Red takes a scout and stands beside the general: the position after the attack counts."""
    game = after(f"r:a4=marshal b:a5=scout b:b5=general {FAR}", ROUND_MOVES)
    assert reasons(game, "a4-a5") == [Reason.CHASE]


def test_an_attack_ends_both_chases(after: Callable[..., Game]) -> None:
    """A scout dies far away in the middle of the round: only positions after it count, so the round may be gone once more."""
    position = f"{ROUND} r:i6=scout b:i8=bomb {FAR}"
    once = "a4-a5 b5-b4 a5-b5 b4-a4 b5-b4 a4-a5 b4-a4 a5-b5"
    game = after(position, once + " i6-i8 b5-b4")
    assert reasons(game, "a4-a5") == []


def test_an_attack_itself_is_never_barred_by_the_chase_rule(after: Callable[..., Game]) -> None:
    """The rule speaks of moves without attack."""
    game = after(f"{ROUND} {FAR}", ROUND_MOVES.rpartition(" ")[0])
    game.play(Move(Square("a5"), Square("a6")))
    assert reasons(game, "a4-a5") == []
    game = after(f"{ROUND} {FAR}", ROUND_MOVES[: ROUND_MOVES.rindex(" a5-b5")])
    game.play(Move(Square("i10"), Square("i9")))
    assert reasons(game, "a4-a5") == []


def test_bombs_and_flags_are_neighbours(after: Callable[..., Game]) -> None:
    """Going round beside an enemy bomb is a threat like any other; blue's evasion makes it a chase."""
    game = after("r:a2=major b:a1=bomb b:b1=flag b:c2=miner r:j1=flag b:i10=miner", "a2-b2 c2-c3")
    assert threatens(game, Seat.RED)


def test_nobody_is_a_neighbour_across_a_lake(after: Callable[..., Game]) -> None:
    """Pieces on both sides of a lake do not threaten each other."""
    game = after(f"r:b4=major b:e5=miner {FAR}", "b4-b5")
    assert not threatens(game, Seat.RED)


def test_an_infiltration_ends_chases_and_crosses_no_border(game_of: GameOf, moves_of: MovesOf) -> None:
    """A wrong guess leaves everything where it stood, yet it is an attack for the chase rule and no crossing."""
    rules = rule_set("infiltrator")
    position = f"{ROUND} r:e7=infiltrator b:e9=bomb {FAR}"
    game = game_of(position, rules)
    for move in moves_of(ROUND_MOVES):
        game.play(move)
    assert reasons(game, "a4-a5") == [Reason.CHASE]
    game.play(Infiltrate(Square("e7"), Square("e9"), Rank.SPY))
    game.play(Move(Square("i10"), Square("i9")))
    assert reasons(game, "a4-a5") == []
    shuttle = game_of(f"r:e7=infiltrator b:e9=bomb {FAR}", rules)
    for move in moves_of("e7-f7 i10-i9 f7-e7 i9-i10 e7-f7 g10-g9"):
        shuttle.play(move)
    assert reasons(shuttle, "f7-e7") == [Reason.TWO_SQUARES]
    rested = game_of(f"r:e7=infiltrator b:e9=bomb {FAR}", rules)
    for move in moves_of("e7-f7 i10-i9 f7-e7 i9-i10"):
        rested.play(move)
    rested.play(Infiltrate(Square("e7"), Square("e9"), Rank.SPY))
    rested.play(Move(Square("g10"), Square("g9")))
    rested.play(Move(Square("e7"), Square("f7")))
    rested.play(Move(Square("i10"), Square("i9")))
    assert reasons(rested, "f7-e7") == []
    corner = game_of(f"r:a1=miner r:e7=infiltrator b:e9=bomb {FAR}", rules)
    corner.play(Infiltrate(Square("e7"), Square("e9"), Rank.SPY))
    corner.play(Move(Square("i10"), Square("i9")))
    assert reasons(corner, "a1-a2") == reasons(corner, "a1-b1") == []


def test_bars_do_not_depend_on_ranks(game_of: GameOf, moves_of: MovesOf) -> None:
    """A referee that knows no rank bars the same moves for the same reasons."""
    known = game_of(f"{ROUND} {FAR}")
    unknown = Game(known.rule_set, known.occupants())
    for move in moves_of(ROUND_MOVES):
        known.play(move)
        unknown.play(move)
    assert reasons(unknown, "a4-a5") == reasons(known, "a4-a5") == [Reason.CHASE]


def test_who_has_only_barred_moves_loses(after: Callable[..., Game]) -> None:
    """Bars count for the player to move: red's only free piece has crossed its border three times."""
    game = after(
        "r:a1=major r:b1=bomb r:j1=flag r:b2=bomb r:a3=bomb b:j10=flag b:i10=miner b:g10=miner",
        "a1-a2 i10-i9 a2-a1 i9-i10 a1-a2 g10-g9",
    )
    assert game.result is not None
    assert (game.result.winner, game.result.reason.value) == (Seat.BLUE, "immobile")
    assert game.legal_actions() == []
    assert game.mobile(Seat.RED) is Mobility.YES
