# Everything is installed into .venv in this folder; apt packages come from .ci/apt-packages and are skipped when present.
PYTHON ?= $(shell .ci/find-python)
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: install demo test check docs drawings firmware clean
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

# harness drawings and the field plot; needs graphviz (apt), and keeps matplotlib and WireViz out of the tests' way
drawings: install
	command -v dot >/dev/null || { echo "make drawings: dot is missing (apt-get install graphviz)" >&2; exit 3; }
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[drawings]'
	$(BIN)/python -m hardware.generate
	$(BIN)/python -m hardware.draw
	$(BIN)/python -m simulator.draw_field

firmware: install
	$(MAKE) --no-print-directory -C hardware/firmware

clean:
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .hypothesis
