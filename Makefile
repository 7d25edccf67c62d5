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
# What it reads of scripts/.
SCRIPTS := $(CURDIR)/scripts/peers $(CURDIR)/scripts/desk-proofs.py
# Workloads of `make bench`, and what each is given.
BENCH ?= floor latency throughput
BENCH_ARGS ?= --pin 0
# Arguments of scripts/peers/bench.py, and an optimised napkin-bench that is there already.
PEERS_ARGS ?=
NAPKIN_BENCH ?=
# The build that `make bench-pairs` measures beside, and --rounds, --cpu of scripts/bench-pairs.py.
OTHER ?=
PAIRS_ARGS ?=
# Of scripts/scale.py: --rounds, --most.
SCALE_ARGS ?=
# `make ratchet UPDATE=1` writes what it counts to scripts/ratchet.txt. Its build goes to a directory of its own. A
# toolset optimises what is counted; -Xswiftc would compile swift-syntax anew for the macros, for seven minutes.
UPDATE ?=
OPTIMISED = --toolset "$(CURDIR)/scripts/optimised.json"
RATCHET_BUILD ?= $(CURDIR)/.build/ratchet
# Sequences of `make hostile` (1000000), mutants of `make mutants` (150), cuts of `make ssh-cuts`
# (1000), kills of `make holds` (1000), daemons of `make replacements` (200), kills of `make deaths` (10000), deaths of
# `make poisons` (each kind once, in a table; each receipt replayed once, or the first 100 REPLAYS times), cuts of `make power-cuts` (200)
# and of `make web-cuts` (10000), and what they are drawn from (empty: at random, and printed).
COUNT ?=
REPLAYS ?=
SEED ?=
# Cycles of each pair of `make pairs`; seconds of `make storm`.
CYCLES ?= 10000
STORM ?= 3600

# The optimised build; docs/decisions, decision 14. A section for each function, so that the linker
# can lay them in order; only gold, which Swift 6.3 uses on Linux, takes it. `make ORDER= …` builds
# without the order.
ORDER ?= $(if $(shell command -v ld.gold),-Xlinker --section-ordering-file=$(CURDIR)/scripts/link-order.txt)
SECTIONS = -Xswiftc -Xfrontend -Xswiftc -function-sections
RELEASE = -c release --static-swift-stdlib $(SECTIONS) $(ORDER)
PREFIX ?= /usr/local

# Not by SwiftPM, which links Swift's library to C, too: that is most of a keeper's memory (decision 126).
KEEPER = Sources/Runtime/NapkinKeeper/main.c

# debug or release, for `make install`, `make install-examples` and `make package`.
CONF ?= release
PACKAGES ?= $(CURDIR)/.build/packages
CONFIGURED = $(if $(filter debug,$(CONF)),-c debug,$(RELEASE))
# The examples and the proofs are packages of their own. Nothing that two need is compiled twice, but
# each build must be planned anew: the plan that is there may be another package's.
BUILD = $(SWIFT) build --disable-build-manifest-caching
EXAMPLES = --package-path examples --scratch-path "$(CURDIR)/.build"
PROOFS = --package-path Tests/Proofs --scratch-path "$(CURDIR)/.build"
# Long proofs have the time that they take.
TESTS = NAPKIN_TESTS_TIME=0 scripts/run-tests.sh "$$($(SWIFT) build --show-bin-path)/proofsPackageTests.xctest"

export SWIFT

.PHONY: help setup build run test conformance tsan fuzz hostile mutants pairs proofs ledger-proofs golden-ledger power-cuts deaths poisons storm ssh-cuts web-cuts web-figures holds desk-proofs replacements new-app schema-check schema-lock house lint format bench bench-pairs bench-peers ratchet ways scale screenshots docs install install-dev install-examples package package-check package-test clean reach-simulation test-reach

help: ## List the targets (the default)
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{ printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## Install what is missing to build and run (Debian, Ubuntu); quick when nothing is
	@scripts/setup.sh

build: setup ## Build every product and the examples (debug)
	$(BUILD)
	$(BUILD) $(EXAMPLES)

run: .build/run ## Start a daemon of its own and attach to Rib House; leaves nothing behind
	@scripts/run.sh "$$(cat .build/run)"

# The programs that `make run` starts, and where they are: SwiftPM takes 9 s to find that they are
# up to date.
RUN_SOURCES = Package.swift $(shell find Sources Protocol/NapkinCoding Protocol/NapkinProtocol \
	daemon examples -name '*.swift' -o -name '*.[ch]')
.build/run: $(RUN_SOURCES) | setup
	$(BUILD) $(EXAMPLES) --product napkind
	$(foreach program,napkin-client rib-house-worker rib-house, \
		$(SWIFT) build $(EXAMPLES) --product $(program) &&) true
	@$(SWIFT) build --show-bin-path >$@

test: ## Set up, build and run every test, cheap ones first
	@scripts/setup.sh --tests
	@scripts/test.sh

conformance: build ## Print the pattern's promises, case by case and link by link
	$(BUILD) --build-tests
	$(BUILD) $(PROOFS) --build-tests
	@scripts/conformance.sh "$$($(SWIFT) build --show-bin-path)"

tsan: setup ## Run the promises and the unit tests under ThreadSanitizer (a build of its own)
	@scripts/tsan.sh

hostile: setup ## Send what is too large or announced, and COUNT (1000000) senseless sequences; SEED=7
	$(BUILD) $(PROOFS) --product QuestionDaemon
	$(BUILD) $(PROOFS) --product HostileProbe
	@probe="$$($(SWIFT) build --show-bin-path)/HostileProbe"; \
	"$$probe" sizes && \
	"$$probe" orders --count $(or $(COUNT),1000000) $(if $(SEED),--seed $(SEED))

mutants: setup ## Break COUNT (150) lines, one at a time: a test must notice each; SEED=7
	@scripts/mutants.py --count $(or $(COUNT),150) $(if $(SEED),--seed $(SEED))

pairs: setup ## Do each two things after one another CYCLES (10000) times: nothing may be left
	$(BUILD) $(PROOFS) --product QuestionDaemon
	$(BUILD) $(PROOFS) --product HostileProbe
	@probe="$$($(SWIFT) build --show-bin-path)/HostileProbe"; \
	seq 4 | xargs -P 4 -I PART "$$probe" pairs --cycles $(CYCLES) --part PART/4

proofs: setup ## Break sessions and journals: 10000 cuts, 1000 kills, a model, each byte; SEED=7 repeats
	$(BUILD) $(PROOFS) --product SessionProbe
	@probe="$$($(SWIFT) build --show-bin-path)/SessionProbe"; \
	for proof in "cuts --count 10000" "kills --count 1000" "race --count 10000" \
		"model --count 10000"; do "$$probe" $$proof $(if $(SEED),--seed $(SEED)); done
	@$(MAKE) --no-print-directory ledger-proofs
	@if [ "$$(id -u)" -eq 0 ]; then $(MAKE) --no-print-directory power-cuts; fi
	@printf '%s\n' "Others, which take longer or need root: make deaths, poisons, storm, ssh-cuts, replacements, hostile, pairs, mutants."

ledger-proofs: setup ## Cut and flip a journal at each byte, one of 1.4 MiB at each 499th, cut power at each call, search all output and resumes; SEED=7
	$(BUILD) --build-tests
	$(BUILD) $(PROOFS) --build-tests
	@export NAPKIN_STRIDE=1 NAPKIN_POWER=1 NAPKIN_WHOLE=1 $(if $(SEED),NAPKIN_SEED=$(SEED)); \
	$(TESTS) --filter LedgerProofTests && \
	$(subst proofs,napkin,$(TESTS)) --filter '(Output|Resume)SearchTests'

reach-simulation: setup ## Owners of journals on REACH ("3 10 30 100 300 1000") machines, in virtual time, as a table; SEED=7
	$(BUILD) --build-tests
	@NAPKIN_REACH="$(or $(REACH),3 10 30 100 300 1000)" $(if $(SEED),NAPKIN_SEED=$(SEED)) \
	$(subst proofs,napkin,$(TESTS)) --filter ReachSimulationTests

golden-ledger: setup ## Write a ledger of this format, NAME, for later versions: before a format's release
	$(BUILD) $(PROOFS) --product LedgerProbe
	@"$$($(SWIFT) build --show-bin-path)/LedgerProbe" golden write \
		"$(CURDIR)/Protocol/vectors/journals/$(NAME).ledger"

power-cuts: ## Cut the power of durable sessions' disk COUNT (200) times, as root: what was told is kept; SEED=7
	@scripts/setup.sh --tests
	$(BUILD) $(PROOFS) --product SessionProbe
	@"$$($(SWIFT) build --show-bin-path)/SessionProbe" power --count $(or $(COUNT),200) $(if $(SEED),--seed $(SEED))

deaths: setup ## Kill durable sessions COUNT (10000) times at random, then at every system call; SEED=7
	$(BUILD) $(PROOFS) --product SessionProbe
	@probe="$$($(SWIFT) build --show-bin-path)/SessionProbe"; \
	for proof in "deaths --count $(or $(COUNT),10000)" "calls --count 1000000"; do \
		"$$probe" $$proof $(if $(SEED),--seed $(SEED)); done

poisons: setup ## End workers by an event, in 50 ways: the table of what each ended as, or COUNT of them at random; REPLAYS=100 of each of 100 receipts; SEED=7
	$(BUILD) $(PROOFS) --product SessionProbe
	@"$$($(SWIFT) build --show-bin-path)/SessionProbe" poisons $(if $(COUNT),--count $(COUNT)) $(if $(REPLAYS),--replays $(REPLAYS)) $(if $(SEED),--seed $(SEED))

storm: setup ## Kill, trace, rename, take over… all at once for STORM (3600) seconds; nothing grows
	$(BUILD) $(PROOFS) --product SessionProbe
	@"$$($(SWIFT) build --show-bin-path)/SessionProbe" storm --seconds $(STORM) $(if $(SEED),--seed $(SEED))

ssh-cuts: ## Cut the line of a front over SSH COUNT (1000) times, as root: no event is lost or doubled
	@scripts/setup.sh --tests
	$(BUILD)
	$(BUILD) $(EXAMPLES)
	$(BUILD) $(PROOFS) --build-tests
	@NAPKIN_SSH_CUTS=$(or $(COUNT),1000) $(TESTS) --filter 'SSHTests/.each.event'

test-reach: ## Break three machines and their PostgreSQL ROUNDS (24) times, as root: no session loses anything; SEED=7, ONLY=a fault
	@scripts/setup.sh --tests
	$(BUILD)
	$(BUILD) $(PROOFS) --product LedgerWorker
	@scripts/reach.py "$$($(SWIFT) build --show-bin-path)" --rounds $(or $(ROUNDS),24) \
		$(if $(SEED),--seed $(SEED)) $(if $(ONLY),--only $(ONLY))

web-cuts: ## Cut the connection of a page COUNT (10000) times in a real browser: each press counts once
	@scripts/setup.sh --tests
	$(BUILD)
	$(BUILD) $(EXAMPLES)
	$(BUILD) $(PROOFS) --build-tests
	@NAPKIN_WEB_CUTS=$(or $(COUNT),10000) $(TESTS) --filter 'WebLoadTests/.each.press'

web-figures: ## What pages cost and how fast they are: optimised, on a machine that does nothing else
	@scripts/setup.sh --tests
	$(BUILD) $(RELEASE) --product napkin-client
	$(BUILD) $(PROOFS) $(RELEASE) --product QuestionDaemon
	$(foreach program,napkind $(foreach name,cart characters rib-house transcription,$(name)-worker), \
		$(BUILD) $(EXAMPLES) $(RELEASE) --product $(program) &&) true
	$(BUILD) $(PROOFS) --build-tests
	@NAPKIN_PRODUCTS="$$($(SWIFT) build $(RELEASE) --show-bin-path)" NAPKIN_WEB_FIGURES=1 \
		$(TESTS) --filter 'WebLoadTests/.(a.hundred|the.first|sixty)'

holds: ## Kill worker and napkind COUNT (1000) times under a held program that counts: no line lost, none twice
	$(BUILD)
	$(BUILD) $(EXAMPLES)
	$(BUILD) $(PROOFS) --build-tests
	@NAPKIN_HOLDS=$(or $(COUNT),1000) $(TESTS) --filter HeldProgramTests

desk-proofs: ## Kill, upgrade, flood and question Desk, and crowd it, from outside: no run loses a line or its end; SEED=7
	@scripts/setup.sh --python
	$(BUILD)
	$(BUILD) $(EXAMPLES)
	@bin="$$($(SWIFT) build --show-bin-path)"; for proof in kills upgrades flood crowd asks; do \
		.build/python/bin/python scripts/desk-proofs.py "$$bin" $$proof $(if $(SEED),--seed $(SEED)); done

replacements: ## Replace napkind COUNT (200) times under load: no session ends, each event counts once
	$(BUILD)
	$(BUILD) $(EXAMPLES)
	$(BUILD) $(PROOFS) --build-tests
	@NAPKIN_REPLACEMENTS=$(or $(COUNT),200) $(TESTS) --filter ReplacementTests

schema-check: build ## Hold each example's contract against its schema.lock (part of make test)
	@scripts/schema.sh check "$$($(SWIFT) build --show-bin-path)"

schema-lock: build ## Accept what schema-check found; BREAKING=1 also what breaks older fronts
	@BREAKING="$(BREAKING)" scripts/schema.sh lock "$$($(SWIFT) build --show-bin-path)"

new-app: setup ## Write an app with napkin-client, build it, test it, drive it (part of make test)
	$(BUILD) --product napkind
	$(BUILD) --product napkin-client
	$(foreach program,rib-house-worker rib-house,$(BUILD) $(EXAMPLES) --product $(program) &&) true
	@scripts/new-app.sh "$$($(SWIFT) build --show-bin-path)"

house: ## Count lines, targets, public declarations, types in many files: none may grow; UPDATE=1 writes
	@scripts/house.py $(if $(UPDATE),--update)

lint: ## Check the formatting and the counts of `make house`; changes nothing
	@scripts/setup.sh --python
	@scripts/house.py
	$(SWIFT) format lint --strict --parallel --recursive $(SOURCES)
	cd Protocol/python && $(RUFF) check . ../../examples $(SCRIPTS) && \
		$(RUFF) format --quiet --check . ../../examples $(SCRIPTS)

format: ## Format the sources in place
	@scripts/setup.sh --python
	$(SWIFT) format --in-place --parallel --recursive $(SOURCES)
	cd Protocol/python && $(RUFF) check --fix-only . ../../examples $(SCRIPTS) && \
		$(RUFF) format . ../../examples $(SCRIPTS)

fuzz: setup ## Run each fuzz target with libFuzzer and AddressSanitizer, SECONDS_EACH=60
	@scripts/fuzz.sh --seconds $(SECONDS_EACH) $(FUZZ)

bench: setup ## Build optimised and measure; BENCH="latency" and BENCH_ARGS="--pin 0" choose what
	$(BUILD) $(PROOFS) $(RELEASE) --product napkin-bench
	$(if $(filter screen,$(BENCH)),$(BUILD) $(PROOFS) $(RELEASE) --product napkin-rows)
	$(if $(filter screen apps,$(BENCH)),$(foreach program,napkind rib-house \
		$(foreach name,cart characters rib-house transcription,$(name)-worker), \
		$(BUILD) $(EXAMPLES) $(RELEASE) --product $(program) &&) true)
	@bin="$$($(SWIFT) build $(RELEASE) --show-bin-path)"; \
	scripts/link-order.sh --check "$$bin/napkin-bench"; \
	for workload in $(BENCH); do "$$bin/napkin-bench" "$$workload" $(BENCH_ARGS); done

bench-pairs: setup ## Measure two optimised builds in turn; OTHER=NAPKIN-BENCH is a former one, or one without a line
	$(if $(NAPKIN_BENCH),,$(BUILD) $(PROOFS) $(RELEASE) --product napkin-bench)
	@scripts/bench-pairs.py "$(or $(NAPKIN_BENCH),$$($(SWIFT) build $(RELEASE) --show-bin-path)/napkin-bench)" \
		"$(OTHER)" $(PAIRS_ARGS)

bench-peers: setup ## Measure beside ZeroMQ, NATS, sd-bus, Cap'n Proto, gRPC, Erlang: scripts/peers/README.md
	-@scripts/setup.sh --peers
	$(if $(NAPKIN_BENCH),,$(BUILD) $(PROOFS) $(RELEASE) --product napkin-bench)
	@scripts/peers/bench.py \
		"$(or $(NAPKIN_BENCH),$$($(SWIFT) build $(RELEASE) --show-bin-path)/napkin-bench)" $(PEERS_ARGS)

ratchet: setup ## Count instructions of event, effect, attachment, decoding: none may take 2 % more; UPDATE=1 writes
	@scripts/setup.sh --ratchet
	$(BUILD) --package-path Tests/Proofs --scratch-path $(RATCHET_BUILD) $(OPTIMISED) --product napkin-bench
	@scripts/ratchet.py "$$($(SWIFT) build --scratch-path $(RATCHET_BUILD) --show-bin-path)/napkin-bench" \
		$(if $(UPDATE),--update)

ways: setup ## Find the files that an event, a state and an attach pass; compares with docs/ways.md; UPDATE=1 writes
	@scripts/setup.sh --ratchet
	$(BUILD) $(PROOFS) --product napkin-bench
	$(BUILD) --product napkin-client
	@scripts/ways.py "$$($(SWIFT) build --show-bin-path)" $(if $(UPDATE),--update)

scale: setup ## Measure 1 to 10,000 fronts and sessions, 64 B to 8 MiB; draws scripts/scale.svg
	@scripts/setup.sh --plots
	$(if $(NAPKIN_BENCH),,$(BUILD) $(PROOFS) $(RELEASE) --product napkin-bench)
	@scripts/scale.py "$(or $(NAPKIN_BENCH),$$($(SWIFT) build $(RELEASE) --show-bin-path)/napkin-bench)" \
		scripts/scale.svg $(SCALE_ARGS)

screenshots: build ## Draw the documents' pictures, and record the README's, from tmux and a browser
	@scripts/setup.sh --pictures
	@scripts/screenshots.sh "$$($(SWIFT) build --show-bin-path)"

docs: setup ## Build the documentation's site in .build/docs
	@scripts/docs.sh

install: setup ## Install programs, manual, completions, units in PREFIX (/usr/local); CONF=release
	$(BUILD) $(CONFIGURED) --product napkind
	$(BUILD) $(CONFIGURED) --product napkin-client
	@bin="$$($(SWIFT) build $(CONFIGURED) --show-bin-path)"; \
	install -d "$(DESTDIR)$(PREFIX)/bin" && \
	install $(if $(filter release,$(CONF)),-s) -m 755 "$$bin/napkind" "$$bin/napkin-client" "$(DESTDIR)$(PREFIX)/bin" && \
	$(CC) -std=gnu11 -Os -static -s -o "$(DESTDIR)$(PREFIX)/bin/napkin-keeper" $(KEEPER) && \
	scripts/documents.sh "$$bin" "$(DESTDIR)$(PREFIX)/share" && \
	install -D -m 644 -t "$(DESTDIR)$(PREFIX)/share/systemd/user" \
		daemon/systemd/napkind.socket daemon/systemd/napkind.service && \
	sed -i 's|^ExecStart=.*/napkind|ExecStart=$(PREFIX)/bin/napkind|' \
		"$(DESTDIR)$(PREFIX)/share/systemd/user/napkind.service" && \
	printf 'installed napkind, napkin-client and napkin-keeper in %s; manual, completions, systemd units in %s\n' \
		"$(DESTDIR)$(PREFIX)/bin" "$(DESTDIR)$(PREFIX)/share"

install-dev: ## Install the sources that apps are built with, and the documents, in PREFIX
	@package="$(DESTDIR)$(PREFIX)/share/napkin/package"; \
	rm -rf "$$package" && install -d "$$package/Protocol" && \
	cp -R Package.swift LICENSE README.md ARCHITECTURE.md CHANGELOG.md Sources daemon docs "$$package" && \
	cp -R Protocol/NapkinCoding Protocol/NapkinProtocol Protocol/*.md Protocol/app.schema.json \
		"$$package/Protocol" && \
	chmod -R u=rwX,go=rX "$$package" && \
	printf 'installed the Swift package in %s\n' "$$package"

install-examples: setup ## Install the examples' programs and manifests in PREFIX (/usr/local)
	$(BUILD) $(EXAMPLES) $(CONFIGURED)
	@bin="$$($(SWIFT) build $(EXAMPLES) $(CONFIGURED) --show-bin-path)"; \
	install -d "$(PREFIX)/bin" "$(PREFIX)/share/napkin/apps" && \
	for manifest in examples/*/*.json; do \
		name=$$(basename "$$manifest" .json); \
		install $(if $(filter release,$(CONF)),-s) -m 755 \
			"$$bin/$$name" "$$bin/$$name-worker" "$(PREFIX)/bin" && \
		XDG_DATA_HOME="$$(realpath "$(PREFIX)")/share" \
			"$$bin/$$name" install "$$manifest" --bin "$(PREFIX)/bin" && \
		scripts/documents.sh "$$bin" "$(PREFIX)/share" "$$name" || exit; \
	done && \
	install $(if $(filter release,$(CONF)),-s) -m 755 "$$bin/characters-server" "$(PREFIX)/bin"

package: ## Make Debian packages, napkin and napkin-dev, in PACKAGES (.build/packages); CONF=release
	@scripts/setup.sh --packages
	@scripts/package.sh $(CONF) "$(PACKAGES)"

package-check: package ## Look into them, and run their programs unpacked (part of make test)
	@scripts/package-check.sh "$(PACKAGES)"

package-test: package-check ## Install, use, upgrade and purge them in a fresh Debian, as root; CONF=release
	$(foreach program,rib-house-worker rib-house, \
		$(BUILD) $(EXAMPLES) $(CONFIGURED) --product $(program) &&) true
	@scripts/package-test.sh "$(PACKAGES)" "$$($(SWIFT) build $(CONFIGURED) --show-bin-path)"

clean: ## Remove build products (fetched dependencies stay)
	$(SWIFT) package clean
	rm -f .build/run
