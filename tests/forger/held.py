"""What `hallmarshal record audit` says of forgeries, held against what the page promises each possession."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from tests.forger.chain import Signer, head_of, number_of
from tests.forger.forgeries import Forgery, seats_of
from tests.forger.record_text import Text

Audit = Callable[[str, tuple[str, ...]], tuple[int, dict[str, Any]]]
"""A record's text and further arguments -> exit code and JSON."""


def handset(seat: str) -> Signer:
    """Return the handset of a seat, or the station."""
    return Signer(number_of("a handset's secret", seat))


def countersigned(text: Text) -> Text:
    """Return a record that all its handsets and the station signed."""
    head = text.entry("chain") or ""
    who = [*seats_of(text), "station"]
    return text.having("signatures", [handset(seat).line(text.game, seat, head, text.result) for seat in who])


def possessions(text: Text) -> dict[str, tuple[str, ...]]:
    """Return the arguments of each possession of what an honest record published."""
    held: dict[str, tuple[str, ...]] = {"file": ()}
    head = text.entry("chain") or ""
    held["head"] = ("--head", head)
    held["16 digits"] = ("--head", head[: head.index(":") + 17])
    for seat in [*seats_of(text), "station"]:
        held[f"signer {seat}"] = ("--signer", f"{seat}={handset(seat).public}")
    roots = [f"{seat}={text.entry(f'root.{seat}')}" for seat in seats_of(text) if text.entry(f"root.{seat}")]
    if roots:
        held["roots"] = tuple(word for root in roots for word in ("--root", root))
    return held


def promise(forged: Forgery, possession: str) -> str:
    """Return what a possession has to find."""
    if possession in ("head", "16 digits"):
        return forged.noted
    if possession.startswith("signer"):
        word, _, seat = forged.signed.partition(" ")
        if word == "wrong" and seat:  # of one signature: who holds another's key hears as much as from the file alone
            return word if seat == possession.removeprefix("signer ") else forged.alone
        return forged.signed
    return forged.rooted if possession == "roots" else forged.alone


def said(code: int, found: dict[str, Any]) -> str:
    """Return an audit's verdict in a promise's words."""
    if code == 2:
        return "refused"
    if "chain" not in found:
        return "crash"
    chain = found["chain"]
    if code:
        return f"cut {chain['plies']}" if chain["state"] == "cut" else "wrong"
    if chain["state"] == "none":
        return "none"
    return f"unfinished {chain['plies']}" if chain["state"] == "unfinished" else "holds"


def kept(promised: str, code: int, found: dict[str, Any]) -> bool:
    """Return whether an audit finds what was promised."""
    verdict = said(code, found)
    if promised == "any":
        return verdict not in ("refused", "crash")
    if promised.startswith("missing"):
        return code == 0 and promised.removeprefix("missing ") in found["chain"]["missing"]
    if promised == "wrong":
        return code == 1 and bool(found.get("wrong"))
    if promised == "holds":
        return code == 0
    return verdict == promised


@dataclass
class Held:
    """Forgery x possession x verdict, counted, and what is not as promised."""

    counted: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    broken: list[str] = field(default_factory=list)
    forged: Counter[str] = field(default_factory=Counter)

    def honest(self, name: str, text: Text, audit: Audit) -> None:
        """Audit the record itself with each possession: nothing is wrong, and the game is complete."""
        for possession, arguments in possessions(text).items():
            code, found = audit(str(text), arguments)
            if code or found["chain"]["state"] != "complete" or found["chain"]["missing"]:
                self.broken.append(f"{name}: honest; {possession}: {found}")

    def look(self, name: str, honest: Text, forgeries: Iterable[Forgery], audit: Audit, every: int = 1) -> None:
        """Audit each forgery with each possession; with `every` each possession only of so many."""
        held = possessions(honest)
        for number, forged in enumerate(forgeries):
            self.forged[forged.kind] += 1
            text = str(forged.text)
            for at, (possession, arguments) in enumerate(_with_early(held, honest, forged)):
                if possession != "file" and (number + at) % every:
                    continue
                code, found = audit(text, arguments)
                promised = forged.alone if possession == "early head" else promise(forged, possession)
                short = possession.partition(" ")[0] if possession.startswith("signer") else possession
                verdict = said(code, found)
                self.counted[forged.kind, short, verdict.partition(" ")[0]] += 1
                if not kept(promised, code, found):
                    why = found.get("wrong") or found.get("error") or found.get("chain")
                    self.broken.append(
                        f"{name}: {forged.kind} ({forged.what}); {possession}: promised {promised}, said {verdict}: {why}"
                    )

    def table(self) -> Iterator[str]:
        """Yield the lines of the table."""
        kinds = sorted({kind for kind, _, _ in self.counted})
        columns = ("file", "early head", "head", "16 digits", "signer", "roots")
        yield "| forgery | " + " | ".join(columns) + " |"
        yield "|---" * (len(columns) + 1) + "|"
        for kind in kinds:
            cells = []
            for column in columns:
                words = sorted(
                    (word, n) for (one, two, word), n in self.counted.items() if (one, two) == (kind, column)
                )
                cells.append(", ".join(f"{word} {n}" for word, n in words))
            yield f"| {kind} | " + " | ".join(cells) + " |"


def sampled(all_of_them: Iterable[Forgery], of_each: int, rng: random.Random) -> Iterator[Forgery]:
    """Yield at most so many forgeries of each kind, anywhere in the game; all of them for 0."""
    kinds: dict[str, list[Forgery]] = {}
    for forged in all_of_them:
        kinds.setdefault(forged.kind, []).append(forged)
    for some in kinds.values():
        yield from rng.sample(some, min(of_each, len(some))) if of_each else some


def _with_early(
    held: dict[str, tuple[str, ...]], honest: Text, forged: Forgery
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the possessions, and a head that was published before what was forged."""
    yield from held.items()
    if forged.link:
        yield "early head", ("--head", head_of(honest.game, honest.of("chain"), forged.link))
