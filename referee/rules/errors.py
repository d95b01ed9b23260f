"""The errors of this room. What players do is never one of them: an illegal move is a tuple of `Refusal`.

RulesError
├── UnknownSquareError        a name that no square of the board has
├── UnknownRuleSetError       a rule set that does not exist
├── RuleFileError             a rule or board file with faults, all of them at once
├── PositionError             occupants or ranks that cannot stand on the board
├── IllegalActionError        `play` of an action that `refusals` refuses
├── ResultNeededError         an attack whose verdict nobody has told
└── ContradictionError        told facts that contradict what is known; nothing was changed
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from referee.rules.outcomes import Doubt, Refusal


class RulesError(Exception):
    """The root of all errors of this room."""


class UnknownSquareError(RulesError):
    """No square of the board has this name."""


class UnknownRuleSetError(RulesError):
    """No rule set has this name."""


@dataclass(frozen=True, slots=True)
class FileFault:
    """One thing wrong in a rule or board file: where (`army.miner`, `line 7`) and what."""

    place: str
    text: str

    def __str__(self) -> str:
        return f"{self.place}: {self.text}"


class RuleFileError(RulesError):
    """A rule or board file cannot be used. `faults` holds everything that is wrong with it, not only the first."""

    def __init__(self, name: str, faults: Sequence[FileFault]) -> None:
        super().__init__(f"{name}: " + "; ".join(str(fault) for fault in faults))
        self.name = name
        self.faults = tuple(faults)


class PositionError(RulesError):
    """These pieces cannot stand like this; the text names every square at fault and no rank."""


class IllegalActionError(RulesError):
    """The action is not legal now; `refusals` says why (the text does not: a reason may rest on a rank). Nothing was changed."""

    def __init__(self, refusals: Sequence[Refusal]) -> None:
        super().__init__("an action was played that the rules refuse")
        self.refusals = tuple(refusals)


class ResultNeededError(RulesError):
    """An attack between pieces of unknown rank needs its verdict told. Nothing was changed."""


class ContradictionError(RulesError):
    """What was told contradicts what is known; `doubts` says why, the text only of which piece. Nothing was changed."""

    def __init__(self, doubts: Iterable[Doubt]) -> None:
        doubts = tuple(doubts)
        super().__init__("contradiction about " + ", ".join(dict.fromkeys(repr(doubt.piece) for doubt in doubts)))
        self.doubts = doubts
