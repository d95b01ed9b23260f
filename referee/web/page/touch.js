// A button that answers when the finger leaves it. A browser makes a click of that a moment later, often only with its next picture:
// 3 to 30 ms (measured in Chromium), by which a verdict would come later. Only a short touch that stays where it was is taken for a tap;
// all else (a long or a moved one, two fingers, a mouse, keys, a screen reader) is left to the browser and its click.

const LONG_MS = 400; // from here on a browser may take it for a long press: whether that is a click is for it to say
const STILL_PX = 8; // beyond it a finger slides or scrolls
/** @type {{ button: HTMLElement, clientX: number, clientY: number, timeStamp: number } | null} */
let began = null;

export const AT_ONCE = { pointerdown: begin, touchend: end };

/** @param {PointerEvent & { currentTarget: HTMLElement }} given */
function begin({ currentTarget, clientX, clientY, timeStamp }) {
  began = { button: currentTarget, clientX, clientY, timeStamp };
}

/** @param {TouchEvent & { currentTarget: HTMLElement }} event */
function end(event) {
  const { currentTarget: button, changedTouches, touches, timeStamp } = event;
  const from = began?.button === button ? began : null;
  began = null;
  const [left] = changedTouches;
  if (from === null || !button.isConnected || !event.cancelable || touches.length + changedTouches.length > 1) return;
  if (timeStamp - from.timeStamp >= LONG_MS || Math.hypot(left.clientX - from.clientX, left.clientY - from.clientY) > STILL_PX) return;
  event.preventDefault(); // or the browser's click would answer a second time, perhaps what stands here by then
  button.click();
}
