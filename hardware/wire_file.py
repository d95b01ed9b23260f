"""Reads `wire.toml` into frozen values: the numbers of the wire for the generators and for nobody else at run time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from toml_tables import Key, check_table, keyed, keys_of, read_toml

WIRE_PATH = Path(__file__).with_name("wire.toml")

FIXED_TYPES: Mapping[str, str] = {"u8": "B", "u16": "H", "u32": "I", "i16": "h", "bool": "?", "enum": "B", "flags": "B"}
"""Field types of fixed length and their `struct` letters; `enum:NAME` and `flags:NAME` take one byte."""

TAIL_TYPES = ("text", "readings", "u16-list")
"""Field types that begin with a count byte. They come last in a message, so that fixed fields have fixed places."""


class WireFileError(ValueError):
    """`wire.toml` contradicts itself; `faults` lists every fault with its place."""

    def __init__(self, faults: list[str]) -> None:
        super().__init__("; ".join(faults))
        self.faults = tuple(faults)


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a payload. `type` is a word of `FIXED_TYPES` or `TAIL_TYPES`; `words` names its enum or flags, or is empty."""

    name: str = keyed()
    type: str = keyed()
    about: str = keyed()
    maximum: int = keyed(default=0, name="max", low=1, high=255)
    words: str = ""


@dataclass(frozen=True, slots=True)
class MessageKind:
    """One message: its name, its number (low four bits of the head), who sends it ("board" or "host"), its fields in order."""

    name: str = keyed()
    number: int = keyed(low=1, high=14)  # 0 and 15 stay free: a cleared or an erased byte is no message
    sender: str = keyed(choices=("board", "host"))
    about: str = keyed()
    fields: tuple[Field, ...] = keyed(kind="list")


@dataclass(frozen=True, slots=True)
class Word:
    """One value of an enum, or one bit of flags (then `number` is the bit's number)."""

    name: str
    number: int
    about: str


@dataclass(frozen=True, slots=True)
class WordList:
    """An enum or a set of flags."""

    name: str
    about: str
    words: tuple[Word, ...]


@dataclass(frozen=True, slots=True)
class Wire:
    """Everything `wire.toml` says but its examples, which tests read. `settings` holds its [wire] table."""

    settings: Mapping[str, Any]
    enums: tuple[WordList, ...]
    flags: tuple[WordList, ...]
    messages: tuple[MessageKind, ...]


_TOP = (
    *(Key(name, "table", "") for name in ("wire", "enum", "flags")),
    *(Key(name, "list", "") for name in ("message", "vector")),
)
_SETTINGS = (
    Key("version", "whole number", "", low=1, high=15),
    Key("byte_order", "text", "", choices=("little",)),
    Key("bit_order", "text", "", choices=("low-first",)),
    Key("square_order", "text", "", choices=("board",)),
    Key("baud", "whole number", "", low=9600, high=2_000_000),
    Key("max_body", "whole number", "", low=16, high=250),  # with its CRC one COBS block at most: one byte of overhead
    Key("max_text", "whole number", "", low=1, high=64),
    Key("crc_start", "whole number", "", low=0, high=0xFFFF),
    Key("crc_order", "text", "", choices=("big",)),
    Key("crc_check", "whole number", "", low=0, high=0xFFFF),
    Key("active_ms", "whole number", "", low=1, high=10_000),
    Key("idle_ms", "whole number", "", low=1, high=10_000),
)


def load_wire(path: Path = WIRE_PATH) -> Wire:
    """Return what `wire.toml` says; raise WireFileError with every fault."""
    faults: list[str] = []
    top = check_table(read_toml(path), _TOP, path.name, faults)
    settings = check_table(top.get("wire", {}), _SETTINGS, "wire", faults)
    enums = tuple(_word_list(name, data, 255, f"enum.{name}", faults) for name, data in top.get("enum", {}).items())
    flags = tuple(_word_list(name, data, 7, f"flags.{name}", faults) for name, data in top.get("flags", {}).items())
    words = {words.name for words in enums} | {words.name for words in flags}
    max_text = settings.get("max_text", 0)
    messages = tuple(
        _message(data, f"message {i}", words, max_text, faults) for i, data in enumerate(top.get("message", []), 1)
    )
    for found in ([str(message.number) for message in messages], [message.name for message in messages]):
        faults += [f"message {value} stands twice" for value in sorted({v for v in found if found.count(v) > 1})]
    if faults:
        raise WireFileError(faults)
    return Wire(settings, enums, flags, messages)


def _word_list(name: str, data: Mapping[str, Any], high: int, place: str, faults: list[str]) -> WordList:
    words = []
    for word, value in data.items():
        match value:
            case str() if word == "about":
                continue
            case [int(number), str(about)] if 0 <= number <= high:
                words.append(Word(word, number, about))
            case _:
                faults.append(f"{place}.{word}: a number from 0 to {high} and a sentence are needed")
    if [word.number for word in words] != list(range(len(words))):
        faults.append(f"{place}: the numbers must count from 0 without gaps")
    if "about" not in data:
        faults.append(f"{place}: key 'about' is missing")
    return WordList(name, str(data.get("about", "")), tuple(words))


def _message(data: object, place: str, words: set[str], max_text: int, faults: list[str]) -> MessageKind:
    values = check_table(data, keys_of(MessageKind), place, faults)
    place = values.get("name", place)
    fields = tuple(
        _field(item, f"{place} field {i}", words, max_text, faults)
        for i, item in enumerate(values.get("fields", []), 1)
    )
    tails = [field.type in TAIL_TYPES for field in fields]
    if tails != sorted(tails):
        faults.append(f"{place}: fields of fixed length come before those with a count")
    return MessageKind(place, values.get("number", 0), values.get("sender", ""), values.get("about", ""), fields)


def _field(data: object, place: str, words: set[str], max_text: int, faults: list[str]) -> Field:
    values = check_table(data, keys_of(Field), place, faults)
    kind, _, named = values.get("type", "u8").partition(":")
    if kind not in FIXED_TYPES and kind not in TAIL_TYPES:
        faults.append(f"{place}.type: {kind!r} is none of {', '.join([*FIXED_TYPES, *TAIL_TYPES])}")
    elif (kind in ("enum", "flags")) != bool(named) or (named and named not in words):
        faults.append(f"{place}.type: {values['type']!r} names no list of words")
    maximum = values.get("max") or (max_text if kind == "text" else 255)
    return Field(values.get("name", ""), kind, values.get("about", ""), maximum, named)
