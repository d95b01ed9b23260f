"""A station's real server and pages over made-up tables and a made-up event: every alert, every reason, every kind of event."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from referee.journal.events import EVENTS
from referee.net.links.referee_link import alerts_of
from referee.net.topics.payloads import (
    Alert,
    AlertKind,
    ArbiterAck,
    Bridge,
    FromBoard,
    HandSign,
    Happened,
    Occasion,
    Presence,
    SquareFacts,
    Status,
    Step,
)
from referee.rules import rule_set
from referee.rules.values import Rank, Seat
from referee.table.projections import board_shape
from referee.table.views import (
    Ask,
    Attack,
    ClockFace,
    Fix,
    GameEnd,
    Health,
    LastMove,
    Mode,
    Phase,
    PublicEvent,
    PublicInfo,
    PublicView,
    Reveal,
)
from referee.tournament.event.acts import BY_NAME
from referee.tournament.event.event import (
    Bye,
    ByeKind,
    Event,
    EventId,
    Pairing,
    Player,
    PlayerNumber,
    Reason,
    ReasonWord,
    Result,
    Round,
    System,
    TieBreak,
)
from referee.tournament.hall.accounts import RefusedError, Role, Session
from referee.tournament.hall.pages import StationServer
from referee.tournament.hall.rounds import Rounds
from referee.tournament.hall.station import Ordering, Station
from referee.tournament.hall.tables import HallTables, Json
from referee.tournament.store import Stored, open_store
from tests.door.thread_door import ThreadDoor

GAME = "game-1"
NAMES = ("Ada van der Akkerhuizen", "Bram Berg", "Cleo Claes", "Daan Dijk", "Emil Elst", "Femke Fabre", "Gus Groen")
EVENT_NAME, JUNIORS = "Hallmarshal Open", "Hallmarshal Juniors"
_RULES = rule_set("original")


def _view(**changed: Any) -> PublicView:
    zones = {seat: _RULES.zone(seat) for seat in (Seat.RED, Seat.BLUE)}
    plain = PublicView(
        board_id="t1",
        game=GAME,
        seq=120,
        phase=Phase.WAITING_FOR_MOVE,
        turn=Seat.RED,
        ply=37,
        occupants={square.name: seat for seat, squares in zones.items() for square in squares},
        captured={Seat.RED: {Rank.SCOUT: 2}, Seat.BLUE: {Rank.MINER: 1}},
        last_move=LastMove(Seat.BLUE, "a7", "a6", False),
        connected={Seat.RED: True, Seat.BLUE: True},
        clocks={Seat.RED: ClockFace(754_000, False), Seat.BLUE: ClockFace(1_502_000, False)},
        chain=f"1137:{'3f2a9c01d4e87b65':0<64}",
        signed=("red", "station") if "result" in changed else (),
    )
    return replace(plain, **changed)


VIEWS: Mapping[str, PublicView] = {
    "called": _view(phase=Phase.PAUSED, called=(Seat.RED,)),
    "illegal-move": _view(phase=Phase.RESTORING, ask=Ask.ILLEGAL_MOVE, fixes=(Fix("a4", Seat.RED), Fix("a5", None))),
    "claim": _view(phase=Phase.WAITING_FOR_DECLARATIONS, ask=Ask.CONFIRM_CLAIM, waiting_for=(Seat.BLUE,)),
    "time-over": _view(clocks={Seat.RED: ClockFace(0, False), Seat.BLUE: ClockFace(61_000, False)}),
    "disturbed": _view(phase=Phase.RESTORING, ask=Ask.DISTURBED, fixes=(Fix("c3", Seat.RED),)),
    "board-lost": _view(board_connected=False, board_fault="silent", health=(Health.SILENT,)),
    "board-health": _view(health=(Health.BROWN_OUT,)),
    "no-answer": _view(phase=Phase.PAUSED, attack=Attack(Seat.RED, "d4", "d5"), waiting_for=(Seat.BLUE,)),
    "thrown-off": _view(),
    "link-lost": _view(connected={Seat.RED: True, Seat.BLUE: False}),
    "repetition": _view(bars={"e4": ("e5",)}),
    "time": _view(clocks={Seat.RED: ClockFace(59_000, True), Seat.BLUE: ClockFace(600_000, False)}),
    "paused": _view(phase=Phase.PAUSED, turn=Seat.BLUE),
    "none": _view(phase=Phase.WAITING_FOR_DECLARATIONS),
    "finished": _view(phase=Phase.FINISHED, result=GameEnd(Seat.BLUE, "no-progress"), turn=None),
}
"""The views that make each alert; the boards are named after them, the first of all is shown whole."""
_LIVE = ("finished", "time")
BESIDES = ("cut", "away", "empty", "result-noted", "other-game")
"""Boards whose state no view tells."""


def info(board: str, number: int = 0) -> PublicInfo:
    """Return the info of a board's game."""
    names = {Seat.RED: NAMES[number % len(NAMES)], Seat.BLUE: NAMES[(number + 1) % len(NAMES)]}
    return PublicInfo(
        board_id=board,
        game=GAME,
        version="0",
        rule_set="original",
        mode=Mode.DECLARE,
        reveal=Reveal.BOOK,
        seats=(Seat.RED, Seat.BLUE),
        army={},
        board=board_shape(_RULES.board),
        names=names,
    )


def tables() -> HallTables:
    """Return a hall with a board for each of `VIEWS` and `BESIDES`."""
    made = HallTables((*VIEWS, *BESIDES))
    for number, (board, view) in enumerate(VIEWS.items()):
        fill(made, board, view, number)
    fill(made, "away", _view(), 3, up=False)
    fill(made, "cut", _view(), 4)
    made.take(FromBoard("cut", Bridge.CUT))
    for number, word in enumerate(("result-noted", "other-game"), 5):
        fill(made, word, _view(), number)
    made.tell_stuck({word: word for word in ("result-noted", "other-game")}, ("result-noted", "other-game"))
    for event in history():
        made.take(FromBoard("called", event))
    return made


def fill(hall: HallTables, board: str, view: PublicView, number: int, up: bool = True) -> None:
    """Have a hall take all that a board publishes."""
    occasion = Occasion("cup", 2, number + 1)
    hall.take(FromBoard(board, Status(up, 1, "0" * 16, occasion, GAME)))
    hall.take(FromBoard(board, info(board, number)))
    hall.take(FromBoard(board, replace(view, board_id=board)))
    also = (Alert(AlertKind.THROWN_OFF, Seat.BLUE),) if board == "thrown-off" else ()
    hall.take(FromBoard(board, alerts_of(view, also)))
    for seat, here in view.connected.items():
        hall.take(FromBoard(board, Presence(here), seat))


_TEXTS: Mapping[str, tuple[str, ...]] = {
    "ask": tuple(ask.value for ask in Ask),
    "paused": ("no-answer", "asked", "interrupted", "arbiter", "adjourned", "round-over"),
    "end": ("flag", "agreed", "ruled"),
    "move.refused": ("two-squares", "chase", "situation"),
    "board.link": ("back", *(health.value for health in Health)),
    "clock.adjusted": ("90000",),
    "plies.taken-back": ("arbiter", "agreed"),
    "draw.refused": ("played-on",),
    "resigned": ("clock",),
    "infiltrate": ("scout",),
    "board.health": ("well", "brown-out queue-full"),
}
_SILENT = {"declared", "accepted", "reopened", "journal.salvaged"}
"""Types of the journal that are no public event."""


def history() -> Iterator[PublicEvent]:
    """Yield a public event of every kind, with every word that it can have."""
    seq = 0
    for kind in (kind for kind in EVENTS if kind not in _SILENT):
        for text in _TEXTS.get(kind, (None,)):
            seq += 1
            result = "attacker-wins" if kind == "verdict" else None
            yield PublicEvent(GAME, seq, kind, seq, Seat.RED, "a4", "a5", result=result, text=text)


def event() -> Event:
    """Return an event in its second round, with a draft of the third that has every reason."""
    players = tuple(
        Player(PlayerNumber(number), name, 1500 + number, "NED" if number % 2 else "")
        for number, name in enumerate(NAMES, 1)
    )
    one, two, three, four, five, six, seven = (player.number for player in players)
    about = {ReasonWord.FLOATS_DOWN, ReasonWord.SEAT_LIMIT, ReasonWord.SEAT_STRONGER, ReasonWord.SEAT_HIGHER}
    words = [Reason(word, one if word in about else None) for word in ReasonWord if word is not ReasonWord.WITHDRAWN]
    gone = Reason(ReasonWord.WITHDRAWN, six)

    def paired(*results: Result | None) -> tuple[Pairing, ...]:
        pairs = ((one, two), (three, four), (five, six))
        return tuple(
            Pairing(table, *pair, result, (words[0],))
            for table, (pair, result) in enumerate(zip(pairs, results, strict=True), 1)
        )

    first = Round(
        1, paired(Result.RED_WINS, Result.DRAW, Result.BLUE_ABSENT), (Bye(seven, ByeKind.PAIRING, tuple(words[10:12])),)
    )
    second = Round(
        2, paired(Result.BOTH_LOSE, None, None), (Bye(seven, ByeKind.HALF, (Reason(ReasonWord.REQUESTED),)),)
    )
    draft = Round(
        3,
        (
            Pairing(1, one, four, None, tuple(words[:4])),
            Pairing(2, three, two, None, tuple(words[4:9])),
            Pairing(3, five, seven, None, (*words[9:], gone)),
        ),
        (Bye(six, ByeKind.ZERO, (gone,)),),
    )
    return Event(EventId("cup"), EVENT_NAME, 5, players=players, rounds=(first, second), draft=draft)


FACTS = SquareFacts(
    "a6",
    Seat.BLUE,
    "a10",
    (Step(3, "a10", "a7", True), Step(36, "a7", "a6", False)),
    2,
    True,
    1,
    (HandSign(1_790_000_000_000, "a6", "lifted", 36), HandSign(1_790_000_001_000, "a6", "returned", 36)),
)


def log() -> list[Json]:
    """Return a log with an entry of every act."""
    given = {"round": 2, "table": 1, "other": 3, "result": "draw", "number": 2, "kind": "half", "players": [1, 2]}
    more = {"red": 3, "blue": 4, "tables": {"1": "red", "2": "both-absent"}, "name": NAMES[4], "present": True}
    words = (*BY_NAME, "create", "forget", "changed", "adopt", "clock", "undo")
    told = [{"act": word, "given": given | more, "who": "Ann", "why": ""} for word in words]
    told += [
        {"act": "check-in", "given": {**given, "present": False}, "who": NAMES[0], "why": ""},
        {"act": "pair-rule", "given": {**given, "kind": None}, "who": "Ann", "why": "12"},
        {
            "act": "board-results",
            "given": {"round": 2, "tables": {"1": "red", "2": "both-absent"}},
            "who": "station",
            "why": "",
        },
    ]
    return [
        {**one, "revision": at, "at_ms": 1_790_000_000_000 + 1000 * at, "undone": at == 5, "undoable": at % 2 == 0}
        for at, one in enumerate(told, 1)
    ]


class ShownHall:
    """What the pages ask of a station, made up. Everybody is the chief, and `refuses` nothing."""

    event_changes = 0

    def __init__(self, folder: Path) -> None:
        self.tables = tables()
        self.link = SimpleNamespace(up=True)
        self.sessions = SimpleNamespace(end=lambda secret: None)
        self.spectators = SimpleNamespace(changed=self.live, delay_s=900.0)
        self.kept_events = lambda: [Stored(event(), 1)]
        self.ordering = SimpleNamespace(order=self.ordered)
        self.refuses, self.secure = "", True
        self.first_chief = SimpleNamespace(is_awaited=False)
        self.office = SimpleNamespace(told=self.office_told, act=self.office_act)
        with _Stored(folder) as rounds:
            self.event = rounds.event()
        self.event["rounds"][-1]["ends"] = {"at_ms": 1_790_000_000_000, "at_end": "draw"}
        self.event["doubles"] = [{"round": 2, "table": 1, "says": result.value} for result in Result]
        self.event["check_in"] = {"round": 3, "present": [1, 2]}
        for player in self.event["players"]:
            player["present"] = player["number"] < 3
        self.event["groups"] = [{"name": "A", "players": [1, 2, 3]}]
        for line in self.event["standings"]:
            line["group"] = "A"
        self.event["requested"] = [{"number": 4, "round": number, "kind": "half"} for number in (2, 3, 5)]
        self.event["pair_rules"] = [
            {"players": [1, 2], "kind": "forced", "round": 3},
            {"players": [3, 4], "kind": "forbidden", "round": 3},
            {"players": [5, 6], "kind": "forbidden", "round": None},
        ]
        self.played = SimpleNamespace(event=lambda: self.event, act=self.event_act, log=log)
        self.event["stuck"] = [{"table": 2, "why": "result-noted"}, {"table": 3, "why": "other-game"}]

    def teams(self) -> Json:
        """Return an event with all that only those of teams and knock-outs have."""
        stages = [
            [{"sides": [1, 2], "winner": 1, "over": True}, {"sides": [3, None], "winner": 3, "over": True}],
            [{"sides": [1, 3], "winner": None, "over": False}],
        ]
        teams = [{"number": 1, "name": NAMES[0], "players": [1, 2]}, {"number": 2, "name": NAMES[1], "players": [3, 4]}]
        last = {
            **self.event["rounds"][-1],
            "matches": [{"teams": [1, 2], "points": ["13", "8"], "tables": [1, 2]}],
        }
        return {
            **self.event,
            "id": "juniors",
            "name": JUNIORS,
            "system": "knock-out",
            "groups": [],
            "bracket": stages,
            "team_boards": 2,
            "teams": teams,
            "team_standings": self.event["standings"][:2],
            "rounds": [*self.event["rounds"][:-1], last],
            "draft": None,
            "doubles": [],
            "stuck": [],
        }

    def event_act(self, *given: Any) -> Json:
        """Do nothing; or, where it `refuses`, tell what was done meanwhile."""
        if self.refuses:
            raise RefusedError(self.refuses, changes=log()[:3])
        return self.event

    def office_told(self, secure: bool) -> Json:
        """Return what a chief sets up, as over https."""
        about = {"system": "swiss", "players": 7, "round": 2, "planned": 5, "tables": [], "names": None}
        events = [{**one, **about, "plays": one["id"] == "cup"} for one in self.named_events()]
        boards = [{"number": number, "board": board, "up": number < 3} for number, board in enumerate(VIEWS, 1)]
        return {
            "secure": self.secure,
            "accounts": [{"name": name, "role": role} for name, role in (("Ann", "chief"), (NAMES[0], "arbiter"))],
            "tables": boards[:4],
            "events": events,
            "systems": [system.value for system in System],
            "tie_breaks": [tie_break.value for tie_break in TieBreak],
        }

    def office_act(self, who: Session, name: str, given: Mapping[str, Any], secure: bool) -> Json:
        """Answer every act with two passes."""
        code = ["".join("10"[(x * y + x) % 3 % 2] for x in range(33)) for y in range(33)]
        passes = [{"board": board, "text": "{}", "code": code} for board in list(VIEWS)[:2]]
        return {**self.office_told(secure), "passes": passes}

    def playing(self, event_id: str = "") -> SimpleNamespace:
        """Return the event that is asked for."""
        return SimpleNamespace(event=self.teams, act=self.event_act, log=log) if event_id else self.played

    def event_names(self) -> Json:
        """Return the names of its events."""
        return {one["id"]: one["name"] for one in self.named_events()}

    def named_events(self) -> list[Json]:
        """Return two events."""
        return [{"id": "cup", "name": EVENT_NAME}, {"id": "juniors", "name": JUNIORS}]

    def log_in(self, wanted: Mapping[str, Any], address: str) -> str:
        """Let everybody in."""
        return "secret"

    def find(self, secret: str) -> Session | None:
        """Know everybody who has logged in."""
        return Session("Ann", Role.CHIEF, float("inf")) if secret else None

    def told_of(self, session: Session) -> Json:
        """Return what a page shows of the session."""
        return {
            "name": session.name,
            "role": session.role.value,
            "screen_key": "key",
            "signs_with": "_0123456789abcdef" * 2,
        }

    def live(self, after: int) -> tuple[int, list[Json]]:
        """Return two of the tables as spectators see them, once."""
        change, changed = self.tables.wait(after, 0)
        wholes = (self.tables.whole(table["board"]) for table in changed if table["board"] in _LIVE)
        return change, [whole for whole in wholes if whole is not None]

    def ordered(self, who: Session, wanted: Mapping[str, Any]) -> ArbiterAck:
        """Answer an order; `refuses` is the word with which it is refused."""
        happened = tuple(
            Happened(
                1_790_000_000_000, one.seq, one.kind, one.ply, one.seat, one.source, one.target, one.result, one.text
            )
            for one in history()
        )
        done = not self.refuses
        return ArbiterAck("x", done, self.refuses or "done", GAME, 120, "", FACTS, happened)


class _Stored:
    """The event in a store, as the station's pages get it."""

    def __init__(self, folder: Path) -> None:
        self._store = open_store(folder / "events.db")
        self._store.create(event())

    def __enter__(self) -> Rounds:
        hall = HallTables(())
        return Rounds(self._store, EventId("cup"), hall, Ordering(hall, lambda order: True).send)

    def __exit__(self, *_: object) -> None:
        self._store.close()


@contextmanager
def shown(folder: Path) -> Iterator[tuple[ShownHall, str]]:
    """Yield a made-up hall and the address of its pages."""
    hall = ShownHall(folder)
    server = StationServer.start("127.0.0.1", 0, cast(Station, hall), open_door=ThreadDoor)
    try:
        yield hall, f"http://127.0.0.1:{server.port}"
    finally:
        hall.tables.end()
        server.stop()
