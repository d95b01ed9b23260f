"""Which pictures of the phone stand together in docs/reference/phone-screens.md, and what each shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = DOCS / "reference" / "phone-screens.md"
_HEAD = """\
# Every screen of the phone

Written, pictures and text, by `.venv/bin/python -m tests.web.phone_pictures`. Each screen is the page itself in Chromium, 360 x 640, with a
state that the referee's own types made; a test shows all of them in six languages and both sizes of type and measures that nothing is cut
off, lies over something else or is too small for a thumb. [Play with a phone](../how-to/the-phone.md) says what to do with them.
"""


@dataclass(frozen=True, slots=True)
class Sheet:
    """One picture with many screens: its file's name, its heading, and what each screen of the gallery shows."""

    name: str
    title: str
    screens: Mapping[str, str]
    language: str = "en"
    large: bool = False

    @property
    def file(self) -> str:
        """Return the file name of the picture."""
        return f"phone-sheet-{self.name}.png"


SHEETS = (
    Sheet(
        "joining",
        "Joining",
        {
            "join": "A code to type, where none was scanned",
            "join-refused": "A code that is too old",
            "digits": "Six digits to compare",
            "lobby": "Seated; another seat is free",
            "all-here": "Everybody is here",
            "no-connection": "Before the first contact",
            "away": "The connection is lost",
            "thrown-off": "Another phone took the seat",
            "elsewhere": "Another tab of this browser plays",
        },
    ),
    Sheet(
        "setting-up",
        "Setting up without entering ranks (declare)",
        {
            "setting-up": "Pieces are missing: not ready yet",
            "outside-zone": "A piece stands outside the zone",
            "all-stand": "All stand: I am ready",
            "ready": "Ready, waiting for the other",
        },
    ),
    Sheet(
        "entry",
        "Entering the set-up (enrol)",
        {
            "set-up-empty": "Nothing placed yet",
            "set-up-picked": "A rank is picked; tap its squares",
            "set-up-square": "A square is picked; tap another to swap",
            "set-up-complete": "All stand: hand it in",
            "set-up-stuck": "Checked as you go: nothing could move",
            "set-up-sending": "On its way",
            "set-up-handed-in": "Handed in; it may still be changed",
            "set-up-changed": "Changed after it was handed in",
            "set-up-refused": "Refused, with every fault",
            "set-up-hidden": "Hidden from prying eyes",
            "set-up-sealed": "In the game: the seal's mark in the menu",
        },
    ),
    Sheet(
        "drawers",
        "Set-ups as text, saved, and by other rules",
        {
            "set-up-text": "Out and in as text",
            "set-up-text-faults": "A text with faults",
            "set-up-none-saved": "None saved yet",
            "set-up-saved": "Saved set-ups",
            "set-up-delete": "Really delete?",
            "set-up-duel": "Duel: a free zone",
            "set-up-infiltrator": "With an infiltrator",
            "set-up-classic": "Classic numbers",
            "set-up-stratego4": "Four armies",
            "set-up-stratego4-three": "Three armies",
            "set-up-yellow": "Teams",
        },
    ),
    Sheet(
        "playing",
        "Playing",
        {
            "my-move": "Your move",
            "rival-to-move": "The other's move",
            "in-hand": "A piece in the hand, and what it may attack",
            "going-on": "The piece rested on its way and is up again",
            "in-hand-barred": "A square that is barred now",
            "decides": "Your move, to be tapped here: somebody at the board makes it",
            "decided": "The other's move was decided elsewhere: somebody at the board makes it",
            "decided-attack": "An attack that was decided elsewhere, on its own phone",
            "told": "A refused move: the reason is told to its owner",
            "phone-lost": "Waiting for the other, whose phone is lost",
            "clocks": "With clocks",
            "named": "With names",
            "clocks-longest": "Little time left",
            "covered": "Ranks hidden",
        },
    ),
    Sheet(
        "attacks",
        "When pieces meet",
        {
            "attacks": "Which piece attacks?",
            "attacked": "Which piece is attacked?",
            "attacks-duel": "Only ranks that are still possible",
            "attacks-only": "Only one rank is left; it need not be shown",
            "answered": "Answered and covered; it may be changed",
            "attacked-guessed": "An infiltrator's guess was said aloud",
            "told-shot": "A shot was said aloud",
            "denied": "The other says it is no attack",
            "asked-covered": "Asked while ranks are hidden",
            "asked-paused": "Nobody answers: paused, the arbiter is offered",
            "verdict-won": "Won; the other piece is shown",
            "verdict-lost": "Lost; the other piece stays unknown",
            "verdict-covered": "Eight seconds later it has covered itself",
            "verdict-both": "Both lost",
            "verdict-held": "Won; the piece is still in the hand",
            "verdict-to-take": "The captured piece has to be taken off",
        },
    ),
    Sheet(
        "wrong",
        "What is to be put right",
        {
            "restoring": "Squares to put right",
            "out-of-turn": "The same where the fault has a name",
            "taken-back": "A move that was taken back",
            "not-decided": "Another move than the one that was decided elsewhere",
            "refused": "A move that is not allowed",
            "illegal-move": "No piece may go there",
            "not-understood": "Not understood: what was seen, and what to do",
            "disturbed": "Too much changed at once",
            "board-away": "The board isn’t connected",
            "paused": "Paused; the arbiter is called",
            "limited-pause": "A pause that ends by itself",
            "clock-waits": "A clock waits for a phone",
            "rejected": "Refused: an attack told with no piece in hand",
            "not-bound": "The published seal is not that of the set-up",
            "contradicted": "The table shows another seal of the game than this phone has computed",
        },
    ),
    Sheet(
        "menus",
        "Menus, and asking back",
        {
            "game": "The game so far: what was captured, the last moves",
            "game-begun": "The same before anything was captured",
            "rules": "The rules in short, of the rule set that is played",
            "rules-four": "Those of four armies",
            "menu": "The menu",
            "settings": "Language, numbers, type",
            "seal-checked": "The seal of the game, computed here as well, and the own signing key",
            "seal-unheard": "The same while something was not heard yet",
            "seal-differs": "The same where it differs",
            "seal-signed": "The same at the end: who has signed",
            "tell-piece": "Attack: which piece?",
            "tell-target": "Attack: which target?",
            "guess": "Infiltrate: which rank?",
            "tell-fire": "Fire",
            "tell-leave": "Leave flags",
            "sure-offer-draw": "Offer a draw?",
            "sure-claim-immobile": "I can’t move?",
            "sure-pause": "Pause?",
            "sure-call-arbiter": "Call the arbiter?",
            "sure-pause-limited": "Pause, where pauses are limited?",
            "sure-call-arbiter-limited": "Call the arbiter, with no pause left?",
            "sure-offer-abort": "Break off?",
            "sure-offer-take-back": "Take my last move back?",
            "sure-offer-void": "Redo the last attack?",
            "sure-resign": "Resign?",
            "sure-leave-seat": "Leave this seat?",
            "draw-offered": "A draw was offered",
            "draw-declined": "It was declined",
            "asked-draw": "The other offers a draw",
            "asked-claim": "The other cannot move",
            "asked-abort": "The other wants to break off",
            "asked-take-back": "The other wants to go back",
            "asked-void": "The other wants an attack settled again",
        },
    ),
    Sheet(
        "end",
        "The end, and more than two armies",
        {
            "won": "Won",
            "lost": "Lost",
            "won-together": "Won together with a partner",
            "lost-together": "Lost to two partners",
            "drawn": "Drawn",
            "again": "Another game: waiting for the other",
            "again-wanted": "The other wants another game; his phone has gone since",
            "consent": "The set-up may go into the record",
            "consent-known": "The set-up for it, with what the game has told filled in",
            "turn-over": "Reveal the armies?",
            "agreed": "Agreed: the outcome comes at a fixed time",
            "covered-for-good": "The armies stay covered",
            "turned-over": "The armies are revealed",
            "four-red": "Four armies: red's side",
            "four-blue": "Blue's",
            "four-green": "Green's",
            "four-yellow": "Yellow's",
            "slider": "Whether the slider moves up",
            "recruit": "A recruit",
            "take-flags": "Which flags to take",
        },
    ),
)
LARGE = ("attacked", "verdict-won", "set-up-picked", "settings")
LANGUAGES = ("nl", "fr", "de", "es", "da")
IN_EVERY_LANGUAGE = "attacked"


def page_text() -> str:
    """Return the page of all sheets as Markdown."""
    parts = [_HEAD]
    for sheet in SHEETS:
        said = "; ".join(text[0].lower() + text[1:] for text in sheet.screens.values())
        parts.append(f"## {sheet.title}\n\n![{said}](../pictures/{sheet.file})\n")
    parts.append("## Large type\n\n![The same with large type](../pictures/phone-sheet-large.png)\n")
    parts.append(
        "## Six languages\n\n![One question in the other five languages](../pictures/phone-sheet-languages.png)\n"
    )
    return "\n".join(parts)
