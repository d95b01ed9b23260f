"""A record's own text as lines in sections, and which pieces its chain names; written from the reference alone."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from tests.forger.chain import SEATS, head_of

SECTIONS = (
    "game",
    "set-up red",
    "set-up blue",
    "set-up green",
    "set-up yellow",
    "plies",
    "corrections",
    "result",
    "chain",
    "signatures",
)


@dataclass(frozen=True)
class Text:
    """A record: its first line, and the lines of each section that it has."""

    version: str
    sections: Mapping[str, tuple[str, ...]]

    def __str__(self) -> str:
        parts = [self.version, ""]
        for title in SECTIONS:
            if title in self.sections:
                parts += [f"[{title}]", *self.sections[title], ""]
        return "\n".join(parts)

    def of(self, title: str) -> tuple[str, ...]:
        """Return the lines of a section, none where it is missing."""
        return self.sections.get(title, ())

    def having(self, title: str, lines: Sequence[str] | None) -> Text:
        """Return the record with other lines in a section, or without that section."""
        kept = {name: body for name, body in self.sections.items() if name != title}
        return replace(self, sections=kept if lines is None else kept | {title: tuple(lines)})

    def entry(self, key: str) -> str | None:
        """Return what `[game]` says under a key."""
        found = [line.partition(" = ")[2] for line in self.of("game") if line.partition(" = ")[0] == key]
        return found[0] if found else None

    def saying(self, key: str, value: str | None) -> Text:
        """Return the record with another value under a key of `[game]`, or without that key."""
        lines = [line for line in self.of("game") if line.partition(" = ")[0] != key]
        at = next((n for n, line in enumerate(self.of("game")) if line.partition(" = ")[0] == key), len(lines))
        if value is not None:
            lines.insert(at, f"{key} = {value}")
        return self.having("game", lines)

    @property
    def game(self) -> str:
        """Return the id under which the game was published."""
        return self.entry("game") or ""

    @property
    def mode(self) -> str:
        """Return how ranks became known."""
        return self.entry("mode") or "declare"

    @property
    def result(self) -> tuple[str, str]:
        """Return winner and reason as the last link, or the record, says."""
        said = dict(line.split(" = ") for line in self.of("result"))
        return said.get("winner", "none"), said.get("reason", "unfinished")

    def blocks(self) -> tuple[list[str], list[list[str]]]:
        """Return the decisions before the first ply, and each ply's line with its decisions."""
        before: list[str] = []
        blocks: list[list[str]] = []
        for line in self.of("plies"):
            if line[0].isdigit():
                blocks.append([line.split(" ", 1)[1]])
            elif blocks:
                blocks[-1].append(line)
            else:
                before.append(line)
        return before, blocks

    def playing(self, before: Sequence[str], blocks: Sequence[Sequence[str]]) -> Text:
        """Return the record with other plies, numbered from 1."""
        lines = [*before]
        for number, (first, *decisions) in enumerate(blocks, start=1):
            lines += [f"{number} {first}", *decisions]
        return self.having("plies", lines)

    def linked(self, links: Sequence[str]) -> Text:
        """Return the record with other links, the head made anew, and without signatures, which would not fit."""
        return self.having("chain", links).saying("chain", head_of(self.game, links)).having("signatures", None)

    def set_up(self, seat: str) -> dict[str, str]:
        """Return the rank word of each square of a set-up."""
        return dict(line.split(" ") for line in self.of(f"set-up {seat}"))

    def standing(self, seat: str, ranks: Mapping[str, str]) -> Text:
        """Return the record with another set-up."""
        return self.having(f"set-up {seat}", [f"{square} {rank}" for square, rank in ranks.items()])


def read(text: str) -> Text:
    """Return a record's text as sections."""
    version, *rest = text.splitlines()
    sections: dict[str, list[str]] = {}
    for line in rest:
        if line.startswith("["):
            sections[line[1:-1]] = []
        elif line.strip() and not line.startswith("#"):
            sections[list(sections)[-1]].append(line)
    return Text(version, {title: tuple(lines) for title, lines in sections.items()})


Piece = tuple[str, str]
"""Its seat, and the square where it began."""


@dataclass
class Course:
    """What a chain tells of a game: which links are plies that were not taken back, and what befell each piece."""

    plies: list[int] = field(default_factory=list)
    """For each ply that counts the index of its link."""
    live_after: list[int] = field(default_factory=list)
    """For each link how many plies count once it is made."""
    captured: set[Piece] = field(default_factory=set)
    moved: set[Piece] = field(default_factory=set)
    fought: set[Piece] = field(default_factory=set)
    fights: dict[int, tuple[Piece, Piece | None]] = field(default_factory=dict)
    """By the link's index who attacked whom."""
    sure: bool = True
    """Whether every piece could be followed."""


def course_of(links: Sequence[str]) -> Course:
    """Return the course of a game by its links."""
    found = Course()
    for index, link in enumerate(links):
        words = link.split(" ")
        if words[0] == "ply":
            del found.plies[int(words[1]) - 1 :]
            found.plies.append(index)
        elif words[0] == "corrected" and words[2] in ("taken-back", "voided"):
            del found.plies[int(words[1]) - (words[2] == "voided") :]
        found.live_after.append(len(found.plies))
    begin = next((link for link in links if link.startswith("begin")), "begin")
    at: dict[str, Piece] = {
        square: (seat, square) for square, _, seat in (w.partition("=") for w in begin.split(" ")[1:])
    }
    counted = set(found.plies)
    for index, link in enumerate(links):
        if index in counted:
            _follow(found, at, index, link.split(" "))
        elif link.startswith("decided"):
            _decide(found, at, link.split(" "))
    return found


def _follow(found: Course, at: dict[str, Piece], index: int, words: Sequence[str]) -> None:
    action = words[3].partition("=")[0]
    squares = re.split(r"[-x!*]", action)
    taken = {word[9:].partition("=")[0] for word in words if word.startswith("captured.")}
    mover = at.get(squares[0])
    if action == "pass":
        return
    if mover is None or mover[0] != words[2]:
        found.sure = False
        return
    hostile = re.search(r"[x!*]", action)
    target = at.get(squares[-1]) if hostile else None
    if hostile:
        found.fights[index] = (mover, target)
    found.fought |= {piece for piece in (mover, target) if piece and hostile}
    if target and target[0] in taken:
        found.captured.add(target)
        del at[squares[-1]]
    if mover[0] in taken:
        found.captured.add(mover)
        del at[squares[0]]
    elif not hostile or ("x" in action and squares[-1] not in at):
        found.moved.add(mover)
        del at[squares[0]]
        at[squares[-1]] = mover
    if "x" in action:
        found.moved.add(mover)


def as_known_after(text: Text, kept: int) -> Text:
    """Return the record without the ranks that its view learned after a ply: who cuts a game off has to forget them."""
    links = text.of("chain")
    course = course_of(links)
    shorter = course_of(links[: course.plies[kept]])
    known = set(shorter.captured)
    for (first, *_), index in zip(text.blocks()[1][:kept], course.plies, strict=False):
        if index in course.fights:
            words = first.split(" ")[2:]
            loud = "*" in first or "!" in first  # who does that is known from then on
            told = [loud or words[:1] not in ([], ["?"]), not loud and words[1:2] not in ([], ["?"])]
            known |= {piece for piece, is_told in zip(course.fights[index], told, strict=True) if piece and is_told}
    view, consent = text.entry("view") or "referee", (text.entry("consent") or "").split(", ")
    for seat in SEATS:
        if not text.of(f"set-up {seat}") or view in ("referee", seat) or (view == "archive" and seat in consent):
            continue
        ranks = {square: rank if (seat, square) in known else "?" for square, rank in text.set_up(seat).items()}
        text = text.standing(seat, ranks)
    return text


def _decide(found: Course, at: dict[str, Piece], words: Sequence[str]) -> None:
    """What decisions do to positions is not followed: from there on nothing is said for sure."""
    del at
    if words[2] in ("slider", "recruits", "gives", "takes"):
        found.sure = False
