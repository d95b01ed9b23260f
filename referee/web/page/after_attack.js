// What hands do on the board after a verdict, in one sentence; its owner reads which piece it is, nobody else does.

import { rankName, seatName } from "./sentences.js";
import { knows, rankOn } from "./state.js";
import { t } from "../toolkit/words.js";

/** @import { Fix } from "../toolkit/published.d.ts" */
/** @import { InGame, Seated } from "./types.d.ts" */

/**
 * Return that sentence and which squares are to be put right besides; null where no verdict is carried out on the board.
 *
 * @param {Seated} state
 * @returns {{ text: string, rest: Fix[] } | null}
 */
export function afterAttack(state) {
  if (!knows(state, "view")) return null;
  const { attack, fixes, occupants, ask } = state.view;
  if (ask !== "remove-captured" || !attack?.result) return null;
  const { source, target, seat } = attack;
  const open = fixes.filter(({ square }) => square === source || square === target);
  if (open.length === 0) return null;
  const others = fixes.filter((fix) => !open.includes(fix));
  if (occupants[target] === seat) return { text: putText(state, target), rest: others };
  const stays = open.find(({ wanted }) => wanted !== null);
  const rest = [...open.filter((fix) => fix !== stays), ...others];
  if (stays) return { text: putText(state, stays.square), rest };
  const squares = open.map(({ square }) => square).join(", ");
  return { text: t(open.length === 1 ? "fix.take" : "fix.take-both", { squares }), rest: others };
}

/**
 * @param {InGame} state
 * @param {string} square
 */
function putText(state, square) {
  const { view, place, verdict, covered } = state;
  const seat = view.occupants[square];
  if (seat !== place.seat) return t("fix.put", { square, seat: seatName(seat) });
  const rank = covered ? null : (verdict?.own ?? rankOn(state, square));
  return rank === null ? t("page.put-mine", { square }) : t("page.put-own", { square, rank: rankName(rank) });
}
