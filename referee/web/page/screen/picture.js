// The board with its magnets, and the box beside it: colours and shapes of armies, and nothing else, since that is all there is.

import { h } from "../../toolkit/dom.js";
import { t } from "../../toolkit/words.js";
import { arrow, fixMarks, layOut, trail } from "../board.js";
import { pieceMarks } from "../pieces.js";
import { seatName } from "../sentences.js";

/** @import { SetUp, State } from "./types.d.ts" */
/** @typedef {{ beside: boolean, wide: number, high: number, viewBox: string, piles: { seat: string, x: number, y: number }[] }} Frame */

const CELL = 100;
const EDGE = 34;
const PILE = 150;
const HELD_FROM = -1_000_000;

/**
 * Return where board and box lie: the box beside a board on a wide screen, below it on a high one.
 *
 * @param {SetUp} setUp
 * @param {boolean} beside
 * @returns {Frame}
 */
export function frameOf({ board, zones }, beside) {
  const [wide, high] = [board.columns * CELL, board.rows * CELL];
  const seats = Object.keys(zones);
  const piles = seats.map((seat, at) => {
    const share = (at + 0.5) / seats.length;
    return beside ? { seat, x: wide + PILE / 2, y: high * (1 - share) } : { seat, x: wide * share, y: high + EDGE + PILE / 2 };
  });
  const [more, below] = beside ? [PILE, EDGE] : [8, EDGE + PILE];
  return { beside, wide, high, viewBox: `${-EDGE} -8 ${wide + EDGE + more} ${high + below + 8}`, piles };
}

/**
 * Return the place on the board, as a column and a row, of a point of the drawing.
 *
 * @param {Frame} frame
 * @param {{ x: number, y: number }} point
 * @returns {[number, number]}
 */
export function placeOf({ high }, { x, y }) {
  return [x / CELL - 0.5, (high - y) / CELL - 0.5];
}

/**
 * @param {SetUp} setUp
 * @param {State} state
 * @param {Frame} frame
 * @param {{ [event: string]: (event: any) => void }} on
 */
export function picture(setUp, state, frame, on) {
  const { still, spots } = layOut(setUp, null, "");
  const shown = shownMagnets(state, setUp);
  const view = state.says?.view;
  const fixes = (shown.length > 0 && view?.fixes) || []; // else all is to be put out
  const boxed = boxedOf(state, setUp);
  const label = (/** @type {string} */ name) => {
    const [column, row] = setUp.places[name];
    const here = shown.find(({ x, y }) => Math.hypot(x - column, y - row) < 0.5);
    const text = here === undefined ? t("page.cell-empty") : seatName(here.seat) + (here.lifted ? `, ${t("page.cell-in-hand")}` : "");
    const fix = fixes.find(({ square }) => square === name);
    const wanted = fix && (fix.wanted === null ? t("page.cell-clear") : t("page.cell-missing", { seat: seatName(fix.wanted) }));
    return t("text.labelled", { label: name, text: [text, wanted].filter(Boolean).join(", ") });
  };
  return h(
    "svg",
    { class: `board screen-board ${state.slides ? "slides" : ""}`, viewBox: frame.viewBox, key: "board", role: "group", on },
    h("g", { "aria-hidden": "true" }, still, view && trail({ view }, spots)),
    setUp.board.squares.map(({ name }, at) => {
      const { px, py, size } = spots[name];
      const [x, y] = [px - size / 2, py - size / 2];
      const focus = { tabindex: at === 0 ? "0" : "-1", role: "button", "aria-label": label(name), "data-square": name };
      return h("rect", { key: name, class: "cell", x, y, width: size, height: size, ...focus });
    }),
    frame.piles.map((pile) => box(pile, boxed[pile.seat])),
    h(
      "g",
      { "aria-hidden": "true", class: "magnets" },
      shown.map((magnet) => piece(magnet, frame)),
      view && arrow({ view }, spots),
      fixes.map((fix) => fixMarks(fix, spots[fix.square])),
    ),
  );
}

/**
 * Return all pieces as they are drawn, those that are held last: where a finger of this page is, or where the board says.
 *
 * @param {State} state
 * @param {SetUp} setUp
 */
function shownMagnets({ magnets, holds }, { hands }) {
  const own = [...holds.values()];
  const hidden = new Set(own.flatMap(({ hand, from }) => [HELD_FROM - hands - hand, from]));
  const others = magnets.filter(([place]) => !hidden.has(place));
  const said = others.map(([place, seat, x, y, mm]) => ({ key: `m${place}`, seat, x, y, lifted: mm > 5 }));
  const held = own.map(({ hand, seat, x, y, slides, ended }) => ({ key: `h${hand}`, seat, x, y, lifted: !slides && !ended }));
  return [...said.sort((one, other) => Number(one.lifted) - Number(other.lifted)), ...held];
}

/**
 * Return how many pieces of each seat lie in the box.
 *
 * @param {State} state
 * @param {SetUp} setUp
 */
export function boxedOf({ magnets, holds }, { army, zones, hands }) {
  const told = new Set(magnets.map(([place]) => place));
  const early = [...holds.values()].filter(({ from, hand }) => from === null && !told.has(HELD_FROM - hands - hand));
  const out = (/** @type {string} */ seat) =>
    magnets.filter((magnet) => magnet[1] === seat).length + early.filter((hold) => hold.seat === seat).length;
  return Object.fromEntries(Object.keys(zones).map((seat) => [seat, Math.max(0, army - out(seat))]));
}

/**
 * @param {{ key: string, seat: string, x: number, y: number, lifted: boolean }} magnet
 * @param {Frame} frame
 */
function piece({ key, seat, x, y, lifted }, frame) {
  const size = lifted ? 1.1 : 0.94;
  const [left, top] = [drawnX(x) - 50 * size, drawnY(frame, y) - 50 * size - (lifted ? 16 : 0)];
  const transform = `translate(${left.toFixed(1)} ${top.toFixed(1)}) scale(${size})`;
  return h("g", { key, class: `on-board ${seat} ${lifted ? "lifted" : ""}`, transform, "data-seat": seat }, pieceMarks(seat));
}

/**
 * @param {{ seat: string, x: number, y: number }} pile
 * @param {number} count
 */
function box({ seat, x, y }, count) {
  const label = t("screen.box", { seat: seatName(seat), count });
  return h(
    "g",
    { key: `box ${seat}`, class: `pile ${count ? "" : "none"}`, tabindex: "0", role: "button", "aria-label": label, "data-box": seat },
    h("rect", { class: "slot", x: x - 62, y: y - 62, width: 124, height: 124, rx: 16 }),
    h("g", { class: `on-board ${seat}`, transform: `translate(${x - 44} ${y - 52}) scale(.88)` }, pieceMarks(seat)),
    h("text", { class: "count", x, y: y + 56, "text-anchor": "middle" }, count),
  );
}

/** @param {number} column */
function drawnX(column) {
  return (column + 0.5) * CELL;
}

/**
 * @param {Frame} frame
 * @param {number} row
 */
function drawnY({ high }, row) {
  return high - (row + 0.5) * CELL;
}
