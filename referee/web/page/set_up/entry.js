// The door of the set-up screen: keeps its state, the phone's storage and the drag, so that the page around it only asks for the
// screen and passes on what the referee answers.
//
//   const entry = setUpEntry({ send, redraw, show });
//   entry.open(info, seat, game)                 when a game is announced
//   entry.hear(letter)                           each accepted, rejected and state letter
//   entry.leave()                                when the player leaves the seat
//   entry.headline(about), entry.body(about), entry.onward(about)      the values to draw
//
// `about`: { purpose, ready, wishes, covered }; `send(message)` gives the id of what it sends; `show()` uncovers the page.

import { same as alike } from "./draft.js";
import { dragging } from "./drag.js";
import * as saved from "./saved.js";
import * as parts from "./screen.js";
import { sheetOf } from "./sheet.js";
import { begin, update } from "./state.js";
import { write } from "./text.js";

/** @import { Info } from "../../toolkit/published.d.ts" */
/** @import { About, Entry, Happening, KeptIn, SetUpSheet } from "../types.d.ts" */

// Asked for at each use: a browser that forbids storage throws when it is only named.
/** @type {KeptIn} */
const PHONE = { getItem: (key) => localStorage.getItem(key), setItem: (key, value) => localStorage.setItem(key, value) };

/** @type {SetUpSheet} */
const NONE = Object.create(null); // until a game is announced; nothing of the screen is shown before

/** @typedef {(message: { type: string, [field: string]: unknown }) => string | null} Send */
/** @typedef {{ send: Send, redraw: () => void, show: () => void, chance?: () => number, storage?: KeptIn }} Given */

/**
 * @param {Given} given
 * @returns {Entry}
 */
export function setUpEntry({ send, redraw, show, chance = fairChance, storage = PHONE }) {
  let sheet = NONE;
  /** @type {string | null} */
  let game = null;
  let state = begin();
  const drag = dragging((from, to) => act({ type: "drop", from, to }));

  /** @param {Happening} what */
  function act(what) {
    const does = DOES[what.type];
    if (does) does(what);
    else change(what);
    redraw();
  }

  /** @param {Happening} what */
  function change(what) {
    const before = state.draft.placed;
    state = update(sheet, state, what);
    if (state.draft.placed !== before) saved.keepDraft(storage, game, sheet.seat, write(sheet, state.draft.placed));
  }

  /** @type {{ [type: string]: (what: any) => unknown }} */
  const DOES = {
    random: () => change({ type: "random", chance }),
    keep: ({ name }) => change({ type: "stored", done: saved.keep(storage, sheet.rules, name, write(sheet, state.draft.placed)) }),
    forget: ({ name }) => change({ type: "stored", done: saved.forget(storage, sheet.rules, name) }),
    copy: ({ field }) => {
      field.select();
      document.execCommand("copy"); // on plain http browsers have no other clipboard
    },
    show,
    "hand-in": ({ purpose }) => {
      const placed = purpose === "consent" ? (state.handed ?? state.draft.placed) : state.draft.placed;
      const id = send({ type: purpose, set_up: Object.fromEntries(placed) });
      if (id !== null) change({ type: "sent", id, purpose, placed });
    },
    ready: () => send({ type: "ready" }),
  };

  return {
    /**
     * @param {Info} info
     * @param {string} seat
     */
    open(info, seat) {
      const same = game === info.game && sheet.seat === seat;
      game = info.game;
      sheet = sheetOf(info, seat);
      if (same) return; // names or commitment roots have come
      state = begin();
      const text = saved.keptDraft(storage, game, seat);
      if (text !== null) state = update(sheet, state, { type: "load", text });
      state = { ...state, draft: { ...state.draft, past: [] }, faults: [] };
    },
    /** @param {any} letter */
    hear(letter) {
      if (sheet === NONE) return;
      if (letter.type === "state") hearState(letter);
      else if (letter.type === "accepted" || letter.type === "rejected") change(letter);
    },
    // The seat was left: nothing of the set-up stays on this phone but what was saved by name.
    leave() {
      if (sheet === NONE) return;
      drag.cancel();
      saved.keepDraft(storage, game, sheet.seat, null);
      [sheet, game, state] = [NONE, null, begin()];
    },
    // After the game: gives the set-up that was handed in to the record. False when this phone does not know it.
    consent() {
      if (state.handed === null) return false;
      act({ type: "hand-in", purpose: "consent" });
      return true;
    },
    headline: (/** @type {About} */ about) => ({ ...parts.headline(sheet, state, about), told: parts.faultTexts(sheet, state) }),
    /** @param {About} about */
    body(about) {
      if (about.covered) drag.cancel();
      if (about.covered) return parts.hidden(act);
      return parts.body(sheet, state, { ...about, kept: saved.kept(storage, sheet.rules) }, drag, act);
    },
    onward: (/** @type {About} */ about) => parts.onward(sheet, state, about, act),
  };

  /** @param {any} letter */
  function hearState(letter) {
    const began = new Map(Object.entries(letter.began ?? {}));
    if (began.size > 0 && state.handed === null) change({ type: began.size === sheet.size ? "known" : "filled", placed: began });
    const placed = new Map(Object.entries(letter.own ?? {}));
    if (letter.ply > 0 || placed.size !== sheet.size) return;
    if (state.handed === null || !alike(state.handed, placed)) change({ type: "known", placed });
  }
}

function fairChance() {
  return crypto.getRandomValues(new Uint32Array(1))[0] / 2 ** 32;
}
