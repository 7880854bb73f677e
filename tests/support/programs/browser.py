"""A real browser for tests: Chromium through Playwright, and axe-core, which judges accessibility.

What is missing makes a test skip, and where nothing may skip, fail.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Dialog, Page

AXE = Path(__file__).parents[3] / "node_modules" / "axe-core" / "axe.min.js"
DESKTOP, PHONE = (1280, 800), (375, 740)
"""Widths and heights of windows."""

_NAMES = ("chromium", "chromium-browser", "google-chrome")
_OPTIONS = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@dataclass
class Watched:
    """A page, and what it did: every request, and every error, warning or dialog."""

    page: Page
    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.set_default_timeout(30_000)
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("console", lambda message: self.complaints.append(f"{message.type}: {message.text}"))
        self.page.on("pageerror", lambda error: self.complaints.append(f"error: {error}"))
        self.page.on("dialog", self._dismiss)

    def open(self, path: Path) -> Page:
        """Load a file and wait until its script has run."""
        self.page.goto(path.as_uri())
        return self.page

    def _dismiss(self, dialog: Dialog) -> None:
        self.complaints.append(f"dialog: {dialog.message}")
        dialog.dismiss()


@contextmanager
def chromium() -> Iterator[Browser]:
    """A headless browser."""
    pytest.importorskip("playwright", reason="playwright is not installed")
    from playwright.sync_api import sync_playwright

    program = next(filter(None, map(shutil.which, _NAMES)), None)
    if program is None:
        pytest.skip("there is no Chromium; install it with: sudo apt install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=_OPTIONS)
        yield browser
        browser.close()


def violations(page: Page) -> list[str]:
    """What axe-core finds wrong with a page as it is shown, in a line for each place."""
    if not AXE.exists():
        pytest.skip("axe-core is not installed; install it with: npm install --no-save axe-core")
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found: list[dict[str, Any]] = page.evaluate("axe.run().then((results) => results.violations)")
    return [f"{rule['id']}: {place['html'][:200]}" for rule in found for place in rule["nodes"]]
