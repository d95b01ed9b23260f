"""What everybody at the table may know, said aloud: which sentences a change calls for, and the voice that says them.

Sentences are computed from what this kiosk has received, and that is public. A voice is a program of its own: `hallmarshal-voice` where
somebody has put one, else `espeak-ng`. It reads a sentence on its standard input, so that its arguments hold none.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from kiosk_ui.received_state import ReceivedState
from referee.presentation.scenes import losses_of
from referee.presentation.sentences import Contact, Tone, asked, carrying, declined, headline
from referee.table.views import Ask, Attack, Finale, Phase, PublicInfo, PublicView
from referee.words import Words

_STOOD_STILL = (Phase.SETTING_UP, Phase.PAUSED, Phase.RESTORING)


def spoken_between(before: ReceivedState, after: ReceivedState, words: Words) -> str:
    """Return the sentences for the step from one moment to the next; empty when nothing has to be spoken."""
    old, new = before.table, after.table
    if after.contact is not Contact.LIVE or old is None or new is None or old[0].game != new[0].game:
        return ""
    sentences = (
        *_fought(before, after, words),
        *_moved(old[1], new[1], words),
        *_stands(new[0], old[1], new[1], words),
    )
    return " ".join(sentence if sentence[-1] in ".?!" else f"{sentence}." for sentence in sentences if sentence)


def _open(view: PublicView) -> Attack | None:
    return view.attack if view.attack is not None and view.attack.result is None else None


def _same(one: Attack | None, source: str, target: str) -> bool:
    return one is not None and (one.source, one.target) == (source, target)


def _fought(before: ReceivedState, after: ReceivedState, words: Words) -> Iterator[str]:
    """Yield an attack that has begun, and who lost what in one that is settled; of a survivor no rank is known here."""
    assert before.view is not None
    assert after.view is not None
    attack, duel = _open(after.view), after.duel
    if duel is not None and duel is not before.duel:
        if not _same(_open(before.view), duel.source, duel.target):
            yield words.say("spoken.attack", seat=words.seat(duel.attacker), square=duel.target)
        yield from losses_of(duel, words) or (words[f"verdict.{duel.result}"],)
    elif attack is not None and not _same(_open(before.view), attack.source, attack.target):
        if attack.guess is not None:
            places = {"source": attack.source, "target": attack.target}
            yield words.say("attack.infiltrates", **places, rank=words.rank(attack.guess))
        elif attack.fires:
            yield words.say("attack.fires", source=attack.source, target=attack.target)
        else:
            yield words.say("spoken.attack", seat=words.seat(attack.seat), square=attack.target)


def _moved(old: PublicView, new: PublicView, words: Words) -> Iterator[str]:
    """Yield the last move where it is another one and nothing was taken back."""
    move, last = new.last_move, old.last_move
    if move is None or new.ply < old.ply:
        return
    if last is None or (last.seat, last.source, last.target) != (move.seat, move.source, move.target):
        yield words.say("spoken.move", seat=words.seat(move.seat), source=move.source, target=move.target)


def _stands(info: PublicInfo, old: PublicView, new: PublicView, words: Words) -> Iterator[str]:
    """Yield the end; what has to be done now that did not before; who offers or declines; and whose turn it is after a rest."""
    text, _, tone = headline(info, new, words, Contact.LIVE)
    changed = text != headline(info, old, words, Contact.LIVE)[0]
    if new.result is not None:
        if old.result is None:
            yield text
            yield words[f"end.{new.result.reason}"]
        if new.finale is Finale.TURNED and old.finale is not Finale.TURNED:
            yield words["finale.turned"]
        return
    wrong = new.ask is Ask.NOT_DECIDED
    if changed and (wrong or (new.decided is not None and tone is Tone.TURN)):
        yield asked(new, words) if wrong else text
        yield carrying(info, new, words)
    elif changed and (
        tone is Tone.ASK or new.phase is Phase.PAUSED or (tone is Tone.TURN and old.phase in _STOOD_STILL)
    ):
        yield text
    if new.called and not old.called:
        yield words["kiosk.arbiter-called"]
    if new.ask is not None and new.ask is not old.ask and new.ask.value.startswith("confirm-"):
        yield asked(new, words)
    if new.offer is not None and new.offer.declined_by is not None and new.offer != old.offer:
        yield declined(new, words)


# ---- the voice

OWN, USUAL = "hallmarshal-voice", "espeak-ng"
_LONGEST_S = 20.0
"""No sentence takes so long: a program that has not ended by then hangs."""
_STALE_S = 4.0
"""A sentence that could not begin for so long is not said any more."""


@dataclass(frozen=True, slots=True)
class _Sentence:
    text: str
    command: tuple[str, ...]
    since_s: float


def voice_command(language: str, volume: int) -> tuple[str, ...]:
    """Return the program that speaks and its arguments, empty where none is installed; `volume` in percent of the usual."""
    if own := shutil.which(OWN):
        return own, language, str(volume)
    usual = shutil.which(USUAL)
    return (usual, "-v", language, "-a", str(volume), "-b", "1", "--stdin") if usual else ()


class Voice:
    """Speaks one sentence after the other on its own thread; of waiting ones only the newest, and none older than
    `_STALE_S` seconds.
    """

    def __init__(
        self, on_said: Callable[[str], None] = lambda text: None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """`on_said` is called on that thread with each sentence passed to the program; `clock` returns seconds."""
        self._on_said, self._clock = on_said, clock
        self._changed = threading.Condition()
        self._next: _Sentence | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._thread: threading.Thread | None = None
        self._stopping = False

    def say(self, text: str, language: str, volume: int) -> None:
        """Queue a sentence to be spoken, if any voice is installed; returns at once. `volume` in percent of the usual."""
        command = voice_command(language, volume)
        if not command:
            return
        with self._changed:
            self._next = _Sentence(text, command, self._clock())
            self._changed.notify()
            if self._thread is None:
                self._thread = threading.Thread(target=self._speak, name="kiosk-voice", daemon=True)
                self._thread.start()

    def stop(self) -> None:
        """Fall silent, in the middle of a word."""
        with self._changed:
            self._stopping = True
            self._changed.notify()
            if self._process is not None:
                _silence(self._process)
        if self._thread is not None:
            self._thread.join()

    def _speak(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._stopping or self._next is not None)
                sentence, self._next = self._next, None
                if self._stopping or sentence is None:
                    return
                if self._clock() - sentence.since_s > _STALE_S:
                    continue
                try:
                    self._process = _started(sentence.command)
                except OSError:  # it was uninstalled since it was found
                    continue
            self._on_said(sentence.text)
            self._hand_over(self._process, sentence.text)

    def _hand_over(self, process: subprocess.Popen[bytes], text: str) -> None:
        try:
            process.communicate(text.encode(), timeout=_LONGEST_S)
        except subprocess.TimeoutExpired:
            _silence(process)
            process.communicate()
        finally:
            with self._changed:
                self._process = None


def _silence(process: subprocess.Popen[bytes]) -> None:
    """End a voice with all that it has started: it may be a shell that pipes one program into another."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def _started(command: tuple[str, ...]) -> subprocess.Popen[bytes]:
    """Start a voice that knows nothing of this kiosk's password."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("HALLMARSHAL_")}
    quiet = subprocess.DEVNULL
    return subprocess.Popen(  # noqa: S603 # ours, no shell
        command, stdin=subprocess.PIPE, stdout=quiet, stderr=quiet, env=environment, process_group=0
    )
