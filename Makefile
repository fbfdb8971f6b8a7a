# `make help` lists the goals. Each goal first installs the Debian packages that it needs and that are missing.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.PHONY: help demo test check check-long bench docs format clean

JOBS ?= $(shell nproc 2>/dev/null || echo 2)
PHOTOS ?= examples/data/photos
JSON ?=
FULL ?=
CLANG_FORMAT ?= $(shell command -v clang-format-14 || echo clang-format)
export CLANG_FORMAT JOBS
# The presets choose the compilers; variables exported by the shell must not change them.
unexport CXX CC CXXFLAGS CPPFLAGS LDFLAGS

help: ## this list
	@echo "plumbline: ML input pipelines as C++20 types"
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):[^#]*## */  make \1|/' | column -t -s '|' 2>/dev/null \
	  || grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST)

demo: ## run the photo pipeline on 40 photographs, or on yours: make demo PHOTOS=dir [JSON=file]
	@scripts/install-deps.sh demo
	cmake --preset release
	cmake --build --preset release --target photos --parallel $(JOBS)
	build/release/examples/photos '$(PHOTOS)' $(if $(JSON),--json '$(JSON)')

test: ## build the tests and examples with g++ and run them
	@scripts/install-deps.sh test
	cmake --preset dev
	cmake --build --preset dev --parallel $(JOBS)
	ctest --preset dev --parallel $(JOBS) --label-exclude '^(docs|install|mistakes)$$'

check: ## format, layering, headers, installing, errors of mistakes, clang, documentation, sanitizers: what make test leaves out
	@scripts/install-deps.sh check
	scripts/check.sh

check-long: ## the same with more tests, which take many minutes longer: run it before a release
	@scripts/install-deps.sh check check-long
	scripts/check.sh --long

bench: ## build and run the benchmarks one at a time, then measure compile cost (FULL=1: more and longer rounds)
	@scripts/install-deps.sh bench
	cmake --preset bench -DPLUMBLINE_BENCH_ARGS=$(if $(FULL),,--quick)
	cmake --build --preset bench --parallel $(JOBS)
	cmake --build --preset bench --target run_bench --parallel 1
	python3 bench/compile/compile.py $(if $(FULL),,--repeat 1) --json build/bench/results/compile.json

docs: ## make the HTML documentation in build/docs, with a page for each operator
	@scripts/install-deps.sh docs
	python3 scripts/make_docs.py . build/docs

format: ## format the sources with clang-format
	@scripts/install-deps.sh format
	scripts/sources.sh | xargs -0 -r $(CLANG_FORMAT) -i

clean: ## remove everything that was built
	rm -rf build
