"""A sample of the kill matrix; all of it: `hallmarshal bench kills`, result in docs/reference/reliability.md."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from benchmarks.kills import killed_games, once
from benchmarks.measuring import look_for_block, put_block
from fault_injection.interrupted_game import InterruptedGame, faults, script
from referee.cli.main import main
from referee.rules import rule_set
from referee.rules.values import Rank
from referee.table.messages import SeatState
from referee.table.views import Mode, Phase

PAGES = Path(__file__).parents[2] / "docs" / "reference"


@pytest.mark.process
@pytest.mark.parametrize("mode", Mode)
def test_a_killed_referee_goes_on_with_the_same_game(mode: Mode) -> None:
    """The same game, each attack settled once, no event that contradicts another, nothing heard that was not to be heard.

    It is long enough for a take-back and a voided verdict.
    """
    played = script(rule_set("duel"), mode, seed=2, plies=22)
    wrong = [(number, found) for number, found in killed_games(played, every=53) if found[2]]
    assert wrong == []


@pytest.mark.process
def test_killed_again_and_again(tmp_path: Path) -> None:
    """Killed from outside whenever the phase changes, the game still comes to its end."""
    played = script(rule_set("duel"), Mode.DECLARE, seed=2, plies=10)
    unbroken = once(played, None)
    broken = InterruptedGame(played, tmp_path)
    broken.start()
    phase: Phase | None = None
    while not broken.over:
        if broken.view is not None and broken.view.phase is not phase and broken.view.phase is not Phase.RESTORING:
            phase = broken.view.phase
            broken.kill()
        broken.turn()
    broken.end()
    assert broken.deaths == broken.resumed > 6
    assert faults(unbroken, broken) == []


def kinds(found: list[str]) -> set[str]:
    """Return the kinds of differences, without their details."""
    return {text.partition(":")[0] for text in found}


@pytest.mark.process
def test_the_comparison_would_notice_another_game() -> None:
    """Two different games differ in whatever can be compared."""
    one = once(script(rule_set("duel"), Mode.DECLARE, seed=2, plies=8), None)
    other = once(script(rule_set("duel"), Mode.DECLARE, seed=3, plies=8), None)
    assert {"another game", "another end", "another record, or one that proves something else"} <= kinds(
        faults(one, other)
    )


@pytest.mark.process
def test_the_comparison_would_notice_a_correction_that_was_lost() -> None:
    """Both games come to the same board with the same plies in them; only what was said on the way, and the record, tell."""
    played = script(rule_set("duel"), Mode.DECLARE, seed=2, plies=14)
    one, other = once(played, None, corrected=True), once(played, None)
    assert one.view is not None
    assert other.view is not None
    assert one.view.occupants == other.view.occupants
    assert kinds(faults(one, other)) == {"another game", "another record, or one that proves something else"}


@pytest.mark.process
def test_the_comparison_would_notice_a_word_too_many_to_a_seat() -> None:
    """A rank in the state of a seat that the unbroken game never told it."""
    played = script(rule_set("duel"), Mode.DECLARE, seed=2, plies=8)
    one, other = once(played, None), once(played, None)
    assert faults(one, other) == []
    at = max(at for at, told in enumerate(other.told) if isinstance(told.value, SeatState))
    state = other.told[at].value
    assert isinstance(state, SeatState)
    leaky = msgspec.structs.replace(state, seen={**state.seen, "a1": Rank.FLAG})
    other.told[at] = replace(other.told[at], value=leaky)
    assert kinds(faults(one, other)) == {
        "a handset that knows something else at the end",
        "a rank that somebody should not have heard",
    }


@pytest.mark.parametrize(
    ("name", "block"),
    [
        *(
            ("reliability.md", block)
            for block in ("kills duel", "kills original", "kills duel power", "faults", "soak")
        ),
        *(("accuracy.md", block) for block in ("counts", "verdicts", "hands", "latency")),
        ("kiosk-figures.md", "kiosk"),
    ],
)
def test_the_page_has_a_place_for_every_table(name: str, block: str, tmp_path: Path) -> None:
    """What a command measures for an hour is not lost for want of its marks; nothing else of the page changes."""
    page = tmp_path / "page.md"
    before = (PAGES / name).read_text(encoding="utf-8")
    page.write_text(before, encoding="utf-8")
    look_for_block(page, block)
    put_block(page, block, "figures")
    after = page.read_text(encoding="utf-8")
    written = f"<!-- {block} -->\nfigures\n<!-- /{block} -->"
    assert written in after
    start, end = after.split(written)
    assert before.startswith(start)
    assert before.endswith(end)


def test_a_page_without_a_place_is_refused_at_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Before anything is measured."""
    page = tmp_path / "page.md"
    page.write_text("nothing", encoding="utf-8")
    for name in ("accuracy", "latency", "kiosk", "kills", "faults", "soak"):
        assert main(["bench", name, "--page", str(page)]) == 2
        assert "has no place marked" in capsys.readouterr().err
