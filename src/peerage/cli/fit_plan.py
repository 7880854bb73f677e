"""How a class is fitted, once the options are understood: what it is given, and what is made of it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from peerage.cli import staff_options
from peerage.cli.console import say
from peerage.cli.fit import with_fixed
from peerage.decisions.choices import Choices
from peerage.errors import Problem
from peerage.formats.staff.pseudonyms import Key
from peerage.gradebook.book import Gradebook
from peerage.gradebook.rulings import Override
from peerage.model import Model
from peerage.results.outputs import Outputs
from peerage.term.published import Published


@dataclass(frozen=True, eq=False)
class Prepared:
    """A class that can be fitted.

    Attributes
    ----------
    book, model: what is fitted
    overrides: the grades that staff set
    published: the results that were handed out, if any
    said: what is surprising about the class, in its own words even if they are hidden from the results
    """

    book: Gradebook
    model: Model
    overrides: tuple[Override, ...]
    published: Published | None
    said: tuple[Problem, ...]


@dataclass(frozen=True, eq=False)
class Plan:
    """What the options say about every class.

    Attributes
    ----------
    grades: the files
    model: the model that is fitted or, if one is ``chosen``, with which the others are made
    choices: what is made of the posterior
    sampling: what :func:`~peerage.inference.fitting.fit` takes
    override, fixed: files of grades that staff set, and of values that are known
    key, key_file: made-up names, if ids are hidden, and the file for them; classes that are prepared add theirs
    republish: whether published grades are given up
    """

    grades: Sequence[Path]
    model: Model
    chosen: bool
    choices: Choices
    sampling: Mapping[str, Any]
    override: Path | None
    fixed: Path | None
    key: Key | None
    key_file: Path | None
    republish: bool

    def prepare(self, book: Gradebook, published: Published | None, elsewhere: Collection[str] = ()) -> Prepared:
        """Everything about a class that can be wrong before it is fitted; ``elsewhere`` are ids in other classes."""
        book, model = with_fixed(book, self.model, self.fixed, elsewhere)
        book, overrides = staff_options.with_overrides(book, self.grades, self.override, elsewhere)
        said = book.notices
        if self.key is not None:
            book, model, overrides = staff_options.hidden(book, model, overrides, self.key)
        if published is not None:
            more = staff_options.beside_published(book, published, self.republish)
            book = replace(book, notices=(*book.notices, *more))
            said = (*said, *more)
        return Prepared(book, model, overrides, published, said)

    def outputs(self, prepared: Prepared) -> Outputs:
        """Fit a class, and make of it what the choices say."""
        from peerage.decisions.explain.weight_search import must_compile
        from peerage.inference.fitting import MOST_DRAWS, fit, fit_chosen, least_effective

        posterior = (fit_chosen if self.chosen else fit)(prepared.book, prepared.model, **self.sampling)
        target = self.sampling["target_ess"]
        if target is not None and (least := least_effective(posterior)) < target:
            draws = posterior.samples.n_draws
            reached = f"{draws:,} draws of each chain came to {least:,.0f} effective ones at least, not {target:,}"
            say(f"{reached}; {'no more are made' if draws >= MOST_DRAWS else 'allow for more --memory'}")
        if self.choices.final == "explained" and self.sampling["progress"] and must_compile():
            say("compiling the search for weights, once after installation …")
        published = prepared.published
        kept = None if published is None or self.republish else published.handed_out
        outputs = Outputs.of(posterior, self.grades, self.choices, overrides=prepared.overrides, handed_out=kept)
        if self.key is not None:
            outputs.record["pseudonyms"] = True
        if published is None:
            return outputs
        return published.republished(outputs) if self.republish else published.proposed(outputs)

    def write_key(self) -> None:
        """Write the key to the made-up names, if ids are hidden."""
        if self.key is not None and self.key_file is not None:
            self.key.write(self.key_file)
