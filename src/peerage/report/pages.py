"""The pages that can be made from a folder of results."""

from __future__ import annotations

from pathlib import Path

from peerage.report.classes_page import classes_page
from peerage.report.render import render_classes, render_staff, render_student
from peerage.report.report_source import Fitted
from peerage.report.staff_page import staff_page
from peerage.report.student_page import file_name, student_page, students_of
from peerage.results import result_folder
from peerage.results.saved_results import Classes

REPORT = "report.html"
"""The name of the staff's page in a folder of results."""


def staff_html(folder: Path) -> str:
    """The page for the staff about the results in a folder."""
    return fitted_html(Fitted.read(folder))


def fitted_html(fitted: Fitted) -> str:
    """The page for the staff about results at hand."""
    return render_staff(staff_page(fitted))


def classes_html(folder: Path) -> str:
    """The page for the staff about the results of several classes in a folder."""
    return render_classes(classes_page(folder))


def rewrite(folder: Path) -> dict[str, Path]:
    """Write the staff's page of a folder of results anew and, if it is about several classes, those of the classes."""
    classes = Classes.of(folder).folders
    if not classes:
        return {"staff": result_folder.add(folder, REPORT, staff_html(folder))}
    for place in classes.values():
        result_folder.add(place, REPORT, staff_html(place))
    return {"staff": result_folder.add(folder, REPORT, classes_html(folder))}


def student_html(fitted: Fitted, student: str) -> str:
    """The page for one student."""
    return render_student(student_page(fitted, student))


def student_files(fitted: Fitted) -> dict[str, str]:
    """For each student the name of the file that holds the student's page."""
    return {student: file_name(fitted, student) for student in students_of(fitted)}
