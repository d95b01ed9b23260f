// The page's beginning.
import { patch, h } from "./dom.js";
import { loadWords, setLanguage, spoken, t } from "./words.js";

await loadWords();
setLanguage(spoken(navigator.languages));
patch(document.querySelector("#page"), [h("h1", {}, t("handset.no-game"))]);
