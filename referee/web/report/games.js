// The games that a table or hall keeps (docs/reference/library.md): searched, seen again, taken along. A phone without the cookie for it
// shows first that it has a seat, here and where a replay was asked for.

import { h, patch } from "../toolkit/dom.js";
import { ownKeys, wishedLanguage } from "../toolkit/own_games.js";
import { proof } from "../toolkit/seat_proof.js";
import { language, loadWords, setLanguage, spoken, t } from "../toolkit/words.js";

/** @typedef {{ name: string, game: string | null, date: string | null, rules: string, seats: string[], players: { [seat: string]: string },
 *   computers: { [seat: string]: number }, winner: string | null, reason: string | null, plies: number, shown: string[],
 *   signers: { [who: string]: string } }} Kept */

const LIST = "/games";
const RESULTS = ["", "red", "blue", "green", "yellow", "draw", "none"];
const SOON_MS = 250;
const root = /** @type {HTMLElement} */ (document.querySelector("#games"));
const mine = new Set(ownKeys());
/** @type {{ [field: string]: string }} */
const wanted = { player: "", rules: "", date: "", result: "" };
/** @type {Kept[]} */
let games = [];
let more = false;
let onlyMine = false;
let fault = ""; // the key of what is said instead of the games
const REFUSED = location.hash.slice(1); // why the replay that was asked for cannot be shown
let asked = 0;
/** @type {number | undefined} */
let soon;

/**
 * @param {string} path
 * @param {object} body
 */
async function post(path, body) {
  const answer = await fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
  return { status: answer.status, said: await answer.json() };
}

/**
 * Ask as `post` does; where only seats are answered, show first that this phone has one.
 *
 * @param {object} body
 */
async function ask(body) {
  const first = await post(`${LIST}/list`, body);
  if (first.status !== 401) return first;
  const shown = await proof(first.said.challenge);
  if (shown === null || (await post(`${LIST}/enter`, shown)).status !== 200) return first;
  return post(`${LIST}/list`, body);
}

/** @param {boolean} onward   whether older games are wanted besides those that are shown */
async function load(onward) {
  const number = (asked += 1);
  const before = onward ? (games[games.length - 1]?.name ?? "") : "";
  let found;
  try {
    found = await ask({ ...wanted, before });
  } catch {
    found = { status: 0, said: {} };
  }
  if (number !== asked) return; // something else is looked for by now
  fault = found.status === 200 ? "" : found.status === 401 ? "games.seat-needed" : "games.no-answer";
  if (fault === "") {
    games = [...(onward ? games : []), ...found.said.games];
    ({ more } = found.said);
  }
  draw();
}

/** @param {Kept} kept */
function result({ winner, reason, seats }) {
  const who = seats.includes(winner ?? "") ? t("result.wins", { seat: t(`seat.${winner}`) }) : t(`result.${winner ?? "none"}`);
  return reason === null ? who : `${who} (${t(`end.${reason}`)})`;
}

/** @param {Kept} kept */
function player(kept, /** @type {string} */ seat) {
  const level = kept.computers[seat];
  const name = kept.players[seat] ?? (level ? t("games.computer", { level }) : "");
  return name ? `${name} (${t(`seat.${seat}`)})` : t(`seat.${seat}`);
}

/** @param {Kept} kept */
function drawn(kept) {
  const place = `${LIST}/${encodeURIComponent(kept.name)}`;
  const names = kept.seats.map((seat) => player(kept, seat)).join(" – ");
  const told = [kept.date, kept.rules, t("games.moves", { count: kept.plies }), result(kept)].filter(Boolean).join(" · ");
  const link = (/** @type {string} */ key, /** @type {string} */ href, download = false) =>
    h("a", { href, download, "aria-label": t("text.labelled", { label: t(key), text: names }) }, t(key));
  return h(
    "li",
    { class: "kept", key: kept.name },
    h("h2", {}, names),
    h("p", {}, told),
    h(
      "div",
      { class: "does" },
      link("games.again", place),
      link("games.keep", `${place}/game.html`, true),
      link("games.record", `${place}/game.record`, true),
    ),
  );
}

/** @param {string} name */
function field(name) {
  const input = (/** @type {any} */ { target }) => {
    wanted[name] = target.value;
    clearTimeout(soon);
    soon = setTimeout(() => load(false), SOON_MS);
  };
  return h("label", { key: name }, t(`games.${name}`), h("input", { value: wanted[name], on: { input } }));
}

function draw() {
  const choose = (/** @type {any} */ { target }) => {
    wanted.result = target.value;
    load(false);
  };
  const own = (/** @type {any} */ { target }) => {
    onlyMine = target.checked;
    draw();
  };
  const named = (/** @type {string} */ one) =>
    one === "" ? t("games.any") : ["draw", "none"].includes(one) ? t(`result.${one}`) : t("result.wins", { seat: t(`seat.${one}`) });
  const results = RESULTS.map((one) => h("option", { value: one }, named(one)));
  const shown = onlyMine ? games.filter(({ signers }) => Object.values(signers).some((key) => mine.has(key))) : games;
  const search = [
    ...["player", "rules", "date"].map(field),
    h("label", { key: "result" }, t("games.result"), h("select", { value: wanted.result, on: { change: choose } }, results)),
    mine.size > 0 &&
      h("label", { class: "mine", key: "mine" }, h("input", { type: "checkbox", checked: onlyMine, on: { change: own } }), t("games.mine")),
  ];
  const refused = ["game-on", "busy"].includes(REFUSED) ? "games.no-answer" : REFUSED && "games.unreadable";
  const told = fault || refused || (shown.length === 0 ? "games.none" : "");
  patch(root, [
    mine.size > 0 && h("nav", {}, h("a", { href: "/join" }, t("games.back"))),
    h("h1", { tabindex: "-1" }, t("games.title")),
    fault !== "games.seat-needed" && h("div", { class: "wanted", role: "search" }, search),
    h("p", { role: "status" }, told && t(told)),
    h("ul", { key: "list" }, shown.map(drawn)),
    fault === "" && more && h("button", { type: "button", on: { click: () => load(true) } }, t("games.more")),
  ].filter((one) => one !== false));
  document.documentElement.lang = language();
  document.title = `${t("games.title")} · Hallmarshal`;
}

await loadWords();
setLanguage(wishedLanguage() ?? spoken(navigator.languages));
await load(false);
// a replay was asked for by a phone that had not shown its seat yet
if (fault === "" && location.pathname !== LIST) location.reload();
