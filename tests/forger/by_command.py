"""`hallmarshal record audit` as it is called from a shell, in this process: thousands of calls, none of which starts another."""

from __future__ import annotations

import contextlib
import io
import json
from functools import cache
from pathlib import Path
from typing import Any

from referee.cli import record
from referee.cli.command import LazyParser
from referee.cli.main import guarded


class _Filled(LazyParser):
    """A parser that has its arguments already."""

    def fill(self) -> None:
        """Add none anew."""


@cache
def record_parser() -> LazyParser:
    """Return the parser of `hallmarshal record`, made once: to make it takes as long as an audit."""
    parser = _Filled(prog="hallmarshal record")
    record.add_arguments(parser)
    return parser


def audit(text: str, arguments: tuple[str, ...], folder: Path) -> tuple[int, dict[str, Any]]:
    """Return exit code and document of an audit; what it refuses says why under `error`."""
    path = folder / "forged.txt"
    path.write_text(text, encoding="utf-8")
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            args = record_parser().parse_args(["audit", str(path), "--json", *arguments])
            code = guarded(lambda: record.run(args))
        except SystemExit as end:
            code = int(end.code or 0)
    return code, json.loads(out.getvalue()) if code in (0, 1) and out.getvalue() else {"error": err.getvalue()}
