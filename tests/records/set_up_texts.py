"""Texts of set-ups of Original as players paste them, good and bad, with what they mean: both readers are held against these sheets."""

from __future__ import annotations

from referee.journal.records.set_up_text import TextFault, TextFaultKind
from referee.rules.values import Rank

Kind = TextFaultKind

OWN = "DHKDJDIDHD/ELGICGDHJF/GFBEDIBEGD/FBMBEBFBEH"
FOUR_ROWS = """
 2  6  9  2  8  2  7  2  6  2
 3 10  5  7  1  5  2  6  8  4
 5  4  B  3  2  7  B  3  5  2
 4  B  F  B  3  B  4  B  3  6
"""
HEAD = "hallmarshal set-up 1\nrules = original\n"
NUMBERED = (Rank.SPY, Rank.SCOUT, Rank.MINER, Rank.SERGEANT, Rank.LIEUTENANT, Rank.CAPTAIN, Rank.MAJOR, Rank.COLONEL)
SIGNS = {
    "B": Rank.BOMB,
    "F": Rank.FLAG,
    "9": Rank.GENERAL,
    "10": Rank.MARSHAL,
    **{str(number): rank for number, rank in enumerate(NUMBERED, start=1)},
}


def _rows(text: str) -> dict[str, Rank]:
    """Return red's set-up of these four rows, the front row first."""
    lines = text.strip().split("\n")
    return {
        f"{column}{4 - row}": SIGNS[sign]
        for row, line in enumerate(lines)
        for column, sign in zip("abcdefghij", line.split(), strict=True)
    }


WHOLE = _rows(FOUR_ROWS)
PASTED = FOUR_ROWS.replace(" ", "")
_LETTERS = OWN.split("/")
_BLUE = ["".join(chr(ord(letter) + 12) for letter in row[::-1]) for row in _LETTERS]
_LAKES = "AA__AA__AA" * 2
_EMPTY = "A" * 40
RED_BOARD = "".join(reversed(_LETTERS)) + _LAKES + _EMPTY
BLUE_BOARD = _EMPTY + _LAKES + "".join(_BLUE)
BOTH_BOARD = RED_BOARD[:60] + BLUE_BOARD[60:]

GOOD = [
    (FOUR_ROWS, WHOLE),
    (PASTED.replace("10", "M"), WHOLE),
    (PASTED.replace("10", "x").strip().replace("\n", "/"), WHOLE),
    (PASTED.replace("10", "0").replace("\n", "\r").lower(), WHOLE),
    ("[[" + "],[".join(", ".join(f"'{sign}'" for sign in row.split()) for row in FOUR_ROWS.strip().split("\n")) + "]]", WHOLE),
    (FOUR_ROWS.lower().replace(" 1 ", " s ").replace("\n", "\r\n"), WHOLE),
    (FOUR_ROWS.replace(" F ", " flag ").replace(" ", "\u00a0"), WHOLE),
    (FOUR_ROWS.replace("\n", " "), WHOLE),
    ("# my best\n\nrules = original\n" + FOUR_ROWS, WHOLE),
    ("\ufeffrules=vintage\n" + FOUR_ROWS, WHOLE),
    (HEAD + FOUR_ROWS.replace("10", "."), {square: rank for square, rank in WHOLE.items() if rank is not Rank.MARSHAL}),
    (HEAD.upper().replace("RULES = ORIGINAL", "") + FOUR_ROWS.replace("F", "-").replace("10", "_"),
     {square: rank for square, rank in WHOLE.items() if rank not in (Rank.MARSHAL, Rank.FLAG)}),
    (OWN, WHOLE),
    (OWN.replace("/", "").lower(), WHOLE),
    (OWN.replace("EBFBEH", "EHFBEB").lower(), {**WHOLE, "f1": WHOLE["j1"], "j1": WHOLE["f1"]}),
    ("".join(_BLUE[at][::-1] for at in range(4)), WHOLE),
    (RED_BOARD, WHOLE),
    (RED_BOARD.lower() + " r", WHOLE),
    (BOTH_BOARD + " b", WHOLE),
    (BLUE_BOARD + "b", WHOLE),
    ("A" * 42 + "__AA__AAAA__AA__AA" + "A" * 39 + "Y", {"a1": Rank.FLAG}),
    ("a1 flag\nb1 10\n", {"a1": Rank.FLAG, "b1": Rank.MARSHAL}),
    ('a1 = "flag"\nB1 = "bomb"', {"a1": Rank.FLAG, "b1": Rank.BOMB}),
]  # fmt: skip
"""What red means by each of these texts."""


def _fault(kind: Kind, line: int = 0, text: str = "", rank: Rank | None = None, number: int = 0) -> TextFault:
    return TextFault(kind, line, text, rank, number)


BAD = [
    ("", [_fault(Kind.NOTHING)]),
    ("# a remark\n" + HEAD, [_fault(Kind.NOTHING)]),
    ("\nhallmarshal set-up 2\n" + FOUR_ROWS, [_fault(Kind.VERSION, 2)]),
    ("hallmarshal set-up 1\nrules = stratego4\n" + FOUR_ROWS.replace("F", "."), [_fault(Kind.RULES, text="stratego4")]),
    ("rules = " + "duel" * 9 + "\n1 2", [_fault(Kind.RULES, text="duel" * 5)]),
    ("1 2 3", [_fault(Kind.ROWS, number=3)]),
    (FOUR_ROWS + "4", [_fault(Kind.ROWS, number=41)]),
    (FOUR_ROWS.replace("10", "11").replace("F", "Q"), [_fault(Kind.SIGN, 3, "11"), _fault(Kind.SIGN, 5, "Q")]),
    (FOUR_ROWS.replace("F", "10"), [_fault(Kind.TOO_MANY, rank=Rank.MARSHAL, number=1)]),
    (FOUR_ROWS.replace("9", "8").replace("B  3  2", "8  3  8"), [_fault(Kind.TOO_MANY, rank=Rank.COLONEL, number=3)]),
    (
        "a1 flag\na1 bomb\nk9 spy\nA5 spy\nb1 pawn\nb2\n,\nb3 the longest word of all ranks",
        [
            _fault(Kind.TWICE, 2, "a1"),
            _fault(Kind.SQUARE, 3, "k9"),
            _fault(Kind.SQUARE, 4, "A5"),
            _fault(Kind.SIGN, 5, "pawn"),
            _fault(Kind.SIGN, 6),
            _fault(Kind.SQUARE, 7),
            _fault(Kind.SIGN, 8, "the longest word of "),
        ],
    ),
    ("\n" + _EMPTY + _LAKES + "A" * 39 + "M b", [_fault(Kind.SQUARE, 2, "j10")]),
    ("x" * 10_001, [_fault(Kind.TOO_LONG)]),
]  # fmt: skip
"""What is wrong with each of these texts: kind, line, word, rank and number."""
