"""A board in a terminal: one cell a square, where the square lies."""

from __future__ import annotations

from collections.abc import Mapping

from hardware import BoardFile

_LABEL = 4  # columns for the number of a row


def is_grid(board: BoardFile) -> bool:
    """Tell whether squares lie in whole columns and rows, so that letters and numbers can name them."""
    return all(float(x).is_integer() and float(y).is_integer() for x, y in board.places)


def spots(board: BoardFile, width: int) -> dict[str, tuple[int, int]]:
    """Give where in a terminal each square's cell of that width begins, as (line, column); line 0 is the top, labels left out.

    Squares that lie between lines or columns go to the nearest, farther to the right if another cell is there.
    """
    step = width if is_grid(board) else width + 1
    taken: dict[int, list[int]] = {}
    found = {}
    for square, (x, y) in sorted(zip(board.squares, board.places, strict=True), key=lambda item: item[1]):
        line, column = board.rows - 1 - round(y), round(x * step)
        while any(abs(column - other) < width - 1 for other in taken.get(line, ())):
            column += 1
        taken.setdefault(line, []).append(column)
        found[square] = (line, column)
    return found


def grid_width(board: BoardFile, width: int) -> int:
    """Give how many columns of a terminal the grid needs, labels included."""
    return _LABEL + max(column for _, column in spots(board, width).values()) + width


def grid_lines(board: BoardFile, cells: Mapping[str, str], width: int) -> list[str]:
    """Give the board as text, the farthest row first; squares that `cells` does not name stay blank."""
    lines = [[" "] * grid_width(board, width) for _ in range(board.rows)]
    for square, (line, column) in spots(board, width).items():
        text = cells.get(square, "")
        lines[line][_LABEL + column : _LABEL + column + len(text)] = text
    texts = ["".join(line).rstrip() for line in lines]
    if not is_grid(board):
        return texts
    numbered = [f"{board.rows - number:>3}{text[3:]}" for number, text in enumerate(texts)]
    return [*numbered, letters(board, width)]


def letters(board: BoardFile, width: int) -> str:
    """Give the line below a grid: the letter of each column."""
    return " " * _LABEL + "".join(f"{chr(ord('a') + column):<{width}}" for column in range(board.columns)).rstrip()
