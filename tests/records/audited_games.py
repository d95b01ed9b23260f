"""Honest games for the audits, played once a run, and journals that are written of them."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path

from referee.journal.journal import Journal
from referee.journal.journal_to_record import record_of
from referee.journal.records.audit import Audit
from referee.journal.records.model import Record
from referee.rules import rule_set
from referee.table.step import Fact
from referee.table.views import Mode, Reveal
from tests.table.storm import Storm

DUEL = rule_set("duel")


@cache
def game(mode: Mode, seed: int) -> tuple[tuple[Fact, ...], Record]:
    """Play an honest game of Duel without junk. Returns its facts and what they amount to."""
    table = Storm(DUEL, mode, Reveal.BOOK, random.Random(seed), junk=0.0, lies=False, salts=None, proves=False)
    table.play(120)
    facts = tuple(fact for step in table.steps for fact in step.facts)
    return facts, record_of(facts, DUEL)


@cache
def long_game(mode: Mode) -> tuple[tuple[Fact, ...], Record]:
    """Return facts and record of a game that nobody gave up early, with a few fights in it."""
    for seed in range(40):
        facts, record = game(mode, seed)
        if len(record.plies) > 60 and sum(ply.result is not None for ply in record.plies) > 3:
            return facts, record
    raise AssertionError("no long game")


def facts(mode: Mode) -> tuple[Fact, ...]:
    """Return the facts of an honest game."""
    return long_game(mode)[0]


def honest(mode: Mode = Mode.ENROL) -> Record:
    """Return the record of an honest game."""
    return long_game(mode)[1]


def words(found: Audit) -> set[str]:
    """Return the kinds of wrong that were found."""
    return {one.what for one in found.wrong}


def journal(folder: Path, rows: list[Fact]) -> Path:
    """Write a journal with a right chain and right marks, as whoever holds the key can."""
    path = folder / "journal.sqlite"
    with_key = Journal.create(path, folder / "journal.key")
    with_key.write(rows)
    with_key.close()
    return path
