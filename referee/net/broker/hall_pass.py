"""What lets one table into a hall: where the hall's broker is, as whom the table comes, and whose orders it takes.

The station writes it as a file of its own a table (`hallmarshal station tables`); the table reads it (`hall` in its configuration).
From it come the lines that join the table's own broker to the hall's: only what a station may read crosses, outward, and only its
orders come in. Seats' topics have no line, so they never cross. Whether the bridge stands Mosquitto says itself (`boards/.../bridge`): the
table's broker says 1 when it has come, and leaves 0 as its last will.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from referee.net.errors import CredentialError, LinkError
from referee.net.sealing.signing import OrderKey
from referee.net.topics import topics
from referee.net.topics.topics import Topic, checked_name
from referee.private_file import write_private

_RETRY_S = (1, 10)
"""A bridge that was cut tries again after a second at first, later after ten."""
_KEEPALIVE_S = 10
"""A wire that carries nothing is taken for cut after one and a half of these."""


@dataclass(frozen=True, slots=True)
class HallPass:
    """One table's way into a hall."""

    board: str
    host: str
    port: int
    user: str
    password: str = field(repr=False)
    station: str
    """The station's public key, as `OrderKey` writes it."""
    certificate: str | None = field(default=None, repr=False)
    """The one certificate (PEM) that the hall's broker shows; without it the connection is plain."""

    def __post_init__(self) -> None:
        checked_name(self.board)
        words = (self.host, self.user, self.password)
        if any(" " in word or not word.isprintable() or not word for word in words) or not 0 < self.port < 65536:
            raise CredentialError("this is no pass of a hall")

    @property
    def key(self) -> OrderKey:
        """Give the key that tells the station's orders."""
        return OrderKey(self.station)

    def write(self, path: Path) -> None:
        """Write it to a file (0600). Raises `OSError`."""
        fields = {name: getattr(self, name) for name in self.__slots__}
        write_private(path, json.dumps(fields, indent=1) + "\n")

    @classmethod
    def read(cls, path: Path) -> HallPass:
        """Read what `write` wrote; raises `CredentialError` naming no secret."""
        try:
            found = msgspec.json.decode(path.read_bytes(), type=cls)
            found.key  # noqa: B018  # is it one?
        except OSError as error:
            raise CredentialError(f"{path}: {error.strerror}") from None
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, LinkError):
            raise CredentialError(f"{path}: this is no pass of a hall") from None
        return found

    def bridge(self, certificate: Path | None = None) -> str:
        """Give Mosquitto's lines for the bridge; `certificate` is the file that `self.certificate` was written to."""
        short, long = _RETRY_S
        lines = [
            "connection hall",
            f"address {self.host}:{self.port}",
            "bridge_protocol_version mqttv311",
            f"local_clientid {self.board}.bridge",
            f"remote_clientid {self.user}",
            f"remote_username {self.user}",
            f"remote_password {self.password}",
            "cleansession false",
            "notifications true",
            f"notification_topic {topics.address(Topic.BRIDGE, self.board)}",
            "try_private true",
            f"restart_timeout {short} {long}",
            f"keepalive_interval {_KEEPALIVE_S}",
        ]
        if certificate is not None:
            lines += [f"bridge_cafile {certificate}", "bridge_insecure true", "bridge_tls_version tlsv1.2"]
        lines += [f"topic {text} out 1" for text in topics.crossing_out(self.board)]
        lines += [f"topic {text} in 1" for text in topics.crossing_in(self.board)]
        return "\n".join(lines) + "\n"
