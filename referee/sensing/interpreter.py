"""The door of this room: frames in, observations out, and the orders that say what to watch for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from firmware_bridge.messages import Frame, Reading
from referee.rules import Board, Situation
from referee.rules.values import Seat, Square
from referee.sensing.expecting import Collecting, Expecting
from referee.sensing.following import Following
from referee.sensing.layout import Ground
from referee.sensing.observations import BoardMismatchError, Difference, Observation
from referee.sensing.settle import Alarm, Clock, Senses, Settler
from referee.sensing.timing import Timing

DEFAULT_TIMING = Timing()


class Interpreter:
    """Understands one board. Until the first order it only watches.

    `squares` in the order of the wire; `colour`: the sensors tell poles; `poles`: which one each seat's magnets show (on an occupancy
    board any). `board` adds geometry: without it more is waited for where pieces are not told apart, and `Seen` knows no zones.
    Raises `BoardMismatchError` where these do not fit each other.
    """

    def __init__(
        self,
        squares: Sequence[Square],
        colour: bool,
        poles: Mapping[Seat, Reading],
        timing: Timing = DEFAULT_TIMING,
        board: Board | None = None,
    ) -> None:
        self._clock = Clock(timing)
        self._alarm = Alarm(self._clock)
        ground = Ground(squares, colour, poles, board)
        self._senses = Senses(ground, Settler(len(ground.squares), timing), self._alarm, timing)
        self._mode: Following | Expecting | Collecting | None = None
        self._shown: tuple[Reading, ...] = ()
        self._unsure: list[int] = []
        self._gap = True

    def feed(self, frame: Frame) -> tuple[Observation, ...]:
        """Take the next frame; return what it completes, in order.

        Carry the observations out in that order; orders may be given between them or afterwards. Raises `BoardMismatchError`,
        changing nothing, for a frame with another number of squares.
        """
        squares = frame.squares
        unchanged = squares is self._shown or squares == self._shown  # frames that show the same share one tuple
        if not unchanged and len(squares) != len(self._senses.ground.squares):
            raise BoardMismatchError(
                f"a frame of {len(squares)} squares for a board of {len(self._senses.ground.squares)}"
            )
        step_ms = self._clock.take(frame)
        if step_ms is None or step_ms > self._senses.timing.gap_ms:
            self._gap = True
        rings = self._gap or self._clock.now_ms >= self._alarm.wake_ms
        if unchanged and not rings and not self._senses.settler.busy:
            return ()
        return self._look(squares, rings)

    def _look(self, squares: tuple[Reading, ...], rings: bool) -> tuple[Observation, ...]:
        senses, settler = self._senses, self._senses.settler
        if self._gap:
            senses.gap_ms = senses.now_ms
        settled_anew = settler.feed(senses.ground.plain(squares), senses.now_ms, self._clock.last_ms, self._gap)
        self._gap, self._shown = False, squares
        unsure = settler.unsure()
        if self._mode is None or not (settled_anew or rings or unsure != self._unsure):
            return ()
        self._unsure = unsure
        return self._say(self._mode)

    def _say(self, mode: Following | Expecting | Collecting) -> tuple[Observation, ...]:
        self._alarm.sleep()
        unmasked = self._senses.unmask()
        return (*([unmasked] if unmasked else ()), *mode.step())

    def look(self) -> tuple[Observation, ...]:
        """Judge the last frame by an expectation that came after it; return what the same frame would say if it came once more.

        For a board at rest sends its next frame up to 500 ms later. Call it after `expect`, once everything that the last frame
        brought has been carried out. Returns nothing where the next frame is needed or near: before the first one, after news of the
        link, while a square is in doubt; and nothing after any other order.
        """
        if self._gap or self._senses.settler.busy or not isinstance(self._mode, Expecting):
            return ()
        return self._say(self._mode)

    @property
    def now_ms(self) -> int:
        """The board's time of the last frame, counted on over its wrap."""
        return self._clock.now_ms

    @property
    def quiet(self) -> bool:
        """Return whether no hand seems to be at work on the game: then frames may be fed up to 150 ms late, all at once.

        For whatever a hand begins has to stand for 80 ms before anything but `Lifted` follows from it: no move is read more than 80 ms
        later, and most are read no later at all. A move that nobody answers may become final that much later.
        """
        if not isinstance(self._mode, Following) or self._gap or self._senses.settler.stirs:
            return False
        return self._mode.quiet

    @property
    def votes(self) -> int:
        """Count the votes that the square most in doubt keeps: no more than its window has frames."""
        return self._senses.settler.votes

    @property
    def told(self) -> int:
        """Count the boards not understood that were told and are remembered, so that none is told again at once."""
        return self._mode.told if isinstance(self._mode, Following | Expecting) else 0

    def follow(self, situation: Situation) -> None:
        """Read moves and attacks from this position on, and forget any earlier one; every move before it counts as final."""
        self._turn_to(Following(self._senses, situation))

    def advance(self, situation: Situation) -> None:
        """Go on from the position after what was just read, revised or unsaid; what could still revise it is kept."""
        if isinstance(self._mode, Following):
            self._mode.advance(situation)
            self._alarm.ring()
        else:
            self.follow(situation)

    def expect(self, occupants: Mapping[Square, Seat]) -> None:
        """Read no moves; say `Agreed` once when the board has become this and is at rest."""
        attacker = self._mode.attacker if isinstance(self._mode, Following | Expecting) else None
        self._turn_to(Expecting(self._senses, occupants, attacker))

    def collect(self) -> None:
        """Read no moves; say `Seen` each time the board came to rest on something new."""
        self._turn_to(Collecting(self._senses))

    def _turn_to(self, mode: Following | Expecting | Collecting) -> None:
        self._mode = mode
        self._alarm.ring()

    def differences(self) -> tuple[Difference, ...]:
        """Return every square that now differs from the position or the expectation, in wire order."""
        return self._mode.differences() if self._mode is not None else ()

    def link_lost(self) -> None:
        """Take the news that frames are missing or the board was restarted: whatever was half seen is forgotten."""
        self._gap = True

    def link_back(self) -> None:
        """Take the news that frames come again. The next one is compared; what came to stand meanwhile is asked about, never read."""
        self._gap = True
