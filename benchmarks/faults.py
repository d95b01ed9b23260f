"""`hallmarshal bench faults`: every fault in every phase: what was reported, and whether the game stayed the same.

The referee is a process of its own with the real shell, sensing, arbitration and journal. Its disk is a real one that can be filled,
broken, frozen and cut off, where this may be had (root, loop devices). Board, hands and handsets are simulated.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from benchmarks.kills import once
from benchmarks.measuring import add_page, judged, look_for_block, put_block, table
from fault_injection.faults import DISK_TROUBLES, TROUBLES
from fault_injection.faulty_disk import LoopDisk, why_not
from fault_injection.interrupted_game import InterruptedGame, Script, faults, script
from referee.rules import rule_set
from referee.table.views import Mode, Phase

PHASES = tuple(phase for phase in Phase if phase is not Phase.LOBBY)
_PLIES = 8
_PATIENCE_S = 120.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one fault in one phase."""

    said: Counter[str]
    """Public events, by kind, that the unbroken game does not have."""
    forgiven: tuple[str, ...]
    """Why the table ended, as it is to end then."""
    deaths: int
    faults: tuple[str, ...]
    """What is not as it must be; nothing is what is promised."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what can be asked."""
    parser.add_argument("--seed", type=int, default=2, help="of the game (default: 2)")
    add_page(parser)


def run(args: argparse.Namespace) -> Mapping[str, object]:
    """Try every fault in every phase. Returns what came of each."""
    look_for_block(args.page, "faults")
    played = script(rule_set("duel"), Mode.DECLARE, args.seed, _PLIES)
    unbroken = once(played, None)
    without_disk = why_not()
    names = [*TROUBLES, *(() if without_disk else DISK_TROUBLES)]
    found = {(name, phase): trial(played, unbroken, name, phase) for name in names for phase in PHASES}
    wrong = [
        {"fault": name, "phase": phase.value, "faults": list(outcome.faults)}
        for (name, phase), outcome in found.items()
        if outcome.faults
    ]
    rows = [(name, *(_cell(found[name, phase]) for phase in PHASES)) for name in names]
    said = f"{len(found)} games of duel, {_PLIES} plies, each with one fault; {len(wrong)} that differed from the unbroken one."
    put_block(args.page, "faults", f"{said}\n\n{table(('fault', *(phase.value for phase in PHASES)), rows)}")
    return {
        "games": len(found),
        "outcomes": {name: {phase.value: _cell(found[name, phase]) for phase in PHASES} for name in names},
        "not_tried": dict.fromkeys(DISK_TROUBLES, without_disk) if without_disk else {},
        "failures": wrong,
    }


def trial(played: Script, unbroken: InterruptedGame, name: str, phase: Phase) -> Outcome:
    """Play the game with one fault, at the first moment of a phase. Returns what came of it."""
    with tempfile.TemporaryDirectory(prefix="hallmarshal-faults-") as text:
        folder = Path(text)
        if name not in DISK_TROUBLES:
            return _played(InterruptedGame(played, folder, patience_s=_PATIENCE_S), unbroken, TROUBLES[name], phase)
        with LoopDisk(folder) as disk:
            state = disk.path / "state"
            state.mkdir()
            game = InterruptedGame(played, state, patience_s=_PATIENCE_S, disk=disk)
            return _played(game, unbroken, DISK_TROUBLES[name], phase)


def _played(
    game: InterruptedGame, unbroken: InterruptedGame, befall: Callable[[InterruptedGame], None], phase: Phase
) -> Outcome:
    done = False
    game.start()
    try:
        for view in game.turns():
            if done or view is None:
                continue
            lifts = phase is Phase.PIECE_IN_HAND and view.phase is Phase.WAITING_FOR_MOVE
            if lifts and view.ply < len(game.script.plies):
                done = True
                _in_the_air(game, befall)
            elif view.phase is phase:
                done = True
                befall(game)
        if not done and phase is Phase.FINISHED:
            done = True
            befall(game)
            game.wait(1000)
        game.end()
    except BaseException:
        game.stop()
        raise
    wrong = [] if done else ["the game never came to this phase"]
    said = Counter(event.kind for event in game.events()) - Counter(event.kind for event in unbroken.events())
    return Outcome(said, tuple(game.forgiven), game.deaths, (*wrong, *faults(unbroken, game)))


def _in_the_air(game: InterruptedGame, befall: Callable[[InterruptedGame], None]) -> None:
    """Let the fault happen while a hand holds a piece, which it then puts back where it stood."""
    assert game.view is not None
    game.wait(2200)
    source = game.script.plies[game.view.ply].source
    piece = game.physical.pop(source)
    game.wait(700)
    befall(game)
    game.physical[source] = piece
    game.wait(1500)


def _cell(outcome: Outcome) -> str:
    words = [judged("; ".join(outcome.faults), met=False)] if outcome.faults else []
    words += ["ends"] * bool(outcome.forgiven) + ["started again"] * bool(outcome.deaths)
    words += [kind if count == 1 else f"{count} {kind}" for kind, count in sorted(outcome.said.items())]
    return ", ".join(words) or "nothing said"
