"""`python -m tests.thief [--kills N] [--ways N]`: pull the plug around the end of a game and the start of the next one, read the card.

`--ways` takes each of the other ways (`tests/thief/ways.py`) so often, and reads the card block by block (as root).

Exit 1 if a game has neither key nor owners' file, if a key was left, or found anywhere, or if a folder is not audited any more.
"""

from __future__ import annotations

import argparse
import random
import signal
import sys
import tempfile
import time
from pathlib import Path

from tests.thief.card import boxes, found, key_of, opened
from tests.thief.games import WithKeys, record
from tests.thief.ways import WAYS, tried

MOMENTS = ("quit", "term", "rematch", "end")


def kept(game: Path, key: bytes, own: dict[str, bytes]) -> list[str]:
    """Return what is lost of a game that is over."""
    file, owners = game / "journal.key", game / "journal.owners"
    whole = file.exists() and file.stat().st_size > 0 and key_of(file.read_text("ascii")) == key
    lost = []
    if not whole and not owners.exists():
        lost.append("neither key nor owners")
    if owners.exists():
        for seat, secret in own.items():
            views = opened(boxes(owners), secret)
            if [f"view = {seat}" in view for view in views] != [True]:
                lost.append(f"{seat} opens {len(views)} boxes")
    audit = record("audit", game / "journal.sqlite", *([] if whole else ["--handset", game.parents[2] / "red.key"]))
    if audit.returncode:
        lost.append(f"audit: {audit.stdout[-300:]} {audit.stderr}")
    return lost


def pulled(at: Path, moment: str, after_s: float, mode: str) -> list[str]:
    """Return what is wrong after the plug was pulled so long after a moment, and when the table was started again."""
    with WithKeys(at, "duel", "--mode", mode) as table:
        seeds, key, game = table.to_its_end("flag" if moment == "end" else "resign")
        own = {seat: key_of((at / f"{seat}.key").read_text("ascii")) for seat in ("red", "blue")}
        table.rest()
        if moment == "quit":
            table.table.send("quit")
        elif moment == "term":
            table.table.process.send_signal(signal.SIGTERM)
        elif moment == "rematch":
            table.table.send("rematch red")
            table.table.send("rematch blue")
        time.sleep(after_s)
        table.table.process.kill()
        table.table.wait()
        wrong = [f"killed: {what}" for what in kept(game, key, own)]
        table.start_again()
        wrong += [f"started again: {what}" for what in kept(game, key, own)]
        table.table.end(signal.SIGTERM)
        wrong += [f"ended: {what}" for what in kept(game, key, own)]
        secrets = {"key": key} | {f"{seat}'s seed": seed for seat, seed in seeds.items()}
        wrong += [f"ended: {what}" for what in found(at / "table", secrets | own)]
        return wrong


def main(argv: list[str] | None = None) -> int:
    """Pull the plug; print what is wrong, and how often it was tried."""
    parser = argparse.ArgumentParser(prog="python -m tests.thief")
    parser.add_argument("--kills", type=int, default=100, metavar="N")
    parser.add_argument("--ways", type=int, default=0, metavar="N")
    parser.add_argument("--only", default="", metavar="WORD", help="of the ways those with this word")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args(argv)
    chance, bad = random.Random(args.seed), 0
    for way in [name for name in WAYS if args.only in name] * args.ways:
        with tempfile.TemporaryDirectory() as folder:
            wrong = tried(way, Path(folder), seed := chance.randrange(1 << 30))
        bad += bool(wrong)
        print(f"{way}, seed {seed}: {wrong or 'well'}", flush=True)
    for number in range(args.kills):
        moment, mode = MOMENTS[number % len(MOMENTS)], chance.choice(("enrol", "declare"))
        after_s = chance.uniform(0, 0.4)
        with tempfile.TemporaryDirectory() as folder:
            wrong = pulled(Path(folder), moment, after_s, mode)
        bad += bool(wrong)
        print(f"{number + 1} {mode} {moment} + {after_s * 1000:.0f} ms: {wrong or 'well'}", flush=True)
    print(f"{args.kills} kills, {args.ways} times each way, {bad} with something wrong")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
