"""A player who neither sees nor points: of the page it knows the accessibility tree and what is told aloud, and it has keys alone."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser

from referee.rules.values import Rank
from referee.words import Words, words
from tests.demo.test_what_goes_wrong import wait_until
from tests.patience import PATIENCE_MS

_STEPS = ("Tab", "Shift+Tab", "ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown")
"""Keys by which the focus moves; by no other it does but by the page's own will."""
_EAR = Path(__file__).with_name("ear.js")
_ROUND = 120
"""More stops of the tab key than any screen has."""


@dataclass(frozen=True)
class Node:
    """Something in the accessibility tree, as far as a screen reader tells it."""

    key: int
    role: str
    name: str
    states: dict[str, Any]
    above: tuple[str, ...]  # roles and names of what it is in


def _node(raw: dict[str, Any], above: tuple[str, ...]) -> Node:
    states = {each["name"]: each["value"].get("value") for each in raw.get("properties", ())}
    name = str(raw.get("name", {}).get("value", ""))
    return Node(raw.get("backendDOMNodeId", 0), str(raw.get("role", {}).get("value", "")), name, states, above)


class Listener:
    """One player's page, heard and typed on. What is wrong with it is kept in `faults`.

    Whatever is called by a name here can be called by the key of its words as well (`page.i-am-ready`); a name may be a pattern.
    """

    def __init__(self, browser: Browser, name: str, language: str = "en") -> None:
        """Return a page with storage of its own, which has read nothing yet."""
        self.name = name
        self.words: Words = words(language)
        ranks = sorted((self.words.rank(rank) for rank in Rank), key=len, reverse=True)
        self._a_rank = re.compile(r"\b(" + "|".join(ranks) + r")s?\b")
        self._question = re.compile(self.pattern("page.which-attacks|page.which-attacked"))
        self.context = browser.new_context(locale=language, viewport={"width": 360, "height": 640})
        self._page = self.context.new_page()
        self._page.add_init_script(path=_EAR)
        self._page.set_default_timeout(PATIENCE_MS)
        self._page.on("pageerror", lambda error: self.faults.append(f"the page fails: {error}"))
        self._tree = self.context.new_cdp_session(self._page)
        self._tree.send("Accessibility.enable")
        self.faults: list[str] = []
        self.heard: list[str] = []  # without full stops; controls with their role
        self.pressed: list[str] = []
        self.public: set[str] = set()  # ranks that were captured so far
        self.hears_ranks = False
        self.enters = False  # a set-up: who enters one hears what he enters
        self._before: Node | None = None  # what had the focus, unless a key has moved it since

    def open(self, url: str) -> None:
        """Open a link."""
        self._page.goto(url)

    def close(self) -> None:
        """Put it away."""
        self.context.close()

    def pattern(self, name: str) -> str:
        """Return what the words of a key look like with anything in their gaps; any other name is a pattern itself."""
        parts = name.split("|")
        if len(parts) > 1:
            return "|".join(map(self.pattern, parts))
        return ".+".join(map(re.escape, re.split(r"\{\w+\}", self.words[name]))) if name in self.words else name

    def look(self) -> list[Node]:
        """Return the whole tree in reading order; whatever is said meanwhile is kept, and the rules are looked after."""
        raw = self._tree.send("Accessibility.getFullAXTree")["nodes"]
        by_id = {each["nodeId"]: each for each in raw}
        nodes: list[Node] = []

        def walk(each: dict[str, Any], above: tuple[str, ...]) -> None:
            node = _node(each, above)
            if not each.get("ignored"):
                nodes.append(node)
                above = (*above, f"{node.role} {node.name}")
            for child in each.get("childIds", ()):
                if child in by_id:
                    walk(by_id[child], above)

        walk(raw[0], ())
        self._hear(nodes)
        self._keep_secrets(nodes)
        self._keep_focus(nodes)
        return nodes

    def focus(self) -> Node:
        """Return what has the focus."""
        return _focus(self.look())

    def press(self, key: str) -> None:
        """Press a key."""
        self.pressed.append(key)
        self._before = None if key in _STEPS else self._before
        self._page.keyboard.press(key)

    def type(self, text: str) -> None:
        """Type a text."""
        self.pressed.extend(text)
        self._page.keyboard.type(text)

    def reach(self, role: str, name: str, key: str = "Tab") -> None:
        """Press the tab key until this has the focus."""
        for _ in range(_ROUND):
            now = self.focus()
            if now.role == role and re.fullmatch(self.pattern(name), now.name):
                return
            self.press(key)
        raise AssertionError(f"{self.name}: no tab leads to {role} {name!r}; there is: {self.told()}")

    def digits(self) -> str:
        """Return the six digits that are read out before the seat is taken."""
        self.wait("button", "page.digits-yes")
        (found,) = {
            each.name for each in self.look() if each.role == "StaticText" and re.fullmatch(r"\d{3} \d{3}", each.name)
        }
        return found.replace(" ", "")

    def menu(self, entry: str) -> None:
        """Choose what the menu asks back about, and say that it is meant."""
        self.use("page.menu")
        self.wait("dialog", "page.menu")
        self.use(entry)
        self.wait("dialog", entry)
        self.use(entry)

    def attack(self, source: str, target: str) -> None:
        """Declare an attack on the board: the own piece, then its target."""
        assert self.words["page.cell-can-attack"] in self.go(source)
        self.press("Enter")
        assert self.words["page.cell-target"] in self.go(target)
        self.press("Space")

    def has(self, role: str, name: str) -> bool:
        """Return whether this is in the tree."""
        pattern = self.pattern(name)
        return any(each.role == role and re.fullmatch(pattern, each.name) for each in self.look())

    def wait(self, role: str, name: str) -> None:
        """Wait until this is in the tree."""
        try:
            wait_until(lambda: self.has(role, name))
        except AssertionError:
            raise AssertionError(f"{self.name}: never {role} {name!r}; there is: {self.told()}") from None

    def heading(self, name: str) -> None:
        """Wait until this is the headline, and was said."""
        self.wait("heading", name)

    def use(self, name: str, key: str = "Enter") -> None:
        """Go to a button by the tab key and press it."""
        self.wait("button", name)
        self.reach("button", name)
        self.press(key)

    def use_in(self, group: str, name: str, key: str = "Tab") -> None:
        """Go by the tab key to a button of a group and press it, as "Yes" of a setting; in a toolbar, which is one stop, by arrows."""
        within, wanted = f"(group|toolbar) ({self.pattern(group)})", rf"({self.pattern(name)})(\W.*|\d*)"
        before = 0
        for _ in range(_ROUND):
            nodes = self.look()
            now = _focus(nodes)
            around = [each for each in now.above if re.fullmatch(within, each)]
            if around and re.fullmatch(wanted, now.name):
                return self.press("Enter")
            if around and around[0].startswith("toolbar"):
                beside = [each for each in nodes if each.role == "button" and around[0] in each.above]
                at = next(at for at, each in enumerate(beside) if re.fullmatch(wanted, each.name))
                ahead = at > [each.key for each in beside].index(now.key)
                across = ("ArrowUp", "ArrowDown") if now.key == before else ("ArrowLeft", "ArrowRight")
                self.press(across[ahead])
                before = now.key
            else:
                self.press(key)
        raise AssertionError(f"{self.name}: no tab leads to {name!r} in {group!r}")

    def told(self) -> list[str]:
        """Return what a screen reader would read, from the top."""
        return [f"{each.role} {each.name!r}" for each in self.look() if each.name and each.role not in _LEAVES]

    def go(self, square: str) -> str:
        """Go to a square of the board by the arrow keys; return what is heard there."""
        self.reach_board()
        for _ in range(40):
            here = self.focus().name
            at = _square(here)
            if at == square:
                return here
            key = self._towards(at, square)
            self.press(key)
            if _square(self.focus().name) == at:
                self.press("ArrowUp" if key in ("ArrowLeft", "ArrowRight") else "ArrowRight")
        raise AssertionError(f"{self.name}: arrows do not lead to {square}")

    def cell(self, square: str, *parts: str) -> None:
        """Wait until this is heard of a square, among what else is."""
        wanted = ".*".join(re.escape(self.words[part]) for part in parts)
        self.wait("gridcell", rf"{square}\W.*{wanted}.*")

    def reach_board(self) -> None:
        """Tab to the board, unless the focus is there."""
        if self.focus().role != "gridcell":
            self.reach("gridcell", ".*")

    def _towards(self, at: str, square: str) -> str:
        rows = [each for each in self.look() if each.role == "gridcell"]
        names = [_square(each.name) for each in rows]
        down = names.index(f"{square}") > names.index(at)
        if at[1:] != square[1:]:
            return "ArrowDown" if down else "ArrowUp"
        return "ArrowRight" if down else "ArrowLeft"

    def _hear(self, nodes: list[Node]) -> None:
        """Hear what was told since, and look after that each sentence is told once."""
        regions = [each for each in nodes if each.role in _LIVE]
        if len(regions) > 1:
            self._fault(f"{len(regions)} live regions at once: {regions}")
        told = self._page.evaluate("() => document.heard.splice(0)")
        for _, each in groupby((each for each in told if each["how"] != "step"), key=itemgetter("turn")):
            turn = list(each)
            said = [
                *[one for one in turn if one["how"] == "focus"][-1:],
                *(one for one in turn if one["how"] == "live"),
            ]
            sentences = [", ".join(filter(None, (one["text"].removesuffix("."), one["role"]))) for one in said]
            if len(set(sentences)) < len(said) or sentences[:1] == self.heard[-1:] or any(one["again"] for one in turn):
                self._fault(f"said twice: {self.heard[-1:]}, {sentences}")
            self.heard += sentences

    def _keep_secrets(self, nodes: list[Node]) -> None:
        if self.hears_ranks or self.enters:
            return
        for each in nodes:
            if any(above.startswith("group ") and self._question.fullmatch(above[6:]) for above in each.above):
                continue  # an answer, which has to be chosen
            for rank in self._a_rank.findall(each.name):
                if rank not in self.public:
                    self._fault(f"{rank} is heard, not public: {each.role} {each.name!r}")

    def _keep_focus(self, nodes: list[Node]) -> None:
        now, before = _focus(nodes), self._before
        if before is not None and now.role == "RootWebArea":
            self._fault(f"the focus was lost from {before.role} {before.name!r} after {self.pressed[-3:]}")
        self._before = None if now.role == "RootWebArea" else now

    def _fault(self, text: str) -> None:
        if text not in self.faults:
            self.faults.append(text)


_LEAVES = ("StaticText", "InlineTextBox", "none", "generic")
_LIVE = ("status", "alert", "log")


def _square(name: str) -> str:
    """Return the square of what is heard on it."""
    return re.split(r"\W", name, maxsplit=1)[0]


def _focus(nodes: list[Node]) -> Node:
    focused = [each for each in nodes if each.states.get("focused")]
    return focused[-1] if focused else nodes[0]
