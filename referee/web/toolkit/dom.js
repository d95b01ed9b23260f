// A screen as plain values, and the walk that makes the document agree with it.
//
//   h("button", { class: "primary", on: { click: send } }, "Ready")     a value; nothing is drawn
//   patch(element, [value, ...])                                         makes the children of an element agree
//   element(value)                                                       draws one value by itself
//
// A value that is given again is not walked again, so what is costly to draw may be kept (`memoize`).
//
// Attributes: `key` tells brothers apart, `on` maps events to functions; `false`, `null` and `undefined` leave an attribute out.
// Other values are set as they are.

const SVG = "http://www.w3.org/2000/svg";
const SVG_TAGS = new Set(["svg", "g", "path", "rect", "circle", "text", "line", "polygon", "title"]);
const SILENT = new Set(["key", "on"]);

export function h(tag, attributes = {}, ...children) {
  const kept = children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false);
  return { tag, attributes: attributes ?? {}, children: kept.map((child) => (typeof child === "object" ? child : String(child))) };
}

export function element(value) {
  const made = typeof value === "string" ? document.createTextNode(value) : create(value);
  if (typeof value !== "string") agree(made, value);
  return made;
}

export function patch(parent, values) {
  const keyed = new Map();
  const loose = [];
  for (const node of parent.childNodes) {
    const key = node.$value?.attributes?.key;
    if (key === undefined) loose.push(node);
    else keyed.set(key, node);
  }
  let place = parent.firstChild;
  const used = new Set();
  for (const value of values) {
    const node = found(value, keyed, loose) ?? (typeof value === "string" ? document.createTextNode(value) : create(value));
    used.add(node);
    if (node === place) place = place.nextSibling;
    else parent.insertBefore(node, place);
    if (typeof value !== "string") agree(node, value);
    else if (node.data !== value) node.data = value;
  }
  for (const node of [...parent.childNodes]) if (!used.has(node)) node.remove();
}

function found(value, keyed, loose) {
  if (typeof value !== "string" && value.attributes.key !== undefined) {
    const node = keyed.get(value.attributes.key);
    keyed.delete(value.attributes.key);
    return node?.$value.tag === value.tag ? node : undefined;
  }
  const at = loose.findIndex((node) => (typeof value === "string" ? node.nodeType === 3 : node.$value?.tag === value.tag));
  return at < 0 ? undefined : loose.splice(at, 1)[0];
}

function create(value) {
  const made = SVG_TAGS.has(value.tag) ? document.createElementNS(SVG, value.tag) : document.createElement(value.tag);
  made.$heard = new Set();
  return made;
}

function agree(node, value) {
  if (node.$value === value) return; // the very same value: whoever made it knew that nothing had changed
  const before = node.$value?.attributes ?? {};
  node.$value = value;
  for (const name of Object.keys(before)) {
    if (!SILENT.has(name) && !(name in value.attributes)) node.removeAttribute(name);
  }
  for (const [name, wanted] of Object.entries(value.attributes)) {
    if (!SILENT.has(name)) set(node, name, wanted, before[name]);
  }
  for (const name of Object.keys(value.attributes.on ?? {})) {
    if (node.$heard.has(name)) continue;
    node.$heard.add(name);
    node.addEventListener(name, (event) => node.$value.attributes.on?.[name]?.(event));
  }
  patch(node, value.children);
}

function set(node, name, wanted, before) {
  if (name === "value" || name === "checked") {
    if (node[name] !== wanted) node[name] = wanted; // what was typed lives in the property, not in the attribute
  } else if (name === "style") {
    if (wanted !== before) node.style.cssText = wanted; // as an attribute our policy would forbid it
  } else if (wanted === false || wanted === null || wanted === undefined) {
    node.removeAttribute(name);
  } else if (wanted !== before) {
    node.setAttribute(name, wanted === true ? "" : wanted);
  }
}
