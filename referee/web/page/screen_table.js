// The table as this player sees it: seat, what happens, the board, what is asked, and one bar of controls at the thumb.

import { board } from "./board.js";
import { h } from "./dom.js";
import { panel } from "./panels.js";
import { button, icon, seatBand } from "./parts.js";
import { choicesOf, handsOf } from "./reach.js";
import { detail, headline, questionText, verdictText } from "./sentences.js";
import { t } from "./words.js";

export function tableScreen(state, act) {
  const { text, tone } = headline(state);
  const ready = state.info !== null && state.view !== null;
  return h(
    "main",
    { class: `table ${state.connected && state.referee ? "" : "away"} ${state.covered ? "covered" : ""}`, key: "table" },
    seatBand(state.place.seat, t("page.you-play"), ply(state)),
    h("div", { class: `headline ${tone}`, key: "headline" }, h("h1", {}, text), h("p", {}, detail(state))),
    h("div", { class: "field", key: "field" }, ready ? board(state, { marked: handsOf(state) }) : null),
    h("div", { class: "panel", key: "panel" }, ready ? panel(state, act) : null),
    bar(state, act),
    h("p", { class: "spoken", role: "status", "aria-live": "polite", key: "spoken" }, spoken(state)),
  );
}

function ply(state) {
  if (state.view === null || state.view.ply === 0) return null;
  return h("small", { class: "ply" }, t("turn.ply", { number: state.view.ply }));
}

function bar(state, act) {
  return h(
    "nav",
    { class: "bar", key: "bar" },
    button("", () => act({ type: "cover" }), { class: "side", "aria-pressed": String(state.covered) }, icon(state.covered ? "covered" : "eye"), h("span", {}, t(state.covered ? "page.show" : "page.hide"))),
    h("div", { class: "middle" }, middle(state, act)),
    button("", () => act({ type: "sheet", sheet: { name: "menu" } }), { class: "side" }, icon("menu"), h("span", {}, t("page.menu"))),
  );
}

// The one thing to do now, if it is one button.
function middle(state, act) {
  const { view, info, place } = state;
  if (view === null || info === null || !state.connected || state.question !== null) return null;
  const say = (type) => () => act({ type: "say", message: { type } });
  if (view.phase === "setting-up") {
    if (view.waiting_for.length > 0 && state.seat?.ready) return h("span", { class: "waits" }, t("page.ready-waiting"));
    return button(t("page.i-am-ready"), say("ready"), { class: "primary", disabled: waitsFor(state, "ready") });
  }
  if (view.phase === "finished") {
    if (state.again) return h("span", { class: "waits" }, t("page.again-waiting"));
    return button(t("page.another-game"), say("ready"), { class: "primary", disabled: waitsFor(state, "ready") });
  }
  const mine = view.turn === place.seat && ["waiting-for-move", "piece-in-hand"].includes(view.phase);
  if (!mine || state.rules === null || handsOf(state).length > 0 || choicesOf(state, "attack").length === 0) return null;
  return button(t("handset.attack"), () => act({ type: "sheet", sheet: { name: "tell", act: "attack" } }), { class: "plain-button" });
}

function waitsFor(state, type) {
  return Object.values(state.waiting).includes(type);
}

// What a screen reader says when it changes: a question, a verdict, else the headline.
function spoken(state) {
  if (state.question !== null) return questionText(state.question);
  if (state.verdict !== null && !state.covered) return `${verdictText(state).text}. ${detail(state)}`;
  return `${headline(state).text}. ${state.view === null ? "" : detail(state)}`;
}
