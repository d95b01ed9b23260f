// Small parts that several screens are made of.

import { h } from "../toolkit/dom.js";
import { COLOURS, SIGNS } from "./emblems.js";
import { seatName } from "./sentences.js";
import { t } from "../toolkit/words.js";

/** @import { Attributes, Child } from "../toolkit/values.d.ts" */
/** @import { Act, Press, Wishes } from "./types.d.ts" */

/** @type {{ [name: string]: string }} */
const ICONS = {
  eye: "M6 50C22 24 38 16 50 16S78 24 94 50C78 76 62 84 50 84S22 76 6 50ZM50 35a15 15 0 1 0 0 30a15 15 0 1 0 0-30Z",
  covered: "M6 50C22 24 38 16 50 16S78 24 94 50C78 76 62 84 50 84S22 76 6 50ZM14 88L86 12",
  menu: "M14 26H86M14 50H86M14 74H86",
  close: "M22 22L78 78M78 22L22 78",
  back: "M62 18L28 50L62 82",
  list: "M14 26H20M36 26H86M14 50H20M36 50H86M14 74H20M36 74H86",
  check: "M16 54L40 78L86 24",
  question: "M30 34a20 20 0 1 1 32 16C53 56 50 60 50 68M50 84V85",
};

/**
 * @param {string} name
 * @param {Attributes} [attributes]
 */
export function icon(name, attributes = {}) {
  const line = {
    d: ICONS[name],
    fill: "none",
    stroke: "currentColor",
    "stroke-width": 9,
    "stroke-linecap": "round",
    "stroke-linejoin": "round",
  };
  return h("svg", { viewBox: "0 0 100 100", class: "icon", "aria-hidden": "true", ...attributes }, h("path", line));
}

/**
 * @param {string} text
 * @param {Press} press
 * @param {Attributes} [attributes]
 * @param {Child[]} inside
 */
export function button(text, press, attributes = {}, ...inside) {
  return h(
    "button",
    { type: "button", ...attributes, on: { ...attributes.on, click: press } },
    inside.length > 0 ? inside : h("span", {}, text),
  );
}

/**
 * The field for what a player wants to be called.
 *
 * @param {Wishes} wishes
 * @param {Act} act
 */
export function nameField({ name = "" }, act) {
  const input = (/** @type {any} */ { target }) => act({ type: "wish", wish: { name: target.value } });
  const on = { input, change: () => act({ type: "call" }) };
  const label = h("label", { for: "name" }, t("page.your-name"));
  return [label, h("input", { id: "name", type: "text", value: name, maxlength: 24, autocomplete: "given-name", on })];
}

/**
 * What a screen reader says of a picture.
 *
 * @param {string} text
 */
export function ears(text) {
  return h("span", { class: "for-ears" }, text);
}

/**
 * The shape of an army in the colour that stands on it.
 *
 * @param {string} seat
 * @param {string} [colour]
 */
export function shape(seat, colour = COLOURS[seat].on) {
  return h(
    "svg",
    { viewBox: "0 0 100 100", class: "shape", "aria-hidden": "true" },
    SIGNS[seat].map(([, tag, at]) => h(tag, { ...at, fill: colour })),
  );
}

/**
 * Seat, colour and shape in one band, the same on every screen.
 *
 * @param {string} seat
 * @param {string} label
 * @param {Child} [more]
 */
export function seatBand(seat, label, more = null) {
  return h(
    "header",
    { class: `band ${seat}`, key: "band" },
    shape(seat),
    h("div", { class: "who" }, h("small", {}, label), h("strong", {}, seatName(seat))),
    more,
  );
}
