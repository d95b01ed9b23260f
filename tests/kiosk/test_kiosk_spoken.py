"""What is said aloud: which sentences a change calls for, in six languages, and a voice that never blocks and is never late."""

from __future__ import annotations

import os
import queue
import shutil
import subprocess
import wave
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from kiosk_ui.fixtures import samples
from kiosk_ui.received_state import ReceivedState
from kiosk_ui.run import said_aloud
from kiosk_ui.screen import screen_state
from kiosk_ui.spoken import OWN, USUAL, Voice, spoken_between, voice_command
from kiosk_ui.touch_state import Page, ScreenSettings, TouchState
from referee.cli.main import main
from referee.journal.records.formats import write_record
from referee.journal.records.model import rules_of
from referee.journal.records.views import info_of, views
from referee.rules.values import Rank, Seat
from referee.table.views import (
    Ask,
    Attack,
    DecidedMove,
    Finale,
    Fix,
    Found,
    GameEnd,
    LastMove,
    Mode,
    Offer,
    Phase,
    PublicEvent,
    PublicView,
    Sighting,
)
from referee.words import LANGUAGES, words
from tests.patience import PATIENCE_S
from tests.records.audited_games import game

SAMPLE = {sample.name: sample for sample in samples()}["middle"]
HEARD = SAMPLE.received
VIEW = cast(PublicView, SAMPLE.view)
RED, BLUE = Seat.RED, Seat.BLUE
OPEN = replace(VIEW, attack=Attack(RED, "b6", "b7"), last_move=None, ask=Ask.DECLARE)
FIGHTING = replace(HEARD, view=OPEN)


def seen(**changes: object) -> ReceivedState:
    """Return what is received where the view has changed so."""
    return replace(HEARD, view=replace(VIEW, **changes))  # type: ignore[arg-type]


COMPARED = seen(phase=Phase.RESTORING, ask=Ask.RESTORE)
WRONG = Fix("e5", RED)


def test_a_move_that_was_decided_elsewhere_is_said_with_what_to_do() -> None:
    """When it is decided, once; after another ply what to put back, and then the decision again."""
    english = words("en")
    shown = seen(decided=DecidedMove(BLUE, "f7", "f8"))
    assert spoken_between(HEARD, shown, english) == "Blue: f7 to f8. Please make this move."
    assert not spoken_between(shown, seen(decided=DecidedMove(BLUE, "f7", "f8"), in_hand=("f7",)), english)
    wrong = seen(decided=DecidedMove(BLUE, "f7", "f8"), phase=Phase.RESTORING, ask=Ask.NOT_DECIDED)
    assert spoken_between(shown, wrong, english) == "That isn’t the chosen move. Set the board as shown. Then f7 to f8."
    assert spoken_between(wrong, shown, english) == "Blue: f7 to f8. Please make this move."
    attack = seen(decided=DecidedMove(BLUE, "b7", "b6"))
    assert spoken_between(HEARD, attack, english) == "Blue: b7 attacks b6. Lift both pieces."


def settled(before: ReceivedState, result: str, captured: dict[Seat, Rank]) -> ReceivedState:
    """Return what is received after the verdict on red's attack from b6 at b7."""
    verdict = PublicEvent(VIEW.game, 9, "verdict", 138, RED, "b6", "b7", result=result, captured=captured)
    return before.after(verdict)


BOTH = {RED: Rank.MAJOR, BLUE: Rank.MAJOR}
# before, after -> what is said
STEPS: dict[str, tuple[ReceivedState, ReceivedState, str]] = {
    "nothing": (HEARD, HEARD, ""),
    "a move": (HEARD, seen(ply=138, last_move=LastMove(BLUE, "f7", "e7", False)), "Blue, f7 to e7."),
    "the same move, final": (HEARD, seen(last_move=replace(cast(LastMove, VIEW.last_move), final=False)), ""),
    "a move taken back": (HEARD, seen(ply=136, last_move=LastMove(BLUE, "f7", "e7", True)), ""),
    "an attack": (HEARD, FIGHTING, "Red attacks b7."),
    "an attack that is denied": (
        FIGHTING,
        replace(HEARD, view=replace(OPEN, attack=Attack(RED, "b6", "b7", denied=(RED,)))),
        "",
    ),
    "a guess": (
        HEARD,
        replace(HEARD, view=replace(OPEN, attack=Attack(RED, "b6", "b7", guess=Rank.MINER))),
        "b6 infiltrates b7 (Miner).",
    ),
    "a verdict": (FIGHTING, settled(FIGHTING, "defender-wins", {RED: Rank.COLONEL}), "Red loses a Colonel."),
    "both": (FIGHTING, settled(FIGHTING, "both-lost", BOTH), "Red loses a Major. Blue loses a Major."),
    "a wrong guess": (FIGHTING, settled(FIGHTING, "wrong-guess", {}), "Wrong guess: both stay."),
    "a verdict at once": (
        HEARD,
        settled(HEARD, "attacker-wins", {BLUE: Rank.SPY}),
        "Red attacks b7. Blue loses the Spy.",
    ),
    "the end": (HEARD, seen(result=GameEnd(RED, "flag"), turn=None), "Red wins. The flag was captured."),
    "an offer": (HEARD, seen(ask=Ask.CONFIRM_DRAW, offer=Offer("draw", RED)), "Red offers a draw."),
    "a refusal": (HEARD, seen(offer=Offer("draw", RED, declined_by=BLUE)), "Blue declined the draw."),
    "a call": (HEARD, seen(called=(RED,)), "The arbiter has been called."),
    "play again": (seen(phase=Phase.PAUSED), HEARD, "Blue to move."),
    "nothing while the board is compared": (seen(phase=Phase.PAUSED), COMPARED, ""),
    "what is wrong on it": (
        COMPARED,
        seen(phase=Phase.RESTORING, ask=Ask.RESTORE, fixes=(WRONG,)),
        "Fix the board.",
    ),
    "play again, once it is right": (COMPARED, HEARD, "Blue to move."),
    "another game": (HEARD, replace(HEARD, info=None), ""),
    "no referee": (FIGHTING, replace(settled(FIGHTING, "both-lost", BOTH), referee=False), ""),
}


@pytest.mark.parametrize("name", STEPS)
def test_each_change_has_its_sentence(name: str) -> None:
    """What everybody may know, once, and nothing where nothing has happened."""
    before, after, text = STEPS[name]
    assert spoken_between(before, after, words("en")) == text
    assert spoken_between(after, after, words("en")) == ""


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_says_whole_sentences(language: str) -> None:
    """No key, no placeholder and no sign that a voice would spell out."""
    for before, after, text in STEPS.values():
        said = spoken_between(before, after, words(language))
        assert bool(said) == bool(text)
        assert not set(said) & set("{}_/|<>\n"), said
        assert not said or said[-1] in ".?!"


def test_something_to_do_is_said_once() -> None:
    """When hands were not understood the big sentence is said, not each square that was seen."""
    after = seen(phase=Phase.RESTORING, ask=Ask.NOT_UNDERSTOOD, saw=(Sighting("d4", Found.EMPTY),))
    said = spoken_between(HEARD, after, words("en"))
    assert said.rstrip(".") == words("en")["phase.restoring"].rstrip(".")


def test_a_whole_game_names_captured_ranks_only(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`record show --spoken` prints a sentence for each move; its ranks are exactly those that were captured, one for each."""
    record = game(Mode.ENROL, 0)[1]
    rules = rules_of(record)
    screens = list(views(record, rules))
    said = list(said_aloud(info_of(record, rules), screens, "en"))
    named = sorted(
        rank.value for _, text in said for rank in Rank for _ in range(text.count(words("en").loses(RED, rank)[4:]))
    )
    lost = sorted(
        rank.value for counts in screens[-1].captured.values() for rank, n in counts.items() for _ in range(n)
    )
    assert named == lost
    assert {ply for ply, _ in said} == set(range(1, screens[-1].ply + 1))
    path = tmp_path / "game.record"
    path.write_text(write_record(record, "own"))
    assert main(["record", "show", str(path), "--spoken", "--lang", "en"]) == 0
    printed = [line[6:] for line in capsys.readouterr().out.splitlines()]
    assert printed == [text for _, text in said]


def test_without_a_voice_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The page of screen and sound has the command, and its button cannot be touched; with a voice there is no such line."""
    monkeypatch.setenv("PATH", str(tmp_path))
    assert voice_command("de", 60) == ()
    Voice().say("Nobody hears this.", "de", 60)
    touched = TouchState(ScreenSettings("en"), Page.SCREEN, voice=False)
    for state, missing in ((touched, True), (replace(touched, voice=True), False)):
        page = screen_state(HEARD, state).sheet
        assert page is not None
        assert any("apt install espeak-ng" in line for line in page.lines) == missing
        assert next(button.enabled for button in page.buttons if button.key == "spoken") != missing


def stand_in(folder: Path, name: str) -> None:
    """Put a program there that notes its arguments, its environment and what it is to say, and speaks until the gate opens."""
    program = folder / name
    program.write_text(
        '#!/bin/sh\n{ echo "$@"; /usr/bin/env; /bin/cat; echo; } >> "${0%/*}/noted"\n/bin/cat "${0%/*}/gate" > /dev/null\n'
    )
    program.chmod(0o755)


@pytest.fixture
def gate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Return what lets a stand-in voice end its sentence."""
    stand_in(tmp_path, OWN)
    os.mkfifo(tmp_path / "gate")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("HALLMARSHAL_KIOSK_PASSWORD", "secret-of-the-kiosk")

    def let_end() -> None:
        (tmp_path / "gate").write_text("")

    return let_end


@pytest.mark.process
def test_only_the_newest_sentence_waits(gate: Callable[[], None], tmp_path: Path) -> None:
    """While one is said the newest alone waits, and not for long; no word is in the arguments, no password in the environment."""
    said: queue.Queue[str] = queue.Queue()
    now_s = [100.0]
    voice = Voice(said.put, clock=lambda: now_s[0])
    voice.say("One.", "de", 60)
    assert said.get(timeout=PATIENCE_S) == "One."
    voice.say("Two.", "de", 60)
    voice.say("Three.", "de", 60)
    gate()
    assert said.get(timeout=PATIENCE_S) == "Three."
    voice.say("Four.", "de", 60)
    now_s[0] += 10
    gate()
    while voice._next is not None:
        assert voice._thread is not None
        voice._thread.join(0.01)
    voice.say("Five.", "de", 60)
    assert said.get(timeout=PATIENCE_S) == "Five."
    gate()
    voice.stop()
    assert said.empty()
    noted = (tmp_path / "noted").read_text()
    assert "secret-of-the-kiosk" not in noted
    assert [line for line in noted.splitlines() if line in ("One.", "Two.", "Three.", "Four.", "Five.")] == [
        "One.",
        "Three.",
        "Five.",
    ]
    assert noted.count("de 60\n") == 3


@pytest.mark.process
def test_a_voice_falls_silent_at_once(gate: Callable[[], None]) -> None:
    """The end of the kiosk does not wait for the end of a sentence."""
    said: queue.Queue[str] = queue.Queue()
    voice = Voice(said.put)
    voice.say("A very long sentence.", "en", 100)
    said.get(timeout=PATIENCE_S)
    voice.stop()
    assert voice._process is None


@pytest.mark.process
@pytest.mark.skipif(shutil.which(USUAL) is None, reason="no espeak-ng here; CI brings it")
@pytest.mark.parametrize("language", LANGUAGES)
def test_espeak_speaks_every_language(language: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the arguments that the kiosk gives it, but into a file: a second of sound or more, louder at a higher volume."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / USUAL).symlink_to(cast(str, shutil.which(USUAL)))
    monkeypatch.setenv("PATH", str(folder))
    before, after, _ = STEPS["a verdict at once"]
    text = spoken_between(before, after, words(language))
    loud = []
    for volume in (20, 100):
        path = tmp_path / f"{volume}.wav"
        done = subprocess.run(
            [*voice_command(language, volume), "-w", str(path)], input=text.encode(), capture_output=True, check=False
        )
        assert (done.returncode, done.stderr) == (0, b"")
        with wave.open(str(path)) as sound:
            assert sound.getnframes() > sound.getframerate()
            samples_ = memoryview(sound.readframes(sound.getnframes())).cast("h")
            loud.append(max(abs(sample) for sample in samples_))
    assert loud[0] * 2 < loud[1]


def test_that_the_armies_are_turned_over_is_said_once() -> None:
    """When it becomes so; that they stay covered is shown and not said."""
    info, view = SAMPLE.info, SAMPLE.view
    assert info is not None
    assert view is not None
    over = replace(view, phase=Phase.FINISHED, turn=None, result=GameEnd(Seat.RED, "resign"), finale=Finale.ASKED)
    heard = {
        word: spoken_between(ReceivedState(True, True, info, over), ReceivedState(True, True, info, now), words("en"))
        for word, now in ((word, replace(over, finale=word)) for word in Finale)
    }
    assert heard == {Finale.ASKED: "", Finale.TURNED: "The armies are revealed.", Finale.COVERED: ""}
