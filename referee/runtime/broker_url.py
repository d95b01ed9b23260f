"""Where a broker is, as it is written on the command line and in the table's file: mqtt://HOST[:PORT] or mqtts://HOST[:PORT]."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from referee.runtime.errors import BadInputError

_PORTS = {"mqtt": 1883, "mqtts": 8883}


@dataclass(frozen=True, slots=True)
class BrokerUrl:
    """A broker's host and TCP port; `tls`: it shows a certificate."""

    host: str
    port: int
    tls: bool

    @property
    def text(self) -> str:
        """Give the address as it is written."""
        return f"{'mqtts' if self.tls else 'mqtt'}://{f'[{self.host}]' if ':' in self.host else self.host}:{self.port}"


def read_broker_url(url: str, where: str) -> BrokerUrl:
    """Read an address; raises `BadInputError`. A password in it is refused: arguments can be read by everybody."""
    parts = urlsplit(url)
    try:
        host, port = parts.hostname, parts.port
    except ValueError:
        host = port = None
    if parts.scheme not in _PORTS or not host or parts.path not in ("", "/") or parts.query or parts.fragment:
        raise BadInputError(f"{where}: an address like mqtt://192.168.1.20:1883 or mqtts://..., not {url!r}")
    if parts.username is not None or parts.password is not None:
        raise BadInputError(f"{where}: leave the password out of the address; arguments can be read by everybody")
    return BrokerUrl(host, port or _PORTS[parts.scheme], parts.scheme == "mqtts")
