"""A computer's choices made again from its seed and what it was told: what is proven, and what is found out."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from referee.computer import Computer
from referee.journal.journal_to_record import record_of
from referee.journal.records.audit import Audit, audit
from referee.journal.records.choices import NOT_SHOWN
from referee.journal.records.formats import read_record, write_record
from referee.journal.records.model import Record, View
from referee.journal.records.views import view_of
from referee.rules import BySeat, EndReason, Game, GameResult, rule_set
from referee.rules.actions import Move
from referee.table.arbiter_commands import TakeBack
from referee.table.commitments import root
from referee.table.settings import COMPUTER_ENGINE, FIRST_ENGINE
from referee.table.views import Mode
from tests.computer.at_table import AgainstTheComputer
from tests.table.sitting import BLUE, RED

PLIES = 14
RULES = rule_set("duel")


@cache
def game(mode: Mode) -> Record:
    """Return the record of a game in which the computer plays blue."""
    with TemporaryDirectory() as folder, AgainstTheComputer(Path(folder), mode=mode, level=2) as table:
        while table.table.view().ply < PLIES:
            assert table.play()
        return record_of(table.facts, RULES)


def choices(found: Audit) -> list[tuple[int | None, str]]:
    """Return what was found of choices, and that it is blue's."""
    assert {one.seat for one in found.wrong if one.what == "choice"} <= {BLUE}
    return [(one.ply, one.text) for one in found.wrong if one.what == "choice"]


def other_move(record: Record, number: int) -> Record:
    """Return the game up to a move of the computer's, with another legal one in its place."""
    ranks = {square: rank for set_up in record.set_ups.values() for square, rank in set_up.known.items()}
    played = Game(RULES, {square: seat for seat, set_up in record.set_ups.items() for square in set_up}, ranks)
    for ply in record.plies[: number - 1]:
        played.play(ply.action, ply.result)
    last = record.plies[number - 1]
    moves = [one for one in played.legal_actions() if isinstance(one, Move) and not played.is_attack(one)]
    other = next(one for one in moves if one != last.action)
    return replace(record, plies=(*record.plies[: number - 1], replace(last, action=other, result=None)), result=None)


@pytest.mark.parametrize("mode", list(Mode))
def test_a_computer_that_plays_is_proven(mode: Mode) -> None:
    """From the referee's record, its text, and the archive's where both owners let it show their set-ups."""
    record = game(mode)
    for each in (record, read_record(write_record(record, "own").encode())):
        found = audit(each)
        assert found.holds
        said = "blue: set-up and 7 choices of its computer (level 2) follow from its seed and what it was told"
        assert said in found.proven
    if mode is Mode.ENROL:
        both = view_of(replace(record, consent=frozenset({RED, BLUE})), View.ARCHIVE)
        assert said in audit(both).proven
    for hidden in (
        view_of(record, View.PUBLIC),
        view_of(replace(record, consent=frozenset({BLUE})), View.ARCHIVE),
        view_of(record, View.RED),
    ):
        found = audit(hidden)
        assert found.holds
        assert any(NOT_SHOWN in text for text in found.open)


def test_what_is_left_out_or_said_otherwise_is_found() -> None:
    """That there was a computer, and how it was agreed to play."""
    record = game(Mode.ENROL)
    unsaid = "blue: the set-up is the computer's own of this seed, and the record does not say that it played"
    assert choices(audit(replace(record, computers=BySeat({})))) == [(None, unsaid)]
    declared = audit(replace(game(Mode.DECLARE), computers=BySeat({})))
    unproven = "blue: nothing was committed to before the first move, so nothing proves that no computer played it"
    assert unproven in declared.open
    roots = [f"{seat}: the game was not declared: there is a root, of an enrolled set-up" for seat in ("red", "blue")]
    assert [one.text for one in audit(replace(record, mode=Mode.DECLARE)).wrong] == roots


def test_choices_of_another_engine_are_not_called_forged() -> None:
    """They are not made again, and the audit says so; the text keeps which engine it was, and one that names none is the first."""
    record = game(Mode.ENROL)
    assert record.engine == COMPUTER_ENGINE
    for engine, named in (("0", "0"), (None, FIRST_ENGINE)):
        other = read_record(write_record(replace(other_move(record, 2), engine=engine), "own").encode())
        assert other.engine == engine
        found = audit(other)
        assert found.holds
        assert f"blue: made by another engine of the computer ({named}); its choices were not made again" in found.open
        assert not any("choices" in text for text in found.proven)


def test_each_choice_counts() -> None:
    """Another move of the computer's, wherever in the game, is named; another one of its opponent's was anybody's to make."""
    record = game(Mode.ENROL)
    for number in range(2, PLIES + 1, 2):
        if record.plies[number - 1].result is None:
            text = f"ply {number}: from what it could know blue's computer would have chosen otherwise"
            assert choices(audit(other_move(record, number))) == [(number, text)]
    assert audit(other_move(record, PLIES - 1)).holds


def test_another_seed_level_or_set_up_is_found() -> None:
    """The set-up, too, follows from the seed, and a level is no mere word."""
    record = game(Mode.ENROL)
    seeds = {**record.seeds, BLUE: record.seeds[RED]}
    text = "blue: the computer's set-up does not follow from its seed"
    assert choices(audit(replace(record, seeds=BySeat(seeds), roots=BySeat({})))) == [(None, text)]
    stronger = replace(record, computers=BySeat({BLUE: "5"}))
    assert len(choices(audit(stronger))) == 1
    swapped = dict(record.set_ups[BLUE])
    one, two = (square for square in list(swapped)[:2])
    assert swapped[one] is not swapped[two]
    swapped[one], swapped[two] = swapped[two], swapped[one]
    told = {square.name: rank for square, rank in swapped.items() if rank is not None}
    roots = {**record.roots, BLUE: root(record.seeds[BLUE], record.game or "", BLUE, told)}
    forged = replace(record, set_ups=BySeat({**record.set_ups, BLUE: type(record.set_ups[BLUE])(swapped)}), plies=())
    assert choices(audit(replace(forged, roots=BySeat(roots)))) == [(None, text)]


def test_how_it_ends_is_a_choice() -> None:
    """It would not have resigned there, nor agreed to a draw, if it plays on."""
    record = game(Mode.ENROL)
    resigned = replace(record, result=GameResult(RED, EndReason.RESIGN))
    assert choices(audit(resigned)) == [(PLIES, f"after ply {PLIES}: blue's computer would not have resigned")]
    assert choices(audit(replace(record, result=GameResult(BLUE, EndReason.RESIGN)))) == []
    agreed = replace(record, result=GameResult(None, EndReason.AGREED))
    assert choices(audit(agreed)) == [(PLIES, f"after ply {PLIES}: blue's computer would not have agreed to a draw")]


@pytest.mark.parametrize(("plies", "most"), [(PLIES, 1), (PLIES - 1, 2)])
def test_a_draw_may_be_agreed_to_before_the_last_plies_are_final(
    plies: int, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The computer judges without them, and they are final when the answer comes: its own move, or that and the reply to it."""
    record = game(Mode.ENROL)
    agreed = replace(record, plies=record.plies[:plies], result=GameResult(None, EndReason.AGREED))
    for back in range(4):
        monkeypatch.setattr(Computer, "answers_draw", lambda mind, back=back: mind.game.ply == plies - back)
        assert audit(agreed).holds is (back <= most), back


def test_choices_that_were_taken_back_count_as_well(tmp_path: Path) -> None:
    """The journal keeps them, and its proof looks at them."""
    from referee.journal.proof import audit_journal

    with AgainstTheComputer(tmp_path) as table:
        while table.table.view().ply < 10:
            assert table.play()
        table.order(TakeBack(id="back", reason="-", ply=4))
        table.settle()
        while table.table.view().ply < 8:
            assert table.play()
    record, found = audit_journal(tmp_path / "journal.sqlite", tmp_path / "journal.key")
    assert record is not None
    assert found.holds
    assert (
        "blue: set-up and 4 choices of its computer (level 1) follow from its seed and what it was told" in found.proven
    )
