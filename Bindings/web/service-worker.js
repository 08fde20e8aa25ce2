// Stores the page's files, so that the page opens without a network, for example from the home screen. A file comes
// from the network whenever that answers in time: a new version is never hidden by an old one.

/** All files of the demo page; a test compares them with the folder. */
const files = [
    './', 'capture-worklet.js', 'clock-watch.js', 'demo.css', 'demo-texts.js', 'demo.js', 'discovery.js', 'earshot.js',
    'earshot.wasm', 'earshot.webmanifest', 'found.js', 'icon-192.png', 'icon-512.png', 'icon.svg', 'messages.js', 'modem.js', 'options.js',
    'receiver-worker.js', 'sealed-service.js', 'sealing.js', 'service.js', 'sightings.js', 'waterfall.js',
];
const cacheName = 'earshot-page';
/** A network that is connected but passes nothing on must not keep the page from opening. */
const patienceSeconds = 4;
/** After a file that came too late, others do not wait for the network: the page's modules import each other in a chain of five. */
const impatienceSeconds = 60;
let tooSlowUntil = -Infinity;

const addresses = new Set(files.map((name) => new URL(name, self.registration.scope).href));

self.addEventListener('install', (event) => {
    const requests = [...addresses].map((address) => new Request(address, {cache: 'reload'}));
    event.waitUntil(caches.open(cacheName).then((cache) => cache.addAll(requests)).then(() => self.skipWaiting()));
});

self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));

self.addEventListener('fetch', (event) => {
    // This worker ignores the service's interface and everything else.
    const address = event.request.url.replace(/[?#].*$/, '');
    if (event.request.method === 'GET' && addresses.has(address)) event.respondWith(answer(event, address));
});

async function answer(event, address) {
    const cache = await caches.open(cacheName);
    const fetched = fetch(event.request);
    event.waitUntil(fetched.then((response) => response.status === 200 && cache.put(address, response.clone())).catch(() => {}));
    const seconds = performance.now() / 1000 < tooSlowUntil ? 0 : patienceSeconds;
    const patience = new Promise((resolve) => setTimeout(resolve, 1000 * seconds, undefined));
    const response = await Promise.race([fetched.catch(() => null), patience]);
    if (response) return response;
    if (response === undefined) tooSlowUntil = performance.now() / 1000 + impatienceSeconds;
    return await cache.match(address) ?? fetched;
}
