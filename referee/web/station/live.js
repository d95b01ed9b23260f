// The spectators' page: every board as it was some minutes ago. It knows nothing else, and nobody logs in.
//
// It reads plain files (referee/tournament/public/folder.py), so that it holds no connection: `live/boards.json` every few seconds, and
// of the boards that are on the screen those that have changed.

import { h, patch } from "../toolkit/dom.js";
import { drawing } from "../toolkit/press_guard.js";
import { sealText, signedText } from "../toolkit/seal_text.js";
import { t } from "../toolkit/words.js";
import { resultText, seatRow } from "./cards.js";
import { languages, learnWords } from "./hall.js";
import { pictures } from "./picture.js";
import { anyRuns } from "./tables.js";

/** @import { Info, View } from "../toolkit/published.d.ts" */
/** @import { LiveTable } from "./types.d.ts" */
/** @typedef {LiveTable & { info: Info, view: View }} Shown */
/** @typedef {{ [number: string]: string }} Marks   each board has another mark once it has changed */
/** @typedef {{ delay_s: number, games: string, boards: Marks }} Boards */
/** @typedef {{ said: any, lateMs: number }} Fetched   a file, and for how long it had been there */

const TICK_MS = 250;
const LOOK_MS = 5000;
const root = /** @type {HTMLElement} */ (document.getElementById("page"));
/** @type {{ boards: Boards, connected: boolean }} */
let state = { boards: { delay_s: 0, games: "", boards: {} }, connected: true };
/** @type {Map<string, { mark: string, table: Shown }>} */
const known = new Map();
const near = new Set(); // numbers of boards that are on the screen, or nearly
/** @type {Map<string, ReturnType<typeof pictures>>} */
const drawn = new Map();
const redraw = drawing(draw);
const watching = new IntersectionObserver(
  (seen) => {
    for (const { target, isIntersecting } of seen) {
      const { number } = /** @type {HTMLElement} */ (target).dataset;
      if (isIntersecting) near.add(number);
      else near.delete(number);
    }
    bring();
  },
  { rootMargin: "300px" },
);

function draw() {
  patch(root, screen(performance.now()));
  for (const board of root.querySelectorAll("[data-number]")) watching.observe(board); // again does nothing
}

/** @param {number} now */
function screen(now) {
  const { boards, connected } = state;
  const numbers = Object.keys(boards.boards).sort((a, b) => Number(a) - Number(b));
  const games = numbers.map((number) => {
    const table = known.get(number)?.table;
    const inside = table ? game(table, now) : h("span", { class: "number" }, number);
    return h("article", { class: "game", "data-number": number, key: number }, inside);
  });
  return [
    h(
      "div",
      { class: "bar", key: "bar" },
      h("h1", {}, t("hall.live-title")),
      !connected && h("span", { class: "cut", role: "status", key: "cut" }, t("hall.cut")),
      h("span", { class: "soft" }, t("hall.live-delay", { minutes: Math.round(boards.delay_s / 60) })),
      h("span", { class: "push" }),
      h("a", { href: "./" }, t("public.events")),
      boards.games && h("a", { href: boards.games }, t("games.all")),
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
  return [
    h("div", { class: "head" }, h("span", { class: "number" }, number), h("span", { class: "phase" }, state)),
    info.seats.map((seat) => player(table, seat, now)),
    drawn.get(board)?.(info, view),
    turned && h("p", { class: "soft" }, turned),
    view.chain && h("p", { class: "soft seal" }, t("text.labelled", { label: t("proof.title"), text: sealText(view.chain) })),
    view.chain && h("p", { class: "soft seal" }, signedText(view)),
  ];
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

/**
 * Return a file as it is now; null where it cannot be had.
 *
 * @param {string} path
 * @returns {Promise<Fetched | null>}
 */
async function fetched(path) {
  try {
    const answer = await fetch(path, { cache: "no-cache" });
    const [now, then] = ["Date", "Last-Modified"].map((name) => Date.parse(answer.headers.get(name) ?? ""));
    return answer.ok ? { said: await answer.json(), lateMs: Math.max(0, now - then) || 0 } : null;
  } catch {
    return null;
  }
}

async function look() {
  if (document.hidden) return;
  const told = await fetched("live/boards.json");
  state = { boards: told?.said ?? state.boards, connected: told !== null };
  redraw();
  await bring();
}

/** Fetch the boards on the screen that have changed. */
async function bring() {
  const marks = Object.entries(state.boards.boards);
  const changed = marks.filter(([number, mark]) => near.has(number) && known.get(number)?.mark !== mark);
  await Promise.all(
    changed.map(async ([number, mark]) => {
      const told = await fetched(`live/table-${number}.json`);
      if (told === null) return;
      const table = { ...told.said, age_ms: told.said.age_ms + told.lateMs, heard: performance.now() };
      known.set(number, { mark, table });
    }),
  );
  if (changed.length > 0) redraw();
}

await learnWords();
redraw();
await look();
setInterval(look, LOOK_MS);
document.addEventListener("visibilitychange", look);
setInterval(() => anyRuns([...known.values()].map((one) => one.table)) && redraw(), TICK_MS);
