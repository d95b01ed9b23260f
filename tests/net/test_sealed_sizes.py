"""Whatever is said, a letter has one of two sizes, and everything that has to be said fits."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given, settings

from referee.net.errors import MessageTooLongError
from referee.net.sealing.sealing import LARGE_PAYLOAD, SMALL_PAYLOAD, fitted
from referee.rules.values import Rank, Seat
from referee.table.messages import (
    Accepted,
    Consent,
    Declare,
    Enrol,
    FromHandset,
    History,
    Question,
    QuestionKind,
    Rejected,
    SeatState,
    ToHandset,
    Told,
    Verdict,
)
from tests.amount import tries
from tests.net.made_up import LETTERS, MESSAGES
from tests.net.sealed_ends import FILES, GAME, SET_UP, Ends


def test_sizes_on_the_wire() -> None:
    """Golden sizes: 256 and 4,096 plain bytes, 40 more for nonce and authenticator."""
    assert (SMALL_PAYLOAD, LARGE_PAYLOAD) == (296, 4136)


def test_every_rank_and_every_verdict_has_one_size(ends: Ends) -> None:
    """Declarations, questions, verdicts, answers and refusals of any rank cannot be told apart by their length."""
    small: list[FromHandset] = [Declare(id=f"d{n}", question=1, rank=rank) for n, rank in enumerate(Rank)]
    words: list[ToHandset] = [
        *(Verdict(id="v", question=1, ply=9, result="attacker-wins", own=rank, other=None) for rank in Rank),
        Question(
            id="q",
            question=1,
            kind=QuestionKind.DECLARE,
            ply=9,
            source="a1",
            target="a2",
            square="a1",
            choices=("bomb",),
        ),
        Accepted(id="a", re="d1"),
        Rejected(id="b", re="d1", reason="impossible-rank"),
    ]
    assert {len(ends.said(ends.handset, message)) for message in small} == {SMALL_PAYLOAD}
    assert {len(ends.written(message)) for message in words} == {SMALL_PAYLOAD}
    large: list[FromHandset] = [
        Enrol(id="e", set_up={"a1": Rank.SPY}),
        Enrol(id="e", set_up=SET_UP),
        Consent(id="c", set_up=SET_UP),
    ]
    assert {len(ends.said(ends.handset, message)) for message in large} == {LARGE_PAYLOAD}


@settings(max_examples=tries(50))
@given(said=MESSAGES, written=LETTERS)
def test_the_size_tells_the_kind_and_nothing_more(said: FromHandset, written: ToHandset) -> None:
    """Whatever a message says, it is as long as any other of its kind."""
    ends = Ends()
    with suppress(MessageTooLongError):  # then nothing is sent
        assert len(ends.said(ends.handset, said)) == size_of(said)
    with suppress(MessageTooLongError):
        assert len(ends.written(written)) == size_of(written)


def size_of(message: FromHandset | ToHandset) -> int:
    """Return the bytes on the wire of a message of this kind."""
    return LARGE_PAYLOAD if isinstance(message, Enrol | Consent | SeatState | History) else SMALL_PAYLOAD


def test_the_longest_question_fits() -> None:
    """All fourteen ranks as choices, long square names and high numbers still fit 256 bytes."""
    choices = tuple(rank.value for rank in Rank)
    question = Question(
        id="r99999",
        question=9999,
        kind=QuestionKind.DECLARE,
        ply=9999,
        source="turret",
        target="j10",
        square="j10",
        choices=choices,
    )
    assert len(fitted(question)) <= 256 - 41


def test_the_largest_states_fit() -> None:
    """Forty own pieces, forty seen ones and an open question fit 4,096 bytes, and so does the castle's largest army."""
    seen = {f"{file}{number}": Rank.INFILTRATOR for file in FILES for number in range(7, 11)}
    question = Question(
        id="r9",
        question=9,
        kind=QuestionKind.DECLARE,
        ply=9,
        source="a1",
        target="a2",
        square="a1",
        choices=tuple(SET_UP),
    )
    state = SeatState(id="r1", seat=Seat.YELLOW, ply=9999, ready=True, own=SET_UP, seen=seen, question=question)
    assert len(fitted(state)) <= 4096 - 41


def test_the_answer_to_the_longest_id_fits() -> None:
    """A handset cannot choose an id whose answer or refusal would not fit."""
    assert len(fitted(Accepted(id="r" * 48, re="x" * 48))) <= 256 - 41
    assert len(fitted(Rejected(id="r" * 48, re="x" * 48, reason="contradicts-the-game-and-more"))) <= 256 - 41


def test_a_refusal_is_cut_to_what_fits_and_all_else_is_an_error(ends: Ends) -> None:
    """The squares that explain a refusal are shortened; a message that cannot be shortened is not sent."""
    squares = tuple(f"{file}{number}" for file in FILES for number in range(1, 11))
    opened = ends.handset.open(
        ends.written(Rejected(id="r", re="x", reason="bad-set-up", detail=squares)), GAME
    ).message
    assert isinstance(opened, Rejected)
    assert opened.detail == squares[: len(opened.detail)]
    assert len(opened.detail) > 20
    told = ends.handset.open(ends.written(Told(id="r", ply=1, reason="chase", squares=squares)), GAME).message
    assert isinstance(told, Told)
    assert 20 < len(told.squares) < 100
    with pytest.raises(MessageTooLongError, match="Declare") as caught:
        ends.said(ends.handset, Declare(id="x" * 300, question=1, rank=Rank.SPY))
    assert "spy" not in str(caught.value)


def test_the_same_letter_never_looks_the_same(ends: Ends) -> None:
    """Two letters with one content share no bytes pattern: the nonce is new each time."""
    message = Accepted(id="a", re="x")
    assert ends.written(message) != ends.written(message)
