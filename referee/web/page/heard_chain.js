// The chain of a game as this phone computes it by itself, from the links that it hears; as referee/table/heard_chain.py.

import { linkHash } from "./commitments.js";

/** @import { PublicEvent, View } from "../toolkit/published.d.ts" */
/** @import { Proof } from "./types.d.ts" */

export class HeardChain {
  /** @param {string} game */
  constructor(game) {
    this.game = game;
    this.heard = this.count = 0; // the number of the last event that was taken, and how many links there were
    this.hash = game;
    /** @type {Proof} */
    this.proof = "none";
  }

  get head() {
    return `${this.count}:${this.hash}`;
  }

  /**
   * Take those events that come next; one before which another is missing is left for later.
   *
   * @param {PublicEvent[]} events
   */
  take(events) {
    for (const { game, seq, links = [] } of events) {
      if (game !== this.game || seq !== this.heard + 1) continue;
      this.heard = seq;
      this.count += links.length;
      for (const text of links) this.hash = linkHash(this.hash, text);
    }
  }

  /**
   * Return what is known of the head in a view; what was once found to differ stays so for the whole game.
   *
   * @param {View} view
   */
  judge({ game, seq, chain }) {
    if (game !== this.game || seq < this.heard || this.proof === "differs") return this.proof;
    if (!chain) this.proof = "none";
    else if (seq > this.heard) this.proof = "unheard";
    else this.proof = chain === this.head ? "checked" : "differs";
    return this.proof;
  }
}
