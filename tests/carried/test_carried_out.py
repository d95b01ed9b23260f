"""Hands carry out what was decided elsewhere: nothing else is ever accepted, and each wrong thing is answered by what to do.

A sample of what `python -m tests.carried` does by the thousand.
"""

from __future__ import annotations

import pytest

from referee.rules import rule_set
from referee.table.inputs import Input
from referee.table.play import moves
from referee.table.replay import rebuild, told_settings
from referee.table.step import Fact, Step
from referee.table.table import Table
from tests.amount import tries
from tests.carried.__main__ import played
from tests.carried.judge import Judge


@pytest.mark.parametrize("number", range(4))
def test_a_game_at_the_simulated_board(number: int) -> None:
    """On either sort of sensors, quiet and noisy."""
    game = played(7, number, tries(14))
    assert game.judge.faults == []
    assert game.judge.counts["carried out"] >= tries(12)
    assert game.judge.counts["wrong, and answered"] >= 1


def test_its_journal_gives_it_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever hands did on the way: a rest that is no ply is in no row, and what follows from it follows without it."""
    rows: list[Fact] = []
    apply = Table.apply

    def noted(table: Table, given: Input, now_ms: int) -> Step:
        step = apply(table, given, now_ms)
        rows.extend(step.facts)
        return step

    with monkeypatch.context() as patched:
        patched.setattr(Table, "apply", noted)
        game = played(7, 2, 40)
    assert game.deeds["let go on its way"] + game.deeds["rested on its way"] + game.deeds["gone beyond"] > 0
    again, view = rebuild(told_settings(rows, rule_set), rows).table.view(), game.referee.table.view()
    assert (again.occupants, again.seq, again.decided) == (view.occupants, view.seq, view.decided)


def test_a_table_that_takes_whatever_is_read_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The hands err enough, and the judge sees it."""
    monkeypatch.setattr(moves, "is_free", lambda *_: True)
    assert any("accepted wrongly" in fault for fault in played(7, 0, 8).judge.faults)


def event(kind: str, ply: int = 2, source: str = "e7", target: str = "e6", seat: str = "blue") -> dict[str, object]:
    """Return a public event."""
    return {"kind": kind, "ply": ply, "seat": seat, "source": source, "target": target, "text": None}


VIEW: dict[str, object] = {
    "phase": "waiting-for-move",
    "turn": "blue",
    "occupants": {"e7": "blue", "e4": "red"},
    "fixes": [],
    "decided": None,
}
STANDS = {"e7": "blue", "e4": "red"}


@pytest.mark.parametrize(
    ("events", "fault"),
    [
        ([event("move.read")], "accepted wrongly"),
        ([event("move.decided"), event("move.read", target="d7")], "accepted wrongly"),
        ([event("move.decided"), event("attack", source="d7")], "accepted wrongly"),
        ([event("move.decided", source="d7")], "was told as"),
        ([event("move.decided"), event("move.final", ply=4)], "accepted wrongly"),
        ([event("move.decided"), event("move.read"), event("move.final")], None),
        ([event("move.read", seat="red", source="e4", target="e5")], None),
    ],
)
def test_the_judge_finds_what_is_accepted_wrongly(events: list[dict[str, object]], fault: str | None) -> None:
    """Planted, each of them."""
    judge = Judge({"blue"})
    judge.accepted(2, "e7", "e6")
    judge.begun(2)
    for each in events:
        judge.hear(each)
    assert [str(fault) in found for found in judge.faults] == ([True] if fault else [])


@pytest.mark.parametrize(
    ("change", "stands", "fault"),
    [
        ({}, {"d7": "blue", "e4": "red"}, "not answered"),
        ({}, {"e7": "blue", "e4": "blue"}, "not answered"),
        ({"phase": "restoring"}, {"d7": "blue", "e4": "red"}, "answered by"),
        (
            {"phase": "restoring", "fixes": [{"square": "e7", "wanted": "blue"}]},
            {"d7": None, "e4": None},
            "answered by",
        ),
        ({"phase": "restoring"}, STANDS, "is asked about"),
        ({"decided": {"seat": "blue", "source": "d7", "target": "d6"}}, STANDS, "is shown"),
        ({"phase": "paused"}, STANDS, "the table is in"),
        ({}, {"e4": "red"}, None),
        ({}, STANDS, None),
    ],
)
def test_the_judge_finds_what_is_not_answered(
    change: dict[str, object], stands: dict[str, str | None], fault: str | None
) -> None:
    """Planted: no word of it, a wrong one, one too many, another decision on the screens."""
    judge = Judge({"blue"})
    judge.at_rest({**VIEW, **change}, stands)
    assert [str(fault) in found for found in judge.faults] == ([True] if fault else [])
