// The page's beginning and its middle: things happen, the state follows, the screen is drawn, and what has to be said is said.

import { isAwake, stayAwake, tryAgain } from "./awake.js";
import { hex, randomBytes } from "./bytes.js";
import { signingKey } from "./commitments.js";
import { Caller, canShake, ring, touched } from "./calls.js";
import { nextSecond } from "./clocks.js";
import { patch } from "../toolkit/dom.js";
import { JoinError, holderOf, join, readFragment, readTyped } from "./join.js";
import { BESIDE_BOARD, forgetPlace, holdSeat, holdsSeat, keepAnswered, keepMoves, keepPlace } from "./keeping.js";
import { keepWishes, keptAnswered, keptMoves, keptPlace, keptWishes } from "./keeping.js";
import { Link } from "./link.js";
import { render } from "./render.js";
import { setUpEntry } from "./set_up/entry.js";
import { asksAnew, begin, isAlone, isTold, purposeOf, update } from "./state.js";
import { forgetOwn, keepOwn } from "../toolkit/own_games.js";
import { loadWords, setLanguage, spoken } from "../toolkit/words.js";

/** @import { Happening, Sheet, State } from "./types.d.ts" */

const root = /** @type {HTMLElement} */ (document.querySelector("#page"));
const tab = hex(randomBytes(8));
const SOON_MS = 30; // nobody sees that a tap is answered so much later
const OWN_MACHINE = ["127.0.0.1", "localhost", "[::1]"]; // nobody can stand between it and itself
const VERDICT_MS = 8000; // how long the ranks of a verdict are shown before they cover themselves
/** @type {Link | null} */
let link = null;
let drawn = false;
/** @type {number | undefined} */
let soon;
/** @type {number | undefined} */
let ticking;
/** @type {Sheet | null} */
let shown = null;
/** @type {HTMLElement | null} */
let opener = null; // what had the focus before the sheet
/** @type {State} */
let state;
let caller = new Caller();
const entry = setUpEntry({ send: enter, redraw: () => happen({ type: "drawn" }), show: () => happen({ type: "cover", covered: false }) });

/** @param {Happening} event */
function happen(event) {
  const before = state;
  state = update(state, event);
  if (drawn || state === before) return;
  if (canWait(event)) {
    soon ??= setTimeout(draw, SOON_MS);
    return;
  }
  drawn = true;
  queueMicrotask(draw); // several letters of one packet are one picture
}

/**
 * That something was said, and that it has come: what answers it, a verdict above all, is often a moment behind, and one picture is
 * drawn sooner than three. So is the view of a game that is announced: a sentence in between would be read out for nothing.
 *
 * @param {Happening} given
 */
function canWait({ type, value }) {
  return ["sent", "status", "info"].includes(type) || (type === "letter" && value.type === "accepted");
}

function draw() {
  drawn = false;
  const before = document.activeElement;
  clearTimeout(soon);
  soon = undefined;
  const whole = document.documentElement;
  whole.classList.toggle("large", Boolean(state.wishes.large));
  if (whole.lang !== state.wishes.language) whole.lang = state.wishes.language; // set again it would restyle everything
  if (shown === null && state.sheet !== null) opener = /** @type {HTMLElement | null} */ (before);
  patch(root, render(state, act, entry));
  const sheet = /** @type {HTMLElement | null} */ (document.querySelector(".sheet"));
  if (sheet !== null && (shown?.name !== state.sheet?.name || !sheet.contains(document.activeElement))) sheet.focus();
  if (sheet === null && shown !== null) opener?.focus({ preventScroll: true }); // keys and screen readers go on where they were
  // a headline that takes the focus is said for that alone
  const took = document.activeElement !== before && document.activeElement?.tagName === "H1";
  if (took) document.querySelector("[data-headline]")?.setAttribute("aria-hidden", "true");
  shown = state.sheet;
  stayAwake(isAwake(state));
  clearTimeout(ticking);
  const wait = nextSecond(state);
  ticking = wait === null ? undefined : setTimeout(() => happen({ type: "drawn" }), wait + 5);
}

/** @type {{ [type: string]: (event: any) => unknown }} */
const ACTS = {
  join: ({ typed }) => take(readTyped(typed)),
  confirm: () => {
    happen({ type: "confirmed" });
    if (state.place !== null) keepPlace(state.place);
    link?.call(state.wishes.name ?? "");
    link?.confirmDigits();
  },
  leave: () => {
    if (state.place !== null) forgetPlace(state.place);
    forgetOwn();
    entry.leave();
    link?.stop();
    link = null;
    happen({ type: "left" });
  },
  "play-here": () => {
    happen({ type: "here" });
    connect();
  },
  wish: ({ wish }) => {
    happen({ type: "wish", wish });
    if (wish.sounds) touched();
    ring("move", { shakes: false, sounds: false, ...wish }); // whoever switches a call on hears it
    setLanguage(state.wishes.language);
    keepWishes(state.wishes);
  },
  call: () => link?.call(state.wishes.name ?? ""),
  against: ({ level }) => {
    happen({ type: "against", level });
    if (state.place !== null) keepPlace(state.place);
    link?.playAgainst(level);
  },
  say: ({ message }) => say(message),
  visit: ({ path }) => location.assign(path),
  consent: () => {
    ACTS["answered-end"](null);
    if (!entry.consent()) happen({ type: "edit", editing: true });
  },
  "answered-end": () => {
    if (state.info !== null) keepAnswered(state.info.game);
    happen({ type: "answered-end" });
  },
};

/**
 * Says something to the referee and gives its id, null while there is nobody to say it to.
 *
 * @param {{ type: string, [field: string]: unknown }} message
 */
function say(message) {
  if (link === null) return null;
  const whole = { id: link.newId(), ...message };
  link.send(whole);
  happen({ type: "sent", message: whole });
  if (state.sheet !== null) happen({ type: "sheet", sheet: null });
  return whole.id;
}

/**
 * What the set-up screen says. Who plays the computer at a board on a screen has nothing to do once it is handed in, so he is ready.
 *
 * @param {{ type: string, [field: string]: unknown }} message
 */
function enter(message) {
  const id = say(message);
  if (message.type === "enrol" && BESIDE_BOARD && isAlone(state.info)) say({ type: "ready" });
  return id;
}

/** @param {Happening} event */
function act(event) {
  if (event.type in ACTS) ACTS[event.type](event);
  else happen(event);
}

/** @param {{ secret: string, fingerprint: string | null } | null} wanted */
async function take(wanted) {
  if (wanted === null) {
    happen({ type: "join-failed", reason: "link-unreadable" });
    return;
  }
  happen({ type: "joining" });
  try {
    const place = { ...(await join(wanted)), link: wanted.secret };
    keepPlace(place);
    happen({ type: "joined", place });
    connect();
    if (BESIDE_BOARD && OWN_MACHINE.includes(location.hostname)) act({ type: "confirm" });
  } catch (error) {
    happen({ type: "join-failed", reason: error instanceof JoinError ? error.reason : "answer-unreadable" });
    if (!(error instanceof JoinError)) throw error;
  }
}

function connect() {
  link?.stop();
  const { place } = state;
  if (place === null) return;
  link = new Link(place, hear, state.wishes.name);
  caller = new Caller();
  holdSeat(place, tab, yieldSeat);
  link.start();
}

/**
 * What the link tells. It never fights another tab of this browser for the seat: the one that was opened last has it.
 *
 * @param {Happening} event
 */
function hear(event) {
  const { place } = state;
  if (place === null) return;
  if (event.type === "down" && !holdsSeat(place, tab)) yieldSeat();
  else happen(event);
  const call = event.type === "view" && state.view !== null ? caller.hear(state.view, place.seat) : null;
  if (call !== null) ring(call, state.wishes);
  if (event.type === "info") entry.open(event.value, place.seat);
  if (event.type === "info" && keptAnswered() === event.value.game) happen({ type: "answered-end" });
  if (event.type === "info" && state.rules?.name !== event.value.rule_set) loadRules(); // another rule set was chosen meanwhile
  if (event.type === "letter") entry.hear(event.value);
  if (event.type === "letter" && event.value.type === "verdict") {
    const { question } = event.value;
    setTimeout(() => happen({ type: "seen", question }), VERDICT_MS);
  }
  if (event.type === "refused") holderOf(place).then((holder) => happen({ type: "holder", holder }));
  if (["view", "letter"].includes(event.type) && asksAnew(state) && link?.ask()) happen({ type: "asking" });
  if (["view", "letter"].includes(event.type)) keepGame();
}

/** Keep what is needed to see a game again that is over. */
function keepGame() {
  const { view, known, seat, place } = state;
  if (view?.phase !== "finished" || seat === null || place === null || !isTold({ view, known })) return;
  keepOwn(view.game, signingKey(place), { seat: place.seat, squares: seat.own });
}

function yieldSeat() {
  const old = link;
  link = null;
  old?.stop();
  if (old !== null) happen({ type: "elsewhere" });
}

function wake() {
  if (document.visibilityState !== "visible" || link === null || state.place === null) return;
  if (holdsSeat(state.place, tab)) link.wake();
  else yieldSeat();
}

async function loadRules() {
  try {
    const answer = await fetch("/rules.json");
    if (answer.ok) happen({ type: "rules", value: await answer.json() });
  } catch {
    setTimeout(loadRules, 2000); // the network was away; without the rules only the target buttons are missing
  }
}

async function start() {
  const calls = { shakes: true, sounds: !canShake(), awake: true }; // a phone that cannot shake is heard
  const wishes = { language: spoken(navigator.languages ?? []), direction: "as-printed", large: false, ...calls, ...keptWishes() };
  await loadWords();
  setLanguage(wishes.language);
  const wanted = readFragment(location.hash);
  const strange = location.hash.length > 1 && wanted === null;
  history.replaceState(null, "", "/join"); // a token does not stay in the address, nor in the history
  const kept = keptPlace();
  const returns = kept !== null && (wanted === null || wanted.secret === kept.link);
  state = begin(wishes, returns ? kept : null, returns ? (kept.confirmed ? "table" : "digits") : "join");
  state = { ...state, moves: keptMoves() ?? state.moves };
  draw();
  loadRules();
  if (returns) connect();
  else if (wanted !== null) await take(wanted);
  else if (strange) happen({ type: "join-failed", reason: "link-unreadable" });
}

// A set-up that is being entered goes from the screen before the phone does.
function hideSetUp() {
  if (state?.held) happen({ type: "hold", held: false });
  if (purposeOf(state) === null || state.covered) return;
  happen({ type: "cover", covered: true });
  draw();
}

document.addEventListener("visibilitychange", () => (document.visibilityState === "hidden" ? hideSetUp() : wake()));
document.addEventListener("visibilitychange", tryAgain);
addEventListener("click", tryAgain);
addEventListener("click", () => state?.wishes.sounds && touched());
addEventListener("blur", hideSetUp);
addEventListener("pagehide", hideSetUp);
addEventListener("pagehide", () => keepMoves(state.moves));
addEventListener("pageshow", (event) => event.persisted && wake());
addEventListener("online", wake);
addEventListener("offline", () => link?.lost());
// a key that is held presses one button, not what takes its place as well
addEventListener("keydown", (event) => event.repeat && event.target instanceof HTMLButtonElement && event.preventDefault());
addEventListener("keydown", (event) => event.key === "Escape" && state?.sheet && happen({ type: "sheet", sheet: null }));
// The same tab may be given another link (a code that is scanned again).
addEventListener("hashchange", () => readFragment(location.hash) !== null && location.reload());

await start();
