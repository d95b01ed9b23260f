// Dragging a piece with a finger or a mouse: a picture of it follows the finger, a little above it so that a thumb hides nothing.
// A press that does not go far is no drag; it stays a click, which keys and screen readers make as well.
//
//   on: { pointerdown: (event) => drag.press(event, { square: "a1" }), click: drag.unless(() => ...) }
//
// `drop(from, to)`: `to` is a square, null for the tray; anywhere else nothing is dropped.

const FAR_PX = 8;

export function dragging(drop) {
  let now = null; // { from, source, x, y, ghost, over }
  let justDragged = false;

  function press(event, from) {
    if (event.button !== 0 || !event.isPrimary || now !== null) return;
    now = { from, source: event.currentTarget, pointer: event.pointerId, x: event.clientX, y: event.clientY, ghost: null, over: null };
    justDragged = false;
    globalThis.addEventListener("pointermove", move);
    globalThis.addEventListener("pointerup", up);
    globalThis.addEventListener("pointercancel", cancel);
  }

  function move(event) {
    if (event.pointerId !== now.pointer) return;
    if (now.ghost === null) {
      if (Math.hypot(event.clientX - now.x, event.clientY - now.y) < FAR_PX) return;
      now.ghost = ghostOf(now.source);
      now.source.classList.add("dragged");
    }
    now.ghost.style.transform = `translate(${event.clientX}px, ${event.clientY}px) translate(-50%, -75%)`;
    const over = document.elementFromPoint(event.clientX, event.clientY)?.closest("[data-square], [data-tray]") ?? null;
    if (over === now.over) return;
    now.over?.classList.remove("over");
    over?.classList.add("over");
    now.over = over;
  }

  function up(event) {
    if (event.pointerId !== now.pointer) return;
    const { from, ghost, over } = now;
    cancel(event);
    if (ghost === null) return;
    justDragged = true; // the click that follows belongs to the drag
    setTimeout(() => (justDragged = false));
    if (over === null || (from.rank && over.dataset.square === undefined)) return;
    drop(from, over.dataset.square ?? null);
  }

  function cancel(event) {
    if (now === null || (event && event.pointerId !== now.pointer)) return;
    now.ghost?.remove();
    now.over?.classList.remove("over");
    now.source.classList.remove("dragged");
    now = null;
    globalThis.removeEventListener("pointermove", move);
    globalThis.removeEventListener("pointerup", up);
    globalThis.removeEventListener("pointercancel", cancel);
  }

  const unless = (act) => () => {
    if (!justDragged) act();
  };
  return { press, unless, cancel: () => cancel(null) };
}

function ghostOf(source) {
  const ghost = document.createElement("div");
  ghost.className = "drag-ghost";
  ghost.append(source.querySelector("svg").cloneNode(true));
  document.body.append(ghost);
  return ghost;
}
