"""Result folders: replaced only when they are ours, untouched when writing fails, found again."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from peerage import ResultsError
from peerage.results import result_folder
from peerage.support.files import atomic_writes
from support.faults import killed_writer


def write(target: Path, text: str) -> None:
    with result_folder.writing(target) as folder:
        (folder / "grades.csv").write_text(text)


def write_and_fail(target: Path, error: type[BaseException]) -> None:
    with result_folder.writing(target) as folder:
        (folder / "grades.csv").write_text("second")
        raise error


def text_in(target: Path) -> str:
    return (result_folder.find(target) / "grades.csv").read_text()


def names(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


@pytest.fixture(params=["exchange", "renames"])
def target(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A target, with and without a system that exchanges folders in one step."""
    if request.param == "renames":
        monkeypatch.setattr(result_folder, "exchange", lambda *_: False)
    return tmp_path / "results"


def test_results_are_written_and_found(target: Path) -> None:
    write(target, "first")
    assert text_in(target) == "first"
    assert names(target) == [result_folder.MARKER, "grades.csv"]
    assert names(target.parent) == ["results"]


def test_earlier_results_are_replaced_as_a_whole(target: Path) -> None:
    with result_folder.writing(target) as folder:
        (folder / "grades.csv").write_text("first")
        (folder / "only-in-the-first.csv").write_text("first")
    write(target, "second")
    assert text_in(target) == "second"
    assert names(target) == [result_folder.MARKER, "grades.csv"]
    assert names(target.parent) == ["results"]


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt, SystemExit])
def test_a_failure_leaves_everything_as_it_was(target: Path, error: type[BaseException]) -> None:
    write(target, "first")
    with pytest.raises(error):
        write_and_fail(target, error)
    assert text_in(target) == "first"
    assert names(target.parent) == ["results"]


def test_ctrl_c_between_the_renames_leaves_the_earlier_results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "results"
    write(target, "first")

    def interrupted(_fresh: Path, target: Path) -> bool:
        target.rename(target.with_name(f".{target.name}.peerage-old"))
        raise KeyboardInterrupt

    monkeypatch.setattr(result_folder, "exchange", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write(target, "second")
    assert text_in(target) == "first"
    assert names(tmp_path) == ["results"]


def test_missing_parent_folders_are_made(tmp_path: Path) -> None:
    write(tmp_path / "this" / "and" / "that", "text")
    assert text_in(tmp_path / "this" / "and" / "that") == "text"


def test_an_empty_folder_may_be_used(target: Path) -> None:
    target.mkdir()
    write(target, "text")
    assert text_in(target) == "text"


def test_a_link_leads_to_the_folder_that_is_replaced(target: Path) -> None:
    write(target, "first")
    link = target.with_name("link")
    link.symlink_to(target)
    write(link, "second")
    assert link.is_symlink()
    assert text_in(target) == "second"


def test_a_folder_of_other_files_is_refused(target: Path) -> None:
    target.mkdir()
    (target / "thesis.tex").write_text("years of work")
    refusal = "holds files that are not results; name another folder or an empty one"
    with pytest.raises(ResultsError, match=refusal):
        write(target, "text")
    with pytest.raises(ResultsError, match=refusal):
        result_folder.check_target(target)
    assert names(target) == ["thesis.tex"]
    assert names(target.parent) == ["results"]


def test_a_folder_whose_marker_is_broken_is_refused(target: Path) -> None:
    target.mkdir()
    (target / result_folder.MARKER).write_text("[]")
    with pytest.raises(ResultsError, match="files that are not results"):
        write(target, "text")


def test_a_file_that_somebody_added_to_results_is_not_lost(target: Path) -> None:
    write(target, "first")
    (target / "notes.txt").write_text("mine")
    with pytest.raises(ResultsError, match=r"'notes.txt' in this folder was not written by peerage and would be lost"):
        write(target, "second")
    assert text_in(target) == "first"
    (target / "notes.txt").rename(target / ".DS_Store")
    write(target, "second")
    assert text_in(target) == "second"


def test_a_file_in_place_of_the_folder_is_refused(target: Path) -> None:
    target.write_text("a file")
    with pytest.raises(ResultsError, match="this is a file; name a folder"):
        write(target, "text")
    assert target.read_text() == "a file"


def test_the_current_folder_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "inner").mkdir()
    monkeypatch.chdir(tmp_path / "inner")
    for path in (".", "..", "/"):
        with pytest.raises(ResultsError, match="cannot replace the folder that you are in"):
            result_folder.check_target(path)


def test_a_folder_that_holds_an_input_is_refused(target: Path) -> None:
    write(target, "first")
    with pytest.raises(ResultsError, match=r"the input .*grades.csv lies in this folder"):
        result_folder.check_target(target, inputs=[target / "grades.csv"])
    result_folder.check_target(target, inputs=[target.with_name("grades.csv")])


def test_what_cannot_be_written_is_said_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ResultsError, match=r"the results cannot be written \(.*\); choose another folder"):
        write(tmp_path / "file" / "results", "text")


def test_results_that_stepped_aside_are_found_again(target: Path) -> None:
    write(target, "first")
    target.rename(target.with_name(".results.peerage-old"))
    assert text_in(target) == "first"
    assert names(target.parent) == ["results"]


def test_what_a_dead_writer_left_is_removed(target: Path) -> None:
    for leftover in (".results.peerage-new", ".results.peerage-old"):
        target.with_name(leftover).mkdir()
        (target.with_name(leftover) / "grades.csv").write_text("half")
    target.with_name(".results.peerage-lock").touch()
    write(target, "text")
    assert text_in(target) == "text"
    assert names(target.parent) == ["results"]


def test_half_removed_results_are_never_put_back(target: Path) -> None:
    target.with_name(".results.peerage-old").mkdir()
    (target.with_name(".results.peerage-old") / "grades.csv").write_text("half")
    with pytest.raises(ResultsError, match="there are no results here; name a folder that peerage has written"):
        result_folder.find(target)


def test_a_second_writer_waits_and_then_says_why_it_cannot(target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(atomic_writes, "PATIENCE", 0.1)
    with result_folder.writing(target) as folder:
        (folder / "grades.csv").write_text("first")
        with pytest.raises(ResultsError, match="another process has been writing"):
            write(target, "second")
    assert text_in(target) == "first"


def test_writers_at_the_same_time_do_not_mix(target: Path) -> None:
    texts = [str(number) * 10_000 for number in range(6)]
    program = "import sys; from killed_writer import write; write(sys.argv[1], sys.argv[2])"
    writers = [
        subprocess.Popen([sys.executable, "-c", program, target, text], cwd=Path(killed_writer.__file__).parent)
        for text in texts
    ]
    assert [writer.wait(timeout=60) for writer in writers] == [0] * 6
    (text,) = {(target / name).read_text() for name in killed_writer.FILES}
    assert text in texts
    assert names(target.parent) == ["results"]


def test_a_class_is_found_where_a_killed_writer_left_all_classes_aside(tmp_path: Path) -> None:
    with result_folder.writing(tmp_path / "all") as folder:
        (folder / "A").mkdir()
        (folder / "A" / "grades.csv").write_text("of A")
        result_folder.seal(folder / "A")
    (tmp_path / "all").rename(tmp_path / ".all.peerage-old")
    assert text_in(tmp_path / "all" / "A") == "of A"
    assert names(tmp_path) == ["all"]
    assert result_folder.outermost(tmp_path / "all" / "A") == tmp_path / "all"


def test_a_file_is_added_to_a_class_without_a_trace_beside_it(tmp_path: Path) -> None:
    with result_folder.writing(tmp_path / "all") as folder:
        (folder / "A").mkdir()
        result_folder.seal(folder / "A")
    result_folder.add(tmp_path / "all" / "A", "changes.csv", "text")
    assert (names(tmp_path), names(tmp_path / "all")) == (["all"], [result_folder.MARKER, "A"])
    result_folder.check_target(tmp_path / "all")
