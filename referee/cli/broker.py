"""`hallmarshal broker`: prints what an existing Mosquitto needs for a table to join it."""

from __future__ import annotations

import argparse
from pathlib import Path

from referee.cli.command import LazyParser
from referee.net.broker import access, mosquitto
from referee.net.errors import LinkError
from referee.runtime.errors import BadInputError, UnreachableError, told_as
from referee.runtime.state_folder import state_folder
from referee.runtime.table_config import read_config

_USERS = Path("/var/lib/mosquitto/hallmarshal-users.json")


def add_arguments(parser: LazyParser) -> None:
    """Add the verbs."""
    verbs = parser.add_verbs()
    config = verbs.add_parser("config", help="the lines for Mosquitto's configuration")
    users = verbs.add_parser("users", help="the file of its dynamic-security plugin: roles and hashed passwords")
    for verb in (config, users):
        verb.add_argument("--config", type=Path, metavar="TOML", help="the table's file")
    config.add_argument("--port", type=int, default=1883, help="TCP port (default: 1883)")
    config.add_argument("--websocket-port", type=int, default=0, help="also a plain WebSocket port; phones need none")
    config.add_argument(
        "--users-file", type=Path, default=_USERS, metavar="PATH", help=f"where the users will lie (default: {_USERS})"
    )
    config.add_argument("--certificate", type=Path, metavar="PEM", help="show this certificate on the TCP port")
    config.add_argument("--key", type=Path, metavar="PEM", help="its key")
    users.add_argument(
        "--state", type=Path, metavar="DIR", help="the table's state directory, which keeps the passwords"
    )


@told_as(UnreachableError, LinkError)
def run(args: argparse.Namespace) -> int:
    """Print; exit 2 for bad input, 3 when the plugin is missing or the passwords cannot be kept."""
    config = read_config(args.config, {"state": getattr(args, "state", None)})
    if args.verb == "users":
        passwords = access.load_or_create((config.state or state_folder(config.name)) / "broker", config.name)
        print(access.printed_users(config.name, passwords), end="")
        return 0
    for port, least in ((args.port, 1), (args.websocket_port, 0)):
        if not least <= port <= 65535:
            raise BadInputError(f"a port is a number from 1 to 65535, not {port}")
    if (args.certificate is None) != (args.key is None):
        raise BadInputError("--certificate and --key go together")
    tls = None if args.certificate is None else mosquitto.Tls(args.certificate, args.key)
    plugin, ports = mosquitto.find_plugin(), (args.port, args.websocket_port)
    print(access.printed_configuration(config.name, plugin, args.users_file, *ports, tls), end="")
    return 0
