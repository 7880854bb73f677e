"""What a class chooses: it is recorded, it can be repeated, and the command line has the same defaults."""

from __future__ import annotations

import inspect
import json
from pathlib import Path

import pytest

import peerage as pg
from peerage.cli import main
from peerage.cli.commands import fit
from peerage.decisions.choices import DecisionChoices
from peerage.decisions.credit_marks import CreditScale
from peerage.gradebook.input_files import InputFile
from peerage.results.results import Results

UNUSUAL = DecisionChoices(
    final="mean",
    decimals=2,
    staff_final=False,
    adjust_bias=True,
    name_graders=True,
    spot_checks=3,
    random_share=0.5,
    credit_scale=CreditScale(((0.1, 0.0), (1.5, 10.0))),
    required_reviews=6,
    minimum_reviews=2,
)


@pytest.mark.parametrize("choices", [DecisionChoices(), UNUSUAL, DecisionChoices(final="most-likely")])
def test_choices_survive_json(choices: DecisionChoices) -> None:
    assert DecisionChoices.from_dict(json.loads(json.dumps(choices.to_dict()))) == choices


@pytest.mark.parametrize(
    ("entries", "words"),
    [
        ({"final": "median"}, "final grades are average, explained, most-likely, mean, not 'median'"),
        (
            {"final": "most-likely", "name_graders": True},
            "made of the reports can be .* name graders",
        ),
        ({"spot_checks": -1}, "budget must be at least 0"),
        ({"random_share": 2.0}, "random_share is a share between 0 and 1"),
        ({"required_reviews": -1}, "-1 is not a number of reviews; write it as 12"),
        ({"minimum_reviews": -1}, "minimum_reviews must be at least 0"),
        ({"credit_scale": "much:good"}, "'much:good' is not a scale of marks"),
        ({"colour": "red"}, "there is no choice 'colour'"),
    ],
)
def test_senseless_choices_are_refused(entries: dict[str, object], words: str) -> None:
    with pytest.raises(pg.ModelError, match=words):
        DecisionChoices.from_dict(entries)


def test_the_command_line_has_the_same_defaults() -> None:
    options = inspect.signature(fit.command).parameters
    for name, value in DecisionChoices().to_dict().items():
        given = options[name].default
        assert given == (str(value) if name == "required_reviews" else value)


def test_every_choice_reaches_the_outputs(tmp_path: Path) -> None:
    book, _ = pg.simulate(8, 2, seed=3, tas=1, components=2)
    book.write(tmp_path / "grades.csv", rubric=True)
    given = [
        *("--final", "mean", "--decimals", "2", "--no-staff-final", "--adjust-bias", "--name-graders"),
        *("--spot-checks", "3", "--random-share", "0.5"),
        *("--credit-scale", "0.1:0, 1.5:10", "--required-reviews", "6", "--minimum-reviews", "2"),
    ]
    fast = ["--chains", "2", "--draws", "30", "--burn-in", "10", "-q"]
    assert main(["fit", str(tmp_path / "grades.csv"), "-o", str(tmp_path / "out"), *given, *fast]) == 0
    record = json.loads((tmp_path / "out" / "run.json").read_text("utf-8"))
    assert DecisionChoices.from_dict(record["choices"]) == UNUSUAL
    assert (record["final"], record["explanations"]["staff_final"]) == ("mean", False)
    posterior = pg.load(tmp_path / "out" / "posterior.npz")
    again = Results.of(posterior, [InputFile.of(tmp_path / "grades.csv")], DecisionChoices.from_dict(record["choices"]))
    (tmp_path / "again").mkdir()
    again.write(tmp_path / "again")
    for name in ("grades.csv", "graders.csv", "spotchecks.csv", "weights.csv", "explanations.csv"):
        assert (tmp_path / "again" / name).read_bytes() == (tmp_path / "out" / name).read_bytes()
    assert (tmp_path / "out" / "spotchecks.csv").read_text("utf-8").count("\n") == 4
