"""A board with a dead square, from the set-up on: named in the public view, lived with, believed again when it is well."""

from __future__ import annotations

from benchmarks.accuracy import the_board
from benchmarks.hand_match import RefereeInProcess
from referee.rules import rule_set
from simulator.board import SimBoard
from simulator.faults import Trouble
from simulator.players import Hands
from simulator.profiles import load_profile

DEAD = "e4"


class Table:
    """A filled set-up on a board whose e4 sees nothing, and both players' word that it stands."""

    def __init__(self) -> None:
        self.rules = rule_set("original")
        board = the_board("occupancy", None)
        self.sim = SimBoard(board, 1, profile=load_profile("clean"))
        self.sim.trouble(Trouble("dead", DEAD))
        self.hands = Hands(self.sim, 1)
        self.referee = RefereeInProcess(self.rules, board)
        self.sim.lay({square.name: seat.value for seat in self.rules.seats for square in self.rules.zone(seat)})
        self.referee.open(0)
        self.kinds: list[str] = []

    def listen(self, for_ms: int) -> None:
        """Let board time pass."""
        messages = self.sim.listen(self.sim.now_ms + for_ms)
        heard = self.referee.hear(messages, self.sim.boot_ms)
        self.kinds += [f"{event.kind} {event.source}-{event.target}" for _, event in heard if event.source]

    def move(self, seat: str, source: str, target: str) -> None:
        """Move, and think for three seconds."""
        self.hands.next_ms = self.sim.now_ms
        self.hands.move(seat, source, target, slid=False)
        self.listen(4_000)


def test_a_game_begins_and_goes_on_with_a_dead_square() -> None:
    """Its content is deduced: the piece that leaves it, the piece that comes to it, and everything else as ever."""
    table = Table()
    table.listen(10_000)
    assert table.referee.table.phase.value == "setting-up"
    assert [fix.square for fix in table.referee.table.view().fixes] == [DEAD]
    table.listen(40_000)
    assert table.referee.table.phase.value == "waiting-for-move"
    assert table.referee.table.view().blind == (DEAD,)
    table.move("red", "e4", "e5")
    table.move("blue", "a7", "a6")
    table.move("red", "e5", "e4")  # nobody can see it come: it counts when blue's answer stands
    assert table.kinds[-1] == "move.final a7-a6"
    table.move("blue", "a6", "a5")
    table.sim.trouble(Trouble("mended", DEAD), table.sim.now_ms)
    table.listen(3_000)
    for word in ("read", "final"):
        said = [kind for kind in table.kinds if kind.startswith(f"move.{word}")]
        assert said == [f"move.{word} {move}" for move in ("e4-e5", "a7-a6", "e5-e4", "a6-a5")]
    assert table.referee.table.view().blind == ()
