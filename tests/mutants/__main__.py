"""`make mutants`: break the core on purpose, line by line, and see whether `make quick` notices.

mutmut makes the mutants and runs, for each, the tests that come by its function. Every room has a workspace of its own in `build/mutants`
with what was found so far, so a run that was stopped goes on where it was. A kill stays a kill until its function changes; what lived is
tried again when tests have changed. Survivors that are kept stand in `kept.toml`, each with its reason; those that are `alike` need none.

Properties, class bodies and decorated functions have no mutants: mutmut does not wrap them.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.packages import PACKAGES, ROOT

WORK = ROOT / "build" / "mutants"
KEPT = Path(__file__).with_name("kept.toml")
ROOMS = {
    "referee/rules": ["tests/rules"],
    "referee/sensing": ["tests/sensing", "tests/hands"],
    "referee/table": ["tests/table", "tests/sensing"],
    "referee/journal": ["tests/journal", "tests/records"],
}
"""The rooms, and the tests among those of `make quick` that are tried on their mutants."""
COPIED = ["docs", "tests", *(name for name in PACKAGES if name != "referee")]
UNKNOWN, KILLED, LIVED = "not tried", "killed", "lived"
STATUS = {None: UNKNOWN, 0: LIVED, 2: UNKNOWN, 5: LIVED, 33: LIVED}
"""By the exit code of a mutant's tests: none was run at 5 and 33. Anything else is a kill: a failure, a crash or an endless loop."""
ENOUGH = 0.9
"""The share of the mutants that are not equivalent which has to be killed."""
SHOW = """
import json, sys
from mutmut.mutation.diff_apply import find_mutant, get_diff_for_mutant
print(json.dumps({name: [str(find_mutant(name).path), get_diff_for_mutant(name)] for name in json.load(sys.stdin)}))
"""


class Change(NamedTuple):
    """What a mutant changes, said so that it is found again after other changes to the file."""

    function: str
    was: str
    now: str


def workspace(room: str) -> Path:
    """Return the folder in which mutmut works on a room, up to date with the project."""
    folder = WORK / room.replace("/", "-")
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("referee", *COPIED):
        if not (link := folder / name).exists():
            link.symlink_to(ROOT / name)
    options = {
        "source_paths": ["referee"],
        "only_mutate": [f"{room}/*"],
        "also_copy": COPIED,
        "pytest_add_cli_args": [
            "-m",
            "not process",
            "--hypothesis-profile",
            "quick",
            "-p",
            "no:xdist",
            "-p",
            "tests.mutants.order",
        ],
        "pytest_add_cli_args_test_selection": ROOMS[room],
        "use_git_change_detection": False,
        "on_dependency_change": "ignore",
    }
    lines = [f"{key} = {json.dumps(value)}" for key, value in options.items()]
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    (folder / "pyproject.toml").write_text("\n".join([project, "[tool.mutmut]", *lines, ""]), encoding="utf-8")
    return folder


def metas(folder: Path, room: str) -> Iterator[Path]:
    """Return the files in which mutmut keeps what came of each module's mutants."""
    for path in sorted((folder / "mutants" / room).rglob("*.py.meta")):
        if (ROOT / path.relative_to(folder / "mutants")).with_suffix("").is_file():
            yield path


def results(folder: Path, room: str) -> dict[str, str]:
    """Return what came of each mutant, by mutmut's name for it."""
    found = {}
    for path in metas(folder, room):
        for name, code in json.loads(path.read_text(encoding="utf-8"))["exit_code_by_key"].items():
            found[name] = STATUS.get(code, KILLED)
    return found


def forget_survivors(folder: Path, room: str) -> None:
    """Have those that lived tried again, and the tests' ways measured again, if the tests have changed since."""
    tests = sorted(path for name in ROOMS[room] for path in (ROOT / name).rglob("*.py"))
    state = hashlib.sha256(b"".join(path.read_bytes() for path in tests)).hexdigest()
    known = folder / "tests.sha256"
    if known.exists() and known.read_text() == state:
        return
    known.write_text(state)
    (folder / "mutants" / "mutmut-stats.json").unlink(missing_ok=True)
    for path in metas(folder, room):
        meta = json.loads(path.read_text(encoding="utf-8"))
        codes = meta["exit_code_by_key"]
        meta["exit_code_by_key"] = {name: None if STATUS.get(code) == LIVED else code for name, code in codes.items()}
        path.write_text(json.dumps(meta), encoding="utf-8")


def try_mutants(folder: Path, room: str, sample: int | None, seed: str) -> None:
    """Make the mutants of a room and try those that nothing is known of: all, or the first so many in an order by chance."""
    mutmut = str(Path(sys.executable).with_name("mutmut"))
    if sample is None:
        subprocess.run([mutmut, "run"], cwd=folder, check=True)
        return
    # a name that no mutant has: mutmut makes the mutants and measures the tests, and then has nothing to do
    subprocess.run([mutmut, "run", "none"], cwd=folder, check=False, capture_output=True)
    known = results(folder, room)
    drawn = sorted(known, key=lambda name: hashlib.sha256((seed + name).encode()).digest())[:sample]
    if names := [name for name in drawn if known[name] == UNKNOWN]:
        subprocess.run([mutmut, "run", *names], cwd=folder, check=True)


def changes(folder: Path, names: list[str]) -> dict[str, Change]:
    """Return what these mutants change."""
    done = subprocess.run(
        [sys.executable, "-c", SHOW], cwd=folder, check=True, text=True, input=json.dumps(names), stdout=subprocess.PIPE
    )
    found = {}
    for name, (path, diff) in json.loads(done.stdout).items():
        mangled = name.rpartition(".")[2].rpartition("__mutmut_")[0]  # x_function or xǁClassǁmethod
        function = mangled.removeprefix("x_").removeprefix("xǁ").replace("ǁ", ".")
        lines = [line for line in diff.splitlines() if not line.startswith(("---", "+++"))]
        was, now = (" ".join(line[1:].strip() for line in lines if line.startswith(sign)) for sign in "-+")
        found[name] = Change(f"{path}: {function}", was, now)
    return found


def alike(change: Change) -> bool:
    """Return whether two lines say the same: SQL in other letters, and a `zip` that does not assert that its lists have one length."""
    if "execute" in change.was and change.was.lower() == change.now.lower():
        return True
    was, now = (re.sub(r", (strict=\w+)?\)", ")", line) for line in (change.was, change.now))
    return was == now


def report(folder: Path, room: str, kept: dict[Change, bool]) -> bool:
    """Print what came of a room's mutants and which live without a reason; return whether enough are killed and all others explained."""
    known = results(folder, room)
    count = Counter(known.values())
    lived = changes(folder, [name for name, what in known.items() if what == LIVED])
    equivalent = sum(kept.get(change, False) or alike(change) for change in lived.values())
    open_ones = {name: change for name, change in lived.items() if change not in kept and not alike(change)}
    for name, change in open_ones.items():
        print(f"{change.function}  ({name})\n  - {change.was}\n  + {change.now}")
    share = count[KILLED] / max(1, count[KILLED] + count[LIVED] - equivalent)
    print(
        f"{room}: {len(known)} mutants, {count[UNKNOWN]} not tried, {count[KILLED]} killed, {count[LIVED]} lived, of which"
        f" {equivalent} equivalent and {len(open_ones)} without a reason: {share:.1%} of those that can be killed"
    )
    return share >= ENOUGH and not open_ones


def main() -> int:
    """Try the mutants of some rooms; return the exit code."""
    parser = argparse.ArgumentParser(prog="make mutants", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("rooms", nargs="*", metavar="room", default=list(ROOMS), help=f"some of {' '.join(ROOMS)}")
    parser.add_argument(
        "--sample", type=int, metavar="N", help="try N mutants of each room, drawn by chance, the same in each run"
    )
    parser.add_argument("--seed", default="", metavar="TEXT", help="draw other ones")
    parser.add_argument("--report", action="store_true", help="try none, only print what is known")
    asked = parser.parse_args()
    if strange := set(asked.rooms) - set(ROOMS):
        parser.error(f"no such room: {' '.join(sorted(strange))}")
    entries = tomllib.loads(KEPT.read_text(encoding="utf-8")).get("kept", [])
    kept = {Change(one["function"], one["was"], one["now"]): one.get("equivalent", False) for one in entries}
    good = True
    for room in asked.rooms:
        folder = workspace(room)
        if not asked.report:
            forget_survivors(folder, room)
            try_mutants(folder, room, asked.sample, asked.seed)
        good &= report(folder, room, kept)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
