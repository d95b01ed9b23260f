"""What Mosquitto needs: its program, its plugin, and the text of its configuration. Starts nothing.

No memory_limit: when the plugin throws a client off, 2.0.11 counts its memory below zero and from then on refuses everybody as "out
of memory" (met here). Queue limits bound the memory instead: a user is bound to one client id, so a table has at most seven clients
that got in, with 2 MiB of queue each, and the others wait for a CONNECT of at most 80 KiB.

Up to 2.0 all that goes for TCP only: on the WebSocket listener libwebsockets counts no connections, and Mosquitto's reader there knows
no max_packet_size (its websockets.c, read for 2.0.11; tried in tests/security). message_size_limit keeps what is too large from being
handed on, and `referee.net.broker.exec_pdeathsig` gives the process no more memory than it ever needs.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from referee.net.errors import BrokerMissingError

PLUGIN = "mosquitto_dynamic_security.so"
MOST_CONNECTIONS = 64
"""A listener. The referee has one of its own, so that strangers who hold all of these open do not keep it out."""
_PLUGIN_FOLDERS = ("/usr/lib/*-linux-gnu*", "/usr/lib64", "/usr/lib", "/usr/local/lib", "/usr/lib/mosquitto")
_APT = "install it with: sudo apt install mosquitto"

LIMITS = """\
per_listener_settings false
allow_anonymous false
allow_zero_length_clientid false
retain_available true
sys_interval 0
set_tcp_nodelay true
max_packet_size 81920
message_size_limit 81920
max_inflight_messages 20
max_queued_messages 4096
max_queued_bytes 2097152
max_keepalive 120
"""
"""What holds for all listeners: who gets in, how much one may send at once, how much is kept for one who reads slowly or not at all."""


@dataclass(frozen=True, slots=True)
class Tls:
    """The files of a listener's certificate and key."""

    certificate: Path
    key: Path


@dataclass(frozen=True, slots=True)
class Listener:
    """Where Mosquitto listens; without a host everywhere."""

    port: int
    host: str = ""
    websockets: bool = False
    tls: Tls | None = None
    most: int = MOST_CONNECTIONS

    def text(self) -> str:
        """Give its lines."""
        lines = [f"listener {self.port} {self.host}".rstrip(), f"max_connections {self.most}"]
        if self.websockets:
            lines.append("protocol websockets")
        if self.tls is not None:
            lines += [f"certfile {self.tls.certificate}", f"keyfile {self.tls.key}", "tls_version tlsv1.2"]
        return "\n".join(lines) + "\n"


def configuration(plugin: Path, users: Path, listeners: Iterable[Listener], head: str = "") -> str:
    """Give the configuration; `head` are lines that go first, `users` is the plugin's own file."""
    plugged = f"plugin {plugin}\nplugin_opt_config_file {users}\n"
    return head + LIMITS + plugged + "".join(listener.text() for listener in listeners)


def find_mosquitto() -> str:
    """Give the path of Mosquitto; Debian keeps it where only root's PATH looks. Raises `BrokerMissingError`."""
    path = shutil.which("mosquitto") or shutil.which("mosquitto", path="/usr/sbin:/usr/local/sbin:/sbin")
    if path is None:
        raise BrokerMissingError(f"Mosquitto, the MQTT broker, is not installed; {_APT}")
    return path


def find_plugin() -> Path:
    """Give the path of the dynamic-security plugin, on any processor. Raises `BrokerMissingError`."""
    for folder in _PLUGIN_FOLDERS:
        for found in sorted(Path("/").glob(f"{folder[1:]}/{PLUGIN}")):
            return found
    raise BrokerMissingError(f"Mosquitto's dynamic-security plugin ({PLUGIN}) is not installed; {_APT}")
