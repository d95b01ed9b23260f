// What the hall's pages share: words, the stream of tables, and how one table is drawn. No page builds HTML from text.

export const LANGUAGES = ["nl", "fr", "de", "en", "es", "da"];
const URGENT = ["called", "illegal-move", "claim", "time-over", "disturbed", "board-lost", "no-referee", "cut", "no-answer", "result-noted", "other-game"];
const WATCH = ["link-lost", "board-health", "repetition", "time", "paused"];
const SIGNS = { // letters that every font has
  called: "!", "illegal-move": "×", claim: "?", "time-over": "0:00", disturbed: "≈", "board-lost": "○", "no-referee": "□", cut: "≠",
  "no-answer": "…", "result-noted": "=", "other-game": "⇄", "link-lost": "¬", "board-health": "~", repetition: "∞", time: "<1", paused: "II",
};
const LOW_MS = 60000;

let said = {};
let language = "en";

/** Makes an element: `el("p.soft", {title: "x"}, "text", child)`. Text stays text. */
export function el(what, given = {}, ...inside) {
  const [name, ...classes] = what.split(".");
  const made = document.createElement(name);
  if (classes.length) made.className = classes.join(" ");
  for (const [key, value] of Object.entries(given)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...inside.flat().filter((one) => one !== null && one !== undefined));
  return made;
}

export async function learnWords() {
  said = await (await fetch("/words.json")).json();
  const kept = localStorage.getItem("hallmarshal.language") || navigator.language.slice(0, 2);
  language = LANGUAGES.includes(kept) ? kept : "en";
  document.documentElement.lang = language;
}

export function say(key, values = {}) {
  const text = (said[language] || {})[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");
}

export function languages(changed) {
  const pick = (event) => {
    language = event.target.value;
    localStorage.setItem("hallmarshal.language", language);
    document.documentElement.lang = language;
    changed();
  };
  const choices = LANGUAGES.map((one) => el("option", { value: one, selected: one === language, lang: one }, said[one]["language.name"]));
  return el("select", { "aria-label": say("hall.language"), onchange: pick }, choices);
}

/** A time of the day, as the language writes it. */
export function timeText(when) { return when.toLocaleTimeString(language === "en" ? "en-GB" : language); }

/** Why the station or a table did not do it: the sentence of its stable word, whose `about` is in it. */
export function refusedText(body) {
  const key = `hall.no-${body.error.replace(/^(no-such-|not-|no-)/, "")}`;
  return said[language][key] ? say(key, { about: body.about ?? "" }) : say("hall.no-refused");
}

/** Asks the station; gives {ok, status, body}. */
export async function ask(path, body) {
  const given = body === undefined ? {} : {
    method: "POST", headers: { "Content-Type": "application/json", "X-Hallmarshal": "1" }, body: JSON.stringify(body),
  };
  try {
    const answer = await fetch(path, given);
    return { ok: answer.ok, status: answer.status, body: await answer.json() };
  } catch {
    return { ok: false, status: 0, body: { error: "no-station" } };
  }
}

let pressed = false, waiting = [];

function release() {
  setTimeout(() => { // after the click that this may be
    pressed = false;
    const acts = waiting;
    waiting = [];
    for (const act of acts) act();
  });
}

window.addEventListener("pointerdown", () => { pressed = true; }, true);
window.addEventListener("pointermove", (event) => { if (pressed && !event.buttons) release(); }, true);
for (const name of ["pointerup", "pointercancel"]) window.addEventListener(name, release, true);
window.addEventListener("blur", release); // the window's own, not that of whatever had the focus before the press

/** Changes the page once nobody presses on it: what is replaced between press and release would never be clicked. */
export function atRest(act) { if (pressed) waiting.push(act); else act(); }

/** All tables as they are told; `changed(boards)` after each change, `connected` says whether the station and its broker are there. */
export class Tables {
  constructor(changed) {
    this.all = new Map();
    this.connected = true;
    this.changed = changed;
    this.source = new EventSource("/api/hall");
    this.source.onmessage = (event) => this.take(JSON.parse(event.data));
    this.source.onerror = () => this.lost();
  }

  take(told) {
    const now = performance.now();
    for (const table of told.tables) this.all.set(table.board, { ...table, heard: now });
    const cut = this.connected !== told.connected;
    this.connected = told.connected;
    const played = this.event !== told.event; // something of the event has changed
    this.event = told.event;
    if (told.tables.length || cut || played) atRest(() => this.changed(told.tables.map((table) => table.board), played));
  }

  async lost() {
    this.connected = false;
    atRest(() => this.changed([]));
    if ((await ask("/api/me")).status === 401) location.reload();
  }

  close() { this.source.close(); }

  /** The tables, whoever needs an arbiter most and longest first. */
  byNeed() {
    const now = performance.now(); // one for all: who waits equally long keeps the order of the tables
    return [...this.all.values()].sort((a, b) => need(a) - need(b) || waits(b, now) - waits(a, now) || a.number - b.number);
  }
}

export function alertsOf(table) {
  const away = table.up ? [] : [{ kind: "no-referee", seat: null, text: "", age_ms: 0 }];
  const cut = table.cut_ms === null || table.cut_ms === undefined ? [] : [{ kind: "cut", seat: null, text: "", age_ms: table.cut_ms }];
  const stuck = table.stuck ? [{ kind: table.stuck, seat: null, text: "", age_ms: 0 }] : [];
  return [...away, ...cut, ...table.alerts, ...stuck];
}

export function level(table) {
  const kinds = alertsOf(table).map((alert) => alert.kind);
  if (kinds.some((kind) => URGENT.includes(kind))) return "urgent";
  return kinds.some((kind) => WATCH.includes(kind)) ? "watch" : "calm";
}

function need(table) {
  const places = alertsOf(table).map((alert) => [...URGENT, ...WATCH].indexOf(alert.kind));
  return places.length ? Math.min(...places) : 99;
}

function waits(table, now) {
  const ages = alertsOf(table).map((alert) => alert.age_ms);
  return ages.length ? Math.max(...ages) + now - table.heard : 0;
}

/** What a seat, or the round (`hall`), has left now, in milliseconds; null without a clock. */
export function leftMs(table, seat) {
  const face = seat === "hall" ? table.hall_clock : table.clocks[seat];
  if (!face) return null;
  const passed = face.runs ? table.age_ms + performance.now() - table.heard : 0;
  return Math.max(0, face.left_ms - passed);
}

export function clockText(ms) {
  const s = Math.ceil(ms / 1000), minutes = Math.floor(s / 60);
  const tail = `${String(minutes % 60).padStart(minutes >= 60 ? 2 : 1, "0")}:${String(s % 60).padStart(2, "0")}`;
  return minutes >= 60 ? `${Math.floor(minutes / 60)}:${tail}` : tail;
}

const DRAWN = ["agreed", "both-immobile", "no-progress", "hall-clock", "ruled"];

function winnerText(result, teams = []) {
  if (result.winner) {
    const names = (teams.find((team) => team.includes(result.winner)) ?? [result.winner]).map((seat) => say(`seat.${seat}`));
    const last = names.pop();
    return names.length ? say("result.win-together", { seats: say("seats.and", { first: names.join(", "), last }) }) : say("result.wins", { seat: last });
  }
  return say(DRAWN.includes(result.reason) ? "result.draw" : "result.none");
}

/** Who won, both of a team, and why. */
export function resultWord(result, teams) {
  return `${winnerText(result, teams)} (${say(`end.${result.reason}`)})`;
}

export function alertItem(alert) {
  const kind = URGENT.includes(alert.kind) ? "urgent" : "watch";
  const what = say(`alert.${alert.kind}`);
  const seat = alert.seat ? say(`seat.${alert.seat}`) : "";
  const about = seat && (what.endsWith("?") ? `${what} ${seat}` : say("text.labelled", { label: what, text: seat }));
  const minutes = Math.floor((alert.age_ms || 0) / 60000);
  const age = minutes > 0 ? ` (${say("hall.age", { minutes })})` : "";
  return el(`li.${kind}`, {}, el("span.sign", { "aria-hidden": "true" }, SIGNS[alert.kind] || "!"), " ", (about || what) + age);
}

function seatRow(table, seat) {
  const left = leftMs(table, seat), turn = table.turn === seat && table.phase !== "finished";
  const low = left !== null && left < LOW_MS ? ".low" : "";
  return el("div.seat", {},
    el("span.turn", { "aria-label": turn ? say("hall.to-move") : null }, turn ? "▶" : ""),
    el(`span.mark.${seat}`, { "aria-hidden": "true" }),
    el("span.name", {}, table.names[seat] || say(`seat.${seat}`)),
    left === null ? null : el(`span.clock${low}`, { "data-board": table.board, "data-seat": seat }, clockText(left)));
}

/** What is left of the round, where a hall clock runs. */
function hallClock(table) {
  const left = leftMs(table, "hall");
  if (left === null || table.result) return null;
  return el(`span.clock${left < LOW_MS ? ".low" : ""}`, { "data-board": table.board, "data-seat": "hall", title: say("clock.hall") }, clockText(left));
}

/** One table as a card; with `open` it is a button. */
export function card(table, open) {
  const seats = Object.keys(table.names).length ? Object.keys(table.names) : ["red", "blue"];
  const round = table.occasion ? say("hall.round", { round: table.occasion.round }) : "";
  const state = table.result ? (open ? resultWord : winnerText)(table.result, table.teams) : table.phase ? say(`phase.${table.phase}`) : say("hall.no-game");
  const inside = [
    el("div.head", {}, el("span.number", { title: table.board }, String(table.number)), el("span.soft", {}, round), hallClock(table), el("span.phase", {}, state)),
    ...seats.map((seat) => seatRow(table, seat)),
    el("ul.alerts", {}, alertsOf(table).map(alertItem)),
  ];
  const classes = `.table.${table.up ? level(table) : "urgent"}`;
  return open ? el(`button${classes}`, { onclick: open, "data-board": table.board }, inside) : el(`article${classes}`, { "data-board": table.board }, inside);
}

/** Counts all clocks that are shown down, four times a second. */
export function countDown(tables) {
  return setInterval(() => {
    for (const shown of document.querySelectorAll(".clock[data-board]")) {
      const table = tables.all.get(shown.dataset.board);
      const left = table ? leftMs(table, shown.dataset.seat) : null;
      if (left === null) continue;
      shown.textContent = clockText(left);
      shown.classList.toggle("low", left < LOW_MS);
    }
  }, 250);
}
