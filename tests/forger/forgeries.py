"""Every forgery of a record that docs/reference/commitments.md lists, and what each possession has to find; from its pages alone.

A promise is a word: `wrong`, `cut N`, `unfinished N`, `missing SEAT`, `holds` (nothing is wrong), `none` (nothing is wrong, and there is
no chain), or `any` where the page names a condition that cannot be told without the rules (*what contradicts roots ...*).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from tests.forger.chain import SEATS, Signer, head_of, name_of, number_of, occasion_of, root_of
from tests.forger.record_text import Course, Text, as_known_after, course_of

RANKS = (
    "flag",
    "bomb",
    "spy",
    "scout",
    "miner",
    "sergeant",
    "lieutenant",
    "captain",
    "major",
    "colonel",
    "general",
    "marshal",
)
VERDICTS = ("attacker-wins", "defender-wins", "both-lost", "flag-taken")
REASONS = ("flag", "immobile", "resign", "agreed", "clock", "forfeit", "aborted")
THIEF = Signer("77" * 32)
"""Whose key nobody knows."""


@dataclass(frozen=True)
class Forgery:
    """One forgery, and what has to be found by who has the file alone, a head from after it, a signer's key, or the roots."""

    kind: str
    what: str
    text: Text
    alone: str
    noted: str
    rooted: str
    signed: str
    link: int = 0
    """The first link that it changes: an earlier head proves as much as the file alone."""


def forgery(
    kind: str, what: str, text: Text, promise: str, noted: str = "", rooted: str = "", signed: str = "", link: int = 0
) -> Forgery:
    """Return a forgery; what a possession adds nothing to is as the file alone."""
    noted = noted or promise
    return Forgery(kind, what, text, promise, noted, rooted or promise, signed or noted, link)


def another(value: str, of: Sequence[str]) -> str:
    """Return the next word of a list, from its beginning behind the last."""
    return of[(of.index(value) + 1) % len(of)] if value in of else of[0]


def digit(text: str, at: int) -> str:
    """Return a text with another digit in one place."""
    return text[:at] + another(text[at], "0123456789abcdef") + text[at + 1 :]


def seats_of(text: Text) -> list[str]:
    """Return who plays."""
    return [seat for seat in SEATS if text.of(f"set-up {seat}")]


def forgeries(text: Text) -> Iterator[Forgery]:
    """Yield all forgeries of one record that has a chain."""
    course = course_of(text.of("chain"))
    yield from entries(text)
    yield from names(text)
    yield from views(text, course)
    yield from ranks(text, course)
    yield from exchanged_set_ups(text, course)
    yield from plies(text)
    yield from plies_and_links(text, course)
    yield from decisions(text)
    yield from corrections(text)
    yield from results(text)
    yield from links(text, course)
    yield from cuts(text, course)
    yield from signatures(text)


def entries(text: Text) -> Iterator[Forgery]:
    """Yield a change, and the taking out, of each fact of `[game]`; and each that all links are made anew for."""
    for line in text.of("game"):
        key, _, value = line.partition(" = ")
        word = key.partition(".")[0]
        if word in ("view", "consent", "player", "salt", "army"):
            continue
        if word in ("chain", "root", "seed"):
            changed = digit(value, len(value) - 1)
            seed = "wrong" if word != "seed" or text.mode == "enrol" or key == "seed.arbiter" else "any"
            yield forgery(f"[game] {word}", f"{key} changed", text.saying(key, changed), seed)
            yield forgery(
                f"[game] {word} out", f"{key} taken out", text.saying(key, None), "wrong" if word != "seed" else "any"
            )
            if word == "root":
                yield forgery(
                    f"[game] {word}, links anew",
                    f"{key} changed",
                    _opened_anew(text.saying(key, changed)),
                    "any",
                    "wrong",
                    "wrong",
                )
            continue
        others = {
            "rules": "original" if value != "original" else "vintage",
            "mode": another(value, ("declare", "enrol")),
        }
        others |= {
            "reveal": another(value, ("book", "attacker-only", "result-only")),
            "computer": another(value, "12345"),
        }
        new = others.get(word, value + "1")
        yield forgery(f"[game] {word}", f"{key} = {new}", text.saying(key, new), "wrong")
        if word not in ("rules", "mode", "reveal", "game"):
            yield forgery(f"[game] {word} out", f"{key} taken out", text.saying(key, None), "wrong")
        if word in ("date", "event", "round", "table", "reveal", "computer", "engine"):
            promise = "holds" if word in ("date", "event", "round", "table") else "any"
            yield forgery(
                f"[game] {word}, links anew", f"{key} = {new}", _opened_anew(text.saying(key, new)), promise, "wrong"
            )
    yield from _put_in(text)


def _put_in(text: Text) -> Iterator[Forgery]:
    words = {
        "date": "2020-02-02",
        "event": "a cup",
        "round": "3",
        "table": "9",
        "engine": "2",
        "option.two_square_limit": "3" if "option.two_square_limit=5" in text.of("chain")[0] else "5",
    }
    for key, value in words.items():
        if text.entry(key) is None:
            promise = "any" if key == "engine" else "wrong"  # without a computer an engine says nothing
            yield forgery(
                f"[game] {key.partition('.')[0]} put in", f"{key} = {value}", text.saying(key, value), promise
            )
    seat = seats_of(text)[-1]
    if text.entry(f"computer.{seat}") is None:
        yield forgery("[game] computer put in", f"computer.{seat} = 3", text.saying(f"computer.{seat}", "3"), "wrong")
    yield forgery("[game] army put in", "army = any", text.saying("army", "any"), "wrong")
    yield forgery("[game] army put in, links anew", "army = any", _opened_anew(text.saying("army", "any")), "wrong")
    consent = text.entry("consent")
    other = None if consent else ", ".join(seats_of(text)[:1])
    promise = "any" if text.entry("view") == "archive" else "holds"
    yield forgery("[game] consent", f"consent = {other}", text.saying("consent", other), promise)
    yield forgery("version", "hallmarshal record 1", Text("hallmarshal record 1", text.sections), "any")


def _opened_anew(text: Text) -> Text:
    """Return the record with its first link, names and roots made of its `[game]`, and all links behind them."""
    made = list(text.of("chain"))
    words = dict(word.partition("=")[::2] for word in made[0].split(" ")[1:])
    for key in [key for key in words if key.startswith("computer.") or key in ("date", "occasion", "engine")]:
        del words[key]
    words |= {key: text.entry(key) or words[key] for key in ("rules", "mode", "reveal")}
    for line in text.of("game"):
        key, _, value = line.partition(" = ")
        if key.startswith(("option.", "computer.")) or key in ("date", "engine"):
            words[key] = value
    if any(text.entry(key) for key in ("event", "round", "table")):
        words["occasion"] = occasion_of(*(text.entry(key) or "" for key in ("event", "round", "table")))
    order = [
        "rules",
        "mode",
        "reveal",
        *sorted(key for key in words if key.startswith("option.")),
        "date",
        "occasion",
        "clock",
    ]
    order += [*(f"computer.{seat}" for seat in SEATS), "engine", *(f"name.{seat}" for seat in SEATS)]
    for seat in SEATS:
        name, salt = text.entry(f"player.{seat}"), text.entry(f"salt.{seat}")
        said = [n for n, link in enumerate(made) if link.startswith(f"name {seat} ")]
        if name and salt and said:
            made[said[-1]] = f"name {seat} {name_of(text.game, seat, salt, name)}"
        elif name and salt:
            words[f"name.{seat}"] = name_of(text.game, seat, salt, name)
        made = [
            f"root {seat} {text.entry(f'root.{seat}')}" if link.startswith(f"root {seat} ") else link for link in made
        ]
    made[0] = " ".join(["opened", *(f"{key}={words[key]}" for key in order if key in words)])
    return text.linked(made)


def names(text: Text) -> Iterator[Forgery]:
    """Yield other names, names exchanged and taken out; with their salts, and with all links made anew."""
    for seat in seats_of(text):
        player, salt = f"player.{seat}", f"salt.{seat}"
        if not text.entry(player):
            yield forgery("name put in", f"{player} = Eve", text.saying(player, "Eve"), "wrong")
            continue
        renamed = text.saying(player, "Eve")
        yield forgery("name", f"{player} = Eve", renamed, "wrong")
        yield forgery("name, links anew", f"{player} = Eve", _opened_anew(renamed), "holds", "wrong")
        yield forgery("name out, salt left", player, text.saying(player, None), "wrong")
        yield forgery("salt", salt, text.saying(salt, digit(text.entry(salt) or "", 5)), "wrong")
        yield forgery("salt out, name left", salt, text.saying(salt, None), "wrong")
        yield forgery("name and salt out", player, text.saying(player, None).saying(salt, None), "holds")
    for one, other in pairwise(seats_of(text)):
        keys = [f"{key}.{seat}" for key in ("player", "salt") for seat in (one, other)]
        values = [text.entry(key) for key in keys]
        if all(values):
            swapped = text.saying(keys[0], values[1]).saying(keys[1], values[0])
            yield forgery("names exchanged", f"{one}, {other}", swapped, "wrong")
            swapped = swapped.saying(keys[2], values[3]).saying(keys[3], values[2])
            yield forgery("names and salts exchanged", f"{one}, {other}", swapped, "wrong")


def _misfits(text: Text, view: str, course: Course) -> bool:
    """Return whether a record certainly holds more or less than a view may know: ranks of pieces that never fought,
    seeds.
    """
    consent = (text.entry("consent") or "").split(", ")
    for seat in seats_of(text):
        shown = view in ("referee", seat) or (view == "archive" and seat in consent)
        quiet = {
            rank for square, rank in text.set_up(seat).items() if course.sure and (seat, square) not in course.fought
        }
        if quiet - {"?"} and not shown and text.mode == "enrol":
            return True
        if "?" in text.set_up(seat).values() and shown and text.mode == "enrol":
            return True
    return False


def views(text: Text, course: Course) -> Iterator[Forgery]:
    """Yield the record as another's view: `any`, for what another may know can be just the same."""
    for view in ("referee", *seats_of(text), "public", "archive"):
        if view != (text.entry("view") or "referee"):
            yield forgery(
                "view", f"view = {view}", text.saying("view", view), "wrong" if _misfits(text, view, course) else "any"
            )


def ranks(text: Text, course: Course) -> Iterator[Forgery]:
    """Yield each rank of each set-up as another and as unknown, pieces that are put in, taken out or stand elsewhere."""
    for seat in seats_of(text):
        told = text.set_up(seat)
        whole = "?" not in told.values()
        bound = text.entry(f"seed.{seat}") is not None
        owner = text.entry("view") in (seat, "referee", None)
        for square, rank in told.items():
            piece = (seat, square)
            named = course.sure and piece in course.captured
            proven = bound and (text.mode == "enrol" or (course.sure and piece in course.fought))
            if rank != "?":
                changed = text.standing(seat, told | {square: another(rank, RANKS)})
                yield forgery(
                    "rank", f"{square} {another(rank, RANKS)}", changed, "wrong" if named or proven or whole else "any"
                )
                hidden = text.standing(seat, told | {square: "?"})
                lacks = named or (text.mode == "enrol" and owner)
                yield forgery("rank hidden", f"{square} ?", hidden, "wrong" if lacks else "any")
            else:
                yield forgery(
                    "rank told",
                    f"{square} miner",
                    text.standing(seat, told | {square: "miner"}),
                    "any" if owner else "wrong",
                )
            less = {at: word for at, word in told.items() if at != square}
            yield forgery("piece out", square, text.standing(seat, less), "wrong")
            free = next(
                at for at in ("e4", "d4", "g4", "f4", "g5") if all(at not in text.set_up(one) for one in seats_of(text))
            )
            yield forgery("piece elsewhere", f"{square} to {free}", text.standing(seat, less | {free: rank}), "wrong")
        yield forgery("piece put in", free, text.standing(seat, told | {free: "scout"}), "wrong")


def exchanged_set_ups(text: Text, course: Course) -> Iterator[Forgery]:
    """Yield ranks of a set-up exchanged with each other, set-ups with each other, and roots and seeds that are new with them."""
    for seat in seats_of(text):
        told = text.set_up(seat)
        seed, root = text.entry(f"seed.{seat}"), text.entry(f"root.{seat}")
        for one, other in pairwise(told):
            if "?" in (told[one], told[other]) or told[one] == told[other]:
                continue
            swapped = told | {one: told[other], other: told[one]}
            changed = text.standing(seat, swapped)
            quiet = course.sure and not {(seat, one), (seat, other)} & (course.captured | course.fought | course.moved)
            named = course.sure and bool({(seat, one), (seat, other)} & course.captured)
            proven = seed and (text.mode == "enrol" or (course.sure and {(seat, one), (seat, other)} & course.fought))
            free = quiet and not root and not text.entry(f"computer.{seat}")
            promise = "wrong" if named or proven else "holds" if free else "any"
            yield forgery("two ranks exchanged", f"{one}, {other}", changed, promise)
            if seed and root:
                new = seed_of_thief(seat)
                anew = changed.saying(f"seed.{seat}", new).saying(
                    f"root.{seat}", root_of(text.game, seat, swapped, new)
                )
                yield forgery("two ranks exchanged, root, seed new", f"{one}, {other}", anew, "wrong")
                free = quiet and not text.entry(f"computer.{seat}")
                alone = "wrong" if named else "holds" if free else "any"
                yield forgery(
                    "two ranks exchanged, root, seed, links anew",
                    f"{one}, {other}",
                    _opened_anew(anew),
                    alone,
                    "wrong",
                    "wrong",
                )
    one, other = seats_of(text)[:2]
    mine, yours = text.set_up(one), text.set_up(other)
    if (
        len(mine) == len(yours)
        and set(mine.values()) | set(yours.values()) > {"?"}
        and list(mine.values()) != list(yours.values())
    ):
        swapped_text = text.standing(one, dict(zip(mine, yours.values(), strict=True)))
        swapped_text = swapped_text.standing(other, dict(zip(yours, mine.values(), strict=True)))
        yield forgery("set-ups exchanged", f"{one}, {other}", swapped_text, "wrong" if course.captured else "any")


def seed_of_thief(seat: str) -> str:
    """Return a seed that a forger chose."""
    return number_of("a thief's", seat)


def plies(text: Text) -> Iterator[Forgery]:
    """Yield each word of each ply changed, plies put in, taken out and exchanged, with the chain as it is."""
    before, blocks = text.blocks()

    def told(kind: str, what: str, now: Sequence[Sequence[str]]) -> Forgery:
        return forgery(kind, what, text.playing(before, now), "wrong")

    for n, (first, *owed) in enumerate(blocks):
        for kind, line in _ply_words(first, seats_of(text)):
            yield told(f"ply: {kind}", f"{n + 1} {line}", [*blocks[:n], [line, *owed], *blocks[n + 1 :]])
        yield told("ply out", f"{n + 1}", [*blocks[:n], *blocks[n + 1 :]])
        yield told("ply put in", f"{n + 1} again", [*blocks[: n + 1], *blocks[n:]])
        if n and blocks[n - 1] != blocks[n]:
            yield told(
                "plies exchanged", f"{n}, {n + 1}", [*blocks[: n - 1], blocks[n], blocks[n - 1], *blocks[n + 1 :]]
            )
        if n > 1 and blocks[n - 2] != blocks[n]:
            yield told(
                "plies exchanged",
                f"{n - 1}, {n + 1}",
                [*blocks[: n - 2], blocks[n], blocks[n - 1], blocks[n - 2], *blocks[n + 1 :]],
            )


def _ply_words(line: str, seats: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield a ply with one word another."""
    seat, action, *rest = line.split(" ")
    yield "seat", " ".join((another(seat, seats), action, *rest))
    if action == "pass":
        return
    for n in range(len(action)):
        if action[n] in "abcdefghij" and action[n + 1 : n + 2].isdigit() and "=" not in action[:n]:
            yield "square", " ".join((seat, action[:n] + another(action[n], "abcdefghij") + action[n + 1 :], *rest))
    if "=" in action:
        yield (
            "guess",
            " ".join((seat, action.partition("=")[0] + "=" + another(action.partition("=")[2], RANKS), *rest)),
        )
    for n, word in enumerate(rest):
        if word in VERDICTS or word in ("infiltrated", "wrong-guess"):
            others = ("infiltrated", "wrong-guess") if "*" in action else VERDICTS
            yield "verdict", " ".join((seat, action, *rest[:n], another(word, others), *rest[n + 1 :]))
        elif word == "?":
            yield "rank told", " ".join((seat, action, *rest[:n], "scout", *rest[n + 1 :]))
        elif word in (*RANKS, "infiltrator", "cannon"):
            yield "rank", " ".join((seat, action, *rest[:n], another(word, RANKS), *rest[n + 1 :]))
            yield "rank hidden", " ".join((seat, action, *rest[:n], "?", *rest[n + 1 :]))


def plies_and_links(text: Text, course: Course) -> Iterator[Forgery]:
    """Yield plies and verdicts changed, taken out, put in and exchanged in plies and links alike, all links made anew."""
    before, blocks = text.blocks()
    made = text.of("chain")
    plain = not any(link.startswith("corrected") for link in made) and len(course.plies) == len(blocks)
    for n, index in enumerate(course.plies if plain else ()):
        words = made[index].split(" ")
        seat, action, *rest = blocks[n][0].split(" ")
        if rest and rest[-1] in VERDICTS and rest[-1] in words:
            other = another(rest[-1], VERDICTS)
            line = " ".join((seat, action, *rest[:-1], other))
            now = text.playing(before, [*blocks[:n], [line, *blocks[n][1:]], *blocks[n + 1 :]])
            link = made[index].replace(f" {rest[-1]}", f" {other}")
            promise = "wrong" if "?" not in rest and "flag" not in rest else "any"
            now = now.linked([*made[:index], link, *made[index + 1 :]])
            yield forgery("verdict, links anew", f"{n + 1} {other}", now, promise, "wrong", link=index)
        one_less = _renumbered([*made[:index], *made[index + 1 :]])
        now = text.playing(before, [*blocks[:n], *blocks[n + 1 :]])
        yield forgery(
            "ply out, links anew",
            f"{n + 1}",
            now.linked(one_less),
            "wrong" if n + 1 < len(blocks) else "any",
            "wrong",
            link=index,
        )
        now = text.playing(before, [*blocks[: n + 1], *blocks[n:]])
        one_more = _renumbered([*made[: index + 1], *made[index:]])
        yield forgery(
            "ply put in, links anew", f"{n + 1} again", now.linked(one_more), "wrong", "wrong", link=index + 1
        )
        if n and index == course.plies[n - 1] + 1 and blocks[n - 1] != blocks[n]:
            now = text.playing(before, [*blocks[: n - 1], blocks[n], blocks[n - 1], *blocks[n + 1 :]])
            turned = _renumbered([*made[: index - 1], made[index], made[index - 1], *made[index + 1 :]])
            yield forgery(
                "plies exchanged, links anew", f"{n}, {n + 1}", now.linked(turned), "wrong", "wrong", link=index - 1
            )
        for at, word in enumerate(words):
            if word.startswith("clock."):
                later = " ".join([*words[:at], f"{word}9", *words[at + 1 :]])
                now = text.linked([*made[:index], later, *made[index + 1 :]])
                yield forgery("clock, links anew", f"{n + 1} {word}9", now, "any", "wrong", link=index)


def _renumbered(made: Sequence[str]) -> list[str]:
    """Return links whose plies count from 1."""
    number, found = 0, []
    for link in made:
        if link.startswith("ply "):
            number += 1
            link = " ".join(["ply", str(number), *link.split(" ")[2:]])
        found.append(link)
    return found


def decisions(text: Text) -> Iterator[Forgery]:
    """Yield each decision taken out, and another's."""
    body = text.of("plies")
    for n, line in enumerate(body):
        if not line[0].isdigit():
            yield forgery("decision out", line.strip(), text.having("plies", [*body[:n], *body[n + 1 :]]), "wrong")
            indent = line[: len(line) - len(line.lstrip())]
            seat, *rest = line.split()
            other = indent + " ".join([another(seat, seats_of(text)), *rest])
            yield forgery(
                "decision: seat", other.strip(), text.having("plies", [*body[:n], other, *body[n + 1 :]]), "wrong"
            )


def corrections(text: Text) -> Iterator[Forgery]:
    """Yield each word of each correction changed, corrections put in, taken out and exchanged."""
    body = list(text.of("corrections"))
    yield forgery(
        "correction put in",
        "penalty",
        text.having("corrections", [*body, f"{len(text.blocks()[1])} penalty red"]),
        "wrong",
    )
    for n, line in enumerate(body):
        fact, _, reason = line.partition(" = ")
        ply, *words = fact.split(" ")
        yield forgery("correction out", line, text.having("corrections", [*body[:n], *body[n + 1 :]] or None), "wrong")
        changed = {"ply": f"{max(0, int(ply) - 1)} {' '.join(words)}"}
        for at, word in enumerate(words):
            if word in SEATS:
                changed["seat"] = " ".join([ply, *words[:at], another(word, seats_of(text)), *words[at + 1 :]])
            elif word.isdigit():
                changed["value"] = " ".join([ply, *words[:at], f"{word}1", *words[at + 1 :]])
            elif word in ("both-lose", "draw"):
                changed["value"] = " ".join([ply, *words[:at], another(word, ("both-lose", "draw")), *words[at + 1 :]])
        for kind, now in changed.items():
            told = now + (f" = {reason}" if reason else "")
            if told != line:
                yield forgery(
                    f"correction: {kind}", told, text.having("corrections", [*body[:n], told, *body[n + 1 :]]), "wrong"
                )
        if (text.entry("view") or "referee") == "referee":
            yield forgery(
                "reason", line, text.having("corrections", [*body[:n], f"{fact} = {reason}x", *body[n + 1 :]]), "wrong"
            )
        if reason:
            yield forgery("reason out", line, text.having("corrections", [*body[:n], fact, *body[n + 1 :]]), "any")
        if n and body[n - 1] != line:
            turned = [*body[: n - 1], line, body[n - 1], *body[n + 1 :]]
            yield forgery("corrections exchanged", line, text.having("corrections", turned), "wrong")


def results(text: Text) -> Iterator[Forgery]:
    """Yield other winners and endings, and a result taken out or put in; with all links made anew, too."""
    winner, reason = text.result
    made = text.of("chain")
    if not text.of("result"):
        yield forgery(
            "result put in", "red resign", text.having("result", ["winner = red", "reason = resign"]), "wrong"
        )
        return
    yield forgery("result out", f"{winner} {reason}", text.having("result", None), "wrong")
    wins = [(seat, reason) for seat in ("draw", *seats_of(text)) if seat != winner]
    for other, why in [*wins, *((winner, why) for why in REASONS if why != reason)]:
        kind = "result" if why == reason else "ending"
        if (other == "draw") != (why in ("agreed", "both-immobile", "no-progress")) or (other == "none") != (
            why in ("aborted",)
        ):
            continue  # no such result: a record that says so cannot be read
        now = text.having("result", [f"winner = {other}", f"reason = {why}"])
        yield forgery(kind, f"{other} {why}", now, "wrong")
        if made[-1].startswith(f"end {winner} {reason}") and not any(link.startswith("corrected") for link in made):
            anew = now.linked([*made[:-1], made[-1].replace(f"end {winner} {reason}", f"end {other} {why}", 1)])
            loose = why in ("resign", "agreed", "clock", "forfeit", "aborted") and reason in (
                "resign",
                "agreed",
                "clock",
                "forfeit",
                "aborted",
            )
            loose = loose and not any(text.entry(f"computer.{seat}") for seat in SEATS)  # it would have ended otherwise
            clockless = why == "clock" and " clock=" not in made[0]
            promise = "wrong" if why == "flag" else "any" if clockless or not loose else "holds"
            yield forgery(f"{kind}, links anew", f"{other} {why}", anew, promise, "wrong", link=len(made) - 1)


def links(text: Text, course: Course) -> Iterator[Forgery]:
    """Yield each link with one word changed, taken out, twice, exchanged with the next; the chain taken out."""
    made = list(text.of("chain"))
    for n, link in enumerate(made):
        words = link.split(" ")
        for at, word in enumerate(words[1:], start=1):
            last = word[-1]
            new = word[:-1] + (another(last, "0123456789") if last.isdigit() else another(last, "abcdef"))
            now = " ".join([*words[:at], new, *words[at + 1 :]])
            yield forgery(
                "link: a word", f"{n + 1}: {new}", text.having("chain", [*made[:n], now, *made[n + 1 :]]), "wrong"
            )
        yield forgery("link out", f"{n + 1}", text.having("chain", [*made[:n], *made[n + 1 :]]), "wrong")
        yield forgery("link put in", f"{n + 1} again", text.having("chain", [*made[: n + 1], *made[n:]]), "wrong")
        yield forgery(
            "link out, head anew",
            f"{n + 1}",
            text.linked([*made[:n], *made[n + 1 :]]),
            "wrong" if n in course.plies else "any",
            "wrong",
            link=n,
        )
        if n and made[n - 1] != link:
            turned = [*made[: n - 1], link, made[n - 1], *made[n + 1 :]]
            yield forgery("links exchanged", f"{n}, {n + 1}", text.having("chain", turned), "wrong")
            yield forgery(
                "links exchanged, head anew",
                f"{n}, {n + 1}",
                text.linked(turned),
                "wrong" if n in course.plies else "any",
                "wrong",
                link=n - 1,
            )
    bare = text.having("chain", None).saying("chain", None).having("signatures", None)
    yield forgery("chain out", "links, head and signatures", bare, "none", "wrong")
    yield forgery("links out, head left", "links", text.having("chain", None), "wrong")


def cuts(text: Text, course: Course) -> Iterator[Forgery]:
    """Yield every cut: of plies; of plies and links; of plies, links and result with the head made anew."""
    before, blocks = text.blocks()
    made = text.of("chain")
    tidy = not any(link.startswith(("corrected", "decided")) for link in made) and len(course.plies) == len(blocks)
    for kept in range(len(blocks)):
        short = text.playing(before, blocks[:kept])
        yield forgery("plies cut off", f"after {kept}", short, f"cut {kept}", "wrong")
        if not tidy:
            continue
        index = course.plies[kept]
        both = short.linked(made[:index])
        yield forgery(
            "plies and links cut off",
            f"after {kept}",
            both,
            f"cut {kept}" if text.of("result") else "any",
            "wrong",
            link=index,
        )
        alone = f"unfinished {kept}" if course.sure else "any"
        rest = as_known_after(text, kept) if course.sure else text
        rest = rest.playing(before, blocks[:kept]).having("result", None).linked(made[:index])
        yield forgery(
            "plies, links, result cut off", f"after {kept}", rest, alone, f"cut {kept}", signed="wrong", link=index
        )
    if text.of("result") and made[-1].startswith("end"):
        ended = text.having("result", None).linked(made[:-1])
        if not any(link.startswith("corrected") for link in made):
            plies_kept = len(blocks)
            yield forgery(
                "links, result cut off",
                "the end",
                ended,
                f"unfinished {plies_kept}",
                f"cut {plies_kept}",
                signed="wrong",
                link=len(made) - 1,
            )


def signatures(text: Text) -> Iterator[Forgery]:
    """Yield signatures taken out, of another key, seat, game, head or result, and none that fits."""
    signed = text.of("signatures")
    head = text.entry("chain") or ""
    for n, line in enumerate(signed):
        seat, key, seal = line.split(" ")

        def having(*lines: str, n: int = n) -> Text:
            return text.having("signatures", [*signed[:n], *lines, *signed[n + 1 :]] or None)

        missing = (
            f"missing {seat}" if seat != "station" or text.entry("event") else "holds"
        )  # else nothing tells of a station
        yield forgery("signature out", seat, having(), missing, missing, missing, f"wrong {seat}")
        thief = THIEF.line(text.game, seat, head, text.result)
        yield forgery("signature of another key", seat, having(thief), "holds", "holds", "holds", f"wrong {seat}")
        yield forgery("signature: key", seat, having(f"{seat} {THIEF.public} {seal}"), "wrong")
        other = "A" if seal[20] != "A" else "B"
        yield forgery("signature: a letter", seat, having(f"{seat} {key} {seal[:20]}{other}{seal[21:]}"), "wrong")
        shorter = head_of(text.game, text.of("chain")[:-1])
        seats = {
            "game": (number_of("another"), seat, head),
            "head": (text.game, seat, shorter),
            "seat": (text.game, another(seat, SEATS), head),
        }
        for kind, said in seats.items():
            made = THIEF.line(*said, text.result).split(" ", 1)[1]
            yield forgery(f"signature of another {kind}", seat, having(f"{seat} {made}"), "wrong")
        yield forgery(
            "signature of another result", seat, having(THIEF.line(text.game, seat, head, ("draw", "agreed"))), "wrong"
        )
    if len(signed) > 1:
        seats_, keys = zip(*(line.split(" ", 1) for line in signed), strict=True)
        turned = [f"{seat} {rest}" for seat, rest in zip(seats_, (*keys[1:], keys[0]), strict=True)]
        yield forgery("signatures exchanged", ", ".join(seats_), text.having("signatures", turned), "wrong")


def _same_squares(one: Text, other: Text, title: str) -> bool:
    return [line.split(" ")[0] for line in one.of(title)] == [line.split(" ")[0] for line in other.of(title)]


def spliced(one: Text, other: Text) -> Iterator[Forgery]:
    """Yield two games made one: plies, links, set-ups, ends of the other in the first."""
    before, blocks = one.blocks()
    rest = other.blocks()[1]
    made, more = list(one.of("chain")), list(other.of("chain"))
    mine, yours = course_of(made), course_of(more)
    for title in (
        "plies",
        "result",
        "chain",
        "corrections",
        "signatures",
        *(f"set-up {seat}" for seat in seats_of(one)),
    ):
        if other.of(title) and one.of(title) != other.of(title):
            loose = title.startswith("set-up") and one.mode == "declare" and _same_squares(one, other, title)
            yield forgery(f"spliced: {title}", title, one.having(title, other.of(title)), "any" if loose else "wrong")
    if made == more:
        return
    both = one.having("chain", more).saying("chain", other.entry("chain"))
    yield forgery("spliced: chain and head", "chain", both, "wrong")
    for kept in range(min(len(mine.plies), len(yours.plies), len(blocks), len(rest))):
        at, there = mine.plies[kept], yours.plies[kept]
        now = one.playing(before, [*blocks[:kept], *rest[kept:]]).having("result", other.of("result") or None)
        now = now.having("corrections", other.of("corrections") or None)
        yield forgery("spliced: plies and result", f"from {kept + 1}", now, "wrong")
        yield forgery(
            "spliced, links anew", f"from {kept + 1}", now.linked([*made[:at], *more[there:]]), "any", "wrong", link=at
        )
