"""Work of several authors: each gets the grade, and none of them may review it."""

from __future__ import annotations

from pathlib import Path

import peerage as pg
from support.classes.term import fitted, rows

TEXT = """submission,grader,S,T,author
p1,ann,5,5,ann;bob
p1,bob,5,5,bob; ann
p1,cat,1,2,ann;bob
p1,dan,2,1,ann;bob
p2,ann,3,4,cat;dan
p2,bob,4,3,
p3,ann,1,0,cat
p3,bob,0,1,cat
"""


def test_a_member_who_reviews_the_own_teams_work_reviews_own_work(tmp_path: Path) -> None:
    (tmp_path / "grades.csv").write_text(TEXT)
    book = pg.read_grades(tmp_path / "grades.csv")
    assert book.authors == (("ann", "bob"), ("cat", "dan"), ("cat",))
    reviewed = book.table()[["submission", "grader"]].drop_duplicates()
    assert reviewed[reviewed["submission"] == "p1"]["grader"].tolist() == ["cat", "dan"]
    assert "dropped 2 reviews of the grader's own work, by 'ann', 'bob'" in [notice.message for notice in book.notices]


def test_everyone_of_the_team_gets_the_grade(tmp_path: Path) -> None:
    (tmp_path / "grades.csv").write_text(TEXT)
    totals = rows(fitted(tmp_path / "grades.csv", tmp_path / "out") / "totals.csv")
    assert [(row["submission"], row["author"]) for row in totals] == [
        ("p1", "ann"),
        ("p1", "bob"),
        ("p2", "cat"),
        ("p2", "dan"),
        ("p3", "cat"),
    ]
    assert totals[0]["total"] == totals[1]["total"]
    assert totals[2]["total"] == totals[3]["total"]
