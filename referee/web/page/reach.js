// Where a piece could attack, infiltrate or fire, from what this seat knows: only to offer few buttons. The referee decides.

import { isTold, rankOn } from "./state.js";

/** @import { OnBoard, Ruled } from "./types.d.ts" */

const RUNNERS = new Set(["run", "run-and-turn"]);

/**
 * The own seat's possible ranks of the piece on a square: the known one, or every rank of which the army has one left that stands
 * nowhere else. While ranks are hidden only by what everybody knows, since who looks on sees what is offered.
 *
 * @param {Ruled} state
 * @param {string} square
 */
function ranksOn(state, square) {
  const { rules, view, place, seat } = state;
  const known = rankOn(state, square);
  if (known !== null) return [known];
  const others = state.covered || !isTold(state) ? [] : Object.values(seat?.own ?? {});
  const gone = (/** @type {string} */ rank) =>
    (view.captured[place.seat]?.[rank] ?? 0) + others.filter((each) => each === rank).length;
  return Object.keys(rules.ranks).filter((rank) => rules.ranks[rank].count > gone(rank));
}

/**
 * @param {Ruled} state
 * @param {string} square
 */
function gaitsOn(state, square) {
  return new Set(ranksOn(state, square).map((rank) => state.rules.ranks[rank].gait));
}

/**
 * @param {Ruled} state
 * @param {string} square
 */
function isRival(state, square) {
  const owner = state.view.occupants[square];
  return owner !== undefined && !state.rules.partners[state.place.seat].includes(owner);
}

/** @param {OnBoard} state */
function ownSquares(state) {
  const { occupants } = state.view;
  return Object.keys(occupants).filter((square) => occupants[square] === state.place.seat);
}

/**
 * The rivals' squares that the piece on this square may attack by moving.
 *
 * @param {Ruled} state
 * @param {string} square
 */
export function targetsFrom(state, square) {
  return squaresFrom(state, square).filter((each) => isRival(state, each));
}

/**
 * The squares, free and rivals', to which the piece on this square may move.
 *
 * @param {Ruled} state
 * @param {string} square
 */
function squaresFrom(state, square) {
  const gaits = gaitsOn(state, square);
  const near = new Set(state.rules.squares[square].neighbours);
  const found = new Set();
  if (["step", "two-steps", ...RUNNERS].some((gait) => gaits.has(gait))) for (const each of near) found.add(each);
  if (gaits.has("two-steps") || stepsFirst(state, square)) addTwoSteps(state, square, found, gaits.has("two-steps"));
  for (const gait of gaits) if (RUNNERS.has(gait)) addRuns(state, square, gait, found);
  found.delete(square);
  return inOrder(
    state,
    [...found].filter((each) => state.view.occupants[each] === undefined || isRival(state, each)),
  );
}

/**
 * @param {Ruled} state
 * @param {string} square
 * @param {string} gait
 * @param {Set<string>} found
 */
function addRuns(state, square, gait, found) {
  for (const line of state.rules.squares[square].lines) {
    let length = 0;
    for (const each of line) {
      found.add(each);
      if (state.view.occupants[each] !== undefined) break;
      length += 1;
      if (gait !== "run-and-turn" || length < 2) continue; // who turns attacks
      for (const beside of state.rules.squares[each].neighbours) if (isRival(state, beside)) found.add(beside);
    }
  }
}

/**
 * @param {Ruled} state
 * @param {string} square
 * @param {Set<string>} found
 * @param {boolean} free   whether the second step may be one to a free square
 */
function addTwoSteps(state, square, found, free) {
  for (const step of state.rules.squares[square].neighbours) {
    if (state.view.occupants[step] !== undefined) continue;
    for (const each of state.rules.squares[step].neighbours) if (free || isRival(state, each)) found.add(each);
  }
}

/**
 * Whether the piece may be an infiltrator who steps before he attacks or infiltrates.
 *
 * @param {Ruled} state
 * @param {string} square
 */
function stepsFirst(state, square) {
  return state.rules.steps_first && ranksOn(state, square).includes("infiltrator");
}

/**
 * @param {Ruled} state
 * @param {string} square
 */
function shotsFrom(state, square) {
  if (!ranksOn(state, square).includes("cannon")) return [];
  return inOrder(
    state,
    state.rules.squares[square].shots.filter((each) => isRival(state, each)),
  );
}

/**
 * @param {Ruled} state
 * @param {string} square
 */
export function infiltrationsFrom(state, square) {
  if (!ranksOn(state, square).includes("infiltrator")) return [];
  const steps = stepsFirst(state, square) ? state.rules.squares[square].neighbours : [];
  const stands = [square, ...steps.filter((each) => state.view.occupants[each] === undefined)];
  const found = stands.flatMap((stand) => state.rules.squares[stand].lines.flatMap((line) => line.slice(0, 2)));
  return inOrder(
    state,
    [...new Set(found)].filter((each) => isRival(state, each)),
  );
}

/**
 * The flags of Stratego 4 that the piece on this square carries.
 *
 * @param {OnBoard} state
 * @param {string} square
 */
export function flagsOn(state, square) {
  return state.view.flags.filter((flag) => flag.carried && flag.square === square).map((flag) => flag.seat);
}

/** @type {{ [act: string]: (state: Ruled, square: string) => string[] }} */
const WAYS = { attack: targetsFrom, infiltrate: infiltrationsFrom, fire: shotsFrom };

/**
 * Own squares from which something can be told, each with its targets.
 *
 * @param {Ruled} state
 * @param {string} act
 */
export function choicesOf(state, act) {
  if (act === "leave") {
    return ownSquares(state)
      .filter((square) => flagsOn(state, square).length > 0)
      .map((source) => ({ source, targets: [] }));
  }
  const from = act === "attack" && handsOf(state).length > 0 ? handsOf(state) : ownSquares(state);
  return inOrder(state, from)
    .map((source) => ({ source, targets: WAYS[act](state, source) }))
    .filter(({ targets }) => targets.length > 0);
}

/**
 * The table as it was before the own move that was read last, if its piece is up again and may be going on; null where it is not.
 *
 * @template {OnBoard} Before
 * @param {Before} state
 * @returns {Before | null}
 */
export function beforeRest(state) {
  const { view, seat, place } = state;
  const last = view.last_move;
  if (!last || last.final || last.seat !== place.seat || !view.in_hand.includes(last.target) || view.occupants[last.target] !== place.seat)
    return null;
  /** @type {<Of>(squares: { [square: string]: Of }) => { [square: string]: Of }} */
  const back = (squares) => {
    const { [last.target]: moved, ...others } = squares;
    return moved === undefined ? squares : { ...others, [last.source]: moved };
  };
  return {
    ...state,
    view: { ...view, occupants: back(view.occupants), in_hand: [last.source] },
    seat: seat && { ...seat, own: back(seat.own) },
  };
}

/**
 * Whether the rules are those of the game: another rule set may have been chosen, and its sheet be on its way.
 *
 * @param {Ruled} state
 */
function isOfGame({ rules, info }) {
  return rules.name === info.rule_set;
}

/**
 * Whether this seat's moves are decided elsewhere: then hands at the board show its attacks.
 *
 * @param {Ruled} state
 */
function isElsewhere({ info, place }) {
  return info.decided?.includes(place.seat) ?? false;
}

/**
 * What this seat may decide now, by the own piece: where it may go. Only of a seat whose moves are decided elsewhere is there anything.
 *
 * @param {Ruled} state
 * @returns {{ [source: string]: string[] }}
 */
export function decidable(state) {
  const { view, place } = state;
  const rests = view.phase === "waiting-for-move" || view.phase === "piece-in-hand";
  const waits = rests && view.turn === place.seat && !view.decided && view.last_move?.final !== false;
  if (!waits || !isElsewhere(state) || !isOfGame(state)) return {};
  const found = ownSquares(state).map((square) => [square, squaresFrom(state, square)]);
  return Object.fromEntries(found.filter(([, squares]) => squares.length > 0));
}

/**
 * Which attacks the pieces in the air could make now: [{ source, target }].
 *
 * @param {Ruled} state
 */
export function attacksNow(state) {
  const { view, place } = state;
  const before = beforeRest(state);
  if (!isOfGame(state) || isElsewhere(state)) return [];
  if (before === null && !(view.turn === place.seat && view.phase === "piece-in-hand")) return [];
  const at = before ?? state;
  return handsOf(at).flatMap((source) => targetsFrom(at, source).map((target) => ({ source, target })));
}

/**
 * The own squares from which an attack can be told with nothing in the hand.
 *
 * @param {Ruled} state
 */
export function pickable(state) {
  const { view, place } = state;
  const mine = view.turn === place.seat && isOfGame(state) && !isElsewhere(state);
  if (!mine || !["waiting-for-move", "piece-in-hand"].includes(view.phase)) return [];
  return handsOf(state).length === 0 ? choicesOf(state, "attack").map(({ source }) => source) : [];
}

/**
 * The own pieces in the air.
 *
 * @param {OnBoard} state
 */
export function handsOf(state) {
  return state.view.in_hand.filter((/** @type {string} */ square) => state.view.occupants[square] === state.place.seat);
}

/**
 * @param {Ruled} state
 * @param {Iterable<string>} squares
 */
function inOrder(state, squares) {
  const order = Object.keys(state.rules.squares);
  return [...squares].sort((one, other) => order.indexOf(one) - order.indexOf(other));
}
