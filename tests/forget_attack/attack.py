"""What must be so after `hallmarshal record forget`, from docs/how-to/forget-a-player.md, commitments.md and journal.md alone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

from referee.cli.main import main
from tests.demo.running import ROOT
from tests.forget_attack.games import Played
from tests.forget_attack.search import confirmed, left, written
from tests.thief.card import files, found, set_up

KEPT = ("plies", "corrections", "result", "chain", "signatures")
"""What of a record has to stay word for word."""
SEATS = ("red", "blue", "green", "yellow")
WRITES = ("write", "pwrite64", "fsync", "fdatasync", "ftruncate", "rename", "unlink", "unlinkat", "rmdir")
"""Where the power may go: each system call that changes a disk."""


def here(*words: str) -> subprocess.CompletedProcess[str]:
    """Run a command in this process, without the second that a start takes."""
    told, said = StringIO(), StringIO()
    with redirect_stdout(told), redirect_stderr(said):
        code = main(list(words))
    return subprocess.CompletedProcess(words, code, told.getvalue(), said.getvalue())


def forget(name: str, place: object, *, kill: str = "", full: str = "") -> subprocess.CompletedProcess[str]:
    """Run the command; `kill` and `full` are a system call and the how-manieth, at which it is killed or the disk is full from then on."""
    if not kill and not full:
        return here("record", "forget", name, str(place), "--json")
    command = [sys.executable, "-m", "referee.cli.main", "record", "forget", name, str(place), "--json"]
    call, _, when = (kill or full).partition(":")
    how = f"signal=SIGKILL:when={when}" if kill else f"error=ENOSPC:when={when}+"
    calls = f"trace={call}", f"inject={call}:{how}"
    command = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", calls[0], "-e", calls[1], *command]
    quiet = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(command, cwd=ROOT, env=quiet, capture_output=True, text=True, check=False)


def sections(text: str) -> dict[str, list[str]]:
    """Return the lines of a record by section."""
    parts: dict[str, list[str]] = {"": []}
    name = ""
    for line in text.splitlines():
        if line.startswith("[") and line.endswith("]"):
            name = line[1:-1]
            parts[name] = []
        elif line.strip():
            parts[name].append(line)
    return parts


@dataclass
class Before:
    """A state folder as it was before anybody was forgotten."""

    games: list[Played]
    records: dict[str, str]
    """What everybody knew of each game."""
    bytes: dict[str, bytes]

    @classmethod
    def of(cls, state: Path, games: list[Played]) -> Before:
        """Return what is to be compared with."""
        told = {
            game.folder: here("record", "export", str(state / "games" / game.folder), "--view", "public")
            for game in games
        }
        assert all(done.returncode == 0 for done in told.values()), told
        return cls(games, {name: done.stdout for name, done in told.items()}, dict(files(state)))

    def played(self, name: str) -> list[Played]:
        """Return the games in which somebody of that name played."""
        forms = written(name)
        return [game for game in self.games if any(called in forms for called in game.names.values())]


def audited(folder: Path) -> list[str]:
    """Return what an audit finds wrong with what is left of a game."""
    file = folder / "journal.sqlite"
    done = here("record", "audit", str(file if file.exists() else folder / "game.record"), "--json")
    return [] if done.returncode == 0 and json.loads(done.stdout)["holds"] else [f"audit: {done.stdout}{done.stderr}"]


def shown_by(seats: Sequence[str], public: str, archived: str) -> str:
    """Return a ply as the archive may tell it when these seats let their ranks be shown; an attack ends ATTACKER DEFENDER VERDICT."""
    told, kept = public.split(), archived.split()
    if len(told) == 6 and any(seat == told[1] for seat in seats):
        told[3] = kept[3]
    if len(told) == 6 and any(seat != told[1] for seat in seats):
        told[4] = kept[4]
    return " ".join(told)


def of_his_game(state: Path, before: Before, game: Played, name: str) -> list[str]:
    """Return what is wrong with what is left of a game of somebody who was forgotten."""
    folder, wrong = state / "games" / game.folder, []
    rest = sorted(path.name for path in folder.iterdir())
    if rest != ["game.record"]:
        wrong.append(f"its folder holds {rest}")
    text = (folder / "game.record").read_text()
    now, then = sections(text), sections(before.records[game.folder])
    archived = before.bytes[f"games/{game.folder}/game.record"].decode()
    stay = [seat for seat, called in game.names.items() if called not in written(name)]
    then["plies"] = [shown_by(stay, *two) for two in zip(then["plies"], sections(archived)["plies"], strict=True)]
    wrong += [f"[{part}] is another" for part in KEPT if now.get(part) != then.get(part)]
    for seat, called in game.names.items():
        gone = called in written(name)
        if gone and any(line.startswith((f"player.{seat} ", f"salt.{seat} ", f"seed.{seat} ")) for line in now["game"]):
            wrong.append(f"{seat}'s name, salt or seed is left")
        if not gone and f"player.{seat} = {called}" not in now["game"]:
            wrong.append(f"{called} is gone, too")
        shown, public = set_up(text, seat), set_up(before.records[game.folder], seat)
        told = {square for square, rank in shown.items() if rank != "?"} - {
            q for q, rank in public.items() if rank != "?"
        }
        if gone and told:
            wrong.append(f"{seat}'s ranks are left: {sorted(told)}")
        if not gone and shown != set_up(archived, seat):
            wrong.append(f"what {called} lets be shown is another")
        if any(shown.get(square) != rank for square, rank in public.items() if rank != "?"):
            wrong.append(f"{seat}'s captured ranks are gone")
    return [f"{game.folder}: {what}" for what in wrong + audited(folder)]


def complaints(state: Path, before: Before, name: str) -> list[str]:
    """Return everything that is not as it has to be once `name` is forgotten."""
    his = before.played(name)
    others = frozenset(called for game in before.games for called in game.names.values() if called not in written(name))
    searched = [] if name in SEATS else left(state, name, others)  # every record has the words of its seats
    wrong = [f"name left in {where}" for where in searched]
    wrong += [f"a guess is confirmed in {where}" for where in confirmed(state, name)]
    for game in his:
        wrong += of_his_game(state, before, game, name)
        # who stays may have let his set-up be shown, and with it its seed
        gone = {of: secret for of, secret in game.secrets.items() if game.names.get(of, name) in written(name)}
        wrong += found(state, gone)
    for game in before.games:
        if game in his:
            continue
        wrong += audited(state / "games" / game.folder)
        now = dict(files(state / "games" / game.folder))
        then = {at: held for at, held in before.bytes.items() if at.startswith(f"games/{game.folder}/")}
        if {f"games/{game.folder}/{at}": held for at, held in now.items()} != then:
            wrong.append(f"{game.folder} was not his, and is another")
    return wrong


def counted(
    done: subprocess.CompletedProcess[str], keys: Sequence[str] = ("games", "names", "ranks", "files")
) -> list[int]:
    """Return the numbers that the command prints; of games their folders are told."""
    told = json.loads(done.stdout)
    return [len(told[key]) if key == "games" else int(told[key]) for key in keys]
