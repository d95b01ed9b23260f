// The spectators' page: every board as it was some minutes ago. It knows nothing else, and nobody logs in.

import { clockText, countDown, el, languages, learnWords, leftMs, resultWord, say } from "./hall.js";
import { picture } from "./picture.js";

const page = document.getElementById("page");
const boards = { all: new Map(), delayS: 0, connected: true };

function draw() {
  const shown = [...boards.all.values()].filter((table) => table.info && table.view).sort((a, b) => a.number - b.number);
  page.replaceChildren(
    el("div.bar", {},
      el("h1", {}, say("hall.live-title")),
      boards.connected ? null : el("span.cut", { role: "status" }, say("hall.cut")),
      el("span.soft", {}, say("hall.live-delay", { minutes: Math.round(boards.delayS / 60) })),
      el("span.push"), languages(draw)),
    shown.length ? el("div.live", {}, shown.map(game)) : el("p", {}, say("hall.live-none")));
}

function game(table) {
  const { info, view } = table;
  const state = view.result ? resultWord(view.result, info.teams) : say(`phase.${view.phase}`);
  return el("article.game", { "data-board": table.board },
    el("div.head", {}, el("span.number", {}, String(table.number)), el("span.phase", {}, state)),
    ...info.seats.map((seat) => player(table, seat)),
    picture(info, view, null));
}

function player(table, seat) {
  const left = leftMs(table, seat), turn = table.turn === seat && !table.result;
  const lost = Object.values(table.view.captured[seat] || {}).reduce((sum, count) => sum + count, 0);
  return el("div.seat", {},
    el("span.turn", { "aria-label": turn ? say("hall.to-move") : null }, turn ? "▶" : ""),
    el(`span.mark.${seat}`, { "aria-hidden": "true" }),
    el("span.name", {}, table.names[seat] || say(`seat.${seat}`)),
    lost ? el("span.soft", {}, `−${lost}`) : null,
    left === null ? null : el("span.clock", { "data-board": table.board, "data-seat": seat }, clockText(left)));
}

async function enter() {
  await learnWords();
  draw();
  const source = new EventSource("/api/live");
  source.onmessage = (event) => {
    const told = JSON.parse(event.data), now = performance.now();
    for (const table of told.tables) boards.all.set(table.board, { ...table, heard: now });
    const news = told.tables.length || !boards.connected || boards.delayS !== told.delay_s;
    boards.connected = true;
    boards.delayS = told.delay_s;
    if (news) draw();
  };
  source.onerror = () => { boards.connected = false; draw(); };
  countDown(boards);
}

enter();
