"""Files of fixed values: read as they are meant, and refused row by row where they make no sense."""

from __future__ import annotations

from pathlib import Path

import pytest

from peerage import Fixed, InputError
from peerage.cli import main
from peerage.formats.staff.fixed_file import read_fixed
from support.classes.tiny import tiny_class

HEADER = "variable,id,component,value\n"
USE_IDS = "write the id as the grades do, or remove the row"


def read(folder: Path, text: str) -> tuple[Fixed, list[str]]:
    path = folder / "fixed.csv"
    path.write_text(text, encoding="utf-8")
    fixed, notices = read_fixed(path, tiny_class(0))
    return fixed, [str(notice) for notice in notices]


def test_values_of_all_kinds_are_read(tmp_path: Path) -> None:
    text = "effort,a,,1\nreliability,b,,2.5\nbias,ta,,-0.5\ntrue_grade,s0,Code,0.5\n"
    expected = Fixed({"a": 1.0}, {"b": 2.5}, {"ta": -0.5}, {("s0", "Code"): 0.5})
    assert read(tmp_path, HEADER + text) == (expected, [])


def test_columns_may_come_in_any_order_and_the_component_may_be_missing(tmp_path: Path) -> None:
    assert read(tmp_path, 'Value;ID;Variable\n"0,25";a;effort\n')[0] == Fixed(effort={"a": 0.25})


def test_ids_of_other_classes_are_passed_over_in_any_spelling(tmp_path: Path) -> None:
    path = tmp_path / "fixed.csv"
    path.write_text(f"{HEADER}effort,ZOE@x.edu,,1\neffort,A,,1\n", encoding="utf-8")
    fixed, _ = read_fixed(path, tiny_class(0), {"zoe@x.edu", "Ann"})
    assert fixed == Fixed(effort={"a": 1.0})
    path.write_text(f"{HEADER}effort,nobody,,1\n", encoding="utf-8")
    with pytest.raises(InputError, match="'nobody'"):
        read_fixed(path, tiny_class(0), {"zoe@x.edu"})


def test_an_id_of_this_class_in_another_spelling_is_not_one_of_another_class(tmp_path: Path) -> None:
    path = tmp_path / "fixed.csv"
    path.write_text(f"{HEADER}effort,TA,,1\neffort,B ,,1\n", encoding="utf-8")
    assert read_fixed(path, tiny_class(0), {"Ta", "B "})[0] == Fixed(effort={"ta": 1.0})


def test_what_is_left_out_is_said(tmp_path: Path) -> None:
    _, notices = read(tmp_path, "variable,id,component,value,why\neffort,a,,1,he said so\n")
    assert notices == ["fixed.csv: left out 1 extra column: 'why'"]
    assert read(tmp_path, HEADER) == (Fixed(), ["fixed.csv: fixes nothing: it has only a header row"])


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("speed,a,,1", "the variable 'speed' cannot be fixed; use one of effort, reliability, bias, true_grade"),
        ("effort,,,1", "the id is empty; name the grader, or for a true grade the submission"),
        ("effort,a,,", "the value '' is not a number; write a number"),
        ("effort,a,,nan", "the value 'nan' is not a number; write a number"),
        ("effort,a,,1.5", "the fixed effort of 'a' must be a probability between 0 and 1, not 1.5"),
        ("reliability,a,,0", "the fixed reliability of 'a' must be between 0.000001 and 1,000,000, not 0.0"),
        ("bias,a,Code,1", "the bias of a grader belongs to no component; leave the component empty"),
        ("bias,somebody,,1", f"nobody with the id 'somebody' graded anything; {USE_IDS}"),
        ("true_grade,s9,Code,1", f"there is no submission 's9'; {USE_IDS}"),
        ("true_grade,s0,,1", "there is no component ''; use one of Structure, Code"),
        ("true_grade,s4,Code,1", "nobody graded 'Code' in the assignment of 's4'; remove the row"),
        ("true_grade,s0,Code,3.5", "the true grade 3.5 is not on the rubric; use 0 to 3"),
        ("bias,c,,0", "the bias of 'c' is fixed in row 2 already; remove one of the rows"),
    ],
)
def test_a_bad_row_is_named_with_its_remedy(tmp_path: Path, row: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, f"{HEADER}bias,c,,1\n{row}\n")
    assert str(caught.value) == f"fixed.csv, row 3: {said}"


def test_all_bad_rows_are_named_at_once_in_their_order(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, f"{HEADER}bias,c,,1\nbias,c,,1\neffort,zoe,,1\n")
    assert [problem.row for problem in caught.value.problems] == [3, 4]


def test_missing_columns_are_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has no column 'value'; its first row has to name the columns variable, id"):
        read(tmp_path, "variable,id,component,amount\neffort,a,,1\n")


def test_the_command_line_refuses_it_before_sampling(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tiny_class(0).write(tmp_path / "g.csv", rubric=True)
    (tmp_path / "fixed.csv").write_text(f"{HEADER}effort,nobody,,1\n")
    assert main(["fit", str(tmp_path / "g.csv"), "--fixed", str(tmp_path / "fixed.csv")]) == 2
    captured = capsys.readouterr()
    assert captured.err == f"fixed.csv, row 2: nobody with the id 'nobody' graded anything; {USE_IDS}\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["fixed.csv", "g.csv", "rubric.toml"]
