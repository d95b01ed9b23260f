// The rules of the game that is played, in a few lines: made from the values of its rule set.

import { h } from "../toolkit/dom.js";
import { rankName } from "./sentences.js";
import { t } from "../toolkit/words.js";

/** @import { Ruled, Rules } from "./types.d.ts" */

/** @param {Ruled} state */
export function brief({ rules }) {
  const lines = linesOf(rules).map((line) => h("li", {}, line));
  return { title: t("brief.title"), body: h("ul", { class: "brief", tabindex: "0" }, lines) };
}

/**
 * @param {Rules} rules
 */
function linesOf(rules) {
  const still = named(rules, ({ gait }) => gait === "none");
  return [
    t("brief.goal"),
    t("brief.turn"),
    ...["none", "run", "run-and-turn", "two-steps", "gun"].map((gait) => {
      const ranks = named(rules, (rule) => rule.gait === gait);
      return ranks && t(`brief.gait-${gait}`, { ranks });
    }),
    t("brief.attack", { ranks: rules.order.map(rankName).join(", ") }),
    ...rules.exceptions.map((_, at) => exception(rules, at)),
    rules.specials.includes("infiltration") && t("brief.infiltration", { rank: rankName("infiltrator") }),
    rules.specials.includes("castle") && t("brief.castle"),
    rules.moving_forfeits && still && t("brief.forfeit", { ranks: still }),
    t("rules.two-square-limit", { number: rules.two_square_limit }),
    rules.repetition !== "none" && t(`rules.repetition-${rules.repetition}`),
    rules.quiet_limit > 0 && t("brief.quiet", { number: rules.quiet_limit }),
  ].filter(Boolean);
}

/**
 * The ranks of the army of which something is so, the strongest first.
 *
 * @param {Rules} rules
 * @param {(rule: Rules["ranks"][string]) => boolean} wanted
 */
function named({ ranks }, wanted) {
  const found = Object.keys(ranks).filter((rank) => ranks[rank].count > 0 && wanted(ranks[rank]));
  return found.map(rankName).join(", ");
}

/**
 * "Miner against Bomb: The attacker wins", "Any piece against Cannon: ..."; of several that fit the first one counts.
 *
 * @param {Rules} rules
 * @param {number} at
 */
function exception({ exceptions }, at) {
  const [attacker, defender, verdict] = exceptions[at];
  const before = exceptions.slice(0, at).some(([, other]) => other === defender);
  const any = t(before ? "brief.any-other" : "brief.any");
  const label = t("brief.attacks", {
    attacker: attacker === null ? any : rankName(attacker),
    defender: defender === null ? t("brief.any") : rankName(defender),
  });
  return t("text.labelled", { label: label[0].toUpperCase() + label.slice(1), text: t(`verdict.${verdict}`) });
}
