// The page's line to the board: it says what hands do, and hears where magnets are and what the table says.

/** @import { Wish } from "./types.d.ts" */

const PAUSES_MS = [300, 1000, 2000, 3000];

export class Channel {
  /**
   * `tell` hears what the table says, and { fault } when the line is lost ("away") or the table refuses it, in its word.
   *
   * @param {string} secret
   * @param {string} language
   * @param {(said: any) => void} tell
   */
  constructor(secret, language, tell) {
    this.first = JSON.stringify({ secret, language });
    this.tell = tell;
    this.tries = 0;
    this.refused = false;
    this.start();
  }

  start() {
    const socket = new WebSocket(`${location.protocol.replace("http", "ws")}//${location.host}/board`);
    this.socket = socket;
    socket.onopen = () => socket.send(this.first);
    socket.onmessage = ({ data }) => this.hear(JSON.parse(data));
    socket.onclose = () => this.lost();
  }

  /** @param {any} said */
  hear(said) {
    const first = said.error !== undefined && this.tries >= 0; // before anything else was said
    this.refused = first && said.error !== "too-many"; // there may be room later
    if (said.error === undefined) this.tries = -1;
    this.tell(this.refused ? { fault: said.error } : said);
  }

  /** @param {Wish} wish */
  say(wish) {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(wish));
  }

  lost() {
    if (this.refused) return;
    this.tries = Math.max(0, this.tries);
    this.tell({ fault: "away" });
    setTimeout(() => this.start(), PAUSES_MS[Math.min(this.tries, PAUSES_MS.length - 1)]);
    this.tries += 1;
  }
}
