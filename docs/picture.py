"""Take docs/report.png, the picture in the README: the first screen of the report on the demo's class.

.venv/bin/python docs/picture.py

It needs Chromium.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import sync_playwright

from peerage.cli import main as peerage

PICTURE = Path(__file__).with_name("report.png")
WIDTH, HEIGHT = 1180, 716


def main() -> int:
    """Run the demo and photograph its report."""
    program = shutil.which("chromium")
    if program is None:
        sys.stderr.write("there is no Chromium; install it with: sudo apt install chromium\n")
        return 1
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        results = Path(folder) / "demo"
        if status := peerage(["demo", "-o", str(results)]):
            return status
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light")
        page.goto((results / "report.html").as_uri())
        page.screenshot(path=PICTURE)
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
