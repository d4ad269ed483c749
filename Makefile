# Needs make and Python >= 3.11. Everything else comes from PyPI into .venv (and .uv, which holds uv itself).
PYTHON ?= python3
UV := .uv/bin/uv
RUN := .venv/bin

.DEFAULT_GOAL := help
.PHONY: help install demo test check bench load figures format clean

help:  ## list the commands
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | expand -t 12

$(UV):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Citebook needs Python 3.11 or newer; run: make PYTHON=/path/to/python3.11")'
	@$(PYTHON) -m venv .uv
	@.uv/bin/python -m pip install --quiet --disable-pip-version-check 'uv>=0.9' || (rm -rf .uv; exit 1)

.venv/.installed: $(UV) pyproject.toml uv.lock
	@$(UV) sync --frozen --quiet --no-progress --python $(PYTHON) --all-extras
	@touch $@

install: .venv/.installed  ## make the environment in .venv

demo: install  ## ingest the sample book and open it in the browser
	@$(RUN)/citebook demo $(if $(LLM),--llm $(LLM))

test: install  ## run the whole test suite
	@$(RUN)/pytest

check: install  ## lint, types and the direction of imports
	@$(RUN)/ruff check .
	@$(RUN)/ruff format --check .
	@$(RUN)/mypy
	@$(RUN)/lint-imports

bench: install  ## measure speed and footprint, as ratios in one run
	@$(RUN)/python -m bench.run

load: install  ## measure the HTTP service with 50 readers at once, and the history in a full database
	@$(RUN)/python -m bench.load
	@$(RUN)/python -m bench.history

figures: install  ## measure six books (DATA=folder of the question sets) and write docs/figures
	@$(RUN)/python -m bench.figures $(if $(DATA),--data "$(DATA)") $(FIGURES)

format: install  ## format the code
	@$(RUN)/ruff check --fix .
	@$(RUN)/ruff format .

clean:  ## remove the environment and caches
	@rm -rf .venv .uv .citebook .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
