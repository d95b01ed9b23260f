"""A computer's seat away and back: it hears again whatever it has missed, and decides as if it had been there all the time."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from referee.computer import Computer, generate_set_up
from referee.journal.history import history
from referee.net.sealing.sealing import fitted
from referee.rules import rule_set, rule_set_names
from referee.simulated_players.computer_seat import ComputerBot
from referee.simulated_players.player import bot_rng
from referee.table.arbiter_commands import TakeBack, VoidVerdict
from referee.table.messages import AskPause, AskResume, Heard, History, Verdict
from referee.table.views import Mode, Phase, PublicEvent, Reveal
from tests.computer.at_table import AgainstTheComputer
from tests.table.sitting import BLUE, RED

DUEL = rule_set("duel")
PLIES = 14
Played = tuple[str, str | None, str | None]


def played(table: AgainstTheComputer) -> list[Played]:
    """Return what was played and decided."""
    kinds = ("move.decided", "move.final", "attack", "verdict", "end")
    return [event for event in table.events() if event[0] in kinds]


@cache
def undisturbed(mode: Mode) -> list[Played]:
    """Return a game in which nobody was away."""
    with TemporaryDirectory() as folder, AgainstTheComputer(Path(folder), mode=mode) as table:
        while table.table.view().ply < PLIES and table.play():
            pass
        assert table.missed == 1  # what was said before it had joined
        assert (table.table.view().ply, table.notes) == (PLIES, [])
        return played(table)


def disturb(table: AgainstTheComputer, chance: random.Random) -> None:
    """Kill computer and table, or one of them, and let red play before the computer is back."""
    away, killed = chance.choice(((True, False), (True, True), (False, True), (True, True)))
    if away:
        table.goes()
        if table.table.view().turn is RED:
            table.play()
    if killed:
        table.starts_again()
    if away:
        table.comes()
    table.settle()


@pytest.mark.parametrize("mode", list(Mode))
@pytest.mark.parametrize("seed", range(2))
def test_it_goes_on_as_if_it_had_been_there(tmp_path: Path, mode: Mode, seed: int) -> None:
    """With plies played while it was away, after its own end, the table's, and both: the same moves, and nothing to complain of."""
    chance = random.Random(seed)
    with AgainstTheComputer(tmp_path, mode=mode) as table:
        while table.table.view().ply < PLIES:
            if chance.random() < 0.3:
                disturb(table, chance)
            assert table.play()
        assert played(table) == undisturbed(mode)
        assert table.notes == []
        assert table.missed > 1


def test_what_comes_by_itself_before_it_is_told_again_is_acted_upon(tmp_path: Path) -> None:
    """A broker that comes back shows the state before it brings what was said: it asks for that, and hears it twice."""
    with AgainstTheComputer(tmp_path) as table:
        while table.table.view().turn is not RED:
            assert table.play()
        seat, table.seat = table.seat, None
        told = len(table.facts)
        table.play()
        table.settle()
        table.seat = seat
        events = [fact.event for fact in table.facts[told:] if fact.event is not None]
        missed = table.missed
        table._reach(table.table.view(), *events, table.table.view())
        assert table.missed == missed + 1
        assert table.table.view().decided is not None


@pytest.mark.parametrize("rules", [name for name in rule_set_names() if len(rule_set(name).seats) == len((RED, BLUE))])
def test_it_plays_every_rule_set_of_two(tmp_path: Path, rules: str) -> None:
    """With what each leaves open, which the table tells it."""
    with AgainstTheComputer(tmp_path, rules) as table:
        while table.table.view().ply < 4:
            assert table.play()
        assert table.notes == []


def test_it_hears_of_corrections_made_while_it_was_away(tmp_path: Path) -> None:
    """Plies taken back, a verdict voided and settled again: it goes on from where the game stands."""
    with AgainstTheComputer(tmp_path) as table:
        while not any(kind == "verdict" for kind, _, _ in table.events()):
            assert table.play()
        fight = table.table.view().ply
        table.goes()
        table.order(VoidVerdict(id="void", reason="-", ply=fight))
        table.comes()
        table.settle()
        while table.table.view().ply < fight + 3:
            assert table.play()
        table.goes()
        table.order(TakeBack(id="back", reason="-", ply=fight + 1))
        table.comes()
        table.settle()
        while table.table.view().ply < fight + 4:
            assert table.play()
        assert table.notes == []


@pytest.mark.parametrize("reveal", list(Reveal))
def test_what_is_told_again_is_what_was_said(tmp_path: Path, reveal: Reveal) -> None:
    """Every event and every verdict as the seat's own letter had it, from any number on; no page depends on a rank."""
    with AgainstTheComputer(tmp_path, reveal=reveal) as table:
        while not any(isinstance(one, Verdict) for one in table.letters(BLUE)):
            assert table.play()
        said = [fact.event for fact in table.facts if fact.event is not None]
        for seat in (RED, BLUE):
            letters = {one.ply: one for one in table.letters(seat) if isinstance(one, Verdict)}
            again: list[Heard] = []
            while page := history(table.journal, seat, len(again), reveal):
                again += page
            assert [each.event for each in again] == said
            told = {each.event.ply: (each.own, each.other) for each in again if each.own is not None}
            assert told == {ply: (one.own, one.other) for ply, one in letters.items()}
            assert told
        for heard in range(0, len(said), 5):
            red, blue = (history(table.journal, seat, heard, reveal) for seat in (RED, BLUE))
            assert [each.event.seq for each in red] == [each.event.seq for each in blue]
            assert red[0].event.seq == heard + 1
            fitted(History("h" * 48, "m" * 48, red))


def test_nothing_is_told_again_of_what_nobody_said(tmp_path: Path) -> None:
    """After the last event, or one that is still to come, there is nothing."""
    with AgainstTheComputer(tmp_path) as table:
        last = max(event.seq for event in _events(table))
        assert history(table.journal, BLUE, last, Reveal.BOOK) == ()
        assert history(table.journal, BLUE, 2**31 - 1, Reveal.BOOK) == ()


def _events(table: AgainstTheComputer) -> list[PublicEvent]:
    return [fact.event for fact in table.facts if fact.event is not None]


def test_it_holds_up_no_pause(tmp_path: Path) -> None:
    """The one who has asked for it is the only one who is waited for."""
    with AgainstTheComputer(tmp_path) as table:
        table.say(RED, AskPause(id=table.new_id()))
        assert (table.table.view().phase, table.table.view().waiting_for) == (Phase.PAUSED, (RED,))
        table.say(RED, AskResume(id=table.new_id()))
        assert table.table.view().phase is not Phase.PAUSED


def test_a_draw_is_judged_by_final_plies(monkeypatch: pytest.MonkeyPatch) -> None:
    """An open ply is no part of a game that ends by agreement: the audit, which never sees it, makes the answer again."""
    monkeypatch.setattr(Computer, "answers_draw", lambda computer: computer.game.ply > 0)
    set_ups = {seat: generate_set_up(DUEL, seat, "1") for seat in DUEL.seats}
    bot = ComputerBot(DUEL, BLUE, bot_rng(0, BLUE), set_ups[BLUE], seed="1", level=1)
    bot.begin({square: seat for seat, set_up in set_ups.items() for square in set_up})
    assert bot.game is not None
    bot.moved(bot.game.legal_actions()[0])
    assert not bot.answers_draw()
    bot.stands()
    assert bot.answers_draw()
