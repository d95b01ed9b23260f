"""A proxy between MQTT clients and their broker that passes real bytes on: letters twice and out of order, or not all, or nothing."""

from __future__ import annotations

import contextlib
import select
import socket
import threading
from collections.abc import Callable
from typing import Final, Self

from referee.net.topics.topics import ROOT

_HOLD_S: Final = 0.05
"""A letter waits so long for another one that may overtake it."""
_PUBLISH, _DUPLICATE, _QOS = 3, 0x08, 0x06


class MqttProxy:
    """Listens on a port of its own. A context; leaving it closes every connection."""

    def __init__(self, port: int) -> None:
        """`port` is the broker's on this machine."""
        self._broker = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self.doubled = self.swapped = 0
        self.swallows_control = False
        """Whether changes of the broker's users get lost on the way."""
        self.swallowed = threading.Semaphore(0)
        """Released for each of them."""
        self._there = threading.Event()
        self._there.set()
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        threading.Thread(target=self._serve, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.cut()

    def cut(self) -> None:
        """Cut every connection and let nobody in until `mend`."""
        self._there.clear()
        with self._lock:
            for sock in self._open:
                with contextlib.suppress(OSError):
                    sock.shutdown(socket.SHUT_RDWR)

    def mend(self) -> None:
        """Let clients in again."""
        self._there.set()

    def _serve(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            if not self._there.is_set():
                client.close()
                continue
            broker = socket.create_connection(("127.0.0.1", self._broker))
            with self._lock:
                self._open |= {client, broker}
            if not self._there.is_set():  # cut just now: whoever cut it may not have seen these two
                self.cut()
            for one, other in ((client, broker), (broker, client)):
                one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                threading.Thread(target=self._pass_on, args=(one, other), daemon=True).start()

    def _pass_on(self, source: socket.socket, target: socket.socket) -> None:
        """Pass on what comes one way until either end closes."""
        way = _Way(target.sendall, self._count)
        data = b""
        with contextlib.suppress(OSError):
            while True:
                if not select.select([source], [], [], _HOLD_S if way.held else None)[0]:
                    way.let_go()
                    continue
                part = source.recv(65536)
                if not part:
                    break
                packets, data = _split(data + part)
                for packet in packets:
                    if self.swallows_control and _topic(packet).startswith("$CONTROL/"):
                        self.swallowed.release()
                    else:
                        way.take(packet)
        with self._lock:
            self._open -= {source}
        for sock in (source, target):
            with contextlib.suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)
        source.close()

    def _count(self, what: str) -> None:
        with self._lock:
            setattr(self, what, getattr(self, what) + 1)


class _Way:
    """One direction of one connection: each sealed letter goes out twice, and after the one that follows it closely."""

    def __init__(self, send: Callable[[bytes], None], count: Callable[[str], None]) -> None:
        self._send, self._count = send, count
        self.held: bytes | None = None

    def take(self, packet: bytes) -> None:
        """Pass a packet on, or keep a letter back for a moment."""
        if not _is_letter(packet):
            self._send(packet)  # overtakes the letter that is held
        elif self.held is None:
            self.held = packet
        else:
            self._count("swapped")
            self._twice(packet)
            self.let_go()

    def let_go(self) -> None:
        """Pass on what is held."""
        packet, self.held = self.held, None
        if packet is not None:
            self._twice(packet)

    def _twice(self, packet: bytes) -> None:
        self._count("doubled")
        self._send(packet + bytes([packet[0] | _DUPLICATE]) + packet[1:])


def _split(data: bytes) -> tuple[list[bytes], bytes]:
    """Return the whole packets at the start of some bytes, and the rest."""
    packets = []
    while (size := _size(data)) is not None and len(data) >= size:
        packets.append(data[:size])
        data = data[size:]
    return packets, data


def _size(data: bytes) -> int | None:
    """Return the length in bytes of the packet that begins here, None while that is not known."""
    length = 0
    for at, byte in enumerate(data[1:5]):
        length |= (byte & 0x7F) << 7 * at
        if not byte & 0x80:
            return 2 + at + length
    return None


def _topic(packet: bytes) -> str:
    """Return the topic of a PUBLISH; empty for any other packet."""
    if packet[0] >> 4 != _PUBLISH:
        return ""
    start = next(at for at in range(1, 5) if not packet[at] & 0x80) + 1
    end = start + 2 + int.from_bytes(packet[start : start + 2])
    return packet[start + 2 : end].decode(errors="replace")


def _is_letter(packet: bytes) -> bool:
    """Return whether this publishes a sealed message, to or from a handset."""
    topic = _topic(packet)
    return (
        bool(packet[0] & _QOS)
        and topic.startswith(f"{ROOT}/boards/")
        and topic.endswith(("/in", "/out"))
        and "/seat/" in topic
    )
