// The arbiters' page: login, all tables, one table, the event.

import { Tables, ask, card, countDown, el, languages, learnWords, level, refusedText, say } from "./hall.js";
import { eventPage } from "./event.js";
import { TablePage } from "./table.js";

const page = document.getElementById("page");
let me = null, tables = null, shown = null, where = "tables", lookAgain = null;

function go(to) {
  where = to;
  location.hash = to === "tables" ? "" : to;
  draw();
}

function bar() {
  const tab = (to, text) => el("button", { role: "tab", "aria-selected": String(where === to || (to === "tables" && where.startsWith("table/"))), onclick: () => go(to) }, text);
  const calls = tables.byNeed().filter((table) => level(table) === "urgent").length;
  return el("div.bar", {},
    el("h1", {}, "Hallmarshal"),
    el("div.tabs", { role: "tablist" }, tab("tables", say("hall.tab-tables")), " ", tab("event", say("hall.tab-event"))),
    tables.connected ? null : el("span.cut", { role: "status" }, say("hall.cut")),
    el("span.soft", {}, calls ? say("hall.needs", { count: calls }) : say("hall.all-well")),
    el("span.mine", {}, el("a", { href: `/screen#${me.screen_key}`, target: "_blank", rel: "noreferrer" }, say("hall.room-screen")),
    languages(() => { shown?.speak(); draw(); }),
    el("span", {}, `${me.name} (${say(`hall.role-${me.role}`)})`),
    el("button", { onclick: async () => { await ask("/api/logout", {}); location.reload(); } }, say("hall.log-out"))));
}

function draw() {
  if (where.startsWith("table/")) {
    const board = where.slice(6);
    if (!shown || shown.board !== board) shown = new TablePage(board, me, () => go("tables"));
    page.replaceChildren(bar(), shown.root);
    shown.refresh(tables.all.get(board));
    return;
  }
  shown = null;
  if (where === "event") {
    const body = el("div");
    page.replaceChildren(bar(), body);
    lookAgain = eventPage(body, me);
    return;
  }
  page.replaceChildren(bar(), el("div.tables", {}, tables.byNeed().map((table) => card(table, () => go(`table/${table.board}`)))));
}

function changed(boards, played) {
  if (where.startsWith("table/")) {
    page.firstChild?.replaceWith(bar());
    if (shown && (boards.includes(shown.board) || !boards.length)) shown.refresh(tables.all.get(shown.board));
  } else if (where === "tables") {
    const kept = document.activeElement?.dataset?.board;
    draw();
    if (kept) page.querySelector(`[data-board="${CSS.escape(kept)}"]`)?.focus();
  } else {
    page.firstChild?.replaceWith(bar());
    if (played) lookAgain();
  }
}

function login(word) {
  const name = el("input", { name: "name", autocomplete: "username", required: true, "aria-label": say("hall.name"), placeholder: say("hall.name") });
  const password = el("input", { type: "password", autocomplete: "current-password", required: true, "aria-label": say("hall.password"), placeholder: say("hall.password") });
  const submit = async (event) => {
    event.preventDefault();
    const answer = await ask("/api/login", { name: name.value, password: password.value });
    if (answer.ok) { me = answer.body; open(); } else login(answer.body.error);
  };
  page.replaceChildren(el("form.login", { onsubmit: submit }, el("h1", {}, "Hallmarshal"), languages(() => login(word)),
    el("p.soft", {}, say("hall.arbiters")), name, password, el("button.main", {}, say("hall.log-in")), word ? el("div.answer.no", { role: "alert" }, refusedText({ error: word })) : null));
  name.focus();
}

function open() {
  where = location.hash.slice(1) || "tables";
  tables = new Tables(changed);
  countDown(tables);
  draw();
}

window.addEventListener("hashchange", () => {
  const to = location.hash.slice(1) || "tables";
  if (me && to !== where) { where = to; draw(); }
});

await learnWords();
const found = await ask("/api/me");
if (found.ok && found.body.role !== "screen") { me = found.body; open(); } else login("");
