"""Stratego 4: ways round and onto the castle (rules, section 7), held against the drawing of the board."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from referee.rules import CombatResult, EndReason, Game, Move, Pass, rule_set
from referee.rules.outcomes import Mobility, Reason
from referee.rules.values import Rank, Seat
from tests.rules.castle_table import Drawing, move, reasons, sq


@pytest.mark.parametrize(("name", "seed"), [("stratego4", 1), ("stratego4", 2), ("stratego4-teams", 3)])
def test_moves_agree_with_the_drawing(
    name: str, seed: int, set_ups: Callable[..., Any], start: Callable[..., Game]
) -> None:
    """Basic moves at every few plies of random games equal those found cell by cell; so do castle, flags and turns."""
    rng = random.Random(seed)
    game = start(rule_set(name), set_ups(rule_set(name), rng))
    assert game.castle is not None
    for number in range(420):
        if game.result is not None:
            break
        if number % 6 == 0 and not game.castle.owed:
            prospects = game.situation().prospects
            assert {(p.source, *p.path) for p in prospects} == Drawing(game).all_paths()
            assert len({(p.source, p.path) for p in prospects}) == len(prospects)
        actions = game.legal_actions()
        inward = [a for a in actions if isinstance(a, Move) and a.target.name in ("ring", "turret")]
        game.play(rng.choice(inward if inward and rng.random() < 0.3 else actions))


def test_captain_goes_two_steps_and_may_turn(four: Callable[..., Game]) -> None:
    """Two steps in any direction but back, one attack at most, which ends the move."""
    game = four("r:e2=captain b:e4=spy b:d3=scout")
    assert reasons(game, move("e2-g2")) == []
    assert reasons(game, move("e2-e3-f3")) == []
    assert reasons(game, move("e2-e4")) == []
    assert reasons(game, move("e2-e3-d3")) == []
    assert reasons(game, move("e2-d2-d3")) == []
    assert reasons(game, move("e2-d2-e2")) == [Reason.NOT_A_MOVE]
    assert reasons(game, move("e2-h2")) == [Reason.TOO_FAR]
    assert reasons(game, move("e2-e5")) == [Reason.TOO_FAR, Reason.BLOCKED]
    played = game.play(move("e2-e3-d3"))
    assert played.result is CombatResult.ATTACKER_WINS
    assert game.piece_at(sq("d3")) == played.piece


def test_others_go_one_step(four: Callable[..., Game]) -> None:
    """Neither two steps nor a run for a major."""
    game = four("r:e2=major")
    for text in ("e2-g2", "e2-e3-f3", "e2-e5"):
        assert Reason.TOO_FAR in reasons(game, move(text))
    assert reasons(game, move("e2-e3")) == []


def test_scout_runs_and_may_attack_any_neighbour_of_its_end(four: Callable[..., Game]) -> None:
    """The run is straight over clear spaces, the attack after it may turn; without an attack he does not turn."""
    game = four("r:e1=scout b:d3=spy b:f5=spy")
    assert reasons(game, move("e1-e3-d3")) == []
    assert reasons(game, move("e1-e5-f5")) == []
    assert reasons(game, move("e1-e13")) == []
    assert reasons(game, move("e1-e3-f3")) == [Reason.NOT_A_MOVE]


def test_scouts_attack_may_be_straight_on_only(game_of: Callable[..., Game]) -> None:
    """An option: no turn after a run; a captain's is his own."""
    rules = rule_set("stratego4").with_options({"scout_attack": "straight-on"})
    others = "g:j13=sergeant y:m4=sergeant"
    game = game_of(f"r:e1=scout b:d3=spy b:e5=spy b:f2=spy {others}", rules)
    for text in ("e1-e3-d3", "e1-e2-f2"):
        assert reasons(game, move(text)) == [Reason.TOO_FAR if text == "e1-e2-f2" else Reason.NOT_A_MOVE]
    assert reasons(game, move("e1-e5")) == []
    game = game_of(f"r:e1=captain b:f2=spy {others}", rules)
    assert reasons(game, move("e1-e2-f2")) == []


def test_scout_enters_and_leaves_the_ring_by_single_steps(four: Callable[..., Game]) -> None:
    """The castle is no clear board space: he steps onto the ring, never runs onto or through it."""
    game = four("r:g3=scout")
    assert reasons(game, move("g3-g5")) == []
    assert reasons(game, move("g3-g5-ring")) == [Reason.NOT_A_MOVE]
    assert reasons(game, move("g3-ring")) == [Reason.NOT_A_MOVE]
    assert reasons(game, move("g3-g9")) == [Reason.NOT_A_MOVE]
    game = four("r:g5=scout")
    assert reasons(game, move("g5-ring")) == []
    game = four("r:ring=scout")
    assert reasons(game, move("ring-g5")) == []
    assert reasons(game, move("ring-g4")) == [Reason.NOT_A_MOVE]
    game = four("r:g3=scout b:ring=spy")
    assert reasons(game, move("g3-g5-ring")) == []


def test_ring_is_one_space(four: Callable[..., Game]) -> None:
    """Who stands on it can go on to any space around it; a second piece must attack or stay out."""
    game = four("r:ring=captain b:e6=spy g:h9=spy")
    assert reasons(game, move("ring-e6")) == []
    assert reasons(game, move("ring-g9-h9")) == []
    game = four("r:g5=captain")
    assert reasons(game, move("g5-ring-e7")) == []
    game = four("r:g5=captain r:ring=spy")
    assert reasons(game, move("g5-ring")) == [Reason.OWN_PIECE]
    assert Reason.BLOCKED in reasons(game, move("g5-ring-e7"))


def test_two_squares_limit_is_five(four: Callable[..., Game]) -> None:
    """Five crossings are allowed, the sixth is not; a pass and a shot cross nothing."""
    game = four("r:e2=major r:f1=spy b:a5=spy b:b5=spy g:f13=spy g:g13=spy y:m5=spy y:l5=spy")
    there, back = move("e2-e3"), move("e3-e2")
    waits = {
        Seat.BLUE: ["a5-a6", "b5-b6", "a6-a5", "b6-b5"],
        Seat.GREEN: ["f13-f12", "g13-g12", "f12-f13", "g12-g13"],
        Seat.YELLOW: ["m5-m6", "l5-l6", "m6-m5", "l6-l5"],
    }
    for number in range(5):
        game.play(there if number % 2 == 0 else back)
        for seat in (Seat.BLUE, Seat.GREEN, Seat.YELLOW):
            assert game.turn is seat
            game.play(move(waits[seat][number % 4]))
    assert reasons(game, back) == [Reason.TWO_SQUARES]
    assert game.barred() == ((back.source, back.target),)
    assert reasons(game, move("e3-e4")) == []
    game.end(None, EndReason.AGREED)
    assert game.barred() == ()


@pytest.mark.parametrize(
    ("rank", "neighbours", "mobility", "may_pass"),
    [
        (None, "", Mobility.YES, False),
        (Rank.SERGEANT, "", Mobility.YES, False),
        (Rank.CANNON, "", Mobility.YES, False),
        (None, "d2 e1", Mobility.UNKNOWN, True),
        (Rank.SERGEANT, "d2 e1", Mobility.YES, False),
        (Rank.CANNON, "d2 e1", Mobility.NO, True),
    ],
)
def test_who_must_act_follows_from_what_is_known(
    rank: Rank | None, neighbours: str, mobility: Mobility, may_pass: bool
) -> None:
    """A piece that may be a cannon attacks no neighbour: shut in by enemies it may pass, unless it is known to be another."""
    others = {sq("a10"): Seat.BLUE, sq("j13"): Seat.GREEN, sq("m4"): Seat.YELLOW}
    beside = {sq(name): Seat.BLUE for name in neighbours.split()}
    ranks = {} if rank is None else {sq("d1"): rank}
    game = Game(rule_set("stratego4"), {sq("d1"): Seat.RED, **others, **beside}, ranks)
    assert game.mobile(Seat.RED) is mobility
    assert (Pass() in game.legal_actions()) == may_pass == (game.refusals(Pass()) == ())
