"""Every statement of the five booklets, played: the rows are in the TOML files beside this module, one file a booklet.

The rows were written from the booklets and from the public contract of `referee.rules`, by somebody who had not read the
engine. A row quotes one statement (`says`; of languages that say the same, the first one of `in` is quoted; booklet 003 is
read through its scanning faults), names the rule sets and options that it is played by, and holds one of these:

- `position` and `play`: pieces, then lines that are played or looked at in order (`booklet_table` explains them);
- `duels`: verdicts, each as `attacker defender verdict`, each played on a board of its own; `movers` stands for every rank
  but bomb and flag, `order` for the whole order of ranks, strongest first, each against each;
- `army`, `numbers`: counts and numbers of the ranks, compared in full; `zone`: its first and last square, its squares, the
  pieces, and whether it is filled; `names`: what the ranks are called in the booklet's languages;
- `set_up`: the set-up of that name in the file's `[set_ups]`, with `change`, and the `faults` that are found in it;
- `alike`: another rule set that has the same board, options and verdicts;
- `played = ""` and `because`: a statement that the rules of a referee cannot play, and why.

`differs` says where the default follows another booklet or decides what the booklet leaves open; the row then expects what
is documented in `hallmarshal rules show`.

To every position come the file's `bystanders`, for no game goes on without a flag and a piece that can move; a row that is
`alone = true` has none.

Left out, for they have no rule content: about 125 sentences and 18 tips (`left_out` in each file says which).
"""

import re
import tomllib
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from referee.rules import CombatResult, RuleSet, check_set_up, load_rule_set, rule_set, seated_zone
from referee.rules.set_up import SetUpFault
from referee.rules.values import Rank, Seat, Square
from tests.rules.booklets.booklet_table import BookletTable

HERE = Path(__file__).parent
PAGE = HERE.parents[2] / "docs/reference/house-rules.md"
WORDS = HERE.parents[2] / "referee/words"
Row = dict[str, Any]
BOOKLETS: dict[str, Row] = {path.stem: tomllib.loads(path.read_text("utf-8")) for path in sorted(HERE.glob("0*.toml"))}
ROWS: dict[str, Row] = {
    f"{number}-{name}": row for number, book in BOOKLETS.items() for name, row in book["rows"].items()
}
SAID = {"says", "in", "rules", "options", "differs"}
WAYS = ("play", "duels", "army", "zone", "numbers", "names", "faults", "alike", "played")
FIXED = {Rank.FLAG, Rank.BOMB}
OTHER = {"red": "blue", "blue": "red"}


def _rules(name: str, row: Row) -> RuleSet:
    found = load_rule_set(HERE / name) if name.endswith(".toml") else rule_set(name)
    return found.with_options(row.get("options", {}))


def _cases() -> list[Any]:
    """Return row and rule set of every case."""
    cases = []
    for key, row in ROWS.items():
        if "played" not in row:
            for rules in row["rules"] if "rules" in row else BOOKLETS[key[:3]]["rules"]:
                cases.append(pytest.param(key, rules, id=f"{key}-{rules}"))
    return cases


def _turned(text: str, rules: RuleSet) -> str:
    """Return lines for two players as they are with colours exchanged and the board turned round."""

    def other(found: re.Match[str]) -> str:
        word = found[0]
        if word in OTHER:
            return OTHER[word]
        return chr(ord("a") + ord("j") - ord(word[0])) + str(rules.board.rows + 1 - int(word[1:]))

    return re.sub(r"\b(?:red|blue)\b|[a-j]\d+", other, text)


def _play(rules: RuleSet, row: Row, bystanders: str) -> None:
    """Play a row, and on boards for two once more with the colours exchanged: what a booklet says it says to both."""
    pieces, turn, lines = (
        ("" if row.get("alone") else bystanders) + "\n" + row["position"],
        row.get("turn", "red"),
        row["play"],
    )
    _play_lines(rules, pieces, turn if "turn" in row else None, lines)
    if len(rules.seats) == 2:
        _play_lines(rules, _turned(pieces, rules), OTHER[turn], _turned(lines, rules))


def _play_lines(rules: RuleSet, pieces: str, turn: str | None, text: str) -> None:
    table = BookletTable(rules, pieces, turn=turn)
    lines = [line.split() for line in text.strip().split("\n")]
    for words in lines:
        so, said = table.line(words)
        assert so == said, " ".join(words)
    assert table.game.result is None or any(words[0] in {"won", "drawn"} for words in lines)


def _duel(rules: RuleSet, attacker: Rank, defender: Rank, verdict: CombatResult, bystanders: str) -> None:
    """Let one piece attack another, and look at both squares and at who has left."""
    table = BookletTable(rules, bystanders, f"red: e3 {attacker.value}\nblue: e4 {defender.value}")
    after = {
        CombatResult.ATTACKER_WINS: [
            "e3 empty",
            f"e4 red {attacker.value}",
            f"lost blue {defender.value}",
            "lost red nothing",
        ],
        CombatResult.DEFENDER_WINS: [
            "e3 empty",
            f"e4 blue {defender.value}",
            f"lost red {attacker.value}",
            "lost blue nothing",
        ],
        CombatResult.BOTH_LOST: ["e3 empty", "e4 empty", f"lost red {attacker.value}", f"lost blue {defender.value}"],
        CombatResult.FLAG_TAKEN: ["won red flag"],
    }
    for line in (f"e3xe4 {verdict.value}", *after[verdict]):
        so, said = table.line(line.split())
        assert so == said, f"{attacker.value} {defender.value}: {line}"


def _duels(rules: RuleSet, row: Row, bystanders: str) -> None:
    for line in row["duels"].strip().split("\n"):
        first, *more = line.split()
        if first == "order":
            ranks = [Rank(word) for word in more if Rank(word) in rules.army]
            for attacker, defender in product(ranks, ranks):
                if (attacker, defender) != (Rank.SPY, Rank.MARSHAL):
                    above = ranks.index(defender) - ranks.index(attacker)
                    won = CombatResult.ATTACKER_WINS if above > 0 else CombatResult.DEFENDER_WINS
                    _duel(rules, attacker, defender, won if above else CombatResult.BOTH_LOST, bystanders)
            continue
        attackers = set(rules.army) - FIXED if first == "movers" else {Rank(first)}
        without = {Rank(word) for word in more[2:] if word != "except"}
        for attacker in sorted(attackers - without, key=lambda rank: rank.value):
            _duel(rules, attacker, Rank(more[0]), CombatResult(more[1]), bystanders)


def _fault(fault: SetUpFault) -> str:
    """Return kind and squares of a fault; for a wrong army kind, rank and count instead."""
    about = [fault.rank.value, str(fault.count)] if fault.rank else [square.name for square in fault.squares]
    return " ".join([fault.kind.value, *about])


def _set_up(rules: RuleSet, row: Row, named: dict[str, str]) -> None:
    """Set one army up as each seat in turn, seen from its chair, and compare all that is wrong with it."""
    signs = {str(rules.number(rank)): rank for rank in rules.army} | {
        "F": Rank.FLAG,
        "B": Rank.BOMB,
        "I": Rank.INFILTRATOR,
    }
    cells = [line.split() for line in named[row["set_up"]].strip().split("\n")]
    for seat in rules.seats if "change" not in row else rules.seats[:1]:
        placed: dict[Square, Rank] = {}
        for squares, line in zip(seated_zone(rules.board, seat), cells, strict=True):
            placed |= {
                square: signs[sign] for square, sign in zip(squares, line, strict=True) if square and sign in signs
            }
        for change in filter(None, row.get("change", "").split(", ")):
            square, what = change.split()
            placed.pop(Square(square), None)
            if what != "empty":
                placed[Square(square)] = Rank(what)
        found = [_fault(fault) for fault in check_set_up(rules, seat, placed)]
        assert sorted(found) == sorted(row["faults"])


def _judge(rules: RuleSet, row: Row, book: Row) -> None:
    if "play" in row:
        _play(rules, row, book["bystanders"])
    if "duels" in row:
        _duels(rules, row, book["bystanders"])
    if "army" in row:
        assert {rank.value: count for rank, count in rules.army.items()} == row["army"]
    if "zone" in row:
        ends = [square.name for square in (rules.zone(Seat.RED)[0], rules.zone(Seat.RED)[-1])]
        assert [*ends, len(rules.zone(Seat.RED)), sum(rules.army.values()), rules.filled] == row["zone"]
    if "numbers" in row:
        assert {rank.value: rules.number(rank) or "none" for rank in rules.army} == row["numbers"]
    for language, names in row.get("names", {}).items():
        words = tomllib.loads((WORDS / f"{language.lower()}.toml").read_text("utf-8"))["rank"]
        assert {rank: words[rank] for rank in names} == names
        assert set(names) == {rank.value for rank in rules.army}
    if "faults" in row:
        _set_up(rules, row, book["set_ups"])
    if "alike" in row:
        other = rule_set(row["alike"])
        assert other.board is rules.board
        assert {name: option.value for name, option in other.options.items()} == {
            name: option.value for name, option in rules.options.items()
        }
        for pair in product([rank for rank in rules.army if rank not in FIXED], rules.army):
            assert other.combat(*pair) is rules.combat(*pair)


@pytest.mark.parametrize(("key", "rules"), _cases())
def test_statement(key: str, rules: str) -> None:
    """Play one row by one rule set."""
    row = ROWS[key]
    _judge(_rules(rules, row), row, BOOKLETS[key[:3]])


@pytest.mark.parametrize("number", BOOKLETS)
def test_every_row_says_what_it_quotes_and_how_it_is_played(number: str) -> None:
    """Refuse rows that would be read and not played, by a misspelt key or for lack of one."""
    known = SAID | {"position", "alone", "turn", "set_up", "change", "because", *WAYS}
    for key, row in BOOKLETS[number]["rows"].items():
        assert set(row) <= known, key
        assert set(row["in"].split()) <= set(BOOKLETS[number]["languages"]), key
        assert 0 < len(row["says"].split()) <= 25, key
        assert [way for way in WAYS if way in row], key
        assert ("played" in row) == ("because" in row), key


@pytest.mark.parametrize("number", BOOKLETS)
def test_the_page_about_house_rules_counts_the_statements(number: str) -> None:
    """Compare the page's line about a booklet with the rows."""
    book = BOOKLETS[number]
    rows = book["rows"].values()
    played = [row for row in rows if "played" not in row]
    said = len({row["says"] for row in rows}), len({row["says"] for row in played}), len(played)
    counts = [number, " ".join(book["languages"]), *map(str, said), str(sum("differs" in row for row in rows))]
    assert f"| {' | '.join(counts)} |" in PAGE.read_text("utf-8")
