// Keeps in `document.heard` what a screen reader tells by itself, as it happens: what is new in a live region, and what takes the focus
// without a key that moves it, with the role of a control. What happens in one turn of the page is one `turn`; run by tests/web/by_ear.py.
(() => {
    const LIVE = "[role=status], [role=alert], [role=log], [aria-live]";
    const heard = (document.heard = []);
    let [turn, due, steps] = [0, false, false];
    const tell = (how, text, { again = false, role = "" } = {}) => {
        heard.push({ how, text: text.trim(), again, role, turn });
        if (due) return;
        due = true;
        setTimeout(() => {
            due = false;
            turn += 1;
        });
    };
    const spoken = (node) =>
        node.nodeType === Node.TEXT_NODE
            ? node.data
            : node.getAttribute?.("aria-hidden") === "true"
              ? ""
              : [...node.childNodes].map(spoken).join("");
    const whole = (region) =>
        region.getAttribute("aria-atomic") === "true" ||
        (["status", "alert"].includes(region.getAttribute("role")) && region.getAttribute("aria-atomic") !== "false");
    new MutationObserver((records) => {
        const gone = records.flatMap(({ removedNodes }) => [...removedNodes].map(spoken));
        const came = new Set();
        for (const { type, target, addedNodes } of records) {
            for (const node of type === "characterData" ? [target] : addedNodes) {
                const region = (node.nodeType === Node.ELEMENT_NODE ? node : node.parentElement)?.closest(LIVE);
                if (region?.isConnected) came.add(whole(region) ? region : node);
            }
        }
        for (const node of came) {
            const hidden = (node.nodeType === Node.ELEMENT_NODE ? node : node.parentElement).closest("[aria-hidden=true]");
            const within = [...came].some((other) => other !== node && other.contains(node));
            if (!hidden && !within && spoken(node).trim()) tell("live", spoken(node), { again: gone.includes(spoken(node)) });
        }
    }).observe(document, { subtree: true, childList: true, characterData: true });
    addEventListener("keydown", ({ key }) => (steps = key === "Tab" || key.startsWith("Arrow")), true);
    addEventListener("keyup", () => (steps = false), true);
    addEventListener(
        "focusin",
        ({ target }) => {
            const role = target.matches("button, [role=dialog]") ? (target.getAttribute("role") ?? "button") : "";
            tell(steps ? "step" : "focus", target.getAttribute("aria-label") ?? spoken(target), { role });
        },
        true,
    );
})();
