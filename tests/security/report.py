"""What the attacks came to, as a document: docs/reference/security.md.

    python -m tests.security.report      runs the attacks and writes the document anew

Every test of a section hands its rows to `hold`, which compares them with the section's table in the document, row by row and both
ways: a row that nobody finds any more, and one that is not written down, both fail. The texts come from what was observed.
"""

from __future__ import annotations

import json
import os
import re
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pytest

PATH = Path(__file__).resolve().parents[2] / "docs" / "reference" / "security.md"
COLLECT = "HALLMARSHAL_SECURITY_REPORT"
"""Set by the command: the file that sections are collected in, one JSON line each."""

Row = tuple[str, str]

SECTIONS: dict[str, str] = {
    "Reading what is another's": "Blue subscribes; red is asked, answers, hands in a set-up and hears a verdict meanwhile. What counts "
    "is what was delivered, whatever the broker answered. `B` is `hallmarshal/1/boards/{board}`.",
    "Speaking in another's name": "Blue publishes, fleeting and retained. Listening: red, the referee, the kiosk, and afterwards a "
    "handset and a kiosk that are new and would be given what was retained.",
    "A last will on another's topic": "Blue connects with a will, and vanishes without a goodbye.",
    "Coming in as somebody else": "Who connects, and how; red's connection is watched meanwhile.",
    "Letters": "What is sealed, sent again, sent elsewhere or badly made. The referee is then asked to go on with red.",
    "Too much, too large, too slow": "One hostile client with blue's credential; red's attack is settled meanwhile or right after.",
    "By WebSocket, as a phone's page comes in": "The same through the front door, a process of its own before the broker; listening: as "
    "above.",
    "Letters to a handset": "Somebody who may publish anywhere, which no seat may: what red's handset takes of it, in red's own inbox.",
    "Pairing": "Over HTTP, beside a player who takes red's seat.",
    "Before the door": "Over HTTP, with neither seat, link nor password: at the phones' page of a table, at the pages of a hall.",
    "At a whole table": "The product itself: a board, `hallmarshal table` with a broker of its own, red's handset in a terminal.",
    "A board on a screen": "`hallmarshal table --board screen:`, by the channel of the page on which magnets are moved; its link is a "
    "credential of its own.",
    "Whole games, searched for canaries": "Whole games through the real parts: `hallmarshal table`, a board, Mosquitto, a handset a seat "
    "and, in the first, a kiosk that tells every text it draws. The armies have five ranks with long names; a game is played to its end by "
    "the rules, or until no more than two of them are still hidden, when the players give up. What nobody was shown is then searched "
    "for as it is, in hex, in base64 and in wide letters: in everything that an auditor hears who may read every topic, in what a kiosk "
    "shows after each of these payloads, in every file, in what all programs print, in their arguments and environments. All of them log "
    "at `debug`: those lines are searched for every rank, shown or not, for links, passwords, PINs, cookies and keys, and for whatever "
    "looks drawn by chance, after secrets were brought to every door. In the end the table is made to break. Only the rule sheet in "
    "`pub/info` may list them, to the letter, and the names in a kiosk's sorting trays.",
    "Equal by construction": "The same game on the wire, with what every role is given recorded at a real broker.",
}
"""The document's sections, each with how it was tried."""

_HEAD = """\
# Security: what was tried, and what came of it

The opponent has a seat, a laptop and time. He is on the same network, holds a handset's credential that is rightly his, and wants to
know red's ranks, speak in red's name, or spoil the game. Every line below is an attack on a real Mosquitto that the tests carry out
(`tests/security`), and what they saw. This page is written by them:

    python -m tests.security.report

and every run of the tests compares it, row by row, with what was found. How it is built: [topics, letters, joining](messages.md);
[the broker](../how-to/broker.md).

## What is not protected

- **The phone's page comes over plain HTTP** unless a phone trusts the table's [certificate](../how-to/set-up-the-pi.md#https). Somebody
  who can change packets between a phone and the table can change the page itself. `hallmarshal handset` is safe from that
  ([joining](messages.md#joining)).
- **A phone's password for the broker can be overheard** on a Wi-Fi that others can listen to, since pages speak plain WebSocket. It
  does not open a letter and gets no answer taken, but its new owner can push the phone off until the seat is paired again.
  Handsets in a terminal and gadgets can use [TLS](../how-to/broker.md).
- **What is public is not signed.** Letters hold whoever runs the broker, but an administrator of a broker that is not the table's own
  could show a false board on kiosk and handsets.
- **Terminals and gadgets can be kept out** where a table's broker itself listens on the network for them (`--tls`), and so can new
  bridges of tables in a hall: a host on the network may hold all connections of that listener open. Who is in stays in; phones,
  referee and kiosk have other ways in.
- **Somebody with root on the Pi** reads the keys, and with them the game. The journal's ranks are sealed for backups and memory cards,
  not against root, and [who has the card](keys.md#what-a-thief-reads) reads the game that is on, none that is over. A
  [frame log](table-config.md#the-frame-log), where somebody has switched it on, holds ranks in the clear.
- **Who may touch the kiosk may offer a seat anew**, unless the table has a PIN: the handset that takes it is told all that its seat
  knows. Both screens say so when it happens.
- **Who holds a table's pass into a hall** can say there, as that table, whatever a station reads of it, and read its orders; nothing
  of other tables, and no seat's letters. The chief's *New pass* shuts it out. Passes and accounts are made on the pages over https alone.
- **Who has the link of a [board on a screen](../how-to/board-on-a-screen.md)** moves its pieces, as anybody does who stands at a real
  board. Its secret goes over plain HTTP, unless by https, and stays the same until its file, `screen.key`, is removed. It opens
  nothing else.
- **Traffic tells that something was said**, never what: who answers first, and when, is as visible as at a table.
- **A phone that calls is heard by everybody**: its player is to move, or his piece is attacked, which anybody sees on the board. What is
  called, and when, follows from public news alone.
- **Typed codes can be kept off** by who has a hundred addresses on the network, and guessed with the odds that
  [joining](messages.md#joining) names; from one address he keeps off only himself. Links are taken all the time.
- **An arbiter's name can be locked** for addresses from which nobody has logged in since the station was started: five wrong
  passwords, from 15 seconds up to 15 minutes. Where an arbiter has logged in before, only the guesses from that address count, whoever
  makes them there.
- **All places of strangers at the front door can be taken** by who has six addresses on the network or more and asks for something
  real on every connection, again and again: somebody new may then wait for half a minute at a time. Addresses from which somebody
  has logged in or taken a seat have 128 places that nobody else gets. So let phones take their seats, and arbiters log in, before
  the doors open.
- **Streams of a hall's spectators can be taken** by who has as many addresses as there are streams, 128. With fewer addresses he
  loses streams to whoever comes: once all are taken, the address that has most gives up its oldest.

## What no program on a Pi can stop

- **The radio.** Whoever jams a Wi-Fi, or throws phones off it (where the network has no 802.11w, one forged packet does), cuts
  phones from the table. It costs time: each phone says that it is coming back, and comes back by itself; no message is lost.
  Without clocks the game waits. With clocks the clock of a player whose phone is away stands still for 30 seconds a game
  (`phone-grace-s`), then it runs on. Kiosk and hall show ¬ *handset not connected*, and the journal has each time (`phone.link`):
  an arbiter who sees it at several tables at once pauses them and sets clocks right. What helps: WPA3 or 802.11w at the access
  point, a network that only players know, terminals on cables.
- **A full line.** Somebody who sends more packets than the Pi's network takes makes pages and answers late for everybody, however
  little is done for each of them. Referee, broker and kiosk talk on the Pi itself and go on. It looks like the radio: phones away,
  all at once. What helps is a limit in the access point or switch.
- **The plug.** A game goes on where it was once there is power again ([reliability](reliability.md)).
"""


SIEGE = "\n## Under siege\n"
"""The section that `hallmarshal bench siege --page` fills; this module keeps it as it is."""


def hold(section: str, rows: Sequence[Row]) -> None:
    """Compare a section with the document, or collect it when the document is to be written."""
    assert section in SECTIONS
    assert len({attack for attack, _ in rows}) == len(rows), "two rows have one name"
    if collecting := os.environ.get(COLLECT):
        with Path(collecting).open("a") as file:
            file.write(json.dumps([section, rows]) + "\n")
        return
    written = read(PATH.read_text()).get(section, [])
    other = sorted({*written} ^ {*rows})
    assert written == list(rows), f"docs/reference/security.md says otherwise; see tests/security/report.py: {other}"


def read(text: str) -> dict[str, list[Row]]:
    """Return the tables of the document by section."""
    found: dict[str, list[Row]] = {}
    for part in re.split(r"^## ", text.partition(SIEGE)[0], flags=re.MULTILINE)[1:]:
        title, _, body = part.partition("\n")
        rows = re.findall(r"^\| (.*?) \| (.*) \|$", body, flags=re.MULTILINE)
        if rows:
            found[title] = [row for row in rows if row != ("attack", "what came of it")]
    return found


def write(found: dict[str, list[Row]], siege: str) -> str:
    """Return the document's text, with `siege` as its part below `SIEGE`."""
    parts = [_HEAD]
    for section, how in SECTIONS.items():
        table = "".join(f"| {attack} | {result} |\n" for attack, result in found[section])
        parts.append(f"\n## {section}\n\n{how}\n\n| attack | what came of it |\n|---|---|\n{table}")
    return "".join([*parts, SIEGE, siege])


def main() -> int:
    """Run the attacks and write the document. Returns pytest's exit code, with nothing written when something failed."""
    with tempfile.TemporaryDirectory() as folder:
        collected = Path(folder) / "sections"
        os.environ[COLLECT] = str(collected)
        code = pytest.main([str(Path(__file__).parent), "-q"])
        if code != 0:
            return int(code)
        found = dict(json.loads(line) for line in collected.read_text().splitlines())
    siege = PATH.read_text().partition(SIEGE)[2]
    PATH.write_text(write({section: [(row[0], row[1]) for row in rows] for section, rows in found.items()}, siege))
    return 0


if __name__ == "__main__":
    sys.exit(main())
