"""The board's serial line: bytes in, messages out (`Decoder`); messages in, bytes out (`encode`).

Where the bytes come from is `firmware_bridge.sources` (`open_source`), the one part of this package that does I/O.

Does not settle squares, does not know a game, and never guesses at what a broken frame meant.
"""

from firmware_bridge.agreement import disagreements
from firmware_bridge.decoder import CommandDecoder, Decoder
from firmware_bridge.errors import BoardUnreachableError, BoardUrlError, BridgeError, WireValueError
from firmware_bridge.messages import BoardMessage, Command, FaultKind, Frame, Hello, Reading, WireFault
from firmware_bridge.wire import encode

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
