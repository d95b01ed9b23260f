"""Forged copies of a record that a table wrote, and what `hallmarshal record audit` says of each.

The record is that of the game of infiltrators in `test_told_on_handsets`; a forgery replaces lines of its text.
"""

from __future__ import annotations

import contextlib
import io
import re
from collections.abc import Mapping
from pathlib import Path

from referee.cli.main import main
from referee.rules.values import Rank, Seat
from referee.table.commitments import root

Edits = tuple[tuple[str, str], ...]

NOT_COMMITTED = "wrong: red: the set-up is not the one that was committed to"
FORGERIES: dict[str, tuple[Edits, tuple[str, ...]]] = {
    "two pieces that never moved have changed ranks": (
        (("e2 bomb", "e2 miner"), ("f1 miner", "f1 bomb")),
        (NOT_COMMITTED,),
    ),
    "a move went elsewhere": ((("3 red b5-b6", "3 red b5-a5"),), ("wrong: ply 4: ",)),
    "a move was the other's": ((("5 red a4-a5", "5 red j7-j6"),), ("wrong: ply 5: not-your-piece",)),
    "a verdict is another": (
        ((r"4 blue b7xb6 (.*) defender-wins", r"4 blue b7xb6 \1 attacker-wins"),),
        ("wrong: ply 4: attacker-wins does not follow from the ranks; defender-wins does",),
    ),
    "a fight was between other ranks": (
        (("4 blue b7xb6 miner", "4 blue b7xb6 captain"),),
        ("wrong: ply 4: the piece set up on b7 was another rank before",),
    ),
    "what walked was a bomb": (
        (("a4 infiltrator", "a4 bomb"), ("e2 bomb", "e2 infiltrator")),
        (NOT_COMMITTED, "wrong: ply 5: immobile"),
    ),
    "what ran was no scout": (
        (("i7 scout", "i7 marshal"), ("j7 marshal", "j7 scout")),
        ("wrong: blue: the set-up is not the one that was committed to", "wrong: ply 2: too-far"),
    ),
    "a guess was right, and judged wrong": (
        ((r"11 red a7\*a9=miner", "11 red a7*a9=captain"),),
        ("wrong: ply 11: wrong-guess does not follow from the ranks; infiltrated does",),
    ),
    "a leaf is missing": ((("f1 miner\n", ""),), ("wrong: red: too-few",)),
    "another salt": (((r"seed\.red = ..", "seed.red = 00"),), (NOT_COMMITTED,)),
    "another game": (((r"game = ....", "game = 0000"),), (NOT_COMMITTED,)),
    "the winner is another": ((("winner = red", "winner = blue"),), ("wrong: the plies lead to another result",)),
}


def audited(folder: Path, text: str, roots: Mapping[str, str]) -> tuple[int, str]:
    """Return exit code and output of the command for a record with this text."""
    path = folder / "forged.record"
    path.write_text(text)
    noted = [word for seat, told in roots.items() for word in ("--root", f"{seat}={told}")]
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        code = main(["record", "audit", str(path), "--rules", str(folder / "rules.toml"), *noted])
    return code, out.getvalue()


def forged(text: str, edits: Edits) -> str:
    """Return the text with each edit made; each has to fit exactly one place."""
    for old, new in edits:
        text, made = re.subn(f"(?m)^{old}", new, text)
        assert made == 1, old
    return text


def prove_forgeries_named(folder: Path, roots: Mapping[str, str]) -> None:
    """Prove that the record as it is holds, and that each forgery is named; `roots` are those that were published."""
    (path,) = (folder / "table").glob("games/*/game.record")
    text = path.read_text()
    code, said = audited(folder, text, roots)
    assert (code, said.count("\nproven: "), said.count("\nwrong: ")) == (0, 5, 0), said
    for name, (edits, says) in FORGERIES.items():
        code, said = audited(folder, forged(text, edits), roots)
        assert code == 1, name
        assert all(words in said for words in says), (name, said)
    code, said = audited(
        folder, with_its_own_root(forged(text, FORGERIES["two pieces that never moved have changed ranks"][0])), {}
    )
    assert (code, "wrong: the record says otherwise than its chain: roots" in said) == (1, True), said
    code, said = audited(folder, (folder / "forged.record").read_text(), roots)
    assert (code, "wrong: red: the record's root is not the one that was published" in said) == (1, True), said
    code, said = audited(folder, forged(text, (("f1 miner", r"f1 ?"),)), roots)
    assert (code, "wrong: red: ranks of the set-up that this view knows are left out" in said) == (1, True), said


def with_its_own_root(text: str) -> str:
    """Return a record whose root of red fits its set-up of red."""
    placed = re.search(r"\[set-up red\]\n(.*?)\n\n", text, re.DOTALL)
    game = re.search(r"(?m)^game = (.*)$", text)
    seed = re.search(r"(?m)^seed\.red = (.*)$", text)
    assert placed is not None
    assert game is not None
    assert seed is not None
    ranks = {line.split()[0]: Rank(line.split()[1]) for line in placed[1].splitlines()}
    return forged(text, ((r"root\.red = .*", f"root.red = {root(seed[1], game[1], Seat.RED, ranks)}"),))
