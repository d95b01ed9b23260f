"""An event as a TRF16 file, so that organisers and federations can go on with their own programs."""

from __future__ import annotations

from fractions import Fraction

from referee.tournament.event.cells import HALF, Cell, CellKind
from referee.tournament.event.event import Event
from referee.tournament.event.standings import standings
from referee.tournament.event.trf import Trf, TrfCell, TrfPlayer, write_trf
from referee.tournament.event.values import ByeKind, Scoring, System

BYE_SIGNS = {ByeKind.PAIRING: "U", ByeKind.HALF: "H", ByeKind.ZERO: "Z", ByeKind.FULL: "F"}
_SYSTEM_WORDS = {System.SWISS: "Individual: Swiss-System", System.ROUND_ROBIN: "Individual: Round-Robin"}


def trf_of(event: Event) -> str:
    """Give the file of all published rounds, open tables without a result. A draft is nobody's business and left out."""
    details = event.details
    heads = {
        "012": event.name,
        "022": details.place,
        "032": details.federation,
        "042": details.starts.replace("-", "/"),
        "052": details.ends.replace("-", "/"),
        "062": str(len(event.players)),
        "072": str(sum(1 for player in event.players if player.rating)),
        "092": _SYSTEM_WORDS[event.system],
        "102": details.arbiter,
    }
    places = {line.player.number: line for line in standings(event)}
    players = []
    for player in event.players:
        line = places[player.number]
        cells = tuple(_cell(cell) for cell in line.rounds)
        number, rank = player.number.value, line.place
        players.append(TrfPlayer(number, player.name, player.rating, player.federation, line.points, rank, cells))
    return write_trf(Trf(heads, tuple(players), event.rounds_planned, scoring_codes(event.scoring)))


def scoring_codes(scoring: Scoring) -> dict[str, Fraction]:
    """Give the codes of JaVaFo's XXS. `W` stands for all wins and the full bye, `D` for draws and the half bye."""
    return {
        "W": scoring.win,
        "D": scoring.draw,
        "WL": scoring.loss,
        "BL": scoring.loss,
        "PAB": scoring.bye,
        "FL": scoring.absent,
        "ZPB": scoring.absent,
    }


def _cell(cell: Cell) -> TrfCell:
    if cell.kind is CellKind.BYE:
        assert cell.bye is not None
        return TrfCell(0, None, BYE_SIGNS[cell.bye])
    assert cell.opponent is not None
    return TrfCell(cell.opponent.value, cell.seat, _sign(cell))


def _sign(cell: Cell) -> str:
    """Give the sign of a table's result; in a lost pair both have 0, when both stayed away both have a minus."""
    return sign_of(cell.kind, cell.share)


def sign_of(kind: CellKind, share: Fraction) -> str:
    """Give TRF's sign of a game; a space while it is open."""
    if kind is CellKind.OPEN:
        return " "
    if kind is CellKind.PLAYED:
        return {Fraction(1): "1", HALF: "=", Fraction(0): "0"}[share]
    return "+" if kind is CellKind.WON_BY_ABSENCE else "-"
