// Set-ups that a player keeps on this phone, by rule set and name, and the one in work. They never leave the phone by themselves.
// The one in work belongs to one seat of one game: whoever takes the phone for the next game finds nothing of it.
//
// `storage` is a Storage (localStorage); where it is full, forbidden or holds nonsense, nothing is lost but the keeping.

/** @import { KeptIn } from "../types.d.ts" */

const KEY = "hallmarshal.set-ups";
const DRAFT = "hallmarshal.set-up-draft";
const LONGEST_NAME = 40;

/**
 * [name, text] of every set-up kept for this rule set, by name.
 *
 * @param {KeptIn} storage
 * @param {string} rules
 */
export function kept(storage, rules) {
  return Object.entries(load(storage, KEY)[rules] ?? {})
    .filter(([, text]) => typeof text === "string")
    .sort(([one], [other]) => one.localeCompare(other));
}

/**
 * Keep a text under a name; false when the phone does not let us.
 *
 * @param {KeptIn} storage
 * @param {string} rules
 * @param {string} name
 * @param {string} text
 */
export function keep(storage, rules, name, text) {
  const all = load(storage, KEY);
  const short = name.trim().slice(0, LONGEST_NAME);
  return short !== "" && store(storage, KEY, { ...all, [rules]: { ...all[rules], [short]: text } });
}

/**
 * @param {KeptIn} storage
 * @param {string} rules
 * @param {string} name
 */
export function forget(storage, rules, name) {
  const all = load(storage, KEY);
  const { [name]: _, ...others } = all[rules] ?? {};
  return store(storage, KEY, { ...all, [rules]: others });
}

/**
 * The text in work of this seat in this game, or null.
 *
 * @param {KeptIn} storage
 * @param {string | null} game
 * @param {string} seat
 */
export function keptDraft(storage, game, seat) {
  const text = draftsOf(storage, game)[seat];
  return typeof text === "string" ? text : null;
}

/**
 * Keep the text in work; null forgets it. What another game left behind goes.
 *
 * @param {KeptIn} storage
 * @param {string | null} game
 * @param {string} seat
 * @param {string | null} text
 */
export function keepDraft(storage, game, seat, text) {
  return store(storage, DRAFT, { game, seats: { ...draftsOf(storage, game), [seat]: text } });
}

/**
 * @param {KeptIn} storage
 * @param {string | null} game
 */
function draftsOf(storage, game) {
  const found = load(storage, DRAFT);
  return found.game === game && typeof found.seats === "object" ? (found.seats ?? {}) : {};
}

/**
 * @param {KeptIn} storage
 * @param {string} key
 */
function load(storage, key) {
  try {
    const found = JSON.parse(storage.getItem(key) ?? "{}");
    return found !== null && typeof found === "object" && !Array.isArray(found) ? found : {};
  } catch {
    return {};
  }
}

/**
 * @param {KeptIn} storage
 * @param {string} key
 * @param {unknown} value
 */
function store(storage, key, value) {
  try {
    storage.setItem(key, JSON.stringify(value));
    return true;
  } catch {
    return false;
  }
}
