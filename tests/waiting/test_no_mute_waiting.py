"""No screen waits in silence: in every state kiosk and terminal say who must do what, or that nobody can, and why."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest

from referee.presentation import sentences, state
from referee.table.views import Phase
from referee.words import LANGUAGES, Words
from tests.amount import tries
from tests.waiting.cases import Case, kiosk_cases, named, seat_cases
from tests.waiting.criterion import told
from tests.waiting.surfaces import Shown, kiosk_text, terminal_text


def silent(cases: Iterable[Case], read: Callable[[Shown, str], str], language: str) -> dict[str, list[str]]:
    """Return the states in which a screen leaves out what somebody has to do, with what that is."""
    return told(((shown, owed, read(shown, language)) for shown, owed in cases), language)


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_kiosk_waits_in_silence(language: str) -> None:
    """Every situation, the board in every trouble, every phone away, both connections, before a game; in `make quick` each once."""
    cases = list(kiosk_cases(True))
    step = 1 if tries(len(cases)) == len(cases) else len(LANGUAGES)
    assert silent(cases[LANGUAGES.index(language) % step :: step], kiosk_text, language) == {}


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_terminal_waits_in_silence(language: str) -> None:
    """As every seat sees it: one situation of each name in each language; all there are, each in one.

    In `make quick` each name in one language, and a fifth of all.
    """
    turn = slice(LANGUAGES.index(language), None, len(LANGUAGES))
    mine, names = list(seat_cases(True))[turn], list(seat_cases(False))
    some = mine[:: len(mine) // tries(len(mine))]
    assert silent([*(names if len(some) == len(mine) else names[turn]), *some], terminal_text, language) == {}


def test_a_lost_connection_is_said_plainly() -> None:
    """On the kiosk and at a terminal: what is lost, and that it is being mended."""
    for cases, read in ((kiosk_cases(False), kiosk_text), (seat_cases(False), terminal_text)):
        texts = [read(shown, "en") for shown, _ in cases if shown.contact is sentences.Contact.NO_BROKER]
        assert texts
        assert all("No connection to the table" in text and "Reconnecting…" in text for text in texts)


def test_every_phase_is_among_them() -> None:
    """Each phase but the lobby, which no table shows; offers of all kinds, pauses of all kinds, and phones that are away."""
    names = " | ".join(named())
    assert {one.view.phase for one in named().values()} == set(Phase) - {Phase.LOBBY}
    for part in ("abort", "claim", "draw", "take-back", "void"):
        assert f"{part} offered" in names
    for part in ("held", "no answer", "arbiter called", "round over", "a player's", "a player's, with an end"):
        assert f"paused, {part}" in names
    assert "a phone is away" in names


# ---- mute states that are planted are noticed


def test_a_pause_that_nobody_is_told_to_end_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The bare word *Paused*, with an empty line below it."""
    monkeypatch.setattr(sentences, "_stands_still", lambda *_: " ")
    found = silent(kiosk_cases(True), kiosk_text, "en")
    assert "paused, held" in found
    assert all(name.startswith("paused") for name in found)
    assert found == silent(((s, d) for s, d in kiosk_cases(True) if s.name.startswith("paused")), kiosk_text, "en")


def test_an_answer_that_is_waited_for_without_a_name_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """*Waiting ...*: what it is about is said, but not who."""
    say = Words.say
    monkeypatch.setattr(
        Words,
        "say",
        lambda self, key, **values: "Waiting …" if key == "turn.waiting-for" else say(self, key, **values),
    )
    found = silent(seat_cases(False), terminal_text, "en")
    assert found["waiting-for-declarations, declare, 1 asked red"] == ["blue: declare"]
    assert "waiting-for-declarations, declare, 1 asked blue" not in found, "who is asked himself is told"


def test_a_connection_that_is_waited_for_with_a_spinner_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The headline says what is missing, but not whether anybody can do anything."""
    detail = sentences.detail
    live = sentences.Contact.LIVE
    monkeypatch.setattr(
        state, "detail", lambda info, view, said, contact=live: detail(info, view, said) if contact is live else "…"
    )
    found = silent(kiosk_cases(False), kiosk_text, "en")
    assert {"no-broker", "no-referee"} == set(found)
