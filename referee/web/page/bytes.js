// Bytes and their text forms, and SHA-512. A page on plain http has no WebCrypto; tweetnacl has what is needed.

const { nacl } = globalThis;
const TEXT = new TextEncoder();
const READER = new TextDecoder("utf-8", { fatal: true });

/** @param {string} text */
export function utf8(text) {
  return TEXT.encode(text);
}

/** @param {Uint8Array} bytes */
export function readUtf8(bytes) {
  return READER.decode(bytes);
}

/** @param {Uint8Array[]} parts */
export function concat(...parts) {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** @param {Uint8Array[]} parts */
export function sha512(...parts) {
  return nacl.hash(concat(...parts));
}

/** @param {Uint8Array} bytes */
export function hex(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** @param {string} text */
export function unhex(text) {
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}

/**
 * @param {Uint8Array} one
 * @param {Uint8Array} other
 */
export function same(one, other) {
  return one.length === other.length && one.every((byte, at) => byte === other[at]);
}

/**
 * URL-safe base64 without padding, as everywhere in our messages.
 *
 * @param {Uint8Array} bytes
 */
export function base64(bytes) {
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

/** @param {string} text */
export function unbase64(text) {
  const binary = atob(text.replace(/-/g, "+").replace(/_/g, "/"));
  return Uint8Array.from(binary, (sign) => sign.charCodeAt(0));
}

/** @param {number} count */
export function randomBytes(count) {
  return nacl.randomBytes(count);
}
