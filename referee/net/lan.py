"""Under which address other machines of the local network reach this one."""

from __future__ import annotations

import socket

_SOMEWHERE = ("192.0.2.1", 9)  # an address for documents (RFC 5737): it is looked up in the routes, nothing is sent


def own_address() -> str:
    """Give the address of the interface that leads out; 127.0.0.1 without a network."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(_SOMEWHERE)
            return str(probe.getsockname()[0])
        except OSError:
            return "127.0.0.1"
