// The messages of docs/reference/messages.md: a body is an array, the type word, the id, then the fields in order.

/** @import { Message } from "./types.d.ts" */

/** @type {{ [type: string]: string[] }} */
const FROM_HANDSET = {
  hello: ["heard", "fresh"],
  missed: ["heard"],
  ready: [],
  enrol: ["set_up"],
  declare: ["question", "rank"],
  "no-attack": ["question"],
  attack: ["source", "target"],
  infiltrate: ["source", "target", "guess"],
  fire: ["source", "target"],
  decide: ["ply", "source", "target"],
  leave: ["square", "flags"],
  answer: ["question", "choice"],
  resign: [],
  "offer-draw": [],
  "offer-abort": [],
  "offer-take-back": ["ply"],
  "offer-void": ["ply"],
  pause: [],
  resume: [],
  "call-arbiter": [],
  "claim-immobile": [],
  consent: ["set_up"],
  countersign: ["key", "signature"],
};

/** @type {{ [type: string]: string[] }} */
const TO_HANDSET = {
  state: ["seat", "ply", "ready", "own", "seen", "question", "seed", "began"],
  question: ["question", "kind", "ply", "source", "target", "square", "choices"],
  verdict: ["question", "ply", "result", "own", "other"],
  accepted: ["re"],
  rejected: ["re", "reason", "detail"],
  told: ["ply", "reason", "squares"],
  closed: ["question"],
  history: ["re", "events"],
};

const LARGE = new Set(["enrol", "consent", "state", "history"]);

/** @param {string} type */
export function isLarge(type) {
  return LARGE.has(type);
}

// Every type word that the page can say or understand, for the test that compares them with the referee's.
export const TABLES = { FROM_HANDSET, TO_HANDSET };

/** @param {Message} message */
export function encode(message) {
  const names = FROM_HANDSET[message.type];
  return [message.type, message.id, ...names.map((name) => message[name] ?? null)];
}

/**
 * The message that an array means, or null when it is none of ours.
 *
 * @param {unknown} body
 */
export function decode(body) {
  if (!Array.isArray(body) || !Object.hasOwn(TO_HANDSET, body[0])) return null;
  const names = TO_HANDSET[body[0]];
  const left = body[0] === "state" ? 1 : 0; // what came later may be left out where it holds nothing
  if (body.length > names.length + 2 || body.length < names.length + 2 - left) return null;
  /** @type {Message} */
  const message = { type: body[0], id: body[1] };
  names.forEach((name, at) => (message[name] = body[at + 2]));
  if (message.type === "state" && message.question !== null) message.question = decode(message.question);
  return message;
}
