// The module of the web page, for `wasm32-unknown-none-wasm`: the functions of earshot.h, and those of this target.
// Bindings/web/page.sh builds it; Bindings/web/modem.js calls it. Nothing runs when it is loaded.
