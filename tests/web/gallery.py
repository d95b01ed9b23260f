"""Every screen of the phone page as the happenings that lead to it, for pictures and for measuring; nothing here is a played game."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

import msgspec
from playwright.sync_api import Browser, Page, ViewportSize

from kiosk_ui.fixtures import samples
from referee.door.front_door import listening
from referee.rules import rule_set
from referee.rules.values import Rank, Seat
from referee.table.settings import TableSettings
from referee.table.table import Table
from referee.table.views import Ask, Attack, ClockFace, Finale, Fix, LastMove, Mode, Phase, PublicInfo, PublicView
from referee.web.files import rule_sheet
from referee.web.pair_server import PairServer
from tests.door.thread_door import ThreadDoor
from tests.patience import PATIENCE_MS
from tests.web.gallery_set_up import told_set_ups
from tests.web.phones import SMALL

Happening = dict[str, Any]
_R, _B = Seat.RED, Seat.BLUE
_TABLES = {sample.name: (sample.info, sample.view) for sample in samples()}

SHOW = """
async ({ stage, place, happenings, wishes, rules }) => {
    const files = ["/state.js", "/render.js", "/toolkit/dom.js", "/toolkit/words.js", "/set_up/entry.js", "/messages.js"];
    globalThis.modules ??= await Promise.all(files.map((at) => import(at)));  // each import lets the browser paint, also a later one
    const [{ begin, update, purposeOf }, { render }, { patch }, words, { setUpEntry }, { encode }] = globalThis.modules;
    if (!globalThis.wordsLoaded) { await words.loadWords(); globalThis.wordsLoaded = true; }
    words.setLanguage(wishes.language);
    document.documentElement.lang = wishes.language;
    document.documentElement.classList.toggle("large", Boolean(wishes.large));
    localStorage.clear();
    globalThis.said = [];
    const act = (event) => {
        if (event.type === "say") globalThis.said.push(encode({ id: "x-1", ...event.message }));
        else state = update(state, event);
        draw();
    };
    const draw = () => patch(document.querySelector("#page"), render(state, act, entry));
    const entry = setUpEntry({ send: () => "x-1", redraw: draw, show: () => {} });
    let state = update(begin(wishes, place, stage), { type: "rules", value: rules });
    for (const event of happenings) {
        if (event.type === "tap" || event.type === "fill") {
            draw();
            const node = document.querySelector(event.at);
            if (event.type === "tap") node.click();
            else { node.value = event.text; node.dispatchEvent(new Event("input")); }
        }
        state = update(state, event);
        if (event.type === "info") entry.open(event.value, place.seat);
        if (event.type === "letter") entry.hear(event.value);
    }
    draw();
}
"""


@dataclass(frozen=True, slots=True)
class Screen:
    """One screen: its name, the stage of the page, whose it is, and what happened."""

    name: str
    stage: str
    seat: Seat
    happenings: tuple[Happening, ...] = ()
    rules: str = "original"

    def told(self, language: str = "en", **wished: bool | str) -> dict[str, Any]:
        """Return the values that the gallery's script needs."""
        place = {
            "seat": self.seat.value,
            "digits": "482913",
            "confirmed": True,
            "own": "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8",
            "user": "kitchen.red",
            "board": "kitchen",
        }
        calls = {"shakes": True, "sounds": False, "awake": True}
        wishes = {"language": language, "direction": "as-printed", "large": False, **calls, **wished}
        return {
            "name": self.name,
            "stage": self.stage,
            "place": place,
            "happenings": list(self.happenings),
            "wishes": wishes,
            "rules": {**rule_sheet(rule_set(self.rules)), "library": True},
        }

    def show(self, page: Page, language: str, **wished: bool | str) -> None:
        """Draw it on an open gallery page, which then obeys taps; what it would say to the referee is in `said`."""
        page.evaluate(f"(text) => ({SHOW})(JSON.parse(text))", json.dumps(self.told(language, **wished)))


@contextmanager
def gallery(browser: Browser, size: ViewportSize = SMALL) -> Iterator[Page]:
    """A page with everything but its beginning, so that it shows what it is told to, on a phone of this size."""
    server = PairServer.start(
        [listening("127.0.0.1", 0)], lambda sent, address: {}, rule_set("original"), open_door=ThreadDoor
    )
    context = browser.new_context(
        viewport=size,
        screen=size,
        is_mobile=size is not SMALL,
        has_touch=True,
        device_scale_factor=2,
        reduced_motion="reduce",
    )
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    page.route("**/main.js", lambda route: route.fulfill(content_type="text/javascript", body=""))
    try:
        page.goto(f"http://127.0.0.1:{server.port}/")
        yield page
    finally:
        context.close()
        server.stop()


def hand_over(page: Page) -> None:
    """Pass a gallery page all screens, as `globalThis.screens`; as one text, because a driver's own values take half a
    minute.
    """
    text = json.dumps([screen.told() for screen in screens()])
    page.evaluate("(text) => { globalThis.screens = JSON.parse(text); }", text)


@cache
def screens() -> tuple[Screen, ...]:
    """Return all screens, in the order in which a player meets them."""
    entered = (Screen(name, "table", seat, happenings, rules) for name, seat, happenings, rules in told_set_ups())
    return (*_beginning(), *entered, *_playing(), *_asking(), *_over_it(), *_ending(), *_castle())


def _beginning() -> Iterator[Screen]:
    yield Screen("join", "join", _R)
    yield Screen("join-refused", "join", _R, ({"type": "join-failed", "reason": "token-expired"},))
    yield Screen("digits", "digits", _B)
    yield Screen("no-connection", "table", _R)
    yield Screen("lobby", "table", _R, (*_CONTACT, _seats_free("blue")))
    yield Screen("all-here", "table", _R, (*_CONTACT, _seats_free()))
    yield _table("setting-up", "setting-up", _B)
    yield _table("outside-zone", "outside-zone", _B)
    yield _table("all-stand", "first-move", _B, change=_not_begun)
    yield _table("ready", "setting-up", _R, _seat_state("setting-up", _R, ready=True))


def _playing() -> Iterator[Screen]:
    yield _table("rival-to-move", "middle", _R)
    yield _table("my-move", "middle", _B)
    yield _table("covered", "middle", _B, {"type": "cover"})
    yield _table("phone-lost", "middle", _R, change=_blue_away)
    yield _table("clocks", "clocks", _B)
    yield _table("named", "clocks", _B, names={_R: "Wilhelmina van den Berg", _B: "Bo"})
    yield _table("clocks-longest", "clocks", _R, change=_little_time)
    yield _table("in-hand", "in-hand", _B, change=_ranks_of_mine)
    yield _table("in-hand-barred", "in-hand", _B, change=lambda view: replace(view, bars={"f7": ("f8",)}))
    yield _table("going-on", "middle", _R, change=_rested)
    yield _table("restoring", "restoring", _R)
    yield _table("out-of-turn", "restoring", _R, change=lambda view: replace(view, fault="out-of-turn"))
    yield _table("taken-back", "taken-back", _B)
    yield _table("decides", "middle", _B, decides=(_B,))
    yield _table("decided", "decided", _R)
    yield _table("decided-attack", "decided-attack", _B)
    yield _table("not-decided", "not-decided", _R)
    yield _table("refused", "refused", _R, _letter("told", ply=138, reason="two-squares", squares=["e5"]))
    for ask in (Ask.NOT_UNDERSTOOD, Ask.DISTURBED, Ask.ILLEGAL_MOVE):
        yield _table(ask.value, "restoring", _B, change=partial(_asking_for, ask))
    yield _table("told", "refused", _R, _letter("told", ply=138, reason="too-far", squares=["e5"]))
    yield _table(
        "paused", "paused", _R, change=lambda view: replace(view, attack=None, called=(_B,), waiting_for=(_R, _B))
    )
    yield _table("limited-pause", "limited-pause", _R)
    yield _table("clock-waits", "clock-waits", _R)
    yield _table("board-away", "board-away", _R)
    yield _not_bound()
    yield _table("away", "middle", _R, {"type": "down"})


def _not_bound() -> Screen:
    """Return a game whose published root is not that of the submitted set-up."""
    whole = _table("not-bound", "middle", _B, mode=Mode.ENROL)
    handed_in = {"type": "sent", "message": {"type": "enrol", "id": "x-1", "set_up": {"a10": "flag"}}}
    happenings = []
    for happening in whole.happenings:
        value: Any = happening.get("value")
        if happening["type"] == "info":
            happenings += [{**happening, "value": {**value, "roots": {"blue": "0" * 64}}}, handed_in]
        elif happening["type"] == "letter":
            happenings.append({**happening, "value": {**value, "seed": "1" * 64}})
        else:
            happenings.append(happening)
    return replace(whole, happenings=tuple(happenings))


def _asking() -> Iterator[Screen]:
    yield _table("attacked", "attack", _B, _declare("attack", _B, ()))
    yield _table("attacks", "attack", _R, _declare("attack", _R, ("bomb", "flag")))
    yield _table(
        "attacks-duel", "duel", _R, _declare("duel", _R, ("bomb", "flag"), Attack(_R, "d4", "d7")), change=_duel_attack
    )
    answered = {"type": "sent", "message": {"type": "declare", "id": "x-1", "question": 9, "rank": "miner"}}
    yield _table("answered", "attack", _B, _declare("attack", _B, ()), answered, _letter("accepted", re="x-1"))
    alone = tuple(rank for rank in _both("attack")[0].army if rank is not Rank.CAPTAIN)
    yield _table(
        "attacks-only", "attack", _R, _declare("attack", _R, tuple(rank.value for rank in alone)), mode=Mode.ENROL
    )
    yield _table("attacked-guessed", "attack", _B, _declare("attack", _B, ()), change=_guessed)
    yield _table("denied", "attack", _B, _declare("attack", _B, ()), change=_denied)
    yield _table("asked-paused", "paused", _B, _declare("attack", _B, ()))
    yield _table("told-shot", "attack", _B, _declare("attack", _B, ()), change=_shot)
    yield _table("asked-covered", "attack", _B, _declare("attack", _B, ()), {"type": "cover"})
    yield _table("verdict-won", "verdict", _R, _verdict("attacker-wins", "captain", "sergeant"))
    yield _table("verdict-lost", "verdict", _B, _verdict("attacker-wins", "sergeant", None))
    seen = {"type": "seen", "question": 9}
    yield _table("verdict-covered", "verdict", _R, answered, _verdict("attacker-wins", "captain", "sergeant"), seen)
    yield _table("verdict-both", "verdict", _B, _verdict("both-lost", "lieutenant", "lieutenant"), change=_both_lost)
    held = _verdict("defender-wins", "lieutenant", "captain")
    yield _table("verdict-held", "verdict", _B, held, change=_held)
    yield _table("verdict-to-take", "verdict", _R, _verdict("defender-wins", "captain", None), change=_to_take)
    for kind, choices in (
        ("draw", ["accept", "refuse"]),
        ("claim", ["accept", "accept-both", "refuse"]),
        ("abort", ["accept", "refuse"]),
        ("take-back", ["accept", "refuse"]),
        ("void", ["accept", "refuse"]),
    ):
        yield _table(f"asked-{kind}", "draw-offered", _R, _ask(kind, choices))
    yield _table("draw-offered", "draw-offered", _B)
    yield _table("draw-declined", "draw-declined", _B)
    rejected = _letter("rejected", re="x-1", reason="no-piece-in-hand", detail=[])
    yield _table("rejected", "middle", _B, rejected)


_BACK = ("offer-take-back", "offer-void")


def _over_it() -> Iterator[Screen]:
    game = {"type": "sheet", "sheet": {"name": "game"}}
    yield _table("game", "middle", _B, *_some_moves(), game, names={_R: "Wilhelmina van den Berg"})
    yield _table("game-begun", "first-move", _B, game)
    brief = {"type": "sheet", "sheet": {"name": "brief"}}
    yield _table("rules", "middle", _B, brief)
    yield _table("rules-four", "four-armies", _B, brief)
    for name in ("menu", "settings"):
        yield _table(name, "middle", _B, {"type": "sheet", "sheet": {"name": name}}, change=_sealed)
    seal = {"type": "sheet", "sheet": {"name": "proof"}}
    for proof in ("checked", "unheard", "differs"):
        yield _table(f"seal-{proof}", "middle", _B, _proof(proof), seal, change=_sealed)
    yield _table("seal-signed", "won", _B, _proof("checked"), seal, change=_sealed)
    yield _table("contradicted", "middle", _B, _proof("differs"), change=_sealed)
    for message in (
        "offer-draw",
        "claim-immobile",
        "resign",
        "pause",
        "call-arbiter",
        "offer-abort",
        "leave-seat",
        *_BACK,
    ):
        yield _table(f"sure-{message}", "middle", _B, {"type": "sheet", "sheet": {"name": "sure", "message": message}})
    for message, left in (("pause", 1), ("call-arbiter", 0)):
        asked = {"type": "sheet", "sheet": {"name": "sure", "message": message}}
        yield _table(f"sure-{message}-limited", "middle", _B, asked, change=partial(_with_pauses, left))
    tell = {"name": "tell", "act": "attack"}
    yield _table("tell-piece", "middle", _B, {"type": "sheet", "sheet": tell})
    yield _table("tell-target", "middle", _B, {"type": "sheet", "sheet": {**tell, "source": "i4"}})
    guess = {"name": "tell", "act": "infiltrate", "source": "f7", "target": "e5"}
    yield _table("guess", "middle", _B, {"type": "sheet", "sheet": guess})


def _some_moves() -> Iterator[Happening]:
    """Return the views of the last moves before the shown one: an attack among moves."""
    view = replace(_both("middle")[1], attack=None, seq=100_000)
    rows = [
        (_R, "a3", "a4", None),
        (_B, "f7", "f6", None),
        (_R, "d4", "d6", "defender-wins"),
        (_B, "i7", "i4", "both-lost"),
    ]
    for ply, (seat, source, target, result) in enumerate(rows, view.ply - len(rows)):
        move = LastMove(seat, source, target, True) if result is None else None
        attack = None if result is None else Attack(seat, source, target, result)
        told = replace(view, ply=ply, last_move=move, attack=attack, seq=view.seq + ply)
        yield {"type": "view", "value": _plain(told)}
    yield {"type": "view", "value": _plain(replace(_both("middle")[1], seq=200_000))}


def _with_pauses(left: int, view: PublicView) -> PublicView:
    return replace(view, pauses_left={_R: 2, _B: left})


def _sealed(view: PublicView) -> PublicView:
    """Return it with the head of a chain; over, with two who have signed."""
    head = "1137:3f2a9c01d4e87b65" + "0" * 48
    return replace(view, chain=head, signed=("red", "station") if view.result else ())


def _finale(shown: Finale) -> Callable[[PublicView], PublicView]:
    """Return what gives a view what it tells of turning both armies over."""
    return lambda view: replace(view, finale=shown)


def _proof(known: str) -> Happening:
    return {"type": "proof", "value": known}


def _ending() -> Iterator[Screen]:
    yield _table("won", "won", _R, change=_sealed)
    yield _table("lost", "won", _B)
    yield _table("won-together", "won-together", _R)
    yield _table("lost-together", "won-together", _B)
    yield _table("drawn", "drawn", _R)
    yield _table("consent", "won", _R, {"type": "edit", "editing": True})
    known = _seat_state("won", _R, began={"a1": "marshal", "b1": "general", "c2": "flag", "j4": "scout"})
    yield _table("consent-known", "won", _R, known, {"type": "edit", "editing": True})
    yield _table("turn-over", "won", _R, change=_finale(Finale.ASKED))
    agreed = ({"type": "sent", "message": {"type": "consent", "id": "x-9"}}, _letter("accepted", re="x-9"))
    yield _table("agreed", "won", _R, {"type": "answered-end"}, *agreed, change=_finale(Finale.ASKED))
    yield _table("covered-for-good", "won", _R, {"type": "answered-end"}, change=_finale(Finale.COVERED))
    yield _table("turned-over", "turned-over", _B, {"type": "answered-end"}, *agreed)
    again = ({"type": "sent", "message": {"type": "ready", "id": "x-9"}}, _letter("accepted", re="x-9"))
    yield _table("again", "drawn", _R, *again)
    yield _table(
        "again-wanted", "drawn", _R, {"type": "status", "value": {**_STATUS, "again": ["blue"]}}, change=_blue_away
    )
    yield Screen("thrown-off", "thrown-off", _R)
    yield Screen("elsewhere", "elsewhere", _B)


def _castle() -> Iterator[Screen]:
    for seat in Seat:
        yield _table(f"four-{seat.value}", "four-armies", seat)
    fire, leave = ({"type": "sheet", "sheet": {"name": "tell", "act": act}} for act in ("fire", "leave"))
    yield _table("tell-fire", "four-armies", _R, _with_a_cannon(_R), fire)
    yield _table("tell-leave", "four-armies", _B, leave)
    yield _table("recruit", "four-armies", Seat.GREEN, _ask("recruit", ["marshal", "scout", "sergeant", "none"]))
    yield _table("slider", "four-armies", Seat.GREEN, _ask("slider", ["up", "stay"]))
    flags = ["none", "red", "blue", "yellow", "red,blue", "red,yellow", "blue,yellow", "red,blue,yellow"]
    yield _table("take-flags", "four-armies", Seat.YELLOW, _ask("take-flag", flags))


# ---- what happened

_STATUS = {"up": True, "boot": 1, "session": "0" * 16}
_CONTACT: tuple[Happening, ...] = ({"type": "up"}, {"type": "status", "value": _STATUS})


def _seats_free(*free: str) -> Happening:
    """Return the referee's status while these seats are free."""
    return {"type": "status", "value": {**_STATUS, "free": free}}


def _table(
    name: str,
    sample: str,
    seat: Seat,
    *more: Happening,
    mode: Mode | None = None,
    change: Any = None,
    names: dict[Seat, str] | None = None,
    decides: tuple[Seat, ...] = (),
) -> Screen:
    info, view = _both(sample)
    rules = rule_set(info.rule_set)
    mode = mode or Mode.DECLARE
    elsewhere = decides if view.decided is None else (view.decided.seat,)
    said = TableSettings("kitchen", info.game, rules, mode, info.reveal, names or {}, "0", decided=elsewhere)
    said = replace(said, finale_ms=60_000)
    info = Table(said).info()
    view = view if change is None else change(view)
    shown = ({"type": "info", "value": _plain(info)}, {"type": "view", "value": _plain(view)})
    return Screen(
        name, "table", seat, (*_CONTACT, *shown, {"type": "asking"}, _seat_state(sample, seat), *more), info.rule_set
    )


def _both(sample: str) -> tuple[PublicInfo, PublicView]:
    info, view = _TABLES[sample]
    assert info is not None
    assert view is not None
    return info, view


def _plain(value: object) -> Any:
    return msgspec.json.decode(msgspec.json.encode(value))


def _seat_state(sample: str, seat: Seat, ready: bool = False, **more: Any) -> Happening:
    """Return a state with a rank for every own piece, from an order of ranks that fits the army as far as the pieces
    go.
    """
    info, view = _both(sample)
    ranks = iter([rank for rank, count in info.army.items() for _ in range(count)])
    own = {square: next(ranks, Rank.SCOUT).value for square, owner in view.occupants.items() if owner is seat}
    rivals = [square for square, owner in view.occupants.items() if owner is not seat][:2]
    seen = dict(zip(rivals, ("general", "scout"), strict=False)) if view.ply else {}
    playing = view.phase not in (Phase.LOBBY, Phase.SETTING_UP)
    return _letter(
        "state",
        seat=seat.value,
        ply=view.ply,
        ready=ready,
        own=own if playing else {},
        seen=seen,
        question=None,
        **more,
    )


def _with_a_cannon(seat: Seat) -> Happening:
    """Return a seat's state in which the first piece with an opponent in its range is the cannon."""
    info, view = _both("four-armies")
    board = rule_set(info.rule_set).board
    at = next(
        square.name
        for square in board.squares
        if view.occupants.get(square.name) is seat
        and any(view.occupants.get(shot.target.name, seat) is not seat for shot in board.shots(square))
    )
    own = {square: "scout" for square, owner in view.occupants.items() if owner is seat} | {at: "cannon"}
    return _letter("state", seat=seat.value, ply=view.ply, ready=False, own=own, seen={}, question=None)


def _letter(word: str, /, **fields: Any) -> Happening:
    return {"type": "letter", "value": {"type": word, "id": "r-1", **fields}}


def _ask(kind: str, choices: list[str], **where: Any) -> Happening:
    places: Mapping[str, Any] = {"source": None, "target": None, "square": None, **where}
    return _letter(
        "question", question=9, kind=kind, ply=135 if kind == "take-back" else 138, choices=choices, **places
    )


def _declare(sample: str, seat: Seat, without: tuple[str, ...], attack: Attack | None = None) -> Happening:
    info, view = _both(sample)
    fight = attack or view.attack
    assert fight is not None
    choices = [rank.value for rank in info.army if rank.value not in without]
    square = fight.source if seat is fight.seat else fight.target
    return _ask("declare", choices, source=fight.source, target=fight.target, square=square)


def _verdict(result: str, own: str, other: str | None) -> Happening:
    return _letter("verdict", question=9, ply=138, result=result, own=own, other=other)


def _ranks_of_mine(view: PublicView) -> PublicView:
    return replace(view, occupants={**view.occupants, "f6": _R, "e7": _R})


def _rested(view: PublicView) -> PublicView:
    last = LastMove(_R, "e4", "e5", final=False)
    return replace(view, last_move=last, in_hand=("e5",), occupants={**view.occupants, "f4": _B})


def _blue_away(view: PublicView) -> PublicView:
    """Blue's phone has lost its connection."""
    return replace(view, connected={_R: True, _B: False}, waiting_for=(_B,) if view.result is None else ())


def _not_begun(view: PublicView) -> PublicView:
    return replace(view, phase=Phase.SETTING_UP, turn=None, ask=Ask.SET_UP, waiting_for=(_R, _B))


def _asking_for(ask: Ask, view: PublicView) -> PublicView:
    return replace(view, ask=ask)


def _shot(view: PublicView) -> PublicView:
    assert view.attack is not None
    return replace(view, attack=replace(view.attack, fires=True))


def _denied(view: PublicView) -> PublicView:
    assert view.attack is not None
    return replace(view, attack=replace(view.attack, denied=(_R,)))


def _little_time(view: PublicView) -> PublicView:
    """Return the view with little time left for everybody, in its widest form."""
    return replace(view, clocks={seat: ClockFace(28_500, False) for seat in view.clocks})


def _guessed(view: PublicView) -> PublicView:
    assert view.attack is not None
    return replace(view, attack=replace(view.attack, guess=Rank.MARSHAL))


def _both_lost(view: PublicView) -> PublicView:
    return _judged(view, "both-lost", {}, {"b6": None, "b7": None})


def _held(view: PublicView) -> PublicView:
    """Blue's piece won and is in the air; red's stands where it came from."""
    return _judged(view, "defender-wins", {"b7": _B}, {"b6": None, "b7": _B})


def _to_take(view: PublicView) -> PublicView:
    return _judged(view, "defender-wins", {"b7": _B}, {"b6": None})


def _judged(view: PublicView, result: str, there: Mapping[str, Seat], fixes: Mapping[str, Seat | None]) -> PublicView:
    """Return it after the attack of b6 on b7 ended so: who is there now, and what has to be put right."""
    assert view.attack is not None
    others = {square: seat for square, seat in view.occupants.items() if square not in ("b6", "b7")}
    return replace(
        view,
        attack=replace(view.attack, result=result),
        occupants={**others, **there},
        fixes=tuple(Fix(square, wanted) for square, wanted in fixes.items()),
    )


def _duel_attack(view: PublicView) -> PublicView:
    attack = Attack(_R, "d4", "d7")
    return replace(
        view, phase=Phase.WAITING_FOR_DECLARATIONS, attack=attack, occupants={**view.occupants, "d4": _R, "d7": _B}
    )
