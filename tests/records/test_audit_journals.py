"""Journals whose keeper forged them himself: hashes and marks are right, commitments and rules tell."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from referee.journal.errors import JournalDamagedError
from referee.journal.journal import Journal
from referee.journal.proof import audit_journal
from referee.journal.records.audit import Audit
from referee.journal.records.chained import Finding
from referee.rules.hidden import Hidden
from referee.rules.values import Rank
from referee.table.step import Fact
from referee.table.views import Mode
from tests.records.audited_games import DUEL, facts, journal, words


def audited(folder: Path, rows: list[Fact]) -> Audit:
    """Return what a journal with these rows proves."""
    path = journal(folder, rows)
    return audit_journal(path, path.with_name("journal.key"))[1]


@pytest.mark.parametrize("mode", Mode)
def test_an_honest_journal_holds(mode: Mode, tmp_path: Path) -> None:
    """The same as its record, and nothing was edited."""
    found = audited(tmp_path, list(facts(mode)))
    assert found.wrong == ()
    assert found.proven[0] == "no row was edited, added or taken out"


def test_a_damaged_journal_has_no_record_and_says_what_is_damaged(tmp_path: Path) -> None:
    """In the words in which the journal itself refuses to be opened."""
    path = journal(tmp_path, list(facts(Mode.DECLARE)))
    key = path.with_name("journal.key")
    with closing(sqlite3.connect(path)) as base, base:
        base.execute("DELETE FROM rows WHERE seq = 5")
    with pytest.raises(JournalDamagedError) as refused:
        Journal.open(path, key, read_only=True)
    assert audit_journal(path, key) == (None, Audit(wrong=(Finding("journal", str(refused.value)),)))


def ranks_of(fact: Fact) -> dict[str, Rank]:
    """Return the ranks sealed in a row."""
    assert fact.hidden is not None
    return {name: Rank(rank) for name, rank in fact.hidden.open_hidden().items()}


def sealed(fact: Fact, ranks: Mapping[str, Rank]) -> Fact:
    """Return the row with other ranks."""
    secret: Hidden[Mapping[str, Rank]] = Hidden(ranks)
    return replace(fact, hidden=secret)


def another_enrolment(rows: list[Fact]) -> list[Fact]:
    """Two ranks of an enrolled set-up were exchanged after the root was published, also where its player lets it be stored."""
    enrolled = next(fact for fact in reversed(rows) if fact.kind == "enrolled")
    ranks = ranks_of(enrolled)
    flag = next(name for name, rank in ranks.items() if rank is Rank.FLAG)
    bomb = next(name for name, rank in ranks.items() if rank is Rank.BOMB)
    forged = {**ranks, flag: Rank.BOMB, bomb: Rank.FLAG}
    return [
        sealed(fact, forged) if fact.kind in ("enrolled", "consent") and fact.seat is enrolled.seat else fact
        for fact in rows
    ]


def another_declaration(rows: list[Fact]) -> list[Fact]:
    """The row of a declaration says another rank than was judged by."""
    at = next(at for at, fact in enumerate(rows) if fact.kind == "declared")
    ((name, rank),) = ranks_of(rows[at]).items()
    other = Rank.MINER if rank is not Rank.MINER else Rank.SPY
    return [*rows[:at], sealed(rows[at], {name: other}), *rows[at + 1 :]]


def shown_as_another(rows: list[Fact]) -> list[Fact]:
    """Everybody was shown another captured piece."""
    at, event = next((at, f.event) for at, f in enumerate(rows) if f.kind == "verdict" and f.event and f.event.captured)
    seat, rank = next(iter(event.captured.items()))
    other = Rank.MINER if rank is not Rank.MINER else Rank.SPY
    return [*rows[:at], replace(rows[at], event=replace(event, captured={seat: other})), *rows[at + 1 :]]


def test_a_forged_declaration_is_named_with_its_ply_and_seat(tmp_path: Path) -> None:
    """Who looks for it in the record finds it: the sentence says no rank."""
    honest = facts(Mode.DECLARE)
    seat = next(fact.seat for fact in honest if fact.kind == "declared")
    ply = next(fact.ply for fact in honest if fact.kind == "verdict")
    (found,) = (one for one in audited(tmp_path, another_declaration(list(honest))).wrong if one.what == "leaf")
    said = f"ply {ply}: the rank is not the one that was committed to when it was declared"
    assert found == Finding("leaf", said, ply, seat)


def test_a_set_up_of_nobody_that_was_handed_in_late_is_named(tmp_path: Path) -> None:
    """A row that says no seat is one that no table writes."""
    rows = list(facts(Mode.ENROL))
    late = replace(next(fact for fact in rows if fact.kind == "committed"), seat=None)
    (found,) = (one for one in audited(tmp_path, [*rows, late]).wrong if one.what == "set-up")
    assert found == Finding("set-up", "nobody: a set-up was handed in after the game had begun")


def test_a_set_up_that_was_handed_in_late_is_named_with_its_seat(tmp_path: Path) -> None:
    """The sentence says whose it is."""
    rows = enrolled_anew(list(facts(Mode.ENROL)))
    (found,) = (one for one in audited(tmp_path, rows).wrong if one.what == "set-up")
    assert rows[-1].seat is not None
    said = f"{rows[-1].seat.value}: a set-up was handed in after the game had begun"
    assert found == Finding("set-up", said, seat=rows[-1].seat)


def test_a_journal_is_audited_by_house_rules(tmp_path: Path) -> None:
    """Whose name no record can be judged by alone."""
    path = journal(tmp_path, list(facts(Mode.DECLARE)))
    house = replace(DUEL, name="our-duel")
    record, found = audit_journal(path, path.with_name("journal.key"), rules=house)
    assert record is not None
    assert (record.rules, found.wrong) == ("our-duel", ())


def enrolled_anew(rows: list[Fact]) -> list[Fact]:
    """A set-up is handed in when the game is on."""
    again = next(fact for fact in rows if fact.kind == "enrolled")
    return [*rows, again]


@pytest.mark.parametrize(
    ("mode", "forge", "found"),
    [
        (Mode.ENROL, another_enrolment, "root"),
        (Mode.ENROL, another_declaration, "rank"),
        (Mode.ENROL, shown_as_another, "captured"),
        (Mode.ENROL, enrolled_anew, "set-up"),
        (Mode.DECLARE, shown_as_another, "captured"),
        (Mode.DECLARE, another_declaration, "leaf"),
    ],
    ids=lambda value: getattr(value, "__name__", str(value)),
)
def test_a_journal_that_its_own_keeper_forged_is_named(
    mode: Mode, forge: Callable[[list[Fact]], list[Fact]], found: str, tmp_path: Path
) -> None:
    """Hashes and marks are right, since he has the key: the commitments and the rules tell."""
    assert found in words(audited(tmp_path, forge(list(facts(mode)))))
