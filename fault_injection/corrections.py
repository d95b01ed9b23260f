"""What an arbiter corrects in a game that is played to be interrupted: some plies are taken back, a verdict is voided."""

from __future__ import annotations

from collections.abc import Sequence

from referee.rules import Game, Move
from referee.table.arbiter_commands import ArbiterVerb, TakeBack, VoidVerdict

_BACK_AT, _BACK_TO, _VOID_AT = 12, 10, 20
"""After so many plies the arbiter goes back to that one; after so many he voids the last verdict."""


def correction_after(ply: int, plies: Sequence[Move], truths: Sequence[Game]) -> ArbiterVerb | None:
    """Give what is ordered after so many plies of a game, None for nothing. Its id says which correction it is."""
    if ply == _BACK_AT:
        return TakeBack(id="back", reason="a piece was touched too soon", ply=_BACK_TO)
    attacks = [at for at in range(1, ply + 1) if truths[at - 1].is_attack(plies[at - 1])]
    if ply == _VOID_AT and attacks:
        return VoidVerdict(id="void", reason="the wrong rank was tapped", ply=attacks[-1])
    return None
