// Takes a seat with a link's secret or a typed code: the handset's half of referee/net/pairing/handshake.py, step by step the same.

import { base64, concat, hex, randomBytes, readUtf8, sha512, unbase64, utf8 } from "./bytes.js";

/** @import { Place } from "./types.d.ts" */

const { nacl } = globalThis;
const LINK = /^([A-Za-z0-9_-]{16,64})&([0-9a-f]{32})(?:&[0-9a-f]{64})?$/; // the last is the certificate of a port that no page speaks to
const CODE = /^[23456789ABCDEFGHJKMNPQRSTUVWXYZ]{6}$/;
const PATIENCE_MS = 15000;
const [TRIES, PAUSE_MS] = [3, 700];

// Why a seat was not given; `reason` is a stable word.
export class JoinError extends Error {
  /** @param {string} reason */
  constructor(reason) {
    super(reason);
    this.reason = reason;
  }
}

/**
 * What stands behind # in a join link, or null: { secret, fingerprint }, the latter null for a code alone.
 *
 * @param {string} fragment
 */
export function readFragment(fragment) {
  const text = fragment.replace(/^#/, "").replace(/%26/g, "&").replace(/%20/g, " "); // as some scanners write them
  const match = LINK.exec(text);
  if (match) return { secret: match[1], fingerprint: match[2] };
  const code = readCode(text);
  return code === null ? null : { secret: code, fingerprint: null };
}

/**
 * What was typed or pasted: a code in any spelling, or a whole link.
 *
 * @param {string} text
 */
export function readTyped(text) {
  const at = text.indexOf("#");
  return readFragment(at < 0 ? text : text.slice(at));
}

/** @param {string} text */
function readCode(text) {
  const code = text.replace(/[\s-]/g, "").toUpperCase();
  return CODE.test(code) ? code : null;
}

export class Joining {
  /**
   * @param {string} secret
   * @param {string | null} fingerprint
   * @param {(count: number) => Uint8Array} [random]
   */
  constructor(secret, fingerprint, random = randomBytes) {
    this.token = base64(sha512(utf8("hallmarshal token 1"), utf8(secret)).slice(0, 16));
    this.key = sha512(utf8("hallmarshal key 1"), utf8(secret)).slice(0, 32);
    this.fingerprint = fingerprint;
    this.random = random;
    this.own = nacl.box.keyPair.fromSecretKey(random(32));
    this.nonce = random(16);
    /** @type {Uint8Array} */
    this.peer = new Uint8Array(0); // what the first answer shows
    /** @type {Uint8Array} */
    this.peerNonce = new Uint8Array(0);
  }

  first() {
    const bound = sha512(utf8("hallmarshal commitment 1"), this.own.publicKey, this.nonce).slice(0, 32);
    return { token: this.token, commitment: base64(bound) };
  }

  /** @param {any} answer */
  second(answer) {
    this.peer = field(answer, "peer", 32);
    this.peerNonce = field(answer, "nonce", 16);
    if (this.fingerprint !== null && hex(sha512(this.peer)).slice(0, 32) !== this.fingerprint) throw new JoinError("wrong-referee");
    const nonce = this.random(24);
    const sealed = nacl.secretbox(concat(this.own.publicKey, this.nonce), nonce, this.key);
    return { token: this.token, sealed: base64(concat(nonce, sealed)) };
  }

  /**
   * The place that was given, in values that can be kept as JSON.
   *
   * @param {any} answer
   */
  last(answer) {
    const sealed = field(answer, "sealed");
    const opened = nacl.box.open(sealed.slice(24), sealed.slice(0, 24), this.peer, this.own.secretKey);
    if (opened === null) throw new JoinError("wrong-referee");
    try {
      const { credential, ws } = JSON.parse(readUtf8(opened));
      const { user, password, board, seat } = credential;
      if (![user, password, board, seat, ws].every((each) => typeof each === "string")) throw new JoinError("answer-unreadable");
      const keys = { own: base64(this.own.secretKey), peer: base64(this.peer) };
      return { user, password, board, seat, ws, ...keys, digits: this.digits() };
    } catch {
      throw new JoinError("answer-unreadable");
    }
  }

  digits() {
    const hash = sha512(utf8("hallmarshal pairing 2"), this.peer, this.own.publicKey, this.peerNonce, this.nonce);
    const number = [...hash.slice(0, 8)].reduce((value, byte) => (value << 8n) + BigInt(byte), 0n);
    return String(number % 1000000n).padStart(6, "0");
  }
}

/** @param {{ secret: string, fingerprint: string | null }} given */
export async function join({ secret, fingerprint }) {
  const joining = new Joining(secret, fingerprint);
  const shown = await postAgain(joining.first());
  const place = joining.last(await postAgain(joining.second(shown)));
  return { ...place, ws: `${location.protocol.replace("http", "ws")}//${location.host}/mqtt` }; // as this page came
}

/**
 * Who has the seat of a place now: "you", "another", "nobody"; null where the table does not say.
 *
 * @param {Place} given
 */
export async function holderOf({ seat, own }) {
  try {
    const key = base64(nacl.box.keyPair.fromSecretKey(unbase64(own)).publicKey);
    return (await postAgain({ seat, key }, 10)).holder ?? null; // a table that was just started may not answer yet
  } catch {
    return null;
  }
}

/**
 * The same letter again where its answer was lost on the way: it gets the same answer.
 *
 * @param {object} letter
 * @param {number} [most]   tries
 */
async function postAgain(letter, most = TRIES) {
  for (let tries = 1; ; tries += 1) {
    try {
      return await post(letter);
    } catch (error) {
      if (!(error instanceof JoinError) || error.reason !== "no-answer" || tries === most) throw error;
      await new Promise((after) => setTimeout(after, PAUSE_MS));
    }
  }
}

/**
 * @param {any} answer
 * @param {string} name
 * @param {number | null} [length]
 */
function field(answer, name, length = null) {
  try {
    const bytes = unbase64(answer[name]);
    if (length === null || bytes.length === length) return bytes;
  } catch {
    // falls through: it is no base64
  }
  throw new JoinError("answer-unreadable");
}

/** @param {object} letter */
async function post(letter) {
  let response;
  let answer;
  try {
    const signal = AbortSignal.timeout?.(PATIENCE_MS);
    const headers = { "Content-Type": "application/json" };
    response = await fetch("/pair", { method: "POST", headers, body: JSON.stringify(letter), signal });
    answer = await response.json();
  } catch {
    throw new JoinError("no-answer");
  }
  if (!response.ok) throw new JoinError(String(answer.error));
  return answer;
}
