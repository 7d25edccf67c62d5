# napkin: `make` lists what there is; CONTRIBUTING.md says more.

SWIFT ?= swift
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

# What swift-format reads: only what is ours, never .build.
SOURCES := $(wildcard Package.swift Sources Protocol daemon examples Tests)
# Seconds for each target of `make fuzz`, and which: FUZZ="frames items".
SECONDS_EACH ?= 60
FUZZ ?=
# Of the virtual environment that scripts/setup.sh makes.
RUFF := $(CURDIR)/.build/python/bin/ruff
# Workloads of `make bench`, and what each is given.
BENCH ?= floor latency throughput
BENCH_ARGS ?= --pin 0
# Sequences of `make hostile` (1000000), mutants of `make mutants` (150), and what they are drawn
# from (empty: at random, and printed).
COUNT ?=
SEED ?=
# Cycles of each pair of `make pairs`; seconds of `make storm`.
CYCLES ?= 10000
STORM ?= 3600

# The optimised build; Sources/Napkin/Decisions, decision 14. A section for each function, so that the linker
# can lay them in order; only gold, which Swift 6.3 uses on Linux, takes it. `make ORDER= …` builds
# without the order.
ORDER ?= $(if $(shell command -v ld.gold),-Xlinker --section-ordering-file=$(CURDIR)/scripts/link-order.txt)
SECTIONS = -Xswiftc -Xfrontend -Xswiftc -function-sections
RELEASE = -c release --static-swift-stdlib $(SECTIONS) $(ORDER)
PREFIX ?= /usr/local

export SWIFT

.PHONY: help setup build run test conformance tsan fuzz hostile mutants pairs proofs storm new-app schema-check schema-lock lint format bench screenshots docs install clean

help: ## List the targets (the default)
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{ printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## Install what is missing to build and run (Debian, Ubuntu); quick when nothing is
	@scripts/setup.sh

build: setup ## Build every product (debug)
	$(SWIFT) build

run: setup ## Start a daemon of its own and attach to Rib House; leaves nothing behind
	$(SWIFT) build --product napkind
	$(SWIFT) build --product napkin-client
	@scripts/run.sh "$$($(SWIFT) build --show-bin-path)"

test: ## Set up, build and run every test, cheap ones first
	@scripts/setup.sh --tests
	@scripts/test.sh

conformance: setup ## Print the pattern's promises, case by case and link by link
	$(SWIFT) build --build-tests
	@scripts/conformance.sh "$$($(SWIFT) build --show-bin-path)"

tsan: setup ## Run the promises and the unit tests under ThreadSanitizer (a build of its own)
	@scripts/tsan.sh

hostile: setup ## Send what is too large or announced, and COUNT (1000000) senseless sequences; SEED=7
	$(SWIFT) build --product QuestionDaemon
	$(SWIFT) build --product HostileProbe
	@probe="$$($(SWIFT) build --show-bin-path)/HostileProbe"; \
	"$$probe" sizes && \
	"$$probe" orders --count $(or $(COUNT),1000000) $(if $(SEED),--seed $(SEED))

mutants: setup ## Break COUNT (150) lines, one at a time: a test must notice each; SEED=7
	@scripts/mutants.py --count $(or $(COUNT),150) $(if $(SEED),--seed $(SEED))

pairs: setup ## Do each two things after one another CYCLES (10000) times: nothing may be left
	$(SWIFT) build --product QuestionDaemon
	$(SWIFT) build --product HostileProbe
	@probe="$$($(SWIFT) build --show-bin-path)/HostileProbe"; \
	seq 4 | xargs -P 4 -I PART "$$probe" pairs --cycles $(CYCLES) --part PART/4

proofs: setup ## Break sessions: 10000 cuts, 1000 kills, races and a model; SEED=7 repeats
	$(SWIFT) build --product SessionProbe
	@probe="$$($(SWIFT) build --show-bin-path)/SessionProbe"; \
	for proof in "cuts --count 10000" "kills --count 1000" "race --count 10000" \
		"model --count 10000"; do "$$probe" $$proof $(if $(SEED),--seed $(SEED)); done

storm: setup ## Kill, trace, rename, take over… all at once for STORM (3600) seconds; nothing grows
	$(SWIFT) build --product SessionProbe
	@"$$($(SWIFT) build --show-bin-path)/SessionProbe" storm --seconds $(STORM) $(if $(SEED),--seed $(SEED))

schema-check: setup ## Hold each example's contract against its schema.lock (part of make test)
	$(SWIFT) build --product napkind
	$(SWIFT) build --product napkin-client
	$(SWIFT) build --product jobsd
	@scripts/schema.sh check "$$($(SWIFT) build --show-bin-path)"
	@program=jobsd scripts/schema.sh check "$$($(SWIFT) build --show-bin-path)"

schema-lock: setup ## Accept what schema-check found; BREAKING=1 also what breaks older fronts
	$(SWIFT) build --product napkind
	$(SWIFT) build --product napkin-client
	$(SWIFT) build --product jobsd
	@BREAKING="$(BREAKING)" scripts/schema.sh lock "$$($(SWIFT) build --show-bin-path)"
	@BREAKING="$(BREAKING)" program=jobsd scripts/schema.sh lock "$$($(SWIFT) build --show-bin-path)"

new-app: setup ## Write an app with napkin-client, build it, test it, drive it (part of make test)
	$(SWIFT) build --product napkin-client
	@scripts/new-app.sh "$$($(SWIFT) build --show-bin-path)"

lint: ## Check the formatting; changes nothing
	@scripts/setup.sh --python
	$(SWIFT) format lint --strict --parallel --recursive $(SOURCES)
	cd Protocol/python && $(RUFF) check . ../../examples && $(RUFF) format --quiet --check . ../../examples

format: ## Format the sources in place
	@scripts/setup.sh --python
	$(SWIFT) format --in-place --parallel --recursive $(SOURCES)
	cd Protocol/python && $(RUFF) check --fix-only . ../../examples && $(RUFF) format . ../../examples

fuzz: setup ## Run each fuzz target with libFuzzer and AddressSanitizer, SECONDS_EACH=60
	@scripts/fuzz.sh --seconds $(SECONDS_EACH) $(FUZZ)

bench: setup ## Build optimised and measure; BENCH="latency" and BENCH_ARGS="--pin 0" choose what
	$(SWIFT) build $(RELEASE) --product napkin-bench
	$(if $(filter screen,$(BENCH)),$(foreach program,napkind napkin-client, \
		$(SWIFT) build $(RELEASE) --product $(program) &&) true)
	@bin="$$($(SWIFT) build $(RELEASE) --show-bin-path)"; \
	scripts/link-order.sh --check "$$bin/napkin-bench"; \
	for workload in $(BENCH); do "$$bin/napkin-bench" "$$workload" $(BENCH_ARGS); done

screenshots: build ## Draw the pictures of the documents anew, from a client in tmux
	@scripts/setup.sh --tests
	@scripts/screenshots.sh "$$($(SWIFT) build --show-bin-path)"

docs: setup ## Build the documentation's site in .build/docs
	@scripts/docs.sh

install: setup ## Build optimised; install programs, manual, completions, units in PREFIX (/usr/local)
	$(SWIFT) build $(RELEASE) --product napkind
	$(SWIFT) build $(RELEASE) --product napkin-client
	@bin="$$($(SWIFT) build $(RELEASE) --show-bin-path)"; \
	install -d "$(DESTDIR)$(PREFIX)/bin" && \
	install -s -m 755 "$$bin/napkind" "$$bin/napkin-client" "$(DESTDIR)$(PREFIX)/bin" && \
	scripts/documents.sh "$$bin" "$(DESTDIR)$(PREFIX)/share" && \
	install -D -m 644 -t "$(DESTDIR)$(PREFIX)/share/systemd/user" \
		daemon/systemd/napkind.socket daemon/systemd/napkind.service && \
	sed -i 's|^ExecStart=.*/napkind|ExecStart=$(PREFIX)/bin/napkind|' \
		"$(DESTDIR)$(PREFIX)/share/systemd/user/napkind.service" && \
	printf 'installed napkind and napkin-client in %s; manual, completions, systemd units in %s\n' \
		"$(DESTDIR)$(PREFIX)/bin" "$(DESTDIR)$(PREFIX)/share"

clean: ## Remove build products (fetched dependencies stay)
	$(SWIFT) package clean
