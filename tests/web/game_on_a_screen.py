"""Whole games against the computer, played on the page of `make play` by one who knows nothing but what that page shows.

    .venv/bin/python -m tests.web.game_on_a_screen [--games 4] [--seed 1] [--rules duel] [--level 1]

Games are played by mouse and by touch in turn, in six languages. The player reads squares, sentences and buttons; it moves its pieces
and the computer's, shows attacks, tells ranks, clears the board, and now and then hovers, slides, uses keys or lets the page's buttons do
it. What stops it, and every question that was not called for, is a finding.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
import time
from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path
from random import Random
from typing import Any

from playwright.sync_api import Browser, Error

from benchmarks.handset import chromium
from referee.rules.values import Rank, Seat
from referee.words import LANGUAGES, words
from tests.demo.running import hallmarshal
from tests.web.screens import HIGH, WIDE, Screen, ScreenTable

TURN_S = 8.0
"""Who sees nothing to do for so long on the board looks at the phone, or the other way round."""
MOST_TURNS = 7
"""Who did so in vain so often since he last did something stays where he is."""
STUCK_S = 60.0
"""What changes nothing for so long, with nothing to do, has stopped the player."""
HEARD_S = 4.0
"""So long the page has to show that it heard."""
STILL_MS = 150
"""People look twice: what they see has stayed so for this long."""
MOST_PLIES = 240
_SOME = r"[^.\n·]+?"

LOOK = """() => {
  const seen = (each) => each.checkVisibility();
  const text = (from, what) => [...from.querySelectorAll(what)].filter(seen).map((each) => each.innerText.trim());
  const squares = [...document.querySelectorAll(".screen-board [data-square]")];
  const phone = document.querySelector("iframe").contentDocument;
  const said = (from) => ({ headline: text(from, ".headline h1").join(" "), detail: text(from, ".headline p").join(" ") });
  return {
    ...said(document),
    squares: Object.fromEntries(squares.map((each) => [each.dataset.square, each.getAttribute("aria-label")])),
    bar: text(document, ".screen > section .bar button:not(:disabled)"),
    tabs: text(document, ".tabs button"),
    phone: { ...said(phone), choices: text(phone, ".question .choice") },
  };
}"""
CHANGED = (
    f"([seen, heads, stillMs, mostMs]) => new Promise((resolve) => {{ const look = {LOOK};"
    + """
  const part = (one) => JSON.stringify(heads.length > 0 ? [heads.map((head) => one[head]), one.phone.choices] : one);
  let still;
  const tell = (one) => { observer.disconnect(); clearTimeout(still); clearTimeout(end); resolve(one); };
  const settle = () => { if (part(look()) !== part(seen)) tell(look()); };
  const again = () => { clearTimeout(still); still = setTimeout(settle, stillMs); };
  const observer = new MutationObserver(again);
  const all = { subtree: true, childList: true, characterData: true, attributes: true };
  for (const each of [document, document.querySelector("iframe").contentDocument]) observer.observe(each, all);
  const end = setTimeout(() => tell(null), mostMs);
  again();
})"""
)
"""What the page shows once that differs from what was `seen` (in these parts of it, where there are any) and is still; else null."""


class StoppedError(Exception):
    """The player does not know how to go on."""


@dataclass
class ScreenPlayer:
    """Red, alone in front of one page."""

    screen: Screen
    language: str
    random: Random
    touches: bool
    log: list[str] = field(default_factory=list)
    findings: list[str] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    own: dict[str, Rank] = field(default_factory=dict)
    tried: set[tuple[str, str]] = field(default_factory=set)
    """Moves of this turn: none is made twice."""
    held: list[int] = field(default_factory=list)
    """The fingers that hold both pieces of an attack."""
    result: str = ""

    def __post_init__(self) -> None:
        self.words = words(self.language)
        self.phone = self.screen.page.frame_locator("iframe")
        self.seats = {self.words.seat(seat): seat for seat in (Seat.RED, Seat.BLUE)}
        self.squares: frozenset[str] = frozenset()
        self.my_turn = self.words.say("turn.to-move", seat=self.words.seat(Seat.RED))

    # ---- reading

    def look(self) -> dict[str, Any]:
        """Return what the page shows."""
        return dict(self.screen.page.evaluate(LOOK))

    def occupants(self, seen: dict[str, Any]) -> dict[str, Seat]:
        """Return where pieces stand, as the squares are called."""
        found = {
            square: re.split(r"\s?: ", label, maxsplit=1)[1].split(",")[0] for square, label in seen["squares"].items()
        }
        return {square: self.seats[text] for square, text in found.items() if text in self.seats}

    def match(self, key: str, text: str) -> dict[str, str] | None:
        """Return what stands in the gaps of a sentence, None where the text does not hold it."""
        gap = dict.fromkeys(("square", "source", "target"), r"[a-z]\d+")
        parts = re.split(r"\{(\w+)\}", self.words[key])
        gaps = [f"(?P<{name}>{gap.get(name, _SOME)})" for name in parts[1::2]]
        pattern = "".join(f"{re.escape(text)}{gap}" for text, gap in zip_longest(parts[::2], gaps, fillvalue=""))
        found = re.search(pattern + r"(?=$|[\s.,])", text)
        return None if found is None else found.groupdict()

    def says(self, key: str, seen: dict[str, Any]) -> dict[str, str] | None:
        """Return the same of what is said beside the board."""
        return self.match(key, f"{seen['headline']}\n{seen['detail']}")

    # ---- before the game

    def begin(self) -> None:
        """Hand in a set-up of chance, and remember it."""
        self.press("set-up.random")
        for line in self.phone.locator(".zone .square.filled").all_inner_texts():
            square, rank = re.search(r"([a-z]\d+) (.+)", line.replace("\n", " ")).groups()  # type: ignore[union-attr]
            self.own[square] = next(each for each in Rank if self.words.rank(each) == rank)
        self.press("set-up.hand-in")

    def press(self, key: str) -> None:
        """Press a button of the phone."""
        self.log.append(f"press {key}")
        button = self.phone.get_by_role("button", name=self.words[key], exact=True)
        button.tap() if self.touches else button.click()

    # ---- hands

    def act(self, what: str, *way: str, lift: bool = True) -> None:
        """Carry a piece over these places with a finger or the mouse, or push it."""
        self.log.append(f"{what} {'-'.join(way)}")
        self.counts[what] += 1
        screen = self.screen
        if not lift:
            screen.page.keyboard.down("Shift")
        if self.touches and lift:
            screen.touch(way[0])
            for place in way[1:]:
                screen.carry(place)
            screen.release()
        else:
            screen.drag(*way)
        if not lift:
            screen.page.keyboard.up("Shift")

    def move(self, source: str, target: str, near: bool) -> None:
        """Move a piece to an empty square in one of the ways that the page has."""
        how = self.random.choice(("carry", "carry", "hover", "slide", "keys") if near else ("carry", "hover"))
        if how == "hover":
            self.act("hover", source, target, source)
        if how != "keys":
            self.act("move", source, target, lift=how != "slide")
            return
        self.log.append(f"keys {source}-{target}")
        self.counts["keys"] += 1
        column, row = ord(target[0]) - ord(source[0]), int(target[1:]) - int(source[1:])
        arrow = {(1, 0): "ArrowRight", (-1, 0): "ArrowLeft", (0, 1): "ArrowUp", (0, -1): "ArrowDown"}[column, row]
        self.screen.keys(source, "Enter", arrow, "Enter")

    def attack(self, source: str, target: str) -> None:
        """Show an attack: carry one piece onto the other, or lift both with two fingers."""
        if self.touches and self.random.random() < 0.5:
            self.log.append(f"both {source} {target}")
            self.counts["both"] += 1
            self.screen.touch(source, 1)
            self.screen.touch(target, 2)
            self.held = [1, 2]
        else:
            self.act("onto", source, target)

    def put(self, square: str, seat: Seat, there: dict[str, Seat]) -> None:
        """Put a piece out of the box where one is missing, in place of a rival's if one stands there."""
        if there.get(square) not in (None, seat):
            self.act("take off", square, f"box of {there[square].value}")
        self.act("put", f"box of {seat.value}", square)

    # ---- what to do

    def step(self, seen: dict[str, Any]) -> bool:
        """Do what the page asks for; return whether there was something to do."""
        phone, there = seen["phone"], self.occupants(seen)
        if self.held:  # the phone is in front: a finger is needed for it
            while self.held:
                self.screen.release(self.held.pop())
            return True
        if phone["choices"]:
            self.log.append(f"tell {phone['choices'][0]!r} of {phone['headline']!r}")
            self.counts["tell"] += 1
            choice = self.phone.locator(".question .choice").first
            choice.tap() if self.touches else choice.click()
            return True
        if not seen["bar"]:  # the phone is in front of the board
            return False
        if self.is_to_put_right(seen):
            return self.put_right(seen, there)
        for key in ("decided.move", "decided.attack"):
            found = self.match(key, seen["headline"])
            if found is not None:
                self.carry_out(found["source"], found["target"], key == "decided.attack", seen)
                return True
        if seen["headline"] == self.my_turn:
            return self.own_move(there)
        return False

    def is_to_put_right(self, seen: dict[str, Any]) -> bool:
        """Return whether the page offers to put the board right."""
        return self.words["page.clear-board"] in seen["bar"]

    def put_right(self, seen: dict[str, Any], there: dict[str, Seat]) -> bool:
        """Do what the sentences say, by hand; or let the page do it, also where they say not enough."""
        text = f"{seen['headline']}\n{seen['detail']}\n{seen['phone']['headline']}\n{seen['phone']['detail']}"
        asked = ("phase.restoring", "ask.not-understood", "ask.not-decided")
        if self.match("refusal.two-squares", text) is not None:  # the player counts no borders that pieces cross
            self.counts["barred"] += 1
        elif any(self.match(key, text) is not None for key in asked):
            self.findings.append(f"asked: {text!r} after {self.log[-4:]}")
        self.counts["put right"] += 1
        missing = [self.match("fix.put", text), self.match("fix.piece", text)]
        put = next((found for found in missing if found and found["seat"] in self.seats), None)
        mine = self.match("page.put-mine", text) or self.match("page.put-own", text)
        taken = self.match("fix.take", text) or self.match("fix.take-both", text) or self.match("fix.empty", text)
        if self.random.random() < 0.3 or not (put or mine or taken):
            self.bar("page.clear-board")
        elif taken:
            for square in re.findall(r"[a-z]\d+", taken.get("squares", taken.get("square", ""))):
                if square in there:
                    self.act("take off", square, f"box of {there[square].value}")
        elif mine:
            self.put(mine["square"], Seat.RED, there)
        elif put:
            self.put(put["square"], self.seats[put["seat"]], there)
        return True

    def bar(self, key: str) -> None:
        """Press a button below the board."""
        self.log.append(f"press {key}")
        self.counts[key] += 1
        button = self.screen.page.locator(".screen > section .bar").get_by_role(
            "button", name=self.words[key], exact=True
        )
        button.tap() if self.touches else button.click()

    def carry_out(self, source: str, target: str, attacks: bool, seen: dict[str, Any]) -> None:
        """Make the computer's move for it."""
        self.counts["computer"] += 1
        if self.random.random() < 0.25 and self.words["screen.carry"] in seen["bar"]:
            self.bar("screen.carry")
        elif attacks:
            self.attack(source, target)
        else:
            self.move(source, target, _is_near(source, target))

    def own_move(self, there: dict[str, Seat]) -> bool:
        """Choose and make a move: an attack where there is one, else towards the other army."""
        mine = [square for square, seat in there.items() if seat is Seat.RED]
        self.own = {square: rank for square, rank in self.own.items() if square in mine}  # else it was captured
        rivals = [square for square, seat in there.items() if seat is Seat.BLUE]
        found = []
        for source in mine:
            rank = self.own.get(source)
            if rank in (Rank.BOMB, Rank.FLAG):
                continue
            for target in self.reach(source, there, runs=rank is Rank.SCOUT):
                far = min((_distance(target, each) for each in rivals), default=0)
                found.append((target in there, -far, self.random.random(), source, target))
        found = [one for one in found if (one[3], one[4]) not in self.tried]
        if not found:
            raise StoppedError("the player finds no move")
        attacks, _, _, source, target = max(found)
        self.counts["own"] += 1
        self.tried.add((source, target))
        if attacks:
            self.attack(source, target)
        else:
            self.move(source, target, _is_near(source, target))
        return True

    def reach(self, source: str, there: dict[str, Seat], runs: bool) -> list[str]:
        """Return where a piece may go."""
        found = []
        for column, row in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            square = source
            for _ in range(9 if runs else 1):
                square = f"{chr(ord(square[0]) + column)}{int(square[1:]) + row}"
                if square not in self.squares or there.get(square) is Seat.RED:
                    break
                found.append(square)
                if square in there:
                    break
        return found

    def follow(self, there: dict[str, Seat]) -> None:
        """Remember which own piece is where, by what went and came."""
        gone = [square for square in self.own if there.get(square) is not Seat.RED]
        come = [square for square, seat in there.items() if seat is Seat.RED and square not in self.own]
        if len(gone) == len(come) == 1:
            self.own[come[0]] = self.own.pop(gone[0])

    # ---- the whole game

    def play(self, most: int = MOST_PLIES) -> None:
        """Play until the phone says how the game ended, or the computer's move was made so often. Raises `StoppedError`."""
        ends = "|".join(
            re.escape(self.words[key]).replace(r"\{seat\}", ".+")
            for key in ("page.you-win", "result.wins", "result.draw", "result.none")
        )
        seen, turn, turned = self.look(), "", 0
        self.squares = frozenset(seen["squares"])
        while self.counts["computer"] < most:
            if re.fullmatch(ends, seen["phone"]["headline"]):
                self.result = seen["phone"]["headline"]
                return
            if seen["headline"] != turn:
                turn = seen["headline"]
                if turn != self.my_turn and not self.is_to_put_right(seen):
                    self.tried.clear()
            self.follow(self.occupants(seen))
            if self.step(seen):
                heads = ("headline",) if seen["headline"] == self.my_turn else ("headline", "detail", "bar")
                seen, turned = self.change(seen, HEARD_S, heads) or self.look(), 0
                continue
            turns = bool(seen["tabs"]) and turned < MOST_TURNS
            now = self.change(seen, TURN_S if turns else STUCK_S)
            if now is None and not turns:
                raise StoppedError(f"nothing to do: {json.dumps(seen, ensure_ascii=False)}")
            if now is None:
                turned += 1
                self.counts["turned to the other"] += 1
                self.screen.page.locator(".tabs [aria-pressed=false]").tap()
            seen = now or self.look()

    def change(self, seen: dict[str, Any], most_s: float, heads: tuple[str, ...] = ()) -> dict[str, Any] | None:
        """Return what the page shows once it is something else than before, or these parts of it are; None if that stays so."""
        found: dict[str, Any] | None = self.screen.page.evaluate(CHANGED, [seen, heads, STILL_MS, most_s * 1000])
        return found


def _is_near(source: str, target: str) -> bool:
    return _distance(source, target) == 1


def _distance(one: str, other: str) -> int:
    return abs(ord(one[0]) - ord(other[0])) + abs(int(one[1:]) - int(other[1:]))


def play(browser: Browser, number: int, args: argparse.Namespace) -> list[str]:
    """Play one game; return what was found."""
    language, touches = LANGUAGES[(3 + number) % len(LANGUAGES)], number % 2 == 1
    begun_s = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        state = Path(folder)
        with (
            ScreenTable(state, args.rules, "--blue", f"computer:{args.level}", "--mode", "enrol") as table,
            closing(Screen(browser, table.ready["play"], HIGH if touches else WIDE, language)) as screen,
        ):
            player = ScreenPlayer(screen, language, Random(f"{args.seed}/{number}"), touches)
            try:
                player.begin()
                player.play()
            except (StoppedError, Error, AssertionError) as error:
                player.findings.append(f"stopped: {error}; {player.log[-8:]} {player.look()}")
                if args.pictures:
                    screen.page.screenshot(path=args.pictures / f"stopped-{args.seed}-{number}.png")
            refused = [said for said in screen.told if "error" in said]
            player.findings += [f"page: {fault}" for fault in (*screen.faults, *refused)]
            screen.told.clear()
        records = list(state.glob("table/games/*/game.record"))
        if player.result and not (
            len(records) == 1
            and '"legal": true' in hallmarshal("record", "check", str(records[0]), "--json", state=state).stdout
        ):
            player.findings.append("no legal record")
    how = "touch" if touches else "mouse"
    print(f"{args.seed}/{number} {language} {how}: {player.result or 'NO END'}, {time.monotonic() - begun_s:.0f} s")
    print("   ", ", ".join(f"{name} {count}" for name, count in sorted(player.counts.items())), flush=True)
    return player.findings


def main() -> int:
    """Return 0 if every game came to its end and nothing was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.web.game_on_a_screen", description=__doc__)
    parser.add_argument("--games", type=int, default=4)
    parser.add_argument("--first", type=int, default=0, help="number of the first game")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rules", default="duel")
    parser.add_argument("--level", type=int, default=1)
    parser.add_argument(
        "--pictures", type=Path, default=None, help="a folder for a picture of where a player was stopped"
    )
    args = parser.parse_args()
    findings = []
    with chromium() as browser:
        for number in range(args.first, args.first + args.games):
            found = play(browser, number, args)
            findings += found
            for finding in found:
                print("    FOUND", finding, flush=True)
    print(f"{len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    raise SystemExit(main())
