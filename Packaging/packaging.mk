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
	@$(MAKE) --no-print-directory wheel npm
	@cp .build/python/dist/* .build/npm/*.tgz $(PACKAGES)
	@ls -l $(PACKAGES)

test-packages: ## Install each package that `make packages` built on a fresh Debian in a container, use it, and remove it (as root)
	@scripts/install-dependencies.sh packages
	@Packaging/test.sh $(PACKAGES)
