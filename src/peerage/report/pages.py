"""The pages that can be made of results, as text."""

from __future__ import annotations

from peerage.report.classes_page import classes_page
from peerage.report.render import render_classes, render_staff, render_student
from peerage.report.report_source import ReportSource
from peerage.report.staff_page import staff_page
from peerage.report.student_page import file_name, student_page, students_of
from peerage.results.results import Results
from peerage.results.several_classes_results import SeveralResults


def staff_html(results: Results) -> str:
    """The page for the staff about a class."""
    return render_staff(staff_page(ReportSource(results)))


def classes_html(results: SeveralResults) -> str:
    """The page for the staff about several classes."""
    return render_classes(classes_page(results))


def student_html(source: ReportSource, student: str) -> str:
    """The page for one student."""
    return render_student(student_page(source, student))


def student_files(source: ReportSource) -> dict[str, str]:
    """For each student the name of the file that holds the student's page."""
    return {student: file_name(source, student) for student in students_of(source)}
