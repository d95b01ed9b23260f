// The players: who plays, what each has lost, and the clocks. What the referee said was left is counted down here since the view came;
// nothing is sent meanwhile.

import { clockText } from "../toolkit/clock_text.js";
import { h } from "../toolkit/dom.js";
import { shape } from "./parts.js";
import { playerName } from "./sentences.js";
import { t } from "../toolkit/words.js";

/** @import { ClockFace } from "../toolkit/published.d.ts" */
/** @import { Seated, State } from "./types.d.ts" */

const LOW_MS = 30000;

/**
 * The band of players, the own seat first, the hall's clock last.
 *
 * @param {Seated} state
 */
export function players({ info, view, viewAt, lostAt, place }) {
  if (info === null || view === null) return null;
  const { clocks: faces = {}, hall_clock: hall = null } = view;
  const mineFirst = [...info.seats].sort((one, other) => Number(other === place.seat) - Number(one === place.seat));
  const shown = mineFirst.map((seat) => {
    const lost = sum(Object.values(view.captured[seat] ?? {}));
    const face = faces[seat];
    return player(seat, playerName(info, seat), lost, face ? { left: leftOf(face, viewAt, lostAt), runs: face.runs } : null);
  });
  const timed = hall !== null || Object.keys(faces).length > 0;
  const named = Object.keys({ ...info.names, ...info.computers }).length > 0;
  const kind = `${shown.length > 2 ? "many" : ""} ${timed || named ? "" : "bare"}`;
  return h("div", { class: `clocks ${kind}`, key: "clocks" }, shown, hall === null ? null : hallClock(leftOf(hall, viewAt, lostAt)));
}

const sum = (/** @type {number[]} */ numbers) => numbers.reduce((all, number) => all + number, 0);

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
 * @param {string} name
 * @param {number} lost
 * @param {{ left: number, runs: boolean } | null} face
 */
function player(seat, name, lost, face) {
  const low = face !== null && face.left < LOW_MS;
  const said = lost > 0 ? t("page.lost-pieces", { seat: name, number: lost }) : name;
  const about = face === null ? { role: "img" } : { role: "timer" };
  return h(
    "div",
    {
      class: `clock ${seat} ${face?.runs ? "runs" : ""} ${low ? "low" : ""}`,
      key: `clock ${seat}`,
      ...about,
      "aria-label": face === null ? said : t("text.labelled", { label: said, text: clockText(face.left) }),
    },
    shape(seat),
    h("span", { class: "name" }, name),
    face && h("strong", {}, clockText(face.left)),
    low ? h("small", {}, t("clock.low")) : lost > 0 && h("small", { class: "lost" }, `−${lost}`),
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
