"""A computer's process that keeps dying, and a machine on which it cannot be kept from the table's files: one line for each."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path

import pytest

from referee.rules.library import house_files
from referee.rules.values import Seat
from referee.runtime import computer_processes, confinement
from referee.runtime.computer_processes import ComputerProcesses
from tests.demo.running import ROOT
from tests.patience import PATIENCE_S

pytestmark = pytest.mark.process


_GONE = """#!/bin/sh
for last; do :; done
[ "$last" = true ] || rm "$0"
"""
"""Lets itself be tried out, and is removed when it shall keep something apart."""


def until_given_up(state: Path) -> tuple[list[str], list[Seat]]:
    """Return what is said until the computer is left alone, and the links that were made for it."""
    notes, links = list[str](), list[Seat]()

    def invite(seat: Seat) -> str:
        links.append(seat)
        return "http://127.0.0.1:1/join#x"

    async def play() -> None:
        given_up = asyncio.Event()

        def note(text: str) -> None:
            notes.append(text)
            if "keeps ending" in text:
                given_up.set()

        computers = ComputerProcesses(state, "duel", invite, note)
        await computers.start(Seat.BLUE)
        await asyncio.wait_for(given_up.wait(), PATIENCE_S)
        await computers.close()

    asyncio.run(play())
    assert ["it is started again" in text for text in notes[-4:]] == [True, True, True, False]
    assert notes[-1].endswith("start the table again, or `pair blue` for somebody else")
    return notes, links


def test_it_is_started_again_three_times(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each time with a new link; then it is left alone, and the last line says what helps."""
    monkeypatch.setattr(computer_processes, "MODULE", "referee.no_such_module")
    monkeypatch.setenv("PATH", "")  # where bubblewrap would be looked for
    notes, links = until_given_up(tmp_path)
    assert notes[0].startswith(
        "blue's computer is not kept from this table's files: bubblewrap (bwrap) is not installed"
    )
    assert links == [Seat.BLUE] * 4


def test_one_that_cannot_be_started_again_is_not_silent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What kept it apart is there no more: that counts like a death."""
    (program := tmp_path / "bwrap").write_text(_GONE)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    notes, links = until_given_up(tmp_path)
    assert not program.exists()
    assert notes[1] == "blue's computer cannot be started (No such file or directory); it is started again"
    assert links == [Seat.BLUE]


def test_a_bubblewrap_that_may_not_be_used_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With its own first words, as on a system that gives no namespaces to users."""
    (program := tmp_path / "bwrap").write_text("#!/bin/sh\necho 'bwrap: No permissions' >&2\necho more >&2\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    why = "bubblewrap may not be used on this system: bwrap: No permissions"
    assert confinement.apart_from(tmp_path) == confinement.Confinement(missing=why)


@pytest.mark.parametrize("reached", ["usr/lib/state", "lib/state", "link"])
def test_a_state_folder_among_what_it_may_see_is_hidden(
    reached: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By whatever name: below the system's folders, where one is a link to another, by a link; and what links in it lead to."""
    system = tmp_path / "usr", tmp_path / "lib"
    state, games = tmp_path / "usr/lib/state", tmp_path / "usr/games"
    for folder in (state, games):
        folder.mkdir(parents=True)
        (folder / "hidden").touch()
    (tmp_path / "usr/lib/shown").touch()
    (tmp_path / "lib").symlink_to("usr/lib")
    (tmp_path / "link").symlink_to(state)
    (state / "games").symlink_to(games)
    monkeypatch.setattr(confinement, "_SYSTEM", (*confinement._SYSTEM, *map(str, system)))
    apart = confinement.apart_from(tmp_path / reached)
    assert apart.missing == ""
    look = "import sys, pathlib; print(*sorted(p.name for p in pathlib.Path(sys.argv[1]).rglob('*') if p.is_file()))"
    done = subprocess.run([*apart.command, sys.executable, "-c", look, str(tmp_path)], capture_output=True, check=True)
    assert done.stdout.split() == [b"shown", b"shown"]


@pytest.mark.parametrize(
    ("wish", "said", "code"),
    [
        ('{"join": "x", "rules": "duel"}', "link-unreadable", 3),
        ('{"join": "x", "rules": "nonesuch.toml"}', "nonesuch.toml: file: No such file or directory", 2),
        ("marshal", "a fault of the program: JSONDecodeError in json.decoder", 1),
    ],
)
def test_what_ends_it_is_one_line(wish: str, said: str, code: int) -> None:
    """No traceback, and of a fault of its own nothing of what it read."""
    command = [sys.executable, "-m", computer_processes.MODULE]
    done = subprocess.run(command, input=wish + "\n", capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.partition(", line")[0].strip(), done.stderr.count("\n")) == (code, said, 1)


def test_apart_it_reads_a_rule_set_of_the_house_and_its_board(tmp_path: Path) -> None:
    """Both files, and nothing beside them: it comes as far as to its link."""
    (tmp_path / "board.toml").write_bytes((ROOT / "referee/rules/data/boards/10x10.toml").read_bytes())
    (tmp_path / "house.toml").write_text('base = "duel"\nname = "house"\nsource = "made up"\nboard = "board.toml"\n')
    (tmp_path / "beside.toml").touch()
    files = house_files(tmp_path / "house.toml")
    assert [file.name for file in files] == ["house.toml", "board.toml"]
    apart, wish = confinement.apart_from(tmp_path / "state", *files), {"join": "x", "rules": str(files[0])}
    assert apart.missing == ""
    done = subprocess.run(
        [*apart.command, sys.executable, "-m", computer_processes.MODULE],
        env=confinement.bare_environment(),
        input=json.dumps(wish) + "\n",
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr.strip()) == (3, "link-unreadable")
