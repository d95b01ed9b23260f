// The room's screen: every table, whoever needs the arbiter first. It shows no square and no piece.

import { h, patch } from "../toolkit/dom.js";
import { drawing } from "../toolkit/press_guard.js";
import { t } from "../toolkit/words.js";
import { card } from "./cards.js";
import { ask, languages, learnWords, listen } from "./hall.js";
import { slides } from "./posted.js";
import { EMPTY, afterNews, anyRuns, byNeed, level } from "./tables.js";

/** @import { Posted, Told } from "./types.d.ts" */

const TICK_MS = 250;
const SLIDE_MS = 12000;
const POSTED_MS = 60000; // what is posted is asked for again, whatever was heard
const CARD_EM = [19, 9.5]; // width and height of a card with one alert, in its own letters
const GAP_PX = 10;
const [LEAST_PX, MOST_PX] = [10, 40];
const root = /** @type {HTMLElement} */ (document.getElementById("page"));
let hall = EMPTY;
let known = false; // the station shows us the hall
let grid = { columns: 1, size: MOST_PX };
/** @type {Posted[]} */
let posted = [];
let slide = 0; // which is shown; the first is all tables
let fits = false; // the letters have been chosen for these tables and this window
const redraw = drawing(draw);

function draw() {
  const now = performance.now();
  if (!known) {
    patch(root, [h("h1", {}, t("hall.title")), h("p", {}, t("hall.screen-how"))]);
    return;
  }
  const shown = slides(posted, hall, innerWidth, innerHeight);
  if (slide % (shown.length + 1) > 0) {
    patch(root, [bar(now), shown[(slide % (shown.length + 1)) - 1]]);
    fits = false;
    return;
  }
  if (!fits) grid = spread(hall.tables.size, innerWidth - 32, innerHeight - 90);
  patch(root, screen(now));
  const whole = document.documentElement;
  while (!fits && grid.size > LEAST_PX && whole.scrollHeight > innerHeight) {
    grid = { ...grid, size: Math.max(LEAST_PX, grid.size * 0.96) }; // several alerts make a card higher
    patch(root, screen(now));
  }
  fits = true;
}

/** @param {number} now */
function bar(now) {
  const calls = byNeed(hall, now).filter((table) => level(table) === "urgent").length;
  return h(
    "div",
    { class: "bar", key: "bar" },
    h("h1", {}, t("hall.title")),
    !hall.connected && h("span", { class: "cut", role: "status", key: "cut" }, t("hall.cut")),
    h("span", { class: "soft" }, calls ? t("hall.needs", { count: calls }) : t("hall.all-well")),
    h("span", { class: "push" }),
    languages(fit),
  );
}

/** @param {number} now */
function screen(now) {
  const all = byNeed(hall, now);
  const style = `font-size: ${grid.size}px; --columns: ${grid.columns}`;
  return [
    bar(now),
    h(
      "div",
      { class: "tables", key: "tables", style },
      all.map((table) => card(table, now, null)),
    ),
  ];
}

/** Choose the letters anew, and draw. */
function fit() {
  fits = false;
  redraw();
}

/**
 * Return as many columns as give the largest letters on a screen of this size, and the size of the letters.
 *
 * @param {number} count
 * @param {number} width
 * @param {number} height
 */
function spread(count, width, height) {
  let best = { size: 0, columns: 1 };
  for (let columns = 1; columns <= Math.max(1, count); columns += 1) {
    const rows = Math.ceil(count / columns);
    const across = (width - GAP_PX * (columns - 1)) / columns / CARD_EM[0];
    const down = (height - GAP_PX * (rows - 1)) / rows / CARD_EM[1];
    const size = Math.min(across, down);
    if (size > best.size) best = { size, columns };
  }
  return { ...best, size: Math.max(LEAST_PX, Math.min(MOST_PX, best.size)) };
}

/** @param {Told} told */
function take(told) {
  const cut = hall.connected !== told.connected;
  if (hall.event !== told.event) learnPosted();
  hall = afterNews(hall, told, performance.now());
  if (told.tables.length > 0 || cut) fit();
}

/** Ask for pairings and standings. */
async function learnPosted() {
  const answer = await ask("/api/posted");
  if (answer.ok) posted = /** @type {{ events: Posted[] }} */ (answer.body).events;
  redraw();
}

async function lost() {
  hall = { ...hall, connected: false };
  fit();
  if ((await ask("/api/me")).status === 401) location.reload();
}

async function enter() {
  const key = decodeURIComponent(location.hash.slice(1));
  if (key) {
    history.replaceState(null, "", "/screen");
    await ask("/api/screen", { key });
  }
  if (known) return; // it shows the hall already
  known = (await ask("/api/me")).ok;
  redraw();
  if (!known) return;
  listen("/api/hall", take, lost);
  setInterval(() => anyRuns(hall.tables.values()) && redraw(), TICK_MS);
  setInterval(learnPosted, POSTED_MS);
  setInterval(() => {
    slide += 1;
    redraw();
  }, SLIDE_MS);
  addEventListener("resize", fit);
}

await learnWords();
addEventListener("hashchange", enter); // the key was typed into a tab that is open already
await enter();
