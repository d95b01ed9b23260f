"""What every bench uses: argument types, percentiles, the machine and what its host took from it, figures in a page of the documents."""

from __future__ import annotations

import argparse
import math
import os
import platform
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import IO, Self

from referee.runtime.errors import BadInputError

_STAT = Path("/proc/stat")
_STEAL = 8


def above_zero(text: str) -> int:
    """Return a count of at least one. Raises `argparse.ArgumentTypeError`."""
    number = int(text)
    if number <= 0:
        raise argparse.ArgumentTypeError("must be above zero")
    return number


def percentile(values: Sequence[float], share: float) -> float:
    """Return the least of the values that at least this share of them does not exceed (nearest rank)."""
    return sorted(values)[max(1, math.ceil(share * len(values))) - 1]


def percentiles(values: Sequence[float], **shares: float) -> dict[str, float]:
    """Return, under each name, what at least this share of the values does not exceed, to a tenth."""
    return {name: round(percentile(values, share), 1) for name, share in shares.items()}


def machine() -> str:
    """Return the machine in words: its model or processor, cores, system and Python."""
    return f"{_processor()}, {os.cpu_count()} cores, {platform.system()} {platform.machine()}, Python {platform.python_version()}"


def _processor() -> str:
    for path, marker in (("/proc/device-tree/model", ""), ("/proc/cpuinfo", "model name")):
        try:
            lines = Path(path).read_text(encoding="utf-8", errors="replace").split("\n")
        except OSError:
            continue
        for line in lines:
            if line.startswith(marker) and line.strip("\0 "):
                return line.split(":")[-1].strip("\0 ")
    return platform.processor() or "unknown processor"


class StolenTime:
    """The time since this was made that the host of a virtual machine took away: this machine did not run during it.

    Linux counts it as `steal` in `/proc/stat` (proc(5)), in steps of 10 ms; on a machine of one's own it stays 0.
    """

    def __init__(self) -> None:
        self._stolen_ms, self._began_s = _stolen_ms(), time.monotonic()

    def ms(self) -> int:
        """Return the milliseconds that were taken away since then, summed over the processors."""
        return _stolen_ms() - self._stolen_ms

    def percent(self) -> float:
        """Return their share of all the time that the processors had since then."""
        had_ms = (time.monotonic() - self._began_s) * 1000 * (os.cpu_count() or 1)
        return round(100 * self.ms() / max(1.0, had_ms), 1)


def _stolen_ms() -> int:
    """Return the milliseconds since the machine's start, summed over the processors; 0 where they are not counted."""
    try:
        with _STAT.open() as lines:
            fields = lines.readline().split()
    except OSError:
        return 0
    return int(fields[_STEAL]) * 1000 // os.sysconf("SC_CLK_TCK") if len(fields) > _STEAL else 0


def spent(pid: int) -> tuple[float, int]:
    """Return the seconds of processor time that a process has taken so far, and the bytes that it holds in memory now (proc(5))."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    ticks, pages = int(fields[11]) + int(fields[12]), int(fields[21])
    return ticks / os.sysconf("SC_CLK_TCK"), pages * os.sysconf("SC_PAGE_SIZE")


def held(pid: int) -> int:
    """Return the bytes of memory that are a process's own share: what several have in common is divided among them (proc(5), `Pss`)."""
    text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    return int(text.partition("\nPss:")[2].split()[0]) * 1024


class LineProcess:
    """A program of ours, `python -m` these words, that takes and prints lines. A context; leaving it ends the program.

    `output` is a file for what it prints: such a program is not heard, nor what it says on its standard error.
    """

    def __init__(self, *words: str, output: IO[str] | None = None) -> None:
        self.process = subprocess.Popen(  # noqa: S603  # our own modules, by their names
            [sys.executable, "-m", *words],
            stdin=subprocess.PIPE,
            stdout=output or subprocess.PIPE,
            stderr=subprocess.DEVNULL if output else None,
            text=True,
        )

    def say(self, line: str) -> None:
        """Send one line."""
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def hear(self) -> str:
        """Return the next line that it prints; empty once it has ended."""
        assert self.process.stdout is not None
        return self.process.stdout.readline()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with self.process:  # closes the pipes: most programs end with the one that they read
            self.process.terminate()


def add_page(parser: argparse.ArgumentParser) -> None:
    """Add `--page`: a page written by hand, with a place for the figures between two marks that carry a name."""
    parser.add_argument("--page", type=Path, metavar="FILE", help="put the figures into this page")


def look_for_block(page: Path | None, *names: str) -> None:
    """Raise `BadInputError` for a page without the marks of these names: said before anything is measured, not after."""
    if page is not None:
        for name in names:
            _block(page, name)


def put_block(page: Path | None, name: str, text: str) -> None:
    """Replace what stands between the marks of this name. Raises `BadInputError`, as `look_for_block` does."""
    if page is not None:
        before, _, after = _block(page, name)
        page.write_text(f"{before}\n{text}\n{after}", encoding="utf-8")


def put_line(page: Path | None, name: str, begin: str, rest: str) -> None:
    """Replace the line between the marks that begins with `begin`, or add it as the last one."""
    if page is not None:
        lines = _block(page, name)[1].strip("\n").split("\n")
        at = next((at for at, line in enumerate(lines) if line.startswith(begin)), len(lines))
        put_block(page, name, "\n".join([*lines[:at], begin + rest, *lines[at + 1 :]]))


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a Markdown table."""
    return "\n".join([_row(head), "|" + "---|" * len(head), *map(_row, rows)])


def figure_table(figures: Mapping[str, object]) -> str:
    """Return all figures of a bench as a Markdown table, one a row."""
    return table(("figure", ""), ((name.replace("_", " "), _cell(figure)) for name, figure in figures.items()))


def judged(text: object, *, met: bool) -> str:
    """Return a figure for a page: bold where it misses its target."""
    return str(text) if met else f"**{text}**"


def _cell(figure: object) -> str:
    if isinstance(figure, Mapping):
        return ", ".join(f"{name} {count}" for name, count in figure.items())
    if isinstance(figure, list):
        return ", ".join(map(str, figure)) or "none"
    return "not measured" if figure is None else str(figure)


def _row(cells: Sequence[object]) -> str:
    return "| " + " | ".join(map(str, cells)) + " |"


def _block(page: Path, name: str) -> tuple[str, str, str]:
    """Return a page in three parts: up to the first mark and with it, between the marks, from the second one on."""
    begin, end = f"<!-- {name} -->", f"<!-- /{name} -->"
    try:
        before, found, rest = page.read_text(encoding="utf-8").partition(begin)
    except (OSError, UnicodeDecodeError):
        raise BadInputError(f"{page}: no page can be read") from None
    between, closed, after = rest.partition(end)
    if not found or not closed:
        raise BadInputError(f"{page} has no place marked {begin} ... {end}")
    return before + begin, between, end + after
