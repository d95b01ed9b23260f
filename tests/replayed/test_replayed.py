"""A recorded game played again on the simulated board: a sample of `python -m tests.replayed`, and each answer once."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from hardware import Sensing
from kiosk_ui.run import said_aloud
from referee.journal.records.model import Ply, Record, SetUp, View
from referee.journal.records.views import Follower, view_of
from referee.presentation.sentences import Contact, detail, headline
from referee.rules import BySeat, CombatResult, Rank, rule_set
from referee.rules.values import Seat
from referee.runtime.record_on_board import RecordPlayback
from referee.sensing import Puzzled
from referee.table.arbiter_commands import CorrectionError, TakeBack
from referee.table.inputs import BoardLink, BoardWarnings
from referee.table.views import Health, Phase
from referee.words import words
from tests.records.recorded_games import random_game
from tests.replayed.__main__ import kept, played
from tests.replayed.at_board import EXPECTING, RecordAtBoard

BARRAGE = rule_set("barrage")
GAME = random_game(BARRAGE, 3, 40).record
"""Red moves a piece, blue attacks at ply 20, and the flag is taken with ply 21, the last."""
JOURNALS = Path(__file__).parents[1] / "reliability" / "journals"
ATTACK = next(number for number, ply in enumerate(GAME.plies) if ply.result is not None)


def at_ply(ply: int, sensing: Sensing = Sensing.COLOUR) -> RecordAtBoard:
    """Return the game at a board that stands as it did after a ply."""
    at_board = RecordAtBoard(GAME, BARRAGE, "travel-10x10", sensing, ply)
    at_board.lay(ply)
    at_board.until(lambda: at_board.game.phase is Phase.WAITING_FOR_MOVE)
    return at_board


def said(at_board: RecordAtBoard) -> str:
    """Return the sentences that screens show."""
    info, view, english = at_board.game.info(), at_board.view, words("en")
    return f"{headline(info, view, english, Contact.LIVE)[0]}. {detail(info, view, english)}".replace("\n", " ")


@pytest.mark.parametrize("number", [4, 8])
def test_a_game_ends_as_recorded(number: int) -> None:
    """Hands that err and are asked, on boards for two and three; each ply is compared with the magnets."""
    at_board = played(number, 4)
    assert at_board.game.ply == len(at_board.record.plies)
    assert at_board.sim.occupied().keys() == at_board.occupants(at_board.game.ply).keys()


@pytest.mark.parametrize("name", ["corrected", "open-plies"])
def test_a_kept_game_ends_as_recorded(name: str, tmp_path: Path) -> None:
    """Journals of real tables, one with moves and a verdict that were taken back; the larger ones by the command."""
    shutil.copytree(JOURNALS / f"2026-11-{name}", tmp_path / "game")
    at_board = kept(tmp_path / "game" / "journal.sqlite", 1)
    assert at_board.game.ply == len(at_board.record.plies)
    assert at_board.sim.occupied().keys() == at_board.occupants(at_board.game.ply).keys()


def test_what_no_hand_makes_is_compared_too() -> None:
    """A shot, and a slider that nobody sees: where pieces stand afterwards is asked for."""
    rules = rule_set("stratego4")
    record = random_game(rules, 12, 7).record
    shot = next(number for number, ply in enumerate(record.plies) if "!" in repr(ply))
    at_board = RecordAtBoard(record, rules, "castle-four", ply=shot)
    at_board.lay(shot)
    at_board.until(lambda: at_board.game.phase is Phase.WAITING_FOR_BOARD)
    assert at_board.game.ply == shot + 1
    assert len(at_board.view.fixes) == 2
    at_board.lead()
    at_board.compare()


def test_the_set_up_is_asked_for_square_by_square() -> None:
    """An empty board lacks every piece; then each that stands is asked for no more, and a wrong one is."""
    at_board = RecordAtBoard(GAME, BARRAGE, "travel-10x10")
    assert said(at_board) == "Fix the board. Set up your pieces. Then g2 to f2."
    at_board.listen(200)
    assert len(at_board.view.fixes) == len(at_board.view.occupants)
    red = [name for name, seat in at_board.view.occupants.items() if seat is Seat.RED]
    at_board.hand("place", seat="blue", squares=red[:1])
    at_board.hand("place", seat="red", squares=red[1:])
    blue = {name for name, seat in at_board.view.occupants.items() if seat is Seat.BLUE}
    assert {fix.square for fix in at_board.view.fixes} == {red[0], *blue}
    at_board.restore()
    at_board.until(lambda: at_board.game.phase is Phase.WAITING_FOR_MOVE)
    assert said(at_board) == "Red: g2 to f2. Please make this move."


@pytest.mark.parametrize("sensing", Sensing)
def test_a_move_and_an_attack(sensing: Sensing) -> None:
    """The sentences of a carried-out move; the verdict, then what is left to take off, and a captured piece that is left is waited for."""
    at_board = at_ply(ATTACK - 1, sensing)
    assert said(at_board).endswith("Please make this move.")
    at_board.lead()
    ply = GAME.plies[ATTACK]
    decided = at_board.view.decided
    assert decided is not None
    assert (
        said(at_board) == f"{words('en').seat(ply.seat)}: {decided.source} attacks {decided.target}. Lift both pieces."
    )
    at_board.hand("both", source=decided.source, target=decided.target)
    at_board.until(lambda: at_board.game.phase is Phase.WAITING_FOR_BOARD)
    assert ply.result is not None
    assert said(at_board).startswith(words("en")[f"verdict.{ply.result.value}"])
    at_board.listen(5_000)
    assert at_board.game.phase is Phase.WAITING_FOR_BOARD
    at_board.restore()
    at_board.until(lambda: at_board.game.phase is Phase.WAITING_FOR_MOVE)
    assert at_board.game.ply == ATTACK + 1


RED, BLUE = Seat.RED, Seat.BLUE
MOVE = "Red: g2 to f2. Please make this move."
WRONG = "Fix the board. That isn’t the chosen move. Set the board as shown. Then g2 to f2."
ATTACKS = "Blue: e7 attacks e2. Lift both pieces."
NOT_ATTACK = "Fix the board. That isn’t the chosen move. Set the board as shown. Then e7 to e2."
NEXT = "Red: g4 to c4. Please make this move."
WINS = "The defender wins. Put Red’s piece on e2"
HANDS: dict[str, tuple[int, Sequence[tuple[str, Mapping[str, object], str, Mapping[str, Seat | None]]]]] = {
    "another move": (
        0,
        [
            ("move", {"source": "c2", "target": "c3"}, WRONG, {"c2": RED, "c3": None}),
            ("move", {"source": "c3", "target": "c2"}, MOVE, {}),
        ],
    ),
    "another piece of the army that moves in the other hand": (
        0,
        [
            ("lift", {"square": "c2"}, MOVE, {}),
            ("move", {"source": "g2", "target": "f2"}, WRONG, {"c2": RED, "g2": RED, "f2": None}),
            ("put", {"seat": "red", "square": "c2"}, WRONG, {"g2": RED, "f2": None}),
            ("move", {"source": "f2", "target": "g2"}, MOVE, {}),
            ("move", {"source": "g2", "target": "f2"}, ATTACKS, {}),
        ],
    ),
    "a piece of the other army in the other hand": (
        0,
        [
            ("lift", {"square": "a8"}, MOVE, {}),
            ("move", {"source": "g2", "target": "f2"}, ATTACKS, {}),
            ("put", {"seat": "blue", "square": "a8"}, ATTACKS, {}),
        ],
    ),
    "the other army's piece": (
        0,
        [
            ("move", {"source": "j8", "target": "j5"}, WRONG, {"j8": BLUE, "j5": None}),
            ("move", {"source": "j5", "target": "j8"}, MOVE, {}),
        ],
    ),
    "an attack with another piece of the attacker's army in a hand": (
        ATTACK,
        [
            ("lift", {"square": "a8"}, ATTACKS, {}),
            ("both", {"source": "e7", "target": "e2"}, NOT_ATTACK, {"e7": BLUE, "e2": RED, "a8": BLUE}),
            ("put", {"seat": "blue", "square": "a8"}, NOT_ATTACK, {"e7": BLUE, "e2": RED}),
            ("put", {"seat": "red", "square": "e2"}, NOT_ATTACK, {"e7": BLUE}),
            ("put", {"seat": "blue", "square": "e7"}, ATTACKS, {}),
        ],
    ),
    "an attack with another piece of the defender's army in a hand": (
        ATTACK,
        [
            ("lift", {"square": "c2"}, ATTACKS, {}),
            ("both", {"source": "e7", "target": "e2"}, "The defender wins. ", {"c2": RED}),
            ("put", {"seat": "red", "square": "c2"}, WINS, {"e2": RED}),
            ("put", {"seat": "red", "square": "e2"}, NEXT, {}),
        ],
    ),
    "a defender that wins, and is taken off as if it had lost": (
        ATTACK,
        [
            ("lift", {"square": "e2"}, ATTACKS, {}),
            ("move", {"source": "e7", "target": "e2"}, "The defender wins. ", {}),
            ("remove", {"square": "e2"}, WINS, {"e2": RED}),
            ("put", {"seat": "red", "square": "e2"}, NEXT, {}),
        ],
    ),
    "an attacker that is put elsewhere": (
        ATTACK,
        [
            ("move", {"source": "e7", "target": "e3"}, NOT_ATTACK, {"e7": BLUE, "e3": None}),
            ("move", {"source": "e3", "target": "e7"}, ATTACKS, {}),
        ],
    ),
}
"""After which ply, what hands do one after the other, what is said once they rest, and what is to be put right then."""


@pytest.mark.parametrize("sensing", Sensing)
@pytest.mark.parametrize("name", HANDS)
def test_what_hands_do_and_what_is_said(name: str, sensing: Sensing) -> None:
    """The move is asked for again, by the same words, until exactly it was made; nothing else counts, and nobody is stuck."""
    ply, done = HANDS[name]
    at_board = at_ply(ply, sensing)
    for motion, fields, sentence, wrong in done:
        at_board.hand(motion, **fields)
        at_board.listen(6_000)
        assert said(at_board).startswith(sentence), (motion, fields)
        named = {fix.square: fix.wanted for fix in at_board.view.fixes}
        # after an attack more may be named: what reads like the piece that has won has to go first where nobody can tell them apart
        assert wrong.items() <= named.items(), (motion, fields)
        assert bool(named) == (at_board.game.phase in EXPECTING), (motion, fields)


def test_who_wins_is_seen_to_stand_there_where_nobody_can_tell_them_apart() -> None:
    """Without colours an attacker that is set down in the place of the defender that wins would be right for every sensor."""
    at_board = at_ply(ATTACK, Sensing.OCCUPANCY)
    at_board.hand("lift", square="e2")
    at_board.hand("move", source="e7", target="e2")
    at_board.listen(6_000)
    assert said(at_board) == "The defender wins. Take the captured piece off e2"
    at_board.hand("remove", square="e2")
    at_board.listen(1_000)
    assert said(at_board) == WINS


def test_what_a_kiosk_says() -> None:
    """The move to make, its making, a verdict, that it was another move, the end; of a jump no attack, since nobody makes one."""
    at_board = at_ply(0)
    at_board.hand("move", source="c2", target="c3")
    at_board.listen(6_000)
    at_board.restore()
    at_board.until(lambda: at_board.game.phase is Phase.WAITING_FOR_MOVE)
    for _ in range(3):
        at_board.lead()
    for ply in (2, len(GAME.plies)):
        at_board.put_in(TakeBack(id="test", reason="test", ply=ply))
        at_board.restore()
        at_board.listen(3_000)
    assert list(said_aloud(at_board.game.info(), at_board.shown, "en")) == [
        (0, MOVE),
        (0, "That isn’t the chosen move. Set the board as shown. Then g2 to f2."),
        (0, MOVE),
        (1, f"Red, g2 to f2. {ATTACKS}"),
        (2, "Blue attacks e2. Blue loses a Scout."),
        (2, "Red: g4 to c4. Please make this move."),
        (2, "Red: g4 to c4. Please make this move."),
        (21, "Fix the board."),
        (21, "Red wins. The flag was captured."),
    ]


def test_half_a_move_is_waited_for() -> None:
    """A piece in the air, back, and in the air again for long: nothing is asked."""
    at_board = at_ply(0)
    at_board.hand("lift", square="g2")
    at_board.listen(20_000)
    assert (at_board.game.phase, at_board.view.in_hand) == (Phase.PIECE_IN_HAND, ("g2",))
    at_board.hand("put", seat="red", square="g2")
    at_board.until(lambda: at_board.game.phase is Phase.WAITING_FOR_MOVE)
    assert not at_board.view.in_hand
    at_board.lead()
    assert at_board.game.ply == 1


def test_a_hand_that_goes_on_is_asked_back() -> None:
    """The move was made, and then the piece went on: it is asked back to where the record has it."""
    at_board = at_ply(0)
    at_board.lead()
    at_board.hand("move", source="f2", target="f3")
    at_board.until(lambda: at_board.game.phase is Phase.RESTORING)
    assert {(fix.square, fix.wanted) for fix in at_board.view.fixes} == {("f2", Seat.RED), ("f3", None)}


def test_the_end_is_the_records() -> None:
    """The last position is compared before the result is shown."""
    last = len(GAME.plies) - 1
    at_board = at_ply(last)
    at_board.lead()
    assert (at_board.game.phase, at_board.view.result) == (Phase.WAITING_FOR_BOARD, None)
    at_board.lead()
    assert at_board.game.phase is Phase.FINISHED
    assert said(at_board) == "Red wins. The flag was captured"


def test_going_to_any_ply() -> None:
    """Back and forward, also from the end; a ply that is not there changes nothing."""
    at_board = at_ply(2)
    at_board.put_in(TakeBack(id="test", reason="test", ply=1))
    assert "The game goes back." in said(at_board)
    assert [(fix.square, fix.wanted) for fix in at_board.view.fixes] == [("e7", Seat.BLUE)]
    at_board.restore()
    at_board.until(lambda: at_board.game.phase is Phase.WAITING_FOR_MOVE)
    before = at_board.view
    for ply in (-1, len(GAME.plies) + 1):
        with pytest.raises(CorrectionError):
            at_board.put_in(TakeBack(id="test", reason="test", ply=ply))
    assert at_board.view == before
    at_board.put_in(TakeBack(id="test", reason="test", ply=len(GAME.plies)))
    assert "goes back" not in said(at_board)
    at_board.restore()
    at_board.until(lambda: at_board.game.phase is Phase.FINISHED)
    at_board.put_in(TakeBack(id="test", reason="test", ply=0))
    assert (at_board.game.phase, at_board.view.result) == (Phase.RESTORING, None)


def test_a_board_that_is_not_read() -> None:
    """It is said while it is so, whatever the game waits for."""
    at_board = at_ply(0)
    at_board.put_in(BoardLink(Health.LOST.value))
    assert (at_board.view.board_connected, at_board.view.health) == (False, (Health.LOST,))
    at_board.put_in(BoardWarnings((Health.QUEUE_FULL,)))
    at_board.put_in(BoardLink(None))
    assert (at_board.view.board_connected, at_board.view.health) == (True, (Health.QUEUE_FULL,))
    at_board.lead()
    assert at_board.view.health == (Health.QUEUE_FULL,)


def otherwise(record: Record) -> Record:
    """Return a game that looks the same: the pieces that nobody ever attacked, and that attacked nobody, have each other's ranks."""
    fought = {piece for _, pair in Follower(record.set_ups).follow(record) for piece in pair}
    set_ups = {}
    for seat, set_up in record.set_ups.items():
        quiet = [square for square in set_up if (seat, square) not in fought]
        ranks = [set_up[square] for square in (*quiet[1:], quiet[0])]
        set_ups[seat] = SetUp({**set_up, **dict(zip(quiet, ranks, strict=True))})
    return replace(record, set_ups=BySeat(set_ups))


def gone_by(ply: Ply) -> Counter[tuple[Seat, Rank | None]]:
    """Return the pieces that a ply takes from the board, by its verdict alone."""
    (rival,) = {*BARRAGE.seats} - {ply.seat}
    both = ply.result is CombatResult.BOTH_LOST
    pieces = [(ply.seat, ply.attacker)] if both or ply.result is CombatResult.DEFENDER_WINS else []
    if both or ply.result in (CombatResult.ATTACKER_WINS, CombatResult.FLAG_TAKEN):
        pieces.append((rival, ply.defender))
    return Counter(pieces)


@pytest.mark.parametrize("word", ["referee", "public", "red", "blue"])
def test_a_view_shows_no_more_than_it_may(word: str) -> None:
    """After each ply a screen has the ranks that went until then, whoever's view is replayed; no other piece's changes anything on it."""
    games = [RecordPlayback(view_of(record, View(word)), BARRAGE) for record in (GAME, otherwise(GAME))]
    assert otherwise(GAME) != GAME
    gone = Counter[tuple[Seat, Rank | None]]()
    for number in range(len(GAME.plies) + 1):
        for game in games:
            game.apply(TakeBack(id="test", reason="test", ply=number), 0)
        gone += gone_by(GAME.plies[number - 1]) if number else Counter()
        view = games[0].view()
        assert {(seat, rank): n for seat, ranks in view.captured.items() for rank, n in ranks.items()} == gone
        assert (games[0].info(), view) == (games[1].info(), games[1].view())
    assert gone


def test_puzzled_while_pieces_are_laid_out() -> None:
    """What stands wrongly is in the view already: nothing else comes of it."""
    at_board = RecordAtBoard(GAME, BARRAGE, "travel-10x10")
    before = at_board.view
    at_board.put_in(Puzzled((), 0))
    assert at_board.view == before
