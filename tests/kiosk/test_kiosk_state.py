"""The one value that a screen shows: sentences, trays, board. Tables of moments and what is said of them."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from itertools import product
from typing import Any, cast

import pytest

from kiosk_ui.fixtures import samples
from kiosk_ui.received_state import ReceivedState
from referee.net.topics.payloads import KioskIncoming, KioskNote, LinkDown, LinkUp, PeerFault, Status
from referee.presentation.sentences import Contact, Tone, seen
from referee.presentation.state import BoardPiece, PieceState, Trail, kiosk_state
from referee.rules.hidden import Hidden
from referee.rules.values import Rank, Seat
from referee.table.views import (
    Ask,
    Attack,
    Fix,
    FlagPlace,
    Found,
    GameEnd,
    Phase,
    PublicEvent,
    PublicInfo,
    PublicView,
    Sighting,
)
from referee.words import LANGUAGES, words
from tests.amount import tries

SAMPLES = {sample.name: sample for sample in samples()}
INFO = cast(PublicInfo, SAMPLES["middle"].info)
MIDDLE = cast(PublicView, SAMPLES["middle"].view)
R, B = Seat.RED, Seat.BLUE
UP, GONE = Status(True, 1, "0" * 16), Status(False, 1, "0" * 16)

# sample -> headline, whose colour it wears, its tone, the small sentence
SENTENCES = {
    "no-broker": ("No connection to the table", None, Tone.CALM, "Reconnecting… The game is waiting."),
    "lobby": ("Waiting for the players", None, Tone.CALM, "Waiting for Red, Blue"),
    "setting-up": ("Set up your pieces.", None, Tone.CALM, "Blue: set up, then tap “I am ready” on the phone."),
    "first-move": ("Red to move", R, Tone.TURN, ""),
    "middle": ("Blue to move", B, Tone.TURN, "Last move: e4 – e5"),  # noqa: RUF001 - the dash that screens show
    "in-hand": ("Blue to move", B, Tone.TURN, "In hand: f7"),
    "attack": ("b6 attacks b7", R, Tone.TURN, "Say on your phone which piece it is. Waiting for Red, Blue"),
    "verdict": ("The attacker wins", None, Tone.CALM, "Put Red\u2019s piece on b7"),
    "refused": (
        "Fix the board",
        None,
        Tone.ASK,
        "Two-squares rule: back and forth between these squares too often. That move is not allowed. Put the piece back.",
    ),
    "restoring": (
        "Fix the board",
        None,
        Tone.ASK,
        "I see: c3, d4, b7 empty; Red’s piece on e7. Something knocked the board. Put every piece back.",
    ),
    "taken-back": (
        "Fix the board",
        None,
        Tone.ASK,
        "I see: Blue’s piece on e6; f6 empty. The last move is undone. Set the board as it was before.",
    ),
    "paused": (
        "Paused",
        None,
        Tone.CALM,
        "Blue is offline: wake the phone, check its Wi-Fi. Say on your phone which piece it is. Waiting for Red, Blue",
    ),
    "draw-offered": ("Blue to move", B, Tone.TURN, "Blue offers a draw. Waiting for Red"),
    "draw-declined": ("Blue to move", B, Tone.TURN, "Red declined the draw. Last move: e4 – e5"),  # noqa: RUF001
    "board-away": ("The board isn’t connected", None, Tone.ASK, "Plug the board in firmly."),
    "no-referee": (
        "The table isn’t answering",
        None,
        Tone.CALM,
        "It restarts by itself and the game is safe. If it doesn’t: start the table.",
    ),
    "won": ("Red wins", R, Tone.END, "The flag was captured"),
    "drawn": ("Draw", None, Tone.END, "Draw agreed"),
    "broken-off": ("No result", None, Tone.END, "Stopped without a result"),
    "won-together": ("Red and Green win", None, Tone.END, "No legal move left"),
    "four-armies": ("Blue to move", B, Tone.TURN, "Last move: f4 – f5"),  # noqa: RUF001 - as above
}


@pytest.mark.parametrize("name", SENTENCES)
def test_each_moment_has_its_sentences(name: str) -> None:
    """Headline, colour, tone and small sentence are those of the table."""
    state = SAMPLES[name].state("en")
    assert (state.banner.text, state.banner.seat, state.banner.tone, state.detail) == SENTENCES[name]


@pytest.mark.parametrize("language", LANGUAGES)
def test_both_of_a_team_win(language: str) -> None:
    """Whoever of the two made the win, in every language both are named, first him who sits first."""
    sample, said = SAMPLES["won-together"], words(language)
    info, view = cast(PublicInfo, sample.info), cast(PublicView, sample.view)
    for winner in (R, Seat.GREEN):
        over = replace(view, result=GameEnd(winner, "immobile"))
        banner = kiosk_state(info, over, said, Contact.LIVE).banner
        assert banner.seats == (R, Seat.GREEN)
        red, green = (banner.text.index(said.seat(seat)) for seat in banner.seats)
        assert red < green
        assert not {said.seat(seat) for seat in (B, Seat.YELLOW)} & set(banner.text.split())
    alone = kiosk_state(replace(info, teams=()), view, said, Contact.LIVE).banner
    assert (alone.seats, alone.text) == ((Seat.GREEN,), said.say("result.wins", seat=said.seat(Seat.GREEN)))


EMPTY, PIECE, UNCLEAR = Found.EMPTY, Found.PIECE, Found.UNCLEAR
SEEN = [
    ([("e4", EMPTY, None)], "I see: e4 empty."),
    ([("d6", PIECE, B), ("e4", EMPTY, None), ("e5", PIECE, B)], "I see: Blue’s pieces on d6, e5; e4 empty."),
    ([("d6", PIECE, None), ("e4", UNCLEAR, None)], "I see: a piece on d6; something unclear on e4."),
    ([(name, PIECE, None) for name in ("a4", "b4", "c4", "d4", "e4")], "I see: pieces on a4, b4, c4, d4; and 1 more."),
    (
        [("a4", EMPTY, None), ("a5", PIECE, R), ("b4", EMPTY, None), ("b5", PIECE, R), ("c4", EMPTY, None), ("c5", PIECE, B)],
        "I see: a4, b4, c4 empty; Red’s piece on a5; and 2 more.",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("squares", "sentence"), SEEN, ids=[sentence for _, sentence in SEEN])
def test_what_was_seen_is_one_short_sentence(squares: list[tuple[str, Found, Seat | None]], sentence: str) -> None:
    """What showed the same stands together, four squares at most."""
    assert seen([Sighting(*each) for each in squares], words("en")) == sentence


def test_what_was_seen_can_be_said_in_every_language() -> None:
    """Every square and army is named."""
    sightings = [Sighting("d6", PIECE, B), Sighting("e4", EMPTY), Sighting("f4", PIECE), Sighting("g4", UNCLEAR)]
    for language in LANGUAGES:
        said = seen(sightings, words(language))
        assert all(word in said for word in ("d6", "e4", "f4", "g4", words(language).seat(B))), language


@pytest.mark.parametrize("phase", Phase)
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_phase_and_request_can_be_said(phase: Phase, language: str) -> None:
    """No phase, request, verdict or bar is without words, whatever comes together."""
    bars = (None, "two-squares", "chase", "situation")
    results = (None, "attacker-wins", "defender-wins", "both-lost", "flag-taken")
    together = list(product((None, *Ask), bars, results))
    for ask, barred, result in together[:: len(together) // tries(len(together))]:
        attack = Attack(R, "a4", "a5", result)
        view = replace(MIDDLE, phase=phase, ask=ask, barred=barred, attack=attack, waiting_for=(B,))
        assert kiosk_state(INFO, view, words(language), Contact.LIVE).banner.text


def test_moves_are_counted_from_the_first() -> None:
    """As players count: the first one made is move 1, and before it there is none."""
    shown = [kiosk_state(INFO, replace(MIDDLE, ply=ply), words("en"), Contact.LIVE).ply for ply in (0, 1)]
    assert shown == ["", "Move 1"]


def test_an_attack_that_was_settled_is_told_until_the_next_move() -> None:
    """After the removals the small sentence says what was fought for and how it ended."""
    view = replace(MIDDLE, last_move=None, attack=Attack(R, "b6", "b7", "both-lost"))
    state = kiosk_state(INFO, view, words("en"), Contact.LIVE)
    assert state.detail == "b6 attacks b7: Both pieces are lost"
    assert state.board is not None
    assert state.board.trail == Trail("b6", "b7", sure=True)
    assert not state.board.fighting


def test_what_was_said_aloud_is_shown() -> None:
    """An infiltrator's guess and a shot are the attack's sentence, while it is open and once it is settled."""
    guessed = Attack(R, "d9", "d10", "wrong-guess", guess=Rank.BOMB)
    view = replace(MIDDLE, last_move=None, attack=guessed)
    state = kiosk_state(INFO, view, words("en"), Contact.LIVE)
    assert state.detail == "d9 infiltrates d10 (Bomb): Wrong guess: both stay"
    view = replace(view, phase=Phase.WAITING_FOR_DECLARATIONS, attack=replace(guessed, result=None))
    assert kiosk_state(INFO, view, words("en"), Contact.LIVE).banner.text == "d9 infiltrates d10 (Bomb)"
    view = replace(view, attack=Attack(R, "d4", "d7", fires=True))
    assert kiosk_state(INFO, view, words("en"), Contact.LIVE).banner.text == "d4 fires at d7"


def test_a_decision_is_waited_for_in_its_seats_colour() -> None:
    """What Stratego 4 leaves a player to decide is asked under that player's colour; a settled attack is no headline then."""
    attack = Attack(R, "b6", "b7", "attacker-wins")
    view = replace(MIDDLE, phase=Phase.WAITING_FOR_DECLARATIONS, ask=Ask.DECIDE, attack=attack, waiting_for=(R,))
    state = kiosk_state(INFO, view, words("en"), Contact.LIVE)
    assert (state.banner.text, state.banner.seat) == ("Waiting for Red", R)
    assert state.detail == "Choose on your phone. Waiting for Red"
    view = replace(view, phase=Phase.WAITING_FOR_BOARD, ask=Ask.PUT_RECRUIT, waiting_for=())
    state = kiosk_state(INFO, view, words("en"), Contact.LIVE)
    assert state.banner.text == "Set the board as shown"
    assert state.detail == "Put the recruited piece on the board."


def test_what_stratego4_adds_is_shown() -> None:
    """Flags lie on the board, sliders stand beside the counts, and an army that is out is dimmed."""
    sample = SAMPLES["four-armies"]
    state = sample.state("en")
    assert state.board is not None
    assert FlagPlace(Seat.GREEN, "ring", carried=True) in state.board.flags
    assert [head.note for tray in state.trays for head in tray.heads] == ["2/20 III", "3/20 II", "1/20 I", ""]
    assert [head.away for tray in state.trays for head in tray.heads] == [False, False, False, True]
    out = replace(sample, view=replace(cast(PublicView, sample.view), out=(Seat.GREEN,))).state("en")
    assert [head.out for tray in out.trays for head in tray.heads] == [False, True, False, False]


def test_trays_count_what_was_captured() -> None:
    """A tray names every rank of the army from the marshal down, with its number, how many are out and how many there are."""
    red, blue = SAMPLES["middle"].state("en").trays
    assert [(row.number, row.name, row.counts[0].text) for row in red.rows] == [
        ("10", "Field Marshal", "0/1"),
        ("9", "General", "0/1"),
        ("8", "Colonel", "1/2"),
        ("7", "Major", "0/3"),
        ("6", "Captain", "1/4"),
        ("5", "Lieutenant", "0/4"),
        ("4", "Sergeant", "2/4"),
        ("3", "Miner", "1/5"),
        ("2", "Scout", "3/8"),
        ("1", "Spy", "0/1"),
        ("", "Bomb", "1/6"),
        ("", "Flag", "0/1"),
    ]
    assert (red.heads[0].name, red.heads[0].note, red.heads[0].to_move) == ("Red", "Lost 9", False)
    assert (blue.heads[0].name, blue.heads[0].note, blue.heads[0].to_move) == ("Blue", "Lost 10", True)


def test_four_armies_share_two_trays() -> None:
    """The first and third army lie on the left, the others on the right; each rank has a count for each of them."""
    left, right = SAMPLES["four-armies"].state("nl").trays
    assert [head.seat for head in left.heads] == [Seat.RED, Seat.GREEN]
    assert [head.seat for head in right.heads] == [Seat.BLUE, Seat.YELLOW]
    scouts = next(row for row in left.rows if row.rank is Rank.SCOUT)
    assert [(count.seat, count.text) for count in scouts.counts] == [(Seat.RED, "1/3"), (Seat.GREEN, "2/3")]


def test_a_handset_that_is_away_is_told() -> None:
    """The line under an army's name warns while its handset is not connected, and players' own names are used."""
    red, blue = SAMPLES["paused"].state("en").trays
    assert not red.heads[0].away
    assert (blue.heads[0].away, blue.heads[0].note) == (True, "Phone not connected")
    assert [tray.heads[0].name for tray in SAMPLES["classic"].state("da").trays] == ["Marieke", "Théo"]


def test_the_board_tells_standing_lifted_and_missing_pieces_apart() -> None:
    """A piece in the air and one that must be put back are not shown as standing."""
    lifted = SAMPLES["in-hand"].state("en").board
    restoring = SAMPLES["restoring"].state("en").board
    assert lifted is not None
    assert restoring is not None
    assert BoardPiece("f7", B, PieceState.IN_HAND) in lifted.pieces
    assert {p.square for p in restoring.pieces if p.stand is PieceState.MISSING} == {"b7", "d4", "c3"}
    assert sum(p.stand is PieceState.STANDING for p in lifted.pieces) == len(MIDDLE.occupants) - 1


def test_a_set_up_that_grows_is_no_fault() -> None:
    """Squares that are still empty wait for their piece, faintly; only what stands wrong is marked."""
    growing = cast(PublicView, SAMPLES["setting-up"].view)
    board = SAMPLES["setting-up"].state("en").board
    assert board is not None
    assert board.fixes == ()
    assert sum(piece.stand is PieceState.MISSING for piece in board.pieces) == len(growing.fixes) == 23
    wrong = (Fix("a5", None), Fix("a1", B))
    state = kiosk_state(INFO, replace(growing, fixes=(*growing.fixes, *wrong)), words("en"), Contact.LIVE)
    assert state.board is not None
    assert state.board.fixes == wrong


def test_numbers_and_words_of_caution_come_with_the_table() -> None:
    """A house rule set shows the numbers that the referee has read; what nobody has checked says so."""
    house = replace(INFO, rule_set="of-the-house", numbers={Rank.SCOUT: 7}, army_verified=False)
    state = kiosk_state(house, SAMPLES["setting-up"].view, words("en"), Contact.LIVE)
    assert {row.number for tray in state.trays for row in tray.rows} == {"", "7"}
    assert (state.rule_set, state.caution) == ("of-the-house", "unverified")
    assert SAMPLES["setting-up"].state("en").caution == ""


def test_no_rank_can_hide_in_a_state() -> None:
    """Nothing that a screen is given can hold a rank that was not shown; its ranks are those of the trays."""

    def walk(value: Any) -> None:
        assert not isinstance(value, Hidden)
        if is_dataclass(value) and not isinstance(value, type):
            for each in fields(value):
                walk(getattr(value, each.name))
        elif isinstance(value, tuple):
            for item in value:
                walk(item)

    walk(SAMPLES["attack"].state("en"))
    board = SAMPLES["attack"].state("en").board
    assert board is not None
    assert all((piece.rank, piece.number) == (None, "") for piece in board.pieces)


def test_equal_views_are_equal_states() -> None:
    """What looks the same is equal, so that nothing is drawn again: the number of the last event changes nothing."""
    assert kiosk_state(INFO, replace(MIDDLE, seq=99), words("fr"), Contact.LIVE) == SAMPLES["middle"].state("fr")


# what is received -> contact after each, and whether a board is shown
STORIES: dict[str, list[tuple[KioskIncoming, Contact, bool]]] = {
    "a start": [
        (LinkUp(), Contact.NO_REFEREE, False),
        (UP, Contact.LIVE, False),
        (INFO, Contact.LIVE, False),
        (MIDDLE, Contact.LIVE, True),
    ],
    "retained messages in another order": [
        (LinkUp(), Contact.NO_REFEREE, False),
        (MIDDLE, Contact.NO_REFEREE, False),
        (INFO, Contact.NO_REFEREE, True),
        (UP, Contact.LIVE, True),
    ],
    "the broker restarts": [
        (LinkUp(), Contact.NO_REFEREE, False),
        (UP, Contact.LIVE, False),
        (INFO, Contact.LIVE, False),
        (MIDDLE, Contact.LIVE, True),
        (LinkDown("keep alive timeout"), Contact.NO_BROKER, True),
        (LinkUp(), Contact.NO_REFEREE, True),
        (UP, Contact.LIVE, True),
    ],
    "the referee restarts with another game": [
        (LinkUp(), Contact.NO_REFEREE, False),
        (UP, Contact.LIVE, False),
        (INFO, Contact.LIVE, False),
        (MIDDLE, Contact.LIVE, True),
        (GONE, Contact.NO_REFEREE, True),
        (UP, Contact.LIVE, True),
        (replace(INFO, game="next"), Contact.LIVE, False),
        (replace(MIDDLE, game="next"), Contact.LIVE, True),
    ],
    "what this screen does not show": [
        (LinkUp(), Contact.NO_REFEREE, False),
        (PublicEvent("sample", 1, "move.read", 1), Contact.NO_REFEREE, False),
        (KioskNote("join", "…"), Contact.NO_REFEREE, False),
        (PeerFault(None, "PayloadError", "not JSON", 1), Contact.NO_REFEREE, False),
    ],
}


@pytest.mark.parametrize("name", STORIES)
def test_what_was_heard_becomes_what_is_shown(name: str) -> None:
    """Each message gives the contact of the table; a board is shown only together with the game it belongs to."""
    received = ReceivedState()
    assert received.contact is Contact.NO_BROKER
    for value, contact, shown in STORIES[name]:
        received = received.after(value)
        assert received.contact is contact, value
        assert (received.state(words("en")).board is not None) is shown, value


def test_both_armies_are_turned_over_only_by_the_view() -> None:
    """Then each piece on the board has its rank and number, no arrow lies over them, and the small sentence says so."""
    turned = SAMPLES["turned-over"].state("en")
    assert turned.board is not None
    assert turned.detail == "Resigned. The armies are revealed."
    assert turned.board.trail is None
    assert {(piece.rank is not None, piece.number != "") for piece in turned.board.pieces} == {
        (True, True),
        (True, False),
    }
