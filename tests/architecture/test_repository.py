"""The repository keeps its own promises about size, words and words that do not belong in it."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.process

ROOT = Path(__file__).resolve().parents[2]


def tracked(*patterns: str) -> list[Path]:
    """Return the project's files, tracked or about to be; without git (a source archive) all files below the root."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", *patterns],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if listed.returncode == 0:
        return [ROOT / line for line in listed.stdout.splitlines() if (ROOT / line).is_file()]
    return [path for pattern in patterns or ("*",) for path in ROOT.rglob(pattern) if path.is_file()]


def test_modules_and_functions_stay_small_and_names_say_something() -> None:
    """No module over 700 lines, no function over 60; no `manager`, `handler`, `utils` (design), neither as a file nor as a class."""
    empty = re.compile(r"manager|handler|utils?$|helpers?$", re.IGNORECASE)
    for path in tracked("*.py"):
        text = path.read_text()
        assert text.count("\n") <= 700, f"{path} is too long"
        assert not empty.search(path.stem), path
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                length = (node.end_lineno or node.lineno) - node.lineno + 1
                assert length <= 60, f"{path}: {node.name} has {length} lines"
            elif isinstance(node, ast.ClassDef):
                assert not empty.search(node.name), f"{path}: {node.name}"


def test_docstrings_say_what_is_returned_or_done() -> None:
    """None begins with Give, Tell or Say."""
    found = [
        f"{path.relative_to(ROOT)}:{getattr(node, 'lineno', 1)}"
        for path in tracked("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and re.match(r"(Give|Tell|Say)s?\b", ast.get_docstring(node) or "")
    ]
    assert found == []


def test_documents_link_to_files_that_exist() -> None:
    """Every relative link in the README and the documents leads somewhere."""
    link = re.compile(r"\]\((?!https?:|#|mailto:)([^)#\s]+)")
    for path in tracked("*.md"):
        for target in link.findall(path.read_text()):
            assert (path.parent / target).exists(), f"{path} links to {target}"


def test_the_index_lists_every_page() -> None:
    """`docs/README.md` links to every document; the wiring pages, one a board, are their folder's."""
    index = ROOT / "docs" / "README.md"
    linked = {(index.parent / target).resolve() for target in re.findall(r"\]\(([^)#\s]+)", index.read_text())}
    pages = {path for path in tracked("docs/*.md") if path != index and path.parent.name != "wiring"}
    assert pages <= linked, sorted(str(path.relative_to(ROOT)) for path in pages - linked)


def test_documents_name_files_that_exist() -> None:
    """Every path of a room that a document writes in code letters is there, or is a folder that git leaves to builds."""
    named = re.compile(
        r"`((?:benchmarks|docs|firmware_bridge|hardware|kiosk_ui|referee|simulator|tests|toml_tables)/[\w./-]+)`"
    )
    for path in tracked("*.md"):
        for target in named.findall(path.read_text()):
            assert "/build/" in target or (ROOT / target).exists(), f"{path} names {target}"


def test_pages_name_files_that_exist() -> None:
    """A script or a type of the pages names the Python file that it follows, and that is there."""
    for path in tracked("*.js", "*.ts"):
        for target in re.findall(r"\breferee/[\w./-]+\.py\b", path.read_text()):
            assert (ROOT / target).exists(), f"{path} names {target}"


def test_an_interpreter_is_looked_for_only_after_apt_has_run() -> None:
    """On a bare Debian there is none when make reads its file: what would look then would find nothing, the first time."""
    dry = ["--dry-run", "--always-make", "install-table", "PATH=/nowhere"]
    make = shutil.which("make")
    assert make is not None
    told = subprocess.run([make, *dry], cwd=ROOT, capture_output=True, text=True, check=True)
    assert (told.stderr, '"$(.ci/find-python)" -m venv' in told.stdout) == ("", True)
    assert told.stdout.index("install-apt") < told.stdout.index("find-python")


@pytest.mark.parametrize(("pointer_bytes", "code"), [(8, 0), (4, 3)])
def test_a_32_bit_python_is_refused_before_pip_runs(tmp_path: Path, pointer_bytes: int, code: int) -> None:
    """A 64 bit kernel may have 32 bit programs, for which there are no wheels: one line, not a compiler's hour."""
    python = tmp_path / "python"
    python.write_text(f"#!/bin/sh\necho {pointer_bytes}\n")
    python.chmod(0o755)
    done = subprocess.run([ROOT / ".ci" / "check-64-bit", python], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.count("\n")) == (code, 1 if code else 0)
    assert ".ci/check-64-bit $(BIN)/python\n" in (ROOT / "Makefile").read_text().partition("\t$(PIP)")[0]


def test_documents_and_heads_name_files_that_exist_anywhere() -> None:
    """A bare file name in code letters, in a document or in a module's head, is some file's of the project."""
    named = re.compile(r"`([\w-]+\.(?:py|js|kv|toml|c|h))`")
    there = {path.name for path in tracked()}
    made_by_users = {"FILE.toml", "profile.toml"}
    modules = {path: text for path in tracked("*.py") if named.search(text := path.read_text())}
    heads = {path: ast.get_docstring(ast.parse(text)) or "" for path, text in modules.items()}
    texts = {path: path.read_text() for path in tracked("*.md") if path.name != "CHANGELOG.md"}
    for path, text in (heads | texts).items():
        lost = set(named.findall(text)) - there - made_by_users
        assert not lost, f"{path.relative_to(ROOT)} names {sorted(lost)}"
