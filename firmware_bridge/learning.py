"""Which input is which square, learnt from one piece that is carried over the board. Pure: counts in, the next square to ask for out.

Wires mostly follow some order: a few squares tell which, and then the piece is slid over all others, each of which has to be felt by the
input that the order says. Where another one feels it for long, that one is believed, and every square is asked for; at the end some are
asked for again.
"""

from __future__ import annotations

import itertools
import statistics
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from hardware import BoardFile
from hardware.board_file import default_gain

_LEAST = 0.4  # of what a centred piece gives by the data sheet: less may be a neighbour's, or a piece on its way
_ALONE = 0.5  # of the strongest: no other input may feel more, or the piece stands between two squares
_STEADY, _EXPECTED, _AGAINST = 4, 1, 40
"""Looks that an input is the strongest: where nothing foretold it, where the order did, and where that foretold another."""

_CHECKED = 8  # squares that are asked for again where the wires follow no order


def orders(board: BoardFile) -> list[tuple[int, ...]]:
    """Return how wires may run: for each order the input of every square, both by their numbers in wire order.

    By rows or by columns, from either end, from either side, every line the same way or to and fro; the file's own order comes first.
    """
    found = [tuple(range(len(board.squares)))]
    for across, flip_line, flip_along, fro in itertools.product((0, 1), (1, -1), (1, -1), (False, True)):

        def key(
            number: int, a: int = across, line: int = flip_line, along: int = flip_along, to_fro: bool = fro
        ) -> tuple[float, float]:
            place = board.places[number]
            turn = -1 if to_fro and round(place[1 - a]) % 2 else 1
            return line * place[1 - a], along * turn * place[a]

        inputs = {number: place for place, number in enumerate(sorted(range(len(board.squares)), key=key))}
        found.append(tuple(inputs[number] for number in range(len(board.squares))))
    return list(dict.fromkeys(found))


class Learner:
    """Learns the wires of one board. `empty` is what each input reads without a piece."""

    def __init__(self, board: BoardFile, empty: Sequence[float]) -> None:
        self._board = board
        self._empty = empty
        self._least = _LEAST * default_gain(board)
        self._orders = orders(board)
        self.inputs: dict[int, int] = {}
        """The input of each square that is known, both by their numbers in wire order."""
        self.added: dict[int, float] = {}
        """What the piece added there, in counts."""
        self.unlike: list[int] = []
        """Squares that were felt by another input when they were asked for again."""
        self._again: list[int] | None = None
        self._odd: list[int] = []
        self._left = -1
        self._last, self._looks = -1, 0
        self.wanted: int | None = self._next()

    @property
    def follows(self) -> bool:
        """Return whether the wires follow the only order that is left, as far as is known: the piece may be slid."""
        return len(self._orders) == 1

    def feel(self, counts: Sequence[int]) -> bool:
        """Take what every input reads now; return whether the square that was wanted is known by it."""
        if self.wanted is None:
            return False
        added = [now - before for now, before in zip(counts, self._empty, strict=True)]
        sizes = sorted(map(abs, added))
        strongest = max(range(len(added)), key=lambda number: abs(added[number]))
        if sizes[-1] < self._least or sizes[-2] > _ALONE * sizes[-1]:
            self._last, self._looks = -1, 0
            return False
        self._looks = self._looks + 1 if strongest == self._last else 1
        self._last = strongest
        owner = next((square for square, its in self.inputs.items() if its == strongest), None)
        if self._again is not None:
            return self._checked(owner, strongest)
        foretold = self.follows and self._orders[0][self.wanted] == strongest
        looks = _EXPECTED if foretold else _AGAINST if self.follows else _STEADY
        if owner is not None or self._looks < looks:
            return False
        if looks == _AGAINST:
            self._odd.append(self.wanted)
        self.inputs[self.wanted], self.added[self.wanted] = strongest, added[strongest]
        self._orders = [order for order in self._orders if order[self.wanted] == strongest]
        self._looks = 0
        self.wanted = self._next()
        return True

    def _checked(self, owner: int | None, strongest: int) -> bool:
        assert self._again is not None
        if self._looks < _STEADY or owner == self._left:
            return False
        if owner != self.wanted:
            self.unlike.append(self._again[0])
        self._left, self._looks = self._again.pop(0), 0
        self.wanted = self._again[0] if self._again else None
        return True

    def _next(self) -> int | None:
        open_squares = [number for number in self._path() if number not in self.inputs]
        if not open_squares:
            if self._orders:
                return None
            others = sorted(self.inputs, key=lambda number: self.inputs[number] * 37 % 101)
            self._again = list(dict.fromkeys([*self._odd, *others]))[: max(_CHECKED, len(self._odd) + 1)]
            return self._again[0]
        if len(self._orders) < 2:
            return open_squares[0]
        # the square on which the orders that are left differ most
        return min(open_squares, key=lambda number: max(Counter(order[number] for order in self._orders).values()))

    def _path(self) -> Iterator[int]:
        """Return every square, a row to and the next one fro, so that a piece may be slid over them."""
        places = self._board.places
        yield from sorted(
            range(len(places)), key=lambda n: (places[n][1], places[n][0] * (-1 if round(places[n][1]) % 2 else 1))
        )

    def turned(self) -> tuple[str, ...]:
        """Return the squares whose sensor shows the other pole of the same piece than most do."""
        usual = statistics.median(self.added.values()) > 0
        return tuple(self._board.squares[square] for square, added in self.added.items() if (added > 0) is not usual)

    def channels(self) -> tuple[int, ...]:
        """Return the channel of each square as it is wired."""
        return tuple(self._board.scan.channels[self.inputs[square]] for square in range(len(self._board.squares)))


def learnt_file(text: str, board_id: str, channels: Sequence[int]) -> str:
    """Return the text of a board file with another id and these channels."""
    changed: Mapping[str, str] = {
        "id": f'"{board_id}"',
        "channels": f"[{', '.join(f'{chr(34)}{n}{chr(34)}' for n in channels)}]",
    }
    lines = []
    for line in text.splitlines():
        name = line.partition("=")[0].strip()
        lines.append(f"{name} = {changed[name]}" if name in changed else line)
    return "\n".join(lines) + "\n"
