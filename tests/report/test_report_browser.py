"""The report in a real browser: it loads alone, its tables work, everybody can read it, and ids stay text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd
import pytest

import peerage as pg
from support.classes.tiny import tiny_class
from support.programs.browser import DESKTOP, PHONE, Watched, violations
from support.programs.reporting import Pages, pages_of

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

SCHEMES = ("light", "dark")
ROWS = "#submission-table > tbody > tr:not(.detail)"
WIDTH = "document.documentElement.scrollWidth"


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Pages:
    """Three weeks of twelve students and a TA: more submissions than are shown at once."""
    book, _ = pg.simulate(12, 3, seed=1, tas=1, components=2)
    return pages_of(book, tmp_path_factory.mktemp("class"))


@pytest.fixture
def watched(browser: Browser) -> Iterator[Watched]:
    with browser.new_context(viewport={"width": DESKTOP[0], "height": DESKTOP[1]}) as context:
        yield Watched(context.new_page())


@pytest.fixture
def staff(watched: Watched, pages: Pages) -> Page:
    return watched.open(pages.staff)


def column(page: Page, number: int) -> list[str]:
    """The text of a column of the submissions that are shown."""
    return page.locator(f"{ROWS} > :nth-child({number})").all_text_contents()


# It loads alone.


@pytest.mark.parametrize("kind", ["staff", "student"])
def test_a_page_loads_without_complaint_and_requests_nothing(watched: Watched, pages: Pages, kind: str) -> None:
    path = getattr(pages, kind)
    watched.open(path).wait_for_load_state("networkidle")
    assert (watched.requests, watched.complaints) == ([path.as_uri()], [])


def test_a_page_that_errs_and_asks_for_more_would_be_noticed(watched: Watched, tmp_path: Path) -> None:
    path = tmp_path / "bad.html"
    path.write_text("<!doctype html><img src='other.png'><script>alert(1); missing()</script>")
    watched.open(path).wait_for_load_state("networkidle")
    assert (tmp_path / "other.png").as_uri() in watched.requests
    assert any(line.startswith("dialog: 1") for line in watched.complaints)
    assert any("missing is not defined" in line for line in watched.complaints)


@pytest.mark.parametrize(
    ("attempt", "directive"),
    [
        ("fetch('other.json').catch(() => {})", "connect-src"),
        ("document.body.append(Object.assign(new Image(), {src: 'other.png'}))", "img-src"),
        (
            "document.body.append(Object.assign(document.createElement('script'), {text: 'alert(1)'}))",
            "script-src-elem",
        ),
        ("document.body.setAttribute('onclick', 'alert(1)'); document.body.click()", "script-src-attr"),
    ],
)
def test_the_policy_forbids_requests_and_other_scripts(staff: Page, attempt: str, directive: str) -> None:
    refused = staff.evaluate(
        f"""new Promise((resolve) => {{
            document.addEventListener("securitypolicyviolation", (event) => resolve(event.violatedDirective));
            setTimeout(() => resolve("nothing was refused"), 2000);
            {attempt};
        }})"""
    )
    assert refused == directive


def test_the_first_screen_is_there_without_javascript(browser: Browser, pages: Pages) -> None:
    with browser.new_context(java_script_enabled=False) as context:
        page = Watched(context.new_page()).open(pages.staff)
        assert page.locator("#overview svg").is_visible()
        assert page.get_by_text("For staff only").is_visible()
        assert page.get_by_text("What needs attention").is_visible()
        assert "needs JavaScript" in (page.locator("#submissions noscript").text_content() or "")
        assert page.locator("#grader-table tbody tr").count() == pages.posterior.book.n_graders


# Its tables work.


def test_more_submissions_are_shown_on_request(staff: Page, pages: Pages) -> None:
    first = column(staff, 1)
    assert len(first) < pages.posterior.book.n_submissions
    staff.locator("#submissions-more").click()
    assert tuple(column(staff, 1)) == pages.posterior.book.submissions
    assert not staff.locator("#submissions-more").is_visible()


def test_search_finds_submissions_by_id_author_and_grader(staff: Page, pages: Pages) -> None:
    book = pages.posterior.book
    staff.locator("#search").fill("WEEK2-03")
    assert column(staff, 1) == ["week2-03"]
    person = book.authors[book.submissions.index("week2-03")][0]
    staff.locator("#search").fill(person)
    reviews = book.table()
    assert set(column(staff, 1)) == set(
        reviews.loc[(reviews[["grader", "author"]] == person).any(axis=1), "submission"]
    )
    staff.locator("#search").fill("nobody at all")
    assert column(staff, 1) == []
    assert staff.locator("#submissions-shown").text_content() == "0 of 0 shown"


def test_submissions_are_filtered_by_assignment_and_search_together(staff: Page, pages: Pages) -> None:
    book = pages.posterior.book
    second = book.assignments[book.submissions.index("week2-03")]
    staff.locator("#assignment").select_option(label=second)
    mine = [name for name, where in zip(book.submissions, book.assignments, strict=True) if where == second]
    assert column(staff, 1) == mine
    staff.locator("#search").fill("week1")
    assert column(staff, 1) == []
    staff.locator("#assignment").select_option(label="all")
    assert set(column(staff, 1)) == {name for name in book.submissions if name.startswith("week1")}


def test_a_click_on_a_heading_sorts_and_another_reverses(staff: Page, pages: Pages) -> None:
    totals = pd.read_csv(pages.folder / "totals.csv")["total"]
    heading = staff.locator("#submission-table thead th", has_text="Final")
    for direction, expected in (("descending", totals.nlargest(25)), ("ascending", totals.nsmallest(25))):
        heading.locator("button").click()
        assert heading.get_attribute("aria-sort") == direction
        assert [float(text) for text in column(staff, 4)] == pytest.approx(list(expected))
    assert staff.locator("#submission-table th[aria-sort]").count() == 1
    staff.locator("#submission-table thead th", has_text="Submission").locator("button").click()
    assert tuple(column(staff, 1)) == pages.posterior.book.submissions[:25]


def test_graders_are_sorted_by_their_estimates(staff: Page, pages: Pages) -> None:
    graders = pages.posterior.graders().sort_values("reliability", ascending=False)
    staff.locator("#grader-table thead th", has_text="Reliability").locator("button").click()
    assert staff.locator("#grader-table tbody th").all_text_contents() == list(graders["grader"])


def test_a_submission_opens_to_its_reports_weights_posterior_and_sentences(staff: Page, pages: Pages) -> None:
    staff.locator("button.open", has_text="week1-03").click()
    detail = staff.locator("tr.detail")
    weights, sentences = (pd.read_csv(pages.folder / name) for name in ("weights.csv", "explanations.csv"))
    book = pages.posterior.book
    reports = book.table(wide=True).merge(weights, on=["submission", "grader"])
    mine = reports[reports["submission"] == "week1-03"].sort_values("grader")
    expected = [
        [row["grader"], *(f"{row[name]:g}" for name in book.rubric.names), f"{row['weight']:.0%}"]
        for row in mine.to_dict("records")
    ]
    shown = [row.locator("th, td").all_text_contents() for row in detail.locator("table tbody tr").all()]
    assert sorted([who, *cells[:3]] for who, _, *cells in shown) == expected
    words = sentences.loc[sentences["submission"] == "week1-03", "sentence"]
    assert detail.locator(".sentence").all_text_contents() == list(words)
    mass = pages.posterior.level_mass()
    first = mass[(mass["submission"] == "week1-03") & (mass["component"] == book.rubric.names[0])]
    said = detail.locator("svg").first.get_attribute("aria-label") or ""
    for grade, probability in zip(first["grade"], first["probability"], strict=True):
        assert f"{grade:g}: {probability:.0%}" in said


def test_a_submission_opens_and_closes_from_the_keyboard(staff: Page) -> None:
    button = staff.locator("button.open").first
    button.focus()
    for expanded, details in (("true", 1), ("false", 0)):
        staff.keyboard.press("Enter")
        assert (button.get_attribute("aria-expanded"), staff.locator("tr.detail").count()) == (expanded, details)


def test_a_link_opens_the_submission_whatever_was_searched_for(staff: Page) -> None:
    staff.locator("#search").fill("nobody at all")
    link = staff.locator("#overview a[data-open]").first
    name = (link.text_content() or "").split(" (")[0]
    for _ in range(2):
        link.click()
        row = staff.locator("tr", has=staff.locator("button.open[aria-expanded=true]"))
        assert row.locator("button.open").text_content() == name
        row.locator("button.open").click()


def test_columns_stay_under_their_headings_without_assignments_and_authors(watched: Watched, tmp_path: Path) -> None:
    book = tiny_class(1)
    page = watched.open(pages_of(replace(book, assignments=("",) * 6), tmp_path).staff)
    cells = page.locator(f"{ROWS}:first-child > :visible").count()
    assert cells == page.locator("#submission-table thead th:visible").count()
    assert not page.locator("#assignment").is_visible()


def test_grades_without_explanations_show_neither_weights_nor_sentences(watched: Watched, tmp_path: Path) -> None:
    page = watched.open(pages_of(tiny_class(1), tmp_path, "--final", "most-likely").staff)
    page.locator("button.open").first.click()
    assert page.locator("tr.detail thead th").all_text_contents() == ["Grader", "Role", "Structure", "Code", "Effort"]
    assert (page.locator(".sentence").count(), watched.complaints) == (0, [])


# Everybody can read it.


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("kind", ["staff", "student"])
def test_axe_finds_no_violation(browser: Browser, pages: Pages, kind: str, scheme: str, size: tuple[int, int]) -> None:
    viewport = {"width": size[0], "height": size[1]}
    with browser.new_context(color_scheme=scheme, viewport=viewport) as context:  # type: ignore[arg-type]
        page = Watched(context.new_page()).open(getattr(pages, kind))
        if kind == "staff":
            page.locator("button.open").first.click()
            page.locator("#submission-table thead th button").first.click()
        assert violations(page) == []
        dark = page.evaluate("getComputedStyle(document.body).backgroundColor.match(/\\d+/g).every((c) => c < 64)")
        assert dark == (scheme == "dark")


def test_axe_finds_planted_violations(watched: Watched, pages: Pages, tmp_path: Path) -> None:
    path = tmp_path / "planted.html"
    page = pages.staff.read_text("utf-8").replace('<html lang="en">', "<html>").replace(' scope="col"', "")
    path.write_text(page.replace("<label>Search ", "<span>Search "), encoding="utf-8")
    found = {line.partition(":")[0] for line in violations(watched.open(path))}
    assert {"html-has-lang", "label"} & found


@pytest.mark.parametrize("kind", ["staff", "student"])
def test_a_phone_need_not_scroll_sideways(browser: Browser, pages: Pages, kind: str) -> None:
    with browser.new_context(viewport={"width": PHONE[0], "height": PHONE[1]}) as context:
        page = Watched(context.new_page()).open(getattr(pages, kind))
        assert page.evaluate(WIDTH) == PHONE[0]
        if kind == "staff":
            page.locator("button.open").first.click()
            assert page.evaluate(WIDTH) == PHONE[0]


@pytest.mark.parametrize("kind", ["staff", "student"])
def test_a_page_prints_dark_on_white_in_any_scheme(browser: Browser, pages: Pages, kind: str) -> None:
    with browser.new_context(color_scheme="dark") as context:
        page = Watched(context.new_page()).open(getattr(pages, kind))
        page.emulate_media(media="print")
        style = page.evaluate(
            "(({color, backgroundColor}) => [color, backgroundColor])(getComputedStyle(document.body))"
        )
        assert style == ["rgb(0, 0, 0)", "rgb(255, 255, 255)"]
        assert not any(part.is_visible() for part in page.locator("nav, .tools, .more").all())
        assert page.pdf(format="A4").startswith(b"%PDF-")
