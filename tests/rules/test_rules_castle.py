"""Stratego 4: ways round the castle, flags, slider and recruits, shots, passing, dropping out (rules, section 7)."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from referee.rules import (
    CombatResult,
    EndReason,
    Fire,
    Game,
    GameResult,
    IllegalActionError,
    Mobility,
    Move,
    Pass,
    PieceId,
    Rank,
    Reason,
    Recruit,
    Seat,
    Square,
    TakeFlags,
    rule_set,
)

GameOf = Callable[..., Game]
Cell = tuple[int, int]
AROUND = ((1, 0), (-1, 0), (0, 1), (0, -1))


@pytest.fixture
def four(game_of: GameOf) -> Callable[..., Game]:
    """Give a maker of positions for four; seats that are not named still have a piece far away, so that nobody is out."""

    def make(text: str, name: str = "stratego4", turn: Seat | None = None) -> Game:
        far = {"r:": "d1", "b:": "a10", "g:": "j13", "y:": "m4"}
        missing = [f"{seat}{square}=sergeant" for seat, square in far.items() if seat not in text]
        return game_of(" ".join([text, *missing]), rule_set(name), turn)

    return make


def sq(name: str) -> Square:
    """Give a square by name."""
    return Square(name)


def move(text: str, leaving: tuple[Seat, ...] = ()) -> Move:
    """Give the move of a word like `d4-e4` or, with a turn, `d4-e4-e5`."""
    first, *via, last = text.split("-")
    return Move(sq(first), sq(last), tuple(sq(name) for name in via), leaving)


def to_move(game: Game) -> Seat:
    """Give the seat to move."""
    return game.turn


def reasons(game: Game, action: Any) -> list[Reason]:
    """Give the reasons against an action, and see that the legal list says the same."""
    found = [refusal.reason for refusal in game.refusals(action)]
    assert (action in game.legal_actions()) == (not found)
    return found


def at(game: Game, name: str) -> PieceId:
    """Give the piece on a square."""
    piece = game.piece_at(sq(name))
    assert piece is not None
    return piece


# ---- a second, slow way of finding moves: from the drawing alone


class Drawing:
    """The four-player board as cells of a 13 x 13 grid."""

    def __init__(self, game: Game) -> None:
        board = game.rule_set.board
        self.cells: dict[Cell, Square] = {}
        for square in board.squares:
            left, low = board.place(square)
            _, _, width, height = board.shape(square)
            for column in range(int(width)):
                for row in range(int(height)):
                    self.cells.setdefault((int(left) + column, int(low) + row), square)
        assert board.turret is not None
        self.cells[6, 6] = board.turret
        self.game, self.ring, self.turret = game, board.ring, board.turret

    def near(self, square: Square) -> set[Square]:
        """Give the neighbours of a space that may be many cells."""
        own = [cell for cell, there in self.cells.items() if there == square]
        beside = {self.cells.get((x + dx, y + dy)) for x, y in own for dx, dy in AROUND}
        return {there for there in beside if there not in (None, square)}

    def paths(self, piece: PieceId, rank: Rank, flags: set[Seat]) -> Iterator[tuple[Square, ...]]:
        """Give the squares that a piece enters in each of its basic moves."""
        source = self.game.square_of(piece)
        assert source is not None
        for first in self.near(source):
            attack = self.foe(piece, first)
            wins = bool(flags & set(self.game.rule_set.partners(piece.seat)))
            if attack is not False and (first != self.turret or wins) and not (attack and rank is Rank.CANNON):
                yield (first,)
        if not flags and rank is Rank.CAPTAIN:
            for first in self.near(source) - {self.turret}:
                for second in self.near(first) - {source, self.turret}:
                    if self.foe(piece, first) is None and self.foe(piece, second) is not False:
                        yield (first, second)
        if not flags and rank is Rank.SCOUT and source != self.ring:
            yield from self.runs(piece, source)

    def runs(self, piece: PieceId, source: Square) -> Iterator[tuple[Square, ...]]:
        """Give a scout's runs of two squares and more, and its attacks after one square and more."""
        cell = next(cell for cell, there in self.cells.items() if there == source)
        for dx, dy in AROUND:
            path: list[Square] = []
            x, y = cell
            while True:
                x, y = x + dx, y + dy
                there = self.cells.get((x, y))
                if there is None or there in (self.ring, self.turret) or self.foe(piece, there) is not None:
                    break
                path.append(there)
                if len(path) > 1:
                    yield tuple(path)
                for target in self.near(there) - {source}:
                    if self.foe(piece, target):
                        yield (*path, target)

    def foe(self, piece: PieceId, square: Square) -> bool | None:
        """Say whether an enemy (True) or a friend (False) stands there."""
        other = self.game.piece_at(square)
        return None if other is None else other.seat not in self.game.rule_set.partners(piece.seat)

    def all_paths(self) -> set[tuple[Square, ...]]:
        """Give every basic move of the seat to move as source and squares entered."""
        game = self.game
        assert game.castle is not None
        found = set()
        for piece in game.pieces(game.turn):
            flags = {seat for seat, flag in game.castle.flags.items() if flag.carrier == piece}
            source = game.square_of(piece)
            assert source is not None
            found |= {(source, *path) for path in self.paths(piece, next(iter(game.possible(piece))), flags)}
        return found


@pytest.mark.parametrize(("name", "seed"), [("stratego4", 1), ("stratego4", 2), ("stratego4-teams", 3)])
def test_moves_agree_with_the_drawing(
    name: str, seed: int, set_ups: Callable[..., Any], start: Callable[..., Game]
) -> None:
    """Basic moves at every few plies of random games equal those found cell by cell; so do castle, flags and turns."""
    rng = random.Random(seed)
    game = start(rule_set(name), set_ups(rule_set(name), rng))
    assert game.castle is not None
    for number in range(420):
        if game.result is not None:
            break
        if number % 6 == 0 and not game.castle.owed:
            prospects = game.situation().prospects
            assert {(p.source, *p.path) for p in prospects} == Drawing(game).all_paths()
            assert len({(p.source, p.path) for p in prospects}) == len(prospects)
        actions = game.legal_actions()
        inward = [a for a in actions if isinstance(a, Move) and a.target.name in ("ring", "turret")]
        game.play(rng.choice(inward if inward and rng.random() < 0.3 else actions))


# ---- ways


def test_captain_goes_two_steps_and_may_turn(four: Callable[..., Game]) -> None:
    """Two steps in any direction but back, one attack at most, which ends the move."""
    game = four("r:e2=captain b:e4=spy b:d3=scout")
    assert reasons(game, move("e2-g2")) == []
    assert reasons(game, move("e2-e3-f3")) == []
    assert reasons(game, move("e2-e4")) == []
    assert reasons(game, move("e2-e3-d3")) == []
    assert reasons(game, move("e2-d2-d3")) == []
    assert reasons(game, move("e2-d2-e2")) == [Reason.NOT_A_MOVE]
    assert reasons(game, move("e2-h2")) == [Reason.TOO_FAR]
    assert reasons(game, move("e2-e5")) == [Reason.TOO_FAR, Reason.BLOCKED]
    played = game.play(move("e2-e3-d3"))
    assert played.result is CombatResult.ATTACKER_WINS
    assert game.piece_at(sq("d3")) == played.piece


def test_others_go_one_step(four: Callable[..., Game]) -> None:
    """Neither two steps nor a run for a major."""
    game = four("r:e2=major")
    for text in ("e2-g2", "e2-e3-f3", "e2-e5"):
        assert Reason.TOO_FAR in reasons(game, move(text))
    assert reasons(game, move("e2-e3")) == []


def test_scout_runs_and_may_attack_any_neighbour_of_its_end(four: Callable[..., Game]) -> None:
    """The run is straight over clear spaces, the attack after it may turn; without an attack he does not turn."""
    game = four("r:e1=scout b:d3=spy b:f5=spy")
    assert reasons(game, move("e1-e3-d3")) == []
    assert reasons(game, move("e1-e5-f5")) == []
    assert reasons(game, move("e1-e13")) == []
    assert reasons(game, move("e1-e3-f3")) == [Reason.NOT_A_MOVE]


def test_scout_enters_and_leaves_the_ring_by_single_steps(four: Callable[..., Game]) -> None:
    """The castle is no clear board space: he steps onto the ring, never runs onto or through it."""
    game = four("r:g3=scout")
    assert reasons(game, move("g3-g5")) == []
    assert reasons(game, move("g3-g5-ring")) == [Reason.NOT_A_MOVE]
    assert reasons(game, move("g3-ring")) == [Reason.NOT_A_MOVE]
    assert reasons(game, move("g3-g9")) == [Reason.NOT_A_MOVE]
    game = four("r:g5=scout")
    assert reasons(game, move("g5-ring")) == []
    game = four("r:ring=scout")
    assert reasons(game, move("ring-g5")) == []
    assert reasons(game, move("ring-g4")) == [Reason.NOT_A_MOVE]
    game = four("r:g3=scout b:ring=spy")
    assert reasons(game, move("g3-g5-ring")) == []


def test_ring_is_one_space(four: Callable[..., Game]) -> None:
    """Who stands on it can go on to any space around it; a second piece must attack or stay out."""
    game = four("r:ring=captain b:e6=spy g:h9=spy")
    assert reasons(game, move("ring-e6")) == []
    assert reasons(game, move("ring-g9-h9")) == []
    game = four("r:g5=captain")
    assert reasons(game, move("g5-ring-e7")) == []
    game = four("r:g5=captain r:ring=spy")
    assert reasons(game, move("g5-ring")) == [Reason.OWN_PIECE]
    assert Reason.BLOCKED in reasons(game, move("g5-ring-e7"))


def test_two_squares_limit_is_five(four: Callable[..., Game]) -> None:
    """Five crossings are allowed, the sixth is not; a pass and a shot cross nothing."""
    game = four("r:e2=major r:f1=spy b:a5=spy b:b5=spy g:f13=spy g:g13=spy y:m5=spy y:l5=spy")
    there, back = move("e2-e3"), move("e3-e2")
    waits = {
        Seat.BLUE: ["a5-a6", "b5-b6", "a6-a5", "b6-b5"],
        Seat.GREEN: ["f13-f12", "g13-g12", "f12-f13", "g12-g13"],
        Seat.YELLOW: ["m5-m6", "l5-l6", "m6-m5", "l6-l5"],
    }
    for number in range(5):
        game.play(there if number % 2 == 0 else back)
        for seat in (Seat.BLUE, Seat.GREEN, Seat.YELLOW):
            assert game.turn is seat
            game.play(move(waits[seat][number % 4]))
    assert reasons(game, back) == [Reason.TWO_SQUARES]
    assert reasons(game, move("e3-e4")) == []


# ---- flags


def test_flag_starts_on_the_piece_at_its_space(four: Callable[..., Game]) -> None:
    """The carrier is slow and seen by all; the other flags lie where nobody stands."""
    game = four("r:g1=captain r:f3=captain")
    assert game.castle is not None
    assert game.castle.flags[Seat.RED].carrier == at(game, "g1")
    assert game.castle.flags[Seat.BLUE].carrier is None
    assert game.castle.flags[Seat.BLUE].square == sq("a7")
    assert reasons(game, move("g1-g3")) == [Reason.CARRIES_FLAG]
    assert reasons(game, move("g1-g2-f2")) == [Reason.CARRIES_FLAG]
    game.play(move("g1-g2"))
    assert game.castle.flags[Seat.RED].square == sq("g2")


def test_flag_can_be_left_behind(four: Callable[..., Game]) -> None:
    """Voluntarily abandoned when its carrier moves away, which is still one space."""
    game = four("r:g1=major")
    assert game.castle is not None
    assert reasons(game, move("g1-g2", (Seat.RED,))) == []
    assert reasons(game, move("g1-g2", (Seat.BLUE,))) == [Reason.NO_FLAG]
    game.play(move("g1-g2", (Seat.RED,)))
    flag = game.castle.flags[Seat.RED]
    assert (flag.square, flag.carrier, flag.left_by) == (sq("g1"), None, Seat.RED)
    assert to_move(game) is Seat.BLUE


def test_entering_a_space_with_a_flag_asks(four: Callable[..., Game]) -> None:
    """Taking is asked; what is taken moves on with its carrier, what is not lies there still."""
    game = four("r:b7=major")
    assert game.castle is not None
    game.play(move("b7-a7"))
    assert to_move(game) is Seat.RED
    take, leave = TakeFlags(sq("a7"), (Seat.BLUE,)), TakeFlags(sq("a7"), ())
    assert game.legal_actions() == [leave, take]
    assert reasons(game, move("a7-a6")) == [Reason.DECISION_OWED]
    assert reasons(game, Pass()) == [Reason.DECISION_OWED]
    assert game.situation().prospects == ()
    left = game.copy()
    game.play(take)
    assert (game.turn, game.ply) == (Seat.BLUE, 1)
    assert game.castle.flags[Seat.BLUE].carrier == at(game, "a7")
    left.play(leave)
    assert left.castle is not None
    assert left.castle.flags[Seat.BLUE].carrier is None
    assert to_move(left) is Seat.BLUE


def test_own_flag_onto_the_turret_wins(four: Callable[..., Game]) -> None:
    """The game ends when a player moves his own flag onto the turret; nobody else may enter it."""
    game = four("r:g1=major r:g5=captain")
    assert Reason.NO_FLAG in reasons(game, move("g5-ring-turret"))
    for text in ("g1-g2", "g2-g3", "g3-g4"):
        game.play(move(text))
        for seat in (Seat.BLUE, Seat.GREEN, Seat.YELLOW):
            assert game.turn is seat
            game.play(quiet(game))
    game.play(move("g5-h5"))
    for _ in range(3):
        game.play(quiet(game))
    for text in ("g4-g5", "g5-ring"):
        game.play(move(text))
        for _ in range(3):
            game.play(quiet(game))
    assert reasons(game, move("ring-turret", (Seat.RED,))) == [Reason.NO_FLAG]
    game.play(move("ring-turret"))
    assert game.result == GameResult(Seat.RED, EndReason.FLAG)


def quiet(game: Game) -> Move:
    """Give a step that attacks nobody and keeps away from the castle and from flags."""
    assert game.castle is not None
    flags = {flag.square for flag in game.castle.flags.values()}
    found = [
        action
        for action in game.legal_actions()
        if isinstance(action, Move)
        and not game.is_attack(action)
        and not flags & {action.source, action.target}
        and action.target.name not in ("ring", "g2", "g3", "g4", "g5")
    ]
    return sorted(found, key=repr)[game.ply // 4 % 2 if len(found) > 1 else 0]


def test_a_piece_without_its_flag_stays_out_of_the_turret(four: Callable[..., Game]) -> None:
    """Neither a bare piece nor one with a rival's flag may enter."""
    game = four("r:ring=major")
    assert reasons(game, move("ring-turret")) == [Reason.NO_FLAG]


def test_in_teams_either_flag_wins(four: Callable[..., Game]) -> None:
    """Red carries green's flag onto the turret; partners cannot attack each other."""
    game = four("r:g12=major g:f12=spy", "stratego4-teams")
    assert reasons(game, move("g12-f12")) == [Reason.OWN_PIECE]
    game.play(move("g12-g13"))
    game.play(TakeFlags(sq("g13"), (Seat.GREEN,)))
    assert game.castle is not None
    walk = ["g13-g12", "g12-g11", "g11-g10", "g10-g9", "g9-ring", "ring-turret"]
    for text in walk:
        for _ in range(3):
            game.play(quiet(game))
        game.play(move(text))
    assert game.result == GameResult(Seat.RED, EndReason.FLAG)


def test_winner_takes_the_flag_of_a_removed_carrier_and_recruits(four: Callable[..., Game]) -> None:
    """Capturing a rival's flag by removing its carrier recruits an own removed piece onto the own recruitment space."""
    game = four("r:a8=major r:e2=scout b:a7=sergeant b:b5=marshal b:e3=marshal")
    assert game.castle is not None
    scout = at(game, "e2")
    game.play(move("e2-e3"))  # the scout falls to a marshal: red has a removed piece
    assert game.captured(Seat.RED) == (scout,)
    assert game.castle.sliders[Seat.BLUE] == 1
    for _ in range(3):
        game.play(quiet(game))
    game.play(move("a8-a7"))
    assert game.castle.owed[0].flags == (Seat.BLUE,)
    assert to_move(game) is Seat.RED
    declined = game.copy()
    game.play(TakeFlags(sq("a7"), (Seat.BLUE,)))
    assert game.legal_actions() == [Recruit(scout)]
    game.play(Recruit(scout))
    assert game.square_of(scout) == sq("g2")
    assert to_move(game) is Seat.BLUE
    declined.play(TakeFlags(sq("a7"), ()))
    assert to_move(declined) is Seat.BLUE
    assert declined.captured(Seat.RED) == (scout,)


def test_defender_that_wins_may_take_the_attackers_flag(four: Callable[..., Game]) -> None:
    """The flag lies where the attacker came from; the winner takes it from its own space, and recruits."""
    game = four("r:g1=spy b:g2=major")
    assert game.castle is not None
    game.play(move("g1-g2"))
    assert to_move(game) is Seat.BLUE
    assert game.castle.flags[Seat.RED].square == sq("g1")
    game.play(TakeFlags(sq("g1"), (Seat.RED,)))
    flag = game.castle.flags[Seat.RED]
    assert (flag.square, flag.carrier) == (sq("g2"), at(game, "g2"))
    assert to_move(game) is Seat.BLUE
    assert game.ply == 1


def test_on_mutual_loss_flags_stay_where_their_carriers_stood(four: Callable[..., Game]) -> None:
    """Both carriers go, nothing is taken, no slider moves."""
    game = four("r:g1=major b:h1=major")
    assert game.castle is not None
    game.castle.flags[Seat.BLUE] = type(game.castle.flags[Seat.RED])(sq("h1"), at(game, "h1"))
    game.play(move("g1-h1"))
    assert [game.castle.flags[seat].square.name for seat in (Seat.RED, Seat.BLUE)] == ["g1", "h1"]
    assert all(game.castle.flags[seat].carrier is None for seat in (Seat.RED, Seat.BLUE))
    assert set(game.castle.sliders.values()) == {0}
    assert not game.castle.owed


def test_rivals_abandoned_flag_recruits_but_not_who_abandoned_it(four: Callable[..., Game]) -> None:
    """Taking a voluntarily abandoned rival flag recruits; dropping and taking it again does not raise an army."""
    position = "r:f1=major r:e2=spy b:e3=marshal b:h1=major"
    for abandoner, recruits in ((Seat.BLUE, True), (Seat.GREEN, True), (Seat.RED, False), (None, False)):
        game = four(position)
        assert game.castle is not None
        spy = at(game, "e2")
        game.play(move("e2-d2"))
        game.castle.flags[Seat.BLUE] = type(game.castle.flags[Seat.RED])(sq("f2"), None, abandoner)
        for _ in range(3):
            game.play(quiet(game))
        hands_off(game, spy)
        game.play(move("f1-f2"))
        game.play(TakeFlags(sq("f2"), (Seat.BLUE,)))
        assert ([Recruit(spy)] == game.legal_actions()) == recruits


def hands_off(game: Game, piece: PieceId) -> None:
    """Take a piece off the board without a fight, to have one to recruit."""
    square = game.square_of(piece)
    assert square is not None
    game._take(game._board.index[square])


def test_own_abandoned_flag_does_not_recruit(four: Callable[..., Game]) -> None:
    """Only a rival's flag does."""
    game = four("r:g1=major r:f2=spy r:e1=spy")
    assert game.castle is not None
    hands_off(game, at(game, "e1"))
    game.play(move("g1-h1", (Seat.RED,)))
    for _ in range(3):
        game.play(quiet(game))
    game.play(move("h1-g1"))
    game.play(TakeFlags(sq("g1"), (Seat.RED,)))
    assert to_move(game) is Seat.BLUE


# ---- slider, recruits, shots


def test_slider_recruits_at_six(four: Callable[..., Game]) -> None:
    """Every won engagement moves the winner's slider; at VI he recruits at once and it returns to 0."""
    game = four("r:e2=major r:f2=spy b:e3=sergeant b:a5=spy")
    assert game.castle is not None
    spy = at(game, "f2")
    hands_off(game, spy)
    game.castle.sliders[Seat.RED] = 5
    game.play(move("e2-e3"))
    assert game.castle.sliders[Seat.RED] == 0
    assert game.legal_actions() == [Recruit(spy)]
    game.play(Recruit(spy))
    assert game.square_of(spy) == sq("g2")
    assert to_move(game) is Seat.BLUE


def test_defender_recruits_before_the_turn_goes_on(four: Callable[..., Game]) -> None:
    """The defender's slider moves too; play goes on after the attacker's seat, not after the one that recruited."""
    game = four("r:e2=spy r:f2=spy g:e3=major g:f13=spy")
    assert game.castle is not None
    recruit = at(game, "f13")
    hands_off(game, recruit)
    game.castle.sliders[Seat.GREEN] = 5
    game.play(move("e2-e3"))
    assert to_move(game) is Seat.GREEN
    game.play(Recruit(recruit))
    assert to_move(game) is Seat.BLUE
    assert game.square_of(recruit) == sq("g12")


def test_occupied_recruitment_space_loses_the_chance(four: Callable[..., Game]) -> None:
    """The slider goes back to 0 all the same."""
    game = four("r:e2=major r:f2=spy b:e3=sergeant b:a5=spy y:g2=spy y:l5=spy")
    assert game.castle is not None
    hands_off(game, at(game, "f2"))
    game.castle.sliders[Seat.RED] = 5
    game.play(move("e2-e3"))
    assert game.castle.sliders[Seat.RED] == 0
    assert to_move(game) is Seat.BLUE


def test_cannon_fires_exactly_three_spaces(four: Callable[..., Game]) -> None:
    """Target and cannon both go, the slider moves up; not two away, not over a piece, not at a friend or at nothing."""
    game = four("r:e2=cannon b:e5=marshal b:g2=spy b:d2=spy r:h2=spy")
    assert game.castle is not None
    shot = Fire(sq("e2"), sq("e5"))
    assert reasons(game, shot) == []
    assert game.is_attack(shot)
    assert reasons(game, Fire(sq("e2"), sq("g2"))) == [Reason.OUT_OF_RANGE]
    assert reasons(game, Fire(sq("e2"), sq("h2"))) == [Reason.OUT_OF_RANGE]
    assert reasons(game, Fire(sq("h2"), sq("h5"))) == [Reason.NOT_THIS_RANK]
    assert reasons(game, Fire(sq("e5"), sq("e2"))) == [Reason.NOT_YOUR_PIECE]
    assert reasons(game, Fire(sq("e4"), sq("e1"))) == [Reason.NO_PIECE]
    assert reasons(game, move("e2-d2")) == [Reason.NO_ATTACK]
    assert reasons(game, move("e2-e3")) == []
    pieces = (at(game, "e2"), at(game, "e5"))
    played = game.play(shot)
    assert played.result is CombatResult.BOTH_LOST
    assert set(played.captured) == set(pieces)
    assert game.castle.sliders[Seat.RED] == 1
    assert to_move(game) is Seat.BLUE


def test_cannon_fires_at_the_castle_and_out_of_it(four: Callable[..., Game]) -> None:
    """The ring is a target like any space, and a place to fire from; nothing flies over it."""
    game = four("r:g3=cannon b:ring=spy")
    assert reasons(game, Fire(sq("g3"), sq("ring"))) == []
    game = four("r:ring=cannon b:k7=spy")
    assert reasons(game, Fire(sq("ring"), sq("k7"))) == []
    game = four("r:g4=cannon b:g10=spy")
    assert reasons(game, Fire(sq("g4"), sq("g10"))) == [Reason.OUT_OF_RANGE]


def test_a_shot_takes_no_flag_and_may_be_switched_to_count_nothing(game_of: GameOf) -> None:
    """The target's flag lies where it stood; the option `shot_counts` keeps the slider where it was."""
    rules = rule_set("stratego4").with_options({"shot_counts": False})
    game = game_of("r:d7=cannon r:d1=spy b:a7=spy b:b6=spy g:f13=spy y:m5=spy", rules)
    assert game.castle is not None
    game.play(Fire(sq("d7"), sq("a7")))
    assert game.castle.flags[Seat.BLUE].carrier is None
    assert game.castle.flags[Seat.BLUE].square == sq("a7")
    assert game.castle.sliders[Seat.RED] == 0
    assert not game.castle.owed


# ---- passing, dropping out, ends


def test_a_player_without_a_move_passes(four: Callable[..., Game]) -> None:
    """Passing is legal only then; he is not out."""
    game = four("r:g1=spy y:f1=major y:h1=major y:g2=major")
    assert reasons(game, Pass()) == [Reason.MUST_MOVE]
    teams = four("r:d1=spy g:e1=major g:d2=major", "stratego4-teams")
    assert teams.legal_actions() == [Pass()]
    assert teams.mobile(Seat.RED) is Mobility.NO
    played = teams.play(Pass())
    assert (played.piece, played.result) == (None, None)
    assert to_move(teams) is Seat.BLUE
    assert teams.castle is not None
    assert not teams.castle.out


def test_who_has_no_piece_left_is_out(game_of: GameOf) -> None:
    """The others play on in turn order; the last army standing wins."""
    game = game_of("r:e2=major b:e3=spy g:f3=marshal y:m4=spy", rule_set("stratego4"))
    assert game.castle is not None
    game.play(move("e2-e3"))
    assert game.castle.out == {Seat.BLUE}
    assert to_move(game) is Seat.GREEN
    game.play(move("f3-e3"))
    assert game.castle.out == {Seat.BLUE, Seat.RED}
    assert to_move(game) is Seat.YELLOW
    game.play(move("m4-m5"))
    assert to_move(game) is Seat.GREEN
    game.drop_out(Seat.YELLOW)
    assert game.result == GameResult(Seat.GREEN, EndReason.IMMOBILE)


def test_dropping_out_removes_the_pieces(four: Callable[..., Game]) -> None:
    """Who gives up leaves the turn order; flags stay; the turn passes on if it was his."""
    game = four("r:g1=major")
    assert game.castle is not None
    game.drop_out(Seat.RED)
    assert to_move(game) is Seat.BLUE
    assert game.pieces(Seat.RED) == ()
    assert game.castle.flags[Seat.RED].square == sq("g1")
    assert game.castle.flags[Seat.RED].carrier is None
    game.drop_out(Seat.YELLOW)
    assert to_move(game) is Seat.BLUE
    game.drop_out(Seat.GREEN)
    assert game.result == GameResult(Seat.BLUE, EndReason.IMMOBILE)
    with pytest.raises(IllegalActionError):
        game.drop_out(Seat.BLUE)


def test_last_two_armies_can_perish_together(game_of: GameOf) -> None:
    """Nobody is left: a draw."""
    game = game_of("r:e2=major b:e3=major", rule_set("stratego4"))
    game.play(move("e2-e3"))
    assert game.result == GameResult(None, EndReason.BOTH_IMMOBILE)


def test_first_seat_is_a_setting(game_of: GameOf) -> None:
    """The youngest player begins: an option, and `turn` for any position."""
    rules = rule_set("stratego4").with_options({"first_seat": "green"})
    assert game_of("r:e2=major b:a6=spy g:f13=spy y:m5=spy", rules).turn is Seat.GREEN


def test_unknown_pieces_fire_and_run_by_what_they_may_be() -> None:
    """A shot shows a cannon, a long run a scout, two straight squares a scout or captain, a turn a captain."""
    rules = rule_set("stratego4")
    game = Game(rules, {square: seat for seat in rules.seats for square in rules.zone(seat)})
    army = frozenset(rules.army)
    piece = at(game, "e3")
    assert game.possible_for(piece, move("e3-e4")) == army
    assert game.possible_for(piece, move("e3-e5")) == {Rank.SCOUT, Rank.CAPTAIN}
    assert game.possible_for(piece, move("e3-e4-f4")) == {Rank.CAPTAIN}
    assert game.possible_for(piece, move("e3-e10")) == {Rank.SCOUT}
    assert game.possible_for(piece, Fire(sq("e3"), sq("e6"))) == {Rank.CANNON}
    game.play(move("e3-e5"))
    assert game.possible(piece) == {Rank.SCOUT, Rank.CAPTAIN}
    assert Rank.SCOUT in game.possible(at(game, "f3"))
