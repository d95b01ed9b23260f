"""A set-up that is made at a terminal, piece by piece or from texts and files; and what is wrong with one, in the player's words."""

from __future__ import annotations

import random
import secrets
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

from referee.demo.set_ups import generate
from referee.journal.records.set_up_text import (
    MOST_CHARACTERS,
    SetUpByName,
    SetUpTextError,
    TextFault,
    read_set_up,
    write_set_up,
)
from referee.private_file import write_private
from referee.rules import RulesError, rule_set
from referee.rules.values import Rank, Seat
from referee.table.messages import Rejected
from referee.table.views import PublicInfo
from referee.words import Words, placeholders

EDITS = ("show", "place", "swap", "mirror", "clear", "undo", "load", "save", "text")
"""Words that change or show the set-up in work; none of them says anything to the referee."""
_MOST_TOLD = 8


class SetUpError(Exception):
    """What was asked cannot be done with this set-up; the text is for its owner."""


class SetUpDraft:
    """The set-up in work of one player in one game. Never more of a rank than the army has, never outside the zone."""

    def __init__(self, info: PublicInfo, seat: Seat, said: Words) -> None:
        self.info = info
        self._seat = seat
        self._said = said
        self._past: list[SetUpByName] = []
        self._cells = [square for row in info.zones[seat] for square in row if square]
        self.placed: SetUpByName = {}

    def __repr__(self) -> str:
        return f"SetUpDraft({len(self.placed)} pieces)"

    def place(self, rank: Rank, squares: Iterable[str]) -> None:
        """Put pieces of a rank on squares; who stands there leaves. Raises `SetUpError` for other squares, or too many of it."""
        changed = self.placed | {self._own(square): rank for square in squares}
        excess = Counter(changed.values())[rank] - self.info.army.get(rank, 0)
        if excess > 0:
            raise SetUpError(self._said.say("set-up-text.too-many", rank=self._said.rank(rank), number=excess))
        self._become(changed)

    def swap(self, one: str, other: str) -> None:
        """Let two squares change what stands on them; one may be empty. Raises `SetUpError`."""
        squares = (self._own(one), self._own(other))
        kept = {square: rank for square, rank in self.placed.items() if square not in squares}
        pairs = zip(squares, squares[::-1], strict=True)
        self._become(kept | {to: self.placed[source] for source, to in pairs if source in self.placed})

    def mirror(self) -> None:
        """Change left and right."""
        across = {
            square: opposite
            for row in self.info.zones[self._seat]
            for square, opposite in zip(row, row[::-1], strict=True)
            if square and opposite
        }
        self._become({across[square]: rank for square, rank in self.placed.items() if square in across})

    def clear(self, squares: Iterable[str]) -> None:
        """Take the pieces on these squares away, all of them if none are named. Raises `SetUpError`."""
        gone = {self._own(square) for square in squares} or set(self._cells)
        self._become({square: rank for square, rank in self.placed.items() if square not in gone})

    def undo(self) -> None:
        """Go back by one change, if there was one."""
        if self._past:
            self.placed = self._past.pop()

    def read(self, text: str) -> None:
        """Take over what a text holds. Raises `SetUpError` with every fault."""
        try:
            self._become(read_set_up(self.info, self._seat, text))
        except SetUpTextError as error:
            raise SetUpError("; ".join(text_faults(self._said, self.info, self._seat, error.faults))) from None

    def load(self, source: str) -> None:
        """Take over a file, or one made up for the word `random`. Raises `SetUpError`."""
        if source == "random":
            self._make_up()
            return
        try:
            with Path(source).open(encoding="utf-8") as file:
                text = file.read(MOST_CHARACTERS + 1)
        except (OSError, ValueError):  # their own texts could hold a rank
            raise SetUpError(self._said.say("handset.not-understood", text=source)) from None
        self.read(text)

    def save(self, target: str) -> None:
        """Write it into a file that only its owner can read. Raises `SetUpError`."""
        try:
            write_private(Path(target), self.text)
        except (OSError, ValueError):
            raise SetUpError(self._said.say("handset.not-understood", text=target)) from None

    @property
    def text(self) -> str:
        """The set-up as text, to be copied."""
        return write_set_up(self.info, self._seat, self.placed)

    @property
    def picture(self) -> str:
        """The zone as its player sees it, with the names of each row's ends, and what is not placed yet."""
        rows = self.info.zones[self._seat]
        signs = [line for line in self.text.splitlines() if line][2:]
        ends = [(_first(row), _first(row[::-1])) for row in rows]
        width = max(len(left) for left, _ in ends)
        lines = [f"{left:>{width}}  {sign}  {right}" for (left, right), sign in zip(ends, signs, strict=True)]
        left = Counter(self.info.army) - Counter(self.placed.values())
        missing = ", ".join(f"{self._said.rank(rank)} {left[rank]}" for rank in self.info.army if left[rank])
        said = self._said.say("set-up.missing", number=left.total()) if missing else self._said["set-up.complete"]
        return "\n".join([*lines, f"{said}  {missing}".rstrip()])

    def _make_up(self) -> None:
        try:
            rules = rule_set(self.info.rule_set)
        except RulesError:  # house rules, which this handset does not have
            raise SetUpError(self._said.say("handset.not-understood", text="random")) from None
        made = generate(rules, self._seat, random.Random(secrets.randbits(128)))
        self._become({square.name: rank for square, rank in made.items()})

    def _own(self, square: str) -> str:
        name = square.lower()
        if name not in self._cells:
            raise SetUpError(self._said.say("set-up-fault.outside-zone", squares=square))
        return name

    def _become(self, placed: Mapping[str, Rank]) -> None:
        if placed != self.placed:
            self._past.append(self.placed)
            self.placed = dict(placed)


def _first(row: Iterable[str | None]) -> str:
    return next(square for square in row if square)


def text_faults(said: Words, info: PublicInfo, seat: Seat, faults: Iterable[TextFault]) -> list[str]:
    """Give what is wrong with a text, a sentence each; a long list is cut."""
    rows = info.zones[seat]
    told = []
    for fault in list(faults)[:_MOST_TOLD]:
        known = {
            "line": fault.line,
            "text": fault.text,
            "rules": said.get(f"rule-set.{fault.text}", fault.text),
            "rank": said.rank(fault.rank),
            "number": fault.number,
            "rows": len(rows),
            "columns": len(rows[0]),
        }
        told.append(_filled(said, f"set-up-text.{fault.kind.value}", known))
    return told


def refusal_texts(said: Words, rejected: Rejected) -> list[str]:
    """Give why the referee did not take something, a sentence each.

    A set-up's faults are a kind, perhaps a rank and a number, then squares; squares alone are those that do not go with how the game
    began.
    """
    kinds = [text for text in rejected.detail if f"set-up-fault.{text.split()[0]}" in said]
    if rejected.reason == "bad-set-up" and kinds:
        return [_rule_fault(said, text) for text in kinds]
    if rejected.reason in ("bad-set-up", "contradicts-the-game"):
        return [said.say("set-up-refused.contradicts-the-game", squares=" ".join(rejected.detail))]
    if rejected.reason == "outside-zone":
        return [said.say("set-up-fault.outside-zone", squares=", ".join(rejected.detail))]
    return [said.say("handset.not-taken", reason=rejected.reason)]


def _rule_fault(said: Words, text: str) -> str:
    kind, *rest = text.split()
    rank = said[f"rank.{rest.pop(0)}"] if rest and f"rank.{rest[0]}" in said else ""
    number = rest.pop(0) if rest and rest[0].isdigit() else ""
    return _filled(said, f"set-up-fault.{kind}", {"rank": rank, "number": number, "squares": " ".join(rest)})


def _filled(said: Words, key: str, known: Mapping[str, object]) -> str:
    return said.say(key, **{name: known[name] for name in placeholders(said[key])})
