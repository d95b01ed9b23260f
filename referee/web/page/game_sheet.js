// The game so far, as everybody knows it: what each army has lost, and the last moves.

import { h } from "../toolkit/dom.js";
import { memoize } from "../toolkit/memoize.js";
import { rankPiece } from "./panels.js";
import { ears } from "./parts.js";
import { piece } from "./pieces.js";
import { moveOf, playerName, rankName, seatName } from "./sentences.js";
import { language, t } from "../toolkit/words.js";

/** @import { Info, View } from "../toolkit/published.d.ts" */
/** @import { Moves, Playing, Wishes } from "./types.d.ts" */

/** @param {Playing} state */
export function game(state) {
  const { info, view, moves } = state;
  const played = moves.game === view.game ? [...moves.list].reverse() : [];
  const body = [
    h("h3", {}, t("captured.title")),
    info.seats.map((seat) => lost(state, seat)),
    h("h3", {}, t("page.last-moves")),
    played.length === 0 ? h("p", { class: "hint" }, t("page.none-yet")) : h("ol", { class: "moves", tabindex: "0" }, played.map(move)),
  ];
  return { title: moveOf(view), body };
}

/**
 * The same where a screen has room for it: what was lost, and a few moves.
 *
 * @param {Playing} state
 */
export function trays({ info, view, moves, wishes }) {
  return view.ply === 0 ? null : drawn(info, view, moves, wishes, language());
}

const FEW = 3;
const drawn = memoize(
  (
    /** @type {Info} */ info,
    /** @type {View} */ view,
    /** @type {Moves} */ moves,
    /** @type {Wishes} */ wishes,
    /** @type {string} */ _language,
  ) => {
    const last = moves.game === info.game ? moves.list.slice(-FEW).reverse() : [];
    const seats = info.seats.map((seat) => lost({ info, wishes, view }, seat));
    return h("div", { class: "trays", key: "trays" }, seats, h("ol", { class: "moves" }, last.map(move)));
  },
);

/**
 * What an army has lost, in the order of its rule set.
 *
 * @param {Pick<Playing, "info" | "view" | "wishes">} state
 * @param {string} seat
 */
function lost(state, seat) {
  const ranks = Object.keys(state.info.army).filter((rank) => state.view.captured[seat]?.[rank]);
  const one = (/** @type {string} */ rank) => {
    const number = state.view.captured[seat][rank];
    const name = `${rankName(rank)}${number > 1 ? ` × ${number}` : ""}`;
    return h("li", { key: rank }, rankPiece(state, seat, rank), ears(name), number > 1 && count(number));
  };
  const label = t("text.labelled", { label: t("captured.title"), text: playerName(state.info, seat) });
  return h(
    "ul",
    { class: "lost-pieces", key: `lost ${seat}`, "aria-label": label },
    ranks.length === 0 ? h("li", { class: "none" }, piece(seat, {}), t("page.none-yet")) : ranks.map(one),
  );
}

/** @param {number} number */
function count(number) {
  return h("b", { "aria-hidden": "true" }, `×${number}`);
}

/** @param {Moves["list"][number]} given */
function move({ ply, seat, source, target, result }) {
  return h(
    "li",
    { key: String(ply), value: ply },
    h("b", {}, ply),
    piece(seat, {}),
    ears(seatName(seat)),
    h("span", {}, `${source} ${result === null ? "–" : "×"} ${target}`),
    result !== null && h("small", {}, t(`verdict.${result}`)),
  );
}
