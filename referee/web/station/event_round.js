// A round of the event: who meets whom and why, results and their corrections, byes, swaps, the clock of the round.

import { h } from "../toolkit/dom.js";
import { t } from "../toolkit/words.js";
import { notedText, tableOf, td, who } from "./event_parts.js";
import { choice, submits, typing } from "./forms.js";
import { timeText } from "./hall.js";

/** @import { Numbered, Paired, Round } from "./types.d.ts" */
/** @import { About } from "./event_parts.js" */

const RESULTS = ["red", "blue", "draw", "both-lose", "red-absent", "blue-absent", "both-absent"];
const BYES = ["pairing", "half", "zero", "full"];

/**
 * Return the proposed round.
 *
 * @param {About} about
 * @param {Round} draft
 */
export function draftPanel(about, draft) {
  return h("div", { class: "panel", key: "draft" }, h("h2", {}, t("hall.draft", { round: draft.round })), pairings(about, draft, true));
}

/**
 * Return the round that was chosen; the last one where none was.
 *
 * @param {About} about
 */
export function roundPanel(about) {
  const { event, state, act } = about;
  const last = /** @type {Round} */ (event.rounds.at(-1));
  const shown = event.rounds.find((one) => one.round === state.round) ?? last;
  const rounds = event.rounds.map(({ round }) => {
    const chosen = () => act({ type: "round-chosen", round });
    const pressed = String(round === shown.round);
    const said = { "aria-pressed": pressed, "aria-label": t("hall.round", { round }) };
    return h("button", { key: `round ${round}`, ...said, on: { click: chosen } }, round);
  });
  return h(
    "div",
    { class: "panel", key: "round" },
    h(
      "div",
      { class: "bar" },
      h("h2", {}, t("hall.round", { round: shown.round })),
      rounds.length > 1 && h("div", { class: "rounds" }, rounds),
    ),
    shown.matches && matches(about, shown),
    pairings(about, shown, false),
    shown === last && late(about, shown),
    shown === last && clock(about, shown),
  );
}

/**
 * How the teams stand in this round.
 *
 * @param {About} about
 * @param {Round} round
 */
function matches({ event }, { matches: all = [] }) {
  const named = (/** @type {number} */ number) => event.teams.find((team) => team.number === number)?.name ?? number;
  const rows = all.map(({ teams: [one, other], points }) =>
    h("li", { key: `${one} ${other}` }, named(one), " – ", named(other), ": ", h("strong", {}, points.join(" : "))),
  );
  return h("ul", { "aria-label": t("hall.matches"), key: "matches" }, rows);
}

/**
 * Why a pairing is as it is: each reason a sentence, about the player or the team whom it names.
 *
 * @param {{number: number, name: string}[]} sides
 * @param {string[]} reasons
 */
function why(sides, reasons) {
  const name = (/** @type {string} */ number) => sides.find((one) => one.number === Number(number))?.name ?? number;
  const sentence = (/** @type {string[]} */ [word, number = ""]) => t(`hall.why-${word}`, { name: number && name(number) });
  return reasons.map((reason) => sentence(reason.split(":"))).join(t("saw.apart"));
}

/**
 * @param {About} about
 * @param {Round} round
 * @param {boolean} draft
 */
function pairings(about, round, draft) {
  const { event, chief } = about;
  const side = (/** @type {string} */ seat, /** @type {Numbered} */ player) =>
    h("td", { class: "who", "data-label": t(`seat.${seat}`) }, who(event, player));
  const heads = [t("hall.table"), t("seat.red"), t("seat.blue"), draft ? "" : t("record.result"), t("hall.why"), ""];
  const rows = round.tables.map((table) =>
    h(
      "tr",
      { key: `table ${table.table}` },
      h("td", { class: "no", "data-label": t("hall.table") }, tableOf(event, table.table)),
      side("red", table.red),
      side("blue", table.blue),
      td("wide", draft ? "" : result(about, round, table)),
      td("wide soft", why(event.team_boards ? event.teams : event.players, table.reasons)),
      td("wide", draft || !chief ? "" : others(about, round, table)),
    ),
  );
  const free = round.byes.map(({ player, kind, reasons }) =>
    h(
      "tr",
      { key: `bye ${player.number}` },
      h("td"),
      td("who", who(event, player)),
      h("td", { class: "wide soft", colspan: 2 }, draft || !chief ? t(`hall.bye-${kind}`) : byeOf(about, round, player, kind)),
      td("wide soft", why(event.players, reasons)),
      h("td"),
    ),
  );
  const head = h(
    "tr",
    {},
    heads.map((text) => h(text ? "th" : "td", {}, text)),
  );
  return h("div", { class: "scroll" }, h("table", { class: "sheet stack" }, h("thead", {}, head), h("tbody", {}, rows, free)));
}

/**
 * A table's result: the first is noted at once, another one is a correction with its reason.
 *
 * @param {About} about
 * @param {Round} round
 * @param {Paired} table
 */
function result({ event, chief, act, ask }, { round }, { table, result: noted }) {
  const shown = tableOf(event, table);
  const chosen = (/** @type {string} */ value) => {
    if (!noted) return act({ type: "result-chosen", round, table, value });
    const values = () => ({ round, table: shown, before: notedText(noted), after: value ? notedText(value) : "–" });
    return ask("correct", { round, table, result: value || null }, () => t("hall.correct-result", values()), { needs: true });
  };
  const choices = RESULTS.map((one) => /** @type {[string, string]} */ ([one, notedText(one)]));
  return choice(noted ?? "", [["", "–"], ...choices], t("hall.result-of", { table: shown }), chosen, Boolean(noted) && !chief);
}

/**
 * What else may be changed at a table: seats and boards of a game without a result, which is broken off and begun anew; that the two sat
 * the other way round.
 *
 * @param {About} about
 * @param {Round} round
 * @param {Paired} table
 */
function others({ event, act, ask }, { round, tables }, { table, result: noted }) {
  const last = round === event.rounds.length;
  const free = noted || !last ? [] : tables.filter((one) => one.table !== table && !one.result);
  const shown = (/** @type {number} */ one) => tableOf(event, one);
  const chosen = (/** @type {string} */ value) => {
    if (value === "correct-seats") {
      ask("correct-seats", { round, table }, () => t("hall.correct-seats-of", { round, table: shown(table) }), { needs: true });
    } else if (value === "seats") act({ type: "event-act", name: "swap-seats", given: { round, table } });
    else act({ type: "event-act", name: "swap-boards", given: { round, table, other: Number(value) } });
  };
  const boards = free.map((one) => /** @type {[number, string]} */ ([one.table, t("hall.swap-with", { table: shown(one.table) })]));
  /** @type {[string | number, string][]} */
  const choices = noted || !last ? [["correct-seats", t("hall.correct-seats")]] : [["seats", t("hall.swap-seats")], ...boards];
  return choice("", [["", t("hall.swap")], ...choices], t("hall.swap-of", { table: shown(table) }), chosen);
}

/**
 * @param {About} about
 * @param {Round} round
 * @param {Numbered} player
 * @param {string} kind
 */
function byeOf({ ask }, { round }, { number, name }, kind) {
  const chosen = (/** @type {string} */ value) => {
    const text = () => t("hall.correct-bye-of", { round, name, kind: t(`hall.bye-${value}`) });
    ask("correct-bye", { round, number, kind: value }, text, { needs: true });
  };
  const kinds = BYES.map((one) => /** @type {[string, string]} */ ([one, t(`hall.bye-${one}`)]));
  return choice(kind, kinds, t("hall.bye-of", { name }), chosen);
}

/**
 * Two who are free in the last round may play after all: somebody came late.
 *
 * @param {About} about
 * @param {Round} round
 */
function late({ event, state, chief, act, ask }, { round, byes }) {
  const free = byes.map((bye) => bye.player).filter(({ number }) => !event.players.some((one) => one.number === number && one.gone));
  if (!chief || free.length < 2) return false;
  const note = (/** @type {string} */ name) => (/** @type {string} */ value) => act({ type: "event-typed", name, value });
  const names = free.map(({ number, name }) => /** @type {[number, string]} */ ([number, name]));
  const { late_red: red = String(free[0].number), late_blue: blue = String(free[1].number) } = state.typed;
  const name = (/** @type {string} */ number) => free.find((one) => String(one.number) === number)?.name ?? "";
  const play = () => {
    const text = () => t("hall.log-pair-free", { round, name: name(red), other: name(blue) });
    ask("pair-free", { round, red: Number(red), blue: Number(blue) }, text);
  };
  return h(
    "form",
    { class: "bar clocks", key: "late", on: submits(play) },
    h("span", {}, t("hall.late")),
    choice(red, names, t("seat.red"), note("late_red")),
    choice(blue, names, t("seat.blue"), note("late_blue")),
    h("button", { disabled: red === blue }, t("hall.pair-free")),
  );
}

/**
 * When the round ends for all tables, for the chief to set anew or take away.
 *
 * @param {About} about
 * @param {Round} round
 */
function clock({ state, chief, act }, { ends }) {
  const until = ends && h("span", {}, t("hall.clock-until", { time: timeText(ends.at_ms) }));
  if (!chief) return until;
  const field = typing(state.typed, (name, value) => act({ type: "event-typed", name, value }));
  const atEnd = state.typed.at_end ?? ends?.at_end ?? "arbiter";
  const clears = ["minutes", "at_end"];
  const set = () => act({ type: "event-act", name: "clock", given: { minutes: Number(state.typed.minutes), at_end: atEnd }, clears });
  const none = () => act({ type: "event-act", name: "clock", given: { minutes: null }, clears });
  const options = ["arbiter", "draw"].map((word) => h("option", { value: word }, t(`hall.clock-${word}`)));
  const number = { class: "short", type: "number", min: 0, max: 1440, required: true, "aria-label": t("hall.clock-minutes") };
  return h(
    "form",
    { class: "bar clocks", key: "clock", on: submits(set) },
    h("label", {}, `${t("hall.clock-minutes")} `, h("input", { ...number, ...field("minutes") })),
    h("select", { "aria-label": t("hall.clock-at-end"), ...field("at_end"), value: atEnd }, options),
    h("button", {}, t("hall.clock-set")),
    until,
    ends && h("button", { type: "button", key: "none", on: { click: none } }, t("hall.clock-none")),
  );
}
