// The commitment root of a set-up, as docs/reference/commitments.md makes it, so that this phone can hold the referee to its word.

import { base64, hex, sha512, unbase64, unhex, utf8 } from "./bytes.js";
import { memoize } from "../toolkit/memoize.js";

/** @import { View } from "../toolkit/published.d.ts" */
/** @import { Place, Ranks, Seated } from "./types.d.ts" */

const { nacl } = globalThis;
const NO_RESULT = new Set(["aborted", "unfinished", "both-lose"]); // endings that nobody won, and that are no draw

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
 * The hash of a chain's link; `before` is that of the link before, of the first one the game's id.
 *
 * @param {string} before
 * @param {string} text
 */
export function linkHash(before, text) {
  return digest("link", before, text);
}

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

const keyPair = memoize((/** @type {string} */ own) => nacl.sign.keyPair.fromSeed(unhex(digest("signing key", hex(unbase64(own))))));

/**
 * The key with which this phone signs.
 *
 * @param {Place} place
 */
export function signingKey(place) {
  return base64(keyPair(place.own).publicKey);
}

/**
 * This phone's signature under a game that is over, as docs/reference/commitments.md makes it; null while it is not, where it has no chain,
 * and where it is signed.
 *
 * @param {View} view
 * @param {Place} place
 */
export function countersignature({ game, result, chain, signed }, place) {
  if (result === null || !chain || signed?.includes(place.seat)) return null;
  const winner = result.winner ?? (NO_RESULT.has(result.reason) ? "none" : "draw");
  const lines = ["hallmarshal countersign 1", game, place.seat, chain, winner, result.reason];
  const signature = nacl.sign.detached(utf8(lines.join("\n")), keyPair(place.own).secretKey);
  return { key: signingKey(place), signature: base64(signature) };
}
