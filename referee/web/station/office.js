// What a chief sets up while the hall is open: which events are played, new ones, accounts, tables and their passes.

import { h } from "../toolkit/dom.js";
import { t } from "../toolkit/words.js";
import { choice, labelled, submits, tablesFrom, textOf, tieBreaks, typing } from "./forms.js";
import { refusedText } from "./hall.js";

/** @import { Act, Office, OfficeState, Pass } from "./types.d.ts" */

const FIRST_TIE_BREAKS = ["buchholz", "sonneborn-berger"];
const NAMES = ["full", "initials", "numbers"];
const BETWEEN_FILES_MS = 150; // Chromium drops what is more than ten files in a second
const QUIET = 4; // modules of white around a QR code

/**
 * Return the page of what is set up; nothing until it is known.
 *
 * @param {OfficeState} state
 * @param {string} mine   the name of who looks
 * @param {Act} act
 */
export function officePage(state, mine, act) {
  const { told, refused, passes, made } = state;
  const said = [
    refused && h("div", { class: "answer no", role: "alert", key: "refused" }, refusedText(refused)),
    made !== null && h("div", { class: "answer done", role: "status", key: "done" }, t("hall.event-made", { name: made })),
  ];
  if (told === null) return h("div", { key: "office" }, said);
  return h(
    "div",
    { key: "office" },
    said,
    passes.length > 0 && passesPanel(passes, act),
    eventsPanel(told, act),
    newEvent(told, state, act),
    told.secure ? accounts(told, mine, state, act) : needsHttps(),
    told.secure && tables(told, state, act),
  );
}

/**
 * @param {OfficeState} state
 * @param {Act} act
 */
const fields = ({ typed }, act) => typing(typed, (name, value) => act({ type: "office-typed", name, value }));

/**
 * @param {Office} told
 * @param {Act} act
 */
function eventsPanel({ events, names: usual }, act) {
  const played = events.filter((event) => event.plays).map((event) => event.id);
  const rows = events.map(({ id, name, system, players, round, planned, plays, names }) => {
    const wanted = plays ? played.filter((one) => one !== id) : [...played, id];
    const toggled = () => act({ type: "office-act", name: "play", given: { events: wanted } });
    const box = h("input", { type: "checkbox", checked: plays, on: { change: toggled } });
    const counts = t("hall.players-round", { players, round, planned });
    return h(
      "tr",
      { key: id },
      h("td", { class: "wide" }, h("label", { class: "tick" }, box, name)),
      h("td", { class: "soft" }, t(`hall.system-${system}`)),
      h("td", { class: "wide soft" }, counts),
      h("td", { class: "wide" }, publicNames(id, name, names ?? usual, act)),
    );
  });
  const none = events.length === 0 && h("p", { class: "soft" }, t("hall.events-none"));
  const list = h("div", { class: "scroll" }, h("table", { class: "sheet stack" }, h("tbody", {}, rows)));
  const heads = [h("h2", {}, t("hall.events")), h("p", { class: "soft" }, t("hall.events-how"))];
  return h("div", { class: "panel", key: "events" }, heads, none || list);
}

/**
 * What players are called where everybody reads it.
 *
 * @param {string} event
 * @param {string} name
 * @param {string} now
 * @param {Act} act
 */
function publicNames(event, name, now, act) {
  const words = NAMES.map((word) => /** @type {[string, string]} */ ([word, t(`hall.names-${word}`)]));
  const chosen = (/** @type {string} */ names) => act({ type: "office-act", name: "names", given: { event, names } });
  return h("label", { class: "field" }, h("span", {}, t("hall.names")), choice(now, words, t("hall.names-of", { name }), chosen));
}

/**
 * @param {Office} told
 * @param {OfficeState} state
 * @param {Act} act
 */
function newEvent({ systems, tie_breaks: all }, state, act) {
  const field = fields(state, act);
  const ties = tieBreaks(state.typed, field, all, FIRST_TIE_BREAKS);
  const made = () => {
    const { title = "", system = "swiss", rounds = "7", players = "" } = state.typed;
    const { accelerated = "", draws = "replay", boards = "0", tables: own = "" } = state.typed;
    const given = {
      ...{ name: title.trim(), system, rounds: Number(rounds), tie_breaks: ties.chosen, tables: tablesFrom(own) },
      ...(system === "swiss" && accelerated ? { accelerated: true } : {}),
      ...(system === "knock-out" ? { draws } : {}),
      ...(Number(boards) ? { team_boards: Number(boards) } : {}),
    };
    act({ type: "office-act", name: "event", given, text: players, clears: ["title", "players", "tables"] });
  };
  const read = async (/** @type {{ currentTarget: HTMLInputElement }} */ { currentTarget }) => {
    const [file] = currentTarget.files ?? [];
    if (file) act({ type: "office-typed", name: "players", value: await textOf(file) });
  };
  const system = systems.map((one) => h("option", { value: one }, t(`hall.system-${one}`)));
  return h(
    "details",
    { class: "panel", key: "new" },
    h("summary", {}, t("hall.new-event")),
    h(
      "form",
      { class: "fields", on: submits(made) },
      labelled(t("hall.event-name"), { required: true, maxlength: 80, ...field("title") }),
      labelled(t("hall.system"), field("system", "swiss"), "select", system),
      labelled(t("hall.rounds"), { type: "number", min: 1, max: 99, required: true, ...field("rounds", "7") }),
      ...more(state.typed.system ?? "swiss", field),
      labelled(t("hall.its-tables"), { pattern: "[0-9 ,–\\-]*", placeholder: "1-20", ...field("tables") }),
      h("p", { class: "soft" }, t("hall.its-tables-how")),
      ties.fields,
      labelled(t("hall.players-list"), { class: "list", rows: 6, spellcheck: "false", ...field("players") }, "textarea"),
      h("p", { class: "soft" }, t("hall.players-how")),
      labelled(t("hall.players-file"), { type: "file", accept: ".csv,.txt,.trf,.trfx,text/*", on: { change: read } }),
      h("button", { class: "main" }, t("hall.make-event")),
    ),
  );
}

/**
 * What else some systems need.
 *
 * @param {string} system
 * @param {ReturnType<typeof fields>} field
 */
function more(system, field) {
  const draws = ["replay", "higher-seed"].map((word) => h("option", { value: word }, t(`hall.draws-${word}`)));
  const yes = [h("option", { value: "" }, t("hall.no")), h("option", { value: "yes" }, t("hall.accelerated"))];
  return [
    labelled(t("hall.team-boards"), { type: "number", min: 0, max: 6, ...field("boards", "0") }),
    system === "swiss" && labelled(t("hall.accelerated"), field("accelerated"), "select", yes),
    system === "knock-out" && labelled(t("hall.draws"), field("draws", "replay"), "select", draws),
  ];
}

/** Why there are neither accounts nor passes here, and what to do about it. */
function needsHttps() {
  return h(
    "div",
    { class: "panel", key: "https" },
    h("h2", {}, t("hall.accounts-and-passes")),
    h("p", {}, t("hall.https-why")),
    h("p", {}, t("hall.https-how")),
    h("p", {}, h("code", { lang: "en" }, "hallmarshal station serve --https")),
  );
}

/**
 * @param {Office} told
 * @param {string} mine
 * @param {OfficeState} state
 * @param {Act} act
 */
function accounts({ accounts: all }, mine, state, act) {
  const field = fields(state, act);
  const roles = ["arbiter", "chief"].map((role) => /** @type {[string, string]} */ ([role, t(`hall.role-${role}`)]));
  const put = (/** @type {object} */ given, /** @type {string[]} */ clears = []) =>
    act({ type: "office-act", name: "account", given, clears });
  const rows = all.map(({ name, role }) => {
    const kept = `password of ${name}`;
    const anew = () => put({ name, role, password: state.typed[kept] ?? "" }, [kept]);
    const sure = () => confirm(t("hall.sure-remove", { name })) && act({ type: "office-act", name: "account-remove", given: { name } });
    const label = t("hall.password-of", { name });
    const secret = { type: "password", autocomplete: "new-password", minlength: 8, required: true, "aria-label": label };
    return h(
      "tr",
      { key: `account ${name}` },
      h("td", { class: "who" }, name),
      h("td", {}, choice(role, roles, t("hall.role-of", { name }), (to) => put({ name, role: to }), name === mine)),
      h(
        "td",
        { class: "wide" },
        h(
          "form",
          { class: "bar last", on: submits(anew) },
          h("input", { ...secret, placeholder: t("hall.password-new"), ...field(kept) }),
          h("button", {}, t("hall.password-set")),
        ),
      ),
      h("td", {}, h("button", { class: "grave", disabled: name === mine, on: { click: sure } }, t("hall.remove"))),
    );
  });
  const { account = "", role = "arbiter", secret = "" } = state.typed;
  const add = () => put({ name: account.trim(), role, password: secret }, ["account", "secret"]);
  return h(
    "div",
    { class: "panel", key: "accounts" },
    h("h2", {}, t("hall.accounts")),
    h("div", { class: "scroll" }, h("table", { class: "sheet stack" }, h("tbody", {}, rows))),
    h(
      "form",
      { class: "bar clocks", on: submits(add) },
      h("input", {
        ...{ placeholder: t("hall.name"), "aria-label": t("hall.account-name") },
        ...{ required: true, maxlength: 40, autocomplete: "off", ...field("account") },
      }),
      choice(role, roles, t("hall.role"), (value) => act({ type: "office-typed", name: "role", value })),
      h("input", {
        ...{ type: "password", autocomplete: "new-password", minlength: 8, required: true },
        ...{ placeholder: t("hall.password"), "aria-label": t("hall.password"), ...field("secret") },
      }),
      h("button", {}, t("hall.account-add")),
    ),
    h("p", { class: "soft" }, t("hall.accounts-how")),
  );
}

/**
 * @param {Office} told
 * @param {OfficeState} state
 * @param {Act} act
 */
function tables({ tables: all }, state, act) {
  const field = fields(state, act);
  const anew = (/** @type {string} */ board) => () =>
    confirm(t("hall.sure-pass", { table: board })) && act({ type: "office-act", name: "pass-anew", given: { board } });
  const rows = all.map(({ number, board, up }) =>
    h(
      "tr",
      { key: `table ${board}` },
      h("td", { class: "no", "data-label": t("hall.table") }, number),
      h("td", {}, board),
      h("td", { class: "soft" }, t(up ? "hall.table-here" : "hall.table-away")),
      h("td", {}, h("button", { "aria-label": t("hall.pass-anew-of", { table: board }), on: { click: anew(board) } }, t("hall.pass-anew"))),
    ),
  );
  const more = { class: "short", type: "number", min: 1, max: 40, required: true, ...field("count", "1") };
  const add = () => act({ type: "office-act", name: "tables", given: { count: Number(state.typed.count ?? 1) } });
  return h(
    "div",
    { class: "panel", key: "tables" },
    h("h2", {}, t("hall.tables")),
    h("p", { class: "soft" }, t("hall.passes-how")),
    h("div", { class: "scroll" }, h("table", { class: "sheet stack" }, h("tbody", {}, rows))),
    h(
      "form",
      { class: "bar clocks", on: submits(add) },
      h("label", {}, `${t("hall.tables-more")} `, h("input", more)),
      h("button", {}, t("hall.passes-make")),
    ),
  );
}

/**
 * Passes, which are shown this once: to be printed, kept as files, and put away.
 *
 * @param {Pass[]} passes
 * @param {Act} act
 */
function passesPanel(passes, act) {
  const saveAll = () =>
    passes.forEach(({ board, text }, at) => setTimeout(() => act({ type: "pass-saved", board, text }), at * BETWEEN_FILES_MS));
  const cards = passes.map(({ board, text, code }) => {
    const save = () => act({ type: "pass-saved", board, text });
    return h(
      "div",
      { class: "pass", key: board },
      h("h3", {}, board),
      qr(code),
      h("button", { class: "unprinted", on: { click: save } }, t("hall.pass-save", { file: `${board}.pass` })),
    );
  });
  return h(
    "div",
    { class: "panel printed", key: "passes" },
    h("h2", {}, t("hall.passes")),
    h("p", {}, t("hall.passes-once")),
    h(
      "div",
      { class: "bar unprinted" },
      h("button", { class: "main", on: { click: () => print() } }, t("hall.print")),
      h("button", { on: { click: saveAll } }, t("hall.pass-save-all")),
      h("button", { on: { click: () => act({ type: "passes-put-away" }) } }, t("hall.put-away")),
    ),
    h("div", { class: "passes" }, cards),
  );
}

/**
 * Return a QR code as a picture.
 *
 * @param {string[]} rows   of 0 and 1
 */
function qr(rows) {
  const dark = rows.flatMap((row, y) => [...row].map((bit, x) => (bit === "1" ? `M${x + QUIET} ${y + QUIET}h1v1h-1z` : "")));
  const size = rows.length + 2 * QUIET;
  return h(
    "svg",
    { class: "qr", viewBox: `0 0 ${size} ${size}`, role: "img", "aria-label": t("hall.pass-code") },
    h("rect", { width: size, height: size, fill: "#fff" }),
    h("path", { d: dark.join(""), fill: "#000" }),
  );
}
