"""A wire to a broker that can be cut, listened to, or go silent as a network does when one walks out of it."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable

from tests.patience import PATIENCE_S


class Relay:
    """Carries every connection to an address on to another one, until it is told not to."""

    def __init__(self, host: str, port: int) -> None:
        self._target = (host, port)
        self.heard = bytearray()
        """All bytes that went over it, either way."""
        self._server = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._server.getsockname()[1])
        self._carries = threading.Event()
        self._carries.set()
        self._takes = True
        self._ends: list[socket.socket] = []
        self._threads: list[threading.Thread] = []
        self._start(self._accept)

    def cut(self) -> None:
        """Break every connection, and take none."""
        self._takes = False
        self._shut(*self._ends)

    def mend(self) -> None:
        """Take connections, and carry."""
        self._takes = True
        self._carries.set()

    def hush(self) -> None:
        """Carry nothing more of the connections that are there, and let nobody know; new ones are taken."""
        self._carries.clear()
        self._carries = threading.Event()
        self._carries.set()

    def close(self) -> None:
        """End it."""
        self._server.shutdown(socket.SHUT_RDWR)
        self.cut()
        for thread in self._threads:
            thread.join(PATIENCE_S)
        for end in (self._server, *self._ends):
            end.close()

    @staticmethod
    def _shut(*ends: socket.socket) -> None:
        for end in ends:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def _start(self, run: Callable[..., None], *arguments: object) -> None:
        self._threads.append(threading.Thread(target=run, args=arguments, daemon=True))
        self._threads[-1].start()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                near, _ = self._server.accept()
                if not self._takes:
                    near.close()
                    continue
                try:
                    far = socket.create_connection(self._target)
                except OSError:  # nobody is there now: who comes next may find somebody
                    near.close()
                    continue
                for end in (near, far):
                    end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self._ends += [near, far]
                if not self._takes:  # cut just now: whoever cut it has not seen these two
                    self._shut(near, far)
                for pair in ((near, far), (far, near)):
                    self._start(self._carry, *pair, self._carries)

    def _carry(self, source: socket.socket, target: socket.socket, carries: threading.Event) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                if not carries.is_set():
                    continue
                self.heard += data
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)
