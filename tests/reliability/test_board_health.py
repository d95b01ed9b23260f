"""What a board itself says about how it is: said at once to everybody, and never guessed over. Bytes are the simulated firmware's."""

from __future__ import annotations

import asyncio
import struct
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from firmware_bridge.messages import (
    NO_FLAGS,
    FaultKind,
    Frame,
    FrameFlag,
    Hello,
    LinkBack,
    LinkLost,
    News,
    Reading,
    ResetCause,
    Save,
    SensingCode,
    WireFault,
)
from firmware_bridge.wire import Decoder, seal, unseal
from hardware import load_board
from referee.net.links.referee_link import alerts_of
from referee.rules import rule_set
from referee.rules.values import Seat
from referee.runtime.board_health import SHOWN_MS, BoardWatch
from referee.runtime.event_loop import TableShell
from referee.sensing import Interpreter
from referee.table.inputs import SeatSays
from referee.table.messages import Ready
from referee.table.settings import TableSettings
from referee.table.table import Table
from referee.table.views import Health, Phase, PublicView
from simulator.board import SimBoard
from tests.table.sitting import BLUE, DUEL_BLUE, DUEL_RED, RED
from tests.table.test_board_link import Desk, Line

RULES, BOARD = rule_set("duel"), load_board("travel-10x10")
POLES = {Seat.RED: Reading.RED, Seat.BLUE: Reading.BLUE}
Wish = dict[str, Any]


class Scene:
    """A game of Duel on a simulated board whose bytes reach the shell as those of a cable do."""

    def __init__(self) -> None:
        self.board = SimBoard(BOARD, 1)
        self.decoder, self.line, self.desk = Decoder(), Line(), Desk()
        self.table = Table(TableSettings("t1", "g1", RULES))
        interpreter = Interpreter([RULES.board.square(name) for name in BOARD.squares], True, POLES, board=RULES.board)
        self.watch = BoardWatch()
        self.shell = TableShell(self.table, interpreter, self.line, self.desk, self.desk, watch=self.watch)
        self.as_sent: Callable[[bytes], bytes] = lambda data: data

    async def start(self) -> None:
        """Begin the game."""
        self.board.lay(dict.fromkeys(DUEL_RED, "red") | dict.fromkeys(DUEL_BLUE, "blue"))
        self.shell.open()
        for seat in (RED, BLUE):
            self.shell.put_in(SeatSays(seat, Ready(id="r")))
        await self.hear(self.board.start())
        await self.wait(1500)
        assert self.table.phase is Phase.WAITING_FOR_MOVE
        self.desk.kinds.clear()

    async def hear(self, sent: list[bytes]) -> None:
        """Let the shell hear these bytes."""
        self.line.put(self.decoder.feed(b"".join(map(self.as_sent, sent))))
        for _ in range(3):
            await asyncio.sleep(0)

    async def wait(self, for_ms: int) -> None:
        """Let board time pass."""
        await self.hear(self.board.advance(self.board.now_ms + for_ms))

    async def do(self, *wishes: Wish, quiet_ms: int = 2500) -> None:
        """Let hands or fate do something, and time pass."""
        for wish in wishes:
            await self.hear(self.board.play(wish, quiet_ms=quiet_ms))

    def befall(self, kind: str, **more: int) -> Coroutine[None, None, None]:
        """Let something befall the board."""
        return self.do({"motion": "trouble", "kind": kind, **more})

    @property
    def view(self) -> PublicView:
        """What everybody was told last."""
        assert self.desk.view is not None
        assert self.desk.view.health == self.table.view().health, "what the table knows was told"
        return self.desk.view

    @property
    def health(self) -> list[str]:
        """What everybody was told is wrong."""
        return [health.value for health in self.view.health]

    async def move(self, source: str, target: str) -> None:
        """Carry a piece."""
        await self.do({"motion": "move", "from": source, "to": target})


def played(act: Callable[[Scene], Coroutine[None, None, None]]) -> list[str]:
    """Play a scene on a loop of its own. Returns what everybody heard after the game had begun."""

    async def whole() -> list[str]:
        scene = Scene()
        await scene.start()
        await act(scene)
        assert not scene.shell.failed.done()
        scene.shell.close()
        scene.line.close()
        return scene.desk.kinds

    return asyncio.run(whole())


WARNINGS: dict[str, tuple[list[Wish], list[str]]] = {
    "its power failed": ([{"motion": "trouble", "kind": "brown-out"}], ["brown-out"]),
    "it restarted": ([{"motion": "trouble", "kind": "reboot"}], ["restarted"]),
    "nobody took its messages": ([{"motion": "trouble", "kind": "jam", "for_ms": 1200}], ["queue-full"]),
    "both": (
        [{"motion": "trouble", "kind": "jam", "for_ms": 1200}, {"motion": "trouble", "kind": "brown-out"}],
        ["brown-out", "queue-full"],
    ),
}


@pytest.mark.parametrize("name", WARNINGS)
def test_a_warning_is_said_at_once_and_the_game_goes_on(name: str) -> None:
    """In view, alerts and journal; it goes when nothing of the kind was seen for two minutes, and comes again with the next."""
    wishes, words = WARNINGS[name]

    async def act(scene: Scene) -> None:
        await scene.do(*wishes)
        assert scene.health == words
        assert scene.view.board_fault is None
        assert [alert.text for alert in alerts_of(scene.view).alerts] == [" ".join(words)]
        await scene.move("e4", "e5")
        await scene.wait(SHOWN_MS + 1000)
        assert scene.health == []
        await scene.do(*wishes)
        assert scene.health == words

    heard = played(act)
    assert [kind for kind in heard if kind != "board.health"] == ["move.read", "move.final"]
    said = len(words)
    assert heard.count("board.health") in range(said + 2, 3 * said + 2), "each once as it came, and when it went"


def test_lost_calibration_stops_the_reading_until_it_is_back() -> None:
    """What hands do meanwhile is not guessed at: the table stands, clocks and all, and afterwards asks about what stands elsewhere."""

    async def act(scene: Scene) -> None:
        await scene.befall("calibration-lost")
        assert (scene.view.board_fault, scene.view.board_connected) == ("uncalibrated", False)
        assert scene.health == ["uncalibrated", "restarted"]
        assert alerts_of(scene.view).alerts[0].text == "uncalibrated"
        await scene.move("e4", "e5")
        await scene.do({"motion": "clear"})
        assert scene.table.phase is Phase.WAITING_FOR_MOVE
        scene.board.lay(dict.fromkeys({*DUEL_RED} - {"e4"} | {"e5"}, "red") | dict.fromkeys(DUEL_BLUE, "blue"))
        await scene.hear(scene.board.obey(Save(seq=1)))  # as `calibrate` does; then it is calibrated again
        await scene.wait(4000)
        assert scene.view.board_fault is None
        assert {fix.square for fix in scene.view.fixes} == {"e4", "e5"}
        await scene.move("e5", "e4")
        await scene.move("e4", "e5")

    assert [kind for kind in played(act) if kind != "board.health"] == [
        *("board.link uncalibrated", "board.link back", "ask not-understood", "restored"),
        "move.read",
        "move.final",
    ]


def test_firmware_of_another_version_is_told_at_once() -> None:
    """Its messages cannot be read, which is not silence; with the right firmware back the board is compared."""

    def older(sent: bytes) -> bytes:
        body = unseal(sent[:-1])
        assert isinstance(body, bytes)
        return seal(struct.pack("B", (7 << 4) | body[0] & 0x0F) + body[1:])

    async def act(scene: Scene) -> None:
        scene.as_sent = older
        await scene.wait(600)
        assert scene.health == ["other-version"]
        await scene.move("e4", "e5")
        scene.as_sent = lambda data: data
        await scene.wait(4000)
        assert scene.health == []

    assert played(act) == ["board.link other-version", "board.link back", "ask not-understood"]


def test_what_was_wrong_before_the_game_is_said_as_it_begins() -> None:
    """The lobby's watch is the game's: nobody begins on a board that is not calibrated without being told."""

    async def whole() -> None:
        scene = Scene()
        scene.watch.take(hello(1, ResetCause.BROWN_OUT, calibrated=False))
        scene.shell.open()
        assert scene.health == ["uncalibrated", "brown-out"]
        scene.shell.close()
        scene.line.close()

    asyncio.run(whole())


def hello(boot: int, reset: ResetCause = ResetCause.POWER_ON, *, calibrated: bool = True, board: str = "t1") -> Hello:
    """Return a HELLO."""
    return Hello(0, 0, 1, SensingCode.COLOUR, reset, calibrated, 92, 96, 100, boot, 0, board, "1")


def frame(board_ms: int, flags: FrameFlag = NO_FLAGS) -> Frame:
    """Return a KEYFRAME."""
    return Frame(0, board_ms, (Reading.EMPTY,) * 92, flags)


OUT, BACK = LinkLost("out"), LinkBack()
REBOOTED, STRANGE = WireFault(FaultKind.REBOOTED, ""), WireFault(FaultKind.OTHER_VERSION, "")
BROWN_OUT, WATCHDOG = ResetCause.BROWN_OUT, ResetCause.WATCHDOG
UNCALIBRATED, FULL = FrameFlag.UNCALIBRATED, FrameFlag.QUEUE_FULL
RANGE_MS = 1 << 32

HEARD: dict[str, list[tuple[News, str]]] = {
    "all well": [(hello(1), ""), (frame(10), ""), (hello(1), "")],
    "asked twice after a brown-out": [
        *((hello(2, BROWN_OUT), "brown-out"), (frame(10), "brown-out"), (frame(SHOWN_MS + 10), "brown-out")),
        *((frame(SHOWN_MS + 20), ""), (hello(2, BROWN_OUT), "")),
    ],
    "its cable was out": [(hello(1), ""), (OUT, "lost"), (BACK, "lost"), (frame(5), "lost"), (hello(2), "")],
    "its cable was out, and it hung": [
        (hello(1), ""),
        (OUT, "lost"),
        (BACK, "lost"),
        (hello(2, WATCHDOG), "restarted"),
    ],
    "the decoder told first": [(hello(1), ""), (REBOOTED, "restarted"), (hello(2, BROWN_OUT), "brown-out")],
    "its HELLO was lost": [(hello(1), ""), (REBOOTED, "restarted"), (frame(10), "restarted")],
    "its time begins anew": [
        *((frame(900_000, FULL), "queue-full"), (REBOOTED, "restarted queue-full"), (frame(0), "restarted queue-full")),
        *((frame(SHOWN_MS), "restarted queue-full"), (frame(SHOWN_MS + 1), "")),
    ],
    "its time wraps": [(frame(RANGE_MS - 5, FULL), "queue-full"), (frame(5), "queue-full"), (frame(SHOWN_MS), "")],
    "full again": [
        *((frame(0, FULL), "queue-full"), (frame(SHOWN_MS, FULL), "queue-full"), (frame(SHOWN_MS + 10), "queue-full")),
    ],
    "calibration lost": [
        *((hello(1), ""), (frame(10, UNCALIBRATED), "uncalibrated"), (frame(20), "")),
        *((hello(1, calibrated=False), "uncalibrated"), (frame(30), "")),
    ],
    "another board": [
        *((hello(1), ""), (OUT, "lost"), (BACK, "lost"), (hello(9, BROWN_OUT, board="t2"), "other-board")),
        *((frame(10, UNCALIBRATED), "other-board"), (OUT, "lost"), (BACK, "lost"), (hello(2), "")),
    ],
    "another version": [
        *((hello(1), ""), (OUT, "lost"), (BACK, "lost"), (STRANGE, "other-version"), (frame(10), "other-version")),
        *((hello(2), ""), (STRANGE, "other-version"), (frame(20), "")),
    ],
}


@pytest.mark.parametrize("name", HEARD)
def test_what_a_board_says_about_itself(name: str) -> None:
    """Event tables: after each thing that is heard, what is wrong by then, worst first; changes are told once."""
    changes: list[str] = []

    def changed() -> None:
        changes.append(" ".join(health.value for health in watch.health))

    watch = BoardWatch(lambda one: () if one.board_id == "t1" else ("another",), on_change=changed)
    wanted = [""]
    for news, words in HEARD[name]:
        watch.take(news)
        assert " ".join(health.value for health in watch.health) == words, news
        wanted += [words] * (words != wanted[-1])
    assert changes == wanted[1:]
    assert all(word in (health.value for health in Health) for words in changes for word in words.split())
