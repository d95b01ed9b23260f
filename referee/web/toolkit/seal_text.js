// The chain of a game as people read it, the same on every page (docs/reference/commitments.md).

import { has, t } from "./words.js";

/** @import { View } from "./published.d.ts" */

/**
 * Return a head as two people compare it: how many links, and 16 digits of the hash in groups; empty where there is none.
 *
 * @param {string | undefined} chain
 */
export function sealText(chain) {
  const [number, digits] = (chain ?? "").split(":");
  return digits ? `${number}: ${digits.slice(0, 16).match(/.{4}/g)?.join(" ")}` : "";
}

/**
 * Return who has signed the end of a game with a chain; empty before the end, and without a chain.
 *
 * @param {View} view
 */
export function signedText({ result, chain, signed = [] }) {
  if (result === null || !chain) return "";
  const names = signed.map((who) => t(has(`seat.${who}`) ? `seat.${who}` : "proof.station"));
  return t("text.labelled", { label: t("proof.signed"), text: names.join(", ") || t("proof.nobody") });
}
