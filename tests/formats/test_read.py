"""What read_grades understands: encodings, delimiters, long and wide, other names, several files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import peerage as pg

LONG = "submission,grader,component,grade\np1,007,S,1\np1,NA,S,3\np2,007,S,2\np2,NA,S,1.5\n"
GRADES = [1.0, 3.0, 2.0, 1.5]


def _write(folder: Path, content: str | bytes, name: str = "grades.csv") -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "latin-1", "cp1252"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_encodings_delimiters_and_line_ends(tmp_path: Path, encoding: str, delimiter: str, line_end: str) -> None:
    text = LONG.replace("NA", "Zoë").replace(",", delimiter).replace("\n", line_end)
    book = pg.read_grades(_write(tmp_path, text.encode(encoding)))
    assert book.graders == ("007", "Zoë")
    assert book.table()["grade"].tolist() == GRADES


def test_ids_are_text(tmp_path: Path) -> None:
    book = pg.read_grades(_write(tmp_path, LONG))
    assert book.graders == ("007", "NA")
    assert book.submissions == ("p1", "p2")


def test_quoted_cells_keep_delimiters_quotes_and_line_ends(tmp_path: Path) -> None:
    text = 'submission,grader,grade\n"a,b","say ""hi""",1\n"line\none",x,2\n'
    book = pg.read_grades(_write(tmp_path, text))
    assert book.submissions == ("a,b", "line\none")
    assert book.graders == ('say "hi"', "x")


def test_row_numbers_count_records_as_a_spreadsheet_does(tmp_path: Path) -> None:
    text = '\nsubmission,grader,grade\n"two\nlines",ann,1\n\np2,ann,bad\n'
    with pytest.raises(pg.InputError, match="row 5: the grade 'bad'"):
        pg.read_grades(_write(tmp_path, text))


def test_decimal_commas_and_excel_separator_line(tmp_path: Path) -> None:
    text = "sep=;\r\n" + LONG.replace(",", ";").replace("1.5", "1,5").replace("\n", "\r\n")
    assert pg.read_grades(_write(tmp_path, text)).table()["grade"].tolist() == GRADES


def test_delimiter_inside_a_quoted_header(tmp_path: Path) -> None:
    text = 'submission,grader,"a;b;c;d;e"\np1,ann,1\np1,bob,2\n'
    assert pg.read_grades(_write(tmp_path, text)).rubric.names == ("a;b;c;d;e",)


def test_wide_and_long_say_the_same(tmp_path: Path) -> None:
    wide = _write(tmp_path, "submission,grader,S,E\np1,ann,1,\np1,bob,2,0\np2,ann,,3\n", "wide.csv")
    long = _write(
        tmp_path,
        "submission,grader,component,grade\np1,ann,S,1\np1,bob,S,2\np1,bob,E,0\np2,ann,E,3\np2,ann,S,\n",
        "long.csv",
    )
    pd.testing.assert_frame_equal(pg.read_grades(wide).table(), pg.read_grades(long).table())


def test_a_component_in_other_capitals_is_the_rubrics(tmp_path: Path) -> None:
    rubric = pg.Rubric.uniform(["Structure", "Evidence"], [0, 1, 2])
    wide = _write(tmp_path, "submission,grader,structure,EVIDENCE,notes\np1,ann,1,2,5\n")
    assert pg.read_grades(wide, rubric).table()["component"].tolist() == ["Structure", "Evidence"]
    long = _write(tmp_path, "submission,grader,component,grade\np1,ann,structure ,1\n")
    assert pg.read_grades(long, rubric).table()["component"].tolist() == ["Structure"]


def test_one_grade_column_is_the_rubrics_only_component(tmp_path: Path) -> None:
    path = _write(tmp_path, "submission,grader,grade,words\np1,ann,1,300\np1,bob,2,300\n")
    assert pg.read_grades(path).rubric.names == ("grade",)
    assert pg.read_grades(path, pg.Rubric.uniform(["Quality"], [1, 2])).rubric.names == ("Quality",)


def test_synonyms_and_mapped_columns(tmp_path: Path) -> None:
    header = "Paper ID,Reviewed by,Criterion,Score,Week,Submitter,Timestamp\n"
    rows = "p1,ann,S,1,w1,cat,2024-05-01 10:00\np1,bob,S,2,w1,cat,\n"
    book = pg.read_grades(_write(tmp_path, header + rows))
    assert (book.assignments, book.authors, book.graders) == (("w1",), (("cat",),), ("ann", "bob"))
    assert book.times is not None
    assert book.times[0] == np.datetime64("2024-05-01T10:00")
    text = "Thing,Person,S\np1,ann,1\np1,bob,2\n"
    mapped = {"submission": "Thing", "grader": "person", "author": "Thing"}
    assert pg.read_grades(_write(tmp_path, text), columns=mapped).authors == (("p1",),)


def test_several_files_of_different_forms(tmp_path: Path) -> None:
    first = _write(tmp_path, "submission,grader,S\np1,ann,0\np1,bob,2\n", "week1.csv")
    second = _write(tmp_path, "submission;grader;component;grade\np2;bob;S;1\np2;cat;S;0,5\n", "week2.csv")
    book = pg.read_grades([first, second])
    assert book.submissions == ("p1", "p2")
    assert book.graders == ("ann", "bob", "cat")
    assert book.rubric["S"].grades == (0, 0.5, 1, 1.5, 2)


def test_files_of_one_name_are_told_apart(tmp_path: Path) -> None:
    folders = [tmp_path / name for name in ("a", "b")]
    for folder in folders:
        folder.mkdir()
    paths = [_write(folder, "submission,grader,grade\np1,ann,x\n") for folder in folders]
    with pytest.raises(pg.InputError) as caught:
        pg.read_grades(paths)
    assert [problem.file for problem in caught.value.problems if problem.row] == [str(path) for path in paths]


def test_rubrics_beside_files_must_agree(tmp_path: Path) -> None:
    paths = []
    for name, top in (("a", 2), ("b", 3)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "rubric.toml").write_text(f"[components.S]\ngrades = '0 to {top} by 1'\n")
        paths.append(_write(tmp_path / name, f"submission,grader,S\n{name},ann,1\n"))
    assert pg.read_grades(paths[0]).rubric["S"].n_levels == 3
    with pytest.raises(pg.InputError, match="different rubrics beside them"):
        pg.read_grades(paths)
    assert pg.read_grades(paths, tmp_path / "b" / "rubric.toml").rubric["S"].n_levels == 4


def test_duplicates(tmp_path: Path) -> None:
    rows = "p1,ann,1,2024-05-02\np1,ann,4,2024-05-01\np1,bob,0,\np1,bob,3,\np1,cat,2,\n"
    path = _write(tmp_path, f"submission,grader,S,time\n{rows}")
    assert pg.read_grades(path, duplicates="last").table()["grade"].tolist() == [1, 3, 2]
    mean = pg.read_grades(path, duplicates="mean")
    assert mean.table()["grade"].tolist() == [3, 2, 2]
    assert mean.times is not None
    assert mean.times[0] == np.datetime64("2024-05-02")
    with pytest.raises(pg.InputError) as caught:
        pg.read_grades(path)
    assert [problem.row for problem in caught.value.problems] == [3, 5]


def test_the_last_by_place_is_kept_where_a_time_is_unknown(tmp_path: Path) -> None:
    rows = "p1,ann,1,2024-05-02\np1,ann,4,\np1,bob,0,\np1,bob,3,2024-05-02\np1,bob,2,2024-05-01\n"
    path = _write(tmp_path, f"submission,grader,S,time\n{rows}")
    assert pg.read_grades(path, duplicates="last").table()["grade"].tolist() == [4, 2]


def test_every_problem_is_listed(tmp_path: Path) -> None:
    rows = "".join(f"p{index},ann,x\n" for index in range(1000))
    with pytest.raises(pg.InputError) as caught:
        pg.read_grades(
            _write(tmp_path, f"submission,grader,S\np,ann,1\np,bob,2\n{rows}"), pg.Rubric.uniform("S", [1, 2])
        )
    assert [problem.row for problem in caught.value.problems] == list(range(4, 1004))


def test_problems_of_every_kind_come_together(tmp_path: Path) -> None:
    text = "submission,grader,grade,role\np1,ann,1,\np1,ann,2,\n,bob,1,boss\np2,bob,7,\np2,ann,x,\n"
    with pytest.raises(pg.InputError) as caught:
        pg.read_grades(_write(tmp_path, text), pg.Rubric.uniform(["grade"], [1, 2]))
    assert {problem.row for problem in caught.value.problems} == {3, 4, 5, 6}
    assert len(caught.value.problems) == 5


def test_options_that_are_not_understood(tmp_path: Path) -> None:
    path = _write(tmp_path, LONG)
    with pytest.raises(pg.InputError, match="treated as 'first'"):
        pg.read_grades(path, duplicates="first")  # type: ignore[arg-type]
    with pytest.raises(pg.InputError, match="no file"):
        pg.read_grades([])


def test_a_time_that_no_clock_can_convert_stays_unknown() -> None:
    rows = {"submission": ["p", "p"], "grader": ["a", "b"], "S": [0, 1]}
    book = pg.read_grades(pd.DataFrame(rows | {"time": ["0001-01-01T00:00:00+05:00", "2024-09-30 17:05"]}))
    assert book.times is not None
    assert np.isnat(book.times).tolist() == [True, False]
    assert any("1 time not understood" in notice.message for notice in book.notices)


def test_submissions_that_several_files_name_are_noted(tmp_path: Path) -> None:
    for week in ("1", "2"):
        (tmp_path / f"week{week}.csv").write_text(f"submission,grader,S\nann,bob{week},0\ncyd,bob{week},1\n")
    book = pg.read_grades([tmp_path / "week1.csv", tmp_path / "week2.csv"])
    assert any("2 submissions in more than one file: 'ann', 'cyd'" in notice.message for notice in book.notices)
