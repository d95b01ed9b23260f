"""Every call of a logger, read: a fixed text, and nothing among its values that could hold a secret (docs/why/logging.md)."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tests.architecture.test_arrows import MODULES

LEVELS = {"debug", "info", "warning", "error", "critical", "log"}
SECRET = (
    *(
        "rank",
        "piece",
        "set_up",
        "letter",
        "message",
        "payload",
        "body",
        "line",
        "text",
        "hidden",
        "fact",
        "verb",
        "order",
        "motion",
    ),
    *(
        "secret",
        "password",
        "pin",
        "cookie",
        "token",
        "code",
        "digits",
        "key",
        "keys",
        "credential",
        "grant",
        "link",
        "links",
        "join",
    ),
    *("sealed", "typed", "sent", "headers", "path", "requestline", "command"),
)
"""Last names of values that are never logged, alone; their lengths, classes and stable words are."""
REVIEWED = {
    ("referee.journal.journal", "path"): "of the journal's file, which the table's owner has chosen",
    ("kiosk_ui.run", "code"): "an exit code",
    ("referee.runtime.child_processes", "code"): "an exit code",
    ("referee.log_output", "text"): "what a child process has logged, under the same rules",
}


def calls(source: str) -> Iterator[ast.Call]:
    """Yield every call of a method of `_log`, or of what `getLogger` returns."""
    if "_log" not in source and "getLogger" not in source:
        return  # most modules log nothing, and need not be parsed
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            owner = node.func.value
            made_here = isinstance(owner, ast.Call) and ast.unparse(owner.func) == "logging.getLogger"
            if (isinstance(owner, ast.Name) and owner.id == "_log") or (made_here and node.func.attr in LEVELS):
                yield node


def faults(name: str, source: str) -> list[str]:
    """Return the faults of a module's log calls, in words."""
    found = []
    for call in calls(source):
        assert isinstance(call.func, ast.Attribute)
        level, given = call.func.attr, call.args[call.func.attr == "log" :]
        if level not in LEVELS or call.keywords:
            found.append(f"{name}: {level} with a traceback or more")
        if not isinstance(given[0], ast.Constant):
            found.append(f"{name}: a text that is put together: {ast.unparse(given[0])}")
        for value in given[1:]:
            last = value.attr if isinstance(value, ast.Attribute) else value.id if isinstance(value, ast.Name) else ""
            if last.lstrip("_") in SECRET and (name, last) not in REVIEWED:
                found.append(f"{name}: {ast.unparse(value)}")
    return found


def test_no_log_call_is_given_a_secret() -> None:
    """No text that is put together, no traceback, no value by one of the names of secrets."""
    assert [fault for name, path in MODULES for fault in faults(name, path.read_text())] == []
    assert sum(len(list(calls(path.read_text()))) for _, path in MODULES) > 30


def test_what_is_wrong_with_a_log_call_is_found() -> None:
    """Each kind of fault."""
    bad = '_log.info(f"{x}")\n_log.exception("x")\n_log.info("x", exc_info=True)\n_log.debug("%s", self._password)\n_log.log(1, "%s", pin)'
    assert len(faults("x", bad)) == 5
    assert faults("x", '_log.debug("%d bytes go by %s", len(payload), message.topic)') == []
