// The demo page, served by earshotd, and the commands publish and subscribe find each other by sound, and exchange messages
// through the service. EARSHOTD names the service's program; EARSHOT_BROWSER=firefox takes Firefox in place of Chromium.

import assert from 'node:assert/strict';
import {test} from 'node:test';
import {createServer} from 'node:net';
import path from 'node:path';
import {fileURLToPath} from 'node:url';
import {Browser} from './support/browser.mjs';
import {Firefox} from './support/firefox.mjs';
import {Program} from './support/programs.mjs';
import {pageFolder} from './support/server.mjs';
import {Room} from './support/sound.mjs';

const executable = process.env.EARSHOTD
    ?? fileURLToPath(new URL('../../../Server/.build/debug/earshotd', import.meta.url));
const waitSeconds = 90;

const freePort = () => new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
        const {port} = server.address();
        server.close(() => resolve(port));
    });
});

async function waitUntil(what, isDone) {
    const end = Date.now() + 1000 * waitSeconds;
    while (!await isDone()) {
        if (Date.now() > end) assert.fail(`waited ${waitSeconds} s: ${await what()}`);
        await new Promise((resolve) => setTimeout(resolve, 100));
    }
}

test('a page and the commands exchange messages', async (context) => {
    const room = await Room.open();
    const {environment} = room;
    const database = path.join(room.folder, 'earshotd.sqlite');
    const manage = async (...words) => {
        const program = new Program('earshotd', [...words, '--database', database], {environment, executable});
        const code = await program.ended();
        assert.equal(code, 0, program.errors);
        return program.lines[0];
    };
    await manage('project', 'create', 'demo');
    const browserKey = await manage('key', 'create', 'demo', '--browser');
    const key = await manage('key', 'create', 'demo');
    const port = await freePort();
    const service = new Program('earshotd', ['serve', '--web', pageFolder, '--port', String(port), '--no-operations', '--database', database],
        {environment, executable});
    const url = `http://127.0.0.1:${port}`;
    await waitUntil(() => service.errors, () => fetch(`${url}/healthz`).then(({ok}) => ok, () => false));
    const browser = await (process.env.EARSHOT_BROWSER === 'firefox' ? Firefox : Browser).start({environment});
    const programs = [];
    const start = (...words) => {
        const program = new Program('earshot-messages', [...words, '--medium', 'audio', '--service', url, '--json'],
            {environment: {...environment, EARSHOT_KEY: key}});
        programs.push(program);
        return program;
    };
    context.after(async () => {
        for (const program of programs) await program.interrupt();
        await browser.close();
        await service.interrupt();
        await room.close();
    });

    const page = await browser.open(`${url}/`);
    await page.click('#listen');
    await page.until(() => document.querySelector('#listen').getAttribute('aria-pressed') === 'true');
    // The page's own server is a token service, so the page fills its address in.
    assert.equal(await page.until(() => document.querySelector('#server').value), url);
    // A key for programs does not work in a page, and the page says so.
    await page.fill('#key', key);
    await page.click('#connect-button');
    await page.until(() => document.querySelector('#messages-problems li[data-code="service_refusing"]'));
    assert.equal(await page.run(() => document.querySelector('#messages-status').textContent), 'Not connected');
    await page.fill('#key', browserKey);
    await page.click('#connect-button');
    await page.until(() => document.querySelector('#messages-status').textContent.startsWith('Connected'));
    await page.fill('#message', 'Hello from the page');
    await page.click('#publish-button');
    await page.until(() => document.querySelector('#published li'));

    const subscriber = start('subscribe');
    const publisher = start('publish', 'Hello from a terminal');
    const found = () => subscriber.lines.map((line) => JSON.parse(line))
        .some(({event, text}) => event === 'found' && text === 'Hello from the page');
    const state = async () => [await page.text(), ...subscriber.lines, subscriber.errors, ...publisher.lines, publisher.errors].join('\n');
    await waitUntil(state, found);
    await waitUntil(state, () => page.run(() => document.querySelector('#found')?.innerText.includes('Hello from a terminal')));

    // What is taken back is lost.
    await page.click('#published button');
    await waitUntil(state, () => subscriber.lines.map((line) => JSON.parse(line))
        .some(({event, text}) => event === 'lost' && text === 'Hello from the page'));
    await publisher.interrupt();
    await waitUntil(state, () => page.run(() => !document.querySelector('#found li:not(.is-lost)')));
    // The page remembers what it was told.
    const again = await browser.open(`${url}/`);
    assert.equal(await again.run(() => document.querySelector('#key').value), browserKey);
    await again.click('#forget');
    await again.until(() => localStorage.getItem('earshot') === null);
    // The browser itself notes the refusal of the wrong key.
    assert.deepEqual(page.errors.filter((error) => !/status of 403/.test(error)), []);
});
