"""The computer: it keeps the rules, chooses the same from the same, is moved by nothing hidden, and what it believes adds up."""

from __future__ import annotations

import ast
import hashlib
import random
from collections import Counter
from pathlib import Path

import pytest

import referee.computer
from benchmarks.computer import Engine, play
from referee.computer import LEVELS, Choice, Computer, Level, SeenPly, chance, generate_set_up
from referee.computer.belief import chances
from referee.computer.search import Search, deepened
from referee.rules import (
    Game,
    Infiltrate,
    Move,
    Rank,
    RuleSet,
    Seat,
    Square,
    check_set_up,
    load_rule_set,
    rule_set,
    rule_set_names,
)
from referee.table.settings import COMPUTER_ENGINE
from tests.amount import tries

TWO = [rules for rules in map(rule_set, rule_set_names()) if len(rules.seats) == 2]
HOUSE = [
    rule_set("infiltrator").with_options({"move_then_infiltrate": True, "enemy_ground": "enemy-half"}),
    rule_set("original").with_options(
        {"immobile_moved": "forfeit", "repetition": "situation", "no_progress_limit": 100}
    ),
]
QUICK = Level(60, 1, 1, noise=0.5)


def square(name: str) -> Square:
    """Return a square by name."""
    return Square(name)


def set_ups(rules: RuleSet, seed: str) -> dict[Seat, dict[Square, Rank]]:
    """Return the computer's set-ups of both seats."""
    return {seat: generate_set_up(rules, seat, f"{seed}/{seat.value}") for seat in rules.seats}


def played(rules: RuleSet, ranks: dict[Square, Rank], seed: int, plies: int) -> tuple[Game, list[SeenPly]]:
    """Return a game of random moves between these armies, and what either seat sees of it."""
    rng, seen = random.Random(seed), list[SeenPly]()
    zone = set(rules.zone(rules.seats[0]))
    game = Game(rules, {one: rules.seats[one not in zone] for one in ranks}, ranks)
    while game.result is None and game.ply < plies:
        action = rng.choice(sorted(game.legal_actions(), key=repr))
        seen.append(replayed(game, action))
    return game, seen


def replayed(game: Game, action: object) -> SeenPly:
    """Play an action of a game that knows all; return what everybody sees of it."""
    assert isinstance(action, Move | Infiltrate)
    pieces = [piece for one in (action.source, action.target) if (piece := game.piece_at(one)) is not None]
    ranks = {piece: next(iter(game.possible(piece))) for piece in pieces}
    result = game.play(action).result
    return SeenPly(action, result, {} if result is None or isinstance(action, Infiltrate) else ranks)


def computer(rules: RuleSet, seat: Seat, ranks: dict[Square, Rank], level: Level = QUICK) -> Computer:
    """Return the computer of a seat at the beginning of a game between these armies."""
    zone = set(rules.zone(rules.seats[0]))
    occupants = {one: rules.seats[one not in zone] for one in ranks}
    return Computer(
        rules, seat, {one: rank for one, rank in ranks.items() if occupants[one] is seat}, occupants, "7", level
    )


@pytest.mark.parametrize("rules", [*TWO, *HOUSE], ids=lambda rules: f"{rules.name}-{rules.repetition.value}")
def test_it_keeps_the_rules(rules: RuleSet) -> None:
    """Property: the referee refuses none of its plies. `bench computer` plays whole games by the hundred and fails where one is."""
    for number in range(1 if rules.filled else tries(8)):
        sides = {seat: Engine(rules, seat, f"{number}/{seat.value}", QUICK) for seat in rules.seats}
        _, reason, plies = play(rules, sides, tries(200) if rules.filled else 600)
        assert "fault" not in reason, (number, plies)


@pytest.mark.parametrize("rules", TWO, ids=lambda rules: rules.name)
def test_its_set_ups_have_no_fault(rules: RuleSet) -> None:
    """Property: no fault and no warning, the same for the same seed, others for other seeds."""
    for number in range(tries(40)):
        for seat, found in set_ups(rules, str(number)).items():
            assert check_set_up(rules, seat, found) == ()
            assert found == set_ups(rules, str(number))[seat]
    assert set_ups(rules, "0") != set_ups(rules, "1")


@pytest.mark.parametrize("strong", [{"marshal": 1, "general": 3}, {"marshal": 38, "general": 1}])
def test_it_sets_up_more_strong_pieces_than_wings(tmp_path: Path, strong: dict[str, int]) -> None:
    """An army of the house may have them: where none of the wings lacks one, or one is full, they stand anywhere."""
    army = {**strong, "scout": 39 - sum(strong.values()), "flag": 1}
    told = ", ".join(f"{rank} = {count}" for rank, count in army.items() if count)
    (house := tmp_path / "house.toml").write_text(
        f'base = "original"\nname = "house"\nsource = "made up"\narmy = {{ {told} }}\n'
    )
    rules = load_rule_set(house)
    for number in range(8):
        assert not check_set_up(rules, Seat.BLUE, generate_set_up(rules, Seat.BLUE, f"{number}"))


def test_it_sets_up_every_rank_that_a_house_may_have(tmp_path: Path) -> None:
    """With two seats also a cannon, which may not fire there and steps as others do."""
    order = ", ".join(f'"{rank.value}"' for rank in Rank if rank not in (Rank.FLAG, Rank.BOMB))
    (house := tmp_path / "house.toml").write_text(
        f'base = "duel"\nname = "house"\nsource = "made up"\n[army]\ncannon = 2\ninfiltrator = 1\nflag = 1\n'
        f'[ranks]\ncannon = {{ gait = "step" }}\ninfiltrator = {{ gait = "step" }}\n[combat]\norder = [{order}]\n'
    )
    rules = load_rule_set(house)
    assert Counter(generate_set_up(rules, Seat.RED, "1").values()) == Counter(dict(rules.army))


@pytest.mark.parametrize("name", ["original", "infiltrator", "duel"])
def test_what_it_believes_adds_up(name: str) -> None:
    """Property: each piece is something that the rules leave it, and together they are the army."""
    rules = rule_set(name)
    for seed in range(tries(12)):
        both = {**set_ups(rules, str(seed))[rules.seats[0]], **set_ups(rules, str(seed))[rules.seats[1]]}
        mind = computer(rules, rules.seats[seed % 2], both).after(played(rules, both, seed, 20 * seed + 5)[1])
        believed = chances(mind._behaviour, mind.game)
        assert len(believed) == sum(rules.army.values())
        for piece, row in believed.items():
            assert sum(row) == pytest.approx(1, abs=0.01)
            ranks = {rank for rank, likely in zip(rules.army, row, strict=True) if likely}
            assert ranks <= mind.game.possible(piece)
        for count, column in zip(rules.army.values(), zip(*believed.values(), strict=True), strict=True):
            assert sum(column) == pytest.approx(count, abs=0.05)


def test_the_same_inputs_make_the_same_choice() -> None:
    """Property: at every level, told ply by ply or all at once, by two of them."""
    rules = rule_set("original")
    both = {one: rank for ranks in set_ups(rules, "3").values() for one, rank in ranks.items()}
    for number, level in LEVELS.items():
        game, seen = played(rules, both, number, 60)
        minds = [computer(rules, game.turn, both, level) for _ in range(2)]
        for one in seen:
            minds[0].see(one)
        minds[1] = minds[1].after(seen)
        assert minds[0].choose() == minds[1].choose()
        assert minds[0].choose() == minds[1].choose()  # choosing changes nothing


PINNED = ("original", "duel", "barrage", "classic", "duel-compact", "infiltrator", "vintage")
"""Not all rule sets for two seats: one that is new changes no old game's choices."""


def test_another_way_of_choosing_has_another_number() -> None:
    """Golden: where this fails, old games' choices come out otherwise: raise `COMPUTER_ENGINE`, and put what is found here beside it."""
    found = [repr(list(set_ups(rule_set(name), "1").items())) for name in PINNED]
    levels = {"duel": {number: number for number in LEVELS}, "infiltrator": {2: 2}, "original": {1: 1, 3: 3, 5: 7}}
    for name, numbers in levels.items():
        rules = rule_set(name)
        both = {one: rank for ranks in set_ups(rules, "1").values() for one, rank in ranks.items()}
        for number, seed in numbers.items():
            game, seen = played(rules, both, seed, 8 * seed)
            found.append(repr(computer(rules, game.turn, both, LEVELS[number]).after(seen).choose()))
    assert (COMPUTER_ENGINE, hashlib.sha256("\n".join(found).encode()).hexdigest()[:16]) == ("2", "6bb0d09248e5d18c")


def test_hidden_ranks_move_nothing() -> None:
    """Property: enemies that were never shown are swapped; what the seat sees stays the same, and so does what it does."""
    rules, swaps = rule_set("original"), 0
    for seed in range(tries(16)):
        both = {one: rank for ranks in set_ups(rules, str(seed)).values() for one, rank in ranks.items()}
        game, seen = played(rules, both, seed, 30 + 10 * seed)
        foe = rules.seat_after(game.turn)
        shown = {piece for one in seen for piece in one.shown}
        start = Game(rules, {one: Seat.RED if one in rules.zone(Seat.RED) else Seat.BLUE for one in both})
        hidden: dict[bool, list[Square]] = {True: [], False: []}
        for one in both:
            piece = start.piece_at(one)
            assert piece is not None
            if piece.seat is foe and piece not in shown:
                hidden[game.moved(piece)].append(one)
        swapped = dict(both)
        for moved, squares in hidden.items():
            squares = [one for one in squares if not (moved and both[one] is Rank.SCOUT)]
            ranks = [both[one] for one in squares]
            random.Random(seed).shuffle(ranks)
            swapped.update(zip(squares, ranks, strict=True))
        swaps += swapped != both
        other = Game(rules, {one: Seat.RED if one in rules.zone(Seat.RED) else Seat.BLUE for one in both}, swapped)
        assert [replayed(other, one.action) for one in seen] == seen
        choices = [computer(rules, game.turn, ranks, LEVELS[4]).after(seen).choose() for ranks in (both, swapped)]
        assert choices[0] == choices[1]
    assert swaps


def test_a_search_leaves_its_position_as_it_was() -> None:
    """Property: every move that was tried is taken back, whatever its verdicts."""
    rules = rule_set("original")
    for seed in range(tries(12)):
        both = {one: rank for ranks in set_ups(rules, str(seed)).values() for one, rank in ranks.items()}
        game, seen = played(rules, both, seed, 50 + 20 * seed)
        mind = computer(rules, game.turn, both).after(seen)
        if mind.game.result is not None:
            continue
        field, _ = mind._field()
        search = Search(field, 10**6, 3)
        before = (field.where, field.kind, search.at.copy(), search._masks.copy())
        index = rules.board.index
        for move in mind.game.legal_actions():
            assert isinstance(move, Move)
            search.value(search.at[index[move.source]], index[move.target], 2)
            assert (list(search.where), list(search.kind), search.at, search._masks) == before


def test_a_search_moves_the_pieces_of_who_is_to_move() -> None:
    """Property: also where a good move of another line is tried first, however deep that one was."""
    rules, depth = rule_set("original"), LEVELS[5].depth

    class Watched(Search):
        """One that looks whose piece goes."""

        def _go(
            self, piece: int, source: int, target: int, depth: int, alpha: float, beta: float, side: int, score: float
        ) -> float:
            assert self.field.sides[piece] == side
            return super()._go(piece, source, target, depth, alpha, beta, side, score)

    for seed in range(tries(4)):
        both = {one: rank for ranks in set_ups(rules, str(seed)).values() for one, rank in ranks.items()}
        game, seen = played(rules, both, seed, 10 * seed)
        mind = computer(rules, game.turn, both).after(seen)
        search, index = Watched(mind._field()[0], 4_000, 2), rules.board.index
        moves = [move for move in mind.game.legal_actions() if isinstance(move, Move)]
        deepened(search, {(search.at[index[one.source]], index[one.target]): 0.0 for one in moves}, depth)


def few(red: dict[str, Rank], blue: dict[str, Rank], known: str = "", level: int = 5) -> tuple[Computer, Choice]:
    """Return red's computer where few pieces are left, all of blue's on these squares (`known`) shown, and its choice."""
    rules = rule_set("original")
    occupants = {square(one): Seat.RED for one in red} | {square(one): Seat.BLUE for one in blue}
    own = {square(one): rank for one, rank in red.items()}
    mind = Computer(rules, Seat.RED, own, occupants, "1", LEVELS[level])
    for one in known.split():
        piece = mind.game.piece_at(square(one))
        assert piece is not None
        mind.game.learn(piece, frozenset({blue[one]}))
    return mind, mind.choose()


def test_it_takes_what_it_knows() -> None:
    """Golden: the flag before a marshal; a bomb by the miner and by nobody else; no attack on what is stronger."""
    flag = {"a1": Rank.FLAG}
    _, choice = few({**flag, "d9": Rank.CAPTAIN, "h7": Rank.SPY}, {"d10": Rank.FLAG, "h8": Rank.MARSHAL}, "d10 h8")
    assert repr(choice.action) == "d9-d10"
    blue = {"d10": Rank.BOMB, "j10": Rank.FLAG, "h8": Rank.COLONEL}
    for rank, attacks in ((Rank.MINER, True), (Rank.MAJOR, False)):
        _, choice = few({**flag, "d9": rank, "b2": Rank.GENERAL}, blue, "d10 h8 j10")
        assert (repr(choice.action) == "d9-d10") is attacks
    _, choice = few({**flag, "h7": Rank.MAJOR, "b2": Rank.GENERAL}, blue, "h8 d10 j10")
    assert isinstance(choice.action, Move)
    assert choice.action.source == square("h7")
    assert choice.action.target != square("h8")


def test_it_gives_up_and_agrees_when_it_should() -> None:
    """Golden: a lone scout against an army resigns and takes a draw; the army does neither."""
    _, choice = few(
        {"a1": Rank.FLAG, "j3": Rank.SCOUT}, {"a9": Rank.MARSHAL, "c9": Rank.MAJOR, "j10": Rank.FLAG}, "a9 c9 j10"
    )
    assert repr(choice.action) == "j3-j10"  # it has won
    army = {"a9": Rank.MARSHAL, "c9": Rank.COLONEL, "e9": Rank.MAJOR, "g9": Rank.MAJOR, "j10": Rank.FLAG}
    mind, choice = few({"a1": Rank.FLAG, "e3": Rank.SCOUT}, army, "a9 c9 e9 g9")
    assert choice.action is None
    assert mind.answers_draw()
    strong, choice = few(
        {"a1": Rank.FLAG, "b3": Rank.MARSHAL, "c3": Rank.MAJOR}, {"j10": Rank.FLAG, "e9": Rank.SCOUT}, "e9"
    )
    assert choice.action is not None
    assert not strong.answers_draw()


def test_it_offers_a_draw_when_nothing_happens() -> None:
    """Golden: between equal armies after long without a capture, and agrees to one; not before, and not far ahead."""
    blue = {"j10": Rank.FLAG, "e9": Rank.MAJOR, "c9": Rank.CAPTAIN}
    for red, quiet, offers in ((Rank.MAJOR, 400, True), (Rank.MAJOR, 20, False), (Rank.MARSHAL, 400, False)):
        mind, _ = few({"a1": Rank.FLAG, "b3": red, "c3": Rank.CAPTAIN}, blue, "e9 c9 j10")
        mind._last_loss = -quiet
        assert (mind.choose().offers_draw, mind.answers_draw()) == (offers, offers)


def test_an_infiltrator_names_what_he_is_sure_of() -> None:
    """Golden: the flag two squares away, and not a marshal that he can only guess."""
    rules = rule_set("infiltrator")
    occupants = {square(one): Seat.RED for one in ("a1", "e8", "b3")} | {
        square(one): Seat.BLUE for one in ("e10", "j10", "h9")
    }
    mind = Computer(
        rules,
        Seat.RED,
        {square("a1"): Rank.FLAG, square("e8"): Rank.INFILTRATOR, square("b3"): Rank.MAJOR},
        occupants,
        "1",
    )
    flag = mind.game.piece_at(square("e10"))
    assert flag is not None
    assert not isinstance(mind.choose().action, Infiltrate)
    mind.game.learn(flag, frozenset({Rank.FLAG}))
    assert mind.choose().action == Infiltrate(square("e8"), square("e10"), Rank.FLAG)


def test_level_one_forgets() -> None:
    """Golden: a rank that was shown long ago is one of many again at level 1, and is not at level 5."""
    rules = rule_set("original")
    both = {one: rank for ranks in set_ups(rules, "5").values() for one, rank in ranks.items()}
    game, seen = played(rules, both, 4, 200)
    forgot = Counter[int]()
    for number in (1, 5):
        mind = computer(rules, game.turn, both, LEVELS[number]).after(seen)
        forgot[number] = len(mind._forgotten())
    assert forgot[1] > 0
    assert forgot[5] == 0


def test_chance_is_the_same_everywhere() -> None:
    """Golden: a number by its seed and words; even over many of them."""
    assert chance("a", 1) == chance("a", 1) != chance("a", 2)
    drawn = [chance("seed", number) for number in range(2000)]
    assert all(0 <= one < 1 for one in drawn)
    assert sum(drawn) / 2000 == pytest.approx(0.5, abs=0.03)


def test_it_computes_what_is_the_same_everywhere() -> None:
    """Property: no `sum` (which rounds in another way from Python 3.12 on), no powers and no function of the C library but `fsum`."""
    for file in Path(referee.computer.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            assert not isinstance(node, ast.Pow), file.name
            assert not (isinstance(node, ast.Name) and node.id in ("sum", "pow", "math")), file.name
            assert (
                not isinstance(node, ast.ImportFrom)
                or node.module != "math"
                or [one.name for one in node.names] == ["fsum"]
            )
