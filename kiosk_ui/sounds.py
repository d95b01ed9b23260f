"""Short tones of our own: which of them a change calls for, their samples, and their playing where the machine can.

Apart from `app`, which imports Kivy at once. Pure but for `write_tone` and `Sounds`, which opens the sound card only where sound is
wanted; a kiosk without a loudspeaker stays silent.
"""
# mypy: disable-error-code="import-untyped,misc,no-any-unimported"
# Kivy ships no types.

from __future__ import annotations

import math
import tempfile
import wave
from array import array
from collections.abc import Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import Any

from kiosk_ui.received_state import ReceivedState
from referee.presentation.sentences import is_compared
from referee.table.views import Phase, PublicView

RATE_HZ = 22_050
_LOUD = 0.35
"""Share of full scale."""
_SOFT_S = 0.008
"""How long a tone takes to come and go, so that it does not click."""


class Cue(Enum):
    """What is to be heard."""

    JOINED = "joined"
    TURN = "turn"
    CAPTURE = "capture"
    ASK = "ask"
    END = "end"


# tone in Hz, and how long it lasts in seconds
_TONES: Mapping[Cue, Sequence[tuple[float, float]]] = {
    Cue.JOINED: ((523.25, 0.09), (659.25, 0.14)),
    Cue.TURN: ((587.33, 0.07),),
    Cue.CAPTURE: ((392.0, 0.1), (261.63, 0.22)),
    Cue.ASK: ((440.0, 0.12), (440.0, 0.12), (440.0, 0.12)),
    Cue.END: ((523.25, 0.15), (659.25, 0.15), (783.99, 0.4)),
}


def samples_of(cue: Cue) -> array[int]:
    """Return a cue as 16-bit samples at `RATE_HZ`, one channel: soft sines with a fading octave above."""
    samples = array("h")
    for hertz, lasts_s in _TONES[cue]:
        number = round(lasts_s * RATE_HZ)
        for n in range(number):
            at_s, left_s = n / RATE_HZ, (number - n) / RATE_HZ
            edge = min(1.0, at_s / _SOFT_S, left_s / _SOFT_S)
            turn = 2 * math.pi * hertz * at_s
            wave = math.sin(turn) + 0.3 * math.exp(-8 * at_s) * math.sin(2 * turn)
            samples.append(round(32_767 * _LOUD * edge * wave / 1.3))
        samples.extend([0] * round(0.02 * RATE_HZ))
    return samples


def cue_between(before: ReceivedState, after: ReceivedState) -> Cue | None:
    """Return what the step from one moment to the next sounds like: the weightiest thing that happened, or None."""
    old, new = before.table, after.table
    if [chair.paired for chair in before.desk.chairs] != [chair.paired for chair in after.desk.chairs]:
        return Cue.JOINED if any(chair.paired for chair in after.desk.chairs) else None
    if old is None or new is None or old[0].game != new[0].game:
        return None
    view, now = old[1], new[1]
    if now.result is not None:
        return Cue.END if view.result is None else None
    if sum(sum(lost.values()) for lost in now.captured.values()) > sum(
        sum(lost.values()) for lost in view.captured.values()
    ):
        return Cue.CAPTURE
    if _halt(now) not in (None, _halt(view)) or (view.board_connected and not now.board_connected):
        return Cue.ASK
    return Cue.TURN if now.turn is not view.turn and now.turn is not None else None


def _halt(view: PublicView) -> Phase | None:
    """Return the phase in which play stands still until somebody acts; None in all others, and while the board is only compared."""
    return view.phase if view.phase in (Phase.RESTORING, Phase.PAUSED) and not is_compared(view) else None


def write_tone(cue: Cue, path: Path) -> None:
    """Write a cue as a WAV file."""
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE_HZ)
        file.writeframes(samples_of(cue).tobytes())


class Sounds:
    """Loads a tone when it is first played; the files live only while they are loaded."""

    def __init__(self) -> None:
        self._loaded: dict[Cue, Any] = {}

    def play(self, cue: Cue, volume: int) -> None:
        """Play a tone at so many percent of its loudness, if anything can."""
        if cue not in self._loaded:
            self._loaded[cue] = _load(cue)
        if self._loaded[cue] is not None:
            self._loaded[cue].volume = volume / 100
            self._loaded[cue].play()


def _load(cue: Cue) -> Any:
    from kivy.core.audio import SoundLoader  # opens the sound card, so only where sound is wanted

    with tempfile.TemporaryDirectory(prefix="hallmarshal-") as folder:
        path = Path(folder) / f"{cue.value}.wav"
        write_tone(cue, path)
        sound = SoundLoader.load(str(path))
        if sound is not None:
            sound.load()
        return sound
