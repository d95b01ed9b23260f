"""What the accuracy bench counts, and the figures it makes of it."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

RESTED_MS = 250
"""A rest on another legal square for this long may be read: nobody can tell it from a move. Timed as verdicts are."""


@dataclass(slots=True)
class Tally:
    """Counts over all games of one run. Latencies are board milliseconds by class."""

    plies: int = 0
    """Final plies."""
    games: int = 0
    misread: int = 0
    """Final plies that are not what the hands meant."""
    asked: int = 0
    """Prompts beyond the ordinary questions of an attack, one for each time that the board had to be put right."""
    asked_needless: int = 0
    """Those of them without an accident that still had one to ask about."""
    lost: int = 0
    """Plies that hands made and that were neither final in time nor asked about."""
    ghost: int = 0
    """Wrong reads where no other legal square had held the piece for `RESTED_MS`."""
    ghost_hesitated: int = 0
    """Ghosts where the piece did rest on another legal square, but not for so long."""
    revised: int = 0
    """Wrong reads after such a rest."""
    short_pauses: int = 0
    """Those of them in which the hand itself let the piece rest for less: it stands in sight on its way down and up, too."""
    corrected: int = 0
    """Wrong reads, of either kind, that a revision put right without a prompt."""
    false_attacks: int = 0
    """Questions about an attack that nobody made."""
    told_late: int = 0
    """Attacks that hands showed, which had to be told on the handset since sensing was silent."""
    scout_slides: int = 0
    scout_slide_ghosts: int = 0
    accidents_asked: int = 0
    rejected: Counter[str] = field(default_factory=Counter)
    motions: Counter[str] = field(default_factory=Counter)
    extras: Counter[str] = field(default_factory=Counter)
    accidents: Counter[str] = field(default_factory=Counter)
    latencies: defaultdict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    faults: list[str] = field(default_factory=list)
    """One line for each thing that went wrong: where to find it, what was meant, what was said."""

    def count_wrong(self, stood_ms: int, paused_ms: int, *, corrected: bool = False, scout_slide: bool = False) -> bool:
        """Count a wrong read: for how long its square held the piece, and the hand let it rest there; give whether it was a ghost."""
        self.corrected += corrected
        if stood_ms >= RESTED_MS:
            self.revised += 1
            self.short_pauses += paused_ms < RESTED_MS
            return False
        self.ghost += 1
        self.ghost_hesitated += paused_ms > 0
        self.scout_slide_ghosts += scout_slide
        return True

    def figures(self) -> dict[str, object]:
        """Give everything as plain data; rates are shares of the final plies."""
        plies = max(1, self.plies)
        return {
            "plies": self.plies,
            "games": self.games,
            "misread": self.misread,
            "misread_upper_95": upper_bound(self.misread, plies),
            "asked": self.asked,
            "asked_without_accident": self.asked_needless,
            "lost": self.lost,
            "ghost": self.ghost,
            "ghost_of_short_rests": self.ghost_hesitated,
            "revised_after_rest": self.revised,
            "revised_after_short_pause": self.short_pauses,
            "wrong_reads_corrected": self.corrected,
            "scout_slides": self.scout_slides,
            "scout_slide_ghosts": self.scout_slide_ghosts,
            "false_attack_questions": self.false_attacks,
            "attacks_told_late": self.told_late,
            "rates": {
                "asked_without_accident": round(self.asked_needless / plies, 6),
                "ghost": round(self.ghost / plies, 6),
                "ghost_by_the_hands_pause": round((self.ghost + self.short_pauses) / plies, 6),
                "scout_slide_ghosts": round(self.scout_slide_ghosts / max(1, self.scout_slides), 6),
                "false_attack_questions": round(self.false_attacks / plies, 6),
            },
            "latency_ms": {name: percentiles(values) for name, values in sorted(self.latencies.items())},
            "motions": shares(self.motions),
            "extras": shares(self.extras, sum(self.motions.values())),
            "accidents": dict(sorted(self.accidents.items())),
            "accidents_asked": self.accidents_asked,
            "refused_on_handset": dict(self.rejected),
        }


def shares(counts: Mapping[str, int], whole: int | None = None) -> dict[str, float]:
    """Give each count as a share of their sum, or of `whole`."""
    total = sum(counts.values()) if whole is None else whole
    return {name: round(count / max(1, total), 5) for name, count in sorted(counts.items())}


def percentiles(values: Sequence[int]) -> dict[str, int]:
    """Give how many there are, the median and the 99th percentile (nearest rank)."""
    ordered = sorted(values)
    if not ordered:
        return {"n": 0}
    return {
        "n": len(ordered),
        "p50": ordered[math.ceil(0.50 * len(ordered)) - 1],
        "p99": ordered[math.ceil(0.99 * len(ordered)) - 1],
        "most": ordered[-1],
    }


def upper_bound(found: int, tries: int, confidence: float = 0.95) -> float:
    """Give the one-sided upper bound of a rate of which `found` of `tries` were seen (Clopper and Pearson's exact bound)."""
    if found >= tries:
        return 1.0
    low, high = 0.0, 1.0
    for _ in range(60):
        rate = (low + high) / 2
        if _at_most(found, tries, rate) > 1 - confidence:
            low = rate
        else:
            high = rate
    return float(f"{high:.3g}")


def _at_most(found: int, tries: int, rate: float) -> float:
    """Give the chance of no more than `found` hits in `tries`."""
    if rate <= 0.0:
        return 1.0
    log_rate, log_rest = math.log(rate), math.log1p(-rate)
    return sum(
        math.exp(
            math.lgamma(tries + 1)
            - math.lgamma(n + 1)
            - math.lgamma(tries - n + 1)
            + n * log_rate
            + (tries - n) * log_rest
        )
        for n in range(found + 1)
    )
