"""Games to correct, and the orders that do it."""

from __future__ import annotations

from referee.rules import rule_set
from referee.rules.values import Rank, Seat
from referee.sensing import Agreed
from referee.table.arbiter_commands import EndGame, TakeBack, VoidVerdict
from referee.table.replay import rebuild, told_settings
from referee.table.views import GameEnd, Mode, Reveal
from tests.table.sitting import BLUE, RED, Sitting

NUMBERS = iter(range(10**9))


def back(ply: int) -> TakeBack:
    """Return an order to go back."""
    return TakeBack(id=f"o{next(NUMBERS)}", reason="agreed at the board", ply=ply)


def voided(ply: int) -> VoidVerdict:
    """Return an order to void a verdict."""
    return VoidVerdict(id=f"o{next(NUMBERS)}", reason="the wrong rank was tapped", ply=ply)


def ended(result: str) -> EndGame:
    """Return an order to end the game."""
    return EndGame(id=f"o{next(NUMBERS)}", reason="ruled", result=result)


def rebuilt(sitting: Sitting) -> None:
    """Prove that the journal's facts give the same table again."""
    facts = [fact for step in sitting.steps for fact in step.facts]
    again = rebuild(told_settings(facts, rule_set), facts)
    one, other = again.table.view(), sitting.table.view()
    assert (one.occupants, one.ply, one.seq, one.phase, one.captured) == (
        other.occupants,
        other.ply,
        other.seq,
        other.phase,
        other.captured,
    )
    assert again.owed == ()


def opened(mode: Mode = Mode.DECLARE, reveal: Reveal = Reveal.BOOK) -> Sitting:
    """Return a game of two moves."""
    sitting = Sitting(mode, reveal)
    sitting.move("e4", "e5")
    sitting.move("e7", "e6")
    return sitting


def fought(mode: Mode = Mode.DECLARE, reveal: Reveal = Reveal.BOOK) -> Sitting:
    """Return a game whose third ply is an attack: red's marshal on blue's spy, which is captured."""
    sitting = opened(mode, reveal)
    sitting.attack("e5", "e6")
    sitting.declare(RED, Rank.MARSHAL)
    sitting.declare(BLUE, Rank.SPY)
    sitting.see(Agreed(0))
    return sitting


def squares(sitting: Sitting) -> dict[str, Seat | None]:
    """Return the squares to be set right, and the army that belongs on each."""
    return {fix.square: fix.wanted for fix in sitting.table.view().fixes}


def walked() -> Sitting:
    """Return a game whose third ply takes the flag: a scout runs up the board into it."""
    sitting = Sitting()
    sitting.move("f4", "f5")
    sitting.move("e7", "e6")
    sitting.attack("j4", "j7")
    sitting.declare(RED, Rank.SCOUT)
    sitting.declare(BLUE, Rank.FLAG)
    assert sitting.table.result == GameEnd(RED, "flag")
    return sitting
