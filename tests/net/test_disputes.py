"""What settles a dispute: a piece's way read backwards from what happened, without what was taken back."""

from __future__ import annotations

from dataclasses import replace

from referee.net.topics.codec import encode_public
from referee.net.topics.payloads import ArbiterAck, HandSign, Happened, Step
from referee.rules import rule_set
from referee.rules.values import Seat
from referee.runtime.disputes import newest, square_facts

RULES = rule_set("original")
RED, BLUE = Seat.RED, Seat.BLUE


def ply(number: int, kind: str, source: str, target: str, result: str | None = None) -> Happened:
    """Return a ply as the journal has it."""
    seat = RED if number % 2 else BLUE
    return Happened(1000 * number, number, kind, number, seat, source, target, result)


HISTORY = [
    ply(1, "move.read", "a4", "a5"),
    ply(1, "move.final", "a4", "a5"),
    ply(2, "move.final", "j7", "j6"),
    ply(3, "move.read", "a5", "a6"),
    ply(3, "move.taken-back", "a5", "a6"),
    ply(3, "move.read", "a5", "a6"),
    ply(4, "move.read", "j6", "j5"),
    ply(4, "move.unread", "j6", "j5"),
    ply(3, "move.unread", "a5", "a6"),
    ply(3, "move.final", "b4", "b6"),
    ply(4, "verdict", "b7", "b6", "attacker-wins"),
    ply(5, "verdict", "a5", "a6", "defender-wins"),
]


def test_a_piece_is_followed_back_to_where_it_began() -> None:
    """The blue piece on b6 came by one won attack from b7; it did not run."""
    facts = square_facts("b6", {"b6": BLUE}, HISTORY, [], RULES)
    assert (facts.army, facts.began, facts.ran, facts.attacked) == (BLUE, "b7", False, 1)
    assert facts.way == (Step(4, "b7", "b6", False),)


def test_a_run_is_seen_and_what_was_taken_back_never_was() -> None:
    """Without the attack that took it, the piece on b6 would be the one that ran from b4."""
    facts = square_facts("b6", {"b6": RED}, HISTORY[:-2], [], RULES)
    assert facts.way == (Step(3, "b4", "b6", True),)
    assert facts.ran
    assert square_facts("a5", {"a5": RED}, HISTORY[:-2], [], RULES).way == (Step(1, "a4", "a5", False),)


def test_a_ply_that_was_read_and_refused_never_was() -> None:
    """The piece on j6 did not go back to j7; a refusal of another ply takes nothing away."""
    history = [*HISTORY[:3], ply(3, "move.final", "b4", "b6"), ply(4, "move.read", "j6", "j7")]
    for number in (4, 5):
        facts = square_facts("j7", {"j7": BLUE}, [*history, ply(number, "move.refused", "j6", "j5")], [], RULES)
        assert [step.ply for step in facts.way] == ([] if number == 4 else [2, 4])


def test_a_defender_that_won_has_not_moved_and_was_attacked() -> None:
    """It stands where it stood."""
    facts = square_facts("a6", {"a6": BLUE}, HISTORY, [], RULES)
    assert (facts.began, facts.way, facts.attacked) == ("a6", (), 1)


def test_an_arbiters_corrections_count() -> None:
    """What was taken back to an earlier ply is gone, and so is a verdict that was voided."""
    back = [*HISTORY, Happened(9000, 9, "plies.taken-back", 1)]
    assert square_facts("b7", {"b7": BLUE}, back, [], RULES).way == ()
    assert square_facts("a5", {"a5": RED}, back, [], RULES).way == (Step(1, "a4", "a5", False),)
    voided = [*HISTORY[:-1], Happened(9000, 9, "verdict.voided", 4, BLUE, "b7", "b6")]
    assert square_facts("b6", {"b6": RED}, voided, [], RULES).way == (Step(3, "b4", "b6", True),)


def test_hands_at_the_square_are_told_and_no_others() -> None:
    """Was that square lifted?"""
    hands = [HandSign(5, "c4", "lifted", 1), HandSign(6, "d4", "lifted", 1), HandSign(7, "c4", "returned", 1)]
    facts = square_facts("c4", {}, [], hands, RULES)
    assert facts.hands == (hands[0], hands[2])
    assert (facts.army, facts.began) == (None, None)


def test_whatever_was_asked_the_answer_fits_its_topic() -> None:
    """A piece that went to and fro all day, and a square that hands were at all day: the newest is told, and how much there was."""
    there_and_back = [
        ply(number, "move.final", *(("a4", "a5") if number % 4 == 1 else ("a5", "a4"))) for number in range(1, 4001, 2)
    ]
    hands = [HandSign(1_800_000_000_000 + at, "a4", "returned", 4000) for at in range(256)]
    facts = square_facts("a4", {"a4": RED}, there_and_back, hands, RULES)
    assert (facts.began, facts.moved, facts.ran) == ("a4", 2000, False)
    assert facts.way[-1] == Step(3999, "a5", "a4", False)
    assert facts.hands[-1] == hands[-1]
    assert square_facts("a4", {"a4": RED}, [ply(1, "move.final", "a3", "a5"), *there_and_back[1:]], [], RULES).ran
    long = [
        replace(one, at_ms=1_800_000_000_000, kind="plies.taken-back", result="defender-wins", text="two-squares " * 4)
        for one in there_and_back
    ]
    assert encode_public(ArbiterAck("0" * 24, True, "done", "0" * 16, 9999, facts=facts, history=newest(long)))


def test_the_newest_history_has_a_limit() -> None:
    """What an answer can carry; the beginning is what goes."""
    long = [ply(number, "move.final", "a4", "a5") for number in range(1, 200)]
    assert newest(long)[-1] == long[-1]
    assert len(newest(long)) == 60
