// What the demo page says about values, where it places tags, and which files it keeps.

import assert from 'node:assert/strict';
import {test} from 'node:test';
import {readFile, readdir} from 'node:fs/promises';
import {ageText, clarityOf, levelOf, readKey, readPayload, readServer} from '../demo-texts.js';
import {placeTags} from '../waterfall.js';

const folder = new URL('..', import.meta.url);

test('how well a token was heard is a word, with the figure after it', () => {
    const cases = [
        [-7, 'fast', 'faint (−7 dB)'], [0.9, 'fast', 'faint (1 dB)'], [1, 'fast', 'clear (1 dB)'], [18.9, 'fast', 'clear (19 dB)'],
        [19, 'fast', 'very clear (19 dB)'], [66, 'fast', 'very clear (66 dB)'],
        // A profile that carries further hears the same sound better.
        [-2, 'standard', 'clear (−2 dB)'], [-2, 'fast', 'faint (−2 dB)'], [-5.1, 'far', 'faint (−5 dB)'], [-5, 'far', 'clear (−5 dB)'],
        [-0.3, 'far', 'clear (0 dB)'],
    ];
    for (const [snrDecibels, profile, text] of cases) assert.equal(clarityOf(snrDecibels, profile).text, text);
    assert.equal(clarityOf(-6, 'fast').share, 0);
    assert.equal(clarityOf(-20, 'fast').share, 0);
    assert.equal(clarityOf(19, 'fast').share, 0.5);
    assert.equal(clarityOf(80, 'far').share, 1);
});

test('the number of the level and its bar are one value', () => {
    assert.deepEqual(levelOf(-Infinity), {text: 'no sound', decibels: -100, share: 0});
    assert.deepEqual(levelOf(-130), {text: 'no sound', decibels: -100, share: 0});
    assert.deepEqual(levelOf(-28.6), {text: '−29 dBFS', decibels: -29, share: 0.71});
    assert.deepEqual(levelOf(3), {text: '0 dBFS', decibels: 0, share: 1});
    for (let decibels = -120; decibels < 10; decibels += 0.7) {
        const level = levelOf(decibels);
        assert.equal(Math.round(100 * level.share - 100), level.decibels);
        if (level.share > 0) assert.equal(level.text, `${level.decibels} dBFS`.replace('-', '−'));
    }
});

test('what cannot be said is explained', () => {
    assert.deepEqual(readPayload('text', 'Hello'), {payload: new TextEncoder().encode('Hello'), text: '5 of 32 bytes'});
    assert.deepEqual(readPayload('token', 'C0 ff'), {payload: new Uint8Array([0xc0, 0xff]), text: '2 bytes'});
    assert.deepEqual(readPayload('token', '07'), {payload: new Uint8Array([7]), text: '1 byte'});
    const wrong = [
        ['text', '', /^Write something to say/],
        ['text', 'x'.repeat(33), /^Too long by 1 byte: 33 of 32 bytes/],
        ['text', 'é'.repeat(20), /^Too long by 8 bytes: 40 of 32 bytes\. Letters with accents and emoji take several/],
        ['token', ' ', /^Write two hexadecimal digits/],
        ['token', '0x12', /^“x” is no hexadecimal digit/],
        ['token', '12🙂', /^“🙂” is no hexadecimal digit/],
        ['token', 'abc', /^A digit is missing: 3 digits/],
        ['token', '00'.repeat(33), /^Too long: 33 bytes, but at most 32/],
    ];
    for (const [kind, value, text] of wrong) {
        const read = readPayload(kind, value);
        assert.equal(read.payload, undefined, value);
        assert.match(read.text, text);
    }
});

test('addresses and keys that cannot be right are explained', () => {
    const page = {origin: 'http://localhost:8000'};
    assert.deepEqual(readServer(' https://tokens.example/x// ', page), {server: 'https://tokens.example/x'});
    assert.deepEqual(readServer('http://localhost:8000', page), {server: 'http://localhost:8000'});
    for (const [value, text] of [
        ['', /^Write the address/], ['tokens.example', /“tokens\.example” is no address: it begins with https:/],
        ['http://tokens.example', /must begin with https:/], ['http://localhost:8001', /must begin with https:/],
        ['ftp://tokens.example', /must begin with https:/], ['https://me:secret@tokens.example', /no user name/],
    ]) assert.match(readServer(value, page).text, text);
    assert.deepEqual(readKey(' earshot-key-x '), {key: 'earshot-key-x'});
    assert.match(readKey(' ').text, /^Write a browser key/);
    assert.match(readKey('two words').text, /no spaces/);
    assert.match(readKey('ключ').text, /no special letters/);
});

test('times are in words', () => {
    assert.deepEqual([0, 3, 59.9, 60, 600].map(ageText), ['just now', '3 s ago', '59 s ago', '1 min ago', '10 min ago']);
});

test('tags lie within the picture, touch each other nowhere, and are cut nowhere', () => {
    // Each letter has 7 pixels.
    const picture = {width: 330, height: 200, widthOf: (text) => 7 * [...text].length};
    const [left] = placeTags([{start: -40, label: 'Hall 3, 14:00'}], picture);
    assert.deepEqual(left, {label: 'Hall 3, 14:00', left: 4, top: 6, width: 7 * 13 + 16});
    const [right] = placeTags([{start: 320, label: 'A long text, 32 bytes of it: yes'}], picture);
    assert.equal(right.left + right.width, 326);
    const [long] = placeTags([{start: 0, label: 'm'.repeat(80)}], picture);
    assert.ok(long.label.endsWith('m…') && long.width <= 322, long.label);
    // Random crowds; the seed is fixed.
    let state = 1;
    const random = () => (state = state * 48271 % 2147483647) / 2147483647;
    for (let trial = 0; trial < 300; trial += 1) {
        const frames = Array.from({length: 1 + Math.floor(20 * random())},
            () => ({start: 400 * random() - 60, label: 'x'.repeat(1 + Math.floor(60 * random()))})).sort((a, b) => a.start - b.start);
        const tags = placeTags(frames, picture);
        assert.ok(tags.length >= Math.min(frames.length, 7), `${tags.length} of ${frames.length}`);
        for (const [number, tag] of tags.entries()) {
            assert.ok(tag.left >= 4 && tag.left + tag.width <= 326 && tag.top >= 6 && tag.top + 20 <= 176);
            for (const other of tags.slice(number + 1)) {
                assert.ok(tag.top + 20 < other.top || other.top + 20 < tag.top
                    || tag.left + tag.width < other.left || other.left + other.width < tag.left);
            }
        }
    }
});

test('the page keeps each of its files for times without a network', async () => {
    const text = await readFile(new URL('service-worker.js', folder), 'utf8');
    const [, list] = text.match(/const files = \[(.*?)\];/s);
    const kept = [...list.matchAll(/'([^']+)'/g)].map(([, name]) => name);
    const shipped = (await readdir(folder)).filter((name) => /\.(css|js|svg|png|webmanifest)$/.test(name) && name !== 'service-worker.js');
    assert.deepEqual(kept.toSorted(), [...shipped, './', 'earshot.wasm'].toSorted());
    const manifest = JSON.parse(await readFile(new URL('earshot.webmanifest', folder), 'utf8'));
    for (const {src} of manifest.icons) assert.ok(kept.includes(src), src);
    // The page and its own policy name them too.
    const page = await readFile(new URL('index.html', folder), 'utf8');
    for (const name of ['earshot.webmanifest', 'icon.svg', 'icon-192.png']) assert.ok(page.includes(`href="${name}"`), name);
    assert.match(page, /manifest-src 'self'; img-src 'self'; base-uri/);
});

test('a network that passes nothing on delays the page by 4 s, not by 4 s a file', async () => {
    const text = await readFile(new URL('service-worker.js', folder), 'utf8');
    const handlers = {};
    const delays = [];
    let milliseconds = 0;
    let fetch = () => new Promise(() => {});
    const run = new Function('self', 'caches', 'fetch', 'setTimeout', 'performance', text);
    const cache = {match: async () => 'old', put: async () => {}, addAll: async () => {}};
    run(
        {registration: {scope: 'https://a.example/'}, addEventListener: (name, handler) => { handlers[name] = handler; }},
        {open: async () => cache}, (request) => fetch(request),
        (resolve, delay) => { delays.push(delay); milliseconds += delay; setImmediate(resolve); }, {now: () => milliseconds});
    const answer = (name) => new Promise((resolve) => handlers.fetch({
        request: {url: `https://a.example/${name}`, method: 'GET'}, waitUntil: () => {}, respondWith: resolve,
    }));
    for (const name of ['', 'demo.js', 'earshot.js', 'modem.js']) assert.equal(await answer(name), 'old');
    assert.deepEqual(delays, [4000, 0, 0, 0]);
    // A minute later the network gets its time again, and a network that is gone costs none.
    milliseconds += 60_000;
    assert.equal(await answer('modem.js'), 'old');
    assert.equal(delays.at(-1), 4000);
    milliseconds += 60_000;
    fetch = async () => ({status: 404});
    assert.deepEqual(await answer('modem.js'), {status: 404});
    fetch = async () => { throw new TypeError('no network'); };
    assert.equal(await answer('modem.js'), 'old');
});

test('no text of the page sends its visitors to the documentation of developers', async () => {
    for (const name of (await readdir(folder)).filter((one) => /\.(js|html)$/.test(one))) {
        const text = (await readFile(new URL(name, folder), 'utf8')).replace(/\/\*.*?\*\/|^\s*\/\/.*$/gms, '');
        assert.doesNotMatch(text, /docs\/|\.md\b/, name);
    }
});
