"""The board's serial line: bytes in, messages out (`Decoder`); messages in, bytes out (`encode`).

Where the bytes come from is `firmware_bridge.sources` (`open_source`), the one part of this package that does I/O.

Does not settle squares, does not know a game, and never guesses at what a broken frame meant.
"""

from firmware_bridge.checkup import disagreements
from firmware_bridge.messages import (
    BoardMessage,
    BoardUnreachableError,
    BoardUrlError,
    BridgeError,
    Command,
    FaultKind,
    Frame,
    Hello,
    Reading,
    WireFault,
    WireValueError,
)
from firmware_bridge.wire import CommandDecoder, Decoder, encode

__all__ = [
    "BoardMessage",
    "BoardUnreachableError",
    "BoardUrlError",
    "BridgeError",
    "Command",
    "CommandDecoder",
    "Decoder",
    "FaultKind",
    "Frame",
    "Hello",
    "Reading",
    "WireFault",
    "WireValueError",
    "disagreements",
    "encode",
]
