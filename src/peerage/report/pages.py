"""The pages that can be made from a folder of results."""

from __future__ import annotations

from pathlib import Path

from peerage.report.context import staff_page
from peerage.report.fitted import Fitted
from peerage.report.render import render_staff, render_student
from peerage.report.student import file_name, student_page, students_of

REPORT = "report.html"
"""The name of the staff's page in a folder of results."""


def staff_html(folder: Path) -> str:
    """The page for the staff about the results in a folder."""
    return render_staff(staff_page(Fitted.read(folder)))


def student_html(fitted: Fitted, student: str) -> str:
    """The page for one student."""
    return render_student(student_page(fitted, student))


def student_files(fitted: Fitted) -> dict[str, str]:
    """For each student the name of the file that holds the student's page."""
    return {student: file_name(fitted, student) for student in students_of(fitted)}
