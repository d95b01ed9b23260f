// Tapping and dragging a piece with a finger or a mouse. A dragged piece follows the finger, a little above it so that a thumb
// hides nothing; a press that does not go far is a tap, and takes effect as the finger leaves.
//
//   on: drag.hears({ square: "a1" }, tapped)
//
// `drop(from, to)`: `to` is a square, null for the tray; anywhere else nothing is dropped. A click without a press before it comes
// from keys or a screen reader, and is a tap as well.

/** @import { Picked } from "../types.d.ts" */

const FAR_PX = 8;
const CLICK_WITHIN_MS = 500;

/** @typedef {PointerEvent & { currentTarget: HTMLElement }} Pressed */
/** @typedef {{ source: HTMLElement, pointer: number, x: number, y: number, ghost: HTMLElement | null, over: HTMLElement | null }} Where */
/** @typedef {Where & { from: Picked | null, tap: () => void }} Dragged */

/** @param {(from: Picked, to: string | null) => void} drop */
export function dragging(drop) {
  /** @type {Dragged | null} */
  let now = null;
  let done = -Infinity; // when a press was dealt with; the click that follows it is none of its own

  /**
   * What a button listens to. A piece can be dragged, an empty place (`from` null) only tapped.
   *
   * @param {Picked | null} from
   * @param {() => void} tap
   */
  function hears(from, tap) {
    const click = (/** @type {MouseEvent} */ event) => {
      const follows = event.timeStamp - done < CLICK_WITHIN_MS;
      done = -Infinity;
      if (!follows) tap();
    };
    return { pointerdown: (/** @type {Pressed} */ event) => press(event, from, tap), click };
  }

  /**
   * @param {Pressed} event
   * @param {Picked | null} from
   * @param {() => void} tap
   */
  function press(event, from, tap) {
    if (event.button !== 0 || !event.isPrimary || now !== null) return;
    now = { from, tap, source: event.currentTarget, pointer: event.pointerId, x: event.clientX, y: event.clientY, ghost: null, over: null };
    done = -Infinity;
    globalThis.addEventListener("pointermove", move);
    globalThis.addEventListener("pointerup", up);
    globalThis.addEventListener("pointercancel", cancel);
  }

  /** @param {PointerEvent} event */
  function move(event) {
    if (now === null || event.pointerId !== now.pointer) return;
    if (now.ghost === null) {
      if (Math.hypot(event.clientX - now.x, event.clientY - now.y) < FAR_PX) return;
      if (now.from === null) {
        cancel(event);
        return;
      }
      now.ghost = ghostOf(now.source);
      now.source.classList.add("dragged");
    }
    now.ghost.style.transform = `translate(${event.clientX}px, ${event.clientY}px) translate(-50%, -75%)`;
    const below = document.elementFromPoint(event.clientX, event.clientY);
    const over = /** @type {HTMLElement | null} */ (below?.closest("[data-square], [data-tray]") ?? null);
    if (over === now.over) return;
    now.over?.classList.remove("over");
    over?.classList.add("over");
    now.over = over;
  }

  /** @param {PointerEvent} event */
  function up(event) {
    if (now === null || event.pointerId !== now.pointer) return;
    const { from, tap, ghost, over } = now;
    cancel(event);
    done = event.timeStamp;
    if (ghost === null) tap();
    else if (from !== null && over !== null && (from.square || over.dataset.square)) drop(from, over.dataset.square ?? null);
  }

  /** @param {PointerEvent | null} event */
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

  return { hears, cancel: () => cancel(null) };
}

/** @param {HTMLElement} source */
function ghostOf(source) {
  const ghost = document.createElement("div");
  ghost.className = "drag-ghost";
  ghost.append(/** @type {SVGElement} */ (source.querySelector("svg")).cloneNode(true));
  document.body.append(ghost);
  return ghost;
}
