// What a page of an event does where scripts run: it speaks the reader's language, looks for names, and fetches itself again.

import { patch } from "../toolkit/dom.js";
import { t } from "../toolkit/words.js";
import { languages, learnWords } from "../station/hall.js";

const MINUTE_MS = 60000;
const main = /** @type {HTMLElement} */ (document.querySelector("main"));
const chooser = document.createElement("p");
const cut = document.createElement("p");
let ahead = 0; // milliseconds that the server's clock is ahead of ours
let seen = "";
let wanted = "";

/** Say every marked word in the language that is chosen. */
function translate() {
  for (const word of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-t]"))) {
    word.textContent = t(word.dataset.t ?? "", JSON.parse(word.dataset.v ?? "{}"));
  }
  for (const mark of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-label]"))) {
    mark.setAttribute("aria-label", t(mark.dataset.label ?? ""));
  }
  cut.textContent = t("hall.cut");
}

/** Show only the rows whose name or number fits what is looked for; a few are shown large. */
function find() {
  const field = /** @type {HTMLInputElement | null} */ (document.getElementById("find"));
  if (!field) return;
  const parts = plain(field.value).split(/\s+/);
  const rows = [...main.querySelectorAll("tbody tr")].filter((row) => row.parentElement?.closest(".names"));
  let count = 0;
  for (const row of /** @type {HTMLElement[]} */ (rows)) {
    const text = [...row.children].slice(0, 2).map((cell) => ` ${plain(cell.textContent ?? "")}`);
    row.hidden = !parts.every((part) => text.join(" ").includes(` ${part}`) || text[1] === ` #${part}`);
    count += row.hidden ? 0 : 1;
  }
  main.classList.toggle("few", field.value !== "" && count <= 3);
  document.getElementById("none")?.toggleAttribute("hidden", count > 0);
}

/** @param {string} text */
const plain = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().trim();

/** Write how long the round goes on. */
function tick() {
  for (const place of /** @type {NodeListOf<HTMLElement>} */ (main.querySelectorAll("[data-ends]"))) {
    const minutes = Math.max(0, Math.ceil((Number(place.dataset.ends) - Date.now() - ahead) / MINUTE_MS));
    const left = place.querySelector("b") ?? place.appendChild(document.createElement("b"));
    left.textContent = ` ${t("public.left", { minutes })}`;
  }
}

/** Do what a page needs that has just come. */
function dress() {
  const field = /** @type {HTMLInputElement | null} */ (document.getElementById("find"));
  field?.closest("p")?.removeAttribute("hidden");
  if (field) {
    field.value = wanted;
    field.addEventListener("input", () => {
      wanted = field.value;
      find();
    });
  }
  translate();
  find();
  tick();
}

/** Fetch this page again, and show what has changed; whoever types in it goes on typing. */
async function again() {
  if (document.hidden) return;
  try {
    const answer = await fetch(location.pathname, { cache: "no-cache" });
    if (!answer.ok) throw new Error(String(answer.status));
    const said = Date.parse(answer.headers.get("Date") ?? "");
    if (said) ahead = said - Date.now();
    const text = await answer.text();
    cut.hidden = true;
    if (text === seen) return;
    const first = seen === "";
    seen = text;
    if (!first) show(new DOMParser().parseFromString(text, "text/html"));
  } catch {
    cut.hidden = false;
  }
}

/** @param {Document} page */
function show(page) {
  const focused = document.activeElement?.id === "find";
  const nav = page.querySelector("nav");
  if (nav) document.querySelector("nav")?.replaceWith(document.adoptNode(nav));
  main.replaceChildren(...[...(page.querySelector("main")?.childNodes ?? [])].map((node) => document.adoptNode(node)));
  dress();
  if (focused) document.getElementById("find")?.focus();
}

await learnWords();
cut.className = "cut";
cut.setAttribute("role", "status");
cut.hidden = true;
chooser.className = "language";
document.querySelector("header")?.append(chooser, cut);
patch(chooser, [
  languages(() => {
    translate();
    tick();
  }),
]);
dress();
if (!document.body.classList.contains("print")) {
  again();
  setInterval(again, 1000 * Number(document.body.dataset.again));
  setInterval(tick, 10000);
  document.addEventListener("visibilitychange", again);
}
