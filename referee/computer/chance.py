"""Chance that can be replayed: numbers that follow from a seed and from what they are drawn for."""

from __future__ import annotations

from hashlib import blake2b

_BYTES = 7
"""What a float holds exactly."""


def chance(seed: str, *what: object) -> float:
    """Return a number from 0 up to 1, the same for the same seed and words; numbers for other words are independent of it."""
    words = "/".join(map(str, (seed, *what)))
    drawn: float = int.from_bytes(blake2b(words.encode(), digest_size=_BYTES).digest()) / (1 << 8 * _BYTES)
    return drawn
