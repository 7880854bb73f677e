"""Everything that reads a file, each with files to begin with and ways to damage them."""

from __future__ import annotations

import shutil
import signal
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import FrameType

import numpy as np

import peerage as pg
from peerage.canvas.store import INDEX, RAW, pulled_files
from peerage.cli.project_file import defaults
from peerage.errors import PeerageError
from peerage.evaluation.benchmark.known_classes import STAFF, ClassKind, KnownClass, read_real_class
from peerage.evaluation.benchmark.running import FINDINGS, RECORD, benchmark
from peerage.evaluation.prior_search.prior_grids import PriorGrid
from peerage.exports import canvas_grades, moodle_grades
from peerage.exports.export_options import Options
from peerage.exports.exporting import Export
from peerage.formats.staff.exclusions import Exclusions
from peerage.formats.staff.fixed_file import read_fixed
from peerage.formats.staff.overrides import read_overrides
from peerage.formats.staff.pseudonyms import Key
from peerage.formats.wizard.mapping import FileMapping
from peerage.gradebook.writing import GRADES_NAME
from peerage.methods.method_registry import find
from peerage.results.marker import MARKER
from peerage.results.result_folder import PUBLICATION
from peerage.results.results import Results
from peerage.results.verifying import verify
from peerage.workflow.publishing import FOLDER, publications
from peerage.workflow.save_results import write_results
from support.classes.tiny import tiny_class
from support.faults import mutations
from support.faults.hostile_files import parquet, workbook
from support.faults.mutations import Mutation
from support.programs.exporting import result_folder

EXAMPLES = Path(__file__).parents[2] / "examples"
MOODLE = tuple(f"moodle/{name}.csv" for name in ("submissions", "assessments", "grades", "rubric", "levels"))

BOOK = tiny_class(1)

CELLS = (mutations.other_cells, mutations.other_bytes, mutations.repeated_bytes)
LINES = (mutations.other_lines, mutations.other_bytes, mutations.repeated_bytes)
RECORDS = (mutations.other_json, mutations.other_bytes, mutations.repeated_bytes)
"""How tables, settings and JSON documents are damaged."""

MOST_SECONDS = 10.0
"""Of the processor, which other programs do not lengthen."""

LONGEST_WAIT = 600.0
"""Seconds by the clock, in case that a reader waits for something; on a busy machine, an input may take long too."""


@dataclass(frozen=True)
class Target:
    """A reader, the files that it reads in a folder, and how they can be damaged; one of them is, each time."""

    name: str
    files: dict[str, bytes]
    ways: tuple[Mutation, ...]
    read: Callable[[Path], object]
    damaged: tuple[str, ...] = ()


@dataclass(frozen=True)
class Finding:
    """An input that ended in something else than a result or a sentence."""

    target: str
    number: int
    what: str
    file: str
    data: bytes


def targets(scratch: Path) -> list[Target]:
    """All readers and loaders."""
    return [*_tables(), *_systems(), *_settings(), *_results(scratch), *_rosters(scratch), *_studies(scratch)]


def _tables() -> Iterator[Target]:
    rows: list[list[object]] = [["submission", "grader", "component", "grade", "author", "role", "time", "comment"]]
    for index in range(12):
        role = "ta" if index == 11 else "student"
        rest = [f"g{index % 4}", role, f"2024-09-{10 + index}", "good" if index % 2 else ""]
        rows.append([f"s{index % 4}", f"g{index}", "S", index % 5, *rest])
    text = "\n".join(",".join(map(str, row)) for row in rows).encode()
    columns = {str(name): [row[place] for row in rows[1:]] for place, name in enumerate(rows[0])}
    wide = b"Reviewer,Paper,Structure,Evidence,Total\na,p1,3,4,7\nb,p1,2,2,4\nc,p2,5,1,6\na,p2,4,4,8\n"
    yield Target("table", {"g.csv": text}, CELLS, _grades)
    yield Target("wide table", {"g.csv": wide}, CELLS, _grades)
    book = workbook([rows])
    yield Target(
        "workbook",
        {"g.xlsx": book},
        (mutations.other_values, mutations.other_member, mutations.other_bytes, mutations.repeated_bytes),
        _grades,
    )
    typed = parquet(columns)
    yield Target(
        "parquet",
        {"g.parquet": typed},
        (mutations.other_columns, mutations.other_bytes, mutations.repeated_bytes),
        _grades,
    )


def _systems() -> Iterator[Target]:
    for name in (
        "canvas_reviews",
        "google_form",
        "ipeer",
        "microsoft_form",
        "mta2",
        "ora_data",
        "ora_long",
        "qualtrics",
    ):
        yield Target(name, _examples(f"{name}.csv"), CELLS, _grades)
    yield Target("moodle tables", _examples(*MOODLE), CELLS, _grades)
    markup = (mutations.other_markup, mutations.other_bytes, mutations.repeated_bytes)
    yield Target("moodle backup", _examples("moodle/workshop.xml"), markup, _grades)
    documents = (mutations.other_json, mutations.other_json, mutations.other_bytes, mutations.repeated_bytes)
    yield Target("canvas json", _examples("canvas_peer_reviews.json", "canvas_rubric.json"), documents, _grades)


def _settings() -> Iterator[Target]:
    book = BOOK
    submission, grader, component = book.submissions[0], book.graders[0], book.rubric.names[0]

    def staff(name: str, text: str, read: Callable[[Path], object]) -> Target:
        return Target(name, {f"{name}.csv": text.encode()}, CELLS, lambda folder: read(folder / f"{name}.csv"))

    yield staff("exclude", f"grader,submission,reason\n{grader},{submission},late\n", Exclusions.read)
    yield staff(
        "override",
        f"submission,component,grade,reason\n{submission},{component},1,appeal\n",
        lambda path: read_overrides(path, book),
    )
    yield staff(
        "fixed",
        f"variable,id,component,value\neffort,{grader},,1\ntrue_grade,{submission},{component},3\n",
        lambda path: read_fixed(path, book),
    )
    yield staff("key", "kind,id,pseudonym\nperson,ann,person-1\nsubmission,s1,submission-2\n", Key.read)

    def toml(name: str, text: str, read: Callable[[Path], object]) -> Target:
        return Target(name, {f"{name}.toml": text.encode()}, LINES, lambda folder: read(folder / f"{name}.toml"))

    yield toml("rubric", book.rubric.to_toml(), pg.Rubric.read)
    yield toml("priors", "mu_s = 3.5\nsigma_s = 1.0\nsigma_b = 0.5\nalpha_e = 8\nbeta_e = 2\n", pg.Priors.read)
    project = f'grades = ["{EXAMPLES.as_posix()}/ipeer.csv"]\nseed = 3\noutput = "results"\ncolumns = "grader=a"\n'
    yield toml("project", project, defaults)
    yield toml("mapping", _mapping(), FileMapping.read)


def _mapping() -> str:
    columns = {"submission": "a", "grader": "b"}
    words = {"grade": {"good": "3"}}
    rubric = pg.Rubric.uniform(["S"], range(4))
    return FileMapping(columns=columns, components={"S": "c"}, values=words, rubric=rubric, snap=True).to_toml()


def _results(scratch: Path) -> Iterator[Target]:
    said = replace(BOOK, comments=tuple(f"see {index}" for index in range(BOOK.n_reviews)))
    posterior = pg.fit(said, chains=2, draws=4, burn_in=2, seed=0)
    write_results(Results.of(posterior), scratch / "fitted")
    files = {path.name: path.read_bytes() for path in (scratch / "fitted").iterdir() if path.name != "report.html"}
    ways = (mutations.other_arrays, mutations.other_arrays, mutations.other_bytes)
    yield Target("posterior", {"posterior.npz": files["posterior.npz"]}, ways, _updated)
    drifting = pg.fit(tiny_class(1), pg.Model(drift=True), chains=2, draws=4, burn_in=2, seed=0)
    drifting.save(scratch / "drifting.npz")
    drifted = {"posterior.npz": (scratch / "drifting.npz").read_bytes()}
    yield Target("drifting posterior", drifted, ways, _updated)
    tables = tuple(name for name in files if name.endswith(".csv"))
    yield Target("run.json", files, RECORDS, _opened, damaged=("run.json",))
    yield Target("marker", files, RECORDS, verify, damaged=(".peerage.json",))
    yield Target(
        "result tables",
        files,
        CELLS,
        _opened,
        damaged=tables,
    )
    index = (
        b'{"place": {"url": "https://x", "course": 1, "assignment": 2}, "begun": "now", '
        b'"answers": [{"request": "a", "file": "rubric-1.json", "link": ""}]}'
    )
    pulled = {f"{RAW}/{INDEX}": index, f"{RAW}/rubric-1.json": b"{}"}
    yield Target("pull.json", pulled, RECORDS, pulled_files, damaged=(f"{RAW}/{INDEX}",))
    handed_out = {f"{FOLDER}/1/{PUBLICATION}": b'{"at": "2024-09-30T12:00:00+02:00", "from": "results"}'}
    yield Target("publication", handed_out, RECORDS, publications)


def _rosters(scratch: Path) -> Iterator[Target]:
    results = Results.read(result_folder(scratch / "results"))

    def roster(name: str, export: Export, id_column: str | None = None) -> Target:
        def exported(folder: Path) -> object:
            return export.prepare(results, Options(roster=folder / name, id_column=id_column))

        return Target(name.removesuffix(".csv"), _examples(name), CELLS, exported)

    yield roster("canvas_gradebook.csv", canvas_grades)
    yield roster("moodle_grade_export.csv", moodle_grades, "useremail")


def _studies(scratch: Path) -> Iterator[Target]:
    compared = {"c.csv": b"judge,winner,loser\na,p1,p2\nb,p2,p3\na,p3,p1\n"}
    yield Target("comparisons", compared, CELLS, lambda folder: pg.read_comparisons(folder / "c.csv"))
    grades = b"submission,grader,S\np1,a,1\np1,b,2\np2,a,3\np2,c,0\n"
    staff = b"submission,component,grade\np1,S,2\np2,S,3\np2,S,2\n"
    yield Target("real class", {GRADES_NAME: grades, STAFF: staff}, CELLS, read_real_class)
    grid = {"grid.toml": b'mu_s = [3.5, 4]\n"alpha_e, beta_e" = [[5, 5], [8, 2]]\n'}
    yield Target("grid", grid, LINES, lambda folder: PriorGrid.read(str(folder / "grid.toml")).all())
    _compared(scratch / "benchmark")
    files = {name: (scratch / "benchmark" / name).read_bytes() for name in (RECORD, FINDINGS, MARKER)}
    # A line ends with its mark, which a document lacks.
    files[FINDINGS] = files[FINDINGS].rstrip()
    yield Target("benchmark", files, RECORDS, _compared, damaged=(RECORD, FINDINGS, FINDINGS))


def _examples(*names: str) -> dict[str, bytes]:
    return {Path(name).name: (EXAMPLES / name).read_bytes() for name in names}


def _grades(folder: Path) -> pg.Gradebook:
    return pg.read_grades(sorted(folder.iterdir()))


def _updated(folder: Path) -> object:
    """Load a posterior and draw from it, so that kernels see what was loaded."""
    posterior = pg.load(folder / "posterior.npz")
    return posterior.update(posterior.book, draws=2, burn_in=1, workers=1)


def _opened(folder: Path) -> object:
    results = Results.read(folder)
    marks = results.totals, results.grader_marks, results.weights, results.spot_checks, results.most_points
    return *marks, results.warnings, results.notices, results.overrides, results.choices


def _compared(folder: Path) -> object:
    """Go on with a benchmark that is in a folder, and make its table."""
    found = folder / FINDINGS
    if found.exists():
        found.write_bytes(found.read_bytes() + b"\n")
    kind = ClassKind("tiny", "tiny classes", lambda _: KnownClass(BOOK, np.full(BOOK.applicable.shape, 2.5)))
    return benchmark([kind], [find("mean")], replicates=1, quick=True, workers=1, out=folder).table()


def fuzz(
    chosen: Sequence[Target], inputs: int, scratch: Path, seed: int = 0, first: int = 0
) -> Iterator[Finding | None]:
    """Damage files and read them, one reader after the other; give what is found about each input, None if nothing."""
    for number in range(first, inputs):
        target = chosen[number % len(chosen)]
        rng = np.random.default_rng([seed, number])
        name = mutations.choice(rng, target.damaged or sorted(target.files))
        data = target.files[name]
        for _ in range(int(rng.integers(1, 3))):
            with _whatever():
                data = mutations.choice(rng, target.ways)(data, rng)
        what = outcome(target, write(scratch / "input", {**target.files, name: data}))
        yield Finding(target.name, number, what, name, data) if what else None


def write(folder: Path, files: Mapping[str, bytes]) -> Path:
    """Make a folder that holds some files and nothing else."""
    shutil.rmtree(folder, ignore_errors=True)
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder


@contextmanager
def _whatever() -> Iterator[None]:
    """A file that is damaged already may be too damaged for another way."""
    try:
        yield
    except Exception:
        return


def outcome(target: Target, folder: Path) -> str:
    """What is wrong with how an input is read; empty if it is read or refused in a sentence."""

    def too_slow(_signal: int, _frame: FrameType | None) -> None:
        raise TimeoutError("takes too long")

    limits = ((signal.SIGPROF, signal.ITIMER_PROF, MOST_SECONDS), (signal.SIGALRM, signal.ITIMER_REAL, LONGEST_WAIT))
    for number, timer, seconds in limits:
        signal.signal(number, too_slow)
        signal.setitimer(timer, seconds)
    begun = time.process_time()
    try:
        target.read(folder)
    except PeerageError as error:
        if not str(error) or "Traceback" in str(error):
            return "refused without a sentence"
    except BaseException:
        return traceback.format_exc()
    finally:
        for _, timer, _ in limits:
            signal.setitimer(timer, 0)
    return "" if time.process_time() - begun < MOST_SECONDS else "takes too long"
