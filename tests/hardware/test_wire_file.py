"""wire.toml: what it says, what the loader refuses, and that every copy of it is fresh."""

from __future__ import annotations

import binascii
import re
from pathlib import Path

import pytest

from hardware import WireFileError, load_wire
from hardware.generate import ROOT, main, stale, wanted
from hardware.wire_file import WIRE_PATH
from tests.hardware.wire_vectors import vectors_of

TEXT = WIRE_PATH.read_text(encoding="utf-8")

SPOILED = {
    "an unknown key": (("max_body = 80", "max_body = 80\nmax_bdy = 90"), "wire: unknown key 'max_bdy'"),
    "another byte order": (('byte_order = "little"', 'byte_order = "big"'), "wire.byte_order: 'big' is none of little"),
    "a number twice": (("number = 2\n", "number = 1\n"), "message 1 stands twice"),
    "a number that no half byte holds": (("number = 14\n", "number = 15\n"), "message 12.number: 15 is more than 14"),
    "an unknown field type": (('type = "u32"', 'type = "u64"'), "HELLO field 8.type: 'u64' is none of"),
    "an enum that is not there": (
        ("enum:LogLevel", "enum:Level"),
        "LOG field 1.type: 'enum:Level' names no list of words",
    ),
    "a gap in an enum": (("BLUE = [2,", "BLUE = [4,"), "enum.Reading: the numbers must count from 0 without gaps"),
    "a vector without its fields": (
        ("values = { with_raw = true }", "values = {}"),
        "vector 9.values: must be the fields of ASK_KEYFRAME",
    ),
    "a vector of nothing known": (
        ('message = "RAW"', 'message = "ROW"'),
        "vector 5.message: no message is named 'ROW'",
    ),
    "a vector that is no hex": (("05 1d fe", "05 1d fx"), "vector 13.frame: hex digits are needed"),
    "board time in a command": (
        ("seq = 254\n", "seq = 254\nboard_ms = 1\n"),
        "vector 13: board_ms belongs to the board's messages",
    ),
}


@pytest.mark.parametrize("name", SPOILED)
def test_a_spoiled_file_is_refused_with_the_place(name: str, tmp_path: Path) -> None:
    """Each fault is named with its place, and nothing of the file is used."""
    (old, new), fault = SPOILED[name]
    assert TEXT.count(old) >= 1
    path = tmp_path / "wire.toml"
    path.write_text(TEXT.replace(old, new, 1))
    with pytest.raises(WireFileError) as caught:
        vectors_of(path)  # reads the whole file before its examples
    assert any(line.startswith(fault) for line in caught.value.faults), caught.value.faults


def test_all_faults_are_told_at_once(tmp_path: Path) -> None:
    """Three faults in three places are three lines."""
    path = tmp_path / "wire.toml"
    path.write_text(
        TEXT.replace("version = 1 ", "version = 99 ")
        .replace("u32", "u64")
        .replace('"ROW"', "")
        .replace("idle_ms", "idl_ms")
    )
    with pytest.raises(WireFileError) as caught:
        load_wire(path)
    assert len(caught.value.faults) == 4  # the misspelt key is unknown and the right one missing


def test_the_golden_numbers_of_the_wire() -> None:
    """Numbers that firmware in the field relies on: changing one is a new version."""
    wire = load_wire()
    assert [(message.name, message.number, message.sender) for message in wire.messages] == [
        ("HELLO", 1, "board"),
        ("KEYFRAME", 2, "board"),
        ("RAW", 3, "board"),
        ("LOG", 4, "board"),
        ("ACK", 5, "board"),
        ("ASK_HELLO", 8, "host"),
        ("ASK_KEYFRAME", 9, "host"),
        ("THRESHOLDS", 10, "host"),
        ("ZERO", 11, "host"),
        ("GAIN", 12, "host"),
        ("SAVE", 13, "host"),
        ("SELF_TEST", 14, "host"),
    ]
    assert {
        key: wire.settings[key] for key in ("version", "baud", "max_body", "crc_start", "active_ms", "idle_ms")
    } == {
        "version": 1,
        "baud": 115200,
        "max_body": 80,
        "crc_start": 0xFFFF,
        "active_ms": 400,
        "idle_ms": 500,
    }
    assert wire.settings["crc_check"] == binascii.crc_hqx(b"123456789", wire.settings["crc_start"]) == 0x29B1


def test_every_message_has_a_vector_and_fits() -> None:
    """No message without an example, and none whose longest form exceeds a body."""
    wire = load_wire()
    assert {vector.message for vector in vectors_of()} == {message.name for message in wire.messages}
    sizes = {"u8": 1, "bool": 1, "enum": 1, "flags": 1, "u16": 2, "i16": 2, "u32": 4}
    for message in wire.messages:
        longest = 6
        for field in message.fields:
            counted = {"text": field.maximum, "u16-list": 2 * field.maximum, "readings": 64}
            longest += sizes.get(field.type) or 1 + counted[field.type]
        assert longest <= wire.settings["max_body"], message.name


def test_generated_files_are_fresh() -> None:
    """What is generated is what would be generated now."""
    assert stale(ROOT, load_wire()) == {}


def test_generate_writes_what_check_misses(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`--check` names every stale file and writes nothing; without it the files are made."""
    for page in ("wire.md", "board-files.md"):  # written by hand, but for the tables in them
        copy = tmp_path / "docs/reference" / page
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(
            re.sub(
                "(generated: .*? -->\n).*?(<!-- end)",
                r"\1\2",
                (ROOT / copy.relative_to(tmp_path)).read_text(),
                flags=re.S,
            )
        )
    assert main(["--check"], tmp_path) == 1
    assert [line.split()[1] for line in capsys.readouterr().err.splitlines()] == list(wanted(load_wire()))
    assert [path.name for path in tmp_path.iterdir()] == ["docs"]
    assert main([], tmp_path) == 0
    assert main(["--check"], tmp_path) == 0
    (tmp_path / "hardware/firmware/generated/hm_wire.h").write_text("old")
    assert main(["--check"], tmp_path) == 1


def test_the_page_names_the_numbers_of_the_wire() -> None:
    """The prose of the page is written by hand; the numbers in it are those of the file."""
    page = (ROOT / "docs/reference/wire.md").read_text(encoding="utf-8")
    wire = load_wire().settings
    for said in (
        f"by byte, version {wire['version']}.",
        f"high four bits: version {wire['version']};",
        f"| payload | 0 to {wire['max_body'] - 6} |",
        f"(start {wire['crc_start']:#06x}, polynomial 0x1021; of `123456789` it is {wire['crc_check']:#06x})",
        f"never longer than {wire['max_body'] + 4} bytes",
        f"The line: {wire['baud']} baud",
        f"within the last {wire['active_ms']} ms",
        f"{wire['idle_ms']} ms after the last.",
    ):
        assert said in page
