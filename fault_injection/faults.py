"""Things that go wrong at a table, by name; each is done to a running `InterruptedGame`, which then has to come to the same end."""

from __future__ import annotations

import resource
from collections.abc import Callable, Mapping
from functools import partial

from fault_injection.faulty_disk import LoopDisk
from fault_injection.interrupted_game import FRAME_MS, InterruptedGame
from firmware_bridge import messages
from referee.rules.values import Square
from referee.table.inputs import Connection
from referee.table.messages import Hello as HandsetHello

_FROZEN_S = 0.3


def cable_out(game: InterruptedGame, *, moved: bool = False) -> None:
    """Pull the board's cable, in the middle of whatever hands do, and put it back; a piece may be moved while nobody sees it."""
    if game.ask(("frames", [messages.LinkLost("pulled")])):
        if moved:
            _move_one(game)
        game.board_ms += 5_000
        if game.ask(("frames", [messages.LinkBack(), _hello(game, messages.ResetCause.UNKNOWN)])) and moved:
            game.wait(4_000)


def board_restarted(game: InterruptedGame, cause: messages.ResetCause = messages.ResetCause.POWER_ON) -> None:
    """Restart the board's chip, for this reason; its time begins from 0."""
    game.board_ms = 100
    game.ask(("frames", [messages.WireFault(messages.FaultKind.REBOOTED, "boot count"), _hello(game, cause)]))


def calibration_lost(game: InterruptedGame, *, moved: bool = False) -> None:
    """Run the board without its calibration for a while: its readings mean nothing. A piece may be moved meanwhile."""
    game.flags = messages.FrameFlag.UNCALIBRATED
    done = game.wait(1_000)
    if moved:
        _move_one(game)
        done = done and game.wait(1_000)
    game.flags = messages.NO_FLAGS
    if done:
        game.wait(4_000 if moved else 1_000)


def messages_dropped(game: InterruptedGame) -> None:
    """Let the board drop messages because nobody took them, and report that with the next one."""
    game.board_ms += 2_000
    game.flags = messages.FrameFlag.QUEUE_FULL
    game.wait(FRAME_MS)
    game.flags = messages.NO_FLAGS


def other_firmware(game: InterruptedGame) -> None:
    """Let the board speak another version of the wire for a while."""
    if game.ask(("frames", [messages.WireFault(messages.FaultKind.OTHER_VERSION, "version 7")])):
        game.board_ms += 5_000
        game.ask(("frames", [_hello(game, messages.ResetCause.POWER_ON)]))


def disk_refuses(game: InterruptedGame) -> None:
    """Let the kernel refuse every write to a file from now on; the table is started again where it may write."""
    _, most = resource.prlimit(game.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(game.pid, resource.RLIMIT_FSIZE, (1, most))
    game.forgiving = True


def disk_slow(game: InterruptedGame) -> None:
    """Let the next write take long."""
    game.ask(("slow", None))


def disk_broken(game: InterruptedGame, how: Callable[[LoopDisk], None]) -> None:
    """Break the disk in this way; once the table has ended the disk is repaired and the table started again."""
    assert game.disk is not None
    how(game.disk)
    game.repairs.append(game.disk.put_right)
    game.forgiving = True


def disk_frozen(game: InterruptedGame) -> None:
    """Let the disk do nothing at all for a while."""
    assert game.disk is not None
    game.disk.stand_still(_FROZEN_S)


def power_cut(game: InterruptedGame) -> None:
    """Cut the power: what is not on the disk by now is gone."""
    disk_broken(game, LoopDisk.cut)
    game.kill()


def date_jumped(game: InterruptedGame) -> None:
    """Let the machine's clock jump by a year, as at the first answer of a time server, and back the next time."""
    game.years = -game.years
    game.ask(("date", game.years * 365 * 86_400))


def handsets_away(game: InterruptedGame, most: int | None = None) -> None:
    """Let handsets, at most so many, go and come back: all of them, as when the broker dies and is started again."""
    seats = game.seats[:most]
    if all(game.ask(("put in", Connection(seat, False))) for seat in seats):
        for seat in seats:
            if game.ask(("put in", Connection(seat, True))):
                game.say(seat, HandsetHello(id=game.new_id(seat)))


def said_twice(game: InterruptedGame) -> None:
    """Let every message of both handsets, from now on, arrive a second time under the same id."""
    game.twice = True


def _move_one(game: InterruptedGame) -> None:
    if not game.physical:
        return
    square = next(iter(game.physical))
    empty = next(Square(name) for name in game.board.squares if Square(name) not in game.physical)
    game.physical[empty] = game.physical.pop(square)


def _hello(game: InterruptedGame, reset: messages.ResetCause) -> messages.Hello:
    squares = len(game.board.squares)
    return messages.Hello(
        0, game.board_ms, 1, messages.SensingCode.COLOUR, reset, True, squares, squares, 100, 1, 0, "travel-10x10", "x"
    )


TROUBLES: Mapping[str, Callable[[InterruptedGame], None]] = {
    "referee killed": InterruptedGame.kill,
    "cable out and in": cable_out,
    "cable out, a piece moved, cable in": partial(cable_out, moved=True),
    "board restarted": board_restarted,
    "board's power fails": partial(board_restarted, cause=messages.ResetCause.BROWN_OUT),
    "calibration lost for a while": calibration_lost,
    "calibration lost, a piece moved, found again": partial(calibration_lost, moved=True),
    "board drops messages": messages_dropped,
    "other firmware for a while": other_firmware,
    "disk refuses": disk_refuses,
    "disk slow": disk_slow,
    "handset away and back": partial(handsets_away, most=1),
    "both handsets away and back": handsets_away,
    "every message twice": said_twice,
    "machine's date jumps": date_jumped,
}

DISK_TROUBLES: Mapping[str, Callable[[InterruptedGame], None]] = {
    "disk full": partial(disk_broken, how=LoopDisk.fill),
    "disk turns read-only": partial(disk_broken, how=LoopDisk.fail),
    "disk stands still": disk_frozen,
    "power cut": power_cut,
}
"""Those that befall a disk of the game's own."""

DEADLY = frozenset({"referee killed", "disk refuses", "disk full", "disk turns read-only", "power cut"})
"""Those that end the referee's process."""
