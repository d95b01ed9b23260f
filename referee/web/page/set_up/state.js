// The set-up screen's own state, and what follows from each act of the player and each answer of the referee: pure functions.
//
//   let state = begin();  state = update(sheet, state, { type: "square", square: "a1" })
//
// `draft` is the set-up in work; `handed` what the referee has taken, `sent` what is on its way to it; `faults` what is wrong with a
// text or, by the referee, with what was sent; `panel` what lies open instead of the zone: null, "saved" or "text".

import * as drafts from "./draft.js";
import { read, write } from "./text.js";

/** @import { Draft, Happening, Picked, SetUpSheet, SetUpState } from "../types.d.ts" */

/** @returns {SetUpState} */
export function begin() {
  return {
    draft: drafts.empty(),
    handed: null,
    sent: null,
    faults: [],
    refused: null,
    panel: null,
    text: "",
    name: "",
    doomed: null,
    stored: true,
  };
}

/**
 * @param {SetUpSheet} sheet
 * @param {SetUpState} state
 * @param {Happening} act
 * @returns {SetUpState}
 */
export function update(sheet, state, act) {
  const change = CHANGES[act.type];
  return change === undefined ? state : { ...state, ...change(sheet, state, act) };
}

/**
 * @param {(sheet: SetUpSheet, draft: Draft, act: any) => Draft} change
 * @returns {(sheet: SetUpSheet, state: SetUpState, act: any) => Partial<SetUpState>}
 */
const edit = (change) => (sheet, state, act) => ({
  draft: change(sheet, state.draft, act),
  faults: [],
  refused: null,
  doomed: null,
});

/** @type {{ [type: string]: (sheet: SetUpSheet, state: SetUpState, act: any) => Partial<SetUpState> }} */
const CHANGES = {
  tray: edit((sheet, draft, { rank }) => drafts.tapTray(sheet, draft, rank)),
  square: edit((sheet, draft, { square }) => drafts.tapSquare(sheet, draft, square)),
  drop: edit(dropped),
  random: edit((sheet, draft, { chance }) => drafts.fillIn(sheet, draft, chance)),
  mirror: edit((sheet, draft) => drafts.mirror(sheet, draft)),
  undo: edit((_, draft) => drafts.undo(draft)),
  clear: edit((_, draft) => drafts.clear(draft)),
  load: taken,
  // the text
  panel: (sheet, state, { panel }) => ({
    panel,
    text: panel === "text" ? write(sheet, state.draft.placed) : "",
    faults: [],
    doomed: null,
  }),
  typed: (_, __, { text }) => ({ text, faults: [] }),
  named: (_, __, { name }) => ({ name, doomed: null }),
  doom: (_, __, { name }) => ({ doomed: name }),
  stored: (_, { name }, { done }) => ({ stored: done, doomed: null, name: done ? "" : name }),
  // the referee
  sent: (_, __, { id, purpose, placed }) => ({ sent: { id, purpose, placed }, refused: null, panel: null }),
  accepted: (_, { sent, handed }, { re }) =>
    sent !== null && sent.id === re ? { sent: null, handed: sent.purpose === "enrol" ? sent.placed : handed } : {},
  rejected: (_, { sent }, { re, reason, detail }) => (sent?.id === re ? { sent: null, refused: { reason, detail } } : {}),
  filled: (_, { draft }, { placed }) => ({ draft: draft.placed.size ? draft : drafts.take(draft, placed) }),
  known: (_, { draft }, { placed }) => ({
    handed: placed,
    draft: draft.placed.size ? draft : drafts.take(draft, placed),
  }),
};

/**
 * @param {SetUpSheet} sheet
 * @param {Draft} draft
 * @param {{ from: Picked, to: string | null }} given
 */
function dropped(sheet, draft, { from, to }) {
  if (from.rank !== undefined) return { ...(to === null ? draft : drafts.place(sheet, draft, from.rank, to)), picked: null };
  return to === null ? drafts.putBack(draft, from.square) : drafts.swap(sheet, draft, from.square, to);
}

/**
 * @param {SetUpSheet} sheet
 * @param {SetUpState} state
 * @param {{ text: string }} given
 */
function taken(sheet, { draft }, { text }) {
  const found = read(sheet, text);
  if ("faults" in found) return { faults: found.faults };
  return { draft: drafts.take(draft, found.placed), faults: [], refused: null, panel: null, text: "", doomed: null };
}
