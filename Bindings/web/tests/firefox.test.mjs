// The demo page in a real Firefox, Debian's firefox-esr, which hears and speaks through a virtual sound card. `make test-firefox`.

import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';
import {readFile} from 'node:fs/promises';
import path from 'node:path';
import {Firefox} from './support/firefox.mjs';
import {pageFolder, serve} from './support/server.mjs';
import {Room} from './support/sound.mjs';
import {writeWav} from './support/wav.mjs';
import {Modem} from '../modem.js';

const rateHertz = 48000;
const tokenCount = 15;

let room, server, browser, modem;

before(async () => {
    room = await Room.open();
    server = await serve();
    browser = await Firefox.start({environment: room.environment});
    modem = await Modem.load(await readFile(path.join(pageFolder, 'earshot.wasm')));
});

after(async () => {
    await browser?.close();
    await server?.close();
    await room?.close();
});

async function openPage(context, url = server.url) {
    const page = await browser.open(url);
    context.after(() => page.close());
    return page;
}

async function startListening(page) {
    await page.click('#listen');
    await page.until(() => document.querySelector('#listen').getAttribute('aria-pressed') === 'true');
}

/** Listens to the source of that name in place of the default one. Tokens and losses are in `window.heard` and `window.lostSeconds`. */
const listenTo = async (name) => {
    const {Earshot} = await import('./earshot.js');
    // Firefox names its devices after the first permission.
    for (const track of (await navigator.mediaDevices.getUserMedia({audio: true})).getTracks()) track.stop();
    const {deviceId} = (await navigator.mediaDevices.enumerateDevices()).find(({kind, label}) => kind === 'audioinput' && label.startsWith(name));
    window.heard = [];
    window.problems = [];
    window.receiver = await Earshot.listen(({hex}) => window.heard.push(hex), {deviceId, onProblem: ({code}) => window.problems.push(code)});
    return window.receiver.label;
};
const result = () => ({
    heard: window.heard, problems: window.problems, lostSeconds: window.receiver.lostSampleCount / window.receiver.sampleRateHertz,
});

const sleep = (seconds) => new Promise((resolve) => setTimeout(resolve, 1000 * seconds));

for (const source of ['Remapped Monitor', 'Monitor']) {
    test(`what comes through the source "${source}" is heard, or the page says that sound was lost`, async (context) => {
        const page = await openPage(context);
        assert.ok((await page.run(listenTo, source)).startsWith(source));
        const tokens = Array.from({length: tokenCount}, (_, number) => new Uint8Array(8).fill(number + 1));
        const pieces = tokens.flatMap((token) => [modem.transmit(token, {sampleRateHertz: rateHertz, profile: 'fast'}), new Float32Array(4800)]);
        const samples = new Float32Array(rateHertz + pieces.reduce((sum, {length}) => sum + length, 0));
        let place = rateHertz / 2;
        for (const piece of pieces) {
            samples.set(piece, place);
            place += piece.length;
        }
        const wav = path.join(room.folder, 'tokens.wav');
        await writeWav(wav, samples, rateHertz);
        await room.play(wav);
        // The clock shows a loss up to 4 s later.
        await sleep(4.5);
        const {heard, problems, lostSeconds} = await page.run(result);
        const sent = tokens.map((token) => Buffer.from(token).toString('hex'));
        const missed = sent.filter((hex) => !heard.includes(hex));
        context.diagnostic(`${sent.length - missed.length} of ${sent.length}, ${lostSeconds.toFixed(2)} s of sound lost`);
        assert.deepEqual(heard.filter((hex) => !sent.includes(hex)), []);
        if (missed.length > 0) assert.ok(problems.includes('sound-lost'), `${missed.length} missed, and the page says nothing`);
        await page.run(() => window.receiver.stop());
    });
}

test('sound that vanishes without a trace in the context\'s frames is found by the clock', async (context) => {
    const page = await openPage(context);
    await startListening(page);
    // The watch needs 4 s to know the clock's pace.
    await sleep(5);
    await browser.pause(1);
    const text = await page.until(() => document.querySelector('#hear-problems li[data-code="sound-lost"]')?.textContent);
    assert.match(text, /^Some sound was lost, because this machine was too busy/);
    context.diagnostic(text);
});

test('what the page says is heard, and known as its own', async (context) => {
    const page = await openPage(context);
    await startListening(page);
    await page.fill('#payload', 'Hello');
    await page.click('input[value="fast"]');
    const hex = Buffer.from('Hello').toString('hex');
    const nearItem = (wanted) => document.querySelector(`#near li[data-hex="${wanted}"]`)?.innerText;
    for (let trial = 0; trial < 4 && !await page.run(nearItem, hex); trial += 1) {
        await page.click('#say-button');
        await page.until(() => document.querySelector('#say-status').textContent === 'Said');
        await sleep(0.7);
    }
    assert.match(await page.run(nearItem, hex), /this page/);
});

test('another server is no token service, and bad input is explained', async (context) => {
    const page = await openPage(context);
    await page.click('input[value="token"]');
    await page.fill('#payload', 'abc');
    assert.match(await page.run(() => document.querySelector('#payload-size').textContent), /^A digit is missing/);
    await page.fill('#server', server.url);
    await page.fill('#key', 'some-key');
    await page.click('#connect-button');
    assert.match(await page.until(() => document.querySelector('#messages-problems').innerText), /not from a token service/);
    assert.equal(await page.run(() => document.querySelector('#messages-status').textContent), 'Not connected');
});

test('the page opens without its server', async (context) => {
    const own = await serve();
    const page = await openPage(context, own.url);
    await page.run(() => navigator.serviceWorker.ready.then(() => {}));
    await page.until(() => navigator.serviceWorker.controller !== null);
    await own.close();
    await page.load(own.url);
    await page.until(() => document.querySelector('#say-button')?.textContent.includes(' s'));
    await startListening(page);
});
