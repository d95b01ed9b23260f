// What the hall's pages share: the language, how the station is asked, and how it tells what happens.

import { h } from "../toolkit/dom.js";
import { LANGUAGES, has, language, loadWords, say, setLanguage, spoken, t } from "../toolkit/words.js";

/** @import { Answer, Refused } from "./types.d.ts" */

const KEPT = "hallmarshal.language";
const AGAIN_MS = 5000;

/** Load the words, and speak the language that was chosen here before, else the browser's. */
export async function learnWords() {
  await loadWords();
  setLanguage(spoken(navigator.languages));
  setLanguage(localStorage.getItem(KEPT));
  document.documentElement.lang = language();
}

/**
 * Return the choice of a language; `changed` is called once another one is spoken.
 *
 * @param {() => unknown} changed
 */
export function languages(changed) {
  const pick = (/** @type {{ currentTarget: HTMLSelectElement }} */ { currentTarget }) => {
    setLanguage(currentTarget.value);
    localStorage.setItem(KEPT, language());
    document.documentElement.lang = language();
    changed();
  };
  const choices = LANGUAGES.map((one) => h("option", { value: one, lang: one }, say(one, "language.name")));
  return h("select", { value: language(), "aria-label": t("hall.language"), key: "language", on: { change: pick } }, choices);
}

/**
 * Return a time of the day, as the language writes it.
 *
 * @param {number} atMs   since 1970
 */
export function timeText(atMs) {
  return new Date(atMs).toLocaleTimeString(language() === "en" ? "en-GB" : language());
}

/**
 * Return why the station or a table did not do it: the sentence of its stable word, whose `about` is in it.
 *
 * @param {Refused} refused
 */
export function refusedText({ error, about = "" }) {
  const key = `hall.no-${error.replace(/^(no-such-|not-|no-)/, "")}`;
  return has(key) ? t(key, { about }) : t("hall.no-refused");
}

/**
 * Ask the station; with a body something is to be done. Return its answer; where none came, the refusal `no-station`.
 *
 * @template Body
 * @param {string} path
 * @param {object} [body]
 * @returns {Promise<Answer<Body>>}
 */
export async function ask(path, body) {
  const headers = { "Content-Type": "application/json", "X-Hallmarshal": "1" };
  try {
    const answer = await fetch(path, body === undefined ? {} : { method: "POST", headers, body: JSON.stringify(body) });
    return { ok: answer.ok, status: answer.status, body: await answer.json() };
  } catch {
    return { ok: false, status: 0, body: { error: "no-station" } };
  }
}

/**
 * Hear what the station tells as it happens; `lost` is called where the stream is cut. The browser opens it again by itself, and we do
 * where it was refused, since there may be room later.
 *
 * @template Told
 * @param {string} path
 * @param {(told: Told) => void} take
 * @param {() => void} lost
 */
export function listen(path, take, lost) {
  const source = new EventSource(path);
  source.onmessage = (event) => take(JSON.parse(event.data));
  source.onerror = () => {
    if (source.readyState === EventSource.CLOSED) setTimeout(() => listen(path, take, lost), AGAIN_MS);
    lost();
  };
}
