// What lies over the screen: the menu, the settings, a question back ("Resign?"), and telling what no sensor sees.

import { canShake } from "./calls.js";
import { h } from "../toolkit/dom.js";
import { brief } from "./brief.js";
import { signingKey } from "./commitments.js";
import { game } from "./game_sheet.js";
import { rankPiece } from "./panels.js";
import { button, ears, icon, nameField, shape } from "./parts.js";
import { choicesOf, flagsOn } from "./reach.js";
import { rankName, seatName, undoneText } from "./sentences.js";
import { knows, rankOn, secrecy } from "./state.js";
import { sealText, signedText } from "../toolkit/seal_text.js";
import { LANGUAGES, has, language, say, t } from "../toolkit/words.js";

/** @import { Child, Drawn } from "../toolkit/values.d.ts" */
/** @import { View } from "../toolkit/published.d.ts" */
/** @import { Act, InGame, Opened, Playing, Press, Ruled, Seated, Sheet, State, Sure, Tell, Wishes } from "./types.d.ts" */

/** @type {import("./types.d.ts").Secrecy[]} */
const SECRECIES = ["open", "answered", "held"];
/** @type {{ [name: string]: (state: any, act: Act) => { title: string, body: Child } }} */
const SHEETS = { menu, settings, tell, sure, game, brief, computer, proof };
const LEVELS = [1, 2, 3, 4, 5];

/**
 * @param {Opened} state
 * @param {Act} act
 */
export function sheet(state, act) {
  const close = () => act({ type: "sheet", sheet: null });
  const { title, body } = SHEETS[state.sheet.name](state, act);
  return h(
    "div",
    { class: "veil", key: "sheet", on: { click: (event) => event.target.classList.contains("veil") && close() } },
    h(
      "section",
      { class: "sheet", tabindex: "-1", role: "dialog", "aria-modal": "true", "aria-label": title, on: { keydown: goRound } },
      h("h2", {}, title),
      h("div", { class: "sheet-body" }, body),
      button(t(["sure", "tell"].includes(state.sheet.name) ? "page.cancel" : "page.close"), close, { class: "quiet" }),
    ),
  );
}

/**
 * Keeps the tab key within a sheet.
 *
 * @param {KeyboardEvent & { currentTarget: HTMLElement }} event
 */
function goRound(event) {
  if (event.key !== "Tab") return;
  const all = event.currentTarget.querySelectorAll('button:not(:disabled), input, [tabindex="0"]');
  const stops = [.../** @type {NodeListOf<HTMLElement>} */ (all)];
  const at = stops.indexOf(/** @type {HTMLElement} */ (document.activeElement));
  if (event.shiftKey ? at > 0 : at < stops.length - 1) return;
  stops.at(event.shiftKey ? -1 : 0)?.focus();
  event.preventDefault();
}

/**
 * @param {Seated} state
 * @param {Act} act
 */
function menu(state, act) {
  const to = (/** @type {Sheet | Sure | Tell} */ next) => () => act({ type: "sheet", sheet: next });
  const entry = (/** @type {string} */ text, /** @type {Press} */ press, kind = "") =>
    button(text, press, { class: `entry ${kind}`, key: text });
  const sure = (/** @type {string} */ name, kind = "") => entry(wishText(name, state), to({ name: "sure", message: name }), kind);
  const playing = knows(state, "view") && state.view.result === null && !["lobby", "setting-up"].includes(state.view.phase) ? state : null;
  const body = [
    seal(state),
    tells(state).map((name) => entry(actText(name), to({ name: "tell", act: name }))),
    playing && inPlay(playing, sure),
    knows(state, "info", "view") ? entry(t("page.game"), to({ name: "game" }), "where-low") : null,
    state.view?.chain ? entry(t("proof.title"), to({ name: "proof" })) : null,
    playing === null && state.rules?.library ? entry(t("games.all"), () => act({ type: "visit", path: "/games" })) : null,
    entry(t("page.settings"), to({ name: "settings" })),
    sure("leave-seat", "danger"),
  ];
  return { title: t("page.menu"), body };
}

/**
 * What this player may tell of his move now.
 *
 * @param {Seated} state
 */
function tells(state) {
  if (!knows(state, "info", "view", "rules")) return [];
  const { info, view, place } = state;
  if (view.result !== null || ["lobby", "setting-up"].includes(view.phase) || view.turn !== place.seat) return [];
  const possible = { infiltrate: "infiltrator" in info.army, fire: "cannon" in info.army, leave: view.flags.length > 0 };
  return Object.entries(possible).flatMap(([name, can]) => (can && choicesOf(state, name).length > 0 ? [name] : []));
}

/**
 * The commitment root of this player's set-up, shortened, once the referee has made it public: he may write it down.
 *
 * @param {Seated} state
 */
function seal({ info, place }) {
  const root = info?.roots?.[place.seat];
  return root ? h("p", { class: "hint" }, t("set-up.sealed", { mark: `${root.slice(0, 8)} … ${root.slice(-8)}` })) : null;
}

/**
 * The head of the game's chain, whether this phone computed the same, who has signed, and the key to compare signatures by.
 *
 * @param {Seated} state
 */
function proof({ view, place, proof: known }) {
  const hint = (/** @type {string} */ text) => (text ? h("p", { class: "hint" }, text) : null);
  const body = [
    h("p", { class: "lead seal" }, sealText(view?.chain)),
    hint(t("proof.compare")),
    hint(known === "none" ? "" : t(`proof.${known}`)),
    hint(view === null ? "" : signedText(view)),
    h("h3", {}, t("proof.key")),
    h("p", { class: "hint seal" }, signingKey(place)),
  ];
  return { title: t("proof.title"), body };
}

/**
 * @param {InGame} state
 * @param {(name: string, kind?: string) => Drawn} sure
 */
function inPlay({ view, place }, sure) {
  const stands = view.phase === "paused";
  return [
    stands ? null : sure("offer-draw"),
    !stands && view.turn === place.seat ? sure("claim-immobile") : null,
    stands || view.pauses_left?.[place.seat] === 0 ? null : sure("pause"),
    view.called?.includes(place.seat) ? null : sure("call-arbiter"),
    place.seat in view.last_plies ? sure("offer-take-back") : null,
    fought(view) ? sure("offer-void") : null,
    sure("offer-abort"),
    sure("resign", "danger"),
  ];
}

/**
 * Whether the last ply was an attack that is settled: its verdict is the one that can be asked to be void.
 *
 * @param {View} view
 */
function fought(view) {
  return view.ply > 0 && view.attack !== null && view.attack.result !== null;
}

/**
 * How strong the computer shall be that takes the other seat.
 *
 * @param {State} _
 * @param {Act} act
 */
function computer(_, act) {
  const entry = (/** @type {number} */ level) =>
    button(t("player.computer", { level }), () => act({ type: "against", level }), { class: "entry", key: `${level}` });
  return { title: t("page.against-computer"), body: LEVELS.map(entry) };
}

/**
 * Which ply a wish is about: the one before this player's last move, or the verdict's own.
 *
 * @param {string} type
 * @param {Seated} state
 * @returns {{ type: string, ply?: number }}
 */
function aboutPly(type, { view, place }) {
  if (type === "offer-take-back" && view !== null) return { type, ply: view.last_plies[place.seat] - 1 };
  return type === "offer-void" && view !== null ? { type, ply: view.ply } : { type };
}

/**
 * @param {Seated & { sheet: Sure }} state
 * @param {Act} act
 */
function sure(state, act) {
  const { message } = state.sheet;
  const leaves = message === "leave-seat";
  const yes = () => act(leaves ? { type: "leave" } : { type: "say", message: aboutPly(message, state) });
  const body = [
    h("p", { class: "lead" }, t(sureKey(message, state), sureValues(message, state))),
    button(wishText(message, state), yes, { class: leaves || message === "resign" ? "primary danger" : "primary" }),
  ];
  return { title: wishText(message, state), body };
}

/**
 * Where pauses are limited the question says what is left of them.
 *
 * @param {string} message
 * @param {Seated} state
 */
function sureKey(message, { view, place }) {
  const left = view?.pauses_left?.[place.seat];
  if (message === "pause" && left !== undefined) return "page.sure-pause-limited";
  return message === "call-arbiter" && left === 0 && view?.phase !== "paused" ? "page.sure-call-arbiter-on" : `page.sure-${message}`;
}

/**
 * @param {string} message
 * @param {Seated} state
 */
function sureValues(message, state) {
  const { ply } = aboutPly(message, state);
  const moves = message === "offer-take-back" && state.view !== null && ply !== undefined ? undoneText(state.view, ply) : "";
  return { seat: seatName(state.place.seat), moves, number: state.view?.pauses_left?.[state.place.seat] };
}

/**
 * @param {State} state
 * @param {Act} act
 */
export function languageRow(state, act) {
  return h(
    "div",
    { class: "row languages", role: "group", "aria-label": t("page.language") },
    LANGUAGES.map((each) =>
      button(
        "",
        () => act({ type: "wish", wish: { language: each } }),
        { class: "pick", lang: each, "aria-pressed": String(each === language()) },
        h("span", { "aria-hidden": "true" }, each.toUpperCase()),
        ears(say(each, "language.name")),
      ),
    ),
  );
}

/**
 * @param {State} state
 * @param {Act} act
 */
function settings(state, act) {
  const { wishes } = state;
  const pick = (/** @type {string} */ text, /** @type {Partial<Wishes>} */ wish, /** @type {boolean} */ on) =>
    button(text, () => act({ type: "wish", wish }), { class: "pick", "aria-pressed": String(on) });
  const group = (/** @type {string} */ title, /** @type {Child[]} */ ...inside) =>
    h(
      "div",
      { class: "group" },
      h("h3", {}, title),
      h("div", { class: inside.length > 2 ? "row wraps" : "row", role: "group", "aria-label": title }, inside),
    );
  const turn = (/** @type {string} */ text, /** @type {"shakes" | "sounds" | "awake" | "shuffled"} */ name) =>
    pick(text, { [name]: !wishes[name] }, Boolean(wishes[name]));
  const reversed = wishes.direction === "marshal-1";
  const body = [
    h("div", { class: "group" }, h("h3", {}, t("page.language")), languageRow(state, act)),
    h("div", { class: "foot" }, nameField(wishes, act)),
    group(
      t("page.calls"),
      canShake() ? turn(t("page.vibration"), "shakes") : null,
      turn(t("page.sound"), "sounds"),
      turn(t("page.awake"), "awake"),
    ),
    group(
      t("page.ranks"),
      ...SECRECIES.map((kind) => pick(t(`page.ranks-${kind}`), { ranks: kind }, secrecy(state) === kind)),
      turn(t("page.shuffled"), "shuffled"),
    ),
    group(
      t("page.numbers"),
      pick(t("page.marshal-10"), { direction: "as-printed" }, !reversed),
      pick(t("page.marshal-1"), { direction: "marshal-1" }, reversed),
    ),
    group(
      t("page.type"),
      pick(t("page.type-normal"), { large: false }, !wishes.large),
      pick(t("page.type-large"), { large: true }, Boolean(wishes.large)),
    ),
    group(
      t("page.hears"),
      pick(t("answer.no"), { hears: false }, !wishes.hears),
      pick(t("answer.yes"), { hears: true }, Boolean(wishes.hears)),
    ),
  ];
  return { title: t("page.settings"), body };
}

/**
 * @param {string} name
 * @param {Seated} state
 */
function wishText(name, { view, place }) {
  return t(has(`handset.${name}`) ? `handset.${name}` : `page.${name}`, { number: view?.last_plies[place.seat] });
}

/** @param {string} name */
function actText(name) {
  return t(name === "leave" ? "page.leave-flags" : `handset.${name}`);
}

/**
 * One question after the other until everything is told: which piece, what target, then the rank or the flags.
 *
 * @param {Playing & Ruled & { sheet: Tell }} state
 * @param {Act} act
 */
function tell(state, act) {
  const { sheet } = state;
  const title = actText(sheet.act);
  const choices = choicesOf(state, sheet.act);
  const source = sheet.source ?? (choices.length === 1 ? choices[0].source : undefined);
  const next = (/** @type {Partial<Tell>} */ more) => () => act({ type: "sheet", sheet: { ...sheet, source, ...more } });
  if (source === undefined)
    return {
      title,
      body: [
        h("p", { class: "lead" }, t("page.which-piece")),
        squares(
          state,
          choices.map((each) => each.source),
          (square) => next({ source: square }),
        ),
      ],
    };
  if (sheet.act === "leave") return { title, body: flagsStep(state, act, source) };
  const targets = choices.find((each) => each.source === source)?.targets ?? [];
  if (sheet.target === undefined) {
    const send = (/** @type {string} */ target) => () => act({ type: "say", message: { type: sheet.act, source, target } });
    const press = sheet.act === "infiltrate" ? (/** @type {string} */ target) => next({ target }) : send;
    return { title, body: [h("p", { class: "lead" }, t("page.which-target", { square: source })), squares(state, targets, press)] };
  }
  return { title, body: guessStep(state, act, source, sheet.target) };
}

/**
 * @param {Playing} state
 * @param {string[]} names
 * @param {(square: string) => Press} press
 */
function squares(state, names, press) {
  const one = (/** @type {string} */ name) => {
    const owner = state.view.occupants[name];
    const rank = rankOn(state, name);
    return button("", press(name), { class: "choice", key: name }, rankPiece(state, owner, rank), h("span", {}, name));
  };
  return h("div", { class: "ranks" }, names.map(one));
}

/**
 * @param {Playing} state
 * @param {Act} act
 * @param {string} source
 * @param {string} target
 */
function guessStep(state, act, source, target) {
  const rival = state.view.occupants[target];
  const guess = (/** @type {string} */ rank) =>
    button(
      "",
      () => act({ type: "say", message: { type: "infiltrate", source, target, guess: rank } }),
      { class: "choice", key: rank },
      rankPiece(state, rival, rank),
      h("span", {}, rankName(rank)),
    );
  return [
    h("p", { class: "lead" }, t("page.which-guess", { square: target })),
    h("div", { class: "ranks" }, Object.keys(state.info.army).map(guess)),
  ];
}

/**
 * @param {Playing & { sheet: Tell }} state
 * @param {Act} act
 * @param {string} square
 */
function flagsStep(state, act, square) {
  const carried = flagsOn(state, square);
  const left = state.sheet.flags ?? carried;
  const toggle = (/** @type {string} */ seat) => () =>
    act({
      type: "sheet",
      sheet: { ...state.sheet, source: square, flags: left.includes(seat) ? left.filter((each) => each !== seat) : [...left, seat] },
    });
  const one = (/** @type {string} */ seat) =>
    button(
      "",
      toggle(seat),
      { class: left.includes(seat) ? "choice chosen" : "choice", "aria-pressed": String(left.includes(seat)), key: seat },
      shape(seat, `var(--${seat})`),
      h("span", {}, seatName(seat)),
      left.includes(seat) ? icon("check") : null,
    );
  const send = () => act({ type: "say", message: { type: "leave", square, flags: carried.filter((seat) => left.includes(seat)) } });
  return [
    h("p", { class: "lead" }, t("page.which-left", { square })),
    h("div", { class: "ranks" }, carried.map(one)),
    button(t("page.done"), send, { class: "primary" }),
  ];
}
