"""The attacks of the siege against a server that is no table: each does what its text says."""

from __future__ import annotations

import asyncio
import json
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from aiohttp import WSMsgType, web

from fault_injection.siege import phone, strangers
from fault_injection.siege.strangers import ATTACKS, SEAT, STRANGER, Attack, Target
from tests.patience import PATIENCE_S

ENOUGH_S = (0.05, 0.4, 4.0, 40.0)
"""Seconds an attack may lean on the wall; a machine that is busy gets more."""
FEW = 20
"""How many lean on it at once."""
MESSAGES = Path(__file__).resolve().parents[2] / "docs" / "reference" / "messages.md"


class Wall:
    """A server that notes what it is asked, and lets everybody in."""

    def __init__(self) -> None:
        """Open it."""
        self.asked: list[tuple[str, str]] = []
        self.first: list[bytes] = []
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()
        self._ready.wait()

    def _run(self) -> None:
        self._loop.run_until_complete(self._serve())

    async def _serve(self) -> None:
        app = web.Application()
        app.router.add_route("*", "/{path:.*}", self._answer)
        runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0, backlog=1024)  # who finds no room knocks again a second later
        await site.start()
        self.port = runner.addresses[0][1]
        self._end = asyncio.Event()
        self._ready.set()
        await self._end.wait()
        await runner.cleanup()

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        self.asked.append((request.method, request.path))
        if request.path != "/mqtt":
            await request.read()
            return web.Response(text="x" * 20_000)
        line = web.WebSocketResponse(protocols=("mqtt",))
        await line.prepare(request)
        async for message in line:
            if message.type is WSMsgType.BINARY:
                self.first.append(message.data)
                if len(message.data) > 30:  # a whole CONNECT: nobody comes in
                    break
        return line

    def close(self) -> None:
        """Close it."""
        self._loop.call_soon_threadsafe(self._end.set)
        self._thread.join(PATIENCE_S)
        self._loop.close()


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a few do what hundreds do in a siege: a thousand connections that are to be opened keep each of them from doing anything."""
    many = strangers._many
    monkeypatch.setattr(strangers, "_many", lambda count, *told: many(min(count, FEW), *told))


def leaned(attack: Attack, target: Target, felt: Callable[[], object] = lambda: True) -> Counter[str]:
    """Return what an attack has done once it has done something, and the server has felt it."""
    tallies = (attack.run(target, time.monotonic() + seconds) for seconds in ENOUGH_S)
    return next((tally for tally in tallies if sum(tally.values()) and felt()), Counter())


@pytest.fixture(scope="module")
def wall() -> Iterator[Wall]:
    """Yield a server."""
    made = Wall()
    yield made
    made.close()


@pytest.mark.parametrize(
    "attack", [attack for attack in ATTACKS.values() if attack.by == STRANGER], ids=lambda one: one.name
)
def test_a_stranger_does_what_he_says(wall: Wall, attack: Attack) -> None:
    """It comes to the server, ends in time by itself, and counts."""
    base = f"127.0.0.1:{wall.port}"
    ws, tls, live, sources = f"ws://{base}/mqtt", f"mqtt://{base}", f"http://{base}/live", ("127.0.0.1",)
    target = Target(f"http://{base}", ws, tls, login="Chief", live=live, sources=sources)
    assert attack.fits(target)
    tally = leaned(attack, target)
    assert sum(tally.values()) > 0
    assert not tally["turned away"]


def test_half_a_connect_is_half(wall: Wall) -> None:
    """The stranger of A1 announces 256 MiB in one frame of 15 bytes."""
    wall.first.clear()
    base = f"127.0.0.1:{wall.port}"
    leaned(ATTACKS["huge-connects"], Target(f"http://{base}", f"ws://{base}/mqtt"), lambda: wall.first)
    assert set(wall.first) == {b"\x10\xff\xff\xff\x7f\x00\x04MQTT\x04\xc2\x00\x1e"}


def test_every_row_has_an_attack() -> None:
    """A1 to A9, each started by whom it is about; what needs a seat fits no target without a link."""
    assert {attack.row for attack in ATTACKS.values()} >= {f"A{number}" for number in range(1, 10)}
    assert {attack.row for attack in ATTACKS.values() if attack.by == SEAT} >= {"A5", "A6"}
    assert not any(attack.fits(Target("http://x", "ws://x")) for attack in ATTACKS.values() if attack.by == SEAT)


def test_the_phone_of_the_siege_derives_what_the_documents_say() -> None:
    """The vector of messages.md."""
    listed = dict(re.findall(r"^\| vector: (.*?) \| `(.*)` \|$", MESSAGES.read_text(), re.MULTILINE))
    secret = listed["secret"].encode()
    assert phone.encoded(phone.digest("hallmarshal token 1", secret)[:16]) == listed["token"]
    assert phone.encoded(phone.digest("hallmarshal key 1", secret)[:32]) == listed["key"]


def _is_number(fields: tuple[object, ...]) -> bool:
    return len(fields) == 1 and type(fields[0]) is int and 0 <= fields[0] < 2**31


@pytest.mark.parametrize("last", [0, 1, 2, 4321])
def test_who_asks_what_he_missed_asks_from_everywhere(last: int) -> None:
    """Every number is one that the page allows; the ends, what lies beyond and what lies between are among them."""
    asked = {strangers.missed_from(last, number) for number in range(400)}
    assert all(_is_number((number,)) for number in asked)
    assert asked >= {0, last, last + 1, 2**31 - 1}
    assert len(asked) >= min(last, 200)


def test_what_is_no_number_is_none_and_comes_to_the_referee() -> None:
    """The page allows none of it, and it fits into a letter: else it would be dropped before anybody looks at the number."""
    for fields in strangers.NO_NUMBERS:
        assert not _is_number(fields)
        assert (
            len(json.dumps(["missed", f"{'0' * 16}-{'9' * 6}", *fields], separators=(",", ":")))
            <= 256 - phone._HEAD.size
        )


def test_a_whole_connect_counts_its_own_length() -> None:
    """What is announced is what follows, with properties and without."""
    for properties in (None, 0, 500, 200_000):
        packet = strangers._connect("red", properties)
        length, at, shift = 0, 1, 0
        while True:
            length |= (packet[at] & 127) << shift
            shift, at = shift + 7, at + 1
            if not packet[at - 1] & 128:
                break
        assert length == len(packet) - at
