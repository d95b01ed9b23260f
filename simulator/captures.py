"""Captures: the four ways in which hands show an attack, and how they clear it away after the verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from random import Random

from simulator import times
from simulator.errors import MotionError
from simulator.profiles import CaptureShares
from simulator.script import Held, Script

HAND_STAYS = 0.3  # of tapping hands keep the attacker until the verdict; the others put it back


class Way(Enum):
    """How an attack is made by hand."""

    BOTH_LIFTED = "both-lifted"
    TAPPED = "tapped"
    TARGET_FIRST = "target-first"
    SWAPPED = "swapped"


class Verdict(Enum):
    """What became of an attack, for the hands: who stands on the target in the end."""

    ATTACKER_WINS = "attacker-wins"
    DEFENDER_WINS = "defender-wins"
    BOTH_LOST = "both-lost"
    FLAG_TAKEN = "flag-taken"


@dataclass(slots=True)
class Attack:
    """An attack under way: who it is, and where its two pieces are now (None: in a hand)."""

    source: int
    target: int
    path: tuple[int, ...]
    way: Way
    attacker: Held
    defender: Held
    attacker_at: int | None
    defender_at: int | None


def draw_way(shares: CaptureShares, random: Random) -> Way:
    """Return one of the four ways by its share."""
    weights = (shares.both_lifted, shares.tapped, shares.target_first, shares.swapped)
    return random.choices(tuple(Way), weights)[0]


def parse_verdict(word: str) -> Verdict:
    """Return the verdict of that name; raise MotionError."""
    try:
        return Verdict(word)
    except ValueError:
        raise MotionError(f"verdict {word!r} is none of {', '.join(v.value for v in Verdict)}") from None


def show(
    script: Script, random: Random, source: int, target: int, path: Sequence[int], way: Way, *, slid: bool, fumble: bool
) -> tuple[Attack, int | None]:
    """Make an attack by hand; return how things stand then, and when it is told on the handset if hands cannot show it."""
    start_ms = script.at_ms
    if way is Way.TARGET_FIRST:
        defender = script.take(target)
        script.carry()
        attacker = _arrive(script, source, target, path, slid=slid, fumble=fumble)
        return Attack(source, target, tuple(path), way, attacker, defender, target, None), None
    attacker = script.take(source, fumble=fumble and way in (Way.BOTH_LIFTED, Way.TAPPED))
    if way is Way.BOTH_LIFTED:
        # the owner of the target may take it while the attacker is still on its way up
        script.at_ms = max(start_ms + times.BETWEEN_LIFTS.draw(random), script.at_ms - times.RISE.least_ms)
        defender = script.take(target)
        return Attack(source, target, tuple(path), way, attacker, defender, None, None), None
    script.carry()
    if way is Way.SWAPPED:
        taken_ms = script.at_ms
        defender = script.take(target)
        script.at_ms = taken_ms + times.SWAP.draw(random)
        script.put(attacker, target, fumble=fumble)
        return Attack(source, target, tuple(path), way, attacker, defender, target, None), None
    script.tap(attacker, target)
    victim = script.standing[target]
    defender = Held(victim.seat, victim.pole, victim.x, victim.y)
    back = random.random() >= HAND_STAYS
    if back:
        script.carry()
        script.put(attacker, source)
    told_ms = round(script.at_ms + times.TELL.draw(random))
    return Attack(source, target, tuple(path), way, attacker, defender, source if back else None, target), told_ms


def clear(
    script: Script, random: Random, attack: Attack, verdict: Verdict, *, slid: bool, fumble: bool
) -> list[tuple[Held, float]]:
    """Do what the verdict asks for, removals in either order; return the captured pieces with the time at which each was in a hand."""
    attacker_stays = verdict in (Verdict.ATTACKER_WINS, Verdict.FLAG_TAKEN)
    defender_stays = verdict is Verdict.DEFENDER_WINS
    goes_in = attacker_stays and attack.attacker_at == attack.source
    slides_in = goes_in and slid  # only then may the target be cleared first and the attacker pushed
    steps = []
    if attack.defender_at is not None and not defender_stays:
        steps.append("defender")
    if attack.attacker_at is not None and (not attacker_stays or goes_in) and not slides_in:
        steps.append("attacker")
    random.shuffle(steps)
    lost = []
    if attack.attacker_at is None and not attacker_stays:
        lost.append((attack.attacker, script.at_ms))
    if attack.defender_at is None and not defender_stays:
        lost.append((attack.defender, script.at_ms))
    for n, step in enumerate(steps):
        if n:
            script.wait(times.NEXT_STEP)
        piece = script.take(attack.target if step == "defender" else attack.attacker_at or 0)
        if step == "defender" or not attacker_stays:
            lost.append((piece, script.at_ms))
    if slides_in:
        script.wait(times.NEXT_STEP)
        script.slide(attack.source, [*attack.path, attack.target], fumble=fumble)
    elif attacker_stays and attack.attacker_at != attack.target:
        script.carry()
        script.put(attack.attacker, attack.target, fumble=fumble)
    elif defender_stays and attack.defender_at is None:
        script.carry()
        script.put(attack.defender, attack.target, fumble=fumble)
    return lost


def _arrive(script: Script, source: int, target: int, path: Sequence[int], *, slid: bool, fumble: bool) -> Held:
    if slid:
        piece = script.standing[source]
        script.slide(source, [*path, target], fumble=fumble)
        return Held(piece.seat, piece.pole, piece.x, piece.y)
    attacker = script.take(source)
    script.carry()
    script.put(attacker, target, fumble=fumble)
    return attacker
