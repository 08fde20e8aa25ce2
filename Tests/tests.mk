## Tests/

# The tests of what both stores promise; EARSHOT_TEST_STORE says on which one they run.
STORE_TESTS := MatchingTests|ModelTests|TokenTests|IsolationTests|LimitTests|SilenceTests|RegistryTests|ResumptionTests
STORE_TESTS := $(STORE_TESTS)|StoreTests|EventStreamTests|SightingDetailTests|BrowserTests
# Tests look inside the modules. They run optimized, because signal processing is up to 225 times slower otherwise,
# and lie apart, because other compiler flags in one place make everything build again each time.
TESTING := -c release -Xswiftc -enable-testing --scratch-path .build/testing $(CHECKS)

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
LIVE_LIBRARY := LoudspeakerSoundCardTests|EncodingSoundCardTests|EarshotLiveTests
LIVE_COMMANDS := SoundCardTests|DevicesSoundCardTests

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

# The service is the one of test-server.
test-browser: build web ## Run the tests of the web page in Chromium, through a virtual sound card
	@scripts/install-dependencies.sh test
	@scripts/install-dependencies.sh browser
	$(SWIFT) build -c release --product earshot-messages $(CHECKS) $(PLACE)
	$(SWIFT) build --package-path Server --product earshotd --traits Postgres $(CHECKS)
	@EARSHOTD=$(CURDIR)/Server/.build/debug/earshotd Bindings/web/test.sh $(BUILT)/release .build/web/page messages page meeting air

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
