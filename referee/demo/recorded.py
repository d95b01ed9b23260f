"""A recorded game for the demo: read, judged, and filled in where it tells no rank."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from referee.journal.errors import RecordError
from referee.journal.records.check import completed, judge
from referee.journal.records.formats import MOST_BYTES, read_record
from referee.journal.records.model import Choice, GiveUp, Record, rules_of
from referee.rules import (
    EndReason,
    Fire,
    Game,
    Infiltrate,
    Move,
    MoveSlider,
    Pass,
    PieceId,
    Recruit,
    RuleSet,
    TakeFlags,
)
from referee.rules.values import BySeat, Rank, Seat, Square
from referee.runtime.errors import BadInputError, file_named
from referee.simulated_players.player import GameScript
from referee.table.play.moves import NOTHING, STAY, UP


@dataclass(frozen=True, slots=True)
class ScriptedGame:
    """A game to be played again: every seat's set-up and the script that all players follow."""

    set_ups: BySeat[dict[Square, Rank]]
    script: GameScript


def load_recorded(path: Path, rules: RuleSet | None) -> tuple[RuleSet, ScriptedGame]:
    """Return the rule set of a recorded game, and its set-ups and script. Raises `BadInputError` with one clear line."""
    try:
        with file_named(path), path.open("rb") as file:
            record = read_record(file.read(MOST_BYTES + 1))
        rules = rules_of(record, rules)
        judgement = judge(record, rules)
        if not judgement.legal:
            where = f"ply {judgement.ply} is illegal" if judgement.ply else "the set-up cannot be played"
            raise BadInputError(f"{path}: {where} ({judgement.reason}) {' '.join(judgement.details)}".rstrip())
        rules = _as_it_ended(record, rules)
        whole = completed(record)
    except RecordError as error:
        raise BadInputError(f"{path}: {error}") from None
    if not whole.set_ups:
        raise BadInputError(f"{path}: the game ended before it was set up")
    turns = tuple(_turns(path, whole))
    set_ups, answers = _filled_in(rules, whole)
    end = whole.result
    script = GameScript(turns, answers, end.reason.value if end else None, end.winner if end else None)
    return rules, ScriptedGame(set_ups, script)


def _as_it_ended(record: Record, rules: RuleSet) -> RuleSet:
    """Return the rules by which the plies come to the end that the record tells: other programs judge a lost army at once or later."""
    result = record.result
    if result is None or result.reason is not EndReason.IMMOBILE or rules.option("army_lost", "") != "own-turn":
        return rules
    plies, at_once = replace(record, result=None), rules.with_options({"army_lost": "at-once"})
    return at_once if judge(plies, rules).result is None and judge(plies, at_once).result == result else rules


def _filled_in(rules: RuleSet, record: Record) -> tuple[BySeat[dict[Square, Rank]], Mapping[Seat, tuple[str, ...]]]:
    """Return the set-ups with a rank for every piece, and the answers of each seat.

    An unknown rank becomes one that fits everything played.
    """
    occupants = {square: seat for seat, set_up in record.set_ups.items() for square in set_up}
    told = {square: rank for set_up in record.set_ups.values() for square, rank in set_up.known.items()}
    game = Game(rules, occupants, told)
    pieces = {square: game.piece_at(square) for square in occupants}
    for ply in record.plies:
        game.play(ply.action, ply.result)
        for decision in ply.decisions:
            assert not isinstance(decision.choice, GiveUp)
            game.play(decision.choice)
    ranks: dict[PieceId, Rank] = {}
    set_ups: dict[Seat, dict[Square, Rank]] = {seat: {} for seat in record.set_ups}
    for square, piece in pieces.items():
        assert piece is not None
        rank = min(game.possible(piece), key=list(rules.army).index)  # every possible rank fits some whole army
        game.learn(piece, frozenset({rank}))
        set_ups[piece.seat][square] = ranks[piece] = rank
    answers: dict[Seat, list[str]] = {seat: [] for seat in record.set_ups}
    for decision in (each for ply in record.plies for each in ply.decisions):
        answers[decision.seat].append(_answer(decision.choice, ranks))
    return BySeat(set_ups), {seat: tuple(words) for seat, words in answers.items()}


def _answer(choice: Choice, ranks: Mapping[PieceId, Rank]) -> str:
    """Return the word by which a handset answers so."""
    match choice:
        case TakeFlags(flags=flags) if flags:
            return ",".join(seat.value for seat in flags)
        case MoveSlider(up=up):
            return UP if up else STAY
        case Recruit(piece=PieceId() as piece):
            return ranks[piece].value
    return NOTHING


def _turns(path: Path, record: Record) -> Iterator[tuple[str, str, str]]:
    """Yield the turns of the script. Raises `BadInputError` for what simulated players cannot tell."""
    decisions = (*record.before, *(each for ply in record.plies for each in ply.decisions))
    if any(isinstance(decision.choice, GiveUp) for decision in decisions):
        raise BadInputError(f"{path}: a player gives up and the others play on; simulated ones cannot do that yet")
    for number, ply in enumerate(record.plies, 1):
        match ply.action:
            case Move(source=source, target=target, leaving=()):
                yield source.name, target.name, "move"
            case Fire(source=source, target=target):
                yield source.name, target.name, "fire"
            case Infiltrate(source=source, target=target, guess=guess, via=()):
                yield source.name, target.name, guess.value
            case Pass():
                yield "", "", "pass"
            case _:
                raise BadInputError(f"{path}: ply {number} is something that simulated players cannot tell yet")
