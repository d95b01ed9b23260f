// The board for keys and screen readers, and for fingers: a grid of squares that lies over the drawing. One square is a tab stop, arrows go
// on from it; Enter, space or a tap attacks, or picks the own piece that shall. What it is called says no rank unless its owner wants that.

import { h } from "../toolkit/dom.js";
import { memoize } from "../toolkit/memoize.js";
import { attacksNow, decidable, pickable, targetsFrom } from "./reach.js";
import { rankName, seatName } from "./sentences.js";
import { knows, rankOn } from "./state.js";
import { t } from "../toolkit/words.js";

/** @import { Act, Offers, OnBoard, Spots } from "./types.d.ts" */
/** @typedef {{ [place: string]: { px: number, py: number } }} Places */

/**
 * Return the own pieces that can be picked to attack, or to move where moves are decided here, and what a tap on a target can tell now.
 *
 * @param {OnBoard} state
 * @returns {Offers}
 */
export function offersOf(state) {
  if (!knows(state, "rules") || !state.connected || state.question !== null) return { pick: [], attacks: [] };
  const { picked, view } = state;
  const goes = decidable(state);
  if (Object.keys(goes).length > 0) {
    const decided = picked === null ? [] : (goes[picked] ?? []).map((target) => ({ source: picked, target }));
    return { pick: Object.keys(goes), attacks: decided, says: { type: "decide", ply: view.ply + 1 } };
  }
  const pick = pickable(state);
  const told = picked !== null && pick.includes(picked) ? targetsFrom(state, picked).map((target) => ({ source: picked, target })) : [];
  return { pick, attacks: [...attacksNow(state), ...told] };
}

/**
 * @param {OnBoard} state
 * @param {Spots} spots
 * @param {Offers} offers
 */
export function cells(state, spots, offers) {
  const rows = rowsOf(spots);
  const [stop] = rows.at(-1) ?? [];
  return rows.map((row) =>
    h(
      "g",
      { role: "row", key: `row ${row[0]}` },
      row.map((square) => {
        const draws = drawers.get(square) ?? memoize(drawn);
        drawers.set(square, draws);
        const selected = offers.pick.includes(square) ? String(offers.attacks.some(({ source }) => source === square)) : null;
        return draws(square, labelOf(state, square, offers), spots[square], selected, square === stop);
      }),
    ),
  );
}

/** @type {Map<string, typeof drawn>} */
const drawers = new Map();

/**
 * @param {string} square
 * @param {string} label
 * @param {Spots[string]} spot
 * @param {string | null} selected
 * @param {boolean} stop
 */
function drawn(square, label, { px, py, size }, selected, stop) {
  return h("rect", {
    key: square,
    class: "cell",
    role: "gridcell",
    tabindex: stop ? "0" : "-1",
    "aria-label": label,
    "aria-selected": selected,
    "data-square": square,
    x: px - size / 2,
    y: py - size / 2,
    width: size,
    height: size,
  });
}

/** Squares by rows as they lie on the screen, from the far one; within a row from the left. */
const rowsOf = memoize((/** @type {Spots} */ spots) => {
  /** @type {Map<number, string[]>} */
  const rows = new Map();
  for (const [name, { py }] of Object.entries(spots)) rows.set(Math.round(py), [...(rows.get(Math.round(py)) ?? []), name]);
  return [...rows].sort(([one], [other]) => one - other).map(([, row]) => row.sort((one, other) => spots[one].px - spots[other].px));
});

/**
 * "f6: Red, last move, can be attacked".
 *
 * @param {OnBoard} state
 * @param {string} square
 * @param {Offers} offers
 */
function labelOf(state, square, { pick, attacks, says }) {
  const { view, place, wishes } = state;
  const owner = view.occupants[square];
  const rank = wishes.hears || view.turned?.[square] ? rankOn(state, square) : null;
  const { attack, last_move: last } = view;
  const fights = attack !== null && attack.result === null;
  const moved = attack ?? last;
  const fix = view.fixes.find((each) => each.square === square);
  const barred = view.in_hand.some((from) => view.bars?.[from]?.includes(square));
  const parts = [
    owner === undefined ? t("page.cell-empty") : owner === place.seat ? t("page.cell-yours") : seatName(owner),
    rank !== null && rankName(rank),
    ...view.flags.filter((flag) => flag.square === square).map(({ seat }) => `${rankName("flag")} ${seatName(seat)}`),
    view.in_hand.includes(square) && t("page.cell-in-hand"),
    fights && attack.source === square && t("page.cell-attacks"),
    fights && attack.target === square && t("page.cell-attacked"),
    !fights && (moved?.source === square || moved?.target === square) && t("page.cell-last-move"),
    pick.includes(square) && t(says ? "page.cell-can-move" : "page.cell-can-attack"),
    attacks.some(({ target }) => target === square) && t(owner === undefined ? "page.cell-goes" : "page.cell-target"),
    barred && t("page.cell-barred"),
    fix && (fix.wanted === null ? t("page.cell-clear") : t("page.cell-missing", { seat: seatName(fix.wanted) })),
  ];
  return t("text.labelled", { label: square, text: parts.filter(Boolean).join(", ") });
}

/**
 * What the squares hear.
 *
 * @param {Spots} spots
 * @param {Offers} offers
 * @param {Act} act
 */
export function hears(spots, offers, act) {
  const press = (/** @type {string | undefined} */ square) => {
    const told = offers.attacks.filter(({ target }) => target === square);
    if (told.length === 1) act({ type: "say", message: { type: "attack", ...offers.says, ...told[0] } });
    else if (square !== undefined) act({ type: "pick", square: offers.pick.includes(square) ? square : null });
  };
  return {
    click: (/** @type {any} */ { target }) => press(target.dataset?.square),
    keydown: (/** @type {any} */ event) => {
      const { square } = event.target.dataset;
      if (square === undefined || goes(spots, event) || !["Enter", " "].includes(event.key)) return;
      press(square);
      event.preventDefault();
    },
  };
}

/** @type {{ [key: string]: [number, number] }} */
export const STEPS = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/**
 * Return whether a key is an arrow, after going to the square or the rank that lies there, if one does.
 *
 * @param {Places} spots
 * @param {any} event
 */
export function goes(spots, event) {
  const step = STEPS[event.key];
  if (!step) return false;
  const { square, rank } = event.target.dataset;
  const next = nearest(spots, square ?? rank, step);
  if (next) goTo(event.target, next);
  event.preventDefault();
  return true;
}

/**
 * The square that lies next in a direction; over a lake it is the one behind it.
 *
 * @param {Places} spots
 * @param {string} from
 * @param {[number, number]} direction
 */
export function nearest(spots, from, [dx, dy]) {
  /** @type {[string | null, number]} */
  let [best, shortest] = [null, Infinity];
  for (const [name, { px, py }] of Object.entries(spots)) {
    const [x, y] = [px - spots[from].px, py - spots[from].py];
    const [along, beside] = [x * dx + y * dy, Math.abs(x * dy) + Math.abs(y * dx)];
    if (along > 1 && along + 3 * beside < shortest) [best, shortest] = [name, along + 3 * beside];
  }
  return best;
}

/**
 * @param {Element} from
 * @param {string} to a square, or a rank of the pieces not yet placed
 */
export function goTo(from, to) {
  const grid = from.closest(".board, .zone, .tray");
  for (const each of grid?.querySelectorAll('[tabindex="0"]') ?? []) each.setAttribute("tabindex", "-1");
  const next = /** @type {SVGElement | null} */ (grid?.querySelector(`[data-square="${to}"], [data-rank="${to}"]`) ?? null);
  next?.setAttribute("tabindex", "0");
  next?.focus();
}
