# Two commands do all the set-up on a machine with Python, pip and make:
#   make demo    real data, a picture, under two minutes
#   make test    what every change must pass
PYTHON ?= python3
BIN := .venv/bin
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt

.PHONY: demo test test-all lint docs speed clean

demo: .venv/demo
	$(BIN)/malibo demo

test: .venv/dev lint
	$(BIN)/python -m pytest -n 2 -m "not slow"

test-all: .venv/dev lint
	$(BIN)/python -m pytest -n 2

lint: .venv/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

docs: .venv/dev
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

speed: .venv/dev
	$(BIN)/python benchmarks/speed.py

.venv/bin/python:
	$(PYTHON) -m venv .venv

.venv/demo: .venv/bin/python pyproject.toml constraints.txt
	$(INSTALL) -e ".[demo]"
	touch $@

.venv/dev: .venv/bin/python pyproject.toml constraints.txt
	$(INSTALL) -e ".[dev]"
	touch $@

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache
