"""The table of events: complete for what arbitration writes, and read one version at a time."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from pathlib import Path

import pytest

from referee.journal import events
from referee.journal.errors import JournalFormatError
from referee.journal.events import EVENTS, JournalEvent, Json, upcast
from referee.journal.sealing import JournalKey
from referee.rules.hidden import Hidden
from referee.rules.values import Rank

ARBITRATION = Path(__file__).resolve().parents[2] / "referee" / "table"


def hide(ranks: Mapping[str, Rank]) -> Hidden[Mapping[str, Rank]]:
    """Return ranks as they reach the journal."""
    return Hidden(ranks)


def sources() -> list[ast.AST]:
    """Return the syntax trees of arbitration's modules."""
    return [ast.parse(path.read_text()) for path in ARBITRATION.rglob("*.py")]


def named_in_calls() -> set[str]:
    """Return every type word in a call that writes a fact; ends of f-strings are left out."""
    words: set[str] = set()
    for tree in sources():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and node.args and getattr(node.func, "attr", None) in ("event", "note"):
                words |= {str(part.value) for part in ast.walk(node.args[0]) if isinstance(part, ast.Constant)}
    return {word for word in words if not word.startswith(".")}


def test_every_fact_of_arbitration_has_its_type() -> None:
    """What arbitration writes is in the table, or a game would stand still at its first such fact."""
    assert named_in_calls() <= set(EVENTS)


def test_no_type_is_in_the_table_that_nobody_writes() -> None:
    """Each word of the table, or both its halves (`draw` and `.offered`), stand in arbitration's sources."""
    spoken = {node.value for tree in sources() for node in ast.walk(tree) if isinstance(node, ast.Constant)}
    for word in EVENTS:
        first, dot, second = word.partition(".")
        assert word.startswith("journal.") or word in spoken or {first, dot + second} <= spoken, word


def test_an_old_version_is_read_one_step_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each upcast is applied once, in order."""

    def name_the_seat(public: Json) -> Json:
        return {**public, "seat": None}

    def count_from_one(public: Json) -> Json:
        return {**public, "ply": public["ply"] + 1}

    monkeypatch.setattr(events, "EVENTS", {"ask": 3})
    monkeypatch.setattr(events, "UPCASTS", {("ask", 1): name_the_seat, ("ask", 2): count_from_one})
    assert upcast("ask", 1, {"ply": 4}) == (3, {"ply": 5, "seat": None})
    assert upcast("ask", 2, {"ply": 4}) == (3, {"ply": 5})
    assert upcast("ask", 3, {"ply": 4}) == (3, {"ply": 4})


@pytest.mark.parametrize(("word", "version"), [("ask", 3), ("no-such-thing", 1)])
def test_what_a_later_program_wrote_is_refused(word: str, version: int) -> None:
    """An unknown type or a later version is one clear error, never skipped."""
    with pytest.raises(JournalFormatError, match="later program"):
        upcast(word, version, {})


def test_every_version_but_the_first_has_its_upcast() -> None:
    """For each type there is a step from every earlier version to the next."""
    wanted = {(word, version) for word, today in EVENTS.items() for version in range(1, today)}
    assert set(events.UPCASTS) == wanted


def test_neither_events_nor_keys_show_what_they_hold() -> None:
    """The repr of an event and of a key has no rank and no secret."""
    event = JournalEvent("declared", {"ply": 3}, hide({"a1": Rank.SPY}))
    assert "spy" not in repr(event)
    assert repr(JournalKey(bytes(range(32)))) == "JournalKey(?)"


def test_a_key_seals_alike_for_ever() -> None:
    """Golden bytes: a journal of today must open with the program of later years."""
    key = JournalKey(bytes(range(32)))
    sealed = key.seal(hide({"a1": Rank.SPY}), b"place", lambda n: bytes(n))
    assert key.mark(b"row", b"1").hex() == "130417bbf1cbee9c1196ebc1cd913a5a4c4c5cddb74c1af1081150be687bf824"
    assert sealed[24:64].hex() == "f5d2d83a229b4c38145417311787e83c69bcf491d9f2577d86b53f2ba92b95ee2340a46b3c760439"
    assert key.open(sealed, b"place") is not None
