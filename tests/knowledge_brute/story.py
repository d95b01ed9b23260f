"""Where a game turned, its bluffs, who took most and who waited longest; written from docs/reference/analysis.md and the rules alone."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from fractions import Fraction
from math import log2
from typing import Any

from referee.rules import CombatResult, Fire, Gait, Infiltrate, Move, Rank, Recruit, RuleSet, Seat, Square
from tests.knowledge_brute.truth import DEFENDER_STAYS, RUNNERS, Known, Piece, Ply

Course = Sequence[dict[Seat, Known]]
BEATS = (CombatResult.ATTACKER_WINS, CombatResult.FLAG_TAKEN)
MOST = 5


def worth(rules: RuleSet, rank: Rank) -> int:
    """Return how many of a whole rival army a rank beats when it attacks, and how many of it lose when they attack."""
    mobile = rules.gait(rank) is not Gait.NONE
    beaten = sum(count for other, count in rules.army.items() if mobile and rules.combat(rank, other) in BEATS)
    return beaten + sum(
        count
        for other, count in rules.army.items()
        if rules.gait(other) is not Gait.NONE and rules.combat(other, rank) is CombatResult.DEFENDER_WINS
    )


def turning_points(
    rules: RuleSet, plies: Sequence[Ply], courses: Mapping[str, Course]
) -> dict[str, list[tuple[int, str, float]]]:
    """Return by kind the largest losses: ply, seat and loss."""
    secret: list[tuple[Fraction, int, Seat]] = []
    material: list[tuple[int, int, Seat]] = []
    for number, ply in enumerate(plies, start=1):
        for seat in rules.seats:
            rows = [courses[one.value] for one in rules.seats if one is not seat]
            rows = [row for row in rows if len(row) > number] or [
                row for row in (courses["public"],) if len(row) > number
            ]
            if rows:
                secret.append(
                    (max(Fraction(row[number - 1][seat].ways, row[number][seat].ways) for row in rows), number, seat)
                )
            material.append((sum(worth(rules, one.rank) for one in ply.captured if one.seat is seat), number, seat))
    order = list(rules.seats)
    secret.sort(key=lambda one: (-one[0], one[1], order.index(one[2])))
    material.sort(key=lambda one: (-one[0], one[1], order.index(one[2])))
    return {
        "secret": [(at, seat.value, log2(loss)) for loss, at, seat in secret[:MOST] if loss > 1],
        "material": [(at, seat.value, float(loss)) for loss, at, seat in material[:MOST] if loss],
    }


def places(
    rules: RuleSet, pieces: Sequence[Piece], plies: Sequence[Ply], before: Sequence[str]
) -> Iterator[dict[Piece, Square]]:
    """Yield where every piece on the board is, before the first and after each ply with what was decided after it."""
    where = {piece: piece.home for piece in pieces}

    def give_up(seats: Sequence[str]) -> None:
        for piece in [one for one in where if one.seat.value in seats]:
            del where[piece]

    give_up([line.split(" ")[0] for line in before if line.endswith("gives up")])
    yield dict(where)
    for ply in plies:
        action = ply.action
        if ply.piece is not None and isinstance(action, Move | Infiltrate):
            stays = ply.target is not None and (isinstance(action, Infiltrate) or ply.verdict in DEFENDER_STAYS)
            stand = action.via[-1] if isinstance(action, Infiltrate) and action.via else action.source
            where[ply.piece] = stand if stays else action.target
        for piece in ply.captured:
            del where[piece]
        for answer in ply.answers:
            if isinstance(answer, Recruit) and answer.piece is not None:
                army = [piece for piece in pieces if piece.seat is answer.piece.seat]
                space = rules.board.homes[answer.piece.seat].recruitment
                assert space is not None
                where[army[answer.piece.number]] = space
            elif isinstance(answer, Seat):
                give_up([answer.value])
        yield dict(where)


def bluffs(
    rules: RuleSet,
    plies: Sequence[Ply],
    courses: Mapping[str, Course],
    where: Sequence[dict[Piece, Square]],
    known: Container[Piece],
) -> list[dict[str, Any]]:
    """Return every bluff, by ply, as far as the courses go and of pieces whose rank is known."""
    found: list[dict[str, Any]] = []
    for number, ply in enumerate(plies, start=1):
        mine, action = ply.piece, ply.action
        if mine is None or ply.target is not None or not isinstance(action, Move) or mine not in known:
            continue
        before, after = (rules.board.neighbours(one) for one in (action.source, action.target))
        if mine not in where[number] or len(courses[mine.seat.value]) <= number:
            continue
        knows = courses[mine.seat.value][number]
        for its, square in where[number].items():
            if its.seat in rules.partners(mine.seat) or square not in after or square in before:
                continue
            if len(courses[its.seat.value]) <= number:
                continue
            if len(knows[its.seat].chances[its.home]) > 1 or rules.gait(its.rank) is Gait.NONE:
                continue
            wins = rules.combat(its.rank, mine.rank) is CombatResult.ATTACKER_WINS
            could = courses[its.seat.value][number][mine.seat].chances[mine.home]
            feared = any(rules.combat(one, its.rank) in BEATS for one in could if rules.gait(one) is not Gait.NONE)
            if wins and feared and rules.combat(mine.rank, its.rank) not in BEATS:
                answer = next((one for one in plies[number:] if one.seat is its.seat), None)
                called = answer is not None and answer.piece == its and answer.target == mine
                names = {"seat": mine.seat.value, "piece": mine.home.name, "against": its.home.name}
                found.append({"ply": number, **names, "called": called})
    return found


def took_most(plies: Sequence[Ply]) -> dict[str, Any] | None:
    """Return the survivor that took most pieces."""
    took: dict[Piece, int] = {}
    best: tuple[Piece, int] | None = None
    for ply in plies:
        if ply.piece is None or ply.target is None:
            continue
        won = ply.target if ply.verdict is CombatResult.DEFENDER_WINS else ply.piece
        if isinstance(ply.action, Fire) or ply.verdict in (CombatResult.BOTH_LOST, CombatResult.WRONG_GUESS):
            continue
        took[won] = took.get(won, 0) + 1
        if best is None or took[won] > best[1]:
            best = (won, took[won])
    if best is None:
        return None
    piece, number = best
    return {"piece": piece.home.name, "seat": piece.seat.value, "rank": piece.rank.value, "took": number}


def unmoved_scouts(rules: RuleSet, pieces: Sequence[Piece], plies: Sequence[Ply]) -> dict[str, dict[str, Any] | None]:
    """Return by seat the piece of a rank that runs which waited longest."""
    waited = dict.fromkeys((piece for piece in pieces if rules.gait(piece.rank) in RUNNERS), len(plies))
    for number, ply in enumerate(plies):
        for piece in (ply.piece, *ply.captured):
            if piece in waited:
                waited[piece] = min(waited[piece], number)
    found: dict[str, dict[str, Any] | None] = dict.fromkeys(seat.value for seat in rules.seats)
    for piece, number in waited.items():
        best = found[piece.seat.value]
        if best is None or number > best["plies"]:
            found[piece.seat.value] = {"piece": piece.home.name, "plies": number}
    return found
