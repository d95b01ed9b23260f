# Everything is installed into .venv in this folder; apt packages come from .ci/apt-packages and are skipped when present.
PYTHON ?= $(shell .ci/find-python)
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: install demo test check docs firmware clean
.DELETE_ON_ERROR:

install: $(STAMP)

$(STAMP): pyproject.toml constraints.txt .ci/apt-packages .ci/install-apt
	.ci/install-apt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev]'
	touch $@

demo: install
	$(BIN)/hallmarshal demo

test: install
	$(BIN)/python -m pytest --numprocesses auto

check: install
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python -m hardware.generate --check
	$(BIN)/python -m referee.cli.generate --check

docs: install
	$(BIN)/python -m hardware.generate
	$(BIN)/python -m referee.cli.generate

firmware: install
	$(MAKE) --no-print-directory -C hardware/firmware

clean:
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .hypothesis
