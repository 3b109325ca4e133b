# Two commands do everything on a fresh machine with Python: `make demo` and `make test`.

VENV ?= .venv
RUN := $(VENV)/bin/python
CACHE := $(CURDIR)/.cache/jax
export JAX_COMPILATION_CACHE_DIR ?= $(CACHE)
export JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS ?= 0.2
export JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES ?= -1

.PHONY: demo test test-all lint bench clean

demo: $(VENV)/ready
	$(RUN) -m examples.demo

test: $(VENV)/ready lint
	$(RUN) -m pytest -q -n 2 -m "not slow"

test-all: $(VENV)/ready lint
	$(RUN) -m pytest -q -n 2

lint: $(VENV)/ready
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/pyright --pythonpath $(RUN) src

bench: $(VENV)/ready
	$(RUN) benchmarks/run.py --out benchmarks/results.md

# The newest Python that actually runs: a name on the path may be a version manager's shim that fails, so each is tried, and pyenv is asked for
# its own versions. It matters: jax 0.12 needs Python 3.12, and a sweep is two to three times slower on the jax that Python 3.11 gets.
$(VENV)/ready: pyproject.toml
	@python=$$(tools/newest-python) && echo "Setting up $(VENV) with $$python" && "$$python" -m venv $(VENV)
	$(RUN) -m pip install --quiet --upgrade pip
	$(RUN) -m pip install --quiet --editable ".[dev]"
	@touch $@

clean:
	rm -rf $(VENV) .cache out
