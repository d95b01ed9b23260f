"""StraDoS2 XML, the format of Gravon's archive: one game, read tolerantly, written plainly.

    <stratego><game type="classic"><field content="100 letters"/><move id="1" source="A4" target="A5"/> ...
    <player id="1">name</player> ... <result type="1" winner="1"/></game></stratego>

The reader refuses document types, and with them every entity; it takes bytes in any encoding that the XML declares.
"""

from __future__ import annotations

from collections.abc import Mapping
from xml.parsers import expat
from xml.sax.saxutils import escape, quoteattr

from referee.journal.records.errors import RecordFormatError
from referee.journal.records.gravon import (
    LONGEST_NAME,
    SEATS,
    GravonGame,
    exported,
    record_of,
    result_numbers,
    result_of,
)
from referee.journal.records.model import MOST_PLIES, Record
from referee.journal.records.plain_text import plain
from referee.rules import EndReason, GameResult
from referee.rules.values import Seat

DEEPEST = 20


def read_strados2(data: bytes) -> Record:
    """Read a game; raises `RecordFormatError` with the line where there is one."""
    return record_of(_Reader().read(data))


def write_strados2(record: Record) -> str:
    """Give the XML of a record that knows every rank; raises as `gravon.exported` does."""
    game = exported(record)
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', "<stratego>", f"  <game type={quoteattr(game.kind)}>"]
    if game.field is not None:
        lines.append(f'    <field content="{game.field}"/>')
    for number, (source, target) in enumerate(game.moves, start=1):
        lines.append(f'    <move id="{number}" source="{source}" target="{target}"/>')
    for number, seat in enumerate(SEATS, start=1):
        lines.append(f'    <player id="{number}">{escape(game.names.get(seat, ""))}</player>')
    if game.result is not None and game.result.reason is not EndReason.UNFINISHED:
        kind, winner = result_numbers(game.result)
        lines.append(f'    <result type="{kind}" winner="{winner}"/>')
    return "\n".join([*lines, "  </game>", "</stratego>", ""])


class _Reader:
    """Collects what the parser finds. Elements that the format does not have are passed over, their text too."""

    def __init__(self) -> None:
        self._parser = expat.ParserCreate()
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._text
        self._parser.StartDoctypeDeclHandler = self._doctype
        self._path: list[str] = []
        self._games = 0
        self._kind = "classic"
        self._field: str | None = None
        self._moves: list[tuple[str, str]] = []
        self._last_id = 0
        self._names: dict[Seat, str] = {}
        self._player: Seat | None = None
        self._result: GameResult | None = None

    def read(self, data: bytes) -> GravonGame:
        try:
            self._parser.Parse(data, True)
        except expat.ExpatError as error:
            raise RecordFormatError(f"no XML: {expat.ErrorString(error.code)}", error.lineno) from None
        except (LookupError, UnicodeError):
            raise RecordFormatError("the XML's encoding is not known") from None
        if self._games != 1:
            raise RecordFormatError("there is no <game> in <stratego>")
        return GravonGame(self._kind, self._field, self._moves, self._names, self._result)

    def _fault(self, message: str) -> RecordFormatError:
        return RecordFormatError(message, self._parser.CurrentLineNumber)

    def _doctype(self, *_: object) -> None:
        raise self._fault("a document type is not allowed")

    def _start(self, name: str, attributes: Mapping[str, str]) -> None:
        if not self._path and name != "stratego":
            raise self._fault("the outermost element must be <stratego>")
        parent = self._path[-1] if self._path else ""
        self._path.append(name)
        if len(self._path) > DEEPEST:
            raise self._fault("the elements are nested too deeply")
        if name == "game" and parent == "stratego":
            self._game(attributes)
        elif parent == "game":
            self._in_game(name, attributes)

    def _game(self, attributes: Mapping[str, str]) -> None:
        self._games += 1
        if self._games > 1:
            raise self._fault("a second <game>; one file holds one")
        self._kind = plain(attributes.get("type", "classic")).lower()

    def _in_game(self, name: str, attributes: Mapping[str, str]) -> None:
        if name == "field":
            if self._field is not None:
                raise self._fault("a second <field>")
            self._field = self._needed(attributes, "content").strip()
        elif name == "move":
            self._move(attributes)
        elif name == "player":
            number = self._number(attributes, "id")
            self._player = SEATS[number - 1] if number in (1, 2) else None
        elif name == "result":
            try:
                self._result = result_of(self._number(attributes, "type"), self._number(attributes, "winner"))
            except RecordFormatError as error:
                raise self._fault(str(error)) from None

    def _move(self, attributes: Mapping[str, str]) -> None:
        if len(self._moves) >= MOST_PLIES:
            raise self._fault(f"more than {MOST_PLIES:,} moves")
        if "id" in attributes:
            number = self._number(attributes, "id")
            if number <= self._last_id:
                raise self._fault(f"move {number} comes after move {self._last_id}")
            self._last_id = number
        self._moves.append((self._needed(attributes, "source").strip(), self._needed(attributes, "target").strip()))

    def _needed(self, attributes: Mapping[str, str], key: str) -> str:
        if key not in attributes:
            raise self._fault(f"{key} is missing")
        return attributes[key]

    def _number(self, attributes: Mapping[str, str], key: str) -> int:
        text = self._needed(attributes, key).strip()
        if not (text.isascii() and text.isdigit() and len(text) < 9):
            raise self._fault(f"{key} must be a number")
        return int(text)

    def _end(self, name: str) -> None:
        self._path.pop()
        if name == "player":
            self._player = None

    def _text(self, text: str) -> None:
        if self._player is not None and self._path[-1] in ("player", "text"):
            name = self._names.get(self._player, "") + text
            if len(name) > LONGEST_NAME:
                raise self._fault(f"a player's name is longer than {LONGEST_NAME:,} characters")
            self._names[self._player] = name
