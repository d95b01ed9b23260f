"""A handset in the terminal: it takes a seat, then serves a script (lines of JSON) or people (the board, what is asked, a line to type).

Both wait for the same: values of the link, typed lines, and None when they are to end.
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import json
import secrets
import signal
import sys
import threading
import time
from dataclasses import replace
from queue import SimpleQueue
from typing import Any, Self

import msgspec
from rich.text import Text

from referee.cli.handset_speech import (
    ACTS,
    EDITS,
    SHOWN_WISHES,
    NotUnderstoodError,
    PiecesFirstError,
    Speech,
    army_text,
    choice_text,
    filled,
    refusal_texts,
)
from referee.net.errors import BrokerUnreachableError, JoinError, LinkError, LinkFullError, NotAskedError
from referee.net.handset import Handset
from referee.net.links.handset_link import HandsetLink
from referee.net.pairing.handshake import Joined, Joining
from referee.net.pairing.lobby import JoinLink, read_join_url
from referee.net.topics.payloads import HandsetIncoming, LinkDown, LinkUp, PeerFault, Status, ToSeat
from referee.presentation.sentences import undone
from referee.presentation.text_board import terminal_board
from referee.rules.values import Rank
from referee.runtime.errors import BadInputError, UnreachableError
from referee.table.messages import FromHandset, Question, QuestionKind
from referee.table.views import Attack, ClockFace, Mode, Phase, PublicEvent, PublicInfo, PublicView
from referee.terminal import TerminalConsole
from referee.words import words

Events = SimpleQueue[HandsetIncoming | str | None]

_WHY = {
    "token-unknown": "this link belongs to no table here; ask the table for a new one",
    "token-used": "this link was used already; ask the table for a new one",
    "token-expired": "this link is too old; ask the table for a new one",
    "link-unreadable": "a join link looks like http://HOST:PORT/join#SECRET&FINGERPRINT or http://HOST:PORT/join#CODE "
    "(in a shell put it between quotes)",
    "wrong-referee": "another referee answers there than the one that made this link; ask the table for a new one",
    "wrong-certificate": "the table's broker shows another certificate than this link tells of; ask the table for a new one",
    "proof-wrong": "the table did not take the seat's proof; ask the table for a new link",
    "too-many-tries": "too many wrong codes came to the table; use its link, or wait a minute",
    "not-now": "the table cannot give the seat just now; ask it for a new link",
}


THROWN_OFF = (
    "the table does not know this handset: another one took its seat, or the table was started anew or lost its list"
)
WHY_THROWN_OFF = {
    "another": "the table does not know this handset any more: another one took its seat",
    "nobody": "the table does not know this handset any more: it was started anew, or lost its list",
}
"""The same where the table says who has the seat now."""


def serve(args: argparse.Namespace) -> int:
    """Be a handset until told to end; return 0. Raises `BadInputError` for a link that is worth nothing, `UnreachableError`."""
    url = sys.stdin.readline() if args.join == "-" else args.join
    joined = _joined(url)
    events: Events = SimpleQueue()
    link = HandsetLink(joined.credential, on_value=events.put)
    signal.signal(signal.SIGTERM, lambda *_: events.put(None))
    handset = LineHandset(joined, link) if args.json else TerminalHandset(joined, link, args.language)
    try:
        with handset:
            threading.Thread(target=_listen, args=(events,), daemon=True).start()
            link.start()
            try:
                refused = handset.serve(events)
            finally:
                link.stop()
    except LinkError as error:
        raise UnreachableError(str(error)) from error
    if refused is not None:
        raise UnreachableError(WHY_THROWN_OFF.get(holder(url, joined), refused))
    return 0


def _joined(url: str) -> Joined:
    try:
        return join(url)
    except JoinError as error:
        raise BadInputError(
            _WHY.get(error.reason, f"the table did not answer as a table does ({error.reason})")
        ) from None
    except BrokerUnreachableError as error:
        raise UnreachableError(str(error)) from None


def _listen(events: Events) -> None:
    for line in sys.stdin:
        events.put(line)
    events.put(None)


# Takes a seat with a join link or a typed code: the handset's half of `referee.net.pairing.handshake`, over HTTP.


PATIENCE_S = 15.0
_MOST_BYTES = 16 * 1024
_TRIES = 3
_PAUSE_S = 0.5
_TRIES_TO_HEAR_WHY = 10
"""A table that was just started lets its broker refuse handsets before its web server answers."""


def join(url: str) -> Joined:
    """Take the seat of a link. Raises `JoinError`, or `BrokerUnreachableError` when nobody answers there; a link works once.

    A link that tells of a certificate gives no seat at a broker that shows another one, or none.
    """
    link = read_join_url(url)
    joining = Joining(link.secret, link.fingerprint)
    shown = _post(link, joining.first())
    joined = joining.last(_post_again(link, joining.second(shown)))
    if link.certificate not in (None, joined.credential.address.certificate_fingerprint):
        raise JoinError("wrong-certificate")
    return joined


def holder(url: str, joined: Joined) -> str:
    """Ask the table of a link who has the seat now: `you`, `another`, `nobody`; empty where it does not say."""
    credential = joined.credential
    if credential.own is None or credential.seat is None:
        return ""
    try:
        asked = {"seat": credential.seat.value, "key": credential.own.public.text}
        answer = _post_again(read_join_url(url), asked, _TRIES_TO_HEAR_WHY)
    except LinkError:
        return ""
    return str(answer.get("holder", ""))


def _post_again(link: JoinLink, request: dict[str, Any], tries: int = _TRIES) -> dict[str, Any]:
    """Post a letter, as that which spends the link; the same letter again where the answer was lost: it gets the same answer."""
    for _ in range(tries - 1):
        try:
            return _post(link, request)
        except BrokerUnreachableError:
            time.sleep(_PAUSE_S)
    return _post(link, request)


def _post(link: JoinLink, request: dict[str, Any]) -> dict[str, Any]:
    """Post without a proxy: the table is on the local network."""
    connection = http.client.HTTPConnection(link.host, link.port, timeout=PATIENCE_S)
    try:
        connection.request("POST", "/pair", json.dumps(request), {"Content-Type": "application/json"})
        response = connection.getresponse()
        text = response.read(_MOST_BYTES)
        if response.length:
            raise http.client.IncompleteRead(text)
        answer = json.loads(text)
    except (OSError, http.client.HTTPException) as error:
        reason = getattr(error, "strerror", None) or type(error).__name__
        raise BrokerUnreachableError(f"no referee answers at {link.host}:{link.port} ({reason})") from None
    except (ValueError, RecursionError):
        raise JoinError("answer-unreadable") from None
    finally:
        connection.close()
    if not isinstance(answer, dict):
        raise JoinError("answer-unreadable")
    if response.status != http.client.OK:
        raise JoinError(str(answer.get("error")))
    return answer


# A handset for scripts: one line of JSON a message.
#
# prints  {"paired": {"seat", "board", "digits"}}       first of all
# {"link": "up" | "down"}                       the connection to the broker
# {"status": ...} {"info": ...} {"state": ...} {"event": ...}     what everybody hears
# {"letter": {"type": ..., ...}}                what this seat alone hears
# {"sent": id, "type": ...}                     a line that was read was sent
# {"error": text}                               a line that was read, or a message that came, cannot be used
# reads   {"type": "declare", "question": 3, "rank": "miner"}    any message of a handset; `id` may be left out


class LineHandset:
    """Prints what comes, sends what it reads."""

    def __init__(self, joined: Joined, link: HandsetLink) -> None:
        self._joined = joined
        self._link = link
        self._prefix = secrets.token_hex(4)
        self._said = 0
        self._game: str | None = None

    def __enter__(self) -> Self:
        credential = self._joined.credential
        seat = credential.seat.value if credential.seat else None
        _say(paired={"seat": seat, "board": credential.board, "digits": self._joined.digits})
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def serve(self, events: Events) -> str | None:
        """Go on until None comes; give why the broker refuses this handset, None if it was told to end."""
        while (item := events.get()) is not None:
            if isinstance(item, str):
                self._send(item)
            elif isinstance(item, LinkDown) and item.refused:
                return THROWN_OFF
            else:
                self._print(item)
        return None

    def _print(self, value: HandsetIncoming) -> None:
        match value:
            case LinkUp():
                _say(link="up")
            case LinkDown():
                _say(link="down")
            case Status():
                _say(status=value)
            case PublicInfo():
                self._game = value.game
                _say(info=value)
            case PublicView():
                _say(state=value)
            case PublicEvent():
                _say(event=value)
            case ToSeat():
                _say(letter=value.message)
            case PeerFault():
                _say(error=value.text)

    def _send(self, line: str) -> None:
        if not line.strip():
            return
        if self._game is None:
            _say(error="no game was announced yet")
            return
        try:
            message = self._message(line)
            self._link.send(message)
        except (ValueError, msgspec.ValidationError, RecursionError):
            _say(error="that is no message of a handset")  # what stood there is left out: it may be a rank
        except LinkFullError as error:
            _say(error=str(error))
        else:
            _say(sent=message.id, type=message.__struct_config__.tag)

    def _message(self, line: str) -> FromHandset:
        said = json.loads(line)
        if not isinstance(said, dict):
            raise ValueError("not an object")
        if "id" not in said:
            self._said += 1
            said["id"] = f"{self._prefix}-{self._said}"
        message: FromHandset = msgspec.convert(said, type=FromHandset)
        return message


def _say(**line: object) -> None:
    print(msgspec.json.encode(line).decode(), flush=True)


# A handset for people at a terminal: the board, what is asked, and one line to type.
#
# Everything is drawn on the terminal's other screen, and anew each time, so that no rank stays in the scrollback.


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
        self._speech = Speech(self._handset, language)
        self._words = words(language)
        self._console = TerminalConsole()
        self._complaint = ""
        self._counts = False
        """Whether the complaint counts own pieces that stand, and so has to keep up with the board."""
        self._view_s = 0.0
        self._drawn = ""
        self._shown: str | None = None
        """What the last line asked to see: `army`, or `show` or `text` of the set-up in work. It goes with the next line."""

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

    def serve(self, events: Events) -> str | None:
        """Go on until None comes or the player quits; give why the broker refuses this handset, None if it was told to end."""
        owed = False
        while (item := events.get()) is not None:
            if isinstance(item, str):
                if not self._typed(item):
                    return None
                owed = True
            elif isinstance(item, LinkDown) and item.refused:
                return THROWN_OFF
            else:
                owed |= self._heard(item)
            if owed and events.empty():
                self._draw()
                owed = False
        return None

    def _heard(self, item: HandsetIncoming) -> bool:
        """Take what came; tell whether the picture is another now."""
        before = self._handset.view
        self._handset.take(item)
        if isinstance(item, PublicEvent | PeerFault):
            return False  # the view that follows an event shows it
        if isinstance(item, PublicView):
            self._view_s = time.monotonic()  # clocks told anew: nothing to draw over what is being typed
            return before is None or _without_times(item) != _without_times(before)
        return True

    def _typed(self, line: str) -> bool:
        """Take a line; False when the player wants to leave."""
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
        except NotUnderstoodError as error:
            self._complaint, self._counts = str(error), isinstance(error, PiecesFirstError)
        except NotAskedError:
            self._complaint = self._words["handset.not-asked"]
        except LinkFullError:
            self._complaint = self._words["handset.wait"]
        return True

    def _draw(self) -> None:
        """Draw everything anew; where there is no terminal to wipe, only what is not the same as before."""
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
            self._line(self._before_a_game() if handset.connected else said["handset.away"])
        else:
            passed_ms = int((time.monotonic() - self._view_s) * 1000)
            self._console.print(terminal_board(handset.info, handset.view, said.language, passed_ms))
            self._draw_seat()
        self._console.print("> ", end="")

    def _before_a_game(self) -> str:
        """Return whom everybody waits for, or how the game begins."""
        said, free = self._words, self._handset.free
        if free == ():
            return f"{said['kiosk.all-here']}. {said.say('page.start-there', start=said['kiosk.start'])}"
        return said.say("turn.waiting-for", seat=said.seats(free)) if free else said["handset.no-game"]

    def _draw_seat(self) -> None:
        handset, said = self._handset, self._words
        self._line(said.say("handset.seat", seat=said.seat(self._seat)), "bold")
        if not handset.connected:
            self._line(said["handset.away"], "bold")
        if handset.info is not None and (root := handset.info.roots.get(self._seat)):
            self._line(said.say("set-up.sealed", mark=f"{root[:8]} … {root[-8:]}"))
        if handset.verdict is not None:
            verdict = handset.verdict
            other = said.rank(verdict.other) if verdict.other is not None else said["rank.unknown"]
            result = said[f"verdict.{verdict.result}"]
            self._line(said.say("handset.verdict", own=said.rank(verdict.own), other=other, result=result))
        if handset.rejected is not None:
            for text in refusal_texts(said, handset.rejected):
                self._line(text)
        if handset.told is not None and f"refusal.{handset.told.reason}" in said:
            self._line(said[f"refusal.{handset.told.reason}"])
        if self._has_handed_in():
            self._line(f"{said['set-up.handed-in']}. {said['set-up.may-change']}")
        if handset.is_bound is False:
            self._line(said["handset.not-bound"], "bold")
        if handset.question is not None:
            self._draw_question(handset.question)
        if handset.view is not None and handset.view.phase is Phase.FINISHED:
            for seat in handset.again:
                if seat is not self._seat:
                    self._line(said.say("table.rematch", seat=said.seat(seat)))
            self._line(said.say("handset.play-again", word=said["handset.word-ready"]))
        if self._shown == "army":
            own = handset.state.own if handset.state is not None else {}
            self._line(army_text(said, own or self._speech.handed_in) or said["handset.army-unknown"])
        if self._shown == "status":
            figures = self._link.figures().connection
            counts = {"unanswered": handset.unanswered, "given_up": handset.given_up}
            self._line(said.say("handset.figures", **counts, waiting=figures.waiting, dropped=figures.dropped))
        if self._shown in ("show", "text"):
            self._line(self._speech.draft.picture if self._shown == "show" else self._speech.draft.text)
        if self._counts:
            self._complaint = self._speech.pieces_first
            self._counts = bool(self._complaint)
        if self._complaint:
            self._line(self._complaint, "bold")
        self._line(" ".join(said[f"handset.word-{word}"] for word in self._useful_words()), "dim")

    def _has_handed_in(self) -> bool:
        handset = self._handset
        setting_up = handset.view is not None and handset.view.phase is Phase.SETTING_UP
        return setting_up and bool(self._speech.handed_in) and not handset.waiting and handset.rejected is None

    def _useful_words(self) -> tuple[str, ...]:
        """Give the words that can mean something in this game and phase; the others are understood all the same."""
        info, view = self._handset.info, self._handset.view
        assert info is not None
        assert view is not None
        if view.phase is Phase.FINISHED:
            return ("ready", "consent", *SHOWN_WISHES)
        if view.phase is Phase.SETTING_UP:
            return (*((*EDITS, "enrol") if info.mode is Mode.ENROL else ()), "ready", *SHOWN_WISHES)
        asked = self._handset.question
        special = {
            "infiltrate": Rank.INFILTRATOR in info.army,
            "fire": Rank.CANNON in info.army,
            "leave": view.flags,
            "no-attack": asked is not None
            and asked.kind is QuestionKind.DECLARE
            and not (view.attack is not None and view.attack.told),
            "resume": view.phase is Phase.PAUSED,
        }
        acts = (act for act in ACTS if act not in ("ready", "enrol", "consent") and special.get(act, True))
        return (*acts, *SHOWN_WISHES)

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
        numbered = (f"{number} {choice_text(said, word)}" for number, word in enumerate(question.choices, 1))
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
        return filled(said, key, values)

    def _draw_told(self, attack: Attack) -> None:
        where = {"source": attack.source, "target": attack.target}
        if attack.guess is not None:
            self._line(self._words.say("attack.infiltrates", **where, rank=self._words.rank(attack.guess)))
        elif attack.fires:
            self._line(self._words.say("attack.fires", **where))

    def _line(self, text: str, style: str = "") -> None:
        self._console.print(Text(text, style=style))


def _without_times(view: PublicView) -> PublicView:
    return replace(view, clocks={seat: ClockFace(0, face.runs) for seat, face in view.clocks.items()})
