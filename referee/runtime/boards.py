"""Opening a board for the commands of makers (`doctor`, `calibrate`): its file, its HELLO, where its armies start, and simulated hands."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from firmware_bridge.checkup import Checkup, Expected
from firmware_bridge.examination import Examination
from firmware_bridge.messages import BoardUnreachableError, BoardUrlError, Hello, News, Reading
from firmware_bridge.sources import BoardSource, ReplaySource, SimSource, board_in, is_simulated, open_source
from firmware_bridge.talk import Talk, WaitEnd
from hardware import BoardFile, BoardFileError, Sensing, board_names, load_board
from referee.rules import RuleSet, Seat, rule_set, rule_set_names
from referee.runtime.errors import BadInputError, UnreachableError
from referee.runtime.frame_log import FrameTap
from referee.runtime.table_plan import rule_set_named

if TYPE_CHECKING:
    from referee.runtime.screen_board import ScreenBoard

SIMULATED = "travel-10x10"
_PATIENCE_S = 60.0
POLES = {Seat.RED: Reading.RED, Seat.BLUE: Reading.BLUE, Seat.GREEN: Reading.RED, Seat.YELLOW: Reading.BLUE}
"""Which pole the magnets of an army show: four armies share two, and sensing asks the rules whose piece it is."""


@dataclass(frozen=True, slots=True)
class OpenBoard:
    """A board that answers. `hello` is None for a recording, which tells what it tells when it comes to it."""

    source: BoardSource
    talk: Talk
    file: BoardFile
    hello: Hello | None
    tap: FrameTap | None = None
    """What its bytes go through, to be logged."""
    page: ScreenBoard | None = None
    """Through which pages move its magnets, where it is a board on a screen."""


@dataclass(frozen=True, slots=True)
class Start:
    """Where pieces stand before the first move, and what each of those squares then reads."""

    rules: RuleSet
    armies: Mapping[Seat, tuple[str, ...]]
    readings: Mapping[str, Reading]


@dataclass(frozen=True, slots=True)
class BoardChoice:
    """Which board is wanted: its URL, and what is said of it besides; None for what it says itself."""

    url: str
    file: str | None = None
    sensing: str | None = None
    rules: str | None = None
    """By which its set-up is known, and a simulated one that has no file; None for the first that fits."""


@contextmanager
def opened(
    choice: BoardChoice, hear: Callable[[News], None], *, full_speed: bool = False, tap: FrameTap | None = None
) -> Iterator[OpenBoard]:
    """Open a board; everything that it says goes to `hear`, its bytes to `tap`.

    A simulated one runs at full speed if asked.

    Raises BadInputError or UnreachableError, also for what goes wrong with the board inside the `with`.
    """
    url = choice.url
    if full_speed and url.startswith("sim:") and "speed=" not in url:
        url += "&speed=max" if "?" in url else "?speed=max"
    try:
        given = _given_file(choice)
        with open_source(url, given or load_board(SIMULATED), tap) as source:
            talk = Talk(source, hear)
            hello = None if isinstance(source, ReplaySource) else talk.hello()
            yield OpenBoard(source, talk, given or _file_of(hello, url), hello, tap)
    except (BoardUrlError, BoardFileError) as error:
        raise BadInputError(str(error)) from error
    except BoardUnreachableError as error:
        raise UnreachableError(str(error)) from error


def board_of_recording(choice: BoardChoice) -> BoardFile:
    """Return the board that a recording is of. Raises `BadInputError`."""
    try:
        file = _given_file(choice)
    except (BoardUrlError, BoardFileError) as error:
        raise BadInputError(str(error)) from error
    assert file is not None  # a recording names its board
    return file


def _given_file(choice: BoardChoice) -> BoardFile | None:
    simulated = is_simulated(choice.url)
    if choice.sensing and not simulated:
        raise BadInputError("--sensing is for simulated boards: a real one tells what its sensors are")
    file = load_board(choice.file) if choice.file else board_in(choice.url)
    if file is None and simulated:
        file = playable_board(rule_set_named(choice.rules)) if choice.rules else load_board(SIMULATED)
    return file.with_sensing(Sensing(choice.sensing)) if file is not None and choice.sensing else file


def playable_board(rules: RuleSet, name: str | None = None) -> BoardFile:
    """Return the board of a name or file, or the first, by name, that a rule set can be played on: one of tiles comes last.

    Raises `BadInputError` where there is none, and `BoardFileError`.
    """
    files = (
        file for file in map(load_board, [name] if name else board_names()) if rules.board.is_sensed_by(file.squares)
    )
    found = min(files, key=lambda file: file.tiles, default=None)
    if found is None:
        which = f"board file {name} lacks" if name else "no board file that ships has"
        raise BadInputError(f"{which} the squares of {rules.board.name}")
    return found


def _file_of(hello: Hello | None, url: str) -> BoardFile:
    assert hello is not None  # a recording names its board
    try:
        return load_board(hello.board_id).with_sensing(Sensing(hello.sensing.name.lower()))
    except BoardFileError:
        raise BadInputError(
            f"board {url} calls itself {hello.board_id!r}, and no board file of that name ships: give its file with --board-file"
        ) from None


def start_of(file: BoardFile, name: str | None) -> Start | None:
    """Return where the armies of a rule set start on this board, by default of the first that fills its zones; None if there is none."""
    if name is not None:
        rules = rule_set_named(name)
        if not rules.board.is_sensed_by(file.squares):
            raise BadInputError(f"rule set {rules.name} is not played on board {file.id}")
        if not rules.filled:
            raise BadInputError(f"rule set {rules.name} leaves squares of its set-up free: take one that fills them")
        return _start(rules, file)
    fitting = (
        rules for rules in map(rule_set, rule_set_names()) if rules.filled and rules.board.is_sensed_by(file.squares)
    )
    rules_found = next(fitting, None)
    return _start(rules_found, file) if rules_found else None


def _start(rules: RuleSet, file: BoardFile) -> Start:
    armies = {seat: tuple(square.name for square in rules.zone(seat)) for seat in rules.seats}
    colour = file.sensing is Sensing.COLOUR
    readings = {
        square: POLES[seat] if colour else Reading.RED for seat, squares in armies.items() for square in squares
    }
    return Start(rules, armies, readings)


class SimulatedHands:
    """Does on a simulated board what a maker is asked to do on a real one."""

    def __init__(self, source: SimSource, talk: Talk) -> None:
        self._source = source
        self._talk = talk

    def clear(self) -> None:
        """Take every piece off."""
        self._do({"motion": "clear"})

    def set_up(self, start: Start) -> None:
        """Set down every army."""
        for seat, squares in start.armies.items():
            self._do({"motion": "place", "seat": seat.value, "squares": list(squares)})

    def put(self, seat: str, square: str) -> None:
        """Set one piece down."""
        self._do({"motion": "put", "seat": seat, "square": square})

    def begin_set_up(self, start: Start) -> None:
        """Let the hands begin to set down every army, and do not wait for them."""
        for seat, squares in start.armies.items():
            self._source.wish({"motion": "place", "seat": seat.value, "squares": list(squares)})

    def _do(self, motion: Mapping[str, Any]) -> None:
        number = self._source.wish(motion)
        while True:
            for answer in self._source.answers():
                if "error" in answer:
                    raise UnreachableError(f"the simulated board: {answer['error']}")
                if answer["done"] == number:
                    return
            if self._talk.wait(_PATIENCE_S, other=self._source.answers_fileno()) is WaitEnd.NOTHING:
                raise UnreachableError("the simulated board moves no hand")


@contextmanager
def examined(
    choice: BoardChoice, wanted: Expected | None, *, live: bool, tiles: int | None = None
) -> Iterator[Examination]:
    """Open a board, to be looked at (`live`: while somebody does) as one on which `wanted` stands, of which so many `tiles` are there.

    On a simulated one hands set up both armies, unless it should be empty. Raises what `opened` does.
    """
    early: list[News] = []
    hearers = [early.append]
    with opened(choice, lambda news: hearers[-1](news), full_speed=not live) as board:
        start = start_of(board.file, choice.rules)
        if tiles is not None and not board.file.tiles:
            raise BadInputError(f"--tiles: {board.file.id} is not made of tiles")
        absent = frozenset[str]() if tiles is None else board.file.beyond_tiles(tiles)
        checkup = Checkup(board.file, start.readings if start else {}, wanted, absent)
        for news in early:
            checkup.hear(news)
        hearers.append(checkup.hear)
        if isinstance(board.source, SimSource) and start is not None and wanted is not Expected.EMPTY:
            hands = SimulatedHands(board.source, board.talk)
            if live:
                hands.begin_set_up(start)
            else:
                hands.set_up(start)
        yield Examination(choice.url, board.source, board.talk, checkup)
