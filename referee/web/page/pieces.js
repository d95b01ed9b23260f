// A piece as a picture: the shape and colour of its army, and on it the number and sign of its rank as far as it is known.
//
//   piece("red", { rank: "miner", number: 3 })     an <svg> value for dom.js; 100 x 100 inside, as big as its place
//   piece("blue", {})                              a rival's piece that nobody knows
//
// `number` is what stands on the piece (see shownNumber). Shapes are the kiosk's: disc, block, triangle, diamond, so that colour is
// not needed.

import { h } from "../toolkit/dom.js";
import { COLOURS, EMBLEMS, SIGNS } from "./emblems.js";

/** @import { Drawn } from "../toolkit/values.d.ts" */
/** @import { Mark } from "./emblems.d.ts" */

// Where number and sign stand on each shape: [x, y, size] of the number's middle and of the sign.
/** @type {{ [seat: string]: { [part: string]: [number, number, number] } }} */
const PLACES = {
  red: { alone: [50, 50, 58], number: [50, 68, 44], sign: [50, 29, 33], lone: [50, 50, 56] },
  blue: { alone: [50, 50, 60], number: [50, 69, 46], sign: [50, 31, 36], lone: [50, 50, 58] },
  green: { alone: [50, 62, 44], number: [50, 73, 38], sign: [50, 42, 26], lone: [50, 62, 40] },
  yellow: { alone: [50, 50, 48], number: [50, 65, 40], sign: [50, 35, 28], lone: [50, 50, 44] },
};

/**
 * The number on a piece as this player wants to read it: as printed, or as on old boards with the marshal as 1.
 *
 * @param {string} rank
 * @param {{ [rank: string]: number } | null | undefined} numbers
 * @param {string} [direction]
 */
export function shownNumber(rank, numbers, direction = "as-printed") {
  const number = numbers?.[rank];
  if (number === undefined || number === null) return null;
  if (direction !== "marshal-1") return String(number);
  const highest = Math.max(...Object.values(numbers ?? {}));
  return rank === "spy" ? "S" : String(highest + 1 - number);
}

/**
 * Return the picture of a piece.
 *
 * @param {string} seat
 * @param {{ rank?: string | null, number?: string | null }} look
 */
export function piece(seat, { rank = null, number = null }) {
  return h("svg", { viewBox: "0 0 100 100", class: `piece ${seat}`, "aria-hidden": "true" }, pieceMarks(seat, rank, number));
}

/**
 * The inside of a piece alone, to be placed in another drawing.
 *
 * @param {string} seat
 * @param {string | null} [rank]
 * @param {string | null} [number]
 */
export function pieceMarks(seat, rank = null, number = null) {
  const name = `${seat} ${rank} ${number}`;
  if (!made.has(name)) {
    const { army, on } = COLOURS[seat];
    made.set(name, h("g", {}, body(seat, army), face(seat, rank, number, on, army)));
  }
  return made.get(name);
}

/**
 * The shape alone, to lie as a wider rim below a piece.
 *
 * @param {string} seat
 */
export function rim(seat) {
  return h("g", { class: "rim" }, body(seat, "none"));
}

/** @type {Map<string, Drawn>} */
const made = new Map(); // there are few kinds, and a board is full of each

/**
 * @param {string} seat
 * @param {string} army
 */
function body(seat, army) {
  const shapes = SIGNS[seat].map(([, tag, at]) => h(tag, { ...at, fill: army, class: "body" }));
  return h("g", { transform: seat === "green" ? "translate(-6 -9) scale(1.12)" : "translate(-9 -9) scale(1.18)" }, shapes);
}

/**
 * @param {string} seat
 * @param {string | null} rank
 * @param {string | null} number
 * @param {string} on
 * @param {string} army
 */
function face(seat, rank, number, on, army) {
  const places = PLACES[seat];
  if (rank === null) return null;
  if (number === null) return placed(EMBLEMS[rank], places.lone, on, army);
  const text = (/** @type {[number, number, number]} */ [x, y, size]) =>
    h("text", { x, y: y + size * 0.35, "font-size": size, fill: on, "text-anchor": "middle", class: "number" }, number);
  return h(
    "g",
    {},
    h("g", { class: "large-only" }, text(places.alone)),
    h("g", { class: "both" }, text(places.number), placed(EMBLEMS[rank], places.sign, on, army)),
  );
}

/**
 * @param {Mark[]} drawing
 * @param {[number, number, number]} given
 * @param {string} ink
 * @param {string} ground
 */
function placed(drawing, [x, y, size], ink, ground) {
  const scale = size / 100;
  return h("g", { transform: `translate(${x - size / 2} ${y - size / 2}) scale(${scale})` }, marks(drawing, ink, ground));
}

/**
 * @param {Mark[]} drawing
 * @param {string} ink
 * @param {string} ground
 */
function marks(drawing, ink, ground) {
  return drawing.map(([who, tag, at]) => {
    const colour = who === "ink" ? ink : ground;
    if (!at["stroke-width"]) return h(tag, { ...at, fill: colour });
    return h(tag, {
      ...at,
      fill: "none",
      stroke: colour,
      "stroke-linecap": "round",
      "stroke-linejoin": "round",
    });
  });
}
