// The event: its rounds with a button that publishes, standings with the cross table, players, rules, log, files for other programs.

import { h } from "../toolkit/dom.js";
import { t } from "../toolkit/words.js";
import { deed, logPanel, sentence } from "./event_log.js";
import { notedText, tableOf, td, who } from "./event_parts.js";
import { playersPanels } from "./event_players.js";
import { draftPanel, roundPanel } from "./event_round.js";
import { labelled, submits, tablesFrom, tablesText, tieBreaks, typing } from "./forms.js";
import { refusedText } from "./hall.js";

/** @import { Act, Event, EventState, Me, Round, Standing } from "./types.d.ts" */
/** @import { About, Ask } from "./event_parts.js" */

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
  /** @type {Ask} */
  const ask = (name, given, text, { needs = false, first = {} } = {}) =>
    act({ type: "event-asked", asked: { name, given, text, needs }, first });
  const about = { event, state, chief: me.role === "chief", act, ask };
  return h(
    "div",
    { key: "event" },
    heading(event, act),
    refused && alert(refused.error === "stale" ? meanwhile(event, refused.changes ?? []) : refusedText(refused)),
    state.done && doneLine(event, state),
    event.doubles.map((one) => alert(t("hall.double", { ...one, table: tableOf(event, one.table), says: notedText(one.says) }))),
    event.stuck.map(({ table, why }) =>
      alert(t("text.labelled", { label: `${t("hall.table")} ${tableOf(event, table)}`, text: t(`alert.${why}`) })),
    ),
    buttons(about),
    event.draft && draftPanel(about, event.draft),
    event.rounds.length > 0 && roundPanel(about),
    event.bracket.length > 0 && bracket(event),
    h(
      "div",
      { class: "panel", key: "standings" },
      h("h2", {}, t("hall.standings")),
      event.team_boards > 0 && standings(about, event.team_standings, t("hall.teams"), "teams"),
      standings(about, event.standings, t("hall.players"), "standings"),
    ),
    playersPanels(about),
    about.chief && settings(about),
    logPanel(about),
    state.asked && askedBar(about),
  );
}

/**
 * @param {Event} event
 * @param {Act} act
 */
function heading({ id, name, players, rounds, planned, played }, act) {
  const counts = { players: players.length, round: rounds.length, planned };
  const file = (/** @type {string} */ kind) => h("a", { href: `/api/event/${id}.${kind}`, download: `${id}.${kind}` }, kind.toUpperCase());
  const soft = h("span", { class: "soft" }, t("hall.players-round", counts));
  const go = (/** @type {{ currentTarget: HTMLSelectElement }} */ { currentTarget }) =>
    act({ type: "go", to: `event/${currentTarget.value}` });
  const options = played.map((one) => h("option", { value: one.id }, one.name));
  const title =
    played.length < 2 ? h("h2", {}, name) : h("select", { value: id, "aria-label": t("hall.tab-event"), on: { change: go } }, options);
  const pages = [
    h("a", { href: `/public/${id}/` }, t("public.players")),
    h("a", { href: `/prints/${id}/tables.html` }, t("public.prints")),
  ];
  return h("div", { class: "bar" }, title, soft, h("span", { class: "push" }), pages, file("trf"), file("trf26"), file("csv"));
}

/**
 * What was done last.
 *
 * @param {Event} event
 * @param {EventState} state
 */
function doneLine(event, { done, log }) {
  const order = deed(event, /** @type {import("./types.d.ts").Done} */ (done), log ?? []);
  return h("div", { class: "answer done", role: "status", key: "done" }, t("hall.order-done", { order }));
}

/** @param {import("../toolkit/values.d.ts").Child} inside */
function alert(inside) {
  return h("div", { class: "answer no", role: "alert" }, inside);
}

/**
 * What others did since this page looked.
 *
 * @param {Event} event
 * @param {import("./types.d.ts").LogEntry[]} changes
 */
function meanwhile(event, changes) {
  const items = changes.map((one) => h("li", { key: String(one.revision) }, sentence(event, one)));
  return [t("hall.changed-meanwhile"), items.length > 0 && h("ul", {}, items)];
}

/** @param {About} about */
function buttons({ event, chief, act, ask }) {
  const open = event.rounds.flatMap((round) => round.tables.filter((table) => !table.result)).length;
  const done = open > 0 || event.rounds.length >= event.planned;
  const last = event.rounds.at(-1);
  const press = (/** @type {string} */ name) => ({ click: () => act({ type: "event-act", name, given: {} }) });
  const takeBack = (/** @type {Round} */ { round }) => ask("unpublish", { round }, () => t("hall.sure-unpublish", { round }));
  return h(
    "div",
    { class: "panel", key: "buttons" },
    h(
      "div",
      { class: "bar last" },
      h("button", { key: "pair", disabled: done, on: press("pair") }, t(event.draft ? "hall.pair-again" : "hall.pair")),
      h("button", { key: "publish", class: "main", disabled: !event.draft || !chief, on: press("publish") }, t("hall.publish")),
      chief && event.draft && h("button", { key: "discard", on: press("discard") }, t("hall.discard")),
      chief &&
        last &&
        !event.draft &&
        last.tables.every((table) => !table.result) &&
        h("button", { key: "unpublish", on: { click: () => takeBack(last) } }, t("hall.unpublish")),
      open > 0 && h("span", { class: "soft", key: "open" }, t("hall.open-tables", { count: open })),
    ),
  );
}

/**
 * What is about to be done, with its reason and whatever else it needs, at the foot of the window.
 *
 * @param {About} about
 */
function askedBar({ state, act }) {
  const asked = /** @type {NonNullable<EventState["asked"]>} */ (state.asked);
  const field = typing(state.typed, (name, value) => act({ type: "event-typed", name, value }));
  const keydown = (/** @type {KeyboardEvent} */ { key }) => key === "Escape" && act({ type: "asked-left" });
  const text = asked.text();
  const inputs = asked.fields.map((name) => {
    const more = { name: { required: true, maxlength: 33 }, rating: { type: "number", min: 0, max: 9999 }, federation: { maxlength: 3 } };
    return labelled(t(`hall.${name}`), { .../** @type {any} */ (more)[name], ...field(`asked ${name}`) });
  });
  return h(
    "form",
    { class: "asked", key: `asked ${asked.nth}`, "aria-label": text, on: { ...submits(() => act({ type: "asked-sent" })), keydown } },
    h("p", {}, h("strong", {}, text)),
    inputs.length > 0 && h("div", { class: "fields" }, inputs),
    labelled(t(asked.needs ? "hall.why-needed" : "hall.why-may"), {
      ...{ required: asked.needs, maxlength: 200, focus: true, autocomplete: "off" },
      ...field("asked why"),
    }),
    h(
      "div",
      { class: "bar last" },
      h("button", { class: "main" }, t("hall.order-it")),
      h("button", { type: "button", on: { click: () => act({ type: "asked-left" }) } }, t("hall.leave-it")),
    ),
  );
}

/**
 * What the event is called, how it is played, at which tables.
 *
 * @param {About} about
 */
function settings({ event, state, act, ask }) {
  const field = typing(state.typed, (name, value) => act({ type: "event-typed", name, value }));
  const ties = tieBreaks(state.typed, field, event.tie_break_words, event.tie_breaks);
  const save = () => {
    const { title = event.name, planned = event.planned, tables = tablesText(event.tables) } = state.typed;
    const given = { name: String(title).trim(), rounds: Number(planned), tables: tablesFrom(String(tables)) };
    ask("settings", { ...given, tie_breaks: ties.chosen }, () => t("hall.settings"));
  };
  const number = { type: "number", min: Math.max(1, event.rounds.length), max: 99, required: true };
  return h(
    "details",
    { class: "panel", key: "settings" },
    h("summary", {}, t("hall.settings")),
    h(
      "form",
      { class: "fields", on: submits(save) },
      labelled(t("hall.event-name"), { required: true, maxlength: 80, ...field("title", event.name) }),
      labelled(t("hall.rounds"), { ...number, ...field("planned", String(event.planned)) }),
      labelled(t("hall.its-tables"), { pattern: "[0-9 ,–\\-]*", placeholder: "1-20", ...field("tables", tablesText(event.tables)) }),
      ties.fields,
      h("p", { class: "soft" }, t("hall.its-tables-how")),
      h("button", {}, t("hall.order-it")),
    ),
  );
}

/**
 * The stages of a knock-out; who has won a match is marked.
 *
 * @param {Event} event
 */
function bracket({ bracket: stages, players, teams, team_boards: boards }) {
  const all = boards > 0 ? teams : players;
  const named = (/** @type {number | null} */ number) => all.find((one) => one.number === number)?.name ?? "–";
  const stage = (/** @type {Event["bracket"][0]} */ matches, /** @type {number} */ at) =>
    h(
      "ol",
      { key: `stage ${at}` },
      matches.map(({ sides, winner }) =>
        h(
          "li",
          {},
          sides.flatMap((side, nth) => [nth > 0 && " – ", side && side === winner ? h("strong", {}, `${named(side)} ✓`) : named(side)]),
        ),
      ),
    );
  return h("div", { class: "panel", key: "bracket" }, h("h2", {}, t("hall.bracket")), h("div", { class: "stages" }, stages.map(stage)));
}

/**
 * The standings with their cross table, of players or teams; groups one after the other.
 *
 * @param {About} about
 * @param {Standing[]} lines
 * @param {string} label
 * @param {string} id
 */
function standings({ event }, lines, label, id) {
  const { tie_breaks: tieBreaks, rounds } = event;
  const heads = [
    ...(event.groups.length > 0 ? [[t("hall.group"), ""]] : []),
    [t("hall.place"), "no"],
    ["", "no"],
    [t("hall.name"), "name"],
    [t("hall.points"), "no"],
    ...tieBreaks.map((name) => [t(`hall.tie-${name}`), "no"]),
    ...rounds.map((/** @type {Round} */ round) => [String(round.round), "cell"]),
  ];
  const grouped = event.groups.length > 0;
  const row = (/** @type {Standing} */ line) =>
    h(
      "tr",
      {},
      grouped && td("", line.group ?? ""),
      td("no", line.place),
      td("no soft", line.number),
      td("name", id === "teams" ? line.name : who(event, line)),
      td("no", line.points),
      tieBreaks.map((name) => td("no", String(line[name] ?? ""))),
      line.rounds.map(cell),
    );
  const head = h(
    "tr",
    {},
    heads.map(([text, kind]) => h(text ? "th" : "td", { class: kind }, text)),
  );
  const said = t("text.labelled", { label: t("hall.standings"), text: label });
  return h(
    "div",
    { class: "scroll", key: id, tabindex: "0", role: "region", "aria-label": said },
    h("table", { class: "sheet tight", id }, h("thead", {}, head), h("tbody", {}, lines.map(row))),
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
