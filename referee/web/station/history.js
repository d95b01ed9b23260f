// What happened at a table, and what everybody could see of one square, as sentences; no rank stands in it.

import { clockText } from "../toolkit/clock_text.js";
import { h } from "../toolkit/dom.js";
import { t } from "../toolkit/words.js";
import { resultText } from "./cards.js";
import { timeText } from "./hall.js";

/** @import { Attack, Info, LastMove, PublicEvent, View } from "../toolkit/published.d.ts" */
/** @import { Child } from "../toolkit/values.d.ts" */
/** @import { SquareFacts, Step } from "./types.d.ts" */

/** @type {{ [word: string]: string }} */
const NOTED = { arbiter: "record.by-arbiter", agreed: "record.by-all", "played-on": "hall.played-on", clock: "end.clock" };
/** @type {{ [word: string]: string }} */
const BOARD = { back: "hall.was-back", lost: "hall.was-lost" };
/**
 * What an event's own word says, by the event's kind; of other kinds the word says nothing to an arbiter.
 *
 * @type {{ [kind: string]: (word: string) => string }}
 */
const WORDS = {
  ask: (word) => t(`ask.${word}`),
  end: (word) => t(`end.${word}`),
  finale: (word) => t(`finale.${word}`),
  named: (name) => name,
  paused: (word) => t(`hall.paused-${word}`),
  infiltrate: (word) => t(`rank.${word}`),
  "board.link": (word) => t(BOARD[word] ?? `health.${word}`),
  "board.health": (words) => listed(words.split(" ").map((word) => t(word === "well" ? "hall.was-well" : `health.${word}`))),
  "hall-clock.set": (word) => (word === "none" ? "" : clockText(Number(word))),
  "move.refused": (word) => t(`refusal.${word}`),
  "clock.adjusted": (word) => clockText(Number(word)),
};

/** @param {string[]} parts */
function listed(parts) {
  return parts.join(t("saw.apart"));
}

/** @param {PublicEvent} event */
function wordText({ kind, text }) {
  if (!text) return "";
  const read = WORDS[kind];
  if (read) return read(text);
  return NOTED[text] ? t(NOTED[text]) : "";
}

/**
 * Return one line of the history.
 *
 * @param {PublicEvent} event
 * @param {number | null} atMs   when it was, since 1970; null where nobody knows
 */
export function historyRow(event, atMs) {
  const { source, target, seat, result } = event;
  const squares = source && target ? `${source} – ${target}` : (target ?? source ?? "");
  return h(
    "tr",
    {},
    atMs === null ? null : h("td", { class: "squares" }, timeText(atMs)),
    h("td", {}, event.ply),
    h("td", {}, seat ? t(`seat.${seat}`) : ""),
    h("td", {}, t(`hall.told-${event.kind.replaceAll(".", "-")}`)),
    h("td", { class: "squares" }, squares),
    h("td", {}, result ? t(`verdict.${result}`) : wordText(event)),
  );
}

/**
 * Return where the game stands: the last move or attack, the ply, what has to be put right.
 *
 * @param {View} view
 * @param {Info} info
 */
export function standText(view, info) {
  const told = [lastText(view), t("turn.ply", { number: view.ply }), t("hall.event-at", { number: view.seq })];
  if (view.result) told.unshift(resultText(view.result, info.teams));
  if (view.fixes.length) told.push(t("hall.to-put-right", { squares: view.fixes.map((fix) => fix.square).join(" ") }));
  return listed(told);
}

/** @param {View} view */
function lastText({ last_move: move, attack }) {
  const told = (/** @type {string} */ key, /** @type {LastMove | Attack} */ { seat, source, target }) =>
    t(key, { seat: t(`seat.${seat}`), squares: `${source} – ${target}` });
  if (move) return told("hall.last-move", move) + (move.final ? "" : ` (${t("hall.not-final")})`);
  if (!attack) return t("hall.move-none");
  const label = told("hall.last-attack", attack);
  return attack.result ? t("text.labelled", { label, text: t(`verdict.${attack.result}`) }) : label;
}

/**
 * Return what is known of a square: the piece there, its way, and what hands did.
 *
 * @param {SquareFacts} facts
 */
export function squareSheet(facts) {
  const line = (/** @type {string} */ key, /** @type {Child} */ value) => h("tr", {}, h("td", {}, t(key)), h("td", {}, value));
  const hands = facts.hands.slice(-8).map(({ what, at_ms, ply }) => t(`hall.hand-${what}`, { time: timeText(at_ms), ply }));
  const army = facts.army === null ? t("hall.nothing") : t("hall.piece-of", { seat: t(`seat.${facts.army}`) });
  const lines = [
    line("hall.stands-there", army),
    facts.army === null ? null : pieceLines(facts, line),
    line("hall.hands-here", listed(hands) || t("hall.hands-none")),
  ];
  return h("div", {}, h("h3", {}, t("hall.square", { square: facts.square })), h("table", { class: "sheet" }, h("tbody", {}, lines)));
}

/**
 * @param {SquareFacts} facts
 * @param {(key: string, value: Child) => Child} line
 */
function pieceLines({ began, moved, ran, attacked, way }, line) {
  const step = (/** @type {Step} */ { ply, source, target }) => t("text.labelled", { label: ply, text: `${source} – ${target}` });
  const steps = way.map((one) => (one.ran ? t("hall.ran", { step: step(one) }) : step(one)));
  const whole = [...(moved > steps.length ? ["…"] : []), ...steps].join(", ");
  return [
    line("hall.began-on", began),
    line("hall.has-moved", moved ? t("hall.moved-times", { count: moved }) : t("hall.no")),
    line("hall.has-run", t(ran ? "hall.yes" : "hall.no")),
    line("hall.attacks-in", attacked),
    whole ? line("hall.its-way", whole) : null,
  ];
}
