"""Random games of every rule set under fire, and the records that their facts become."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.journal.journal_to_record import record_of
from referee.journal.records.check import judge
from referee.journal.records.formats import read_record, write_record
from referee.rules import EndReason, Game, GameResult, Move, RuleSet, rule_set
from referee.rules.values import Rank
from referee.runtime.set_ups import generate
from referee.table.dual_game import DualGame
from referee.table.replay import rebuild, told_settings
from referee.table.views import Mode, Reveal
from tests.amount import tries
from tests.table.inputs import CLOCKS
from tests.table.storm import Storm

PLIES = {"original": 30, "classic": 40, "infiltrator": 40, "duel": 80, "barrage": 80}
SETS = ("original", "duel", "barrage", "classic", "infiltrator", "stratego4", "stratego4-three", "stratego4-teams")


def storm(rules: RuleSet, seed: int, plies: int, sparse: bool = False, decided: int = 0) -> Storm:
    """Play a game that a seed decides; the moves of so many seats are decided elsewhere."""
    rng = random.Random(seed)
    for name in {"slider", "move_then_infiltrate"} & rules.options.keys():
        rules = rules.with_options({name: rng.choice(rules.options[name].choices)})
    mode, reveal, junk = rng.choice(list(Mode)), rng.choice(list(Reveal)), rng.choice([0.0, 0.2, 0.4])
    table = Storm(
        rules, mode, reveal, rng, junk, clock=rng.choice(CLOCKS), decided=rules.seats[len(rules.seats) - decided :]
    )
    table.play(plies, sparse)
    return table


def prove_record(table: Storm) -> None:
    """Prove that the facts become a record that is legal to the last ply and comes back from its text."""
    record = record_of((fact for step in table.steps for fact in step.facts), table.rules)
    judgement = judge(record)
    assert judgement.legal, (judgement.ply, judgement.reason, judgement.details)
    assert len(record.plies) == table.listener.ply
    assert record.result is not None
    assert read_record(write_record(record, "own").encode()) == record


@pytest.mark.parametrize("name", SETS)
@settings(max_examples=tries(3), deadline=None)
@given(seed=st.integers(0, 2**32))
def test_a_table_under_fire_keeps_its_promises(name: str, seed: int) -> None:
    """Nothing raises, what is rejected changes nothing, events and view and truth agree, and the record is legal."""
    prove_record(storm(rule_set(name), seed, PLIES.get(name, 25)))


@pytest.mark.parametrize("name", SETS)
@settings(max_examples=tries(3), deadline=None)
@given(seed=st.integers(0, 2**32))
def test_few_pieces_that_stand_anywhere_are_played_to_an_end(name: str, seed: int) -> None:
    """Flags, guesses, shots, recruits and every way to end a game come soon there."""
    plies = 40 if name.startswith("stratego4") else 100
    assert storm(rule_set(name), seed, plies, sparse=True).table.result is not None


@pytest.mark.parametrize("name", SETS)
@settings(max_examples=tries(3), deadline=None)
@given(seed=st.integers(0, 2**32))
def test_seats_whose_moves_are_decided_elsewhere(name: str, seed: int) -> None:
    """One of them, or all; no ply but the decided one comes about, and the rest is as in any game."""
    sparse = seed % 2 == 0
    table = storm(rule_set(name), seed, PLIES.get(name, 25), sparse, 1 + seed % len(rule_set(name).seats))
    if not sparse:  # which begins with a jump, that has no record
        prove_record(table)
        rows = [fact for step in table.steps for fact in step.facts]
        rebuilt = rebuild(told_settings(rows, lambda _: table.rules), rows).table
        assert (rebuilt.result, rebuilt.view().occupants) == (table.table.result, table.table.view().occupants)
    facts = [fact.event for step in table.steps for fact in step.facts if fact.event is not None]
    told = {(event.ply, event.source, event.target) for event in facts if event.kind == "move.decided"}
    done = [
        event
        for event in facts
        if event.kind in ("move.read", "move.revised", "attack") and event.seat in table.decided
    ]
    assert {(event.ply, event.source, event.target) for event in done} <= told


def test_a_lost_army_ends_the_game_by_what_everybody_knows() -> None:
    """Captured ranks are public, and every army is whole: in the ply in which the ranks say so, the public knows it too, in either mode."""
    ends = 0
    for seed in range(tries(100)):
        rng = random.Random(seed)
        rules = rule_set(("duel", "duel-compact")[seed % 2])
        set_ups = {seat: generate(rules, seat, rng) for seat in rules.seats}
        occupants = {square: seat for seat, placed in set_ups.items() for square in placed}
        ranks = {square: rank for placed in set_ups.values() for square, rank in placed.items()}
        truth = Game(rules, occupants, ranks)
        declared = DualGame(Game(rules, occupants), Game(rules, occupants), ends_by_public=True)
        enrolled = DualGame(Game(rules, occupants), truth, ends_by_public=False)
        rank_of = {truth.piece_at(square): rank for square, rank in ranks.items()}
        while enrolled.result is None and truth.ply < 250:
            moves = [action for action in truth.legal_actions() if isinstance(action, Move)]
            moves = [m for m in moves if rank_of.get(truth.piece_at(m.target)) is not Rank.FLAG] or moves
            action = rng.choice([move for move in moves if truth.is_attack(move)] or moves)
            met = {piece: rank_of[piece] for at in (action.source, action.target) if (piece := truth.piece_at(at))}
            verdict = rules.combat(*met.values()) if len(met) == 2 else None
            for books in (declared, enrolled):
                books.play(action, verdict, met if verdict else None)
        if enrolled.result == GameResult(truth.turn, EndReason.IMMOBILE):
            assert enrolled.public.result == declared.public.result == enrolled.result
            ends += 1
    assert ends > tries(3)
