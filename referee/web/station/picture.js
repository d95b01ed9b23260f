// A board drawn as everybody may see it.

import { h } from "../toolkit/dom.js";
import { memoize } from "../toolkit/memoize.js";
import { language, t } from "../toolkit/words.js";

/** @import { Info, Seat, Square, View } from "../toolkit/published.d.ts" */
/** @typedef {((square: string) => unknown) | null} Touched   is called for a square that is touched; null: nothing happens then */

/**
 * Return the board of a table.
 *
 * @param {Info} info
 * @param {View} view
 * @param {Touched} touched
 */
export function picture(info, view, touched) {
  const { columns, rows, squares, lakes } = info.board;
  const places = new Map(squares.map((one) => [one.name, one]));
  const ring = (/** @type {string} */ name, /** @type {string} */ kind) => {
    const place = places.get(name);
    return place && h("rect", { class: kind, x: place.x - 0.46, y: rows - place.y - 0.46, width: 0.92, height: 0.92 });
  };
  const last = view.last_move === null ? [] : [view.last_move.source, view.last_move.target];
  return h(
    "svg",
    { class: "board", viewBox: `-0.05 -0.05 ${columns + 0.1} ${rows + 0.1}`, role: "group", "aria-label": t("hall.board") },
    lakes.map(([column, row]) => h("rect", { class: "lake", x: column, y: rows - row - 1, width: 1, height: 1 })),
    squares.map((one) => space(one, rows, view.occupants[one.name], view.turned?.[one.name], touched)),
    Object.entries(view.occupants).map(([name, seat]) => piece(/** @type {Square} */ (places.get(name)), rows, seat)),
    Object.entries(view.turned ?? {}).map(([name, rank]) => turned(/** @type {Square} */ (places.get(name)), rows, rank, info)),
    last.map((name) => ring(name, "last")),
    view.fixes.map(({ square }) => ring(square, "asked")),
    view.in_hand.map((name) => ring(name, "asked")),
  );
}

/**
 * Return a function that draws the board of one table, and draws it anew only when it has changed.
 *
 * @param {Touched} touched
 */
export function pictures(touched) {
  const draw = memoize((/** @type {Info} */ info, /** @type {View} */ view, /** @type {string} */ _language) =>
    picture(info, view, touched),
  );
  return (/** @type {Info} */ info, /** @type {View} */ view) => draw(info, view, language());
}

/**
 * @param {Square} square
 * @param {number} rows
 * @param {Seat | undefined} seat
 * @param {string | undefined} rank   once both armies are turned over
 * @param {Touched} touched
 */
function space({ name, x, y, width, height }, rows, seat, rank, touched) {
  const [left, top] = [x - width / 2, rows - y - height / 2];
  const label = [name, seat && t(`seat.${seat}`), rank && t(`rank.${rank}`)].filter(Boolean).join(", ");
  const keydown = (/** @type {KeyboardEvent} */ { key }) => (key === "Enter" || key === " ") && touched?.(name);
  const touch = touched ? { tabindex: 0, role: "button", on: { click: () => touched(name), keydown } } : { role: "img" };
  return [
    h("rect", { class: "space", x: left, y: top, width, height, ...touch, "aria-label": label, key: name }),
    h("text", { x: left + 0.05, y: top + 0.24 }, name),
  ];
}

/**
 * Return the number of a piece that is turned over, or the first letter of its name.
 *
 * @param {Square} square
 * @param {number} rows
 * @param {string} rank
 * @param {Info} info
 */
function turned({ x, y }, rows, rank, info) {
  const sign = info.numbers?.[rank] ?? t(`rank.${rank}`).slice(0, 1);
  return h("text", { class: "rank", x, y: rows - y + 0.24, "text-anchor": "middle" }, String(sign));
}

/**
 * @param {Square} square
 * @param {number} rows
 * @param {Seat} seat
 */
function piece({ x, y }, rows, seat) {
  const top = rows - y;
  if (seat === "red" || seat === "yellow") return h("circle", { class: `piece ${seat}`, cx: x, cy: top + 0.1, r: 0.3 });
  return h("rect", { class: `piece ${seat}`, x: x - 0.28, y: top - 0.18, width: 0.56, height: 0.56 });
}
