"""Plays a random table to its end: what each phase wants, and everything that it does not want in between."""

from __future__ import annotations

import math
from collections.abc import Sequence

from referee.rules import Action, Move, Pass
from referee.rules.values import Rank, Seat, Square
from referee.sensing import (
    Agreed,
    AttackSeen,
    Disturbed,
    Final,
    Lifted,
    Observation,
    Puzzled,
    Read,
    Returned,
    Revised,
    Seen,
    Unread,
)
from referee.table.inputs import Abort, BoardLink, Connection, Pause, Resume, Tick
from referee.table.messages import (
    Answer,
    AskPause,
    AskResume,
    CallArbiter,
    ClaimImmobile,
    Consent,
    Decide,
    Declare,
    DenyAttack,
    Enrol,
    FromHandset,
    Hello,
    OfferAbort,
    OfferDraw,
    QuestionKind,
    Ready,
    Resign,
    TellAttack,
    TellFire,
    TellInfiltrate,
    TellLeave,
)
from referee.table.views import Ask, DecidedMove, Mode, Phase
from tests.table.random_play import AT_REST, RandomTable

MOST_OPEN = 3
"""Plies that sensing leaves open at once."""


class Storm(RandomTable):
    """`play` goes on until the game is over or `plies` are played; then somebody resigns or the table is aborted."""

    drama: Phase | None = None

    def play(self, plies: int, sparse: bool = False) -> None:
        """Play the whole of it; `sparse` begins with few pieces that stand anywhere."""
        self.drama = self.rng.choice(list(Phase)) if self.chance(0.4) else None
        self._set_up()
        if sparse:
            self._scatter()
        idle = 0
        while not self.over and self.table.view().ply < plies:
            before = len(self.inputs)
            self._disturb()
            if self.table.phase is self.drama and self.chance(0.3):
                self._give_up()
            if not self.over:
                self._go_on()
            self.now_ms += self.rng.randint(0, 2000)
            self.do(Tick())  # a flag that is due falls here, and not on the way to something else
            idle = 0 if self.table.view().ply else idle + 1
            assert len(self.inputs) > before or idle < 200, "nothing happens any more"
        if not self.over:
            self._stop()
        self._afterwards()

    @property
    def over(self) -> bool:
        """Return whether the game is over."""
        return self.table.result is not None

    def chance(self, share: float) -> bool:
        """Throw the dice."""
        return self.rng.random() < share

    # ---- before and after

    def _set_up(self) -> None:
        self._disturb()
        pieces = dict(self.pieces())
        seats = list(self.rules.seats)
        self.rng.shuffle(seats)
        if self.chance(0.5):
            self.see(Seen(pieces, 0))
        for seat in seats:
            if self.chance(self.junk):
                short = {square: owner for square, owner in pieces.items() if self.chance(0.9)}
                self.see(Seen(short, 0))
                self._disturb()
            if self.chance(self.junk / 2):
                self.do(Pause())
                self.say(seat, Ready(id=self.new_id()))
                self.do(Resume())
                assert self.watch.collects
            self.ready(seat)
        if self.table.view().phase is Phase.PAUSED:
            self.do(Resume())
        for seat in self.table.view().waiting_for:
            self.ready(seat)
        if self.table.view().phase is Phase.SETTING_UP:
            self.see(Seen(pieces, 0))
        assert self.truth is not None

    def _scatter(self) -> None:
        """Jump to a position with few pieces of each army that are near each other; the game may be over at once."""
        board = self.rules.board
        squares = [square for square in board.squares if square not in (board.ring, board.turret)]
        middle = board.place(self.rng.choice(squares))
        squares.sort(key=lambda square: math.dist(middle, board.place(square)))
        starts = [home.flag_start for home in board.homes.values() if home.flag_start]
        places = list(dict.fromkeys([*self.rng.sample(starts, len(starts) // 2), *squares[:30]]))
        self.rng.shuffle(places)
        army = [rank for rank, count in self.rules.army.items() for _ in range(count)]
        special = [rank for rank in (Rank.INFILTRATOR, Rank.CANNON, Rank.SCOUT, Rank.CAPTAIN) if rank in army]
        pieces = {}
        for seat in self.rules.seats:
            ranks = self.rng.sample(army, self.rng.randint(1, 5))
            if special and self.chance(0.5):
                ranks[0] = self.rng.choice([rank for rank in special if rank not in ranks] or ranks[:1])
            pieces[seat] = {places.pop(): rank for rank in ranks}
        if not self.over:
            self.jump(pieces, self.rng.choice(self.rules.seats))

    def _give_up(self) -> None:
        """Let somebody give up, or everybody; in the phase that the dice chose for it."""
        if self.chance(0.7):
            self.resign(self.rng.choice(self.rules.seats))
            self.drama = None if self.chance(0.5) else self.drama
        else:
            self.do(Abort())

    def _stop(self) -> None:
        self.resign(self.rng.choice(self.rules.seats))
        if not self.over:
            self.do(Abort())

    def _afterwards(self) -> None:
        for seat in self.rules.seats:
            set_up = {square.name: rank for square, rank in self.set_ups[seat].items()}
            if self.chance(0.7):
                message = Consent(id=self.new_id(), set_up=set_up)
                self.honest.add(message.id)
                answer = self.say(seat, message).letters[0].body.open_hidden()
                assert type(answer).__name__ == "Accepted"
            self.say(seat, self._junk_message(seat))
        assert not self.do(Abort())
        assert not self.do(Tick())

    # ---- what the phase wants

    def _go_on(self) -> None:
        match self.table.phase:
            case Phase.WAITING_FOR_MOVE | Phase.PIECE_IN_HAND:
                self._move_on()
            case Phase.WAITING_FOR_DECLARATIONS:
                self._answer()
            case Phase.WAITING_FOR_BOARD | Phase.RESTORING:
                assert self.watch.expects == self.table._state.game.public.occupants()
                assert not self.watch.silent
                if self.chance(self.junk / 3):
                    self.see(Puzzled(self.differ(), 0))
                last = self.table.view().last_move
                up = self.rules.board.square(last.target) if last and self.chance(self.junk / 3) else None
                self.see(Agreed(0, 0, up))
            case Phase.PAUSED:
                if self.table._state.pause.silence and self.chance(0.7):  # type: ignore[union-attr]  # it is paused
                    self._answer()
                elif self.chance(0.5):
                    for seat in self.table.view().waiting_for:
                        self.say(seat, AskResume(id=self.new_id()))
                else:
                    self.do(Resume())

    def _answer(self) -> None:
        """Answer what is owed, or let the time run out."""
        if self.table._state.deadline_ms is not None and self.chance(self.junk / 10):
            self.now_ms = self.table._state.deadline_ms
            self.do(Tick())
            assert self.table.phase is Phase.PAUSED
            return
        if self.table._state.attack is not None and self.chance(self.junk / 6):
            self._deny()
            return
        for seat in self.table.view().waiting_for:
            question = self.owed(seat)
            assert question is not None
            if question.kind is QuestionKind.DECLARE and self.lies and self.chance(self.junk):
                wrong = [rank for rank in Rank if rank.value not in question.choices]
                if wrong:
                    rank = self.rng.choice(wrong)
                    self.say(seat, Declare(id=self.new_id(), question=question.question, rank=rank))
            for reply in [self.reply(seat, question) for _ in range(2 if self.chance(self.junk / 2) else 1)]:
                self.say(seat, reply)
            if self.chance(0.3):
                return

    def _deny(self) -> None:
        """Let one of the two seats, or both, say that there was no attack; words said aloud cannot be denied."""
        attack = self.table._state.attack
        assert attack is not None
        for seat in self.rng.sample(sorted(attack.pieces, key=lambda one: one.value), self.rng.randint(1, 2)):
            self.say(seat, DenyAttack(id=self.new_id(), question=attack.question))

    def _move_on(self) -> None:
        situation, public = self.watch.situation, self.table._state.game.public
        assert situation is not None, "sensing is silent and nobody owes it an order"
        assert situation.occupants == public.occupants()
        assert situation.turn is (public.turn if public.result is None else None)
        if self.table._state.offer is not None and self.chance(0.5):
            self._answer_offer()
            return
        over = public.result is not None or self.truth is None or (public.castle is not None and public.castle.owed)
        plies = self.watch.open_plies
        assert plies == len(self.table._state.open_plies), "sensing and the table count other plies as open"
        if plies and (over or plies >= MOST_OPEN or self.chance(0.4)):
            self.rng.choice([self._revise, self._unread, self._make_final, self._make_final, self._make_final])()
            return
        assert self.truth is not None
        assert not over
        actions = self.truth.legal_actions()
        if not actions:
            self._claim()
            return
        if self.truth.turn in self.decided:
            self._carry_out(actions)
            return
        if self.mode is Mode.ENROL and self.chance(self.junk / 6):
            self._try_what_is_illegal()
            return
        attacks = [action for action in actions if self.truth.is_attack(action)]
        self.action(self.rng.choice(attacks if attacks and self.chance(0.4) else actions))

    def _carry_out(self, actions: Sequence[Action]) -> None:
        """Let a seat decide its next ply elsewhere, and hands do it, or another one."""
        assert self.truth is not None
        if self.watch.open_plies:
            self._make_final()
            return
        decided, moves = self.table.view().decided, [a for a in actions if isinstance(a, Move) and not a.leaving]
        if self.chance(self.junk / 2):
            self._make_another(decided)
        elif decided is not None:
            squares = (decided.source, decided.target)
            self.action(next(move for move in moves if (move.source.name, move.target.name) == squares))
        elif moves and (self.chance(0.8) or len(moves) == len(actions)):
            move, ply = self.rng.choice(moves), self.table.view().ply + 1
            said = Decide(id=self.new_id(), ply=ply, source=move.source.name, target=move.target.name)
            self.say(self.truth.turn, said)
            assert self.table.view().decided is not None
        else:  # what is told by other words needs none
            self.action(self.rng.choice([a for a in actions if not isinstance(a, Move)] or list(actions)))

    def _make_another(self, decided: DecidedMove | None) -> None:
        """Show another ply of the seat to move: it is never read, and asked about at once."""
        assert self.watch.situation is not None
        others = [p for p in self.watch.situation.prospects if decided is None or p.source.name != decided.source]
        if others:
            other, before = self.rng.choice(others), self.table.view()
            self.see(AttackSeen(other.source, other.target, 0) if other.attack else Read(other, 0))
            view = self.table.view()
            assert (view.phase, view.ask, view.ply) == (Phase.RESTORING, Ask.NOT_DECIDED, before.ply)
            assert (view.occupants, view.decided) == (before.occupants, before.decided)

    def _answer_offer(self) -> None:
        offer = self.table._state.offer
        assert offer is not None
        if offer.kind is QuestionKind.ABORT:
            self.say(min(offer.owed, key=str), Answer(id=self.new_id(), question=offer.question, choice="refuse"))
            return
        seat = self.rng.choice(sorted(offer.owed, key=lambda one: one.value))
        stuck = offer.kind is QuestionKind.CLAIM and (self._is_stuck() or len(self.rules.seats) > 2)
        choice = "accept" if stuck or self.chance(0.1) else "refuse"
        self.say(seat, Answer(id=self.new_id(), question=offer.question, choice=choice))

    def _is_stuck(self) -> bool:
        actions: Sequence[Action] = self.truth.legal_actions() if self.truth is not None else []
        return not actions or isinstance(actions[0], Pass)

    def _claim(self) -> None:
        assert self.truth is not None
        if self.table._state.offer is None:
            self.say(self.truth.turn, ClaimImmobile(id=self.new_id()))
        else:
            self._answer_offer()

    def _make_final(self) -> None:
        self.see(Final(0))

    def _unread(self) -> None:
        """Let pieces go home again; sometimes more of them than were read, which is no news."""
        plies = self.watch.open_plies
        if self.chance(self.junk / 3):
            self._no_news(self.rng.choice([Unread(0, plies + 1), Unread(0, 0)]))
        self.see(Unread(0, self.rng.randint(1, plies)))

    def _revise(self) -> None:
        """Let the same hand go on to another square, legal or not; or let another hand have been the one that began."""
        plies = self.rng.randint(1, self.watch.open_plies)
        first = self.table._state.open_plies[-plies]
        if first.seat in self.decided:
            return  # what hands make of it is never another ply; tests/carried has that
        others = [
            prospect
            for prospect in first.dual.public.situation().prospects
            if (plies > 1 or (prospect.source == first.source and prospect.target != first.target))
            and not prospect.attack
        ]
        legal = [p for p in others if self._could(plies, p.source, p.target)]
        choices = others if self.mode is Mode.ENROL else legal
        if choices:
            self.see(Revised(self.rng.choice(choices), 0, plies=plies))

    def _could(self, plies: int, source: Square, target: Square) -> bool:
        legal = self.truths[-plies].legal_actions()
        return any(isinstance(move, Move) and (move.source, move.target) == (source, target) for move in legal)

    def _try_what_is_illegal(self) -> None:
        """Move a piece as its rank cannot, or over a barred border."""
        assert self.truth is not None
        assert self.watch.situation is not None
        legal = {(a.source, a.target) for a in self.truth.legal_actions() if isinstance(a, Move)}
        wrong = [p for p in self.watch.situation.prospects if (p.source, p.target) not in legal]
        if not wrong:
            return
        prospect = self.rng.choice(wrong)
        seen = AttackSeen(prospect.source, prospect.target, 0) if prospect.attack else Read(prospect, 0)
        self.see(seen)
        assert self.table.phase in (Phase.RESTORING, Phase.FINISHED, Phase.WAITING_FOR_DECLARATIONS)

    # ---- what it does not want

    def _disturb(self) -> None:
        while self.chance(self.junk):
            self.rng.choice([self._talk, self._talk, self._talk, self._stray, self._lines, self._verbs, self._hands])()

    def _talk(self) -> None:
        """Send a message that has no place now, from any seat; sometimes twice."""
        seat = self.rng.choice(list(Seat))
        message = self._junk_message(seat)
        for _ in range(2 if self.chance(0.2) else 1):
            self.say(seat, message)

    def _stray(self) -> None:
        """Let sensing say something late: it is no news."""
        square = self.rng.choice(self.rules.board.squares)
        late = [Returned(square, 0)]
        phase = self.table.phase
        situation = self.table._state.dual.public.situation() if self.table._state.dual else None
        strays: list[Observation] = list(late) if phase not in AT_REST else []
        if phase not in AT_REST and situation is not None and situation.prospects:
            prospect = self.rng.choice(situation.prospects)
            strays += [
                Read(prospect, 0),
                Revised(prospect, 0),
                Unread(0),
                AttackSeen(prospect.source, prospect.target, 0),
            ]
            strays += [Lifted(prospect.source, 0), Final(0), Seen({}, 0)]
        if phase not in (Phase.WAITING_FOR_BOARD, Phase.RESTORING):
            strays += [Agreed(0)]
        if strays and phase is not Phase.SETTING_UP:
            self._no_news(self.rng.choice(strays))

    def _no_news(self, observation: Observation) -> None:
        step = self.table.apply(observation, self.now_ms)
        assert not step
        assert self.fingerprint() == self.remembered

    def _lines(self) -> None:
        """Cables and handsets come and go."""
        if self.chance(0.3):
            self.do(BoardLink("lost"))
            self.do(BoardLink(None))
        self.do(Connection(self.rng.choice(list(Seat)), self.chance(0.5)))

    def _verbs(self) -> None:
        """Pause and resume, tick too early, offer a draw, give up for once where others play on."""
        dice = self.rng.random()
        if dice < 0.2:
            self.do(Pause())
        elif dice < 0.35 and self.table.phase is Phase.PAUSED:
            self.do(Resume())
        elif dice < 0.4:
            wish = self.rng.choice((AskPause, AskResume, CallArbiter, OfferAbort))
            self.say(self.rng.choice(self.rules.seats), wish(id=self.new_id()))
        elif dice < 0.6:
            self.do(Tick())
        elif dice < 0.8:
            self.offer(self.rng.choice(self.rules.seats))
        elif dice < 0.95 and self.truth is not None and not self.over:
            self.say(self.truth.turn, ClaimImmobile(id=self.new_id()))
        elif self.truth is not None and self.chance(0.2):
            self.resign(self.rng.choice(self.rules.seats))
        elif self.chance(0.05):
            self.do(Abort())

    def _hands(self) -> None:
        """Lift and put back, or make a mess."""
        situation = self.watch.situation
        if self.table.phase not in AT_REST or situation is None or not situation.occupants:
            return
        square = self.rng.choice(list(situation.occupants))
        self.see(Lifted(square, 0))
        dice = self.rng.random()
        if dice < 0.6:
            self.see(Returned(square, 0))
        elif dice < 0.7:
            self.see((Puzzled if self.chance(0.5) else Disturbed)(self.differ(), 0))

    def _junk_message(self, seat: Seat) -> FromHandset:
        """Return a message that no honest handset would send now; truth and table stay together whatever becomes of it."""
        rng, number = self.rng, self.table._state.questions
        names = [square.name for square in self.rules.board.squares] + ["zz", "", "e5-e6"]
        one, two = rng.choice(names), rng.choice(names)
        not_asked = rng.choice([-1, 0, number + 1, number + 100])
        in_play = self.table.phase is not Phase.SETTING_UP
        mine = self.truth is not None and self.truth.turn is seat
        messages: list[FromHandset] = [
            Hello(id=self.new_id()),
            Declare(id=self.new_id(), question=not_asked, rank=rng.choice(list(Rank))),
            Answer(id=self.new_id(), question=not_asked, choice=rng.choice(["accept", "refuse", "none", "?"])),
            Answer(id=self.new_id(), question=number, choice="?"),
            TellLeave(id=self.new_id(), square=rng.choice(["zz", "", "a5"]), flags=(rng.choice(list(Seat)),)),
            TellAttack(id=self.new_id(), source="zz", target=two),
            TellAttack(id=self.new_id(), source=one, target="zz"),
            Consent(id=self.new_id(), set_up={one: rng.choice(list(Rank))}),
            Enrol(id=self.new_id(), set_up={one: rng.choice(list(Rank)), two: rng.choice(list(Rank))}),
            TellFire(id=self.new_id(), source="zz", target=two),
            TellInfiltrate(id=self.new_id(), source=one, target="zz", guess=rng.choice(list(Rank))),
        ]
        if in_play:
            messages.append(Ready(id=self.new_id()))
        if not mine:
            messages += [
                TellAttack(id=self.new_id()),
                TellFire(id=self.new_id(), source=one, target=two),
                TellInfiltrate(id=self.new_id(), source=one, target=two, guess=Rank.SPY),
                ClaimImmobile(id=self.new_id()),
            ]
        if self.table.phase not in AT_REST:
            messages += [OfferDraw(id=self.new_id()), ClaimImmobile(id=self.new_id())]
        if not in_play or self.table.phase is Phase.FINISHED:
            messages += [Resign(id=self.new_id()), TellAttack(id=self.new_id(), source=one, target=two)]
        return rng.choice(messages)
