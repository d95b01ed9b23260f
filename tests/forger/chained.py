"""A chain for a record that has none, made from docs/reference/commitments.md alone, as another program would make it."""

from __future__ import annotations

import re

from tests.forger.chain import SEATS, leaf_of, name_of
from tests.forger.record_text import Text

LOSES = {
    "attacker-wins": (False, True),
    "defender-wins": (True, False),
    "both-lost": (True, True),
    "flag-taken": (False, True),
}


def chained(text: Text, options: str, result: tuple[str, str]) -> Text:
    """Return a record of a game of two, in the referee's view and without corrections, that ended so, with its chain."""
    seats = [seat for seat in SEATS if text.of(f"set-up {seat}")]
    opened = [f"opened rules={text.entry('rules')} mode={text.mode} reveal={text.entry('reveal') or 'book'}", options]
    opened += [f"date={text.entry('date')}"] if text.entry("date") else []
    opened += [f"computer.{seat}={level}" for seat in SEATS if (level := text.entry(f"computer.{seat}"))]
    opened += [f"engine={text.entry('engine')}"] if text.entry("engine") else []
    for seat in seats:
        name, salt = text.entry(f"player.{seat}"), text.entry(f"salt.{seat}")
        opened += [f"name.{seat}={name_of(text.game, seat, salt, name)}"] if name and salt else []
    places = {square: (seat, square) for seat in seats for square in text.set_up(seat)}
    order = sorted(places, key=lambda square: (int(square[1:]), square[0]))
    links = [" ".join(opened)]
    links += [f"root {seat} {text.entry(f'root.{seat}')}" for seat in seats if text.entry(f"root.{seat}")]
    links.append(" ".join(["begin", *(f"{square}={places[square][0]}" for square in order)]))
    for number, (first, *_) in enumerate(text.blocks()[1], start=1):
        links.append(_ply(text, number, first.split(" "), places))
    links.append(f"end {result[0]} {result[1]}")
    return text.having("result", [f"winner = {result[0]}", f"reason = {result[1]}"]).linked(links)


def _ply(text: Text, number: int, words: list[str], places: dict[str, tuple[str, str]]) -> str:
    """Return the link of a ply, and let its pieces go where it says."""
    seat, action, *told = words
    source, target = (re.split(r"[-x]", action)[at] for at in (0, -1))
    mover, other = places.pop(source), places.get(target)
    link = f"ply {number} {seat} {action}"
    if "x" not in action or other is None:
        places[target] = mover
        return link
    pieces = {mover: (told[0], LOSES[told[2]][0]), other: (told[1], LOSES[told[2]][1])}
    if pieces[other][1]:
        del places[target]
    if not pieces[mover][1]:
        places[target] = mover
    by_seat = sorted(pieces.items(), key=lambda item: SEATS.index(item[0][0]))
    taken = [f"captured.{of}={rank}" for (of, _), (rank, lost) in by_seat if lost]
    declared = by_seat if text.mode == "declare" else []
    leaves = [
        f"leaf.{of}={leaf_of(text.game, of, start, rank, text.entry(f'seed.{of}') or '')}"
        for (of, start), (rank, _) in declared
    ]
    return " ".join([link, told[2], *taken, *leaves])
