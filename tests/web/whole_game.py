"""A whole short game of Duel by two people with two phones at a real table, tapped and read as people do, in whichever browser."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import urlsplit

from referee.rules.values import Seat
from tests.demo.running import hallmarshal
from tests.demo.test_what_goes_wrong import wait_until
from tests.web.driven_phone import DrivenPhone
from tests.web.phones import Phone, PhoneTable
from tests.web.relay import Relay

ARMIES = {Seat.RED: [f"{column}4" for column in "abcdefghij"], Seat.BLUE: [f"{column}7" for column in "abcdefghij"]}

Wires = Callable[[str, int], Relay]
AnyPhone = Phone | DrivenPhone


def take_seats(table: PhoneTable, red: AnyPhone, blue: AnyPhone) -> None:
    """Join by link, compare the digits, set up, be ready."""
    digits = [red.join(table.ready["join"]["red"]), blue.join(table.ready["join"]["blue"])]
    red.tap("Yes, the same")
    blue.tap("Ja, dieselben")
    red.heading("Set up your pieces.")
    wait_until(lambda: table.table.complaint == [f"red: {digits[0]}", f"blue: {digits[1]}"])
    table.set_up(ARMIES)
    red.see("10 of 10 pieces placed")
    red.tap("I am ready")
    red.heading("Ready. Waiting for Blue.")
    blue.tap("Ich bin bereit")
    red.heading("Your move")
    blue.heading("Rot ist am Zug")


def move_and_be_corrected(table: PhoneTable, red: AnyPhone, blue: AnyPhone) -> None:
    """Moves without a word; one that is none is put right by what the phones say; a draw is offered and refused."""
    table.hands(motion="move", **{"from": "b4", "to": "b5"})
    blue.heading("Du bist am Zug")
    table.hands(motion="move", **{"from": "e7", "to": "e6"})
    red.heading("Your move")
    table.hands(motion="move", **{"from": "b5", "to": "b6"})
    blue.heading("Du bist am Zug")

    table.hands(motion="wait", after_ms=4_000)  # until red's move is final: only blue's is to be put right
    table.hands(motion="move", **{"from": "f7", "to": "e5"})
    red.see("f7: Blue belongs here")
    blue.count(".fix", 2)
    table.hands(motion="move", **{"from": "e5", "to": "f7"})
    blue.heading("Du bist am Zug")
    blue.tap("Menü")
    blue.tap("Unentschieden anbieten")
    blue.see("Dein Gegner kann annehmen oder ablehnen.")
    blue.tap("Unentschieden anbieten")
    red.heading("Blue offers a draw.")
    red.tap("Decline")
    red.heading("Blue to move")
    blue.see("Rot lehnt das Unentschieden ab.")
    table.hands(motion="move", **{"from": "e6", "to": "e5"})
    red.heading("Your move")


def attack_with_both_hands(table: PhoneTable, red: AnyPhone, blue: AnyPhone) -> None:
    """The hands attack; red changes its mind, and blue's page is loaded anew before it answers."""
    table.hands(motion="both", **{"from": "b6", "target": "b7"})
    red.heading("Your piece on b6 attacks b7. What is it?")
    blue.heading("Deine Figur auf b7 wird angegriffen. Welche ist es?")
    red.offers("Field Marshal", "General", "Miner", "Scout", "Spy")
    blue.count(".question .choice", 7)
    red.pick("Scout")
    red.see("Sent. You can still change it.")
    red.tap("Change my answer")
    red.pick("Miner")
    red.see("Sent. You can still change it.")  # the table has it: blue's word may settle the attack from now on
    blue.reload()
    blue.heading("Deine Figur auf b7 wird angegriffen. Welche ist es?")
    blue.answer("Bombe")
    red.see("Your piece wins")
    blue.see("Deine Figur ist verloren")
    blue.last(".fighter", "Mineur")
    table.hands(motion="put", seat="red", square="b7")
    red.heading("Blue to move")
    red.stands("b7: Red")  # ranks have covered themselves
    red.tap("Show")
    red.stands("b7: Red Miner")
    blue.tap("Zeigen")
    blue.stands("b7: Rot Mineur")


def change_language_and_lose_the_line(table: PhoneTable, red: AnyPhone, blue: AnyPhone, wires: Wires) -> None:
    """Blue reads Dutch from here on, and loses its line while the game goes on."""
    blue.tap("Menü")
    blue.tap("Einstellungen")
    blue.tap("Nederlands", exact=False)
    blue.tap("Sluiten")
    blue.heading("Je bent aan zet")
    ws = urlsplit(blue.places()["ws"])
    wire = wires(ws.hostname or "", ws.port or 0)
    blue.move_to(f"ws://127.0.0.1:{wire.port}/mqtt")
    blue.heading("Je bent aan zet")
    wire.cut()
    blue.heading("Geen verbinding: controleer de wifi")
    table.hands(motion="move", **{"from": "j7", "to": "j6"})
    red.heading("Your move")
    wire.mend()
    blue.heading("Rood is aan zet")
    blue.stands("b7: Rood Mineur")


def tell_an_attack_and_win(table: PhoneTable, red: AnyPhone, blue: AnyPhone) -> None:
    """Red tells an attack with the piece in hand, and takes the flag."""
    table.hands(motion="lift", square="a4")
    red.tap("Attack a7")
    blue.heading("Je stuk op a7 wordt aangevallen. Wat is het?")
    red.offers("Scout")
    blue.pick("Vlag")
    red.answer("Scout")
    red.heading("You win!")
    blue.heading("Rood wint")


def _signers(table: PhoneTable) -> set[str]:
    """Return who has signed the end in the game's record; each has computed the whole chain by itself."""
    found = (path.read_text() for path in (table.state / "table").glob("games/*/game.record"))
    return {line.split()[0] for text in found for line in text.partition("[signatures]")[2].splitlines() if line}


def play(table: PhoneTable, red: AnyPhone, blue: AnyPhone, wires: Wires) -> None:
    """From two links to the second game on the same board, and a record that can be judged."""
    take_seats(table, red, blue)
    move_and_be_corrected(table, red, blue)
    attack_with_both_hands(table, red, blue)
    change_language_and_lose_the_line(table, red, blue, wires)
    tell_an_attack_and_win(table, red, blue)
    wait_until(lambda: _signers(table) == {"red", "blue"})  # blue has heard again what it missed in its absences
    red.see("End signed by")
    table.hands(motion="clear")
    red.tap("Another game")
    red.see("Another game: waiting for Blue.")
    blue.see("Rood is klaar voor nog een partij")
    blue.tap("Nog een partij")
    red.heading("Set up your pieces.")
    (record,) = (table.state / "table").glob("games/*/game.record")
    assert '"legal": true' in hallmarshal("record", "check", str(record), "--json", state=table.state).stdout
