## The token service, Server/

# The service is a separate package, because it needs an HTTP server and a database.
SERVER := --package-path Server -c release --product earshotd $(CHECKS) $(LINKING)
# `make server POSTGRES=1` adds the store for several services together, which needs libpq.
POSTGRES ?=
ifneq ($(POSTGRES),)
SERVER += --traits Postgres
endif
server_packages := $(if $(POSTGRES),postgres,server)

server: swift ## Build the token service, Server/.build/release/earshotd (POSTGRES=1: with PostgreSQL, for several services)
	@scripts/install-dependencies.sh $(server_packages)
	$(SWIFT) build $(SERVER)

test-container: ## Build the token service's container without a registry, run it, and send it requests (as root; ten minutes)
	@scripts/install-dependencies.sh container
	$(MAKE) install-server POSTGRES=1 DESTDIR=$(CURDIR)/.build/container
	Server/Operation/container.sh .build/container

test-operation: server ## Check the alerts, the dashboard, and the configurations of Prometheus, nginx and compose (seconds)
	@scripts/install-dependencies.sh operation
	Server/Tests/operation.sh Server/.build/release/earshotd
