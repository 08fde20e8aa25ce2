## Tests/

# Debug builds compile once, where a release with testing enabled compiles each module twice; what computes is optimized all the same.
# Apart, because other compiler flags in one place make everything build again each time.
TESTING := --scratch-path .build/testing $(CHECKS)
TESTED := .build/testing/debug
build_tests = EARSHOT_OPTIMIZED=1 $(SWIFT) build --build-tests --disable-xctest $(TESTING)

test: swift ## Run the tests, some of them through a virtual sound card (ONLY='REGEX …': those whose names match)
	@scripts/install-dependencies.sh test
	$(build_tests)
	@Tests/run.sh $(TESTED) $(ONLY)

test-bindings: test-c test-python test-web ## Run the tests of C, Python and the web page

# The service as `make server POSTGRES=1` builds it, but for one switch, so that its dependencies compile once. The tests' program by its name:
# with `--build-tests` SwiftPM compiles every program of every package, this one's and those of its dependencies.
SERVER_TESTS := --package-path Server -c release --traits Postgres $(CHECKS)
server-tests: swift
	@scripts/install-dependencies.sh test
	for product in earshotd earshot-serverPackageTests; do EARSHOT_TESTING=1 $(SWIFT) build $(SERVER_TESTS) --product $$product; done

test-server: server-tests ## Run the tests of the token service, and of its clients with a running one
	@Server/Tests/run.sh Server/.build/release
	$(build_tests)
	EARSHOTD=$(CURDIR)/Server/.build/release/earshotd Tests/run.sh $(TESTED) EarshotdTests PublishingSnippetTests MessageSoundCardTests
	EARSHOTD=$(CURDIR)/Server/.build/release/earshotd Tests/Support/trusting.sh Tests/run.sh $(TESTED) EarshotdTLSTests

# The programs are products of the package, which its tests run.
PUSH := --package-path Samples/SimplePush -c release $(CHECKS)
test-push: swift ## Build the sample SimplePush, a separate package, and run its tests
	@scripts/install-dependencies.sh push
	$(SWIFT) build --build-tests --disable-xctest $(PUSH)
	$(SWIFT) test --skip-build --disable-xctest $(PUSH)

# The programs are those of `make test`, the service that of `make server`, or of EARSHOTD.
EARSHOTD ?=
define browser_programs
	@scripts/install-dependencies.sh test
	@scripts/install-dependencies.sh browser
	for product in earshot earshot-messages; do EARSHOT_OPTIMIZED=1 $(SWIFT) build --product $$product $(TESTING); done
	$(if $(EARSHOTD),,$(MAKE) server POSTGRES=1)
endef
browser_tests = EARSHOTD=$(or $(EARSHOTD),$(CURDIR)/Server/.build/release/earshotd) Bindings/web/test.sh $(TESTED) .build/web/page

test-browser: web ## Run the tests of the web page in Chromium, through a virtual sound card
	$(browser_programs)
	@$(browser_tests) messages page meeting air

test-firefox: web ## Run the tests of the web page in Firefox, through a virtual sound card: two minutes
	$(browser_programs)
	@scripts/install-dependencies.sh firefox
	@$(browser_tests) firefox
	@EARSHOT_BROWSER=firefox $(browser_tests) meeting

# The service is that of EARSHOTD; without it the scenarios of the other programs run. FAULTS has more options, such as --quick.
FAULTS ?=
test-faults: all ## Make each system call of the programs fail once, with each error, and check their reactions (an hour or more)
	EARSHOTD=$(EARSHOTD) python3 Tests/Faults/faults.py $(BUILT)/release $(FAULTS)

# Looks for inputs that break a parser: `make fuzz TARGET=wav SECONDS=600`. Without TARGET it runs all, one after the other.
TARGET ?= all
SECONDS ?= 60
fuzz: swift ## Look for bytes that break a parser (TARGET=wav SECONDS=60; Tests/Fuzz/fuzz.sh has more)
	@SWIFT=$(SWIFT) Tests/Fuzz/fuzz.sh run $(TARGET) $(SECONDS)

# A build from nothing, in debug mode as a new user makes it. The service is that of `make server`, or of EARSHOTD.
test-new-package: swift ## Build the first package of docs/MESSAGES.md as it is printed, and run it twice on a virtual sound card
	@scripts/install-dependencies.sh test
	@scripts/install-dependencies.sh messages
	$(if $(EARSHOTD),,$(MAKE) server)
	SWIFT=$(SWIFT) Tests/Support/new-package.py $(or $(EARSHOTD),Server/.build/release/earshotd)

# The sources must be as they are committed: the script changes them, builds the tests of `make test`, and puts them back.
test-guards: swift ## Break one guard after the other (limits, rights, refusals), and check that a test fails
	@scripts/install-dependencies.sh test
	@SWIFT=$(SWIFT) Tests/Guards/guards.py .build/testing
	@scripts/install-dependencies.sh server
	@SWIFT=$(SWIFT) Tests/Guards/guards.py --service

test-kernels: swift ## Compare every form of the C kernels with slow twins, here and as aarch64 code under qemu
	@scripts/install-dependencies.sh kernels
	@SWIFT=$(SWIFT) Tests/Modem/CEarshotKernelsTests/kernels.sh

test-cross: swift ## Compile the modem for aarch64 and for Apple's processors; run the former under qemu against its vectors
	@scripts/install-dependencies.sh kernels
	@SWIFT=$(SWIFT) Tests/Modem/CrossCompiled/core.sh linux
	@SWIFT=$(SWIFT) Tests/Modem/CrossCompiled/core.sh darwin

test-machine: swift ## Run the tests of Bluetooth, Wi-Fi and the kernel's sound card in a virtual machine
	@scripts/install-dependencies.sh messages
	@scripts/install-dependencies.sh machine
	for product in earshot earshot-messages earshot-agent background-sample machine-rotation machine-networks \
	    test-app; do \
	    $(SWIFT) build $(RELEASE) --product $$product $(WITH_HTTP); \
	done
	@scripts/install-dependencies.sh server
	$(SWIFT) build $(SERVER)
	@scripts/install-dependencies.sh push
	for product in simplepush simplepush-provider simplepush-server; do $(SWIFT) build $(PUSH) --product $$product; done
	Tests/Machine/together.sh all.sh simplepush.sh agent.sh radio-all.sh push-all.sh

test-long: ## Run all tests at full length, the kernels and the modem on aarch64, 200 kills of the service and of the agent, SimplePush, the browsers, packages, the sanitizers, a new package, and every call that fails once (two hours)
	EARSHOT_LONG_TESTS=1 EARSHOT_KILLS=200 EARSHOT_FUZZ_CALLS=30000 $(MAKE) test test-bindings test-kernels test-cross test-server test-push test-browser test-firefox sanitize packages test-packages
	$(MAKE) test-new-package test-faults EARSHOTD=$(CURDIR)/Server/.build/release/earshotd

sanitize: swift ## Run the tests of devices and listening under ThreadSanitizer and AddressSanitizer
	@scripts/install-dependencies.sh test
	@Tests/Support/sanitize.sh
