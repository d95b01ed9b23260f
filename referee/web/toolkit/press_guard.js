// A page changes only while nobody presses on it: what is moved or replaced between press and release would never be clicked.

let pressed = false;
/** @type {(() => void)[]} */
let waiting = [];

function release() {
  setTimeout(() => {
    pressed = false; // after the click that this may be
    const acts = waiting;
    waiting = [];
    for (const act of acts) act();
  });
}

addEventListener("pointerdown", () => (pressed = true), true);
addEventListener("pointermove", (event) => pressed && !event.buttons && release(), true);
for (const name of ["pointerup", "pointercancel", "change"]) addEventListener(name, release, true);
addEventListener("blur", release); // the window's own, not that of whatever had the focus before the press

/**
 * Return a function that draws soon: once for all that happens together, and once nobody presses.
 *
 * @param {() => void} draw
 */
export function drawing(draw) {
  let due = false;
  const now = () => {
    due = false;
    draw();
  };
  return () => {
    if (due) return;
    due = true;
    queueMicrotask(() => (pressed ? waiting.push(now) : now()));
  };
}
