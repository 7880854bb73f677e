"""Options about marks for peer grading."""

from __future__ import annotations

from typing import Annotated

import typer

from peerage.cli.options import panels

SCALE = "0.2:0, 0.5:60, 1:85, 2:100"

ScaleOption = Annotated[
    str,
    typer.Option(
        "--credit-scale",
        metavar="D:MARK,...",
        help="How many marks a dependability is worth.",
        rich_help_panel=panels.DECISIONS,
    ),
]
RequiredReviews = Annotated[
    str,
    typer.Option(
        metavar="N|NAME=N,...",
        help="How many reviews each student owes, in all (12) or for each assignment (each=3, or week1=2,week2=4); "
        "missing reviews lower the mark.",
    ),
]
CompletionPart = Annotated[
    float,
    typer.Option(
        min=0,
        max=1,
        help="The part of the mark that is for doing the reviews; the rest is for their quality.",
        rich_help_panel=panels.DECISIONS,
    ),
]
Sceptical = Annotated[
    bool,
    typer.Option(
        "--sceptical",
        help="Give marks for quality only once reviews have shown it: few reviews give few marks.",
        rich_help_panel=panels.DECISIONS,
    ),
]
MinimumReviews = Annotated[
    int, typer.Option(min=0, help="Students with fewer reviews get no mark.", rich_help_panel=panels.DECISIONS)
]
