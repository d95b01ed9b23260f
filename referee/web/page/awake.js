// The screen stays on while a game is on: by the browser's wake lock, or, where a page that came by http has none, by NoSleep's video of
// one pixel. WebKit grants either only to a touch, so both are asked for again with each until one is there; a lock ends when the page is
// hidden. A video keeps no iPhone awake unless it is on the page.

/** @import { State } from "./types.d.ts" */

/** @type {WakeLockSentinel | null} */
let lock = null;
/** @type {NoSleep | null} */
let sleepless = null;
let wanted = false;
let asking = false;

/**
 * @param {State} state
 */
export function isAwake({ stage, connected, referee, view, wishes }) {
  if (!wishes.awake || stage !== "table" || !connected || !referee || view === null) return false;
  return view.result === null && !["lobby", "paused"].includes(view.phase);
}

/**
 * @param {boolean} on
 */
export function stayAwake(on) {
  if (on === wanted) return;
  wanted = on;
  if (on) tryAgain();
  else release();
}

// Whenever the page is touched or seen again: what was not granted may be now, and what a browser has ended goes on.
export function tryAgain() {
  if (!wanted || asking || document.visibilityState !== "visible" || isOn()) return;
  asking = true;
  const asked = ask().catch(() => {}); // not granted yet, or not at all: the phone sleeps as it always did
  asked.then(() => {
    asking = false;
    if (!wanted) release();
  });
}

function isOn() {
  return lock?.released === false || (sleepless?.isEnabled && !sleepless.noSleepVideo?.paused);
}

async function ask() {
  if ("wakeLock" in navigator) lock = await navigator.wakeLock.request("screen");
  else await (sleepless ??= video()).enable();
}

function release() {
  lock?.release();
  sleepless?.disable();
}

function video() {
  const whole = new globalThis.NoSleep();
  if (whole.noSleepVideo) {
    whole.noSleepVideo.classList.add("sleepless");
    document.body.append(whole.noSleepVideo);
  }
  return whole;
}
