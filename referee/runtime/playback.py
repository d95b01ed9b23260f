"""Plays a frame log back at a table: its bytes as a board, and what was said beside them, in the order in which they came.

Order alone decides, not the time that a machine takes: what was said is put in when the table has read every byte before it, and no
byte after it is given before that. So the same game comes of it, at the recorded pace or at full speed. The
game begins at once, nobody needs to come, and its end is the end of the table.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

from firmware_bridge.messages import BoardUnreachableError, Command, LinkBack, LinkLost, News, RecordingError
from firmware_bridge.recording import Note, Piece, parse_with_notes
from firmware_bridge.talk import NumberedSource
from firmware_bridge.wire import Decoder
from hardware import BoardFile
from referee.runtime.announcements import TableScreen
from referee.runtime.boards import OpenBoard
from referee.runtime.errors import BadInputError
from referee.runtime.event_loop import TableShell
from referee.runtime.frame_log import part_name
from referee.runtime.session import TableSession
from referee.runtime.table_config import TableConfig
from referee.runtime.table_plan import TablePlan, rule_set_named
from referee.table.arbiter_commands import CorrectionError
from referee.table.inputs import Cable, Open, Reopen, from_json
from referee.table.settings import SettingsError, settings_from

Entry = Piece | Note


@dataclass(frozen=True, slots=True)
class RecordedFrames:
    """A frame log from the beginning of its game: how it was opened, and everything that came in."""

    settings: Mapping[str, Any]
    entries: tuple[Entry, ...]


def recorded_in(url: str, board: BoardFile) -> RecordedFrames | None:
    """Return what `replay:FILE` holds beside a board's bytes, None for a recording of a board alone. Raises `BadInputError`."""
    path = Path(url.removeprefix("replay:").partition("?")[0])
    try:
        entries = [entry for part in _parts(path) for entry in _entries(part, board)]
        notes = [json.loads(entry.text) for entry in entries if isinstance(entry, Note)]
    except (OSError, RecordingError, ValueError) as error:
        raise BadInputError(f"{path}: {error}") from None
    if not notes:
        return None
    if not isinstance(notes[0], dict) or notes[0].get("by") != "open":
        raise BadInputError(
            f"{path}: this frame log begins in the middle of a game; only one from its beginning plays it"
        )
    opening = next(at for at, entry in enumerate(entries) if isinstance(entry, Note))
    return RecordedFrames(notes[0]["settings"], (*entries[:opening], *entries[opening + 1 :]))


def _parts(path: Path) -> list[Path]:
    """Return the file and the parts that follow it, if it is a part."""
    stem, _, number = path.stem.rpartition("-")
    parts = [path]
    if stem == "frames" and number.isdigit() and path.name == part_name(int(number)):
        at = int(number)
        while (follows := path.with_name(part_name(at + len(parts)))).exists():
            parts.append(follows)
    return parts


def _entries(path: Path, board: BoardFile) -> list[Entry]:
    """Read a part; of a table that was killed the last line may be unfinished."""
    with path.open(encoding="ascii") as lines:
        return list(parse_with_notes((line for line in lines if line.endswith("\n")), str(path), board))


class PlaybackSource(NumberedSource):
    """The board of a frame log: gives what `Playback` hands it, and then nothing until it hands more."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._decoder = Decoder()
        self._news: deque[News] = deque()
        self._pulse = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self._closed = False
        self.drained: Callable[[], None] = lambda: None
        """Called when everything was read that was handed in."""

    def fileno(self) -> int:
        """Return the descriptor."""
        return self._pulse

    def hand(self, data: bytes) -> None:
        """Let these bytes arrive."""
        self._give(self._decoder.feed(data))

    def lose(self, lost: bool) -> None:
        """Let the cable be out, or in again."""
        self._give([LinkLost("as it was recorded") if lost else LinkBack()])

    def _give(self, news: Sequence[News]) -> None:
        self._news.extend(news)
        if not self._closed:
            os.eventfd_write(self._pulse, 1)

    def read(self) -> list[News]:
        """Return what was handed in; never waits."""
        if self._closed:
            raise BoardUnreachableError(f"board {self.url}: it was closed")
        try:
            os.eventfd_read(self._pulse)
        except BlockingIOError:
            return []
        news = list(self._news)
        self._news.clear()
        self.drained()
        return news

    def send(self, command: Command) -> Command:
        """Do nothing but number the command."""
        return self.numbered(command)

    def close(self) -> None:
        """Close it."""
        if not self._closed:
            self._closed = True
            os.close(self._pulse)


class Playback:
    """Puts the entries of a log into a shell and its source, one after the other, on the running loop."""

    def __init__(
        self,
        recorded: RecordedFrames,
        source: PlaybackSource,
        shell: TableShell,
        ended: Callable[[], None],
        note: Callable[[str], None],
    ) -> None:
        self._left = deque(recorded.entries)
        self._source, self._shell, self._ended, self._note = source, shell, ended, note
        self._full_speed = full_speed(source.url)
        self._loop = asyncio.get_running_loop()
        self._start_s = self._loop.time()
        self._timer: asyncio.Handle | None = None

    def start(self) -> None:
        """Begin."""
        self._source.drained = self._soon
        self._soon()

    def close(self) -> None:
        """Put in no more."""
        self._source.drained = lambda: None
        self._left.clear()
        if self._timer is not None:
            self._timer.cancel()

    def _soon(self) -> None:
        """Go on with the next entry once whoever is at work now has finished, and not before its time."""
        if not self._left:
            self._timer = self._loop.call_soon(self._ended)
            return
        wait_s = self._start_s + self._left[0].at_ms / 1000 - self._loop.time()
        self._timer = self._loop.call_later(0.0 if self._full_speed else max(0.0, wait_s), self._next)

    def _next(self) -> None:
        if not self._left:
            return
        entry = self._left.popleft()
        if isinstance(entry, Piece):
            self._source.hand(entry.data)  # the next one when that was read
            return
        try:
            given = from_json(json.loads(entry.text))
            if isinstance(given, Cable):
                self._source.lose(given.out)
                return
            if isinstance(given, Open | Reopen):
                raise ValueError("the referee was started again here, which is not played")
            self._shell.put_in(given)
        except (KeyError, TypeError, ValueError, CorrectionError) as error:
            self._note(f"at {entry.at_ms} ms: {error}")
        self._soon()


def full_speed(url: str) -> bool:
    """Return whether a `replay:` URL asks for full speed."""
    return dict(parse_qsl(url.partition("?")[2])).get("speed") == "max"


# ---- the table of a frame log


def recorded_config(config: TableConfig, recorded: RecordedFrames) -> TableConfig:
    """Return the configuration by which the recorded game was played. Raises `BadInputError` where its rules are not at hand."""
    try:
        name = recorded.settings["rules"]
        rules = rule_set_named(config.rules if config.rules.endswith(".toml") else name)
        told = settings_from(recorded.settings, rules)
    except (KeyError, TypeError, ValueError, SettingsError) as error:
        raise BadInputError(f"the frame log's game cannot be played: {error}") from None
    return replace(
        config,
        rules=config.rules if config.rules.endswith(".toml") else name,
        mode=told.mode,
        reveal=told.reveal,
        names=told.names,
        clock=told.clock,
        answer_limit_s=told.answer_limit_ms // 1000,
        phone_grace_s=told.limits.grace_ms // 1000,
        pauses=told.limits.pauses,
        pause_ms=told.limits.pause_ms,
        decided=told.decided,
        computers={},
        frame_log=False,
    )


class PlaybackSession(TableSession):
    """Plays one recorded game."""

    def __init__(self, plan: TablePlan, board: OpenBoard, screen: TableScreen, recorded: RecordedFrames) -> None:
        super().__init__(plan, board, screen)
        self._recorded = recorded

    def _start(self, stack: AsyncExitStack) -> None:
        super()._start(stack)
        self._table.begin_at_once()
        assert self._table.game is not None
        assert isinstance(self._board.source, PlaybackSource)
        playback = Playback(
            self._recorded, self._board.source, self._table.game.shell, lambda: self._end(0), self._screen.note
        )
        stack.callback(playback.close)
        playback.start()
