// What happened at a table, and what everybody could see of one square, as sentences; no rank stands in it.

import { clockText, el, resultWord, say, timeText } from "./hall.js";

const NOTED = { arbiter: "record.by-arbiter", agreed: "record.by-all", "played-on": "hall.played-on", clock: "end.clock" };
const BOARD = { back: "hall.was-back", lost: "hall.was-lost" };
/** What an event's own word says, by the event's kind; of other kinds the word says nothing to an arbiter. */
const WORDS = {
  ask: (word) => say(`ask.${word}`),
  end: (word) => say(`end.${word}`),
  paused: (word) => say(`hall.paused-${word}`),
  infiltrate: (word) => say(`rank.${word}`),
  "board.link": (word) => say(BOARD[word] ?? `health.${word}`),
  "board.health": (words) => words.split(" ").map((word) => say(word === "well" ? "hall.was-well" : `health.${word}`)).join(say("saw.apart")),
  "hall-clock.set": (word) => (word === "none" ? "" : clockText(Number(word))),
  "move.refused": (word) => say(`refusal.${word}`),
  "clock.adjusted": (word) => clockText(Number(word)),
};

function wordText(event) {
  if (!event.text) return "";
  const read = WORDS[event.kind];
  if (read) return read(event.text);
  return NOTED[event.text] ? say(NOTED[event.text]) : "";
}

/** One line of the history; `at` is when it was, null where nobody knows. */
export function historyRow(event, at) {
  const squares = event.source && event.target ? `${event.source} – ${event.target}` : event.target ?? event.source ?? "";
  return el("tr", {}, at ? el("td.squares", {}, timeText(at)) : null, el("td", {}, String(event.ply)), el("td", {}, event.seat ? say(`seat.${event.seat}`) : ""),
    el("td", {}, say(`hall.told-${event.kind.replaceAll(".", "-")}`)), el("td.squares", {}, squares),
    el("td", {}, event.result ? say(`verdict.${event.result}`) : wordText(event)));
}

/** The last move or attack, the ply, what has to be put right: where the game stands. */
export function standText(view, info) {
  const said = [lastText(view), say("turn.ply", { number: view.ply }), say("hall.event-at", { number: view.seq })];
  if (view.result) said.unshift(resultWord(view.result, info.teams));
  if (view.fixes.length) said.push(say("hall.to-put-right", { squares: view.fixes.map((fix) => fix.square).join(" ") }));
  return said.join(say("saw.apart"));
}

function lastText(view) {
  const told = (key, deed) => say(key, { seat: say(`seat.${deed.seat}`), squares: `${deed.source} – ${deed.target}` });
  if (view.last_move) return told("hall.last-move", view.last_move) + (view.last_move.final ? "" : ` (${say("hall.not-final")})`);
  if (view.attack) {
    const said = told("hall.last-attack", view.attack);
    return view.attack.result ? say("text.labelled", { label: said, text: say(`verdict.${view.attack.result}`) }) : said;
  }
  return say("hall.move-none");
}

/** What is known of a square: the piece there, its way, and what hands did. */
export function squareSheet(facts) {
  const line = (key, value) => el("tr", {}, el("td", {}, say(key)), el("td", {}, value));
  const yes = (so) => say(so ? "hall.yes" : "hall.no");
  const step = (one) => say("text.labelled", { label: one.ply, text: `${one.source} – ${one.target}` });
  const steps = facts.way.map((one) => (one.ran ? say("hall.ran", { step: step(one) }) : step(one)));
  const way = [...(facts.moved > steps.length ? ["…"] : []), ...steps].join(", ");
  const hands = facts.hands.slice(-8).map((sign) => say(`hall.hand-${sign.what}`, { time: timeText(new Date(sign.at_ms)), ply: sign.ply })).join(say("saw.apart"));
  const piece = facts.army ? [
    line("hall.began-on", facts.began),
    line("hall.has-moved", facts.moved ? say("hall.moved-times", { count: facts.moved }) : say("hall.no")),
    line("hall.has-run", yes(facts.ran)),
    line("hall.attacks-in", String(facts.attacked)),
    way ? line("hall.its-way", way) : null,
  ] : [];
  return el("div", {}, el("h3", {}, say("hall.square", { square: facts.square })), el("table.sheet", {}, el("tbody", {},
    line("hall.stands-there", facts.army ? say("hall.piece-of", { seat: say(`seat.${facts.army}`) }) : say("hall.nothing")),
    piece, line("hall.hands-here", hands || say("hall.hands-none")))));
}
