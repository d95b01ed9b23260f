"""Records and audits of corrected games: what was taken back is no part of them, what was corrected is told, the rest is proven."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.cli.main import main
from referee.journal.journal_to_record import journal_record, record_of
from referee.journal.proof import audit_journal
from referee.journal.records.check import judge
from referee.journal.records.formats import read_record, write_record
from referee.journal.records.model import Correction, CorrectionKind, Record, View
from referee.journal.records.views import view_of
from referee.rules import rule_set
from referee.rules.hidden import Hidden
from referee.rules.values import Rank
from referee.sensing import Agreed
from referee.table.arbiter_commands import CorrectionError, EndGame, Penalise, Rule, TakeBack, VoidVerdict
from referee.table.inputs import Open
from referee.table.messages import Consent, OfferTakeBack, Resign
from referee.table.replay import rebuild, told_settings
from referee.table.settings import TableSettings
from referee.table.step import Fact
from referee.table.table import Table
from referee.table.views import Mode, Reveal
from tests.amount import tries
from tests.records.audited_games import journal
from tests.table.sitting import BLUE, DUEL_BLUE, DUEL_RED, RED, Sitting
from tests.table.storm import Storm

SECRET = bytes(range(32))
REASON = "the wrong rank was tapped"


def corrected(**more: Any) -> Sitting:
    """Return a game with a voided verdict, a take-back by both, a penalty, a ruling and an arbiter's result; `more` are
    settings.
    """
    sitting = Sitting()
    said = TableSettings("t1", "g1", sitting.rules, Mode.DECLARE, Reveal.BOOK, secret=Hidden(SECRET))
    sitting.table = Table(replace(said, **more))
    sitting.steps.clear()
    sitting.take(sitting.table.apply(Open(), 0))
    sitting.begin()
    sitting.move("e4", "e5")
    sitting.move("e7", "e6")
    sitting.attack("e5", "e6")
    sitting.declare(RED, Rank.MARSHAL)
    sitting.declare(BLUE, Rank.SPY)
    sitting.see(Agreed(0))
    sitting.order(VoidVerdict(id="1", reason=REASON, ply=3))
    sitting.see(Agreed(0))
    sitting.declare(RED, Rank.MARSHAL)
    sitting.declare(BLUE, Rank.MINER)
    sitting.see(Agreed(0))
    sitting.move("f7", "f6")
    sitting.say(BLUE, OfferTakeBack(id=sitting.new_id(), ply=3))
    sitting.answer(RED, "accept")
    sitting.see(Agreed(0))
    sitting.move("e8", "e7")
    sitting.order(Penalise(id="2", reason="a phone rang", seat=RED))
    sitting.order(Rule(id="3", reason="touched is moved"))
    sitting.say(RED, Resign(id=sitting.new_id()))
    sitting.order(EndGame(id="4", reason="RED was  interrupted", result="both-lose"))
    return sitting


def facts(sitting: Sitting) -> list[Fact]:
    """Return the facts of a game."""
    return [fact for step in sitting.steps for fact in step.facts]


def record(sitting: Sitting) -> Record:
    """Return the record of a game."""
    return record_of(facts(sitting), sitting.rules)


KINDS = CorrectionKind
CORRECTIONS = (
    Correction(KINDS.VOIDED, 3, RED, "arbiter", REASON),
    Correction(KINDS.TAKEN_BACK, 3, None, "agreed"),
    Correction(KINDS.PENALTY, 4, RED, None, "a phone rang"),
    Correction(KINDS.RULING, 4, None, None, "touched is moved"),
    Correction(KINDS.ENDED, 4, None, "both-lose", "RED was interrupted"),
)


def test_the_record_holds_what_stands_and_says_what_was_corrected() -> None:
    """Neither the voided verdict nor what was declared for it; reasons in the referee's view alone."""
    whole = record(corrected())
    assert [ply.seat for ply in whole.plies] == [RED, BLUE, RED, BLUE]
    assert (whole.plies[2].attacker, whole.plies[2].defender) == (Rank.MARSHAL, Rank.MINER)
    assert whole.corrections == CORRECTIONS
    assert judge(whole).legal
    text = write_record(whole, "own")
    assert read_record(text.encode()) == whole
    assert "spy" not in text
    for view in (View.RED, View.BLUE, View.PUBLIC, View.ARCHIVE):
        seen = view_of(whole, view)
        assert seen.corrections == tuple(replace(each, reason=None) for each in CORRECTIONS)
        assert read_record(write_record(seen, "own").encode()) == seen


def test_an_audit_names_what_was_voided_and_proves_the_rest(tmp_path: Path) -> None:
    """Voided is not forged: nothing is wrong, and each correction is named."""
    path = journal(tmp_path, facts(corrected()))
    key = path.with_name("journal.key")
    found = audit_journal(path, key)[1]
    assert found.wrong == ()
    assert len(found.corrected) == len(CORRECTIONS)
    assert found.corrected[0] == f"the verdict of ply 3 was voided, by the arbiter's word: {REASON}"
    assert "all 4 plies are legal: who never moves never moved, who ran may run" in found.proven
    public = journal_record(path, None)
    assert {each.reason for each in public.corrections} == {None}
    assert journal_record(path, key).corrections == CORRECTIONS


def test_a_voided_verdict_that_was_told_otherwise_is_still_found(tmp_path: Path) -> None:
    """Voiding hides no forgery: what was shown then is held against what was declared then."""
    rows = facts(corrected())
    at = next(at for at, fact in enumerate(rows) if fact.kind == "verdict")
    event = rows[at].event
    assert event is not None
    rows[at] = replace(rows[at], event=replace(event, captured={BLUE: Rank.GENERAL}))
    path = journal(tmp_path, rows)
    found = audit_journal(path, path.with_name("journal.key"))[1]
    assert {(one.what, one.ply) for one in found.wrong} == {("captured", 3)}


def test_a_journal_is_exported_to_formats_that_show_all_with_everybodys_consent(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Consent stands in the journal and in the record; one owner's alone opens nothing of the other's. Corrections are left out there."""
    set_ups = {RED: DUEL_RED, BLUE: {**DUEL_BLUE, "e7": Rank.MINER, "i7": Rank.SPY}}
    for owners, code in (((RED,), 2), ((RED, BLUE), 0)):
        sitting = corrected()
        for seat in owners:
            assert sitting.refused(seat, Consent(id=f"c-{seat.value}", set_up=dict(set_ups[seat]))) is None
        folder = tmp_path / str(code)
        folder.mkdir()
        path = journal(folder, facts(sitting))
        assert main(["record", "export", str(path), "--to", "strados2"]) == code
        out = capsys.readouterr().out
        assert (out == "") is (code == 2)
        assert main(["record", "export", str(path)]) == 0
        kept = read_record(capsys.readouterr().out.encode())
        assert kept.consent == set(owners)
        assert [seat for seat in (RED, BLUE) if len(kept.set_ups[seat].known) == 10] == list(owners)
        if code == 0:
            again = read_record(out.encode())
            assert [ply.action for ply in again.plies] == [ply.action for ply in kept.plies]
            assert again.set_ups == kept.set_ups


SETS = ("original", "duel", "infiltrator", "stratego4", "stratego4-three")


@pytest.mark.parametrize("name", SETS)
@settings(max_examples=tries(2), deadline=None)
@given(seed=st.integers(0, 2**32))
def test_a_game_that_went_back_has_the_record_of_its_plies(name: str, seed: int) -> None:
    """Whatever was played, decided and left: the record is legal and holds the plies up to the one gone back to."""
    rng = random.Random(seed)
    rules = rule_set(name)
    storm = Storm(rules, rng.choice(list(Mode)), rng.choice(list(Reveal)), rng, 0.2, proves=False)
    storm.play(60 if name == "duel" else 25, False)
    rows = [fact for step in storm.steps for fact in step.facts]
    whole = record_of(rows, rules)
    table = rebuild(told_settings(rows, rule_set), rows).table
    ply = rng.randrange(len(whole.plies) + 1)
    try:
        step = table.apply(TakeBack(id="o", reason="any", ply=ply), 1 << 62)
    except CorrectionError:
        return
    back = record_of([*rows, *step.facts], rules)
    assert len(back.plies) == ply
    assert [each.action for each in back.plies] == [each.action for each in whole.plies[:ply]]
    assert [each.decisions for each in back.plies[:-1]] == [each.decisions for each in whole.plies[: max(0, ply - 1)]]
    judgement = judge(back)
    assert judgement.legal, judgement
    assert back.result is None
