"""Simulated hands that do what a field trial asks for: each thing that is said as motions of `simulator.motions`. They measure nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random
from typing import Any, TypeAlias

from referee.field_trial.plan import SLIDES, Motion, MotionKind
from referee.field_trial.trial import Asks, Prompt, SetBoard
from referee.rules import Prospect

Wish: TypeAlias = Mapping[str, Any]

_READING_MS = (600, 1500)
_REST_MS = (300, 700)
_LOOK_MS = (400, 1200)
_CARRY_MS = (200, 500)
_SWAP_MS = (60, 200)
AFTER_MS = 2800
"""A motion that nobody answers is final by then."""


def wishes(said: Prompt, random: Random) -> Iterator[Wish]:
    """Yield what the hands do about it, one after the other; nothing for what is only told."""
    match said:
        case SetBoard(wanted=wanted):
            squares = {square.name: seat.value for square, seat in wanted.items()}
            yield {"motion": "restore", "squares": squares, "after_ms": random.randint(*_READING_MS)}
        case Asks(motion=motion):
            yield {"motion": "wait", "after_ms": random.randint(*_READING_MS)}
            yield from _made(motion, random)
            yield {"motion": "wait", "after_ms": AFTER_MS}


def _made(motion: Motion, random: Random) -> Iterator[Wish]:
    seat = motion.seat.value
    if motion.kind is MotionKind.LOOK:
        assert motion.rest is not None
        yield {"motion": "lift", "square": motion.rest.name}
        yield {"motion": "put", "seat": seat, "square": motion.rest.name, "after_ms": random.randint(*_LOOK_MS)}
        return
    ply = motion.plies[0]
    source, target = ply.source.name, ply.target.name
    if motion.kind is MotionKind.BOTH_LIFTED:
        yield {"motion": "both", "from": source, "target": target}
    elif motion.kind is MotionKind.SWAPPED:
        yield {"motion": "lift", "square": source}
        yield {"motion": "lift", "square": target, "after_ms": random.randint(*_CARRY_MS)}
        yield {"motion": "put", "seat": seat, "square": target, "after_ms": random.randint(*_SWAP_MS)}
    elif motion.kind is MotionKind.TARGET_FIRST:
        yield {"motion": "lift", "square": target}
        yield {"motion": "move", "from": source, "to": target, "after_ms": random.randint(*_CARRY_MS)}
    elif motion.kind is MotionKind.HESITATION:
        assert motion.rest is not None
        yield {"motion": "lift", "square": source}
        yield {"motion": "put", "seat": seat, "square": motion.rest.name, "after_ms": random.randint(*_CARRY_MS)}
        yield {"motion": "lift", "square": motion.rest.name, "after_ms": random.randint(*_REST_MS)}
        yield {"motion": "put", "seat": seat, "square": target, "after_ms": random.randint(*_CARRY_MS)}
    else:
        yield from (_moved(one, slid=motion.kind in SLIDES) for one in motion.plies)


def _moved(ply: Prospect, *, slid: bool) -> Wish:
    over = [square.name for square in ply.path[:-1]] if slid else []
    style = "slide" if slid else "lift"
    return {"motion": "move", "from": ply.source.name, "to": ply.target.name, "style": style, "via": over}
