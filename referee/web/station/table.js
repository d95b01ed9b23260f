// One table: what everybody may see of it, what settles a dispute, and the arbiter's orders with their answers.

import { ask, atRest, card, el, say } from "./hall.js";
import { historyRow, squareSheet, standText } from "./history.js";
import { Orders, answerText } from "./orders.js";
import { picture } from "./picture.js";

export class TablePage {
  constructor(board, me, back) {
    this.board = board;
    this.head = el("div");
    this.picture = el("div.panel");
    this.facts = el("div.panel");
    this.history = el("div.panel");
    this.back = el("button", { onclick: back });
    this.orders = new Orders(me, () => this.whole, (game, act) => ask("/api/order", { board, game, act }));
    this.root = el("div", {}, el("div.bar", {}, this.back),
      el("div.columns", {}, el("div", {}, this.head, this.picture), el("div", {}, this.orders.root, this.facts, this.history)));
    this.whole = null;
    this.busy = false;
    this.speak();
  }

  /** Writes what stands there whatever the table does, in the language of now. */
  speak() {
    this.back.replaceChildren(`← ${say("hall.all-tables")}`);
    this.facts.replaceChildren(el("h3", {}, say("hall.square-any")), el("p.soft", {}, say("hall.square-how")));
    this.orders.draw();
    if (this.whole) this.draw();
  }

  /** Draws the table anew, from what is known at once and then from all that is public. */
  async refresh(summary) {
    if (summary) this.head.replaceChildren(card(summary, null));
    this.summary = summary;
    if (this.busy) { this.again = true; return; }
    this.busy = true;
    const answer = await ask(`/api/tables/${encodeURIComponent(this.board)}`);
    this.busy = false;
    if (answer.ok) atRest(() => { this.whole = { ...answer.body, heard: performance.now() }; this.draw(); });
    if (this.again) { this.again = false; this.refresh(this.summary); }
  }

  draw() {
    const { info, view, events } = this.whole;
    if (info && view) this.picture.replaceChildren(picture(info, view, (square) => this.askSquare(square)), el("p", {}, standText(view, info)), ...(view.health ?? []).map((fault) => el("p", {}, say(`health.${fault}`))));
    const rows = [...events].reverse().slice(0, 60).map((event) => historyRow(event, null));
    this.history.replaceChildren(
      el("div.bar", {}, el("h3", {}, say("hall.happened")), el("span.push"), el("button", { onclick: () => this.askHistory() }, say("hall.with-times"))),
      el("div.history", { tabindex: "0", "aria-label": say("hall.happened") }, el("table", {}, el("tbody", {}, rows))));
  }

  /** Asks the table what settles a dispute; gives its answer, null where there is none, which is then said. */
  async askFacts(what) {
    const answer = await this.orders.send(this.whole?.view?.game ?? "", { type: "facts", reason: "facts", ...what });
    if (answer.ok && answer.body.done) return answer.body;
    this.orders.say("no", answerText("facts", answer));
    return null;
  }

  async askSquare(square) {
    const told = await this.askFacts({ square });
    if (told) this.facts.replaceChildren(squareSheet(told.facts));
  }

  async askHistory() {
    const told = await this.askFacts({});
    if (told) this.history.querySelector("tbody").replaceChildren(...[...told.history].reverse().map((one) => historyRow(one, new Date(one.at_ms))));
  }
}
