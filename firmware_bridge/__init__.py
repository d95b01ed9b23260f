"""The board's serial line: bytes in, messages out (`wire.Decoder`); messages in, bytes out (`wire.encode`).

The words are in `firmware_bridge.messages`. Where the bytes come from is `firmware_bridge.sources` (`open_source`), the one part of this
package that does I/O.

Does not settle squares, does not know a game, and never guesses at what a broken frame meant.
"""
