// The commitment root of a set-up, as docs/reference/commitments.md makes it, so that this phone can hold the referee to its word.

import { hex, sha512, utf8 } from "./bytes.js";
import { memoize } from "../toolkit/memoize.js";

/** @import { Ranks, Seated } from "./types.d.ts" */

/**
 * @param {string} purpose
 * @param {string[]} parts
 */
function digest(purpose, ...parts) {
  return hex(sha512(utf8([`hallmarshal ${purpose} 1`, ...parts].join("\n"))).slice(0, 32));
}

/**
 * @param {string} seed
 * @param {string} game
 * @param {string} seat
 * @param {Ranks} setUp
 */
export function rootOf(seed, game, seat, setUp) {
  const leaf = (/** @type {string} */ square) => digest("leaf", game, seat, square, setUp[square], digest("salt", seed, square));
  let level = Object.keys(setUp).sort().map(leaf);
  while (level.length > 1) {
    const pairs = level.flatMap((each, at) => (at % 2 === 0 ? [level.slice(at, at + 2)] : []));
    level = pairs.map((pair) => (pair.length === 2 ? digest("node", ...pair) : pair[0]));
  }
  return level[0] ?? digest("node");
}

const keptRoot = memoize(rootOf);

/**
 * Whether the root that everybody got is that of the set-up handed in here; null while that cannot be computed.
 *
 * @param {Seated} state
 */
export function isBound({ info, seat, place, enrolled }) {
  const published = info?.roots?.[place.seat];
  if (!published || !seat?.seed || enrolled === null) return null;
  return keptRoot(seat.seed, info.game, place.seat, enrolled) === published;
}
