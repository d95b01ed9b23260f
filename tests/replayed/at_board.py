"""A recorded game at the simulated board, in this process: magnets, the firmware's bytes and sensing are real; hands obey, and err.

Whenever the game has gone on to another ply the truth is compared: which magnets rest where.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping

from firmware_bridge.messages import Frame, WireFault
from firmware_bridge.wire import Decoder
from hardware import Sensing, load_board
from referee.journal.records.model import Record
from referee.journal.records.views import views
from referee.rules import Move, RuleSet, Seat
from referee.runtime.boards import POLES
from referee.runtime.event_loop import obey
from referee.runtime.game import interpreter_of
from referee.runtime.record_on_board import RecordPlayback
from referee.table.inputs import BoardDiffers, Input, Open
from referee.table.views import Phase, PublicView
from simulator.board import SimBoard

PLAYING = (Phase.WAITING_FOR_MOVE, Phase.PIECE_IN_HAND)
EXPECTING = (Phase.RESTORING, Phase.WAITING_FOR_BOARD)
_SLICE_MS = 100
PATIENT_MS = 30_000


class RecordAtBoard:
    """A record's game, as its event loop runs it, on a board whose time passes as fast as it is asked to."""

    def __init__(
        self, record: Record, rules: RuleSet, board: str, sensing: Sensing = Sensing.COLOUR, ply: int = 0
    ) -> None:
        self.record, self.rules, self.errors = record, rules, 0
        self.positions = list(views(record, rules))
        file = load_board(board).with_sensing(sensing)
        self.sim, self._decoder = SimBoard(file, 1, profile="clean"), Decoder()
        self.game, self.sensing = RecordPlayback(record, rules, ply), interpreter_of(rules, file)
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
        before = (self.game.ply, _kind(self.game.phase))
        step = self.game.apply(given, self.sim.now_ms)
        if (self.game.ply, _kind(self.game.phase)) != before and self.game.phase not in EXPECTING:
            self.compare()
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

    def compare(self) -> None:
        """Hold the magnets against the record: each stands where it says, but for one that may be in a hand already."""
        stands, wanted = self.sim.occupied(), self.occupants(self.game.ply)
        assert stands.keys() <= wanted.keys(), (stands.keys() - wanted.keys(), self.view)
        assert len(wanted.keys() - stands.keys()) <= 1, (wanted.keys() - stands.keys(), self.view)
        assert all(POLES[wanted[name]] is pole for name, pole in stands.items()), (stands, self.view)

    def lay(self, ply: int) -> None:
        """Let every piece stand as it stood after a ply."""
        self.sim.lay({name: seat.value for name, seat in self.occupants(ply).items()})
        self.listen(_SLICE_MS)

    def restore(self) -> None:
        """Let a hand put the board right, as the view says."""
        self.hand("restore", squares={name: seat.value for name, seat in self.view.occupants.items()})

    def occupants(self, ply: int) -> Mapping[str, Seat]:
        """Return where pieces stand after a ply, by the record."""
        return self.positions[ply].occupants

    def lead(self, *, captures: bool = False) -> None:
        """Do what is asked once: make the move that is shown, lift both pieces, or put right what is named.

        With `captures` an attacker takes the place of the other piece at once, whoever wins.
        """
        before = self.view
        if before.phase in PLAYING:
            ply = self.record.plies[self.game.ply]
            assert isinstance(ply.action, Move)
            assert before.decided is not None
            assert (before.decided.source, before.decided.target) == (ply.action.source.name, ply.action.target.name)
            both = ply.action.target.name in before.occupants
            if both and captures:
                self.hand("lift", square=before.decided.target)
            motion = "both" if both and not captures else "move"
            self.hand(motion, source=before.decided.source, target=before.decided.target)
        elif wrong := [fix.square for fix in before.fixes if fix.wanted is None and fix.square in before.occupants]:
            self.hand("remove", square=wrong[0])
            self.until(lambda: self.view.fixes != before.fixes)
            return
        elif before.fixes:
            self.restore()
        before_kind = _kind(before.phase)
        self.until(
            lambda: (
                _kind(self.view.phase) != before_kind
                or self.game.ply != before.ply
                or (bool(self.view.fixes) and not before.fixes)  # more is asked
            )
        )

    def play(self, rng: random.Random | None = None) -> None:
        """Do what is asked until the game is over; with `rng` err before every other move."""
        self.lay(self.game.ply)
        self.until(lambda: self.game.phase not in EXPECTING)
        while self.game.phase is not Phase.FINISHED:
            if rng is not None and self.game.phase in PLAYING and rng.random() < 0.5:
                self.err(rng)
            self.lead(captures=rng is not None and rng.random() < 0.3)

    # ---- hands that err

    def err(self, rng: random.Random) -> None:
        """Do something that is not the move, see that it is asked about if it is wrong, and put it right."""
        decided, ply = self.view.decided, self.game.ply
        assert decided is not None
        pieces = sorted(self.view.occupants)
        free = [square.name for square in self.rules.board.squares if square.name not in self.view.occupants]
        free = [name for name in free if name != decided.target]
        others = [name for name in pieces if name != decided.source]
        wrongs = [
            lambda: self.hand("move", source=decided.source, target=rng.choice(free)),
            lambda: self.hand("move", source=rng.choice(others), target=rng.choice(free)),
        ]
        if decided.target not in self.view.occupants:
            wrongs.append(lambda: self.hand("move", source=rng.choice(others), target=decided.target))
        if rng.random() < 0.3:  # a few pieces in the air: perhaps nobody is asked, as in play
            if rng.random() < 0.5 and decided.target not in self.view.occupants:  # else it may show the attack
                self.hand("bump")
            else:
                self.hand("lift", square=rng.choice(pieces))
            self.listen(rng.randrange(50, 20_000))
        else:
            rng.choice(wrongs)()
            self.errors += 1
            if rng.random() < 0.3:
                self.listen(rng.randrange(50, 3000))
            else:
                self.until(lambda: self.view.phase is Phase.RESTORING and bool(self.view.fixes))
        assert self.game.ply == ply, self.view
        self.restore()
        self.until(lambda: self.game.phase in PLAYING and not self.view.in_hand)
        assert (self.view.decided, self.game.ply) == (decided, ply)


def _kind(phase: Phase) -> Phase:
    return Phase.WAITING_FOR_MOVE if phase in PLAYING else phase
