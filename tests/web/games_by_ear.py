"""Whole games by two players who hear the page and press keys; hands move the pieces on a simulated board.

    .venv/bin/python -m tests.web.games_by_ear [NAME ...]

plays all of them, or those that are named, and tells what was heard (`make test` plays three).
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser

from benchmarks.handset import chromium
from referee.rules.values import Seat
from tests.demo.test_what_goes_wrong import wait_until
from tests.web.by_ear import Listener
from tests.web.phones import PhoneTable


@dataclass(frozen=True)
class Players:
    """Two listeners at a table."""

    table: PhoneTable
    red: Listener
    blue: Listener
    names: tuple[str, ...] = ()
    """What they want to be called, typed when they take their seats."""
    entered: tuple[Mapping[str, str], ...] = ()
    """Pieces that they enter one by one, by square, where set-ups are entered; the rest they leave to chance."""

    @property
    def both(self) -> tuple[Listener, Listener]:
        """Return red and blue."""
        return self.red, self.blue

    def take_seats(self) -> None:
        """Open the links, hear the digits and compare them with the table's."""
        digits = []
        for at, (seat, who) in enumerate((("red", self.red), ("blue", self.blue))):
            who.open(self.table.ready["join"][seat])
            digits.append(f"{seat}: {who.digits()}")
            who.enters = bool(self.entered)
            if self.names:
                who.reach("textbox", "page.your-name")
                who.type(self.names[at])
            who.use("page.digits-yes")
        for who in self.both:
            who.heading("ask.set-up|set-up.missing")
        wait_until(lambda: self.table.table.complaint == digits)

    def begin(self) -> None:
        """Stand the pieces on the front squares of each zone; both say that they are ready, and what stands where if that is asked."""
        for who, pieces in zip(self.both, self.entered, strict=False):
            for square, rank in pieces.items():
                who.use_in("set-up.tray", rank)
                who.reach("gridcell", ".*", "Shift+Tab")
                who.go(square)
                who.press("Enter")
            for step in ("set-up.random", "set-up.hand-in"):
                who.use(step)
            who.heading("set-up.handed-in")
        size, squares = sum(self.table.rules.army.values()), dict[Seat, list[str]]()
        for seat, ahead in ((Seat.RED, -1), (Seat.BLUE, 1)):
            zone = [square.name for square in self.table.rules.zone(seat)]
            squares[seat] = sorted(zone, key=lambda name: (ahead * int(name[1:]), name[0]))[:size]
        self.table.set_up(squares)
        for who in self.both:
            who.public.clear()
            who.wait("button", "page.i-am-ready")
            who.use("page.i-am-ready", "Space")
            who.enters = False
        self.red.heading("turn.you")
        self.blue.heading("turn.to-move")

    def again(self) -> None:
        """Clear the board; both want another game."""
        self.table.hands(motion="clear")
        for who in self.both:
            who.use("page.another-game")
        for who in self.both:
            who.heading("ask.set-up")

    def move(self, source: str, target: str, then: Listener) -> None:
        """Move a piece by hand; wait until the other hears that it is his move, and where it went."""
        self.table.hands(motion="move", **{"from": source, "to": target})
        then.heading("turn.you")
        then.cell(target, "page.cell-last-move")

    def settle(self, red: str, blue: str, *lost: str) -> None:
        """Answer; what is lost is public from the second answer on."""
        for who in self.both:
            who.heading("page.which-attacks|page.which-attacked")
        self.red.use(red)
        for who in self.both:
            who.public |= {who.words[rank] for rank in lost}
        self.blue.use(blue)

    def red_wins(self) -> None:
        """Wait until both heard it."""
        self.red.heading("page.you-win")
        self.blue.heading("result.wins")

    def resigns(self, who: Listener) -> None:
        """Have one of them resign; both hear who wins."""
        who.menu("handset.resign")
        for each in self.both:
            each.heading("result.wins" if each is who else "page.you-win")

    def faults(self) -> list[str]:
        """Return what was wrong for either."""
        return [f"{who.name}: {fault}" for who in self.both for fault in who.faults]


ONLY = "page.tell-rank"
"""What the button says where one rank is left, as here a scout, who alone gets so far."""


def by_the_board(at: Players) -> None:
    """Red tells its attack on the board, with nothing in the hand, and takes the flag."""
    at.red.attack("a4", "a7")
    at.settle(ONLY, "rank.flag", "rank.flag")
    at.red_wins()


def with_the_piece_in_the_hand(at: Players) -> None:
    """Its target is enough."""
    at.table.hands(motion="lift", square="a4")
    at.red.cell("a4", "page.cell-yours", "page.cell-in-hand")
    assert at.red.go("a7") == "a7: Blue, can be attacked"
    at.red.press("Enter")
    at.settle(ONLY, "rank.flag", "rank.flag")
    at.red_wins()


def a_draw(at: Players) -> None:
    """It is refused, then accepted."""
    for answer in ("handset.choice-refuse", "handset.choice-accept"):
        at.red.menu("handset.offer-draw")
        at.blue.heading("ask.confirm-draw")
        at.blue.use(answer)
        if answer == "handset.choice-refuse":
            at.blue.heading("turn.to-move")
            at.red.wait("StaticText", "declined.draw")
    for who in at.both:
        who.heading("result.draw")


def no_attack(at: Players) -> None:
    """What was told by mistake is withdrawn by both; the piece is not picked any more; then red resigns."""
    at.red.attack("a4", "a7")
    for who in at.both:
        who.heading("page.which-attacks|page.which-attacked")
        who.use("page.no-attack")
    at.red.heading("turn.you")
    picked = [each.name for each in at.red.look() if each.role == "gridcell" and each.states.get("selected")]
    assert picked == []
    at.resigns(at.red)


def a_pause(at: Players) -> None:
    """It is asked for and ended; then blue resigns."""
    at.red.menu("page.pause")
    for who in at.both:
        who.heading("phase.paused")
    for who in at.both:
        who.use("page.go-on")
    at.red.heading("turn.you")
    at.resigns(at.blue)


def another_answer(at: Players) -> None:
    """Blue says another rank before red has answered."""
    at.red.attack("a4", "a7")
    at.blue.heading("page.which-attacked")
    at.blue.use("rank.bomb")
    at.blue.use("page.change-answer")
    at.blue.use("rank.flag")
    at.blue.wait("StaticText", "page.may-change")
    for who in at.both:
        who.public.add(who.words["rank.flag"])
    at.red.use(ONLY)
    at.red_wins()


def by_buttons(at: Players) -> None:
    """The button below the board says the target of the piece in the hand."""
    at.table.hands(motion="lift", square="b4")
    at.red.use(at.red.words.say("page.attack-square", square="b7"))
    at.settle(ONLY, "rank.flag", "rank.flag")
    at.red_wins()


def with_ranks_hidden(at: Players) -> None:
    """Moves by hand, ranks off the screen, an attack with both hands in which both are lost; then red resigns."""
    at.red.use("page.hide")
    at.move("b4", "b5", at.blue)
    at.move("e7", "e6", at.red)
    at.move("b5", "b6", at.blue)
    at.move("e6", "e5", at.red)
    at.table.hands(motion="both", **{"from": "b6", "target": "b7"})
    at.red.heading("page.which-attacks")
    assert not at.red.has("button", "rank.miner")
    at.red.use("page.show-answers")
    at.settle("rank.miner", "rank.miner", "rank.miner")
    at.red.heading("turn.to-move")
    at.resigns(at.red)


def broken_off(at: Players) -> None:
    """The dialog of the game so far is opened and closed; then both want no result."""
    at.move("b4", "b5", at.blue)
    move = at.blue.words.say("turn.ply", number=1)
    at.blue.use(move)
    at.blue.wait("dialog", ".*")
    at.blue.press("Escape")
    assert at.blue.focus().name == move
    at.blue.menu("page.offer-abort")
    at.red.use("handset.choice-accept")
    for who in at.both:
        who.heading("result.none")


def with_ranks_said(at: Players) -> None:
    """Red wants to hear its ranks and hears the one that it told; blue does not, and hears none."""
    at.red.use("page.menu")
    at.red.use("page.settings")
    at.red.wait("dialog", "page.settings")
    at.red.use_in("page.hears", "answer.yes")
    at.red.press("Escape")
    at.red.hears_ranks = True
    at.red.attack("a4", "a7")
    at.settle("rank.scout", "rank.spy", "rank.spy")
    at.red.heading("page.put-own|turn.to-move")
    at.red.cell("a[47]", "page.cell-yours", "rank.scout")
    at.resigns(at.blue)


ENTERED = (
    {"a3": "rank.scout", "e3": "rank.marshal"},
    {"a6": "rank.flag", "e6": "rank.miner", "f6": "rank.captain"},
)


def with_set_ups_entered(at: Players) -> None:
    """The table knows what stands where: who is asked has one answer, which names no rank; then the set-up is given to the record."""
    at.move("e3", "e4", at.blue)
    at.move("e6", "e5", at.red)
    at.table.hands(motion="both", **{"from": "e4", "target": "e5"})
    at.settle(ONLY, ONLY, "rank.miner")
    at.red.heading("page.put-mine")
    at.table.hands(motion="put", seat="red", square="e5")
    at.blue.heading("turn.you")
    at.move("f6", "f5", at.red)
    at.red.attack("a3", "a6")
    at.settle(ONLY, ONLY, "rank.flag")
    at.red_wins()
    at.red.use("finale.yes")
    at.red.wait("StaticText", "page.consented")


Play = Callable[[Players], None]


@dataclass(frozen=True)
class Evening:
    """Games at one table."""

    rules: str
    games: tuple[Play, ...]
    languages: tuple[str, str] = ("en", "en")
    names: tuple[str, ...] = ()
    board: str = "travel-10x10"
    entered: tuple[Mapping[str, str], ...] = ()


THREE = Evening("duel", (by_the_board, with_the_piece_in_the_hand, a_draw))
"""Those that `make test` plays."""
EVENINGS = (
    Evening("duel", (*THREE.games, no_attack, a_pause)),
    Evening(
        "barrage",
        (by_buttons, with_ranks_hidden, another_answer, broken_off, with_ranks_said),
        ("de", "fr"),
        ("Ada", "Bo"),
    ),
    Evening("classic", (with_set_ups_entered,), board="compact-10x8", entered=ENTERED),
)


@contextmanager
def at_table(browser: Browser, state: Path, evening: Evening) -> Iterator[Players]:
    """Two listeners at a running table, who have taken their seats."""
    with ExitStack() as stack:
        mode = "enrol" if evening.entered else "declare"
        table = stack.enter_context(PhoneTable(state, evening.rules, "--mode", mode, board=evening.board))
        red, blue = (
            stack.enter_context(closing(Listener(browser, name, language)))
            for name, language in zip(("red", "blue"), evening.languages, strict=True)
        )
        players = Players(table, red, blue, evening.names, evening.entered)
        players.take_seats()
        yield players


def play(players: Players, games: tuple[Play, ...]) -> None:
    """Play one game after the other at a table."""
    for number, game in enumerate(games):
        if number > 0:
            players.again()
        players.begin()
        game(players)
        print(f"{players.table.rules.name}: {game.__name__}", flush=True)


def main(wanted: list[str]) -> None:
    """Play all games, or those that are wanted; end with an error when anything was wrong."""
    faults = []
    with chromium() as browser:
        for evening in EVENINGS:
            games = tuple(game for game in evening.games if not wanted or game.__name__ in wanted)
            if not games:
                continue
            with tempfile.TemporaryDirectory() as state, at_table(browser, Path(state), evening) as players:
                play(players, games)
                for who in players.both:
                    print(f"{who.name}: {len(who.pressed)} keys", *(f"  {text}" for text in who.heard), sep="\n")
                faults += players.faults()
    assert faults == [], "\n".join(faults)


if __name__ == "__main__":
    main(sys.argv[1:])
