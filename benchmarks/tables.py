"""The tables of docs/performance.md, made from results.json: ``python benchmarks/tables.py`` puts them in.

A table stands between ``<!-- NAME -->`` and ``<!-- end -->``.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

from figures import HERE, RESULTS

PAGE = HERE.parent / "docs" / "performance.md"

Figures = Mapping[str, Any]


def refresh(results: Figures) -> None:
    """Put the tables of some results into the page."""
    PAGE.write_text(renewed(PAGE.read_text("utf-8"), results), "utf-8")


def renewed(page: str, results: Figures) -> str:
    """The page with other tables."""
    for name, make in TABLES.items():
        before, begin, rest = page.partition(f"<!-- {name} -->\n")
        _, end, after = rest.partition("<!-- end -->")
        if not end:
            raise ValueError(f"the page has no place for a table called {name!r}")
        page = f"{before}{begin}{make(results)}\n{end}{after}"
    return page


def provenance(results: Figures) -> str:
    """When, with what and where the figures were measured."""
    runs: dict[tuple[str, str, str], list[str]] = {}
    for section, run in results["measured"].items():
        machine = run["machine"]
        place = f"{machine['cores']} cores ({machine['processor']}), Python {machine['python']}"
        runs.setdefault((run["date"], run["version"], place), []).append(section)
    return "\n".join(
        f"Measured on {day} with peerage {version} on {place}: {', '.join(sorted(sections))}."
        for (day, version, place), sections in sorted(runs.items(), reverse=True)
    )


def effective_draws(results: Figures, end: str = "") -> str:
    """Effective draws a core-second beside those of NUTS; those of the tails have names that end in another way."""
    rows = (
        (
            row["variable"].replace("_", " "),
            *(f"{row[f'{name}_median{end}']:.3g} / {row[f'{name}_worst{end}']:.3g}" for name in ("ours", "nuts")),
            f"{row[f'times_median{end}']:.1f} / {row[f'times_worst{end}']:.1f}",
        )
        for row in results["nuts"]["rows"]
    )
    return table(("", "peerage", "NumPyro", "times"), rows)


def agreement(results: Figures) -> str:
    """Whether both sample the same posterior."""
    found = results["nuts"]
    of = f"The largest of {found['differences']:,} differences"
    return f"{of} is {found['largest_difference']:.1f} standard errors; by chance it could be {found['limit']:.1f}."


def sweep(results: Figures) -> str:
    """Milliseconds of a sweep, of its twin and of the floor."""
    found = results["sampler"]
    rows = (
        ("plain NumPy twin", f"{found['twin_ms']:,.0f}", f"{found['twin_times']:.0f}"),
        ("peerage", f"{found['sweep_ms']:.2f}", "1"),
        ("floor", f"{found['floor_ms']:.2f}", f"{found['floor_times']:.2f}"),
    )
    return table(("", "ms a sweep", "times"), rows)


def profile(results: Figures) -> str:
    """Milliseconds of the parts of a sweep."""
    rows = ((part, f"{ms:.2f}") for part, ms in results["sampler"]["parts_ms"].items())
    return table(("part of a sweep", "ms"), rows)


def default_model(results: Figures) -> str:
    """The default model beside the paper's: milliseconds a sweep, and effective draws a core-second."""
    found = results["sampler"]["default"]
    times = found["ms"]["default"] / found["ms"]["paper"]
    rows = [("ms a sweep", *(f"{found['ms'][name]:.2f}" for name in ("paper", "default")), f"{times:.2f}")]
    for row in found["rows"]:
        both = (f"{row[f'{name}_median']:.3g} / {row[f'{name}_worst']:.3g}" for name in ("paper", "default"))
        share = f"{row['share_median']:.2f} / {row['share_worst']:.2f}"
        rows.append((row["variable"].replace("_", " "), *both, share))
    return table(("", "paper", "default", "default / paper"), rows)


def fine_scale(results: Figures) -> str:
    """What a fine scale costs."""
    found = results["sampler"]["fine"]
    coarse, fine = (f"{found[name]:.2f} ms" for name in ("coarse_ms", "fine_ms"))
    both = f"A sweep of the default model takes {fine} for grades of 0 to 100 and {coarse} for grades of 0 to 5"
    return f"{both}, {found['times']:.2f} times as long."


def first_fit(results: Figures) -> str:
    """What compilation adds to the first fit."""
    found = results["first"]
    both = f"{found['first']:.0f} core-seconds, a second one {found['second']:.1f}"
    return f"The first small fit takes {both}: compilation takes {found['compilation']:.0f}."


def protocol(results: Figures) -> str:
    """Seconds of the paper's protocol and of the command."""
    rows = (
        (
            priors,
            *(f"{row[name]:.1f}" for name in ("fit_seconds", "fit_core_seconds", "command_seconds", "bar_seconds")),
            f"1/{row['paper_times']:,.0f}",
        )
        for priors, row in results["protocol"].items()
        if isinstance(row, dict)
    )
    return table(("priors", "fit, s", "core-seconds", "`peerage fit`, s", "twice and 1 s", "of 8 CPU-hours"), rows)


def rest(results: Figures) -> str:
    """Core-seconds of what follows sampling, and their share in it."""
    found = results["rest"]
    taken = {"sampling": found["sampling"], **found["parts"], "all but sampling": found["rest"]}
    rows = ((name, f"{seconds:.2f}", f"{seconds / found['sampling']:.2f}") for name, seconds in taken.items())
    return table(("", "core-seconds", "of sampling"), rows)


def earlier(results: Figures) -> str:
    """Times of an early version and of this version, and their ratios."""
    rows = (
        (what, *(f"{row[name]:.2f}" for name in ("earlier", "now")), f"{row['earlier'] / row['now']:.1f}")
        for what, row in results["earlier"]["rows"].items()
    )
    return table(("", "early version", "now", "times"), rows)


def earlier_draws(results: Figures) -> str:
    """Effective draws of an early version and of this version, and their ratios."""
    rows = (
        (what, *(f"{row[name]:.0f}" for name in ("earlier", "now")), f"{row['now'] / row['earlier']:.2f}")
        for what, row in results["earlier"]["effective"].items()
    )
    return table(("", "early version", "now", "now / early version"), rows)


def seeds(results: Figures) -> str:
    """How often two fits with different seeds give different grades."""
    found = {name: row for name, row in results["seeds"].items() if isinstance(row, dict)}
    differ = {
        "averages that differ by more than one in the last decimal": "averages",
        "of these, most likely grades that differ": "most_likely",
        "of these, averages rounded to legal grades that differ": "explained",
    }
    rows = [(words, *(f"{1 - row[name]:.1%}" for row in found.values())) for words, name in differ.items()]
    rows.insert(1, ("legal grades that are no toss-ups", *(f"{row['clear']:.0%}" for row in found.values())))
    return table(("", *found), rows).replace("%", " %")


def look(results: Figures) -> str:
    """How far a first look is from a fit, and what it takes, beside another fit."""
    found = {name: row for name, row in results["look"].items() if isinstance(row, dict)}
    distances = {"expected": "expected grades", "lower": "lower ends of intervals", "upper": "upper ends of intervals"}
    rows = [("core-seconds", *(f"{row['core_seconds']:.1f}" for row in found.values()))]
    rows += [(words, *(f"{row[name]:.2f}" for row in found.values())) for name, words in distances.items()]
    rows.append(("most likely grades that differ", *(f"{row['most_likely']:.1%}" for row in found.values())))
    return table(("", *found), rows).replace("%", " %")


def update(results: Figures) -> str:
    """What one more review takes."""
    found = results["update"]
    rows = (
        ("`posterior.preview`", f"{found['preview']:.3f}", ""),
        ("`posterior.update`, from the draws that there are", f"{found['at_once']:.2f}", ""),
        ("`posterior.update`, with chains that go on", f"{found['seconds']:.2f}", ""),
        (
            "`peerage update`, from its start to files written",
            *(f"{found['command'][name]:.1f}" for name in ("core_seconds", "seconds")),
        ),
    )
    return table(("", "core-seconds", "seconds"), rows)


def department(results: Figures) -> str:
    """What a department's classes take."""
    found = results["department"]
    each = f"A class takes {found['core_seconds_a_class']:.1f} core-seconds"
    return f"{each}; 200 of them take two cores {found['hours_of_two_cores']:.1f} hours."


def scale(results: Figures) -> str:
    """Time and memory by size."""
    rows = (
        (
            f"{row['grades']:,}",
            *(f"{row[name]:.0f}" for name in ("seconds", "core_seconds", "core_microseconds_a_grade")),
            f"{row['gigabytes']:.2f}",
            f"{row['results_megabytes']:.0f}",
        )
        for row in results["scale"]["rows"]
    )
    return table(("grades", "seconds", "core-seconds", "core-µs a grade", "peak, GB", "written, MB"), rows)


def table(header: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A table in Markdown."""
    cells = [list(header), *map(list, rows)]
    lines = [f"| {' | '.join(row)} |".replace("|  |", "| |") for row in cells]
    return "\n".join([lines[0], f"|{'---|' * len(cells[0])}", *lines[1:]])


TABLES: dict[str, Callable[[Figures], str]] = {
    "provenance": provenance,
    "effective draws": effective_draws,
    "effective draws of tails": partial(effective_draws, end="_of_tails"),
    "agreement": agreement,
    "sweep": sweep,
    "profile": profile,
    "default model": default_model,
    "fine scale": fine_scale,
    "first fit": first_fit,
    "protocol": protocol,
    "rest": rest,
    "earlier": earlier,
    "earlier draws": earlier_draws,
    "seeds": seeds,
    "look": look,
    "update": update,
    "department": department,
    "scale": scale,
}


if __name__ == "__main__":
    refresh(json.loads(RESULTS.read_text("utf-8")))
