// The demo page in a real Chromium, which hears and speaks through a virtual sound card.

import assert from 'node:assert/strict';
import {after, before, describe, test} from 'node:test';
import {readFile} from 'node:fs/promises';
import path from 'node:path';
import {Browser} from './support/browser.mjs';
import {pageFolder, serve} from './support/server.mjs';
import {Room} from './support/sound.mjs';
import {writeWav} from './support/wav.mjs';
import {Modem} from '../modem.js';

let room, server, browser, modem;

before(async () => {
    room = await Room.open();
    server = await serve();
    browser = await Browser.start({
        environment: room.environment, flags: ['--host-resolver-rules=MAP earshot.test 127.0.0.1'],
    });
    modem = await Modem.load(await readFile(path.join(pageFolder, 'earshot.wasm')));
});

after(async () => {
    await browser?.close();
    await server?.close();
    await room?.close();
});

/** Opens the demo page of a server of its own, because a permission is an origin's. */
async function openPage(context, {replaced, ...options} = {}) {
    const own = replaced === undefined ? server : await serve({replaced});
    const page = await browser.open(own.url, options);
    context.after(async () => {
        await page.close();
        if (own !== server) await own.close();
    });
    return page;
}

async function startListening(page) {
    await page.click('#listen');
    await page.until(() => document.querySelector('#listen').getAttribute('aria-pressed') === 'true');
}

/** Plays a payload into the room with another program. */
async function play(payload, options = {}) {
    const samples = modem.transmit(payload, {sampleRateHertz: 48000, profile: 'fast', ...options});
    // A stream that begins or ends with the frame would lose a part of it on a busy machine.
    const padded = new Float32Array(samples.length + 48000);
    padded.set(samples, 24000);
    const wav = path.join(room.folder, `${Date.now()}.wav`);
    await writeWav(wav, padded, 48000);
    await room.play(wav);
}

/** The browser closes a microphone a moment after the page. */
async function untilRecordingCount(count) {
    const end = Date.now() + 20000;
    while (await room.recordingCount() > count && Date.now() < end) await new Promise((resolve) => setTimeout(resolve, 100));
    assert.equal(await room.recordingCount(), count);
}

const bytes = (text) => new TextEncoder().encode(text);

/** Problems that the page shows, by their codes. */
const shownProblems = () => Object.fromEntries(
    [...document.querySelectorAll('.problems li')].map((item) => [item.dataset.code, item.textContent]));

/** The item of a payload in the list of those near. */
const nearItem = (hex) => document.querySelector(`#near li[data-hex="${hex}"]`)?.innerText;

/** Plays it until the page has it in its list: a busy machine loses sound now and then. */
async function playUntilHeard(page, payload, options) {
    const hex = Buffer.from(payload).toString('hex');
    for (let trial = 0; trial < 4; trial += 1) {
        await play(payload, options);
        const end = Date.now() + 4000;
        while (Date.now() < end) {
            const item = await page.run(nearItem, hex);
            if (item) return item;
        }
    }
    return assert.fail(`the page did not hear ${hex}; it says: ${await page.text()}`);
}

test('the browser\'s WebCrypto agrees with the vectors of sealed messages', async (context) => {
    const page = await openPage(context);
    const vectors = JSON.parse(await readFile(
        new URL('../../../Tests/Nearby/EarshotSealingTests/Vectors/sealing.json', import.meta.url), 'utf8'));
    const opened = await page.run(async (all) => {
        const {deriveToken, openMessage, tagOf, unwrapKey} = await import('./sealing.js');
        const {fromHex, toHex} = await import('./service.js');
        return Promise.all(all.map(async ({salt, rounds, token, namespace, type, sealed, wrapped}) => {
            const terms = {salt: fromHex(salt), rounds};
            const derived = await deriveToken(token, terms);
            const contentKey = await unwrapKey(derived, fromHex(wrapped));
            const message = await openMessage(fromHex(sealed), contentKey);
            return {
                salt, rounds, token, identifier: derived.identifier, wrapping_key: toHex(derived.wrappingKey),
                namespace: message.namespace, type: message.type, content: toHex(message.content),
                namespace_tag: await tagOf('namespace', namespace, terms), type_tag: await tagOf('type', type, terms),
                content_key: toHex(contentKey), sealed, wrapped,
            };
        }));
    }, vectors);
    assert.deepEqual(opened, vectors);
});

test('the page loads under its security policy, and everything comes from its own folder', async (context) => {
    const page = await openPage(context);
    await page.until(() => document.querySelector('#say-button').textContent.includes(' s'));
    await startListening(page);
    // The page asks whether its server is a token service; the browser notes that this one is none.
    assert.deepEqual(page.errors.filter((error) => !error.includes('/v1/openapi.json')), []);
    const origins = await page.run(() => [...new Set(performance.getEntriesByType('resource').map(({name}) => new URL(name).origin))]);
    assert.deepEqual(origins, [new URL(server.url).origin]);
    // The policy is in force.
    const refused = await page.run(() => new Promise((resolve) => {
        document.addEventListener('securitypolicyviolation', (event) => resolve(event.effectiveDirective), {once: true});
        const script = document.createElement('script');
        script.textContent = 'window.wasRun = true';
        document.head.append(script);
    }));
    assert.equal(refused, 'script-src-elem');
});

test('all controls have names, and fingers can hit them', async (context) => {
    const page = await openPage(context);
    await page.setScreen({width: 390, height: 844, scale: 2, isPhone: true});
    const {nodes} = await page.call('Accessibility.getFullAXTree');
    const controls = nodes.filter(({role, ignored}) => !ignored
        && ['button', 'textbox', 'radio', 'combobox', 'meter', 'img'].includes(role?.value));
    assert.ok(controls.length >= 10, `${controls.length} controls`);
    assert.deepEqual(controls.filter(({name}) => !name?.value).map(({role}) => role.value), []);
    const small = await page.run(() => [...document.querySelectorAll('button, input:not([type=radio]), .choice span, select')]
        .filter((control) => control.offsetParent !== null)
        .map((control) => [control.id || control.textContent, control.getBoundingClientRect()])
        .filter(([, {width, height}]) => height < 44 || width < 44).map(([name]) => name));
    assert.deepEqual(small, []);
    assert.equal(await page.run(() => document.documentElement.scrollWidth), 390);
});

test('what another program plays is in the list and on the waterfall', async (context) => {
    const page = await openPage(context);
    const levelText = () => document.querySelector('#level').getAttribute('aria-valuetext');
    assert.equal(await page.run(levelText), 'not listening');
    await startListening(page);
    // The microphone opens after the button says so.
    await page.until(() => document.querySelector('#level').getAttribute('aria-valuetext') !== 'not listening');
    // The colour of tones in the picture.
    const tonePixels = () => {
        const canvas = document.querySelector('#waterfall');
        const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
        let count = 0;
        for (let place = 0; place < data.length; place += 4) {
            count += Math.abs(data[place] - 0xe2) + Math.abs(data[place + 1] - 0x52) + Math.abs(data[place + 2] - 0x1b) < 30;
        }
        return count;
    };
    await page.setScreen({width: 1280, height: 800});
    assert.equal(await page.run(tonePixels), 0);
    let isPlaying = true;
    const hearing = playUntilHeard(page, bytes('Hall 3, 14:00')).finally(() => isPlaying = false);
    // Meanwhile, the number of the level agrees with its bar.
    const levels = new Set();
    while (isPlaying) {
        const {text, share, value} = await page.run(() => ({
            text: document.querySelector('#level-text').textContent,
            share: Number(document.querySelector('#level div').style.transform.match(/[\d.]+/)[0]),
            value: document.querySelector('#level').getAttribute('aria-valuenow'),
        }));
        const decibels = text === 'no sound' ? -100 : Number(text.replace('−', '-').replace(' dBFS', ''));
        assert.equal(decibels, Math.round(100 * share - 100), text);
        assert.equal(value, String(decibels));
        levels.add(decibels);
    }
    const item = await hearing;
    assert.ok([...levels].some((decibels) => decibels > -60), [...levels].join(' '));
    assert.match(item, /Hall 3, 14:00/);
    assert.match(item, /fast/);
    assert.match(item, /very clear \(\d+ dB\)/);
    assert.match(item, /just now/);
    await page.until(tonePixels);
    const token = Buffer.from('c0ffee1234567890', 'hex');
    assert.match(await playUntilHeard(page, new Uint8Array(token), {profile: 'standard'}), /c0ff ee12 3456 7890/);
    assert.match(await page.run(() => document.querySelector('#near-count').textContent), /2 heard/);
    assert.deepEqual(await page.run(() => document.querySelectorAll('#near li').length), 2);
});

// Each in a window of its own: these wait, and use no sound of the others.
describe('what needs no sound', {concurrency: true}, () => {
    test('bad input is explained below its field, in the colour of errors', async (context) => {
        const page = await openPage(context, {hasWindow: true});
        const wrongColour = await page.run(() => {
            const probe = document.createElement('p');
            probe.style.color = 'var(--error)';
            document.body.append(probe);
            const {color} = getComputedStyle(probe);
            probe.remove();
            return color;
        });
        const shown = (selector) => page.run((wanted) => {
            const text = document.querySelector(wanted);
            return [text.textContent, getComputedStyle(text).color, text.offsetParent !== null];
        }, selector);
        await page.click('input[value="token"] + span');
        await page.fill('#payload', 'abc');
        assert.deepEqual(await shown('#payload-size'), ['A digit is missing: 3 digits, but each byte has two.', wrongColour, true]);
        assert.equal(await page.run(() => document.querySelector('#payload').getAttribute('aria-invalid')), 'true');
        await page.fill('#payload', 'abcd');
        const [text, colour] = await shown('#payload-size');
        assert.equal(text, '2 bytes');
        assert.notEqual(colour, wrongColour);
        // Nothing is sent, and the attempt does not begin.
        await page.fill('#server', 'tokens.example');
        await page.click('#connect-button');
        assert.match((await shown('#server-problem')).join(' '), new RegExp(`is no address.*${wrongColour.replace(/[()]/g, '.')} true`));
        assert.match((await shown('#key-problem'))[0], /^Write a browser key/);
        assert.equal(await page.run(() => document.querySelector('#messages-status').textContent), 'Not connected');
        assert.equal(await page.run(() => document.activeElement.id), 'server');
        await page.fill('#server', 'https://tokens.example');
        assert.equal((await shown('#server-problem'))[2], false);
    });

    test('another server is no token service, and the attempt to connect ends', async (context) => {
        const page = await openPage(context, {hasWindow: true});
        await page.setScreen({width: 390, height: 844, scale: 2, isPhone: true});
        // This server is none, so the field is empty.
        await page.until(() => performance.getEntriesByType('resource').some(({name}) => name.endsWith('/v1/openapi.json')));
        assert.equal(await page.run(() => document.querySelector('#server').value), '');
        const status = () => page.run(() => document.querySelector('#messages-status').textContent);
        const problem = () => page.until(() => document.querySelector('#messages-problems li')?.dataset.code
            && [document.querySelector('#messages-problems li').dataset.code, document.querySelector('#messages-problems').innerText]);
        await page.fill('#server', server.url);
        await page.fill('#key', 'some-key');
        await page.click('#connect-button');
        const [code, text] = await problem();
        assert.equal(code, 'service_invalid');
        assert.match(text, /not from a token service: it has no such path\. Check the address/);
        assert.equal(await status(), 'Not connected');
        assert.equal(await page.run(() => document.querySelector('#connect-button').textContent), 'Connect');
        // The error is where the user is, and stays.
        const {top, bottom} = await page.run(() => document.querySelector('#messages-problems').getBoundingClientRect().toJSON());
        assert.ok(top >= 0 && bottom <= 844, `${top} to ${bottom}`);
        // What was wrong is not remembered.
        assert.equal(await page.run(() => localStorage.getItem('earshot')), null);

        // A service that does not answer is waited for, but not for ever. The test's clock runs faster.
        await page.run(() => {
            const [wait, ask] = [setTimeout, fetch];
            window.setTimeout = (action, milliseconds, ...rest) => wait(action, milliseconds === 20000 ? 500 : milliseconds, ...rest);
            window.fetch = (address, options) => String(address).endsWith('/v1/devices') ? new Promise(() => {}) : ask(address, options);
        });
        await page.click('#connect-button');
        assert.equal(await status(), 'Connecting …');
        await page.until(() => document.querySelector('#messages-problems').innerText.includes('has answered for 20 s'));
        assert.equal(await status(), 'Not connected');

        // The page's own policy forbids other servers.
        const strict = await openPage(context, {
            hasWindow: true, replaced: {'index.html': (html) => html.replace("connect-src 'self' https:", "connect-src 'self'")},
        });
        await strict.fill('#server', 'https://127.0.0.1:9');
        await strict.fill('#key', 'some-key');
        await strict.click('#connect-button');
        await strict.until(() => document.querySelector('#messages-problems').innerText.includes('the security policy of its own server forbids it'));
        assert.equal(await strict.run(() => document.querySelector('#messages-status').textContent), 'Not connected');
    });

    test('a long message does not squeeze its button', async (context) => {
        const page = await openPage(context, {hasWindow: true});
        await page.setScreen({width: 390, height: 844, scale: 2, isPhone: true});
        const heights = await page.run(() => ['a', 'Coffee is ready in the kitchen', 'x'.repeat(300)].map(text => {
            const [item, button] = [document.createElement('li'), document.createElement('button')];
            button.textContent = 'Take back';
            item.append(Object.assign(document.createElement('span'), {textContent: text}), button);
            document.querySelector('#published').append(item);
            return [button.offsetHeight, item.scrollWidth <= item.clientWidth];
        }));
        assert.deepEqual(heights, heights.map(() => [heights[0][0], true]));
    });

    test('what is wrong with hearing stays in view', async (context) => {
        const page = await openPage(context, {allowsMicrophone: false, hasWindow: true});
        await page.setScreen({width: 390, height: 844, scale: 2, isPhone: true});
        await page.run(() => navigator.mediaDevices.getUserMedia = () => Promise.reject(Object.assign(new Error('gone'), {name: 'NotFoundError'})));
        await page.click('#listen');
        await page.until(() => document.querySelector('#hear-problems li[data-code="no-microphone"]'));
        await page.run(() => scrollTo({top: 900, behavior: 'instant'}));
        const {top, bottom} = await page.run(() => document.querySelector('#hear-problems').getBoundingClientRect().toJSON());
        assert.ok(top >= 0 && bottom < 844 / 2, `${top} to ${bottom}`);
    });

    test('the page is installable, and opens without its server', async (context) => {
        const own = await serve();
        const page = await browser.open(own.url, {hasWindow: true});
        context.after(() => page.close());
        await page.run(() => navigator.serviceWorker.ready.then(() => {}));
        const {errors} = await page.call('Page.getAppManifest');
        assert.deepEqual(errors, []);
        // A window of a private profile is never installed; nothing else may be wrong.
        const {installabilityErrors} = await page.call('Page.getInstallabilityErrors');
        assert.deepEqual(installabilityErrors.filter(({errorId}) => errorId !== 'in-incognito'), []);
        assert.deepEqual(page.errors.filter((error) => !error.includes('/v1/openapi.json')), []);
        await page.until(() => navigator.serviceWorker.controller !== null);
        await own.close();
        await page.call('Page.reload', {ignoreCache: false});
        // The modem runs, so it came along.
        await page.until(() => document.querySelector('#say-button')?.textContent.includes(' s'));
        await page.click('#listen');
        await page.until(() => document.querySelector('#listen').getAttribute('aria-pressed') === 'true');
        assert.match(await page.text(), /Listening at/);
    });
});

test('what the page says is heard, and known as its own', async (context) => {
    const page = await openPage(context);
    await startListening(page);
    await page.fill('#payload', 'Hello');
    await page.click('input[value="fast"] + span');
    const said = async () => {
        await page.click('#say-button');
        await page.until(() => document.querySelector('#say-status').textContent === 'Said');
        await new Promise((resolve) => setTimeout(resolve, 500));
    };
    const hex = Buffer.from('Hello').toString('hex');
    for (let trial = 0; trial < 4 && !await page.run(nearItem, hex); trial += 1) await said();
    assert.match(await page.run(nearItem, hex), /this page/);
});

test('sayings play one after the other, stop when they are aborted, and refuse what is no payload', async (context) => {
    const page = await openPage(context);
    const result = await page.run(async () => {
        const {Earshot} = await import('./earshot.js');
        const order = [];
        const first = Earshot.say('0123456789abcdef', 'fast', {onStart: () => order.push('first begins')})
            .then(() => order.push('first ends'));
        const second = Earshot.say(new Uint8Array([1, 2, 3]), 'fast', {onStart: () => order.push('second begins')})
            .then(() => order.push('second ends'));
        await Promise.all([first, second]);
        const controller = new AbortController();
        const failures = [];
        await Earshot.say('0123456789abcdef', 'far', {
            signal: controller.signal, onStart: () => controller.abort(new Error('enough')),
        }).catch((error) => failures.push(error.message));
        for (const wrong of ['', 'xyz', 'abc', new Uint8Array(33), 7]) {
            await Earshot.say(wrong).catch((error) => failures.push(error.code));
        }
        await Earshot.say('00', 'loud').catch((error) => failures.push(error.name));
        await Earshot.say('00', 'fast', {amplitude: 2}).catch((error) => failures.push(error.name));
        const after = await Earshot.say('00', 'fast');
        return {order, failures, isPlayed: after.seconds > 0.1};
    });
    assert.deepEqual(result, {
        order: ['first begins', 'first ends', 'second begins', 'second ends'],
        failures: ['enough', ...Array(5).fill('bad-payload'), 'EarshotError', 'EarshotError'],
        isPlayed: true,
    });
});

test('a page without permission says so, and starts when it is given', async (context) => {
    const own = await serve();
    const page = await browser.open(own.url, {allowsMicrophone: false});
    context.after(async () => {
        await page.close();
        await own.close();
    });
    await page.click('#listen');
    const problems = await page.until(() => {
        const item = document.querySelector('#hear-problems li[data-code="permission-denied"]');
        return item && [item.textContent, document.querySelector('#hear-problems').getAttribute('role')];
    });
    assert.match(problems[0], /may not use the microphone\. Allow it/);
    assert.equal(problems[1], 'alert');
    assert.equal(await page.run(() => document.querySelector('#listen-status').textContent), 'Not listening');
    await browser.call('Browser.setPermission', {
        permission: {name: 'microphone'}, setting: 'granted', origin: new URL(own.url).origin,
    });
    await startListening(page);
    assert.deepEqual(await page.run(shownProblems), {});
});

test('a browser that cancels echoes although it was asked not to is reported', async (context) => {
    // This is the browser's own processing: its answer to getSettings is true.
    const page = await openPage(context, {
        script: `const original = navigator.mediaDevices?.getUserMedia;
            if (original) navigator.mediaDevices.getUserMedia = function ({audio}) {
                window.wanted = audio;
                return original.call(this, {audio: {echoCancellation: true, noiseSuppression: true, autoGainControl: true}});
            };`,
    });
    await startListening(page);
    const problems = await page.run(shownProblems);
    assert.match(problems['echo-cancellation-on'], /cancels echoes although the page asked it not to/);
    assert.match(problems['noise-suppression-on'], /suppresses noise/);
    assert.match(problems['auto-gain-on'], /gain/);
    assert.deepEqual(await page.run(() => window.wanted), {
        echoCancellation: false, noiseSuppression: false, autoGainControl: false,
    });
    // A browser that does not tell is reported as well.
    const silent = await openPage(context, {
        script: `const original = MediaStreamTrack.prototype.getSettings;
            MediaStreamTrack.prototype.getSettings = function () {
                const {noiseSuppression, ...rest} = original.call(this);
                return rest;
            };`,
    });
    await startListening(silent);
    assert.match((await silent.run(shownProblems))['processing-unknown'], /does not say .*\(noiseSuppression\)/);
});

test('a page that is not secure says so', async (context) => {
    const page = await browser.open(`http://earshot.test:${server.port}/`);
    context.after(() => page.close());
    assert.match((await page.run(shownProblems))['insecure-context'], /https:/);
    await page.click('#listen');
    await page.until(() => document.querySelector('#hear-problems li[data-code="insecure-context"]'));
});

test('what cannot be opened is said in words', async (context) => {
    const page = await openPage(context, {
        script: 'if (navigator.mediaDevices) navigator.mediaDevices.getUserMedia = () => Promise.reject(window.refusal);',
    });
    const texts = await page.run(async () => {
        const {Earshot} = await import('./earshot.js');
        const found = {};
        for (const name of ['NotAllowedError', 'NotFoundError', 'NotReadableError', 'OverconstrainedError', 'TypeError']) {
            window.refusal = Object.assign(new Error('refused'), {name});
            await Earshot.listen(() => {}).catch((error) => found[name] = error.code);
        }
        const Context = window.AudioContext;
        window.AudioContext = class extends Context {
            constructor(options) {
                super({...options, sampleRate: 16000});
            }
        };
        await Earshot.listen(() => {}).catch((error) => found.rate = [error.code, error.text]);
        const {validate} = WebAssembly;
        // As in Safari before 16.4, which knows no SIMD.
        WebAssembly.validate = () => false;
        await Earshot.listen(() => {}).catch((error) => found.listenWithoutSIMD = error.code);
        await Earshot.say('00').catch((error) => found.sayWithoutSIMD = error.code);
        WebAssembly.validate = validate;
        window.AudioContext = undefined;
        await Earshot.listen(() => {}).catch((error) => found.context = error.code);
        return found;
    });
    assert.equal(texts.rate[0], 'rate-too-low');
    assert.match(texts.rate[1], /below 44\.1 kHz.*\(16000 Hz\)/);
    delete texts.rate;
    assert.deepEqual(texts, {
        NotAllowedError: 'permission-denied', NotFoundError: 'no-microphone', NotReadableError: 'microphone-busy',
        OverconstrainedError: 'no-microphone', TypeError: 'no-microphone-access', context: 'no-audio',
        listenWithoutSIMD: 'no-audio', sayWithoutSIMD: 'no-audio',
    });
});

test('a modem that cannot be loaded is said in words', async (context) => {
    const page = await openPage(context, {replaced: {'earshot.wasm': 'no module'}});
    await page.click('#listen');
    await page.until(() => document.querySelector('#hear-problems li[data-code="modem-not-loaded"]'));
    await page.until(() => document.querySelector('#listen-status').textContent === 'Not listening');
});

test('a page in the background goes on hearing, and says where it is', async (context) => {
    const page = await openPage(context);
    await startListening(page);
    const other = await browser.open('about:blank');
    context.after(() => other.close());
    await other.toFront();
    await page.until(() => document.visibilityState === 'hidden');
    assert.match((await page.run(shownProblems)).background, /continues to listen/);
    await playUntilHeard(page, bytes('behind'));
    await page.toFront();
    await page.until(() => document.visibilityState === 'visible');
    assert.equal((await page.run(shownProblems)).background, undefined);
});

test('a context that is paused is said, and a tap starts it again', async (context) => {
    const page = await openPage(context);
    await page.run(async () => {
        const {Earshot} = await import('./earshot.js');
        window.codes = [];
        window.receiver = await Earshot.listen(() => {}, {
            onProblem: ({code}) => window.codes.push(code), onSolved: ({code}) => window.codes.push(`not ${code}`),
        });
    });
    await page.until(() => window.receiver.context.state === 'running');
    await page.run(() => window.receiver.context.suspend());
    await page.until(() => window.codes.includes('suspended'));
    await page.click('h1');
    await page.until(() => window.codes.includes('not suspended'));
    await page.run(() => window.receiver.stop());
});

/** Makes each so-manieth call of a Worker's receiver a real trap: an access beyond the module's memory. */
const trapping = (isTrap) => (text) => `${text}
    const makeReceiver = Modem.prototype.receiver;
    let callCount = 0;
    Modem.prototype.receiver = function (options) {
        const receiver = makeReceiver.call(this, options);
        const push = receiver.push;
        receiver.push = (samples) => {
            callCount += 1;
            if (${isTrap}) this._call('earshot_receiver_push_float', -16, -16, 1000);
            return push.call(receiver, samples);
        };
        return receiver;
    };`;

test('a fault of the modem is survived and said', async (context) => {
    const page = await openPage(context, {replaced: {'modem.js': trapping('callCount === 20')}});
    await startListening(page);
    const text = await page.until(() => document.querySelector('#hear-problems li[data-code="modem-restarted"]')?.textContent);
    assert.match(text, /had a fault and was started again.*\(1: .*memory/);
    await playUntilHeard(page, bytes('after a fault'));
});

test('a modem that fails again and again is given up', async (context) => {
    const page = await openPage(context, {replaced: {'modem.js': trapping('true')}});
    await page.click('#listen');
    await page.until(() => document.querySelector('#hear-problems li[data-code="modem-failed"]'));
    assert.match((await page.run(shownProblems))['modem-restarted'], /\(5: /);
});

test('a gap in the sound keeps the time right, and a frame with a hole in it is decoded', async (context) => {
    const page = await openPage(context);
    // The real worklet and Worker, on a context that renders as fast as it can: nothing here depends on the machine's speed.
    const result = await page.run(async () => {
        const {Earshot} = await import('./earshot.js');
        const sampleRate = 48000;
        const context = new OfflineAudioContext(1, 6 * sampleRate, sampleRate);
        const modem = await Earshot.modem();
        const first = modem.transmit(new Uint8Array([1, 2, 3, 4, 5, 6, 7, 8]), {sampleRateHertz: sampleRate});
        const second = modem.transmit(new Uint8Array([8, 7, 6, 5, 4, 3, 2, 1]), {sampleRateHertz: sampleRate});
        // Whole render quanta: 128 frames.
        const start = 128 * 375;
        const hole = 128 * 40;
        const middle = 128 * 200;
        const secondStart = 128 * 1250;
        const buffer = new AudioBuffer({length: context.length, sampleRate});
        buffer.copyToChannel(first, 0, start);
        buffer.copyToChannel(second, 0, secondStart);
        const player = new AudioBufferSourceNode(context, {buffer});
        const entry = new GainNode(context);
        player.connect(entry);
        // It goes on playing while nobody listens.
        entry.connect(context.destination);
        player.start();
        // What the listener connects is taken off for a while, twice: within a frame, and between frames.
        const nodes = [];
        const connect = entry.connect;
        entry.connect = (node) => {
            nodes.push(node);
            return connect.call(entry, node);
        };
        for (const [frame, frameCount] of [[start + middle, hole], [start + 128 * 600, 3 * hole]]) {
            context.suspend(frame / sampleRate).then(() => {
                for (const node of nodes) entry.disconnect(node);
                return context.resume();
            });
            context.suspend((frame + frameCount) / sampleRate).then(() => {
                for (const node of nodes) connect.call(entry, node);
                return context.resume();
            });
        }
        const tokens = [];
        const gaps = [];
        const receiver = await Earshot.listen((token) => tokens.push(token), {
            source: entry, onGap: (sampleCount, startSeconds) => gaps.push([sampleCount, startSeconds]),
        });
        await context.startRendering();
        await receiver.stop();
        return {
            gaps, start, hole, middle, secondStart, lost: receiver.lostSampleCount, count: receiver.gapCount,
            tokens: tokens.map(({hex, startSample}) => [hex, startSample]), codes: receiver.problems.map(({code}) => code),
        };
    });
    assert.deepEqual(result.tokens.map(([hex]) => hex), ['0102030405060708', '0807060504030201']);
    assert.ok(Math.abs(result.tokens[0][1] - result.start) < 100, `${result.tokens[0][1]} is not ${result.start}`);
    assert.ok(Math.abs(result.tokens[1][1] - result.secondStart) < 100, `${result.tokens[1][1]} is not ${result.secondStart}`);
    const starts = [result.start + result.middle, result.start + 128 * 600];
    assert.deepEqual(result.gaps.map(([count, seconds]) => [count, Math.round(48000 * seconds)]),
        [[result.hole, starts[0]], [3 * result.hole, starts[1]]]);
    assert.equal(result.count, 2);
    assert.equal(result.lost, 4 * result.hole);
    assert.ok(result.codes.includes('sound-lost'));
});

test('stopping gives the microphone back', async (context) => {
    const page = await openPage(context);
    const before = await room.recordingCount();
    await startListening(page);
    assert.equal(await room.recordingCount(), before + 1);
    await page.click('#listen');
    await page.until(() => document.querySelector('#listen').getAttribute('aria-pressed') === 'false');
    await untilRecordingCount(before);
    // And again.
    await startListening(page);
    await playUntilHeard(page, bytes('again'));
    assert.deepEqual(page.errors.filter((error) => !error.includes('/v1/openapi.json')), []);
});

test('a listener that is aborted while it starts leaves nothing open', async (context) => {
    const page = await openPage(context);
    const before = await room.recordingCount();
    const message = await page.run(async () => {
        const {Earshot} = await import('./earshot.js');
        const controller = new AbortController();
        const starting = Earshot.listen(() => {}, {signal: controller.signal});
        controller.abort(new Error('changed my mind'));
        return starting.then(() => 'started', (error) => error.message);
    });
    assert.equal(message, 'changed my mind');
    await untilRecordingCount(before);
});

test('the sample of 30 lines hears and speaks with the files of the package alone', async (context) => {
    const html = await readFile(new URL('../../../Samples/Page/index.html', import.meta.url), 'utf8');
    assert.ok(html.trimEnd().split('\n').length <= 30);
    const own = await serve({under: 'node_modules/earshot/', replaced: {'index.html': html}});
    // Its script stands in the page, which the strict policy of the other tests forbids.
    const page = await browser.open(own.url, {allowsInlineScripts: true});
    context.after(async () => {
        await page.close();
        await own.close();
    });
    await page.click('#listen');
    await page.until(() => navigator.mediaDevices.enumerateDevices().then(([{label}]) => label !== ''));
    const heard = () => document.querySelector('#heard').innerText;
    for (let trial = 0; trial < 4 && !await page.run(heard); trial += 1) {
        await page.click('#say button');
        await new Promise((resolve) => setTimeout(resolve, 1500));
    }
    assert.match(await page.run(heard), /Hello \(fast\)/);
    assert.equal(await page.run(() => document.querySelector('#problem').textContent), '');
});
