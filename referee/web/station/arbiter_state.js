// The arbiters' page as one value, and what follows from each thing that happens: pure functions.
//
//   let state = begin("tables");  state = update(state, { type: "go", to: "event" }, now)

import { filled, opened } from "./orders.js";
import { EMPTY, afterNews } from "./tables.js";

/** @import { EventState, OfficeState, State, TableState } from "./types.d.ts" */
/** @typedef {{ type: string, [field: string]: any }} Happening */
/** @typedef {{ [type: string]: (state: State, event: any, now: number) => Partial<State> }} Changes */

/** @type {EventState} */
const NO_EVENT = {
  ...{ event: null, refused: null, listed: false, typed: {} },
  ...{ round: null, asked: null, done: null, log: null, logged: false },
};

/** @type {OfficeState} */
const NO_OFFICE = { told: null, refused: null, made: null, passes: [], typed: {} };

/**
 * Return the state of a page that nobody has logged into.
 *
 * @param {string} where
 * @returns {State}
 */
export function begin(where) {
  const typed = { code: "", name: "", password: "" };
  return { me: null, first: false, refused: null, typed, hall: EMPTY, event: NO_EVENT, office: NO_OFFICE, ...place(where) };
}

/**
 * Return the state after something that happens at `now`, by this page's own clock.
 *
 * @param {State} state
 * @param {Happening} event
 * @param {number} now
 * @returns {State}
 */
export function update(state, event, now) {
  const change = CHANGES[event.type];
  return change === undefined ? state : { ...state, ...change(state, event, now) };
}

/**
 * Return the board whose page is shown, null where it is another page.
 *
 * @param {string} where
 */
export function boardAt(where) {
  return where.startsWith("table/") ? where.slice("table/".length) : null;
}

/**
 * Return the id of the event whose page is shown, empty where it is that of the first; null where it is another page.
 *
 * @param {string} where
 */
export function eventAt(where) {
  return where === "event" ? "" : where.startsWith("event/") ? where.slice("event/".length) : null;
}

/**
 * @param {string} where
 * @returns {{ where: string, table: TableState | null }}
 */
function place(where) {
  const board = boardAt(where);
  return { where, table: board === null ? null : { board, whole: null, facts: null, times: null, order: null, asked: null } };
}

/** @type {Changes} */
const CHANGES = {
  // who is there
  typed: ({ typed }, { name, value }) => ({ typed: { ...typed, [name]: value } }),
  "logged-in": (_, { me }) => ({ me, refused: null, typed: { name: "", password: "" } }),
  "no-chief": () => ({ first: true }),
  "not-logged-in": (_, { refused }) => ({ refused }),
  go: (state, { to }) => (to === state.where ? {} : { ...place(to), ...(eventAt(to) === null ? {} : { event: NO_EVENT }) }),
  // what the station tells
  news: ({ hall }, { told }, now) => ({ hall: afterNews(hall, told, now) }),
  lost: ({ hall }) => ({ hall: { ...hall, connected: false } }),
  whole: onTable((_, { whole }, now) => ({ whole: { ...whole, heard: now }, times: null })),
  // an order to a table
  "order-opened": onTable(({ whole, order }, event, now) => ({
    order: opened(whole, event.order, (order?.nth ?? 0) + 1, now),
    asked: null,
  })),
  "order-filled": onTable(({ whole, order }, { name, value }, now) => ({ order: order && filled(order, name, value, whole, now) })),
  "order-left": onTable(() => ({ order: null })),
  asked: onTable((_, { order }) => ({ order: null, asked: { type: order, answer: null } })),
  answered: onTable((_, { order, answer }) => ({ asked: { type: order, answer } })),
  facts: onTable((_, { facts }) => ({ facts })),
  times: onTable((_, { times }) => ({ times })),
  // the event
  "event-told": inEvent((_, { event }) => ({ event })),
  "event-refused": inEvent((_, { refused }) => ({ refused, asked: null, done: null })),
  "event-done": inEvent(({ typed, asked }, { event, done, clears = [] }) => ({
    ...{ event, refused: null, asked: null, done: asked && done, typed: without(typed, clears) },
  })),
  "event-typed": inEvent(({ typed }, { name, value }) => ({ typed: { ...typed, [name]: value } })),
  "round-chosen": inEvent((_, { round }) => ({ round })),
  "event-asked": inEvent(({ event, typed, asked: before }, { asked, first = {} }) => ({
    // about the event as it is shown now, also where it changes until the reason is there
    asked: { ...asked, revision: event?.revision, nth: (before?.nth ?? 0) + 1, fields: Object.keys(first) },
    typed: { ...typed, "asked why": "", ...Object.fromEntries(Object.keys(first).map((name) => [`asked ${name}`, first[name]])) },
  })),
  "asked-left": inEvent(() => ({ asked: null })),
  "log-opened": inEvent((_, { opened }) => ({ logged: opened })),
  "log-told": inEvent((_, { log }) => ({ log })),
  "players-listed": inEvent((_, { listed }) => ({ listed })),
  // what a chief sets up
  "office-told": inOffice((_, { told }) => ({ told })),
  "office-refused": inOffice((_, { refused }) => ({ refused, made: null })),
  "office-done": inOffice(({ typed, passes }, { told, made, clears = [] }) => ({
    ...{ told, made, refused: null },
    ...{ passes: told.passes ?? passes, typed: without(typed, clears) },
  })),
  "office-typed": inOffice(({ typed }, { name, value }) => ({ typed: { ...typed, [name]: value } })),
  "passes-put-away": inOffice(() => ({ passes: [], made: null })),
};

/**
 * A change of the table that is shown; what is told of another one, which was left meanwhile, changes nothing.
 *
 * @param {(table: TableState, event: any, now: number) => Partial<TableState>} change
 * @returns {Changes[string]}
 */
function onTable(change) {
  return ({ table }, event, now) => {
    if (table === null || (event.board ?? table.board) !== table.board) return {};
    return { table: { ...table, ...change(table, event, now) } };
  };
}

/**
 * @param {(event: EventState, happening: any) => Partial<EventState>} change
 * @returns {Changes[string]}
 */
function inEvent(change) {
  return ({ event }, happening) => ({ event: { ...event, ...change(event, happening) } });
}

/**
 * @param {(office: OfficeState, happening: any) => Partial<OfficeState>} change
 * @returns {Changes[string]}
 */
function inOffice(change) {
  return ({ office }, happening) => ({ office: { ...office, ...change(office, happening) } });
}

/**
 * @param {{ [name: string]: string }} typed
 * @param {string[]} names
 */
function without(typed, names) {
  return Object.fromEntries(Object.entries(typed).filter(([name]) => !names.includes(name)));
}
