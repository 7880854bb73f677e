"""What all tests share: compiled kernels, real data that may be absent, a browser, and a switch against skipping."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import settings

from support.programs.browser import chromium
from support.programs.compiling import compile_kernels

if TYPE_CHECKING:
    from playwright.sync_api import Browser

REQUIRE_ALL = bool(os.environ.get("PEERAGE_REQUIRE_ALL"))
"""Set where everything that any test needs is installed: a test that skips then fails."""

REAL_DATA = Path(__file__).parents[2] / "shared" / "data"

# Examples are drawn afresh on a developer's machine; where everything is required, the same ones every time.
settings.register_profile("peerage", deadline=None, derandomize=REQUIRE_ALL)
settings.load_profile("peerage")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_setupnodes() -> None:
    """Compile all kernels side by side, before several workers each compile all of them, unless that is done.

    Workers occupy all processors: of more threads for products of matrices, most would wait for each other, busily.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    if not os.environ.get("PEERAGE_COMPILED"):
        compile_kernels()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files with slow tests come first, lest one of these runs alone at the end."""
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in slow)


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder of real classes, which is not part of this repository; without it a test may always skip."""
    if not REAL_DATA.is_dir():
        pytest.skip(f"the real classes are not in {REAL_DATA}")
    return REAL_DATA


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One browser for all tests of a file."""
    with chromium() as browser:
        yield browser


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if "real_data" not in getattr(item, "fixturenames", ()):
        _forbid_skip(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    _forbid_skip(report)
    return report


def _forbid_skip(report: Any) -> None:
    """Make a skipped test, or a module that skips as a whole, a failure where everything is required."""
    if REQUIRE_ALL and report.skipped and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        report.outcome = "failed"
        report.longrepr = f"{report.nodeid}: {reason}; with PEERAGE_REQUIRE_ALL no test may skip"
