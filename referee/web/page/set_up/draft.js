// A set-up while it is made: a plain value, and functions that give the next one. Nothing is drawn, sent or kept here.
//
//   let draft = empty();
//   draft = tapTray(sheet, draft, "miner"); draft = tapSquare(sheet, draft, "a1"); draft = undo(draft);
//
// `placed`: Map from square to rank, never more of a rank than the army has, never outside the zone; `picked`: null, { rank } from
// the tray or { square } on the board; `past`: what undo gives back, the last one last.

import { beside, check, left } from "./sheet.js";

/** @import { Draft, Picked, Placed, SetUpSheet } from "../types.d.ts" */

const MOST_PAST = 100;

/** @returns {Draft} */
export function empty() {
  return { placed: new Map(), picked: null, past: [] };
}

/**
 * @param {Placed} one
 * @param {Placed} other
 */
export function same(one, other) {
  return one.size === other.size && [...one].every(([square, rank]) => other.get(square) === rank);
}

/**
 * @param {SetUpSheet} sheet
 * @param {Draft} draft
 * @param {string} rank
 */
export function tapTray(sheet, draft, rank) {
  if (draft.picked?.square) return putBack(draft, draft.picked.square);
  if (draft.picked?.rank === rank || !left(sheet, draft.placed).get(rank)) return picked(draft, null);
  return picked(draft, { rank });
}

/**
 * @param {SetUpSheet} sheet
 * @param {Draft} draft
 * @param {string} square
 */
export function tapSquare(sheet, draft, square) {
  if (!sheet.squares.includes(square)) return picked(draft, null);
  if (draft.picked?.rank) return place(sheet, draft, draft.picked.rank, square);
  if (draft.picked?.square) return swap(sheet, draft, draft.picked.square, square);
  return picked(draft, draft.placed.has(square) ? { square } : null);
}

/**
 * A piece from the tray comes to stand here; who stood here goes back to the tray. The next of its rank stays picked.
 *
 * @param {SetUpSheet} sheet
 * @param {Draft} draft
 * @param {string} rank
 * @param {string} square
 */
export function place(sheet, draft, rank, square) {
  if (!sheet.squares.includes(square) || !left(sheet, draft.placed).get(rank)) return picked(draft, null);
  if (draft.placed.get(square) === rank) return picked(draft, null);
  const next = changed(draft, new Map(draft.placed).set(square, rank));
  return left(sheet, next.placed).get(rank) ? picked(next, { rank }) : next;
}

/**
 * Two squares change what stands on them; one of them may be empty.
 *
 * @param {SetUpSheet} sheet
 * @param {Draft} draft
 * @param {string} one
 * @param {string} other
 */
export function swap(sheet, draft, one, other) {
  if (one === other || !sheet.squares.includes(one) || !sheet.squares.includes(other)) return picked(draft, null);
  const next = new Map(draft.placed);
  put(next, one, draft.placed.get(other));
  put(next, other, draft.placed.get(one));
  return changed(draft, next);
}

/**
 * @param {Draft} draft
 * @param {string} square
 */
export function putBack(draft, square) {
  const next = new Map(draft.placed);
  next.delete(square);
  return changed(draft, next);
}

/** @param {Draft} draft */
export function clear(draft) {
  return changed(draft, new Map());
}

/**
 * @param {SetUpSheet} sheet
 * @param {Draft} draft
 */
export function mirror(sheet, draft) {
  const next = new Map();
  for (const row of sheet.rows) {
    row.forEach((square, column) => {
      const rank = square !== null && draft.placed.get(square);
      const across = row[row.length - 1 - column];
      if (rank && across !== null) next.set(across, rank);
    });
  }
  return next.size === draft.placed.size ? changed(draft, next) : draft;
}

/**
 * A whole set-up from elsewhere: read from text, saved, or enrolled before.
 *
 * @param {Draft} draft
 * @param {Placed} placed
 */
export function take(draft, placed) {
  return changed(draft, new Map(placed));
}

/** @param {Draft} draft */
export function undo(draft) {
  const placed = draft.past.at(-1);
  return placed === undefined ? picked(draft, null) : { placed, picked: null, past: draft.past.slice(0, -1) };
}

/**
 * What is missing comes to stand somewhere, by chance; a set-up that lacks nothing is made anew. `chance` gives 0 <= x < 1.
 *
 * @param {SetUpSheet} sheet
 * @param {Draft} draft
 * @param {() => number} chance
 */
export function fillIn(sheet, draft, chance) {
  const start = draft.placed.size === sheet.size ? new Map() : draft.placed;
  let next = attempt(sheet, start, chance);
  for (let tries = 0; check(sheet, next).stuck && tries < 100; tries++) next = attempt(sheet, start, chance);
  return changed(draft, next);
}

/**
 * The flag likes the back and bombs beside it, and who never moves blocks the front less often. A matter of taste, not of rules.
 *
 * @param {SetUpSheet} sheet
 * @param {Placed} start
 * @param {() => number} chance
 */
function attempt(sheet, start, chance) {
  const placed = new Map(start);
  const missing = [...left(sheet, placed)].flatMap(([rank, count]) => Array(count).fill(rank));
  const depth = (/** @type {string} */ square) => sheet.rows.findIndex((row) => row.includes(square));
  const free = shuffled(
    sheet.squares.filter((square) => !placed.has(square)),
    chance,
  );
  const still = missing.filter((rank) => sheet.immobile.has(rank));
  if (still.includes("flag")) {
    const home = free.reduce((best, square) => (depth(square) > depth(best) ? square : best));
    stand("flag", home);
    for (const near of beside(sheet, home)) {
      if (still.includes("bomb") && free.includes(near) && chance() < 0.8) stand("bomb", near);
    }
  }
  for (const rank of [...still]) stand(rank, depth(free[1] ?? free[0]) > depth(free[0]) ? free[1] : free[0]);
  shuffled(missing, chance).forEach((rank, at) => placed.set(free[at], rank));
  return placed;

  /**
   * @param {string} rank
   * @param {string} square
   */
  function stand(rank, square) {
    placed.set(square, rank);
    free.splice(free.indexOf(square), 1);
    missing.splice(missing.indexOf(rank), 1);
    still.splice(still.indexOf(rank), 1);
  }
}

/**
 * @template T
 * @param {T[]} items
 * @param {() => number} chance
 */
function shuffled(items, chance) {
  const mixed = [...items];
  for (let at = mixed.length - 1; at > 0; at--) {
    const other = Math.floor(chance() * (at + 1));
    [mixed[at], mixed[other]] = [mixed[other], mixed[at]];
  }
  return mixed;
}

/**
 * @param {Placed} placed
 * @param {string} square
 * @param {string | undefined} rank
 */
function put(placed, square, rank) {
  if (rank === undefined) placed.delete(square);
  else placed.set(square, rank);
}

/**
 * @param {Draft} draft
 * @param {Picked | null} what
 */
function picked(draft, what) {
  return { ...draft, picked: what };
}

/**
 * @param {Draft} draft
 * @param {Placed} placed
 */
function changed(draft, placed) {
  if (same(draft.placed, placed)) return picked(draft, null);
  return { placed, picked: null, past: [...draft.past, draft.placed].slice(-MOST_PAST) };
}
