"""Plays one demo or a series of them, shows what happens, and says at the end how it went."""

from __future__ import annotations

import asyncio
import json
import signal

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table as Grid
from rich.text import Text

from hardware import BoardFile, BoardFileError, Sensing, board_names, load_board
from referee.demo.errors import DemoInputError
from referee.demo.game_run import GameRun, Watch
from referee.demo.options import DemoOptions
from referee.demo.report import GameReport, document, summary
from referee.terminal import LiveBoard, Paper, TerminalConsole

_PI_PARTS = {Sensing.OCCUPANCY: "matrix", Sensing.COLOUR: "mcp3008"}
_BUILDS = {Sensing.OCCUPANCY: "digital", Sensing.COLOUR: "colour"}
"""Which board file is built of which parts."""


def play_series(options: DemoOptions, *, as_json: bool) -> int:
    """Play, print the outcome, give the exit code 0. Raises `DemoError`."""
    board = board_for(options)
    out = Paper()
    if as_json or options.kiosk or not out.is_terminal:
        games = _play_all(options, board, TerminalConsole(stderr=True), quiet=as_json and options.games == 1)
    elif options.games > 1:
        games = _play_all(options, board, TerminalConsole(stderr=True), quiet=False)
    else:
        with LiveBoard(out, options.language) as live:
            games = [_run(options, board, live.show)]
    if as_json:
        print(json.dumps(document(options.rules.name, games, series=options.games > 1)))
    else:
        _say_how_it_went(out, options, games)
    return 0


def board_for(options: DemoOptions) -> BoardFile:
    """Return the first board file, by name, that the rule set can be played on. Raises `DemoInputError`."""
    rules = options.rules
    board = next((file for file in map(load_board, board_names()) if rules.board.is_sensed_by(file.squares)), None)
    if board is None:
        raise DemoInputError(f"no board file that ships has the squares of {rules.board.name}")
    sensing = board.sensing if options.sensing is None else Sensing(options.sensing)
    if options.board == "gpio":
        wired = f"{board.id.partition('-')[0]}-pi-{_PI_PARTS[sensing]}"
    elif options.board == "sim" or sensing is board.sensing:
        return board.with_sensing(sensing)
    else:
        wired = f"{board.id}-{_BUILDS[sensing]}"  # the firmware is built for other sensors: a board file of its own
    try:
        return load_board(wired)
    except BoardFileError as error:
        raise DemoInputError(f"--board {options.board}: {error}") from error


def _play_all(options: DemoOptions, board: BoardFile, err: TerminalConsole, *, quiet: bool) -> list[GameReport]:
    def watch_nothing(*_: object) -> None:
        pass

    if options.games == 1:
        if not quiet:
            err.print(Text(f"Playing {options.rules.name} with seed {options.seed} ..."))
        return [_run(options, board, watch_nothing)]
    games: list[GameReport] = []
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=err) as progress:
        task = progress.add_task("Games", total=options.games)
        for index in range(options.games):
            games.append(_run(options.numbered(index), board, watch_nothing))
            progress.advance(task)
    return games


def _run(options: DemoOptions, board: BoardFile, watch: Watch) -> GameReport:
    """Run one game on a loop of its own; Ctrl-C and a termination signal stop all parts in order."""

    async def guarded() -> GameReport:
        task = asyncio.current_task()
        assert task is not None
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
        return await GameRun(options, board, watch).play()

    try:
        return asyncio.run(guarded())
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None


def _say_how_it_went(out: TerminalConsole, options: DemoOptions, games: list[GameReport]) -> None:
    grid = Grid.grid(padding=(0, 2))
    for label, text in [*summary(options.rules.name, games), ("Seed", str(options.seed))]:
        grid.add_row(Text(label, "bold"), text)
    out.print(grid)
