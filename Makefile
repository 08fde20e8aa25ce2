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
# How programs are linked: all addresses of libraries are found at the start and cannot be written afterwards; libraries come from the
# system, not from beside the program; nothing depends on the folder of the build. A build identifier would: it is a sum of the debug
# information too, which `install` removes.
LINKING := $(patsubst %,-Xlinker %,-z now --build-id=none) --disable-local-rpath
# What users run. An installed program must not need the Swift of whoever built it, and the built one is what is installed.
RELEASE := -c release --static-swift-stdlib $(CHECKS) $(TRAITS) --scratch-path $(BUILT) $(LINKING)
# Foundation's HTTP, linked statically, leaves libcurl to the linker's command line.
WITH_HTTP := -Xlinker -lcurl

# `earshot NAME` runs the program earshot-NAME; these are links to one program, which looks at the name.
LINKED_COMMANDS := nearby publish subscribe beacons beacon
# The same for earshot-agent.
AGENT_COMMANDS := push
link_commands = for name in $(LINKED_COMMANDS); do ln -sf earshot-messages "$(1)/earshot-$$name"; done
link_agent_commands = for name in $(AGENT_COMMANDS); do ln -sf earshot-agent "$(1)/earshot-$$name"; done

FORMATTED := Package.swift Sources Tests Benchmarks Server/Package.swift Server/Sources Server/Tests Samples/Background Samples/Greeting
FORMATTED += $(foreach part,Package.swift Sources Tests,Samples/SimplePush/$(part))

## The front door

help: ## List the targets (this)
	@echo 'Earshot: tokens as near-ultrasound.'
	@awk -F ':.*## ' '/^## / {print "\n" substr($$0, 4)} /^[a-z-]+:.*## / {printf "  make %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: build ## Encode a token to a WAV file, decode it, and draw it
	@scripts/demo.sh $(BUILT)/release/earshot demo

build: swift ## Build the command line, .build/release/earshot (FFTW=0: without FFTW, .build/without-fftw/release/earshot)
	@scripts/install-dependencies.sh build
	$(SWIFT) build $(RELEASE) --product earshot

all: swift ## Build every command: earshot, and the commands beside it (nearby, publish, subscribe, beacons, beacon, agent, push)
	@scripts/install-dependencies.sh messages
	$(SWIFT) build $(RELEASE) --product earshot
	$(SWIFT) build $(RELEASE) --product earshot-messages $(WITH_HTTP)
	$(SWIFT) build $(RELEASE) --product earshot-agent $(WITH_HTTP)
	@$(call link_commands,$(BUILT)/release)
	@$(call link_agent_commands,$(BUILT)/release)

lint: swift ## Check the formatting of the code and the rules for files
	$(SWIFT) format lint --strict --parallel -r $(FORMATTED)
	@scripts/lint.sh

format: swift ## Format the code
	$(SWIFT) format --in-place --parallel -r $(FORMATTED)

docs: swift ## Build the libraries' documentation, .build/docs
	@scripts/install-dependencies.sh all
	@SWIFT=$(SWIFT) scripts/docs.sh

clean: ## Remove everything that was built
	rm -rf .build Server/.build Samples/SimplePush/.build demo

swift:
	@[ -n "$(SWIFT)" ] && command -v $(SWIFT) >/dev/null || \
		{ echo 'Swift 6.2 or later is needed (6.3 for C, Python, web pages and packages), and not in PATH: https://www.swift.org/install' >&2; exit 69; }

# Each part of the house says what can be made of it.
include Server/server.mk Bindings/bindings.mk Tests/tests.mk Benchmarks/benchmarks.mk scripts/install.mk Packaging/packaging.mk

# No target is a file, even if one has its name.
.PHONY: $(shell sed -nE 's/^([a-z-]+):([^=].*)?$$/\1/p' $(MAKEFILE_LIST))
