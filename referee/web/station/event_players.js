// The event's players: late entries, names, withdrawals and byes; who is here before a round; who has to meet and who must not.

import { h } from "../toolkit/dom.js";
import { t } from "../toolkit/words.js";
import { td } from "./event_parts.js";
import { choice, labelled, submits, tablesFrom, textOf, typing } from "./forms.js";

/** @import { Child } from "../toolkit/values.d.ts" */
/** @import { PairRule, Player } from "./types.d.ts" */
/** @import { About } from "./event_parts.js" */

/**
 * Return the panels about players.
 *
 * @param {About} about
 * @returns {Child[]}
 */
export function playersPanels(about) {
  const { chief, event } = about;
  return [checkIn(about), players(about), chief && event.team_boards > 0 && teams(about), chief && byes(about), chief && rules(about)];
}

/** @param {About} about */
const noting = ({ state, act }) => typing(state.typed, (name, value) => act({ type: "event-typed", name, value }));

/**
 * Who is here before the next round: an arbiter ticks; whoever is not ticked is free in that round.
 *
 * @param {About} about
 * @returns {Child}
 */
function checkIn({ event, chief, act }) {
  const { check_in: open, next_round: round, players: all, system, planned } = event;
  if (system !== "swiss" || round > planned || (open === null && !chief)) return false;
  const here = all.filter((player) => !player.gone);
  const press = (/** @type {string} */ name, /** @type {object} */ given) => ({ click: () => act({ type: "event-act", name, given }) });
  const everybody = press("check-in-open", { round, present: here.map((player) => player.number) });
  const ticks = here.map(({ number, name, present }) => {
    const change = () => act({ type: "event-act", name: "check-in", given: { round, number, present: !present } });
    const box = h("input", { type: "checkbox", checked: Boolean(present), on: { change } });
    return h("label", { class: "tick", key: `here ${number}` }, box, name);
  });
  const inside =
    open === null
      ? [
          h("p", { class: "soft" }, t("hall.check-in-how")),
          h("button", { on: press("check-in-open", { round, present: [] }) }, t("hall.check-in-open", { round })),
        ]
      : [
          h("p", {}, t("hall.check-in-count", { count: open.present.length, players: here.length })),
          chief &&
            h(
              "div",
              { class: "bar" },
              h("button", { on: everybody }, t("hall.check-in-all")),
              h("button", { on: press("check-in-end", {}) }, t("hall.check-in-end")),
            ),
          h("div", { class: "ticks" }, ticks),
        ];
  return h("details", { class: "panel", key: "check-in", open: open !== null }, h("summary", {}, t("hall.check-in", { round })), inside);
}

/**
 * The list of players: to enter late ones, to let others go, and to note who is free in the next round.
 *
 * @param {About} about
 */
function players(about) {
  const { event, state, chief, act, ask } = about;
  const groups = event.system !== "knock-out" && event.team_boards === 0;
  const toggle = (/** @type {{ currentTarget: HTMLDetailsElement }} */ { currentTarget }) =>
    act({ type: "players-listed", listed: currentTarget.open });
  const edit = (/** @type {Player} */ { number, name, rating, federation }) =>
    ask("edit", { number }, () => t("hall.edit-of", { name }), { first: { name, rating: String(rating), federation } });
  const rows = event.players.map((player) => {
    const { number, name, gone } = player;
    const back = () => ask("reinstate", { number }, () => t("hall.log-reinstate", { name }));
    const away = () => ask("withdraw", { number }, () => t("hall.sure-withdraw", { name }));
    return h(
      "tr",
      { key: `player ${number}` },
      td("no", number),
      h("td", {}, gone ? h("s", {}, name) : name),
      td("no", player.rating || ""),
      h("td", {}, player.federation),
      h("td", { class: "soft" }, event.teams.find((team) => team.number === player.team)?.name ?? ""),
      groups && chief ? h("td", {}, group(about, player)) : h("td", { class: "soft" }, player.group),
      td("wide", gone || !chief ? (gone ? t("hall.withdrawn") : "") : bye(about, player)),
      h("td", {}, chief && h("button", { "aria-label": t("hall.edit-of", { name }), on: { click: () => edit(player) } }, t("hall.edit"))),
      h("td", {}, chief && h("button", { on: { click: gone ? back : away } }, t(gone ? "hall.reinstate" : "hall.withdraw"))),
    );
  });
  return h(
    "details",
    { class: "panel", key: "players", open: state.listed, on: { toggle } },
    h("summary", {}, t("hall.players")),
    chief && enterForm(about),
    h("div", { class: "scroll" }, h("table", { class: "sheet stack" }, h("tbody", {}, rows))),
    chief && importForm(about),
  );
}

/**
 * The group of a player: paired and placed apart from the others.
 *
 * @param {About} about
 * @param {Player} player
 */
function group({ event, act }, { number, name, group: now }) {
  const names = [...new Set([...event.groups.map((one) => one.name), ..."ABCD"])].sort();
  const choices = names.map((one) => /** @type {[string, string]} */ ([one, `${t("hall.group")} ${one}`]));
  const chosen = (/** @type {string} */ to) => act({ type: "event-act", name: "group", given: { number, group: to } });
  return choice(now, [["", "–"], ...choices], `${t("hall.group")}: ${name}`, chosen);
}

/**
 * Teams, each with its players in board order.
 *
 * @param {About} about
 */
function teams(about) {
  const { event, state, act } = about;
  const field = noting(about);
  const note = (/** @type {string} */ name, /** @type {string} */ value) => act({ type: "event-typed", name, value });
  const { team = "", team_name: name = "", team_players: numbers = "" } = state.typed;
  const pick = (/** @type {string} */ number) => {
    const found = event.teams.find((one) => String(one.number) === number);
    note("team", number);
    note("team_name", found?.name ?? "");
    note("team_players", found?.players.join(", ") ?? "");
  };
  const save = () => {
    const given = { number: team ? Number(team) : null, name: name.trim(), players: tablesFrom(numbers) };
    act({ type: "event-act", name: "team", given, clears: ["team", "team_name", "team_players"] });
  };
  const named = (/** @type {number} */ number) => event.players[number - 1]?.name ?? number;
  const rows = event.teams.map((one) =>
    h("li", { key: `team ${one.number}` }, h("strong", {}, one.name), ": ", one.players.map(named).join(", ")),
  );
  const all = event.teams.map((one) => /** @type {[number, string]} */ ([one.number, one.name]));
  return h(
    "details",
    { class: "panel", key: "teams" },
    h("summary", {}, t("hall.teams")),
    h("ol", {}, rows),
    h(
      "form",
      { class: "fields", on: submits(save) },
      choice(team, [["", t("hall.team-new")], ...all], t("hall.team"), pick),
      labelled(t("hall.name"), { required: true, maxlength: 33, ...field("team_name") }),
      labelled(t("hall.team-players"), { required: true, pattern: "[0-9 ,–\\-]*", placeholder: "3, 7, 12", ...field("team_players") }),
      h("button", {}, t("hall.order-it")),
    ),
  );
}

/** @param {About} about */
function enterForm(about) {
  const { state, act } = about;
  const noted = noting(about);
  const enter = () => {
    const { name = "", rating = "", federation = "" } = state.typed;
    const given = { name, rating: Number(rating), federation: federation.toUpperCase() };
    act({ type: "event-act", name: "enter", given, clears: ["name", "rating", "federation"] });
  };
  const field = (/** @type {string} */ name, /** @type {string} */ key, /** @type {string} */ label, /** @type {object} */ more) =>
    h("input", { ...more, placeholder: t(key), "aria-label": t(label), ...noted(name) });
  return h(
    "form",
    { class: "bar", on: submits(enter) },
    field("name", "hall.name", "hall.new-player", { required: true, maxlength: 33 }),
    field("rating", "hall.rating", "hall.rating", { class: "short", type: "number", min: 0, max: 9999 }),
    field("federation", "hall.federation", "hall.federation", { class: "short", maxlength: 3, pattern: "[A-Za-z]{0,3}" }),
    h("button", {}, t("hall.enter")),
  );
}

/**
 * Players from a list, or the next round's pairings from another program's TRF.
 *
 * @param {About} about
 */
function importForm(about) {
  const { state, act } = about;
  const read = async (/** @type {{ currentTarget: HTMLInputElement }} */ { currentTarget }) => {
    const [file] = currentTarget.files ?? [];
    if (file) act({ type: "event-typed", name: "list", value: await textOf(file) });
  };
  const send = () => act({ type: "event-act", name: "import", given: {}, text: state.typed.list ?? "", clears: ["list"] });
  return h(
    "form",
    { class: "fields", on: submits(send) },
    labelled(t("hall.players-list"), { rows: 3, required: true, spellcheck: "false", ...noting(about)("list") }, "textarea"),
    h("p", { class: "soft" }, t("hall.import-how")),
    labelled(t("hall.players-file"), { type: "file", accept: ".csv,.txt,.trf,.trfx,text/*", on: { change: read } }),
    h("button", {}, t("hall.import")),
  );
}

/**
 * A bye that a player asks for; in a round robin there is none.
 *
 * @param {About} about
 * @param {Player} player
 */
function bye({ event, act }, { name, number, bye: asked }) {
  const round = event.next_round;
  if (event.system !== "swiss" || round > event.planned || event.team_boards > 0) return "";
  const chosen = (/** @type {string} */ kind) => act({ type: "event-act", name: "bye", given: { number, round, kind: kind || null } });
  const kinds = ["half", "zero", "full"].map((kind) => /** @type {[string, string]} */ ([kind, t(`hall.bye-${kind}`)]));
  return choice(asked ?? "", [["", t("hall.bye-next")], ...kinds], `${t("hall.bye-next")}: ${name}`, chosen);
}

/**
 * Who is free in which round to come: players, or teams where they meet.
 *
 * @param {About} about
 * @returns {Child}
 */
function byes(about) {
  const { event, state, act } = about;
  const { system, next_round: next, planned, team_boards: boards } = event;
  const sides = boards > 0 ? event.teams : event.players.filter((player) => !player.gone);
  if (system !== "swiss" || next > planned || sides.length === 0) return false;
  const rows = event.requested
    .filter(({ round }) => round >= next)
    .map(({ number, round, kind }) => {
      const name = sides.find((one) => one.number === number)?.name ?? number;
      const text = t("hall.log-bye", { round, name, kind: t(`hall.bye-${kind}`) });
      const away = () => act({ type: "event-act", name: "bye", given: { number, round, kind: null } });
      const button = { "aria-label": t("hall.rule-remove", { rule: text }), on: { click: away } };
      return h("li", { key: `bye ${number} ${round}` }, text, " ", h("button", button, t("hall.remove")));
    });
  const names = sides.map((one) => /** @type {[number, string]} */ ([one.number, one.name]));
  const rounds = Array.from({ length: planned - next + 1 }, (_, at) => next + at);
  const { bye_who: who = String(names[0][0]), bye_round: noted = "", bye_kind: kind = "half" } = state.typed;
  const round = Number(noted) >= next ? Number(noted) : next; // a round may have been published since
  const note = (/** @type {string} */ name) => (/** @type {string} */ value) => act({ type: "event-typed", name, value });
  const add = () => act({ type: "event-act", name: "bye", given: { number: Number(who), round, kind }, clears: ["bye_who"] });
  const inRound = rounds.map((one) => /** @type {[number, string]} */ ([one, t("hall.round", { round: one })]));
  const kinds = ["half", "zero", "full"].map((one) => /** @type {[string, string]} */ ([one, t(`hall.bye-${one}`)]));
  return h(
    "details",
    { class: "panel", key: "byes" },
    h("summary", {}, t("hall.byes")),
    h("ul", {}, rows),
    h(
      "form",
      { class: "fields", on: submits(add) },
      choice(who, names, t("hall.bye-who"), note("bye_who")),
      choice(String(round), inRound, t("hall.bye-round"), note("bye_round")),
      choice(kind, kinds, t("hall.bye-kind"), note("bye_kind")),
      h("button", {}, t("hall.rule-add")),
    ),
  );
}

/**
 * Pairings that the chief wants or forbids.
 *
 * @param {About} about
 * @returns {Child}
 */
function rules(about) {
  const { event, state, act, ask } = about;
  if (event.system !== "swiss" || event.players.length < 2) return false;
  const meet = event.team_boards > 0 ? event.teams : event.players.filter((player) => !player.gone);
  const named = (/** @type {number} */ number) => meet.find((one) => one.number === number)?.name ?? String(number);
  const text = (/** @type {PairRule} */ { players: [one, other], kind, round }) =>
    t(`hall.rule-${kind}${round === null ? "-always" : ""}`, { name: named(one), other: named(other), round: round ?? "" });
  const rows = event.pair_rules.map((rule) => {
    const label = () => t("hall.rule-remove", { rule: text(rule) });
    const away = () => ask("pair-rule", { players: rule.players, kind: null, round: rule.round }, label);
    return h(
      "li",
      { key: `${rule.players} ${rule.round}` },
      text(rule),
      " ",
      h("button", { "aria-label": label(), on: { click: away } }, t("hall.remove")),
    );
  });
  const names = meet.map((one) => /** @type {[number, string]} */ ([one.number, one.name]));
  const [first, second] = names.map(([number]) => String(number));
  const { rule_one: one = first, rule_other: other = second, rule_kind: kind = "forbidden-always" } = state.typed;
  const note = (/** @type {string} */ name) => (/** @type {string} */ value) => act({ type: "event-typed", name, value });
  const add = () => {
    const round = kind === "forbidden-always" ? null : event.next_round;
    const rule = { players: [Number(one), Number(other)], kind: kind.split("-")[0], round };
    ask("pair-rule", rule, () => text(/** @type {PairRule} */ (rule)));
  };
  const kinds = ["forbidden-always", "forbidden", "forced"].map(
    (word) => /** @type {[string, string]} */ ([word, t(`hall.kind-${word}`, { round: event.next_round })]),
  );
  return h(
    "details",
    { class: "panel", key: "rules" },
    h("summary", {}, t("hall.pair-rules")),
    h("ul", {}, rows),
    h(
      "form",
      { class: "fields", on: submits(add) },
      choice(one, names, t("hall.rule-one"), note("rule_one")),
      choice(other, names, t("hall.rule-other"), note("rule_other")),
      choice(kind, kinds, t("hall.pair-rules"), note("rule_kind")),
      h("button", { disabled: one === other }, t("hall.rule-add")),
    ),
  );
}
