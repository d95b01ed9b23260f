"""The text of a set-up without a browser: what is written is read again, and how it looks."""

from __future__ import annotations

from random import Random

import pytest

from referee.journal.records.gravon import PIECES
from referee.journal.records.set_up_text import SetUpTextError, TextFault, TextFaultKind, read_set_up, write_set_up
from referee.rules import rule_set
from referee.rules.values import Rank, Seat
from referee.runtime.set_ups import generate
from tests.web.set_up_sheets import announced


@pytest.mark.parametrize("rules", ["original", "duel", "vintage", "stratego4"])
def test_what_is_written_is_read_again(rules: str) -> None:
    """Whole armies and half ones, of every seat; letters are capitals, and a dot is no piece."""
    info = announced(rules)
    for seat in rule_set(rules).seats:
        placed = {square.name: rank for square, rank in generate(rule_set(rules), seat, Random(7)).items()}
        half = dict(list(placed.items())[::2])
        for some in (placed, half):
            text = write_set_up(info, seat, some)
            assert read_set_up(info, seat, text) == some
            signs = {sign for line in text.splitlines()[3:] for sign in line.split() if len(sign) == 1}
            assert all(sign in ".-" or sign.isdigit() or sign.isupper() for sign in signs)
            assert "." in signs or some is placed


def test_a_set_up_of_a_later_version_and_ranks_that_do_not_play_are_faults_at_their_line() -> None:
    """Ours in version 2; letters of another program, a colonel among them, which Duel has not."""
    info, seat = announced("duel"), Seat.RED
    with pytest.raises(SetUpTextError) as caught:
        read_set_up(info, seat, "\nHallmarshal set-up 2\nrules = duel\n")
    assert caught.value.faults == (TextFault(TextFaultKind.VERSION, 2),)
    (colonel,) = (letter for letter, piece in PIECES.items() if piece == (Seat.RED, Rank.COLONEL))
    with pytest.raises(SetUpTextError) as caught:
        read_set_up(info, seat, "\n" + colonel + "A" * 39)
    assert caught.value.faults == (TextFault(TextFaultKind.SIGN, 2, "colonel"),)


def test_lines_without_a_piece_are_passed_over() -> None:
    """Blank lines and remarks between the rows end nothing."""
    info, seat = announced("original"), rule_set("original").seats[0]
    placed = {square.name: rank for square, rank in generate(rule_set("original"), seat, Random(3)).items()}
    text = write_set_up(info, seat, placed)
    head, *rows = text.strip().rsplit("\n", 4)
    assert read_set_up(info, seat, "\n\n".join([head, *rows]) + "\n") == placed
