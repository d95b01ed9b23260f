"""Forgeries of a record, written from the documentation alone, and what the audit says of some; `python -m tests.forger` has all."""

from __future__ import annotations

import ast
import random
from collections.abc import Iterable
from functools import cache, partial
from pathlib import Path

import pytest

from referee.journal.records.model import View
from referee.table.views import Mode, Reveal
from tests.forger.by_command import audit
from tests.forger.chain import Signer, head_of, leaf_of, name_of, root_of, seed_of
from tests.forger.chained import chained
from tests.forger.forgeries import Forgery, forgeries, spliced
from tests.forger.games import against_the_computer, corrected_game, played, published, shown
from tests.forger.guesses import confirmed, disagreements
from tests.forger.held import Held, countersigned, sampled
from tests.forger.record_text import Text

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "docs/reference/commitments.md"
FROM_THE_PAGES = ("chain", "chained", "record_text", "forgeries", "guesses", "held")
GAME, BYTES = "0123456789abcdef", bytes(range(32)).hex()


def test_the_forger_knows_the_pages_alone() -> None:
    """Nothing of the program is imported where forgeries and promises are made."""
    for module in FROM_THE_PAGES:
        for node in ast.walk(ast.parse((HERE / f"{module}.py").read_text(encoding="utf-8"))):
            names = [name.name for name in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            for name in names:
                mine = name.startswith("tests.forger.") and name.rpartition(".")[2] in FROM_THE_PAGES
                assert mine or name.split(".")[0] not in ("referee", "tests"), f"{module} imports {name}"


def test_the_forger_makes_the_numbers_of_the_page() -> None:
    """Seed, leaf, root, head, key and signature stand there to check another program by."""
    page = PAGE.read_text(encoding="utf-8")
    seed = seed_of(BYTES, GAME, "red")
    name = name_of(GAME, "red", bytes(range(16)).hex(), "Anna")
    head = head_of(
        GAME, [f"opened rules=original mode=declare reveal=book name.red={name}", "ply 1 red d4-d5", "end blue resign"]
    )
    signed = Signer(BYTES).line(GAME, "red", head, ("blue", "resign")).split(" ")[1:]
    root = root_of(GAME, "red", {"a1": "flag", "b1": "bomb", "c1": "spy"}, seed)
    for number in (seed, leaf_of(GAME, "red", "a1", "flag", seed), root, name, head, *signed):
        assert number in page


FOREIGN = ("infiltrator", "cannon")
"""Ranks that Duel lacks."""


def unfounded(text: Text, rng: random.Random) -> Text:
    """Return a record with a word or two of its game, set-ups or plies exchanged for what could never stand there."""
    ply = rng.choice(text.blocks()[1])[0].split(" ")
    squares = [word.partition("=")[0] for word in text.of("chain")[1].split(" ")[1:]]
    words = (*FOREIGN, "?", "marshal", "bomb", "red", "blue", "l12", "b2-b9", ply[1], *ply[2:], rng.choice(squares))
    for title in rng.choices(("plies", "plies", "set-up red", "set-up blue", "game", "result"), k=rng.choice((1, 2))):
        lines = [line.split(" ") for line in text.of(title)]
        line = rng.choice(lines)
        line[rng.randrange(1, len(line))] = rng.choice(words)
        text = text.having(title, [" ".join(each) for each in lines])
    return text.saying("army", "any") if rng.random() < 0.3 else text


def test_what_could_never_be_is_wrong_or_refused_and_no_fault_of_the_program(tmp_path: Path) -> None:
    """Another game's plies in one that the computer played, ranks that the rule set lacks, and words by lot."""
    computers = shown(against_the_computer(Mode.DECLARE), View.BLUE)
    spliced_in = computers.having("plies", duel(Mode.DECLARE, View.BLUE).of("plies"))
    unknown = duel(Mode.DECLARE, View.PUBLIC)
    lines = list(unknown.of("plies"))
    at = next(n for n, line in enumerate(lines) if "x" in line)
    ply, seat, action, *_, verdict = lines[at].split(" ")
    lines[at] = " ".join((ply, seat, action, *FOREIGN, verdict))
    free = unknown.saying("army", "any")
    armed = free.standing("red", dict.fromkeys(free.set_up("red"), FOREIGN[0]))
    for text in (spliced_in, unknown.having("plies", lines), armed):
        code, found = audit(str(text), (), tmp_path)
        assert (code, bool(found.get("wrong"))) == (1, True), found
    rng = random.Random(11)
    said = [audit(str(unfounded(rng.choice((computers, unknown)), rng)), (), tmp_path) for _ in range(40)]
    assert [found for code, found in said if code not in (0, 1, 2) or (code == 1 and "wrong" not in found)] == []


def one_of_each(all_of_them: Iterable[Forgery]) -> list[Forgery]:
    """Return a forgery of every kind."""
    return list(sampled(all_of_them, 1, random.Random(3)))


@cache
def duel(mode: Mode, view: View, seed: int = 5) -> Text:
    """Return a signed record of a short game."""
    return countersigned(shown(played("duel", mode, Reveal.BOOK, seed, 16), view))


@pytest.mark.parametrize("mode", list(Mode))
def test_a_chain_made_from_the_page_is_the_table_s(mode: Mode) -> None:
    """Link for link, with roots, captures and leaves."""
    text = duel(mode, View.REFEREE).having("signatures", None)
    options = " ".join(word for word in text.of("chain")[0].split(" ") if word.startswith("option."))
    assert str(chained(text, options, text.result)) == str(text)


@pytest.mark.parametrize(("mode", "view"), [(Mode.DECLARE, View.REFEREE), (Mode.ENROL, View.RED)])
def test_some_of_each_kind_are_found(mode: Mode, view: View, tmp_path: Path) -> None:
    """One forgery of every kind, with the file alone, and in turn with a head, a signer's key and the roots."""
    text = duel(mode, view)
    held = Held()
    by_command = partial(audit, folder=tmp_path)
    held.honest(view.value, text, by_command)
    held.look(view.value, text, one_of_each(forgeries(text)), by_command, every=10)
    held.look("spliced", text, one_of_each(spliced(text, duel(mode, view, 7))), by_command, every=10)
    assert not held.broken
    assert len(held.forged) > 50


def test_some_forgeries_of_a_corrected_game_are_found(tmp_path: Path) -> None:
    """With names, a day, clocks, and what an arbiter did."""
    text = countersigned(shown(corrected_game(), View.REFEREE))
    held = Held()
    held.look("corrected", text, one_of_each(forgeries(text)), partial(audit, folder=tmp_path), every=10)
    assert not held.broken


@pytest.mark.parametrize("mode", list(Mode))
def test_nothing_hidden_is_guessed_from_what_is_published(mode: Mode) -> None:
    """Neither a rank nor a name; a leaf without a salt would be."""
    text = duel(mode, View.RED)
    mine = [seed for seed in (text.entry("seed.red"), text.entry("salt.red")) if seed]
    assert disagreements(text) == []
    rival = [
        guess for guess in confirmed(text, mine) if f" {guess.rpartition(' on ')[2]}=blue" in " ".join(text.of("chain"))
    ]
    assert confirmed(duel(mode, View.PUBLIC)) == rival == []
    for plies in range(1, 7):  # in mid-game: the head follows from what was told, so nothing else went into it
        links, head = published(mode, plies)
        assert head == head_of(text.game, links)
    assert confirmed(text.having("chain", links)) == []
    careless = leaf_of(text.game, "blue", "a7", "spy", text.game)
    begin = " ".join(("begin", "a7=blue"))
    assert confirmed(text.having("chain", [begin, f"ply 1 blue a7-a6 leaf.blue={careless}"])) == ["spy on a7"]
