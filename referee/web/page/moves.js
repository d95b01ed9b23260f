// The last moves as this phone saw them: a view tells of one move, and each that comes is kept. What was not seen is not there.

/** @import { View } from "../toolkit/published.d.ts" */
/** @import { Moves } from "./types.d.ts" */

const MOST = 60;

/** @type {Moves} */
export const NO_MOVES = { game: "", list: [] };

/**
 * Return the moves with the one that a view tells of; the very same value where that is nothing new. A move that was taken back or
 * revised goes.
 *
 * @param {Moves} moves
 * @param {View} view
 * @returns {Moves}
 */
export function noted(moves, view) {
  const known = moves.game === view.game ? moves.list : [];
  const played = view.attack?.result ? view.attack : view.last_move;
  const before = known.filter(({ ply }) => ply < view.ply);
  const last = known.find(({ ply }) => ply === view.ply);
  if (view.ply === 0 || !played || isSame(before.at(-1), played)) return told(moves, view.game, last ? [...before, last] : before);
  const { seat, source, target } = played;
  const move = { ply: view.ply, seat, source, target, result: view.attack?.result ?? null };
  return told(moves, view.game, [...before, last && isSame(last, move) && last.result === move.result ? last : move]);
}

/**
 * @param {Moves} moves
 * @param {string} game
 * @param {Moves["list"]} list
 */
function told(moves, game, list) {
  const same = moves.game === game && moves.list.length === list.length && moves.list.at(-1) === list.at(-1);
  return same ? moves : { game, list: list.slice(-MOST) };
}

/**
 * A turn without a move still shows the move before it.
 *
 * @param {{ seat: string, source: string, target: string } | undefined} one
 * @param {{ seat: string, source: string, target: string }} other
 */
function isSame(one, other) {
  return one !== undefined && one.seat === other.seat && one.source === other.source && one.target === other.target;
}
