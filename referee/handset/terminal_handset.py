"""A handset for people at a terminal: the board, what is asked, and one line to type.

Everything is drawn on the terminal's other screen, and again each time, so that no rank stays in the scrollback.
"""

from __future__ import annotations

import contextlib
import secrets
import time
from dataclasses import replace
from typing import Self

from rich.text import Text

from referee.handset import speech
from referee.handset.line_handset import Events
from referee.net.errors import LinkFullError, NotAskedError
from referee.net.handset import Handset
from referee.net.links.handset_link import HandsetLink
from referee.net.pairing.handshake import Joined
from referee.net.topics.payloads import HandsetIncoming, LinkDown, PeerFault
from referee.presentation.sentences import Contact, seal_text, signed_text, undone
from referee.presentation.text_board import terminal_board
from referee.rules.values import Rank
from referee.table.heard_chain import Proof
from referee.table.messages import FromHandset, Question, QuestionKind
from referee.table.views import Attack, ClockFace, Finale, Mode, Phase, PublicEvent, PublicView
from referee.terminal import TerminalConsole
from referee.words import words

_WIPE = "\x1b[H\x1b[2J\x1b[3J"
_ASKED = {QuestionKind.RECRUIT: "page.which-recruit", QuestionKind.TAKE_FLAG: "page.which-flags"}


class TerminalHandset:
    """Draws what the seat may see, and sends what its player types."""

    def __init__(self, joined: Joined, link: HandsetLink, language: str) -> None:
        assert joined.credential.seat is not None
        self._seat = joined.credential.seat
        self._digits: str | None = joined.digits
        self._link = link
        self._handset = Handset(self._seat, secrets.token_hex(4))
        self._speech = speech.Speech(self._handset, language)
        self._words = words(language)
        self._console = TerminalConsole()
        self._complaint = ""
        self._counts = False
        """Whether the complaint counts own pieces that stand, and so has to keep up with the board."""
        self._view_s = 0.0
        self._drawn = ""
        self._shown: str | None = None
        """What the last line asked to see: `army`, `seal`, or `show` or `text` of the set-up in work. It goes with the next line."""

    def __enter__(self) -> Self:
        if self._console.is_terminal:
            self._console.set_alt_screen(True)
        self._draw()
        return self

    def __exit__(self, *_: object) -> None:
        if self._console.is_terminal:
            with contextlib.suppress(OSError):
                self._console.file.write(_WIPE)
                self._console.set_alt_screen(False)

    def serve(self, events: Events) -> bool:
        """Go on until None comes or the player quits; return whether the broker refuses this handset."""
        owed = False
        while (item := events.get()) is not None:
            if isinstance(item, str):
                if not self._typed(item):
                    return False
                owed = True
            elif isinstance(item, LinkDown) and item.refused:
                return True
            else:
                owed |= self._heard(item)
            if owed and events.empty():
                self._draw()
                owed = False
        return False

    def _heard(self, item: HandsetIncoming) -> bool:
        """Take one message. Returns whether the picture has changed."""
        before = self._handset.view
        self._handset.take(item)
        if isinstance(item, PublicEvent | PeerFault):
            return False  # the view that follows an event shows it
        if isinstance(item, PublicView):
            self._view_s = time.monotonic()  # clocks told anew: nothing to draw over what is being typed
            return before is None or _without_times(item) != _without_times(before)
        return True

    def _typed(self, line: str) -> bool:
        """Take a line. Returns False when the player wants to leave."""
        self._complaint, self._counts, self._shown = "", False, None
        if self._digits is not None:
            self._digits = None
            self._link.confirm_digits()
            return True
        if not line.strip():
            return True
        try:
            meant = self._speech.understand(line)
            if meant == "quit":
                return False
            if isinstance(meant, FromHandset):
                self._link.send(meant)
            else:
                self._shown = meant
        except speech.NotUnderstoodError as error:
            self._complaint, self._counts = str(error), isinstance(error, speech.PiecesFirstError)
        except NotAskedError:
            self._complaint = self._words["handset.not-asked"]
        except LinkFullError:
            self._complaint = self._words["handset.wait"]
        return True

    def _draw(self) -> None:
        """Draw the whole picture again; where there is no terminal to clear, only what has changed."""
        with self._console.capture() as capture:
            self._draw_all()
        drawn = capture.get()
        if self._console.is_terminal:
            self._console.file.write(_WIPE)
        elif drawn == self._drawn:
            return
        self._drawn = drawn
        self._console.file.write(drawn)
        self._console.file.flush()

    def _draw_all(self) -> None:
        handset, said = self._handset, self._words
        if self._digits is not None:
            self._line(said.say("handset.seat", seat=said.seat(self._seat)), "bold")
            self._line(said.say("handset.compare", digits=self._digits))
        elif handset.info is None or handset.view is None:
            self._line(said.say("handset.seat", seat=said.seat(self._seat)), "bold")
            self._line(self._before_a_game())
        else:
            passed_ms = int((time.monotonic() - self._view_s) * 1000)
            self._console.print(terminal_board(handset.info, handset.view, said.language, passed_ms, self._contact()))
            self._draw_seat()
        self._console.print("> ", end="")

    def _contact(self) -> Contact:
        if not self._handset.connected:
            return Contact.NO_BROKER
        return Contact.LIVE if self._handset.referee else Contact.NO_REFEREE

    def _before_a_game(self) -> str:
        """Return who is waited for and why, or how the game begins."""
        said, free = self._words, self._handset.free
        if not self._handset.connected:
            return said["handset.away"]
        if not self._handset.referee:
            return f"{said['kiosk.no-referee']}. {said['page.starts-again']}"
        if free == ():
            return f"{said['kiosk.all-here']}. {said.say('page.start-there', start=said['kiosk.start'])}"
        if free is None:
            return said["handset.no-game"]
        return f"{said.say('turn.waiting-for', seat=said.seats(free))}. {said['page.seats-how']}"

    def _draw_seat(self) -> None:
        handset, said = self._handset, self._words
        self._line(said.say("handset.seat", seat=said.seat(self._seat)), "bold")
        if handset.info is not None and (root := handset.info.roots.get(self._seat)):
            self._line(said.say("set-up.sealed", mark=f"{root[:8]} … {root[-8:]}"))
        if handset.verdict is not None:
            verdict = handset.verdict
            other = said.rank(verdict.other) if verdict.other is not None else said["rank.unknown"]
            result = said[f"verdict.{verdict.result}"]
            self._line(said.say("handset.verdict", own=said.rank(verdict.own), other=other, result=result))
        if handset.rejected is not None:
            for text in speech.refusal_texts(said, handset.rejected):
                self._line(text)
        if handset.told is not None and f"refusal.{handset.told.reason}" in said:
            self._line(said[f"refusal.{handset.told.reason}"])
        if self._has_handed_in():
            self._line(f"{said['set-up.handed-in']}. {said['set-up.may-change']}")
        if handset.is_bound is False:
            self._line(said["handset.not-bound"], "bold")
        if self._link.proof is Proof.DIFFERS:
            self._line(said["proof.differs"], "bold")
        if handset.question is not None:
            self._draw_question(handset.question)
        if handset.view is not None and handset.view.phase is Phase.FINISHED:
            for seat in handset.again:
                if seat is not self._seat:
                    self._line(said.say("table.rematch", seat=said.seat(seat)))
            if handset.view.finale is Finale.ASKED:
                self._line(said.say("finale.type", word=said["handset.word-consent"]))
            self._line(self._play_again())
        if self._shown == "army":
            own = handset.state.own if handset.state is not None else {}
            self._line(speech.army_text(said, own or self._speech.handed_in) or said["handset.army-unknown"])
        if self._shown == "status":
            figures = self._link.figures().connection
            counts = {"unanswered": handset.unanswered, "given_up": handset.given_up}
            self._line(said.say("handset.figures", **counts, waiting=figures.waiting, dropped=figures.dropped))
        if self._shown == "seal":
            self._draw_seal()
        if self._shown in ("show", "text"):
            self._line(self._speech.draft.picture if self._shown == "show" else self._speech.draft.text)
        if self._counts:
            self._complaint = self._speech.pieces_first
            self._counts = bool(self._complaint)
        if self._complaint:
            self._line(self._complaint, "bold")
        self._line(" ".join(said[f"handset.word-{word}"] for word in self._useful_words()), "dim")

    def _draw_seal(self) -> None:
        """Draw the head of the game's chain, whether it was computed here as well, who has signed, and the key to compare signatures by."""
        said, view, proof = self._words, self._handset.view, self._link.proof
        assert view is not None
        if view.chain:
            self._line(said.labelled(said["proof.title"], seal_text(view.chain)))
            self._line(said["proof.compare"])
        if proof in (Proof.CHECKED, Proof.UNHEARD):
            self._line(said[f"proof.{proof.value}"])
        if signed := signed_text(view, said):
            self._line(signed)
        self._line(said.labelled(said["proof.key"], self._link.signing_key))

    def _play_again(self) -> str:
        """Return how to ask for another game, or who has not asked yet."""
        said, handset = self._words, self._handset
        assert handset.info is not None
        if self._seat not in handset.again:
            return said.say("handset.play-again", word=said["handset.word-ready"])
        others = [said.seat(seat) for seat in handset.info.seats if seat not in handset.again]
        return said.say("page.again-waiting", seat=", ".join(others)) if others else said["handset.no-game"]

    def _has_handed_in(self) -> bool:
        handset = self._handset
        setting_up = handset.view is not None and handset.view.phase is Phase.SETTING_UP
        return setting_up and bool(self._speech.handed_in) and not handset.waiting and handset.rejected is None

    def _useful_words(self) -> tuple[str, ...]:
        """Return the words to suggest in this game and phase; all others are understood as well."""
        info, view = self._handset.info, self._handset.view
        assert info is not None
        assert view is not None
        if view.phase is Phase.FINISHED:
            return ("ready", "consent", *speech.SHOWN_WISHES)
        if view.phase is Phase.SETTING_UP:
            return (*((*speech.EDITS, "enrol") if info.mode is Mode.ENROL else ()), "ready", *speech.SHOWN_WISHES)
        asked = self._handset.question
        elsewhere = self._seat in info.decided
        special = {
            "attack": not elsewhere,
            "decide": elsewhere,
            "infiltrate": Rank.INFILTRATOR in info.army,
            "fire": Rank.CANNON in info.army,
            "leave": view.flags,
            "no-attack": asked is not None
            and asked.kind is QuestionKind.DECLARE
            and not (view.attack is not None and view.attack.told),
            "resume": view.phase is Phase.PAUSED,
        }
        acts = (act for act in speech.ACTS if act not in ("ready", "enrol", "consent") and special.get(act, True))
        return (*acts, *speech.SHOWN_WISHES)

    def _draw_question(self, question: Question) -> None:
        said = self._words
        if question.kind is QuestionKind.DECLARE:
            attacks = question.square == question.source
            key = "handset.declare-attacker" if attacks else "handset.declare-defender"
            values = {"source": question.source, "target": question.target}
            self._line(said.say(key, **(values if attacks else {"target": question.target})), "bold")
            if self._handset.view is not None and self._handset.view.attack is not None:
                self._draw_told(self._handset.view.attack)
        else:
            self._line(self._question_text(question), "bold")
        numbered = (f"{number} {speech.choice_text(said, word)}" for number, word in enumerate(question.choices, 1))
        self._line("   ".join(numbered))

    def _question_text(self, question: Question) -> str:
        """Return what is asked; of an offer, by whom and about which ply."""
        said, kind, view = self._words, question.kind, self._handset.view
        keys = (_ASKED.get(kind, f"handset.asked-{kind.value}"), f"ask.confirm-{kind.value}", "ask.decide")
        key = next(key for key in keys if key in said)
        by = said.seat(view.offer.seat) if view is not None and view.offer is not None else "?"
        values: dict[str, object] = {"number": question.ply, "seat": by}
        if view is not None:
            values["moves"] = undone(view, question.ply, said)
        return speech.filled(said, key, values)

    def _draw_told(self, attack: Attack) -> None:
        where = {"source": attack.source, "target": attack.target}
        if attack.guess is not None:
            self._line(self._words.say("attack.infiltrates", **where, rank=self._words.rank(attack.guess)))
        elif attack.fires:
            self._line(self._words.say("attack.fires", **where))

    def _line(self, text: str, style: str = "") -> None:
        self._console.print(Text(text, style=style))


def _without_times(view: PublicView) -> PublicView:
    pause = view.pause and replace(view.pause, left_ms=None)
    return replace(
        view, clocks={seat: ClockFace(0, face.runs) for seat, face in view.clocks.items()}, pause=pause, graces={}
    )
