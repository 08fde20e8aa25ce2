## Installing

# The manual and the shells' completions of installed programs.
install_texts = $(SWIFT) build $(RELEASE) --product manual-pages \
	&& MANUAL_PAGES=$(BUILT)/release/manual-pages scripts/install-texts.sh "$(DESTDIR)$(PREFIX)/share" $(1)

install: build ## Install earshot, the modem, in PREFIX/bin (PREFIX=/usr/local)
	install -D -s --strip-program=scripts/strip.sh -m 755 $(BUILT)/release/earshot $(DESTDIR)$(PREFIX)/bin/earshot
	$(call install_texts,$(BUILT)/release/earshot)

install-all: install ## Install every command: earshot, nearby, publish, subscribe, beacons, beacon
	@scripts/install-dependencies.sh messages
	$(SWIFT) build $(RELEASE) --product earshot-messages $(WITH_HTTP)
	install -D -s --strip-program=scripts/strip.sh -m 755 $(BUILT)/release/earshot-messages $(DESTDIR)$(PREFIX)/bin/earshot-messages
	@$(call link_commands,$(DESTDIR)$(PREFIX)/bin)
	$(call install_texts,$(BUILT)/release/earshot $(BUILT)/release/earshot-messages)

# User units: each user enables them with `systemctl --user enable --now earshot-agent.socket earshot-agent.service`.
# The user's systemd looks in this folder, also below ~/.local (`systemd-analyze --user unit-paths`).
UNITS := $(DESTDIR)$(PREFIX)/share/systemd/user
install-agent: install-all ## The same, and earshot-agent, which keeps the background work of apps, with its systemd units
	@scripts/install-dependencies.sh messages
	$(SWIFT) build $(RELEASE) --product earshot-agent $(WITH_HTTP)
	install -D -s --strip-program=scripts/strip.sh -m 755 $(BUILT)/release/earshot-agent $(DESTDIR)$(PREFIX)/bin/earshot-agent
	@$(call link_agent_commands,$(DESTDIR)$(PREFIX)/bin)
	install -d "$(UNITS)"
	install -m 644 Sources/Programs/systemd/earshot-agent.socket "$(UNITS)/earshot-agent.socket"
	sed 's|@BIN@|$(PREFIX)/bin|' Sources/Programs/systemd/earshot-agent.service.in > "$(UNITS)/earshot-agent.service"
	chmod 644 "$(UNITS)/earshot-agent.service"
	@# Under another name the program says of itself what the manual and the completions need.
	@ln -sf earshot-agent $(BUILT)/release/earshot-background
	$(call install_texts,$(BUILT)/release/earshot $(BUILT)/release/earshot-messages $(BUILT)/release/earshot-background)
	@rm -f $(BUILT)/release/earshot-background
	@echo 'Each user: systemctl --user enable --now earshot-agent.socket earshot-agent.service'

# Debian's packages use a folder with the architecture's name.
LIBDIR ?= $(PREFIX)/lib
install-c: swift ## Install libearshot.so, libearshot.a, earshot.h and a pkg-config file: the modem for C
	@scripts/install-dependencies.sh c
	@PREFIX=$(PREFIX) LIBDIR=$(LIBDIR) SWIFT=$(SWIFT) Bindings/c/library.sh .build/c/installed
	install -d "$(DESTDIR)$(LIBDIR)/pkgconfig" "$(DESTDIR)$(PREFIX)/include" "$(DESTDIR)$(PREFIX)/share/earshot"
	cp -P .build/c/installed/lib/libearshot.* "$(DESTDIR)$(LIBDIR)/"
	install -m 644 .build/c/installed/lib/pkgconfig/earshot.pc "$(DESTDIR)$(LIBDIR)/pkgconfig/"
	install -m 644 .build/c/installed/include/earshot.h "$(DESTDIR)$(PREFIX)/include/"
	install -m 644 .build/c/installed/share/earshot/valgrind.supp "$(DESTDIR)$(PREFIX)/share/earshot/"
	@[[ -n "$(DESTDIR)" ]] || Bindings/c/found.sh "$(LIBDIR)"

STANDALONE := Server/.build/standalone
# BoringSSL's code contains the names of its source files.
WITHOUT_PATHS := -Xcc -ffile-prefix-map=$(CURDIR)=.
install-server: swift ## Install the token service in PREFIX/bin, and its systemd unit (POSTGRES=1: with PostgreSQL)
	@scripts/install-dependencies.sh $(server_packages)
	$(SWIFT) build $(SERVER) --static-swift-stdlib --scratch-path $(STANDALONE) $(WITHOUT_PATHS)
	install -D -s --strip-program=scripts/strip.sh -m 755 $(STANDALONE)/release/earshotd $(DESTDIR)$(PREFIX)/bin/earshotd
	$(call install_texts,$(STANDALONE)/release/earshotd)
	install -d $(DESTDIR)$(PREFIX)/lib/systemd/system
	sed 's#@BIN@#$(PREFIX)/bin#' Server/Operation/earshotd.service >$(DESTDIR)$(PREFIX)/lib/systemd/system/earshotd.service
	chmod 644 $(DESTDIR)$(PREFIX)/lib/systemd/system/earshotd.service

uninstall: ## Remove everything from PREFIX that was installed there
	rm -f $(foreach name,earshot earshot-messages $(LINKED_COMMANDS:%=earshot-%) earshot-agent $(AGENT_COMMANDS:%=earshot-%) earshotd,"$(DESTDIR)$(PREFIX)/bin/$(name)")
	rm -f "$(UNITS)/earshot-agent.socket" "$(UNITS)/earshot-agent.service"
	rm -f "$(DESTDIR)$(PREFIX)/lib/systemd/system/earshotd.service"
	rm -f "$(DESTDIR)$(LIBDIR)"/libearshot.{a,so*} "$(DESTDIR)$(LIBDIR)/pkgconfig/earshot.pc" "$(DESTDIR)$(PREFIX)/include/earshot.h"
	rm -rf "$(DESTDIR)$(PREFIX)/share/earshot"
	scripts/install-texts.sh --remove "$(DESTDIR)$(PREFIX)/share" earshot earshotd

test-install: swift ## Install earshot into a temporary folder, run it, and uninstall it: no file may stay
	@scripts/install-dependencies.sh test
	@MAKE='$(MAKE)' scripts/test-install.sh
