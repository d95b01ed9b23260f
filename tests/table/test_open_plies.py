"""Several plies that were read and are not final: what sensing or a player says of them, what is said of it, and what stands afterwards."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.journal.journal_to_record import record_of
from referee.presentation.sentences import Contact
from referee.presentation.state import KioskState, kiosk_state
from referee.rules import Move, rule_set
from referee.rules.values import Rank, Seat
from referee.sensing import Agreed, Difference, Disturbed, Final, Lifted, Puzzled, Read, Revised, Unread
from referee.table.arbiter_commands import SetClock, TakeBack
from referee.table.inputs import Reopen
from referee.table.messages import (
    ClaimImmobile,
    Hello,
    OfferDraw,
    OfferTakeBack,
    Question,
    Resign,
    SeatState,
    TellAttack,
    TellLeave,
)
from referee.table.replay import rebuild, told_settings
from referee.table.settings import ClockKind, TimeControl
from referee.table.step import Advance, Expect, Follow
from referee.table.views import Ask, Mode, Offer, Phase, PublicView
from referee.words import words
from tests.amount import tries
from tests.table.sitting import BLUE, RED, Sitting, abort, pause, resume

Act = Callable[[Sitting], object]
READ, UNREAD, REVISED, FINAL, BACK = "move.read", "move.unread", "move.revised", "move.final", "move.taken-back"
OPEN = (("e4", "e5"), ("a7", "a6"), ("i4", "i5"))
"""Red, blue, red: none of them final."""


def opened(plies: int = 2) -> Sitting:
    """Return a game whose first plies are open."""
    sitting = Sitting()
    for source, target in OPEN[:plies]:
        sitting.read(source, target)
    return sitting


def final(sitting: Sitting) -> None:
    """The oldest one stands."""
    sitting.see(Final(0))


def unread(plies: int = 1) -> Act:
    """The last ones never were."""
    return lambda sitting: sitting.see(Unread(0, plies))


def read(source: str, target: str) -> Act:
    """One more."""
    return lambda sitting: sitting.read(source, target)


def revised(source: str, target: str, plies: int = 1) -> Act:
    """This instead of the last ones."""

    def act(sitting: Sitting) -> None:
        game = sitting.table._state.open_plies[-plies].dual.public
        names = (source, target)
        (found,) = [p for p in game.situation().prospects if (p.source.name, p.target.name) == names]
        sitting.see(Revised(found, 0, plies=plies))

    return act


def differ(sitting: Sitting, *names: str) -> tuple[Difference, ...]:
    """Return differences on these squares; arbitration does not ask which."""
    return tuple(Difference(sitting.square(name), None, 0) for name in names)  # type: ignore[arg-type]  # Reading.EMPTY


def puzzled(*names: str) -> Act:
    """Nothing explains these squares."""
    return lambda sitting: sitting.see(Puzzled(differ(sitting, *names), 0))


def disturbed(*names: str) -> Act:
    """Too much has changed, these squares among it."""
    return lambda sitting: sitting.see(Disturbed(differ(sitting, *names), 0))


def agreed(lifted: str | None = None) -> Act:
    """The board agrees, but for a piece in the air."""
    return lambda sitting: sitting.see(Agreed(0, 0, sitting.square(lifted) if lifted else None))


def resign(sitting: Sitting) -> None:
    """Blue gives up."""
    sitting.say(BLUE, Resign(id="r"))


E4, A7, I4 = "e4-e5", "a7-a6", "i4-i5"
TABLE: list[tuple[str, int, tuple[Act, ...], str, str]] = [
    ("two are read", 2, (), "", f"{E4}? {A7}?"),
    ("three are read", 3, (), "", f"{E4}? {A7}? {I4}?"),
    ("the oldest is final", 2, (final,), f"{FINAL} 1", f"{E4} {A7}?"),
    ("both are, one after the other", 2, (final, final), f"{FINAL} 1, {FINAL} 2", f"{E4} {A7}"),
    ("no more than there are", 1, (final, final), f"{FINAL} 1", E4),
    ("the last went home", 2, (unread(),), f"{UNREAD} 2", f"{E4}?"),
    ("the last went home, the one before stands", 2, (final, unread()), f"{FINAL} 1, {UNREAD} 2", E4),
    ("and then it stands", 2, (unread(), final), f"{UNREAD} 2, {FINAL} 1", E4),
    ("both went home", 2, (unread(2),), f"{UNREAD} 2, {UNREAD} 1", ""),
    ("two of three went home", 3, (unread(2),), f"{UNREAD} 3, {UNREAD} 2", f"{E4}?"),
    ("more than are open", 2, (unread(3),), "", f"{E4}? {A7}?"),
    ("what is final is not unread", 2, (final, final, unread()), f"{FINAL} 1, {FINAL} 2", f"{E4} {A7}"),
    ("none at all", 2, (unread(0),), "", f"{E4}? {A7}?"),
    ("home, and played again", 2, (unread(), read("a7", "a5")), f"{UNREAD} 2, {READ} 2", f"{E4}? a7-a5?"),
    ("the last was another", 2, (revised("a7", "a5"),), f"{REVISED} 2", f"{E4}? a7-a5?"),
    ("both were one", 2, (revised("e3", "d3", 2),), f"{UNREAD} 2, {REVISED} 1", "e3-d3?"),
    (
        "both were one, and the reply is read again",
        2,
        (revised("e3", "d3", 2), read("a7", "a6"), final, final),
        f"{UNREAD} 2, {REVISED} 1, {READ} 2, {FINAL} 1, {FINAL} 2",
        "e3-d3 a7-a6",
    ),
    ("hands elsewhere", 2, (puzzled("f4"),), "ask 2", f"{E4}? {A7}?"),
    (
        "hands elsewhere, put right",
        2,
        (puzzled("f4"), agreed()),
        f"ask 2, {FINAL} 1, {FINAL} 2, restored 2",
        f"{E4} {A7}",
    ),
    ("hands at the last one", 2, (puzzled("a6"),), f"{BACK} 2, ask 1", f"{E4}?"),
    (
        "hands at the last one, put right",
        2,
        (puzzled("a6"), agreed()),
        f"{BACK} 2, ask 1, {FINAL} 1, restored 1",
        E4,
    ),
    ("hands at the first one", 2, (puzzled("e5"),), f"{BACK} 2, {BACK} 1, ask 0", ""),
    ("hands at the middle one", 3, (puzzled("a7"),), f"{BACK} 3, {BACK} 2, ask 1", f"{E4}?"),
    ("the board is swept", 2, (disturbed("e4", "a1", "b1", "a2", "d4", "j4"),), f"{BACK} 2, {BACK} 1, ask 0", ""),
    (
        "the last one's player has not done with it",
        2,
        (puzzled("f4"), agreed("a6")),
        f"ask 2, {BACK} 2, ask 1",
        f"{E4}?",
    ),
    (
        "the next player has begun, with the piece of his open ply",
        2,
        (puzzled("f4"), agreed("e5")),
        f"ask 2, {FINAL} 1, {FINAL} 2, restored 2",
        f"{E4} {A7}",
    ),
    ("a pause", 2, (pause, final, unread(), read("i4", "i5")), "paused 2", f"{E4}? {A7}?"),
    (
        "after a pause the board decides",
        2,
        (pause, resume, agreed()),
        f"paused 2, resumed 2, {FINAL} 1, {FINAL} 2, restored 2",
        f"{E4} {A7}",
    ),
    ("somebody gives up", 2, (resign,), f"{FINAL} 1, {FINAL} 2, end 2", f"{E4} {A7}"),
    ("it is broken off", 3, (abort,), f"{FINAL} 1, {FINAL} 2, {FINAL} 3, end 3", f"{E4} {A7} {I4}"),
    ("given up while in doubt", 2, (puzzled("f4"), resign), f"ask 2, {BACK} 2, {BACK} 1, end 0", ""),
    ("broken off in a pause", 2, (pause, abort), f"paused 2, {BACK} 2, {BACK} 1, end 0", ""),
    ("taken home in a question is no news", 2, (puzzled("f4"), unread()), "ask 2", f"{E4}? {A7}?"),
]


@pytest.mark.parametrize(("plies", "acts", "said", "stands"), [row[1:] for row in TABLE], ids=[row[0] for row in TABLE])
def test_what_becomes_of_open_plies(plies: int, acts: tuple[Act, ...], said: str, stands: str) -> None:
    """Each event with its ply; then the plies that stand, with a question mark those that can be revised. The journal gives the same."""
    sitting = opened(plies)
    before = len(sitting.kinds())
    for act in acts:
        act(sitting)
    heard = [fact.event for step in sitting.steps for fact in step.facts if fact.event is not None][before:]
    assert ", ".join(f"{event.kind} {event.ply}" for event in heard) == said
    state, game = sitting.table._state, sitting.table.public_game
    assert game is not None
    played = [str(entry.action) for entry in state.game.history]
    wanted = stands.split()
    assert len(played) == game.ply == sitting.table.view().ply == len(wanted)
    assert [f"{ply.source}-{ply.target}?" for ply in state.open_plies] == [word for word in wanted if word[-1] == "?"]
    for word in wanted:
        source, target = word.rstrip("?").split("-")
        occupants = sitting.table.view().occupants
        assert (source in occupants, target in occupants) == (False, True)
    last = sitting.table.view().last_move
    shown = f"{last.source}-{last.target}{'' if last.final else '?'}" if last else ""
    assert shown == (wanted[-1] if wanted else "")
    record = record_of([fact for step in sitting.steps for fact in step.facts], sitting.rules)
    kept = [f"{ply.action.source}-{ply.action.target}" for ply in record.plies]  # type: ignore[union-attr]  # moves
    assert kept == [word for word in wanted if word[-1] != "?"]
    prove_resumed(sitting)


def prove_resumed(sitting: Sitting) -> None:
    """Prove that the journal gives the same table back, with the same plies open."""
    facts = [fact for step in sitting.steps for fact in step.facts]
    again = rebuild(told_settings(facts, rule_set), facts)
    assert again.owed == ()
    one, other = again.table._state, sitting.table._state
    assert (one.ply, one.seq, one.phase, one.last_move, one.clocks) == (
        other.ply,
        other.seq,
        other.phase,
        other.last_move,
        other.clocks,
    )
    assert [(ply.number, ply.source, ply.target, ply.clocks) for ply in one.open_plies] == [
        (ply.number, ply.source, ply.target, ply.clocks) for ply in other.open_plies
    ]


@pytest.mark.parametrize(
    ("act", "turn"), [(read("i4", "i5"), BLUE), (unread(), BLUE), (unread(2), RED), (revised("e3", "d3", 2), BLUE)]
)
def test_sensing_is_told_the_position_then(act: Act, turn: Seat) -> None:
    """And goes on with the plies that are left; nobody's piece is in the air until it says so again."""
    sitting = opened(2)
    sitting.see(Lifted(sitting.square("j4"), 0))
    act(sitting)
    (order,) = sitting.steps[-1].orders
    assert isinstance(order, Advance)
    assert sitting.table.public_game is not None
    assert order.situation == sitting.table.public_game.situation()
    assert order.situation.turn is turn is sitting.table.view().turn
    assert (sitting.table.phase, sitting.table.view().in_hand) == (Phase.WAITING_FOR_MOVE, ())
    assert sitting.table.view().waiting_for == (turn,)


def test_an_attack_makes_every_open_ply_final_first() -> None:
    """Where hands show it; then both are asked. A told one waits until the last of them is final, whatever is in the hand."""
    for how in ("seen", "told", "in the hand"):
        sitting = Sitting()
        sitting.move("e4", "e5")
        sitting.read("e7", "e6")
        sitting.read("i4", "i5")
        sitting.read("a7", "a6")
        before = len(sitting.kinds())
        if how == "seen":
            sitting.attack("e5", "e6")
        else:
            if how == "in the hand":
                sitting.see(Lifted(sitting.square("e5"), 0))
            sitting.say(RED, TellAttack(id="t", source="e5", target="e6"))
        for _ in range(0 if how == "seen" else 3):
            assert "attack" not in sitting.kinds()
            final(sitting)
        assert sitting.kinds()[before:] == [FINAL, FINAL, FINAL, "attack"]
        assert isinstance(sitting.letters(BLUE)[-1], Question)
        prove_resumed(sitting)


def test_a_run_up_that_goes_on_to_an_attack_is_unsaid_and_what_was_before_is_final() -> None:
    """The piece of the last ply is up again, and its player says what it does."""
    sitting = Sitting()
    sitting.move("e4", "e5")
    sitting.read("a7", "a6")
    sitting.read("j4", "j6")
    sitting.see(Lifted(sitting.square("j6"), 0))
    sitting.say(RED, TellAttack(id="t", target="j7"))
    assert sitting.kinds()[-1] == READ
    final(sitting)
    assert sitting.events()[-3:] == [(FINAL, "a7", "a6"), (BACK, "j4", "j6"), ("attack", "j4", "j7")]
    prove_resumed(sitting)


def test_a_run_up_is_unsaid_by_sensing_while_its_attack_waits() -> None:
    """Or the piece goes home after a tap: the attack goes from where it began all the same."""
    sitting = Sitting()
    sitting.move("e4", "e5")
    sitting.read("a7", "a6")
    sitting.read("j4", "j6")
    sitting.see(Lifted(sitting.square("j6"), 0))
    sitting.say(RED, TellAttack(id="t", source="j6", target="j7"))
    unread()(sitting)
    final(sitting)
    assert sitting.events()[-3:] == [(UNREAD, "j4", "j6"), (FINAL, "a7", "a6"), ("attack", "j4", "j7")]
    prove_resumed(sitting)


def test_a_told_attack_is_refused_once_its_turn_never_was() -> None:
    """Blue said it after red's move; that went home, so it is red's turn."""
    sitting = opened(1)
    sitting.say(BLUE, TellAttack(id="t", source="e7", target="e5"))
    letters = len(sitting.letters(BLUE))
    sitting.see(Unread(0))
    _, rejected = sitting.letters(BLUE)[letters:]
    assert (type(rejected).__name__, rejected.reason) == ("Rejected", "not-your-turn")  # type: ignore[union-attr]


def test_a_reply_that_is_refused_leaves_open_what_it_answered() -> None:
    """Its hand may have been on its way still: final once the board agrees, taken back where its own squares differ."""
    for goes_on in (False, True):
        sitting = Sitting(Mode.ENROL)
        sitting.move("e4", "e5")
        further = sitting.prospect("i7", "i5")
        sitting.read("i7", "i6")
        sitting.read("f4", "f5")
        sitting.see(Unread(0))
        sitting.see(Read(replace(sitting.prospect("f4", "f5"), target=sitting.square("f6")), 0))
        assert sitting.kinds()[-1] == "move.refused"
        view = sitting.table.view()
        assert (view.phase, view.ask, view.ply) == (Phase.RESTORING, Ask.ILLEGAL_MOVE, 2)
        (order,) = sitting.steps[-1].orders
        assert isinstance(order, Expect)
        assert order.occupants[sitting.square("i6")] is BLUE
        assert further.source == sitting.square("i7")
        if goes_on:
            puzzled("i6", "i5")(sitting)
            assert sitting.kinds()[-2:] == [BACK, "ask"]
        else:
            agreed()(sitting)
            assert sitting.kinds()[-2:] == [FINAL, "restored"]
        prove_resumed(sitting)


def test_a_reply_that_forfeits_ends_the_game_after_what_it_answered() -> None:
    """A bomb that the referee knows was moved."""
    rules = rule_set("duel").with_options({"immobile_moved": "forfeit"})
    sitting = Sitting(Mode.ENROL, rule_set_=rules)
    sitting.place({RED: {"b4": Rank.SPY}, BLUE: {"a10": Rank.BOMB, "b10": Rank.SPY}}, RED)
    sitting.read("b4", "b5")
    sitting.read("a10", "a9")
    assert sitting.kinds()[-3:] == ["move.refused", FINAL, "end"]
    assert sitting.table.result is not None
    assert (sitting.table.result.winner, sitting.table.result.reason) == (RED, "forfeit")


def test_a_game_that_its_last_ply_ends_is_over_once_that_is_final() -> None:
    """Unread before, it goes on. A reply to it is none: whoever lifts his bomb there has seen the end, too."""
    for how in ("final", "unread", "reply"):
        sitting = Sitting(Mode.ENROL)
        sitting.place(
            {RED: {"a1": Rank.FLAG, "b2": Rank.MINER}, BLUE: {"a10": Rank.SPY, "a9": Rank.BOMB, "b9": Rank.MINER}}, RED
        )
        sitting.read("b2", "b3")
        sitting.read("b9", "b10")
        sitting.read("b3", "b4")
        assert sitting.table.result is None
        sitting.see(Final(0))
        sitting.see(Final(0))
        assert sitting.table.result is None, "blue has a move"
        sitting.see(Unread(0))
        sitting.place(
            {RED: {"a1": Rank.FLAG, "b2": Rank.MINER}, BLUE: {"a10": Rank.SPY, "a9": Rank.BOMB, "b10": Rank.BOMB}}, RED
        )
        sitting.read("b2", "b3")
        assert sitting.table.result is None
        if how == "unread":
            sitting.see(Unread(0))
            assert (sitting.table.result, sitting.table.view().turn) == (None, RED)
            continue
        if how == "final":
            sitting.see(Final(0))
        else:
            sitting.read("a9", "a8")
        assert sitting.kinds()[-2:] == [FINAL, "end"]
        assert sitting.table.result is not None
        assert (sitting.table.result.winner, sitting.table.result.reason) == (RED, "immobile")


def test_nothing_bars_what_never_was() -> None:
    """A border crossed in a ply that was unread counts for no repetition."""
    sitting = Sitting()
    sitting.move("e4", "e5")
    sitting.move("a7", "a6")
    for _ in range(2):
        sitting.read("e5", "e4")
        sitting.read("a6", "a7")
        sitting.see(Unread(0, 2))
    for red, blue in ((("e5", "e4"), ("a6", "a5")), (("e4", "e5"), ("b7", "b6"))):
        sitting.move(*red)
        sitting.move(*blue)
    sitting.read("e5", "e4")
    assert sitting.table.view().barred == "two-squares"
    agreed()(sitting)
    sitting.read("i4", "i5")
    assert sitting.table.view().barred is None
    sitting.see(Unread(0))
    assert sitting.table.view().barred == "two-squares"


@pytest.mark.parametrize("mode", list(Mode))
def test_every_screen_shows_what_it_showed_before_what_never_was(mode: Mode) -> None:
    """Kiosk, hall and terminal are drawn from the view, a handset besides from its seat's state; an attack's verdict is back, too."""
    for plies in (1, 2):
        sitting = Sitting(mode, clock=TimeControl(ClockKind.SUDDEN_DEATH, 60_000))
        sitting.move("e4", "e5")
        sitting.move("e7", "e6")
        sitting.attack("e5", "e6")
        sitting.declare(RED, Rank.MARSHAL)
        sitting.declare(BLUE, Rank.SPY)
        agreed()(sitting)
        before, known = sitting.table.view(), states(sitting)
        assert before.attack is not None
        shown = drawn(sitting, before)
        for source, target in (("a7", "a6"), ("i4", "i5"))[:plies]:
            sitting.read(source, target)
            sitting.now_ms += 2_000
            assert drawn(sitting, sitting.table.view()) != shown
        sitting.see(Unread(0, plies))
        after = sitting.table.view()
        assert replace(after, seq=before.seq) == before
        assert drawn(sitting, after) == shown
        assert states(sitting) == known


def drawn(sitting: Sitting, view: PublicView) -> KioskState:
    """Return what a kiosk draws of a view."""
    return kiosk_state(sitting.table.info(), view, words("en"), Contact.LIVE)


def states(sitting: Sitting) -> list[SeatState]:
    """Return what each seat may know now, without message ids."""
    found = []
    for seat in (RED, BLUE):
        sitting.say(seat, Hello(id=sitting.new_id()))
        found.append(sitting.letters(seat)[-1])
    return [msgspec.structs.replace(state, id="") for state in found if isinstance(state, SeatState)]


# --- clocks -----------------------------------------------------------------------------------------------------------


def test_clocks_are_as_they_were_before_what_never_was() -> None:
    """Three plies, five, seven and two seconds; what an arbiter gives meanwhile stays given."""
    control = TimeControl(ClockKind.FISCHER, 60_000, 1_000)
    sitting = Sitting(clock=control)

    def faces() -> tuple[int, int, str]:
        clocks = sitting.table.view().clocks
        running = "".join(seat.value[0] for seat in clocks if clocks[seat].runs)
        return clocks[RED].left_ms, clocks[BLUE].left_ms, running

    for (source, target), spent_ms in zip(OPEN, (5_000, 7_000, 2_000), strict=True):
        sitting.now_ms += spent_ms
        sitting.read(source, target)
    assert faces() == (55_000, 54_000, "b")
    sitting.now_ms += 4_000
    sitting.see(Unread(0))
    assert faces() == (54_000, 54_000, "r")
    prove_resumed(sitting)
    sitting.now_ms += 3_000
    sitting.see(Unread(0))
    assert faces() == (56_000, 53_000, "b")
    sitting.order(SetClock(id="o", reason="slow", seat=RED, left_ms=90_000))
    sitting.read(*OPEN[1])
    sitting.see(Unread(0, 2))
    assert faces() == (90_000, 60_000, "r")
    sitting.read(*OPEN[0])
    sitting.read(*OPEN[1])
    sitting.now_ms += 500_000
    sitting.see(Final(0))
    assert sitting.table.result is None, "no flag falls while a ply is open"
    sitting.see(Final(0))
    sitting.see(Lifted(sitting.square("f4"), 0))
    assert sitting.kinds()[-1] == "end"
    prove_resumed(sitting)


# --- offers -----------------------------------------------------------------------------------------------------------


def offered(sitting: Sitting) -> Offer | None:
    """Return the open offer as everybody sees it."""
    return sitting.table.view().offer


def test_an_offer_that_lapsed_by_a_ply_that_never_was_is_asked_again() -> None:
    """By whom it was declined is forgotten, and its question has another number."""
    for plies in (1, 2):
        sitting = Sitting()
        sitting.say(RED, OfferDraw(id="d"))
        first = sitting.question(BLUE)
        sitting.read("e4", "e5")
        assert offered(sitting) == Offer("draw", RED), "who offers may move"
        sitting.read("a7", "a6")
        assert offered(sitting) == Offer("draw", RED, None, BLUE)
        step = sitting.see(Unread(0, plies))
        assert [fact.kind for fact in step.facts] == [UNREAD] * plies + ["draw.offered"]
        assert offered(sitting) == Offer("draw", RED)
        assert (sitting.table.view().ask, sitting.table.view().waiting_for) == (Ask.CONFIRM_DRAW, (BLUE,))
        again = sitting.question(BLUE)
        assert again.question > first.question
        sitting.answer(BLUE, "accept")
        assert sitting.kinds()[-1] == "end"
        prove_resumed(sitting)


def test_an_offer_outlives_a_better_reading_that_is_unread_in_its_turn() -> None:
    """Blue plays on, by another move, by none."""
    sitting = Sitting()
    sitting.say(RED, OfferDraw(id="d"))
    sitting.read("e4", "e5")
    sitting.read("a7", "a6")
    revised("a7", "a5")(sitting)
    assert offered(sitting) == Offer("draw", RED, None, BLUE)
    sitting.see(Unread(0))
    assert offered(sitting) == Offer("draw", RED)


def test_an_offer_in_a_position_that_never_was_is_gone() -> None:
    """And one that was declined there is old news; one that was declined by word before stays declined."""
    sitting = opened(1)
    sitting.say(BLUE, OfferDraw(id="d"))
    sitting.see(Unread(0))
    assert sitting.kinds()[-2:] == [UNREAD, "draw.refused"]
    assert offered(sitting) is None
    sitting.read("e4", "e5")
    sitting.say(BLUE, OfferDraw(id="e"))
    sitting.answer(RED, "refuse")
    sitting.see(Unread(0))
    assert offered(sitting) is None
    sitting.say(RED, OfferDraw(id="f"))
    sitting.answer(BLUE, "refuse")
    sitting.read("e4", "e5")
    sitting.see(Unread(0))
    assert offered(sitting) == Offer("draw", RED, None, BLUE)
    prove_resumed(sitting)


def test_a_claim_is_asked_again_too() -> None:
    """He moved, and took it home."""
    sitting = Sitting()
    sitting.say(RED, ClaimImmobile(id="c"))
    sitting.read("e4", "e5")
    assert sitting.kinds()[-2:] == ["claim.refused", READ]
    sitting.see(Unread(0))
    assert sitting.table.view().ask is Ask.CONFIRM_CLAIM


def test_going_back_is_offered_over_open_plies() -> None:
    """Agreed, the plies that stand are final, and no other. Where it is about a ply that never was it is gone."""
    sitting = opened(3)
    sitting.say(RED, OfferTakeBack(id="b", ply=1))
    sitting.see(Unread(0))
    assert sitting.kinds()[-2:] == [UNREAD, "take-back.refused"]
    sitting.say(RED, OfferTakeBack(id="c", ply=1))
    sitting.answer(BLUE, "accept")
    assert sitting.kinds()[-2:] == [FINAL, "plies.taken-back"]
    view = sitting.table.view()
    assert (view.phase, view.ply, view.last_move.final) == (Phase.RESTORING, 1, True)  # type: ignore[union-attr]
    step = sitting.see(Agreed(0))
    assert isinstance(step.orders[-1], Follow)
    record = record_of([fact for step in sitting.steps for fact in step.facts], sitting.rules)
    assert [str(ply.action.source) for ply in record.plies] == ["e4"]  # type: ignore[union-attr]  # a move
    prove_resumed(sitting)


@pytest.mark.parametrize("ply", [0, 1, 2])
def test_an_arbiter_goes_back_over_plies_that_were_read_again(ply: int) -> None:
    """The record has what stands, however often it was read."""
    sitting = opened(2)
    sitting.see(Unread(0, 2))
    sitting.read("i4", "i5")
    sitting.read("a7", "a5")
    sitting.read("e4", "e5")
    revised("a7", "a6", 2)(sitting)
    sitting.read("e4", "e5")
    sitting.order(TakeBack(id="o", reason="any", ply=ply))
    sitting.see(Agreed(0))
    record = record_of([fact for step in sitting.steps for fact in step.facts], sitting.rules)
    kept = [f"{ply.action.source}-{ply.action.target}" for ply in record.plies]  # type: ignore[union-attr]  # moves
    assert kept == ["i4-i5", "a7-a6"][:ply]
    prove_resumed(sitting)


# --- flags, restarts --------------------------------------------------------------------------------------------------


def test_flags_are_left_behind_by_the_ply_that_was_meant() -> None:
    """Red says so for its first ply; unread, it is said still. What red says for its next turn is for that one."""
    sitting = Sitting(rules="stratego4-three")
    homes = {RED: "rd1", BLUE: "bd1", Seat.GREEN: "gd1"}
    sitting.place({seat: {homes[seat]: Rank.MAJOR} for seat in homes}, RED)
    sitting.say(RED, TellLeave(id="l", square="rd1", flags=(RED,)))
    sitting.read("rd1", "rc1")
    assert sitting.table._state.leaving == {}
    sitting.say(BLUE, TellLeave(id="l", square="bd1", flags=(BLUE,)))
    sitting.read("bd1", "bc1")
    sitting.see(Unread(0, 2))
    assert set(sitting.table._state.leaving) == {RED, BLUE}
    sitting.read("rd1", "rc1")
    sitting.read("bd1", "bc1")
    assert [(flag.square, flag.carried) for flag in sitting.table.view().flags[:2]] == [("rd1", False), ("bd1", False)]
    final(sitting)
    final(sitting)
    assert sitting.table._state.leaving == {}


def test_a_restart_between_two_open_plies_asks_the_board() -> None:
    """Nobody watched the hands meanwhile: they stay open until the board agrees, and then both are final."""
    sitting = opened(2)
    facts = [fact for step in sitting.steps for fact in step.facts]
    again = rebuild(told_settings(facts, rule_set), facts).table
    step = again.apply(Reopen(), 0)
    assert isinstance(step.orders[-1], Expect)
    assert (again.phase, again.view().ply) == (Phase.RESTORING, 2)
    kinds = [fact.kind for fact in again.apply(Agreed(0), 0).facts]
    assert kinds == [FINAL, FINAL, "restored"]


def test_rows_of_a_program_to_which_a_reply_made_the_move_before_final_are_read() -> None:
    """It said both in one step."""
    sitting = Sitting()
    sitting.read("e4", "e5")
    sitting.see(Final(0))
    sitting.read("a7", "a6")
    facts = [fact for step in sitting.steps for fact in step.facts]
    final_, read_ = facts[-2:]
    assert (final_.kind, read_.kind) == (FINAL, READ)
    facts[-2:] = [replace(final_, cause=read_.cause), replace(read_, cause=None)]
    again = rebuild(told_settings(facts, rule_set), facts)
    assert (again.owed, again.table.view()) == ((), sitting.table.view())
    (ply,) = again.table._state.open_plies
    assert ply.source == sitting.square("a7")


@settings(max_examples=tries(10), deadline=None)
@given(seed=st.integers(0, 2**32))
def test_the_record_has_what_is_final_whatever_was_said(seed: int) -> None:
    """Any order of words about moves, going back among them: the record is what the table counts, and the journal gives it back."""
    rng, sitting = random.Random(seed), Sitting()
    for number in range(40):
        game, open_plies = sitting.table.public_game, sitting.table._state.open_plies
        assert game is not None
        what = rng.choice(["read", "read", "read", "final", "unread", "revised", "back"])
        plies = rng.randint(1, max(1, len(open_plies)))
        if what == "back" and game.ply:
            sitting.order(TakeBack(id=f"o{number}", reason="any", ply=rng.randrange(game.ply)))
            sitting.see(Agreed(0))
        elif what == "final" and open_plies:
            final(sitting)
        elif what == "unread":
            sitting.see(Unread(0, plies))
        elif what in ("read", "revised") and (what == "read" or open_plies):
            before = game if what == "read" else open_plies[-plies].dual.public
            choices = [
                p
                for p in before.situation().prospects
                if not p.attack and not before.refusals(Move(p.source, p.target))
            ]
            prospect = rng.choice(choices)
            sitting.see(Read(prospect, 0) if what == "read" else Revised(prospect, 0, plies=plies))
        state = sitting.table._state
        counted = [entry.action for entry in state.game.history][: state.ply - len(state.open_plies)]
        record = record_of([fact for step in sitting.steps for fact in step.facts], sitting.rules)
        assert [ply.action for ply in record.plies] == counted
    prove_resumed(sitting)
