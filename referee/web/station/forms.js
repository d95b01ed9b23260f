// What the arbiters' forms are made of: choices that act at once, fields whose text the page's state keeps, files that are read.

import { h } from "../toolkit/dom.js";
import { t } from "../toolkit/words.js";

/** @typedef {{ currentTarget: HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement }} Changed */
/** @typedef {{ [field: string]: string }} Typed */

const MOST_TABLES = 400;
const TIE_BREAKS_SHOWN = 5;
const PACKED_FROM = 8 * 1024; // a request has 16 KiB

/**
 * A choice that acts when something is chosen, and then shows what has come of it.
 *
 * @param {string} value
 * @param {[string | number, string][]} choices   each a value and its text
 * @param {string} label
 * @param {(value: string) => unknown} chosen
 * @param {boolean} [disabled]
 */
export function choice(value, choices, label, chosen, disabled = false) {
  const options = choices.map(([one, text]) => h("option", { value: one }, text));
  const change = (/** @type {Changed} */ { currentTarget }) => chosen(currentTarget.value);
  return h("select", { value, "aria-label": label, disabled, on: { change } }, options);
}

/**
 * Return a function that gives what a field needs whose text is kept under a name.
 *
 * @param {Typed} kept
 * @param {(name: string, value: string) => unknown} note
 */
export function typing(kept, note) {
  return (/** @type {string} */ name, first = "") => {
    const noted = (/** @type {Changed} */ { currentTarget }) => note(name, currentTarget.value);
    return { value: kept[name] ?? first, on: { input: noted, change: noted } };
  };
}

/**
 * Return a field with its name above it.
 *
 * @param {string} label
 * @param {import("../toolkit/values.d.ts").Attributes} attributes   of the field
 * @param {string} [tag]
 * @param {import("../toolkit/values.d.ts").Child[]} inside   of a select: its options
 */
export function labelled(label, attributes, tag = "input", ...inside) {
  return h("label", { class: "field" }, h("span", {}, label), h(tag, attributes, inside));
}

/**
 * Return the choice of tie-breaks in their order, and what is chosen in it now.
 *
 * @param {Typed} kept
 * @param {ReturnType<typeof typing>} field
 * @param {string[]} all
 * @param {string[]} first   what is chosen until somebody chooses
 */
export function tieBreaks(kept, field, all, first) {
  const chosen = Array.from({ length: Math.min(TIE_BREAKS_SHOWN, all.length) }, (_, at) => kept[`tie ${at}`] ?? first[at] ?? "");
  const options = ["", ...all].map((one) => h("option", { value: one }, one ? t(`hall.tie-${one}`) : "–"));
  const selects = chosen.map((value, at) => labelled(String(at + 1), { ...field(`tie ${at}`), value }, "select", options));
  return { chosen: [...new Set(chosen.filter(Boolean))], fields: h("fieldset", {}, h("legend", {}, t("hall.tie-breaks")), selects) };
}

/**
 * Return what somebody does with a form; the page itself stays where it is.
 *
 * @param {() => unknown} does
 */
export function submits(does) {
  return {
    submit: (/** @type {SubmitEvent} */ event) => {
      event.preventDefault();
      does();
    },
  };
}

/**
 * Return the text of a file; what is no UTF-8 is read as spreadsheets on Windows write it.
 *
 * @param {File} file
 */
export async function textOf(file) {
  const bytes = await file.arrayBuffer();
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

/**
 * Return a text as it is sent: packed where a request has no room for it.
 *
 * @param {string} text
 * @returns {Promise<{ text?: string, packed?: string }>}
 */
export async function sendable(text) {
  if (text.length < PACKED_FROM || !("CompressionStream" in globalThis)) return { text };
  const packed = new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"));
  const bytes = new Uint8Array(await new Response(packed).arrayBuffer());
  return { packed: btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")) };
}

/**
 * Return table numbers as people write them: `1-20, 25`.
 *
 * @param {number[]} tables
 */
export function tablesText(tables) {
  /** @type {[number, number][]} */
  const runs = [];
  for (const table of tables) {
    const last = runs.at(-1);
    if (last && table === last[1] + 1) last[1] = table;
    else runs.push([table, table]);
  }
  return runs.map(([first, last]) => (first === last ? String(first) : `${first}-${last}`)).join(", ");
}

/**
 * Return the table numbers that are written so.
 *
 * @param {string} text
 */
export function tablesFrom(text) {
  const runs = text.split(",").map((run) => run.split(/[-–]/).map((number) => Number(number.trim())));
  const count = (/** @type {number} */ first, /** @type {number} */ last) => Math.max(0, Math.min(MOST_TABLES, last - first + 1));
  return runs.flatMap(([first, last = first]) => (first ? Array.from({ length: count(first, last) }, (_, at) => first + at) : []));
}
