// The hall's tables: what is kept of them, which need an arbiter, what their clocks show. Plain values, pure functions.

/** @import { Alert, Clocks, Hall, Table, Told } from "./types.d.ts" */

export const URGENT = [
  ...["called", "illegal-move", "claim", "time-over", "disturbed", "board-lost", "no-referee", "cut", "no-answer", "result-noted"],
  "other-game",
  "thrown-off",
];
const WATCH = ["link-lost", "board-health", "repetition", "time", "paused"];
const NEEDS = [...URGENT, ...WATCH];
export const LOW_MS = 60000;

/** @type {Hall} */
export const EMPTY = { tables: new Map(), connected: true, event: null, names: {} };

/**
 * Return the hall after a message of its stream, which came at `now`.
 *
 * @param {Hall} hall
 * @param {Told} told
 * @param {number} now
 * @returns {Hall}
 */
export function afterNews(hall, told, now) {
  const news = told.tables.map((table) => /** @type {const} */ ([table.board, { ...table, heard: now }]));
  return { tables: new Map([...hall.tables, ...news]), connected: told.connected, event: told.event, names: told.names };
}

/**
 * Return the tables, whoever needs an arbiter most and longest first.
 *
 * @param {Hall} hall
 * @param {number} now   one for all: who waits equally long keeps the order of the tables
 */
export function byNeed({ tables }, now) {
  return [...tables.values()].sort((a, b) => need(a) - need(b) || waits(b, now) - waits(a, now) || a.number - b.number);
}

/**
 * @param {Table} table
 * @returns {Alert[]}
 */
export function alertsOf(table) {
  const own = (/** @type {string} */ kind, age_ms = 0) => ({ kind, seat: null, text: "", age_ms });
  const away = table.up ? [] : [own("no-referee")];
  const cut = table.cut_ms === null ? [] : [own("cut", table.cut_ms)];
  const stuck = table.stuck ? [own(table.stuck)] : [];
  return [...away, ...cut, ...table.alerts, ...stuck];
}

/**
 * Return how much a table needs an arbiter.
 *
 * @param {Table} table
 */
export function level(table) {
  const kinds = alertsOf(table).map((alert) => alert.kind);
  if (kinds.some((kind) => URGENT.includes(kind))) return "urgent";
  return kinds.some((kind) => WATCH.includes(kind)) ? "watch" : "calm";
}

/** @param {Table} table */
function need(table) {
  const places = alertsOf(table).map((alert) => NEEDS.indexOf(alert.kind));
  return places.length ? Math.min(...places) : NEEDS.length;
}

/**
 * @param {Table} table
 * @param {number} now
 */
function waits(table, now) {
  const ages = alertsOf(table).map((alert) => alert.age_ms);
  return ages.length ? Math.max(...ages) + now - table.heard : 0;
}

/**
 * Return what a seat, or the round (`hall`), has left at `now`, in milliseconds; null without a clock.
 *
 * @param {Clocks} table
 * @param {string} seat
 * @param {number} now
 */
export function leftMs(table, seat, now) {
  const face = seat === "hall" ? table.hall_clock : table.clocks[seat];
  if (!face) return null;
  const passed = face.runs ? table.age_ms + now - table.heard : 0;
  return Math.max(0, face.left_ms - passed);
}

/**
 * Return whether a clock of these tables runs, so that it has to be drawn again soon.
 *
 * @param {Iterable<Clocks>} tables
 */
export function anyRuns(tables) {
  return [...tables].some((table) => [...Object.values(table.clocks), table.hall_clock].some((face) => face?.runs));
}
