## Packages, Packaging/

VERSION := $(shell sed -nE 's/^\#define EARSHOT_VERSION "(.*)"$$/\1/p' Sources/Bindings/CEarshot/earshot.h)
PACKAGES := .build/packages/$(VERSION)
INSTALLED := $(CURDIR)/.build/packages/installed

packages: swift ## Build packages for this machine's architecture: Debian's, a tarball, Python's, npm's (.build/packages/VERSION)
	@scripts/install-dependencies.sh packages
	@Packaging/version.sh >/dev/null
	rm -rf $(PACKAGES) $(INSTALLED)
	@$(MAKE) --no-print-directory install-agent install-c install-server POSTGRES=1 PREFIX=/usr DESTDIR=$(INSTALLED) \
	    UNITS=$(INSTALLED)/usr/lib/systemd/user LIBDIR=/usr/lib/$$(dpkg-architecture -qDEB_HOST_MULTIARCH)
	@SWIFT=$(SWIFT) SERVER_BUILD=$(STANDALONE) Packaging/debian.sh $(INSTALLED) $(BUILT) $(PACKAGES)
	@Packaging/tarball.sh $(INSTALLED) $(PACKAGES)
	@$(MAKE) --no-print-directory wheel npm sbom hardening
	@cp .build/python/dist/* .build/npm/*.tgz $(PACKAGES)
	@ls -l $(PACKAGES)

test-packages: ## Install each package that `make packages` built on a fresh Debian in a container, use it, and remove it (as root)
	@scripts/install-dependencies.sh packages
	@Packaging/test.sh $(PACKAGES)

# Of what `make packages` has installed. The wheel's library is libearshot.
SBOM := $(PACKAGES)/earshot-$(VERSION).spdx.json
sbom: ## List what each program and library that `make packages` built contains and loads, as SPDX, and check the list
	@[[ -d $(INSTALLED) ]] || { echo 'make sbom: nothing is built here; run make packages first' >&2; exit 66; }
	@programs=$$(for name in earshot earshot-messages earshot-agent; do echo $(BUILT) $$name $(INSTALLED)/usr/bin/$$name; done; \
	    echo $(STANDALONE) earshotd $(INSTALLED)/usr/bin/earshotd); \
	library=$$(find $(INSTALLED)/usr/lib -name 'libearshot.so.*.*' -type f); \
	Packaging/sbom.py write $(SBOM) $$programs $(BUILT) earshot-c $$library; \
	Packaging/sbom.py check --all $(SBOM) $(INSTALLED)/usr/bin/{earshot,earshot-messages,earshot-agent,earshotd} $$library

hardening: ## Check how the programs and libraries that `make packages` built are hardened: PIE, RELRO, canaries, no executable stack
	@[[ -d $(INSTALLED) ]] || { echo 'make hardening: nothing is built here; run make packages first' >&2; exit 66; }
	@scripts/install-dependencies.sh packages
	@Packaging/hardening.sh $(INSTALLED)/usr

REPRODUCED ?= install install-c
test-reproducible: swift ## Build again in another folder, and compare what is installed byte by byte (REPRODUCED='install install-c')
	@SWIFT=$(SWIFT) Packaging/reproducible.sh $(REPRODUCED)
