// What fingers, a mouse and keys do with magnets: each takes one, carries or pushes it, and lets it go.

/** @import { Fix } from "../../toolkit/published.d.ts" */
/** @import { Hold, Magnet, Point, State, Wish } from "./types.d.ts" */

const UP_MM = 35;
const RISE_MS = 80;
const OVER_MS = 150; // a piece stays over another one until that has left
const REACH = 0.62; // of a square: a piece farther from a finger is not under it
const SAID_MS = 25; // points are said so often
export const LANDED_MS = 500; // what was let go lies on the board by then, whether or not the board has said that it was in a hand
const [MOST_MS, MOST_POINTS] = [200, 60];
const HELD_FROM = -1_000_000;
export const [KEYS, HELPER] = [8, 9]; // the hand that is moved by keys, and the one that sets up; fingers have those before

export class Hands {
  /**
   * @param {State} state
   * @param {(wish: Wish) => void} say
   */
  constructor(state, say) {
    this.state = state;
    this.say = say;
    this.said = this.ends = 0;
  }

  /**
   * Take the piece that lies at a place, or one out of the box; false where there is none.
   *
   * @param {number | string} finger
   * @param {[number, number]} at
   * @param {{ seat?: string, slides?: boolean, now: number }} how
   */
  take(finger, at, { seat, slides = false, now }) {
    const { holds } = this.state;
    const found = seat === undefined ? this.under(at) : undefined;
    const used = new Set([...holds.values()].map(({ hand }) => hand));
    const hand = finger === "keys" ? KEYS : [0, 1, 2, 3, 4, 5, 6, 7].find((each) => !used.has(each));
    if (hand === undefined || used.has(hand) || (seat === undefined && found === undefined)) return false;
    const [x, y] = found === undefined ? at : [found[2], found[3]];
    const pushed = slides && found !== undefined;
    const from = found === undefined ? null : found[0];
    /** @type {Point[]} */
    const way = pushed ? [] : [[RISE_MS, x, y, UP_MM]];
    const [owner, off] = [seat ?? found?.[1] ?? "", /** @type {[number, number]} */ ([x - at[0], y - at[1]])];
    holds.set(finger, { hand, seat: owner, from, x, y, slides: pushed, off, at: now, way: [], told: false, ended: false });
    this.say({ hand, takes: seat ?? [x, y], way });
    return true;
  }

  /**
   * @param {number | string} finger
   * @param {[number, number]} at
   * @param {number} now
   */
  move(finger, at, now) {
    const hold = this.held(finger);
    if (hold === undefined) return;
    this.go(hold, [at[0] + hold.off[0], at[1] + hold.off[1]], now);
    if (now - this.said >= SAID_MS) this.flush(now);
  }

  /**
   * Let go: near the middle of a square the piece is set down nearly there, as hands do. Of a piece that stands there already an own one
   * sends it back, and a rival's is laid into the box, as the other hand takes it: that is how an attack is shown with one finger.
   *
   * @param {number | string} finger
   * @param {number} now
   * @param {"down" | "back"} ends
   */
  end(finger, now, ends = "down") {
    const hold = this.held(finger);
    if (hold === undefined) return;
    const there = ends === "down" ? this.standing(hold) : [];
    if (there.some(([, seat]) => seat === hold.seat)) ends = "back";
    if (ends === "down") this.go(hold, this.settled(hold), now);
    if (ends === "down" && there.length > 0) {
      for (const magnet of there) this.box(magnet);
      hold.way.push([OVER_MS, rounded(hold.x), rounded(hold.y), hold.slides ? 0 : UP_MM]);
    }
    hold.ended = true;
    this.say({ hand: hold.hand, way: hold.way.splice(0, MOST_POINTS), ends });
    this.state.holds.delete(finger);
    if (ends === "back") return;
    this.ends += 1;
    this.state.holds.set(`let go ${this.ends}`, hold); // its finger may take another one before the board has said where it lies
  }

  /**
   * Forget what a hand seemed to do that could not be done; what it holds all the same goes back.
   *
   * @param {number} [hand]
   */
  drop(hand) {
    for (const [finger, hold] of this.state.holds) {
      if (hold.hand !== hand) continue;
      this.state.holds.delete(finger);
      if (!hold.ended) this.say({ hand, ends: "back" });
    }
  }

  /**
   * Say where hands have gone since.
   *
   * @param {number} now
   */
  flush(now) {
    this.said = now;
    for (const { hand, way, ended } of this.state.holds.values()) {
      if (!ended && way.length > 0) this.say({ hand, way: way.splice(0, MOST_POINTS) });
    }
  }

  /**
   * Forget what was let go and lies on the board by now.
   *
   * @param {number} now
   */
  settle(now) {
    const { holds, magnets, setUp } = this.state;
    const held = new Set(magnets.map(([place]) => HELD_FROM - place - (setUp?.hands ?? 0)));
    for (const [finger, hold] of holds) {
      const here = held.has(hold.hand);
      if (hold.ended && ((hold.told && !here) || now - hold.at > LANDED_MS)) holds.delete(finger);
      hold.told ||= here;
    }
  }

  /** Put all pieces out: those that do not stand in their own zone go into the box, then zones are filled out of it. */
  setOut() {
    const { setUp, magnets } = this.state;
    if (setUp === null) return;
    const far = (/** @type {string} */ name) => Math.abs(this.middle(name)[1] - (setUp.board.rows - 1) / 2);
    /** @type {[string, string][]} */
    const filled = [];
    for (const [seat, zone] of Object.entries(setUp.zones)) {
      const free = new Set([...zone].sort((one, other) => far(one) - far(other))); // where zones are not filled, the front row
      let boxed = setUp.army;
      for (const magnet of magnets.filter((each) => each[1] === seat)) {
        const home = [...free].find((name) => this.standsOn(magnet, name));
        if (home === undefined) this.box(magnet);
        else free.delete(home);
        if (home !== undefined || magnet[0] < HELD_FROM) boxed -= 1;
      }
      filled.push(...[...free].slice(0, boxed).map((name) => /** @type {[string, string]} */ ([name, seat])));
    }
    for (const [name, seat] of filled) this.putOut(name, seat);
  }

  /**
   * Put the board right as the table wants it: what stands wrongly goes into the box, what is missing comes out of it.
   *
   * @param {Fix[]} fixes
   */
  putRight(fixes) {
    const { magnets } = this.state;
    const missing = fixes.filter(({ square, wanted }) => {
      const here = magnets.filter((magnet) => this.standsOn(magnet, square));
      const right = here.find((magnet) => magnet[1] === wanted);
      for (const magnet of here) if (magnet !== right) this.box(magnet);
      return wanted !== null && right === undefined;
    });
    for (const { square, wanted } of missing) if (wanted !== null) this.putOut(square, wanted);
  }

  /**
   * Carry a piece to another square, whatever stands there into the box first.
   *
   * @param {string} source
   * @param {string} target
   */
  carry(source, target) {
    const [from, to] = [this.middle(source), this.middle(target)];
    for (const magnet of this.state.magnets) if (this.standsOn(magnet, target)) this.box(magnet);
    const over = [RISE_MS, OVER_MS].map((ms, at) => /** @type {Point} */ ([ms, ...(at ? to : from), UP_MM]));
    this.say({ hand: HELPER, takes: from, way: over, ends: "down" });
  }

  /** @param {Magnet} magnet */
  box([place, , x, y]) {
    if (place >= HELD_FROM) this.say({ hand: HELPER, takes: [x, y], way: [[RISE_MS, -5, y, UP_MM]], ends: "down" });
  }

  /**
   * @param {string} square
   * @param {string} seat
   */
  putOut(square, seat) {
    this.say({ hand: HELPER, takes: seat, way: [[RISE_MS, ...this.middle(square), UP_MM]], ends: "down" });
  }

  /**
   * @param {Magnet} magnet
   * @param {string} square
   */
  standsOn([, , x, y], square) {
    const middle = this.middle(square);
    return Math.hypot(middle[0] - x, middle[1] - y) < 0.5;
  }

  /**
   * Return the middle of a square as a column and a row.
   *
   * @param {string} name
   * @returns {[number, number]}
   */
  middle(name) {
    return this.state.setUp?.places[name] ?? [0, 0];
  }

  /** @param {number | string} finger */
  held(finger) {
    const hold = this.state.holds.get(finger);
    return hold?.ended ? undefined : hold;
  }

  /**
   * @param {[number, number]} at
   * @returns {Magnet | undefined}
   */
  under(at) {
    const { magnets, holds } = this.state;
    const far = (/** @type {Magnet} */ [, , x, y]) => Math.hypot(x - at[0], y - at[1]);
    const left = new Set([...holds.values()].map(({ from }) => from));
    const lands = [...holds.values()].filter(({ ended }) => ended);
    const free = [
      ...magnets.filter(([place]) => place >= HELD_FROM && !left.has(place)),
      ...lands.map(({ hand, seat, x, y }) => /** @type {Magnet} */ ([HELD_FROM - (this.state.setUp?.hands ?? 0) - hand, seat, x, y, 0])),
    ];
    return free.filter((magnet) => far(magnet) < REACH).sort((one, other) => far(one) - far(other))[0];
  }

  /**
   * @param {Hold} hold
   * @param {[number, number]} to
   * @param {number} now
   */
  go(hold, [x, y], now) {
    const ms = Math.round(Math.min(Math.max(now - hold.at, 1), MOST_MS));
    hold.way.push([ms, rounded(x), rounded(y), hold.slides ? 0 : UP_MM]);
    Object.assign(hold, { x, y, at: now });
  }

  /**
   * @param {Hold} hold
   * @returns {[number, number]}
   */
  settled({ x, y }) {
    const name = this.squareAt([x, y]);
    if (name === undefined) return [x, y];
    const [left, low] = this.middle(name);
    return [left + (x - left) / 5, low + (y - low) / 5];
  }

  /**
   * Return what stands on the square over which a piece is held.
   *
   * @param {Hold} hold
   */
  standing({ x, y }) {
    const name = this.squareAt([x, y]);
    const taken = new Set([...this.state.holds.values()].map(({ from }) => from));
    const resting = this.state.magnets.filter(([place]) => place >= HELD_FROM && !taken.has(place));
    return name === undefined ? [] : resting.filter((magnet) => this.standsOn(magnet, name));
  }

  /** @param {[number, number]} place */
  squareAt([x, y]) {
    const far = (/** @type {[number, number]} */ [left, low]) => Math.hypot(left - x, low - y);
    return this.state.setUp?.board.squares.find(({ name }) => far(this.middle(name)) < 0.5)?.name;
  }
}

/** @param {number} value */
function rounded(value) {
  return Math.round(value * 1000) / 1000;
}
