// The spectators' page: every board as it was some minutes ago. It knows nothing else, and nobody logs in.

import { h, patch } from "../toolkit/dom.js";
import { drawing } from "../toolkit/press_guard.js";
import { sealText, signedText } from "../toolkit/seal_text.js";
import { t } from "../toolkit/words.js";
import { resultText, seatRow } from "./cards.js";
import { languages, learnWords, listen } from "./hall.js";
import { pictures } from "./picture.js";
import { anyRuns } from "./tables.js";

/** @import { Info, View } from "../toolkit/published.d.ts" */
/** @import { LiveTable } from "./types.d.ts" */
/** @typedef {LiveTable & { info: Info, view: View }} Shown   a table of which something can be seen */

const TICK_MS = 250;
const root = /** @type {HTMLElement} */ (document.getElementById("page"));
/** @type {{ tables: Map<string, LiveTable>, delayS: number, connected: boolean }} */
let state = { tables: new Map(), delayS: 0, connected: true };
/** @type {Map<string, ReturnType<typeof pictures>>} */
const drawn = new Map();
const redraw = drawing(() => patch(root, screen(performance.now())));

/** @param {number} now */
function screen(now) {
  const { tables, delayS, connected } = state;
  const shown = /** @type {Shown[]} */ ([...tables.values()].filter((table) => table.info && table.view));
  const games = shown.sort((a, b) => a.number - b.number).map((table) => game(table, now));
  return [
    h(
      "div",
      { class: "bar", key: "bar" },
      h("h1", {}, t("hall.live-title")),
      !connected && h("span", { class: "cut", role: "status", key: "cut" }, t("hall.cut")),
      h("span", { class: "soft" }, t("hall.live-delay", { minutes: Math.round(delayS / 60) })),
      h("span", { class: "push" }),
      h("a", { href: "/games" }, t("games.all")),
      languages(redraw),
    ),
    games.length ? h("div", { class: "live", key: "live" }, games) : h("p", {}, t("hall.live-none")),
  ];
}

/**
 * @param {Shown} table
 * @param {number} now
 */
function game(table, now) {
  const { board, info, view, number } = table;
  const state = view.result ? resultText(view.result, info.teams) : t(`phase.${view.phase}`);
  const turned = view.finale && view.finale !== "asked" ? t(`finale.${view.finale}`) : "";
  if (!drawn.has(board)) drawn.set(board, pictures(null));
  return h(
    "article",
    { class: "game", "data-board": board, key: board },
    h("div", { class: "head" }, h("span", { class: "number" }, number), h("span", { class: "phase" }, state)),
    info.seats.map((seat) => player(table, seat, now)),
    drawn.get(board)?.(info, view),
    turned && h("p", { class: "soft" }, turned),
    view.chain && h("p", { class: "soft seal" }, t("text.labelled", { label: t("proof.title"), text: sealText(view.chain) })),
    view.chain && h("p", { class: "soft seal" }, signedText(view)),
  );
}

/**
 * @param {Shown} table
 * @param {string} seat
 * @param {number} now
 */
function player(table, seat, now) {
  const lost = Object.values(table.view.captured[seat] ?? {}).reduce((sum, count) => sum + count, 0);
  return seatRow(table, seat, table.turn === seat && !table.result, now, lost > 0 && h("span", { class: "soft" }, `−${lost}`));
}

/** @param {{ tables: Omit<LiveTable, "heard">[], delay_s: number }} told */
function take(told) {
  const heard = performance.now();
  const news = told.tables.map((table) => /** @type {const} */ ([table.board, { ...table, heard }]));
  state = { tables: new Map([...state.tables, ...news]), connected: true, delayS: told.delay_s };
  redraw();
}

function lost() {
  state = { ...state, connected: false };
  redraw();
}

await learnWords();
redraw();
listen("/api/live", take, lost);
setInterval(() => anyRuns(state.tables.values()) && redraw(), TICK_MS);
