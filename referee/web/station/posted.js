// What the room's screen shows between the tables: where everybody sits until a round has begun, the standings once it is over.

import { h } from "../toolkit/dom.js";
import { t } from "../toolkit/words.js";
import { level } from "./tables.js";

/** @import { Drawn } from "../toolkit/values.d.ts" */
/** @import { Hall, Posted, Table } from "./types.d.ts" */
/** @typedef {{ name: string, cells: (string | number | Drawn)[] }} Row */

const LETTER_PX = 26;
const ROW_EM = 1.6;
const WIDTH_EM = { seats: 21, pairings: 34, standings: 21 };
const BAR_PX = 190;
const IDLE = [null, "lobby", "finished"];

/**
 * Return what is shown in turn with the tables; nothing while people play, or a table waits for the arbiter.
 *
 * @param {Posted[]} posted
 * @param {Hall} hall
 * @param {number} width   of the window
 * @param {number} height
 * @returns {Drawn[]}
 */
export function slides(posted, hall, width, height) {
  const tables = [...hall.tables.values()];
  if (tables.some((table) => level(table) === "urgent" && table.up)) return [];
  return posted.flatMap((event) => {
    const { round } = event;
    if (round === null) return [];
    if (round.tables.every((table) => table.result)) return sheets("standings", event, standings(event), width, height);
    if (hasBegun(event, round, tables)) return [];
    return [...sheets("seats", event, seats(round), width, height), ...sheets("pairings", event, pairings(round), width, height)];
  });
}

/**
 * Return whether half of a round's tables play, or have played.
 *
 * @param {Posted} event
 * @param {Posted["round"] & {}} round
 * @param {Table[]} tables
 */
function hasBegun({ id }, round, tables) {
  const isHere = (/** @type {Table} */ { occasion }) => occasion?.event === id && occasion.round === round.round;
  const playing = tables.filter((table) => isHere(table) && !IDLE.includes(table.phase)).length;
  return 2 * (playing + round.tables.filter((table) => table.result).length) >= round.tables.length;
}

/** @param {string} seat */
const mark = (seat) => h("span", { class: `mark ${seat}`, title: t(`seat.${seat}`) });

/**
 * @param {Posted["round"] & {}} round
 * @returns {Row[]}
 */
function seats({ tables, byes }) {
  const at = tables.flatMap(({ table, red, blue }) => [
    { name: red.name, cells: [red.name, h("b", {}, table), mark("red")] },
    { name: blue.name, cells: [blue.name, h("b", {}, table), mark("blue")] },
  ]);
  const free = byes.map(({ player: { name } }) => ({ name, cells: [name, t("hall.bye"), ""] }));
  return [...at, ...free].sort((a, b) => a.name.localeCompare(b.name));
}

/**
 * @param {Posted["round"] & {}} round
 * @returns {Row[]}
 */
function pairings({ tables }) {
  return tables.map(({ table, red, blue }) => ({
    name: String(table),
    cells: [h("b", {}, table), mark("red"), red.name, mark("blue"), blue.name],
  }));
}

/**
 * @param {Posted} event
 * @returns {Row[]}
 */
function standings(event) {
  return event.standings.flatMap(({ place, name, points, group }, at, all) => {
    const line = { name, cells: [place, name, h("b", {}, String(points))] };
    const begins = group !== undefined && group !== all[at - 1]?.group;
    return begins ? [{ name: `group ${group}`, cells: ["", h("b", {}, String(group) || "–"), ""] }, line] : [line];
  });
}

/**
 * Return rows as so many sheets as they need in letters that can be read from afar.
 *
 * @param {keyof typeof WIDTH_EM} kind
 * @param {Posted} event
 * @param {Row[]} rows
 * @param {number} width
 * @param {number} height
 */
function sheets(kind, { name, round }, rows, width, height) {
  const down = Math.max(1, Math.floor((height - BAR_PX) / (ROW_EM * LETTER_PX)));
  const across = Math.max(1, Math.floor((width - 32) / (WIDTH_EM[kind] * LETTER_PX)));
  const count = Math.ceil(rows.length / (down * across));
  const title = { seats: "public.seats", pairings: "public.pairings", standings: "hall.standings" }[kind];
  return Array.from({ length: count }, (_, page) => {
    const part = rows.slice(page * down * across, (page + 1) * down * across);
    const lines = Math.ceil(part.length / Math.ceil(part.length / down));
    return h(
      "section",
      { class: `posted ${kind}`, key: `${kind} ${name} ${page}` },
      h("h2", {}, name, " · ", t("hall.round", { round: round?.round ?? 0 }), " · ", t(title), count > 1 && ` ${page + 1}/${count}`),
      h(
        "ol",
        { style: `grid-template-rows: repeat(${lines}, auto); font-size: ${LETTER_PX}px` },
        part.map((row) => h("li", { key: row.name }, row.cells.map((cell) => h("span", {}, cell)))),
      ),
    );
  });
}
