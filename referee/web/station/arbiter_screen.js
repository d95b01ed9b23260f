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
    if (state.me === null) return [login(state, act)];
    const named = { role: "tabpanel", id: "shown", "aria-labelledby": `tab-${tabOf(state.where)}`, key: "shown" };
    return [bar(state, state.me, now, act), h("div", named, inside(state, state.me, now))];
  };

  /**
   * @param {State} state
   * @param {Me} me
   * @param {number} now
   */
  function inside({ where, table, hall, event, office }, me, now) {
    if (table !== null) {
      tablePage ??= tablePages(me, act);
      return tablePage(table, hall, now);
    }
    if (eventAt(where) !== null) return eventPage(event, me, act);
    if (where === "office") return officePage(office, me.name, act);
    const open = (/** @type {string} */ board) => () => act({ type: "go", to: `table/${board}` });
    return h(
      "div",
      { class: "tables", key: "tables" },
      byNeed(hall, now).map((one) => card(one, now, open(one.board), hall.names)),
    );
  }
}

/** @param {string} where */
const tabOf = (where) => (eventAt(where) !== null ? "event" : where === "office" ? where : "tables");

/**
 * Move the focus along the tabs by the arrow keys; Enter or the space bar opens one (WAI-ARIA tabs, with manual activation: what is typed
 * in an event's page is not lost on the way past it).
 *
 * @param {KeyboardEvent & { currentTarget: HTMLElement }} event
 */
function alongTabs(event) {
  const tabs = [.../** @type {NodeListOf<HTMLElement>} */ (event.currentTarget.querySelectorAll("[role=tab]"))];
  const at = tabs.indexOf(/** @type {HTMLElement} */ (event.target));
  const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: -1 }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  tabs.at(to % tabs.length)?.focus();
}

/**
 * @param {State} state
 * @param {Me} me
 * @param {number} now
 * @param {Act} act
 */
function bar({ where, hall }, me, now, act) {
  const tab = (/** @type {string} */ to) => {
    const chosen = to === tabOf(where);
    const state = { "aria-selected": String(chosen), "aria-controls": chosen && "shown", tabindex: chosen ? 0 : -1 };
    return h("button", { role: "tab", id: `tab-${to}`, ...state, on: { click: () => act({ type: "go", to }) } }, t(`hall.tab-${to}`));
  };
  const list = { class: "tabs", role: "tablist", "aria-label": "Hallmarshal", on: { keydown: alongTabs } };
  const calls = byNeed(hall, now).filter((table) => level(table) === "urgent").length;
  return h(
    "div",
    { class: "bar", key: "bar" },
    h("h1", { tabindex: "-1" }, "Hallmarshal"),
    h("div", list, tab("tables"), " ", tab("event"), me.role === "chief" && [" ", tab("office")]),
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
function login({ typed, refused, first }, act) {
  const submit = (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    act({ type: first ? "make-chief" : "log-in" });
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
  const code = first && [
    h("p", {}, t("hall.first-how")),
    field("code", { autocomplete: "off", autocapitalize: "characters", spellcheck: "false", maxlength: 12, focus: true }),
  ];
  const secret = first ? { autocomplete: "new-password", minlength: 8 } : { autocomplete: "current-password" };
  return h(
    "form",
    { class: "login", key: "login", on: { submit } },
    h("h1", {}, "Hallmarshal"),
    languages(() => act({ type: "language" })),
    h("p", { class: "soft" }, t("hall.arbiters")),
    code,
    field("name", { autocomplete: "username", maxlength: 40, focus: !first }),
    field("password", { type: "password", ...secret }),
    h("button", { class: "main" }, t(first ? "hall.first-make" : "hall.log-in")),
    refused && h("div", { class: "answer no", role: "alert" }, refusedText(refused)),
  );
}
