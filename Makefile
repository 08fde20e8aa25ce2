# The front door: each target sets up what it needs on a fresh Debian or Ubuntu with Swift 6.2 or later.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.NOTPARALLEL:

SWIFT ?= swift
PREFIX ?= /usr/local

# Warnings are errors in Package.swift already; this keeps imports to the declared dependencies.
CHECKS := --explicit-target-dependency-import-check error
# `make build FFTW=0` is without FFTW, and so without its licence: its own transforms are slower. The same for install,
# install-c, test-c and wheel. Apart, because other traits in one place make everything build again each time.
FFTW ?= 1
export FFTW
ifeq ($(FFTW),0)
TRAITS := --disable-default-traits
BUILT := .build/without-fftw
else
BUILT := .build
endif
PLACE := $(TRAITS) --scratch-path $(BUILT)
# What users run.
RELEASE := -c release --product earshot $(CHECKS)
# What operators run: a package of its own, because it brings an HTTP server and a database along.
SERVER := --package-path Server -c release --product earshotd $(CHECKS)
# `make server POSTGRES=1` adds the store for several services together, which needs libpq.
POSTGRES ?=
ifneq ($(POSTGRES),)
SERVER += --traits Postgres
endif
server_packages := $(if $(POSTGRES),postgres,server)
# The tests of what both stores promise; EARSHOT_TEST_STORE says on which one they run.
STORE_TESTS := MatchingTests|ModelTests|TokenTests|IsolationTests|LimitTests|SilenceTests|RegistryTests|ResumptionTests
STORE_TESTS := $(STORE_TESTS)|StoreTests|EventStreamTests|SightingDetailTests|BrowserTests
# An installed program must not need the Swift of whoever built it.
STANDALONE := --static-swift-stdlib $(TRAITS) --scratch-path $(BUILT)/standalone
# Tests look inside the modules. They run optimized, because signal processing is up to 225 times slower otherwise,
# and lie apart, because other compiler flags in one place make everything build again each time.
TESTING := -c release -Xswiftc -enable-testing --scratch-path .build/testing $(CHECKS)

# `earshot NAME` runs the program earshot-NAME; these are links to one program, which looks at the name.
LINKED_COMMANDS := nearby publish subscribe beacons beacon
# The same for earshot-agent.
AGENT_COMMANDS := push
link_commands = for name in $(LINKED_COMMANDS); do ln -sf earshot-messages "$(1)/earshot-$$name"; done
link_agent_commands = for name in $(AGENT_COMMANDS); do ln -sf earshot-agent "$(1)/earshot-$$name"; done

# The manual and the shells' completions of installed programs.
STANDALONE_BUILT := $(BUILT)/standalone/release
install_texts = $(SWIFT) build -c release --product manual-pages $(STANDALONE) \
	&& MANUAL_PAGES=$(STANDALONE_BUILT)/manual-pages scripts/install-texts.sh "$(DESTDIR)$(PREFIX)/share" $(1)

# The tests of the service's clients wait for answers. Simulations keep each of Swift's few threads for minutes, so these
# run one after the other.
CLIENT_TESTS := EarshotMessagesTests|EarshotTerminalConsentTests|NearbyMessagesTests|NearbyMessagesSwift5Tests
CLIENT_TESTS := $(CLIENT_TESTS)|MessageCommandTests|EarshotDiscoveryTests.DiscoveryTests
# The same for tests with buses, screens and agents of their own: a hundred processes, which two cores run one test after the
# other.
DESKTOP_TESTS := EarshotNotificationsTests|UIKitNamesTests|EarshotDBusTests|EarshotBluetoothTests|EarshotAgentTests
DESKTOP_TESTS := $(DESKTOP_TESTS)|EarshotPushTests|NetworkExtensionTests|NetworkExtensionSwift5Tests
DESKTOP_TESTS := $(DESKTOP_TESTS)|EarshotNetworksTests|CallKitTests
# The tests that play and record in real time.
LIVE_LIBRARY := LoudspeakerTests|EncodingSoundCardTests|EarshotLiveTests
LIVE_COMMANDS := SoundCardTests|DevicesTests

FORMATTED := Package.swift Sources Tests Benchmarks Server/Package.swift Server/Sources Server/Tests Samples/Background
FORMATTED += $(foreach part,Package.swift Sources Tests,Samples/SimplePush/$(part))
RECORDINGS := .build/recordings
BENCHMARK := $(SWIFT) run -c release earshot-bench

.PHONY: help demo build all server web wheel test test-web test-browser test-c test-python test-server test-kernels test-machine test-push test-container test-long sanitize soak bench bench-bindings bench-quick bench-service lint format install install-all install-agent install-c install-server clean swift

help: ## Say what can be made (this)
	@echo 'Earshot: tokens as near-ultrasound. Targets:'
	@sed -nE 's/^([a-z-]+):.*## (.*)/  make \1|\2/p' $(MAKEFILE_LIST) | column -t -s '|'

demo: build ## Encode a token to a WAV file, decode it, and draw it
	@scripts/demo.sh $(BUILT)/release/earshot demo

build: swift ## Build the command line, .build/release/earshot (FFTW=0: without FFTW, .build/without-fftw/release/earshot)
	@scripts/install-dependencies.sh build
	$(SWIFT) build $(RELEASE) $(PLACE)

all: swift ## Build every command: earshot, and what it finds beside it (nearby, publish, subscribe, beacons, beacon, agent, push)
	@scripts/install-dependencies.sh all
	$(SWIFT) build $(RELEASE) $(PLACE)
	$(SWIFT) build -c release --product earshot-messages $(CHECKS) $(PLACE)
	$(SWIFT) build -c release --product earshot-agent $(CHECKS) $(PLACE)
	@$(call link_commands,$(BUILT)/release)
	@$(call link_agent_commands,$(BUILT)/release)

server: swift ## Build the token service, Server/.build/release/earshotd (POSTGRES=1: with PostgreSQL, for several services)
	@scripts/install-dependencies.sh $(server_packages)
	$(SWIFT) build $(SERVER)

# Apart, because what waits or is heard in real time must not fight for the cores with simulations, each of which keeps
# one of Swift's few threads for minutes, nor short tests of timing with a dozen sound servers, and what is heard on busy
# cores wants them busy by itself.
test: swift ## Run the tests, some of them through a virtual sound card, and those of C, Python and the web page
	@scripts/install-dependencies.sh test
	$(SWIFT) build --build-tests --disable-xctest $(TESTING)
	failed=0; \
	for part in \
	    "--skip $(CLIENT_TESTS) --skip $(DESKTOP_TESTS) --skip $(LIVE_LIBRARY) --skip $(LIVE_COMMANDS)" \
	    "--filter $(CLIENT_TESTS)" "--filter $(DESKTOP_TESTS) --no-parallel" "--filter $(LIVE_LIBRARY)" \
	    "--filter $(LIVE_COMMANDS) --skip EncodingSoundCardTests --skip BusySoundCardTests" "--filter BusySoundCardTests"; do \
	    $(SWIFT) test --skip-build --disable-xctest $(TESTING) $$part || failed=1; \
	done; \
	$(MAKE) test-c || failed=1; \
	$(MAKE) test-python || failed=1; \
	$(MAKE) test-web || failed=1; \
	exit $$failed

test-server: swift ## Run the tests of the token service, and of its clients before a running one
	@scripts/install-dependencies.sh test
	$(SWIFT) build --package-path Server --build-tests --traits Postgres --disable-xctest $(CHECKS)
	failed=0; \
	run() { $(SWIFT) test --package-path Server --skip-build --traits Postgres --disable-xctest $(CHECKS) "$$@" || failed=1; }; \
	run --skip 'NodeTests|PostgresStoreTests'; \
	EARSHOT_TEST_STORE=postgres run --no-parallel --filter '$(STORE_TESTS)|NodeTests'; \
	((failed == 0))
	@# 'swift test' would compile everything again: its flags differ.
	$(SWIFT) build --build-tests --disable-xctest $(TESTING)
	EARSHOTD=$(CURDIR)/Server/.build/debug/earshotd $(SWIFT) test --skip-build --disable-xctest $(TESTING) \
	    --filter 'EarshotdTests|PublishingSnippetTests|MessageSoundCardTests'

# The programs are products of the package, which its tests run.
PUSH := --package-path Samples/SimplePush -c release $(CHECKS)
test-push: swift ## Build the sample SimplePush, a package of its own, and run its tests
	@scripts/install-dependencies.sh push
	$(SWIFT) build --build-tests --disable-xctest $(PUSH)
	$(SWIFT) test --skip-build --disable-xctest $(PUSH)

test-container: ## Build the token service's container without a registry, run it, and ask it (as root; ten minutes)
	@scripts/install-dependencies.sh container
	$(MAKE) install-server POSTGRES=1 DESTDIR=$(CURDIR)/.build/container
	Server/Operation/container.sh .build/container

# The modem as WebAssembly, with modem.js and the page around it; its tests need the built programs too.
web: swift ## Build the web page: the modem as WebAssembly, .build/web/page
	@scripts/install-dependencies.sh web
	@SWIFT=$(SWIFT) Bindings/web/page.sh

test-web: build web ## Run the tests of the web page that need no browser
	@Bindings/web/test.sh $(BUILT)/release .build/web/page

# The service is the one of test-server.
test-browser: build web ## Run the tests of the web page in Chromium, through a virtual sound card
	@scripts/install-dependencies.sh test
	@scripts/install-dependencies.sh browser
	$(SWIFT) build -c release --product earshot-messages $(CHECKS) $(PLACE)
	$(SWIFT) build --package-path Server --product earshotd --traits Postgres $(CHECKS)
	@EARSHOTD=$(CURDIR)/Server/.build/debug/earshotd Bindings/web/test.sh $(BUILT)/release .build/web/page messages page meeting air

# libearshot.so and the programs around it; the same for Python, compared with the command line.
test-c: swift ## Run the tests of the C interface, some of them under AddressSanitizer
	@scripts/install-dependencies.sh c
	@SWIFT=$(SWIFT) Bindings/c/test.sh

test-python: build ## Build the Python package's wheel and run its tests
	@scripts/install-dependencies.sh python
	@SWIFT=$(SWIFT) Bindings/python/test.sh $(BUILT)/release/earshot

wheel: swift ## Build the Python package, .build/python/dist/earshot-….whl
	@scripts/install-dependencies.sh python
	@SWIFT=$(SWIFT) Bindings/python/wheel.sh

test-kernels: swift ## Compare every form of the C kernels with slow twins, here and as aarch64 code under qemu
	@scripts/install-dependencies.sh kernels
	@SWIFT=$(SWIFT) Tests/Modem/CEarshotKernelsTests/kernels.sh

test-machine: swift ## Run the tests of Bluetooth, Wi-Fi and the kernel's sound card in a virtual machine
	@scripts/install-dependencies.sh all
	@scripts/install-dependencies.sh machine
	for product in earshot earshot-messages earshot-agent background-sample machine-rotation machine-networks \
	    test-app; do \
	    $(SWIFT) build -c release --product $$product $(CHECKS); \
	done
	@scripts/install-dependencies.sh server
	$(SWIFT) build $(SERVER)
	Tests/Machine/machine.sh --seconds 1200 Tests/Machine/all.sh
	Tests/Machine/machine.sh --seconds 1200 --share .build/machine Tests/Machine/agent.sh
	Tests/Machine/machine.sh --seconds 1200 Tests/Machine/push-all.sh
	@scripts/install-dependencies.sh push
	for product in simplepush simplepush-provider simplepush-server; do $(SWIFT) build $(PUSH) --product $$product; done
	Tests/Machine/machine.sh --seconds 1200 --share .build/machine Tests/Machine/simplepush.sh

test-long: ## Run all tests at full length, the kernels on aarch64, 200 kills of the service and of the agent, SimplePush, the browser, and the sanitizers (an hour)
	EARSHOT_LONG_TESTS=1 EARSHOT_KILLS=200 $(MAKE) test test-kernels test-server test-push test-browser sanitize

sanitize: swift ## Run the tests of devices and listening under ThreadSanitizer and AddressSanitizer
	@scripts/install-dependencies.sh test
	@Tests/Support/sanitize.sh

bench: build ## Measure everything and write docs/BENCHMARKS.md and its pictures (three quarters of an hour)
	@scripts/install-dependencies.sh bench
	@Benchmarks/recordings.sh $(RECORDINGS)
	@Benchmarks/Peers/install.sh .build/peers
	@Benchmarks/Peers/sounds.sh $(RECORDINGS)/peers
	$(BENCHMARK) all $(foreach kind,music effects speech peers,--audio $(RECORDINGS)/$(kind))
	@$(MAKE) bench-bindings

bench-bindings: build ## Compare the C interface, Python and WebAssembly with the command line, in docs/BENCHMARKS.md
	@scripts/install-dependencies.sh web
	@scripts/install-dependencies.sh python
	@scripts/install-dependencies.sh bench
	@SWIFT=$(SWIFT) Benchmarks/Bindings/bindings.sh .build/release/earshot

bench-service: server ## Measure the token service beside a reference, and write that into docs/BENCHMARKS.md (five minutes)
	@Server/Benchmarks/compare.sh --into docs/BENCHMARKS.md Server/.build/release/earshotd 15 3

soak: build ## Listen for 15 minutes and say what it took
	@scripts/install-dependencies.sh test
	@Benchmarks/soak.sh

bench-quick: swift ## Check what must never become worse
	@scripts/install-dependencies.sh build
	$(BENCHMARK) gate

lint: swift ## Check the layout of the code, and that the files hold what they promise
	$(SWIFT) format lint --strict --parallel -r $(FORMATTED)
	@scripts/lint.sh

format: swift ## Lay the code out
	$(SWIFT) format --in-place --parallel -r $(FORMATTED)

.PHONY: docs
docs: swift ## Build the libraries' documentation, .build/docs
	@scripts/install-dependencies.sh all
	@SWIFT=$(SWIFT) scripts/docs.sh

install: swift ## Install earshot, the modem, in PREFIX/bin (PREFIX=/usr/local)
	@scripts/install-dependencies.sh build
	$(SWIFT) build $(RELEASE) $(STANDALONE)
	install -D -s -m 755 $(STANDALONE_BUILT)/earshot $(DESTDIR)$(PREFIX)/bin/earshot
	$(call install_texts,$(STANDALONE_BUILT)/earshot)

# Foundation's HTTP, linked statically, leaves libcurl to the linker's command line.
install-all: install ## Install every command: earshot, nearby, publish, subscribe, beacons, beacon
	@scripts/install-dependencies.sh messages
	$(SWIFT) build -c release --product earshot-messages $(CHECKS) $(STANDALONE) -Xlinker -lcurl
	install -D -s -m 755 $(STANDALONE_BUILT)/earshot-messages $(DESTDIR)$(PREFIX)/bin/earshot-messages
	@$(call link_commands,$(DESTDIR)$(PREFIX)/bin)
	$(call install_texts,$(STANDALONE_BUILT)/earshot $(STANDALONE_BUILT)/earshot-messages)

# User units: each user enables them with `systemctl --user enable --now earshot-agent.socket earshot-agent.service`.
# Where the user's systemd looks, below ~/.local too (`systemd-analyze --user unit-paths`).
UNITS := $(DESTDIR)$(PREFIX)/share/systemd/user
install-agent: install-all ## The same, and earshot-agent, which keeps the background work of apps, with its systemd units
	@scripts/install-dependencies.sh messages
	$(SWIFT) build -c release --product earshot-agent $(CHECKS) $(STANDALONE) -Xlinker -lcurl
	install -D -s -m 755 $(STANDALONE_BUILT)/earshot-agent $(DESTDIR)$(PREFIX)/bin/earshot-agent
	@$(call link_agent_commands,$(DESTDIR)$(PREFIX)/bin)
	install -d "$(UNITS)"
	install -m 644 Sources/Programs/systemd/earshot-agent.socket "$(UNITS)/earshot-agent.socket"
	sed 's|@BIN@|$(PREFIX)/bin|' Sources/Programs/systemd/earshot-agent.service.in > "$(UNITS)/earshot-agent.service"
	chmod 644 "$(UNITS)/earshot-agent.service"
	@# Under another name the program says of itself what the manual and the completions need.
	@ln -sf earshot-agent $(STANDALONE_BUILT)/earshot-background
	$(call install_texts,$(STANDALONE_BUILT)/earshot $(STANDALONE_BUILT)/earshot-messages $(STANDALONE_BUILT)/earshot-background)
	@echo 'Each user: systemctl --user enable --now earshot-agent.socket earshot-agent.service'

install-c: swift ## Install libearshot.so, earshot.h and a pkg-config file: the modem for C
	@scripts/install-dependencies.sh c
	@PREFIX=$(PREFIX) SWIFT=$(SWIFT) Bindings/c/library.sh .build/c/installed
	install -d "$(DESTDIR)$(PREFIX)/lib/pkgconfig" "$(DESTDIR)$(PREFIX)/include"
	cp -P .build/c/installed/lib/libearshot.so* "$(DESTDIR)$(PREFIX)/lib/"
	install -m 644 .build/c/installed/lib/pkgconfig/earshot.pc "$(DESTDIR)$(PREFIX)/lib/pkgconfig/"
	install -m 644 .build/c/installed/include/earshot.h "$(DESTDIR)$(PREFIX)/include/"
	@[[ -n "$(DESTDIR)" ]] || ldconfig 2>/dev/null || echo 'Run ldconfig as root if programs do not find libearshot.so.0.'

install-server: swift ## Install the token service in PREFIX/bin, and its systemd unit (POSTGRES=1: with PostgreSQL)
	@scripts/install-dependencies.sh $(server_packages)
	$(SWIFT) build $(SERVER) --static-swift-stdlib --scratch-path Server/.build/standalone
	install -D -s -m 755 Server/.build/standalone/release/earshotd $(DESTDIR)$(PREFIX)/bin/earshotd
	$(call install_texts,Server/.build/standalone/release/earshotd)
	install -d $(DESTDIR)$(PREFIX)/lib/systemd/system
	sed 's#@BIN@#$(PREFIX)/bin#' Server/Operation/earshotd.service >$(DESTDIR)$(PREFIX)/lib/systemd/system/earshotd.service
	chmod 644 $(DESTDIR)$(PREFIX)/lib/systemd/system/earshotd.service

.PHONY: uninstall
uninstall: ## Remove from PREFIX all that was installed there
	rm -f $(foreach name,earshot earshot-messages $(LINKED_COMMANDS:%=earshot-%) earshot-agent $(AGENT_COMMANDS:%=earshot-%) earshotd,"$(DESTDIR)$(PREFIX)/bin/$(name)")
	rm -f "$(UNITS)/earshot-agent.socket" "$(UNITS)/earshot-agent.service"
	rm -f "$(DESTDIR)$(PREFIX)/lib/systemd/system/earshotd.service"
	rm -f "$(DESTDIR)$(PREFIX)"/lib/libearshot.so* "$(DESTDIR)$(PREFIX)/lib/pkgconfig/earshot.pc" "$(DESTDIR)$(PREFIX)/include/earshot.h"
	scripts/install-texts.sh --remove "$(DESTDIR)$(PREFIX)/share" earshot earshotd

clean: ## Remove everything that was built
	rm -rf .build Server/.build Samples/SimplePush/.build demo

swift:
	@command -v $(SWIFT) >/dev/null || \
		{ echo 'Swift 6.2 or later is needed, and not in PATH: https://www.swift.org/install' >&2; exit 69; }
