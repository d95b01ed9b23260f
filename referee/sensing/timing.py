"""Every time that sensing waits, in board milliseconds, each with its reason.

The hand times behind them are estimates and simulations (docs/reference/sensing.md) until somebody films a game.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

from referee.sensing.observations import TimingError


@dataclass(frozen=True, slots=True)
class Timing:
    """How long things must stand before sensing believes or says them. Raises `TimingError` if the times cannot work."""

    vote_ms: int = 64
    """A square settles when a new reading holds for this long within the window: longer than a burst, which lasts 20 to 60 ms."""

    vote_window_ms: int = 80
    """The window of votes: 64 of 80 ms lets one frame in five be wrong (at 100 Hz), about what a bouncing magnet shows."""

    vote_cap_ms: int = 25
    """What one frame counts at most. A scan at 50 Hz (20 ms) counts in full; a frame before a silence is no proof of the silence."""

    touch_ms: int = 12
    """A magnet seen for less than this on a crossed square is noise: at 100 Hz a single wrong frame is 10 ms long."""

    quick_ms: int = 80
    """From the last change to the read move where the hand cannot be sliding on: bursts still made ghosts below 80 ms, none at 80."""

    slide_ms: int = 260
    """The same where it may be sliding on: a dwell of 60 ms (lognormal, s 0.5) on a crossed square exceeds it in 0.2 % of cases, and a
    long slide crosses several.
    """

    lift_ms: int = 250
    """In the air at least this long, a piece was really lifted: between two squares of a slide it is out of sight 20 to 90 ms."""

    rest_ms: int = 1800
    """A piece that rests on a legal square for longer was let go: hesitations are seen for up to 1,750 ms. With nothing else, a ply is
    final then.
    """

    run_up_ms: int = 1250
    """Before a piece attacks, the square before its victim sees it for at most 1,200 ms."""

    early_ms: int = 450
    """A turn begins at most this long before the ply before it ends: replies begin up to 400 ms before the hand lets go."""

    hasty_ms: int = 250
    """A reply that begins sooner than this after the ply before it is rare: people think for half a second at least."""

    nudge_ms: int = 650
    """A piece that was only nudged is seen on the neighbour for at most 600 ms."""

    push_ms: int = 200
    """Between two neighbours a pushed piece is out of sight for at most 150 ms."""

    pass_ms: int = 350
    """A pushed piece is seen for at most 300 ms on each square on its way."""

    border_ms: int = 1050
    """Both squares of a border see a piece that is drawn over it slowly, for at most 1,000 ms."""

    unsay_ms: int = 1600
    """A piece that was read and is in the air again for this long is no longer said to have moved: adjusting takes up to 400 ms, and
    a target that is taken first is in the air for up to 1,500 ms before its attacker.
    """

    both_up_ms: int = 370
    """Attacker lifted, then the target, both still up: an attack. An early reply looks the same, but ends with the mover setting down.

    A little below 400, the time for which the board still sends every scan after its last change: later it would be 900.
    """

    target_first_ms: int = 1500
    """The same with the target lifted first: rarer, and more often a player who adjusts a piece while the other one thinks."""

    swap_ms: int = 1000
    """Occupancy only: the attacker is up and the target went and came back (swapped in the hand, or only adjusted by its owner)."""

    together_ms: int = 50
    """Two changes nearer to each other than this have no order: noise delays a square by a few frames."""

    puzzled_ms: int = 2500
    """A board that nothing explains is left alone for this long: hands may be on their way to put it right."""

    held_ms: int = 10_000
    """Pieces of both sides in the air, and nothing else, for this long: something was not seen."""

    stray_ms: int = 3500
    """The same though other hands go on, from when the last script was given up: half the table has not noticed."""

    patience_ms: int = 20_000
    """What a verdict or a set-up still lacks is told again after this silence; hands take 1 to 15 s to clear an attack."""

    mask_ms: int = 15_000
    """Squares that stay wrong for so long after everybody was told of them: their sensors are not believed any more."""

    masked_squares: int = 2
    """More squares than this are never masked: that is a broken row or a hand that is away, and the game waits."""

    under_way_ms: int = 1000
    """What lands this soon after a verdict on a square that is to be cleared was in a hand already: a swap, seen as both in the air."""

    agree_ms: int = 100
    """The board has been as expected for this long: above a burst."""

    collected_ms: int = 300
    """While collecting, the board counts as at rest after this long without a change."""

    disturbed_squares: int = 5
    """More squares than this different at once: two players with a captured piece between them touch five."""

    disturbed_ms: int = 150
    """For this long, so that a knock on the table which only makes readings flicker heals by itself."""

    gap_ms: int = 1100
    """Frames missing for longer are a gap: an idle board speaks every 500 ms, and one of these frames may be lost."""

    def __post_init__(self) -> None:
        """Refuse times that cannot work."""
        for spec in fields(self):
            if getattr(self, spec.name) <= 0:
                raise TimingError(f"{spec.name} must be above zero")
        if self.vote_window_ms < self.vote_ms:
            raise TimingError("vote_window_ms must hold vote_ms")
        if self.slide_ms < self.quick_ms or self.quick_ms < self.vote_ms:
            raise TimingError("vote_ms, quick_ms and slide_ms must rise in this order")
