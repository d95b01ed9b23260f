"""Settings of a game: as JSON has them, word by word, and back."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest

from referee.rules import rule_set
from referee.rules.values import Seat
from referee.table.settings import (
    NO_LIMITS,
    ClockKind,
    Limits,
    Occasion,
    SettingsError,
    TableSettings,
    TimeControl,
    settings_as_told,
    settings_from,
)
from referee.table.views import Mode, Reveal

PLAIN = TableSettings("b", "g", rule_set("duel"))
FULL = replace(
    PLAIN,
    mode=Mode.ENROL,
    reveal=Reveal.RESULT_ONLY,
    names={Seat.RED: "Anna", Seat.BLUE: "Ben"},
    version="0.1",
    answer_limit_ms=5_000,
    clock=TimeControl(ClockKind.FISCHER, 60_000, 2_000, 90_000),
    occasion=Occasion("cup", 3, 2),
    limits=NO_LIMITS,
)
"""As journals have it that were written before players' pauses had limits."""
LIMITED = replace(PLAIN, clock=TimeControl(ClockKind.PER_MOVE, ply_ms=30_000), limits=Limits(1_000, 3, 60_000))
CHOSEN = (
    '{"two_square_limit":3,"repetition":"pursuit","immobile_moved":"illegal","no_progress_limit":0,"army_lost":"at-once",'
    '"nobody_can_move":"draw","spy_against_spy":"attacker-wins"}'
)
"""Every option of Duel that leaves a choice; `turn_without_move` leaves none, and no journal has it."""
TOLD = {
    "plain": (
        PLAIN,
        f'{{"board_id":"b","game":"g","rules":"duel","rules_mark":"c29520ef07f56a37","options":{CHOSEN},"mode":"declare",'
        '"reveal":"book","names":{},"version":"","answer_limit_ms":180000,"clock":null}',
    ),
    "full": (
        FULL,
        f'{{"board_id":"b","game":"g","rules":"duel","rules_mark":"c29520ef07f56a37","options":{CHOSEN},"mode":"enrol",'
        '"reveal":"result-only","names":{"red":"Anna","blue":"Ben"},"version":"0.1","answer_limit_ms":5000,'
        '"clock":{"kind":"fischer","game_ms":60000,"ply_ms":2000,"set_up_ms":90000},'
        '"occasion":{"event":"cup","round":3,"table":2}}',
    ),
    "limited": (
        LIMITED,
        f'{{"board_id":"b","game":"g","rules":"duel","rules_mark":"c29520ef07f56a37","options":{CHOSEN},"mode":"declare",'
        '"reveal":"book","names":{},"version":"","answer_limit_ms":180000,'
        '"clock":{"kind":"per-move","game_ms":0,"ply_ms":30000,"set_up_ms":0},'
        '"limits":{"grace_ms":1000,"pauses":3,"pause_ms":60000}}',
    ),
}


@pytest.mark.parametrize("name", TOLD)
def test_settings_are_stored_and_come_back(name: str) -> None:
    """Byte by byte, since a journal keeps them for ever; options of which only one choice is left are not among them."""
    settings, stored = TOLD[name]
    assert msgspec.json.encode(settings_as_told(settings)).decode() == stored
    assert settings_from(msgspec.json.decode(stored), rule_set("duel")) == settings


@pytest.mark.parametrize("field", ["rules", "rules_mark"])
def test_other_rules_are_refused(field: str) -> None:
    """By their name and by their mark."""
    with pytest.raises(SettingsError, match="not at hand"):
        settings_from({**settings_as_told(PLAIN), field: "other"}, rule_set("duel"))
