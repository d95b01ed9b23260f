"""`hallmarshal rules`: the rule sets on paper, and the legal moves of positions.

A list of all, a sheet of one, as tables in a language of the player's or as JSON.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import TextIO

from rich.table import Table

from referee.cli.command import LazyParser
from referee.journal.errors import RecordFormatError
from referee.journal.records.gravon import GravonPosition, index_of, read_position
from referee.rules import CombatResult, Game, Move, Option, RuleSet, rule_set, rule_set_names
from referee.rules.values import Seat, Square
from referee.runtime.errors import BadInputError
from referee.terminal import TerminalConsole
from referee.words import LANGUAGES, Words, own_language, words


def add_arguments(parser: LazyParser) -> None:
    """Add the three verbs."""
    verbs = parser.add_verbs()
    listing = verbs.add_parser("list", help="all rule sets in a table")
    show = verbs.add_parser("show", help="one rule set: board, army, limits, options")
    show.add_argument("name", metavar="NAME", help="a rule set, or the path of a house rule set (FILE.toml)")
    for sheet in (listing, show):
        sheet.add_argument(
            "--lang", choices=LANGUAGES, default=own_language(), help="language (default: yours, else en)"
        )
        sheet.add_argument("--json", action="store_true", help="one JSON document instead of tables")
    verbs.add_parser("moves", help="StraDoS3 positions on stdin, one JSON line each with all legal moves")


def run(args: argparse.Namespace) -> int:
    """Do one of the verbs."""
    if args.verb == "list":
        print_list([rule_set(name) for name in rule_set_names()], args.lang, args.json)
    elif args.verb == "show":
        from referee.runtime.table_plan import rule_set_named  # what reads house rules knows a whole table, and MQTT

        print_sheet(rule_set_named(args.name), args.lang, args.json)
    else:  # positions are ASCII; latin-1 lets any other byte through to be refused with its line
        print_moves(sys.stdin.buffer.read().decode("latin-1"), sys.stdout)
    return 0


def print_list(rule_sets: Sequence[RuleSet], language: str, as_json: bool) -> None:
    """Print one line a rule set."""
    if as_json:
        print(json.dumps([_summary(rules) for rules in rule_sets]))
        return
    said = words(language)
    table = Table(title=said["rules.title"])
    for key in ("rules.name", "record.rules", "rules.board", "rules.seats", "rules.army", "rules.limits"):
        table.add_column(said[key])
    for rules in rule_sets:
        table.add_row(
            rules.name,
            _title(rules, said) + _unverified(rules.verified, said),
            f"{rules.board.columns} x {rules.board.rows}",
            str(len(rules.seats)),
            str(sum(rules.army.values())),
            f"{rules.two_square_limit} / {rules.repetition.value}",
        )
    TerminalConsole().print(table)
    TerminalConsole().print(said["rules.limits-legend"])


def print_sheet(rules: RuleSet, language: str, as_json: bool) -> None:
    """Print all of a rule set: board, army, limits, options."""
    if as_json:
        print(json.dumps({**_summary(rules), "options": _options(rules)}))
        return
    said, out = words(language), TerminalConsole()
    out.print(_title(rules, said), style="bold")
    if rules.source:
        out.print(rules.source)
    out.print()
    _print_board(rules, said, out)
    out.print(_army(rules, said))
    out.print(said["rules.limits"], style="bold")
    out.print("  " + said.say("rules.two-square-limit", number=rules.two_square_limit))
    out.print("  " + said[f"rules.repetition-{rules.repetition.value}"])
    out.print()
    out.print(_option_table(rules, said))


def _title(rules: RuleSet, said: Words) -> str:
    key = f"rule-set.{rules.name}"
    return said.get(key, rules.name)  # a house rule set has a name only


def _unverified(verified: bool, said: Words) -> str:
    return "" if verified else f" ({said['rules.unverified']})"


def _print_board(rules: RuleSet, said: Words, out: TerminalConsole) -> None:
    board = rules.board
    size = said.say("rules.size", columns=board.columns, rows=board.rows)
    in_play = said.say("rules.squares-in-play", number=len(board.squares))
    out.print(said.labelled(said["rules.board"], f"{size}, {in_play}{_unverified(board.verified, said)}"), style="bold")
    signs = seat_signs(rules, said)
    for line in board_picture(rules, zone_marks(rules, signs), max(map(len, signs.values()))):
        out.print("  " + line, soft_wrap=True)
    for seat in rules.seats:
        key = "rules.zone-filled" if rules.filled else "rules.zone-free"
        zone = f"{said['rules.zone']}, {said.say(key, number=len(rules.zone(seat)))}"
        out.print(f"  {signs[seat]}  {said.labelled(said.seat(seat), zone)}")
    if board.lakes:
        out.print(f"  ~  {said['rules.lake']}")
    if board.ring is not None:
        out.print(f"  #  {said['rules.castle']}")
    out.print()


def seat_signs(rules: RuleSet, said: Words) -> Mapping[Seat, str]:
    """Return the beginning of each seat's name in this language, as short as they still differ."""
    for length in range(1, 9):
        signs = {seat: said.seat(seat)[:length] for seat in rules.seats}
        if len(set(signs.values())) == len(signs):
            break
    return signs


def zone_marks(rules: RuleSet, signs: Mapping[Seat, str]) -> Mapping[Square, str]:
    """Return the seat's sign for every square of a zone."""
    return {square: signs[seat] for seat in rules.seats for square in rules.zone(seat)}


def board_picture(rules: RuleSet, marks: Mapping[Square, str], width: int = 1) -> list[str]:
    """Return the board line by line, the farthest row first: `marks` on their squares, `.` open, `~` lake, `#` castle."""
    board = rules.board
    signs = {square: marks.get(square, ".") for square in board.squares if square not in (board.ring, board.turret)}
    if any(board.shape(square)[0] % 1 != 0.5 for square in signs):
        return _leaning_picture(rules, signs, width)
    cells = [[" "] * board.columns for _ in range(board.rows)]
    for column, row in _castle(rules):
        cells[row][column] = "#"
    for square, sign in (signs | {square: mark for square, mark in marks.items() if square not in signs}).items():
        x, y, _, _ = board.shape(square)
        cells[int(y)][int(x)] = sign
    for column, row in board.lakes:
        cells[row][column] = "~"
    lines = [f"{number + 1:>2}  {_spaced(cells[number], width)}" for number in reversed(range(board.rows))]
    return [*lines, "    " + _spaced([chr(ord("a") + column) for column in range(board.columns)], width)]


def _leaning_picture(rules: RuleSet, signs: Mapping[Square, str], width: int) -> list[str]:
    """Draw a board whose zones lean (three players): every square a point, four lines of text to two squares."""
    board, wide = rules.board, width + 3
    lines = [[" "] * (wide * (board.columns + 1)) for _ in range(2 * board.rows + 1)]
    for column, row in _castle(rules):
        lines[2 * row + 1][round((column + 0.7) * wide)] = "#"
    for square, sign in signs.items():
        x, y, _, _ = board.shape(square)
        at = round(x * wide)
        lines[round(y * 2)][at : at + len(sign)] = sign
    return ["".join(line).rstrip() for line in reversed(lines)]


def _castle(rules: RuleSet) -> Iterator[tuple[int, int]]:
    """Yield the cells that the castle covers."""
    if rules.board.ring is not None:
        x, y, wide, high = rules.board.shape(rules.board.ring)
        for row in range(round(y - high / 2), round(y + high / 2)):
            for column in range(round(x - wide / 2), round(x + wide / 2)):
                yield column, row


def _spaced(cells: Sequence[str], width: int) -> str:
    return " ".join(f"{cell:>{width}}" for cell in cells).rstrip()


def _army(rules: RuleSet, said: Words) -> Table:
    title = said["rules.army"] + _unverified(rules.army_verified, said)
    table = Table(title=title, title_justify="left", title_style="bold")
    table.add_column(said["rules.rank"])
    table.add_column(said["rules.number"], justify="right")
    table.add_column(said["rules.count"], justify="right")
    for rank, count in rules.army.items():
        number = rules.number(rank)
        table.add_row(said.rank(rank), "" if number is None else str(number), str(count))
    table.add_section()
    table.add_row(said["rules.sum"], "", str(sum(rules.army.values())))
    return table


def _option_table(rules: RuleSet, said: Words) -> Table:
    table = Table(title=said["rules.options"], title_justify="left", title_style="bold", show_lines=True)
    for key in ("rules.option", "rules.value", "rules.choices", "rules.reason"):
        table.add_column(said[key])
    for name, option in rules.options.items():
        choices = ", ".join(_value(choice, said) for choice in option.choices)
        table.add_row(
            f"{said.get(f'option.{name}', name)}\n({name})",
            _value(option.value, said),
            choices,
            _reason(name, option, said),
        )
    return table


def _reason(name: str, option: Option, said: Words) -> str:
    """Return the reason in the player's language; an option of a house rule file has its own text only."""
    key = f"option-reason.{name}"
    return said[key] if key in said and said.language != "en" else option.reason


def _value(value: bool | int | str, said: Words) -> str:
    if isinstance(value, bool):
        return said["answer.yes" if value else "answer.no"]
    return str(value)


def _summary(rules: RuleSet) -> Mapping[str, object]:
    return {
        "name": rules.name,
        "verified": rules.verified,
        "source": rules.source,
        "board": {
            "name": rules.board.name,
            "columns": rules.board.columns,
            "rows": rules.board.rows,
            "squares": [square.name for square in rules.board.squares],
            "verified": rules.board.verified,
        },
        "seats": [seat.value for seat in rules.seats],
        "army": {rank.value: {"count": count, "number": rules.number(rank)} for rank, count in rules.army.items()},
        "army_verified": rules.army_verified,
        "zone": {seat.value: [square.name for square in rules.zone(seat)] for seat in rules.seats},
        "filled": rules.filled,
        "two_square_limit": rules.two_square_limit,
        "repetition": rules.repetition.value,
    }


def _options(rules: RuleSet) -> Mapping[str, object]:
    return {
        name: {"value": option.value, "choices": list(option.choices), "reason": option.reason}
        for name, option in rules.options.items()
    }


# `hallmarshal rules moves`: the legal moves of StraDoS3 positions by the rules of Original, without the repetition rules.
#
# They are another program's positions: what the booklets say otherwise than the federations play is not asked of them.


RESULTS: Mapping[CombatResult, str] = {
    CombatResult.ATTACKER_WINS: "win",
    CombatResult.DEFENDER_WINS: "lose",
    CombatResult.BOTH_LOST: "tie",
    CombatResult.FLAG_TAKEN: "flag",
}


def print_moves(positions: str, answers: TextIO) -> None:
    """Print one JSON line a position; raises `BadInputError` with the number of the first bad line before printing anything."""
    read: list[tuple[str, GravonPosition]] = []
    lines = positions.removesuffix("\n").split("\n") if positions else []
    for number, line in enumerate(lines, start=1):
        text = line.removesuffix("\r")
        try:
            read.append((text, read_position(text)))
        except RecordFormatError as error:
            raise BadInputError(f"line {number}: {error}") from None
    for text, position in read:
        print(json.dumps({"pos": text, "moves": moves_of(position)}), file=answers)


def moves_of(position: GravonPosition) -> list[tuple[int, int, str]]:
    """Return every legal move as (from, to, result), squares as 10 * row + column, sorted."""
    original = rule_set("original")
    rules = original.with_options(original.former_options)
    occupants = {square: seat for square, (seat, _) in position.pieces.items()}
    ranks = {square: rank for square, (_, rank) in position.pieces.items()}
    moves: list[tuple[int, int, str]] = []
    for action in Game(rules, occupants, ranks, position.turn).legal_actions():
        if isinstance(action, Move):
            met = ranks.get(action.target)
            result = "move" if met is None else RESULTS[rules.combat(ranks[action.source], met)]
            moves.append((index_of(action.source), index_of(action.target), result))
    return sorted(moves)
