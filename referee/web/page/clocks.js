// The players' clocks: what the referee said was left, counted down here since the view came. Nothing is sent meanwhile.

import { clockText } from "../toolkit/clock_text.js";
import { h } from "../toolkit/dom.js";
import { shape } from "./parts.js";
import { seatName } from "./sentences.js";
import { t } from "../toolkit/words.js";

/** @import { ClockFace } from "../toolkit/published.d.ts" */
/** @import { Seated, State } from "./types.d.ts" */

const LOW_MS = 30000;

/**
 * The band of clocks, the own one first, the hall's last; nothing where there is none.
 *
 * @param {Seated} state
 */
export function clocks({ view, viewAt, lostAt, place }) {
  const { clocks: faces = {}, hall_clock: hall = null } = view ?? {};
  const seats = Object.keys(faces);
  if (seats.length === 0 && hall === null) return null;
  const mineFirst = [...seats].sort((one, other) => Number(other === place.seat) - Number(one === place.seat));
  const shown = mineFirst.map((seat) => clock(seat, leftOf(faces[seat], viewAt, lostAt), faces[seat].runs));
  return h("div", { class: "clocks", key: "clocks" }, shown, hall === null ? null : hallClock(leftOf(hall, viewAt, lostAt)));
}

/** @param {number} left */
function hallClock(left) {
  const about = { role: "timer", "aria-label": `${t("clock.hall")}: ${clockText(left)}` };
  return h(
    "div",
    { class: `clock hall ${left < LOW_MS ? "low" : ""}`, key: "clock hall", ...about },
    h("small", {}, t("clock.hall")),
    h("strong", {}, clockText(left)),
  );
}

/**
 * @param {string} seat
 * @param {number} left
 * @param {boolean} runs
 */
function clock(seat, left, runs) {
  const low = left < LOW_MS;
  const warning = low ? h("small", {}, t("clock.low")) : null;
  const about = { role: "timer", "aria-label": `${seatName(seat)}: ${clockText(left)}` };
  return h(
    "div",
    { class: `clock ${seat} ${runs ? "runs" : ""} ${low ? "low" : ""}`, key: `clock ${seat}`, ...about },
    shape(seat),
    h("strong", {}, clockText(left)),
    warning,
  );
}

/**
 * @param {ClockFace} face
 * @param {number} viewAt
 * @param {number | null} lostAt
 */
function leftOf(face, viewAt, lostAt) {
  return face.runs ? Math.max(0, face.left_ms - ((lostAt ?? performance.now()) - viewAt)) : face.left_ms;
}

/**
 * How long until a clock shows another second, null while none runs.
 *
 * @param {State} state
 */
export function nextSecond({ view, viewAt, lostAt, stage }) {
  if (stage !== "table" || lostAt !== null) return null;
  const lefts = [...Object.values(view?.clocks ?? {}), view?.hall_clock]
    .flatMap((face) => (face?.runs ? [leftOf(face, viewAt, lostAt)] : []))
    .filter((left) => left > 0);
  return lefts.length === 0 ? null : Math.min(...lefts.map((left) => ((left - 1) % 1000) + 1));
}
