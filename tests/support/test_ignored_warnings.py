"""What a package warns of is ignored while it is called, and nothing else ever is."""

from __future__ import annotations

import threading
import warnings

import pytest

from peerage.support.tasks.ignored_warnings import ignoring_warnings_of


def warn(module: str) -> None:
    warnings.warn_explicit("an old way", UserWarning, "file.py", 1, module, registry={})


def test_only_that_package_is_ignored_and_only_in_the_block() -> None:
    before = list(warnings.filters)
    with ignoring_warnings_of("box.of"):
        warn("box.of")
        warn("box.of.things")
        for heard in ("box", "box.offers", "my.box.of"):
            with pytest.raises(UserWarning):
                warn(heard)
    assert warnings.filters == before
    with pytest.raises(UserWarning):
        warn("box.of")


def test_blocks_of_several_threads_may_end_in_any_order() -> None:
    before = list(warnings.filters)
    inside, first_has_left = threading.Barrier(2), threading.Event()

    def second() -> None:
        with ignoring_warnings_of("box"):
            inside.wait(60)
            assert first_has_left.wait(60)
            warn("box")

    thread = threading.Thread(target=second)
    with ignoring_warnings_of("box"):
        thread.start()
        inside.wait(60)
    first_has_left.set()
    thread.join(60)
    assert warnings.filters == before


def test_filters_that_others_swap_meanwhile_are_theirs_again_afterwards() -> None:
    before = list(warnings.filters)
    theirs, ours = warnings.catch_warnings(), ignoring_warnings_of("box")
    ours.__enter__()
    theirs.__enter__()
    ours.__exit__(None, None, None)
    with pytest.raises(UserWarning):
        warn("box")
    theirs.__exit__(None, None, None)
    assert warnings.filters == before


def test_a_failure_in_the_block_leaves_no_filter() -> None:
    before = list(warnings.filters)
    with pytest.raises(OSError, match="damaged"), ignoring_warnings_of("box"):
        raise OSError("damaged")
    assert warnings.filters == before
