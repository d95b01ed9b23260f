// What the parts of the event's page share: how a result, a table and a player are called.

import { h } from "../toolkit/dom.js";
import { t } from "../toolkit/words.js";

/** @import { Act, Event, EventState } from "./types.d.ts" */
/** @typedef {{ needs?: boolean, first?: { [field: string]: string } }} Wanted   `first`: filled fields */
/**
 * Opens the form of an act, which says the reason; `text` says what it is in the language of now.
 *
 * @typedef {(name: string, given: object, text: () => string, more?: Wanted) => unknown} Ask
 */
/** @typedef {{ event: Event, state: EventState, chief: boolean, act: Act, ask: Ask }} About   what every part of the page is made of */

/** @param {string} result */
export function notedText(result) {
  if (result === "red" || result === "blue") return t("result.wins", { seat: t(`seat.${result}`) });
  if (result === "draw") return t("result.draw");
  if (result === "both-lose") return t("end.both-lose");
  if (result === "both-absent") return t("hall.both-absent");
  return t("hall.absent", { seat: t(`seat.${result.split("-")[0]}`) });
}

/**
 * Return the hall's table at which a table of the event plays.
 *
 * @param {Event} event
 * @param {number} table
 */
export function tableOf({ tables }, table) {
  return tables.length ? (tables[table - 1] ?? "–") : table;
}

/**
 * @param {string} kind   its class
 * @param {import("../toolkit/values.d.ts").Child[]} inside
 */
export const td = (kind, ...inside) => h("td", { class: kind }, inside);

/**
 * A player's name, marked once he has withdrawn.
 *
 * @param {Event} event
 * @param {{ number: number, name: string }} player
 * @returns {import("../toolkit/values.d.ts").Child}
 */
export function who({ players }, { number, name }) {
  const gone = players.some((one) => one.number === number && one.gone);
  return gone ? [h("s", {}, name), " ", h("span", { class: "soft" }, t("hall.withdrawn"))] : name;
}
