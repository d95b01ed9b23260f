// How one table is drawn: who plays, clocks, whose turn it is, what it needs.

import { clockText } from "../toolkit/clock_text.js";
import { h } from "../toolkit/dom.js";
import { t } from "../toolkit/words.js";
import { LOW_MS, URGENT, alertsOf, leftMs, level } from "./tables.js";

/** @import { Child } from "../toolkit/values.d.ts" */
/** @import { GameEnd, Seat } from "../toolkit/published.d.ts" */
/** @import { Alert, Clocks, Table } from "./types.d.ts" */

const DRAWN = ["agreed", "both-immobile", "no-progress", "hall-clock", "ruled"];
/** @type {{ [kind: string]: string }} */
const SIGNS = {
  // letters that every font has
  called: "!",
  "illegal-move": "×",
  claim: "?",
  "time-over": "0:00",
  disturbed: "≈",
  "board-lost": "○",
  "no-referee": "□",
  cut: "≠",
  "no-answer": "…",
  "result-noted": "=",
  "other-game": "⇄",
  "thrown-off": "»",
  "link-lost": "¬",
  "board-health": "~",
  repetition: "∞",
  time: "<1",
  paused: "II",
};

/**
 * @param {GameEnd} result
 * @param {Seat[][]} [teams]
 */
function winnerText({ winner, reason }, teams = []) {
  if (winner === null) return t(DRAWN.includes(reason) ? "result.draw" : "result.none");
  const names = (teams.find((team) => team.includes(winner)) ?? [winner]).map((seat) => t(`seat.${seat}`));
  const last = names.pop();
  if (names.length === 0) return t("result.wins", { seat: last });
  return t("result.win-together", { seats: t("seats.and", { first: names.join(", "), last }) });
}

/**
 * Return who won, both of a team, and why.
 *
 * @param {GameEnd} result
 * @param {Seat[][]} [teams]
 */
export function resultText(result, teams) {
  return `${winnerText(result, teams)} (${t(`end.${result.reason}`)})`;
}

/** @param {Alert} alert */
function alertItem({ kind, seat, age_ms }) {
  const what = t(`alert.${kind}`);
  const who = seat === null ? "" : t(`seat.${seat}`);
  const about = who && (what.endsWith("?") ? `${what} ${who}` : t("text.labelled", { label: what, text: who }));
  const minutes = Math.floor((age_ms || 0) / 60000);
  const age = minutes > 0 ? ` (${t("hall.age", { minutes })})` : "";
  const sign = h("span", { class: "sign", "aria-hidden": "true" }, SIGNS[kind] ?? "!");
  return h("li", { class: URGENT.includes(kind) ? "urgent" : "watch" }, sign, " ", (about || what) + age);
}

/**
 * Return a clock as it shows `now`, or nothing where there is none.
 *
 * @param {Clocks} table
 * @param {string} seat   or `hall`
 * @param {number} now
 * @param {string} [title]
 */
function clock(table, seat, now, title) {
  const left = leftMs(table, seat, now);
  return left !== null && h("span", { class: left < LOW_MS ? "clock low" : "clock", title, "data-seat": seat }, clockText(left));
}

/**
 * Return a seat with its name, its clock, and whether it is to move.
 *
 * @param {Clocks & { names: Table["names"] }} table
 * @param {string} seat
 * @param {boolean} turn
 * @param {number} now
 * @param {Child} [more]
 */
export function seatRow(table, seat, turn, now, more) {
  return h(
    "div",
    { class: "seat" },
    h("span", { class: "turn", "aria-label": turn && t("hall.to-move") }, turn ? "▶" : ""),
    h("span", { class: `mark ${seat}`, "aria-hidden": "true" }),
    h("span", { class: "name" }, table.names[seat] || t(`seat.${seat}`)),
    more,
    clock(table, seat, now),
  );
}

/**
 * Return one table as a card; with `open` it is a button.
 *
 * @param {Table} table
 * @param {number} now
 * @param {(() => unknown) | null} open
 * @param {{ [event: string]: string }} [events]   the names of those that are played
 */
export function card(table, now, open, events = {}) {
  const { board, names, occasion, result, teams, phase } = table;
  const seats = Object.keys(names).length ? Object.keys(names) : ["red", "blue"];
  const gone = result && (open ? resultText : winnerText)(result, teams);
  const state = gone ?? (phase === null ? t("hall.no-game") : t(`phase.${phase}`));
  const inside = [
    h(
      "div",
      { class: "head" },
      h("span", { class: "number", title: board }, table.number),
      h("span", { class: "soft" }, occasion ? t("hall.round", { round: occasion.round }) : ""),
      result ? null : clock(table, "hall", now, t("clock.hall")),
      h("span", { class: "phase" }, state),
    ),
    Object.keys(events).length > 1 && occasion && h("div", { class: "soft", key: "event" }, events[occasion.event]),
    seats.map((seat) => seatRow(table, seat, table.turn === seat && phase !== "finished", now)),
    h("ul", { class: "alerts" }, alertsOf(table).map(alertItem)),
  ];
  const kind = !table.up ? "urgent" : level(table) === "calm" && result ? "over" : level(table);
  const about = { key: `table ${board}`, class: `table ${kind}`, "data-board": board };
  return open ? h("button", { ...about, on: { click: open } }, inside) : h("article", about, inside);
}
