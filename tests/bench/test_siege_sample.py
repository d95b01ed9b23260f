"""A small sample of `bench siege`: the attacks at a real table, and what must be so whatever the machine's speed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from benchmarks.siege import KILLED, Stand, besiege
from benchmarks.siege_places import BesiegedTable
from fault_injection.siege.strangers import ATTACKS

SAMPLE = ("half-heads", "hellos")
SECONDS = 1


@pytest.mark.process
def test_a_table_plays_on_while_strangers_lean_on_its_door() -> None:
    """Every ply that hands make is read, nobody honest is thrown off, and links still give seats."""
    with BesiegedTable() as table:
        stands = besiege(table, [ATTACKS[name] for name in SAMPLE], SECONDS)
        red = table.phones["red"]
        assert (table.unread, red.refused, red.here.is_set()) == (0, False, True)
    assert [stand.attack for stand in stands] == ["baseline", KILLED, "half-heads", "sits", "hellos"]
    assert sum(stand.plies for stand in stands) > 0
    for stand in stands:
        assert stand.newcomer or stand.attack == KILLED, stand
        assert stand.as_before_s is not None, stand
        assert stand.memory_mib.keys() >= {"referee", "broker", "door"}, stand
        assert sum(stand.tally.values()) > 0 or stand.attack == KILLED, stand


STAND = Stand("half-connects", "A1", "stranger", "table", 40, 0.8, 1.0, 0.0, {"referee": 150}, 900, True, 0.2, {})


def test_limits_are_judged() -> None:
    """What is just within all limits has held; each figure beyond is bold, and its attack a failure."""
    assert STAND.held
    assert not any("**" in cell for cell in STAND.cells())
    beyond = replace(
        STAND,
        share=0.79,
        silence_s=1.1,
        clock_lost_s=0.1,
        memory_mib={"referee": 151},
        newcomer=False,
        as_before_s=None,
    )
    assert not beyond.held
    assert not replace(STAND, attack=KILLED, as_before_s=2.1).held
    bold = [cell for cell in beyond.cells() if cell.startswith("**")]
    assert bold == ["**79 %**", "**1.1**", "**0.1**", "**151**", "**no**", "**never**"]
