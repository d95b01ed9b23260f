// The screen stays on while a game is on: by the browser's wake lock, or, where a page that came by plain http has none, by NoSleep's video
// of one pixel. A video starts only when the page is touched, and on iPhones it keeps nothing awake unless it is on the page.

/** @import { State } from "./types.d.ts" */

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
  else sleepless?.disable();
}

// Whenever the page is touched or seen again: a video may start then, and what a browser has ended goes on.
export function tryAgain() {
  if (!wanted || asking || document.visibilityState !== "visible") return;
  const lock = (sleepless ??= made());
  if (lock.isEnabled && !lock.noSleepVideo?.paused) return;
  asking = true;
  const asked = lock.enable().catch(() => {}); // not allowed yet, or not at all: the phone sleeps as it always did
  asked.then(() => {
    asking = false;
    if (!wanted) lock.disable();
  });
}

function made() {
  const whole = new globalThis.NoSleep();
  if (whole.noSleepVideo) {
    whole.noSleepVideo.classList.add("sleepless");
    document.body.append(whole.noSleepVideo);
  }
  return whole;
}
