// What a phone shows of itself in the table's Wi-Fi. That window forgets all once it is closed, so no seat is taken in it: from the six
// characters it makes the seat's link for the real browser. Android's takes it by an intent; elsewhere it is copied. Without this script
// the page says the same in all languages.

import { h, patch } from "../toolkit/dom.js";
import { language, loadWords, setLanguage, spoken, t } from "../toolkit/words.js";
import { readTyped } from "./join.js";
import { button } from "./parts.js";

const page = /** @type {HTMLElement} */ (document.querySelector("main"));
const ANDROID = /android/i.test(navigator.userAgent);
let code = "";
let copied = false;

function draw() {
  const path = `${location.host}/join${code && `#${code}`}`;
  const scheme = location.protocol.slice(0, -1);
  const intent = `intent://${path}#Intent;scheme=${scheme};action=android.intent.action.VIEW;end`;
  patch(page, [
    h("div", { class: "welcome" }, h("h1", {}, "Hallmarshal"), h("p", { class: "lead" }, t("wi-fi.connected"))),
    h(
      "div",
      { class: "foot" },
      h("label", { for: "code" }, t("page.join-code")),
      h("input", { id: "code", type: "text", autocomplete: "off", autocapitalize: "characters", placeholder: "ABC 234", on: { input } }),
      h("label", { for: "link" }, t("page.connect-link")),
      h("input", { id: "link", type: "text", class: "plainly", readonly: true, value: `${scheme}://${path}` }),
      ANDROID ? button(t("page.connect-open"), () => location.assign(intent), { class: "primary" }) : null,
      button(t(copied ? "page.connect-copied" : "page.connect-copy"), copy, { class: ANDROID ? "" : "primary" }),
    ),
  ]);
}

/** @param {Event & { target: HTMLInputElement }} event */
function input({ target }) {
  code = readTyped(target.value)?.secret ?? "";
  copied = false;
  draw();
}

// Over plain http a page has no clipboard but this one.
function copy() {
  const link = /** @type {HTMLInputElement} */ (document.getElementById("link"));
  link.select();
  copied = document.execCommand("copy");
  draw();
}

await loadWords();
setLanguage(spoken(navigator.languages ?? []));
document.documentElement.lang = language();
draw();
