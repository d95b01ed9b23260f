"""Do board and board file mean the same? A host that goes on although they do not would name the wrong squares."""

from __future__ import annotations

from firmware_bridge._wire_constants import VERSION
from firmware_bridge.messages import Hello
from hardware import BoardFile


def disagreements(hello: Hello, board: BoardFile) -> tuple[str, ...]:
    """Give every point where a board's HELLO differs from the board file, as sentences for a user; empty if they agree.

    The scan rate is not compared: every message carries its time.
    """
    pairs = (
        ("wire version", hello.protocol, VERSION),
        ("board", hello.board_id, board.id),
        ("number of squares", hello.squares, len(board.squares)),
        ("sensing", hello.sensing.name.lower(), board.sensing.value),
        ("order of squares and channels (fingerprint)", hello.fingerprint, board.fingerprint),
    )
    return tuple(
        f"{what}: the board says {said}, the board file {wanted}" for what, said, wanted in pairs if said != wanted
    )
