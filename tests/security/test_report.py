"""The document is what the attacks' command writes, to the letter; each section's own test holds its rows against what was found."""

from __future__ import annotations

import ast
from pathlib import Path

from tests.security.report import PATH, SECTIONS, SIEGE, read, write


def test_the_document_is_whole() -> None:
    """Nothing in it was written by hand but the section of the siege, and no section is missing."""
    text = PATH.read_text()
    found = read(text)
    assert list(found) == list(SECTIONS)
    assert write(found, text.partition(SIEGE)[2]) == text


def test_every_section_is_held_by_a_test() -> None:
    """For each section there is one test that hands in its rows: a section that nobody looks at would stay green for ever."""
    held = []
    for path in Path(__file__).parent.glob("test_*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "hold":
                assert isinstance(node.args[0], ast.Constant)
                held.append(str(node.args[0].value))
    assert sorted(held) == sorted(SECTIONS)
