// The event: pairings, their publication by a button, results, standings with the cross table, players, files for other programs.

import { h } from "../toolkit/dom.js";
import { t } from "../toolkit/words.js";
import { refusedText, timeText } from "./hall.js";

/** @import { Child } from "../toolkit/values.d.ts" */
/** @import { Act, Event, EventState, Me, Numbered, Paired, Player, Round, Standing } from "./types.d.ts" */
/** @typedef {{ currentTarget: HTMLInputElement | HTMLSelectElement }} Changed */
/** @typedef {{ event: Event, state: EventState, chief: boolean, act: Act }} About   what every part of the page is made of */

const RESULTS = ["red", "blue", "draw", "both-lose", "red-absent", "blue-absent", "both-absent"];
/** @type {{ [sign: string]: string }} */
const BYES = { U: "pairing", H: "half", Z: "zero", F: "full" };

/**
 * Return the page of the event; nothing until it is known.
 *
 * @param {EventState} state
 * @param {Me} me
 * @param {Act} act
 */
export function eventPage(state, me, act) {
  const { event, refused } = state;
  if (event === null) return h("div", { key: "event" }, refused && h("div", { class: "panel" }, refusedText(refused)));
  const about = { event, state, chief: me.role === "chief", act };
  const last = event.rounds.at(-1);
  return h(
    "div",
    { key: "event" },
    heading(event),
    refused && alert(refusedText(refused)),
    event.doubles.map((one) => alert(t("hall.double", { ...one, says: notedText(one.says) }))),
    event.stuck.map(({ table, why }) => alert(t("text.labelled", { label: `${t("hall.table")} ${table}`, text: t(`alert.${why}`) }))),
    buttons(about, last),
    event.draft &&
      h(
        "div",
        { class: "panel", key: "draft" },
        h("h3", {}, t("hall.draft", { round: event.draft.round })),
        pairings(about, event.draft, true),
      ),
    last &&
      h(
        "div",
        { class: "panel", key: "round" },
        h("h3", {}, t("hall.round", { round: last.round })),
        pairings(about, last, false),
        clock(about, last),
      ),
    h("div", { class: "panel", key: "standings" }, h("h3", {}, t("hall.standings")), standings(about)),
    players(about),
  );
}

/** @param {Event} event */
function heading({ id, name, players, rounds, planned }) {
  const counts = { players: players.length, round: rounds.length, planned };
  const file = (/** @type {string} */ kind) => h("a", { href: `/api/event.${kind}`, download: `${id}.${kind}` }, kind.toUpperCase());
  const soft = h("span", { class: "soft" }, t("hall.players-round", counts));
  return h("div", { class: "bar" }, h("h2", {}, name), soft, h("span", { class: "push" }), file("trf"), file("csv"));
}

/** @param {string} text */
function alert(text) {
  return h("div", { class: "answer no", role: "alert" }, text);
}

/**
 * @param {About} about
 * @param {Round | undefined} last
 */
function buttons({ event, chief, act }, last) {
  const open = last ? last.tables.filter((table) => !table.result).length : 0;
  const done = open > 0 || event.rounds.length >= event.planned;
  const press = (/** @type {string} */ name) => ({ click: () => act({ type: "event-act", name, given: {} }) });
  return h(
    "div",
    { class: "panel", key: "buttons" },
    h(
      "div",
      { class: "bar last" },
      h("button", { disabled: done, on: press("pair") }, t(event.draft ? "hall.pair-again" : "hall.pair")),
      h("button", { class: "main", disabled: !event.draft || !chief, on: press("publish") }, t("hall.publish")),
      open > 0 && h("span", { class: "soft" }, t("hall.open-tables", { count: open })),
    ),
  );
}

/** @param {string} result */
export function notedText(result) {
  if (result === "red" || result === "blue") return t("result.wins", { seat: t(`seat.${result}`) });
  if (result === "draw") return t("result.draw");
  if (result === "both-lose") return t("end.both-lose");
  if (result === "both-absent") return t("hall.both-absent");
  return t("hall.absent", { seat: t(`seat.${result.split("-")[0]}`) });
}

/**
 * Why a pairing is as it is: each reason a sentence, about the player whom it names.
 *
 * @param {Event} event
 * @param {string[]} reasons
 */
function why({ players }, reasons) {
  const name = (/** @type {string} */ number) => players.find((one) => one.number === Number(number))?.name ?? number;
  const sentence = (/** @type {string[]} */ [word, number = ""]) => t(`hall.why-${word}`, { name: number && name(number) });
  return reasons.map((reason) => sentence(reason.split(":"))).join(t("saw.apart"));
}

/**
 * A player's name, marked once he has withdrawn.
 *
 * @param {Event} event
 * @param {Numbered} player
 * @returns {Child}
 */
function who({ players }, { number, name }) {
  const gone = players.some((one) => one.number === number && one.gone);
  return gone ? [h("s", {}, name), " ", h("span", { class: "soft" }, t("hall.withdrawn"))] : name;
}

/**
 * @param {string} kind   its class
 * @param {Child[]} inside
 */
const td = (kind, ...inside) => h("td", { class: kind }, inside);

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
      h("td", { class: "no", "data-label": t("hall.table") }, table.table),
      side("red", table.red),
      side("blue", table.blue),
      td("wide", draft ? "" : result(about, round, table)),
      td("wide soft", why(event, table.reasons)),
      td("wide", draft || table.result || !chief ? "" : swap(about, round, table)),
    ),
  );
  const free = round.byes.map(({ player, kind, reasons }) =>
    h(
      "tr",
      { key: `bye ${player.number}` },
      h("td"),
      td("who", who(event, player)),
      h("td", { class: "wide soft", colspan: 2 }, t(`hall.bye-${kind}`)),
      td("wide soft", why(event, reasons)),
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
 * A choice that acts when something is chosen, and then shows what has come of it.
 *
 * @param {string} value
 * @param {[string | number, string][]} choices   each a value and its text
 * @param {string} label
 * @param {(value: string) => unknown} chosen
 * @param {boolean} [disabled]
 */
function choice(value, choices, label, chosen, disabled = false) {
  const options = choices.map(([one, text]) => h("option", { value: one }, text));
  const change = (/** @type {Changed} */ { currentTarget }) => chosen(currentTarget.value);
  return h("select", { value, "aria-label": label, disabled, on: { change } }, options);
}

/**
 * @param {About} about
 * @param {Round} round
 * @param {Paired} table
 */
function result({ chief, act }, { round }, { table, result: noted }) {
  const chosen = (/** @type {string} */ value) => act({ type: "result-chosen", round, table, noted, value });
  const choices = RESULTS.map((one) => /** @type {[string, string]} */ ([one, notedText(one)]));
  return choice(noted ?? "", [["", "–"], ...choices], t("hall.result-of", { table }), chosen, Boolean(noted) && !chief);
}

/**
 * Lets the players of a table change seats or boards; a game that is on is broken off and begun anew.
 *
 * @param {About} about
 * @param {Round} round
 * @param {Paired} table
 */
function swap({ act }, { round, tables }, { table }) {
  const others = tables.filter((one) => one.table !== table && !one.result);
  const chosen = (/** @type {string} */ value) => {
    if (value === "seats") act({ type: "event-act", name: "swap-seats", given: { round, table } });
    else act({ type: "event-act", name: "swap-boards", given: { round, table, other: Number(value) } });
  };
  const boards = others.map((one) => /** @type {[number, string]} */ ([one.table, t("hall.swap-with", { table: one.table })]));
  return choice("", [["", t("hall.swap")], ["seats", t("hall.swap-seats")], ...boards], t("hall.swap-of", { table }), chosen);
}

/**
 * What an input needs whose text the page's state holds.
 *
 * @param {About} about
 * @param {string} name
 */
function typed({ state, act }, name) {
  const note = (/** @type {Changed} */ { currentTarget }) => act({ type: "event-typed", name, value: currentTarget.value });
  return { value: state.typed[name] ?? "", on: { input: note, change: note } };
}

/**
 * When the round ends for all tables, for the chief to set anew or take away.
 *
 * @param {About} about
 * @param {Round} round
 */
function clock(about, { ends }) {
  const { state, chief, act } = about;
  const until = ends && h("span", {}, t("hall.clock-until", { time: timeText(ends.at_ms) }));
  if (!chief) return until;
  const atEnd = state.typed.at_end ?? ends?.at_end ?? "arbiter";
  const set = (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    act({
      type: "event-act",
      name: "clock",
      given: { minutes: Number(state.typed.minutes), at_end: atEnd },
      clears: ["minutes", "at_end"],
    });
  };
  const none = () => act({ type: "event-act", name: "clock", given: { minutes: null }, clears: ["minutes", "at_end"] });
  const options = ["arbiter", "draw"].map((word) => h("option", { value: word }, t(`hall.clock-${word}`)));
  const number = { class: "short", type: "number", min: 0, max: 1440, required: true, "aria-label": t("hall.clock-minutes") };
  return h(
    "form",
    { class: "bar clocks", on: { submit: set } },
    h("label", {}, `${t("hall.clock-minutes")} `, h("input", { ...number, ...typed(about, "minutes") })),
    h("select", { "aria-label": t("hall.clock-minutes"), ...typed(about, "at_end"), value: atEnd }, options),
    h("button", {}, t("hall.clock-set")),
    until,
    ends && h("button", { type: "button", key: "none", on: { click: none } }, t("hall.clock-none")),
  );
}

/**
 * The list of players: to enter late ones, to let others go, and to note who is free in the next round.
 *
 * @param {About} about
 */
function players(about) {
  const { event, state, chief, act } = about;
  const toggle = (/** @type {{ currentTarget: HTMLDetailsElement }} */ { currentTarget }) =>
    act({ type: "players-listed", listed: currentTarget.open });
  const rows = event.players.map((player) =>
    h(
      "tr",
      { key: `player ${player.number}` },
      td("no", player.number),
      h("td", {}, player.name),
      td("no", player.rating || ""),
      h("td", {}, player.federation),
      td("wide", player.gone || !chief ? "" : bye(about, player)),
      h("td", {}, player.gone ? t("hall.withdrawn") : chief && withdraw(player, act)),
    ),
  );
  return h(
    "details",
    { class: "panel", key: "players", open: state.listed, on: { toggle } },
    h("summary", {}, t("hall.players")),
    chief && enterForm(about),
    h("div", { class: "scroll" }, h("table", { class: "sheet stack" }, h("tbody", {}, rows))),
  );
}

/** @param {About} about */
function enterForm(about) {
  const { state, act } = about;
  const enter = (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    const { name = "", rating = "", federation = "" } = state.typed;
    const given = { name, rating: Number(rating), federation: federation.toUpperCase() };
    act({ type: "event-act", name: "enter", given, clears: ["name", "rating", "federation"] });
  };
  const field = (/** @type {string} */ name, /** @type {string} */ key, /** @type {string} */ label, /** @type {object} */ more) =>
    h("input", { ...more, placeholder: t(key), "aria-label": t(label), ...typed(about, name) });
  return h(
    "form",
    { class: "bar", on: { submit: enter } },
    field("name", "hall.name", "hall.new-player", { required: true, maxlength: 33 }),
    field("rating", "hall.rating", "hall.rating", { class: "short", type: "number", min: 0, max: 9999 }),
    field("federation", "hall.federation", "hall.federation", { class: "short", maxlength: 3, pattern: "[A-Za-z]{0,3}" }),
    h("button", {}, t("hall.enter")),
  );
}

/**
 * @param {Player} player
 * @param {Act} act
 */
function withdraw({ name, number }, act) {
  return h("button", { on: { click: () => act({ type: "withdraw-pressed", name, number }) } }, t("hall.withdraw"));
}

/**
 * A bye that a player asks for; in a round robin there is none.
 *
 * @param {About} about
 * @param {Player} player
 */
function bye({ event, act }, { name, number, bye: asked }) {
  const round = event.rounds.length + 1;
  if (event.system !== "swiss" || round > event.planned) return "";
  const chosen = (/** @type {string} */ kind) => act({ type: "event-act", name: "bye", given: { number, round, kind: kind || null } });
  const kinds = ["half", "zero"].map((kind) => /** @type {[string, string]} */ ([kind, t(`hall.bye-${kind}`)]));
  return choice(asked ?? "", [["", t("hall.bye-next")], ...kinds], `${t("hall.bye-next")}: ${name}`, chosen);
}

/** @param {About} about */
function standings({ event }) {
  const { tie_breaks: tieBreaks, rounds } = event;
  const heads = [
    [t("hall.place"), "no"],
    ["", "no"],
    [t("hall.name"), "name"],
    [t("hall.points"), "no"],
    ...tieBreaks.map((name) => [t(`hall.tie-${name}`), "no"]),
    ...rounds.map((round) => [String(round.round), "cell"]),
  ];
  const row = (/** @type {Standing} */ line) =>
    h(
      "tr",
      {},
      td("no", line.place),
      td("no soft", line.number),
      td("name", who(event, line)),
      td("no", line.points),
      tieBreaks.map((name) => td("no", String(line[name]))),
      line.rounds.map(cell),
    );
  const head = h(
    "tr",
    {},
    heads.map(([text, kind]) => h(text ? "th" : "td", { class: kind }, text)),
  );
  return h(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": t("hall.standings") },
    h("table", { class: "sheet tight", id: "standings" }, h("thead", {}, head), h("tbody", {}, event.standings.map(row))),
  );
}

/**
 * A cell of the cross table: the opponent's number, the colour as its mark, the sign of the result; a bye as a word.
 *
 * @param {string} text
 */
function cell(text) {
  const found = /^(\d+)([rb])(.*)$/.exec(text);
  if (found === null) return h("td", { title: t(`hall.bye-${BYES[text]}`) }, t("hall.bye"));
  const seat = found[2] === "r" ? "red" : "blue";
  return td("cell", found[1], h("span", { class: `mark ${seat}`, title: t(`seat.${seat}`) }), found[3]);
}
