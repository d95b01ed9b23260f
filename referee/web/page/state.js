// The page's one state, and what follows from each thing that happens: plain values, pure functions.
//
//   let state = begin(wishes, place);  state = update(state, event)
//
// `stage` says which screen it is: "join", "joining", "digits", "table", "thrown-off", "elsewhere".

const FORGOTTEN = {
  info: null,
  view: null,
  seat: null, // the last `state` letter: { ply, ready, own, seen, ... }
  question: null,
  answer: null, // what was tapped: { question, choice, re }
  verdict: null,
  told: null,
  rejected: null,
  waiting: {}, // id -> type of what was said and not answered
  lastEvent: 0,
  stale: false, // an event was missed; the view that comes next makes up for it
  event: null,
  defender: null, // the army that was attacked last
  setUp: null, // the set-up that was handed in, for the record
  again: false, // said: another game
  consented: false,
};

export function begin(wishes, place, stage) {
  return {
    stage,
    place,
    wishes,
    typed: "",
    fault: null,
    connected: false,
    referee: false,
    everConnected: false,
    sheet: null, // what lies over the screen: { name, ... }
    covered: false,
    rules: null,
    ...FORGOTTEN,
  };
}

export function update(state, event) {
  const change = CHANGES[event.type];
  return change === undefined ? state : { ...state, ...change(state, event) };
}

const CHANGES = {
  // the place
  typed: (_, { text }) => ({ typed: text, fault: null }),
  joining: () => ({ stage: "joining", fault: null }),
  "join-failed": (_, { reason }) => ({ stage: "join", fault: reason, typed: "" }),
  joined: (_, { place }) => ({ stage: "digits", place, fault: null, ...FORGOTTEN }),
  confirmed: ({ place }) => ({ stage: "table", place: { ...place, confirmed: true } }),
  left: () => ({ stage: "join", place: null, sheet: null, fault: null, connected: false, ...FORGOTTEN }),
  elsewhere: () => ({ stage: "elsewhere", sheet: null, connected: false }),
  here: ({ place }) => ({ stage: place.confirmed ? "table" : "digits" }),
  refused: () => ({ stage: "thrown-off", sheet: null, connected: false, ...FORGOTTEN }),
  // the link
  up: () => ({ connected: true, everConnected: true }),
  down: () => ({ connected: false }),
  status: (_, { value }) => ({ referee: value.up }),
  info: (state, { value }) => ({ ...(state.info?.game === value.game ? {} : { ...FORGOTTEN, sheet: null }), info: value }),
  view: takeView,
  event: takeEvent,
  letter: (state, { value }) => LETTERS[value.type]?.(state, value) ?? {},
  rules: (_, { value }) => ({ rules: value }),
  "set-up": (_, { value }) => ({ setUp: value }),
  // the player
  sent: (state, { message }) => ({
    waiting: { ...state.waiting, [message.id]: message.type },
    setUp: message.set_up ?? state.setUp,
    rejected: null,
    answer: answered(message) ?? state.answer,
  }),
  sheet: (_, { sheet }) => ({ sheet }),
  cover: ({ covered }) => ({ covered: !covered }),
  wish: ({ wishes }, { wish }) => ({ wishes: { ...wishes, ...wish } }),
  dismissed: () => ({ verdict: null, told: null, rejected: null }),
};

const LETTERS = {
  state: (state, letter) => ({
    seat: letter,
    question: letter.question,
    answer: state.answer?.question === letter.question?.question ? state.answer : null,
  }),
  question: (_, letter) => ({ question: letter, answer: null, verdict: null, told: null, sheet: null }),
  verdict: ({ question }, letter) => ({
    verdict: letter,
    question: question?.question === letter.question ? null : question,
    answer: null,
    told: null,
  }),
  told: (_, letter) => ({ told: letter }),
  accepted: ({ waiting, view, again, consented }, { re }) => ({
    waiting: without(waiting, re),
    rejected: null,
    again: again || (waiting[re] === "ready" && view?.phase === "finished"),
    consented: consented || waiting[re] === "consent",
  }),
  rejected: ({ waiting, answer }, letter) => ({
    waiting: without(waiting, letter.re),
    rejected: { ...letter, what: waiting[letter.re] ?? null },
    answer: answer?.re === letter.re ? null : answer,
  }),
};

function takeView(state, { value }) {
  const old = state.view;
  if (old !== null && old.game === value.game && value.seq < old.seq) return {}; // an older one that was on its way
  const moved = old !== null && value.ply > old.ply;
  const fights = value.attack !== null && value.attack.result === null;
  return {
    view: value,
    defender: fights ? value.occupants[value.attack.target] : state.defender,
    lastEvent: Math.max(state.lastEvent, value.seq),
    stale: false,
    told: moved ? null : state.told,
    rejected: moved ? null : state.rejected,
    verdict: state.verdict !== null && value.ply > state.verdict.ply ? null : state.verdict,
  };
}

function takeEvent(state, { value }) {
  if (value.seq <= state.lastEvent) return {};
  return { lastEvent: value.seq, stale: state.stale || value.seq !== state.lastEvent + 1, event: value };
}

function answered(message) {
  if (message.type !== "declare" && message.type !== "answer") return null;
  return { question: message.question, choice: message.rank ?? message.choice, re: message.id };
}

function without(waiting, id) {
  const { [id]: _, ...others } = waiting;
  return others;
}
