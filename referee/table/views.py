"""What may be seen: by everybody (`PublicView`, `PublicInfo`, `PublicEvent`) and by one seat (`SeatView`).

Plain frozen values. A public type has no place for a rank that was not shown: its ranks are captured pieces, armies of the
rule set and guesses that were spoken aloud.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from referee.rules.values import Rank, Seat


class Phase(Enum):
    """Where a table stands; the values are the words of design and screens."""

    LOBBY = "lobby"
    SETTING_UP = "setting-up"
    WAITING_FOR_MOVE = "waiting-for-move"
    PIECE_IN_HAND = "piece-in-hand"
    WAITING_FOR_DECLARATIONS = "waiting-for-declarations"
    WAITING_FOR_BOARD = "waiting-for-board"
    RESTORING = "restoring"
    PAUSED = "paused"
    FINISHED = "finished"


class Mode(Enum):
    """How ranks reach the referee: declared at each attack, or enrolled before the game."""

    DECLARE = "declare"
    ENROL = "enrol"


class Reveal(Enum):
    """Who hears the rank of a survivor besides its owner (design section 6)."""

    BOOK = "book"
    ATTACKER_ONLY = "attacker-only"
    RESULT_ONLY = "result-only"


@dataclass(frozen=True, slots=True)
class SquareShape:
    """One space of the board as it is drawn: its middle (x, y) in squares from red's left corner, y away from red."""

    name: str
    x: float
    y: float
    width: float = 1.0
    height: float = 1.0


@dataclass(frozen=True, slots=True)
class BoardShape:
    """The board as it is drawn: its size in squares, its spaces, and the lakes (column, row; both from 0) between them."""

    columns: int
    rows: int
    squares: tuple[SquareShape, ...]
    lakes: tuple[tuple[int, int], ...] = ()
    verified: bool = True


@dataclass(frozen=True, slots=True)
class PublicInfo:
    """What stays the same for a whole game (topic `pub/info`)."""

    board_id: str
    game: str
    version: str
    rule_set: str
    mode: Mode
    reveal: Reveal
    seats: tuple[Seat, ...]
    army: Mapping[Rank, int]
    board: BoardShape
    numbers: Mapping[Rank, int] = field(default_factory=dict)
    """The number on the pieces of a rank; ranks without one are missing."""
    army_verified: bool = True
    """False where nobody has counted a real box; screens say so, as they do for the board."""
    names: Mapping[Seat, str] = field(default_factory=dict)
    decided: tuple[Seat, ...] = ()
    """Seats whose moves are decided elsewhere: their handsets tell them, and hands at the board carry them out."""
    computers: Mapping[Seat, int] = field(default_factory=dict)
    """Those of them that the computer plays, with its level from 1 to 5; not those that somebody else has by now."""
    options: Mapping[str, bool | int | str] = field(default_factory=dict)
    """What the game is played by of all that its rule set leaves open."""
    roots: Mapping[Seat, str] = field(default_factory=dict)
    """Commitment root of each enrolled set-up, as hex, from before the first move on; empty in declare mode."""
    zones: Mapping[Seat, tuple[tuple[str | None, ...], ...]] = field(default_factory=dict)
    """Each seat's set-up zone as its player sees it: front row first, left to right; None is a space that is not of the zone."""
    filled: bool = True
    """Whether a set-up fills its zone; where not, the army stands anywhere in it."""
    exits: Mapping[Seat, tuple[str, ...]] = field(default_factory=dict)
    """The squares of each zone from which a piece can leave it at once."""
    immobile: tuple[Rank, ...] = ()
    """Ranks that never move."""
    teams: tuple[tuple[Seat, ...], ...] = ()
    """Who plays together: every seat once; empty where each plays for himself."""
    finale_s: int = 0
    """So long after the end it is shown whether both armies are turned over; 0: nobody is asked."""
    fresh: str = ""
    """The referee's session and the public key that it has drawn for this game's letters, with a colon between."""

    def in_zone(self, seat: Seat, square: str) -> bool:
        """Return whether a square belongs to a seat's set-up zone; all do where no zone was told."""
        return not self.zones or any(square in row for row in self.zones.get(seat, ()))

    def placed(self, seat: Seat, view: PublicView) -> int:
        """Return how many pieces of an army stand in its set-up zone."""
        return sum(owner is seat and self.in_zone(seat, square) for square, owner in view.occupants.items())

    def astray(self, seat: Seat, view: PublicView) -> tuple[str, ...]:
        """Return the squares outside its set-up zone on which an army has pieces; while setting up none of them may stand there."""
        return tuple(
            square for square, owner in view.occupants.items() if owner is seat and not self.in_zone(seat, square)
        )

    def partners(self, seat: Seat) -> tuple[Seat, ...]:
        """Return all seats of a seat's team, itself among them: who wins when it does."""
        return next((team for team in self.teams if seat in team), (seat,))


@dataclass(frozen=True, slots=True)
class Fix:
    """One square that has to be put right: `wanted` is the army that belongs there, None for an empty square."""

    square: str
    wanted: Seat | None


class Found(Enum):
    """What a sensor showed: nothing, a piece, or a magnet too far off for either."""

    EMPTY = "empty"
    PIECE = "piece"
    UNCLEAR = "unclear"


@dataclass(frozen=True, slots=True)
class Sighting:
    """What one square showed when its hands were not understood; `seat` says whose piece, where the sensors tell poles."""

    square: str
    found: Found
    seat: Seat | None = None


class Finale(Enum):
    """Whether both armies are turned over after the game: it is asked, they are, they stay covered."""

    ASKED = "asked"
    TURNED = "turned"
    COVERED = "covered"


class Ask(Enum):
    """Why the referee asks the hands for something; one sentence each in `referee/words` (key `ask.<value>`)."""

    SET_UP = "set-up"
    REMOVE_CAPTURED = "remove-captured"
    RESTORE = "restore"
    ILLEGAL_MOVE = "illegal-move"
    NOT_UNDERSTOOD = "not-understood"
    NOT_DECIDED = "not-decided"
    DISTURBED = "disturbed"
    TAKEN_BACK = "taken-back"
    LINK_LOST = "link-lost"
    DECLARE = "declare"
    DECIDE = "decide"
    PUT_RECRUIT = "put-recruit"
    CONFIRM_CLAIM = "confirm-claim"
    CONFIRM_DRAW = "confirm-draw"
    CONFIRM_ABORT = "confirm-abort"
    CONFIRM_TAKE_BACK = "confirm-take-back"
    CONFIRM_VOID = "confirm-void"
    CORRECTED = "corrected"


class Health(Enum):
    """What is wrong with the board, worst first; one sentence each that says what to do, in `referee/words` (key `health.<value>`).

    With the first five its readings mean nothing and are not read (`PublicView.board_fault`); with the others the game goes on.
    """

    LOST = "lost"
    SILENT = "silent"
    OTHER_BOARD = "other-board"
    OTHER_VERSION = "other-version"
    UNCALIBRATED = "uncalibrated"
    BROWN_OUT = "brown-out"
    RESTARTED = "restarted"
    QUEUE_FULL = "queue-full"


@dataclass(frozen=True, slots=True)
class Attack:
    """An attack that is being settled or was the last one; `result` is the stable word of the verdict, None while it is open."""

    seat: Seat
    source: str
    target: str
    result: str | None = None
    denied: tuple[Seat, ...] = ()
    """Seats that say it was none; when both do, it is withdrawn."""
    fires: bool = False
    """The cannon fires."""
    guess: Rank | None = None
    """The rank that an infiltrator's owner has said aloud; None for every other attack."""
    took: Mapping[Seat, Rank] = field(default_factory=dict)
    """Ranks of the pieces that its verdict took off the board."""

    @property
    def told(self) -> bool:
        """Return whether its owner said it aloud, so that nobody can deny it."""
        return self.fires or self.guess is not None


@dataclass(frozen=True, slots=True)
class LastMove:
    """The move that was read last; `final` once it can no longer be revised."""

    seat: Seat
    source: str
    target: str
    final: bool


@dataclass(frozen=True, slots=True)
class DecidedMove:
    """The next ply of a seat whose moves are decided elsewhere, which hands at the board have still to carry out."""

    seat: Seat
    source: str
    target: str


@dataclass(frozen=True, slots=True)
class Offer:
    """What a player asks of all others: `kind` is the word of its question (`draw`, `claim`, `abort`, `take-back`, `void`)."""

    kind: str
    seat: Seat
    ply: int | None = None
    """The ply that it is about: to go back to, or the verdict to void."""
    declined_by: Seat | None = None
    """Who has declined it, by word or by playing on; None while it is open."""


@dataclass(frozen=True, slots=True)
class ClockFace:
    """A seat's clock: what it had left when the view was made, and whether it has run since. Screens count down by themselves."""

    left_ms: int
    runs: bool


@dataclass(frozen=True, slots=True)
class PauseFace:
    """A pause that a player asked for, and how long after the view was made it ends by itself; None: not before somebody ends it."""

    seat: Seat
    left_ms: int | None = None


@dataclass(frozen=True, slots=True)
class GameEnd:
    """How it ended: the winner (None for a draw or an aborted game) and the stable word of the reason."""

    winner: Seat | None
    reason: str


@dataclass(frozen=True, slots=True)
class FlagPlace:
    """Where a flag of Stratego 4 is, and whether a piece carries it; everybody sees the flags."""

    seat: Seat
    square: str
    carried: bool


@dataclass(frozen=True, slots=True)
class PublicView:
    """All that everybody may see of a table at one moment (topic `pub/state`); drawn by the kiosk and the terminal board."""

    board_id: str
    game: str
    seq: int
    """Number of the last public event that this view contains."""
    phase: Phase
    turn: Seat | None
    ply: int
    """Plies played; the next one is ply + 1."""
    occupants: Mapping[str, Seat]
    """Square name -> army, as the game stands (not as the sensors flicker)."""
    captured: Mapping[Seat, Mapping[Rank, int]]
    """For each army its lost pieces by rank."""
    in_hand: tuple[str, ...] = ()
    """Squares whose piece is in the air."""
    last_move: LastMove | None = None
    attack: Attack | None = None
    decided: DecidedMove | None = None
    """What hands shall carry out now."""
    ask: Ask | None = None
    fixes: tuple[Fix, ...] = ()
    saw: tuple[Sighting, ...] = ()
    """What the sensors showed when hands were not understood, while that is put right. Unlike `fixes` it does not follow the hands."""
    fault: str | None = None
    """Which rule the hands that are put right broke, where one piece was plainly moved (key `refusal.<fault>`); rests on no hidden rank."""
    waiting_for: tuple[Seat, ...] = ()
    """Seats that owe something: an answer, a hand on the board, a confirmation."""
    barred: str | None = None
    """`two-squares`, `chase` or `situation` when the mover's last wish was refused by a repetition rule; carries no rank."""
    connected: Mapping[Seat, bool] = field(default_factory=dict)
    board_connected: bool = True
    board_fault: str | None = None
    """Why the board is not read: `lost` (the cable), `silent` (nothing comes), `other-board` (not the one that was begun on),
    `other-version` (its firmware speaks another wire), `uncalibrated` (what it reads cannot be trusted)."""
    health: tuple[Health, ...] = ()
    """All that is wrong with the board now, worst first; `board_fault` is among it."""
    result: GameEnd | None = None
    flags: tuple[FlagPlace, ...] = ()
    """Stratego 4 only."""
    sliders: Mapping[Seat, int] = field(default_factory=dict)
    """Stratego 4 only: how far each army's slider is, 0 to 6."""
    out: tuple[Seat, ...] = ()
    """Seats that play no more while the others go on."""
    called: tuple[Seat, ...] = ()
    """Seats that have called the arbiter since the table stands still."""
    bars: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Where the mover may not go now because of a repetition rule, source -> targets; follows from tracking alone."""
    blind: tuple[str, ...] = ()
    """Squares whose sensor is not believed, so that what happens there is not seen."""
    clocks: Mapping[Seat, ClockFace] = field(default_factory=dict)
    """Each seat's clock, while setting up that of the set-up; empty where none was agreed."""
    hall_clock: ClockFace | None = None
    """What is left of the round for all tables of the hall; None where it was not said."""
    last_plies: Mapping[Seat, int] = field(default_factory=dict)
    """The last ply of each seat that has played one, while it can be taken back."""
    offer: Offer | None = None
    """What a player asks of all others now, or what was declined last, until both have played on."""
    pause: PauseFace | None = None
    """The pause that a player asked for; None in any other, and in none."""
    pauses_left: Mapping[Seat, int] = field(default_factory=dict)
    """How often each seat may still pause; empty where that has no limit."""
    chain: str = ""
    """The head of the game's chain (`137:` and 64 hex digits); empty where it has none."""
    signed: tuple[str, ...] = ()
    """Who has signed that head with the result: seats, and `station`."""
    finale: Finale | None = None
    """Whether both armies are turned over; None before the end and where nobody is asked. Until the time it tells no answer."""
    turned: Mapping[str, Rank] = field(default_factory=dict)
    """Once they are: the rank of each piece on the board, by its square."""
    graces: Mapping[Seat, int] = field(default_factory=dict)
    """Seats whose clock stands still since their phone is not connected: for how many milliseconds more at most."""


@dataclass(frozen=True, slots=True)
class PublicEvent:
    """One thing that happened, in order and without gaps (topic `pub/event`)."""

    game: str
    seq: int
    kind: str
    """`move.read`, `move.revised`, `move.final`, `attack`, `verdict`, `ask`, `end` ... (docs/reference/journal.md has them all)."""
    ply: int
    seat: Seat | None = None
    source: str | None = None
    target: str | None = None
    via: tuple[str, ...] = ()
    result: str | None = None
    captured: Mapping[Seat, Rank] = field(default_factory=dict)
    """Ranks of the pieces that this event took off the board."""
    leaves: Mapping[Seat, str] = field(default_factory=dict)
    """Declare mode, in a verdict: the commitment of each piece's declared rank, as hex."""
    text: str | None = None
    """A stable word that says more, e.g. the reason of a refusal that rests on public facts."""
    links: tuple[str, ...] = ()
    """What this adds to the game's chain (docs/reference/commitments.md)."""
