"""The examples of wire.toml: whole messages, and the bytes that both sides must make and read of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hardware import WireFileError, load_wire
from hardware.wire_file import WIRE_PATH, MessageKind
from toml_tables import Key, check_table, read_toml


@dataclass(frozen=True, slots=True)
class Vector:
    """A whole message and the bytes that must come of it."""

    name: str
    message: str
    seq: int
    board_ms: int | None
    values: Mapping[str, Any]
    frame: bytes


_VECTOR = (
    Key("name", "text", ""),
    Key("message", "text", ""),
    Key("seq", "whole number", "", low=0, high=255),
    Key("board_ms", "whole number", "", default=None, low=0, high=2**32 - 1),
    Key("values", "table", ""),
    Key("frame", "text", ""),
)


def vectors_of(path: Path = WIRE_PATH) -> tuple[Vector, ...]:
    """Return the examples of a wire file; raise WireFileError with every fault of theirs."""
    faults: list[str] = []
    messages = load_wire(path).messages
    examples = read_toml(path)["vector"]
    vectors = tuple(_vector(data, f"vector {i}", messages, faults) for i, data in enumerate(examples, 1))
    if faults:
        raise WireFileError(faults)
    return vectors


def _vector(data: object, place: str, messages: tuple[MessageKind, ...], faults: list[str]) -> Vector:
    values = check_table(data, _VECTOR, place, faults)
    kind = next((message for message in messages if message.name == values.get("message")), None)
    if kind is None:
        faults.append(f"{place}.message: no message is named {values.get('message')!r}")
    else:
        if (values.get("board_ms") is None) == (kind.sender == "board"):
            faults.append(f"{place}: board_ms belongs to the board's messages and to them only")
        if set(values.get("values", {})) != {field.name for field in kind.fields}:
            faults.append(f"{place}.values: must be the fields of {kind.name}")
    try:
        frame = bytes.fromhex(values.get("frame", ""))
    except ValueError:
        faults.append(f"{place}.frame: hex digits are needed")
        frame = b""
    return Vector(
        values.get("name", ""),
        values.get("message", ""),
        values.get("seq", 0),
        values.get("board_ms"),
        values.get("values", {}),
        frame,
    )
