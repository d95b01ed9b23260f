// The arbiters' page: what happens changes its state, the state is drawn, and what an arbiter wants is asked of the station.

import { patch } from "../toolkit/dom.js";
import { drawing } from "../toolkit/press_guard.js";
import { t } from "../toolkit/words.js";
import { screens } from "./arbiter_screen.js";
import { begin, boardAt, eventAt, update } from "./arbiter_state.js";
import { notedText, tableOf } from "./event_parts.js";
import { sendable } from "./forms.js";
import { ask, learnWords, listen } from "./hall.js";
import { said } from "./orders.js";
import { anyRuns } from "./tables.js";

/** @import { Ack, Act, Event, LogEntry, Me, Office, Told, Whole } from "./types.d.ts" */
/** @import { Happening } from "./arbiter_state.js" */

const TICK_MS = 250;
const root = /** @type {HTMLElement} */ (document.getElementById("page"));
const placeNow = () => location.hash.slice(1) || "tables";
const screen = screens(act);
const redraw = drawing(() => patch(root, screen(state, performance.now())));
let state = begin(placeNow());
let looking = false; // a table is being asked for
let again = false; // and has changed meanwhile

/** @param {Happening} event */
function happen(event) {
  state = update(state, event, performance.now());
  redraw();
}

/** @type {{ [type: string]: (event: any) => unknown }} */
const ACTS = {
  "log-in": async () => {
    const answer = await /** @type {typeof ask<Me>} */ (ask)("/api/login", state.typed);
    if (answer.ok) enter(answer.body);
    else happen({ type: "not-logged-in", refused: answer.body });
  },
  "make-chief": async () => {
    const answer = await /** @type {typeof ask<Me>} */ (ask)("/api/first", state.typed);
    if (answer.ok) enter(answer.body);
    else happen({ type: "not-logged-in", refused: answer.body });
  },
  "log-out": async () => {
    await ask("/api/logout", {});
    location.reload();
  },
  go: ({ to }) => {
    happen({ type: "go", to });
    location.hash = to === "tables" ? "" : to;
    look();
  },
  "order-sent": async () => {
    const { table } = state;
    if (!table?.order) return;
    const { type, game } = table.order;
    const sent = said(table.order);
    happen({ type: "asked", order: type });
    happen({ type: "answered", board: table.board, order: type, answer: await order(table.board, game, sent) });
  },
  "facts-wanted": async ({ square }) => {
    const ack = await facts({ square });
    if (ack) happen({ type: "facts", board: ack.board, facts: ack.facts });
  },
  "history-wanted": async () => {
    const ack = await facts({});
    if (ack) happen({ type: "times", board: ack.board, times: ack.history });
  },
  "event-act": async ({ name, given, clears, text }) => change(name, text === undefined ? given : await sendable(text), clears),
  "asked-sent": () => {
    const { asked, typed } = state.event;
    if (asked === null) return;
    /** @type {{ [name: string]: unknown }} */
    const fields = Object.fromEntries(asked.fields.map((name) => [name, typed[`asked ${name}`] ?? ""]));
    if ("rating" in fields) fields.rating = Number(fields.rating);
    if ("federation" in fields) fields.federation = String(fields.federation).toUpperCase();
    const about = { revision: asked.revision, why: typed["asked why"] ?? "" };
    const ties = Object.keys(typed).filter((name) => name.startsWith("tie "));
    change(asked.name, { ...asked.given, ...fields, ...about }, ["title", "planned", "tables", ...ties]);
  },
  "log-opened": (event) => {
    happen(event);
    if (event.opened) lookAtLog();
  },
  "office-act": async ({ name, given, clears, text }) => {
    const file = text === undefined ? {} : await sendable(text);
    const answer = await /** @type {typeof ask<Office & { made?: string }>} */ (ask)(`/api/office/${name}`, { ...given, ...file });
    if (!answer.ok) {
      happen({ type: "office-refused", refused: answer.body });
      return;
    }
    const made = answer.body.events.find((event) => event.id === answer.body.made);
    happen({ type: "office-done", told: answer.body, clears, made: made?.name ?? null });
    scrollTo(0, 0);
  },
  "pass-saved": ({ board, text }) => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text]));
    link.download = `${board}.pass`;
    link.click();
    URL.revokeObjectURL(link.href);
  },
  "result-chosen": async ({ round, table, value }) => {
    // which games are on changes without a change of the event that this page would be told of
    const now = await askEvent();
    const ends = state.me?.role === "chief" && value !== "" && (!now.ok || now.body.playing.includes(table));
    const shown = state.event.event ? tableOf(state.event.event, table) : table;
    const sure = !ends || confirm(t("hall.sure-result", { table: shown, result: notedText(value) }));
    if (sure && value) change("result", { round, table, result: value });
    else redraw(); // what was chosen goes
  },
};

/** @type {Act} */
function act(event) {
  const does = ACTS[event.type];
  if (does) does(event);
  else happen(event);
}

/**
 * @param {string} board
 * @param {string} game
 * @param {object} wanted
 */
function order(board, game, wanted) {
  return /** @type {typeof ask<Ack>} */ (ask)("/api/order", { board, game, act: wanted });
}

/**
 * Ask the table that is shown what settles a dispute; return its answer, null where there is none, which is then said.
 *
 * @param {{ square?: string }} what
 */
async function facts(what) {
  const { table } = state;
  if (table === null) return null;
  const { board, whole } = table;
  const answer = await order(board, whole?.view?.game ?? "", { type: "facts", reason: "facts", ...what });
  if (answer.ok && answer.body.done) return { board, ...answer.body };
  happen({ type: "answered", board, order: "facts", answer });
  return null;
}

/**
 * Do something with the event as this page shows it; `clears` are the fields that are empty afterwards.
 *
 * @param {string} name
 * @param {object} given
 * @param {string[]} [clears]
 */
async function change(name, given, clears) {
  const { event } = state.event;
  const about = { event: event?.id, revision: event?.revision };
  const answer = await /** @type {typeof ask<Event>} */ (ask)(`/api/event/${name}`, { ...about, ...given });
  if (answer.ok) {
    happen({ type: "event-done", event: answer.body, done: { act: name, given }, clears });
    if (state.event.logged) await lookAtLog();
    return;
  }
  happen({ type: "event-refused", refused: answer.body });
  await lookAtEvent();
}

function askEvent() {
  const id = eventAt(state.where);
  return /** @type {typeof ask<Event>} */ (ask)(id ? `/api/event/${id}` : "/api/event");
}

async function lookAtEvent() {
  const where = state.where;
  const answer = await askEvent();
  if (where !== state.where) return;
  if (answer.ok) {
    happen({ type: "event-told", event: answer.body });
    if (state.event.logged) await lookAtLog();
  } else if (state.event.event === null) happen({ type: "event-refused", refused: answer.body });
}

async function lookAtLog() {
  const id = state.event.event?.id;
  const answer = await /** @type {typeof ask<{ log: LogEntry[] }>} */ (ask)(`/api/event/${id}.log`);
  if (answer.ok) happen({ type: "log-told", log: answer.body.log });
}

async function lookAtOffice() {
  const answer = await /** @type {typeof ask<Office>} */ (ask)("/api/office");
  happen(answer.ok ? { type: "office-told", told: answer.body } : { type: "office-refused", refused: answer.body });
}

/** Ask for what is shown; once more where it has changed meanwhile. */
async function look() {
  if (eventAt(state.where) !== null) await lookAtEvent();
  if (state.where === "office") await lookAtOffice();
  const board = boardAt(state.where);
  if (board === null) return;
  again = looking;
  if (looking) return;
  looking = true;
  const answer = await /** @type {typeof ask<Whole>} */ (ask)(`/api/tables/${encodeURIComponent(board)}`);
  looking = false;
  if (answer.ok) happen({ type: "whole", board, whole: answer.body });
  if (again) look();
}

/** @param {Told} told */
function take(told) {
  const { event, connected } = state.hall;
  const played = event !== told.event; // something of the event has changed
  if (told.tables.length === 0 && connected === told.connected && !played) return;
  happen({ type: "news", told });
  const board = boardAt(state.where);
  const shown = board === null ? played : told.tables.some((table) => table.board === board);
  if (shown || connected !== told.connected) look();
}

async function lost() {
  happen({ type: "lost" });
  if ((await ask("/api/me")).status === 401) location.reload();
}

/** @param {Me} me */
function enter(me) {
  happen({ type: "logged-in", me });
  listen("/api/hall", take, lost);
  setInterval(() => anyRuns(state.hall.tables.values()) && redraw(), TICK_MS);
  look();
}

addEventListener("hashchange", () => {
  if (state.me === null || placeNow() === state.where) return;
  happen({ type: "go", to: placeNow() });
  look();
});

await learnWords();
const found = await /** @type {typeof ask<Me>} */ (ask)("/api/me");
if (found.ok && found.body.role !== "screen") enter(found.body);
else if (!found.ok && found.body.about === "first") happen({ type: "no-chief" });
else redraw();
