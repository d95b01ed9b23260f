"""Whole games that are over soon, as files in GSN."""

from __future__ import annotations

from pathlib import Path

_HEAD = "#X38FA11 Stratego-Notation v1\ntype1\n{position}\n{moves}\nEND\nred vs blue result 1 winner 0\n"
_ARMIES = {
    "a1": "M",
    "b1": "B",
    "e4": "L",
    "f4": "K",
    "i4": "E",
    "a4": "D",
    "b4": "D",
    "j4": "C",
    "b10": "Y",
    "a10": "N",
    "e7": "X",
    "f7": "W",
    "j7": "Q",
    "d7": "P",
    "c7": "P",
    "i7": "O",
}

SWAP_AND_RUN = "E4-E5 E7-E6 E5-E6 F7-F6 B4-B10"
"""Five plies of a barrage: an even exchange, then a scout runs to the flag."""

EVERY_OUTCOME = "E4-E5 I7-I6 I4-I5 E7-E6 I5-I6 E6-E5 A4-A10 F7-F6 B4-B10"
"""Nine plies of a barrage: an attack that wins, an even exchange, a scout's run onto a bomb, and one onto the flag."""


def game_file(folder: Path, moves: str) -> Path:
    """Write a game."""
    letters = []
    for row in range(1, 11):
        for column in "abcdefghij":
            lake = row in (5, 6) and column in "cdgh"
            letters.append("_" if lake else _ARMIES.get(f"{column}{row}", "A"))
    path = folder / "game.gsn"
    path.write_text(_HEAD.format(position="".join(letters), moves=moves.replace(" ", "\n")))
    return path
