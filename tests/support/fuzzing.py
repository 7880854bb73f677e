"""Everything that reads a file, each with files to begin with and ways to damage them."""

from __future__ import annotations

import shutil
import signal
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

import numpy as np

import peerage as pg
from peerage.canvas.store import INDEX, RAW, pulled_files
from peerage.cli.project_file import defaults
from peerage.errors import PeerageError
from peerage.formats.staff.exclusions import Exclusions
from peerage.formats.staff.fixed_values import read_fixed
from peerage.formats.staff.overrides import read_overrides
from peerage.formats.staff.pseudonyms import Key
from peerage.formats.wizard.mapping import FileMapping
from peerage.results.results import Results
from peerage.results.verifying import verify
from support import mutations
from support.hostile_files import parquet, workbook
from support.mutations import Mutation
from support.tiny import tiny_class

EXAMPLES = Path(__file__).parents[1] / "examples"
EARLIER = Path(__file__).parents[1] / "results" / "earlier_versions"
MOODLE = tuple(f"moodle/{name}.csv" for name in ("submissions", "assessments", "grades", "rubric", "levels"))

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
    return [*_tables(), *_systems(), *_settings(), *_results(scratch)]


def _tables() -> Iterator[Target]:
    rows: list[list[object]] = [["submission", "grader", "component", "grade", "author", "role", "time"]]
    for index in range(12):
        role = "ta" if index == 11 else "student"
        rows.append([f"s{index % 4}", f"g{index}", "S", index % 5, f"g{index % 4}", role, f"2024-09-{10 + index}"])
    text = "\n".join(",".join(map(str, row)) for row in rows).encode()
    columns = {str(name): [row[place] for row in rows[1:]] for place, name in enumerate(rows[0])}
    wide = b"Reviewer,Paper,Structure,Evidence,Total\na,p1,3,4,7\nb,p1,2,2,4\nc,p2,5,1,6\na,p2,4,4,8\n"
    yield Target(
        "table", {"g.csv": text}, (mutations.other_cells, mutations.other_bytes, mutations.repeated_bytes), _grades
    )
    yield Target(
        "wide table", {"g.csv": wide}, (mutations.other_cells, mutations.other_bytes, mutations.repeated_bytes), _grades
    )
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
    cells = (mutations.other_cells, mutations.other_bytes, mutations.repeated_bytes)
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
        yield Target(name, _examples(f"{name}.csv"), cells, _grades)
    yield Target("moodle tables", _examples(*MOODLE), cells, _grades)
    markup = (mutations.other_markup, mutations.other_bytes, mutations.repeated_bytes)
    yield Target("moodle backup", _examples("moodle/workshop.xml"), markup, _grades)
    documents = (mutations.other_json, mutations.other_json, mutations.other_bytes, mutations.repeated_bytes)
    yield Target("canvas json", _examples("canvas_peer_reviews.json", "canvas_rubric.json"), documents, _grades)


def _settings() -> Iterator[Target]:
    lines, cells = (
        (mutations.other_lines, mutations.other_bytes, mutations.repeated_bytes),
        (mutations.other_cells, mutations.other_bytes, mutations.repeated_bytes),
    )
    book = tiny_class(1)
    submission, grader, component = book.submissions[0], book.graders[0], book.rubric.names[0]

    def staff(name: str, text: str, read: Callable[[Path], object]) -> Target:
        return Target(name, {f"{name}.csv": text.encode()}, cells, lambda folder: read(folder / f"{name}.csv"))

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
        return Target(name, {f"{name}.toml": text.encode()}, lines, lambda folder: read(folder / f"{name}.toml"))

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
    fitted = scratch / "fitted.npz"
    pg.fit(tiny_class(1), chains=2, draws=4, burn_in=2, seed=0).save(fitted)
    posterior = {"posterior.npz": fitted.read_bytes()}
    ways = (mutations.other_arrays, mutations.other_arrays, mutations.other_bytes)
    yield Target("posterior", posterior, ways, _updated)
    folder = max(path for path in EARLIER.iterdir() if path.is_dir())
    files = {path.name: path.read_bytes() for path in folder.iterdir() if path.name != "report.html"}
    tables = tuple(name for name in files if name.endswith(".csv"))
    records = (mutations.other_json, mutations.other_bytes, mutations.repeated_bytes)
    yield Target("run.json", files, records, _opened, damaged=("run.json",))
    yield Target("marker", files, records, verify, damaged=(".peerage.json",))
    yield Target(
        "result tables",
        files,
        (mutations.other_cells, mutations.other_bytes, mutations.repeated_bytes),
        _opened,
        damaged=tables,
    )
    index = (
        b'{"place": {"url": "https://x", "course": 1, "assignment": 2}, "begun": "now", '
        b'"answers": [{"request": "a", "file": "rubric-1.json", "link": ""}]}'
    )
    pulled = {f"{RAW}/{INDEX}": index, f"{RAW}/rubric-1.json": b"{}"}
    yield Target("pull.json", pulled, records, pulled_files, damaged=(f"{RAW}/{INDEX}",))


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
    return results.totals, results.grader_marks, results.weights, results.spot_checks, results.warnings, results.notices


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
