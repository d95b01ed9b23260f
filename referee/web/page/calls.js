// What calls a player to the phone: his move, one that he is to make for the other, and his piece is attacked. All of it follows from what
// everybody sees of the table: whether and when a call is made tells nobody a rank, nor how an attack will end.

/** @import { View } from "../toolkit/published.d.ts" */
/** @import { Call, Wishes } from "./types.d.ts" */

/** @type {{ [call in Call]: { shakes_ms: number[], hertz: number[] } }} */
const CALLS = {
  move: { shakes_ms: [120], hertz: [660] },
  attacked: { shakes_ms: [120, 80, 120], hertz: [880, 660] },
};
const NOTE_S = 0.16;
const LOUD = 0.25;
const SILENT = 0.0001; // an exponential ramp never reaches 0
const PLAYING = ["waiting-for-move", "piece-in-hand"];

export const canShake = () => "vibrate" in navigator;

/** Hears every view of a seat's table, and remembers for what it has called. */
export class Caller {
  /** @type {{ game: string, attack: string | null, ply: number | null } | null} */
  called = null;

  /**
   * Return what this view calls the player for, null where for nothing. What was there when the page began calls nobody.
   *
   * @param {View} view
   * @param {string} seat
   * @returns {Call | null}
   */
  hear(view, seat) {
    const { game, attack: fight, turn, decided = null } = view;
    const before = this.called?.game === game ? this.called : null;
    const attack = fight?.result === null && view.occupants[fight.target] === seat ? `${view.ply} ${fight.source} ${fight.target}` : null;
    const ply = decided === null ? view.ply : view.ply + 1; // who makes it for the other has no call once he has made it
    const mine = view.result === null && (decided === null ? turn === seat : turn !== seat);
    const now = mine && PLAYING.includes(view.phase) ? ply : mine ? (before?.ply ?? null) : null; // putting the board right calls once
    const known = this.called !== null;
    this.called = { game, attack, ply: now };
    if (!known) return null;
    if (attack !== null && attack !== before?.attack) return "attacked";
    return now !== null && now !== before?.ply ? "move" : null;
  }
}

/** @type {AudioContext | null} */
let audio = null;

// Browsers let a page be heard only once it was touched, and again after something else was.
export function touched() {
  audio ??= new AudioContext();
  if (audio.state !== "running") audio.resume();
}

/**
 * @param {Call} call
 * @param {Pick<Wishes, "shakes" | "sounds">} wishes
 */
export function ring(call, { shakes, sounds }) {
  const { shakes_ms: pattern, hertz } = CALLS[call];
  if (shakes && canShake()) navigator.vibrate(pattern);
  if (sounds && audio !== null) for (const [at, height] of hertz.entries()) note(audio, height, audio.currentTime + at * NOTE_S);
}

/**
 * @param {AudioContext} context
 * @param {number} height
 * @param {number} from
 */
function note(context, height, from) {
  const [voice, volume] = [context.createOscillator(), context.createGain()];
  voice.frequency.value = height;
  volume.gain.setValueAtTime(SILENT, from);
  volume.gain.exponentialRampToValueAtTime(LOUD, from + NOTE_S / 8);
  volume.gain.exponentialRampToValueAtTime(SILENT, from + NOTE_S);
  voice.connect(volume).connect(context.destination);
  voice.start(from);
  voice.stop(from + NOTE_S);
}
