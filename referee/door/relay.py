"""Carries a phone's MQTT from its WebSocket to the broker. Of a stranger the broker hears nothing before his CONNECT is whole and small."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Coroutine
from typing import Any

from aiohttp import WSMsgType, web

from referee.door.settings import BrokerTarget

MOST_FIRST = 4 * 1024
"""Bytes of the first packet, a CONNECT: ours has less than 300."""
MOST_PACKET = 80 * 1024
"""Bytes of one WebSocket message, as the broker's largest packet."""
BROKER_S = 20.0
"""So long the broker may take to answer a CONNECT: the machine may have much else to do."""
MESSAGES_A_SECOND, MESSAGES_AT_ONCE = 100, 100
"""So many messages of a page go to the application; those of a second may come at once."""
READ_S = 20.0
"""A page that reads nothing for so long is gone."""
_PIECE = 16 * 1024
_CONNECT, _CONNACK = 0x10, 0x20
_LONGEST_LENGTH = 4


class NotWelcomeError(Exception):
    """What comes first is no CONNECT, or too large."""


def whole_packet(sent: bytes | bytearray) -> int | None:
    """Return the length of the CONNECT that these bytes begin with, None while it is not whole. Raises `NotWelcomeError`."""
    if sent[:1] not in (b"", bytes([_CONNECT])) or len(sent) > MOST_FIRST:
        raise NotWelcomeError
    length = 0
    for index, byte in enumerate(sent[1 : 1 + _LONGEST_LENGTH]):
        length |= (byte & 0x7F) << (7 * index)
        if not byte & 0x80:
            whole = 2 + index + length
            if whole > MOST_FIRST:
                raise NotWelcomeError
            return whole if len(sent) >= whole else None
    if len(sent) > _LONGEST_LENGTH:
        raise NotWelcomeError
    return None


async def first_packet(socket: web.WebSocketResponse) -> bytes:
    """Return what a client says first, once it is a whole CONNECT; nothing where it leaves. Raises `NotWelcomeError`."""
    first = bytearray()
    while whole_packet(first) is None:
        message = await socket.receive()
        if message.type is not WSMsgType.BINARY:
            return b""
        first += message.data
    return bytes(first)


class BrokerStream:
    """The door's TCP connection to the MQTT broker."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer

    @classmethod
    async def open(cls, target: BrokerTarget, first: bytes) -> tuple[BrokerStream, bytes]:
        """Send a client's CONNECT to the broker; return the line and the broker's answer. Raises `OSError`, of which a timeout is one."""
        async with asyncio.timeout(BROKER_S):
            reader, writer = await asyncio.open_connection(target.host, target.port, ssl=_tls(target))
            try:
                writer.write(first)
                return cls(reader, writer), await reader.read(_PIECE)
            except BaseException:
                writer.close()
                raise

    async def carry(self, socket: web.WebSocketResponse) -> None:
        """Carry both ways until one of both ends."""
        await _until_one_ends(self._in(socket), self._out(socket))

    def close(self) -> None:
        """End it; the broker publishes the client's last will, unless it has said goodbye."""
        self._writer.close()

    async def _in(self, socket: web.WebSocketResponse) -> None:
        async for message in socket:
            if message.type is not WSMsgType.BINARY:
                return
            self._writer.write(message.data)
            await self._writer.drain()

    async def _out(self, socket: web.WebSocketResponse) -> None:
        while data := await self._reader.read(_PIECE):
            await socket.send_bytes(data)


async def carry_messages(
    page: web.WebSocketResponse, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> None:
    """Carry a page's messages to the application, and its lines to the page, until one of both ends."""
    await _until_one_ends(_said(page, writer), _told(page, reader))


async def _until_one_ends(*ways: Coroutine[Any, Any, None]) -> None:
    """Run them until one of them ends, however it does."""
    tasks = [asyncio.create_task(way) for way in ways]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _said(page: web.WebSocketResponse, writer: asyncio.StreamWriter) -> None:
    """Take no more messages than a hand has positions: those beyond wait with the browser."""
    now_s = asyncio.get_running_loop().time
    next_s = now_s()
    async for message in page:
        if message.type is not WSMsgType.TEXT or "\n" in message.data:
            return
        next_s = max(next_s, now_s() - MESSAGES_AT_ONCE / MESSAGES_A_SECOND) + 1 / MESSAGES_A_SECOND
        await asyncio.sleep(next_s - now_s())
        writer.write(message.data.encode() + b"\n")
        await writer.drain()


async def _told(page: web.WebSocketResponse, reader: asyncio.StreamReader) -> None:
    while line := await reader.readline():
        async with asyncio.timeout(READ_S):
            await page.send_str(line.decode())


def is_admitted(answer: bytes) -> bool:
    """Return whether the broker has let a client in, by its first answer."""
    return answer[:1] == bytes([_CONNACK]) and answer[3:4] == b"\0"


def _tls(target: BrokerTarget) -> ssl.SSLContext | None:
    """Return what takes the broker's one certificate and no other, under whatever name it was reached; None without one."""
    if target.certificate is None:
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.check_hostname = False
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    context.load_verify_locations(cadata=target.certificate)
    return context
