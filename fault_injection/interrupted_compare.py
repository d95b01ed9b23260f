"""Holds a game whose referee died against the same game whose referee did not."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import zip_longest

from fault_injection.interrupted_game import CLOCK, InterruptedGame
from referee.journal.journal import Journal
from referee.journal.proof import audit_journal
from referee.journal.records import Record
from referee.journal.records.audit import Audit
from referee.rules.values import Seat
from referee.runtime.game_archive import JOURNAL, KEY
from referee.table.messages import Accepted, Question, Rejected, SeatState, Verdict
from referee.table.step import Fact
from referee.table.views import PublicEvent, PublicView

OF_TROUBLES = frozenset(
    {
        "paused",
        "resumed",
        "ask",
        "restored",
        "move.refused",
        "move.revised",
        "board.agrees",
        "board.link",
        "board.health",
    }
)
"""What may be said more or less often where something went wrong; whatever else is said belongs to the game."""


def told_of(events: Iterable[PublicEvent]) -> list[PublicEvent]:
    """Give the game that events tell of, with every word of it: set-ups, moves, attacks, verdicts, corrections, the end."""
    return [replace(event, seq=0) for event in events if event.kind not in OF_TROUBLES]


def faults(unbroken: InterruptedGame, broken: InterruptedGame) -> list[str]:
    """Give how a game whose referee died differs from the same game whose referee did not; nothing is what is promised."""
    rows = list(_facts(broken))
    found = list(broken.failures)
    journalled = [fact.event for fact in rows if fact.event is not None]
    if told_of(journalled) != told_of(unbroken.events()):
        found.append(f"another game: {_first_difference(told_of(journalled), told_of(unbroken.events()))}")
    if settled_twice(rows):
        found.append("an attack settled twice")
    by_seq = {event.seq: event for event in journalled}
    if [event.seq for event in journalled] != list(range(1, len(journalled) + 1)):
        found.append("a gap in the events")
    if any(by_seq.get(event.seq) != event for event in broken.events()):
        found.append("an event that the journal does not hold, or holds otherwise")
    if contradicted(broken):
        found.append("letters that contradict each other")
    if not heard(broken) <= heard(unbroken):
        found.append("a rank that somebody should not have heard")
    if broken.deaths != broken.resumed + _unheard_starts(broken):
        found.append("a start that did not go on with the game")
    one, other = unbroken.view, broken.view
    assert one is not None
    assert other is not None
    if (one.occupants, one.captured, one.ply, one.result) != (other.occupants, other.captured, other.ply, other.result):
        found.append("another end")
    if _given(one) != _given(other):
        found.append("a clock that was given too much, or charged for what nobody measured")
    if known(broken) != known(unbroken):
        found.append("a handset that knows something else at the end")
    proven = audited(broken)
    found += [f"the audit: {finding.text}" for finding in proven[1].wrong]
    if proven != audited(unbroken):
        found.append("another record, or one that proves something else")
    return found


def _first_difference(broken: list[PublicEvent], unbroken: list[PublicEvent]) -> str:
    one, other = next((pair for pair in zip_longest(broken, unbroken) if pair[0] != pair[1]), (None, None))
    return f"{one or 'nothing'} where {other or 'nothing'} was"


def known(game: InterruptedGame) -> dict[Seat, tuple[object, ...]]:
    """Give what each handset was told last of all that its seat may know, without the numbers of letters."""
    told = {one.seat: one.value for one in game.told if one.seat is not None and isinstance(one.value, SeatState)}
    return {
        seat: (state.seat, state.ply, state.ready, state.own, state.seen, _asked(state.question), state.seed)
        for seat, state in told.items()
    }


def _asked(question: Question | None) -> tuple[object, ...]:
    if question is None:
        return ()
    return question.kind, question.ply, question.source, question.target, question.square, question.choices


def audited(game: InterruptedGame) -> tuple[Record | None, Audit]:
    """Give the record that the journal amounts to, and what it proves."""
    folder = game.state / "games" / "game"
    return audit_journal(folder / JOURNAL, folder / KEY)


def settled_twice(rows: Iterable[Fact]) -> bool:
    """Tell whether an attack was settled that was settled already; one that was taken back or voided in between was not."""
    settled: set[int] = set()
    for fact in rows:
        if fact.kind == "verdict" and fact.ply in settled:
            return True
        if fact.kind == "verdict":
            settled.add(fact.ply)
        elif fact.kind == "plies.taken-back":
            settled = {ply for ply in settled if ply <= fact.ply}
        elif fact.kind == "verdict.voided":
            settled = {ply for ply in settled if ply < fact.ply}
    return False


def contradicted(game: InterruptedGame) -> bool:
    """Tell whether a seat was told two things of one message, one verdict or one question."""
    first: dict[tuple[object, ...], tuple[object, ...]] = {}
    return any(
        first.setdefault((one.seat, *about), said) != said for one in game.told for about, said in _claims(one.value)
    )


def _claims(value: object) -> Iterable[tuple[tuple[object, ...], tuple[object, ...]]]:
    """Give what a letter is about, and what it says of it."""
    question = value.question if isinstance(value, SeatState) else value
    if isinstance(value, Accepted | Rejected):
        yield ("message", value.re), (type(value),)
    elif isinstance(value, Verdict):
        yield ("verdict", value.ply), (value.result, value.own, value.other)
    elif isinstance(question, Question):
        yield ("question", question.question), (question.kind, question.ply, question.square, question.choices)


def _given(view: PublicView) -> dict[Seat, int]:
    """Give how many plies each clock was given time for: each brings more than the whole game takes."""
    return {seat: -(-face.left_ms // CLOCK.ply_ms) for seat, face in view.clocks.items()}


def heard(game: InterruptedGame) -> set[tuple[object, ...]]:
    """Give every rank of a rival that somebody heard: from verdicts and what is public; a seat's state tells again what verdicts told."""
    found: set[tuple[object, ...]] = set()
    for one in game.told:
        value = one.value
        if isinstance(value, Verdict):
            found.add((one.seat, "verdict", value.ply, value.result, value.own, value.other))
            found.add((one.seat, "seen", value.other))
        elif isinstance(value, SeatState):
            found |= {(one.seat, "seen", rank) for rank in value.seen.values()}
        elif isinstance(value, PublicEvent):
            found |= {("public", value.ply, seat, rank) for seat, rank in value.captured.items()}
        elif isinstance(value, PublicView):
            found |= {("shown", seat, rank) for seat, ranks in value.captured.items() for rank in ranks}
    return found


def journalled(game: InterruptedGame) -> list[PublicEvent]:
    """Give every public event that the journal holds, in order."""
    return [fact.event for fact in _facts(game) if fact.event is not None]


def _unheard_starts(game: InterruptedGame) -> int:
    """Count deaths before anything was written: then there is nothing to go on with, and a new game is right."""
    return int(game.deaths > 0 and game.resumed == 0 and game.died_early)


def _facts(game: InterruptedGame) -> Iterable[Fact]:
    folder = game.state / "games" / "game"
    journal = Journal.open(folder / JOURNAL, folder / KEY, read_only=True)
    try:
        return journal.facts()
    finally:
        journal.close()
