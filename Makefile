# Everything is installed into .venv in this folder; apt packages come from .ci/apt-packages and are skipped when present.
# PYTHON names another interpreter. It is looked for when its line runs: make expands a recipe before apt has brought one.
VENV := .venv
BIN := $(VENV)/bin
TABLE := $(VENV)/.installed-table
STAMP := $(VENV)/.installed
NODE := node_modules/.installed
PIP := $(BIN)/python -m pip install --quiet --constraint constraints.txt

.PHONY: install install-table demo play quick test browsers mutants check docs drawings fab print circuit wheels arm64 firmware emulators clean
.DELETE_ON_ERROR:

# all: also what tests, types and firmware need
install: $(STAMP)

# what a table or a demo needs, and no more
install-table: $(TABLE)

$(TABLE): pyproject.toml constraints.txt .ci/apt-packages .ci/install-apt
	.ci/install-apt table
	test -x $(BIN)/python || $(or $(PYTHON),"$$(.ci/find-python)") -m venv $(VENV)
	.ci/check-64-bit $(BIN)/python
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(PIP) --editable .
	touch $@

$(STAMP): $(TABLE)
	.ci/install-apt table firmware tests
	$(PIP) --editable '.[dev]'
	touch $@

# what checks the pages' JavaScript; a node that is there already is taken, wherever it came from
$(NODE): package.json package-lock.json .npmrc
	command -v npm >/dev/null || .ci/install-apt javascript
	npm ci --silent --no-audit --no-fund
	touch $@

demo: install-table
	$(BIN)/hallmarshal demo

# a game against the computer: the board and your phone in one page of the browser. RULES=original for the large one, LEVEL=1 to 5. Ctrl-C
# ends it (130), and nothing of it is kept
play: install-table
	@state="$$(mktemp -d)"; trap 'rm -rf "$$state"' EXIT; trap : HUP INT TERM; $(BIN)/hallmarshal table --board screen: --rules $(or $(RULES),duel) \
	--blue computer:$(or $(LEVEL),3) --mode enrol --web 127.0.0.1:0 --state "$$state" --browser || [ $$? -eq 130 ]

# every test that starts no process (tests/processes.py); their files lie in memory where there is 1 GB for them, so that none waits for a disk
quick: install
	.ci/in-memory 1000 $(BIN)/python -m pytest -m "not process" --hypothesis-profile quick --numprocesses auto --dist worksteal \
	-o tmp_path_retention_policy=failed

# two workers more than there are cores: many tests wait for programs that they started. Files lie in memory where there are 4 GB for them:
# each row of a journal waits for its disk. The longest test takes 80 s; what waits for ever is ended after 600, and says where it waits.
# axe-core comes from npm
test: install $(NODE)
	.ci/in-memory 4000 $(BIN)/python -m pytest --numprocesses $$(($$(nproc) + 2)) --dist loadscope --no-loadscope-reorder \
	--timeout 600 --timeout-method thread -o tmp_path_retention_policy=failed

# the whole game that Chromium plays in `make test`, in WebKit and in Firefox
browsers: install
	.ci/install-apt browsers
	$(PIP) --editable '.[browsers]'
	$(BIN)/python -m pytest tests/web/test_other_browsers.py

# whether `make quick` notices when the core is broken on purpose (tests/mutants): all rooms or ROOM=referee/rules, all mutants or
# SAMPLE=100 of each room, with SEED=any-word other ones. Takes hours; goes on where it was stopped. Not in CI
mutants: install
	$(PIP) --editable '.[mutants]'
	$(BIN)/python -m tests.mutants $(ROOM) $(if $(SAMPLE),--sample $(SAMPLE)) $(if $(SEED),--seed $(SEED))

check: install $(NODE)
	.ci/check-subject
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python -m hardware.generate --check
	$(BIN)/python -m workshop.draw --check
	$(BIN)/python -m referee.web.generate --check
	node_modules/.bin/eslint
	node_modules/.bin/tsc

docs: install
	$(BIN)/python -m hardware.generate
	$(BIN)/python -m workshop.draw
	$(BIN)/python -m referee.web.generate
	$(BIN)/python -m tests.table.states_document
	$(BIN)/python -m tests.waiting.document

# all that follows from the board files, in one go: headers, Python's constants, wiring pages with BOM, harnesses and their drawings, the
# field plot. Graphviz, WireViz and matplotlib are brought here, out of the tests' way; a drawing that is fresh is left alone.
drawings: install
	.ci/install-apt drawings
	$(PIP) --editable '.[drawings]'
	$(BIN)/python -m hardware.generate
	$(BIN)/python -m workshop.draw
	$(BIN)/python -m hardware.draw
	$(BIN)/python -m simulator.draw_field

# for a board house: the printed circuit board of a board of tiles, laid out, checked by the rules and packed into docs/fab, if that is
# stale; then its own test. KiCad is half a gigabyte
fab: install
	.ci/install-apt fab
	$(PIP) --editable '.[fab]'
	$(BIN)/python -m workshop.fab
	$(BIN)/python -m workshop.draw
	$(BIN)/python -m pytest tests/workshop/test_tile.py tests/workshop/test_fab.py

# for the bench: the carrier that holds the sensors and the case as STL, the paper templates as PDF, in build/print; BOARD=name for another board
print: install-table
	.ci/install-apt print
	$(BIN)/python -m workshop.print $(or $(BOARD),travel-10x10)

# rows, multiplexers and the way in of the supply in ngspice at their worst corners, and the fields by magpylib; no test does it
circuit: install
	.ci/install-apt circuit
	$(BIN)/python -m workshop.circuit

# whether a Raspberry Pi gets everything as wheels; asks the package index, so no test does it
wheels: install-table
	.ci/check-wheels $(BIN)/python

# the set-up and a short demo in an emulated arm64 Debian; asks for root's rights and minutes, so no test does it
arm64:
	.ci/arm64

# the board's firmware for every controller, into hardware/firmware/images with the hashes of its sources
firmware:
	.ci/install-apt firmware makers
	$(MAKE) --no-print-directory -C hardware/firmware ship

# the images that ship, in emulators: doctor, calibrate, whole games
emulators: install $(NODE)
	.ci/emulators

clean:
	rm -rf $(VENV) node_modules build dist *.egg-info .mypy_cache .ruff_cache .hypothesis
