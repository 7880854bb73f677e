# make install   a virtual environment in .venv with peerage and every optional feature, its sampler compiled
# make demo      simulate a class and show what peerage makes of it
# make test      lint, types and all tests
# make lint      lint, format, types and the directions of imports alone
# make test-oldest, make test-newest  the tests that depend on versions, with the oldest versions of everything that
#                peerage needs, and with the newest Python that is found; some minutes each
# make test-versions  the quick ones among them, with both, compiling only a few small kernels
# make docs      the documentation as a site that needs no network, in site/index.html
# make bench     the benchmarks, to benchmarks/results.json and docs/performance.md; ONLY=learned for another one
#
# Each sets up what it needs, from Python 3.11 or newer with its venv module.

VENV := .venv
BIN := $(VENV)/bin
SOURCES := src studies tests benchmarks docs

# Tests that compare with other software skip where that is missing, unless PEERAGE_REQUIRE_ALL is set.
COMMA := ,
DEV := $(VENV)/installed-dev$(if $(PEERAGE_REQUIRE_ALL),$(COMMA)bench)

# What depends on other packages' versions: readers, writers, the command line, and one fit.
VERSION_TESTS := $(addprefix tests/,canvas exports formats gradebook results tables support cli/test_cli.py report/test_report.py)

# Of these, the ones that are quick with kernels as plain Python functions; they fit a class of six. Limits and damaged
# files are ours to refuse, whatever the versions.
QUICK_TESTS := $(addprefix --ignore=tests/,tables/test_limits.py formats/systems/test_import_fuzz.py) \
    $(addprefix tests/,exports tables formats/systems formats/test_read.py formats/test_read_frames.py \
    formats/test_read_typed.py formats/test_read_everyday.py canvas/test_canvas_pull.py results/test_earlier_versions.py)

# How kernels are compiled relies on what numba calls its own; these compile a few small ones.
COMPILED_TESTS := tests/inference/numerics/test_by_reference.py

# The newest Python on the path, or that pyenv has.
NEWEST = $(shell for minor in 14 13 12 11; do \
    for python in python3.$$minor "$${PYENV_ROOT:-$$HOME/.pyenv}"/versions/3.$$minor.*/bin/python; do \
        "$$python" -c 'import ensurepip, sys, venv; print(sys.executable)' 2>/dev/null && exit; \
    done; done)

.PHONY: install demo test test-oldest test-newest test-versions lint docs bench
.NOTPARALLEL:

# Tests and tools start Python some hundred times: what it compiles is kept, even where this is set for images' sake.
unexport PYTHONDONTWRITEBYTECODE

install: $(VENV)/compiled

# The sampler is compiled on its first run, which takes half a minute: here, on a small class, lest the first fit take longer.
$(VENV)/compiled: $(VENV)/installed-all
	@echo "Compiling the sampler, which takes about half a minute ..."
	@folder=$$(mktemp -d) && $(BIN)/peerage simulate -o "$$folder/class" --students 8 --weeks 2 >"$$folder/said" 2>&1 && \
	    $(BIN)/peerage fit "$$folder/class/peer_grades.csv" -o "$$folder/fit" --chains 2 --draws 50 --burn-in 5 \
	    >"$$folder/said" 2>&1; status=$$?; [ $$status = 0 ] || cat "$$folder/said"; rm -r "$$folder"; exit $$status
	@touch $@

demo: install
	$(BIN)/peerage demo -o demo

# Types are checked on one processor while another begins to compile what the tests will run.
test: $(DEV)
	@$(BIN)/python tests/support/programs/compiling.py & $(MAKE) --no-print-directory lint; status=$$?; wait; exit $$status
	PEERAGE_COMPILED=1 $(BIN)/pytest -n auto --dist worksteal

test-oldest test-newest: test-%: $(VENV)/%/installed
	NUMBA_CACHE_DIR=$(VENV)/$*/numba $(VENV)/$*/bin/python -m pytest -m 'not slow' $(VERSION_TESTS)

test-versions: $(VENV)/oldest/installed $(VENV)/newest/installed
	@for versions in oldest newest; do \
	    { PEERAGE_JIT=0 $(VENV)/$$versions/bin/python -m pytest -q -p no:cacheprovider -m 'not slow' $(QUICK_TESTS) && \
	    $(VENV)/$$versions/bin/python -m pytest -q -p no:cacheprovider $(COMPILED_TESTS); } & \
	    tests="$$tests $$!"; \
	done; for test in $$tests; do wait $$test || exit 1; done

lint: $(DEV)
	$(BIN)/ruff check $(SOURCES)
	$(BIN)/ruff format --check $(SOURCES)
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache --no-logo

docs: $(VENV)/installed-docs
	$(BIN)/sphinx-build --quiet --fail-on-warning --keep-going docs site

bench: $(VENV)/installed-dev $(VENV)/installed-bench
	$(BIN)/python benchmarks/run.py $(ONLY)

$(VENV)/installed-%: pyproject.toml studies/pyproject.toml | $(VENV)/created
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --editable '.[$*]' --editable ./studies
	@touch $@

# Uv installs in seconds what takes pip a minute, and it alone can choose the oldest versions that go together.
$(BIN)/uv: | $(VENV)/created
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv

# Uv does not read pip's settings: where it therefore finds no packages, pip does.
$(DEV): PACKAGES = --editable '.[$(@:$(VENV)/installed-%=%)]' --editable ./studies
$(DEV): pyproject.toml studies/pyproject.toml | $(BIN)/uv
	$(BIN)/uv pip install --quiet --python $(BIN)/python $(PACKAGES) || \
	    $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile $(PACKAGES)
	@touch $@

$(VENV)/oldest/installed: pyproject.toml studies/pyproject.toml | $(BIN)/uv
	$(BIN)/uv venv --quiet --clear --python $(BIN)/python $(VENV)/oldest
	$(BIN)/uv pip install --quiet --python $(VENV)/oldest/bin/python --resolution lowest-direct \
	    --editable '.[all]' --editable ./studies pytest==8.3 hypothesis==6.131 polars==1.20 playwright==1.49
	@touch $@

$(VENV)/newest/installed: pyproject.toml studies/pyproject.toml | $(BIN)/uv
	$(BIN)/uv venv --quiet --clear --python $(NEWEST) $(VENV)/newest
	@$(VENV)/newest/bin/python -c 'import sys; print("The newest Python that was found is", sys.version)'
	$(BIN)/uv pip install --quiet --python $(VENV)/newest/bin/python \
	    --editable '.[all]' --editable ./studies pytest hypothesis polars playwright
	@touch $@

$(VENV)/created:
	@for python in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	    if $$python -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
	        echo "$$python -m venv $(VENV)"; $$python -m venv $(VENV) && touch $@; exit $$?; \
	    fi; \
	done; \
	echo "Python 3.11 or newer with its venv module is needed and was not found. Install it:" >&2; \
	echo "  Debian, Ubuntu:  sudo apt install python3 python3-venv" >&2; \
	echo "  Fedora:          sudo dnf install python3" >&2; \
	echo "  macOS:           brew install python" >&2; \
	echo "  other systems:   https://www.python.org/downloads/" >&2; \
	exit 1
