"""A game as one HTML file that needs no network (`hallmarshal record report`), and a picture of its decisive moment.

All of it is made from one view of the game and from nothing else, so it shows no more than this view's record does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from importlib import resources
from typing import Any, NamedTuple

import msgspec

from referee.analysis import Figures, figures, worth
from referee.analysis.figures import Observer
from referee.journal.errors import RecordError
from referee.journal.records.check import BAD_SET_UP, completed, judge
from referee.journal.records.model import Ply, Record, rules_of
from referee.journal.records.views import Follower, Start, info_of
from referee.presentation import palette
from referee.presentation.emblems import symbol
from referee.rules import Infiltrate, Rank, RuleSet, Seat
from referee.table.event_actions import action_text
from referee.table.views import BoardShape
from referee.words import LANGUAGES, words

_WORDS = ("end.", "rank.", "report.", "result.", "seat.", "seats.", "text.labelled", "turn.ply", "verdict.", "view.")
_MORE_WORDS = (
    "games.all",
    "games.back",
    "games.keep",
    "games.send",
    "hall.board",
    "hall.language",
    "kiosk.pause",
    "language.name",
    "record.plies",
    "record.result",
    "record.view",
)
_TOOLS = tuple(f"../toolkit/{name}.js" for name in ("dom", "memoize", "own_games", "words"))
_PICTURE = (1200, 630)
_INLINE = re.compile(
    r'(?P<policy><meta http-equiv=[^\n]*\n)|(?P<icon><link rel="icon"[^>]*>)|(?P<style><style>.*?</style>)'
    r'|(?P<script><script type="module">.*?</script>)',
    re.DOTALL,
)
_LINKS = {
    "policy": "",
    "icon": '<link rel="icon" href="/icon.svg">',
    "style": '<link rel="stylesheet" href="/report/report.css">',
    "script": '<script type="module" src="/report/report.js"></script>',
}


class _PlyChanges(NamedTuple):
    """A ply, the numbers of the piece that acted and of the one it met (-1: none), and which pieces stand elsewhere after it."""

    ply: Ply
    met: Sequence[int]
    changes: Sequence[tuple[int, str | None]]


def figures_of(record: Record, own_rules: RuleSet | None = None) -> Figures:
    """Return the figures of a record up to its first illegal ply. Raises `RecordError`, also for a bad set-up."""
    judgement = judge(record, own_rules)
    if judgement.reason == BAD_SET_UP:
        raise RecordError(f"{judgement.reason}: {'; '.join(judgement.details)}")
    legal = len(record.plies) if judgement.ply is None else judgement.ply - 1
    whole = completed(record, own_rules)
    if own_rules is not None:
        whole = replace(whole, any_army=False)  # judged by these rules, so the army is known
    return figures(whole, rules_of(record, own_rules), legal)


def linked(page: str) -> str:
    """Return a report whose style and script are files of the server: a table's pages run no others."""
    return _INLINE.sub(lambda found: _LINKS[found.lastgroup or ""], page)


def report(record: Record, rules: RuleSet, found: Figures, times: Sequence[int | None] = ()) -> str:
    """Return the page of a record and its figures; `times` are the hands', ply by ply.

    Raises `RecordError` where a piece cannot be followed.
    """
    record = replace(record, plies=record.plies[: found.analysed])
    shape = info_of(record, rules).board
    moves, armies = _moves(record), _pieces(record)
    pieces = "".join(_piece(number, seat) for number, (seat, _) in enumerate(armies)) + _ring(0) + _ring(1)
    parts = {
        "style": _file("report.css"),
        "board": _board(shape, record.seats, rules, pieces, 'id="board" role="group"'),
        "game": msgspec.json.encode(
            _game(record, rules, found, shape, moves) | _timed(record, times) | {"words": _said_words()}
        )
        .decode()
        .replace("<", "\\u003c"),
        "script": "\n".join(
            re.sub(r"^(import .*$|export )", "", _file(name), flags=re.MULTILINE) for name in (*_TOOLS, "report.js")
        ),
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], _file("report.html"))


def kiosk_replay(record: Record, rules: RuleSet, found: Figures, times: Sequence[int | None] = ()) -> bytes:
    """Return the same game as JSON for a screen that has words and pictures of its own. Raises as `report` does."""
    record = replace(record, plies=record.plies[: found.analysed])
    info = info_of(record, rules)
    game = _game(record, rules, found, info.board, _moves(record)) | _timed(record, times)
    return msgspec.json.encode({"info": info, "game": game})


def _timed(record: Record, times: Sequence[int | None]) -> dict[str, Any]:
    return {"times": times[: len(record.plies)]}


def decisive(found: Figures) -> int:
    """Return the ply with the largest loss of material, where there is none of secret, and else the last one."""
    points = sorted(found.turning_points, key=lambda point: (point.kind != "material", -point.loss))
    return points[0].ply if points else found.analysed


def picture(record: Record, rules: RuleSet, found: Figures) -> str:
    """Return the SVG of the board after the decisive ply, with what the record's view tells of the pieces."""
    ply, shape = decisive(found), info_of(record, rules).board
    place = {square.name: (square.x, shape.rows - square.y) for square in shape.squares}
    numbers = {start: number for number, start in enumerate(_pieces(record))}
    standing = dict(enumerate(_starting(record)))
    for _, _, changes in _moves(record)[:ply]:
        standing |= dict(changes)
    drawn = []
    for start, number in numbers.items():
        square = standing[number]
        if square is not None:
            rank = found.armies[start[0]][start[1].name]
            drawn.append(_piece(number, start[0], place[square], rank, rules))
    if ply:
        action = record.plies[ply - 1].action
        ends = [getattr(action, name).name for name in ("source", "target") if hasattr(action, name)]
        drawn += [_ring(number, *place[name]) for number, name in enumerate(ends)]
    width, height = _PICTURE
    size = (
        f'xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" style="background:{palette.NIGHT.hex}"'
    )
    return _board(shape, record.seats, rules, "".join(drawn), size)


def _file(name: str) -> str:
    return resources.files("referee.web").joinpath("report", *name.split("/")).read_text("utf-8")


def _pieces(record: Record) -> list[Start]:
    return [(seat, square) for seat, set_up in record.set_ups.items() for square in set_up]


def _starting(record: Record) -> Iterator[str | None]:
    follower = Follower(record.set_ups)
    for decision in record.before:
        follower.decide(decision)
    there = {start: square.name for square, start in follower.standing.items()}
    return (there.get(start) for start in _pieces(record))


def _moves(record: Record) -> list[_PlyChanges]:
    """Return each ply, the numbers of attacker and defender, and the pieces that stand elsewhere after it (None: off the board)."""
    follower, numbers = Follower(record.set_ups), {start: number for number, start in enumerate(_pieces(record))}
    before, moves = dict(enumerate(_starting(record))), list[_PlyChanges]()
    for ply, pair in follower.follow(record):
        after = dict.fromkeys(before) | {numbers[start]: square.name for square, start in follower.standing.items()}
        met = [-1 if start is None else numbers[start] for start in pair]
        moves.append(
            _PlyChanges(ply, met, [(number, square) for number, square in after.items() if square != before[number]])
        )
        before = after
    return moves


def _game(
    record: Record,
    rules: RuleSet,
    found: Figures,
    shape: BoardShape,
    moves: Sequence[_PlyChanges],
) -> dict[str, Any]:
    """Return what the page is told: squares, ranks, seats and pieces by number, -1 for none."""
    squares = {square.name: number for number, square in enumerate(shape.squares)} | {None: -1}
    ranks = {rank: number for number, rank in enumerate(rules.ranks)} | {None: -1}
    seats, starts = list(record.seats), _pieces(record)
    pieces = {(seat, square.name): number for number, (seat, square) in enumerate(starts)}
    result, winner = record.result, None if record.result is None else record.result.winner_word
    return {
        "squares": [[square.name, square.x, shape.rows - square.y] for square in shape.squares],
        "ranks": [
            [rank.value, rules.number(rank), worth(rules, rank), rules.army.get(rank, 0)] for rank in rules.ranks
        ],
        "seats": seats,
        "game": record.game,
        "names": dict(record.names),
        "view": record.view,
        "any_army": record.any_army,
        "winners": rules.partners(Seat(winner)) if winner in [seat.value for seat in Seat] else [],
        "ending": [winner or "none", None if result is None else result.reason],
        "pieces": [
            [seats.index(seat), squares[square.name], ranks[found.armies[seat][square.name]], squares[first]]
            for (seat, square), first in zip(starts, _starting(record), strict=True)
        ],
        "plies": [
            [seats.index(ply.seat), *_said(ply, met, ranks), [[number, squares[square]] for number, square in changes]]
            for ply, met, changes in moves
        ],
        "knows": {name: _known(observer, seats, pieces, ranks) for name, observer in found.observers.items()},
        "turns": [
            [point.ply, seats.index(point.seat), point.kind, round(point.loss, 1)] for point in found.turning_points
        ],
        "bluffs": [[one.ply, seats.index(one.seat), one.piece, one.against, one.called] for one in found.bluffs or ()],
        "took": (most := found.took_most) and [seats.index(most.seat), ranks[most.rank], most.piece, most.took],
        "waited": [[seats.index(seat), one.piece, one.plies] for seat, one in found.unmoved_scouts.items() if one],
    }


def _said_words() -> dict[str, dict[str, str]]:
    """Return the words of the page, by language and key."""
    return {
        language: {key: text for key, text in words(language).items() if key.startswith(_WORDS) or key in _MORE_WORDS}
        for language in LANGUAGES
    }


def _said(ply: Ply, met: Sequence[int], ranks: Mapping[Rank | None, int]) -> list[Any]:
    """Return how a ply is written, its verdict, attacker and defender, and the guess."""
    text = action_text(ply.action, ply.result is not None).partition("=")[0]
    return [text, ply.result, *met, ranks[ply.action.guess if isinstance(ply.action, Infiltrate) else None]]


def _known(
    observer: Observer, seats: Sequence[Seat], pieces: Mapping[tuple[Seat, str], int], ranks: Mapping[Rank | None, int]
) -> dict[str, Any]:
    """Return what changed of an observer's knowledge, and from when on it has none.

    A change is [ply, army, bits, pieces and their groups, groups and their chances]; a group are all pieces that can be of the same
    ranks, and its chances are one of `rows`: ranks, each followed by its chance in thousandths.
    """
    groups, rows = dict[Any, int](), dict[tuple[int, ...], int]()
    group_of, row_of, changes = dict[int, int](), dict[int, int](), list[Any]()
    for known in observer.knows:
        moved, changed = list[int](), list[int]()
        for group in known.groups:
            chances = group.chances or {}
            could = frozenset(chances) or tuple(group.pieces)
            number = groups.setdefault((known.army, could), len(groups))
            told = tuple(part for rank, chance in chances.items() for part in (ranks[rank], round(chance * 1000)))
            row = rows.setdefault(told, len(rows))
            if row_of.get(number) != row:
                row_of[number] = row
                changed += [number, row]
            for name in group.pieces:
                piece = pieces[known.army, name]
                if group_of.get(piece) != number:
                    group_of[piece] = number
                    moved += [piece, number]
        bits = None if known.bits is None else round(known.bits, 1)
        changes.append([known.ply, seats.index(known.army), bits, moved, changed])
    return {"until": observer.unknown_from, "rows": list(rows), "changes": changes}


# ---- the board


def _board(shape: BoardShape, seats: Sequence[Seat], rules: RuleSet, pieces: str, attributes: str) -> str:
    """Return the SVG of the board; squares are 100 wide."""
    size = f"-20 -20 {100 * shape.columns + 40} {100 * shape.rows + 40}"
    signs = "".join(
        symbol(f"sign-{seat.value}", f"sign-{seat.value}", palette.ARMY[seat], palette.ON_ARMY[seat])
        + "".join(
            symbol(f"{seat.value}-{rank.value}", rank.value, palette.ON_ARMY[seat], palette.ARMY[seat])
            for rank in rules.army
        )
        for seat in seats
    )
    ground = [_block(-20, -20, 100 * shape.columns + 40, 100 * shape.rows + 40, palette.FRAME)]
    for one in shape.squares:
        x, y = 100 * (one.x - one.width / 2), 100 * (shape.rows - one.y - one.height / 2)
        ground.append(_block(x + 1, y + 1, 100 * one.width - 2, 100 * one.height - 2, palette.SAND))
        ground.append(f'<text x="{x + 5:g}" y="{y + 15:g}" font-size="15" fill="{palette.INK.hex}">{one.name}</text>')
    ground += [
        _block(100 * column + 1, 100 * (shape.rows - row) - 99, 98, 98, palette.LAKE) for column, row in shape.lakes
    ]
    return f'<svg viewBox="{size}" font-family="sans-serif" {attributes}><defs>{signs}</defs>{"".join(ground)}{pieces}</svg>'


def _block(x: float, y: float, width: float, height: float, colour: palette.Colour) -> str:
    return f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="4" fill="{colour.hex}"/>'


def _ring(number: int, x: float = 0, y: float = 0) -> str:
    """Return what marks an end of the last move."""
    shape = 'x="-46" y="-46" width="92" height="92" fill="none" stroke-width="7"'
    return (
        f'<rect id="ring{number}" transform="translate({100 * x:g} {100 * y:g})" {shape} stroke="{palette.GLOW.hex}"/>'
    )


def _piece(
    number: int,
    seat: Seat,
    at: tuple[float, float] = (0, 0),
    rank: Rank | None = None,
    rules: RuleSet | None = None,
) -> str:
    """Return a piece; the page moves it, and gives it its rank."""
    sign, named = seat.value, "" if rank is None else f' href="#{seat.value}-{rank.value}"'
    told = None if rank is None or rules is None else rules.number(rank)
    return (
        f'<g id="p{number}" class="piece" role="button" transform="translate({100 * at[0]:g} {100 * at[1]:g})">'
        f'<use href="#sign-{sign}" x="-46" y="-46" width="92" height="92"/>'
        f'<use{named} x="-21" y="-30" width="42" height="42"/>'
        f'<text y="29" text-anchor="middle" font-size="22" font-weight="bold" fill="{palette.ON_ARMY[seat].hex}">'
        f"{'' if told is None else told}</text></g>"
    )
