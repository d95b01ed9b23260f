// The board as it lies before this player: his side at the bottom, his own pieces with what they are.

import { h } from "../toolkit/dom.js";
import { memoize } from "../toolkit/memoize.js";
import { pieceMarks, rim, shownNumber } from "./pieces.js";
import { cells, hears, offersOf } from "./cells.js";
import { handsOf } from "./reach.js";
import { rankName, seatName } from "./sentences.js";
import { rankOn } from "./state.js";
import { language, t } from "../toolkit/words.js";

/** @import { Attack, BoardShape, Fix, Info, Square, View } from "../toolkit/published.d.ts" */
/** @import { Act, OnBoard, Place, Playing, Question, Rules, SeatState, Sight, Spot, Spots, Wishes } from "./types.d.ts" */

const CELL = 100;
const MANY = 6; // answers that leave little room for the board: then the rows around the attack have to do
const NAME = /^([a-z]+)([0-9]+)$/;

/**
 * Turns the middle (x, y) of a square, y away from red, into the drawing's, so that the seat's zone is at the bottom.
 *
 * @param {BoardShape} shape
 * @param {string[]} home
 * @returns {Sight}
 */
function sightOf(shape, home) {
  const { columns, rows } = shape;
  const zone = shape.squares.filter((square) => home.includes(square.name));
  const mean = (/** @type {"x" | "y"} */ axis) => zone.reduce((sum, square) => sum + square[axis], 0) / (zone.length || 1);
  const [dx, dy] = zone.length === 0 ? [0, -1] : [mean("x") - columns / 2, mean("y") - rows / 2];
  if (Math.abs(dy) >= Math.abs(dx)) {
    if (dy <= 0) return { wide: columns, high: rows, turned: false, at: (x, y) => [x, rows - y] };
    return { wide: columns, high: rows, turned: false, at: (x, y) => [columns - x, y] };
  }
  if (dx < 0) return { wide: rows, high: columns, turned: true, at: (x, y) => [rows - y, columns - x] };
  return { wide: rows, high: columns, turned: true, at: (x, y) => [y, x] };
}

/**
 * The board of a state. It is made anew only when something on it may have changed: most letters change nothing there.
 *
 * @param {Playing} state
 * @param {Act} act
 */
export function board({ info, view, seat, known, place, covered, wishes, rules, question, picked, connected }, act) {
  return draw(info, view, seat, known, place, covered, wishes, rules, question, picked, connected, act, language());
}

/**
 * @param {Info} info
 * @param {View} view
 * @param {SeatState | null} seat
 * @param {string | null} known
 * @param {Place} place
 * @param {boolean} covered
 * @param {Wishes} wishes
 * @param {Rules | null} rules
 * @param {Question | null} question
 * @param {string | null} picked
 * @param {boolean} connected
 * @param {Act} act
 * @param {string} _language   in which it is read
 */
function drawn(info, view, seat, known, place, covered, wishes, rules, question, picked, connected, act, _language) {
  const state = { info, view, seat, known, place, covered, wishes, rules, question, picked, connected };
  const near = question?.kind === "declare" && question.choices.length > MANY;
  const offers = offersOf(state);
  const marked = handsOf(state);
  const { sight, spots, still } = layOut(info, rules, place.seat);
  const edge = 34;
  const [wide, high] = [sight.wide * CELL, sight.high * CELL];
  const [top, bottom] = near ? around(view.attack, spots, high + edge) : [0, high + edge];
  return h(
    "svg",
    {
      class: "board",
      viewBox: `${-edge} ${top} ${wide + edge} ${bottom - top}`,
      role: "grid",
      "aria-label": t("rules.board"),
      key: "board",
      on: hears(spots, offers, act),
    },
    h(
      "g",
      { "aria-hidden": "true", key: "drawing" },
      still,
      view.phase === "setting-up" ? veil(info, spots) : null,
      trail(state, spots),
      state.view.blind?.map((name) => frame(spots[name], "blind")),
      marked.map((/** @type {string} */ name) => (state.view.bars?.[name] ?? []).map((target) => barred(spots[target]))),
      marked.map((/** @type {string} */ name) => frame(spots[name], "marked")),
      pieces(state, spots),
      offers.pick.includes(picked ?? "") ? frame(spots[picked ?? ""], "marked") : null,
      offers.attacks.map(({ target }) => frame(spots[target], "reach")),
      arrow(state, spots),
      flags(state, spots),
      state.view.fixes.map((fix) => fixMarks(fix, spots[fix.square])),
    ),
    cells(state, spots, offers),
  );
}

const draw = memoize(drawn);

/**
 * @param {Attack | null} attack
 * @param {Spots} spots
 * @param {number} end
 */
function around(attack, spots, end) {
  const heights = attack === null ? [] : [attack.source, attack.target].filter((name) => spots[name]).map((name) => spots[name].py);
  if (heights.length === 0) return [0, end];
  return [Math.max(0, Math.min(...heights) - 1.5 * CELL), Math.min(end, Math.max(...heights) + 1.5 * CELL)];
}

/** What stays as it is for a whole game: where everything lies, and the ground. */
export const layOut = memoize((/** @type {Pick<Info, "board">} */ info, /** @type {Rules | null} */ rules, /** @type {string} */ seat) => {
  const shape = info.board;
  const sight = sightOf(shape, rules?.zones?.[seat] ?? []);
  const spots = spotsOf(shape, sight);
  return { shape, sight, spots, still: h("g", { key: "still" }, ground(shape, sight, spots), lineNames(shape, sight)) };
});

/**
 * @param {BoardShape} shape
 * @param {Sight} sight
 */
function spotsOf(shape, sight) {
  /** @type {Spots} */
  const spots = {};
  for (const square of shape.squares) {
    const [x, y] = sight.at(square.x, square.y);
    const [width, height] = sight.turned ? [square.height, square.width] : [square.width, square.height];
    const inside = shape.squares.some(
      (other) =>
        other.width < square.width && Math.abs(other.x - square.x) < square.width / 2 && Math.abs(other.y - square.y) < square.height / 2,
    );
    const [px, py] = inside ? [x - width / 3, y - height / 3] : [x, y]; // a space around another one: its piece stands in a corner
    const size = inside ? Math.min(1, width / 3) : Math.min(width, height, 1);
    spots[square.name] = {
      x: x * CELL,
      y: y * CELL,
      width: width * CELL,
      height: height * CELL,
      px: px * CELL,
      py: py * CELL,
      size: size * CELL,
    };
  }
  return spots;
}

/**
 * @param {BoardShape} shape
 * @param {Sight} sight
 * @param {Spots} spots
 */
function ground(shape, sight, spots) {
  const tiles = shape.squares.map((square) => ({ spot: spots[square.name], square }));
  tiles.sort((one, other) => other.spot.width - one.spot.width); // a turret lies within its ring
  const lakes = shape.lakes.map(([column, row]) => {
    const [x, y] = sight.at(column + 0.5, row + 0.5);
    return h("rect", { class: "lake", x: (x - 0.5) * CELL, y: (y - 0.5) * CELL, width: CELL, height: CELL });
  });
  return h(
    "g",
    { class: "ground" },
    tiles.map(({ spot, square }) => tile(spot, square)),
    lakes,
  );
}

/**
 * @param {Spot} spot
 * @param {Square} square
 */
function tile(spot, square) {
  const plain = NAME.test(square.name) && square.width === 1;
  const kind = square.width > 1 ? "castle" : !plain ? "turret" : (Math.floor(square.x) + Math.floor(square.y)) % 2 ? "light" : "dark";
  return h("rect", {
    class: kind,
    x: spot.x - spot.width / 2 + 1.5,
    y: spot.y - spot.height / 2 + 1.5,
    width: spot.width - 3,
    height: spot.height - 3,
    rx: 3,
  });
}

/**
 * @param {BoardShape} shape
 * @param {Sight} sight
 */
function lineNames(shape, sight) {
  const columns = new Map();
  const rows = new Map();
  for (const square of shape.squares) {
    const match = NAME.exec(square.name);
    if (match === null) continue;
    const [x, y] = sight.at(square.x, square.y);
    const [across, up] = sight.turned ? [match[2], match[1]] : [match[1], match[2]];
    columns.set(x, columns.has(x) && columns.get(x) !== across ? null : across);
    rows.set(y, rows.has(y) && rows.get(y) !== up ? null : up);
  }
  const name = (/** @type {number} */ x, /** @type {number} */ y, /** @type {string} */ text) =>
    h("text", { class: "line-name", x, y, "text-anchor": "middle" }, text);
  return h(
    "g",
    {},
    [...columns].filter(([, text]) => text !== null).map(([x, text]) => name(x * CELL, sight.high * CELL + 28, text)),
    [...rows].filter(([, text]) => text !== null).map(([y, text]) => name(-17, y * CELL + 10, text)),
  );
}

/**
 * What was played last, is attacked, or has to be carried out.
 *
 * @param {{ view: Pick<View, "attack" | "last_move" | "decided" | "phase"> }} state
 * @param {Spots} spots
 */
export function trail(state, spots) {
  const { attack, last_move: last, decided, phase } = state.view;
  const waits = phase === "waiting-for-move" || phase === "piece-in-hand" ? decided : null;
  const move = waits ?? attack ?? last;
  if (move === null || move === undefined) return null;
  const kind = waits || attack || last?.final ? "" : "unsure";
  return h(
    "g",
    {},
    [move.source, move.target].filter((name) => spots[name]).map((name) => glow(spots[name], kind)),
  );
}

/**
 * What is no set-up zone lies under a veil while the armies are set up.
 *
 * @param {Info} given
 * @param {Spots} spots
 */
function veil({ board: shape, zones }, spots) {
  const zone = new Set(Object.values(zones).flat(2));
  const outside = shape.squares.filter(({ name }) => !zone.has(name)).map(({ name }) => spots[name]);
  return h(
    "g",
    {},
    outside.map(({ x, y, width, height }) => h("rect", { class: "outside", x: x - width / 2, y: y - height / 2, width, height })),
  );
}

/**
 * @param {Spot} spot
 * @param {string} kind
 */
function glow(spot, kind) {
  return h("rect", {
    class: `glow ${kind}`,
    x: spot.px - spot.size / 2 + 3,
    y: spot.py - spot.size / 2 + 3,
    width: spot.size - 6,
    height: spot.size - 6,
    rx: 8,
  });
}

/**
 * @param {Spot} spot
 * @param {string} kind
 */
function frame(spot, kind) {
  return h("rect", {
    class: `frame ${kind}`,
    x: spot.px - spot.size / 2 + 5,
    y: spot.py - spot.size / 2 + 5,
    width: spot.size - 10,
    height: spot.size - 10,
    rx: 10,
  });
}

/**
 * @param {OnBoard} state
 * @param {Spots} spots
 */
function pieces(state, spots) {
  const { occupants, in_hand: air } = state.view;
  return Object.entries(occupants)
    .filter(([square]) => spots[square])
    .map(([square, seat]) => pieceOn(state, square, seat, spots[square], air.includes(square)));
}

/**
 * @param {OnBoard} state
 * @param {string} square
 * @param {string} seat
 * @param {Spot} spot
 * @param {boolean} lifted
 */
function pieceOn(state, square, seat, spot, lifted) {
  const rank = rankOn(state, square);
  const number = rank === null ? null : shownNumber(rank, state.info.numbers, state.wishes.direction);
  const seen = seat !== state.place.seat && rank !== null ? "told" : "";
  const draws = stands.get(square) ?? memoize(standing);
  stands.set(square, draws);
  return draws(square, seat, rank, number, spot, lifted, seen, language());
}

/** @type {Map<string, typeof standing>} */
const stands = new Map(); // of every square its piece as it was drawn last: few of them change from one picture to the next

/**
 * @param {string} square
 * @param {string} seat
 * @param {string | null} rank
 * @param {string | null} number
 * @param {Spot} spot
 * @param {boolean} lifted
 * @param {string} seen
 * @param {string} _language   in which it is read
 */
function standing(square, seat, rank, number, spot, lifted, seen, _language) {
  const size = spot.size * (lifted ? 1.1 : 0.94);
  const [x, y] = [spot.px - size / 2, spot.py - size / 2 - (lifted ? spot.size * 0.16 : 0)];
  const name = t("text.labelled", { label: square, text: `${seatName(seat)}${rank === null ? "" : ` ${rankName(rank)}`}` });
  return h(
    "g",
    {
      key: `piece ${square}`,
      class: `on-board ${seat} ${lifted ? "lifted" : ""} ${seen}`,
      transform: `translate(${round(x)} ${round(y)}) scale(${round(size / 100)})`,
    },
    h("title", {}, name),
    seen ? rim(seat) : null,
    pieceMarks(seat, rank, number),
  );
}

/**
 * @param {{ view: Pick<View, "attack"> }} state
 * @param {Spots} spots
 */
export function arrow(state, spots) {
  const { attack } = state.view;
  if (attack === null || attack.result !== null || !spots[attack.source] || !spots[attack.target]) return null;
  const [from, to] = [spots[attack.source], spots[attack.target]];
  const [dx, dy] = [to.px - from.px, to.py - from.py];
  const length = Math.hypot(dx, dy) || 1;
  const [ux, uy] = [dx / length, dy / length];
  const tip = [to.px - ux * 30, to.py - uy * 30];
  const back = [to.px - ux * 58, to.py - uy * 58];
  const wing = (/** @type {number} */ side) => `${round(back[0] - uy * 22 * side)} ${round(back[1] + ux * 22 * side)}`;
  const start = [from.px + ux * 30, from.py + uy * 30];
  return h(
    "g",
    { class: "arrow" },
    h("path", { class: "shaft", d: `M${start.map(round).join(" ")}L${back.map(round).join(" ")}` }),
    h("path", { class: "tip", d: `M${tip.map(round).join(" ")}L${wing(1)}L${wing(-1)}Z` }),
  );
}

/**
 * @param {OnBoard} state
 * @param {Spots} spots
 */
function flags(state, spots) {
  return state.view.flags
    .filter((flag) => spots[flag.square])
    .map((flag, at) => {
      const spot = spots[flag.square];
      const size = spot.size * (flag.carried ? 0.5 : 0.7);
      const x = flag.carried ? spot.px : spot.px - size / 2;
      return h(
        "g",
        {
          key: `flag ${at}`,
          class: `flag ${flag.seat}`,
          transform: `translate(${round(x)} ${round(spot.py - size * 0.9)}) scale(${round(size / 100)})`,
        },
        flagMarks(flag.seat),
      );
    });
}

/** @param {string} seat */
function flagMarks(seat) {
  return h(
    "g",
    {},
    h("path", { class: "pole", d: "M20 96V5" }),
    h("path", { class: `cloth ${seat}`, d: "M20 5H95V60H20Z" }),
    h("g", { transform: "translate(36 12) scale(.4)" }, h("path", { class: `mark ${seat}`, d: SHAPES[seat] })),
  );
}

/** @type {{ [seat: string]: string }} */
const SHAPES = {
  red: "M10 50a40 40 0 1 0 80 0a40 40 0 1 0 -80 0Z",
  blue: "M14 14H86V86H14Z",
  green: "M50 5L95 88H5Z",
  yellow: "M50 2L98 50L50 98L2 50Z",
};

/**
 * @param {Fix} fix
 * @param {Spot | undefined} spot
 */
export function fixMarks(fix, spot) {
  if (spot === undefined) return null;
  const arm = spot.size * 0.22;
  const { px, py } = spot;
  const bars =
    fix.wanted === null
      ? [`M${px - arm} ${py - arm}L${px + arm} ${py + arm}`, `M${px - arm} ${py + arm}L${px + arm} ${py - arm}`]
      : [`M${px} ${py - arm}V${py + arm}`, `M${px - arm} ${py}H${px + arm}`];
  return h(
    "g",
    { class: "fix" },
    frame(spot, "wrong"),
    bars.map((d) => h("path", { class: "halo", d })),
    bars.map((d) => h("path", { class: "bar", d })),
  );
}

/**
 * A square where the piece in hand may not go now.
 *
 * @param {Spot} given
 */
function barred({ px, py, size }) {
  const radius = size * 0.3;
  return h(
    "g",
    { class: "barred" },
    h("circle", { cx: px, cy: py, r: radius }),
    h("path", { d: `M${px - radius * 0.7} ${py + radius * 0.7}L${px + radius * 0.7} ${py - radius * 0.7}` }),
  );
}

/** @param {number} value */
function round(value) {
  return Math.round(value * 100) / 100;
}
