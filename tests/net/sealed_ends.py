"""Both ends of one seat's letters, for the tests of sealing."""

from __future__ import annotations

from referee.net.credential import KeyPair
from referee.net.sealing.sealing import HandsetSeal, RefereeSeal
from referee.rules.hidden import Hidden
from referee.rules.values import Rank, Seat
from referee.table.messages import FromHandset, Hello, Letter, ToHandset

REFEREE, RED, BLUE = (KeyPair(bytes([number]) * 32) for number in (1, 2, 3))
GAME = "game-1"
BOOT = b"boot0001"
FILES, SETS = "abcdefghij", range(1, 5)
SET_UP = {f"{file}{number}": Rank.LIEUTENANT for file in FILES for number in SETS}


def letter(message: ToHandset, seat: Seat = Seat.RED) -> Letter:
    """Return a message of the referee as it reaches the link."""
    return Letter(seat, Hidden(message))


class Ends:
    """Both ends of red's letters, greeted."""

    def __init__(self) -> None:
        self.referee = RefereeSeal(REFEREE, RED.public, Seat.RED, BOOT)
        self.handset = self.another_handset(b"hand0001")
        self.greet(self.handset)

    def another_handset(self, session: bytes) -> HandsetSeal:
        """Return another start of red's handset."""
        handset = HandsetSeal(RED, REFEREE.public, Seat.RED, session)
        handset.follow(BOOT)
        return handset

    def greet(self, handset: HandsetSeal) -> bytes:
        """Let a handset say hello. Returns the payload."""
        payload = self.said(handset, Hello(id="h"))
        self.referee.open(payload, GAME)
        return payload

    def said(self, handset: HandsetSeal, message: FromHandset, game: str = GAME) -> bytes:
        """Return the payload of a handset's message."""
        payload = handset.seal(message, game, 5)
        assert payload is not None
        return payload

    def written(self, message: ToHandset, game: str = GAME, ply: int = 5) -> bytes:
        """Return the payload of a referee's message."""
        payload = self.referee.seal(letter(message), game, ply)
        assert payload is not None
        return payload
