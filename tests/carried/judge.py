"""Whether a table keeps what docs/reference/messages.md says of moves that are decided elsewhere; written from that page alone.

It is given what goes over `pub/event` and `pub/state`, as JSON has it, which decisions were accepted, and the truth: where pieces stand,
and from when on hands have carried out a decision. It knows neither table nor sensing, and imports nothing of the project.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

Way = tuple[str, str]
_AT_REST = ("waiting-for-move", "piece-in-hand")


@dataclass
class Judge:
    """One game. `faults` holds what was not kept, in words; empty where all was."""

    seats: Collection[str]
    """Whose moves are decided elsewhere."""
    counts: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    _decided: dict[int, Way] = field(default_factory=dict)
    _told: set[int] = field(default_factory=set)
    _begun: set[int] = field(default_factory=set)
    _standing: int | None = None
    """The ply whose decision has still to be carried out."""

    def accepted(self, ply: int, source: str, target: str) -> None:
        """Note that the referee has accepted a decision."""
        if ply in self._decided and self._standing == ply:
            self.faults.append(f"ply {ply} was decided twice")
        self._decided[ply] = (source, target)

    def begun(self, ply: int) -> None:
        """Note that hands have begun to carry out the decision of a ply, and nothing else."""
        self._begun.add(ply)

    def hear(self, event: Mapping[str, Any]) -> None:
        """Take the next public event."""
        kind, ply, way = event["kind"], event["ply"], (event["source"], event["target"])
        self.counts[f"ask {event['text']}" if kind == "ask" else kind] += 1
        if event["seat"] not in self.seats:
            return
        if kind == "move.decided":
            if self._decided.get(ply) != way:
                self.faults.append(f"ply {ply} was told as {way} and decided as {self._decided.get(ply)}")
            self._told.add(ply)
            self._standing = ply
        elif kind in ("move.read", "move.revised", "attack"):
            self._hold(kind, ply, way)
            self._standing = ply if kind == "attack" else None
        elif kind in ("move.unread", "move.taken-back", "attack.withdrawn"):
            self._standing = ply
        elif kind in ("move.final", "verdict"):
            self._hold(kind, ply, way)
            self._standing = None
            self.counts["carried out"] += 1

    def _hold(self, kind: str, ply: int, way: Way) -> None:
        if self._decided.get(ply) != way:
            self.faults.append(f"accepted wrongly: {kind} of ply {ply} {way}, decided was {self._decided.get(ply)}")
        elif ply not in self._told:
            self.faults.append(f"accepted wrongly: {kind} of ply {ply} {way}, of whose decision nobody was told")
        elif ply not in self._begun:
            self.faults.append(f"accepted wrongly: {kind} of ply {ply} {way}, which hands have not begun")

    def at_rest(self, view: Mapping[str, Any], stands: Mapping[str, str | None]) -> None:
        """Judge a table whose hands have rested for so long that it must have said what it has to say.

        `stands`: the squares on which pieces stand, and whose; None where the sensors do not tell.
        """
        occupants, phase = view["occupants"], view["phase"]
        wrong = {
            square
            for square in {*occupants, *stands}
            if (square in occupants) is not (square in stands)
            or (stands.get(square) is not None and stands[square] != occupants[square])
        }
        if phase not in (*_AT_REST, "restoring"):
            self.faults.append(f"the table is in {phase}")
            return
        if len(wrong) <= 1 and not any(square in stands for square in wrong):  # nothing, or one piece in the air
            if phase == "restoring" and not wrong:
                self.faults.append("the board is right, and is asked about")
        elif phase != "restoring":
            self.faults.append(f"wrong, and not answered: {sorted(wrong)}")
        else:
            self.counts["wrong, and answered"] += 1
            fixes = {fix["square"]: fix["wanted"] for fix in view["fixes"]}
            if fixes != {square: occupants.get(square) for square in wrong}:
                self.faults.append(f"answered by {fixes}, wrong is {sorted(wrong)}")
        shown, due = view["decided"], None
        if self._standing is not None:
            source, target = self._decided[self._standing]
            due = {"seat": view["turn"], "source": source, "target": target}
        if shown != due:
            self.faults.append(f"{shown} is shown, due is {due}")
