// The room's screen: every table, whoever needs the arbiter first. It shows no square and no piece.

import { Tables, ask, card, countDown, el, languages, learnWords, level, say } from "./hall.js";

const CARD_EM = [19, 9.5]; // width and height of a card with one alert, in its own letters
const GAP_PX = 10, LEAST_PX = 10;
const page = document.getElementById("page");
let tables = null;

function draw() {
  const all = tables.byNeed();
  const calls = all.filter((table) => level(table) === "urgent").length;
  const grid = el("div.tables", {}, all.map((table) => card(table, null)));
  page.replaceChildren(
    el("div.bar", {},
      el("h1", {}, say("hall.title")),
      tables.connected ? null : el("span.cut", { role: "status" }, say("hall.cut")),
      el("span.soft", {}, calls ? say("hall.needs", { count: calls }) : say("hall.all-well")),
      el("span.push"), languages(draw)),
    grid);
  let size = spread(grid, all.length);
  const wear = () => { grid.style.fontSize = `${size}px`; };
  for (wear(); size > LEAST_PX && document.scrollingElement.scrollHeight > window.innerHeight; wear()) size = Math.max(LEAST_PX, size * 0.96); // several alerts make a card higher
}

/** Sets as many columns as give the largest letters on the room's screen; gives the size of the letters. */
function spread(grid, count) {
  const width = window.innerWidth - 32, height = window.innerHeight - 90;
  let best = { size: 0, columns: 1 };
  for (let columns = 1; columns <= Math.max(1, count); columns += 1) {
    const rows = Math.ceil(count / columns);
    const size = Math.min((width - GAP_PX * (columns - 1)) / columns / CARD_EM[0], (height - GAP_PX * (rows - 1)) / rows / CARD_EM[1]);
    if (size > best.size) best = { size, columns };
  }
  grid.style.setProperty("--columns", best.columns);
  return Math.max(LEAST_PX, Math.min(40, best.size));
}

async function enter() {
  await learnWords();
  const key = decodeURIComponent(location.hash.slice(1));
  if (key) {
    history.replaceState(null, "", "/screen");
    await ask("/api/screen", { key });
  }
  if (tables) return; // it shows the hall already
  const me = await ask("/api/me");
  if (!me.ok) {
    page.replaceChildren(el("h1", {}, say("hall.title")), el("p", {}, say("hall.screen-how")));
    return;
  }
  tables = new Tables(draw);
  countDown(tables);
  window.addEventListener("resize", draw);
}

window.addEventListener("hashchange", enter); // the key was typed into a tab that is open already
enter();
