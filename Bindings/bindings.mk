## The modem for other languages, Bindings/

# The modem as WebAssembly, with modem.js and the page around it; its tests need the built programs too.
web: swift ## Build the web page: the modem as WebAssembly, .build/web/page
	@scripts/install-dependencies.sh web
	@SWIFT=$(SWIFT) Bindings/web/page.sh

test-web: build web ## Run the tests of the web page that need no browser
	@Bindings/web/test.sh $(BUILT)/release .build/web/page

npm: web ## Build the package for npm, .build/npm/earshot-….tgz
	@Bindings/web/npm.sh .build/web/page

wheel: swift ## Build the Python package, .build/python/dist/earshot-….whl
	@scripts/install-dependencies.sh python
	@SWIFT=$(SWIFT) Bindings/python/wheel.sh

test-python: build ## Build the Python package's wheel and run its tests
	@scripts/install-dependencies.sh python
	@SWIFT=$(SWIFT) Bindings/python/test.sh $(BUILT)/release/earshot

# libearshot.so and the programs around it.
test-c: swift ## Run the tests of the C interface, some of them under AddressSanitizer
	@scripts/install-dependencies.sh c
	@SWIFT=$(SWIFT) Bindings/c/test.sh
