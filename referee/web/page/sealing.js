// Letters between handset and referee: the handset's end of referee/net/sealing/sealing.py, byte for byte the same.

import { base64, concat, readUtf8, same, sha512, unbase64, utf8 } from "./bytes.js";
import { decode, encode, isLarge } from "./messages.js";

/** @import { Message } from "./types.d.ts" */

const { nacl } = globalThis;
const SEATS = ["red", "blue", "green", "yellow"]; // the order is part of the format
const HEADER = 41;
const NONCE = 24;
const KEY = 32;
const KEPT = 64;
const [SMALL, LARGE] = [256, 4096];
const [TO_HANDSET, TO_REFEREE] = [1, 2];

// A letter that is not taken; `reason` is the referee's word for it.
export class SealError extends Error {
  /** @param {string} reason */
  constructor(reason) {
    super(reason);
    this.reason = reason;
  }
}

// Takes each number once, also out of order, as long as it is not more than KEPT behind the highest.
export class Window {
  constructor() {
    this.whole = 0;
    this.ahead = new Set();
  }

  /** @param {number} number */
  take(number) {
    if (number <= this.whole || this.ahead.has(number)) throw new SealError("replay");
    this.ahead.add(number);
    this.whole = Math.max(this.whole, Math.max(...this.ahead) - KEPT);
    while (this.ahead.has(this.whole + 1)) this.whole += 1;
    for (const each of this.ahead) if (each <= this.whole) this.ahead.delete(each);
  }
}

export class HandsetSeal {
  /**
   * @param {{ own: string, peer: string, seat: string }} given
   * @param {Uint8Array} session
   * @param {(count: number) => Uint8Array} [random]
   */
  constructor({ own, peer, seat }, session, random = nacl.randomBytes) {
    this.key = nacl.box.before(unbase64(peer), unbase64(own));
    this.drawn = drawnKeys();
    this.peer = ""; // the key that the referee has drawn for this game
    /** @type {Uint8Array | null} */
    this.fresh = null; // what a game's letters are sealed with, once both ends have drawn keys
    this.proven = false;
    this.seat = SEATS.indexOf(seat);
    this.session = session;
    this.random = random;
    this.referee = null;
    this.window = new Window();
    this.counter = 0;
  }

  // Whether more than hello may be said: the referee has proven that the key which its info names is its own.
  get ready() {
    return this.fresh === null || this.proven;
  }

  /**
   * Takes the referee's session from its status; a new one starts the count of its letters anew.
   *
   * @param {Uint8Array} referee
   */
  follow(referee) {
    if (this.referee === null || !same(referee, this.referee)) {
      this.referee = referee;
      this.window = new Window();
    }
  }

  /**
   * Draws keys for a game, once the referee has told which it has drawn; the same again changes nothing.
   *
   * @param {string} peer
   */
  draw(peer) {
    if (peer === this.peer) return;
    const raw = unbase64(peer);
    if (raw.length !== KEY) throw new SealError("payload");
    const drawn = drawnKeys();
    this.fresh = sha512(utf8("hallmarshal fresh 1"), this.key, nacl.box.before(raw, drawn.secretKey)).slice(0, 32);
    this.drawn = drawn;
    this.peer = peer;
    this.proven = false;
  }

  /**
   * @param {Message} message
   * @param {string} game
   * @param {number} ply
   */
  seal(message, game, ply) {
    const hello = message.type === "hello";
    if (hello && this.fresh !== null) message = { ...message, fresh: base64(this.drawn.publicKey) };
    const body = utf8(JSON.stringify(encode(message)));
    const size = isLarge(message.type) ? LARGE : SMALL;
    if (body.length > size - HEADER) throw new SealError("too-long");
    this.counter += 1;
    const plain = new Uint8Array(size);
    const view = new DataView(plain.buffer);
    plain.set([1, TO_REFEREE, this.seat], 0);
    view.setUint16(3, body.length);
    view.setUint32(5, this.counter);
    view.setUint32(9, this.window.whole);
    view.setUint32(13, ply);
    plain.set(this.session, 17);
    plain.set(/** @type {Uint8Array} */ (this.referee), 25); // nothing is said before its status has come
    plain.set(digest(game), 33);
    plain.set(body, HEADER);
    const nonce = this.random(NONCE);
    return concat(nonce, nacl.box.after(plain, nonce, (!hello && this.fresh) || this.key));
  }

  /**
   * @param {Uint8Array} payload
   * @param {string} game
   */
  open(payload, game) {
    if (payload.length !== SMALL + 40 && payload.length !== LARGE + 40) throw new SealError("size");
    const plain = nacl.box.open.after(payload.slice(NONCE), payload.slice(0, NONCE), this.fresh ?? this.key);
    if (plain === null) throw new SealError("key");
    const view = new DataView(plain.buffer, plain.byteOffset);
    if (plain[0] !== 1) throw new SealError("version");
    if (plain[1] !== TO_HANDSET || plain[2] !== this.seat) throw new SealError("other-seat");
    if (!same(plain.slice(33, 41), digest(game))) throw new SealError("other-game");
    if (!same(plain.slice(25, 33), this.session)) throw new SealError("other-session");
    if (this.referee === null || !same(plain.slice(17, 25), this.referee)) throw new SealError("other-session");
    const length = view.getUint16(3);
    if (HEADER + length > plain.length || plain.slice(HEADER + length).some((byte) => byte !== 0)) throw new SealError("length");
    this.window.take(view.getUint32(5));
    this.proven = true;
    const message = decode(readJson(plain.slice(HEADER, HEADER + length)));
    if (message === null) throw new SealError("payload");
    return message;
  }
}

// Keys of a game, which nothing keeps.
function drawnKeys() {
  return nacl.box.keyPair.fromSecretKey(nacl.randomBytes(KEY));
}

/**
 * The 8 bytes that stand for a game in the envelope.
 *
 * @param {string} game
 */
export function digest(game) {
  return sha512(utf8(game)).slice(0, 8);
}

/** @param {Uint8Array} bytes */
function readJson(bytes) {
  try {
    return JSON.parse(readUtf8(bytes));
  } catch {
    throw new SealError("payload");
  }
}
