// The event's log: who did what, when and why; and how an act is taken back.

import { h } from "../toolkit/dom.js";
import { has, t } from "../toolkit/words.js";
import { notedText, tableOf } from "./event_parts.js";
import { timeText } from "./hall.js";

/** @import { Done, Event, LogEntry } from "./types.d.ts" */
/** @import { About } from "./event_parts.js" */

const STATION = "station";
const OF_TEAMS = ["bye", "pair-rule"]; // in an event of teams these are about teams

/**
 * Return what was done, as a sentence with who did it and why.
 *
 * @param {Event} event
 * @param {LogEntry} entry
 * @param {LogEntry[]} log   where an act is found that another one takes back
 */
export function sentence(event, entry, log = []) {
  const { who, why } = entry;
  const by = who === STATION ? t("hall.by-board") : who;
  const text = deed(event, entry, log);
  const done = by ? t("text.labelled", { label: by, text }) : text;
  return why ? `${done} (${why})` : done;
}

/**
 * Return what was done, without who did it.
 *
 * @param {Event} event
 * @param {Done} done
 * @param {LogEntry[]} log
 * @returns {string}
 */
export function deed(event, { act, given }, log) {
  const undone = act === "undo" && log.find((entry) => entry.revision === given.entry);
  if (undone) return t("hall.log-undo-of", { act: deed(event, undone, log) });
  const sides = event.team_boards > 0 && OF_TEAMS.includes(act) ? event.teams : event.players;
  const named = (/** @type {any} */ number) => sides[Number(number) - 1]?.name ?? "";
  const table = (/** @type {any} */ one) => String(tableOf(event, Number(one)));
  const { round = "", result, number, players = [] } = given;
  const [one, other] = Array.isArray(players) ? players : [];
  const said = {
    round,
    table: given.table === undefined ? "" : table(given.table),
    other: act === "swap-boards" ? table(given.other) : named(act === "pair-free" ? given.blue : other),
    name: number === undefined || act === "team" ? (given.name ?? named(act === "pair-free" ? given.red : one)) : named(number),
    result: result ? notedText(result) : "–",
    kind: has(`hall.bye-${given.kind}`) ? t(`hall.bye-${given.kind}`) : "–",
    group: given.group || "–",
    count: Array.isArray(players) ? players.length : 0,
    results: Object.entries(given.tables ?? {})
      .map(([at, what]) => t("text.labelled", { label: `${t("hall.table")} ${table(at)}`, text: saidBy(given, Number(at), String(what)) }))
      .join(", "),
  };
  if (act === "check-in" && given.present === false) return t("hall.log-check-out", said);
  if (act === "pair-rule" && given.kind === null) return t("hall.log-pair-rule-gone", said);
  return has(`hall.log-${act}`) ? t(`hall.log-${act}`, said) : t("hall.log-changed", said);
}

/**
 * Return a result as a board said it; where an arbiter had ended its game, with that.
 *
 * @param {Done["given"]} given
 * @param {number} table
 * @param {string} what
 */
function saidBy({ ruled = [] }, table, what) {
  return ruled.includes(table) ? `${notedText(what)} (${t("end.ruled")})` : notedText(what);
}

/**
 * Return the log, newest first.
 *
 * @param {About} about
 */
export function logPanel({ event, state, chief, act, ask }) {
  const toggle = (/** @type {{ currentTarget: HTMLDetailsElement }} */ { currentTarget }) =>
    act({ type: "log-opened", opened: currentTarget.open });
  const button = (/** @type {string} */ text, /** @type {() => unknown} */ click) =>
    h("button", { "aria-label": t("hall.undo-of", { act: text }), on: { click } }, t("hall.undo"));
  const log = state.log ?? [];
  const rows = [...log].reverse().map((entry) => {
    const undo = () => ask("undo", { entry: entry.revision }, () => t("hall.undo-of", { act: deed(event, entry, log) }));
    const text = sentence(event, entry, log);
    return h(
      "tr",
      { key: `entry ${entry.revision}` },
      h("td", { class: "soft no" }, timeText(entry.at_ms)),
      h("td", { class: "wide said" }, entry.undone ? h("s", {}, text) : text),
      h("td", {}, chief && entry.undoable && button(text, undo)),
    );
  });
  return h(
    "details",
    { class: "panel", key: "log", open: state.logged, on: { toggle } },
    h("summary", {}, t("hall.log")),
    h("div", { class: "scroll" }, h("table", { class: "sheet stack" }, h("tbody", {}, rows))),
  );
}
