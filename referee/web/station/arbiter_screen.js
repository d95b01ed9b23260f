// Which screen of the arbiters' page a state is: login, all tables, one table, the event.

import { h } from "../toolkit/dom.js";
import { t } from "../toolkit/words.js";
import { eventAt } from "./arbiter_state.js";
import { card } from "./cards.js";
import { eventPage } from "./event.js";
import { languages, refusedText } from "./hall.js";
import { officePage } from "./office.js";
import { tablePages } from "./table.js";
import { byNeed, level } from "./tables.js";

/** @import { Value } from "../toolkit/values.d.ts" */
/** @import { Act, Me, State } from "./types.d.ts" */

/**
 * Return a function that gives the screen of a state at `now`.
 *
 * @param {Act} act
 * @returns {(state: State, now: number) => Value[]}
 */
export function screens(act) {
  /** @type {ReturnType<typeof tablePages> | null} */
  let tablePage = null;
  return (state, now) => {
    const { me, hall, table } = state;
    if (me === null) return [login(state, act)];
    const head = bar(state, me, now, act);
    if (table !== null) {
      tablePage ??= tablePages(me, act);
      return [head, tablePage(table, hall.tables.get(table.board), now)];
    }
    if (eventAt(state.where) !== null) return [head, eventPage(state.event, me, act)];
    if (state.where === "office") return [head, officePage(state.office, me.name, act)];
    const open = (/** @type {string} */ board) => () => act({ type: "go", to: `table/${board}` });
    return [
      head,
      h(
        "div",
        { class: "tables", key: "tables" },
        byNeed(hall, now).map((one) => card(one, now, open(one.board))),
      ),
    ];
  };
}

/**
 * @param {State} state
 * @param {Me} me
 * @param {number} now
 * @param {Act} act
 */
function bar({ where, hall }, me, now, act) {
  const tab = (/** @type {string} */ to) => {
    const chosen = to === shown;
    return h("button", { role: "tab", "aria-selected": String(chosen), on: { click: () => act({ type: "go", to }) } }, t(`hall.tab-${to}`));
  };
  const shown = eventAt(where) !== null ? "event" : where === "office" ? where : "tables";
  const calls = byNeed(hall, now).filter((table) => level(table) === "urgent").length;
  return h(
    "div",
    { class: "bar", key: "bar" },
    h("h1", { tabindex: "-1" }, "Hallmarshal"),
    h("div", { class: "tabs", role: "tablist" }, tab("tables"), " ", tab("event"), me.role === "chief" && [" ", tab("office")]),
    !hall.connected && h("span", { class: "cut", role: "status", key: "cut" }, t("hall.cut")),
    h("span", { class: "soft" }, calls ? t("hall.needs", { count: calls }) : t("hall.all-well")),
    h(
      "span",
      { class: "mine" },
      h("a", { href: `/screen#${me.screen_key}`, target: "_blank", rel: "noreferrer" }, t("hall.room-screen")),
      languages(() => act({ type: "language" })),
      h("span", {}, `${me.name} (${t(`hall.role-${me.role}`)})`),
      h("button", { on: { click: () => act({ type: "log-out" }) } }, t("hall.log-out")),
    ),
  );
}

/**
 * @param {State} state
 * @param {Act} act
 */
function login({ typed, refused }, act) {
  const submit = (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    act({ type: "log-in" });
  };
  const field = (/** @type {string} */ name, /** @type {object} */ more) =>
    h("input", {
      ...more,
      name,
      required: true,
      placeholder: t(`hall.${name}`),
      "aria-label": t(`hall.${name}`),
      value: typed[name],
      on: {
        input: (/** @type {{ currentTarget: HTMLInputElement }} */ event) => act({ type: "typed", name, value: event.currentTarget.value }),
      },
    });
  return h(
    "form",
    { class: "login", key: "login", on: { submit } },
    h("h1", {}, "Hallmarshal"),
    languages(() => act({ type: "language" })),
    h("p", { class: "soft" }, t("hall.arbiters")),
    field("name", { autocomplete: "username", focus: true }),
    field("password", { type: "password", autocomplete: "current-password" }),
    h("button", { class: "main" }, t("hall.log-in")),
    refused && h("div", { class: "answer no", role: "alert" }, refusedText(refused)),
  );
}
