// What outlives a reload: the place that was taken (with its keys), the player's wishes, the last moves, and which tab holds the seat.
//
// A tab keeps its own copy of its place, so that two seats can be played in two tabs of one browser; the other copy is for a
// new tab. Phones that are shown in frames of one tab keep a place each, by the name of their frame. The one who opened the seat last
// holds it: a tab that finds another's name in its place stops, and says so.

/** @import { Moves, Place, Wishes } from "./types.d.ts" */

const FRAME = globalThis.frameElement ? `.${globalThis.frameElement.getAttribute("name")}` : "";
/** Whether this phone is shown beside a board on a screen. */
export const BESIDE_BOARD = FRAME !== "";
const PLACE = `hallmarshal.place${FRAME}`;
const WISHES = "hallmarshal.wishes";
const MOVES = `hallmarshal.moves${FRAME}`;
const ANSWERED = `hallmarshal.answered${FRAME}`;
const HOLDER = "hallmarshal.holder.";

export function keptPlace() {
  return read(sessionStorage, PLACE) ?? read(localStorage, PLACE);
}

/** @param {Place} place */
export function keepPlace(place) {
  write(sessionStorage, PLACE, place);
  write(localStorage, PLACE, place);
}

/** @param {Place} place */
export function forgetPlace(place) {
  write(sessionStorage, PLACE, null);
  if (read(localStorage, PLACE)?.password === place.password) write(localStorage, PLACE, null);
}

export function keptWishes() {
  return read(localStorage, WISHES) ?? {};
}

/** @param {Wishes} wishes */
export function keepWishes(wishes) {
  write(localStorage, WISHES, wishes);
}

/** @returns {string | null} the game after which the player was asked to turn the armies over, whatever he answered */
export function keptAnswered() {
  return read(sessionStorage, ANSWERED);
}

/** @param {string} game */
export function keepAnswered(game) {
  write(sessionStorage, ANSWERED, game);
}

/** @returns {Moves | null} */
export function keptMoves() {
  return read(sessionStorage, MOVES);
}

/** @param {Moves} moves */
export function keepMoves(moves) {
  write(sessionStorage, MOVES, moves);
}

/**
 * Takes the seat for this tab; `lost` is called once another tab has taken it.
 *
 * @param {Place} place
 * @param {string} tab
 * @param {() => void} lost
 */
export function holdSeat(place, tab, lost) {
  const name = HOLDER + place.user;
  write(localStorage, name, tab);
  globalThis.addEventListener("storage", (event) => {
    if (event.key === name && !holdsSeat(place, tab)) lost();
  });
}

/**
 * @param {Place} place
 * @param {string} tab
 */
export function holdsSeat(place, tab) {
  const holder = read(localStorage, HOLDER + place.user);
  return holder === null || holder === tab;
}

/**
 * @param {Storage} store
 * @param {string} name
 */
function read(store, name) {
  try {
    return JSON.parse(store.getItem(name) ?? "null");
  } catch {
    return null; // damaged, or storage is closed to us: as if nothing was kept
  }
}

/**
 * @param {Storage} store
 * @param {string} name
 * @param {unknown} value
 */
function write(store, name, value) {
  try {
    if (value === null) store.removeItem(name);
    else store.setItem(name, JSON.stringify(value));
  } catch {
    // a private window without storage: everything works but a reload
  }
}
