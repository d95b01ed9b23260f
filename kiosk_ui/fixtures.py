"""Made-up tables for pictures and tests: one for every phase, on every kind of board, and moments with something to touch.

No game was ever played like this.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from kiosk_ui.received_state import Chair, Desk, Pin, ReceivedState
from kiosk_ui.screen import ScreenState, screen_state
from kiosk_ui.touch_state import Page, Settings, TouchState
from referee.presentation.sentences import Contact
from referee.presentation.state import KioskState
from referee.rules import OptionValue, rule_set
from referee.rules.values import Rank, Seat
from referee.table import views
from referee.table.settings import TableSettings
from referee.table.table import Table
from referee.table.views import ClockFace, Fix, Found, LastMove, Phase, PublicInfo, PublicView, Sighting
from referee.words import words

_R, _B, _G, _Y = Seat.RED, Seat.BLUE, Seat.GREEN, Seat.YELLOW
_DRAW = views.Offer("draw", _B)
_LETTERS: Mapping[str, Seat] = {"r": _R, "b": _B, "g": _G, "y": _Y}

# One letter a square, blue's back row first. Lakes and spaces without a square are `~` and blank.
_START = "bbbbbbbbbb bbbbbbbbbb bbbbbbbbbb bbbbbbbbbb ..~~..~~.. ..~~..~~.. rrrrrrrrrr rrrrrrrrrr rrrrrrrrrr rrrrrrrrrr"
_MIDDLE = (
    "bbb.bbbb.b bb.bb.bbbb b.b.b..bb. .b...b.b.b .r~~.b~~.. b.~~r.~~.. r..r.r.rb. .rr.r.r.rr rrr.rrr.rr rrrrr.rrrr"
)
_LATE = "bb...b.b.b b..b...b.. ...b..r... .......... ..~~..~~b. ..~~r.~~.. .r......r. r..r...... .rr..r..r. rr.rr...rr"
_CLASSIC = "bbbb.bbbbb bb.bbb.bbb b..b.b.bbb .b~~..~~.. ..~~rb~~r. r.rr..r.rr rrrr.rr.rr rrrrrrrrrr"
_DUEL = "b...b...b. .b...b.... ..b......b ...b...... ..~~b.~~.. ..~~..~~.. ...r....r. .r...r.... r......r.. ..r.r....r"


@dataclass(frozen=True, slots=True)
class Sample:
    """One made-up moment: what was received, and whether the referee is still there."""

    name: str
    info: PublicInfo | None
    view: PublicView | None
    contact: Contact = Contact.LIVE
    newest: Mapping[Seat, Rank] = field(default_factory=dict)
    desk: Desk = field(default_factory=Desk)
    page: Page | None = None
    typed: str = ""
    far: bool = False

    @property
    def received(self) -> ReceivedState:
        """Return what a kiosk has received at this moment."""
        live = self.contact is Contact.LIVE
        broker = self.contact is not Contact.NO_BROKER
        return ReceivedState(broker, live, self.info, self.view, self.newest, self.desk)

    def state(self, language: str) -> KioskState:
        """Return the table as a screen in this language shows it."""
        return self.received.state(words(language))

    def screen(self, language: str, turned: bool = False) -> ScreenState:
        """Return all that a screen in this language shows."""
        return screen_state(
            self.received, TouchState(Settings(language, turned=turned), self.page, self.typed, far=self.far)
        )


def samples() -> tuple[Sample, ...]:
    """Return all of them, in the order in which a game meets them."""
    info = _info("original")
    start = _view(info, _START.split())
    middle = replace(
        _view(info, _MIDDLE.split()),
        turn=_B,
        ply=137,
        last_plies={_B: 136, _R: 137},
        captured={
            _R: {Rank.SCOUT: 3, Rank.MINER: 1, Rank.CAPTAIN: 1, Rank.COLONEL: 1, Rank.SERGEANT: 2, Rank.BOMB: 1},
            _B: {Rank.SCOUT: 5, Rank.MAJOR: 1, Rank.LIEUTENANT: 2, Rank.GENERAL: 1, Rank.SPY: 1},
        },
        last_move=LastMove(_R, "e4", "e5", final=True),
    )
    late = replace(
        _view(info, _LATE.split()),
        ply=412,
        captured={
            _R: {**_all_but(info, Rank.MARSHAL, Rank.BOMB, Rank.FLAG), Rank.SCOUT: 6, Rank.BOMB: 2},
            _B: {**_all_but(info, Rank.GENERAL, Rank.BOMB), Rank.MINER: 3, Rank.BOMB: 2},
        },
    )
    fight = views.Attack(_R, "b6", "b7")
    timed = replace(middle, clocks={_R: ClockFace(600_000, False), _B: ClockFace(598_000, True)})
    return (
        Sample("no-broker", None, None, Contact.NO_BROKER),
        Sample("lobby", info, replace(start, phase=Phase.LOBBY, turn=None, occupants={}, waiting_for=(_R, _B))),
        Sample("setting-up", info, _setting_up(start)),
        Sample("first-move", info, start),
        Sample("middle", info, middle),
        Sample("in-hand", info, replace(middle, phase=Phase.PIECE_IN_HAND, in_hand=("f7",), waiting_for=(_B,))),
        Sample("attack", info, _fighting(middle, fight)),
        Sample("verdict", info, _verdict(middle, fight)),
        Sample("refused", info, _refused(middle)),
        Sample("repetition", info, replace(middle, bars={"f7": ("f8",), "b7": ("b8",)}, blind=("g4",))),
        Sample("restoring", info, _restoring(middle)),
        Sample("taken-back", info, _taken_back(middle)),
        Sample("paused", info, replace(_fighting(middle, fight), phase=Phase.PAUSED, connected={_R: True, _B: False})),
        Sample("draw-offered", info, replace(middle, ask=views.Ask.CONFIRM_DRAW, waiting_for=(_R,), offer=_DRAW)),
        Sample("draw-declined", info, replace(middle, offer=replace(_DRAW, declined_by=_R))),
        Sample(
            "board-away", info, replace(middle, board_connected=False, board_fault="lost", health=(views.Health.LOST,))
        ),
        Sample("no-referee", info, middle, Contact.NO_REFEREE),
        Sample("won", info, _ended(late, _R, "flag")),
        Sample("drawn", info, _ended(late, None, "agreed")),
        Sample("broken-off", info, _ended(late, None, "aborted")),
        Sample("classic", *_classic()),
        Sample("duel", *_duel()),
        Sample("outside-zone", *_outside_zone()),
        Sample("four-armies", *_castle()),
        Sample("clocks", info, replace(middle, clocks={_R: ClockFace(3_723_000, False), _B: ClockFace(24_000, True)})),
        Sample("clock-runs", info, timed),
        Sample("clock-of-the-hall", info, replace(timed, hall_clock=ClockFace(1_512_000, True))),
        Sample("clocks-of-four", *_castle(clocks=True)),
        Sample("three-armies", *_set_up("stratego4-three")),
        Sample("two-teams", *(teams := _set_up("stratego4-teams"))),
        Sample("won-together", teams[0], _ended(replace(teams[1], ply=96, clocks={}), _G, "immobile")),
    )


def _info(name: str) -> PublicInfo:
    return Table(TableSettings("kitchen", "sample", rule_set(name), version="0")).info()


def _view(info: PublicInfo, rows_down: Sequence[str]) -> PublicView:
    """Return a quiet moment with these pieces, red to move, nothing captured."""
    return PublicView(
        board_id=info.board_id,
        game=info.game,
        seq=1,
        phase=Phase.WAITING_FOR_MOVE,
        turn=info.seats[0],
        ply=0,
        occupants=_occupants(info.board, rows_down[::-1]),
        captured={seat: {} for seat in info.seats},
        waiting_for=(info.seats[0],),
        connected=dict.fromkeys(info.seats, True),
    )


def _occupants(shape: views.BoardShape, letters: Sequence[str]) -> dict[str, Seat]:
    return {
        square.name: _LETTERS[letter]
        for square in shape.squares
        if letters and (letter := letters[int(square.y)][int(square.x)]) in _LETTERS
    }


def _all_but(info: PublicInfo, *ranks: Rank) -> dict[Rank, int]:
    return {rank: number for rank, number in info.army.items() if rank not in ranks}


def _setting_up(start: PublicView) -> PublicView:
    reds = {square: seat for square, seat in start.occupants.items() if seat is _R}
    blues = [square for square, seat in start.occupants.items() if seat is _B][::-1]
    return replace(
        start,
        phase=Phase.SETTING_UP,
        turn=None,
        occupants=reds | dict.fromkeys(blues[:17], _B),
        ask=views.Ask.SET_UP,
        fixes=tuple(Fix(square, _B) for square in blues[17:]),
        waiting_for=(_B,),
    )


def _fighting(view: PublicView, fight: views.Attack) -> PublicView:
    occupants = {**view.occupants, fight.source: _R, fight.target: _B}
    return replace(
        view,
        phase=Phase.WAITING_FOR_DECLARATIONS,
        turn=_R,
        occupants=occupants,
        attack=fight,
        last_move=None,
        ask=views.Ask.DECLARE,
        waiting_for=(_R, _B),
    )


def _verdict(view: PublicView, fight: views.Attack) -> PublicView:
    occupants = {square: seat for square, seat in _fighting(view, fight).occupants.items() if square != fight.source}
    return replace(
        view,
        phase=Phase.WAITING_FOR_BOARD,
        occupants=occupants | {fight.target: _R},
        attack=replace(fight, result="attacker-wins"),
        last_move=None,
        ask=views.Ask.REMOVE_CAPTURED,
        fixes=(Fix(fight.source, None), Fix(fight.target, _R)),
    )


def _refused(view: PublicView) -> PublicView:
    fixes = (Fix("f7", _B), Fix("f6", None))
    occupants = {square: seat for square, seat in view.occupants.items() if square != "f6"}
    return replace(
        view, phase=Phase.RESTORING, occupants=occupants, ask=views.Ask.ILLEGAL_MOVE, barred="two-squares", fixes=fixes
    )


def _restoring(view: PublicView) -> PublicView:
    fixes = (Fix("c3", _R), Fix("d4", _R), Fix("b7", _B), Fix("e7", None))
    gone = tuple(Sighting(fix.square, Found.EMPTY) for fix in fixes[:3])
    saw = (*gone, Sighting("e7", Found.PIECE, _R))
    return replace(view, phase=Phase.RESTORING, ask=views.Ask.DISTURBED, fixes=fixes, saw=saw)


def _taken_back(view: PublicView) -> PublicView:
    fixes = (Fix("f7", _B), Fix("f6", None), Fix("e6", None))
    occupants = {square: seat for square, seat in view.occupants.items() if square != "f6"}
    saw = (Sighting("e6", Found.PIECE, _B), Sighting("f6", Found.EMPTY))
    return replace(view, phase=Phase.RESTORING, occupants=occupants, ask=views.Ask.TAKEN_BACK, fixes=fixes, saw=saw)


def _ended(view: PublicView, winner: Seat | None, reason: str) -> PublicView:
    captured = view.captured
    if reason == "flag":
        captured = {**captured, _B: {**captured[_B], Rank.FLAG: 1}}
    else:
        captured = {seat: {**lost, Rank.FLAG: 0} for seat, lost in captured.items()}
    return replace(
        view, phase=Phase.FINISHED, turn=None, captured=captured, waiting_for=(), result=views.GameEnd(winner, reason)
    )


def _classic() -> tuple[PublicInfo, PublicView]:
    info = replace(_info("classic"), names={_R: "Marieke", _B: "Théo"})
    captured = {_R: {Rank.SCOUT: 2, Rank.MINER: 1}, _B: {Rank.SERGEANT: 2, Rank.CAPTAIN: 1, Rank.SCOUT: 1}}
    last = LastMove(_R, "e3", "e4", final=False)
    return info, replace(_view(info, _CLASSIC.split()), turn=_B, ply=62, captured=captured, last_move=last)


def _duel() -> tuple[PublicInfo, PublicView]:
    info = _info("duel")
    captured = {_R: {}, _B: {Rank.MINER: 1}}
    return info, replace(
        _view(info, _DUEL.split()), ply=18, captured=captured, last_move=LastMove(_B, "e9", "e6", final=True)
    )


def _outside_zone() -> tuple[PublicInfo, PublicView]:
    """Return a set-up with one piece a row outside its zone, which blocks the start."""
    info = _info("duel")
    reds = {"a1": _R, "c1": _R, "d2": _R, "e3": _R, "f2": _R, "g1": _R, "h2": _R, "j3": _R, "b3": _R, "i2": _R}
    blues = {"b10": _B, "c9": _B, "e8": _B, "f9": _B, "g10": _B, "i9": _B, "j8": _B, "d8": _B, "h8": _B, "e6": _B}
    view = replace(_view(info, ()), phase=Phase.SETTING_UP, turn=None, ask=views.Ask.SET_UP)
    astray = info.astray(_B, replace(view, occupants=blues))
    return info, replace(
        view, occupants=reds | blues, fixes=tuple(Fix(name, None) for name in astray), waiting_for=(_B,)
    )


def _set_up(name: str) -> tuple[PublicInfo, PublicView]:
    """Return armies that have just been set up, and a clock for each."""
    info, rules = _info(name), rule_set(name)
    size = sum(rules.army.values())
    occupants = {square.name: seat for seat in rules.seats for square in rules.zone(seat)[:size]}
    clocks = {seat: ClockFace(1_200_000, seat is rules.seats[0]) for seat in rules.seats}
    return info, replace(_view(info, ()), occupants=occupants, clocks=clocks)


def _castle(clocks: bool = False) -> tuple[PublicInfo, PublicView]:
    """Return four armies around a castle, whose ring is one space around another."""
    info = _info("stratego4")
    rows = [
        "   ggggggg   ", "   gg.gg.g   ", "   ggg.ggg   ", "bbb....g..yyy", "bb.......y.y.", "bb.b.   ..yyy",
        "b.b..   .yy.y", "bbb..   ...yy", "bbbb.r....yyy", "b.b......y.yy", "   rr.rrrr   ", "   rrr.r.r   ", "   rrrrrrr   ",
    ]  # fmt: skip
    captured = {
        _R: {Rank.SCOUT: 1, Rank.CAPTAIN: 1},
        _B: {Rank.MAJOR: 1},
        _G: {Rank.SCOUT: 2, Rank.SERGEANT: 1},
        _Y: {},
    }
    view = _view(info, rows)
    view = replace(
        view,
        turn=_B,
        ply=87,
        occupants={**view.occupants, "ring": _R},
        captured=captured,
        waiting_for=(),
        last_move=LastMove(_R, "f4", "f5", final=True),
        connected={**view.connected, _Y: False},
        flags=(
            views.FlagPlace(_R, "g1", carried=True),
            views.FlagPlace(_B, "d5", carried=True),
            views.FlagPlace(_G, "ring", carried=True),
            views.FlagPlace(_Y, "k9", carried=False),
        ),
        sliders={_R: 3, _B: 1, _G: 2, _Y: 0},
    )
    if clocks:
        times = zip(info.seats, (61_000, 754_000, 29_000, 3_600_000), strict=True)
        view = replace(view, clocks={seat: ClockFace(left_ms, seat is view.turn) for seat, left_ms in times})
    return info, view


# ---- with something to touch: joining, the menu and its pages, rematch

_LINK = "http://192.168.1.20:8080/join#5xV0rJ2mQ9yAZk3TnB7cWg&0123456789abcdef0123456789abcdef"


def _said(value: OptionValue) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


_RULES = ("original", "classic", "vintage", "duel", "barrage", "infiltrator")
_OPTIONS = {"rules": "original", "mode": "declare", "reveal": "book", "clock": "fischer:20:10"}
_CHOICES = {
    "rules": _RULES,
    "mode": ("declare", "enrol"),
    "reveal": ("book", "attacker-only", "result-only"),
    "clock": (
        "none",
        "sudden-death:20",
        "sudden-death:30",
        "fischer:10:5",
        "fischer:20:10",
        "per-move:30",
        "bronstein:25:3",
    ),
}


def _open(rules: str) -> dict[str, tuple[str, ...]]:
    """Return what a rule set leaves open, each with what it is by itself first."""
    return {
        name: tuple(dict.fromkeys(_said(value) for value in (option.value, *option.choices)))
        for name, option in rule_set(rules).options.items()
        if len(option.choices) > 1
    }


def touch_samples() -> tuple[Sample, ...]:
    """Return all of them, in the order in which a table meets them."""
    known = {sample.name: sample for sample in samples()}
    middle, won, castle = known["middle"], known["won"], known["four-armies"]
    joining = _desk(Chair(_R, digits="482913", paired=True), Chair(_B, link=_LINK, code="K7Q 2MX"))
    here = _desk(
        Chair(_R, digits="482913", compared=True, paired=True), Chair(_B, digits="077302", compared=True, paired=True)
    )
    playing = _desk(Chair(_R, paired=True), Chair(_B, paired=True))
    again = _desk(Chair(_R, paired=True), Chair(_B, digits="615240", again=True, paired=True))
    agreed = _desk(Chair(_R, paired=True, abort=True), Chair(_B, paired=True))
    rematch = _desk(Chair(_R, paired=True, rematch=True), Chair(_B, paired=True))
    four_here = tuple(Chair(seat, paired=True) for seat in (_R, _B, _G, _Y))
    four = tuple(Chair(seat, link=_LINK, code="K7Q 2MX") for seat in (_R, _B, _G, _Y))
    lobby = Sample("joining", None, None, desk=joining)
    return (
        lobby,
        replace(lobby, name="joining-four", desk=_desk(*four)),
        replace(lobby, name="all-here", desk=replace(here, sensors="uncalibrated")),
        replace(lobby, name="rules", desk=here, page=Page.RULES),
        replace(lobby, name="reveal", desk=here, page=Page.REVEAL),
        replace(lobby, name="clock", desk=here, page=Page.CLOCK),
        replace(lobby, name="options", desk=here, page=Page.OPTIONS),
        replace(lobby, name="options-four", desk=_desk(*four_here, rules="stratego4"), page=Page.OPTIONS),
        replace(lobby, name="pin", desk=replace(here, pin=Pin.WRONG), page=Page.PIN, typed="123"),
        replace(known["setting-up"], name="menu-setting-up", desk=playing, page=Page.MENU),
        replace(middle, name="captured", desk=playing, newest={_B: Rank.GENERAL, _R: Rank.CAPTAIN}),
        replace(middle, name="menu", desk=playing, page=Page.MENU),
        replace(middle, name="menu-far", desk=playing, page=Page.MENU, far=True),
        replace(middle, name="language", desk=playing, page=Page.LANGUAGE),
        replace(middle, name="screen", desk=playing, page=Page.SCREEN),
        replace(middle, name="new-handset", desk=again),
        replace(middle, name="abort", desk=replace(agreed, pin=Pin.WANTED)),
        replace(known["paused"], name="arbiter", desk=replace(playing, arbiter=True)),
        replace(won, name="rematch", desk=rematch),
        replace(castle, name="menu-four", desk=_desk(*four_here), page=Page.MENU),
        replace(castle, name="abort-four", desk=_desk(replace(four_here[0], abort=True), *four_here[1:])),
        _rematch_of_four(castle, _desk(*four_here[:3], replace(four_here[3], rematch=True))),
    )  # fmt: skip


def _rematch_of_four(castle: Sample, desk: Desk) -> Sample:
    """Return the end of a game of four, one of whom wants another."""
    assert castle.view is not None
    end = views.GameEnd(_G, "immobile")
    view = replace(castle.view, phase=Phase.FINISHED, turn=None, waiting_for=(), result=end, out=(_Y,))
    return replace(castle, name="rematch-four", view=view, desk=desk)


def _desk(*chairs: Chair, rules: str = "infiltrator") -> Desk:
    free = _open(rules)
    return Desk(chairs, options=_OPTIONS | {name: values[0] for name, values in free.items()}, choices=_CHOICES | free)
