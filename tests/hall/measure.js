// Returns what of a hall's page does not fit or is not translated, as sentences; run by tests/hall/test_hall_words.py.
async (names) => {
    // The room's screen chooses its letters anew for a window of another size, and hears of it before it draws.
    if (document.body.matches(".screen")) await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
    const faults = [];
    const name = (node) => `${node.tagName.toLowerCase()}.${node.getAttribute("class") ?? ""} "${node.textContent.trim().slice(0, 50)}"`;
    const scrolled = (node) => node.parentElement.closest(".scroll, .history") !== null;
    if (document.scrollingElement.scrollWidth > innerWidth)
        faults.push(`the page is ${document.scrollingElement.scrollWidth - innerWidth} px wider than the window`);
    if (document.body.matches(".screen") && document.scrollingElement.scrollHeight > innerHeight)
        faults.push("the room's screen has to be scrolled");
    const shown = [...document.querySelectorAll("main *")].filter(
        (node) => node.getClientRects().length > 0 && !node.closest("svg") && node.tagName !== "OPTION",
    );
    for (const node of shown) {
        const box = node.getBoundingClientRect(),
            style = getComputedStyle(node);
        if (!scrolled(node) && (box.left < -0.5 || box.right > innerWidth + 0.5)) faults.push(`beyond the edge: ${name(node)}`);
        const cut =
            style.display !== "inline" && !node.matches(".scroll, .history") && !/INPUT|SELECT/.test(node.tagName) && node.clientWidth > 0;
        if (cut && node.scrollWidth > node.clientWidth + 1 && !node.matches(".name")) faults.push(`too wide: ${name(node)}`);
        if (cut && style.overflowY === "hidden" && node.scrollHeight > node.clientHeight + 2 && !node.matches(".name"))
            faults.push(`too high: ${name(node)}`);
        if (/BUTTON|SELECT/.test(node.tagName) && box.height < 39.5) faults.push(`too small to tap: ${name(node)}`);
        if (node.tagName === "SELECT") {
            const free = node.parentElement.appendChild(node.cloneNode(true));
            free.style.cssText = "position: absolute; width: auto; max-width: none";
            if (free.offsetWidth > box.width + 1) faults.push(`cut in its select: ${name(node)}`);
            free.remove();
        }
        if (node.tagName === "INPUT" && node.placeholder) {
            const pen = document.createElement("canvas").getContext("2d");
            pen.font = style.font;
            if (pen.measureText(node.placeholder).width > node.clientWidth - 18) faults.push(`too long for its place: ${node.placeholder}`);
        }
    }
    const texts = [],
        said = [];
    const walker = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const node = walker.currentNode;
        if (!node.data.trim() || node.parentElement.closest("svg, [aria-hidden], [lang]")) continue;
        said.push(node.data);
        if (!node.parentElement.getClientRects().length || node.parentElement.closest(".history, option")) continue;
        const range = document.createRange();
        range.selectNodeContents(node);
        texts.push([node.data.trim(), range.getBoundingClientRect()]);
    }
    texts.forEach(([one, a], at) =>
        texts.slice(at + 1).forEach(([other, b]) => {
            if (Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 3)
                faults.push(`"${one}" lies over "${other}"`);
        }),
    );
    for (const node of document.querySelectorAll("main *")) {
        for (const key of ["aria-label", "title", "placeholder"]) if (node.hasAttribute(key)) said.push(node.getAttribute(key));
    }
    // A word of ours stands between ⟦ and ⟧ where the test marks them; what is left has to be names, squares and figures.
    const marked = said.some((text) => text.includes("⟦"));
    for (const text of said) {
        const missing = text.match(
            /\b(alert|ask|clock|end|hall|health|language|phase|rank|record|refusal|result|seat|turn|verdict)\.[a-z][\w-]*|\{\w+\}/,
        );
        if (missing) faults.push(`no word for ${missing[0]}`);
        if (!marked) continue;
        let rest = text;
        while (/⟦[^⟦⟧]*⟧/.test(rest)) rest = rest.replace(/⟦[^⟦⟧]*⟧/g, "");
        for (const one of names) rest = rest.replaceAll(one, "");
        rest = rest.replace(/\b[a-j](10|[1-9])\b/g, "");
        if (/\p{L}/u.test(rest)) faults.push(`not translated: ${text}`);
    }
    return [...new Set(faults)];
}
