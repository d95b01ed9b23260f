"""`python -m tests.forget_attack [--every N] [--folder DIR]`: forget players, break off at each step, look for what is left.

Exit 1 if a name, a rank that not everybody was shown, or a key is found anywhere, or if what has to stay is gone.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.forget_attack.attack import WRITES, Before, complaints, counted, forget
from tests.forget_attack.games import Played, copied, play
from tests.forget_attack.station import EVENTS_FILE, filled, forgotten
from tests.thief.games import record
from tests.tournament.conftest import postgres_server

GAMES: list[tuple[dict[str, str], str, tuple[str, ...]]] = [
    ({"red": "Anna", "blue": "Bram"}, "enrol", ()),
    ({"red": "Annabel", "blue": "ANNA"}, "declare", ("--frame-log",)),
    ({"red": "Anna", "blue": "Anna"}, "enrol", ("--keep-keys",)),
    ({"red": "Zoe\u0308 O\u2019Brien", "blue": "\u674e\u5c0f\u9f99"}, "enrol", ()),
    ({"red": "Zo\u00eb O\u2019Brien", "blue": "Bram"}, "declare", ()),
    ({"red": "\u0639\u0645\u0631 \u202a\u0628\u202c", "blue": 'A"n\\a = red # [plies]'}, "declare", ()),
    ({"red": "red", "blue": "\U0001f469\u200d\U0001f680 stra\u00dfe"}, "declare", ()),
]
"""Who plays, how ranks are told, and further arguments of the table."""


def made(at: Path) -> list[Played]:
    """Play all games at one table, or take those that an earlier call has played."""
    kept = at / "played.json"
    if kept.exists():
        return [
            Played(one["folder"], one["names"], secrets={k: bytes.fromhex(v) for k, v in one["secrets"].items()})
            for one in json.loads(kept.read_text())
        ]
    games = []
    for names, mode, more in GAMES:
        games.append(play(at, names, mode, *more))
        print(f"played: {names}", flush=True)
    told = [
        {"folder": g.folder, "names": g.names, "secrets": {k: v.hex() for k, v in g.secrets.items()}} for g in games
    ]
    kept.write_text(json.dumps(told))
    return games


def each_name(at: Path, before: Before, games: list[Played]) -> Iterator[tuple[str, list[str]]]:
    """Yield what is left of each player after he was forgotten, and after that was done once more."""
    for name in dict.fromkeys(called for game in games for called in game.names.values()):
        state = copied(at / "table", at / "copy")
        done = forget(name, state)
        wrong = complaints(state, before, name) if done.returncode == 0 else [f"exit {done.returncode}: {done.stderr}"]
        if done.returncode == 0 and counted(done, ["games"]) != [len(before.played(name))]:
            wrong.append(f"it says {done.stdout}")
        again = forget(name, state)
        if again.returncode or any(counted(again)):
            wrong.append(f"again: {again.stdout}{again.stderr}")
        yield f"forget {name!r}", wrong
    state = copied(at / "table", at / "copy")
    wrong = []
    for name in dict.fromkeys(called for game in games for called in game.names.values()):
        wrong += [done.stderr for done in [forget(name, state)] if done.returncode]
    yield (
        "everybody, one after the other",
        wrong
        + [
            what
            for name in ("Anna", "Bram")
            for what in complaints(state, before, name)
            if "gone, too" not in what and "another" not in what
        ],
    )


def strange_names(at: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield what comes of names that nobody can have; nothing may change."""
    for name in (
        "",
        " ",
        "\u200b",
        "nobody",
        "A" * 120_000,
        "Ann",
        "nna",
        ".*",
        "%",
        "../games",
        "#7",
        "player.red = Anna",
    ):
        state = copied(at / "table", at / "copy")
        before = {path: path.read_bytes() for path in state.rglob("*") if path.is_file()}
        done = forget(name, state)
        after = {path: path.read_bytes() for path in state.rglob("*") if path.is_file()}
        wrong = [] if before == after else [f"changed: {sorted(str(p) for p in before if before[p] != after.get(p))}"]
        if done.returncode not in (0, 2) or len(done.stderr.splitlines()) > 1:
            wrong.append(f"exit {done.returncode}: {done.stderr[:300]}")
        yield f"forget {name[:20]!r} of {len(name)}", wrong


def beside(at: Path, before: Before) -> Iterator[tuple[str, list[str]]]:
    """Yield what comes of copies that lie in the state folder itself: what cannot be taken out has to be said, by exit code and file."""

    def export(state: Path, folder: Path) -> None:
        (folder / "mine.txt").write_text(
            record("export", state / "games" / before.games[0].folder, "--view", "red", "--handset", at / "none").stdout
            or "player.red = Anna\n"
        )

    def whole(state: Path, folder: Path) -> None:
        shutil.copytree(state / "games" / before.games[0].folder, folder / "copy-of-a-game")

    def saved(state: Path, folder: Path) -> None:
        shutil.copytree(state / "games" / before.games[0].folder, state / "games" / f"{before.games[0].folder}-saved1")

    def broken_off(state: Path, folder: Path) -> None:
        (state / "games" / before.games[0].folder / "game.record.tmp").write_text("player.red = Anna\n")

    def linked(state: Path, folder: Path) -> None:
        game = state / "games" / before.games[0].folder
        outside = state.parent / "elsewhere"
        shutil.rmtree(outside, ignore_errors=True)
        shutil.move(game, outside)
        os.symlink(outside, game)

    def no_list(state: Path, folder: Path) -> None:
        (state / "table.json.tmp").write_text('{"names": {"red": "Anna"}}')

    ways: list[Callable[[Path, Path], None]] = [export, whole, saved, broken_off, linked, no_list]
    for way in ways:
        for inside in ("", "games"):
            state = copied(at / "table", at / "copy")
            way(state, state / inside)
            done = forget("Anna", state)
            wanted = ("name",) if done.returncode else ("name", "a guess")
            wrong = [what for what in complaints(state, before, "Anna") if what.startswith(wanted)]
            said = done.stdout + done.stderr
            wrong = [what for what in wrong if done.returncode == 0 or what.split()[-1].split("/")[-1] not in said]
            yield f"{way.__name__} in {inside or 'the folder'}: exit {done.returncode}", wrong


def through_links(at: Path, before: Before) -> Iterator[tuple[str, list[str]]]:
    """Yield what comes of a state folder, or its `games`, that is reached by a symbolic link."""
    state = copied(at / "table", at / "copy")
    link = at / "link"
    link.unlink(missing_ok=True)
    link.symlink_to(state)
    done = forget("Anna", link)
    yield "a linked state folder", complaints(state, before, "Anna") + ([done.stderr] if done.returncode else [])
    state = copied(at / "table", at / "copy")
    shutil.rmtree(at / "games-elsewhere", ignore_errors=True)
    shutil.move(state / "games", at / "games-elsewhere")
    (state / "games").symlink_to(at / "games-elsewhere")
    done = forget("Anna", state)
    yield "games on another disk", complaints(state, before, "Anna") + ([done.stderr] if done.returncode else [])


def broken_off(at: Path, before: Before, name: str, every: int, way: str) -> Iterator[tuple[str, list[str]]]:
    """Yield what comes of it when it is killed, or the disk is full, at each step, and it is called again."""
    for call in WRITES if way == "kill" else ("write", "pwrite64", "ftruncate", "openat"):
        when = 1
        while True:
            state = copied(at / "table", at / "copy")
            done = forget(name, state, **{way: f"{call}:{when}"})
            if way == "kill" and done.returncode == 0:
                break
            wrong = []
            if way == "full" and call == "openat" and when > 3:
                break
            if way == "full" and done.returncode == 0:
                wrong = complaints(state, before, name)
                yield f"{way} {call} {when}: nothing of it", wrong
                break
            again = forget(name, state)
            wrong = complaints(state, before, name)
            if again.returncode:
                wrong.append(f"again: exit {again.returncode}: {again.stderr}")
            # with `write` the line that would say so cannot be written, either
            if way == "full" and (done.returncode < 1 or len(done.stderr.splitlines()) != (call != "write")):
                wrong.append(f"full: exit {done.returncode}: {done.stderr[-400:]}")
            yield f"{way} {call} {when}", wrong
            when += every


def in_a_hall(at: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield what is left of players of a station's events: in a file of SQLite, and in the files of a PostgreSQL server."""
    folder = at / "station"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    filled(str(folder / EVENTS_FILE), at)
    yield from forgotten(str(folder / EVENTS_FILE), folder, str(folder))
    with postgres_server() as url:
        filled(url, at)
        yield from forgotten(url, Path(url.partition("host=")[2]) / "data", url)


def main(argv: list[str] | None = None) -> int:
    """Attack; print what is wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.forget_attack")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="break off at every N-th step only")
    parser.add_argument("--folder", type=Path, help="where the games are played, or were by an earlier call")
    parser.add_argument("--only", default="", help="some of: names strange beside hall links kill full")
    args = parser.parse_args(argv)
    with tempfile.TemporaryDirectory() as temporary:
        at = args.folder or Path(temporary)
        at.mkdir(exist_ok=True)
        games = made(at)
        before = Before.of(at / "table", games)
        attacks = {
            "names": lambda: each_name(at, before, games),
            "strange": lambda: strange_names(at),
            "beside": lambda: beside(at, before),
            "hall": lambda: in_a_hall(at),
            "links": lambda: through_links(at, before),
            "kill": lambda: broken_off(at, before, "Anna", args.every, "kill"),
            "full": lambda: broken_off(at, before, "Anna", args.every, "full"),
        }
        tried = bad = 0
        for word in args.only.split() or attacks:
            for what, wrong in attacks[word]():
                tried, bad = tried + 1, bad + bool(wrong)
                print(f"{what}: {wrong or 'well'}", flush=True)
    print(f"{tried} attacks, {bad} with something wrong")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
