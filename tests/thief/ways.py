"""Other ways by which a finished game comes to lie on a card, each tried by `python -m tests.thief --ways N`: all promises hold.

The card is a real ext4 file system in an image, whose blocks are read one by one at the end, those that no file has any more too.
"""

from __future__ import annotations

import random
import signal
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path

from fault_injection.faulty_disk import LoopDisk
from referee.rules.values import Seat
from tests.computer.killed_games import KilledGame
from tests.demo.test_what_goes_wrong import wait_until
from tests.thief.card import boxes, found, key_of, opened, written
from tests.thief.games import WithKeys, record

AS_PUBLIC, CONFIRM_S = "public", 60


class _AgainstTheComputer(WithKeys, KilledGame):  # type: ignore[misc]  # it is never started again, as either does
    """Red's person plays the computer; nothing is killed."""


class Card:
    """A table's card: its state folder, and what may not be found on it once a game is confirmed."""

    def __init__(self, at: Path, stack: ExitStack, disk: bool) -> None:
        """Without `disk` the folder lies where everything does: a log of frames wants more room than an image has."""
        self.at, self.secrets = at, dict[str, bytes]()
        (at / "image").mkdir()
        self.disk = stack.enter_context(LoopDisk(at / "image")) if disk else None
        if self.disk is not None:
            (self.disk.path / "state").mkdir()
            (at / "table").symlink_to(self.disk.path / "state")

    def note(self, game: Path, seeds: Mapping[str, bytes] = {}) -> None:
        """Take note of what the game has for secrets, while it has them."""
        self.secrets |= {f"key of {game.name}": key_of((game / "journal.key").read_text("ascii"))}
        self.secrets |= {f"{seat}'s seed": seed for seat, seed in seeds.items()}

    def wrong(self, *players: str) -> Iterator[str]:
        """Yield what a thief finds, and what an owner does not, now that everything is confirmed and the table has ended."""
        state = self.at / "table"
        own = {seat: key_of((self.at / f"{seat}.key").read_text("ascii")) for seat in players}
        yield from found(state.resolve(), self.secrets | own)
        yield from (
            f"{path} is left" for each in ("journal.key*", "frames-*") for path in state.glob(f"games/*/{each}")
        )
        for owners in state.glob("games/*/journal.owners"):
            for seat, secret in own.items():
                if sum(f"view = {seat}" in view for view in opened(boxes(owners), secret)) != 1:
                    yield f"{owners.parent.name}: {seat} does not open his own view"
        for journal in state.glob("games/*/journal.sqlite"):
            if journal.parent.with_name(f"{journal.parent.name}-saved1").exists():
                continue  # the damaged file stays as it is
            audit = record("audit", journal)
            if audit.returncode:
                yield f"{journal.parent.name}: {audit.stdout[-300:]}{audit.stderr}"
        if self.disk is not None:
            self.disk.cut()
            raw = self.disk.raw()
            secrets = self.secrets | own
            yield from (
                f"{name} in a block of the card"
                for name, secret in secrets.items()
                if any(form in raw for form in written(secret))
            )


def against_the_computer(card: Card, chance: random.Random) -> Iterator[str]:
    """What the computer had goes to its opponent, and nobody keeps the computer's key."""
    with _AgainstTheComputer(card.at, "duel", 1, chance.randrange(1000)) as table:
        table.join(Seat.RED, table.ready["join"]["red"])
        table.play_on("begin", game=1)
        table.play_on("verdict", game=1)
        (game,) = card.at.glob("table/games/*")
        card.note(game)
        table.rest()
        table.handsets[Seat.RED].send({"type": "resign"})
        table.play_on("end", game=1)
        table.table.end(signal.SIGTERM)
    views = opened(boxes(game / "journal.owners"), key_of((card.at / "red.key").read_text("ascii")))
    if sorted(view.partition("view = ")[2].split()[0] for view in views) != ["blue", "red"]:
        yield f"red opens {len(views)} views"
    yield from card.wrong("red")


def with_a_frame_log(card: Card, chance: random.Random) -> Iterator[str]:
    """A log of frames goes when the table ends."""
    with WithKeys(card.at, "duel", "--mode", "enrol", "--frame-log") as table:
        seeds, _, game = table.to_its_end()
        card.note(game, seeds)
        if not list(game.glob("frames-*")):
            yield "there never was a log"
        table.table.end(signal.SIGTERM)
    yield from card.wrong("red", "blue")


def with_a_damaged_journal(card: Card, chance: random.Random) -> Iterator[str]:
    """A journal is damaged in the middle of the game, and goes on in a folder beside it: both keys go."""
    with WithKeys(card.at, "duel", "--mode", "enrol") as table:
        names = table.take_seats()
        table.table.send("start")
        table.play_on("verdict", game=1)
        table.rest()
        (game,) = card.at.glob("table/games/*")
        card.note(game)
        table.table.process.kill()
        table.table.wait()
        log = game / "journal.sqlite-wal"
        held = bytearray(log.read_bytes())
        held[len(held) * 3 // 4] ^= 0xFF
        log.write_bytes(held)
        table.start_again()
        if len(list(card.at.glob("table/games/*"))) != 2:
            yield "no journal was saved beside it"
        wait_until(lambda: all(name not in table.ended for name in names))
        table.table.send("resume")
        table.table.send("abort")
        table.play_on("end", game=1)
        table.table.end(signal.SIGTERM)
    yield from card.wrong()


def on_a_full_disk(card: Card, chance: random.Random) -> Iterator[str]:
    """The disk is full from some moment around the end on; it is put right, and the table started again, until it has ended by itself."""
    assert card.disk is not None
    with WithKeys(card.at, "duel", "--mode", "enrol") as table:
        seats = table.take_seats()
        table.table.send("start")
        told = table.everybody(seats, lambda line: bool(line.get("letter", {}).get("seed")))
        table.play_on("verdict", game=1)
        table.rest()
        (game,) = card.at.glob("table/games/*")
        card.note(game, {name.split()[0]: bytes.fromhex(line["letter"]["seed"]) for name, line in told.items()})
        table.table.send("abort")
        time.sleep(chance.uniform(0, 0.15))
        card.disk.fill()
        table.table.send("quit")
        table.table.wait()
        card.disk.put_right()
        table.start_again()
        table.table.send("abort")
        table.table.send("status")  # lines are answered in order: with this answer the game is over
        wait_until(lambda: any('"status"' in line for line in table.table.complaint))
        table.table.end(signal.SIGTERM)
        table.start_again()
        table.table.end(signal.SIGTERM)
    yield from card.wrong("red", "blue")


def with_an_end_that_is_taken_back(card: Card, chance: random.Random) -> Iterator[str]:
    """An end is taken back, and what was kept for the players goes; the next end makes it anew."""
    with WithKeys(card.at, "duel", "--mode", "enrol") as table:
        seeds, _, game = table.to_its_end()
        card.note(game, seeds)
        table.table.send("takeback 0 the wrong button")
        table.play_on("plies.taken-back", game=1)
        if (game / "journal.owners").exists() or not (game / "journal.key").exists():
            yield "what was kept at the end is still there, or the key is not"
        table.table.send("abort")
        table.play_on("end", game=1)
        table.table.end(signal.SIGTERM)
    yield from card.wrong("red", "blue")


def confirmed_by_time(card: Card, chance: random.Random) -> Iterator[str]:
    """Nobody does anything: a minute later the key is gone, and an end can no longer be taken back."""
    config = card.at / "table.toml"
    config.write_text("confirm-minutes = 1\n")
    with WithKeys(card.at, "duel", "--mode", "enrol", "--config", str(config)) as table:
        seeds, _, game = table.to_its_end()
        card.note(game, seeds)
        time.sleep(CONFIRM_S / 2)
        if not (game / "journal.key").exists():
            yield "it is gone too early"
        wait_until(lambda: not (game / "journal.key").exists())
        before = len(table.table.complaint)
        table.table.send("takeback 0 too late")
        wait_until(lambda: len(table.table.complaint) > before)
        table.table.end(signal.SIGKILL)
    yield from card.wrong("red", "blue")


WAYS: Mapping[str, Callable[[Card, random.Random], Iterator[str]]] = {
    way.__name__.replace("_", " "): way
    for way in (
        against_the_computer,
        with_a_frame_log,
        with_a_damaged_journal,
        on_a_full_disk,
        with_an_end_that_is_taken_back,
        confirmed_by_time,
    )
}


def tried(name: str, folder: Path, seed: int) -> list[str]:
    """Return what is wrong after one of the ways."""
    with ExitStack() as stack:
        card = Card(folder, stack, disk=name != "with a frame log")
        return list(WAYS[name](card, random.Random(seed)))
