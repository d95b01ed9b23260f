"""What players wish for on their handsets besides playing: a pause, the arbiter, an end without a result; and what they are warned of."""

from __future__ import annotations

import pytest

from referee.rules.values import Rank, Seat
from referee.sensing import Agreed, Disturbed
from referee.table.inputs import Pause, Resume, Tick
from referee.table.messages import (
    Answer,
    AskPause,
    AskResume,
    CallArbiter,
    Closed,
    OfferAbort,
    OfferDraw,
    OfferTakeBack,
    Resign,
)
from referee.table.views import Ask, Mode, Offer, Phase
from tests.table.sitting import BLUE, RED, Sitting
from tests.table.test_more_seats import GREEN, three


def test_a_pause_of_a_player_ends_when_everybody_is_ready() -> None:
    """Not by the word of one; the view says whose is missing."""
    sitting = Sitting()
    sitting.say(RED, AskPause(id="p"))
    assert sitting.table.view().waiting_for == (RED, BLUE)
    sitting.say(BLUE, AskResume(id="r"))
    assert (sitting.phase(), sitting.table.view().waiting_for) == (Phase.PAUSED, (RED,))
    sitting.say(RED, AskResume(id="r"))
    assert sitting.phase() is Phase.RESTORING
    sitting.see(Agreed(0))
    assert sitting.kinds()[-3:] == ["paused", "resumed", "restored"]


def test_what_the_kiosk_has_stopped_no_handset_starts_again() -> None:
    """Kiosk and arbiter resume it themselves; they also end a pause that a player asked for."""
    sitting = Sitting()
    sitting.take(sitting.table.apply(Pause(), 0))
    assert sitting.refused(RED, AskResume(id="r")) == "not-now"
    assert sitting.refused(RED, AskPause(id="p")) == "not-now"
    sitting.take(sitting.table.apply(Resume(), 0))
    sitting.see(Agreed(0))
    sitting.say(RED, AskPause(id="q"))
    sitting.take(sitting.table.apply(Resume(), 0))
    assert sitting.phase() is Phase.RESTORING


def test_the_arbiter_is_called_in_play_and_in_a_pause() -> None:
    """The table stands still; who called is in the view until it goes on. Called twice is called once."""
    sitting = Sitting()
    sitting.say(RED, CallArbiter(id="c"))
    assert (sitting.phase(), sitting.table.view().called) == (Phase.PAUSED, (RED,))
    sitting.say(RED, CallArbiter(id="d"))
    sitting.say(BLUE, CallArbiter(id="c"))
    assert sitting.table.view().called == (RED, BLUE)
    assert sitting.kinds()[-3:] == ["paused", "arbiter.called", "arbiter.called"]
    sitting.take(sitting.table.apply(Resume(), 0))
    assert sitting.table.view().called == ()


def test_silence_offers_the_arbiter() -> None:
    """A question that nobody answers pauses; there the arbiter can be called, and the answer still ends it."""
    sitting = Sitting()
    sitting.move("e4", "e5")
    sitting.move("e7", "e6")
    sitting.attack("e5", "e6")
    sitting.declare(RED, Rank.MARSHAL)
    sitting.now_ms = sitting.table._state.deadline_ms or 0
    sitting.take(sitting.table.apply(Tick(), sitting.now_ms))
    sitting.say(RED, CallArbiter(id="c"))
    assert sitting.table.view().called == (RED,)
    assert sitting.table.view().waiting_for == (BLUE,)
    sitting.declare(BLUE, Rank.SPY)
    assert sitting.kinds()[-4:] == ["paused", "arbiter.called", "resumed", "verdict"]


@pytest.mark.parametrize("where", ["set-up", "play", "attack", "restoring", "pause"])
def test_everybody_together_can_break_it_off_anywhere(where: str) -> None:
    """One alone cannot; there is no result then."""
    sitting = Sitting(begin=where != "set-up")
    if where == "attack":
        sitting.move("e4", "e5")
        sitting.move("e7", "e6")
        sitting.attack("e5", "e6")
    if where == "restoring":
        sitting.see(Disturbed((), 0))
    if where == "pause":
        sitting.say(RED, AskPause(id="p"))
    asked = sitting.table.view().ask
    sitting.say(BLUE, OfferAbort(id="a"))
    assert sitting.kinds()[-1] == "abort.offered"
    assert sitting.table.view().ask is (asked or Ask.CONFIRM_ABORT), "what the hands are asked for comes first"
    assert sitting.refused(BLUE, OfferAbort(id="b")) == "not-now"
    number = sitting.question(RED).question
    assert sitting.refused(BLUE, Answer(id="c", question=number, choice="accept")) == "no-such-question"
    sitting.say(RED, Answer(id="d", question=number, choice="accept"))
    result = sitting.table.result
    assert result is not None
    assert (result.winner, result.reason) == (None, "aborted")


def test_refused_it_goes_on_as_before() -> None:
    """What was asked stays asked, and the question is closed."""
    sitting = Sitting()
    sitting.see(Disturbed((), 0))
    sitting.say(BLUE, OfferAbort(id="a"))
    step = sitting.answer(RED, "refuse")
    assert any(isinstance(letter.body.open_hidden(), Closed) for letter in step.letters if letter.seat is RED)
    assert sitting.kinds()[-1] == "abort.refused"
    assert (sitting.phase(), sitting.table.view().ask) == (Phase.RESTORING, Ask.DISTURBED)


def test_a_draw_that_is_overtaken_is_closed_for_who_was_asked() -> None:
    """His handset asks no more."""
    sitting = Sitting()
    sitting.say(RED, OfferDraw(id="d"))
    number = sitting.question(BLUE).question
    sitting.move("e4", "e5")
    sitting.read("a7", "a6")
    (closed,) = [letter for letter in sitting.letters(BLUE) if isinstance(letter, Closed)]
    assert closed.question == number
    assert not any(isinstance(letter, Closed) for letter in sitting.letters(RED))


def test_everybody_sees_who_offers_and_who_declines() -> None:
    """The offer while it is open; who declined it, by word or by playing on, until two plies later or until the next offer."""
    sitting = Sitting()

    def offer() -> Offer | None:
        return sitting.table.view().offer

    assert offer() is None
    sitting.say(RED, OfferDraw(id="d1"))
    assert offer() == Offer("draw", RED)
    sitting.answer(BLUE, "refuse")
    assert offer() == Offer("draw", RED, declined_by=BLUE)
    sitting.say(RED, OfferAbort(id="d2"))
    assert offer() == Offer("abort", RED)
    sitting.answer(BLUE, "refuse")
    sitting.move("e4", "e5")
    assert offer() == Offer("abort", RED, declined_by=BLUE)
    sitting.move("e7", "e6")
    assert offer() is None
    sitting.say(BLUE, OfferDraw(id="d3"))
    sitting.move("d4", "d3")
    assert offer() == Offer("draw", BLUE, declined_by=RED)


def test_the_last_ply_of_each_seat_is_told_while_it_can_be_taken_back() -> None:
    """On one's own turn it is the one before the opponent's; gone back to before it, it is told no more."""
    sitting = Sitting()
    assert sitting.table.view().last_plies == {}
    sitting.move("e4", "e5")
    sitting.move("e7", "e6")
    assert sitting.table.view().last_plies == {RED: 1, BLUE: 2}
    sitting.say(RED, OfferTakeBack(id="t", ply=0))
    sitting.answer(BLUE, "accept")
    assert sitting.table.view().last_plies == {}


def test_at_the_end_nothing_is_asked_any_more() -> None:
    """Of both who fought, alike."""
    sitting = Sitting()
    sitting.move("e4", "e5")
    sitting.move("e7", "e6")
    sitting.attack("e5", "e6")
    sitting.say(RED, Resign(id="r"))
    assert [[type(m) for m in sitting.letters(seat)].count(Closed) for seat in (RED, BLUE)] == [1, 1]


@pytest.mark.parametrize("mode", Mode)
def test_the_mover_is_warned_of_what_the_repetition_rules_bar(mode: Mode) -> None:
    """Before it is tried; the same in both modes, since it follows from tracking alone. On the other's turn nothing is said."""
    sitting = Sitting(mode)
    for red, blue in ((("e4", "e5"), ("a7", "a6")), (("e5", "e4"), ("a6", "a5")), (("e4", "e5"), ("b7", "b6"))):
        assert sitting.table.view().bars == {}
        sitting.move(*red)
        assert sitting.table.view().bars == {}
        sitting.move(*blue)
    assert sitting.table.view().bars == {"e5": ("e4",)}
    sitting.read("e5", "e4")
    assert sitting.table.view().barred == "two-squares"


@pytest.mark.parametrize("seat", [RED, BLUE, GREEN])
def test_who_is_out_has_nothing_to_wish(seat: Seat) -> None:
    """And is not waited for."""
    sitting = three()
    sitting.say(seat, Resign(id="r"))
    for message in (AskPause(id="p"), CallArbiter(id="c"), OfferAbort(id="a")):
        assert sitting.refused(seat, message) == "not-now"
    others = tuple(other for other in (RED, BLUE, GREEN) if other is not seat)
    sitting.say(others[0], AskPause(id="q"))
    assert sitting.table.view().waiting_for == others
