// The set-up screen as values for dom.js, in the parts that the page around it has places for: what is left to do (headline), the
// zone, tray and tools (body), and one button that leads on. `act(what)` takes every act; nothing else goes out of here.

import { h } from "../../toolkit/dom.js";
import { goes } from "../cells.js";
import { ears } from "../parts.js";
import { piece, shownNumber } from "../pieces.js";
import { has, t } from "../../toolkit/words.js";
import { same } from "./draft.js";
import { check, left } from "./sheet.js";

/** @import { Places } from "../cells.js" */
/** @import { Attributes } from "../../toolkit/values.d.ts" */
/** @import { About, Act, Drag, Fault, Press, SetUpSheet, SetUpState, Shown } from "../types.d.ts" */

const MOST_IN_LINE = 7; // of the tray, on a phone of 360 px
const WIDE = 8; // columns from which a square is taller than wide, so that a thumb finds it

/**
 * `about`: { purpose: "enrol" or "consent", ready, wishes, kept: [[name, text], ...] }; `drag`: see drag.js.
 *
 * @param {SetUpSheet} sheet
 * @param {SetUpState} state
 * @param {Shown} about
 * @param {Drag} drag
 * @param {Act} act
 */
export function body(sheet, state, about, drag, act) {
  const parts =
    state.panel === null
      ? [zone(sheet, state, about, drag, act), faults(sheet, state), tray(sheet, state, about, drag, act), tools(sheet, state, act)]
      : [state.panel === "saved" ? savedDrawer(state, about, act) : textDrawer(state, act), faults(sheet, state)];
  return h("section", { class: `enrol ${sheet.seat}`, key: "enrol" }, parts);
}

/** @param {Act} act */
export function hidden(act) {
  return h(
    "section",
    { class: "enrol hidden", key: "enrol" },
    h("button", { type: "button", class: "show", on: { click: () => act({ type: "show" }) } }, h("span", {}, t("set-up.show"))),
  );
}

/**
 * @param {SetUpSheet} sheet
 * @param {SetUpState} state
 * @param {About} about
 * @param {Drag} drag
 * @param {Act} act
 */
function zone(sheet, state, about, drag, act) {
  const place = (/** @type {string | null} */ square) => {
    if (square === null) return h("span", { class: "gap", "aria-hidden": "true" });
    return squareButton(sheet, state, about, drag, act, square);
  };
  const title = t(`set-up.title-${about.purpose}`);
  const at = sheet.rows.flatMap((row, py) => row.map((square, px) => [square, { px: 100 * px, py: 100 * py }]));
  const spots = Object.fromEntries(at.filter(([square]) => square !== null));
  return h(
    "div",
    { class: "zone-board" },
    h("p", { class: "front" }, t("set-up.front")),
    h(
      "div",
      { class: sheet.rows[0].length > WIDE ? "zone wide" : "zone", role: "grid", "aria-label": title, on: arrows(spots) },
      sheet.rows.map((row) => h("div", { class: "line", role: "row" }, row.map(place))),
    ),
  );
}

/**
 * Return what makes a grid or a toolbar one stop of the tab key, from which arrows go on.
 *
 * @param {Places} places
 */
function arrows(places) {
  return { keydown: (/** @type {Event} */ event) => goes(places, event) };
}

/**
 * @param {SetUpSheet} sheet
 * @param {SetUpState} state
 * @param {About} about
 * @param {Drag} drag
 * @param {Act} act
 * @param {string} square
 */
function squareButton(sheet, state, about, drag, act, square) {
  const rank = state.draft.placed.get(square);
  const picked = state.draft.picked?.square === square;
  return h(
    "button",
    {
      type: "button",
      key: square,
      class: `square${picked ? " picked" : ""}${rank ? " filled" : ""}`,
      "data-square": square,
      role: "gridcell",
      tabindex: square === sheet.squares[0] ? "0" : "-1",
      "aria-selected": picked ? "true" : "false",
      on: drag.hears(rank ? { square } : null, () => act({ type: "square", square })),
    },
    rank ? [drawn(sheet, about, rank), ears(`${square} ${t(`rank.${rank}`)}`)] : h("span", { class: "name" }, square),
  );
}

/**
 * @param {SetUpSheet} sheet
 * @param {About} about
 * @param {string} rank
 */
function drawn(sheet, about, rank) {
  return piece(sheet.seat, { rank, number: shownNumber(rank, sheet.numbers, about.wishes.direction) });
}

/**
 * @param {SetUpSheet} sheet
 * @param {SetUpState} state
 * @param {About} about
 * @param {Drag} drag
 * @param {Act} act
 */
function tray(sheet, state, about, drag, act) {
  const counts = [...left(sheet, state.draft.placed)];
  const lines = Math.ceil(counts.length / MOST_IN_LINE);
  const columns = Math.ceil(counts.length / lines);
  const pick = (/** @type {[string, number]} */ [rank, count]) =>
    h(
      "button",
      {
        type: "button",
        key: rank,
        class: `spare${state.draft.picked?.rank === rank ? " picked" : ""}`,
        "data-rank": rank,
        "data-tray": "",
        tabindex: rank === counts[0][0] ? "0" : "-1",
        "aria-pressed": state.draft.picked?.rank === rank ? "true" : "false",
        ...idle(count === 0),
        on: drag.hears(count > 0 ? { rank } : null, () => act({ type: "tray", rank })),
      },
      drawn(sheet, about, rank),
      ears(t(`rank.${rank}`)),
      h("span", { class: "count" }, count),
    );
  const spots = Object.fromEntries(
    counts.map(([rank], at) => [rank, { px: 100 * (at % columns), py: 100 * Math.floor(at / columns) }]),
  );
  const cut = Array.from({ length: lines }, (_, line) => counts.slice(line * columns, (line + 1) * columns));
  const fill = (/** @type {unknown[]} */ line) => Array.from({ length: columns - line.length }, () => h("span", {}));
  return h(
    "div",
    { class: "tray", "data-tray": "", role: "toolbar", "aria-label": t("set-up.tray"), on: arrows(spots) },
    cut.map((line) => h("div", { class: "line" }, line.map(pick), fill(line))),
  );
}

/**
 * What is left to do, in a line for the eye and one for what goes with it; `mine` while it is the player who has to act.
 *
 * @param {SetUpSheet} sheet
 * @param {SetUpState} state
 * @param {About} about
 */
export function headline(sheet, state, about) {
  const { missing, complete, stuck } = check(sheet, state.draft.placed);
  const { picked, placed } = state.draft;
  const mine = (/** @type {string} */ text, /** @type {string} */ detail) => ({ text, detail, tone: "mine" });
  const title = t(`set-up.title-${about.purpose}`);
  if (about.covered) return { text: title, detail: t("set-up.hidden"), tone: "" };
  if (state.panel !== null) return { text: t(`set-up.${state.panel}`), detail: title, tone: "" };
  if (picked?.rank)
    return mine(
      t("set-up.picked-rank", { rank: t(`rank.${picked.rank}`), number: left(sheet, placed).get(picked.rank) }),
      t("set-up.tap-square"),
    );
  if (picked?.square)
    return mine(t("set-up.picked-square", { rank: t(`rank.${placed.get(picked.square)}`), square: picked.square }), t("set-up.tap-square"));
  if (!complete) return mine(t("set-up.missing", { number: missing }), title);
  const warning = stuck ? t("set-up.stuck") : null;
  if (about.purpose === "consent" || state.handed === null) return mine(t("set-up.complete"), warning ?? title);
  if (!same(state.handed, placed)) return mine(t("set-up.changed"), warning ?? t("set-up.before"));
  return { text: t("set-up.handed-in"), detail: warning ?? t("set-up.may-change"), tone: "" };
}

/**
 * @param {SetUpSheet} sheet
 * @param {SetUpState} state
 */
export function faultTexts(sheet, state) {
  const found = [...state.faults.map((fault) => textFault(sheet, fault)), ...refusal(state.refused)];
  return state.stored ? found : [...found, t("set-up.not-stored")];
}

/**
 * @param {SetUpSheet} sheet
 * @param {SetUpState} state
 */
function faults(sheet, state) {
  const lines = faultTexts(sheet, state).map((text) => h("li", {}, text));
  return lines.length > 0 && h("ul", { class: "faults", tabindex: "0" }, lines);
}

/**
 * @param {SetUpSheet} sheet
 * @param {Fault} given
 */
function textFault(sheet, { kind, line, text, rank, number }) {
  const rank_name = rank === null ? "" : t(`rank.${rank}`);
  const rules = has(`rule-set.${text}`) ? t(`rule-set.${text}`) : text;
  const [rows, columns] = [sheet.rows.length, sheet.rows[0].length];
  return t(`set-up-text.${kind}`, { line, text, rules, rank: rank_name, number, rows, columns });
}

/**
 * What the referee found, in the player's words: a kind, perhaps a rank and a number, then squares. Squares alone are those that
 * do not go with how the game began.
 *
 * @param {SetUpState["refused"]} refused
 */
function refusal(refused) {
  if (refused === null) return [];
  const { reason, detail } = refused;
  const kinds = reason === "bad-set-up" ? detail.filter((text) => has(`set-up-fault.${text.split(" ")[0]}`)) : [];
  if (kinds.length > 0) return kinds.map(ruleFault);
  const key = `set-up-refused.${reason === "bad-set-up" ? "contradicts-the-game" : reason}`;
  return [t(has(key) ? key : "set-up-refused.other", { squares: detail.join(" ") })];
}

/** @param {string} text */
function ruleFault(text) {
  const [kind, ...rest] = text.split(" ");
  const rank = has(`rank.${rest[0]}`) ? t(`rank.${rest.shift()}`) : "";
  const number = /^\d+$/.test(rest[0] ?? "") ? rest.shift() : "";
  return t(`set-up-fault.${kind}`, { rank, number, squares: rest.join(" ") });
}

/**
 * The one button that leads on: hand in, then say that one is ready. Null when there is nothing to do but wait.
 *
 * @param {SetUpSheet} sheet
 * @param {SetUpState} state
 * @param {About} about
 * @param {Act} act
 */
export function onward(sheet, state, about, act) {
  if (about.covered) return null;
  if (state.panel !== null) return step("back", t("page.close"), false, () => act({ type: "panel", panel: null }));
  const complete = check(sheet, state.draft.placed).complete;
  if (about.purpose === "enrol" && state.handed !== null && same(state.handed, state.draft.placed)) {
    if (about.ready) return null;
    return step("ready", t("page.i-am-ready"), false, () => act({ type: "ready" }));
  }
  const again = state.handed === null ? "set-up.hand-in" : "set-up.hand-in-again";
  const text = state.sent !== null ? "set-up.sending" : about.purpose === "consent" ? "set-up.into-record" : again;
  const sends = state.sent !== null;
  return step("hand-in", t(text), !complete, () => sends || act({ type: "hand-in", purpose: about.purpose }), idle(sends));
}

/**
 * @param {string} key
 * @param {string} text
 * @param {boolean} disabled
 * @param {Press} does
 * @param {Attributes} [more]
 */
function step(key, text, disabled, does, more = {}) {
  const attributes = { type: "button", class: "primary", key, "data-step": key, disabled, on: { click: does }, ...more };
  return h("button", attributes, h("span", {}, text));
}

/**
 * Return what says that a button does nothing now, and leaves it the focus.
 *
 * @param {boolean} now
 */
function idle(now) {
  return { "aria-disabled": now ? "true" : null };
}

/**
 * @param {SetUpSheet} sheet
 * @param {SetUpState} state
 * @param {Act} act
 */
function tools(sheet, state, act) {
  const { draft } = state;
  const tool = (/** @type {string} */ name, attributes = {}, does = () => act({ type: name })) =>
    h(
      "button",
      { type: "button", key: name, class: "tool", "data-tool": name, ...attributes, on: { click: does } },
      h("span", {}, t(`set-up.${name}`)),
    );
  const opens = (/** @type {string} */ name) => tool(name, {}, () => act({ type: "panel", panel: name }));
  return h(
    "div",
    { class: "tools" },
    tool("random"),
    tool("mirror", idle(draft.placed.size === 0)),
    tool("undo", idle(draft.past.length === 0)),
    opens("saved"),
    opens("text"),
    tool("clear", idle(draft.placed.size === 0)),
  );
}

/**
 * @param {SetUpState} state
 * @param {Shown} about
 * @param {Act} act
 */
function savedDrawer(state, about, act) {
  const line = (/** @type {[string, string]} */ [name, text]) =>
    h(
      "li",
      { key: name },
      h("button", { type: "button", class: "load", on: { click: () => act({ type: "load", text }) } }, name),
      state.doomed === name
        ? h(
            "button",
            { type: "button", class: "danger", key: "sure", on: { click: () => act({ type: "forget", name }) } },
            t("set-up.really-delete"),
          )
        : h("button", { type: "button", key: "delete", on: { click: () => act({ type: "doom", name }) } }, t("set-up.delete")),
    );
  const save = (/** @type {Event} */ event) => {
    event.preventDefault();
    if (state.name.trim()) act({ type: "keep", name: state.name });
  };
  return h(
    "div",
    { class: "drawer saved", key: "saved" },
    about.kept.length ? h("ul", {}, about.kept.map(line)) : h("p", {}, t("set-up.none-saved")),
    h(
      "form",
      { on: { submit: save } },
      h("input", {
        value: state.name,
        maxlength: 40,
        autocomplete: "off",
        enterkeyhint: "done",
        placeholder: t("set-up.name"),
        "aria-label": t("set-up.name"),
        on: { input: (event) => act({ type: "named", name: event.currentTarget.value }) },
      }),
      h("button", { disabled: !state.name.trim() || !state.draft.placed.size }, t("set-up.save")),
    ),
  );
}

/**
 * @param {SetUpState} state
 * @param {Act} act
 */
function textDrawer(state, act) {
  return h(
    "div",
    { class: "drawer text", key: "text" },
    h("p", {}, t("set-up.text-hint")),
    h("textarea", {
      value: state.text,
      rows: 8,
      spellcheck: "false",
      autocapitalize: "off",
      autocorrect: "off",
      autocomplete: "off",
      "aria-label": t("set-up.text"),
      on: { input: (event) => act({ type: "typed", text: event.currentTarget.value }) },
    }),
    h(
      "div",
      { class: "pair" },
      h("button", { type: "button", on: { click: () => act({ type: "load", text: state.text }) } }, t("set-up.read-in")),
      h(
        "button",
        {
          type: "button",
          on: { click: (event) => act({ type: "copy", field: event.currentTarget.closest(".drawer").querySelector("textarea") }) },
        },
        t("set-up.copy"),
      ),
    ),
  );
}
