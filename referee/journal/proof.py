"""What a journal proves: all that its record proves, and that no row was edited or left out or differs from what was
told in public.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from referee.journal.errors import JournalDamagedError, RecordError
from referee.journal.events import fact_of
from referee.journal.journal import Journal, public_rows
from referee.journal.journal_to_record import record_as_agreed, record_of, rules_of_facts
from referee.journal.records.audit import Audit, audit
from referee.journal.records.chained import Evidence, Finding
from referee.journal.records.choices import as_told, wrong_choices
from referee.journal.records.model import Record, SetUp, View
from referee.journal.records.views import Follower, Start, without_reasons
from referee.rules import BySeat, Rank, RuleSet, Seat
from referee.table.chain import Chain, ply_gone_back_to
from referee.table.commitments import leaf
from referee.table.replay import ResumeError, told_settings
from referee.table.step import Fact
from referee.table.views import PublicEvent

_NO_KEY = "the journal's key is not here: who edits rows and chains them anew is found by a published head or a signature only"
_CLOCK = re.compile(r" clock\.(red|blue|green|yellow)=([0-9]{1,9})(?= |$)")


def audit_journal(
    path: Path,
    key_path: Path | None,
    published: Mapping[Seat, str] | None = None,
    rules: RuleSet | None = None,
    known: Evidence | None = None,
) -> tuple[Record | None, Audit]:
    """Return a journal's record and what it proves; for a damaged journal None, and the damage as the finding.

    Without its key, as that of a game whose result is confirmed, it proves what everybody was told.

    Raises another `JournalError` where it cannot be read at all, and `RecordError` for rules that nobody knows.
    """
    try:
        facts = _facts(path, key_path)
    except JournalDamagedError as error:
        return None, Audit(wrong=(Finding("journal", str(error)),))
    rules = rules_of_facts(facts, rules)
    record = record_as_agreed(facts, rules)
    proven, unproven = ("no row was edited, added or taken out",), tuple[str, ...]()
    if key_path is None:
        record = replace(without_reasons(record), view=View.PUBLIC, names=BySeat({}))  # whose salts are sealed
        proven, unproven = ("each row follows the one before",), (_NO_KEY,)
    found = audit(record, published, rules, known)
    wrong = (
        *found.wrong,
        *_handed_in_late(facts),
        *_told_otherwise(facts, rules),
        *_chosen_otherwise(facts, rules),
        *_linked_otherwise(facts, rules),
    )
    return record, replace(found, proven=(*proven, *found.proven), open=(*unproven, *found.open), wrong=wrong)


def _facts(path: Path, key_path: Path | None) -> list[Fact]:
    if key_path is None:
        return [fact_of(row) for row in public_rows(path) if not row.type.startswith("journal.")]
    with contextlib.closing(Journal.open(path, key_path, read_only=True)) as journal:
        return journal.facts()


def _handed_in_late(facts: list[Fact]) -> Iterator[Finding]:
    begun = next((at for at, fact in enumerate(facts) if fact.kind == "begin"), len(facts))
    for at, fact in enumerate(facts):
        if fact.kind in ("enrolled", "committed") and at > begun:
            yield Finding(
                "set-up", f"{_name(fact.seat)}: a set-up was handed in after the game had begun", seat=fact.seat
            )


def _told_otherwise(facts: list[Fact], rules: RuleSet) -> Iterator[Finding]:
    """Yield where a public event disagrees with the referee's own rows, also in plies that were taken back later."""
    least = 0
    for at, fact in enumerate(facts):
        gone_back_to = ply_gone_back_to(fact.event) if fact.event is not None else None
        if gone_back_to is not None:
            yield from _told_until(facts[:at], rules, least)
            least = gone_back_to
    yield from _told_until(facts, rules, least)


def _chosen_otherwise(facts: list[Fact], rules: RuleSet) -> Iterator[Finding]:
    """Yield choices of a computer in plies taken back that it would make differently; the record has the other plies."""
    least = 0
    for at, fact in enumerate(facts):
        gone_back_to = ply_gone_back_to(fact.event) if fact.event is not None else None
        if gone_back_to is None:
            continue
        record = record_as_agreed(facts[:at], rules)
        for seat in record.computers:
            told = as_told(record, seat)
            for ply, text in wrong_choices(told, seat, rules, least) if told is not None else ():
                yield Finding("choice", text, ply, seat)
        least = gone_back_to


def _linked_otherwise(facts: list[Fact], rules: RuleSet) -> Iterator[Finding]:
    """Yield the first event that disagrees with its links in the chain. Only here are the clocks' times checked."""
    try:
        settings = told_settings(facts, lambda _: rules)
    except ResumeError:
        return  # of before there were chains
    if settings.salts is None:
        return
    chain, cause = Chain(settings), None
    for fact in facts:
        cause = fact.cause or cause
        if (event := fact.event) is None:
            continue
        left_ms = {Seat(seat): int(left) for text in event.links for seat, left in _CLOCK.findall(text)}
        if chain.take(event, left_ms, cause) != event.links:
            yield Finding("chain", f"event {event.seq} ({event.kind}) is in the chain as something else", event.ply)
            return


def _told_until(facts: list[Fact], rules: RuleSet, least: int) -> Iterator[Finding]:
    """Judge the game as these facts leave it, after its first `least` plies: those were judged before."""
    record = record_of(facts, rules)
    verdicts = {event.ply: event for fact in facts if (event := fact.event) is not None and fact.kind == "verdict"}
    follower = Follower({seat: SetUp(dict.fromkeys(set_up)) for seat, set_up in record.set_ups.items()})
    plies = tuple(replace(ply, attacker=None, defender=None) for ply in record.plies)
    followed = zip(record.plies, follower.follow(replace(record, plies=plies)), strict=True)
    try:
        for number, (ply, (_, pair)) in enumerate(followed, start=1):
            if ply.result is None:
                continue
            told = verdicts[number]
            for start, rank in zip(pair, (ply.attacker, ply.defender), strict=True):
                if start is not None and rank is not None and number > least:
                    yield from _piece(record, told, start, rank, number)
    except RecordError:
        return  # the audit of the record says it


def _piece(record: Record, told: PublicEvent, start: Start, rank: Rank, ply: int) -> Iterator[Finding]:
    """Compare what was declared of one piece with what everybody was shown of it and with what was committed to."""
    seat, square = start
    if told.captured.get(seat, rank) is not rank:
        text = f"ply {ply}: the captured piece was shown as another rank than was declared"
        yield Finding("captured", text, ply, seat)
    seed, committed = record.seeds.get(seat), told.leaves.get(seat)
    if committed is None or seed is None or record.game is None:
        return
    if leaf(seed, record.game, seat, square.name, rank) != committed:
        yield Finding(
            "leaf", f"ply {ply}: the rank is not the one that was committed to when it was declared", ply, seat
        )


def _name(seat: Seat | None) -> str:
    return "nobody" if seat is None else seat.value
