// A set-up as text (docs/reference/set-up-format.md): ours, and what players paste from elsewhere. The same as
// `referee/journal/records/set_up_text.py` reads and writes; a test holds the two against each other.
//
//   write(sheet, placed)      the text, seen from the player's chair, front row first
//   read(sheet, text)         { placed } or { faults: [{ kind, line, text, rank, number }] }, every fault at once

/** @import { Fault, Line, Placed, SetUpSheet } from "../types.d.ts" */

const MAGIC = "hallmarshal set-up";
const VERSION = "1";
const MOST_CHARACTERS = 10000;
const SHOWN_CHARACTERS = 20;

const BLANKS = " \\t\\f\\v\\u00a0";
const EDGES = new RegExp(`^[${BLANKS}]+|[${BLANKS}]+$`, "g");
const RULES = new RegExp(`^rules[${BLANKS}]*=[${BLANKS}]*([^${BLANKS}]+)$`);
const BETWEEN = new RegExp(`[${BLANKS},;|'"\\[\\]()=]+`);
const EMPTY = new Set([".", "-", "_"]);
/** @type {{ [letter: string]: string }} */
const LETTERS = { f: "flag", b: "bomb", i: "infiltrator", c: "cannon", s: "spy", m: "marshal" };
const TEN = new Set(["0", "x"]);

// StraDoS3: red's letters begin at B, blue's at N (docs/reference/record-format.md).
const STRADOS = "bomb spy scout miner sergeant lieutenant captain major colonel general marshal flag".split(" ");
const SIDE = 10;

/**
 * @param {SetUpSheet} sheet
 * @param {Placed} placed
 */
export function write(sheet, placed) {
  const rows = sheet.rows.map((row) =>
    row.map((square) => (square === null ? "-" : sign(sheet, placed.get(square))).padStart(2)).join(" "),
  );
  return [`${MAGIC} ${VERSION}`, `rules = ${sheet.rules}`, "", ...rows, ""].join("\n");
}

/**
 * @param {SetUpSheet} sheet
 * @param {string} text
 * @returns {{ faults: Fault[] } | { placed: Placed }}
 */
export function read(sheet, text) {
  if ([...text].length > MOST_CHARACTERS) return { faults: [fault("too-long")] };
  const lines = linesOf(text);
  const heading = takeHeading(lines);
  if (heading.fault) return { faults: [heading.fault] };
  if (!lines.length) return { faults: [fault("nothing")] };
  const { placed, faults } = letters(sheet, lines) ?? bySquare(sheet, lines) ?? byRow(sheet, lines);
  const counts = new Map();
  for (const rank of placed.values()) counts.set(rank, (counts.get(rank) ?? 0) + 1);
  const whole = placed.size === sheet.size && [...sheet.army].every(([rank, count]) => counts.get(rank) === count);
  if (heading.rules && heading.rules !== sheet.rules && (faults.length || !whole)) {
    return { faults: [fault("rules", { text: short(heading.rules) })] };
  }
  for (const [rank, count] of sheet.army) {
    if (counts.get(rank) > count) faults.push(fault("too-many", { rank, number: counts.get(rank) - count }));
  }
  return faults.length ? { faults } : { placed };
}

/**
 * @param {string} kind
 * @param {Partial<Fault>} [given]
 * @returns {Fault}
 */
function fault(kind, { line = 0, text = "", rank = null, number = 0 } = {}) {
  return { kind, line, text, rank, number };
}

function finding() {
  /** @type {Placed} */
  const placed = new Map();
  /** @type {Fault[]} */
  const faults = [];
  const put = (/** @type {number} */ line, /** @type {string} */ square, /** @type {string} */ rank) => {
    if (placed.has(square)) faults.push(fault("twice", { line, text: square }));
    placed.set(square, rank);
  };
  return { placed, faults, put };
}

/** @param {string} text */
function linesOf(text) {
  const cut = text.replace(/^\ufeff/, "").split(/\r\n|\r|\n|\//);
  const lines = cut.map((line, at) => /** @type {Line} */ ([at + 1, line.replace(EDGES, "")]));
  return lines.filter(([, line]) => line && !line.startsWith("#"));
}

/** @param {Line[]} lines */
function takeHeading(lines) {
  if (lines.length && lines[0][1].toLowerCase().startsWith(MAGIC)) {
    const [[line, text]] = lines.splice(0, 1);
    if (text.slice(MAGIC.length).replace(EDGES, "") !== VERSION) return { fault: fault("version", { line }) };
  }
  const found = lines.length ? RULES.exec(lines[0][1]) : null;
  if (found) lines.shift();
  return { rules: found?.[1] };
}

/**
 * @param {SetUpSheet} sheet
 * @param {Line[]} lines
 */
function letters(sheet, lines) {
  let joined = lines.map(([, line]) => line.replace(new RegExp(`[${BLANKS}]`, "g"), "")).join("");
  if (joined.length === SIDE * SIDE + 1 && /[rb]$/.test(joined)) joined = joined.slice(0, -1); // whose turn it is
  if (!/^[A-Ya-y_]+$/.test(joined)) return null;
  const upper = joined.toUpperCase();
  let pieces;
  if (upper.length === SIDE * SIDE && sheet.board.columns === SIDE && sheet.board.rows === SIDE) pieces = ownArmy(sheet, upper);
  else if (upper.length === sheet.squares.length) pieces = new Map(armyOf(upper, (at) => sheet.squares[at]).map(([, ...piece]) => piece));
  else return null;
  const found = finding();
  const line = lines[0][0];
  for (const [square, rank] of pieces) {
    if (!sheet.army.has(rank)) found.faults.push(fault("sign", { line, text: rank }));
    else if (!sheet.squares.includes(square)) found.faults.push(fault("square", { line, text: square }));
    else found.put(line, square, rank);
  }
  return found;
}

/**
 * [army, square, rank] of every piece that the letters show.
 *
 * @param {string} upper
 * @param {(at: number) => string} squareAt
 * @returns {[army: string, square: string, rank: string][]}
 */
function armyOf(upper, squareAt) {
  return [...upper].flatMap((letter, at) => {
    const number = letter.charCodeAt(0) - "B".charCodeAt(0);
    if (letter === "_" || number < 0 || number >= 2 * STRADOS.length) return [];
    return [[number < STRADOS.length ? "red" : "blue", squareAt(at), STRADOS[number % STRADOS.length]]];
  });
}

/**
 * @param {SetUpSheet} sheet
 * @param {string} upper
 */
function ownArmy(sheet, upper) {
  const all = armyOf(upper, (at) => `${"abcdefghij"[at % SIDE]}${Math.floor(at / SIDE) + 1}`);
  const army = (/** @type {string} */ seat) => new Map(all.filter(([owner]) => owner === seat).map(([, ...piece]) => piece));
  const own = army(sheet.seat);
  if (own.size) return own;
  const other = sheet.seat === "red" ? "blue" : "red";
  const theirs = (sheet.otherRows[other] ?? []).flat().filter((square) => square !== null);
  const turned = new Map(theirs.map((square, at) => [square, sheet.squares[at]]));
  return new Map([...army(other)].map(([square, rank]) => [turned.get(square) ?? square, rank]));
}

/**
 * @param {SetUpSheet} sheet
 * @param {Line[]} lines
 */
function bySquare(sheet, lines) {
  const split = lines.map(([number, line]) => /** @type {const} */ ([number, tokens(line)]));
  const first = split[0][1];
  if (first.length !== 2 || !sheet.board.squares.includes(first[0].toLowerCase())) return null;
  const found = finding();
  for (const [line, [named = "", ...rest]] of split) {
    const square = named.toLowerCase();
    const rank = rest.length === 1 ? rankOf(sheet, rest[0]) : null;
    if (!sheet.squares.includes(square)) found.faults.push(fault("square", { line, text: short(named) }));
    else if (rank === null) found.faults.push(fault("sign", { line, text: short(rest.join(" ")) }));
    else found.put(line, square, rank);
  }
  return found;
}

/**
 * @param {SetUpSheet} sheet
 * @param {Line[]} lines
 */
function byRow(sheet, lines) {
  const columns = sheet.rows[0].length;
  const signs = lines.flatMap(([number, line]) => {
    const cut = tokens(line);
    const each = cut.length === 1 && columns > 1 && [...cut[0]].length === columns ? [...cut[0]] : cut;
    return each.map((one) => /** @type {Line} */ ([number, one]));
  });
  const places = signs.length === sheet.squares.length ? sheet.squares : sheet.rows.flat();
  const found = finding();
  if (signs.length !== places.length) {
    found.faults.push(fault("rows", { number: signs.length }));
    return found;
  }
  signs.forEach(([line, one], at) => {
    if (EMPTY.has(one)) return;
    const [rank, place] = [rankOf(sheet, one), places[at]];
    if (rank === null || place === null) found.faults.push(fault("sign", { line, text: short(one) }));
    else found.put(line, place, rank);
  });
  return found;
}

/** @param {string} line */
function tokens(line) {
  return line.split(BETWEEN).filter((token) => token);
}

/**
 * @param {SetUpSheet} sheet
 * @param {string} one
 */
function rankOf(sheet, one) {
  const low = one.toLowerCase();
  for (const rank of sheet.army.keys()) {
    const number = sheet.numbers[rank];
    if (low === rank || (Object.hasOwn(LETTERS, low) && LETTERS[low] === rank)) return rank;
    if (number !== undefined && (String(number) === low || (number === 10 && TEN.has(low)))) return rank;
  }
  return null;
}

/** @param {string} text */
function short(text) {
  return [...text].slice(0, SHOWN_CHARACTERS).join("");
}

/**
 * @param {SetUpSheet} sheet
 * @param {string | undefined} rank
 */
function sign(sheet, rank) {
  if (rank === undefined) return ".";
  const number = sheet.numbers[rank];
  if (number !== undefined) return String(number);
  const letter = Object.keys(LETTERS).find((each) => LETTERS[each] === rank);
  return letter ? letter.toUpperCase() : rank;
}
