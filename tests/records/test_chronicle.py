"""From facts to a record, by hand: every kind of event becomes what it says, and what was unsaid or taken back is no part of it."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from referee.journal.errors import JournalFormatError, RecordError
from referee.journal.journal_to_record import (
    correction_of,
    counts_for,
    journal_record,
    record_of,
    rules_of_facts,
    standing,
)
from referee.journal.proof import audit_journal
from referee.journal.records.model import Correction, CorrectionKind, Decision, GiveUp, Ply, Record, SetUp, View
from referee.rules import (
    CombatResult,
    EndReason,
    Fire,
    GameResult,
    Infiltrate,
    Move,
    MoveSlider,
    Pass,
    Recruit,
    TakeFlags,
    rule_set,
)
from referee.rules.hidden import Hidden
from referee.rules.values import BySeat, PieceId, Rank, Seat, Square
from referee.table.chain import ply_gone_back_to
from referee.table.commitments import seat_seed
from referee.table.settings import Occasion
from referee.table.step import Fact
from referee.table.views import Mode, PublicEvent, Reveal
from tests.journal.folders import clocks_of_journals
from tests.records.audited_games import journal

RED, BLUE, GREEN, YELLOW = Seat.RED, Seat.BLUE, Seat.GREEN, Seat.YELLOW
SECRET = bytes(range(32))
CASTLE, LINES = rule_set("stratego4"), rule_set("infiltrator")


def told(kind: str, ply: int = 0, seat: Seat | None = None, way: str = "", **more: Any) -> Fact:
    """Return a fact that everybody hears of; `way` is `d3-d4`, or `d3-` for a source and `-d4` for a target alone."""
    cause = more.pop("cause", None)
    source, _, target = way.partition("-")
    event = PublicEvent("g1", 1, kind, ply, seat, source or None, target or None, **more)
    return Fact(kind, ply, event, seat, cause=cause)


def sealed(kind: str, seat: Seat, ranks: Mapping[str, Rank], ply: int = 0) -> Fact:
    """Return a fact that only the journal keeps."""
    hidden: Hidden[Mapping[str, Rank]] = Hidden(ranks)
    return Fact(kind, ply, None, seat, hidden)


def opened(rules: str = "stratego4", secret: bytes | None = SECRET) -> Fact:
    """Return the fact that a table was opened."""
    fact = told("opened", text=rules)
    hidden: Hidden[Mapping[str, str]] | None = None if secret is None else Hidden({"secret": secret.hex()})
    return Fact(fact.kind, 0, fact.event, None, hidden, {"settings": {"mode": "declare"}})


BEGIN = told("begin", text="d3=red e3=red c9=blue c8=blue j11=green k4=yellow")


def move(source: str, target: str, *via: str, leaving: tuple[Seat, ...] = ()) -> Move:
    """Return a move."""
    return Move(Square(source), Square(target), tuple(map(Square, via)), leaving)


def of(*facts: Fact, rules: str = "stratego4") -> Record:
    """Return the record of facts after the beginning."""
    return record_of([opened(rules), BEGIN, *facts], rule_set(rules))


def test_every_kind_of_event_becomes_what_it_says() -> None:
    """A game of Stratego 4 with all that may happen in it, and whose rank was declared or shown."""
    facts = [
        told("resigned", 0, YELLOW),
        told("move.read", 1, RED, "d3-e4", via=("d4",), text="red blue"),
        told("move.final", 1),
        told("flags.taken", 1, RED, "-e4", text="blue,green"),
        told("flags.taken", 1, RED, "-e4", text="none"),
        told("slider.decided", 1, RED, text="up"),
        told("slider.decided", 1, RED, text="stay"),
        told("attack", 2, BLUE, "c9-e4"),
        sealed("declared", BLUE, {"c9": Rank.SPY}, 2),
        sealed("declared", RED, {"e4": Rank.MARSHAL}, 2),
        told("verdict", 2, BLUE, result="attacker-wins", captured={RED: Rank.MARSHAL}, via=("d9",)),
        told("fire", 3, GREEN, "j11-e4"),
        told("verdict", 3, GREEN, result="both-lost", captured={GREEN: Rank.CANNON, BLUE: Rank.SPY}),
        told("recruited", 3, RED, "-g2", text="0"),
        told("recruit.declined", 3, RED),
        told("resigned", 3, BLUE),
        told("pass", 4, RED),
        told("attack", 5, RED, "g2-c8"),
        told("verdict", 5, RED, result="defender-wins", captured={RED: Rank.MARSHAL}),
        told("end", 5, GREEN, text="immobile"),
    ]
    d4 = Square("e4")
    decided = (
        Decision(RED, TakeFlags(d4, (BLUE, GREEN)), d4),
        Decision(RED, TakeFlags(d4, ()), d4),
        Decision(RED, MoveSlider(True)),
        Decision(RED, MoveSlider(False)),
    )
    after = (
        Decision(RED, Recruit(PieceId(RED, 0)), Square("g2")),
        Decision(RED, Recruit(None)),
        Decision(BLUE, GiveUp()),
    )
    unknown = {seat: SetUp(ranks) for seat, ranks in SET_UPS.items()}
    assert of(*facts) == Record(
        "stratego4",
        BySeat(unknown),
        (
            Ply(RED, move("d3", "e4", "d4", leaving=(RED, BLUE)), decisions=decided),
            Ply(BLUE, move("c9", "e4", "d9"), CombatResult.ATTACKER_WINS, Rank.SPY, Rank.MARSHAL),
            Ply(GREEN, Fire(Square("j11"), d4), CombatResult.BOTH_LOST, Rank.CANNON, Rank.SPY, after),
            Ply(RED, Pass()),
            Ply(RED, move("g2", "c8"), CombatResult.DEFENDER_WINS, Rank.MARSHAL),
        ),
        GameResult(GREEN, EndReason.IMMOBILE),
        before=(Decision(YELLOW, GiveUp()),),
        game="g1",
        seeds=BySeat({seat: seat_seed(SECRET, "g1", seat) for seat in unknown}),
    )


SET_UPS: dict[Seat, dict[Square, Rank | None]] = {
    RED: {Square("d3"): Rank.MARSHAL, Square("e3"): None},
    BLUE: {Square("c9"): Rank.SPY, Square("c8"): None},
    GREEN: {Square("j11"): Rank.CANNON},
    YELLOW: {Square("k4"): None},
}


def test_an_infiltration_is_told_by_its_guess() -> None:
    """The ply tells no rank: the set-up has what it showed."""
    facts = [
        told("begin", text="d7=red a1=red d9=blue"),
        told("infiltrate", 1, RED, "d7-d9", via=("d8",), text="miner"),
        told("verdict", 1, RED, result="wrong-guess"),
        sealed("consent", RED, {"d7": Rank.INFILTRATOR, "a1": Rank.FLAG}, 1),
    ]
    record = record_of([opened("infiltrator", None), *facts], LINES)
    guess = Infiltrate(Square("d7"), Square("d9"), Rank.MINER, (Square("d8"),))
    assert record.plies == (Ply(RED, guess, CombatResult.WRONG_GUESS),)
    assert record.set_ups[RED] == SetUp({Square("d7"): Rank.INFILTRATOR, Square("a1"): Rank.FLAG})
    assert (set(record.consent), dict(record.seeds), record.mode) == ({RED}, {}, Mode.DECLARE)


def test_an_enrolled_game_knows_its_set_ups_and_roots() -> None:
    """As they were handed in; the roots as they were published."""
    hidden = sealed("enrolled", RED, {"d3": Rank.SPY, "e3": Rank.MARSHAL}).hidden
    enrolled = Fact("enrolled", 0, told("enrolled", 0, RED).event, RED, hidden)
    record = record_of([opened(), enrolled, told("committed", 0, RED, text="ab"), BEGIN], CASTLE)
    assert record.mode is Mode.ENROL
    assert record.set_ups[RED] == SetUp({Square("d3"): Rank.SPY, Square("e3"): Rank.MARSHAL})
    assert dict(record.roots) == {RED: "ab"}
    assert record.result is None


@pytest.mark.parametrize("kind", ["move.taken-back", "move.unread", "move.refused"])
def test_what_was_unsaid_is_no_ply(kind: str) -> None:
    """Nor are the replies to it; what was read before it stays."""
    facts = [
        told("move.read", 1, RED, "d3-d4"),
        told("move.read", 2, BLUE, "c9-d9"),
        told("move.read", 3, GREEN, "j11-j10"),
        told(kind, 2, BLUE),
        told("move.final", 1),
        told("move.final", 2),
    ]
    assert of(*facts).plies == (Ply(RED, move("d3", "d4")),)


def test_a_revised_move_is_the_last_reading() -> None:
    """The same number read anew takes the place of what was read, and of its replies."""
    facts = [
        told("move.read", 1, RED, "d3-d4"),
        told("move.read", 2, BLUE, "c9-d9"),
        told("move.revised", 1, RED, "d3-d5"),
        told("move.final", 1),
    ]
    assert of(*facts).plies == (Ply(RED, move("d3", "d5")),)


def test_a_withdrawn_attack_never_was() -> None:
    """Nor what was declared for it: the next attack is told by its own."""
    facts = [
        told("attack", 1, RED, "d3-c9"),
        sealed("declared", RED, {"d3": Rank.SPY}, 1),
        told("attack.withdrawn", 1),
        told("attack", 1, RED, "e3-c9"),
        told("verdict", 1, RED, result="both-lost"),
        told("move.read", 2, BLUE, "c8-d8"),
        told("move.final", 2),
    ]
    assert of(*facts).plies == (
        Ply(RED, move("e3", "c9"), CombatResult.BOTH_LOST),
        Ply(BLUE, move("c8", "d8")),
    )


# ---- what still counts after a game went back


def kinds_of(facts: list[Fact]) -> list[str]:
    """Return the facts as `kind ply`."""
    return [f"{fact.kind} {fact.ply}" for fact in facts]


def test_what_stands_when_a_game_goes_back() -> None:
    """All up to the ply, also that it became final late; who left before the next one was played; no end and no consent."""
    facts = [
        told("move.read", 1, RED, "d3-d4"),
        told("move.read", 2, BLUE, "c9-d9"),
        told("move.revised", 1, RED, "d3-d5"),
        told("resigned", 1, YELLOW),
        told("move.read", 2, BLUE, "c9-d9"),
        told("resigned", 1, GREEN),
        told("move.final", 1),
        told("consent", 1, GREEN),
        told("move.final", 2),
        told("resigned", 2, BLUE),
        told("end", 2, RED, text="immobile"),
    ]
    first = ["move.read 1", "move.read 2", "move.revised 1", "resigned 1"]
    assert kinds_of(standing(facts, 1)) == [*first, "resigned 1", "move.final 1"]
    assert kinds_of(standing(facts, 2)) == [
        *first, "move.read 2", "resigned 1", "move.final 1", "move.final 2", "resigned 2"
    ]  # fmt: skip
    passes = [told("pass", 1, RED), told("pass", 2, BLUE), told("resigned", 2, GREEN)]
    assert kinds_of(standing(passes, 1)) == ["pass 1"]
    assert kinds_of(standing(passes, 0)) == []


@pytest.mark.parametrize(
    ("kind", "ply"), [("plies.taken-back", 7), ("verdict.voided", 6), ("ruling", None), ("end", None)]
)
def test_the_ply_that_a_game_goes_back_to(kind: str, ply: int | None) -> None:
    """The one that is named; before the verdict that was voided; none for anything else."""
    event = told(kind, 7).event
    assert event is not None
    assert ply_gone_back_to(event) == ply


KINDS = CorrectionKind


@pytest.mark.parametrize(
    ("fact", "cause", "correction"),
    [
        (told("plies.taken-back", 3, text="agreed"), None, Correction(KINDS.TAKEN_BACK, 3, None, "agreed")),
        (
            told("verdict.voided", 3, RED, text="arbiter"),
            {"verb": {"type": "void-verdict", "reason": " a\n b "}},
            Correction(KINDS.VOIDED, 3, RED, "arbiter", "a b"),
        ),
        (told("clock.adjusted", 3, RED, text="60000"), {"verb": "x"}, Correction(KINDS.CLOCK, 3, RED, "60000")),
        (
            told("clock.adjusted", 3, RED, text="60000"),
            {"by": "adjust-clock", "reason": "late"},
            Correction(KINDS.CLOCK, 3, RED, "60000", "late"),
        ),
        (
            told("clock.adjusted", 3, RED, text="60000"),
            {"by": "adjust-clock"},
            Correction(KINDS.CLOCK, 3, RED, "60000", "-"),
        ),
        (told("penalty", 3, RED), {"verb": {"reason": "a phone"}}, Correction(KINDS.PENALTY, 3, RED, None, "a phone")),
        (told("ruling", 3), {}, Correction(KINDS.RULING, 3)),
        (told("end", 3, RED, text="flag"), None, None),
        (told("end", 3, RED, text="flag"), {"verb": {"type": "resume"}}, None),
        (
            told("end", 3, RED, text="flag"),
            {"verb": {"type": "end-game", "reason": "x"}},
            Correction(KINDS.ENDED, 3, RED, "flag", "x"),
        ),
        (told("attack", 3, RED), {"verb": {"type": "end-game", "reason": "x"}}, None),
    ],
)
def test_corrections_are_told_with_their_reason(
    fact: Fact, cause: dict[str, Any] | None, correction: Correction | None
) -> None:
    """Which stands in the cause of the step, also as it was written before orders were values."""
    assert fact.event is not None
    assert correction_of(fact.event, cause) == correction


# ---- how the game was opened


def test_what_a_game_counts_for() -> None:
    """Three texts of a hall's game, none of another one."""
    assert counts_for(None) == {}
    assert counts_for(Occasion(" Spring\ncup ", 3, 7)) == {"event": "Spring cup", "round": "3", "table": "7"}
    assert counts_for(Occasion("\n", 3, 7))["event"] == "?"


def test_without_an_opening_there_is_no_game() -> None:
    """Nor one by rules that nobody knows; house rules are given."""
    for facts in ([], [BEGIN], [Fact("opened", 0, None, None)]):
        with pytest.raises(JournalFormatError) as caught:
            rules_of_facts(facts)
        assert str(caught.value) == "the journal holds no game"
    with pytest.raises(RecordError, match="no rule set 'chess'"):
        rules_of_facts([opened("chess")])
    with pytest.raises(RecordError, match="no rule set ''"):
        rules_of_facts([opened("")])
    assert rules_of_facts([Fact("opened", 0, None, None), opened("duel")]).name == "duel"
    assert rules_of_facts([opened("chess")], CASTLE).name == "stratego4"


def written(folder: Path, settings: Mapping[str, Any]) -> Path:
    """Write the journal of a game that was opened so, on a winter's day."""
    first = opened("duel", None)
    noon = datetime.datetime(2026, 1, 31, 12).timestamp()
    begun = [told("begin", text="a1=red j10=blue"), told("ruling", 0, cause={"verb": {"reason": "quiet, please"}})]
    with clocks_of_journals(lambda: int(noon * 1000)):
        return journal(folder, [Fact(first.kind, 0, first.event, None, None, {"settings": dict(settings)}), *begun])


def test_a_journal_says_when_and_how_its_game_was_opened(tmp_path: Path) -> None:
    """The day as people at the table count, who hears of survivors, names; nothing is written beside it. Reasons need the key."""
    path = written(tmp_path, {"reveal": "result-only", "names": {"blue": "Bo"}})
    files = [path, path.with_name("journal.sqlite-head"), tmp_path / "journal.key"]
    before = [each.stat().st_mtime_ns for each in files]
    whole, public = journal_record(path, tmp_path / "journal.key"), journal_record(path, None)
    audit_journal(path, tmp_path / "journal.key")
    assert [each.stat().st_mtime_ns for each in files] == before
    for record in (whole, public):
        assert (record.date, record.reveal, dict(record.names)) == ("2026-01-31", Reveal.RESULT_ONLY, {BLUE: "Bo"})
    assert (whole.view, whole.corrections[0].reason) == (View.REFEREE, "quiet, please")
    assert (public.view, public.corrections[0].reason) == (View.PUBLIC, None)


@pytest.mark.parametrize("settings", [{"reveal": "never"}, {"names": {"purple": "Bo"}}, {"occasion": {"evnet": "cup"}}])
def test_an_opening_that_cannot_be_read_is_one_line(settings: dict[str, Any], tmp_path: Path) -> None:
    """It names the file."""
    path = written(tmp_path, settings)
    with pytest.raises(JournalFormatError) as caught:
        journal_record(path, None)
    assert str(caught.value) == f"{path}: how the game was opened cannot be read"
