// One table: what everybody may see of it, what settles a dispute, and the arbiter's orders with their answers.

import { h } from "../toolkit/dom.js";
import { sealText, signedText } from "../toolkit/seal_text.js";
import { t } from "../toolkit/words.js";
import { card } from "./cards.js";
import { historyRow, squareSheet, standText } from "./history.js";
import { ordersPanel } from "./orders.js";
import { pictures } from "./picture.js";

/** @import { View } from "../toolkit/published.d.ts" */
/** @import { Act, Hall, Me, SquareFacts, TableState } from "./types.d.ts" */

const MOST_SHOWN = 60; // events without their times

/**
 * Return a function that draws the page of one table.
 *
 * @param {Me} me
 * @param {Act} act
 */
export function tablePages(me, act) {
  const picture = pictures((square) => act({ type: "facts-wanted", square }));
  /**
   * @param {TableState} state
   * @param {Hall} hall
   * @param {number} now
   */
  return (state, hall, now) => {
    const table = hall.tables.get(state.board);
    const { info = null, view = null } = state.whole ?? {};
    const faults = (view?.health ?? []).map((fault) => h("p", {}, t(`health.${fault}`)));
    const shown = info && view && [picture(info, view), h("p", {}, standText(view, info)), faults, sealed(view, me)];
    return h(
      "div",
      { key: `page ${state.board}` },
      h(
        "div",
        { class: "bar" },
        h("button", { on: { click: () => act({ type: "go", to: "tables" }) } }, `← ${t("hall.all-tables")}`),
        h("h2", {}, `${t("hall.table")} ${table?.number ?? state.board}`),
      ),
      h(
        "div",
        { class: "columns" },
        h("div", {}, table && card(table, now, null, hall.names), h("div", { class: "panel" }, shown)),
        h("div", {}, ordersPanel(me, state, act), factsPanel(state.facts), historyPanel(state, act)),
      ),
    );
  };
}

/**
 * The head of the game's chain, who has signed the end, and the key by which the station's own signature is told.
 *
 * @param {View} view
 * @param {Me} me
 */
function sealed(view, me) {
  if (!view.chain) return null;
  const lines = [
    t("text.labelled", { label: t("proof.title"), text: sealText(view.chain) }),
    signedText(view),
    t("text.labelled", { label: t("proof.station-key"), text: me.signs_with }),
  ];
  return lines.filter(Boolean).map((line) => h("p", { class: "soft seal" }, line));
}

/** @param {SquareFacts | null} facts */
function factsPanel(facts) {
  const hint = [h("h3", {}, t("hall.square-any")), h("p", { class: "soft" }, t("hall.square-how"))];
  return h("div", { class: "panel", key: "facts" }, facts === null ? hint : squareSheet(facts));
}

/**
 * @param {TableState} state
 * @param {Act} act
 */
function historyPanel({ whole, times }, act) {
  if (whole === null) return h("div", { class: "panel", key: "history" });
  const newest = times === null ? [...whole.events].reverse().slice(0, MOST_SHOWN) : [];
  const rows =
    times
      ?.slice()
      .reverse()
      .map((event) => historyRow(event, event.at_ms)) ?? newest.map((event) => historyRow(event, null));
  return h(
    "div",
    { class: "panel", key: "history" },
    h(
      "div",
      { class: "bar" },
      h("h3", {}, t("hall.happened")),
      h("span", { class: "push" }),
      h("button", { on: { click: () => act({ type: "history-wanted" }) } }, t("hall.with-times")),
    ),
    h("div", { class: "history", tabindex: "0", role: "region", "aria-label": t("hall.happened") }, h("table", {}, h("tbody", {}, rows))),
  );
}
