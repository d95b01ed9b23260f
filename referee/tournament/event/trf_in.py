"""A TRF16 file as an event, or as the next round's pairings of one that is already there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

from referee.rules.values import Seat
from referee.tournament.event.errors import EventValueError, TrfError, TrfFault
from referee.tournament.event.event import Details, Event, EventId
from referee.tournament.event.trf import Trf, TrfCell, TrfPlayer
from referee.tournament.event.trf_out import BYE_SIGNS
from referee.tournament.event.values import (
    Bye,
    ByeKind,
    Pairing,
    Player,
    PlayerNumber,
    Reason,
    ReasonWord,
    Result,
    Round,
    Scoring,
    System,
)

_BYES = {sign: kind for kind, sign in BYE_SIGNS.items()}
_RESULTS = {
    ("1", "0"): Result.RED_WINS,
    ("0", "1"): Result.BLUE_WINS,
    ("=", "="): Result.DRAW,
    ("0", "0"): Result.BOTH_LOSE,
    ("+", "-"): Result.BLUE_ABSENT,
    ("-", "+"): Result.RED_ABSENT,
    ("-", "-"): Result.BOTH_ABSENT,
    (" ", " "): None,
}
_SAME_SIGN = {"W": "1", "D": "=", "L": "0"}
"""Results of unrated games; here they are results."""
_WHY = (Reason(ReasonWord.IMPORTED),)


def event_from_trf(trf: Trf, event_id: EventId, seed: int = 0) -> Event:
    """Give the event of a file: its players, and every round that it has, published. Raises `TrfError`.

    Without XXS the scoring is chess's; without XXR the planned rounds are those in the file. Rounds before the first
    and after the last sign of a player are rounds in which he was not in the event.
    """
    _refuse_gaps(trf)
    rounds = max((len(player.cells) for player in trf.players), default=0)
    try:
        event = Event(
            event_id,
            trf.heads.get("012") or event_id.value,
            max(trf.rounds_planned or 0, rounds, 1),
            System.ROUND_ROBIN if "round" in trf.heads.get("092", "").casefold() else System.SWISS,
            _scoring(trf.scoring),
            seed=seed,
            details=Details(
                trf.heads.get("022", ""),
                trf.heads.get("032", ""),
                trf.heads.get("042", "").replace("/", "-"),
                trf.heads.get("052", "").replace("/", "-"),
                trf.heads.get("102", ""),
            ),
        )
        players = tuple(_player(player) for player in trf.players)
        event = replace(event, players=players)
        return replace(event, rounds=tuple(_round(event, trf, number) for number in range(1, rounds + 1)))
    except EventValueError as error:
        raise TrfError([TrfFault(1, str(error))]) from None


def pairings_from_trf(event: Event, trf: Trf) -> Round:
    """Give the next round of `event` as the file has it, for `adopt`. Raises `TrfError` when it speaks of another event.

    Names, numbers and all published games must be the same; results that the file lacks are no contradiction.
    """
    _refuse_gaps(trf)
    faults: list[TrfFault] = []
    if len(trf.players) != len(event.players):
        faults.append(TrfFault(1, f"it has {len(trf.players)} players, the event {len(event.players)}"))
    for theirs, ours in zip(trf.players, event.players, strict=False):
        if theirs.name.casefold() != ours.name.casefold():
            faults.append(TrfFault(theirs.line, f"player {theirs.number} is {theirs.name!r} there, {ours.name!r} here"))
    if faults:
        raise TrfError(faults)
    for round_ in event.rounds:
        found = {frozenset(pairing.players) for pairing in _round(event, trf, round_.number).pairings}
        if found != {frozenset(pairing.players) for pairing in round_.pairings}:
            raise TrfError([TrfFault(1, f"round {round_.number} has other pairings there than here")])
    number = event.next_round
    if not any(len(player.cells) >= number and player.cells[number - 1].opponent for player in trf.players):
        raise TrfError([TrfFault(1, f"it has no pairings of round {number}")])
    round_ = _round(event, trf, number)
    return replace(round_, pairings=tuple(replace(pairing, result=None) for pairing in round_.pairings))


def _refuse_gaps(trf: Trf) -> None:
    for expected, player in enumerate(trf.players, 1):
        if player.number != expected:
            raise TrfError([TrfFault(player.line, f"starting ranks have a gap before {player.number}")])


def _player(player: TrfPlayer) -> Player:
    try:
        return Player(PlayerNumber(player.number), player.name, player.rating, player.federation)
    except EventValueError as error:
        raise TrfError([TrfFault(player.line, str(error))]) from None


def _scoring(codes: Mapping[str, Fraction]) -> Scoring:
    """Give the scoring that XXS tells; what it leaves out is as in chess."""
    win = codes.get("W", codes.get("WW", Fraction(1)))
    draw = codes.get("D", codes.get("WD", Fraction(1, 2)))
    return Scoring(
        win, draw, codes.get("WL", Fraction(0)), codes.get("PAB", Fraction(1)), codes.get("ZPB", Fraction(0))
    )


def _round(event: Event, trf: Trf, number: int) -> Round:
    """Give a round of the file, tables in the order of their better player. Raises `TrfError` with all that contradicts itself."""
    faults: list[TrfFault] = []
    pairings: list[Pairing] = []
    byes: list[Bye] = []
    for player in trf.players:
        cell = player.cells[number - 1] if len(player.cells) >= number else TrfCell(0, None, " ")
        if not cell.opponent:
            byes.append(Bye(PlayerNumber(player.number), _BYES.get(cell.sign, ByeKind.ZERO), _WHY))
            continue
        try:
            pairing = _pairing(trf, player, cell, number, len(pairings) + 1)
        except EventValueError as error:
            faults.append(TrfFault(player.line, f"round {number}: {error}"))
            continue
        if player.number < cell.opponent:
            pairings.append(pairing)
    if faults:
        raise TrfError(faults)
    here = {player.number for player in event.playing_in(number)}
    return Round(number, tuple(pairings), tuple(bye for bye in byes if bye.player in here))


def _pairing(trf: Trf, player: TrfPlayer, cell: TrfCell, number: int, table: int) -> Pairing:
    if cell.opponent > len(trf.players) or cell.opponent == player.number:
        raise EventValueError(f"player {player.number} has no possible opponent in {cell.opponent}")
    other = trf.players[cell.opponent - 1]
    theirs = other.cells[number - 1] if len(other.cells) >= number else TrfCell(0, None, " ")
    if theirs.opponent != player.number:
        raise EventValueError(f"player {player.number} has the opponent {other.number}, who has another")
    if {cell.seat, theirs.seat} != {Seat.RED, Seat.BLUE}:
        raise EventValueError(f"players {player.number} and {other.number} are not white and black")
    red, blue = (cell, theirs) if cell.seat is Seat.RED else (theirs, cell)
    signs = _SAME_SIGN.get(red.sign, red.sign), _SAME_SIGN.get(blue.sign, blue.sign)
    if signs not in _RESULTS:
        raise EventValueError(f"players {player.number} and {other.number} have results that do not fit together")
    return Pairing(table, PlayerNumber(blue.opponent), PlayerNumber(red.opponent), _RESULTS[signs], _WHY)
