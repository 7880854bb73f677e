"""Whatever a file of grades contains stays text: in a real browser nothing of it runs, and all of it is shown."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd
import pytest

from peerage.gradebook.book import Gradebook
from peerage.rubric import Component, Rubric
from support.classes.tiny import tiny_class
from support.programs.browser import PHONE, Watched
from support.programs.reporting import Pages, pages_of

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(2)>',
    "</script><svg onload=alert(3)>",
    "{{7*7}}{% for x in y %}",
    "=1+1",
    "a\u2028b\u2029c",
    "שלום <b>עולם</b> \u202egnorw",
    "long-" + "x" * 400,
    "'-alert(4)-'&quot&#60",
    "<!--<script>",
    "javascript:alert(5)",
    "${alert(6)}`",
    "</title></style><body onload=alert(7)>",
)
"""Ids that would be markup, script, template, formula or nothing readable, if they were not taken as text."""

FILE = "<img src=x onerror=alert(8)>.csv"


def hostile_class() -> Gradebook:
    """The class of special cases, all of whose names are hostile."""
    book = tiny_class(1)
    structure, code = book.rubric.components
    rubric = Rubric((Component(f"S {HOSTILE[0]}", structure.grades), Component(f"C {HOSTILE[1]}", code.grades)))
    return replace(
        book,
        rubric=rubric,
        submissions=tuple(f"{name} of u" for name in HOSTILE[:6]),
        graders=tuple(f"{name} as v" for name in HOSTILE[6:]),
        authors=tuple((f"{name} by w",) for name in (*HOSTILE[:4], HOSTILE[6], HOSTILE[7])),
        assignments=(f"a {HOSTILE[2]}",) * 4 + (f"a {HOSTILE[12]}",) * 2,
    )


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Pages:
    return pages_of(hostile_class(), tmp_path_factory.mktemp("hostile"), source=FILE)


@pytest.fixture
def watched(browser: Browser) -> Iterator[Watched]:
    with browser.new_context(viewport={"width": PHONE[0], "height": PHONE[1]}) as context:
        yield Watched(context.new_page())


def foreign(page: Page) -> list[str]:
    """Elements that no template of ours makes, and attributes that run script."""
    found: list[str] = page.evaluate(
        """[...document.querySelectorAll("*")].filter((node) =>
            node.matches("img, iframe, object, embed, b, a[href^='javascript'], body ~ *, head ~ body ~ *")
            || (node.localName === "script" && node.id !== "data" && node.nextElementSibling)
            || [...node.attributes].some((attribute) => attribute.name.startsWith("on"))
        ).map((node) => node.outerHTML.slice(0, 100))"""
    )
    return found


def test_the_names_survive_the_way_from_the_file_to_the_fit(pages: Pages) -> None:
    book, found = hostile_class(), pages.posterior.book
    assert (found.submissions, found.authors) == (book.submissions, book.authors)
    assert set(found.graders) == set(book.graders)


def test_nothing_in_the_staff_page_runs_and_every_name_is_shown_as_it_is(watched: Watched, pages: Pages) -> None:
    page, book = watched.open(pages.staff), pages.posterior.book
    for button in page.locator("button.open").all():
        button.click()
    assert (watched.complaints, watched.requests, foreign(page)) == ([], [pages.staff.as_uri()], [])
    assert tuple(page.locator("button.open").all_text_contents()) == book.submissions
    assert tuple(page.locator("#grader-table tbody th").all_text_contents()) == book.graders
    assert set(page.locator("tr.detail tbody th").all_text_contents()) == set(book.graders)
    assert page.locator("#assignment option").all_text_contents() == ["all", *dict.fromkeys(book.assignments)]
    assert page.locator("h1 bdi").text_content() == FILE
    headings = page.locator("tr.detail").first.locator("thead th").all_text_contents()
    assert headings[2:4] == list(book.rubric.names)


def test_a_hostile_name_can_be_searched_for(watched: Watched, pages: Pages) -> None:
    page, book = watched.open(pages.staff), pages.posterior.book
    for name in (book.submissions[0], book.submissions[1], book.submissions[3]):
        page.locator("#search").fill(name)
        assert page.locator("button.open").all_text_contents() == [name]
    assert watched.complaints == []


def test_nothing_in_a_student_page_runs(watched: Watched, pages: Pages) -> None:
    page, book = watched.open(pages.student), pages.posterior.book
    assert (watched.complaints, watched.requests, foreign(page)) == ([], [pages.student.as_uri()], [])
    assert page.locator("h1 bdi").text_content() == book.authors[0][0]
    assert page.locator("h2 bdi").first.text_content() == book.submissions[0]
    assert page.locator("script").count() == 0


@pytest.mark.parametrize("kind", ["staff", "student"])
def test_long_names_do_not_widen_a_phone_page(watched: Watched, pages: Pages, kind: str) -> None:
    page = watched.open(getattr(pages, kind))
    for button in page.locator("button.open").all():
        button.click()
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE[0]


def test_a_page_that_took_names_for_markup_would_be_noticed(watched: Watched, tmp_path: Path) -> None:
    path = tmp_path / "naive.html"
    path.write_text(f"<!doctype html><title>x</title><p>{'<p>'.join(HOSTILE)}", encoding="utf-8")
    page = watched.open(path)
    page.wait_for_load_state("networkidle")
    assert len(foreign(page)) >= 2
    assert {"dialog: 1", "dialog: 2", "dialog: 3"} <= set(watched.complaints)


def test_no_other_name_occurs_in_a_student_page(pages: Pages) -> None:
    text, book = pages.student.read_text("utf-8"), pages.posterior.book
    own = {*book.authors[0], book.submissions[0]}
    marks = {name[-5:] for name in own}
    assert marks == {" by w", " of u"}
    assert text.count("by w") == 2
    assert "as v" not in text


def test_sentences_that_name_graders_are_text_too(watched: Watched, tmp_path: Path) -> None:
    named = pages_of(hostile_class(), tmp_path, "--name-graders")
    page = watched.open(named.staff)
    for button in page.locator("button.open").all():
        button.click()
    sentences = pd.read_csv(named.folder / "explanations.csv")["sentence"]
    assert page.locator("tr.detail .sentence").all_text_contents() == list(sentences)
    assert any(name in " ".join(sentences) for name in HOSTILE[6:])
    assert (watched.complaints, foreign(page)) == ([], [])
