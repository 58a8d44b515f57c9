# Two commands on a fresh machine: `make demo` and `make test`. Only Python 3.11+ is needed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# What the demo needs, and what the tests need as well.
DEMO := $(VENV)/.demo
INSTALLED := $(VENV)/.installed

# Without bytecode on disk each of hundreds of processes would compile everything anew.
unexport PYTHONDONTWRITEBYTECODE

DATA := $(wildcard ../shared/data)
ifneq ($(DATA),)
export HEDGEROW_DATA ?= $(abspath $(DATA))
endif

KERNEL_TESTS := tests/unit/requirements/test_binding.py tests/properties/test_privacy.py \
	tests/unit/anonymizers/partition tests/properties/test_mondrian.py tests/properties/test_hedge.py \
	tests/unit/anonymizers/trees tests/unit/anonymizers/suppression tests/properties/test_kactus.py \
	tests/properties/test_kadet.py tests/unit/anonymizers/lattice tests/unit/anonymizers/specialize \
	tests/unit/anonymizers/merge tests/unit/anonymizers/boxes tests/unit/core/proportions \
	tests/unit/learning/test_id3.py tests/unit/attacks/test_refining.py

SPARK_TESTS := tests/conformance tests/cli/test_spark.py tests/unit/engines/spark tests/unit/verifier/test_spark_tables.py

.PHONY: demo test lint types imports tests spark-tests kernels conformance coverage docs oldest fuzz bench reproduce clean

demo: $(DEMO)
	$(BIN)/hedgerow demo

# What needs one core is done side by side.
test: $(INSTALLED)
	$(MAKE) --jobs=2 lint types imports compiled-0 compiled-1
	$(MAKE) tests spark-tests kernels

# The tests run in several processes, each of which would compile what it finds uncompiled.
compiled-%: $(INSTALLED)
	$(BIN)/python tests/reference/compile_kernels.py $* 2

lint: $(INSTALLED)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: $(INSTALLED)
	$(BIN)/mypy

imports: $(INSTALLED)
	$(BIN)/lint-imports

tests: $(INSTALLED)
	$(BIN)/pytest -n auto --dist worksteal -m 'not spark' $(TRACED)

# In one process, which has one session of Spark on all cores.
spark-tests: $(INSTALLED)
	$(BIN)/pytest -m 'spark and not every_method' $(TRACED) $(SPARK_TESTS)

# Every method on Spark, and a driver that is killed at 30 moments.
conformance: $(INSTALLED)
	HEDGEROW_KILLS=30 $(BIN)/pytest -m spark $(TRACED) $(SPARK_TESTS)

# The compiled kernels once more as plain Python.
kernels: $(INSTALLED)
	NUMBA_DISABLE_JIT=1 $(BIN)/pytest -n auto --dist worksteal -m 'not compiled' $(TRACED) $(KERNEL_TESTS)

# The same tests, traced line by line, which takes a third longer: before a release, and where tests are added.
coverage: $(INSTALLED)
	$(BIN)/coverage erase
	$(MAKE) tests spark-tests kernels TRACED='--cov --cov-append --cov-report='
	$(BIN)/coverage report --fail-under=98.5 --precision=1

# The site, as files that open without a server or a network. tests/browser builds it by this target, elsewhere.
# Not --quiet: warnings that are not logged do not count, and --strict would pass whatever is wrong.
SITE := site
docs: $(INSTALLED)
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --site-dir $(SITE)

# The fast tests with the oldest libraries that pyproject.toml allows, which warn of what they use themselves.
OLDEST := .oldest
oldest:
	$(PYTHON) -m venv --clear $(OLDEST)
	$(OLDEST)/bin/pip install --quiet --constraint tests/packaging/oldest.txt --editable '.[excel,weka]' \
		pytest pytest-timeout pytest-xdist hypothesis openpyxl pandas polars imbalanced-learn mlxtend
	$(OLDEST)/bin/pytest -n auto --dist worksteal -W ignore::DeprecationWarning -m 'not spark' \
		tests/golden tests/contract tests/unit tests/cli

# Other random cases than those of tests/fuzz, and many: `make fuzz N=20000`. Reproducers of failures go to .fuzz.
N ?= 2000
fuzz: $(INSTALLED)
	$(BIN)/python tests/fuzz/campaign.py -n $(N)

# A paper's experiments, from where the last run ended: `make reproduce PAPER=kactus MINUTES=60`.
PAPER ?= kactus
MINUTES ?= 10
reproduce: $(INSTALLED)
	$(BIN)/python -m reproductions $(PAPER) --minutes $(MINUTES)

bench: $(INSTALLED)
	$(BIN)/pip install --quiet --editable '.[dev,weka,spark,bench]'
	$(BIN)/python benchmarks/run.py

$(DEMO): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("Hedgerow needs Python 3.11 or newer." if sys.version_info < (3, 11) else 0)'
	@echo "Installing Hedgerow and its libraries into $(VENV). This takes a minute or two."
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --no-compile --editable .
	touch $@

$(INSTALLED): $(DEMO)
	@echo "Installing what the tests need into $(VENV) as well: Spark, Weka, a browser's driver, linters (2 GB)."
	$(BIN)/pip install --quiet --no-compile --editable '.[dev,weka,spark]'
	-$(BIN)/python -m compileall -q -j 0 $(VENV) > $(VENV)/compiling.log
	touch $@

clean:
	rm -rf $(VENV) $(OLDEST) demo site .fuzz .coverage* .mypy_cache .pytest_cache .ruff_cache .hypothesis
