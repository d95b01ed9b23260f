"""A game that is over, at a real table by a told clock, and somebody who notes all that leaves it; twins held against each other."""

from __future__ import annotations

import asyncio
import json
import logging
import re
import shutil
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path
from typing import Any, Self, cast

from referee.journal.history import history
from referee.journal.journal import public_rows
from referee.journal.records.formats import write_record
from referee.journal.records.model import View
from referee.journal.records.views import view_of
from referee.net.credential import KeyPair
from referee.net.sealing.signing import StationKey
from referee.net.topics.codec import encode_body, encode_public
from referee.net.topics.payloads import ArbiterAck, ArbiterOrder, AskFacts
from referee.rules import rule_set
from referee.rules.hidden import Hidden
from referee.rules.values import Rank, Seat
from referee.runtime.board_health import BoardWatch
from referee.runtime.event_loop import TableShell
from referee.runtime.game import RunningTable
from referee.runtime.game_archive import Archive, Keeping, find
from referee.runtime.orders import ArbiterDesk
from referee.sensing import Agreed, Interpreter
from referee.table.arbiter_commands import TakeBack, VoidVerdict
from referee.table.inputs import Connection, Input, Open, Reopen, SeatSays, Tick
from referee.table.messages import (
    Accepted,
    Answer,
    Consent,
    Hello,
    History,
    Letter,
    OfferDraw,
    OfferTakeBack,
    Question,
    Ready,
    Rejected,
    Resign,
    ToHandset,
    message_kind,
)
from referee.table.settings import TableSettings, TimeControl
from referee.table.step import Fact, Step
from referee.table.table import Table
from referee.table.views import Finale, Mode, Phase, PublicEvent, PublicInfo, PublicView
from tests.table.random_play import SALTS
from tests.table.sitting import BLUE, DUEL_BLUE, DUEL_RED, RED, Sitting
from tests.table.test_board_link import POLES, RULES, Desk, Line, Scene

GAME = "2026-11-26-120000-0a1b2c"
FINALE_MS = 60_000
SECRET = bytes(range(32))
SET_UPS: Mapping[Seat, Mapping[str, Rank]] = {RED: DUEL_RED, BLUE: DUEL_BLUE}
LIES: Mapping[Seat, Mapping[str, Rank]] = {
    RED: {**DUEL_RED, "e4": Rank.FLAG, "a1": Rank.MARSHAL},
    BLUE: {**DUEL_BLUE, "e7": Rank.FLAG, "j10": Rank.SPY},
}
"""Set-ups that the game contradicts: the piece that was declared is said to have been another one."""
OTHERS: Mapping[Seat, Mapping[str, Rank]] = {
    RED: {**DUEL_RED, "f4": Rank.BOMB, "b1": Rank.MINER},
    BLUE: {**DUEL_BLUE, "i7": Rank.BOMB, "i10": Rank.MINER},
}
"""Set-ups that are not the true ones, and that nobody can tell from those in declare mode."""
HANDSETS = {seat: KeyPair.create().public.text for seat in (RED, BLUE, Seat.GREEN)}
STATION = StationKey(bytes(32))
_LOGGER = logging.getLogger("referee")
WAYS: Mapping[str, tuple[str, ...]] = {
    "none": (),
    "yes": ("yes",),
    "wrong": ("lie",),
    "several": ("yes", "more", "yes"),
    "wrong, then yes": ("lie", "yes"),
    "yes, then wrong": ("yes", "lie"),
    "another": ("other",),
}
"""What a player may answer. A no is not sent, so it is `none`: no test could tell them apart, and nobody else either."""
TRUE = tuple(way for way in WAYS if way != "another")
FEW = ("none", "yes", "wrong")

Entry = tuple[int, str, object]


def agreed(way: str) -> bool:
    """Return whether who answers so has agreed."""
    return not {"yes", "other"}.isdisjoint(WAYS[way])


class Watched(Sitting):
    """A game at a real table with its files on a disk, and somebody who notes all that leaves it.

    `all` is what everybody sees, `kept` what the disk and the arbiter's station show, `to` what each seat is told.
    """

    def __init__(
        self,
        folder: Path,
        mode: Mode = Mode.ENROL,
        rules: str = "duel",
        *,
        begin: bool = True,
        finale_ms: int = FINALE_MS,
        clock: TimeControl | None = None,
        computers: Mapping[Seat, int] | None = None,
    ) -> None:
        self.archive: Archive | None = None
        self.all: list[Entry] = []
        self.kept: list[Entry] = []
        self.to: dict[Seat, list[Entry]] = {}
        self.answers: list[ToHandset] = []
        self.due: int | None = None
        self.wakes: list[int] = []
        self.ended_ms = 0
        self.since: list[tuple[str, str | None]] = []
        super().__init__(mode, begin=False, rules=rules)
        said = TableSettings("t1", "g1", self.rules, mode, secret=Hidden(SECRET), salts=Hidden(SALTS))
        said = replace(said, clock=clock or TimeControl(), computers=computers or {}, date="2026-11-26")
        said = replace(said, finale_ms=finale_ms)
        self.table, self.state = Table(said), folder
        self.steps.clear()
        self.to = {seat: [] for seat in self.rules.seats}
        folder.mkdir(parents=True, exist_ok=True)
        self.keeping = Keeping.open(folder / "games" / GAME, said)
        self._early: list[Fact] | None = []
        self.archive = self._new_archive()
        self._log = _Lines(self._logged)
        _LOGGER.addHandler(self._log)
        _LOGGER.setLevel(logging.DEBUG)
        self.take(self.table.apply(Open(), self.now_ms))
        if begin:
            self.begin()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            self.since = self.kinds_since_the_end()
        _LOGGER.removeHandler(self._log)
        _LOGGER.setLevel(logging.NOTSET)
        self.keeping.close()

    @property
    def folder(self) -> Path:
        """The game's folder."""
        return self.state / "games" / GAME

    @property
    def view(self) -> PublicView:
        """What everybody sees now."""
        return self.table.view()

    # ---- what goes in

    def put(self, given: Input) -> Step:
        """Put something in."""
        return self.take(self.table.apply(given, self.now_ms))

    def take(self, step: Step) -> Step:
        """Stand in the event loop's place: first the ledger, then what everybody hears, then letters."""
        super().take(step)
        if self.archive is None:
            return step
        if self._early is not None:  # one transaction for all that came before the end: the disk is no matter here
            self._early += step.facts
        elif step.facts:
            self.archive.write(step.facts)
        for fact in step.facts:
            if fact.event is not None:
                self._note(self.all, "event", encode_public(fact.event))
        if step.info_changed:
            self._note(self.all, "info", encode_public(self.table.info()))
        if step.view_changed:
            self._note(self.all, "state", encode_public(self.view))
        if step.orders:
            self._note(self.all, "orders", repr(step.orders))
        for letter in step.letters:
            body = letter.body.open_hidden()
            self.answers.append(body)
            self._note(self.to[letter.seat], message_kind(body).name, encode_body(body))
        self.due = step.deadline_ms
        return step

    def until(self, at_ms: int) -> None:
        """Let time pass. The table is woken when it has asked for it, and at no other time."""
        while self.due is not None and self.due <= at_ms:
            self.now_ms = asked = max(self.due, self.now_ms)
            self.wakes.append(asked)
            self.put(Tick())
            assert self.due is None or self.due > asked, "it asks to be woken for ever"
        self.now_ms = max(self.now_ms, at_ms)

    def after(self, ms: int) -> None:
        """Let time pass until so long after the end."""
        self.until(self.ended_ms + ms)

    def play(self) -> None:
        """Play four plies: red's marshal takes blue's spy, and a scout comes out."""
        self.move("e4", "e5")
        self.move("e7", "e6")
        self.attack("e5", "e6")
        self.declare(RED, Rank.MARSHAL)
        self.declare(BLUE, Rank.SPY)
        self.see(Agreed(0))
        self.move("e8", "e7")

    def end(self, how: Seat | Input = RED) -> None:
        """End the game, a second after what came before: a seat gives up, or something else is put in."""
        self.now_ms += 1000
        if self._early is not None and self.archive is not None:
            early, self._early = self._early, None
            self.archive.write(tuple(early))
        self.put(SeatSays(how, Resign(id=self.new_id())) if isinstance(how, Seat) else how)
        self.ended_ms = self.now_ms

    def consents(self, seat: Seat, word: str, *, late: bool = False) -> type[ToHandset]:
        """Answer the question; nothing that anybody else sees is other than before. Return what was answered to that.

        `late` is what comes after the time: it goes into the record at once.
        """
        before, told = self._face(seat, late), len(self.answers)
        self.say(seat, consent(self, seat, word))
        assert self._face(seat, late) == before
        (reply,) = self.answers[told:]
        assert isinstance(reply, Accepted | Rejected)
        return type(reply)

    def all_say(self, seat: Seat, way: str, *, late: bool = False) -> None:
        """Answer as one of `WAYS`; each word is taken or refused as it must be."""
        for word in WAYS[way]:
            assert self.consents(seat, word, late=late) is (Rejected if word == "lie" else Accepted)

    def go_back(self, verb: TakeBack | VoidVerdict) -> None:
        """Let an arbiter take the end back, and hands put the board right."""
        self.put(verb)
        assert self.view.result is None
        if self.view.phase is Phase.RESTORING:
            self.see(Agreed(0))

    def crash(self, folder: Path) -> None:
        """Pull the plug and go on from what is on the disk, by another clock."""
        shutil.copytree(self.state, folder)
        self.keeping.close()
        self.state, notes = folder, list[str]()
        found = find(folder, GAME, rule_set, notes.append)
        assert found is not None
        assert found.rebuilt.owed == ()
        self.table, self.keeping, self.now_ms = found.rebuilt.table, found.keeping, 7_000
        self.archive = self._new_archive()
        self.archive.align()
        self._note(self.all, "said at the start", tuple(note.replace(str(folder), "") for note in notes))
        self.put(Reopen(1_000))

    # ---- what is seen

    def look(self, name: str, whole: bool = True) -> None:
        """Let everybody look: phones say hello and ask for what they may not have, an arbiter asks, somebody has the disk."""
        self.put(Tick())
        for seat in self.rules.seats:
            self.say(seat, Hello(id=f"{name}-hello-{seat.value}"))
            self.say(seat, OfferDraw(id=f"{name}-draw-{seat.value}"))
            self.say(seat, Ready(id=f"{name}-ready-{seat.value}"))
            missed = history(self.keeping.journal, seat, 0, self.table.info().reveal)
            self._note(self.to[seat], "missed", encode_body(History("h", "m", missed)))
        self._note(self.all, "state", encode_public(self.view))
        self._note(self.all, "info", encode_public(self.table.info()))
        self._note(self.all, "asks to be woken", self.due)
        self._note(self.all, "was woken", tuple(self.wakes))
        self._note(self.kept, "files", self.files())
        if not whole:
            return
        self._note(self.kept, "station", tuple(self._facts(f"{name}-{square}", square) for square in ("a1", None)))
        self._note(self.kept, "rows", self.rows())
        self._note(self.kept, "views", self.views())

    def files(self) -> dict[str, object]:
        """Return the files of the game: names and sizes, of the record its content, of what is left for owners how long each is."""
        found: dict[str, object] = {}
        for path in sorted(self.folder.iterdir()):
            if path.name == "game.record":
                found[path.name] = path.read_bytes()
            elif path.name == "journal.owners":
                found[path.name] = [len(line) for line in path.read_bytes().splitlines()]
            elif path.name == "journal.answers" or not path.name.startswith("journal.sqlite"):
                found[path.name] = (path.stat().st_size, path.stat().st_mode)
        return found

    def rows(self) -> list[tuple[object, ...]]:
        """Return what the journal shows to who has no key: all but times and what follows from them. Ids of a consent are masked."""
        with closing(sqlite3.connect(f"file:{self.folder / 'journal.sqlite'}?mode=ro", uri=True)) as base:
            told = base.execute("select seq, type, version, public, length(sealed) from rows order by seq").fetchall()
        return [(*row[:3], re.sub(r'"id":"(yes|more|lie|other)-', '"id":"', row[3]), row[4]) for row in told]

    def kinds_since_the_end(self) -> list[tuple[str, str | None]]:
        """Return the rows since the last end, with the seats of consents."""
        rows = [(row.type, row.public.get("seat")) for row in public_rows(self.folder / "journal.sqlite")]
        last = max(at for at, row in enumerate(rows) if row[0] == "end")
        since = [(kind, seat if kind == "consent" else None) for kind, seat in rows[last + 1 :]]
        return [row for row in since if row[0] != "reopened"]

    def views(self) -> dict[str, str]:
        """Return the record that the journal gives, in every view but the referee's."""
        record = self.keeping.record(None)
        seats = [View(seat.value) for seat in self.rules.seats]
        return {view.value: write_record(view_of(record, view), "own") for view in (*seats, View.PUBLIC, View.ARCHIVE)}

    def outcomes(self) -> list[tuple[int, str]]:
        """Return when since the end which outcome was told to everybody, by events."""
        told = [(at, json.loads(cast(bytes, payload))) for at, what, payload in self.all if what == "event"]
        return [(at - self.ended_ms, event["text"]) for at, event in told if event["kind"] == "finale"]

    def shown(self) -> tuple[Finale | None, Mapping[str, Rank]]:
        """Return `finale` and `turned` of the state."""
        return self.view.finale, dict(self.view.turned)

    def before_the_time(self, entries: Iterable[Entry]) -> list[Entry]:
        """Return those of the entries that came before the time."""
        return [entry for entry in entries if entry[0] < self.ended_ms + FINALE_MS]

    def _face(self, speaker: Seat, late: bool) -> tuple[object, ...]:
        others = {seat: len(told) for seat, told in self.to.items() if seat is not speaker}
        shown = (len(self.all), encode_public(self.view), encode_public(self.table.info()), self.due, others)
        return shown if late else (*shown, self._disk())

    def _disk(self) -> dict[str, object]:
        """Return all files as whoever compares two copies finds them; of the answers only that there are as many bytes as ever."""
        found: dict[str, object] = {}
        for path in self.folder.iterdir():
            if path.name == "journal.answers":
                found[path.name] = (path.stat().st_size, path.stat().st_mode)
            elif not path.name.endswith("-shm"):
                stat = path.stat()
                found[path.name] = (stat.st_ino, stat.st_mtime_ns, stat.st_mode, path.read_bytes())
        return found

    def _facts(self, name: str, square: str | None) -> bytes:
        answers: list[ArbiterAck] = []
        desk = ArbiterDesk(STATION.public, "t1", "0" * 16, cast(RunningTable, _AtHand(self)), answers.append)
        act = AskFacts(id=name, reason="dispute", square=square)
        told = encode_public(desk.take(STATION.sign(ArbiterOrder(board="t1", session="0" * 16, game="g1", act=act))))
        return re.sub(rb'"at_ms":\d+', b'"at_ms":0', told)

    def _note(self, where: list[Entry], what: str, told: object) -> None:
        where.append((self.now_ms, what, told))

    def _logged(self, line: str) -> None:
        self._note(self.all, "log", line.replace(str(self.state), ""))

    def _new_archive(self) -> Archive:
        return Archive(self.keeping, self.table, lambda: {seat: HANDSETS[seat] for seat in self.rules.seats})


class _Lines(logging.Handler):
    def __init__(self, heard: Callable[[str], None]) -> None:
        super().__init__(logging.DEBUG)
        self._heard = heard

    def emit(self, record: logging.LogRecord) -> None:
        self._heard(record.getMessage())


class _AtHand:
    """The table as the arbiter's desk wants it."""

    def __init__(self, watched: Watched) -> None:
        self.table, self.rules, self._path = watched.table, watched.rules, watched.folder / "journal.sqlite"
        self.shell: Any = self
        self.game: Any = self
        self.hands: list[Any] = []

    def catch_up(self) -> None:
        """Have nothing that is due."""

    def rows(self) -> list[Any]:
        """Return what the journal holds."""
        return list(public_rows(self._path))


def consent(table: Watched, seat: Seat, word: str) -> Consent:
    """Return what a handset sends: a true set-up, nothing where the referee knows it all, another one that fits, or a lie."""
    whole = SET_UPS[seat] if table.rules.name == "duel" else table.ranks[seat]
    known = table.table.info().mode is Mode.ENROL
    set_ups = {"yes": {} if known else whole, "more": whole, "lie": LIES.get(seat, {}), "other": OTHERS.get(seat, {})}
    return Consent(id=f"{word}-{seat.value}", set_up=dict(set_ups[word]))


TURNED: Mapping[str, Rank] = {
    **{square: rank for square, rank in DUEL_RED.items() if square != "e4"},
    **{square: rank for square, rank in DUEL_BLUE.items() if square not in ("e7", "e8")},
    "e6": Rank.MARSHAL,
    "e7": Rank.SCOUT,
}
"""What stands on the board once `Watched.play` is over."""


def outcome(*ways: str) -> tuple[Finale, Mapping[str, Rank]]:
    """Return what is shown at the time when the players have answered so."""
    return (Finale.TURNED, TURNED) if all(map(agreed, ways)) else (Finale.COVERED, {})


def played(
    folder: Path,
    mode: Mode,
    ways: Mapping[Seat, str],
    *,
    at_s: Mapping[Seat, int] | None = None,
    away: Seat | None = None,
    late: Mapping[Seat, str] | None = None,
    clock: TimeControl | None = None,
) -> Watched:
    """Play a game, answer it, and look on until long after the time; `away` is whose phone goes 5 s after the end, for a minute."""
    acts: list[tuple[int, Callable[[Watched], object]]] = [(at, _look(at)) for at in (0, 21, 60, 66, 71)]
    acts += [(at, _say(seat, ways[seat])) for seat, at in (at_s or {RED: 10, BLUE: 20}).items()]
    acts += [(at, _connect(away, at == 65)) for at in (5, 65) if away is not None]
    acts += [(70, _say(seat, way, late=True)) for seat, way in (late or {}).items()]
    told, turned = outcome(*ways.values())
    with Watched(folder, mode, clock=clock) as table:
        for seat in (RED, BLUE):
            table.put(Connection(seat, here=True))
        table.play()
        assert table.shown() == (None, {})
        table.end()
        assert table.due == table.ended_ms + FINALE_MS
        for at, act in sorted(acts, key=lambda one: one[0]):
            if at == 60:
                table.after(FINALE_MS - 1)
                table.look("last")
                assert (table.shown(), table.outcomes()) == ((Finale.ASKED, {}), [])
            table.after(at * 1000)
            act(table)
        assert table.outcomes() == [(FINALE_MS, told.value)]
        assert table.shown() == (told, turned)
    return table


def _look(at: int) -> Callable[[Watched], object]:
    return lambda table: table.look(f"at-{at}", whole=at > 66)


def _say(seat: Seat, way: str, *, late: bool = False) -> Callable[[Watched], object]:
    return lambda table: table.all_say(seat, way, late=late)


def _connect(seat: Seat, here: bool) -> Callable[[Watched], object]:
    return lambda table: table.put(Connection(seat, here))


def same_until_the_time(tables: Mapping[tuple[str, str], Watched]) -> None:
    """Hold twins against each other, by the ways in which red and blue have answered: no answer shows to anybody else before the time."""
    still = tables["none", "none"]
    for (red, blue), table in tables.items():
        for own, other in ((table.all, still.all), (table.kept, still.kept)):
            assert not difference(table.before_the_time(own), still.before_the_time(other), (red, blue))
        for seat, twin in ((BLUE, tables.get(("none", blue))), (RED, tables.get((red, "none")))):
            if twin is not None:
                assert not difference(
                    table.before_the_time(table.to[seat]), twin.before_the_time(twin.to[seat]), (red, blue)
                )


def same_for_ever(tables: Mapping[tuple[str, str], Watched]) -> None:
    """Hold twins against each other: the public tells the outcome and nothing else, the disk who has agreed and nothing else."""
    by_outcome: dict[bool, Watched] = {}
    by_letters: dict[tuple[object, ...], Watched] = {}
    by_consents: dict[tuple[bool, bool], Watched] = {}
    for (red, blue), table in tables.items():
        both = agreed(red) and agreed(blue)
        assert not difference(table.all, by_outcome.setdefault(both, table).all, (red, blue))
        for seat, way in ((RED, red), (BLUE, blue)):
            twin = by_letters.setdefault((seat, way, both), table)
            assert not difference(table.to[seat], twin.to[seat], (red, blue))
        assert not difference(table.kept, by_consents.setdefault((agreed(red), agreed(blue)), table).kept, (red, blue))


def last(table: Watched, what: str) -> Any:
    """Return what was kept last of a kind."""
    return [told for _, kind, told in table.kept if kind == what][-1]


def other_first(folder: Path, mode: Mode, red: tuple[str, ...], voided: str, restarted: bool) -> Watched:
    """Play a game whose first end is taken back once red has answered it; blue alone agrees to the second."""
    with Watched(folder / "a", mode) as table:
        table.play()
        table.end()
        table.after(10_000)
        for word in red:
            table.consents(RED, word)
        table.after(20_000)
        before = len(table.to[RED])
        _void(table, voided)
        assert table.shown() == (None, {})
        if restarted:
            table.crash(folder / "b")
            table.see(Agreed(0))
        table.look("back")
        assert table.due is None
        table.move("e8", "e7")
        table.move("f4", "f5")
        table.end(BLUE)
        table.look("again")
        table.all_say(BLUE, "yes")
        table.after(FINALE_MS - 1)
        table.look("last")
        assert (table.shown(), table.outcomes()) == ((Finale.ASKED, {}), [])
        table.after(FINALE_MS)
        table.look("outcome")
        assert (table.shown(), table.outcomes()) == ((Finale.COVERED, {}), [(FINALE_MS, "covered")])
        table.to[RED] = [(at, what, without_id(told)) for at, what, told in table.to[RED][before:]]
    return table


def _void(table: Watched, how: str) -> None:
    if how == "arbiter":
        table.go_back(TakeBack(id="back", reason="a slip", ply=3))
        return
    table.say(BLUE, OfferTakeBack(id="offer", ply=3))
    (asked,) = [body for body in table.answers if isinstance(body, Question) and body.kind.value == "take-back"]
    table.say(RED, Answer(id="all-right", question=asked.question, choice="accept"))
    assert table.view.result is None
    table.see(Agreed(0))


def cut(folder: Path, mode: Mode, red: str, blue: str, *, twice: bool = False) -> Watched:
    """Play a game whose plug is pulled between red's answer and blue's, and again after the outcome."""
    with Watched(folder / "a", mode) as table:
        table.play()
        table.end()
        table.after(40_000)
        table.all_say(RED, red)
        for name in ("b", "c") if twice else ("b",):
            table.crash(folder / name)
            table.ended_ms = table.now_ms
            assert (table.shown(), table.due) == ((Finale.ASKED, {}), table.now_ms + FINALE_MS), "in full"
            table.look(name)
            table.after(30_000)
        table.all_say(BLUE, blue)
        table.look("said")
        table.after(FINALE_MS - 1)
        table.look("last")
        assert (table.shown(), table.outcomes()) == ((Finale.ASKED, {}), [])
        table.after(FINALE_MS)
        table.look("outcome")
        assert (table.shown(), table.outcomes()[-1]) == (outcome(red, blue), (FINALE_MS, outcome(red, blue)[0].value))
    return table


class Room(Desk):
    """Ledger and outlet that keep every word, with its time by the machine's clock."""

    def __init__(self, now: Callable[[], int]) -> None:
        super().__init__()
        self._now = now
        self.public: list[tuple[int, bytes]] = []
        self.letters: list[tuple[int, Seat, int, bytes]] = []

    def publish_info(self, info: PublicInfo) -> None:
        """Keep it."""
        self.public.append((self._now(), encode_public(info)))

    def publish_event(self, event: PublicEvent) -> None:
        """Keep it."""
        self.public.append((self._now(), encode_public(event)))

    def publish_state(self, view: PublicView) -> None:
        """Keep it."""
        self.public.append((self._now(), encode_public(view)))

    def send(self, letter: Letter, ply: int) -> None:
        """Keep it."""
        self.letters.append((self._now(), letter.seat, ply, encode_body(letter.body.open_hidden())))

    def told(self, seat: Seat) -> list[tuple[int, Seat, int, bytes]]:
        """Return the letters to a seat."""
        return [letter for letter in self.letters if letter[1] is seat]


class Loop(Scene):
    """A table in its event loop, with a time after the end; the machine's clock is told."""

    def __init__(self) -> None:
        self.line, self.machine_ms = Line(), 5000
        self.room = self.desk = Room(lambda: self.machine_ms)
        self.table = Table(replace(TableSettings("t1", "g1", RULES), finale_ms=FINALE_MS))
        self.interpreter = Interpreter(RULES.board.squares, True, POLES, board=RULES.board)
        self.notes: list[str] = []
        self.shell = TableShell(
            self.table,
            self.interpreter,
            self.line,
            self.desk,
            self.desk,
            watch=BoardWatch(lambda _: (), self.notes.append),
            machine_ms=lambda: self.machine_ms,
        )
        self.magnets = {RULES.board.square(name): POLES[seat] for seat in (RED, BLUE) for name in SET_UPS[seat]}
        self._ms = 0


def looped(red: tuple[str, ...], blue: tuple[str, ...], late: bool = False) -> Room:
    """Play a game in the event loop, answer it, and let the time pass. Return what was said.

    `late`: blue says yes once the time has come, before the loop was woken for it.
    """

    async def whole() -> Room:
        scene = Loop()
        await scene.start()
        scene.shell.put_in(SeatSays(RED, Resign(id="r2")))
        for at, (seat, words) in enumerate(((RED, red), (BLUE, blue))):
            await scene.spend(10_000)
            for word in words:
                true, lie = SET_UPS[seat], {**SET_UPS[seat], "zz": Rank.SPY}
                said = Consent(id=f"{word}-{at}", set_up=dict(lie if word == "lie" else true))
                scene.shell.put_in(SeatSays(seat, said))
        await scene.spend(FINALE_MS - 20_000)
        if late:
            await scene.spend(5)
            scene.shell.put_in(SeatSays(BLUE, Consent(id="late", set_up=dict(SET_UPS[BLUE]))))
        scene.shell.put_in(SeatSays(BLUE, Hello(id="how is it")))
        scene.shell.put_in(Tick())
        await scene.spend(1_000)
        scene.shell.close()
        scene.line.close()
        return cast(Room, scene.desk)

    return asyncio.run(whole())


def without_id(letter: object) -> object:
    """Return a letter to whoever has answered without its id, which counts the answers, too."""
    word, _, *fields = json.loads(cast(bytes, letter))
    return (word, *fields)


def difference(one: Sequence[Entry], other: Sequence[Entry], where: object = "") -> str | None:
    """Return where two of what was noted differ first, None where they do not; whole lists are too long to be shown."""
    for mine, its in zip_longest(one, other):
        if mine != its:
            raise AssertionError(f"{where} {_first(mine, its)}")
    return None


def _first(mine: object, its: object) -> str:
    one, other = repr(mine), repr(its)
    at = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    return f"{one[:60]} ... {one[max(0, at - 150) : at + 200]} IS NOT {other[max(0, at - 150) : at + 200]}"
