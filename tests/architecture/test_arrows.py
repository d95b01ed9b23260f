"""Arrows point inward: the table of rooms in docs/why/architecture.md, proved by walking every import."""

from __future__ import annotations

import ast
import graphlib
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.packages import PACKAGES, ROOT

# room -> what it may import of ours, and the libraries that it may use besides the standard library. The longest name that
# fits a module is its room. What is not listed is forbidden.
_NET = {"referee.rules", "referee.table", "referee.private_file", "referee.net.errors", "referee.net.credential"}
_PRODUCT = {
    *("hardware", "firmware_bridge", "simulator", "referee.rules", "referee.words", "referee.sensing", "referee.table"),
    *(
        "referee.journal",
        "referee.net",
        "referee.presentation",
        "referee.terminal",
        "referee.terminal_text",
        "referee.log_output",
    ),
    *(
        "referee.field_trial",
        "referee.runtime",
        "referee.tournament",
        "referee.web",
        "referee.door.front_door",
        "referee.private_file",
        "referee.version",
        "referee.handset",
        "referee.analysis",
        "referee.library",
        "referee.cli",
    ),
}
ROOMS: dict[str, tuple[set[str], set[str]]] = {
    "toml_tables": (set(), set()),  # what reads every TOML file, below all rooms; it knows neither board nor game
    "hardware": ({"toml_tables"}, set()),
    "firmware_bridge.wire": ({"hardware"}, set()),
    "firmware_bridge": ({"toml_tables", "hardware"}, {"serial", "gpiozero"}),
    "simulator": ({"toml_tables", "hardware", "firmware_bridge"}, {"gpiozero"}),
    "referee": (set(), set()),
    "referee.rules": ({"toml_tables"}, set()),
    "referee.words": ({"referee.rules"}, set()),
    "referee.sensing": ({"referee.rules", "firmware_bridge.messages"}, set()),
    "referee.table": ({"referee.rules", "referee.sensing"}, {"msgspec"}),
    "referee.table.conduct": (  # what happens beside play knows nothing of play
        {
            "referee.rules",
            *(f"referee.table.{name}" for name in ("arbiter_commands", "clocks", "dual_game", "messages")),
        }
        | {f"referee.table.{name}" for name in ("settings", "state", "step", "views")},
        set(),
    ),
    "referee.journal": (  # what a record proves of a computer's choices is found by making them again
        {"referee.rules", "referee.table", "referee.computer", "referee.private_file"},
        {"msgspec", "nacl"},
    ),
    "referee.net": ({*_NET, "referee.net.topics"}, {"nacl"}),
    "referee.net.topics": (_NET, {"msgspec"}),
    "referee.net.sealing": ({*_NET, "referee.net.topics"}, {"msgspec", "nacl"}),
    "referee.net.links": ({*_NET, "referee.net.topics", "referee.net.sealing"}, {"msgspec", "paho"}),
    "referee.net.broker": ({*_NET, "referee.net.topics", "referee.net.sealing", "referee.net.links"}, {"msgspec"}),
    "referee.net.pairing": ({*_NET, "referee.net.topics", "referee.net.broker"}, {"msgspec", "nacl"}),
    "referee.field_trial": (
        {"referee.rules", "referee.sensing", "firmware_bridge.messages", "simulator.profiles"},
        set(),
    ),
    "referee.computer": ({"referee.rules"}, set()),
    "referee.analysis": ({"referee.rules", "referee.journal.records"}, set()),
    "referee.analysis.knowledge": ({"referee.analysis.counting", "referee.rules"}, set()),  # it needs no record
    "referee.library": (
        {
            *(
                "referee.rules",
                "referee.journal",
                "referee.analysis",
                "referee.table",
                "referee.words",
                "referee.private_file",
            ),
            *(
                "referee.presentation",
                "referee.net.credential",
                "referee.net.errors",
                "referee.door.messages",
                "referee.version",
            ),
        },
        {"msgspec", "nacl"},
    ),
    "referee.presentation": ({"referee.rules", "referee.words", "referee.table.views"}, {"rich"}),
    "referee.terminal": ({"referee.presentation", "referee.table.views", "referee.terminal_text"}, {"rich"}),
    "referee.runtime": (
        {
            *("referee.rules", "referee.words", "referee.sensing", "referee.table", "referee.journal", "referee.net"),
            *(
                "referee.web",
                "referee.library",
                *("referee.door.front_door", "referee.door.messages", "referee.door.settings"),
                *("referee.field_trial", "referee.presentation.sentences"),
                "referee.private_file",
                "referee.log_output",
                "referee.version",
                "firmware_bridge",
                "hardware",
                "simulator",
                "toml_tables",
            ),
        },
        {"msgspec", "nacl", "rich", "segno"},
    ),
    "kiosk_ui": (
        {"referee.rules", "referee.table.views", "referee.words", "referee.presentation", "referee.net"},
        {"kivy", "msgspec", "segno"},
    ),
    "kiosk_ui.fixtures": (
        {"kiosk_ui", "referee.rules", "referee.table", "referee.words", "referee.presentation"},
        {"msgspec"},
    ),
    "referee.handset": (  # a handset without a phone; it knows neither table nor board
        {
            *("referee.rules", "referee.words", "referee.table.messages", "referee.table.views", "referee.journal"),
            *("referee.net", "referee.presentation", "referee.terminal", "referee.private_file"),
            *("referee.table.heard_chain", "referee.runtime.set_ups"),
        },
        {"msgspec", "rich"},
    ),
    "referee.simulated_players": (  # what plays without people, for all that must not know each other: demo, station --demo, benches
        {
            *("hardware", "firmware_bridge", "simulator", "referee.rules", "referee.table", "referee.net"),
            "referee.runtime",
        },
        set(),
    ),
    "referee.simulated_players.computer_seat": (  # a handset process that plays by itself
        {
            *("referee.rules", "referee.table", "referee.net", "referee.computer", "referee.handset.joining"),
            *(
                "referee.simulated_players",
                "referee.runtime.errors",
                "referee.runtime.table_plan",
                "referee.log_output",
            ),
        },
        {"msgspec"},
    ),
    "referee.simulated_players.hall_event": (
        {
            *("referee.simulated_players.hall_table", "referee.rules", "referee.table.settings", "referee.tournament"),
            "referee.runtime.state_folder",
        },
        set(),
    ),
    "referee.demo": (
        {
            *("hardware", "firmware_bridge", "referee.rules", "referee.table", "referee.simulated_players"),
            *("referee.journal", "referee.net", "referee.runtime", "referee.terminal", "referee.log_output"),
        },
        {"msgspec", "rich"},
    ),
    "referee.tournament": (set(), set()),
    "referee.tournament.event": ({"referee.rules"}, {"networkx"}),
    "referee.tournament.store": ({"referee.tournament.event"}, {"msgspec", "sqlalchemy"}),
    "referee.tournament.public": (
        {
            *("referee.rules", "referee.words", "referee.tournament.event", "referee.tournament.store"),
            *("referee.web.files", "referee.private_file"),
        },
        {"segno"},
    ),
    "referee.tournament.hall": (
        {
            *("referee.rules", "referee.table.views", "referee.table.arbiter_commands", "referee.net"),
            *("referee.private_file", "referee.table.chain", "referee.table.commitments"),  # a station signs ends
            *("referee.tournament.event", "referee.tournament.store", "referee.door", "referee.web.files"),
            "referee.tournament.public",
            "referee.library",  # the games that spectators have seen
            "referee.runtime.typed_lines",
        },
        {"msgspec", "segno"},
    ),
    "referee.door": ({"referee.log_output"}, {"aiohttp"}),
    "referee.web": ({"referee.rules", "referee.words", "referee.net", "referee.door"}, set()),
    "referee.web.generate": ({"referee.presentation.emblems"}, set()),
    "referee.cli": (_PRODUCT, {"msgspec", "rich", "segno"}),
    "referee.cli.bench": (_PRODUCT | {"benchmarks"}, set()),
    "referee.cli.demo": (_PRODUCT | {"referee.demo"}, set()),
    "referee.cli.station_demo": (_PRODUCT | {"referee.simulated_players"}, set()),
    "referee.cli.kiosk": (_PRODUCT | {"kiosk_ui"}, set()),
    "fault_injection.siege": (
        set(),
        {"nacl", "paho"},
    ),  # from the documents alone: nothing of the product can help an attack
    "fault_injection": (
        {
            *("hardware", "firmware_bridge", "simulator", "referee.rules", "referee.sensing", "referee.table"),
            *("referee.journal", "referee.net.sealing.signing", "referee.runtime"),
        },
        {"rich"},
    ),
    # what is measured: the product, and simulated players at it; of its commands only the processes that they start
    "benchmarks": (
        _PRODUCT - {"referee.cli"} | {"referee.computer", "referee.simulated_players", "fault_injection", "kiosk_ui"},
        {"gpiozero", "nacl", "playwright", "rich"},
    ),
}
# Rooms beside the product, and all that imports them: each has its own command file in cli, and what two of them need is below them.
# `station --demo` is a command of its own, but no part of `hallmarshal demo`: it plays a hall's event, with the same players.
IMPORTERS: dict[str, set[str]] = {
    "referee.demo": {"referee.cli.demo"},
    "benchmarks": {"referee.cli.bench"},
    "kiosk_ui": {"referee.cli.kiosk", "benchmarks.kiosk"},  # that bench paints its pictures in its own process
    "referee.simulated_players.hall_event": {"referee.cli.station_demo"},
}

# What a sans-I/O room may not import from the standard library: clocks, sockets, threads, files, chance.
PURE = (
    *("referee.rules", "referee.sensing", "referee.table", "referee.presentation", "referee.tournament.event"),
    *("referee.field_trial", "referee.computer", "referee.analysis"),
    *("firmware_bridge.wire", "firmware_bridge.messages", "firmware_bridge.host_firmware"),
    *("firmware_bridge.advice", "firmware_bridge.calibration", "firmware_bridge.checkup"),
)
IMPURE_MODULES = {
    *(
        "asyncio",
        "datetime",
        "io",
        "logging",
        "multiprocessing",
        "os",
        "pathlib",
        "queue",
        "random",
        "secrets",
        "select",
    ),
    *("selectors", "shutil", "signal", "socket", "sqlite3", "subprocess", "tempfile", "threading", "time"),
}
# What runs instead of parsing and printing: no command imports one of these, has a coroutine, or makes, changes or moves a file. Where
# a command takes the name of a file to write, the room that it calls writes it.
RUNS = {
    *(
        "asyncio",
        "concurrent",
        "ctypes",
        "fcntl",
        "grp",
        "http",
        "multiprocessing",
        "pwd",
        "queue",
        "resource",
        "sched",
        "select",
    ),
    *(
        "selectors",
        "shutil",
        "signal",
        "socket",
        "socketserver",
        "sqlite3",
        "subprocess",
        "tempfile",
        "threading",
        "time",
    ),
}
CHANGES_FILES = {
    *("chmod", "mkdir", "makedirs", "rename", "rmdir", "rmtree", "touch", "unlink", "write_bytes", "write_text"),
    *("symlink_to", "hardlink_to", "write_private"),
}
# The one place in the rules that reads files: rule sets are data beside the code, and house rules are a user's file. What makers are told
# is data beside the code as well.
READS_FILES = {"referee.rules.fields", "referee.rules.library", "firmware_bridge.advice"}
OPENERS = {"referee.table", "referee.net.sealing.sealing", "referee.journal.sealing", "referee.rules.hidden"}
BENCHES = {"benchmarks.hand_match", "fault_injection.killable_referee"}
"""They play both handsets, so they open letters as those do; nothing of it leaves the bench."""


def modules() -> list[tuple[str, Path]]:
    """Return every module of ours as its dotted name and path."""
    found = []
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            found.append((".".join(parts[:-1] if parts[-1] == "__init__" else parts), path))
    return found


class Names(NamedTuple):
    """What a file names, wherever in the file it does so."""

    imports: set[str]
    calls: set[str]
    attributes: set[str]


@cache
def names_in(path: Path) -> Names:
    """Return the dotted names that a file imports, the bare names that it calls and the attributes that it uses."""
    found = Names(set(), set(), set())
    for node in ast.walk(ast.parse(path.read_text())):
        match node:
            case ast.Import():
                found.imports.update(alias.name for alias in node.names)
            case ast.ImportFrom():
                assert node.level == 0, f"{path}: relative import"
                found.imports.update(f"{node.module}.{alias.name}" for alias in node.names)
            case ast.Call(func=ast.Name(id=called)):
                found.calls.add(called)
            case ast.Attribute(attr=attribute):
                found.attributes.add(attribute)
    return found


def imports(path: Path) -> set[str]:
    """Return the dotted names that a file imports."""
    return names_in(path).imports


def inside(name: str, prefix: str) -> bool:
    """Return whether a dotted name is the prefix or lies below it."""
    return name == prefix or name.startswith(prefix + ".")


def room_of(module: str) -> str:
    """Return the room of a module: the longest name in the table that fits."""
    return max((room for room in ROOMS if inside(module, room)), key=len)


MODULES = modules()


@pytest.mark.parametrize(("module", "path"), MODULES, ids=[name for name, _ in MODULES])
def test_imports_point_inward(module: str, path: Path) -> None:
    """A module imports its own room, the rooms that the table gives it, and the libraries that the table gives it."""
    room = room_of(module)
    ours, libraries = ROOMS[room]
    allowed = ours | {room}
    if module in ("firmware_bridge.wire", "firmware_bridge.messages") or room == "firmware_bridge.wire":
        allowed |= {"firmware_bridge"}
    for name in imports(path):
        top = name.split(".")[0]
        if top in PACKAGES:
            assert any(inside(name, prefix) for prefix in allowed), f"{module} imports {name}"
        elif top not in __import__("sys").stdlib_module_names:
            assert top in libraries, f"{module} imports the library {name}"


@pytest.mark.parametrize(("room", "importers"), IMPORTERS.items(), ids=list(IMPORTERS))
def test_a_room_beside_the_product_is_entered_by_its_own_command(room: str, importers: set[str]) -> None:
    """Its own command file imports it; no other command does, and no room of the product."""
    found = {module for module, path in MODULES if any(inside(name, room) for name in imports(path))}
    assert {module for module in found if not inside(module, room)} == importers


@pytest.mark.parametrize("room", sorted(ROOMS))
def test_no_room_imports_a_command(room: str) -> None:
    """Command lines are the outermost room: only they import each other."""
    if inside(room, "referee.cli"):
        return
    members = [path for module, path in MODULES if room_of(module) == room]
    assert not [name for path in members for name in imports(path) if inside(name, "referee.cli")]


@pytest.mark.parametrize(
    ("module", "path"),
    [(name, path) for name, path in MODULES if any(inside(name, room) for room in PURE)],
    ids=[name for name, _ in MODULES if any(inside(name, room) for room in PURE)],
)
def test_the_core_is_pure(module: str, path: Path) -> None:
    """The core has no clock, thread, socket, file or chance inside; calls of `open` and `print` count as well."""
    if module in READS_FILES:
        return
    found = {name.split(".")[0] for name in imports(path)} & IMPURE_MODULES
    assert not found, f"{module} imports {sorted(found)}"
    called = names_in(path).calls & {"open", "print", "input"}
    assert not called, f"{module} calls {sorted(called)}"


@pytest.mark.parametrize(
    ("module", "path"),
    [(name, path) for name, path in MODULES if inside(name, "referee.cli")],
    ids=[name for name, _ in MODULES if inside(name, "referee.cli")],
)
def test_commands_parse_and_print(module: str, path: Path) -> None:
    """No command has processes, threads, sockets or signals of its own, waits, or changes files: the rooms that it calls do."""
    found = {name.split(".")[0] for name in imports(path)} & RUNS
    assert not found, f"{module} imports {sorted(found)}"
    names = names_in(path)
    done = (names.calls | names.attributes) & CHANGES_FILES
    assert not done, f"{module} calls {sorted(done)}"
    assert not [
        node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.AsyncFunctionDef | ast.Await)
    ]


def test_command_lines_are_read_by_commands() -> None:
    """Besides commands only benches and the programs that are started by themselves read one; two more say what an argument may be."""
    readers = {module for module, path in MODULES if any(inside(name, "argparse") for name in imports(path))}
    strangers = {
        module for module in readers if not any(inside(module, room) for room in ("referee.cli", "benchmarks"))
    }
    programs = {"hardware.draw", "hardware.generate", "simulator.make_field_table", "simulator.process"}
    assert strangers == programs | {"referee.log_output", "simulator.profiles"}


def test_only_three_rooms_open_what_is_hidden() -> None:
    """`open_hidden` is called at the table and in the two sealing modules, and nowhere else."""
    callers = {module for module, path in MODULES if names_in(path).attributes & {"open_hidden", "_Hidden__value"}}
    strangers = {module for module in callers if not any(inside(module, opener) for opener in OPENERS | BENCHES)}
    assert not strangers


def test_no_module_imports_itself_on_a_way_round() -> None:
    """There is no import cycle, `TYPE_CHECKING` and imports inside functions included."""
    known = {name for name, _ in MODULES}
    graph = {
        module: {name if name in known else name.rpartition(".")[0] for name in imports(path)} & known - {module}
        for module, path in MODULES
    }
    ordered = graphlib.TopologicalSorter(graph)
    try:
        ordered.prepare()
    except graphlib.CycleError as error:
        raise AssertionError(" <- ".join(error.args[1])) from None
