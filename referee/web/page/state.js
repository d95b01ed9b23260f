// The page's one state, and what follows from each thing that happens: plain values, pure functions.
//
//   let state = begin(wishes, place);  state = update(state, event)
//
// `stage` says which screen it is: "join", "joining", "digits", "table", "thrown-off", "elsewhere".

import { NO_MOVES, noted } from "./moves.js";

/** @import { Info, View } from "../toolkit/published.d.ts" */
/** @import { Happening, Message, OfGame, OnBoard, Place, Playing, Secrecy, State, Wishes } from "./types.d.ts" */

/** @type {OfGame} */
const FORGOTTEN = {
  info: null,
  view: null,
  viewAt: 0, // when it came, by this phone's own clock (`performance.now()`)
  lostAt: null, // since when nobody knows whether a clock runs, by the same; null while the table is heard
  seat: null, // the last `state` letter: { ply, ready, own, seen, ... }
  asked: null, // the moment at which that letter, or the next one, was asked for
  known: null, // the moment that it tells of
  enrolled: null, // the set-up that was handed in from this page
  question: null,
  answer: null, // what was tapped: { question, choice, re }
  reopened: false, // what was answered is being changed
  verdict: null,
  ahead: false, // what ends an attack or an offer came before the view that tells of it
  fresh: null, // the question of a verdict whose ranks are still shown by themselves
  told: null,
  rejected: null,
  waiting: {}, // id -> type of what was said and not answered
  defender: null, // the army that was attacked last
  editing: false, // the set-up is open although nothing asks for it
  picked: null, // the own piece that shall attack what is tapped next
  again: false, // said: another game
  consented: false,
  answered: false, // whether both armies are turned over was answered on this phone; only a yes is said
  closed: false, // ranks have covered themselves, after an answer
  held: false, // the player holds the button that shows them
  proof: "none", // whether the head of the game's chain that the table shows is the one computed here
};

/**
 * @param {Wishes} wishes
 * @param {Place | null} place
 * @param {string} stage
 */
export function begin(wishes, place, stage) {
  return {
    stage,
    place,
    wishes,
    typed: "",
    fault: null,
    holder: null, // who has the seat of a phone that was thrown off: "another", "nobody", "too-much"; null while that is not known
    connected: false,
    referee: false,
    free: null, // the seats that nobody has taken, null where that was not said
    locked: false, // whether only an arbiter chooses who plays
    wanting: [], // the seats that want another game
    everConnected: false,
    sheet: null, // what lies over the screen: { name, ... }
    covered: false,
    rules: null,
    moves: NO_MOVES, // of the game that was seen last
    ...FORGOTTEN,
  };
}

/**
 * @param {State} state
 * @param {Happening} event
 */
export function update(state, event) {
  const change = CHANGES[event.type];
  return change === undefined ? state : { ...state, ...change(state, event) };
}

/** @type {{ [type: string]: (state: State, event: any) => Partial<State> }} */
const CHANGES = {
  // the place
  typed: (_, { text }) => ({ typed: text, fault: null }),
  joining: () => ({ stage: "joining", fault: null }),
  "join-failed": (_, { reason }) => ({ stage: "join", fault: reason, typed: "" }),
  joined: (_, { place }) => ({ stage: "digits", place, fault: null, ...FORGOTTEN }),
  confirmed: ({ place }) => ({ stage: "table", place: place && { ...place, confirmed: true } }),
  against: ({ place }, { level }) => ({ place: place && { ...place, against: level }, sheet: null }),
  left: () => ({ stage: "join", place: null, sheet: null, fault: null, connected: false, ...FORGOTTEN }),
  elsewhere: () => ({ stage: "elsewhere", sheet: null, connected: false }),
  here: ({ place }) => ({ stage: place?.confirmed ? "table" : "digits" }),
  refused: () => ({ stage: "thrown-off", sheet: null, connected: false, holder: null, ...FORGOTTEN }),
  holder: (_, { holder }) => ({ holder }),
  // the link
  up: () => ({ connected: true, everConnected: true }),
  down: ({ lostAt }) => ({ connected: false, lostAt: lostAt ?? performance.now() }),
  status: ({ lostAt }, { value }) => ({
    referee: value.up,
    lostAt: value.up ? lostAt : (lostAt ?? performance.now()),
    free: value.free ?? null,
    locked: value.locked ?? false,
    wanting: value.again ?? [],
  }),
  info: (state, { value }) => ({ ...(state.info?.game === value.game ? {} : { ...FORGOTTEN, sheet: null }), info: value }),
  view: takeView,
  letter: (state, { value }) => LETTERS[value.type]?.(state, value) ?? {},
  rules: (_, { value }) => ({ rules: value }),
  asking: ({ view }) => ({ asked: view && moment(view) }),
  proof: (_, { value }) => ({ proof: value }),
  // the player
  sent: (state, { message }) => ({
    waiting: { ...state.waiting, [message.id]: message.type },
    rejected: null,
    enrolled: message.type === "enrol" ? message.set_up : state.enrolled,
    answer: answered(message) ?? state.answer,
    reopened: false,
    closed: state.closed || message.type === "declare",
  }),
  reopen: () => ({ reopened: true }),
  hold: (_, { held }) => ({ held, covered: false }),
  seen: ({ fresh }, { question }) => ({ fresh: fresh === question ? null : fresh }),
  sheet: (_, { sheet }) => ({ sheet }),
  cover: (state, { covered = !isHidden(state) }) => ({ covered, closed: false, fresh: covered ? null : state.fresh }),
  pick: ({ picked }, { square }) => ({ picked: picked === square ? null : square }),
  edit: (_, { editing }) => ({ editing }),
  "answered-end": () => ({ answered: true }),
  drawn: () => ({}),
  wish: ({ wishes }, { wish }) => ({ wishes: { ...wishes, ...wish } }),
  dismissed: () => ({ verdict: null, told: null, rejected: null }),
};

/** @type {{ [type: string]: (state: State, letter: any) => Partial<State> }} */
const LETTERS = {
  state: (state, letter) => ({
    seat: letter,
    known: state.asked,
    question: letter.question,
    answer: state.answer?.question === letter.question?.question ? state.answer : null,
  }),
  question: (_, letter) => ({ question: letter, answer: null, reopened: false, verdict: null, told: null, sheet: null }),
  verdict: ({ question, view }, letter) => ({
    verdict: letter,
    ahead: view?.attack?.result === null,
    fresh: letter.question,
    question: question?.question === letter.question ? null : question,
    answer: null,
    told: null,
  }),
  told: (_, letter) => ({ told: letter }),
  accepted: ({ waiting, view, again, consented, editing }, { re }) => ({
    waiting: without(waiting, re),
    rejected: null,
    again: again || (waiting[re] === "ready" && view?.phase === "finished"),
    consented: consented || waiting[re] === "consent",
    editing: editing && waiting[re] !== "ready" && waiting[re] !== "consent",
  }),
  closed: ({ question, view, place }, letter) =>
    question?.question === letter.question
      ? { question: null, answer: null, ahead: view !== null && isAsked(view, place?.seat ?? "") }
      : {},
  rejected: ({ waiting, answer }, letter) => ({
    waiting: without(waiting, letter.re),
    rejected: { ...letter, what: waiting[letter.re] ?? null },
    answer: answer?.re === letter.re ? null : answer,
  }),
};

/**
 * Whether an attack or an offer waits for a seat.
 *
 * @param {View} view
 * @param {string} seat
 */
function isAsked({ attack, offer, waiting_for: awaited }, seat) {
  return (attack?.result === null || offer?.declined_by === null) && awaited.includes(seat);
}

/**
 * What a seat's own state depends on, of what everybody sees: pieces move with plies, and with moves that are revised.
 *
 * @param {View} view
 */
function moment(view) {
  const { phase, ply, last_move: last, attack } = view;
  return [phase === "setting-up", ply, last?.source, last?.target, attack?.result].join(" ");
}

/**
 * Whether the seat's own state is older than what everybody sees; it tells which ranks stand where.
 *
 * @param {State} state
 */
export function asksAnew({ view, seat, known }) {
  return seat !== null && view !== null && view.phase !== "setting-up" && known !== moment(view);
}

/**
 * Return whether the seat's own state is as new as the view.
 *
 * @param {Pick<Playing, "view" | "known">} state
 */
export function isTold({ view, known }) {
  return known === moment(view);
}

/**
 * Whether the computer plays all other seats. Where people decide moves elsewhere, one of theirs may be at the board.
 *
 * @param {Info | null} info
 */
export function isAlone(info) {
  return info !== null && Object.keys(info.computers ?? {}).length === info.seats.length - 1;
}

/**
 * How long ranks stay on the screen: as the player wants; who plays the computer or has ranks read aloud has nobody beside him who looks.
 *
 * @param {Pick<State, "wishes" | "info">} state
 * @returns {Secrecy}
 */
export function secrecy({ wishes, info }) {
  return wishes.ranks ?? (wishes.hears || isAlone(info) ? "open" : info?.mode === "enrol" ? "held" : "answered");
}

/**
 * Whether ranks are hidden now, by the player or by themselves.
 *
 * @param {State} state
 */
export function isHidden(state) {
  const { covered, closed, held } = state;
  const kind = secrecy(state);
  return covered || (kind === "held" && !held) || (kind === "answered" && closed);
}

/**
 * The same state with every rank hidden that is hidden now; `but` says that those of a verdict that has just come are not.
 *
 * @template {State} Before
 * @param {Before} state
 * @returns {Before}
 */
export function asShown(state, but = false) {
  return { ...state, covered: isHidden(state) && !(but && !state.covered && state.fresh !== null) };
}

/**
 * The rank on a square as far as this seat may know it: of the own pieces what the referee was told, of the others what was shown.
 *
 * @param {Pick<OnBoard, "view" | "seat" | "place" | "covered" | "known">} state
 * @param {string} square
 */
export function rankOn({ view, seat, place, covered, known }, square) {
  if (view.turned?.[square]) return view.turned[square]; // everybody knows it
  if (covered || seat === null) return null;
  const touched = [view.last_move, view.attack].some((move) => move && (move.source === square || move.target === square));
  if (touched && known !== moment(view)) return null; // it may be another piece since; the next state says
  return (view.occupants[square] === place.seat ? seat.own[square] : seat.seen[square]) ?? null;
}

/**
 * Return whether all of these are known in a state.
 *
 * @template {Partial<State>} Before
 * @template {keyof State & keyof Before} Known
 * @param {Before} state
 * @param {Known[]} names
 * @returns {state is Before & import("./types.d.ts").Has<Known>}
 */
export function knows(state, ...names) {
  return names.every((name) => state[name] !== null);
}

/**
 * Whether this player has said "I am ready", as everybody sees it.
 *
 * @param {Pick<Playing, "view" | "place">} state
 */
export function isReady({ view, place }) {
  return view.phase === "setting-up" && !view.waiting_for.includes(place.seat);
}

/**
 * How many of the own pieces stand on the board, of how many, and whether so many are missing that nobody can be ready. Where
 * their squares are known, a piece or two that no sensor shows hinder nobody: the referee says so as well.
 *
 * @param {Playing} state
 */
export function piecesThere({ view, info, place }) {
  const there = placedIn(place.seat, view, info).length;
  const all = armySize(info);
  const unseen = view.fixes.some((fix) => fix.wanted === place.seat) ? 2 : 0;
  return { there, all, lacking: all - there > unseen || there > all || astray(place.seat, view, info).length > 0 };
}

export const armySize = (/** @type {Info} */ info) => Object.values(info.army).reduce((sum, count) => sum + count, 0);
const inZone = (/** @type {string} */ seat, /** @type {Info} */ info, /** @type {string} */ square) =>
  info.zones[seat]?.some((row) => row.includes(square)) ?? true;
const squaresOf = (/** @type {string} */ seat, /** @type {View} */ view) =>
  Object.keys(view.occupants).filter((square) => view.occupants[square] === seat);

// The squares in its zone, and those outside, on which an army has pieces. While setting up none may stand outside.
export const placedIn = (/** @type {string} */ seat, /** @type {View} */ view, /** @type {Info} */ info) =>
  squaresOf(seat, view).filter((square) => inZone(seat, info, square));
export const astray = (/** @type {string} */ seat, /** @type {View} */ view, /** @type {Info} */ info) =>
  squaresOf(seat, view).filter((square) => !inZone(seat, info, square));

/**
 * What a set-up is entered for now: to be enrolled, for the record after the game, or not at all (null).
 *
 * @param {State} state
 */
export function purposeOf({ stage, info, view, place, editing }) {
  if (stage !== "table" || place === null || info === null || view === null) return null;
  if (view.phase === "finished") return editing ? "consent" : null;
  if (view.phase !== "setting-up" || info.mode !== "enrol") return null;
  return editing || !isReady({ view, place }) ? "enrol" : null;
}

/**
 * @param {State} state
 * @param {{ value: View }} given
 */
function takeView(state, { value }) {
  const old = state.view;
  if (old !== null && old.game === value.game && value.seq < old.seq) return {}; // an older one that was on its way
  const moved = old !== null && value.ply > old.ply;
  const fights = value.attack?.result === null ? value.attack : null;
  return {
    view: value,
    moves: noted(state.moves, value),
    viewAt: performance.now(),
    lostAt: null,
    ahead: false,
    defender: fights ? value.occupants[fights.target] : state.defender,
    picked: fights || value.ply !== old?.ply ? null : state.picked,
    told: moved ? null : state.told,
    rejected: moved ? null : state.rejected,
    verdict: state.verdict !== null && value.ply > state.verdict.ply ? null : state.verdict,
  };
}

/** @param {Message} message */
function answered(message) {
  if (message.type !== "declare" && message.type !== "answer") return null;
  return { question: message.question, choice: message.rank ?? message.choice, re: message.id };
}

/**
 * @param {{ [id: string]: string }} waiting
 * @param {string} id
 */
function without(waiting, id) {
  const { [id]: _, ...others } = waiting;
  return others;
}
