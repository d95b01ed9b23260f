// A board drawn as everybody may see it.

import { say } from "./hall.js";

const SVG = "http://www.w3.org/2000/svg";

/** Draws a board; `touched(square)` is called for a square that is touched, null: nothing happens then. */
export function picture(info, view, touched) {
  const { columns, rows, squares, lakes } = info.board;
  const draw = (name, given) => { const made = document.createElementNS(SVG, name); for (const [key, value] of Object.entries(given)) made.setAttribute(key, value); return made; };
  const root = draw("svg", { class: "board", viewBox: `-0.05 -0.05 ${columns + 0.1} ${rows + 0.1}`, role: "group", "aria-label": say("hall.board") });
  for (const [column, row] of lakes) root.append(draw("rect", { class: "lake", x: column, y: rows - row - 1, width: 1, height: 1 }));
  const places = new Map();
  for (const one of squares) {
    const x = one.x - one.width / 2, y = rows - one.y - one.height / 2;
    places.set(one.name, [one.x, rows - one.y]);
    const given = touched ? { tabindex: 0, role: "button" } : {};
    const space = draw("rect", { class: "space", x, y, width: one.width, height: one.height, ...given, "aria-label": view.occupants[one.name] ? `${one.name}, ${say(`seat.${view.occupants[one.name]}`)}` : one.name });
    if (touched) {
      space.addEventListener("click", () => touched(one.name));
      space.addEventListener("keydown", (event) => { if (event.key === "Enter" || event.key === " ") touched(one.name); });
    }
    const label = draw("text", { x: x + 0.05, y: y + 0.24 });
    label.textContent = one.name;
    root.append(space, label);
  }
  for (const [name, seat] of Object.entries(view.occupants)) {
    const [x, y] = places.get(name);
    root.append(seat === "red" || seat === "yellow" ? draw("circle", { class: `piece ${seat}`, cx: x, cy: y + 0.1, r: 0.3 }) : draw("rect", { class: `piece ${seat}`, x: x - 0.28, y: y - 0.18, width: 0.56, height: 0.56 }));
  }
  const ring = (name, kind) => { const [x, y] = places.get(name) ?? []; if (x !== undefined) root.append(draw("rect", { class: kind, x: x - 0.46, y: y - 0.46, width: 0.92, height: 0.92 })); };
  if (view.last_move) { ring(view.last_move.source, "last"); ring(view.last_move.target, "last"); }
  for (const fix of view.fixes) ring(fix.square, "asked");
  for (const name of view.in_hand) ring(name, "asked");
  return root;
}
