"""The chain of a game as a handset computes it by itself, from the links that it hears (docs/reference/commitments.md).

referee/web/page/heard_chain.js does the same; tests/web/heard_chains.json holds both to one table.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from referee.table.commitments import link
from referee.table.views import PublicEvent, PublicView


class Proof(Enum):
    """What a handset knows of the head that the table shows; a sentence each in `referee/words` (key `proof.<value>`)."""

    NONE = "none"
    """The game has no chain, or none was announced."""
    UNHEARD = "unheard"
    """Some events were not heard yet."""
    CHECKED = "checked"
    """It is the head that was computed here."""
    DIFFERS = "differs"
    """It is another one than was computed here, now or earlier in this game."""


@dataclass(slots=True)
class HeardChain:
    """The chain of one game; each event is taken once, in the order of their numbers."""

    game: str
    heard: int = 0
    """The number of the last event that was taken."""
    count: int = 0
    hash: str = ""
    proof: Proof = Proof.NONE

    @property
    def head(self) -> str:
        """Return the head as it was computed here."""
        return f"{self.count}:{self.hash or self.game}"

    def take(self, events: Iterable[PublicEvent]) -> None:
        """Take those events that come next; one before which another is missing is left for later."""
        for event in events:
            if event.game != self.game or event.seq != self.heard + 1:
                continue
            self.heard = event.seq
            self.count += len(event.links)
            for text in event.links:
                self.hash = link(self.hash or self.game, text)

    def judge(self, view: PublicView) -> Proof:
        """Return what is known of the head in a view; what was once found to differ stays so for the whole game."""
        if view.game != self.game or view.seq < self.heard or self.proof is Proof.DIFFERS:
            return self.proof
        if not view.chain:
            self.proof = Proof.NONE
        elif view.seq > self.heard:
            self.proof = Proof.UNHEARD
        else:
            self.proof = Proof.CHECKED if view.chain == self.head else Proof.DIFFERS
        return self.proof
