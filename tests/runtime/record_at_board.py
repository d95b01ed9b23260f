"""A recorded game at the simulated board, in this process: magnets, the firmware's bytes and sensing are real, and hands do as they are bid."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from firmware_bridge.messages import Frame, WireFault
from firmware_bridge.wire import Decoder
from hardware import Sensing, load_board
from referee.journal.records.model import Record
from referee.rules import Move, RuleSet
from referee.runtime.event_loop import obey
from referee.runtime.game import interpreter_of
from referee.runtime.record_on_board import RecordedGame
from referee.table.inputs import BoardDiffers, Input, Open
from referee.table.views import Phase, PublicView
from simulator.board import SimBoard

PLAYING = (Phase.WAITING_FOR_MOVE, Phase.PIECE_IN_HAND)
EXPECTING = (Phase.RESTORING, Phase.WAITING_FOR_BOARD)
_SLICE_MS = 100
PATIENT_MS = 30_000


class RecordAtBoard:
    """A record's game, as its event loop runs it, on a board whose time passes as fast as it is asked to."""

    def __init__(self, record: Record, rules: RuleSet, board: str, sensing: Sensing, ply: int = 0) -> None:
        self.record, self.rules = record, rules
        file = load_board(board).with_sensing(sensing)
        self.sim, self._decoder = SimBoard(file, 1, profile="clean"), Decoder()
        self.game, self.sensing = RecordedGame(record, rules, ply), interpreter_of(rules, file)
        self.shown: list[PublicView] = []
        """Every view that screens were given."""
        self._looks = False
        self._hear(self.sim.start())
        self.put_in(Open())

    @property
    def view(self) -> PublicView:
        """Return what screens show."""
        return self.game.view()

    def put_in(self, given: Input) -> None:
        """Let the loop take something, and what stands already count for what it then expects."""
        self._carry_out(given)
        while self._looks:
            self._looks = False
            for said in self.sensing.look():
                self._carry_out(said)

    def _carry_out(self, given: Input) -> None:
        step = self.game.apply(given, self.sim.now_ms)
        for order in step.orders:
            self._looks |= obey(self.sensing, order)
        changed = step.view_changed
        if step.orders and self.game.phase in EXPECTING:
            changed |= bool(self.game.apply(BoardDiffers(self.sensing.differences()), self.sim.now_ms))
        if changed:
            self.shown.append(self.view)

    def _hear(self, sent: list[bytes]) -> None:
        for message in self._decoder.feed(b"".join(sent)):
            assert not isinstance(message, WireFault)
            if isinstance(message, Frame):
                for said in self.sensing.feed(message):
                    self.put_in(said)
                if self.game.phase in EXPECTING:
                    self._carry_out(BoardDiffers(self.sensing.differences()))

    def listen(self, for_ms: int) -> None:
        """Let the board's time pass."""
        end_ms = self.sim.now_ms + for_ms
        while self.sim.now_ms < end_ms:
            self._hear(self.sim.advance(min(end_ms, self.sim.now_ms + _SLICE_MS)))

    def until(self, done: Callable[[], bool], most_ms: int = PATIENT_MS) -> None:
        """Let time pass until something is so."""
        end_ms = self.sim.now_ms + most_ms
        while not done():
            assert self.sim.now_ms < end_ms, f"not so after {most_ms} ms: {self.view}"
            self.listen(_SLICE_MS)

    def hand(self, motion: str, **fields: object) -> None:
        """Let a hand make a motion to its end."""
        names = {"source": "from"} | ({"target": "to"} if motion == "move" else {})
        self.sim.begin({"motion": motion, **{names.get(key, key): value for key, value in fields.items()}})
        while self.sim.busy:
            self.listen(_SLICE_MS)

    def lay(self, ply: int) -> None:
        """Let a hand put the board as it stood after a ply."""
        self.hand("restore", squares={name: seat.value for name, seat in self.occupants(ply).items()})

    def occupants(self, ply: int) -> Mapping[str, object]:
        """Return where pieces stand after a ply, by the record."""
        return self.game._positions[ply].occupants

    def stands(self) -> set[str]:
        """Return the squares on which magnets stand."""
        return set(self.sim.occupied())

    def lead(self) -> None:
        """Do what is asked once: make the move that is shown, lift both pieces, or put right what is named."""
        before = self.view
        if before.phase in PLAYING:
            ply = self.record.plies[self.game.ply]
            assert isinstance(ply.action, Move)
            assert before.decided is not None
            assert (before.decided.source, before.decided.target) == (ply.action.source.name, ply.action.target.name)
            both = ply.action.target.name in before.occupants
            self.hand("both" if both else "move", source=before.decided.source, target=before.decided.target)
        else:
            self.lay(self.game.ply)
        before_kind = _kind(before.phase)
        self.until(lambda: _kind(self.view.phase) != before_kind or self.game.ply != before.ply)

    def play(self) -> None:
        """Do what is asked until the game is over."""
        while self.game.phase is not Phase.FINISHED:
            self.lead()


def _kind(phase: Phase) -> Phase:
    return Phase.WAITING_FOR_MOVE if phase in PLAYING else phase
