"""What axe-core finds on a page. It comes from npm (`make check` and `make test` bring it) and is neither committed nor served."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Page

_SOURCE = Path(__file__).parents[2] / "node_modules" / "axe-core" / "axe.min.js"
_RUN = """async (contrast) => {
    const rules = { "color-contrast": { enabled: contrast } };
    const { violations } = await axe.run(document, { resultTypes: ["violations"], preload: false, rules });
    return violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => `${id}: ${target} ${failureSummary}`));
}"""


def axe_faults(page: Page, *, contrast: bool = True) -> list[str]:
    """Return what is wrong with the page as it is shown, one line a rule and element, by all rules that axe-core has.

    Without `contrast` by all but that one, which takes it as long as all others: contrast.js measures the same.
    """
    if not page.evaluate("typeof globalThis.axe === 'object'"):
        page.evaluate(_SOURCE.read_text(encoding="utf-8"))  # by the debugger's door, past the page's policy
    found: list[str] = page.evaluate(_RUN, contrast)
    return found
