"""How long marks for peer grading take, beside the fit that they rest on; in seconds of processor time.

``python benchmarks/bench_credit.py [STUDENTS] [WEEKS]`` takes the standard class of docs/performance.md unless told
otherwise, with the default model. The first fit compiles; the second one is timed.
"""

from __future__ import annotations

import sys
import time

import peerage as pg


def main(students: str = "120", weeks: str = "10") -> None:
    """Fit, mark, and print both times."""
    book, _ = pg.simulate(int(students), int(weeks), seed=0)
    small, _ = pg.simulate(10, 1, seed=0)
    pg.credit(pg.fit(small, draws=20, seed=0))
    times = [time.process_time()]
    posterior = pg.fit(book, seed=0)
    times.append(time.process_time())
    pg.credit(posterior)
    times.append(time.process_time())
    fit, credit = times[1] - times[0], times[2] - times[1]
    print(f"fit {fit:.1f} s, credit {credit:.2f} s: {credit / fit:.1%} of it")


if __name__ == "__main__":
    main(*sys.argv[1:])
