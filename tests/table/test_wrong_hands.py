"""Hands that did what no rule allows hear the fault by its name, and no name rests on a hidden rank."""

from __future__ import annotations

import random

import pytest

from referee.net.topics.codec import encode_public
from referee.presentation.sentences import Contact, headline
from referee.rules import rule_set, rule_set_names
from referee.rules.values import Rank, Seat, Square
from referee.sensing import Agreed, Difference, Lifted, Puzzled, Reading
from referee.table.messages import Told
from referee.table.views import Ask, Mode, Phase
from referee.words import words
from tests.table.sitting import BLUE, RED, Sitting

POLES = {RED: Reading.RED, BLUE: Reading.BLUE}
PIECES = {
    RED: {"a1": Rank.FLAG, "b4": Rank.MINER, "e4": Rank.SCOUT, "f4": Rank.MARSHAL, "b6": Rank.SPY},
    BLUE: {"a10": Rank.FLAG, "b9": Rank.SCOUT, "e5": Rank.BOMB, "f6": Rank.MINER},
}


def seen(sitting: Sitting, hands: str, *, poles: bool = True) -> tuple[Difference, ...]:
    """Return what sensing reports of hands like `b4. c3r`: what each square shows, and whose it is where poles tell."""
    occupants, found = sitting.table.view().occupants, []
    for item in hands.split():
        name, shown = (
            item[:-1],
            {".": Reading.EMPTY, "r": Reading.RED, "b": Reading.BLUE, "?": Reading.UNSURE}[item[-1]],
        )
        whose = next((seat for seat, pole in POLES.items() if pole is shown), None) if poles else None
        found.append(Difference(sitting.square(name), occupants.get(name), shown, whose))
    return tuple(found)


def after(hands: str, mode: Mode = Mode.ENROL, *, poles: bool = True) -> Sitting:
    """Return a table on red's turn after hands that sensing could not explain."""
    sitting = Sitting(mode)
    sitting.place(PIECES, RED)
    sitting.see(Puzzled(seen(sitting, hands, poles=poles), 0))
    return sitting


@pytest.mark.parametrize("mode", list(Mode))
@pytest.mark.parametrize(
    ("hands", "fault", "said"),
    [
        ("b9. b8b", "out-of-turn", "It’s Red’s turn"),
        ("f6. f5b", "out-of-turn", "It’s Red’s turn"),
        ("e5. e4b", "out-of-turn", "It’s Red’s turn"),
        ("b4. c3r", "diagonal", "Pieces do not move diagonally"),
        ("f4. e5r", "diagonal", "Pieces do not move diagonally"),
        ("e4. e6r", "blocked", "The way is not clear"),
        ("b6. e6r", "lake", "No piece crosses a lake"),
        ("f4. e4.", "own-piece", "Your own piece is there"),
        ("b4. c3b", None, "Fix the board"),
        ("b4. c3?", None, "Fix the board"),
        ("b4. c3r a2r", None, "Fix the board"),
        ("b4. b6.", "own-piece", "Your own piece is there"),
        ("a2r", None, "Fix the board"),
        ("b9. f4.", None, "Fix the board"),
    ],
)
def test_the_fault_is_named(mode: Mode, hands: str, fault: str | None, said: str) -> None:
    """To everybody alike, whether or not the referee knows the ranks; where more than one piece was moved nobody is blamed."""
    sitting = after(hands, mode)
    view = sitting.table.view()
    assert (view.phase, view.ask, view.fault) == (Phase.RESTORING, Ask.NOT_UNDERSTOOD, fault)
    assert headline(sitting.table.info(), view, words("en"), Contact.LIVE)[0] == said
    assert not [letter for letter in sitting.letters(RED) + sitting.letters(BLUE) if isinstance(letter, Told)]
    sitting.see(Agreed(0))
    assert sitting.table.view().fault is None


def test_without_poles_the_one_piece_that_is_gone_says_whose_it_was() -> None:
    """Occupancy only."""
    assert after("b9. b8r", poles=False).table.view().fault == "out-of-turn"
    assert after("b4. c3r", poles=False).table.view().fault == "diagonal"


def test_what_rests_on_a_hidden_rank_is_told_to_its_owner_alone() -> None:
    """The miner ran three squares: everybody hears that this was no move, its owner that a miner moves one square."""
    sitting = Sitting(Mode.ENROL)
    sitting.place(PIECES | {RED: {**PIECES[RED], "j2": Rank.MINER}}, RED)
    sitting.read("j2", "j5")
    view = sitting.table.view()
    assert (view.ask, view.fault, view.barred) == (Ask.ILLEGAL_MOVE, None, None)
    told = sitting.letters(RED)[-1]
    assert isinstance(told, Told)
    assert told.reason == "too-far"
    assert not [letter for letter in sitting.letters(BLUE) if isinstance(letter, Told)]


@pytest.mark.parametrize("seat", [Seat.RED, Seat.BLUE])
def test_the_words_are_the_same_whatever_the_piece_is(seat: Seat) -> None:
    """Each rank of the army on b4, moved wrongly: one and the same public view."""
    views = set()
    for rank in (Rank.BOMB, Rank.SCOUT, Rank.MINER, Rank.MARSHAL, Rank.SPY):
        sitting = Sitting(Mode.ENROL)
        square, wrong = ("b4", "b4. c3r") if seat is RED else ("b9", "b9. c8b")
        sitting.place({**PIECES, seat: {**PIECES[seat], square: rank}}, seat)
        sitting.see(Puzzled(seen(sitting, wrong), 0))
        view = sitting.table.view()
        views.add((view.fault, view.ask, view.fixes, view.saw))
    assert len(views) == 1
    assert views.pop()[0] == "diagonal"


def shuffled(rules: str, chance: random.Random) -> Sitting:
    """Return a game that has begun, every army on the same squares, its ranks dealt anew."""
    found = rule_set(rules)
    ranks: dict[Seat, dict[str, Rank]] = {}
    for seat in found.seats:
        army = [rank for rank, count in found.army.items() for _ in range(count)]
        chance.shuffle(army)
        ranks[seat] = {square.name: rank for square, rank in zip(found.zone(seat), army, strict=False)}
    return Sitting(Mode.ENROL, rules=rules, ranks=ranks)


@pytest.mark.parametrize("rules", rule_set_names())
@pytest.mark.parametrize("seed", range(3))
def test_wrong_hands_read_the_same_however_the_ranks_are_dealt(rules: str, seed: int) -> None:
    """One piece anywhere to a square anywhere, in the castle too: view, events and who gets a letter of what kind are the same."""
    chance = random.Random(f"{rules} {seed}")
    sittings = [shuffled(rules, chance) for _ in range(3)]
    for _ in range(12):
        occupants = sittings[0].table.view().occupants
        source = Square(chance.choice(sorted(occupants)))
        target = chance.choice([square for square in sittings[0].rules.board.squares if square != source])
        landed = Reading.EMPTY if target.name in occupants else Reading.RED
        hands = (
            Difference(source, occupants[source.name], Reading.EMPTY),
            Difference(target, occupants.get(target.name), landed),
        )
        heard = set()
        for sitting in sittings:
            steps = [sitting.see(Lifted(source, 0)), sitting.see(Puzzled(hands, 0))]
            events = [encode_public(fact.event) for step in steps for fact in step.facts if fact.event is not None]
            letters = [(letter.seat, type(letter.body.open_hidden())) for step in steps for letter in step.letters]
            heard.add((encode_public(sitting.table.view()), *events, *letters))
            sitting.see(Agreed(0))
        assert len(heard) == 1
