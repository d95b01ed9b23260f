// The arbiter's orders to one table: what each needs, and how its answer reads.

import { el, leftMs, refusedText, say } from "./hall.js";

/** Which orders there are, in the order of the buttons; `chief`: the chief arbiter's alone. Sentences: `hall.order-*`, `hall.order-how-*`. */
const ORDERS = [
  { type: "pause", fields: [] },
  { type: "resume", fields: [] },
  { type: "set-clock", fields: ["seat", "minutes"] },
  { type: "set-hall-clock", fields: ["minutes", "atend"] },
  { type: "take-back", fields: ["ply"] },
  { type: "void-verdict", fields: ["ply"] },
  { type: "ruling", fields: ["anyseat"] },
  { type: "penalty", fields: ["seat"] },
  { type: "pair", fields: ["seat"] },
  { type: "begin", fields: [] },
  { type: "adjourn", fields: [], chief: true },
  { type: "end-game", fields: ["result"], chief: true, grave: true },
];

const FIELDS = {
  seat: (whole) => choice("hall.seat", "seat", seatsOf(whole)),
  anyseat: (whole) => choice("hall.seat", "seat", [["", say("hall.seat-none")], ...seatsOf(whole)], (value) => value || null),
  result: (whole) => choice("record.result", "result", [...seatsOf(whole).map(([seat]) => [seat, say("result.wins", { seat: say(`seat.${seat}`) })]),
    ["draw", say("result.draw")], ["both-lose", say("end.both-lose")], ["abort", say("result.none")]]),
  ply: (whole) => number("hall.ply", "ply", whole?.view?.ply ?? 0, (value) => value),
  atend: () => choice("hall.clock-at-end", "at_end", ["arbiter", "draw"].map((word) => [word, say(`hall.clock-${word}`)])),
  minutes: (whole, fields, order) => left(whole, order.type === "set-hall-clock" ? () => "hall" : () => fields[0].read().seat),
};

function seatsOf(whole) {
  const seats = whole?.info?.seats ?? ["red", "blue"];
  return seats.map((seat) => [seat, `${say(`seat.${seat}`)} ${whole?.info?.names?.[seat] ?? ""}`.trim()]);
}

function choice(key, name, choices, made = (value) => value) {
  const select = el("select", { "aria-label": say(key) }, choices.map(([value, label]) => el("option", { value }, label)));
  return { root: el("label", {}, say(key), select), read: () => ({ [name]: made(select.value) }) };
}

function number(key, name, value, made, step = "1") {
  const input = el("input", { type: "number", min: 0, step, value, required: true, "aria-label": say(key) });
  return { root: el("label", {}, say(key), input), read: () => ({ [name]: made(Number(input.value)) }) };
}

/** What is left of a clock, filled in with what it shows now until somebody changes it; `whose()` is the seat, or `hall`. */
function left(whole, whose) {
  const minutes = el("input.short", { type: "number", min: 0, max: 1440, required: true, "aria-label": say("hall.minutes-left") });
  const seconds = el("input.short", { type: "number", min: 0, max: 59, required: true, "aria-label": say("hall.seconds-left") });
  let typed = false;
  for (const input of [minutes, seconds]) input.addEventListener("input", () => { typed = true; });
  const fill = () => {
    if (typed) return;
    const ms = whole ? leftMs(whole, whose()) : null;
    minutes.value = ms === null ? "" : Math.floor(ms / 60000);
    seconds.value = ms === null ? 0 : Math.floor(ms / 1000) % 60;
  };
  return { root: el("label", {}, say("hall.minutes-left"), el("span.left", {}, minutes, " : ", seconds)), fill, read: () => ({ left_ms: Number(minutes.value) * 60000 + Number(seconds.value) * 1000 }) };
}

/** What came of an order, in a sentence; `answer` is the station's. */
export function answerText(type, answer) {
  if (answer.ok && answer.body.done) return say("hall.order-done", { order: say(`hall.order-${type}`) });
  return refusedText(answer.ok ? { error: answer.body.word } : answer.body);
}

/** The panel of orders: buttons, the form of the one that was chosen, the answer. */
export class Orders {
  /** `look()` gives the table as the page shows it now; `send(act)` orders and gives the station's answer. */
  constructor(me, look, send) {
    Object.assign(this, { me, look, send });
    this.root = el("div.panel");
    this.buttons = el("div");
    this.answer = el("div", { "aria-live": "polite" });
    this.form = el("div");
    this.root.append(this.buttons, this.form, this.answer);
    this.draw();
  }

  /** Writes the buttons, in the language of now; a form that is open stays as it is. */
  draw() {
    const mine = ORDERS.filter((order) => this.me.role === "chief" || !order.chief);
    this.buttons.replaceChildren(el("h3", {}, say("hall.orders")),
      el("div.verbs", {}, mine.map((order) => el(order.grave ? "button.grave" : "button", { onclick: () => this.open(order) }, say(`hall.order-${order.type}`)))));
  }

  say(kind, text) { this.answer.replaceChildren(text ? el(`div.answer.${kind || "soft"}`, { role: "status" }, text) : ""); }

  /** Shows what an order needs; the moment it is about is the one that was on the page when it was opened. */
  open(order) {
    const whole = this.look();
    const fields = [];
    for (const name of order.fields) fields.push(FIELDS[name](whole, fields, order));
    const fill = () => fields.forEach((field) => field.fill?.());
    fill();
    const reason = el("input.reason", { required: true, maxlength: 200, placeholder: say("hall.reason"), "aria-label": say("hall.reason") });
    const seen = { seq: whole?.view?.seq ?? 0 }, game = whole?.view?.game ?? "";
    const send = async (event) => {
      event.preventDefault();
      const given = Object.assign({}, ...fields.map((field) => field.read()));
      this.form.replaceChildren();
      this.say("", say("hall.sent"));
      const answer = await this.send(game, { type: order.type, reason: reason.value.trim(), ...seen, ...given });
      this.say(answer.ok && answer.body.done ? "done" : "no", answerText(order.type, answer));
    };
    this.say("", "");
    this.form.replaceChildren(el("form.order", { onsubmit: send }, el("h3", {}, say(`hall.order-${order.type}`)), el("p.soft", {}, say(`hall.order-how-${order.type}`)),
      fields.length ? el("div.fields", { onchange: fill }, fields.map((field) => field.root)) : null, reason,
      el("div.fields", {}, el("button.main", {}, say("hall.order-it")), el("button", { type: "button", onclick: () => this.form.replaceChildren() }, say("hall.leave-it")))));
    reason.focus();
  }
}
