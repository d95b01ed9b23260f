"""A set-up while it is made, in the browser: whatever is tapped, dragged or read, no piece is lost, doubled or out of place."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from playwright.sync_api import Browser, Page

from referee.journal.records.set_up_text import write_set_up
from referee.rules import check_set_up, rule_set
from referee.rules.set_up import FaultKind
from referee.rules.values import Rank, Seat, Square
from referee.runtime.set_ups import generate
from tests.web.gallery import gallery
from tests.web.set_up_sheets import SITTINGS, announced, in_page, plain, ranks

pytestmark = pytest.mark.process

Act = dict[str, Any]

PLAY = """
    const one = sheet.sheetOf(given.info, given.seat);
    let seed = given.acts.length;
    const chance = () => (seed = (seed * 16807 + 11) % 2147483647) / 2147483647;
    let now = state.begin();
    const seen = [];
    const look = () => seen.push({
        placed: Object.fromEntries(now.draft.placed), picked: now.draft.picked, past: now.draft.past.length, faults: now.faults.length,
        checked: sheet.check(one, now.draft.placed), left: Object.fromEntries(sheet.left(one, now.draft.placed)),
    });
    look();
    for (const act of given.acts) { now = state.update(one, now, { ...act, chance }); look(); }
    const undone = [];
    while (now.draft.past.length) { now = state.update(one, now, { type: "undo" }); undone.push(Object.fromEntries(now.draft.placed)); }
    return { seen, undone };
"""


@pytest.fixture(scope="module")
def page(browser: Browser) -> Iterator[Page]:
    """A page of the browser with the entry's modules within reach."""
    with gallery(browser) as opened:
        yield opened


def play(page: Page, rules: str, seat: Seat, acts: list[Act]) -> tuple[list[Act], list[dict[str, str]]]:
    """Do these acts. Returns what there was before and after each, and then what each undo gave back."""
    found = in_page(page, "sheet state", PLAY, {"info": plain(announced(rules)), "seat": seat.value, "acts": acts})
    return found["seen"], found["undone"]


def taps(*what: str) -> list[Act]:
    """Return taps on ranks of the tray and on squares."""
    named = {rank.value for rank in Rank}
    return [{"type": "tray", "rank": each} if each in named else {"type": "square", "square": each} for each in what]


def whole(rules: str, seat: Seat, seed: int) -> dict[Square, Rank]:
    """Return a made-up set-up."""
    return generate(rule_set(rules), seat, random.Random(seed))


STORY: list[tuple[Act, dict[str, str], Act | None]] = [
    (taps("miner")[0], {}, {"rank": "miner"}),
    (taps("a1")[0], {"a1": "miner"}, {"rank": "miner"}),  # the next miner is in the hand at once
    (taps("b1")[0], {"a1": "miner", "b1": "miner"}, None),  # there are only two
    (taps("c1")[0], {"a1": "miner", "b1": "miner"}, None),
    (taps("miner")[0], {"a1": "miner", "b1": "miner"}, None),
    (taps("flag")[0], {"a1": "miner", "b1": "miner"}, {"rank": "flag"}),
    (taps("a1")[0], {"a1": "flag", "b1": "miner"}, None),  # who stood there is back in the tray
    (taps("a1")[0], {"a1": "flag", "b1": "miner"}, {"square": "a1"}),
    (taps("b1")[0], {"a1": "miner", "b1": "flag"}, None),  # two squares that are tapped change what stands on them
    (taps("b1")[0], {"a1": "miner", "b1": "flag"}, {"square": "b1"}),
    (taps("j4")[0], {"a1": "miner", "j4": "flag"}, None),
    (taps("j4")[0], {"a1": "miner", "j4": "flag"}, {"square": "j4"}),
    (taps("j4")[0], {"a1": "miner", "j4": "flag"}, None),
    (taps("a1")[0], {"a1": "miner", "j4": "flag"}, {"square": "a1"}),
    (taps("spy")[0], {"j4": "flag"}, None),  # a piece that was picked, then the tray: it goes back
    ({"type": "undo"}, {"a1": "miner", "j4": "flag"}, None),
    ({"type": "drop", "from": {"rank": "bomb"}, "to": "j4"}, {"a1": "miner", "j4": "bomb"}, None),
    ({"type": "drop", "from": {"square": "j4"}, "to": "a1"}, {"a1": "bomb", "j4": "miner"}, None),
    ({"type": "drop", "from": {"square": "a1"}, "to": None}, {"j4": "miner"}, None),
    ({"type": "mirror"}, {"a4": "miner"}, None),
    ({"type": "square", "square": "a9"}, {"a4": "miner"}, None),
    ({"type": "clear"}, {}, None),
    ({"type": "undo"}, {"a4": "miner"}, None),
]


def test_what_a_thumb_does(page: Page) -> None:
    """Place, replace, swap, move, let go, take back, drag, mirror, clear, undo: each with what stands then and what is in hand."""
    seen, _ = play(page, "duel", Seat.RED, [act for act, _, _ in STORY])
    assert [(step["placed"], step["picked"]) for step in seen[1:]] == [(placed, picked) for _, placed, picked in STORY]


def any_act(rules: str, seat: Seat) -> st.SearchStrategy[Act]:
    """Return a strategy for acts in a game, some on squares outside the zone and with ranks not of the army."""
    squares = [square.name for square in (*rule_set(rules).zone(seat)[:12], *rule_set(rules).board.squares[-2:])]
    places = st.sampled_from(squares)
    army = st.sampled_from([rank.value for rank in Rank])
    whence: st.SearchStrategy[Act] = st.one_of(st.builds(dict, rank=army), st.builds(dict, square=places))
    read = st.builds(lambda seed: {"type": "load", "text": _text(rules, seat, seed)}, st.integers(0, 9))
    return st.one_of(
        st.builds(lambda rank: {"type": "tray", "rank": rank}, army),
        st.builds(lambda square: {"type": "square", "square": square}, places),
        st.builds(lambda source, to: {"type": "drop", "from": source, "to": to}, whence, st.none() | places),
        st.sampled_from(["random", "mirror", "clear", "undo"]).map(lambda kind: {"type": kind}),
        read,
    )


def _text(rules: str, seat: Seat, seed: int) -> str:
    return write_set_up(
        announced(rules), seat, {square.name: rank for square, rank in whole(rules, seat, seed).items()}
    )


@st.composite
def sessions(draw: st.DrawFn) -> tuple[str, Seat, list[Act]]:
    """Draw a game, a chair and what is done there."""
    rules, seat = draw(st.sampled_from(SITTINGS))
    return rules, seat, draw(st.lists(any_act(rules, seat), min_size=1, max_size=20))


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(session=sessions())
def test_no_piece_is_lost_or_doubled(page: Page, session: tuple[str, Seat, list[Act]]) -> None:
    """Whatever is done: squares of the zone, ranks of the army, none too often; the tray has the rest; undo gives all back."""
    rules, seat, acts = session
    seen, undone = play(page, rules, seat, acts)
    army = {rank.value: count for rank, count in rule_set(rules).army.items()}
    zone = {square.name for square in rule_set(rules).zone(seat)}
    for step in seen:
        placed = step["placed"]
        assert set(placed) <= zone
        assert Counter(placed.values()) + Counter(step["left"]) == Counter(army)
        assert step["checked"]["missing"] == sum(army.values()) - len(placed)
    history = [step["placed"] for step in seen]
    changes = [one for one, after in pairwise(history) if one != after]
    if not any(act["type"] == "undo" for act in acts):
        assert undone == changes[::-1]
    elif undone:
        assert undone[-1] == {}


def test_by_chance_is_always_a_set_up(page: Page) -> None:
    """In every game and chair what is made up has no fault and no warning, and what stood before still stands."""
    for rules, seat in SITTINGS:
        own = next(iter(rule_set(rules).zone(seat))).name
        first = next(iter(rule_set(rules).army)).value
        seen, _ = play(page, rules, seat, [*taps(first, own), *([{"type": "random"}] * 4)])
        assert seen[3]["placed"][own] == first
        for step in seen[3:]:
            placed = {Square(square): rank for square, rank in ranks(step["placed"]).items()}
            assert check_set_up(rule_set(rules), seat, placed) == ()
            assert step["checked"] == {"missing": 0, "complete": True, "stuck": False}


def test_who_could_not_begin_is_warned(page: Page) -> None:
    """The page warns when the referee's rules do: six bombs on the six ways out."""
    rules = rule_set("original")
    placed = whole("original", Seat.BLUE, 1)
    ways_out = [Square(name) for name in ("a7", "b7", "e7", "f7", "i7", "j7")]
    bombs = [square for square, rank in placed.items() if rank is Rank.BOMB]
    for bomb, way in zip([b for b in bombs if b not in ways_out], [w for w in ways_out if w not in bombs], strict=True):
        placed[bomb], placed[way] = placed[way], placed[bomb]
    assert [fault.kind for fault in check_set_up(rules, Seat.BLUE, placed)] == [FaultKind.NO_FIRST_MOVE]
    text = write_set_up(announced("original"), Seat.BLUE, {square.name: rank for square, rank in placed.items()})
    opened = {
        "type": "drop",
        "from": {"square": "a7"},
        "to": next(s.name for s, r in placed.items() if r is Rank.SCOUT),
    }
    seen, _ = play(page, "original", Seat.BLUE, [{"type": "load", "text": text}, opened])
    assert [step["checked"]["stuck"] for step in seen] == [False, True, False]


def test_a_faulty_text_changes_nothing(page: Page) -> None:
    """What stands stays, and the faults are told."""
    seen, _ = play(page, "duel", Seat.RED, [*taps("flag", "a1"), {"type": "load", "text": "1 2 3"}])
    assert seen[-1]["placed"] == {"a1": "flag"}
    assert seen[-1]["faults"] == 1


KEPT = """
    const shelf = {
        kept: {}, full: false,
        getItem: (key) => shelf.kept[key] ?? null,
        setItem: (key, value) => { if (shelf.full) throw new Error("full"); shelf.kept[key] = value; },
    };
    const forbidden = { getItem: () => { throw new Error("no"); }, setItem: () => { throw new Error("no"); } };
    const told = [saved.keep(shelf, "duel", "  Left  ", "one"), saved.keep(shelf, "duel", "A corner", "two"),
        saved.keep(shelf, "original", "Left", "three"), saved.keep(shelf, "duel", "  ", "four")];
    const listed = [saved.kept(shelf, "duel"), saved.kept(shelf, "original"), saved.kept(shelf, "classic"), saved.kept(forbidden, "duel")];
    saved.keep(shelf, "duel", "Left", "five");
    saved.forget(shelf, "duel", "A corner");
    listed.push(saved.kept(shelf, "duel"));
    saved.keepDraft(shelf, "g1", "red", "six");
    saved.keepDraft(shelf, "g1", "blue", "seven");
    const drafts = (store) => [["g1", "red"], ["g1", "blue"], ["g2", "red"]].map(([game, seat]) => saved.keptDraft(store, game, seat));
    listed.push(drafts(shelf), drafts(forbidden));
    saved.keepDraft(shelf, "g1", "blue", null);
    listed.push(drafts(shelf));
    saved.keepDraft(shelf, "g2", "red", "eight");
    listed.push(drafts(shelf));
    shelf.full = true;
    told.push(saved.keep(shelf, "duel", "More", "x"), saved.keep(forbidden, "duel", "More", "x"));
    for (const key of Object.keys(shelf.kept)) shelf.kept[key] = given;
    listed.push(saved.kept(shelf, "duel"), saved.keptDraft(shelf, "g1", "red"));
    return { told, listed };
"""


@pytest.mark.parametrize("nonsense", ["", "[]", "null", "{", '{"duel": 7}', '{"duel": {"a": 7}}'])
def test_what_the_phone_keeps(page: Page, nonsense: str) -> None:
    """By rule set and name, sorted; what is in work by game and seat, and no earlier game's.

    A storage that is full, forbidden or damaged keeps nothing and breaks nothing.
    """
    found = in_page(page, "saved", KEPT, nonsense)
    assert found["told"] == [True, True, True, False, False, False]
    assert found["listed"] == [
        *([["A corner", "two"], ["Left", "one"]], [["Left", "three"]], [], []),
        [["Left", "five"]],
        *(["six", "seven", None], [None, None, None]),
        ["six", None, None],
        [None, None, "eight"],
        *([], None),
    ]


NEXT = """
    localStorage.clear();
    const about = { purpose: "enrol", ready: false, wishes: {}, covered: false };
    const opened = () => entry.setUpEntry({ send: () => "x-1", redraw: () => {}, show: () => {} });
    const filled = (one) => JSON.stringify(one.body(about)).split("square filled").length - 1;
    const enter = (one, info, seat) => {
        one.open(info, seat);
        one.hear({ type: "state", ply: 0, own: given.set_ups[seat] });
        return filled(one);
    };
    const look = (one, info, seat) => { one.open(info, seat); return filled(one); };
    const other = { ...given.info, game: "g2" };
    const first = opened();
    const told = [enter(first, given.info, "red"), look(opened(), given.info, "red"), look(opened(), given.info, "blue"),
        look(opened(), other, "red"), look(first, given.info, "blue"), look(first, given.info, "red")];
    first.leave();
    told.push(look(first, given.info, "red"), look(opened(), given.info, "red"));
    return { told, left: Object.values(localStorage).join() };
"""


def test_who_takes_the_phone_next_finds_nothing(page: Page) -> None:
    """A reload keeps the set-up in work; another seat, another game, or the same after leaving the seat begin with an empty zone."""
    set_ups = {
        seat.value: plain({s.name: r for s, r in whole("duel", seat, 4).items()}) for seat in (Seat.RED, Seat.BLUE)
    }
    found = in_page(page, "entry", NEXT, {"info": plain(announced("duel")), "set_ups": set_ups})
    assert found["told"] == [10, 10, 0, 0, 0, 10, 0, 0]
    assert "flag" not in found["left"]
    assert " F " not in found["left"]
