"""What settles a dispute without showing a rank: what happened, which way a piece went, what hands did at a square. Pure.

Read off the journal's public events, so that it holds also after the referee was started again. Apart from `orders`, its only importer,
which has a key, a link and a loop.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from referee.journal.events import JournalRow, fact_of
from referee.net.topics.payloads import HandSign, Happened, SquareFacts, Step
from referee.rules import RuleSet, Seat

MOST_HAPPENED = 60
MOST_STEPS, MOST_HANDS = 200, 32
"""More of a piece's way, and of hands at one square, no answer carries (`arb/ack` has 32 KiB)."""
_TELLING = (
    *("arbiter.called", "ask", "board.link", "end", "paused", "penalty", "resumed", "ruling"),
    *("clock.adjusted", "hall-clock.set", "round.over"),
)
_NEVER_WAS = ("move.taken-back", "move.unread", "move.refused", "plies.taken-back", "verdict.voided")
"""After these the ply that they name, if it was read, and every later one are gone; of `plies.taken-back` only the later ones."""
_MOVES = ("move.final", "verdict", "move.refused", "move.taken-back", "plies.taken-back", "verdict.voided")


def happened(rows: Iterable[JournalRow]) -> list[Happened]:
    """Return every public event of a journal with its time, in order."""
    found = []
    for row in rows:
        if row.type.startswith("journal."):
            continue
        event = fact_of(row).event
        if event is not None:
            found.append(
                Happened(
                    row.wall_ms,
                    event.seq,
                    event.kind,
                    event.ply,
                    event.seat,
                    event.source,
                    event.target,
                    event.result,
                    event.text if event.kind != "begin" else None,
                )
            )
    return found


def newest(history: Sequence[Happened]) -> tuple[Happened, ...]:
    """Return what an arbiter looks at: the last moves, verdicts, questions and interruptions."""
    wanted = [one for one in history if one.kind in _MOVES or one.kind in _TELLING]
    return tuple(wanted[-MOST_HAPPENED:])


def square_facts(
    square: str, occupants: Mapping[str, Seat], history: Iterable[Happened], hands: Iterable[HandSign], rules: RuleSet
) -> SquareFacts:
    """Return what everybody could see of a square and of the piece that stands on it now."""
    plies = _standing_plies(history)
    army = occupants.get(square)
    back: list[Step] = []
    attacks, place = 0, square
    for one in reversed(plies if army is not None else []):
        assert one.source
        assert one.target
        if place in (one.source, one.target) and one.kind == "verdict":
            attacks += 1
        if one.target == place and _came(one):
            back.append(Step(one.ply, one.source, one.target, _ran(rules, one.source, one.target)))
            place = one.source
    seen = tuple(sign for sign in hands if sign.square == square)
    began, ran = place if army is not None else None, any(step.ran for step in back)
    way = tuple(reversed(back[:MOST_STEPS]))
    return SquareFacts(square, army, began, way, len(back), ran, attacks, seen[-MOST_HANDS:])


def _standing_plies(history: Iterable[Happened]) -> list[Happened]:
    """Return the plies that count: what was taken back is gone, of a ply that is final the last word."""
    plies: dict[int, Happened] = {}
    for one in history:
        if one.kind in ("move.read", "move.revised", "move.final", "verdict") and one.source and one.target:
            plies[one.ply] = one
        elif one.kind in _NEVER_WAS:
            first = one.ply + 1 if one.kind == "plies.taken-back" else one.ply
            plies = {ply: kept for ply, kept in plies.items() if ply < first}
    return [plies[ply] for ply in sorted(plies)]


def _came(one: Happened) -> bool:
    """Return whether the piece that stands on the target afterwards came there by this ply."""
    return one.kind != "verdict" or one.result in ("attacker-wins", "flag-taken")


def _ran(rules: RuleSet, source: str, target: str) -> bool:
    board = rules.board
    return board.square(target) not in board.neighbours(board.square(source))
