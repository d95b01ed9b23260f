"""From the opening to the first move: what stands on the board, who is ready, what was enrolled."""

from __future__ import annotations

import pytest

from referee.presentation.sentences import detail
from referee.rules import rule_set, rule_set_names
from referee.rules.values import Rank, Seat, Square
from referee.sensing import Agreed, Difference, Masked, Puzzled, Reading, Seen
from referee.table.commitments import root, seat_seed
from referee.table.inputs import Connection
from referee.table.messages import Enrol, Hello, Ready, Rejected
from referee.table.step import Collect, Expect, Follow
from referee.table.views import Mode, Phase
from referee.words import words
from tests.table.sitting import BLUE, DUEL_RED, RED, Sitting


def whole(sitting: Sitting) -> dict[Square, Seat]:
    """Return every piece on its square of the set-up."""
    return {sitting.square(name): seat for seat in sitting.ranks for name in sitting.ranks[seat]}


def test_a_set_up_with_faults_is_refused_as_one() -> None:
    """Whatever is wrong with it, by one word; and the seat may send another."""
    sitting = Sitting(Mode.ENROL, begin=False)
    for number, wrong in enumerate(({"a1": Rank.FLAG}, {**DUEL_RED, "z9": Rank.SPY}, {})):
        assert sitting.refused(RED, Enrol(id=f"w{number}", set_up=wrong)) == "bad-set-up"
    assert sitting.refused(RED, Enrol(id="right", set_up=dict(DUEL_RED))) is None


@pytest.mark.parametrize("rules", rule_set_names())
def test_a_piece_that_is_taken_up_again_stops_the_beginning(rules: str) -> None:
    """The board was complete once and is not when the last player is ready: the game waits for the piece, and names its square."""
    sitting = Sitting(begin=False, rules=rules)
    assert isinstance(sitting.steps[0].orders[0], Collect)
    pieces = whole(sitting)
    sitting.see(Seen(pieces, 0))
    gone = next(iter(pieces))
    sitting.see(Seen({square: seat for square, seat in pieces.items() if square != gone}, 0))
    for seat in sitting.rules.seats:
        sitting.say(seat, Ready(id="r"))
    assert sitting.table.view().phase is Phase.SETTING_UP
    if sitting.rules.filled:
        assert [(fix.square, fix.wanted) for fix in sitting.table.view().fixes] == [(gone.name, pieces[gone])]
    step = sitting.see(Seen(pieces, 0))
    assert sitting.table.view().phase is Phase.WAITING_FOR_MOVE
    assert isinstance(step.orders[-1], Follow)
    assert sitting.table.view().fixes == ()


def test_a_wrong_magnet_in_a_filled_zone_is_named_with_whose_belongs_there() -> None:
    """A blue piece among the red ones; and one that stands in the middle of the board belongs nowhere."""
    sitting = Sitting(begin=False, rules="original")
    pieces = whole(sitting)
    pieces[sitting.square("b2")] = BLUE
    pieces[sitting.square("e5")] = RED
    sitting.see(Seen(pieces, 0))
    assert [(fix.square, fix.wanted) for fix in sitting.table.view().fixes] == [("b2", RED), ("e5", None)]


def test_before_the_first_piece_every_square_of_a_filled_zone_is_asked_for() -> None:
    """And none of a free one."""
    assert len(Sitting(begin=False, rules="original").table.view().fixes) == 80
    assert Sitting(begin=False, rules="duel").table.view().fixes == ()


def test_what_is_not_understood_while_setting_up_says_nothing_new() -> None:
    """What stands on the board says it all."""
    sitting = Sitting(begin=False, rules="original")
    assert not sitting.see(Puzzled((), 0))


def test_an_enrolment_that_comes_last_begins_the_game() -> None:
    """Both were ready and the pieces stood, but one had enrolled other squares: the squares are named, then the right ones suffice."""
    sitting = Sitting(Mode.ENROL, begin=False)
    elsewhere = {("c3" if name == "d4" else name): rank for name, rank in DUEL_RED.items()}
    sitting.say(RED, Enrol(id="1", set_up=elsewhere))
    sitting.say(BLUE, Enrol(id="1", set_up=dict(sitting.ranks[BLUE])))
    sitting.say(RED, Ready(id="2"))
    sitting.say(BLUE, Ready(id="2"))
    sitting.see(Seen(whole(sitting), 0))
    assert [(fix.square, fix.wanted) for fix in sitting.table.view().fixes] == [("c3", RED), ("d4", None)]
    step = sitting.say(RED, Enrol(id="3", set_up=dict(DUEL_RED)))
    assert sitting.table.view().phase is Phase.WAITING_FOR_MOVE
    assert [fact.kind for fact in step.facts] == ["enrolled", "begin"]


def test_words_said_twice_count_once() -> None:
    """A second `ready` is accepted and says nothing new."""
    sitting = Sitting(begin=False)
    sitting.say(RED, Ready(id="1"))
    step = sitting.say(RED, Ready(id="2"))
    assert [(fact.kind, fact.event) for fact in step.facts] == [("accepted", None)]
    assert sitting.kinds() == ["opened", "ready"]


def test_who_enrols_is_ready_only_after_that() -> None:
    """In enrol mode the referee needs the ranks first."""
    sitting = Sitting(Mode.ENROL, begin=False)
    assert sitting.refused(RED, Ready(id="1")) == "enrol-first"
    sitting.begin()
    assert sitting.table.view().phase is Phase.WAITING_FOR_MOVE


def test_sensors_that_are_not_believed_are_shown() -> None:
    """As long as sensing masks them, and no longer."""
    sitting = Sitting()
    assert sitting.see(Masked((sitting.square("e5"), sitting.square("e6")), 0)).view_changed
    assert sitting.table.view().blind == ("e5", "e6")
    assert not sitting.see(Masked((sitting.square("e5"), sitting.square("e6")), 0)).view_changed
    sitting.see(Masked((), 0))
    assert sitting.table.view().blind == ()


def test_a_seat_that_does_not_play_is_not_heard() -> None:
    """In a game of two green has no say, and cannot keep the others from beginning."""
    sitting = Sitting(begin=False)
    for message in (Ready(id="1"), Hello(id="2"), Enrol(id="3", set_up={"a1": Rank.FLAG})):
        assert sitting.refused(Seat.GREEN, message) == "no-such-seat"
    assert not sitting.take(sitting.table.apply(Connection(Seat.GREEN, True), 0))
    sitting.begin()
    assert sitting.table.view().phase is Phase.WAITING_FOR_MOVE


def test_an_enrolled_set_up_that_cannot_move_at_all_loses_at_once() -> None:
    """Six bombs on the open squares of the front row (rules, section 5): warned on the handset, then it is as it is."""
    rules = rule_set("original")
    army = [rank for rank, count in rules.army.items() for _ in range(count) if rank is not Rank.BOMB]
    front = ("a4", "b4", "e4", "f4", "i4", "j4")
    rest = [square.name for square in rules.zone(RED) if square.name not in front]
    set_up = {**dict.fromkeys(front, Rank.BOMB), **dict(zip(rest, army, strict=True))}
    blue = Sitting(begin=False, rules="original").ranks[BLUE]
    sitting = Sitting(Mode.ENROL, rules="original", ranks={RED: set_up, BLUE: blue})
    assert sitting.table.result is not None
    assert (sitting.table.result.winner, sitting.table.result.reason) == (BLUE, "immobile")
    assert sitting.kinds()[-2:] == ["begin", "end"]


def test_letters_are_counted_by_seat() -> None:
    """How often the other seat is written to is nobody's business: a common count would tell of every refused declaration."""
    quiet, busy = Sitting(), Sitting()
    for _ in range(3):
        busy.refused(RED, Ready(id="x"))
    ids = [[letter.id for letter in sitting.letters(BLUE)] for sitting in (quiet, busy)]
    assert ids[0] == ids[1]
    assert quiet.say(BLUE, Hello(id="h")).letters[0].body.open_hidden().id == (
        busy.say(BLUE, Hello(id="h")).letters[0].body.open_hidden().id
    )


def test_an_enrolled_set_up_in_a_free_zone_guides_the_hands_once_its_player_is_ready() -> None:
    """Which squares still lack a piece, and which hold one that was enrolled elsewhere; before that nobody hears where it will stand."""
    sitting = Sitting(Mode.ENROL, begin=False)
    sitting.say(RED, Enrol(id="1", set_up=dict(DUEL_RED)))
    there = {sitting.square(name): RED for name in DUEL_RED if name not in ("a1", "d4")} | {sitting.square("c3"): RED}
    sitting.see(Seen(there, 0))
    assert sitting.table.view().fixes == ()
    sitting.say(RED, Ready(id="2"))
    assert {(fix.square, fix.wanted) for fix in sitting.table.view().fixes} == {("a1", RED), ("d4", RED), ("c3", None)}
    there[sitting.square("d4")] = there.pop(sitting.square("c3"))
    sitting.see(Seen({**there, sitting.square("a1"): BLUE}, 0))
    assert [(fix.square, fix.wanted) for fix in sitting.table.view().fixes] == [("a1", RED)], (
        "a magnet with the wrong pole"
    )


def test_nobody_is_ready_with_pieces_outside_the_zone() -> None:
    """Duel: the army is whole, one piece a row too far. The squares are named, and once it stands in the zone the game begins."""
    sitting = Sitting(begin=False, rules="duel")
    pieces = whole(sitting)
    home = next(square for square, seat in pieces.items() if seat is RED)
    strayed = {square: seat for square, seat in pieces.items() if square != home} | {sitting.square("e5"): RED}
    sitting.see(Seen(strayed, 0))
    sitting.say(RED, Ready(id="early"))
    refused = sitting.letters(RED)[-1]
    assert isinstance(refused, Rejected)
    assert (refused.reason, refused.detail) == ("outside-zone", ("e5",))
    view, info = sitting.table.view(), sitting.table.info()
    assert RED in view.waiting_for
    assert (info.placed(RED, view), info.astray(RED, view), info.astray(BLUE, view)) == (9, ("e5",), ())
    assert detail(info, view, words("en")) == "Red: move e5 into the set-up zone"
    sitting.say(BLUE, Ready(id="b"))
    sitting.see(Seen(pieces, 0))
    sitting.say(RED, Ready(id="now"))
    assert sitting.table.view().phase is Phase.WAITING_FOR_MOVE


def test_a_piece_that_strays_after_ready_is_named_to_everybody() -> None:
    """Both have said ready; a screen names the square instead of standing still without a word."""
    sitting = Sitting(begin=False, rules="duel")
    pieces = whole(sitting)
    home = next(square for square, seat in pieces.items() if seat is BLUE)
    fewer = {square: seat for square, seat in pieces.items() if square != home}
    sitting.see(Seen(fewer, 0))
    for seat in (RED, BLUE):
        sitting.say(seat, Ready(id="r"))
    sitting.see(Seen(fewer | {sitting.square("f6"): BLUE}, 0))
    assert detail(sitting.table.info(), sitting.table.view(), words("de")) == "Blau: f6 in die Aufstellungszone stellen"
    sitting.see(Seen(pieces, 0))
    assert sitting.table.view().phase is Phase.WAITING_FOR_MOVE


def test_nobody_is_ready_with_more_pieces_than_the_army_has() -> None:
    """A Duel is played with the pieces of the big box, so that an eleventh one is easily taken."""
    sitting = Sitting(begin=False, rules="duel")
    pieces = whole(sitting)
    spare = next(square for square in sitting.rules.zone(RED) if square not in pieces)
    sitting.see(Seen(pieces | {spare: RED}, 0))
    sitting.say(RED, Ready(id="r"))
    refused = sitting.letters(RED)[-1]
    assert isinstance(refused, Rejected)
    assert (refused.reason, refused.detail) == ("too-many-pieces", ("11", "10"))
    told = detail(sitting.table.info(), sitting.table.view(), words("en"))
    assert told == "Red: 11 pieces in the zone, the army has 10"


@pytest.mark.parametrize("rules", rule_set_names())
def test_a_piece_that_lacks_once_everybody_is_ready_is_said(rules: str) -> None:
    """It was taken up again, or lies under the table: a free zone has no square to draw for it."""
    sitting = Sitting(begin=False, rules=rules)
    pieces = whole(sitting)
    gone = next(iter(pieces))
    sitting.see(Seen({square: seat for square, seat in pieces.items() if square != gone}, 0))
    size = sum(sitting.rules.army.values())
    for seat in sitting.rules.seats:
        assert "the army has" not in detail(sitting.table.info(), sitting.table.view(), words("en"))
        sitting.say(seat, Ready(id="r"))
    said = detail(sitting.table.info(), sitting.table.view(), words("en"))
    assert said == f"Red: {size - 1} pieces in the zone, the army has {size}"
    sitting.see(Seen(pieces, 0))
    assert sitting.table.view().phase is Phase.WAITING_FOR_MOVE


@pytest.mark.parametrize("rules", ["original", "duel", "stratego4"])
def test_a_piece_that_strays_while_another_lacks_is_named_and_never_taken_for_a_bad_sensor(rules: str) -> None:
    """Enrolled, ready, one piece not on its square: it may be a dead sensor, until it turns up elsewhere."""
    sitting = Sitting(Mode.ENROL, begin=False, rules=rules)
    pieces = whole(sitting)
    gone, astray = (
        next(iter(pieces)),
        next(square for square in sitting.rules.board.squares if not in_zones(sitting, square)),
    )
    fewer = {square: seat for square, seat in pieces.items() if square != gone}
    for seat in sitting.rules.seats:
        sitting.say(seat, Enrol(id="e", set_up=dict(sitting.ranks[seat])))
    sitting.see(Seen(fewer, 0))
    for seat in sitting.rules.seats:
        step = sitting.say(seat, Ready(id="r"))
    assert isinstance(step.orders[-1], Expect)
    empty, stray = Difference(gone, RED, Reading.EMPTY), Difference(astray, None, Reading.RED)
    assert sitting.see(Puzzled((empty,), 0)).orders == ()
    assert isinstance(sitting.see(Puzzled((empty, stray), 0)).orders[-1], Collect)
    sitting.see(Seen(fewer | {astray: RED}, 0))
    assert {fix.square for fix in sitting.table.view().fixes} == {gone.name, astray.name}
    assert isinstance(sitting.see(Seen(fewer, 0)).orders[-1], Expect)
    sitting.see(Agreed(0))
    assert sitting.table.view().phase is Phase.WAITING_FOR_MOVE


def in_zones(sitting: Sitting, square: Square) -> bool:
    """Return whether a square belongs to any set-up zone."""
    return any(square in sitting.rules.zone(seat) for seat in sitting.rules.seats)


@pytest.mark.parametrize(("gone", "collects"), [(1, False), (2, False), (3, True), (10, True)])
def test_more_pieces_gone_than_dead_sensors_explain_are_looked_for(gone: int, collects: bool) -> None:
    """One or two may stand on sensors that do not work; of more, sensing has to say anew what stands on the board."""
    sitting = Sitting(begin=False, rules="original")
    missing = [Difference(square, seat, Reading.EMPTY) for square, seat in whole(sitting).items()][:gone]
    assert sitting.see(Puzzled(tuple(missing), 0)).orders == ((Collect(),) if collects else ())


@pytest.mark.parametrize(
    ("rules", "filled", "immobile", "front", "exits"),
    [
        ("original", True, (Rank.BOMB, Rank.FLAG), "a4 b4 c4 d4 e4 f4 g4 h4 i4 j4", "a4 b4 e4 f4 i4 j4"),
        ("duel", False, (Rank.BOMB, Rank.FLAG), "a4 b4 c4 d4 e4 f4 g4 h4 i4 j4", "a4 b4 e4 f4 i4 j4"),
    ],
)
def test_a_screen_hears_of_the_rules_what_a_set_up_needs(
    rules: str, filled: bool, immobile: tuple[Rank, ...], front: str, exits: str
) -> None:
    """Zones as their players see them, the squares from which a piece can go on at once, and the ranks that never move."""
    info = Sitting(begin=False, rules=rules).table.info()
    assert (info.filled, info.immobile) == (filled, immobile)
    assert info.zones[RED][0] == tuple(front.split())
    assert info.zones[BLUE][0] == tuple(name.replace("4", "7") for name in reversed(front.split()))
    assert set(info.exits[RED]) == set(exits.split())
    assert info.in_zone(RED, "a1")
    assert not info.in_zone(RED, "a10")


@pytest.mark.parametrize("mode", list(Mode))
def test_the_roots_of_set_ups_are_public_from_the_first_move_on(mode: Mode) -> None:
    """Whoever comes later reads them as well; where ranks are declared at each attack there is nothing to commit to yet."""
    secret = bytes(range(32))
    sitting = Sitting(mode, begin=False, secret=secret)
    assert sitting.table.info().roots == {}
    sitting.begin()
    wanted = {seat: root(seat_seed(secret, "g1", seat), "g1", seat, ranks) for seat, ranks in sitting.ranks.items()}
    assert sitting.table.info().roots == (wanted if mode is Mode.ENROL else {})
    assert sitting.kinds().count("committed") == len(sitting.table.info().roots)
