"""The FIDE's tournament report file, TRF16 (Handbook C.04, annex 2), as lines and columns: text in, values out, and back.

Columns are counted from 1 as there. Beside the numbered lines it knows JaVaFo's `XXR` (rounds) and `XXS` (points), which
pairing programs read. White is red. What each line means for an event is `trf_out`'s and `trf_in`'s business.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from referee.rules.values import Seat
from referee.tournament.event.errors import EventValueError, TrfError, TrfFault
from referee.tournament.event.values import points_from, points_text

_FIRST_ROUND = 92
_STEP = 10
_HEADS = ("012", "022", "032", "042", "052", "062", "072", "082", "092", "102", "112", "122", "132")
_SEATS = {"w": Seat.RED, "b": Seat.BLUE, "-": None, " ": None}
_LETTERS = {Seat.RED: "w", Seat.BLUE: "b", None: "-"}
RESULT_SIGNS = "10=+-WDLHFUZ "


@dataclass(frozen=True, slots=True)
class TrfCell:
    """A round of a player: the opponent's number or 0, the seat, the sign of the result or a space."""

    opponent: int
    seat: Seat | None
    sign: str


@dataclass(frozen=True, slots=True)
class TrfPlayer:
    """A line 001. `line` is where it stood, from 1; 0 in one that was not read."""

    number: int
    name: str
    rating: int
    federation: str
    points: Fraction
    rank: int
    cells: tuple[TrfCell, ...]
    line: int = 0


@dataclass(frozen=True, slots=True)
class Trf:
    """A file: its numbered lines by code (the first of each), what XXR and XXS say, and its players by number."""

    heads: Mapping[str, str]
    players: tuple[TrfPlayer, ...]
    rounds_planned: int | None = None
    scoring: Mapping[str, Fraction] = field(default_factory=dict)


def write_trf(trf: Trf) -> str:
    """Give the file's text; every line ends with CR LF, since the format wants a CR and programs want a line."""
    lines = [f"{code} {trf.heads[code]}" for code in _HEADS if trf.heads.get(code)]
    if trf.rounds_planned is not None:
        lines.append(f"XXR {trf.rounds_planned}")
    if trf.scoring:
        lines.append("XXS " + " ".join(f"{code}={points_text(value)}" for code, value in trf.scoring.items()))
    lines.extend(_player_line(player) for player in trf.players)
    return "".join(f"{line}\r\n" for line in lines)


def _player_line(player: TrfPlayer) -> str:
    points = f"{float(player.points):.1f}" if player.points < 100 else points_text(player.points)
    head = (
        f"001 {player.number:>4} {'':1}{'':3} {player.name:<33} {player.rating or '':>4} {player.federation:<3} "
        f"{'':>11} {'':10} {points:>4} {player.rank:>4}"
    )
    cells = (f"  {cell.opponent or '0000':>4} {_LETTERS[cell.seat]} {cell.sign}" for cell in player.cells)
    return head + "".join(cells)


def read_trf(text: str) -> Trf:
    """Read a file. Lines of other kinds are passed over. Raises `TrfError` with every fault of the lines that count."""
    reading = _Reading()
    for number, line in enumerate(text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n"), 1):
        reading.line(number, line)
    return reading.done()


class _Reading:
    """What was read so far, and what was wrong."""

    def __init__(self) -> None:
        self.faults: list[TrfFault] = []
        self.heads: dict[str, str] = {}
        self.players: dict[int, TrfPlayer] = {}
        self.rounds: int | None = None
        self.scoring: dict[str, Fraction] = {}

    def line(self, number: int, line: str) -> None:
        code, rest = line[:3], line[4:].strip()
        try:
            if code == "001":
                self._player(number, line)
            elif code == "XXR":
                self.rounds = _whole(rest, "a number of rounds")
            elif code == "XXS":
                self._scoring(rest)
            elif code in _HEADS:
                self.heads.setdefault(code, rest)
        except EventValueError as error:
            self.faults.append(TrfFault(number, str(error)))

    def _player(self, number: int, line: str) -> None:
        player = _player(number, line)
        if player.number in self.players:
            raise EventValueError(f"player {player.number} stands there twice")
        self.players[player.number] = player

    def _scoring(self, rest: str) -> None:
        for part in rest.split():
            code, equals, value = part.partition("=")
            if not equals:
                raise EventValueError(f"{part!r} is not CODE=POINTS")
            self.scoring[code] = points_from(value)

    def done(self) -> Trf:
        if not self.players and not self.faults:
            self.faults.append(TrfFault(1, "there is no player (a line that begins with 001)"))
        if self.faults:
            raise TrfError(self.faults)
        players = tuple(self.players[number] for number in sorted(self.players))
        return Trf(self.heads, players, self.rounds, self.scoring)


def _player(number: int, line: str) -> TrfPlayer:
    starting = _whole(line[4:8], "a starting rank (columns 5-8)")
    if not starting:
        raise EventValueError("starting ranks begin at 1")
    points, rank, rating = line[79:84].strip(), line[85:89].strip(), line[48:52].strip()
    rest = line[_FIRST_ROUND - 1 :]
    count = -(-len(rest.rstrip()) // _STEP)
    cells = [_cell(rest[index * _STEP : index * _STEP + 8].ljust(8), index + 1) for index in range(count)]
    return TrfPlayer(
        starting,
        line[14:47].strip(),
        _whole(rating, "a rating (columns 49-52)") if rating else 0,
        line[53:56].strip(),
        points_from(points) if points else Fraction(0),
        _whole(rank, "a rank (columns 86-89)") if rank else 0,
        tuple(cells),
        number,
    )


def _cell(text: str, round_number: int) -> TrfCell:
    opponent, seat, sign = text[:4].strip(), text[5], text[7].upper()
    if seat not in _SEATS or sign not in RESULT_SIGNS or text[4] != " " or text[6] != " ":
        raise EventValueError(f"round {round_number} is {text.rstrip()!r}, which is no opponent, colour and result")
    return TrfCell(_whole(opponent, f"an opponent in round {round_number}") if opponent else 0, _SEATS[seat], sign)


def _whole(text: str, what: str) -> int:
    if not re.fullmatch(r"\s*[0-9]{1,4}\s*", text):
        raise EventValueError(f"{text.strip()!r} is not {what}")
    return int(text)
