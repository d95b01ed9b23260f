"""Games that are seen again, attacked from outside: what kiosk, phones and file are told, of twins that differ in what is hidden alone.

Written from docs/reference (library.md, messages.md, analysis.md), without a look at the code. Each game is played at a real table with its
files on a disk; journals are written by a clock that the test sets.
"""

from __future__ import annotations

import asyncio
import base64
import json
import random
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar

import msgspec
import pytest

from kiosk_ui.received_state import Desk, ReceivedState
from kiosk_ui.seen_again import read_replay, replay_state, spoken_ply
from referee.door.messages import Request, Response
from referee.journal import journal
from referee.library.pages import LibraryPages, Seats
from referee.library.shelf import Now, Shelf, ShelfError
from referee.library.worker import work
from referee.net.credential import KeyPair
from referee.net.topics.codec import encode_public
from referee.net.topics.payloads import KioskNote, KioskWish
from referee.rules import Hidden, PieceId, Rank, RuleSet, Seat, load_rule_set, rule_set
from referee.runtime.game_archive import Archive, Keeping
from referee.runtime.kiosk_games import KioskGames
from referee.runtime.kiosk_service import KioskDesk
from referee.runtime.set_ups import generate
from referee.sensing import Agreed
from referee.table.arbiter_commands import TakeBack, VoidVerdict
from referee.table.inputs import Open, Tick
from referee.table.messages import Consent, Resign
from referee.table.settings import TableSettings
from referee.table.step import Step
from referee.table.table import Table
from referee.table.views import Finale, Mode, Phase, PublicInfo, Reveal
from referee.words import words
from tests.table.sitting import BLUE, DUEL_BLUE, DUEL_RED, RED, Sitting

Armies = Mapping[Seat, Mapping[str, Rank]]
NAME = "2026-11-26-100000-g1aaaa"
UNCONFIRMED, OVER = Now(NAME, False), Now()
FINALE_MS = 60_000
DUEL: Armies = {RED: DUEL_RED, BLUE: DUEL_BLUE}
OPENING = (("e4", "e5"), ("a7", "a6"), ("e5", "e6"), ("a6", "a5"))
FIGHT = ("e6", "e7")
_IMMOBILE = frozenset({Rank.BOMB, Rank.FLAG})
_HOUSE = """\
base = "original"
name = "kitchen"
source = "the tests"
army = { marshal = 1, general = 2, colonel = 3, captain = 4, lieutenant = 6, sergeant = 4, miner = 5, scout = 8, bomb = 6, flag = 1 }
"""


class Clock:
    """The clock by which rows of journals are written, and the games that are open."""

    ms = 0
    games: ClassVar[list[Keeping]] = []


@pytest.fixture(autouse=True)
def _clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(journal, "_monotonic_ms", lambda: Clock.ms)
    monkeypatch.setattr(journal, "_wall_ms", lambda: Clock.ms)
    yield
    while Clock.games:
        Clock.games.pop().close()


class Played(Sitting):
    """A game at a table with its files. `answers_ms`: how long attacker and defender think about what they declare."""

    def __init__(
        self,
        state: Path,
        ranks: Armies = DUEL,
        rules: RuleSet | None = None,
        answers_ms: tuple[int, int] = (1_000, 2_000),
        set_up_ms: int = 0,
        **more: Any,
    ) -> None:
        """`more` goes into the settings."""
        self.rules, self.ranks = rules or rule_set("duel"), dict(ranks)
        self.state, self.folder = state, state / "games" / NAME
        self.steps, self.now_ms, self._ids = [], 1_000, 0
        self._answers_ms = answers_ms
        salts: Hidden[Mapping[Seat, str]] = Hidden({seat: f"{at:032x}" for at, seat in enumerate(Seat, 1)})
        names = {RED: "Anna", BLUE: "Bram"}
        settings = TableSettings("t1", "g1", self.rules, names=names, salts=salts, date="2026-11-26", **more)
        self.table = Table(settings)
        Clock.ms = 1_000
        Clock.games.append(Keeping.open(self.folder, settings))
        self._archive = Archive(Clock.games[-1], self.table, dict)
        self.take(self.table.apply(Open(), self.now_ms))
        self.wait(set_up_ms)
        self.begin()
        self._born = {self.piece(name): (seat, name) for seat, army in self.ranks.items() for name in army}
        self.touched: set[tuple[Seat, str]] = set()

    def take(self, step: Step) -> Step:
        """Write down what came of an input."""
        self.steps.append(step)
        if step.facts:
            self._archive.write(step.facts)
        return step

    def wait(self, ms: int) -> None:
        """Let time pass."""
        self.now_ms += ms
        Clock.ms += ms

    def piece(self, name: str) -> PieceId:
        """Return the piece on a square."""
        assert self.table.public_game is not None
        found = self.table.public_game.piece_at(self.square(name))
        assert found is not None
        return found

    def rank(self, name: str) -> Rank:
        """Return the rank of the piece on a square."""
        seat, born = self._born[self.piece(name)]
        return self.ranks[seat][born]

    def act(self, source: str, target: str, after_ms: int = 2_000) -> None:
        """Play a ply; an attack is over ten seconds later, however long each owner thought."""
        self.wait(after_ms)
        assert self.table.public_game is not None
        attacks = self.square(target) in self.table.public_game.occupants()
        met = [source, *([target] if attacks else [])]
        told = [(self._born[self.piece(name)], self.rank(name)) for name in met]
        self.touched |= {born for born, _ in told}
        if not attacks:
            self.move(source, target)
            return
        self.attack(source, target)
        begun_ms = self.now_ms
        for at_ms, ((seat, _), rank) in sorted(zip(self._answers_ms, told, strict=True), key=lambda each: each[0]):
            self.wait(begun_ms + at_ms - self.now_ms)
            self.declare(seat, rank)
        self.wait(begun_ms + 10_000 - self.now_ms)
        if self.phase() is Phase.WAITING_FOR_BOARD:
            self.see(Agreed(self.now_ms))

    def play(self, *plies: tuple[str, str]) -> None:
        """Play plies."""
        for source, target in plies:
            self.act(source, target)

    def give_up(self) -> None:
        """Let all seats but the last resign."""
        for seat in self.rules.seats[:-1]:
            if self.table.result is None:
                self.say(seat, Resign(id=self.new_id()))

    def consent(self, *seats: Seat) -> None:
        """Let owners agree."""
        for seat in seats:
            self.say(seat, Consent(id=self.new_id(), set_up=dict(self.ranks[seat])))

    def show(self) -> None:
        """Let the time after the end pass."""
        self.wait(FINALE_MS + 1)
        self.take(self.table.apply(Tick(), self.now_ms))

    def undo(self, ply: int) -> None:
        """Go back to a ply; the board agrees."""
        self.order(TakeBack(id=self.new_id(), reason="a slip", ply=ply))
        self.see(Agreed(self.now_ms))


def notes(state: Path, *wishes: KioskWish, now: Now = OVER, house: Path | None = None) -> list[tuple[str, str]]:
    """Return what the kiosk is told upon wishes, each note as one that fits its topic."""
    heard: list[KioskNote] = []

    async def ask() -> None:
        games = KioskGames(Shelf(state, lambda: now, work, house=house), lambda: "http://table:8080", heard.append)
        for wish in wishes:
            games.take(wish)
            while games.busy:
                await asyncio.sleep(0)

    asyncio.run(ask())
    for note in heard:
        encode_public(note)
    return [(note.kind, note.text) for note in heard]


WISHES = (KioskWish("games"), KioskWish("replay", "g1"))


def told(state: Path, now: Now = OVER, house: Path | None = None) -> dict[str, Any]:
    """Return all that a game says to kiosk, phones, and who takes a file along."""
    shelf = Shelf(state, lambda: now, work, house=house)
    asked: dict[str, Callable[[str], bytes]] = {"page": shelf.page, "replay": shelf.replay, "record": shelf.record}
    said: dict[str, Any] = {"kiosk": notes(state, *WISHES, now=now, house=house)}
    for what, ask in asked.items():
        try:
            said[what] = ask("g1")
        except ShelfError as error:
            said[what] = error.word
    return {**said, "list": [entry.told() for entry in shelf.listed()]}


def packed(state: Path, now: Now = OVER) -> bytes:
    """Return the game that the kiosk is told."""
    parts = "".join(text for kind, text in notes(state, *WISHES, now=now) if kind == "replay-part")
    return zlib.decompress(base64.b64decode(parts))


def exchanged(army: Mapping[str, Rank], *pairs: tuple[str, str]) -> dict[str, Rank]:
    """Return an army in which pieces have changed places."""
    other = dict(army)
    for one, two in pairs:
        other[one], other[two] = other[two], other[one]
    return other


TWINS = {
    RED: exchanged(DUEL_RED, ("e4", "j4"), ("a1", "b1"), ("f3", "e3"), ("d4", "i4")),
    BLUE: exchanged(DUEL_BLUE, ("j10", "i10"), ("a7", "i7"), ("b7", "f7"), ("e8", "j7")),
}
"""Other set-ups with which the fight ends alike: marshal or general takes the spy."""


def fought(state: Path, ranks: Armies, *agreed: Seat, **more: Any) -> Played:
    """Return a game of Duel that is over: one piece was captured, by one whose rank its rival alone may know."""
    game = Played(state, ranks, **more)
    game.play(*OPENING, FIGHT, ("a5", "a4"))
    game.give_up()
    game.consent(*agreed)
    return game


# ---- what is hidden changes no byte


@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize("reveal", Reveal)
def test_nobody_agreed(mode: Mode, reveal: Reveal, tmp_path: Path) -> None:
    """Other flags, bombs, and survivors that the rival was told: kiosk, pages, file and list are the same."""
    games = [fought(tmp_path / str(at), ranks, mode=mode, reveal=reveal) for at, ranks in enumerate((DUEL, TWINS))]
    one, other = (told(game.state) for game in games)
    assert one == other
    assert one["kiosk"][1][0] == "replay"


@pytest.mark.parametrize("mode", Mode)
def test_one_owner_agreed(mode: Mode, tmp_path: Path) -> None:
    """His set-up is there once the result is confirmed and not before; the other's never."""
    armies = (DUEL, {**DUEL, BLUE: TWINS[BLUE]}, {**DUEL, RED: TWINS[RED]})
    base, hidden, shown = (fought(tmp_path / str(at), ranks, RED, mode=mode).state for at, ranks in enumerate(armies))
    assert told(base) == told(hidden)
    assert told(base, UNCONFIRMED) == told(hidden, UNCONFIRMED) == told(shown, UNCONFIRMED)
    assert told(base)["kiosk"] != told(shown)["kiosk"]


def test_an_answer_is_not_seen_before_its_time(tmp_path: Path) -> None:
    """Yes, yes of both, and silence are the same until the outcome is shown; one yes alone until the result is confirmed."""
    agreed = ((), (RED,), (RED, BLUE))
    games = [fought(tmp_path / str(at), DUEL, *seats, finale_ms=FINALE_MS) for at, seats in enumerate(agreed)]
    silence, one, both = (told(game.state, UNCONFIRMED) for game in games)
    assert silence == one == both
    for game in games:
        game.show()
    silence, one, both = (told(game.state, UNCONFIRMED) for game in games)
    assert silence == one
    assert silence["kiosk"] != both["kiosk"]


def test_turned_over_and_undone(tmp_path: Path) -> None:
    """Once the end is undone the game is nowhere, seen before or not; after another end it is as one that was never turned over."""
    turned, covered = (
        fought(tmp_path / str(at), DUEL, *seats, finale_ms=FINALE_MS) for at, seats in enumerate(((RED, BLUE), ()))
    )
    for game in (turned, covered):
        game.show()
    assert turned.table.view().finale is Finale.TURNED
    assert b'"marshal"' in packed(turned.state, UNCONFIRMED)
    assert told(turned.state, UNCONFIRMED)["list"][0]["shown"] == ("red", "blue")
    for game in (turned, covered):
        game.undo(5)
        for now in (Now(NAME, True), UNCONFIRMED, OVER):
            gone = told(game.state, now)
            assert (gone["list"], gone["kiosk"][1:]) == ([], [("games-fault", "not-found")])
            assert [gone[what] for what in ("page", "replay", "record")] == ["not-found"] * 3
        game.give_up()
    assert told(turned.state, UNCONFIRMED) == told(covered.state, UNCONFIRMED)
    assert told(turned.state) == told(covered.state)


@pytest.mark.parametrize("voided", [False, True])
def test_what_was_captured_and_came_back(voided: bool, tmp_path: Path) -> None:
    """A piece that came back is no longer public: kiosk, page and replay have no rank of it. The record's chain alone names it."""
    said = []
    for at, blue in enumerate((DUEL_BLUE, exchanged(DUEL_BLUE, ("e7", "i7")))):
        game = Played(tmp_path / str(at), {RED: DUEL_RED, BLUE: blue})
        game.play(*OPENING, FIGHT)
        order = VoidVerdict if voided else TakeBack
        game.order(order(id="z1", reason="a slip", ply=5 if voided else 4))
        game.see(Agreed(game.now_ms))
        game.give_up()
        said.append(told(game.state))
    assert [said[0][what] for what in ("kiosk", "page", "replay")] == [
        said[1][what] for what in ("kiosk", "page", "replay")
    ]
    lines = [said[at]["record"].decode().partition("[chain]")[0].splitlines() for at in (0, 1)]
    assert [line for line in lines[0] if not line.startswith("chain =")] == [
        line for line in lines[1] if not line.startswith("chain =")
    ]


def test_what_was_declared_in_an_attack_without_a_verdict(tmp_path: Path) -> None:
    """It ends amid the question: whether somebody had answered, and what, is not seen; there is no time of a ply that never was."""
    said = []
    for at, (ranks, answers) in enumerate(((DUEL, (RED,)), (TWINS, ()), (TWINS, (RED,)), (DUEL, (BLUE,)))):
        game = Played(tmp_path / str(at), ranks)
        game.play(*OPENING)
        game.wait(4_000)
        game.attack(*FIGHT)
        for seat in answers:
            game.declare(seat, game.rank(FIGHT[0] if seat is RED else FIGHT[1]))
        game.give_up()
        said.append(told(game.state))
    assert said[0] == said[1] == said[2] == said[3]
    assert json.loads(packed(tmp_path / "0"))["game"]["times"] == [2, 2, 2, 2]


@pytest.mark.parametrize("mode", Mode)
def test_what_may_not_move_has_moved(mode: Mode, tmp_path: Path) -> None:
    """Where that loses the game, its end does not tell whether it was a bomb or the flag."""
    rules = rule_set("duel").with_options({"immobile_moved": "forfeit"})
    said = []
    for place in ("b1", "a1"):
        ranks = {**DUEL, RED: exchanged(DUEL_RED, ("e4", place))}
        game = Played(tmp_path / place, ranks, rules, mode=mode)
        if mode is Mode.ENROL:
            game.read("e4", "e5")
        else:
            game.play(*OPENING)
            game.attack(*FIGHT)
            game.declare(RED, ranks[RED]["e4"])
            game.declare(BLUE, DUEL_BLUE["e7"])
        assert game.table.result is not None
        assert game.table.result.reason == "forfeit"
        said.append(told(game.state))
    assert said[0] == said[1]
    assert said[0]["kiosk"][1][0] == "replay"


# ---- games of every kind, and the hands' times


def walk(game: Played, plies: int) -> list[tuple[str, str, int]]:
    """Play by lot: one step at a time, attacks rather than moves."""
    chance, log = random.Random(5), list[tuple[str, str, int]]()
    while len(log) < plies and game.phase() is Phase.WAITING_FOR_MOVE:
        assert game.table.public_game is not None
        situation = game.table.public_game.situation()
        ways = Counter((each.source, each.target) for each in situation.prospects)
        near = [
            (source.name, target.name)
            for (source, target), count in ways.items()
            if count == 1 and target in game.rules.board.neighbours(source) and game.rank(source.name) not in _IMMOBILE
        ]
        occupied = {square.name for square in game.table.public_game.occupants()}
        attacks = [each for each in near if each[1] in occupied]
        source, target = chance.choice(attacks if attacks and chance.random() < 0.6 else near)
        log.append((source, target, chance.choice((1_000, 4_000, 16_000))))
        game.act(*log[-1])
    return log


def turned_about(game: Played) -> tuple[Armies, int]:
    """Return armies in which the pieces that neither moved nor met another one have changed places, and how many did."""
    other = {seat: dict(army) for seat, army in game.ranks.items()}
    for seat, army in other.items():
        free = [name for name in army if (seat, name) not in game.touched]
        ranks = [army[name] for name in free]
        army.update(zip(free, ranks[1:] + ranks[:1], strict=True))
    return other, sum(other[seat][name] is not army[name] for seat, army in game.ranks.items() for name in army)


@pytest.mark.parametrize(
    ("name", "mode"),
    [
        ("infiltrator", Mode.DECLARE),
        ("house", Mode.DECLARE),
        ("stratego4", Mode.DECLARE),
        ("stratego4", Mode.ENROL),
    ],
)
def test_games_of_every_kind(name: str, mode: Mode, tmp_path: Path) -> None:
    """Nor is there who thought how long about a secret answer, who answered first, and how long they set up."""
    house = None
    if name == "house":
        house = tmp_path / "kitchen.toml"
        house.write_text(_HOUSE)
    rules = rule_set(name) if house is None else load_rule_set(house)
    ranks = {
        seat: {at.name: rank for at, rank in generate(rules, seat, random.Random(3)).items()} for seat in rules.seats
    }
    one = Played(tmp_path / "1", ranks, rules, mode=mode)
    plies = walk(one, 30)
    others, changed = turned_about(one)
    two = Played(tmp_path / "2", others, rules, (7_500, 1_500), 77_000, mode=mode)
    for ply in plies:
        two.act(*ply)
    for game in (one, two):
        game.give_up()
    said = told(one.state, house=house)
    assert said == told(two.state, house=house)
    assert said["kiosk"][1][0] == "replay"
    assert (changed > 20, one.kinds().count("verdict") > 3, len(plies)) == (True, True, 30)


def test_hands_that_the_table_saw_tell(tmp_path: Path) -> None:
    """So that the tests above prove something: a move that came later is in the times, by its second."""
    for ms in (4_000, 9_000):
        game = Played(tmp_path / str(ms))
        game.act("e4", "e5", ms)
        game.give_up()
        assert json.loads(packed(game.state))["game"]["times"] == [ms // 1_000]


def test_no_word_of_a_rank_that_nobody_was_told(tmp_path: Path) -> None:
    """Whatever is drawn or said, at each ply and through all eyes, of a game in which nothing was captured."""
    game = Played(tmp_path)
    game.play(*OPENING)
    game.give_up()
    replay, english = read_replay(packed(tmp_path)), words("en")
    assert replay.last == len(OPENING)
    ranks = [english[f"rank.{rank.value}"].casefold() for rank in Rank]
    for at in range(replay.last + 1):
        said = [spoken_ply(replay, at, english)]
        for eyes in replay.eyes:
            state = replay_state(replay, at, eyes, english)
            assert state.board is not None
            said += [state.banner.text, state.detail]
            assert not [piece for piece in state.board.pieces if piece.rank or piece.number]
        text = " ".join(said).casefold()
        assert not [rank for rank in ranks if rank in text]


# ---- who may ask, and what


def test_a_stranger_learns_not_even_which_games_there_are(tmp_path: Path) -> None:
    """Who opens the address in the code at the kiosk, without a seat, is answered as for a game that is not there."""
    fought(tmp_path, DUEL)
    shelf = Shelf(tmp_path, Now, work)
    pages = LibraryPages(shelf, Response(200, "text/html", b"<the page>"), Seats(KeyPair(bytes(range(32))), tuple))

    def answer(path: str) -> tuple[int, object, object]:
        found = pages.answer(Request("GET", path, "192.168.1.7"))
        body = found.body if isinstance(found.body, bytes) else b"".join(found.body)
        return found.status, body if body.startswith(b"<") else sorted(json.loads(body)), dict(found.headers)

    for ending in ("", "/game.html", "/game.record"):
        assert answer(f"/games/g1{ending}") == answer(f"/games/{NAME}{ending}") == answer(f"/games/none{ending}")
        assert answer(f"/games/g1{ending}")[0] == 401


def test_nothing_is_asked_while_a_game_is_on() -> None:
    """At the table's desk; and where nobody may see games no note says so, nor is a wish heard."""
    asked: list[str] = []
    sent: list[KioskNote] = []
    playing = [True]
    desk = KioskDesk(
        (RED, BLUE),
        sent.append,
        lambda order: None,
        playing=lambda: playing[0],
        library=lambda wish: asked.append(wish.kind),
    )
    for wish in WISHES:
        desk.take(wish)
    assert asked == []
    playing[0] = False
    for wish in WISHES:
        desk.take(wish)
    assert asked == ["games", "replay"]
    sent.clear()
    shut = KioskDesk((RED, BLUE), sent.append, lambda order: None, playing=lambda: False)
    for wish in (KioskWish("hello"), *WISHES):
        shut.take(wish)
    assert not [note for note in sent if note.kind.startswith(("games", "replay"))]


def test_another_game_takes_what_was_seen_away(tmp_path: Path) -> None:
    """Once its info is there the kiosk holds neither replay nor list, also where parts come late."""
    game = fought(tmp_path, DUEL)
    heard = [KioskNote(kind, text) for kind, text in notes(tmp_path, *WISHES)]
    desk = Desk()
    for note in heard:
        desk = desk.after(note)
    assert desk.library is not None
    assert desk.library.replay is not None
    info = game.table.info()
    after = ReceivedState(broker=True, referee=True, info=info, desk=desk).after(_other(info))
    assert after.desk.library is not None
    assert (after.desk.library.replay, after.desk.library.found) == (None, None)
    late = after.after(heard[-1])
    assert late.desk.library is not None
    assert late.desk.library.replay is None


def _other(info: PublicInfo) -> PublicInfo:
    told_again = msgspec.to_builtins(info, str_keys=True)
    return msgspec.convert({**told_again, "game": "g2"}, type=PublicInfo)


def _strange() -> Iterator[KioskWish]:
    for name in (
        "",
        "x" * 8_000,
        "\0",
        "../" + NAME,
        f"{NAME}/../{NAME}",
        NAME.upper(),
        "é",
        "%67%31",
        ".",
        "g1\n",
        "G1",
    ):
        yield KioskWish("replay", name)
    for text in (
        "[",
        "7",
        "null",
        '"g1"',
        '{"player": ["Anna"]}',
        '{"before": "../.."}',
        '{"date": "' + "9" * 7_000 + '"}',
        "1" * 5_000,
    ):
        yield KioskWish("games", text)
    yield KioskWish("games", '{"player": "\\ud800", "rules": "\\u0000"}')


def test_strange_wishes_get_one_answer_each(tmp_path: Path) -> None:
    """No name becomes a path, what is no JSON looks for all games; nothing is lost, and the next wish is met."""
    fought(tmp_path, DUEL)
    asked = notes(tmp_path, KioskWish("games"))
    before = sorted((path.name, path.stat().st_size) for path in tmp_path.rglob("*") if path.is_file())
    for wish in _strange():
        (answer,) = notes(tmp_path, wish)
        assert answer == ("games-fault", "not-found") if wish.kind == "replay" else answer[0] == "games"
        assert "Traceback" not in answer[1]
    assert notes(tmp_path, KioskWish("games")) == asked
    assert sorted((path.name, path.stat().st_size) for path in tmp_path.rglob("*") if path.is_file()) == before
