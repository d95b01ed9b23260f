"""What the accuracy bench counts, the figures it makes of it, their limits, and their lines in docs/reference/accuracy.md."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from benchmarks.measuring import judged
from referee.field_trial.bounds import upper_bound
from referee.field_trial.result import percentiles

RESTED_MS = 250
"""A rest on another legal square for this long may be read: nobody can tell it from a move. Timed as verdicts are."""

ASKED = {"clean": 0.0, "home": 0.2, "rough": 0.5, "gaps": 0.5, "overlap": 0.5}
"""At most so many needless prompts by profile, in percent of the plies; of a profile in a file as many as of `rough`."""

GHOSTS, FALSE_ATTACKS, UNSAID = 0.1, 0.01, 0.1
"""At most so many ghosts, questions about attacks that nobody made, and right readings that were unsaid, in percent of the plies."""

VERDICTS = {
    "attack, both lifted": (500, 500),
    "attack, colour change": (150, 150),
    "board agreed before the verdict": (150, 150),
    "board agrees": (150, 150),
    "lift": (120, 150),
    "slide": (150, 300),
}
"""At most so many board milliseconds: median, 99th percentile."""

FAULTS_KEPT = 200
"""So many faults are kept when a run is left off."""

WITHOUT_COLOUR = ("attack without colour, swapped", "attack without colour, target-first")
"""Classes of verdicts without a target: these have to wait whether the piece is put back."""


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
    unsaid: int = 0
    """Readings of what was meant that were unsaid or revised, though no wrong reading was unsaid with them."""
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
    final_after_reply: list[int] = field(default_factory=list)
    """From the reply's last set-down to the final of the ply before it, in board milliseconds; 0 if that was final before."""
    final_after_reply_seen: list[int] = field(default_factory=list)
    """The same without the time in which no frames came."""
    faults: list[str] = field(default_factory=list)
    """One line for each thing that went wrong: where to find it, what was meant, what was said."""

    def count_wrong(self, stood_ms: int, paused_ms: int, *, corrected: bool = False, scout_slide: bool = False) -> bool:
        """Count a wrong read: for how long its square held the piece, and how long the hand let it rest there. Returns
        whether it was a ghost.
        """
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
        """Return all figures as plain data; rates are shares of the final plies."""
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
            "unsaid_without_need": self.unsaid,
            "false_attack_questions": self.false_attacks,
            "attacks_told_late": self.told_late,
            "rates": {
                "asked_without_accident": round(self.asked_needless / plies, 6),
                "ghost": round(self.ghost / plies, 6),
                "ghost_by_the_hands_pause": round((self.ghost + self.short_pauses) / plies, 6),
                "scout_slide_ghosts": round(self.scout_slide_ghosts / max(1, self.scout_slides), 6),
                "unsaid_without_need": round(self.unsaid / plies, 6),
                "false_attack_questions": round(self.false_attacks / plies, 6),
            },
            "final_after_reply_ms": percentiles(self.final_after_reply),
            "final_after_reply_seen_ms": percentiles(self.final_after_reply_seen),
            "latency_ms": {name: percentiles(values) for name, values in sorted(self.latencies.items())},
            "motions": shares(self.motions),
            "extras": shares(self.extras, sum(self.motions.values())),
            "accidents": dict(sorted(self.accidents.items())),
            "accidents_asked": self.accidents_asked,
            "refused_on_handset": dict(self.rejected),
        }

    def kept(self) -> dict[str, Any]:
        """Return everything as plain data for a file, for `taken_up` to read; of the faults only the first
        `FAULTS_KEPT`.
        """
        found: dict[str, Any] = {}
        for spec in fields(self):
            value = getattr(self, spec.name)
            if isinstance(value, defaultdict):
                value = {name: _counted(values) for name, values in value.items()}
            elif spec.name in ("final_after_reply", "final_after_reply_seen"):
                value = _counted(value)
            elif isinstance(value, list):
                value = value[:FAULTS_KEPT]
            found[spec.name] = value
        return found

    @classmethod
    def taken_up(cls, found: Mapping[str, Any]) -> Tally:
        """Return a tally that continues where `kept` left off. Raises `TypeError`, `ValueError` or `AttributeError` for
        other data.
        """
        tally = cls(**found)
        tally.rejected, tally.motions = Counter(tally.rejected), Counter(tally.motions)
        tally.extras, tally.accidents = Counter(tally.extras), Counter(tally.accidents)
        times = {name: _listed(counts) for name, counts in found["latencies"].items()}
        tally.latencies = defaultdict(list, times)
        tally.final_after_reply = _listed(found["final_after_reply"])
        tally.final_after_reply_seen = _listed(found["final_after_reply_seen"])
        return tally


def _counted(values: Sequence[int]) -> dict[str, int]:
    """Return how often each value occurs: a million plies have only a few thousand different times."""
    return {str(value): count for value, count in sorted(Counter(values).items())}


def _listed(counts: Mapping[str, int]) -> list[int]:
    return [int(value) for value, count in counts.items() for _ in range(count)]


def shares(counts: Mapping[str, int], whole: int | None = None) -> dict[str, float]:
    """Return each count as a share, 0 to 1, of their sum, or of `whole`."""
    total = sum(counts.values()) if whole is None else whole
    return {name: round(count / max(1, total), 5) for name, count in sorted(counts.items())}


def lines(run: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Return what the page says of a run: the block that it belongs to, how its line begins, and the rest; bold misses its target."""
    extra = ", recorded games" if run["moves"] == "recorded" else ""
    extra += f", {run['accidents_factor']:g} times the accidents" if run["accidents_factor"] != 1 else ""
    whose = "" if run["hands"] == "first" else f"{run['hands']} hands, "
    extra += ", set-ups of people" if run["set_ups"] == "people's" else ""
    extra += f", overlap {run['overlap']:g}" if run["overlap"] is not None else ""
    name = f"{whose}{run['profile']}, {run['sensing']}{extra}" + (f", {run['hz']} Hz" if run["hz"] != 100 else "")
    for block, cells in (("counts", _counts(run)), ("verdicts", _verdicts(run["latency_ms"]))):
        yield block, f"| {name} |", "".join(f" {cell} |" for cell in cells)
    motions, extras = (
        ", ".join(f"{what} {100 * share:.1f}" for what, share in run[key].items()) for key in ("motions", "extras")
    )
    accidents = ", ".join(f"{what} {count}" for what, count in run["accidents"].items())
    yield "hands", f"- **{name}**:", f" {motions}. With it: {extras or 'none'}. Accidents: {accidents or 'none'}."


def _counts(run: Mapping[str, Any]) -> Sequence[object]:
    rates = {name: 100 * rate for name, rate in run["rates"].items()}
    limit, ghosts = ASKED.get(run["profile"], ASKED["rough"]), rates["ghost"]
    needless, false = rates["asked_without_accident"], rates["false_attack_questions"]
    unsaid, after, seen = rates["unsaid_without_need"], run["final_after_reply_ms"], run["final_after_reply_seen_ms"]
    return (
        run["seed"],
        run["plies"],
        judged(f"{run['misread']} ({100 * run['misread_upper_95']:.3f} %)", met=run["misread"] == 0),
        judged(run["lost"], met=run["lost"] == 0),
        run["asked"],
        judged(f"{needless:.2f} % ({limit:g} %)", met=needless <= limit),
        judged(f"{run['ghost']} ({ghosts:.2f} %)", met=ghosts <= GHOSTS),
        f"{run['ghost'] + run['revised_after_short_pause']} ({rates['ghost_by_the_hands_pause']:.2f} %)",
        judged(f"{run['scout_slide_ghosts']} of {run['scout_slides']}", met=rates["scout_slide_ghosts"] <= 1),
        run["revised_after_rest"],
        f"{run['wrong_reads_corrected']} of {run['ghost'] + run['revised_after_rest']}",
        judged(f"{run['false_attack_questions']} ({false:.3f} %)", met=false <= FALSE_ATTACKS),
        judged(f"{run['unsaid_without_need']} ({unsaid:.2f} %)", met=unsaid <= UNSAID),
        (f"{after['p50']} / {after['p99']}" + (f" ({seen['p99']})" if run["profile"] == "gaps" else ""))
        if after["n"]
        else "",
    )


def _verdicts(latencies: Mapping[str, Mapping[str, float]]) -> Iterator[str]:
    for name in (*VERDICTS, *WITHOUT_COLOUR):
        if times := latencies.get(name):
            median, late = VERDICTS.get(name, (math.inf, math.inf))
            met = times["p50"] <= median and times["p99"] <= late
            yield judged(f"{times['p50']} / {times['p99']} / {times['most']}", met=met)
        else:
            yield ""
