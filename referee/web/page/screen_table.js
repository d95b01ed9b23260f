// The table as this player sees it: seat, what happens, the board, what is asked, and one bar of controls at the thumb.

import { board } from "./board.js";
import { players } from "./clocks.js";
import { h } from "../toolkit/dom.js";
import { trays } from "./game_sheet.js";
import { arbiter, denial, notices, panel } from "./panels.js";
import { button, ears, icon, seatBand } from "./parts.js";
import { pickable } from "./reach.js";
import { detail, headline, moveOf, questionDetail, questionText, seatName, verdictText } from "./sentences.js";
import { asShown, isHidden, isReady, knows, piecesThere, purposeOf, secrecy } from "./state.js";
import { t } from "../toolkit/words.js";

/** @import { Child } from "../toolkit/values.d.ts" */
/** @import { Act, Entry, Saying, Seated } from "./types.d.ts" */

/**
 * @param {Seated} state
 * @param {Act} act
 * @param {Entry} entry
 */
export function tableScreen(state, act, entry) {
  const purpose = purposeOf(state);
  const away = state.connected && state.referee ? "" : "away";
  const about = {
    purpose,
    ready: purpose !== null && knows(state, "info", "view") && isReady(state),
    wishes: state.wishes,
    covered: state.covered,
  };
  const enters = purpose !== null && away === "";
  const says = enters ? entry.headline(about) : saying(asShown(state, true));
  const open = enters || Boolean(state.wishes.hears); // else who sits beside hears no rank of the own army
  const aloud = open ? says : saying({ ...state, covered: true });
  const apart = aloud.text !== says.text;
  const screen = h(
    "main",
    { class: `table ${away} ${isHidden(state) ? "covered" : ""}`, key: "table", inert: state.sheet !== null },
    seatBand(state.place.seat, t("page.you-play"), [aboutGame(state, act), rulesInShort(state, act)]),
    players(state),
    h(
      "div",
      { class: `headline ${says.tone}`, key: "headline" },
      h("h1", { tabindex: "-1" }, apart ? [h("span", { "aria-hidden": "true" }, says.text), ears(aloud.text)] : says.text),
      h("p", { "aria-hidden": aloud.detail === says.detail ? null : "true" }, says.detail),
    ),
    purpose === null ? boardAndPanel(state, act) : entry.body(about),
    bar(state, act, purpose === null ? middle(asShown(state), act) : (entry.onward(about) ?? back(state, act))),
  );
  // beside the screen, so that it is heard while a sheet is open, too
  const live = { class: "spoken", role: "status", "aria-live": "polite", "aria-atomic": "false", key: "spoken" };
  const sentence = (/** @type {string} */ text) =>
    h("p", { key: text, "data-headline": text === ended(aloud.text) || null }, text);
  return [screen, h("div", live, spoken(state, aloud).map(sentence))];
}

/**
 * From a set-up that is open although nothing asks for it, back to the board.
 *
 * @param {Seated} state
 * @param {Act} act
 */
function back(state, act) {
  return state.editing && !state.covered ? button(t("page.done"), () => act({ type: "edit", editing: false }), { class: "primary" }) : null;
}

/**
 * @param {Seated} state
 * @param {Act} act
 */
function boardAndPanel(state, act) {
  const shown = knows(state, "info", "view") ? state : null;
  return [
    h("div", { class: "field", key: "field" }, shown && board(asShown(shown), act)),
    shown && trays(shown),
    h("div", { class: "panel", key: "panel" }, shown ? panel(shown, act) : opponent(state, act)),
  ];
}

/**
 * Before the first game, where nobody has the other seat of two: the computer may, or why this player cannot choose it.
 *
 * @param {Seated} state
 * @param {Act} act
 */
function opponent({ info, free, locked, rules, connected, referee }, act) {
  if (info !== null || free?.length !== 1 || rules?.seats.length !== 2 || !connected || !referee) return null;
  if (locked) return h("p", { class: "hint" }, t("page.arbiter-chooses"));
  const open = () => act({ type: "sheet", sheet: { name: "computer" } });
  return button(t("page.against-computer"), open, { class: "plain-button" });
}

/**
 * The one thing that is said in big letters: a question comes before what happens at the table.
 *
 * @param {Seated} state
 */
function saying(state) {
  if (knows(state, "question") && state.connected) return { text: questionText(state), detail: questionDetail(state), tone: "ask" };
  if (state.ahead && knows(state, "verdict")) return { text: verdictText(state).text, detail: "", tone: "calm" };
  if (state.ahead) return { text: t("handset.wait"), detail: "", tone: "passing" };
  return { ...headline(state), detail: detail(state) };
}

/**
 * @param {Seated} state
 * @param {Act} act
 */
function aboutGame({ view }, act) {
  if (view === null) return null;
  const open = () => act({ type: "sheet", sheet: { name: "game" } });
  return button("", open, { class: "ply" }, h("span", {}, moveOf(view)), icon("list"));
}

/**
 * @param {Seated} state
 * @param {Act} act
 */
function rulesInShort({ rules }, act) {
  if (rules === null) return null;
  const open = () => act({ type: "sheet", sheet: { name: "brief" } });
  return button("", open, { class: "in-short", "aria-label": t("brief.title") }, icon("question"));
}

/**
 * @param {Seated} state
 * @param {Act} act
 * @param {Child} inside
 */
function bar(state, act, inside) {
  const leaves = purposeOf(state) !== null && state.editing;
  const menu = () => act({ type: "sheet", sheet: { name: "menu" } });
  const leave = () => act({ type: "edit", editing: false });
  return h(
    "nav",
    { class: "bar", key: "bar" },
    eye(state, act),
    h("div", { class: "middle" }, inside),
    button(
      "",
      leaves ? leave : menu,
      { class: "side" },
      icon(leaves ? "close" : "menu"),
      h("span", {}, t(leaves ? "page.close" : "page.menu")),
    ),
  );
}

/**
 * Hides every rank and shows them again; in a game where they show only while it is held, the button for that.
 *
 * @param {Seated} state
 * @param {Act} act
 */
function eye(state, act) {
  const enters = purposeOf(state) !== null;
  const hidden = enters ? state.covered : isHidden(state);
  const text = (/** @type {string} */ key) => [icon(hidden ? "covered" : "eye"), h("span", {}, t(key))];
  if (enters || secrecy(state) !== "held") {
    const press = () => act({ type: "cover", covered: !hidden });
    return button("", press, { class: "side", "aria-pressed": String(hidden) }, text(hidden ? "page.show" : "page.hide"));
  }
  const hold = (/** @type {boolean} */ held) => act({ type: "hold", held });
  const keys = (/** @type {KeyboardEvent} */ { key }, /** @type {boolean} */ held) => [" ", "Enter"].includes(key) && hold(held);
  const on = {
    pointerdown: (/** @type {PointerEvent & { currentTarget: HTMLElement }} */ { currentTarget, pointerId }) => {
      currentTarget.setPointerCapture(pointerId); // the finger may slide off
      hold(true);
    },
    lostpointercapture: () => hold(false),
    keydown: (/** @type {KeyboardEvent} */ event) => keys(event, true),
    keyup: (/** @type {KeyboardEvent} */ event) => keys(event, false),
    blur: () => hold(false),
    contextmenu: (/** @type {Event} */ event) => event.preventDefault(), // what a long touch means elsewhere
  };
  return button("", () => {}, { class: "side hold", key: "hold", "aria-pressed": String(!hidden), on }, text("page.hold"));
}

/**
 * The one thing to do now, if it is one button.
 *
 * @param {Seated} state
 * @param {Act} act
 */
function middle(state, act) {
  if (!state.connected) return null;
  if (!knows(state, "info", "view")) return state.info && waits(t("handset.wait")); // a game that is announced
  const { view, place } = state;
  if (knows(state, "question")) return view.phase === "paused" ? arbiter(state, act) : denial(state, act);
  const asked = (/** @type {string} */ type) => Object.values(state.waiting).includes(type);
  const says = (/** @type {string} */ text, /** @type {string} */ type, never = false) =>
    button(t(asked(type) ? "set-up.sending" : text), () => asked(type) || act({ type: "say", message: { type } }), {
      class: "primary",
      disabled: never,
      "aria-disabled": asked(type) ? "true" : null, // it keeps the focus
    });
  if (view.phase === "setting-up") return isReady(state) ? null : says("page.i-am-ready", "ready", piecesThere(state).lacking);
  const others = state.info.seats.filter((seat) => seat !== place.seat && !state.wanting.includes(seat));
  if (view.phase === "finished") return state.again ? waits(nextGame(others)) : says("page.another-game", "ready");
  if (view.phase === "paused") return view.waiting_for.includes(place.seat) ? says("page.go-on", "resume") : null;
  if (!knows(state, "rules") || pickable(state).length === 0) return null;
  return button(t("handset.attack"), () => act({ type: "sheet", sheet: { name: "tell", act: "attack" } }), { class: "plain-button" });
}

/**
 * Return what is waited for in the button's place, where the focus stays until it has come.
 *
 * @param {string} text
 */
function waits(text) {
  return h("span", { class: "waits", tabindex: "-1" }, text);
}

/**
 * Return for whom another game waits; once nobody is missing it comes at once.
 *
 * @param {string[]} missing
 */
function nextGame(missing) {
  return missing.length === 0 ? t("handset.wait") : t("page.again-waiting", { seat: missing.map(seatName).join(", ") });
}

/**
 * Return the sentences of which a screen reader says those that are new: a verdict before what stands on the screen in any case.
 *
 * @param {Seated} state
 * @param {Saying} says
 */
function spoken(state, says) {
  const verdict = knows(state, "verdict") && state.question === null && !state.covered ? verdictText(state).text : "";
  const told = says.told ?? (knows(state, "info", "view") ? notices(state, Boolean(state.wishes.hears)) : []);
  const now = says.tone === "passing" ? [] : [says.text, ...says.detail.split("\n")];
  return [...new Set([...told, verdict, ...now].filter(Boolean).map(ended))];
}

/** @param {string} text */
function ended(text) {
  return /[.!?:…]$/.test(text) ? text : `${text}.`;
}
