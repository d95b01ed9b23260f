// The event: pairings, their publication by a button, results, standings with the cross table, players, files for other programs.

import { ask, el, refusedText, say, timeText } from "./hall.js";

const RESULTS = ["red", "blue", "draw", "both-lose", "red-absent", "blue-absent", "both-absent"];
const BYES = { U: "pairing", H: "half", Z: "zero", F: "full" };

/** Shows the event in `root`; gives what looks again when something may have changed. */
export function eventPage(root, me) {
  let page = null;
  const look = async () => {
    if (root.contains(document.activeElement)) return; // somebody is choosing something
    const answer = await ask("/api/event");
    if (!answer.ok) root.replaceChildren(el("div.panel", {}, refusedText(answer.body)));
    else if (page === null) { page = new EventPage(root, me, answer.body); page.draw(); }
    else if (answer.body.revision !== page.event.revision || alerts(answer.body) !== alerts(page.event)) { page.event = answer.body; page.draw(); }
    else page.event = answer.body;
  };
  look();
  return look;
}

/** What the boards say against the event, to be compared. */
function alerts(event) { return JSON.stringify([event.doubles, event.stuck]); }

function wins(seat) { return say("result.wins", { seat: say(`seat.${seat}`) }); }

function resultText(result) {
  if (result === "red" || result === "blue") return wins(result);
  if (result === "draw") return say("result.draw");
  if (result === "both-lose") return say("end.both-lose");
  if (result === "both-absent") return say("hall.both-absent");
  return say("hall.absent", { seat: say(`seat.${result.split("-")[0]}`) });
}

/** A cell of the cross table: the opponent's number, the colour as its mark, the sign of the result; a bye as a word. */
function cell(text) {
  const found = /^(\d+)([rb])(.*)$/.exec(text);
  if (!found) return el("td", { title: say(`hall.bye-${BYES[text]}`) }, say("hall.bye"));
  const seat = found[2] === "r" ? "red" : "blue";
  return el("td.cell", {}, found[1], el(`span.mark.${seat}`, { title: say(`seat.${seat}`) }), found[3]);
}

class EventPage {
  constructor(root, me, event) {
    Object.assign(this, { root, me, event, note: null });
    this.chief = me.role === "chief";
  }

  async act(name, given = {}) {
    const answer = await ask(`/api/event/${name}`, { revision: this.event.revision, ...given });
    if (answer.ok) { this.event = answer.body; this.note = null; } else {
      this.note = refusedText(answer.body);
      const again = await ask("/api/event");
      if (again.ok) this.event = again.body;
    }
    this.draw();
  }

  draw() {
    const event = this.event, last = event.rounds.at(-1), open = last ? last.tables.filter((table) => !table.result).length : 0;
    const counts = { players: event.players.length, round: event.rounds.length, planned: event.planned };
    this.root.replaceChildren(
      el("div.bar", {}, el("h2", {}, event.name), el("span.soft", {}, say("hall.players-round", counts)), el("span.push"),
        el("a", { href: "/api/event.trf", download: `${event.id}.trf` }, "TRF"), el("a", { href: "/api/event.csv", download: `${event.id}.csv` }, "CSV")),
      this.note ? el("div.answer.no", { role: "alert" }, this.note) : "",
      ...event.doubles.map((one) => el("div.answer.no", { role: "alert" }, say("hall.double", { ...one, says: resultText(one.says) }))),
      ...event.stuck.map((one) => el("div.answer.no", { role: "alert" }, say("text.labelled", { label: `${say("hall.table")} ${one.table}`, text: say(`alert.${one.why}`) }))),
      el("div.panel", {}, el("div.bar.last", {},
        el("button", { disabled: open > 0 || event.rounds.length >= event.planned, onclick: () => this.act("pair") }, say(event.draft ? "hall.pair-again" : "hall.pair")),
        el("button.main", { disabled: !event.draft || !this.chief, onclick: () => this.act("publish") }, say("hall.publish")),
        open ? el("span.soft", {}, say("hall.open-tables", { count: open })) : null)),
      event.draft ? el("div.panel", {}, el("h3", {}, say("hall.draft", { round: event.draft.round })), this.round(event.draft, true)) : "",
      last ? el("div.panel", {}, el("h3", {}, say("hall.round", { round: last.round })), this.round(last, false), this.clock(last)) : "",
      el("div.panel", {}, el("h3", {}, say("hall.standings")), this.standings()),
      this.players());
  }

  /** Why a pairing is as it is: each reason a sentence, about the player whom it names. */
  why(reasons) {
    const player = (number) => this.event.players.find((one) => one.number === Number(number))?.name ?? number;
    return reasons.map((reason) => { const [word, number] = reason.split(":"); return say(`hall.why-${word}`, { name: number ? player(number) : "" }); }).join(say("saw.apart"));
  }

  /** A player's name, marked once he has withdrawn. */
  who({ number, name }) {
    const gone = this.event.players.some((one) => one.number === number && one.gone);
    return gone ? [el("s", {}, name), " ", el("span.soft", {}, say("hall.withdrawn"))] : name;
  }

  round(round, draft) {
    const who = (seat, player) => el("td.who", { "data-label": say(`seat.${seat}`) }, this.who(player));
    const head = el("tr", {}, [say("hall.table"), say("seat.red"), say("seat.blue"), draft ? "" : say("record.result"), say("hall.why"), ""].map((text) => el("th", {}, text)));
    const rows = round.tables.map((table) => el("tr", {}, el("td.no", { "data-label": say("hall.table") }, String(table.table)), who("red", table.red), who("blue", table.blue),
      el("td.wide", {}, draft ? "" : this.result(round, table)), el("td.wide.soft", {}, this.why(table.reasons)), el("td.wide", {}, draft || table.result || !this.chief ? "" : this.swap(round, table))));
    const free = round.byes.map((bye) => el("tr", {}, el("td"), el("td.who", {}, this.who(bye.player)), el("td.wide.soft", { colspan: 2 }, say(`hall.bye-${bye.kind}`)), el("td.wide.soft", {}, this.why(bye.reasons)), el("td")));
    return el("div.scroll", {}, el("table.sheet.stack", {}, el("thead", {}, head), el("tbody", {}, rows, free)));
  }

  /** When the round ends for all tables, for the chief to set anew or take away. */
  clock(round) {
    const until = round.ends ? el("span", {}, say("hall.clock-until", { time: timeText(new Date(round.ends.at_ms)) })) : null;
    if (!this.chief) return until;
    const minutes = el("input.short", { type: "number", min: 0, max: 1440, required: true, "aria-label": say("hall.clock-minutes") });
    const atEnd = el("select", { "aria-label": say("hall.clock-minutes") }, ["arbiter", "draw"].map((word) => el("option", { value: word, selected: round.ends?.at_end === word }, say(`hall.clock-${word}`))));
    const set = (event) => { event.preventDefault(); this.act("clock", { minutes: Number(minutes.value), at_end: atEnd.value }); };
    return el("form.bar.clocks", { onsubmit: set }, el("label", {}, `${say("hall.clock-minutes")} `, minutes), atEnd, el("button", {}, say("hall.clock-set")), until,
      round.ends ? el("button", { type: "button", onclick: () => this.act("clock", { minutes: null }) }, say("hall.clock-none")) : null);
  }

  result(round, table) {
    const select = el("select", { "aria-label": say("hall.result-of", { table: table.table }), disabled: Boolean(table.result) && !this.chief },
      el("option", { value: "" }, "–"), RESULTS.map((value) => el("option", { value, selected: table.result === value }, resultText(value))));
    select.addEventListener("change", () => {
      const ends = this.chief && this.event.playing.includes(table.table) && select.value;
      if (ends && !confirm(say("hall.sure-result", { table: table.table, result: select.selectedOptions[0].textContent }))) { select.value = table.result ?? ""; return; }
      this.act(table.result ? "correct" : "result", { round: round.round, table: table.table, result: select.value || null });
    });
    return select;
  }

  /** The list of players: to enter late ones, to let others go, and to note who is free in the next round. */
  players() {
    const name = el("input", { required: true, maxlength: 33, placeholder: say("hall.name"), "aria-label": say("hall.new-player") });
    const rating = el("input.short", { type: "number", min: 0, max: 9999, placeholder: say("hall.rating"), "aria-label": say("hall.rating") });
    const federation = el("input.short", { maxlength: 3, pattern: "[A-Za-z]{0,3}", placeholder: say("hall.federation"), "aria-label": say("hall.federation") });
    const enter = (event) => { event.preventDefault(); this.act("enter", { name: name.value, rating: Number(rating.value), federation: federation.value.toUpperCase() }); };
    const rows = this.event.players.map((player) => el("tr", {}, el("td.no", {}, String(player.number)), el("td", {}, player.name), el("td.no", {}, player.rating ? String(player.rating) : ""),
      el("td", {}, player.federation), el("td.wide", {}, player.gone || !this.chief ? "" : this.bye(player)), el("td", {}, player.gone ? say("hall.withdrawn") : this.chief ? this.withdraw(player) : "")));
    return el("details.panel", { open: this.listed, ontoggle: (event) => { this.listed = event.target.open; } }, el("summary", {}, say("hall.players")),
      this.chief ? el("form.bar", { onsubmit: enter }, name, rating, federation, el("button", {}, say("hall.enter"))) : null,
      el("div.scroll", {}, el("table.sheet.stack", {}, el("tbody", {}, rows))));
  }

  withdraw(player) {
    return el("button", { onclick: () => confirm(say("hall.sure-withdraw", { name: player.name })) && this.act("withdraw", { number: player.number }) }, say("hall.withdraw"));
  }

  /** A bye that a player asks for; in a round robin there is none. */
  bye(player) {
    const next = this.event.rounds.length + 1;
    if (this.event.system !== "swiss" || next > this.event.planned) return "";
    const select = el("select", { "aria-label": `${say("hall.bye-next")}: ${player.name}` }, el("option", { value: "" }, say("hall.bye-next")),
      ["half", "zero"].map((kind) => el("option", { value: kind, selected: player.bye === kind }, say(`hall.bye-${kind}`))));
    select.addEventListener("change", () => this.act("bye", { number: player.number, round: next, kind: select.value || null }));
    return select;
  }

  /** Lets the players of a table change seats or boards; a game that is on is broken off and begun anew. */
  swap(round, table) {
    const others = round.tables.filter((one) => one.table !== table.table && !one.result);
    const select = el("select", { "aria-label": say("hall.swap-of", { table: table.table }) }, el("option", { value: "" }, say("hall.swap")), el("option", { value: "seats" }, say("hall.swap-seats")),
      others.map((one) => el("option", { value: one.table }, say("hall.swap-with", { table: one.table }))));
    select.addEventListener("change", () => {
      const given = { round: round.round, table: table.table };
      if (select.value === "seats") this.act("swap-seats", given);
      else if (select.value) this.act("swap-boards", { ...given, other: Number(select.value) });
    });
    return select;
  }

  standings() {
    const { standings, tie_breaks, rounds } = this.event;
    const heads = [[say("hall.place"), "no"], ["", "no"], [say("hall.name"), "name"], [say("hall.points"), "no"], ...tie_breaks.map((name) => [say(`hall.tie-${name}`), "no"]), ...rounds.map((round) => [String(round.round), "cell"])];
    const head = el("tr", {}, heads.map(([text, kind]) => el(`th.${kind}`, {}, text)));
    const rows = standings.map((line) => el("tr", {}, el("td.no", {}, String(line.place)), el("td.no.soft", {}, String(line.number)), el("td.name", {}, this.who(line)), el("td.no", {}, line.points),
      tie_breaks.map((name) => el("td.no", {}, line[name])), line.rounds.map(cell)));
    return el("div.scroll", {}, el("table.sheet.tight", { id: "standings" }, el("thead", {}, head), el("tbody", {}, rows)));
  }
}
