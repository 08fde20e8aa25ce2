## Benchmarks/

RECORDINGS := .build/recordings
BENCHMARK := $(BUILT)/release/earshot-bench

bench-program: swift
	@scripts/install-dependencies.sh build
	$(SWIFT) build $(RELEASE) --product earshot-bench

bench: build bench-program ## Measure everything and write docs/BENCHMARKS.md and its pictures (three quarters of an hour)
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

bench-quick: bench-program ## Check the figures that must never become worse
	$(BENCHMARK) gate

bench-service: server ## Measure the token service beside a reference, and write that into docs/BENCHMARKS.md (five minutes)
	@Server/Benchmarks/compare.sh --into docs/BENCHMARKS.md Server/.build/release/earshotd 15 3

soak: build ## Listen for 15 minutes and report the resources used
	@scripts/install-dependencies.sh test
	@Benchmarks/soak.sh

day: all server ## Run a day of use in three hours, and check that no program grows: two nearby, listen, an agent, a service (MINUTES=180)
	@scripts/install-dependencies.sh test
	@Benchmarks/day.py $(BUILT)/release Server/.build/release/earshotd $(or $(MINUTES),180)

# A copy, because each constant's line is changed. Continues where an earlier run ended.
CONSTANTS := .build/constants
constants: swift ## Halve and double each constant of the receiver and of discovery, and list what nothing notices (hours of two cores)
	@scripts/install-dependencies.sh test
	Benchmarks/Constants/constants.py copy $(CONSTANTS)
	for product in earshot earshot-bench; do $(SWIFT) build -c release --package-path $(CONSTANTS) --product $$product; done
	EARSHOT_OPTIMIZED=1 $(SWIFT) build --package-path $(CONSTANTS) --build-tests --disable-xctest --scratch-path $(CONSTANTS)/.build/testing
	Benchmarks/Constants/constants.py goals $(CONSTANTS) .build/constants-goals.json
	Benchmarks/Constants/constants.py tests $(CONSTANTS) .build/constants-tests.json
	@Benchmarks/Constants/constants.py table .build/constants-goals.json .build/constants-tests.json
