"""A field trial at a board: whoever is there is told what to do, every byte is logged, and a trial that was left off is taken up again."""

from __future__ import annotations

import contextlib
import functools
import json
import math
import os
import select
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Protocol

from firmware_bridge.checkup import disagreements
from firmware_bridge.messages import AskKeyframe, LinkBack, LinkLost, News, RecordingError
from firmware_bridge.recording import Note, parse_with_notes
from firmware_bridge.sources import SimSource
from firmware_bridge.wire import Decoder
from hardware import BoardFile
from referee.field_trial.fitting import Fitted, fit, profile_of, profile_text
from referee.field_trial.plan import plan, start_position
from referee.field_trial.result import document
from referee.field_trial.trial import Asks, Prompt, Trial
from referee.rules.values import Square
from referee.runtime.boards import BoardChoice, OpenBoard, Start, opened, start_of
from referee.runtime.errors import BadInputError, UnreachableError
from referee.runtime.field_trial_hands import wishes
from referee.runtime.frame_log import FrameLog, FrameTap
from referee.runtime.game import interpreter_of
from referee.runtime.state_folder import alone_in, state_folder

LOG_BYTES = 1 << 30
"""A trial of 200 motions takes some 15 MB: nothing of it may be thrown away."""
_WAIT_S = 0.5
_STDIN = 0


def places_of(board: BoardFile) -> dict[Square, tuple[float, float]]:
    """Return where each square lies, in pitches."""
    return {Square(name): place for name, place in zip(board.squares, board.places, strict=True)}


def new_trial(board: BoardFile, start: Start, motions: int) -> Trial:
    """Return a trial of which nothing was made yet; raise BadInputError for a board on which no six pieces can be moved about."""
    places = places_of(board)
    middle = tuple((min(each) + max(each)) / 2 for each in zip(*places.values(), strict=True))
    near_middle = sorted(places, key=lambda square: (math.dist(places[square], middle), square.name))
    zones = {seat: [Square(name) for name in names] for seat, names in start.armies.items()}
    wanted = plan(start.rules, start_position(zones, near_middle), motions)
    if len(wanted) < motions:
        raise BadInputError(f"board {board.id}: no plan of {motions} motions by the rules of {start.rules.name}")
    return Trial(wanted, interpreter_of(start.rules, board), list(places))


def result_of(trial: Trial, board: BoardFile) -> tuple[dict[str, object], Fitted]:
    """Return the figures of what was made so far, and what fits it."""
    fitted = fit(trial.outcomes, places_of(board), board.scan.hz)
    return document(trial, fitted), fitted


def take_up(trial: Trial, folder: Path, board: BoardFile, rules: str) -> None:
    """Read into a new trial all that a folder holds of it. Raises BadInputError for what is no trial of this board by these rules."""
    for path in sorted(folder.glob("frames-*.log"), key=lambda path: int(path.stem.partition("-")[2])):
        decoder = Decoder()
        trial.broken_off()
        try:
            with path.open(encoding="ascii") as lines:
                for each in parse_with_notes(_whole_lines(lines), str(path), board):
                    if isinstance(each, Note):
                        _take_note(trial, json.loads(each.text), path, rules)
                    elif each.from_board:
                        for news in decoder.feed(each.data):
                            trial.feed(news)
        except (OSError, ValueError, RecordingError) as error:
            raise BadInputError(
                f"{folder}: holds no trial of this board that can be gone on with ({error}); --new begins another"
            ) from None


def _whole_lines(lines: Iterable[str]) -> list[str]:
    """Return the lines but for a last one without its end: the power went while it was written."""
    return [line for line in lines if line.endswith("\n")]


def _take_note(trial: Trial, note: Mapping[str, object], path: Path, rules: str) -> None:
    if note.get("rules", rules) != rules:
        raise BadInputError(f"{path}: a trial by the rules of {note['rules']}, not of {rules}; --new begins another")
    if note.get("typed") == "r":
        trial.again()


def set_aside(folder: Path) -> None:
    """Move a trial's files into a folder of their own beside the new one's."""
    old = [path for path in folder.iterdir() if path.suffix in (".log", ".json", ".toml")]
    if old:
        aside = folder / time.strftime("before-%Y%m%d-%H%M%S")
        aside.mkdir(mode=0o700)
        for path in old:
            path.rename(aside / path.name)


def keep(folder: Path, told: Mapping[str, object], fitted: Fitted, about: str) -> Path:
    """Write the result and the profile; return the profile's path. Raises BadInputError where they cannot be written."""
    profile = folder / "profile.toml"
    try:
        (folder / "result.json").write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
        profile.write_text(profile_text(profile_of(fitted.fits, about)), encoding="utf-8")
    except OSError as error:
        raise BadInputError(f"{folder}: {error.strerror}") from None
    return profile


# ---- who is at the board


class Person:
    """Somebody at the board who reads what `say` shows, and may type a line."""

    def __init__(self, say: Callable[[Prompt], object]) -> None:
        self._say = say
        self._rest, self._open = b"", True

    def hear(self, said: Prompt) -> None:
        """Take what is to be done, or what came of it."""
        self._say(said)

    def fileno(self) -> int | None:
        """Return a descriptor that is readable when `typed` has something to say; None if it never will again."""
        return _STDIN if self._open else None

    def typed(self) -> list[str]:
        """Return the lines that were typed since the last time, never waiting."""
        data = os.read(_STDIN, 4096)
        self._open = bool(data)
        *lines, self._rest = (self._rest + data).split(b"\n")
        return [line.decode(errors="replace").strip() for line in lines]


class SimulatedPerson(Person):
    """Hands of a simulated board, which do what they are asked for."""

    def __init__(self, source: SimSource, say: Callable[[Prompt], object]) -> None:
        super().__init__(say)
        self._source, self._random = source, Random(0)

    def hear(self, said: Prompt) -> None:
        """Do it."""
        super().hear(said)
        for wish in wishes(said, self._random):
            self._source.wish(wish)

    def fileno(self) -> int:
        """Return where the hands answer."""
        return self._source.answers_fileno()

    def typed(self) -> list[str]:
        """Return nothing, having looked whether every motion could be made."""
        for answer in self._source.answers():
            if "error" in answer:
                raise UnreachableError(f"the simulated board: {answer['error']}")
        return []


# ---- the trial


class TrialSession:
    """One session of a trial: from where the trial stands to its end, or until the person types `q`."""

    def __init__(self, board: OpenBoard, trial: Trial, person: Person, on_link: Callable[[bool], object]) -> None:
        """Make it; `on_link` is called when the board's cable is out, and when it is home again."""
        self._board, self._trial, self._person, self._on_link = board, trial, person, on_link
        self._said: deque[Prompt] = deque()
        self._on = False

    def take(self, news: News) -> None:
        """Take what the board says."""
        if self._on:
            if isinstance(news, LinkLost | LinkBack):
                self._on_link(isinstance(news, LinkLost))
            self._said.extend(self._trial.feed(news))

    def run(self, folder: Path, rules: str) -> None:
        """Go on until the plan is over; raises BadInputError when nothing can be kept, since then nothing should be measured."""
        failed: list[str] = []
        log = FrameLog(folder, self._board.file, LOG_BYTES, failed.append)
        with contextlib.closing(log):
            assert self._board.tap is not None
            self._board.tap.log_to(log)
            log.told({"rules": rules, "motions": len(self._trial.plan)})
            self._said.extend(self._trial.broken_off() or (self._trial.wanted(),))
            self._on = True
            while not self._trial.over and self._listen(log):
                if failed:
                    raise BadInputError(
                        f"{folder}: nothing more can be kept, so the trial ends here (it can be gone on with later)"
                    )
            while self._said:
                self._person.hear(self._said.popleft())

    def _listen(self, log: FrameLog) -> bool:
        """Print what is to be told and wait for more; return whether to go on."""
        while self._said:
            said = self._said.popleft()
            if isinstance(said, Asks):
                self._board.source.send(AskKeyframe(with_raw=True))
            self._person.hear(said)
        other = self._person.fileno()
        self._board.talk.wait(_WAIT_S, lambda news: bool(self._said), other)
        lines = self._person.typed() if other is not None and _readable(other) else []
        for line in (each.lower() for each in lines):
            log.told({"typed": line[:1]})
            if line == "q":
                return False
            if line == "r":
                self._said.extend(self._trial.again())
        return True


def _readable(descriptor: int) -> bool:
    return bool(select.select([descriptor], [], [], 0)[0])


class TrialScreen(Protocol):
    """Shows the prompts of a field trial."""

    def begins(self, trial: Trial, board: OpenBoard) -> None:
        """Show that a sitting begins."""

    def said(self, trial: Trial, board: OpenBoard, said: Prompt) -> None:
        """Show something that the trial says."""

    def link(self, lost: bool) -> None:
        """Show that the board's cable is out, or home again."""


def run_trial(
    choice: BoardChoice, motions: int, state: Path | None, screen: TrialScreen, *, anew: bool
) -> dict[str, object]:
    """Start a trial at a board, or resume the one that the folder `state` holds unless `anew` is set.

    Returns its figures, and where they and its profile are kept. Raises `BadInputError` for a board or folder that cannot be used,
    `UnreachableError` if the board does not answer.
    """
    if choice.url.startswith("replay:"):
        raise BadInputError("a recording cannot be tried: nobody can be asked for anything")
    if choice.url.startswith("sim:") and "quiet-ms=" not in choice.url:  # an answer comes as soon as a piece stands
        choice = replace(choice, url=f"{choice.url}{'&' if '?' in choice.url else '?'}quiet-ms=20")
    sessions: list[TrialSession] = []

    def hear(news: News) -> None:
        for session in sessions:  # none before it has begun
            session.take(news)

    with opened(choice, hear, full_speed=True, tap=FrameTap()) as board:
        if differing := disagreements(board.hello, board.file) if board.hello else ():
            raise BadInputError(f"board {choice.url}: {'; '.join(differing)}")
        start = start_of(board.file, choice.rules)
        if start is None:
            raise BadInputError(
                f"no rule set is known that fills the set-ups of board {board.file.id}: name one with --rules"
            )
        folder = state or state_folder("field-trial") / board.file.id
        with alone_in(folder, "another field trial is using this folder"):
            trial = new_trial(board.file, start, motions)
            if anew:
                set_aside(folder)
            take_up(trial, folder, board.file, start.rules.name)
            if not trial.over:
                screen.begins(trial, board)
                say = functools.partial(screen.said, trial, board)
                source = board.source
                person = SimulatedPerson(source, say) if isinstance(source, SimSource) else Person(say)
                sessions.append(TrialSession(board, trial, person, screen.link))
                sessions[0].run(folder, start.rules.name)
            if not trial.outcomes:
                raise BadInputError("no motion was made, so there is no result")
            figures, fitted = result_of(trial, board.file)
            told = {"board": choice.url, "file": board.file.id, **figures, "folder": str(folder)}
            path = keep(folder, told, fitted, f"fitted to {len(trial.outcomes)} motions on a {board.file.id}")
            return {**told, "profile": str(path)}
