# The front door. `make demo` and `make test` are all a fresh Debian 12 machine needs.

DEMO_MINUTES ?= 2
DEMO_UPDATES ?= 100
JOBS ?= $(shell nproc)

.PHONY: help packages build python test test-machines test-asan lint demo bench package results results-quick models docs format clean

help:
	@echo "make demo    install packages, build, show what the models do, train a small one"
	@echo "make test    install packages, build and run all tests"
	@echo "make test-machines  run the neural tests as other processors would"
	@echo "make test-asan  run the core's tests with sanitizers (ASAN=serve: the server's, and load on it; ASAN=all: all tests)"
	@echo "make lint    check the format; clang-tidy on the core and on what has changed"
	@echo "make build   install packages and build build/bough"
	@echo "make package  Debian packages of the program and of the library, in build/packages"
	@echo "make python  install packages and build the Python package in build/python"
	@echo "make bench   the tables of docs/performance.md, measured on this machine"
	@echo "make results PERSONACHAT=DIR TATOEBA=DIR  the paper's tables, docs/results.md (hours)"
	@echo "make results-quick  the same on Debian's corpora, in build/results-quick (minutes)"
	@echo "make models TATOEBA=DIR  train, export and measure the models of models/ (hours)"
	@echo "make docs    write docs/options.md from the program's own options"
	@echo "make format  format the sources"

packages:
	@scripts/install_packages.sh packages.txt

build: packages
	@cmake --preset release -DBOUGH_TESTS=OFF > /dev/null
	@cmake --build build -j $(JOBS) --target bough

# For Debian's Python; PYTHON=… names another.
PYTHON ?= /usr/bin/python3
python: packages
	@cmake --preset release -DBOUGH_TESTS=OFF -DBOUGH_PYTHON_PACKAGE=ON -DBOUGH_PYTHON=$(PYTHON) > /dev/null
	@cmake --build build -j $(JOBS) --target bough_python

test:
	@scripts/install_packages.sh packages.txt packages-tests.txt
	@cmake --preset release -DBOUGH_TESTS=ON -DBOUGH_PYTHON=$(PYTHON)
	@cmake --build build -j $(JOBS)
	@ctest --preset release -j $(JOBS)

test-machines:
	@scripts/install_packages.sh packages.txt packages-tests.txt
	@cmake --preset release -DBOUGH_TESTS=ON > /dev/null
	@cmake --build build -j $(JOBS) --target bough nn_tests cli_tests
	@BOUGH_GOLDEN=$(CURDIR)/tests/golden BOUGH_PROGRAM=$(CURDIR)/build/bough \
	  tests/machines.sh build/nn_tests build/cli_tests

# The server is watched from outside: its tests and the driver of load are ordinary programs.
ASAN ?= core
asan_targets = $(if $(filter all,$(ASAN)),all,$(if $(filter serve,$(ASAN)),bough serve_tests,core_tests))
test-asan:
	@scripts/install_packages.sh packages.txt packages-tests.txt
	@cmake --preset asan -DBOUGH_TESTS=ON > /dev/null
	@cmake --build build-asan -j $(JOBS) --target $(asan_targets)
ifeq ($(ASAN),serve)
	@cmake --preset release -DBOUGH_TESTS=ON > /dev/null
	@cmake --build build -j $(JOBS) --target cli_tests
	@export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 && build-asan/serve_tests --gtest_brief=1 && \
	  BOUGH_GOLDEN=$(CURDIR)/tests/golden BOUGH_PROGRAM=$(CURDIR)/build-asan/bough \
	  build/cli_tests --gtest_brief=1 --gtest_filter='Serve*' && \
	  BOUGH=build-asan/bough scripts/load.mjs --seconds 20
else
	@ctest --preset asan -j $(JOBS) $(if $(filter all,$(ASAN)),,-R '^core\.')
endif

lint:
	@scripts/install_packages.sh packages.txt packages-tests.txt packages-lint.txt
	@JOBS=$(JOBS) scripts/lint.sh

demo: build
	@BOUGH=build/bough DEMO_MINUTES=$(DEMO_MINUTES) DEMO_UPDATES=$(DEMO_UPDATES) scripts/demo.sh

bench: build
	@BOUGH=build/bough scripts/benchmarks.sh

# lintian, where it is installed, looks the packages over. The libraries that it doesn't like are empty on
# purpose (src/cli/CMakeLists.txt).
package: packages
	@cmake --preset release -DBOUGH_TESTS=OFF > /dev/null
	@cmake --build build -j $(JOBS)
	@cd build && cpack -B packages
	@if command -v lintian > /dev/null; then \
	  lintian --suppress-tags shared-library-lacks-prerequisites build/packages/*.deb; fi

# Hours; goes on where it was stopped. PERSONACHAT has train.txt, valid.txt and test.txt, TATOEBA has
# train, valid and test as .de and .en; ROWS=lm-annealed,lm-uniform SEEDS=1,2,3 runs these alone.
# RECORD=1 keeps the figures in recipes/figures/runs; PAGE=1 runs nothing and writes the page again.
RESULTS ?= results
SEEDS ?= 1
results: build
	@BOUGH=build/bough scripts/results.py --text "$(PERSONACHAT)" --pairs "$(TATOEBA)" --jobs $(JOBS) \
	  --rows "$(ROWS)" --seeds $(SEEDS) --out $(RESULTS) --page docs/results.md $(if $(RECORD),--record) $(if $(PAGE),--page-only)

results-quick: build
	@BOUGH=build/bough scripts/results.py --quick --jobs $(JOBS) --rows "$(ROWS)" --seeds $(SEEDS) \
	  --out build/results-quick --page build/results-quick/results.md

# Goes on where it was stopped, in build/models.
models: build
	@BOUGH=build/bough scripts/make_models.sh $(TATOEBA)

docs: build python
	build/bough --reference > docs/options.md
	PYTHONPATH=build/python $(PYTHON) scripts/python_keywords.py > python/bough/keywords.py

format:
	clang-format -i $$(git ls-files '*.cc' '*.h')

clean:
	rm -rf build build-dev build-asan build-lint demo
