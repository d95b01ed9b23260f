"""Makes every file that repeats what `wire.toml` and the board files say: `python -m hardware.generate`, with `--check` only compares.

Exit code 1 with `--check` if a copy is stale or missing. Some files are made as a whole; two reference pages are written by hand and have
their tables filled in between marks. Stands alone because it is a command.
"""

from __future__ import annotations

import argparse
import re
import struct
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from hardware.board_file import OPTIONAL_TABLES, TABLES, BoardFile, board_names, load_board
from hardware.codegen import board_code, pins_header, python_constants, sentence, wire_header
from hardware.scanners import CHAIN_KEYS, MULTIPLEXER_KEYS
from hardware.wire_file import FIXED_TYPES, Field, MessageKind, Wire, WordList, load_wire
from hardware.wiring import harness, markdown_table, wiring_page
from toml_tables import REQUIRED, Key

ROOT = Path(__file__).resolve().parent.parent
_PART = re.compile(r"(<!-- generated: ([a-z]+) -->\n)(.*?)(<!-- end -->\n)", re.DOTALL)


def wanted(wire: Wire, root: Path = ROOT) -> dict[str, str]:
    """Return every generated file: path from the project's root -> text. Raises OSError if a page that is only filled in is not there."""
    boards = [load_board(name) for name in board_names()]
    found = {
        "firmware_bridge/_wire_constants.py": python_constants(wire),
        "hardware/firmware/generated/hm_wire.h": wire_header(wire),
    }
    for board in boards:
        found |= board_targets(board)
    pages: Mapping[str, Mapping[str, Callable[[], str]]] = {
        "docs/reference/wire.md": {"messages": lambda: _messages(wire)},
        "docs/reference/board-files.md": {
            "boards": lambda: _boards(boards),
            "keys": _keys,
            "controllers": _controllers,
        },
    }
    for path, parts in pages.items():
        text = (root / path).read_text(encoding="utf-8")
        found[path] = _PART.sub(lambda part, parts=parts: f"{part[1]}{parts[part[2]]()}{part[4]}", text)  # type: ignore[misc]
    return found


def board_targets(board: BoardFile) -> dict[str, str]:
    """Return what follows from one board file: path -> text."""
    folder = f"hardware/firmware/generated/{board.id}"
    found: dict[str, str] = {}
    if board.controllers:
        found |= {f"{folder}/hm_board.{end}": text for end, text in board_code(board).items()}
    if board.controllers or board.spi or board.mcp3008:
        found[f"docs/wiring/{board.id}.md"] = wiring_page(board)
    if f"docs/wiring/{board.id}.md" in found and not board.tiles:
        found[f"docs/wiring/harness-{board.id}.yml"] = harness(board)
    return found | {f"{folder}/{one.chip}/hm_pins.h": pins_header(one) for one in board.controllers}


def stale(root: Path, wire: Wire) -> dict[str, str]:
    """Return the targets under `root` that differ from what they should be: path -> the right text."""
    return {
        path: text
        for path, text in wanted(wire, root).items()
        if not (root / path).is_file() or (root / path).read_text(encoding="utf-8") != text
    }


# ---------------------------------------------------------------- tables of the reference pages, from what the loaders use


def _boards(boards: list[BoardFile]) -> str:
    rows = [(f"`{b.id}`", len(b.squares), b.sensing.value, b.scan.hz, b.about) for b in boards]
    return markdown_table(("board", "squares", "sensing", "scans a second", "what it is"), rows)


def _keys() -> str:
    return "\n".join(_section(section, keys) for section, keys in TABLES.items())


def _section(section: str, keys: tuple[Key, ...]) -> str:
    title = (f"`[{section}]`" if section else "Top of the file") + ", may be absent" * (section in OPTIONAL_TABLES)
    rows = [
        (f"`{key.name}`", key.kind + ", may be absent" * (key.default is not REQUIRED), key.range_text, key.about)
        for key in keys
    ]
    return f"### {title}\n\n" + markdown_table(("key", "kind", "may be", "meaning"), rows)


def _controllers() -> str:
    pairs = (("linear", MULTIPLEXER_KEYS), ("digital", CHAIN_KEYS))
    rows = [(f"`{key.name}`", sensors, key.about) for sensors, keys in pairs for key in keys]
    return markdown_table(("key", "sensors", "meaning"), rows)


def _messages(wire: Wire) -> str:
    parts = ["## From the board\n", *(_message(m, wire) for m in wire.messages if m.sender == "board")]
    parts += ["\n## From the host\n", *(_message(m, wire) for m in wire.messages if m.sender == "host")]
    parts += ["\n## Enums and flags\n", *(_words(words, "number") for words in wire.enums)]
    return "".join([*parts, *(_words(words, "bit") for words in wire.flags)])


def _message(message: MessageKind, wire: Wire) -> str:
    head = wire.settings["version"] << 4 | message.number
    text = f"\n### {message.name} (number {message.number}, head {head:#04x})\n\n{sentence(message.about)}\n"
    if not message.fields:
        return text + "No payload.\n"
    rows: list[tuple[object, ...]] = []
    offset: int | None = 6 if message.sender == "board" else 2
    for field in message.fields:
        kind = f"{field.type} [{field.words}](#{field.words.lower()})" if field.words else field.type
        rows.append(("..." if offset is None else offset, _length(field), f"`{field.name}`", kind, field.about))
        offset = offset + int(_length(field)) if offset is not None and field.type in FIXED_TYPES else None
    return f"{text}\n" + markdown_table(("at", "bytes", "field", "type", "meaning"), rows)


def _length(field: Field) -> str:
    match field.type:
        case "text":
            return f"1 + up to {field.maximum}"
        case "readings":
            return "1 + a quarter of the squares, rounded up"
        case "u16-list":
            return f"1 + 2 each, up to {field.maximum} values"
        case fixed:
            return str(struct.calcsize(f"<{FIXED_TYPES[fixed]}"))


def _words(words: WordList, what: str) -> str:
    rows = [(word.number, f"`{word.name}`", word.about) for word in words.words]
    return f"\n### {words.name}\n\n{sentence(words.about)}\n\n" + markdown_table((what, "name", "meaning"), rows)


def main(arguments: list[str] | None = None, root: Path = ROOT) -> int:
    """Write, or with `--check` only name, what is stale; return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m hardware.generate", description="Make the files that follow from wire.toml and the board files."
    )
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if a file is stale")
    check: bool = parser.parse_args(arguments).check
    found = stale(root, load_wire())
    for path, text in found.items():
        if check:
            print(f"stale: {path} (run: python -m hardware.generate)", file=sys.stderr)
        else:
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text, encoding="utf-8")
            print(f"written: {path}")
    return 1 if check and found else 0


if __name__ == "__main__":
    sys.exit(main())
