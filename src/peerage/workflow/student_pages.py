"""Students' pages as files, each about its reader alone."""

from __future__ import annotations

from pathlib import Path

from peerage.errors import ResultsError
from peerage.report.pages import student_files, student_html
from peerage.report.report_source import ReportSource
from peerage.report.student_page import file_name
from peerage.results import result_folder
from peerage.results.results import Results
from peerage.support.files.atomic_writes import replacing


def write_student_page(
    results: Results, student: str, target: Path | None = None, *, force: bool = False, apart_from: Path | None = None
) -> Path:
    """Write a student's page to a file, by default one in the current folder that is named after the student.

    A file that exists is replaced only with ``force``; one inside the folder ``apart_from`` is refused.
    """
    source = ReportSource(results)
    target = Path(file_name(source, student)) if target is None else target
    if apart_from is not None:
        refuse_inside(target, apart_from)
    if target.suffix.lower() not in (".html", ".htm"):
        raise ResultsError(f"{target}: a page is a file that ends in .html; name one")
    if target.is_dir():
        raise ResultsError(f"{target}: this is a folder; name a file")
    if target.exists() and not force:
        raise ResultsError(f"{target}: this file exists; name another, or ask to replace it", setting="force")
    text = student_html(source, student)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with replacing(target) as part:
            part.write_bytes(text.encode())
    except OSError as error:
        raise ResultsError(f"{target}: cannot be written ({error.strerror or error}); name another file") from error
    return target


def write_student_pages(results: Results, out: Path) -> dict[str, Path]:
    """Write the pages of all authors to a folder, and return the file of each."""
    source = ReportSource(results)
    files = student_files(source)
    texts = {name: student_html(source, student) for student, name in files.items()}
    with result_folder.writing(out) as folder:
        for name, text in texts.items():
            (folder / name).write_bytes(text.encode())
    return {student: out / name for student, name in files.items()}


def refuse_inside(target: Path, folder: Path) -> None:
    """Refuse a target inside a result folder."""
    if target.resolve().is_relative_to(folder):
        raise ResultsError(f"{target}: this is in the result folder, which must hold nothing else; name another place")
