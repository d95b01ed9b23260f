// Before and beside the game: taking a seat, comparing six digits, and why this page is not the seat's any more.

import { h } from "../toolkit/dom.js";
import { button, nameField, seatBand } from "./parts.js";
import { languageRow } from "./sheets.js";
import { has, t } from "../toolkit/words.js";

/** @import { Drawn } from "../toolkit/values.d.ts" */
/** @import { Act, Seated, State } from "./types.d.ts" */

/**
 * @param {State} state
 * @param {Act} act
 */
export function joinScreen(state, act) {
  const busy = state.stage === "joining";
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    act({ type: "join", typed: state.typed });
  };
  return h(
    "main",
    { class: "plain", key: "join" },
    h(
      "div",
      { class: "welcome" },
      h("h1", { tabindex: "-1" }, "Hallmarshal"),
      h("p", { class: "lead" }, t(busy ? "page.joining" : "page.join-how")),
    ),
    state.fault === null ? null : h("p", { class: "notice bad", role: "alert" }, faultText(state.fault)),
    h(
      "form",
      { class: "foot", on: { submit } },
      h("label", { for: "code" }, t("page.join-code")),
      h("input", {
        id: "code",
        type: "text",
        value: state.typed,
        placeholder: "ABC 234",
        autocomplete: "off",
        autocapitalize: "characters",
        autocorrect: "off",
        spellcheck: "false",
        enterkeyhint: "go",
        on: { input: (event) => act({ type: "typed", text: event.target.value }) },
      }),
      h("button", { type: "submit", class: "primary", disabled: busy }, t(busy ? "handset.wait" : "page.join")),
      languageRow(state, act),
    ),
  );
}

/** @param {string} reason */
function faultText(reason) {
  return t(has(`page.join-${reason}`) ? `page.join-${reason}` : "page.join-answer-unreadable");
}

/**
 * @param {Seated} state
 * @param {Act} act
 */
export function digitsScreen(state, act) {
  const { seat, digits } = state.place;
  return h(
    "main",
    { class: "plain", key: "digits" },
    seatBand(seat, t("page.you-play")),
    h(
      "div",
      { class: "digits-box" },
      h("h1", { class: "lead", tabindex: "-1" }, t("page.digits-same")),
      h("p", { class: "digits", translate: "no" }, `${digits.slice(0, 3)} ${digits.slice(3)}`),
    ),
    h(
      "div",
      { class: "foot" },
      nameField(state.wishes, act),
      button(t("page.digits-yes"), () => act({ type: "confirm" }), { class: "primary" }),
      button(t("page.digits-no"), () => act({ type: "leave" }), { class: "quiet" }),
    ),
  );
}

/** @type {{ [holder: string]: string }} */
const WHY = {
  another: "page.thrown-off-another",
  nobody: "page.thrown-off-nobody",
  "too-much": "page.thrown-off-too-much",
};

/**
 * @param {State} state
 * @param {Act} act
 */
export function thrownOffScreen(state, act) {
  return endedHere(
    state,
    t("page.thrown-off"),
    t(WHY[state.holder ?? ""] ?? "page.thrown-off-how"),
    button(t("page.join-again"), () => act({ type: "leave" }), { class: "primary" }),
  );
}

/**
 * @param {State} state
 * @param {Act} act
 */
export function elsewhereScreen(state, act) {
  return endedHere(
    state,
    t("page.elsewhere"),
    t("page.elsewhere-how"),
    button(t("page.play-here"), () => act({ type: "play-here" }), { class: "primary" }),
  );
}

/**
 * @param {State} state
 * @param {string} title
 * @param {string} how
 * @param {Drawn} press
 */
function endedHere(state, title, how, press) {
  return h(
    "main",
    { class: "plain", key: "ended" },
    state.place === null ? null : seatBand(state.place.seat, t("page.you-play")),
    h("div", { class: "welcome" }, h("h1", { tabindex: "-1" }, title), h("p", { class: "lead" }, how)),
    h("div", { class: "foot" }, press),
  );
}
