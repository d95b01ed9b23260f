// Returns what does not fit on the screen shown, as sentences; run by tests/web/test_phone_screens.py.
() => {
    const faults = [];
    const root = document.querySelector(".sheet") ?? document.querySelector("main");
    const { innerWidth: wide, innerHeight: high } = window;
    const name = (node) => `${node.tagName.toLowerCase()}.${node.getAttribute("class") ?? ""} "${node.textContent.trim().slice(0, 40)}"`;
    const shown = (node) =>
        node.getClientRects().length > 0 && getComputedStyle(node).visibility !== "hidden" && !node.closest(".spoken, .for-ears");
    if (document.scrollingElement.scrollWidth > wide) faults.push("the page is wider than the phone");
    const scrolls = (node) => /auto|scroll/.test(getComputedStyle(node).overflowY);
    for (const node of [root, ...root.querySelectorAll("*")].filter((each) => !each.closest("svg") && shown(each))) {
        const box = node.getBoundingClientRect();
        if (box.left < -0.5 || box.right > wide + 0.5) faults.push(`beyond the edge: ${name(node)}`);
        const style = getComputedStyle(node);
        const shortened = node.matches(".name"); // a player's own: it ends in an ellipsis where it is too long
        if (!shortened && node.scrollWidth > node.clientWidth + 1 && node.clientWidth > 0 && style.display !== "inline")
            faults.push(`too wide: ${name(node)}`);
        if (style.display !== "inline" && !scrolls(node) && node.clientHeight > 0 && node.scrollHeight > node.clientHeight + 2)
            faults.push(`too high: ${name(node)}`);
        const beside = node.tagName === "BUTTON" && node.nextElementSibling?.tagName === "BUTTON" && node.nextElementSibling;
        const other = beside && shown(beside) && beside.getBoundingClientRect();
        if (other && Math.min(box.right, other.right) - other.left > 0.5 && Math.min(box.bottom, other.bottom) - other.top > 0.5)
            faults.push(`lies under ${name(beside)}: ${name(node)}`);
        if (node.tagName === "BUTTON" && (box.width < 47.5 || box.height < 47.5) && !node.matches(".square, .spare"))
            faults.push(`too small to tap: ${name(node)}`);
    }
    // the parts of a set-up have places of their own on a phone that lies on its side
    const apart = document.querySelector(".enrol") && getComputedStyle(document.querySelector(".enrol")).display === "contents";
    const panel = document.querySelector(".panel");
    if (panel && panel.scrollHeight > panel.clientHeight + 1) faults.push("the panel has to be scrolled");
    const entry = document.querySelector(".enrol");
    if (
        entry &&
        !entry.querySelector(".faults, .drawer") &&
        [entry, ...(apart ? entry.children : [])].some((each) => each.scrollHeight > each.clientHeight + 1)
    )
        faults.push("the set-up has to be scrolled");
    const bar = document.querySelector(".bar");
    if (bar && bar.getBoundingClientRect().bottom > high + 0.5) faults.push("the bar is below the edge");
    const parts = [...document.querySelectorAll(`main > *:not(.spoken)${apart ? ", .enrol > *" : ""}`)]
        .map((each) => each.getBoundingClientRect())
        .filter((each) => each.height > 0);
    parts.forEach((part, at) =>
        parts.slice(at + 1).forEach((other, more) => {
            const over =
                Math.min(part.right, other.right) - Math.max(part.left, other.left) > 0.5 &&
                Math.min(part.bottom, other.bottom) - Math.max(part.top, other.top) > 0.5;
            if (over) faults.push(`parts ${at} and ${at + more + 1} overlap`);
        }),
    );
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    const texts = [];
    while (walker.nextNode()) {
        const node = walker.currentNode;
        if (!node.data.trim() || node.parentElement.closest("svg") || !shown(node.parentElement)) continue;
        const range = document.createRange();
        range.selectNodeContents(node);
        const whole = range.getBoundingClientRect();
        const view = node.parentElement.closest(`.panel, .sheet-body, ${apart ? ".enrol > *" : ".enrol"}`)?.getBoundingClientRect() ?? {
            top: 0,
            bottom: high,
        };
        const box = {
            left: whole.left,
            right: Math.min(whole.right, node.parentElement.closest(".name")?.getBoundingClientRect().right ?? Infinity),
            top: Math.max(whole.top, view.top),
            bottom: Math.min(whole.bottom, view.bottom),
        };
        if (box.bottom <= box.top) continue;
        const words = node.parentElement.closest("button") ? node.data.matchAll(/(?<![^\s-])[^\s\u00ad-]{3,16}(?![^\s-])/g) : [];
        for (const { 0: word, index } of words) {
            range.setStart(node, index);
            range.setEnd(node, index + word.length);
            if (new Set([...range.getClientRects()].map((each) => Math.round(each.top))).size > 1) faults.push(`a broken word: ${word}`);
        }
        const holder = node.parentElement.closest("button, p, h1, h2, h3, li, label, small, strong, header, section") ?? node.parentElement;
        const room = holder.getBoundingClientRect();
        if (!node.parentElement.closest(".clocks, .band") && (box.left < 6 || box.right > wide - 6))
            faults.push(`text at the edge of the phone: ${name(holder)}`);
        if (box.left < room.left - 1 || box.right > room.right + 1) faults.push(`text beyond its place: ${name(holder)}`);
        texts.push([node.data.trim(), box]);
    }
    for (let one = 0; one < texts.length; one++) {
        for (let other = one + 1; other < texts.length; other++) {
            const [a, b] = [texts[one][1], texts[other][1]];
            const over =
                Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 3;
            if (over) faults.push(`"${texts[one][0]}" lies over "${texts[other][0]}"`);
        }
    }
    const missing = document.body.textContent.match(/\[[\w-]+\.[\w.-]+\]|\{\w+\}/);
    if (missing) faults.push(`no word for ${missing[0]}`);
    return faults;
}
