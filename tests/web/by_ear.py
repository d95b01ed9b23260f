"""A player who neither sees nor points: of the page it knows the accessibility tree alone, and it has keys alone."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Browser

from referee.rules.values import Rank
from referee.words import words
from tests.demo.test_what_goes_wrong import wait_until
from tests.patience import PATIENCE_MS

RANKS = {words("en").rank(rank): rank for rank in Rank}
_A_RANK = re.compile(r"\b(" + "|".join(sorted(RANKS, key=len, reverse=True)) + r")s?\b")
_CONTROLS = {"button", "gridcell", "textbox", "dialog", "checkbox", "switch", "radio", "link", "menuitem", "combobox"}
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
    """One player's page, heard and typed on. What is wrong with it is kept in `faults`."""

    def __init__(self, browser: Browser, name: str) -> None:
        """Return a page with storage of its own, which has read nothing yet."""
        self.name = name
        self.context = browser.new_context(locale="en-GB", viewport={"width": 360, "height": 640})
        self._page = self.context.new_page()
        self._page.set_default_timeout(PATIENCE_MS)
        self._page.on("pageerror", lambda error: self.faults.append(f"the page fails: {error}"))
        self._tree = self.context.new_cdp_session(self._page)
        self._tree.send("Accessibility.enable")
        self.faults: list[str] = []
        self.heard: list[str] = []
        self.pressed: list[str] = []
        self.public: set[str] = set()  # ranks that were captured so far
        self.hears_ranks = False
        self.gone: list[str] = []  # buttons that went away while they had the focus
        self._live: tuple[tuple[int, str], ...] = ()
        self._control: Node | None = None

    def open(self, url: str) -> None:
        """Open a link."""
        self._page.goto(url)

    def close(self) -> None:
        """Put it away."""
        self.context.close()

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
        self._control = None if "Tab" in key else self._control
        self._page.keyboard.press(key)

    def reach(self, role: str, name: str) -> None:
        """Press the tab key until this has the focus."""
        for _ in range(_ROUND):
            now = self.focus()
            if now.role == role and re.fullmatch(name, now.name):
                return
            self.press("Tab")
        raise AssertionError(f"{self.name}: no tab leads to {role} {name!r}; there is: {self.told()}")

    def digits(self) -> str:
        """Return the six digits that are read out before the seat is taken."""
        self.wait("button", "Yes, the same")
        (found,) = {
            each.name for each in self.look() if each.role == "StaticText" and re.fullmatch(r"\d{3} \d{3}", each.name)
        }
        return found.replace(" ", "")

    def menu(self, entry: str) -> None:
        """Choose what the menu asks back about, and say that it is meant."""
        self.use("Menu")
        self.wait("dialog", "Menu")
        self.use(entry)
        self.wait("dialog", entry)
        self.use(entry)

    def attack(self, source: str, target: str) -> None:
        """Tell an attack on the board: the own piece, then its target."""
        assert "can attack" in self.go(source)
        self.press("Enter")
        assert "can be attacked" in self.go(target)
        self.press("Space")

    def has(self, role: str, name: str) -> bool:
        """Return whether this is in the tree."""
        return any(each.role == role and re.fullmatch(name, each.name) for each in self.look())

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

    def told(self) -> list[str]:
        """Return what a screen reader would read, from the top."""
        return [f"{each.role} {each.name!r}" for each in self.look() if each.name and each.role not in _LEAVES]

    def go(self, square: str) -> str:
        """Go to a square of the board by the arrow keys; return what is heard there."""
        self.reach_board()
        for _ in range(40):
            here = self.focus().name
            at = here.split(":")[0]
            if at == square:
                return here
            key = self._towards(at, square)
            self.press(key)
            if self.focus().name.split(":")[0] == at:
                self.press("ArrowUp" if key in ("ArrowLeft", "ArrowRight") else "ArrowRight")
        raise AssertionError(f"{self.name}: arrows do not lead to {square}")

    def reach_board(self) -> None:
        """Tab to the board, unless the focus is there."""
        if self.focus().role != "gridcell":
            self.reach("gridcell", ".*")

    def _towards(self, at: str, square: str) -> str:
        rows = [each for each in self.look() if each.role == "gridcell"]
        names = [each.name.split(":")[0] for each in rows]
        down = names.index(f"{square}") > names.index(at)
        if at[1:] != square[1:]:
            return "ArrowDown" if down else "ArrowUp"
        return "ArrowRight" if down else "ArrowLeft"

    def _hear(self, nodes: list[Node]) -> None:
        regions = [each for each in nodes if each.role in _LIVE]
        if len(regions) > 1:
            self._fault(f"{len(regions)} live regions at once: {regions}")
        live = tuple((each.key, each.name) for each in nodes if each.role == "StaticText" and _said(each))
        if len({text for _, text in live}) < len(live):
            self._fault(f"said twice at once: {live}")
        for each in live:
            if each not in self._live:
                if each[1] in {text for _, text in self._live}:
                    self._fault(f"said again though nothing changed: {each[1]!r}")
                self.heard.append(each[1])
        self._live = live

    def _keep_secrets(self, nodes: list[Node]) -> None:
        for each in nodes:
            answer = any(above.startswith("button ") for above in (*each.above, f"{each.role} "))
            if self.hears_ranks or answer:
                continue
            for rank in _A_RANK.findall(each.name):
                if rank not in self.public:
                    self._fault(f"{rank} is heard, not public: {each.role} {each.name!r}")

    def _keep_focus(self, nodes: list[Node]) -> None:
        now, before = _focus(nodes), self._control
        if now.role == "RootWebArea" and before is not None:
            there = any(each.key == before.key for each in nodes)
            if there or before.role != "button":
                self._fault(f"the focus was lost from {before.role} {before.name!r} after {self.pressed[-3:]}")
            self.gone.append(before.name)
        self._control = now if now.role in _CONTROLS else None

    def _fault(self, text: str) -> None:
        if text not in self.faults:
            self.faults.append(text)


_LEAVES = ("StaticText", "InlineTextBox", "none", "generic")
_LIVE = ("status", "alert", "log")


def _said(node: Node) -> bool:
    return any(each.split(" ")[0] in _LIVE for each in node.above)


def _focus(nodes: list[Node]) -> Node:
    focused = [each for each in nodes if each.states.get("focused")]
    return focused[-1] if focused else nodes[0]
