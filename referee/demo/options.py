"""What a demo is asked to do, checked before anything starts; a recorded game is read, judged, and filled in where it tells no rank."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from referee.journal.errors import RecordError
from referee.journal.records.check import completed, judge
from referee.journal.records.formats import MOST_BYTES, read_record
from referee.journal.records.model import Record, rules_of
from referee.rules import EndReason, Game, Move, RuleSet
from referee.rules.values import BySeat, Rank, Seat, Square
from referee.runtime.errors import BadInputError
from referee.simulated_players.player import Script
from referee.table.views import Mode, Reveal


@dataclass(frozen=True, slots=True)
class RecordedGame:
    """A game to be played again: every seat's set-up and the script that all players follow."""

    set_ups: BySeat[dict[Square, Rank]]
    script: Script


@dataclass(frozen=True, slots=True)
class DemoOptions:
    """One demo, or with `games` above 1 a series with seeds that count up from `seed`."""

    rules: RuleSet
    rules_name: str
    """How another process finds the same rules: the name of a shipped set, or the path of a file."""
    state_dir: Path
    seed: int = 0
    games: int = 1
    board: str = "sim"
    sensing: str | None = None
    """`colour` or `occupancy`; None for what the board file says."""
    mode: Mode = Mode.DECLARE
    reveal: Reveal = Reveal.BOOK
    noise: str = "clean"
    human_pace: bool = False
    style: str = "sensible"
    recorded: RecordedGame | None = None
    kiosk: bool = False
    language: str = "en"
    broker_port: int | None = None

    def numbered(self, index: int) -> DemoOptions:
        """Give the options of the game with this index in a series, counted from 0."""
        return replace(self, seed=self.seed + index, games=1, state_dir=self.state_dir / f"game-{index + 1}")


def load_recorded(path: Path, rules: RuleSet | None) -> tuple[RuleSet, RecordedGame]:
    """Give the rule set of a recorded game and what its players need. Raises `BadInputError` with one clear line."""
    try:
        with path.open("rb") as file:
            record = read_record(file.read(MOST_BYTES + 1))
        rules = rules_of(record, rules)
        judgement = judge(record, rules)
        if not judgement.legal:
            where = f"ply {judgement.ply} is illegal" if judgement.ply else "the set-up cannot be played"
            raise BadInputError(f"{path}: {where} ({judgement.reason}) {' '.join(judgement.details)}".rstrip())
        rules = _as_it_ended(record, rules)
        whole = completed(record)
    except OSError as error:
        raise BadInputError(f"{path}: {error.strerror or 'cannot be read'}") from None
    except RecordError as error:
        raise BadInputError(f"{path}: {error}") from None
    if not whole.set_ups:
        raise BadInputError(f"{path}: the game ended before it was set up")
    script = _script(path, whole)
    return rules, RecordedGame(_filled_in(rules, whole), script)


def _as_it_ended(record: Record, rules: RuleSet) -> RuleSet:
    """Return the rules by which the plies come to the end that the record tells: other programs judge a lost army at once or later."""
    result = record.result
    if result is None or result.reason is not EndReason.IMMOBILE or rules.option("army_lost", "") != "own-turn":
        return rules
    plies, at_once = replace(record, result=None), rules.with_options({"army_lost": "at-once"})
    return at_once if judge(plies, rules).result is None and judge(plies, at_once).result == result else rules


def _filled_in(rules: RuleSet, record: Record) -> BySeat[dict[Square, Rank]]:
    """Give the set-ups with a rank for every piece: where the record tells none, one that fits all that was played."""
    occupants = {square: seat for seat, set_up in record.set_ups.items() for square in set_up}
    told = {square: rank for set_up in record.set_ups.values() for square, rank in set_up.known.items()}
    game = Game(rules, occupants, told)
    pieces = {square: game.piece_at(square) for square in occupants}
    for ply in record.plies:
        game.play(ply.action, ply.result)
    set_ups: dict[Seat, dict[Square, Rank]] = {seat: {} for seat in record.set_ups}
    for square, piece in pieces.items():
        assert piece is not None
        rank = min(game.possible(piece), key=list(rules.army).index)  # every possible rank fits some whole army
        game.learn(piece, frozenset({rank}))
        set_ups[piece.seat][square] = rank
    return BySeat(set_ups)


def _script(path: Path, record: Record) -> Script:
    moves: list[tuple[str, str]] = []
    for number, ply in enumerate(record.plies, 1):
        if not isinstance(ply.action, Move):
            raise BadInputError(
                f"{path}: ply {number} is something that only a handset can tell; it cannot be replayed yet"
            )
        moves.append((ply.action.source.name, ply.action.target.name))
    result = record.result
    return Script(tuple(moves), result.reason.value if result else None, result.winner if result else None)
