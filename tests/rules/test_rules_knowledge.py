"""Partial knowledge: what follows of unknown pieces from moves, runs, counts and verdicts, and nothing more than that."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.rules import CombatResult, Game, Infiltrate, Move, RuleSet, rule_set
from referee.rules.knowledge import feasible, narrow
from referee.rules.outcomes import ContradictionError, Doubt, DoubtKind
from referee.rules.values import PieceId, Rank, Seat, Square
from tests.amount import tries

SHORT = ("original", "duel", "barrage", "classic", "infiltrator", "stratego4", "stratego4-three", "stratego4-teams")


def move(text: str) -> Move:
    """Return the move of a word like `a4-a5`."""
    source, _, target = text.partition("-")
    return Move(Square(source), Square(target))


def by_trying(masks: Sequence[int], counts: Sequence[int]) -> list[int] | None:
    """Narrow by trying every assignment."""
    ranks = range(len(counts))
    found = [0] * len(masks)
    for ways in itertools.product(*([rank for rank in ranks if mask >> rank & 1] for mask in masks)):
        if all(ways.count(rank) <= counts[rank] for rank in ranks):
            for piece, rank in enumerate(ways):
                found[piece] |= 1 << rank
    return found if all(found) else None


@settings(max_examples=tries(300), deadline=None)
@given(st.lists(st.integers(0, 15), min_size=1, max_size=6), st.lists(st.integers(0, 3), min_size=4, max_size=4))
def test_narrowing_is_exact(masks: list[int], counts: list[int]) -> None:
    """A rank stays possible if and only if some complete assignment uses it: the flow against trying them all."""
    assert narrow(masks, counts) == by_trying(masks, counts)
    assert feasible(masks, counts) == (by_trying(masks, counts) is not None)


def unknown(known: Game) -> Game:
    """Return the same position with no rank known."""
    return Game(known.rule_set, known.occupants(), turn=known.turn)


def ranks_of(rules: RuleSet, known: Game) -> dict[PieceId, Rank]:
    """Return the true ranks of a game in which all are known."""
    pieces = [piece for seat in rules.seats for piece in known.pieces(seat)]
    return {piece: next(iter(known.possible(piece))) for piece in pieces}


@pytest.mark.parametrize("name", SHORT)
@pytest.mark.parametrize("seed", [1, 2])
def test_the_truth_is_never_excluded(
    name: str, seed: int, set_ups: Callable[..., Any], start: Callable[..., Game]
) -> None:
    """A referee that hears verdicts and captured ranks only never rules out what is so, nor a legal action, nor a bar."""
    rng = random.Random(seed)
    rules = rule_set(name)
    known = start(rules, set_ups(rules, rng))
    truth = ranks_of(rules, known)
    public = unknown(known)
    for ply in range(60 if name.startswith("stratego4") else 250):
        if known.result is not None:
            break
        actions = known.legal_actions()
        if ply % 7 == 0:
            assert {repr(action) for action in actions} <= {repr(action) for action in public.legal_actions()}
            for prospect in known.situation().prospects:
                wish = Move(prospect.source, prospect.target, prospect.path_told)
                assert public.refusals(wish) == known.refusals(wish)
        action = rng.choice(actions)
        played = known.play(action)
        guessed = isinstance(action, Infiltrate)
        shown = {} if guessed else {piece: truth[piece] for piece in played.captured}
        assert public.play(action, played.result, shown) == played
        assert (public.turn, public.ply, public.occupants()) == (known.turn, known.ply, known.occupants())
        assert all(rank in public.possible(piece) for piece, rank in truth.items())
        assert public.result in (None, known.result)


@pytest.mark.parametrize("name", ["original", "barrage", "infiltrator", "stratego4"])
def test_singletons_are_full_knowledge(name: str, set_ups: Callable[..., Any], start: Callable[..., Game]) -> None:
    """A game that was told every rank piece by piece gives the same moves, verdicts and end as one that knew them all."""
    rng = random.Random(4)
    rules = rule_set(name)
    known = start(rules, set_ups(rules, rng))
    told = unknown(known)
    for piece, rank in ranks_of(rules, known).items():
        told.learn(piece, frozenset({rank}))
    for _ in range(40 if name == "stratego4" else 200):
        if known.result is not None:
            break
        actions = known.legal_actions()
        assert sorted(map(repr, actions)) == sorted(map(repr, told.legal_actions()))
        action = rng.choice(actions)
        assert told.play(action) == known.play(action)
        assert told.result == known.result


@pytest.fixture
def game() -> Game:
    """Return Original from the start with nothing known, every piece on its own square."""
    rules = rule_set("original")
    return Game(rules, {square: seat for seat in rules.seats for square in rules.zone(seat)})


def at(game: Game, name: str) -> PieceId:
    """Return the piece on a square."""
    piece = game.piece_at(Square(name))
    assert piece is not None
    return piece


def test_a_step_shows_neither_bomb_nor_flag(game: Game) -> None:
    """Any move narrows to ranks that move, no further."""
    assert game.possible(at(game, "a4")) == frozenset(game.rule_set.army)
    game.play(move("a4-a5"))
    assert game.possible(at(game, "a5")) == frozenset(game.rule_set.army) - {Rank.BOMB, Rank.FLAG}


def test_a_run_shows_a_scout(game: Game) -> None:
    """More than one square is a scout; once eight are known nobody else can be one, and runs are refused."""
    rules = game.rule_set
    blue = {Square(name): Seat.BLUE for name in ("g10", "h10", "i10", "j10")}
    game = Game(rules, {**dict.fromkeys(rules.zone(Seat.RED), Seat.RED), **blue})
    steps = itertools.cycle(["g10-g9", "h10-h9", "i10-i9", "g9-g10", "h9-h10", "i9-i10"])
    runs = ("a4-a6", "b4-b6", "e4-e6", "f4-f6", "i4-i6", "j4-j6", "a3-a5")
    for run in runs:
        game.play(move(run))
        assert game.possible(at(game, run[3:])) == {Rank.SCOUT}
        game.play(move(next(steps)))
    assert Rank.SCOUT in game.possible(at(game, "e3"))
    game.play(move("b3-b5"))
    assert Rank.SCOUT not in game.possible(at(game, "e3"))
    game.play(move(next(steps)))
    assert [refusal.reason.value for refusal in game.refusals(move("e3-e5"))] == ["too-far"]


def test_counts_pin_the_others_down(game: Game) -> None:
    """One marshal a side: once it is known, no other piece is one; thirty-three movers leave seven bombs and flag."""
    game.learn(at(game, "a1"), frozenset({Rank.MARSHAL}))
    assert Rank.MARSHAL not in game.possible(at(game, "b1"))
    assert Rank.MARSHAL in game.possible(at(game, "a10"))
    still = frozenset({Rank.BOMB, Rank.FLAG})
    for square in game.rule_set.zone(Seat.RED)[:7]:
        if square.name != "a1":
            game.learn(at(game, square.name), still)
    assert game.possible(at(game, "h1")) == frozenset(game.rule_set.army) - {Rank.MARSHAL}
    game.learn(at(game, "h1"), still)
    assert game.possible(at(game, "i1")) == frozenset(game.rule_set.army) - {Rank.MARSHAL, Rank.BOMB, Rank.FLAG}


def test_pieces_that_cannot_move_any_more_lose_their_moves(game: Game) -> None:
    """Thirty-three pieces are told to move: the other seven are bombs and flag and have no moves left."""
    zone = game.rule_set.zone(Seat.RED)
    for square in zone[:33]:
        game.learn(at(game, square.name), frozenset(game.rule_set.army) - {Rank.BOMB, Rank.FLAG})
    assert [refusal.reason.value for refusal in game.refusals(move("e4-e5"))] == ["immobile"]
    assert {a.source.name for a in game.legal_actions() if isinstance(a, Move)} == {"a4", "b4"}


def test_a_verdict_narrows_the_survivor() -> None:
    """Whoever beat a major is stronger or, where the major attacked, a bomb; who lost to it as an attacker is weaker."""
    rules = rule_set("original")
    occupants = {Square("a4"): Seat.RED, Square("j1"): Seat.RED, Square("a5"): Seat.BLUE, Square("j10"): Seat.BLUE}
    game = Game(rules, occupants)
    game.play(move("a4-a5"), CombatResult.DEFENDER_WINS, {at(game, "a4"): Rank.MAJOR})
    assert game.possible(at(game, "a5")) == {Rank.COLONEL, Rank.GENERAL, Rank.MARSHAL, Rank.BOMB}
    game = Game(rules, occupants)
    other = at(game, "a5")
    game.play(move("a4-a5"), CombatResult.ATTACKER_WINS, {other: Rank.BOMB})
    assert game.possible(at(game, "a5")) == {Rank.MINER}
    game = Game(rules, occupants)
    one, other = at(game, "a4"), at(game, "a5")
    game.play(move("a4-a5"), CombatResult.BOTH_LOST)
    assert game.possible(one) == game.possible(other) == frozenset(rules.army) - {Rank.BOMB, Rank.FLAG, Rank.SPY}


def test_known_ranks_need_no_verdict() -> None:
    """Where only one verdict is possible it need not be told, even if a rank is open."""
    rules = rule_set("original")
    occupants = {Square("a4"): Seat.RED, Square("j1"): Seat.RED, Square("a5"): Seat.BLUE, Square("j10"): Seat.BLUE}
    game = Game(rules, occupants, {Square("a4"): Rank.MINER, Square("a5"): Rank.BOMB})
    assert game.play(move("a4-a5")).result is CombatResult.ATTACKER_WINS
    game = Game(rules, occupants, {Square("a5"): Rank.FLAG})
    assert game.play(move("a4-a5")).result is CombatResult.FLAG_TAKEN


def contradiction(game: Game, piece: PieceId, rank: Rank) -> list[DoubtKind]:
    """Learn an impossible rank and return why it is one; nothing may change, and no rank may be named."""
    before = {p: game.possible(p) for seat in game.rule_set.seats for p in game.pieces(seat)}
    with pytest.raises(ContradictionError) as error:
        game.learn(piece, frozenset({rank}))
    assert {p: game.possible(p) for p in before} == before
    assert rank.value not in str(error.value)
    assert all(isinstance(doubt, Doubt) and doubt.piece == piece for doubt in error.value.doubts)
    return [doubt.why for doubt in error.value.doubts]


def test_contradictions_name_their_reason(game: Game) -> None:
    """It moved, it ran, the army has no more of them, it was told otherwise, the army has none."""
    game.play(move("a4-a5"))
    game.play(move("b7-b5"))
    assert contradiction(game, at(game, "a5"), Rank.BOMB) == [DoubtKind.MOVED]
    assert contradiction(game, at(game, "b5"), Rank.MINER) == [DoubtKind.RAN]
    assert contradiction(game, at(game, "b5"), Rank.CANNON) == [DoubtKind.NOT_IN_ARMY]
    game.learn(at(game, "a1"), frozenset({Rank.MARSHAL}))
    assert contradiction(game, at(game, "b1"), Rank.MARSHAL) == [DoubtKind.ARMY_COUNT]
    assert contradiction(game, at(game, "a1"), Rank.GENERAL) == [DoubtKind.TOLD]
    attacker = at(game, "a5")
    game.play(move("a5-b5"), CombatResult.ATTACKER_WINS, {at(game, "b5"): Rank.SCOUT})
    assert contradiction(game, attacker, Rank.SPY) == [DoubtKind.VERDICT]


def test_a_contradiction_in_play_changes_nothing(game: Game) -> None:
    """A shown rank that cannot be, or a verdict that cannot come of the ranks, leaves the attack unplayed."""
    game.play(move("a4-a6"))
    game.play(move("j7-j6"))
    attacker, defender = at(game, "a6"), at(game, "a7")
    both = [Doubt(attacker, DoubtKind.VERDICT), Doubt(defender, DoubtKind.VERDICT)]
    for shown, result, doubts in (
        ({attacker: Rank.MARSHAL}, CombatResult.ATTACKER_WINS, [Doubt(attacker, DoubtKind.RAN)]),
        (
            {attacker: Rank.BOMB},
            CombatResult.ATTACKER_WINS,
            [Doubt(attacker, DoubtKind.RAN), Doubt(attacker, DoubtKind.MOVED)],
        ),
        ({attacker: Rank.SCOUT, defender: Rank.MAJOR}, CombatResult.ATTACKER_WINS, both),
        ({defender: Rank.BOMB}, CombatResult.BOTH_LOST, both),
    ):
        with pytest.raises(ContradictionError) as error:
            game.play(move("a6-a7"), result, shown)
        assert list(error.value.doubts) == doubts
        assert (game.ply, game.turn, game.piece_at(Square("a7"))) == (2, Seat.RED, defender)
        assert game.possible(defender) == frozenset(game.rule_set.army)


def test_joint_contradictions_are_found(game: Game) -> None:
    """Two marshals told at once in one army, or a set of ranks that the counts leave to nobody."""
    for name in ("a1", "b1", "c1", "d1", "e1", "f1"):
        game.learn(at(game, name), frozenset({Rank.BOMB}))
    assert contradiction(game, at(game, "g1"), Rank.BOMB) == [DoubtKind.ARMY_COUNT]
    assert Rank.BOMB not in game.possible(at(game, "h1"))


def test_possible_for_an_action(game: Game) -> None:
    """What a piece may be if it does this: asked before it is played, for the question to its owner."""
    piece = at(game, "a4")
    assert game.possible_for(piece, move("a4-a5")) == frozenset(game.rule_set.army) - {Rank.BOMB, Rank.FLAG}
    assert game.possible_for(piece, move("a4-a6")) == {Rank.SCOUT}
    assert game.possible_for(piece, move("a4-b6")) == frozenset()


def test_copies_know_apart(game: Game) -> None:
    """What a copy learns stays in the copy."""
    other = game.copy()
    other.learn(at(other, "a1"), frozenset({Rank.MARSHAL}))
    other.play(move("a4-a6"))
    assert game.possible(at(game, "a1")) == game.possible(at(game, "a4")) == frozenset(game.rule_set.army)
    assert not game.moved(at(game, "a4"))
