// What a set-up has to be, made of what the referee says of the game (`pub/info`); nothing here knows a rule by itself.
//
//   const sheet = sheetOf(info, "red")
//
// `rows`: the zone as its player sees it, front row first, each square's name or null for a space that is not of the zone;
// `squares`: the same in one list; `army`: how many of each rank, as a Map from the strongest; `size`: pieces in all.

/** @import { Info } from "../../toolkit/published.d.ts" */
/** @import { Placed, SetUpSheet } from "../types.d.ts" */

/**
 * @param {Info} info
 * @param {string} seat
 */
export function sheetOf(info, seat) {
  const rows = info.zones[seat];
  const army = new Map(Object.entries(info.army));
  return {
    seat,
    rules: info.rule_set,
    rows,
    squares: rows.flat().filter((square) => square !== null),
    army,
    size: [...army.values()].reduce((sum, count) => sum + count, 0),
    numbers: info.numbers ?? {},
    filled: info.filled ?? true,
    exits: info.exits?.[seat] ?? [],
    immobile: new Set(info.immobile ?? []),
    board: { columns: info.board.columns, rows: info.board.rows, squares: info.board.squares.map((square) => square.name) },
    otherRows: Object.fromEntries(Object.entries(info.zones).filter(([other]) => other !== seat)),
  };
}

/**
 * How many pieces of each rank are not on the board yet, in the army's order; ranks of which none is left stay, with 0.
 *
 * @param {SetUpSheet} sheet
 * @param {Placed} placed
 */
export function left(sheet, placed) {
  const counts = new Map(sheet.army);
  for (const rank of placed.values()) counts.set(rank, (counts.get(rank) ?? 0) - 1);
  return counts;
}

/**
 * Squares of the zone that touch this one.
 *
 * @param {SetUpSheet} sheet
 * @param {string} square
 */
export function beside(sheet, square) {
  const row = sheet.rows.findIndex((each) => each.includes(square));
  const column = sheet.rows[row].indexOf(square);
  const near = [sheet.rows[row - 1]?.[column], sheet.rows[row + 1]?.[column], sheet.rows[row][column - 1], sheet.rows[row][column + 1]];
  return near.filter((each) => each !== null && each !== undefined);
}

/**
 * Everything that can be said of a set-up now: pieces left, and the warning that nothing could begin.
 *
 * @param {SetUpSheet} sheet
 * @param {Placed} placed
 */
export function check(sheet, placed) {
  const missing = sheet.size - placed.size;
  return { missing, complete: missing === 0, stuck: missing === 0 && !canBegin(sheet, placed) };
}

/**
 * @param {SetUpSheet} sheet
 * @param {Placed} placed
 */
function canBegin(sheet, placed) {
  return [...placed].some(
    ([square, rank]) =>
      !sheet.immobile.has(rank) && (sheet.exits.includes(square) || beside(sheet, square).some((near) => !placed.has(near))),
  );
}
