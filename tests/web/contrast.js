// Returns what on the page shown has too little contrast (WCAG 2.1, 1.4.3 and 1.4.11), as sentences; run by tests/web and tests/hall.
() => {
    const faults = new Set();
    const root =
        document.querySelector(".sheet") && document.querySelector(".veil") ? document.querySelector(".veil .sheet") : document.body;
    const pen = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    const colour = (text) => {
        pen.clearRect(0, 0, 1, 1);
        pen.fillStyle = text;
        pen.fillRect(0, 0, 1, 1);
        const [red, green, blue, alpha] = pen.getImageData(0, 0, 1, 1).data;
        return [red, green, blue, alpha / 255];
    };
    const over = ([r, g, b, a], under) => [r, g, b].map((part, at) => part * a + under[at] * (1 - a));
    const light = (rgb) => {
        const [r, g, b] = rgb.map((part) => part / 255).map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const contrast = (one, other) => {
        const [low, high] = [light(one), light(other)].sort((a, b) => a - b);
        return (high + 0.05) / (low + 0.05);
    };
    const parents = (node) => (node.parentElement ? [...parents(node.parentElement), node.parentElement] : []);
    // What lies behind a node: the grounds of all that holds it, each as thin as its holders are.
    const ground = (node) => {
        let [behind, thin] = [[255, 255, 255], 1];
        for (const each of [...parents(node), node]) {
            const style = getComputedStyle(each);
            thin *= Number(style.opacity);
            const [r, g, b, a] = colour(style.backgroundColor);
            behind = over([r, g, b, a * thin], behind);
        }
        return { behind, thin };
    };
    const name = (node) => `${node.tagName.toLowerCase()}.${node.getAttribute("class") ?? ""}`;
    const shown = (node) => node.getClientRects().length > 0 && getComputedStyle(node).visibility === "visible";
    const idle = (node) => node.closest(":disabled, [aria-disabled=true], .spoken") !== null;
    const check = (what, ink, { behind, thin }, least) => {
        const [r, g, b, a] = colour(ink);
        const found = contrast(over([r, g, b, a * thin], behind), behind);
        if (found < least) faults.add(`${what}: ${found.toFixed(2)}, not ${least}`);
    };
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const node = walker.currentNode.parentElement;
        if (!walker.currentNode.data.trim() || node.closest("svg, option") || !shown(node) || idle(node)) continue;
        const style = getComputedStyle(node);
        const size = parseFloat(style.fontSize);
        const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
        check(`"${walker.currentNode.data.trim().slice(0, 30)}" in ${name(node)}`, style.color, ground(node), large ? 3 : 4.5);
    }
    for (const field of root.querySelectorAll("input, textarea, select")) {
        if (!shown(field) || idle(field)) continue;
        check(`what is typed in ${name(field)}`, getComputedStyle(field).color, ground(field), 4.5);
        if (field.placeholder)
            check(`the placeholder of ${name(field)}`, getComputedStyle(field, "::placeholder").color, ground(field), 4.5);
    }
    // The shape of an army: its filling or its outline stands out from what it lies on, be it a drawing of the page or the board's squares.
    const stands = new Map();
    for (const body of root.querySelectorAll(".body, .shape *, span.mark, .board path.piece, .board circle.piece, .board rect.piece")) {
        if (!shown(body) || idle(body)) continue;
        const whose = body.closest(".on-board, svg.piece, .shape") ?? body;
        const board = body.closest(".board");
        const squares = board
            ? [...board.querySelectorAll("rect.light, rect.dark, path.light, path.dark, polygon.light, polygon.dark, rect.space")]
            : [];
        const grounds =
            squares.length > 0
                ? [...new Set(squares.map((each) => getComputedStyle(each).fill))].map((fill) => colour(fill).slice(0, 3))
                : [ground(body.closest("svg")?.parentElement ?? body.parentElement).behind];
        const style = getComputedStyle(body);
        const [fill, line] = body.matches(".mark") ? [style.backgroundColor, style.borderTopColor] : [style.fill, style.stroke];
        const inks = [fill, line].filter(
            (ink) => ink !== "none" && (ink !== line || body.matches(".mark") || parseFloat(style.strokeWidth) > 0),
        );
        for (const behind of grounds) {
            const best = Math.max(...inks.map((ink) => contrast(over(colour(ink), behind), behind)));
            const place = `${behind.map(Math.round)}`;
            stands.set(whose, { ...stands.get(whose), [place]: Math.max(best, stands.get(whose)?.[place] ?? 0) });
        }
    }
    for (const [whose, places] of stands) {
        for (const [place, best] of Object.entries(places))
            if (best < 3) faults.add(`${name(whose)} on ${place}: ${best.toFixed(2)}, not 3`);
    }
    return [...faults];
}
