"""One game at the simulated board: random legal decisions, carried out by hands that err in listed ways."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from random import Random

from benchmarks.game_sources import random_games
from benchmarks.hands import rank_at
from hardware import Sensing, load_board
from referee.rules import Game, Move, rule_set
from referee.rules.values import Seat
from referee.table.inputs import Pause, Resume
from referee.table.views import Phase
from simulator import motions as hand
from simulator.board import SimBoard
from simulator.script import MotionError
from tests.carried_out.table import PLAYING, FaultError, JudgedTable, demand

ACCEPTED_MS = 20_000
"""A right ply is read and final, or an attack asked about, within this."""
ASKED_MS = 20_000
WRONG = (
    "other ply",
    "other attack",
    "wrong square",
    "other seat's piece",
    "nothing for long",
    "lift and hold",
    "lift and return",
    "rest on the way",
    "other ply, then the right one",
    "two at once",
    "laid aside",
    "pause",
    "bump",
    "plug pulled",
    "plug pulled",
)
WAYS = ("both lifted", "target first", "told", "told after both lifted")


class CarriedGame:
    """A game. `play` plays it until so many decided moves are final or it is over."""

    def __init__(self, seed: str, counts: Counter[str], make: Callable[..., JudgedTable] = JudgedTable) -> None:
        self.seed, self.counts = seed, counts
        self.random = Random(f"{seed}/mischief")
        self.colour = self.random.random() < 0.5
        seats = self.random.choice([(Seat.RED,), (Seat.BLUE,), (Seat.RED, Seat.BLUE)])
        board = load_board("travel-10x10").with_sensing(Sensing.COLOUR if self.colour else Sensing.OCCUPANCY)
        self.moves = next(iter(random_games(rule_set("original"), self.random.randrange(1 << 30))))
        self.truth: Game = self.moves.start.copy()
        self.board = SimBoard(board, self.random.randrange(1 << 30))
        self.table = make(self.truth.rule_set, board, seats, clocks=self.random.random() < 0.7)
        self.seats = seats
        self.log: list[str] = []
        self.mark = 0
        self.early: Move | None = None
        self.done = 0

    # ---------------------------------------------------------------- time and hands

    def listen(self, for_ms: int) -> None:
        """Let board time pass."""
        until_ms = self.board.now_ms + for_ms
        while self.board.now_ms < until_ms:
            messages = self.board.listen(min(until_ms, self.board.now_ms + 100))
            self.table.hear(messages, self.board.boot_ms)

    def until(self, holds: Callable[[], bool], most_ms: int) -> bool:
        """Let board time pass until something holds; return whether it came to hold."""
        until_ms = self.board.now_ms + most_ms
        while not holds() and self.board.now_ms < until_ms:
            self.listen(100)
        return holds()

    def hands(self, motion: hand.Motion, after_ms: int = 100) -> None:
        """Let hands make a motion to its end."""
        self.log.append(str(motion))
        self.board.begin(motion, after_ms)
        self.until(lambda: not self.board.busy, 60_000)

    def note(self, what: str) -> None:
        """Count what is done, and keep it for a finding."""
        self.counts[what] += 1
        self.log.append(what)

    def restore(self) -> None:
        """Put the board as the view shows it."""
        view = self.table.view
        self.hands(hand.Restore(tuple((name, seat.value) for name, seat in view.occupants.items())), 300)

    def put_right(self, decision: tuple[Seat, Move] | None) -> None:
        """Put right what the table asks for, as often as it asks; the decision is shown again afterwards."""
        for _ in range(4):
            if self.table.view.phase in PLAYING and self.stands_right():
                break
            self.restore()
            self.until(lambda: self.table.view.phase in PLAYING, 8_000)
            self.listen(300)
        view = self.table.view
        demand(view.phase in PLAYING, f"the board was put right and the table stays {view.phase}, fixes {view.fixes}")
        if decision is not None:
            self.shown(decision)

    def stands_right(self) -> bool:
        """Return whether pieces stand on the squares that the view names, and on no others."""
        return set(self.board.occupied()) == set(self.table.view.occupants)

    def shown(self, decision: tuple[Seat, Move]) -> None:
        """Demand that the decision stands."""
        seen = self.table.view.decided
        seat, move = decision
        wanted = (seat, move.source.name, move.target.name)
        demand(
            seen is not None and (seen.seat, seen.source, seen.target) == wanted, f"{wanted} is not shown but {seen}"
        )

    def asked(self, about: str, words: Sequence[str] = ()) -> None:
        """Demand that hands are asked what to do, with these words where it must be one of them."""
        at = self.mark
        restoring = lambda: self.table.view.phase is Phase.RESTORING  # noqa: E731
        demand(self.until(restoring, ASKED_MS), f"{about}: nothing was asked")
        view = self.table.view
        asks = [event.text for event in self.table.events[at:] if event.kind == "ask"]
        demand(asks, f"{about}: restoring without the event ask")
        demand(not words or asks[0] in words, f"{about}: asked as {asks}")
        self.until(lambda: bool(self.table.view.fixes), 2_000)
        demand(self.table.view.fixes, f"{about}: no fixes ({view.ask})")
        self.counts[f"asked: {asks[0]}"] += 1

    # ---------------------------------------------------------------- the game

    def play(self, most: int) -> None:
        """Play. Raises `FaultError` with what was done."""
        try:
            self.board.lay({square.name: seat.value for square, seat in self.truth.occupants().items()})
            self.table.open(0)
            self.listen(3_000)
            demand(self.table.view.phase in PLAYING, "the game did not begin")
            demand(tuple(self.table.table.info().decided) == self.seats, "info does not name the seats")
            while self.done < most and self.table.view.phase is not Phase.FINISHED and self.truth.result is None:
                move, self.early = self.early or self.moves.choose(self.truth), None
                if move is None:
                    return
                if self.truth.turn in self.seats:
                    self.decided_ply(self.truth.turn, move)
                    self.done += 1
                else:
                    self.carry_out(self.truth.turn, move, self.truth.turn)
        except (FaultError, MotionError) as error:
            tail = " | ".join(self.log[-14:])
            events = " | ".join(f"{e.kind} {e.source}-{e.target} {e.text or ''}" for e in self.table.events[-8:])
            raise FaultError(
                f"{self.seed}, colour {self.colour}, {self.seats}: {error}\n  done: {tail}\n  events: {events}"
            ) from error

    def decided_ply(self, seat: Seat, move: Move) -> None:
        """Play one ply of a seat whose moves are decided elsewhere."""
        table = self.table
        view = table.view
        ply, names = view.ply + 1, (move.source.name, move.target.name)
        if view.last_move is not None and not view.last_move.final:
            self.note("decide too early")
            demand(table.decision(seat, ply, *names, self.board.now_ms) == "not-final", "decided over an open ply")
        demand(self.until(lambda: (last := table.view.last_move) is None or last.final, ACCEPTED_MS), "never final")
        if ply not in table.told:
            self.messages_before(seat, move, ply)
        if ply not in table.told and self.random.random() < 0.12 and (other := self.walk(seat)) is not None:
            self.note("a ply before it is decided")
            self.mark = len(table.events)
            self.hands(hand.Move(other.source.name, other.target.name))
            self.asked("a ply before it is decided", ("not-decided",))
            if self.random.random() < 0.5:
                self.note("decided while the board is put right")
                demand(table.decision(seat, ply, *names, self.board.now_ms) == "accepted", "not taken while restoring")
                self.put_right((seat, move))
            else:
                self.put_right(None)
        if ply not in table.told:
            answer = table.decision(seat, ply, *names, self.board.now_ms, id=f"the-{ply}")
            demand(answer == "accepted", f"a legal move is rejected: {answer} {names}")
            demand(
                table.decision(seat, ply, *names, self.board.now_ms, id=f"the-{ply}") == "accepted",
                "a repeat is rejected",
            )
        self.shown((seat, move))
        self.messages_after(seat, move, ply)
        self.mischief(seat, move)
        self.carry_out(seat, move, seat)

    def messages_before(self, seat: Seat, move: Move, ply: int) -> None:
        """Send what must be rejected while nothing is decided."""
        decide, now_ms = self.table.decision, self.board.now_ms
        source, target = move.source.name, move.target.name
        rival = next(other for other in self.truth.rule_set.seats if other is not seat)
        theirs = next(square.name for square, owner in self.truth.occupants().items() if owner is rival)
        empty = next(s.name for s in self.truth.rule_set.board.squares if s not in self.truth.occupants())
        mine = [square.name for square, owner in self.truth.occupants().items() if owner is seat]
        own_piece = next(iter(name for name in mine if name != source), source)
        cases: list[tuple[str, Seat, int, str, str, Sequence[str]]] = [
            ("stale", seat, ply - 1, source, target, ("stale",)),
            ("too high a ply", seat, ply + 1, source, target, ("stale",)),
            ("no such square", seat, ply, source, "z99", ("no-such-square",)),
            ("not the own piece", seat, ply, theirs, target, ("not-your-piece",)),
            ("an empty square", seat, ply, empty, target, ("not-your-piece",)),
            ("onto itself", seat, ply, source, source, ()),
            ("onto an own piece", seat, ply, source, own_piece, ()),
            (
                "the other seat",
                rival,
                ply,
                source,
                target,
                ("not-your-turn",) if rival in self.seats else ("not-elsewhere",),
            ),
        ]
        for name, who, number, a, b, words in self.random.sample(cases, 2):
            self.note(f"said: {name}")
            answer = decide(who, number, a, b, now_ms)
            demand(answer not in ("accepted", "nothing") and (not words or answer in words), f"said {name}: {answer}")
        if self.truth.is_attack(move) and self.random.random() < 0.3:
            self.note("said: an attack that is not decided")
            answer = self.table.attack_told(seat, source, target, now_ms)
            demand(answer == "not-decided", f"an attack told before it is decided: {answer}")

    def messages_after(self, seat: Seat, move: Move, ply: int) -> None:
        """Send what must be rejected once a decision was taken."""
        if self.random.random() < 0.3:
            self.note("said: decided again or otherwise")
            other = self.walk(seat) or move
            answer = self.table.decision(seat, ply, other.source.name, other.target.name, self.board.now_ms)
            demand(answer == "decided", f"said twice: {answer}")
        attack = next((m for m in self.attacks(seat) if m != move), None)
        if attack is not None and self.random.random() < 0.3:
            self.note("said: another attack than decided")
            answer = self.table.attack_told(seat, attack.source.name, attack.target.name, self.board.now_ms)
            demand(answer == "not-decided", f"another attack told: {answer}")

    def legal(self, seat: Seat) -> list[Move]:
        """Return what the seat may do by what everybody knows."""
        game = self.table.game
        return [a for a in game.legal_actions() if isinstance(a, Move)] if game.turn is seat else []

    def walk(self, seat: Seat, but: Move | None = None) -> Move | None:
        """Return a legal ply of the seat that is no attack."""
        found = [m for m in self.legal(seat) if not self.table.game.is_attack(m) and m != but]
        return self.random.choice(found) if found else None

    def attacks(self, seat: Seat) -> list[Move]:
        """Return the attacks that the seat may make by what everybody knows."""
        return [m for m in self.legal(seat) if self.table.game.is_attack(m)]

    # ---------------------------------------------------------------- what hands do wrong

    def mischief(self, seat: Seat, move: Move) -> None:
        """Let hands do something else first, in half of the plies."""
        if self.random.random() < 0.5:
            self.note("at once the right ply")
            return
        kind = self.random.choice(WRONG)
        self.mark = len(self.table.events)
        if not self.wrong(kind, seat, move):
            return
        self.note(kind)
        self.put_right((seat, move))

    def wrong(self, kind: str, seat: Seat, move: Move) -> bool:
        """Return whether there was a way to do this kind of wrong; it has been done then, and the answer to it judged."""
        source, target = move.source.name, move.target.name
        walk = self.walk(seat, move)
        taken = self.taken()
        empty = [s.name for s in self.truth.rule_set.board.squares if s.name not in taken]
        rival = next(other for other in self.truth.rule_set.seats if other is not seat)
        match kind:
            case "other ply" if walk is not None:
                self.hands(hand.Move(walk.source.name, walk.target.name, slide=False))
                self.asked(kind, ("not-decided",))
            case "other attack" if found := [m for m in self.attacks(seat) if m != move and m.source != move.source]:
                other = self.random.choice(found)
                self.hands(hand.Both(other.source.name, other.target.name))
                self.asked(kind, ("not-decided",))
            case "wrong square":
                may = {m.target.name for m in self.legal(seat) if m.source == move.source}
                wrong = [name for name in empty if name not in may]
                self.hands(hand.Move(source, self.random.choice(wrong)))
                self.asked(kind)
            case "other seat's piece":
                theirs = self.random.choice([name for name, owner in taken.items() if owner is rival])
                self.hands(hand.Move(theirs, self.random.choice([n for n in empty if n != target])))
                self.asked(kind)
            case "nothing for long":
                self.quiet(kind, lambda: self.listen(self.random.choice([15_000, 60_000])))
            case "lift and hold" | "lift and return":
                self.quiet(kind, lambda: self.lift_and_return(source, seat, 9_000 if kind == "lift and hold" else 700))
            case "rest on the way" if between(move):
                rest = self.random.choice(between(move))
                self.hands(hand.Move(source, rest))
                self.listen(self.random.choice([150, 300]))
                if self.truth.is_attack(move) or self.random.random() < 0.4:
                    self.asked("let go on the way", ("not-decided",))
                    return True
                self.hands(hand.Move(rest, target), 0)
                self.listen(200)
                return self.went_through(move, kind)
            case "other ply, then the right one" if (
                walk is not None and walk.source != move.source and walk.target != move.target
            ):
                self.hands(hand.Move(walk.source.name, walk.target.name))
                self.listen(self.random.choice([0, 200, 1_000, 4_000]))
                self.right_blindly(move)
                self.settle()
            case "two at once" if walk is not None and walk.source != move.source and walk.target != move.target:
                self.right_blindly(move)
                self.hands(hand.Move(walk.source.name, walk.target.name), 0)
                self.listen(8_000)
                return self.went_through(move, kind)
            case _:
                return self.strange(kind, (seat, move), walk)
        return True

    def strange(self, kind: str, decision: tuple[Seat, Move], walk: Move | None) -> bool:
        """Return whether this is a kind that is no ply; it has been done then, and the answer to it judged."""
        seat, move = decision
        source, target = move.source.name, move.target.name
        match kind:
            case "laid aside":
                self.hands(hand.Remove(self.random.choice(list(self.taken()))))
                self.listen(self.random.choice([4_000, 12_000]))
                self.settle()
            case "pause":
                self.table.put(Pause(), self.board.now_ms)
                demand(self.table.view.phase is Phase.PAUSED, "not paused")
                self.shown((seat, move))
                answer = self.table.decision(seat, self.table.view.ply + 1, source, target, self.board.now_ms)
                demand(answer == "not-now", f"said while paused: {answer}")
                self.listen(2_000)
                self.table.put(Resume(), self.board.now_ms)
                self.listen(1_500)
            case "plug pulled":
                self.plug(seat, source, walk)
            case "bump":
                self.hands(hand.Bump())
                self.settle()
            case _:
                return False
        return True

    def plug(self, seat: Seat, source: str, walk: Move | None) -> None:
        """Pull the plug: at rest, with the decided piece in the air, or after a wrong ply; hands put right while nobody looks, or not."""
        how = self.random.choice(["at rest", "in the air", "wrong"])
        if how == "in the air":
            self.hands(hand.Lift(source))
        elif how == "wrong" and walk is not None:
            self.hands(hand.Move(walk.source.name, walk.target.name))
            self.listen(self.random.choice([0, 6_000]))
        self.table.pull_plug(self.board.now_ms)
        if how == "in the air" and self.random.random() < 0.5:
            self.hands(hand.Put(seat.value, source), 0)
        self.listen(4_000)

    def taken(self) -> dict[str, Seat]:
        """Return the squares on which pieces stand in the game."""
        return {square.name: owner for square, owner in self.table.game.occupants().items()}

    def lift_and_return(self, square: str, seat: Seat, for_ms: int) -> None:
        """Hold a piece in the air and bring it back."""
        self.hands(hand.Lift(square))
        self.listen(for_ms)
        self.hands(hand.Put(seat.value, square), 0)
        self.listen(1_500)

    def quiet(self, kind: str, does: Callable[[], None]) -> None:
        """Demand that nothing is said of what is done, and the decision shown throughout."""
        does()
        new = [e for e in self.table.events[self.mark :] if e.kind not in ("lifted", "returned")]
        demand(not new, f"{kind}: {[(e.kind, e.text) for e in new]}")

    def right_blindly(self, move: Move) -> None:
        """Make the decided ply without looking at what the table says."""
        if self.truth.is_attack(move):
            self.hands(hand.Both(move.source.name, move.target.name), 0)
        else:
            self.hands(hand.Move(move.source.name, move.target.name), 0)

    def settle(self) -> None:
        """Let the table come to rest, and answer what it asks."""
        self.listen(8_000)
        if self.table.view.phase is Phase.WAITING_FOR_DECLARATIONS:
            self.deny()

    def deny(self) -> None:
        """Let both say that this was no attack."""
        self.note("attack denied")
        self.table.deny(self.board.now_ms)
        self.listen(500)

    def went_through(self, move: Move, kind: str) -> bool:
        """Return False where the decided ply was taken along the way: then nothing is left to put right but what the table asks."""
        ply, names = self.truth.ply + 1, (move.source.name, move.target.name)
        if self.table.view.phase is Phase.WAITING_FOR_DECLARATIONS:
            self.deny()
        self.until(lambda: self.table.view.last_move is None or self.table.view.last_move.final, ACCEPTED_MS)
        finals = [e for e in self.table.events[self.mark :] if e.kind == "move.final" and e.ply == ply]
        if finals:
            demand((finals[0].source, finals[0].target) == names, f"{kind}: final {finals[0]}")
            self.note(f"{kind}: taken")
            self.put_right(None)
            return False
        return True

    # ---------------------------------------------------------------- the right ply

    def carry_out(self, seat: Seat, move: Move, owner: Seat) -> None:
        """Make the ply and demand that it is taken."""
        ply = self.truth.ply + 1
        if self.table.view.ply < ply:
            if self.truth.is_attack(move):
                self.attack(seat, move)
            else:
                self.mark = len(self.table.events)
                slides = self.random.random() < 0.3
                self.hands(hand.Move(move.source.name, move.target.name, slides, between(move) if slides else ()))
                final = lambda: any(e.kind == "move.final" and e.ply == ply for e in self.table.events[self.mark :])  # noqa: E731
                read = lambda: self.table.view.ply >= ply  # noqa: E731
                sought = final if self.random.random() < 0.7 else read
                demand(self.until(sought, ACCEPTED_MS), f"the right ply {move} of {owner} was not taken")
        self.truth.play(move)

    def decide_early(self, after: Game) -> tuple[Seat, Move] | None:
        """Return what was decided while captured pieces are still to be taken off; None if nothing was."""
        move = self.moves.choose(after) if self.random.random() < 0.5 else None
        if move is None:
            return None
        self.note("decided while captured pieces are taken off")
        ply, names = self.table.view.ply + 1, (move.source.name, move.target.name)
        answer = self.table.decision(after.turn, ply, *names, self.board.now_ms)
        demand(answer == "accepted", f"said while captured pieces are taken off: {answer}")
        self.early = move
        return after.turn, move

    def is_asking(self) -> bool:
        """Return whether both seats are asked about an attack."""
        return self.table.table.phase is Phase.WAITING_FOR_DECLARATIONS

    def attack(self, seat: Seat, move: Move) -> None:
        """Show an attack in one of its ways, declare, and put the board as the verdict says."""
        source, target, table = move.source.name, move.target.name, self.table
        demand(self.until(lambda: (last := table.view.last_move) is None or last.final, ACCEPTED_MS), "never final")
        way = self.random.choice(WAYS)
        self.note(f"attack, {way}")
        if way == "target first":
            self.hands(hand.Remove(target))
            self.hands(hand.Move(source, target), 0)
            self.until(self.is_asking, 6_000)
        elif way.startswith("both") or way == "told after both lifted":
            self.hands(hand.Both(source, target))
            self.until(self.is_asking, 6_000)
        else:
            self.hands(hand.Lift(source))
        if not self.is_asking():
            answer = table.attack_told(seat, source, target, self.board.now_ms)
            demand(answer == "accepted", f"attack, {way}: told as decided and answered {answer} ({table.view.phase})")
        demand(self.until(self.is_asking, ACCEPTED_MS), f"the decided attack, {way}, was not asked about")
        if self.random.random() < 0.3 and (asker := self.random.choice(self.seats)) is seat:
            self.note("said: decided while an attack is asked about")
            answer = table.decision(asker, table.view.ply + 1, source, target, self.board.now_ms)
            demand(answer == "not-now", f"said while an attack is asked about: {answer}")
        if seat in self.seats and self.random.random() < 0.15:
            self.deny()
            demand(any(e.kind == "attack.withdrawn" for e in table.events[-4:]), "denied by both, and not withdrawn")
            self.put_right((seat, move))
            self.attack(seat, move)
            return
        ranks = {seat: rank_at(self.truth, move.source), _owner(self.truth, move): rank_at(self.truth, move.target)}
        ply = self.truth.ply + 1
        table.declare(ranks, self.board.now_ms)
        demand(any(e.kind == "verdict" and e.ply == ply for e in table.events), "no verdict")
        self.listen(300)
        if table.view.phase is not Phase.FINISHED:
            after = self.truth.copy()
            after.play(move)
            if way == "target first" and after.occupants().get(move.target) is _owner(self.truth, move):
                self.note("the attacker stands where the defender wins")
                self.listen(3_000)
                wrong = {each.square.name for each in table.interpreter.differences()}
                demand(table.view.phase is Phase.WAITING_FOR_BOARD, f"nothing was asked of the attacker on {target}")
                demand(wrong == {target}, f"the attacker stands on {target}, and to be put right is {wrong}")
            then = None
            if table.view.phase is Phase.WAITING_FOR_BOARD and after.turn in self.seats and after.result is None:
                then = self.decide_early(after)
            self.put_right(then)


def _owner(game: Game, move: Move) -> Seat:
    return game.occupants()[move.target]


def between(move: Move) -> tuple[str, ...]:
    """Return the squares that a piece goes over."""
    (a, x), (b, y) = [(name[0], int(name[1:])) for name in (move.source.name, move.target.name)]
    if a == b:
        way = range(x + 1, y) if x < y else range(x - 1, y, -1)
        return tuple(f"{a}{row}" for row in way)
    columns = range(ord(a) + 1, ord(b)) if a < b else range(ord(a) - 1, ord(b), -1)
    return tuple(f"{chr(column)}{x}" for column in columns)
