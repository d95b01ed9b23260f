"""Our own text: one game, line by line, in any rule set and any view (docs/reference/record-format.md).

`read_own` and `write_own` are each other's inverse. An older version is brought up to date section by section before it is
read; unknown sections, keys and words are errors, each with its line. First the lines of `[plies]`, then the whole text.

12 red d4-d5                                        a move; d4-d5-e5 where the path turns
13 blue e7xe4 scout ? defender-wins                 an attack: ranks as far as this view was told them, the verdict
14 red d7*d9=miner infiltrated                      an infiltration with its guess
15 blue d4!d7 cannon scout both-lost                a shot
16 red c3-c4 leaving red,blue                       the piece leaves these flags on its source
  red takes blue on c4                              what was decided after it: flags taken (`nothing` for none)
  blue recruits #7 on g2                            the captured piece that comes back (its number in the set-up)
  blue recruits nobody                              a chance that was declined
  blue slider up                                    the winner's slider: `up` or `stay`
17 blue pass

Apart from `formats`, which chooses between formats: one format is one file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any, TypeVar

from referee.journal.errors import RecordError, RecordFormatError
from referee.journal.records import model
from referee.rules import CombatResult, EndReason, GameResult
from referee.rules.actions import Fire, Infiltrate, Move, MoveSlider, Pass, Recruit, TakeFlags
from referee.rules.values import BySeat, PieceId, Rank, Seat, Square
from referee.table.commitments import STATION
from referee.table.event_actions import NOBODY, NOTHING, Turn, action_text, decision_text, leaving_words
from referee.table.views import Mode, Reveal

UNKNOWN = "?"

E = TypeVar("E", bound=Enum)

_SQUARE = r"[a-z][a-z0-9]*"
_MOVE = re.compile(rf"({_SQUARE}(?:-{_SQUARE})*)([-x])({_SQUARE})")
_INFILTRATION = re.compile(rf"({_SQUARE}(?:-{_SQUARE})*)\*({_SQUARE})=([a-z]+)")
_SHOT = re.compile(rf"({_SQUARE})!({_SQUARE})")
_SIGNATURE = re.compile(r"[\w-]{43} [\w-]{86}", re.ASCII)
_RECRUIT = re.compile(r"#([0-9]{1,4})")
_PLACELESS: Mapping[str, model.Choice] = {
    "gives up": model.GiveUp(),
    f"recruits {NOBODY}": Recruit(None),
    "slider up": MoveSlider(True),
    "slider stay": MoveSlider(False),
}


# --- value -> text -------------------------------------------------------------------------------------------------------


def write_ply(number: int, ply: model.Ply) -> list[str]:
    """Return the lines of a ply and of the decisions after it."""
    words = [str(number), ply.seat.value, action_text(ply.action, ply.result is not None)]
    if ply.result is not None:
        if not isinstance(ply.action, Infiltrate):
            words += [word(ply.attacker), word(ply.defender)]
        words.append(ply.result.value)
    words += leaving_words(ply.action)
    return [" ".join(words), *(write_decision(decision) for decision in ply.decisions)]


def write_decision(decision: model.Decision) -> str:
    """Return the line of a decision, indented by two spaces."""
    choice = None if isinstance(decision.choice, model.GiveUp) else decision.choice
    return f"  {decision_text(decision.seat, choice, decision.square)}"


# --- text -> value -------------------------------------------------------------------------------------------------------


def read_ply(wanted: int, line: int, text: str) -> model.Ply:
    """Read a ply that must have the number `wanted`; raises `RecordFormatError`."""
    words = text.split()
    if len(words) < 3:
        raise RecordFormatError("'number seat action' must stand here", line)
    if words[0] != str(wanted):
        raise RecordFormatError(f"ply {wanted} must stand here", line)
    seat = word_of(Seat, line, words[1])
    action, attack = _action(words[2], line)
    rest = words[3:]
    if "leaving" in rest:
        at = rest.index("leaving")
        action = _leaving(action, rest[at + 1 :], line)
        rest = rest[:at]
    if not attack:
        if rest:
            raise RecordFormatError("nothing may follow a move that is no attack", line)
        return model.Ply(seat, action)
    return _attack(seat, action, rest, line)


def read_decision(line: int, text: str) -> model.Decision:
    """Read a decision; raises `RecordFormatError`."""
    words = text.split()
    seat = word_of(Seat, line, words[0])
    if (choice := _PLACELESS.get(" ".join(words[1:]))) is not None:
        return model.Decision(seat, choice)
    if len(words) != 5 or words[3] != "on" or not re.fullmatch(_SQUARE, words[4]):
        raise RecordFormatError(
            "'takes FLAGS on SQUARE', 'recruits #NUMBER on SQUARE', 'recruits nobody', 'slider up', 'slider stay' or 'gives up' "
            "must follow the seat",
            line,
        )
    square = Square(words[4])
    if words[1] == "recruits" and (number := _RECRUIT.fullmatch(words[2])):
        return model.Decision(seat, Recruit(PieceId(seat, int(number[1]))), square)
    if words[1] == "takes":
        flags = () if words[2] == NOTHING else _read_seats(words[2], line)
        return model.Decision(seat, TakeFlags(square, flags), square)
    raise RecordFormatError("a decision is 'takes', 'recruits' or 'gives up'", line)


def _action(text: str, line: int) -> tuple[Turn, bool]:
    """Return the action, and whether a verdict has to follow. Raises `RecordFormatError` with the line."""
    if text == "pass":
        return Pass(), False
    if match := _MOVE.fullmatch(text):
        source, *via = (Square(name) for name in match[1].split("-"))
        return Move(source, Square(match[3]), tuple(via)), match[2] == "x"
    if match := _INFILTRATION.fullmatch(text):
        source, *via = (Square(name) for name in match[1].split("-"))
        return Infiltrate(source, Square(match[2]), word_of(Rank, line, match[3]), tuple(via)), True
    if match := _SHOT.fullmatch(text):
        return Fire(Square(match[1]), Square(match[2])), True
    raise RecordFormatError("the action is none of d4-d5, d4xd5, d7*d9=rank, d4!d7 and pass", line)


def _leaving(action: Turn, words: list[str], line: int) -> Turn:
    if not isinstance(action, Move) or len(words) != 1:
        raise RecordFormatError("'leaving' stands after a move and before the flags' seats", line)
    return Move(action.source, action.target, action.via, _read_seats(words[0], line))


def _attack(seat: Seat, action: Turn, words: list[str], line: int) -> model.Ply:
    attacker: Rank | None = None
    defender: Rank | None = None
    if not isinstance(action, Infiltrate):
        if len(words) != 3:
            raise RecordFormatError("both ranks (or ?) and the verdict must follow an attack", line)
        attacker, defender = (None if word == UNKNOWN else word_of(Rank, line, word) for word in words[:2])
        words = words[2:]
    if len(words) != 1:
        raise RecordFormatError("the verdict must follow", line)
    return model.Ply(seat, action, word_of(CombatResult, line, words[0]), attacker, defender)


def _read_seats(text: str, line: int) -> tuple[Seat, ...]:
    return tuple(word_of(Seat, line, name) for name in text.split(","))


def word_of(kind: type[E], line: int, text: str) -> E:
    """Return the member of an enum with this value. Raises `RecordFormatError`, which never repeats the text: it could
    be a rank.
    """
    for member in kind:
        if member.value == text:
            return member
    what = "verdict" if kind is CombatResult else "reason" if kind is EndReason else kind.__name__.lower()
    raise RecordFormatError(f"no {what} has this name", line)


# The whole text.


MAGIC = "hallmarshal record"
VERSION = 3
MOST_DECISIONS = 100
"""Between two plies; a game has a few for each seat."""

_SECTIONS = frozenset(
    {"game", "plies", "corrections", "result", "chain", "signatures", *(f"set-up {seat.value}" for seat in Seat)}
)
_WORDS: Mapping[str, type[Enum]] = {"view": model.View, "mode": Mode, "reveal": Reveal}
"""Keys of `[game]` that are fields of a record, each a word."""
_TOLD: Mapping[str, str] = {
    **{each: each for each in ("date", "event", "round", "table", "game", "engine")},
    "chain": "head",
    "seed.arbiter": "reason_seed",
}
"""Keys of `[game]`, each a line of text, and which field of a record they are."""
_OF_SEATS: Mapping[str, str] = {
    "player": "names",
    "salt": "salts",
    "computer": "computers",
    "root": "roots",
    "seed": "seeds",
}
"""Keys of `[game]` that stand there once a seat (`player.red`), and which field of a record they are."""

Line = tuple[int, str]


@dataclass(slots=True)
class _Section:
    line: int
    lines: list[Line] = field(default_factory=list)


Sections = dict[str, _Section]


def _name_former_options(sections: Sections) -> None:
    """Add the options that version 1 left out because their defaults were different then."""
    game = _needed(sections, "game")
    keys = _entries(game)
    for name, text in model.former_options(keys.get("rules", (0, ""))[1]).items():
        if f"option.{name}" not in keys:
            game.lines.append((game.line, f"option.{name} = {text}"))


def _without_chain(sections: Sections) -> None:
    """Leave everything as it is: version 2 had no chains."""


UPCASTS: Mapping[int, Callable[[Sections], None]] = {1: _name_former_options, 2: _without_chain}
"""For each version before `VERSION`, what turns its sections into those of the next one."""


# --- value -> text -------------------------------------------------------------------------------------------------------


def write_own(record: model.Record) -> str:
    """Return a record as a text of our own format."""
    lines = [f"{MAGIC} {VERSION}", "", "[game]", *(f"{key} = {value}" for key, value in _game_entries(record))]
    for seat, set_up in record.set_ups.items():
        lines += ["", f"[set-up {seat.value}]", *(f"{square.name} {word(rank)}" for square, rank in set_up.items())]
    lines += ["", "[plies]", *map(write_decision, record.before)]
    for number, ply in enumerate(record.plies, start=1):
        lines += write_ply(number, ply)
    if record.corrections:
        lines += ["", "[corrections]", *map(model.write_correction, record.corrections)]
    if record.result is not None:
        winner = record.result.winner_word or "none"
        lines += ["", "[result]", f"winner = {winner}", f"reason = {record.result.reason.value}"]
    if record.chain:
        lines += ["", "[chain]", *record.chain]
    if record.signatures:
        lines += ["", "[signatures]", *(f"{signer} {text}" for signer, text in record.signatures.items())]
    return "\n".join(lines) + "\n"


def word(rank: Rank | None) -> str:
    """Return the word of a rank, `?` for an unknown one."""
    return UNKNOWN if rank is None else rank.value


def _game_entries(record: model.Record) -> Iterator[tuple[str, str]]:
    yield "view", record.view.value
    yield "rules", record.rules
    for name, value in sorted(record.options.items()):
        yield f"option.{name}", value
    if record.any_army:
        yield "army", "any"
    yield "mode", record.mode.value
    yield "reveal", record.reveal.value
    for key, name in _TOLD.items():
        if (text := getattr(record, name)) is not None:
            yield key, text
    for key, of_seats in _OF_SEATS.items():
        for seat, text in getattr(record, of_seats).items():
            yield f"{key}.{seat.value}", text
    if record.consent:
        yield "consent", ", ".join(seat.value for seat in Seat if seat in record.consent)


# --- text -> value -------------------------------------------------------------------------------------------------------


def is_own(text: str) -> bool:
    """Return whether a text begins as our own format does."""
    return text.startswith(MAGIC)


def read_own(text: str) -> model.Record:
    """Read a record; raises `RecordFormatError` with the line of the first fault."""
    sections = _sections(text)
    game = _needed(sections, "game")
    keys = _entries(game)
    set_ups = {
        Seat(name.removeprefix("set-up ")): _set_up(section)
        for name, section in sections.items()
        if name.startswith("set-up ")
    }
    before, plies = _plies(_needed(sections, "plies"))
    corrected = sections["corrections"].lines if "corrections" in sections else ()
    corrections = tuple(model.read_correction(*line) for line in corrected)
    chain = tuple(line for _, line in sections["chain"].lines) if "chain" in sections else ()
    signatures = _signatures(sections["signatures"]) if "signatures" in sections else {}
    result = _result(sections["result"]) if "result" in sections else None
    try:
        return replace(
            _record(keys, set_ups, result),
            before=before,
            plies=plies,
            corrections=corrections,
            chain=chain,
            signatures=signatures,
        )
    except RecordFormatError:
        raise
    except RecordError as error:
        raise RecordFormatError(str(error), game.line) from None


def _record(keys: dict[str, Line], set_ups: Mapping[Seat, model.SetUp], result: GameResult | None) -> model.Record:
    """Build the record without its plies from the entries of `[game]`; whatever is left over is an unknown key."""
    options = {key.removeprefix("option."): keys.pop(key)[1] for key in sorted(keys) if key.startswith("option.")}
    told: dict[str, Any] = {key: word_of(kind, *keys.pop(key)) for key, kind in _WORDS.items() if key in keys}
    told |= {name: keys.pop(key)[1] for key, name in _TOLD.items() if key in keys}
    told |= {of_seats: BySeat(_by_seat(keys, key)) for key, of_seats in _OF_SEATS.items()}
    if "rules" not in keys:
        raise RecordFormatError("'rules' is missing in [game]")
    record = model.Record(
        rules=keys.pop("rules")[1],
        set_ups=BySeat(set_ups),
        result=result,
        consent=_consent(keys),
        **told,
        options=options,
        any_army=_any_army(keys),
    )
    for key, (number, _) in keys.items():
        raise RecordFormatError(f"{key!r} is no key of [game]", number)
    return record


def _by_seat(keys: dict[str, Line], word: str) -> dict[Seat, str]:
    """Take the entries `word.SEAT`."""
    found = [key for key in sorted(keys) if key.startswith(f"{word}.")]
    return {word_of(Seat, keys[key][0], key.removeprefix(f"{word}.")): keys.pop(key)[1] for key in found}


def _sections(text: str) -> Sections:
    lines = text.removeprefix("\ufeff").split("\n")
    version = lines[0].removeprefix(MAGIC).strip()
    if not lines[0].startswith(MAGIC) or not version.isascii() or not version.isdigit() or len(version) > 8:
        raise RecordFormatError(f"'{MAGIC} {VERSION}' must stand here", 1)
    if int(version) > VERSION:
        raise RecordFormatError(f"version {int(version)} is newer than {VERSION}, the newest known here", 1)
    if int(version) not in (*UPCASTS, VERSION):
        raise RecordFormatError(f"there is no version {int(version)}", 1)
    sections: Sections = {}
    last: _Section | None = None
    for number, line in enumerate(lines[1:], start=2):
        if not line.strip() or line.startswith("#"):
            continue
        if line.startswith("[") and line.rstrip().endswith("]"):
            name = line.rstrip()[1:-1]
            if name not in _SECTIONS:
                raise RecordFormatError(f"[{name}] is no section of a record", number)
            if name in sections:
                raise RecordFormatError(f"[{name}] stands here a second time", number)
            last = sections[name] = _Section(number)
        elif last is not None:
            last.lines.append((number, line))
        else:
            raise RecordFormatError("a [section] must stand before this", number)
    for old in range(int(version), VERSION):
        UPCASTS[old](sections)
    return sections


def _needed(sections: Sections, name: str) -> _Section:
    if name not in sections:
        raise RecordFormatError(f"[{name}] is missing")
    return sections[name]


def _entries(section: _Section) -> dict[str, Line]:
    entries: dict[str, Line] = {}
    for number, line in section.lines:
        key, equals, value = line.partition("=")
        if not equals or not key.strip() or not value.strip():
            raise RecordFormatError("'key = value' must stand here", number)
        if key.strip() in entries:
            raise RecordFormatError(f"{key.strip()!r} stands here a second time", number)
        entries[key.strip()] = (number, value.strip())
    return entries


def _set_up(section: _Section) -> model.SetUp:
    ranks: dict[Square, Rank | None] = {}
    for number, line in section.lines:
        words = line.split()
        if len(words) != 2:
            raise RecordFormatError("'square rank' must stand here", number)
        square = Square(words[0])
        if square in ranks:
            raise RecordFormatError(f"{square.name} stands here a second time", number)
        ranks[square] = None if words[1] == UNKNOWN else word_of(Rank, number, words[1])
    return model.SetUp(ranks)


def _plies(section: _Section) -> tuple[tuple[model.Decision, ...], tuple[model.Ply, ...]]:
    """Return the decisions before the first ply, and the plies, each with the decisions after it."""
    plies: list[model.Ply] = []
    decided: list[list[model.Decision]] = [[]]
    for number, line in section.lines:
        if not line[0].isspace():
            plies.append(read_ply(len(plies) + 1, number, line))
            decided.append([])
        elif len(decided[-1]) < MOST_DECISIONS:
            decided[-1].append(read_decision(number, line))
        else:
            raise RecordFormatError(f"more than {MOST_DECISIONS} decisions in a row", number)
    before, *after = map(tuple, decided)
    return before, tuple(replace(ply, decisions=those) for ply, those in zip(plies, after, strict=True))


def _result(section: _Section) -> GameResult:
    keys = _entries(section)
    winner_line, winner = keys.pop("winner", (section.line, "none"))
    reason = word_of(EndReason, *keys.pop("reason")) if "reason" in keys else EndReason.UNFINISHED
    for key, (number, _) in keys.items():
        raise RecordFormatError(f"{key!r} is no key of [result]", number)
    seat = None if winner in ("draw", "none") else word_of(Seat, winner_line, winner)
    result = GameResult(seat, reason)
    if (result.winner_word or "none") != winner:
        raise RecordFormatError(f"winner {winner} does not go with the reason {reason.value}", winner_line)
    return result


def _signatures(section: _Section) -> dict[str, str]:
    found: dict[str, str] = {}
    for number, line in section.lines:
        signer, _, text = line.partition(" ")
        if signer not in (STATION, *(seat.value for seat in Seat)) or signer in found or not _SIGNATURE.fullmatch(text):
            raise RecordFormatError(
                "a seat or 'station', its key and its signature must stand here, each signer once", number
            )
        found[signer] = text
    return found


def _consent(keys: dict[str, Line]) -> frozenset[Seat]:
    number, text = keys.pop("consent", (0, ""))
    return frozenset(word_of(Seat, number, name.strip()) for name in text.split(",")) if text else frozenset()


def _any_army(keys: dict[str, Line]) -> bool:
    number, text = keys.pop("army", (0, ""))
    if text not in ("", "any"):
        raise RecordFormatError("army can only be 'any'", number)
    return text == "any"
