# Everything sets itself up: `make demo` and `make test` need Python 3.11 or newer, and nothing else, on a fresh machine.

PYTHON ?= python3
BIN    := .venv/bin
READY  := .venv/.ready
SURVEY ?= examples/wellbeing.toml
STORE  ?= deniable.db

.PHONY: demo pictures test pytest image lint serve docs bench results soak setup browser postgres clean
.DEFAULT_GOAL := test

setup: $(READY)

$(READY): requirements/dev.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Python 3.11 or newer is needed: make PYTHON=/path/to/python3.11" >&2; exit 2; }
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

# Debian's Chromium where we may install it, else Playwright's own. Tests take half the time with its shell, which has no windows.
browser: $(READY)
	@command -v chromium >/dev/null || command -v google-chrome >/dev/null || \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium; \
	else $(BIN)/playwright install chromium; fi
	@command -v chromium-headless-shell >/dev/null || [ "$$(id -u)" != 0 ] || ! command -v apt-get >/dev/null || \
	{ apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium-headless-shell; } || \
	echo "chromium-headless-shell is not installed: tests in a browser take longer"

# Debian's PostgreSQL where we may install it; what needs it is skipped elsewhere.
postgres:
	@ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || command -v initdb >/dev/null || \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends postgresql; \
	else echo "PostgreSQL is not installed: its tests are skipped"; fi

demo: browser
	$(BIN)/python examples/demo.py

# Those of the README.
pictures: browser
	$(BIN)/python examples/make_pictures.py

# Two processes share two cores: with more threads of OpenBLAS than cores, small matrices take three times as long.
pytest: export OPENBLAS_NUM_THREADS = 1
# Compiled modules are kept: without, each worker and each command that a test starts compiles every module anew.
pytest: export PYTHONDONTWRITEBYTECODE =
pytest: browser postgres
	$(BIN)/python -m pytest -n 2 --dist worksteal --durations 20

# Lint and types beside the tests.
test: browser postgres
	@$(MAKE) --no-print-directory --jobs 2 pytest lint

# The image of a survey host, built without a registry, run and answered; `docs/serving.md` says what that does not check.
image: $(READY)
	@command -v podman >/dev/null && command -v buildah >/dev/null && command -v mmdebstrap >/dev/null || \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
	    buildah podman runc netavark mmdebstrap; \
	else echo "podman, buildah and mmdebstrap are not installed: the image's test is skipped"; fi
	$(BIN)/python -m pytest tests/deploy

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# The documentation as a site, its notebook run, warnings taken for errors.
docs: $(READY)
	$(BIN)/python -m sphinx -q -W --keep-going -b html docs dist/docs

serve: $(READY)
	$(BIN)/collector publish $(SURVEY) --store $(STORE)
	$(BIN)/respondent serve --store $(STORE)

# Real tables, the seed papers' experiments, speed against peers. Minutes to hours.
bench: $(READY)
	$(BIN)/python -m benchmarks.speed
	$(BIN)/python -m benchmarks.calibration.planning
	$(BIN)/python -m benchmarks.learning.pruning
	$(BIN)/python -m benchmarks.calibration.importances
	$(BIN)/python -m benchmarks.learning.plain_forest
	$(BIN)/python -m benchmarks.performance.scale
	$(BIN)/python -m benchmarks.performance.boosting
	$(BIN)/python -m benchmarks.performance.designing
	$(BIN)/python -m benchmarks.collecting.weight
	$(BIN)/python -m benchmarks.releasing.releases
	$(BIN)/python -m benchmarks.releasing.release_forms
	$(BIN)/python -m benchmarks.performance.release_speed
	$(BIN)/python -m benchmarks.releasing.jagannathan
	$(BIN)/python -m benchmarks.releasing.fletcher
	$(BIN)/python -m benchmarks.releasing.waseda
	$(BIN)/python -m benchmarks.releasing.exposed

# Every figure in docs/results/. Many hours; the longest runs, stopped, go on where they were.
results: $(READY)
	$(BIN)/python -m benchmarks.figures

# The long runs of what `make test` runs short: coverage, coins, load, faults, profiles, fuzz.
soak: browser postgres
	$(BIN)/python -m benchmarks.calibration.coverage
	$(BIN)/python -m benchmarks.calibration.coverage --real
	$(BIN)/python -m benchmarks.calibration.coverage --new
	$(BIN)/python -m benchmarks.calibration.coverage --few
	$(BIN)/python -m benchmarks.calibration.coverage_sampled
	$(BIN)/python -m benchmarks.calibration.few
	$(BIN)/python -m benchmarks.calibration.wave_champions
	$(BIN)/python -m benchmarks.calibration.coverage_clusters
	$(BIN)/python -m benchmarks.calibration.routed
	$(BIN)/python -m benchmarks.calibration.coverage_grid
	$(BIN)/python -m benchmarks.calibration.imputation
	$(BIN)/python -m benchmarks.calibration.imputed_logit
	$(BIN)/python -m benchmarks.calibration.effects
	$(BIN)/python -m benchmarks.collecting.coins
	$(BIN)/python -m benchmarks.collecting.load
	$(BIN)/python -m benchmarks.collecting.faults
	$(BIN)/python -m benchmarks.collecting.postgres_faults
	$(BIN)/python -m benchmarks.collecting.postgres_load
	$(BIN)/python -m benchmarks.collecting.profiles
	$(BIN)/python -m benchmarks.collecting.first_screen
	$(BIN)/python -m benchmarks.collecting.backups
	$(BIN)/python -m benchmarks.collecting.altered_pages
	$(BIN)/python -m benchmarks.collecting.withdrawals
	$(BIN)/python -m benchmarks.releasing.ledger
	$(BIN)/python -m benchmarks.releasing.neighbours
	-$(BIN)/python -m pip install --quiet atheris
	$(BIN)/python -m benchmarks.collecting.fuzz
	$(BIN)/python -m pytest -n 2 --dist worksteal --soak
	DENIABLE_DESIGNS=1000 $(BIN)/python -m pytest tests/collector/disclosure/test_watched.py
	DENIABLE_KILLS=30 DENIABLE_IDLE_RUNS=1000 $(BIN)/python -m pytest tests/miner/retrain/test_retrain.py

clean:
	rm -rf .venv .demo .screenshots dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
