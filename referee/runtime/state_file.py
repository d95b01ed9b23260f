"""What a table keeps from one start to the next beside its journals: which game is on, who holds the seats, where handsets find it."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import msgspec

from referee.journal.errors import JournalWriteError
from referee.net.credential import PublicKey
from referee.net.topics.payloads import Occasion, Played
from referee.private_file import write_private
from referee.rules.values import Seat
from referee.runtime.table_config import TableConfig

UNKNOWN = ""
_FILE = "table.json"
_PATIENCE_S = 5.0
_LOOK_S = 0.05


@dataclass(frozen=True, slots=True)
class SavedTable:
    """The file `table.json` of a state directory (0600): no secret in it, only handsets' public keys."""

    starts: int = 0
    """How often a table was started here; it is the boot number in `pub/status`."""
    game: str | None = None
    """The folder below `games/` of the game that is on; None some time after its end, when everybody has heard of it."""
    seats: Mapping[Seat, str] = field(default_factory=dict)
    """The public key of each seat's handset."""
    referee: str = ""
    """The referee's public key, by which they know it; empty in a file of an earlier version."""
    ports: Mapping[str, int] = field(default_factory=dict)
    """Where web server and broker listened (`web`, `broker`): handsets that were paired come back there. `websocket` is the web server's
    too; an earlier version's broker listened there.
    """
    phones: Mapping[Seat, Mapping[str, int]] = field(default_factory=dict)
    """At which port each seat's phone looks for the table (`websocket`), and a terminal for a broker with a certificate (`broker`)."""
    given: tuple[Seat, ...] = ()
    """Seats that the computer had when the game that is on began, and that were given to somebody else since."""
    names: Mapping[Seat, str] = field(default_factory=dict)
    """Who plays, where a station has said so."""
    occasion: Occasion | None = None
    """What that counts for."""
    occasion_game: str = ""
    """The game that counts for it; empty before it begins."""
    played: Played | None = None
    """What came of that game, once another one has been begun."""

    @property
    def next_occasion(self) -> Occasion | None:
        """Return what the game that begins next counts for; None for one that counts for nothing."""
        return None if self.occasion_game else self.occasion

    def key(self, seat: Seat) -> PublicKey | None:
        """Return the key of a seat's handset, None where there is none that can be read."""
        try:
            return PublicKey.from_text(self.seats[seat])
        except (KeyError, ValueError):
            return None

    def ports_of(self, seat: Seat) -> Mapping[str, int]:
        """Return the ports that a seat's handset knows, by `broker` and `websocket`."""
        return self.phones.get(seat) or {name: port for name, port in self.ports.items() if name != "web"}

    def port_of(self, seat: Seat) -> int:
        """Return the port at which a seat's phone looks for the table, 0 where that is not known."""
        return self.ports_of(seat).get("websocket", 0)

    def where_it_was(self, config: TableConfig) -> TableConfig:
        """Return the configuration with the ports of the last start where it leaves them free, once they can be had again."""
        host, port = config.web
        return replace(
            config,
            web=(host, port or self._again(host, "web")),
            broker_port=config.broker_port or self._again(host if config.tls else "127.0.0.1", "broker"),
        )

    def _again(self, host: str, name: str) -> int:
        """Return a port of the last start, 0 when somebody else has it now. What was killed may take a moment to let go of it."""
        port = self.ports.get(name, 0)
        ends = time.monotonic() + _PATIENCE_S
        while port and not is_free(host, port):
            if time.monotonic() > ends:
                return 0
            time.sleep(_LOOK_S)
        return port


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Raise `JournalWriteError` where the body cannot write this file or folder of a table."""
    try:
        yield
    except OSError as error:
        raise JournalWriteError(f"{path}: it cannot be written ({error.strerror})") from None


class KeptFile:
    """What is kept, read once and written at every change."""

    def __init__(self, state: Path) -> None:
        self._state = state
        self.now = _load(state / _FILE)

    def change(self, **changes: Any) -> None:
        """Change fields of `SavedTable`; the file is written, whole or not at all. Raises `JournalWriteError`."""
        self.now = replace(self.now, **changes)
        path = self._state / _FILE
        with writing(path):
            write_private(path, json.dumps(msgspec.to_builtins(self.now, str_keys=True)) + "\n")


def _load(path: Path) -> SavedTable:
    try:
        return msgspec.json.decode(path.read_bytes(), type=SavedTable)
    except (OSError, msgspec.MsgspecError):
        return SavedTable(game=UNKNOWN)  # none there, or one that cannot be read: handsets pair again


def is_free(host: str, port: int) -> bool:
    """Return whether a TCP port of this machine is free."""
    try:
        with socket.create_server((host, port)):
            return True
    except OSError:
        return False
