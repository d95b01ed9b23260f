// The page of one recorded game: replay, curves, armies and figures, all from the JSON that stands in it (referee/library/report.py).

import { h, patch } from "../toolkit/dom.js";
import { memoize } from "../toolkit/memoize.js";
import { ownKeys, ownRanks, wishedLanguage } from "../toolkit/own_games.js";
import { LANGUAGES, language, loadWords, say, setLanguage, spoken, t } from "../toolkit/words.js";

/** @import { Child } from "../toolkit/values.d.ts" */
/** @import { Game, Knows, Row } from "./types.d.ts" */

/** @param {string} id */
const element = (id) => /** @type {HTMLElement} */ (document.getElementById(id));
/** @type {Game} */
const GAME = JSON.parse(element("game").textContent ?? "");
const { plies, pieces, seats, squares, ranks } = GAME;
const LAST = plies.length;
/** The path of the game in the library of a table or hall that serves this page; empty in a file. */
const SERVED = location.pathname.startsWith("/games/") ? location.pathname.replace(/\/$/, "") : "";
const FILE = `${SERVED}/game.html`;
const OPEN = "open";
const STEP_MS = 900;
const LONGEST_STEP_MS = 5000; // the kiosk has the same (kiosk_ui/seen_again.py)
/** @type {Knows} */
const NOTHING = { until: 0, rows: [], changes: [] };
/** By ply and piece the square, -1 off the board. */
const places = [pieces.map(([, , , first]) => first)];
for (const ply of plies) {
  const next = [...places[places.length - 1]];
  for (const [piece, square] of ply[6]) next[piece] = square;
  places.push(next);
}
const nodes = pieces.map((_, piece) => element(`p${piece}`));
const fights = plies.flatMap(([, , result], before) => (result === null ? [] : [before + 1]));

/** By piece its rank as this phone alone knows it: its own that still stood at the end. */
const own = pieces.map(() => -1);
const ownArmy = SERVED ? ownRanks(GAME.game) : null;
for (const [piece, square] of places[LAST].entries()) {
  const rank = square < 0 ? undefined : ownArmy?.squares[squares[square][0]];
  if (rank !== undefined && seats[pieces[piece][0]] === ownArmy?.seat) own[piece] = ranks.findIndex(([name]) => name === rank);
}

let at = 0; // so many plies are played
let eyes = OPEN;
let picked = -1; // the piece whose chances are shown
let playing = 0;

/** @param {number} seat */
const seatName = (seat) => t(`seat.${seats[seat]}`);
/** @param {number} rank */
const rankName = (rank) => t(`rank.${rank < 0 ? "unknown" : ranks[rank][0]}`);

/**
 * Return by piece the row of what an observer knew after a ply, `[]` where it is not known; where the record does not hold that, what
 * everybody knew.
 *
 * @param {string} observer
 * @param {number} ply
 * @returns {Row[]}
 */
function knowledge(observer, ply) {
  const { until, rows, changes } = GAME.knows[observer] ?? NOTHING;
  if (until !== null && ply >= until) return observer === "public" ? pieces.map(() => []) : knowledge("public", ply);
  /** @type {number[]} */
  const groupOf = [];
  /** @type {number[]} */
  const rowOf = [];
  for (const [from, , , moved, changed] of changes) {
    if (from > ply) break;
    for (let one = 0; one < moved.length; one += 2) groupOf[moved[one]] = moved[one + 1];
    for (let one = 0; one < changed.length; one += 2) rowOf[changed[one]] = changed[one + 1];
  }
  return pieces.map((_, piece) => rows[rowOf[groupOf[piece]]] ?? []);
}

/**
 * Return the rank of a piece for the eyes that look, -1 where they do not know it.
 *
 * @param {number} piece
 * @param {Row[]} known
 */
function seen(piece, known) {
  const [seat, , rank] = pieces[piece];
  if (eyes === OPEN || eyes === seats[seat]) return rank < 0 ? own[piece] : rank;
  return known[piece].length === 2 ? known[piece][0] : -1;
}

/**
 * Return by ply the bits of a seat's secret that were left for the eyes that look, for everybody where these are its own.
 *
 * @param {number} seat
 */
function secrets(seat) {
  const observer = eyes === OPEN || eyes === seats[seat] ? "public" : eyes;
  /** @type {(number | null)[]} */
  const found = places.map(() => null);
  for (const name of ["public", observer]) {
    const { until, changes } = GAME.knows[name] ?? NOTHING;
    const own = changes.filter(([, army]) => army === seat);
    for (const [which, [from, , bits]] of own.entries()) found.fill(bits, from, own[which + 1]?.[0] ?? until ?? LAST + 1);
  }
  return found;
}

/** By seat and ply the worth of the pieces that were not captured. */
const materials = seats.map((_, seat) => {
  const whole = ranks.reduce((sum, [, , worth, many]) => sum + worth * many, 0);
  const lost = (/** @type {number[]} */ there) =>
    pieces.reduce((sum, [owner, , rank], piece) => sum + (owner === seat && rank >= 0 && there[piece] < 0 ? ranks[rank][2] : 0), 0);
  return places.map((there) => whole - lost(there));
});

/**
 * Return a ply as a sentence; nothing before the first.
 *
 * @param {number} ply
 * @param {Row[]} known
 */
function sentence(ply, known) {
  if (ply === 0) return t("turn.ply", { number: 0 });
  const [seat, text, result, attacker, defender, guess] = plies[ply - 1];
  const taken = GAME.times[ply - 1] ?? null;
  const time = taken === null ? "" : ` (${Math.floor(taken / 60)}:${String(taken % 60).padStart(2, "0")})`;
  const label = `${t("turn.ply", { number: ply })}, ${seatName(seat)}${time}`;
  if (result === null) return t("text.labelled", { label, text });
  const met = guess < 0 ? seen(defender, known) : guess;
  const told = `${text} (${rankName(seen(attacker, known))} – ${rankName(met)}). ${t(`verdict.${result}`)}`;
  return t("text.labelled", { label, text: told });
}

/** @param {Row[]} known */
function drawBoard(known) {
  const there = places[at];
  const stop = there[picked] >= 0 ? picked : there.findIndex((square) => square >= 0);
  for (const [piece, node] of nodes.entries()) {
    const square = there[piece];
    node.style.display = square < 0 ? "none" : "";
    if (square < 0) continue;
    const [name, x, y] = squares[square];
    const [seat] = pieces[piece];
    const rank = seen(piece, known);
    change(node, "transform", `translate(${x * 100} ${y * 100})`);
    const told = rank < 0 ? "" : String(ranks[rank][1] ?? "");
    change(node, "aria-label", t("text.labelled", { label: name, text: `${seatName(seat)}, ${rankName(rank)} ${told}`.trim() }));
    change(node, "aria-pressed", String(piece === picked));
    change(node, "tabindex", piece === stop ? "0" : "-1");
    const [, emblem, number] = node.children;
    change(emblem, "href", rank < 0 ? "" : `#${seats[seat]}-${ranks[rank][0]}`);
    if (number.textContent !== told) number.textContent = told;
  }
  const [, , , attacker, defender] = at ? plies[at - 1] : [0, "", null, -1, -1];
  const ends = attacker < 0 ? [-1, -1] : [places[at - 1][attacker], defender < 0 ? there[attacker] : places[at - 1][defender]];
  for (const [end, square] of ends.entries()) {
    const ring = element(`ring${end}`);
    ring.style.display = square < 0 ? "none" : "";
    if (square >= 0) change(ring, "transform", `translate(${squares[square][1] * 100} ${squares[square][2] * 100})`);
  }
}

/**
 * @param {Element} node
 * @param {string} name
 * @param {string} value
 */
function change(node, name, value) {
  if (node.getAttribute(name) !== value) node.setAttribute(name, value);
}

/** @param {number} ply */
function go(ply) {
  at = Math.max(0, Math.min(LAST, ply));
  draw();
}

/** Let the game go on by itself, or not; where the hands' time is known it goes as they did, within bounds. */
function play(on = false) {
  clearTimeout(playing);
  const taken = GAME.times[at] ?? null;
  const wait = taken === null ? STEP_MS : Math.max(STEP_MS / 2, Math.min(LONGEST_STEP_MS, taken * 1000));
  const next = () => {
    at = Math.min(LAST, at + 1);
    play(true);
  };
  playing = on && at < LAST ? setTimeout(next, wait) : 0;
  draw();
}

function drawControls() {
  const button = (/** @type {string} */ key, /** @type {string} */ sign, /** @type {number | undefined} */ to) =>
    h(
      "button",
      { "aria-label": t(key), title: t(key), disabled: to === undefined || to < 0 || to > LAST, on: { click: () => go(to ?? at) } },
      sign,
    );
  const toggle = playing ? t("kiosk.pause") : t("report.play");
  const slide = (/** @type {any} */ { target }) => go(Number(target.value));
  const watched = [OPEN, "public", ...seats];
  const watcher = (/** @type {string} */ name) =>
    name === OPEN ? t("report.open") : name === "public" ? t("report.everybody") : t(`seat.${name}`);
  patch(element("controls"), [
    h("input", {
      type: "range",
      min: 0,
      max: LAST,
      value: String(at),
      "aria-label": t("report.position"),
      "aria-valuetext": t("turn.ply", { number: at }),
      on: { input: slide },
    }),
    button("report.fight-back", "◀◀", fights.findLast((ply) => ply < at)),
    button("report.back", "◀", at - 1),
    h("button", { on: { click: () => play(!playing) } }, toggle),
    button("report.on", "▶", at + 1),
    button("report.fight-on", "▶▶", fights.find((ply) => ply > at)),
    picker(t("report.eyes"), eyes, watched, watcher, look),
  ]);
}

/**
 * @param {string} label
 * @param {string} value
 * @param {readonly string[]} values
 * @param {(value: string) => string} named
 * @param {(value: string) => void} act
 */
function picker(label, value, values, named, act) {
  const change = (/** @type {any} */ { target }) => act(target.value);
  const options = values.map((one) => h("option", { value: one }, named(one)));
  return h("label", {}, `${label} `, h("select", { value, on: { change } }, options));
}

/** @param {string} wanted */
function look(wanted) {
  eyes = wanted;
  curves = [];
  draw();
}

/** @type {{ title: string, of: (number | null)[][], lines: Child }[]} */
let curves = []; // drawn once for the same eyes and language

function drawnCurves() {
  const made = (/** @type {string} */ title, /** @type {(number | null)[][]} */ of) => {
    const most = Math.max(1, ...of.flat().map((value) => value ?? 0));
    const point = (/** @type {number | null} */ value, /** @type {number} */ ply) =>
      value === null ? [] : [`${((ply / (LAST || 1)) * 600).toFixed(1)},${(128 - (value / most) * 120).toFixed(1)}`];
    return { title, of, lines: of.map((values, seat) => h("polyline", { class: seats[seat], points: values.flatMap(point).join(" ") })) };
  };
  return [made(t("report.secret"), seats.map((_, seat) => secrets(seat))), made(t("report.material"), materials)];
}

/** @param {(typeof curves)[number]} curve */
function drawnCurve({ title, of, lines }) {
  const x = (at / (LAST || 1)) * 600;
  const click = (/** @type {any} */ { currentTarget, clientX }) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    go(Math.round(((clientX - left) / width) * LAST));
  };
  const value = (/** @type {(number | null)[]} */ values) => values[at]?.toLocaleString(language()) ?? "–";
  const legend = of.map((values, seat) =>
    h(
      "span",
      {},
      h("svg", { viewBox: "0 0 100 100", "aria-hidden": "true" }, h("use", { href: `#sign-${seats[seat]}` })),
      t("text.labelled", { label: seatName(seat), text: value(values) }),
    ),
  );
  const shape = { class: "curve", viewBox: "0 0 600 130", preserveAspectRatio: "none", "aria-hidden": "true", on: { click } };
  const now = h("line", { x1: x, x2: x, y1: 0, y2: 130 });
  return h("div", {}, h("h2", {}, title), h("svg", shape, lines, now), h("div", { class: "legend" }, legend));
}

/**
 * @param {string} key
 * @param {[ply: number, text: string][]} lines
 */
function list(key, lines) {
  const line = (/** @type {[number, string]} */ [ply, text]) =>
    h("li", {}, h("button", { on: { click: () => go(ply) } }, t("text.labelled", { label: t("turn.ply", { number: ply }), text })));
  return h("div", {}, h("h2", {}, t(key)), lines.length ? h("ul", {}, lines.map(line)) : h("p", {}, t("report.none")));
}

/**
 * @param {string} key
 * @param {string[]} texts
 */
function facts(key, texts) {
  return h("div", {}, h("h2", {}, t(key)), (texts.length ? texts : [t("report.none")]).map((text) => h("p", {}, text)));
}

function armies() {
  const lost = (/** @type {number} */ seat, /** @type {number} */ rank) =>
    pieces.filter(([owner, , own], piece) => owner === seat && own === rank && places[at][piece] < 0).length;
  const column = (/** @type {string} */ name) => h("th", { scope: "col" }, name);
  const row = (/** @type {Game["ranks"][number]} */ [, number, , many], /** @type {number} */ rank) =>
    many > 0 &&
    h(
      "tr",
      {},
      h("th", { scope: "row" }, number === null ? rankName(rank) : `${rankName(rank)} (${number})`),
      seats.map((_, seat) => h("td", {}, `${many - lost(seat, rank)} / ${many}`)),
    );
  const head = h("tr", {}, column(t("report.rank")), seats.map((_, seat) => column(seatName(seat))));
  return h("div", {}, h("h2", {}, t("report.armies")), h("table", {}, h("thead", {}, head), h("tbody", {}, ranks.map(row))));
}

/**
 * Return what the picked piece could be for the eyes that look; for open eyes what everybody knew of it.
 *
 * @param {Row[]} known
 */
function chances(known) {
  const row = known[picked] ?? [];
  const line = (/** @type {number} */ rank, /** @type {number} */ index) => {
    if (index % 2) return null;
    const told = (row[index + 1] / 1000).toLocaleString(language(), { style: "percent", maximumFractionDigits: 1 });
    return h("li", {}, h("meter", { value: row[index + 1] / 1000, "aria-hidden": "true" }), `${rankName(rank)} ${told}`);
  };
  const start = picked < 0 ? t("report.pick") : `${seatName(pieces[picked][0])}, ${squares[pieces[picked][1]][0]}`;
  return h("div", {}, h("h2", {}, t("report.could")), h("p", {}, start), h("ul", {}, row.map(line)));
}

/** What stays the same for a language, whatever ply is shown. */
const always = memoize((/** @type {string} */ _language) => {
  const { turns, bluffs, took, waited } = GAME;
  const lost = turns.map(([ply, seat, kind, loss]) => {
    const text = t(`report.loses-${kind}`, { seat: seatName(seat), loss: loss.toLocaleString(language()) });
    return /** @type {[number, string]} */ ([ply, text]);
  });
  const bluffed = bluffs.map(([ply, seat, piece, against, called]) => {
    const text = t("report.bluff", { seat: seatName(seat), piece, against });
    return /** @type {[number, string]} */ ([ply, called ? `${text} (${t("report.called")})` : text]);
  });
  const most = took ? [t("report.took", { seat: seatName(took[0]), rank: rankName(took[1]), piece: took[2], count: took[3] })] : [];
  const still = waited.map(([seat, piece, count]) => t("report.waited-moves", { seat: seatName(seat), piece, count }));
  const moves = plies.map(([, text], before) => h("li", {}, h("button", { on: { click: () => go(before + 1) } }, `${before + 1} ${text}`)));
  return [
    list("report.turns", lost),
    list("report.bluffs", bluffed),
    facts("report.took-most", most),
    facts("report.waited", still),
    h("details", {}, h("summary", {}, t("record.plies")), h("ol", { class: "moves" }, moves)),
  ];
});

function draw() {
  const observer = eyes === OPEN ? "public" : eyes;
  const known = knowledge(observer, at);
  const until = GAME.knows[observer]?.until ?? null;
  const lacks = until !== null && observer !== "public" && at >= until;
  if (!curves.length) curves = drawnCurves();
  drawBoard(known);
  drawControls();
  patch(element("position"), [
    h("p", { "aria-live": playing ? "off" : "polite" }, sentence(at, known)),
    h("p", {}, lacks ? t("report.unknown", { number: until, seat: t(`seat.${observer}`) }) : ""),
  ]);
  patch(element("figures"), [...curves.map(drawnCurve), chances(known), armies(), ...always(language())]);
}

function drawAbout() {
  const { names, view, winners, ending } = GAME;
  const [winner, reason] = ending;
  const players = seats.map((seat) => (names[seat] ? `${names[seat]} (${t(`seat.${seat}`)})` : t(`seat.${seat}`))).join(" – ");
  const won = winners.map((seat) => t(`seat.${seat}`));
  const wins = won.length > 1 ? t("result.win-together", { seats: won.join(", ") }) : t("result.wins", { seat: won[0] });
  const who = won.length ? wins : t(`result.${winner}`);
  const result = reason === null ? who : `${who} (${t(`end.${reason}`)})`;
  const shown = seats.includes(view) ? t("view.seat", { seat: t(`seat.${view}`) }) : t(`view.${view}`);
  document.documentElement.lang = language();
  document.title = `${players} · Hallmarshal`;
  element("names").textContent = players;
  change(element("board"), "aria-label", t("hall.board"));
  patch(element("about"), [
    h("span", {}, result),
    h("span", {}, t("text.labelled", { label: t("record.view"), text: shown })),
    picker(t("hall.language"), language(), LANGUAGES, (one) => say(one, "language.name"), speak),
    ...(SERVED ? links() : []),
  ]);
}

/** Return the ways on from a page of the library; a phone that plays here has one back to its seat. */
function links() {
  const link = (/** @type {string} */ key, /** @type {string} */ href, download = false) => h("a", { href, download, key }, t(key));
  const back = ownKeys().length > 0 ? [link("games.back", "/join")] : [];
  const consented = pieces.every(([, , rank]) => rank >= 0); // all owners let the file show their armies
  const send = consented ? [h("button", { key: "games.send", on: { click: sendFile } }, t("games.send"))] : [];
  return [link("games.keep", FILE, true), ...send, link("games.all", "/games"), ...back];
}

/** Hand the one file to the phone's share sheet; a browser that has none for files keeps it instead. */
async function sendFile() {
  const name = `${document.title.split(" · ")[0]}.html`;
  try {
    const file = new File([await (await fetch(FILE)).blob()], name, { type: "text/html" });
    if (navigator.canShare?.({ files: [file] })) {
      await navigator.share({ files: [file], title: document.title });
      return;
    }
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") return; // somebody thought better of it
  }
  location.assign(FILE); // it is told to be kept, so this page stays
}

/** @param {string} wanted */
function speak(wanted) {
  setLanguage(wanted);
  curves = [];
  drawAbout();
  draw();
}

/** @type {{ [key: string]: [number, number] }} */
const WAYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/**
 * Return the piece on the board that lies next in a direction; the same where there is none.
 *
 * @param {number} piece
 * @param {[number, number]} way
 */
function nextTo(piece, [right, down]) {
  const [, x, y] = squares[places[at][piece]];
  let best = { piece, far: Infinity };
  for (const [other, square] of places[at].entries()) {
    if (square < 0 || other === piece) continue;
    const [over, under] = [squares[square][1] - x, squares[square][2] - y];
    const along = over * right + under * down;
    const far = along + 3 * Math.abs(over * down - under * right);
    if (along > 0.1 && far < best.far) best = { piece: other, far };
  }
  return best.piece;
}

for (const [piece, node] of nodes.entries()) {
  const choose = () => {
    picked = piece;
    draw();
  };
  node.addEventListener("click", choose);
  node.addEventListener("keydown", (event) => {
    const way = WAYS[event.key];
    if (way) nodes[nextTo(piece, way)].focus();
    else if (event.key === "Enter" || event.key === " ") choose();
    else return;
    event.preventDefault();
  });
}
addEventListener("beforeprint", () => document.querySelector("details")?.setAttribute("open", ""));
await loadWords(Promise.resolve(Response.json(GAME.words)));
speak((SERVED && wishedLanguage()) || spoken(navigator.languages));
