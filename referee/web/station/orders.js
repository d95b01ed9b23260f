// The arbiter's orders to one table: what each needs, how it is filled in, and how its answer reads.

import { h } from "../toolkit/dom.js";
import { t } from "../toolkit/words.js";
import { refusedText } from "./hall.js";
import { leftMs } from "./tables.js";

/** @import { Value } from "../toolkit/values.d.ts" */
/** @import { Act, Asked, Me, Order, TableState, Whole } from "./types.d.ts" */
/** @typedef {{ type: string, fields: string[], chief?: boolean, grave?: boolean }} Kind */

/**
 * Which orders there are, in the order of the buttons; `chief`: the chief arbiter's alone. Sentences: `hall.order-*`, `hall.order-how-*`.
 *
 * @type {Kind[]}
 */
const ORDERS = [
  { type: "pause", fields: [] },
  { type: "resume", fields: [] },
  { type: "set-clock", fields: ["seat", "left_ms"] },
  { type: "set-hall-clock", fields: ["left_ms", "at_end"] },
  { type: "take-back", fields: ["ply"] },
  { type: "void-verdict", fields: ["ply"] },
  { type: "ruling", fields: ["any_seat"] },
  { type: "penalty", fields: ["seat"] },
  { type: "pair", fields: ["seat"] },
  { type: "begin", fields: [] },
  { type: "adjourn", fields: [], chief: true },
  { type: "end-game", fields: ["result"], chief: true, grave: true },
];

/** @param {Order} order */
const kindOf = (order) => /** @type {Kind} */ (ORDERS.find((kind) => kind.type === order.type));

/**
 * Return an order that is opened `now`; it is about what the page shows.
 *
 * @param {Whole | null} whole
 * @param {string} type
 * @param {number} nth   which form it is, so that each begins with its own focus
 * @param {number} now
 * @returns {Order}
 */
export function opened(whole, type, nth, now) {
  const view = whole?.view ?? null;
  const [[seat]] = seatsOf(whole);
  const values = { seat, any_seat: "", result: seat, ply: String(view?.ply ?? 0), at_end: "arbiter", reason: "" };
  const order = { type, nth, game: view?.game ?? "", seq: view?.seq ?? 0, values, touched: false };
  return { ...order, values: { ...values, ...clockFields(order, whole, now) } };
}

/**
 * Return the order with a field filled in. What is left of a clock follows the seat until somebody changes it.
 *
 * @param {Order} order
 * @param {string} name
 * @param {string} value
 * @param {Whole | null} whole
 * @param {number} now
 * @returns {Order}
 */
export function filled(order, name, value, whole, now) {
  const touched = order.touched || name === "minutes" || name === "seconds";
  const next = { ...order, touched, values: { ...order.values, [name]: value } };
  return touched ? next : { ...next, values: { ...next.values, ...clockFields(next, whole, now) } };
}

/**
 * @param {Order} order
 * @param {Whole | null} whole
 * @param {number} now
 */
function clockFields({ type, values }, whole, now) {
  const ms = whole && leftMs(whole, type === "set-hall-clock" ? "hall" : values.seat, now);
  if (ms === null) return { minutes: "", seconds: "0" };
  return { minutes: String(Math.floor(ms / 60000)), seconds: String(Math.floor(ms / 1000) % 60) };
}

/**
 * What an order says of each of its fields.
 *
 * @type {{ [field: string]: (values: Order["values"]) => object }}
 */
const SAYS = {
  seat: ({ seat }) => ({ seat }),
  any_seat: ({ any_seat }) => ({ seat: any_seat || null }),
  result: ({ result }) => ({ result }),
  ply: ({ ply }) => ({ ply: Number(ply) }),
  at_end: ({ at_end }) => ({ at_end }),
  left_ms: ({ minutes, seconds }) => ({ left_ms: Number(minutes) * 60000 + Number(seconds) * 1000 }),
};

/**
 * Return what is sent of an order.
 *
 * @param {Order} order
 */
export function said(order) {
  const given = kindOf(order).fields.map((field) => SAYS[field](order.values));
  return Object.assign({ type: order.type, reason: order.values.reason.trim(), seq: order.seq }, ...given);
}

/** @param {Asked} asked */
function answerText({ type, answer }) {
  if (answer === null) return t("hall.sent");
  if (!answer.ok) return refusedText(answer.body);
  return answer.body.done ? t("hall.order-done", { order: t(`hall.order-${type}`) }) : refusedText({ error: answer.body.word });
}

/** @param {Asked} asked */
function answerPanel(asked) {
  const { answer } = asked;
  const kind = answer === null ? "soft" : answer.ok && answer.body.done ? "done" : "no";
  return h("div", { class: `answer ${kind}`, role: "status" }, answerText(asked));
}

/**
 * Return the panel of orders: buttons, the form of the one that was chosen, the answer.
 *
 * @param {Me} me
 * @param {TableState} state
 * @param {Act} act
 */
export function ordersPanel(me, { whole, order, asked }, act) {
  const mine = ORDERS.filter((kind) => me.role === "chief" || !kind.chief);
  const unknown = whole === null; // an order is about what is shown, and nothing is yet
  const press = (/** @type {string} */ type) => () => act({ type: "order-opened", order: type });
  return h(
    "div",
    { class: "panel" },
    h("h3", {}, t("hall.orders")),
    h(
      "div",
      { class: "verbs" },
      mine.map(({ type, grave }) => {
        const how = { class: grave ? "grave" : "", disabled: unknown };
        return h("button", { ...how, on: { click: press(type) } }, t(`hall.order-${type}`));
      }),
    ),
    order && orderForm(order, whole, act),
    h("div", { "aria-live": "polite", key: "answer" }, asked && answerPanel(asked)),
  );
}

/**
 * @param {Order} order
 * @param {Whole | null} whole
 * @param {Act} act
 */
function orderForm(order, whole, act) {
  const { type, nth, values } = order;
  const fill =
    (/** @type {string} */ name) =>
    (/** @type {{ currentTarget: HTMLInputElement }} */ { currentTarget }) =>
      act({ type: "order-filled", name, value: currentTarget.value });
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    act({ type: "order-sent" });
  };
  const fields = kindOf(order).fields.map((field) => FIELDS[field](whole, values, fill));
  return h(
    "form",
    { class: "order", key: `order ${nth}`, on: { submit } },
    h("h3", {}, t(`hall.order-${type}`)),
    h("p", { class: "soft" }, t(`hall.order-how-${type}`)),
    fields.length > 0 && h("div", { class: "fields" }, fields),
    h("input", {
      class: "reason",
      value: values.reason,
      required: true,
      maxlength: 200,
      placeholder: t("hall.reason"),
      "aria-label": t("hall.reason"),
      focus: true,
      on: { input: fill("reason") },
    }),
    h(
      "div",
      { class: "fields" },
      h("button", { class: "main" }, t("hall.order-it")),
      h("button", { type: "button", on: { click: () => act({ type: "order-left" }) } }, t("hall.leave-it")),
    ),
  );
}

/** @typedef {(name: string) => (event: { currentTarget: HTMLInputElement }) => unknown} Fill */
/**
 * How each field is drawn.
 *
 * @type {{ [field: string]: (whole: Whole | null, values: Order["values"], fill: Fill) => Value }}
 */
const FIELDS = {
  seat: (whole, { seat }, fill) => choice("hall.seat", seat, seatsOf(whole), fill("seat")),
  any_seat: (whole, values, fill) => choice("hall.seat", values.any_seat, [["", t("hall.seat-none")], ...seatsOf(whole)], fill("any_seat")),
  result: (whole, values, fill) => choice("record.result", values.result, resultsOf(whole), fill("result")),
  ply: (_, { ply }, fill) => h("label", {}, t("hall.ply"), number("hall.ply", ply, null, fill("ply"))),
  at_end: (_, values, fill) => {
    const choices = ["arbiter", "draw"].map((word) => [word, t(`hall.clock-${word}`)]);
    return choice("hall.clock-at-end", values.at_end, choices, fill("at_end"));
  },
  left_ms: (_, { minutes, seconds }, fill) =>
    h(
      "label",
      {},
      t("hall.minutes-left"),
      h(
        "span",
        { class: "left" },
        number("hall.minutes-left", minutes, 1440, fill("minutes"), "short"),
        " : ",
        number("hall.seconds-left", seconds, 59, fill("seconds"), "short"),
      ),
    ),
};

/**
 * @param {string} key
 * @param {string} value
 * @param {string[][]} choices   each a value and its text
 * @param {(event: any) => unknown} change
 */
function choice(key, value, choices, change) {
  const options = choices.map(([one, label]) => h("option", { value: one }, label));
  return h("label", {}, t(key), h("select", { value, "aria-label": t(key), on: { change } }, options));
}

/**
 * @param {string} key
 * @param {string} value
 * @param {number | null} max
 * @param {(event: any) => unknown} input
 * @param {string | null} [kind]
 */
function number(key, value, max, input, kind = null) {
  return h("input", { class: kind, type: "number", min: 0, max, step: 1, value, required: true, "aria-label": t(key), on: { input } });
}

/** @param {Whole | null} whole */
function seatsOf(whole) {
  const seats = whole?.info?.seats ?? ["red", "blue"];
  return seats.map((seat) => [seat, `${t(`seat.${seat}`)} ${whole?.info?.names?.[seat] ?? ""}`.trim()]);
}

/** @param {Whole | null} whole */
function resultsOf(whole) {
  const wins = seatsOf(whole).map(([seat]) => [seat, t("result.wins", { seat: t(`seat.${seat}`) })]);
  return [...wins, ["draw", t("result.draw")], ["both-lose", t("end.both-lose")], ["abort", t("result.none")]];
}
