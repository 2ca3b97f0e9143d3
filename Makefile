# SPDX-License-Identifier: Apache-2.0
# The commands people use; the build itself is described in CMakeLists.txt.
.PHONY: help run editor build test bench docs install package format lint check sanitize sanitize-fast fuzz fuzz-plain setup clean
.DEFAULT_GOAL := help

BUILD := build
JOBS := $(shell nproc)
OPTIONS :=
PREFIX := /usr/local
CMAKE := cmake -S . -G Ninja --log-level=WARNING $(OPTIONS)
CXX_FILES = $(shell find src tests bench -name '*.cpp' -o -name '*.h' 2>/dev/null | sort)

help: ## show this list
	@awk -F ': .*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# The editor where somebody can see it; elsewhere (CI, ssh, a pipe) everything ends by itself.
run: build ## build, then show the bouncing ball: in the editor where there is a display, else in the terminal
	@if [ -t 0 ] && [ -t 1 ] && [ -z "$$CI" ] && [ -z "$$SSH_CONNECTION" ] && [ -n "$$DISPLAY$$WAYLAND_DISPLAY" ]; then \
	  exec $(BUILD)/orrery serve examples/bouncing_ball.orr; \
	else \
	  $(BUILD)/orrery run examples/bouncing_ball.orr --plot $(BUILD)/bouncing_ball.svg && \
	  $(BUILD)/orrery picture examples/bouncing_ball.orr -o $(BUILD)/bouncing_ball_diagram.svg && \
	  echo "The curve is in $(BUILD)/bouncing_ball.svg, the diagram in $(BUILD)/bouncing_ball_diagram.svg; 'make editor' starts the editor."; \
	fi

editor: build ## start the editor in any case and print its address
	$(BUILD)/orrery serve examples/bouncing_ball.orr

build: $(BUILD)/build.ninja ## build the executable build/orrery
	cmake --build $(BUILD) --target orrery

test: setup-test $(BUILD)/build.ninja ## build everything and run all tests
	cmake --build $(BUILD)
	ctest --test-dir $(BUILD) --output-on-failure --no-tests=error -j$(JOBS)

bench: $(BUILD)/build.ninja ## measure speed: a table, build/bench.json and the pictures in docs/pictures/precision
	cmake --build $(BUILD) --target orrery_bench
	$(BUILD)/orrery_bench --json $(BUILD)/bench.json --pictures docs/pictures/precision

docs: build ## write the manual of blocks and the help texts to build/docs
	@mkdir -p $(BUILD)/docs
	$(BUILD)/orrery show block --html $(BUILD)/docs/blocks.html
	$(BUILD)/orrery show solvers > $(BUILD)/docs/solvers.txt
	$(BUILD)/orrery manual > $(BUILD)/docs/orrery.1
	@$(BUILD)/orrery completion bash | sed -n "s/^    'orrery\\(.*\\)') commands=.*/\\1/p" | while read -r command; do \
	  printf '$$ orrery %s\n\n' "$${command:+$$command }--help"; $(BUILD)/orrery $$command --help </dev/null; echo; \
	done > $(BUILD)/docs/cli.txt
	@echo "$(BUILD)/docs: $$(ls $(BUILD)/docs | tr '\n' ' ')"

install: $(BUILD)/build.ninja ## install program, library, headers and documents to PREFIX (/usr/local)
	cmake --build $(BUILD) --target orrery orrery_library orrery_texts
	cmake --install $(BUILD) --prefix $(PREFIX) --strip

package: $(BUILD)/build.ninja ## write a Debian package and an archive that runs anywhere to build/packages
	cmake --build $(BUILD) --target orrery orrery_library orrery_texts
	cd $(BUILD) && cpack
	@ls -l $(BUILD)/packages/*.deb $(BUILD)/packages/*.tar.xz

SANITIZE := $(CMAKE) -DCMAKE_BUILD_TYPE=Debug

sanitize: setup ## run all tests under the address and undefined-behaviour sanitizers
	$(SANITIZE) -B build-sanitize -DCMAKE_CXX_FLAGS_DEBUG="-O1 -g1" -DORRERY_SANITIZE=ON
	cmake --build build-sanitize
	ctest --test-dir build-sanitize --output-on-failure --no-tests=error -j$(JOBS)

sanitize-fast: setup ## the same for the folders that read files and handle expressions, in a few minutes
	$(SANITIZE) -B build-sanitize-fast -DCMAKE_CXX_FLAGS_DEBUG="-Og -g1" -DORRERY_SANITIZE=quick
	cmake --build build-sanitize-fast --target sanitized_tests
	ctest --test-dir build-sanitize-fast --output-on-failure --no-tests=error -j$(JOBS) -L sanitized

MINUTES := 10
fuzz: setup-fuzz ## feed every parser with damaged inputs for MINUTES each (10), or INPUTS of them, with clang's libFuzzer
	$(CMAKE) -B build-fuzz -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ -DBUILD_TESTING=OFF -DORRERY_FUZZ=ON \
	  -DORRERY_SUNDIALS=$$(tools/sundials.sh --find)
	cmake --build build-fuzz --target fuzz_targets
	INPUTS=$(INPUTS) tools/fuzz.sh build-fuzz $(MINUTES)

fuzz-plain: $(BUILD)/build.ninja ## the same with any compiler, damaged at random, INPUTS each (1000000)
	cmake --build $(BUILD) --target fuzz_targets
	PLAIN=yes INPUTS=$(INPUTS) tools/fuzz.sh $(BUILD) 0

format: setup-check ## format the sources in place
	clang-format -i $(CXX_FILES)

lint: setup-lint ## check layout, includes and docs, without building
	tools/check_style.py
	tools/check_includes.py
	tools/check_names.py
	tools/check_diagnostics.py
	tools/check_semantics.py
	@clang-format --dry-run --Werror $(CXX_FILES)

check: setup-check lint ## the same, then warnings and clang-tidy
	$(CMAKE) -B build-check -DORRERY_WERROR=ON -DORRERY_UNITY=0
	cmake --build build-check
	run-clang-tidy -quiet -p build-check -j$(JOBS) '^$(CURDIR)/(src|bench)/(?!.*_test\.cpp$$)' 2>/dev/null

setup: ## install the packages the build needs
	@OPTIONS="$(OPTIONS)" tools/setup.sh

.PHONY: setup-check setup-lint setup-fuzz setup-test
setup-check setup-lint setup-fuzz setup-test: setup-%:
	@OPTIONS="$(OPTIONS)" tools/setup.sh $*

clean: ## remove all build folders
	rm -rf build build-sanitize build-sanitize-fast build-check build-fuzz

# Ninja configures again by itself when a CMake file changes, so this is needed only once.
$(BUILD)/build.ninja: | setup
	$(CMAKE) -B $(BUILD)
