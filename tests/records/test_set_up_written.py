"""The text of a set-up without a browser: what is written is read again, and how it looks."""

from __future__ import annotations

from random import Random

import pytest

from referee.journal.records.gravon import PIECES
from referee.journal.records.set_up_text import SetUpTextError, TextFault, TextFaultKind, read_set_up, write_set_up
from referee.rules import rule_set
from referee.rules.values import Rank, Seat
from referee.runtime.set_ups import generate
from tests.records.set_up_texts import BAD, BOTH_BOARD, FOUR_ROWS, GOOD, RED_BOARD, WHOLE
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


def test_a_text_fits_every_chair() -> None:
    """What red wrote is the same picture for blue, turned round."""
    info = announced("original")
    mine = read_set_up(info, Seat.RED, FOUR_ROWS)
    theirs = read_set_up(info, Seat.BLUE, write_set_up(info, Seat.RED, mine))
    assert mine["a4"] is theirs["j7"] is Rank.SCOUT
    assert mine["c1"] is theirs["h10"] is Rank.FLAG
    assert write_set_up(info, Seat.BLUE, theirs) == write_set_up(info, Seat.RED, mine)


@pytest.mark.parametrize(("text", "placed"), GOOD, ids=range(len(GOOD)))
def test_what_players_paste_is_read(text: str, placed: dict[str, Rank]) -> None:
    """Rows with and without blanks, lists of programmers, StraDoS letters, lines of a record: every piece on its square."""
    assert read_set_up(announced("original"), Seat.RED, text) == placed


@pytest.mark.parametrize(("text", "faults"), BAD, ids=range(len(BAD)))
def test_every_fault_is_told_at_once(text: str, faults: list[TextFault]) -> None:
    """Nothing is taken from a faulty text; each fault has its kind, line and word, and the error's own words name no rank."""
    with pytest.raises(SetUpTextError) as caught:
        read_set_up(announced("original"), Seat.RED, text)
    assert list(caught.value.faults) == faults
    assert str(caught.value) == "; ".join(f"{fault.kind.value} (line {fault.line})" for fault in faults)


@pytest.mark.parametrize("rules", ["original", "infiltrator", "stratego4"])
def test_every_sign_of_a_rank_means_it(rules: str) -> None:
    """Its number here, its letter, its word, in either case; the number is written where there is one, else the letter."""
    info = announced(rules)
    seat = rule_set(rules).seats[0]
    square = next(square for row in info.zones[seat] for square in row if square)
    letters = {
        "B": Rank.BOMB,
        "F": Rank.FLAG,
        "I": Rank.INFILTRATOR,
        "C": Rank.CANNON,
        "S": Rank.SPY,
        "M": Rank.MARSHAL,
    }
    for rank in info.army:
        number = info.numbers.get(rank)
        letter = next((letter for letter, other in letters.items() if other is rank), None)
        signs = [rank.value, rank.value.upper(), *([letter, letter.lower()] if letter else [])]
        signs += [] if number is None else [str(number), *(("0", "X") if number == 10 else ())]
        for sign in signs:
            assert read_set_up(info, seat, f"{square} {sign}") == {square: rank}
        written = write_set_up(info, seat, {square: rank}).split("\n", 3)
        assert written[:3] == ["hallmarshal set-up 1", f"rules = {rules}", ""]
        assert written[3].replace(".", "").replace("-", "").split() == [str(number) if number else letter]


def test_a_board_of_the_other_army_is_turned_round() -> None:
    """Blue takes its own army where it is there, else red's as red sees it; Stratego 4 has no such board."""
    info = announced("original")
    turned = read_set_up(info, Seat.BLUE, write_set_up(info, Seat.RED, WHOLE))
    assert read_set_up(info, Seat.BLUE, RED_BOARD) == read_set_up(info, Seat.BLUE, BOTH_BOARD) == turned
    with pytest.raises(SetUpTextError) as caught:
        read_set_up(announced("classic"), Seat.RED, RED_BOARD)
    assert caught.value.faults == (TextFault(TextFaultKind.ROWS, number=1),)


def test_spaces_that_are_not_of_the_zone_may_be_left_out() -> None:
    """Stratego 4's recruitment space: written as `-`, and read with it and without it; a piece there is a fault."""
    info, seat = announced("stratego4"), rule_set("stratego4").seats[0]
    placed = {square.name: rank for square, rank in generate(rule_set("stratego4"), seat, Random(5)).items()}
    text = write_set_up(info, seat, placed)
    assert text.count("-") == 2  # one of them in the heading
    head, rows = text[: text.index("\n\n")], text[text.index("\n\n") :]
    assert read_set_up(info, seat, head + rows.replace("-", "")) == placed
    with pytest.raises(SetUpTextError) as caught:
        read_set_up(info, seat, head + rows.replace("-", "4"))
    assert caught.value.faults == (TextFault(TextFaultKind.SIGN, 5, "4"),)
