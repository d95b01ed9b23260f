"""Things that go wrong at a table, by name; each is done to a running `InterruptedGame`, which then has to come to the same end."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from benchmarks.interrupted_game import InterruptedGame
from firmware_bridge.messages import FaultKind, Hello, LinkBack, LinkLost, ResetCause, SensingCode, WireFault
from referee.arbitration.messages import Hello as HandsetHello
from referee.rules.values import Square


def killed(game: InterruptedGame) -> None:
    """Kill the referee with SIGKILL."""
    game.kill()


def cable_out(game: InterruptedGame) -> None:
    """Pull the board's cable, in the middle of whatever hands do, and put it back."""
    if game.ask(("frames", [LinkLost("pulled")])):
        game.board_ms += 5_000
        game.ask(("frames", [LinkBack(), _hello(game, ResetCause.UNKNOWN)]))


def cable_out_and_moved(game: InterruptedGame) -> None:
    """Pull the cable, move a piece while nobody sees it, put the cable back."""
    if game.ask(("frames", [LinkLost("pulled")])):
        empty = [Square(name) for name in game.board.squares if Square(name) not in game.physical]
        if game.physical:
            square = next(iter(game.physical))
            game.physical[empty[0]] = game.physical.pop(square)
        game.board_ms += 5_000
        if game.ask(("frames", [LinkBack(), _hello(game, ResetCause.UNKNOWN)])):
            game.wait(4_000)


def board_restarted(game: InterruptedGame) -> None:
    """Let the board's chip start again: its time begins anew."""
    game.board_ms = 100
    game.ask(("frames", [WireFault(FaultKind.REBOOTED, "boot count"), _hello(game, ResetCause.POWER_ON)]))


def disk_full(game: InterruptedGame) -> None:
    """Let the next write fail; somebody makes room and starts the table again."""
    if game.ask(("disk", "full")):
        game.forgiving = True


def disk_slow(game: InterruptedGame) -> None:
    """Let the next write take long."""
    game.ask(("disk", "slow"))


def handset_away(game: InterruptedGame) -> None:
    """Let a handset go and come back."""
    seat = game.seats[0]
    if game.ask(("connect", (seat, False))) and game.ask(("connect", (seat, True))):
        game.say(seat, HandsetHello(id=game.new_id(seat)))


def said_twice(game: InterruptedGame) -> None:
    """Let every message of both handsets, from now on, come a second time under the same id."""
    game.twice = True


def _hello(game: InterruptedGame, reset: ResetCause) -> Hello:
    squares = len(game.board.squares)
    return Hello(0, game.board_ms, 1, SensingCode.COLOUR, reset, True, squares, squares, 100, 1, 0, "travel-10x10", "x")


TROUBLES: Mapping[str, Callable[[InterruptedGame], None]] = {
    "referee killed": killed,
    "cable out and in": cable_out,
    "cable out, a piece moved, cable in": cable_out_and_moved,
    "board restarted": board_restarted,
    "disk full": disk_full,
    "disk slow": disk_slow,
    "handset away and back": handset_away,
    "every message twice": said_twice,
}

DEADLY = frozenset({"referee killed", "disk full"})
"""Those that end the referee's process."""
