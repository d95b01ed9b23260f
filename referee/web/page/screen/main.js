// A board on a screen: fingers, mouse and keys move magnets; beside it, in frames, phones of those who play here.

import { h, patch } from "../../toolkit/dom.js";
import { loadWords, setLanguage, spoken, t } from "../../toolkit/words.js";
import { STEPS, goTo, nearest } from "../cells.js";
import { layOut } from "../board.js";
import { keptWishes } from "../keeping.js";
import { button } from "../parts.js";
import { Channel } from "./channel.js";
import { Hands, LANDED_MS } from "./hands.js";
import { boxedOf, frameOf, picture, placeOf } from "./picture.js";

/** @import { SetUp, State } from "./types.d.ts" */

const KEPT = "hallmarshal.screen";
const PHONE_FRAMES = ["one", "two"];
const ON_PHONE = ["lobby", "setting-up", "waiting-for-declarations", "paused", "finished", "offer"]; // when the phone asks, not the board
const READ_MS = 2500; // a verdict is read on the phone before the board comes to the front
const root = /** @type {HTMLElement} */ (document.querySelector("#page"));
/** @type {State} */
const state = { setUp: null, magnets: [], says: null, fault: "", slides: false, holds: new Map(), front: "phone" };
/** @type {Channel | null} */
let channel = null;
const hands = new Hands(state, (wish) => channel?.say(wish));
/** @type {string[]} */
let phones = [];
let drawn = false;
/** What was put out without being asked for, since this game's set-up began. @type {Set<string>} */
let putOut = new Set();

function redraw() {
  if (drawn) return;
  drawn = true;
  requestAnimationFrame((now) => {
    drawn = false;
    hands.flush(now);
    draw();
  });
}

function draw() {
  const { setUp, says, fault } = state;
  const away = fault === "" ? null : fault === "away" ? [t("page.no-connection"), t("page.comes-back")] : [t("screen.not-welcome"), ""];
  const beside = phones.length === 1 ? `beside-phones one-phone shows-${state.front}` : phones.length > 1 ? "beside-phones" : "";
  const [text, detail] = away ?? [says?.text ?? "", says?.detail ?? ""];
  patch(root, [
    h(
      "main",
      { class: `screen ${beside} ${away ? "away" : ""}` },
      phones.length === 1 && h("nav", { class: "tabs", key: "tabs" }, tab("board", "rules.board"), tab("phone", "screen.phone")),
      h(
        "section",
        { class: "table-side", key: "table" },
        h("div", { class: `headline ${says?.tone ?? ""}`, role: "status" }, h("h1", {}, text), h("p", {}, detail)),
        h("div", { class: "field", key: "field" }, setUp && picture(setUp, state, frame(), HEARS)),
        setUp && h("div", { class: "bar", key: "bar" }, bar()),
      ),
      phones.map((fragment, at) => {
        const page = { name: PHONE_FRAMES[at], src: `/join#${fragment}`, title: "Hallmarshal" };
        return h("iframe", { key: `phone ${at}`, class: "phone", scrolling: "no", ...page }); // what scrolls has bars of its own
      }),
    ),
  ]);
}

/**
 * Where a high screen has room for the board or the phone: brings one to the front.
 *
 * @param {"board" | "phone"} what
 * @param {string} text
 */
function tab(what, text) {
  return button(t(text), () => bring(what), { class: "pick", "aria-pressed": String(state.front === what) });
}

/** @param {"board" | "phone"} what */
function bring(what) {
  state.front = what;
  redraw();
}

/**
 * What is to be done, as far as it matters where: the phase, or that an offer waits for its answer.
 */
function occasion() {
  const view = state.says?.view;
  return view?.ask?.startsWith("confirm-") ? "offer" : view?.phase;
}

/**
 * Bring to the front what has to be looked at on a new occasion.
 *
 * @param {string | undefined} before
 */
function turnTo(before) {
  const now = occasion();
  if (now === before || now === undefined) return;
  const what = ON_PHONE.includes(now) ? "phone" : "board";
  if (before !== "waiting-for-declarations") return bring(what);
  setTimeout(() => occasion() === now && bring(what), READ_MS);
}

function bar() {
  const { setUp, says } = state;
  const view = says?.view ?? null;
  const fixes = view?.fixes ?? [];
  const sets = view === null || ["lobby", "setting-up", "finished"].includes(view.phase);
  const empty = setUp !== null && Object.values(boxedOf(state, setUp)).every((count) => count === 0) && view?.phase !== "finished";
  const idle = !sets || empty; // this button has nothing to put out
  const move = view !== null && ["waiting-for-move", "piece-in-hand"].includes(view.phase) ? view.decided : null;
  const slides = () => {
    state.slides = !state.slides;
    redraw();
  };
  return [
    button(t("screen.slide"), slides, { class: "plain-button", "aria-pressed": String(state.slides) }),
    fixes.length > 0
      ? button(t(sets ? "screen.set-out" : "page.clear-board"), () => hands.putRight(fixes), { class: "primary" })
      : move
        ? button(t("screen.carry"), () => hands.carry(move.source, move.target), { class: "primary" })
        : button(t("screen.set-out"), () => hands.setOut(), { class: idle ? "plain-button" : "primary", disabled: idle }),
  ];
}

/** With phones beside the board, put out what they say stands where, as soon as they do; once a square, since hands may change it. */
function putOutUnasked() {
  const view = state.says?.view ?? null;
  if (view?.phase !== "setting-up") putOut = new Set();
  if (phones.length === 0 || view?.phase !== "setting-up") return;
  const fixes = view.fixes.filter(({ square, wanted }) => !putOut.has(`${square} ${wanted}`));
  for (const { square, wanted } of fixes) putOut.add(`${square} ${wanted}`);
  hands.putRight(fixes);
}

/** What is here only once the table has said what its board is. */
function setUpNow() {
  return /** @type {SetUp} */ (state.setUp);
}

function spots() {
  return layOut(setUpNow(), null, "").spots;
}

function frame() {
  const field = root.querySelector(".field");
  const [width, height] = field === null ? [innerWidth, innerHeight] : [field.clientWidth, field.clientHeight];
  return frameOf(setUpNow(), width > height);
}

/**
 * Return the place on the board where a pointer is; null while the phone is in front of the board.
 *
 * @param {PointerEvent} event
 */
function place(event) {
  const board = /** @type {SVGSVGElement} */ (root.querySelector(".screen-board"));
  const drawn = board.getBoundingClientRect().width > 0 ? board.getScreenCTM() : null;
  return drawn && placeOf(frame(), new DOMPoint(event.clientX, event.clientY).matrixTransform(drawn.inverse()));
}

/** @param {PointerEvent} event */
function follow(event) {
  const at = place(event);
  if (at !== null) hands.move(event.pointerId, at, event.timeStamp);
}

/** @type {{ [event: string]: (event: any) => void }} */
const HEARS = {
  pointerdown: (event) => {
    if (event.button !== 0) return;
    const seat = event.target.closest("[data-box]")?.dataset.box;
    if (seat !== undefined && state.setUp && boxedOf(state, state.setUp)[seat] === 0) return;
    const how = { seat, slides: state.slides || event.shiftKey, now: event.timeStamp };
    const at = place(event);
    if (at === null || !hands.take(event.pointerId, at, how)) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    event.target.closest("[tabindex]")?.focus({ preventScroll: true }); // keys are heard here from now on, not by the phone beside it
    event.preventDefault();
    redraw();
  },
  pointermove: (event) => {
    const between = event.getCoalescedEvents?.() ?? []; // some browsers have none of them
    for (const each of between.length > 0 ? between : [event]) follow(each);
    if (state.holds.has(event.pointerId)) redraw();
  },
  pointerup: (event) => {
    follow(event);
    letGo(event.pointerId, "down", event.timeStamp);
  },
  contextmenu: (event) => event.preventDefault(), // what a long touch means elsewhere
  pointercancel: (event) => letGo(event.pointerId, "back", event.timeStamp),
  keydown: (event) => {
    if (event.key === "Escape") for (const finger of [...state.holds.keys()]) letGo(finger, "back", event.timeStamp);
    else if (press(event)) event.preventDefault();
  },
};

function settle() {
  hands.settle(performance.now());
  redraw();
}

/**
 * @param {number | string} finger
 * @param {"down" | "back"} ends
 * @param {number} now
 */
function letGo(finger, ends, now) {
  hands.end(finger, now, ends);
  setTimeout(settle, LANDED_MS + 20);
  redraw();
}

/**
 * Keys: arrows go from square to square and carry what is held; Enter takes and sets down, Delete lays into the box. Return whether a key
 * was one of these.
 *
 * @param {any} event
 */
function press({ key, target, timeStamp, shiftKey }) {
  const { square, box } = target.dataset;
  const held = hands.held("keys");
  const enters = key === "Enter" || key === " ";
  if (box !== undefined && enters && held === undefined) {
    hands.take("keys", placeOf(frame(), frame().piles.find(({ seat }) => seat === box) ?? { x: 0, y: 0 }), { seat: box, now: timeStamp });
    /** @type {HTMLElement | null} */ (root.querySelector('.cell[tabindex="0"]'))?.focus();
  } else if (square !== undefined && STEPS[key]) {
    const next = nearest(spots(), square, STEPS[key]);
    if (next === null) return true;
    goTo(target, next);
    carry(next, timeStamp);
  } else if (square !== undefined && enters && held === undefined) {
    hands.take("keys", hands.middle(square), { slides: state.slides || shiftKey, now: timeStamp });
  } else if (square !== undefined && enters) {
    carry(square, timeStamp);
    letGo("keys", "down", timeStamp);
  } else if (key === "Delete" && held !== undefined) {
    hands.go(held, [-5, held.y], timeStamp);
    letGo("keys", "down", timeStamp);
  } else {
    return false;
  }
  redraw();
  return true;
}

/**
 * @param {string} square
 * @param {number} now
 */
function carry(square, now) {
  const held = hands.held("keys");
  if (held !== undefined) hands.go(held, hands.middle(square), now);
}

/** @param {any} said */
function hear(said) {
  if (said.fault !== undefined) state.holds.clear();
  state.fault = said.fault ?? "";
  if (said.board !== undefined) state.setUp = said;
  if (said.says !== undefined) {
    const before = occasion();
    state.says = said.says;
    turnTo(before);
    putOutUnasked();
  }
  if (said.error !== undefined) hands.drop(said.hand); // the board says what is so
  if (said.magnets !== undefined) {
    state.magnets = said.magnets;
    hands.settle(performance.now());
  }
  redraw();
}

/** What stands behind # : the board's secret, and an invitation for each phone that is shown beside it. */
function link() {
  const given = location.hash.slice(1);
  if (given !== "") sessionStorage.setItem(KEPT, given);
  history.replaceState(null, "", "/screen"); // no secret stays in the address, nor in the history
  return (given || sessionStorage.getItem(KEPT) || "").split("~");
}

const language = keptWishes().language ?? spoken(navigator.languages ?? []);
await loadWords();
setLanguage(language);
document.documentElement.lang = language;
const [secret, ...fragments] = link();
phones = fragments.slice(0, PHONE_FRAMES.length);
channel = new Channel(secret, language, hear);
addEventListener("resize", redraw);
addEventListener("blur", () => hands.flush(performance.now()));
addEventListener("hashchange", () => location.reload());
draw();
