// What is read on a page, in six languages; the server gives the project's own word files as one document.
//
//   await loadWords();  setLanguage("nl");  t("turn.to-move", { seat: t("seat.red") })

/** @typedef {{ [name: string]: unknown }} Values   what stands for the placeholders of a word */

export const LANGUAGES = ["nl", "fr", "de", "en", "es", "da"];

/** @type {{ [language: string]: { [key: string]: string } }} */
let all = {};
let chosen = "en";

/** Load every word, from beside the folder that this file lies in. Throws where the server has none. */
export async function loadWords(fetched = fetch(new URL("../words.json", import.meta.url))) {
  const answer = await fetched;
  if (!answer.ok) throw new Error("no words");
  all = await answer.json();
}

/** Return the code of the language that is spoken. */
export function language() {
  return chosen;
}

/**
 * Speak a language from now on, if it is one of ours.
 *
 * @param {string | null} wanted
 */
export function setLanguage(wanted) {
  if (wanted !== null && LANGUAGES.includes(wanted)) chosen = wanted;
}

/**
 * Return the first of the wanted languages that we speak ("nl-BE" counts as "nl"), else English.
 *
 * @param {readonly string[]} wanted
 */
export function spoken(wanted) {
  const ours = wanted.map((each) => each.toLowerCase().split("-")[0]).filter((each) => LANGUAGES.includes(each));
  return ours[0] ?? "en";
}

/**
 * Return whether there is a word for a key.
 *
 * @param {string} key
 */
export function has(key) {
  return key in (all[chosen] ?? {});
}

/**
 * Return the word with its placeholders filled in. A key that nobody knows shows itself, so that it is seen and not guessed.
 *
 * @param {string} key
 * @param {Values} [values]
 */
export function t(key, values = {}) {
  return say(chosen, key, values);
}

/**
 * Return the same in a language of its own.
 *
 * @param {string} inLanguage
 * @param {string} key
 * @param {Values} [values]
 */
export function say(inLanguage, key, values = {}) {
  const text = all[inLanguage]?.[key];
  if (text === undefined) return `[${key}]`;
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}
