"""``peerage import``: other systems' files as peer_grades.csv and rubric.toml."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from peerage.canvas.store import pulled_files
from peerage.cli.options import data_options
from peerage.cli.options.option_groups import grouped
from peerage.cli.terminal.console import output, warn
from peerage.cli.terminal.kept_grades import show_kept
from peerage.errors import InputError, Problem
from peerage.results import result_folder

if TYPE_CHECKING:
    from peerage.formats.wizard.mapping import FileMapping

Sources = Annotated[
    list[Path],
    typer.Argument(
        metavar="SOURCE", help="Files of one class, as other systems export them, or a folder of `peerage canvas pull`."
    ),
]
Out = Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="The folder to write.")]
FormatName = Annotated[
    str | None,
    typer.Option("--format", metavar="NAME", help="The format of all files. Default: recognised by their contents."),
]


Interactive = Annotated[
    bool,
    typer.Option("--interactive", help="Ask what the columns of the file are, and save the answers (import.toml)."),
]
MappingFile = Annotated[
    Path | None,
    typer.Option(
        "--mapping",
        metavar="FILE",
        help="The answers of an earlier import. Default: import.toml in the folder of SOURCE, if any.",
    ),
]


@grouped
def command(
    *,
    sources: Sources,
    out: Out,
    interactive: Interactive = False,
    mapping_file: MappingFile = None,
    format_name: FormatName = None,
    data: data_options.ReadingOptions,
) -> None:
    """Turn other systems' files into peer_grades.csv and rubric.toml, and say what was left out and why."""
    if (mapping_file is not None) + interactive + (data.columns is not None or format_name is not None) > 1:
        remedy = "use --interactive, --mapping, or --format and --columns"
        raise InputError(Problem("these options cannot be used together", remedy))
    sources, format_name = _pulled(sources, format_name)
    result_folder.check_target(out, [*sources, *([] if data.rubric is None else [data.rubric])])
    from peerage.formats.wizard.mapping import MAPPING_NAME
    from peerage.gradebook.writing import GRADES_NAME
    from peerage.rubric import RUBRIC_NAME
    from peerage.workflow.import_class import import_class

    guided = data.columns is None and format_name is None
    mapping = _mapping(sources, interactive, mapping_file) if guided else None
    reading = replace(data.reading(), format_name=format_name, mapping=mapping)
    show_kept(import_class(sources, out, data.rubric, reading))
    written = [GRADES_NAME, RUBRIC_NAME, *([] if mapping is None else [MAPPING_NAME])]
    output().print(f"Written to {out}: {', '.join(written)}", soft_wrap=True)
    if interactive:
        output().print(f"The next file needs no questions: --mapping {out / MAPPING_NAME}", soft_wrap=True)


def _mapping(sources: list[Path], interactive: bool, file: Path | None) -> FileMapping | None:
    """What the columns are: as asked for now, as answered before, or as a file beside the sources says."""
    from peerage.formats.wizard.mapping import MAPPING_NAME, FileMapping

    if interactive:
        if len(sources) > 1:
            raise InputError(Problem("--interactive asks about one file", "give the others with --mapping afterwards"))
        from peerage.cli.terminal.asking import Terminal
        from peerage.formats.wizard.questions import interview

        return interview(sources[0], Terminal())
    beside = sorted({source.parent / MAPPING_NAME for source in sources})
    if file is None and len(beside) == 1 and beside[0].is_file():
        file = beside[0]
        warn(
            [
                Problem(
                    f"using {MAPPING_NAME}, found beside the files",
                    "if that is wrong, use --format",
                )
            ]
        )
    return None if file is None else FileMapping.read(file)


def _pulled(sources: list[Path], format_name: str | None) -> tuple[list[Path], str | None]:
    """The files that are meant: a folder that ``peerage canvas pull`` wrote stands for what Canvas answered."""
    files = [pulled_files(source) if source.is_dir() else [source] for source in sources]
    for source, found in zip(sources, files, strict=True):
        if not found:
            message = "is a folder, but not one that peerage canvas pull wrote"
            raise InputError(Problem(message, "name the files in it", str(source)))
    if format_name is None and all(source.is_dir() for source in sources):
        format_name = "canvas-json"
    return [file for found in files for file in found], format_name
