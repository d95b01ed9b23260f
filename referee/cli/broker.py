"""`hallmarshal broker`: prints what an existing Mosquitto needs for a table to join it."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from referee.cli.command import Subparsers
from referee.runtime.errors import BadInputError, UnreachableError

if TYPE_CHECKING:
    from referee.net.broker.mosquitto import Tls
    from referee.runtime.table_config import TableConfig

_USERS = Path("/var/lib/mosquitto/hallmarshal-users.json")


def register(subparsers: Subparsers) -> None:
    """Add `broker`."""
    parser = subparsers.add_parser(
        "broker", help="print what an existing Mosquitto needs", description=__doc__.splitlines()[0]
    )
    verbs = parser.add_subparsers(dest="verb", metavar="verb", required=True)
    config = verbs.add_parser("config", help="the lines for Mosquitto's configuration")
    users = verbs.add_parser("users", help="the file of its dynamic-security plugin: roles and hashed passwords")
    for verb in (config, users):
        verb.add_argument("--config", type=Path, metavar="TOML", help="the table's file")
    config.add_argument("--port", type=int, default=1883, help="TCP port (default: 1883)")
    config.add_argument("--websocket-port", type=int, default=9001, help="port for phones (default: 9001)")
    config.add_argument(
        "--users-file", type=Path, default=_USERS, metavar="PATH", help=f"where the users will lie (default: {_USERS})"
    )
    config.add_argument("--certificate", type=Path, metavar="PEM", help="show this certificate on the TCP port")
    config.add_argument("--key", type=Path, metavar="PEM", help="its key")
    users.add_argument(
        "--state", type=Path, metavar="DIR", help="the table's state directory, which keeps the passwords"
    )


def run(args: argparse.Namespace) -> int:
    """Print; exit 2 for bad input, 3 when the plugin is missing or the passwords cannot be kept."""
    from referee.net.errors import LinkError
    from referee.runtime.table_config import read_config

    config = read_config(args.config, {"state": getattr(args, "state", None)})
    try:
        print(_configuration(args, config) if args.verb == "config" else _users(config), end="")
    except LinkError as error:
        raise UnreachableError(str(error)) from None
    return 0


def _configuration(args: argparse.Namespace, config: TableConfig) -> str:
    from referee.net.broker.access import printed_configuration
    from referee.net.broker.mosquitto import find_plugin

    for port in (args.port, args.websocket_port):
        if not 0 < port <= 65535:
            raise BadInputError(f"a port is a number from 1 to 65535, not {port}")
    return printed_configuration(
        config.name, find_plugin(), args.users_file, args.port, args.websocket_port, _tls(args)
    )


def _tls(args: argparse.Namespace) -> Tls | None:
    from referee.net.broker.mosquitto import Tls

    if (args.certificate is None) != (args.key is None):
        raise BadInputError("--certificate and --key go together")
    return None if args.certificate is None else Tls(args.certificate, args.key)


def _users(config: TableConfig) -> str:
    from referee.cli.table import state_dir
    from referee.net.broker.access import load_or_create, printed_users

    return printed_users(config.name, load_or_create(state_dir(config) / "broker", config.name))
