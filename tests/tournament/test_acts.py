"""What arbiters do, by its word as pages do it: what it makes of the event, what the log says, and taking it back."""

from __future__ import annotations

import contextlib
import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.tournament.event import acts
from referee.tournament.event.event import ActError, ByeKind, Event, EventError, EventId, Result, players_in
from referee.tournament.event.reports import event_as_told
from referee.tournament.event.standings import cells_of, standings
from referee.tournament.store import Note, StaleError, Store
from tests.amount import tries
from tests.tournament.playing import new_event

ID = EventId("test")


class Desk:
    """An arbiter at one event of a store in memory of the test."""

    def __init__(self, store: Store, event: Event | None = None) -> None:
        self.store = store
        self.revision = store.create(event or new_event(6, 4, seed=1), Note("Ada", "made")).revision

    def __call__(self, word: str, why: str = "", who: str = "Ada", **given: Any) -> Event:
        kept = self.store.act(ID, self.revision, word, given, Note(who, why))
        self.revision = kept.revision
        assert self.store.load(ID) == kept
        return kept.event

    def refused(self, word: str, **given: Any) -> str:
        """Return the word of the refusal; nothing is changed."""
        before = self.store.load(ID)
        with pytest.raises(ActError) as caught:
            self(word, **given)
        assert self.store.load(ID) == before
        return caught.value.word

    def round(self, result: str = "red") -> Event:
        """Pair, publish and play a round."""
        self("pair")
        event = self("publish")
        for table in event.rounds[-1].open_tables:
            event = self("result", round=len(event.rounds), table=table, result=result)
        return event

    def log(self) -> list[dict[str, Any]]:
        """Return the log as pages get it."""
        return [entry.as_told() for entry in self.store.log(ID)]


@pytest.fixture
def desk(store: Store) -> Desk:
    """Return a desk with an event of six."""
    return Desk(store)


def test_renamed_and_taken_in_again(desk: Desk) -> None:
    """The number stays; the rounds between are zero byes, so that no standing changes; who never left is not taken in."""
    assert desk("edit", number=2, name="Bo", federation="DEN", rating=7).players[1].name == "Bo"
    assert desk.refused("edit", number=2, name="P1") == "namesake"
    desk("pair")
    desk("publish")
    assert desk.refused("edit", number=2, name="Bob") == "still-playing"
    for table in (1, 2, 3):
        desk("result", round=1, table=table, result="red")
    desk("withdraw", number=2)
    gone = desk.round()
    back = desk("reinstate", number=2)
    assert [(line.place, line.points) for line in standings(back)] == [
        (line.place, line.points) for line in standings(gone)
    ]
    assert cells_of(back) == cells_of(gone)
    assert back.rounds[1].byes[-1].kind is ByeKind.ZERO or back.rounds[1].byes[0].kind is ByeKind.ZERO
    assert desk.refused("reinstate", number=2) == "not-withdrawn"
    assert 2 in set(players_in(desk.round().rounds[-1]))


def test_a_round_is_taken_back_until_it_has_a_result(desk: Desk) -> None:
    """It is a draft again, just as it was."""
    assert desk.refused("unpublish") == "no-round"
    draft = desk("pair").draft
    desk("publish")
    assert desk("unpublish").draft == draft
    desk("publish")
    desk("result", round=1, table=1, result="draw")
    assert desk.refused("unpublish") == "has-result"
    desk("correct", round=1, table=1, result=None)
    desk("unpublish")
    assert desk("discard").draft is None
    assert desk.refused("discard") == "no-draft"


def test_who_is_not_checked_in_is_free(desk: Desk) -> None:
    """For no points and with a reason, in that round alone; who enters at the desk is there."""
    for number in (1, 2, 3):
        desk("check-in", round=1, number=number, present=True)
    desk("check-in", round=1, number=3, present=False)
    desk("enter", name="walk-in")
    draft = desk("pair").draft
    assert draft is not None
    away = {bye.player: (bye.kind, *map(str, bye.reasons)) for bye in draft.byes if bye.kind is ByeKind.ZERO}
    assert away == dict.fromkeys((3, 4, 5, 6), (ByeKind.ZERO, "not-present"))
    assert desk("publish").check_in is None
    assert desk.refused("check-in", round=1, number=1, present=True) == "round-published"
    desk("check-in-open", round=2, present=[1, 2])
    assert desk("check-in-end").check_in is None


def test_pairings_forced_and_forbidden(desk: Desk) -> None:
    """Two who would not meet do, with the reason; those who may not never do; where nothing is left nobody is paired."""
    draft = desk("pair").draft
    assert draft is not None
    one, two = draft.pairings[0].players
    other = draft.pairings[1].red
    desk("pair-rule", players=[one, other], kind="forced", round=1)
    draft = desk("pair").draft
    assert draft is not None
    forced = [pairing for pairing in draft.pairings if set(pairing.players) == {one, other}]
    assert [str(forced[0].reasons[0])] == ["forced"]
    desk("pair-rule", players=[one, other], kind=None, round=1)
    assert desk.refused("pair-rule", players=[one, other], kind=None, round=1) == "no-rule"
    for number in range(1, 7):
        if number not in (one, two, other):
            desk("pair-rule", players=[number, one], kind="forbidden", round=None)
    desk("pair-rule", players=[other, one], kind="forbidden", round=1)
    draft = desk("pair").draft
    assert draft is not None
    assert any(set(pairing.players) == {one, two} for pairing in draft.pairings)
    desk("pair-rule", players=[two, one], kind="forbidden", round=None)
    assert desk.refused("pair") == "no-round"


def test_two_who_are_free_play_each_other(desk: Desk) -> None:
    """A late player meets who was free, at a new table; the bye was none then."""
    desk("check-in-open", round=1, present=[1, 2, 3])
    desk("pair")
    free = desk("publish").rounds[0].byes
    lucky = next(bye.player for bye in free if bye.kind is ByeKind.PAIRING)
    assert desk.refused("pair-free", round=1, red=4, blue=4) == "not-free"
    last = desk("pair-free", round=1, red=4, blue=lucky).rounds[0]
    assert (last.pairings[-1].players, last.pairings[-1].table, len(last.byes)) == ((4, lucky), 2, 2)
    assert desk.refused("pair-free", round=1, red=5, blue=lucky) == "not-free"
    reasons = []
    for number, result in enumerate(("red-absent", "draw"), 1):  # they have not met, then they have
        *others, table = last.open_tables
        for other in others:
            desk("result", round=number, table=other, result="red")
        desk("result", round=number, table=table, result=result)
        for player in (4, lucky):
            desk("bye", number=player, round=number + 1, kind="zero")
        desk("pair")
        desk("publish")
        last = desk("pair-free", round=number + 1, red=4, blue=lucky).rounds[-1]
        reasons.append([str(reason) for reason in last.pairings[-1].reasons])
    assert reasons == [["paired-late"], ["paired-late", "rematch-unavoidable"]]


def test_all_rounds_can_be_corrected(desk: Desk) -> None:
    """Result, seats and bye of a round long over; a result taken away there holds up the next round."""
    desk("bye", number=6, round=1, kind="zero")
    desk.round()
    first = desk.round().rounds[0].pairings[0]
    desk("correct", round=1, table=1, result="blue")
    turned = desk("correct-seats", round=1, table=1).rounds[0].pairings[0]
    assert (turned.players, turned.result) == ((first.blue, first.red), Result.RED_WINS)
    event = desk("correct-bye", round=1, number=6, kind="half")
    assert cells_of(event)[event.players[5].number][0].points == 3
    desk("correct", round=1, table=2, result=None)
    assert desk.refused("pair") == "open-tables"


def test_the_log_says_who_what_and_why_and_takes_back(desk: Desk) -> None:
    """Undo is an act too, and may be undone; what a later act rests on cannot be taken back before that."""
    desk("settings", "longer", rounds=5, tie_breaks=["sonneborn-berger"], junk="no")
    desk("pair")
    desk("publish", who="Bram")
    desk("result", round=1, table=1, result="red")
    wrong = desk.revision
    desk("result", round=1, table=2, result="blue")
    assert [(e["act"], e["who"], e["why"], e["given"]) for e in desk.log()[:3]] == [
        ("create", "Ada", "made", {}),
        ("settings", "Ada", "longer", {"rounds": 5, "tie_breaks": ["sonneborn-berger"]}),
        ("pair", "Ada", "", {"round": 1}),
    ]
    assert desk.refused("undo", entry=4) == "not-last"  # results have come since
    event = desk("undo", "wrong slip", entry=wrong)
    assert event.rounds[0].open_tables == (1, 3)
    assert [e["undone"] for e in desk.log()] == [False] * 4 + [True, False, False]
    assert desk.refused("undo", entry=wrong) == "not-last"
    assert desk("undo", entry=desk.revision).rounds[0].open_tables == (3,)
    assert not any(e["undone"] for e in desk.log()[:6])
    assert json.loads(json.dumps(event_as_told(event)))["planned"] == 5


def test_who_comes_second_hears_what_changed(desk: Desk) -> None:
    """The log since what he saw; what changes nothing is no act."""
    seen = desk.revision
    desk("withdraw", "ill", number=3)
    with pytest.raises(StaleError):
        desk.store.act(ID, seen, "withdraw", {"number": 4}, Note("Bram"))
    assert [(e.note.who, e.note.act, e.note.given) for e in desk.store.log(ID, seen)] == [
        ("Ada", "withdraw", {"number": 3})
    ]
    before = desk.revision
    desk("check-in-end")
    assert desk.revision == before


def test_a_name_goes_from_the_log_too(desk: Desk, place: str) -> None:
    """Also a name that he had before, as one who entered, and in a reason; what his acts were stays, and can be taken back."""
    desk("enter", name="Zwölf Änne")
    desk("edit", "Zwölf wants it", number=7, name="Anna Dreizehn")
    desk("settings", "as Dreizehn asked", who="Anna Dreizehn", rounds=6)
    assert desk.store.forget("Anna Dreizehn".__eq__) == [("test", 7)]
    assert [e["act"] for e in desk.log()] == ["create", "enter", "edit", "settings", "forget"]
    for file in () if "://" in place else Path(place).parent.iterdir():
        assert not [word for word in ("Zwölf", "Zw\\u00f6lf", "Dreizehn") if word.encode() in file.read_bytes()]
    desk.revision += 1
    assert desk("undo", entry=4).rounds_planned == 4
    assert desk("undo", entry=3).players[6].name == "#7"


WORDS = st.sampled_from(sorted(acts.BY_NAME))
VALUES: st.SearchStrategy[Any] = st.one_of(
    st.integers(-1, 8), st.sampled_from(["half", "red", "forced", "x", "", None, True, [1, 2], [], {}])
)


@settings(max_examples=tries(25))
@given(
    steps=st.lists(
        st.tuples(
            WORDS, st.fixed_dictionaries({}, optional={key: VALUES for keys in acts.KEYS.values() for key in keys})
        ),
        max_size=25,
    ),
    seed=st.integers(0, 9),
)
def test_any_act_is_done_or_refused(steps: list[tuple[str, dict[str, Any]]], seed: int) -> None:
    """Whatever a page sends: an event that holds, or one of the errors that it promises."""
    event = new_event(5, 3, seed=seed)
    for word, asked in steps:
        try:
            event = acts.BY_NAME[word](event, asked)
        except (EventError, KeyError, TypeError, ValueError):
            continue
        json.dumps(event_as_told(event))


@pytest.mark.parametrize("seed", range(3))
def test_all_is_undone_back_to_the_beginning(desk: Desk, seed: int) -> None:
    """Some acts, then everything undone, the newest first: the event is what it was; and undone again, all is there again."""
    start = desk.store.load(ID).event
    for word, asked in random.Random(seed).choices(_LIKELY, k=30):
        with contextlib.suppress(EventError):
            desk(word, **asked)
    middle, done = desk.store.load(ID).event, desk.revision
    assert done > 8
    for revision in range(done, 1, -1):
        desk("undo", entry=revision)
    assert desk.store.load(ID).event == start
    for revision in range(desk.revision, done, -1):
        desk("undo", entry=revision)
    assert desk.store.load(ID).event == middle


_LIKELY: list[tuple[str, dict[str, Any]]] = [
    ("pair", {}),
    ("publish", {}),
    ("unpublish", {}),
    ("result", {"round": 1, "table": 1, "result": "red"}),
    ("result", {"round": 1, "table": 2, "result": "draw"}),
    ("correct", {"round": 1, "table": 1, "result": None}),
    ("withdraw", {"number": 3}),
    ("reinstate", {"number": 3}),
    ("enter", {"name": "late"}),
    ("edit", {"number": 1, "name": "other"}),
    ("bye", {"number": 2, "round": 1, "kind": "half"}),
    ("check-in", {"round": 1, "number": 4, "present": True}),
    ("pair-rule", {"players": [1, 2], "kind": "forced", "round": 1}),
    ("settings", {"rounds": 9, "tables": [4, 5, 6]}),
]
