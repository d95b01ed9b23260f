"""Plays the tones, where the machine can: a kiosk without a loudspeaker says nothing and goes on."""
# mypy: disable-error-code="import-untyped,no-any-unimported"
# Kivy ships no types.

from __future__ import annotations

import tempfile
import wave
from pathlib import Path
from typing import Any

from kiosk_ui.tones import RATE_HZ, Cue, samples_of


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

    def play(self, cue: Cue) -> None:
        """Play a tone, if anything can."""
        if cue not in self._loaded:
            self._loaded[cue] = _load(cue)
        if self._loaded[cue] is not None:
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
