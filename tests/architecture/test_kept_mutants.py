"""What `make mutants` keeps is said once, with its reason, of a line that is still there."""

from __future__ import annotations

import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_every_mutant_that_is_kept_says_why() -> None:
    """An entry whose line has changed counts for nothing, and goes."""
    entries = tomllib.loads((ROOT / "tests/mutants/kept.toml").read_text(encoding="utf-8"))["kept"]
    assert len({(one["function"], one["was"], one["now"]) for one in entries}) == len(entries)
    for one in entries:
        lines = (ROOT / one["function"].partition(": ")[0]).read_text(encoding="utf-8").splitlines()
        assert one["was"] in " ".join(line.strip() for line in lines), one["was"]
        assert one["why"]
