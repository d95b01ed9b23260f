// What this phone keeps of games that it played, for it alone: the public keys that it signed with, and its own ranks, by game. Nothing
// of it is sent. Pages of the table share it: the phone's page writes, those of kept games read.

/** @typedef {{ seat: string, squares: { [square: string]: string } }} OwnRanks   by where the pieces stood at the end */

const KEYS = "hallmarshal.signed-with";
const RANKS = "hallmarshal.own-ranks";
const MOST = { [KEYS]: 50, [RANKS]: 20 };

/**
 * Return what is kept, the newest last.
 *
 * @param {string} name
 * @returns {[string, any][]}
 */
function kept(name) {
  try {
    const found = JSON.parse(localStorage.getItem(name) ?? "[]");
    return Array.isArray(found) ? found.filter((one) => Array.isArray(one) && one.length === 2) : [];
  } catch {
    return []; // damaged, or storage is closed to us: as if nothing was kept
  }
}

/**
 * @param {typeof KEYS | typeof RANKS} name
 * @param {string} key
 * @param {unknown} value
 */
function keep(name, key, value) {
  const others = kept(name).filter(([each]) => each !== key);
  try {
    localStorage.setItem(name, JSON.stringify([...others, [key, value]].slice(-MOST[name])));
  } catch {
    // nothing is lost but that the game is not known as one's own
  }
}

/**
 * Keep that this phone played a game that is over, with the ranks of its pieces that still stood.
 *
 * @param {string} game
 * @param {string} key   the public key that it signs with
 * @param {OwnRanks} ranks
 */
export function keepOwn(game, key, ranks) {
  keep(KEYS, key, 1);
  keep(RANKS, game, ranks);
}

/** Forget the ranks: somebody else may take the phone. */
export function forgetOwn() {
  try {
    localStorage.removeItem(RANKS);
  } catch {
    // then nothing was kept
  }
}

/** Return the public keys that this phone signed with. */
export function ownKeys() {
  return kept(KEYS).map(([key]) => key);
}

/**
 * Return this phone's own ranks in a game, null where it has none.
 *
 * @param {string | null} game
 * @returns {OwnRanks | null}
 */
export function ownRanks(game) {
  return kept(RANKS).find(([each]) => each === game)?.[1] ?? null;
}

/** Return the language that was chosen on this phone, null where none was. */
export function wishedLanguage() {
  try {
    return JSON.parse(localStorage.getItem("hallmarshal.wishes") ?? "{}").language ?? null;
  } catch {
    return null;
  }
}
