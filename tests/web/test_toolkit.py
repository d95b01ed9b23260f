"""What both pages are built with: the walk that makes a document agree with values, and the guard over a press."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tests.web.gallery import gallery

pytestmark = pytest.mark.process

_BEGIN = """async () => {
    const { h, patch } = await import("/toolkit/dom.js");
    const root = document.querySelector("#page");
    globalThis.h = h;
    globalThis.show = (...values) => patch(root, values);
    globalThis.at = (what) => document.querySelector(what);
    globalThis.key = (id, more = {}) => h("button", { key: id, id, ...more });
    globalThis.heir = (before, after) => {
        const within = (inside) => h("main", {}, h("h1", { tabindex: "-1", id: "head" }), h("div", {}, inside));
        show(within(before));
        at("#a").focus();
        show(within(after));
        return document.activeElement.id;
    };
    show();
}"""
_SELECT = '(value) => h("select", { value }, h("option", { value: "" }, "none"), h("option", { value: "a" }, "first"))'
_ROWS = '(names) => h("ul", {}, names.split("").map((name) => h("li", { key: name }, h("input", { id: name }))))'
CASES: list[tuple[str, str, Any]] = [
    ("an empty choice", f'show(({_SELECT})("")); return at("select").selectedOptions[0].text', "none"),
    ("a choice", f'show(({_SELECT})("a")); return at("select").selectedOptions[0].text', "first"),
    (
        "a choice undone",
        f's = {_SELECT}; show(s("a")); at("select").value = ""; show(s("a")); return at("select").value',
        "a",
    ),
    ("typed text", f'r = {_ROWS}; show(r("ab")); at("#b").value = "x"; show(r("ba")); return at("#b").value', "x"),
    (
        "the focus, moved",
        f'r = {_ROWS}; show(r("abc")); at("#c").focus(); show(r("cab")); return document.activeElement.id',
        "c",
    ),
    (
        "the focus, gone",
        f'r = {_ROWS}; show(r("ab")); at("#b").focus(); show(r("a")); return document.activeElement.tagName',
        "BODY",
    ),
    ("the focus, of a button in whose place another one comes", 'return heir([key("a")], [key("b")])', "b"),
    (
        "the focus, of a text in whose place a button comes",
        'return heir([h("i", { id: "a", tabindex: "-1" })], [key("b")])',
        "head",
    ),
    ("the focus, of a button that goes", 'return heir([key("a")], [h("i")])', "head"),
    (
        "the focus, of a part in whose place a button comes",
        'return heir([h("p", {}, key("a"))], [key("b")])',
        "head",
    ),
    (
        "the focus, of a button that can be pressed no more",
        'return heir([key("a")], [key("a", { disabled: true }), h("i")])',
        "head",
    ),
    (
        "the focus, of answers that are given",
        'return heir([h("p", {}, key("a"))], [h("p", { inert: true }, key("a")), key("b")])',
        "b",
    ),
    (
        "what stays, unmoved when something before it goes",
        f"""r = {_ROWS}; show(r("abc")); const watch = new MutationObserver(() => {{}});
        watch.observe(at("ul"), {{ childList: true }}); show(r("bc")); return watch.takeRecords().length""",
        1,
    ),
    ("the focus, wanted", 'show(h("input", { id: "x", focus: true })); return document.activeElement.id', "x"),
    (
        "the focus, wanted once",
        'f = () => h("input", { focus: true }); show(f()); at("input").blur(); show(f()); return document.activeElement.tagName',
        "BODY",
    ),
    ("the same element", f'r = {_ROWS}; show(r("ab")); a = at("#a"); show(r("cba")); return a === at("#a")', True),
    (
        "text as text",
        'show(h("p", {}, "<b>", 0, null, [false, ["c"]])); return at("#page").innerHTML',
        "<p>&lt;b&gt;0c</p>",
    ),
    ("an attribute gone", 'show(h("p", { title: "x" })); show(h("p")); return at("#page").innerHTML', "<p></p>"),
    (
        "what the browser opened, before its event",
        'd = () => h("details", { open: false }, h("summary")); show(d()); at("details").open = true; show(d()); return at("details").open',
        True,
    ),
    (
        "another listener",
        'done = []; n = (x) => h("p", { on: { click: () => done.push(x) } }); show(n(1)); show(n(2)); at("p").click(); return done',
        [2],
    ),
    (
        "the same value",
        'v = h("p", {}, "a"); show(v); at("p").textContent = "changed"; show(v); return at("p").textContent',
        "changed",
    ),
]
_PRESSED = """async () => {
    const { drawing } = await import("/toolkit/press_guard.js");
    const later = () => new Promise((done) => setTimeout(done));
    const does = (name, given = {}) => document.body.dispatchEvent(new PointerEvent(name, { bubbles: true, ...given }));
    const drawn = [];
    let at = "";
    const redraw = drawing(() => drawn.push(at));
    for (const [name, given] of [["", {}], ["pointerup", {}], ["pointercancel", {}], ["pointermove", { buttons: 0 }]]) {
        if (name) does("pointerdown", { buttons: 1 });
        if (name) does("pointermove", { buttons: 1 });
        at = "pressed";
        redraw();
        redraw();
        await later();
        at = name;
        if (name) does(name, given);
        await later();
        await later();
    }
    return drawn;
}"""


@pytest.fixture(scope="module")
def page(browser: Browser) -> Iterator[Page]:
    """A page that has the modules and does nothing by itself."""
    with gallery(browser) as open_page:
        yield open_page


@pytest.mark.parametrize(("script", "wanted"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_the_document_agrees_with_the_values(script: str, wanted: Any, page: Page) -> None:
    """Elements that stay keep what people did to them; everything else is as the last values say."""
    page.evaluate(_BEGIN)
    assert page.evaluate(f"() => {{ let s, r, f, a, n, v, done; {script}; }}") == wanted


def test_nothing_is_drawn_under_a_finger(page: Page) -> None:
    """Once for all that happens together; after the press, however that ends."""
    assert page.evaluate(_PRESSED) == ["pressed", "pointerup", "pointercancel", "pointermove"]


def test_a_function_is_called_again_only_for_other_arguments(page: Page) -> None:
    """The last result is kept, no earlier one."""
    script = """async () => {
        const { memoize } = await import("/toolkit/memoize.js");
        const calls = [];
        const sum = memoize((a, b) => { calls.push([a, b]); return a + b; });
        return [[sum(1, 2), sum(1, 2), sum(2, 1), sum(1, 2)], calls.length];
    }"""
    assert page.evaluate(script) == [[3, 3, 3, 3], 3]


@pytest.mark.parametrize(
    ("left_ms", "text"), [(0, "0:00"), (1, "0:01"), (59_001, "1:00"), (3_599_000, "59:59"), (3_600_000, "1:00:00")]
)
def test_a_clock_is_at_nought_only_when_nothing_is_left(left_ms: int, text: str, page: Page) -> None:
    """Rounded up."""
    assert page.evaluate('async (ms) => (await import("/toolkit/clock_text.js")).clockText(ms)', left_ms) == text
