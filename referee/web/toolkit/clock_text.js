// What a game clock shows, the same on every page.

/**
 * Return `1:02:03` or `2:03` for a time in milliseconds, rounded up: it is `0:00` only when nothing is left.
 *
 * @param {number} leftMs
 */
export function clockText(leftMs) {
  const all = Math.ceil(leftMs / 1000);
  const two = (/** @type {number} */ number) => String(number).padStart(2, "0");
  const [hours, minutes, seconds] = [Math.floor(all / 3600), Math.floor(all / 60) % 60, all % 60];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds)}` : `${minutes}:${two(seconds)}`;
}
