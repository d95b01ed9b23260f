// What the player reads, in six languages; the server gives the project's own word files as one document.
//
//   await loadWords();  setLanguage("nl");  t("turn.to-move", { seat: t("seat.red") })

export const LANGUAGES = ["nl", "fr", "de", "en", "es", "da"];

let all = {};
let chosen = "en";

export async function loadWords(fetched = fetch("/words.json")) {
  const answer = await fetched;
  if (!answer.ok) throw new Error("no words");
  all = await answer.json();
}

export function language() {
  return chosen;
}

export function setLanguage(wanted) {
  if (LANGUAGES.includes(wanted)) chosen = wanted;
}

// The first of the wanted languages that we speak ("nl-BE" counts as "nl"), else English.
export function spoken(wanted) {
  const ours = wanted.map((each) => each.toLowerCase().split("-")[0]).filter((each) => LANGUAGES.includes(each));
  return ours[0] ?? "en";
}

export function has(key) {
  return key in (all[chosen] ?? {});
}

// The word with its placeholders filled in. A key that nobody knows shows itself, so that it is seen and not guessed.
export function t(key, values = {}) {
  return say(chosen, key, values);
}

export function say(inLanguage, key, values = {}) {
  const text = all[inLanguage]?.[key];
  if (text === undefined) return `[${key}]`;
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}
