"""Hold the figures of `hallmarshal record analyse --json`, and of the functions that its page names, against the brute force."""

from __future__ import annotations

import contextlib
import io
import json
import random
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from math import log2
from pathlib import Path
from typing import Any

from referee.analysis import ObservedPly, assignments, knowledge
from referee.cli import record
from referee.cli.main import guarded
from referee.rules import Fire, Infiltrate, Move, Rank, Seat, Square
from tests.forger.by_command import record_parser
from tests.knowledge_brute.games import Played, known_in, text_of
from tests.knowledge_brute.story import bluffs, places, took_most, turning_points, unmoved_scouts
from tests.knowledge_brute.truth import Known, Piece, armies, course, shares, told, unknown_from

Course = list[dict[Seat, Known]]
Analyse = Callable[[str, Path, Path], dict[str, Any]]
"""Returns the command's document for a record's text, a rule file and a folder to write into."""


def by_command(text: str, rules: Path, folder: Path) -> dict[str, Any]:
    """Return what the command prints; what it refuses says why under `error`."""
    path = folder / "game.txt"
    path.write_text(text, encoding="utf-8")
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            args = record_parser().parse_args(["analyse", str(path), "--json", "--rules", str(rules)])
            code = guarded(lambda: record.run(args))
        except SystemExit as end:
            code = int(end.code or 0)
    found: dict[str, Any] = json.loads(out.getvalue()) if code == 0 else {"error": err.getvalue()}
    return found


def truths(game: Played) -> dict[str, Course]:
    """Return for every observer what the brute force finds."""
    found = {seat.value: course(game.rules, game.pieces, game.plies, game.reveal, seat) for seat in game.rules.seats}
    return found | {"public": course(game.rules, game.pieces, game.plies, game.reveal, None)}


def by_python(game: Played, truth: dict[str, Course]) -> Iterator[str]:
    """Yield where the function `knowledge` differs from the brute force; of games in which nobody gave up before the first ply."""
    if game.before:
        return
    occupants = {piece.home: piece.seat for piece in game.pieces}
    for name, wanted in truth.items():
        seat = None if name == "public" else Seat(name)
        heard = {piece for piece in game.pieces if piece.seat is seat}
        seen = []
        for ply in game.plies:
            heard |= {piece for piece, to in told(game.rules, ply, game.reveal).items() if to in (None, seat)}
            seen.append(ObservedPly(ply.action, ply.verdict, _ranks_by_square(ply, heard), ply.answers))
        found = knowledge(game.rules, occupants, seen, seat)
        for at, (one, other) in enumerate(zip(found, wanted, strict=True)):
            for army in {**one, **other}:
                mine, its = other[army], one[army]
                if its.error is not None:
                    yield f"python: {name} after ply {at}: {army} is sampled"
                elif (its.ways, dict(its.chances)) != (mine.ways, mine.chances):
                    yield f"python: {name} after ply {at}: {army} {its}, brute force {mine}"
                    return


def by_sets(number: int) -> str | None:
    """Return how `assignments` differs from the brute force for an army and sets by lot, None where it does not."""
    rng = random.Random(f"sets {number}")
    drawn = rng.choices(list(Rank)[: rng.randint(1, 5)], k=rng.randint(1, 6))
    counts = {rank: drawn.count(rank) for rank in dict.fromkeys(drawn)}
    possible = [{rank, *rng.sample(list(Rank)[:6], rng.randint(0, 3))} for rank in rng.sample(drawn, len(drawn))]
    if rng.random() < 0.2:
        possible[0] = {rng.choice(list(Rank)[:6])}  # perhaps no army is left
    left = [army for army in armies(counts) if all(rank in ranks for rank, ranks in zip(army, possible, strict=True))]
    found = assignments(counts, possible)
    mine = [shares(ranks) for ranks in zip(*left, strict=True)]
    if (found.ways, list(map(dict, found.chances)), found.error) == (len(left), mine, None):
        return None
    return f"{counts}, {possible}: {found}, brute force {len(left)}, {mine}"


def _ranks_by_square(ply: Any, heard: set[Piece]) -> dict[Square, Any]:
    if not isinstance(ply.action, Move | Infiltrate | Fire) or ply.target is None:
        return {}
    pairs = ((ply.action.source, ply.piece), (ply.action.target, ply.target))
    return {square: piece.rank for square, piece in pairs if piece in heard}


def by_record(game: Played, truth: dict[str, Course], view: str, analyse: Analyse, folder: Path) -> Iterator[str]:
    """Yield where the command's figures of one view of a game differ from the brute force."""
    document = analyse(text_of(game, view), game.file, folder)
    if "error" in document:
        yield f"{view}: refused: {document['error'].strip()}"
        return
    if (document["plies"], document["analysed"]) != (len(game.plies), len(game.plies)):
        yield f"{view}: plies {document['plies']}, analysed {document['analysed']} of {len(game.plies)}"
        return
    if list(document["observers"]) != list(truth):
        yield f"{view}: observers {list(document['observers'])}"
        return
    yield from _story(game, truth, view, document)
    for name, wanted in truth.items():
        its = document["observers"][name]
        until = its["unknown_from"]
        end = _end(game, name, view)
        if until != end or its["why"] != (None if until is None else "not-in-this-view"):
            yield f"{view}: {name} is unknown from {until} ({its['why']}), by the page {end}"
            continue
        yield from (f"{view}: {name} {what}" for what in _entries(its["knows"], wanted, until))


def _story(game: Played, truth: dict[str, Course], view: str, document: dict[str, Any]) -> Iterator[str]:
    """Yield what differs of everything that a view's document says beside what observers know."""
    rules, plies = game.rules, game.plies
    where = list(places(rules, game.pieces, plies, game.before))
    known = known_in(game, view)
    words = {one: one.rank.value if one in known else None for one in game.pieces}
    whole = {seat.value for seat in rules.seats if all(one in known for one in game.pieces if one.seat is seat)}
    scouts = unmoved_scouts(rules, game.pieces, plies)
    most = took_most(plies)
    wanted = {
        "view": view,
        "reveal": game.reveal,
        "rules": rules.name,
        "armies": {
            seat: {one.home.name: words[one] for one in game.pieces if one.seat.value == seat} for seat in scouts
        },
        "took_most": most
        and {**most, "rank": words[next(one for one in game.pieces if one.home.name == most["piece"])]},
        "unmoved_scouts": {seat: scout if seat in whole else None for seat, scout in scouts.items()},
    }
    for key, value in wanted.items():
        if document[key] != value:
            yield f"{view}: {key} is {document[key]}, brute force {value}"
    held = {name: row[: document["observers"][name]["unknown_from"]] for name, row in truth.items()}
    mine = sorted(map(str, bluffs(rules, plies, held, where, known)))
    if not known and document["bluffs"] is not None:
        yield f"{view}: bluffs are {document['bluffs']} where no rank is known"
    its = sorted(map(str, document["bluffs"] or ()))
    if mine != its:
        yield f"{view}: bluffs only in the program's {set(its) - set(mine)}, only by brute force {set(mine) - set(its)}"
    for kind, losses in turning_points(rules, plies, held).items():
        found = [(one["ply"], one["seat"], one["loss"]) for one in document["turning_points"] if one["kind"] == kind]
        same = [one[:2] for one in found] == [one[:2] for one in losses]
        if not same or any(abs(one[2] - other[2]) > 0.006 for one, other in zip(found, losses, strict=True)):
            yield f"{view}: turning points of {kind} {found}, brute force {losses}"


def _end(game: Played, name: str, view: str) -> int | None:
    if view == "referee":
        return None
    observer, owner = (None if one == "public" else Seat(one) for one in (name, view))
    return unknown_from(game.rules, game.plies, game.reveal, observer, owner)


def _entries(entries: Sequence[dict[str, Any]], wanted: Course, until: int | None) -> Iterator[str]:
    """Yield what is wrong with an observer's entries: their plies, their bits, the chances of any piece."""
    end = len(wanted) if until is None else until
    for army in wanted[0]:
        mine = [row[army] for row in wanted[:end]]
        its = [entry for entry in entries if entry["army"] == army.value]
        plies = [entry["ply"] for entry in its]
        if mine and (plies[:1] != [0] or plies != sorted(set(plies)) or plies[-1] >= end):
            yield f"has entries of {army} for the plies {plies}"
            continue
        for ply in range(end):
            entry = next(one for one in reversed(its) if one["ply"] <= ply)
            if fault := _fault(entry, mine[ply]):
                yield f"after ply {ply}: {army} {fault}"
                break
        told = [ply for ply, (one, other) in enumerate(pairwise(mine), start=1) if one != other]
        if plies[1:] != told:
            yield f"has entries of {army} for {plies[1:]}; it differs after {told}"
    if strangers := {entry["army"] for entry in entries} - {army.value for army in wanted[0]}:
        yield f"has entries of {strangers}"


def _fault(entry: dict[str, Any], known: Known) -> str | None:
    pieces = [piece for group in entry["groups"] for piece in group["pieces"]]
    if sorted(pieces) != sorted(home.name for home in known.chances) or entry["error"] is not None:
        return f"has the pieces {pieces}, error {entry['error']}"
    if abs(entry["bits"] - log2(known.ways)) > 0.00006:
        return f"has {entry['bits']} bits, brute force {known.ways} ways, {log2(known.ways):.4f}"
    for group in entry["groups"]:
        if list(group["chances"].values()) != sorted(group["chances"].values(), reverse=True):
            return f"names {group['chances']} not by likelihood"
        for piece in group["pieces"]:
            mine = {rank.value: float(chance) for rank, chance in known.chances[Square(piece)].items()}
            its = group["chances"]
            if its.keys() != mine.keys() or any(abs(its[rank] - mine[rank]) > 0.0000006 for rank in mine):
                return f"{piece} is {its}, brute force {mine}"
    return None


def differences(game: Played, views: Sequence[str], analyse: Analyse, folder: Path) -> list[str]:
    """Return everything that differs in one game: the command's figures of some views, and the function's."""
    truth = truths(game)
    found = [what for view in views for what in by_record(game, truth, view, analyse, folder)]
    return [*found, *by_python(game, truth)]
