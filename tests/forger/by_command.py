"""`hallmarshal record audit` as it is called from a shell, in this process: thousands of calls, none of which starts another."""

from __future__ import annotations

import contextlib
import io
import json
from pathlib import Path
from typing import Any

from referee.cli.main import main


def audit(text: str, arguments: tuple[str, ...], folder: Path) -> tuple[int, dict[str, Any]]:
    """Return exit code and document of an audit; what it refuses says why under `error`."""
    path = folder / "forged.txt"
    path.write_text(text, encoding="utf-8")
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main(["record", "audit", str(path), "--json", *arguments])
        except SystemExit as end:
            code = int(end.code or 0)
    return code, json.loads(out.getvalue()) if code in (0, 1) and out.getvalue() else {"error": err.getvalue()}
