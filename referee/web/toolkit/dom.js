// A screen as plain values, and the walk that makes the document agree with it.
//
//   h("button", { class: "primary", on: { click: send } }, "Ready")     a value; nothing is drawn
//   patch(element, [value, ...])                                         makes the children of an element agree
//
// A value that is given again is not walked again, so what is costly to draw may be kept (`memoize`). Elements that stay keep their focus
// and what was typed into them. Where the one that has the focus goes, or can be used no more, the focus never falls to the document:
// what stands in the place of a button takes it, or follows what is inert now, else the headline; what is no button needs a `tabindex`.
//
// Attributes: `key` tells brothers apart, `on` maps events to functions, `focus` takes the focus when the element is made; `false`, `null`
// and `undefined` leave an attribute out. Other values are set as they are.

/** @import { Attributes, Child, Drawn, Value } from "./values.d.ts" */
/** @typedef {(HTMLElement | SVGElement) & { $value?: Drawn, $heard: Set<string> }} Owned   an element that was made of a value */

const SVG = "http://www.w3.org/2000/svg";
const SVG_TAGS = new Set(["svg", "g", "path", "rect", "circle", "ellipse", "text", "line", "polyline", "polygon", "title", "use"]);
const SILENT = new Set(["key", "on", "focus"]);
/** @type {Owned | null} */
let wanting = null; // the element made last that wants the focus

/**
 * Return the value of an element; numbers become text, and lists of children are laid out flat.
 *
 * @param {string} tag
 * @param {Attributes | null} [attributes]
 * @param {Child[]} children
 * @returns {Drawn}
 */
export function h(tag, attributes = {}, ...children) {
  /** @type {Value[]} */
  const kept = [];
  for (const child of /** @type {any[]} */ (children).flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    kept.push(typeof child === "object" ? child : String(child));
  }
  return { tag, attributes: attributes ?? {}, children: kept };
}

/**
 * Make the children of an element agree with these values. An element that has to move keeps the focus.
 *
 * @param {Element} parent
 * @param {Value[]} values
 */
export function patch(parent, values) {
  const focused = /** @type {HTMLElement | null} */ (document.activeElement);
  const places = placesOf(focused, parent);
  wanting = null;
  agreeWithin(parent, values);
  const gone = places.findLast(({ element }) => !canBeUsed(element));
  /** @type {HTMLElement | null} */
  const next = wanting ?? (gone ? (heir(gone, focused) ?? parent.querySelector("h1[tabindex]")) : focused);
  if (next !== document.activeElement && next?.isConnected) next.focus({ preventScroll: next !== wanting });
}

/** @typedef {{ element: Element, around: Element, at: number }} Place   where an element lies */

/**
 * Return where an element lies, and all that holds it within another one, from the inside out.
 *
 * @param {Element | null} inner
 * @param {Element} outer
 */
function placesOf(inner, outer) {
  /** @type {Place[]} */
  const places = [];
  for (let element = outer.contains(inner) ? inner : outer; element && element !== outer; element = element.parentElement) {
    const around = /** @type {Element} */ (element.parentElement);
    places.push({ element, around, at: [...around.children].indexOf(element) });
  }
  return places;
}

/** @param {Element} element */
function canBeUsed(element) {
  return element.isConnected && !element.matches(":disabled, [inert], [inert] *");
}

/**
 * Return what takes the focus where what held it is gone, or is inert now.
 *
 * @param {Place} gone
 * @param {Element | null} focused
 */
function heir({ element, around, at }, focused) {
  const itself = element === focused && element.matches("button");
  const next = element.isConnected ? element.nextElementSibling : itself ? around.children[at] : null;
  return next?.matches("button, [tabindex]") && canBeUsed(next) ? /** @type {HTMLElement} */ (next) : null;
}

/**
 * @param {Element} parent
 * @param {Value[]} values
 */
function agreeWithin(parent, values) {
  /** @type {Map<string, Owned>} */
  const keyed = new Map();
  /** @type {ChildNode[]} */
  const loose = [];
  for (const node of parent.childNodes) {
    const key = valueOf(node)?.attributes.key;
    if (key === undefined) loose.push(node);
    else keyed.set(key, /** @type {Owned} */ (node));
  }
  const nodes = values.map((value) => found(value, keyed, loose) ?? create(value));
  const used = new Set(nodes);
  for (const node of [...parent.childNodes]) if (!used.has(node)) node.remove(); // first: what stays is not moved, nor said again
  let place = parent.firstChild;
  for (const [at, value] of values.entries()) {
    const node = nodes[at];
    if (node === place) place = place.nextSibling;
    else parent.insertBefore(node, place);
    if (typeof value !== "string") agree(/** @type {Owned} */ (node), value);
    else if (/** @type {Text} */ (node).data !== value) /** @type {Text} */ (node).data = value;
  }
}

/**
 * @param {Value} value
 * @param {Map<string, Owned>} keyed
 * @param {ChildNode[]} loose
 * @returns {ChildNode | undefined}
 */
function found(value, keyed, loose) {
  if (typeof value !== "string" && value.attributes.key !== undefined) {
    const node = keyed.get(value.attributes.key);
    keyed.delete(value.attributes.key);
    return node?.$value?.tag === value.tag ? node : undefined;
  }
  const at = loose.findIndex((node) => (typeof value === "string" ? node.nodeType === 3 : valueOf(node)?.tag === value.tag));
  return at < 0 ? undefined : loose.splice(at, 1)[0];
}

/** @param {ChildNode} node */
function valueOf(node) {
  return /** @type {Owned} */ (/** @type {unknown} */ (node)).$value;
}

/**
 * @param {Value} value
 * @returns {ChildNode}
 */
function create(value) {
  if (typeof value === "string") return document.createTextNode(value);
  const { tag } = value;
  const made = SVG_TAGS.has(tag) ? document.createElementNS(SVG, tag) : document.createElement(tag);
  const owned = /** @type {Owned} */ (Object.assign(made, { $heard: new Set() }));
  if (value.attributes.focus) wanting = owned;
  return owned;
}

/**
 * @param {Owned} node
 * @param {Drawn} value
 */
function agree(node, value) {
  if (node.$value === value) return; // the very same value: whoever made it knew that nothing had changed
  const before = node.$value?.attributes ?? {};
  const { attributes } = value;
  node.$value = value;
  for (const name of Object.keys(before)) {
    if (!SILENT.has(name) && !(name in attributes)) node.removeAttribute(name);
  }
  for (const [name, wanted] of Object.entries(attributes)) {
    if (!SILENT.has(name) && !(name === "value" && value.tag === "select")) set(node, name, wanted, before[name]);
  }
  for (const name of Object.keys(attributes.on ?? {})) {
    if (node.$heard.has(name)) continue;
    node.$heard.add(name);
    node.addEventListener(name, (event) => node.$value?.attributes.on?.[name]?.(event));
  }
  agreeWithin(node, value.children);
  if (value.tag === "select" && "value" in attributes) set(node, "value", attributes.value, null); // it can only choose what is there
}

/**
 * @param {Owned} node
 * @param {string} name
 * @param {unknown} wanted
 * @param {unknown} before
 */
function set(node, name, wanted, before) {
  if (name === "checked" || (name === "value" && node.tagName !== "OPTION")) {
    const field = /** @type {{ [name: string]: unknown }} */ (/** @type {unknown} */ (node));
    if (field[name] !== wanted) field[name] = wanted; // what was typed lives in the property, not in the attribute
  } else if (name === "style") {
    if (wanted !== before) node.style.cssText = String(wanted); // as an attribute our policy would forbid it
  } else if (wanted === before) {
    return; // what the browser itself changes meanwhile (`open`) stays until its event has told us
  } else if (wanted === false || wanted === null || wanted === undefined) {
    node.removeAttribute(name);
  } else {
    node.setAttribute(name, wanted === true ? "" : String(wanted));
  }
}
