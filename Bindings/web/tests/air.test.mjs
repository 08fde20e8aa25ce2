// Tokens through the air, from page to page, from page to the command line, and from the command line to pages, at 44.1 and
// 48 kHz. EARSHOT_LONG_TESTS=1 sends 20 tokens a profile instead of 20 fast ones and a few of the others.
//
// A busy machine drops sound at the sender and at each receiver. So each receiver keeps the sound that it was given. Whatever
// `earshot decode` finds in that sound the receiver must have heard, however busy the machine is, and nothing else. A token
// that did not arrive there is sent again.

import assert from 'node:assert/strict';
import {describe, test} from 'node:test';
import {writeFile} from 'node:fs/promises';
import path from 'node:path';
import {Browser} from './support/browser.mjs';
import {Program, output} from './support/programs.mjs';
import {serve} from './support/server.mjs';
import {Room} from './support/sound.mjs';

const isLong = process.env.EARSHOT_LONG_TESTS === '1';
const tokenCounts = isLong ? {fast: 20, standard: 20, far: 20} : {fast: 20, standard: 3, far: 2};
/** How often a token that did not arrive is sent again. */
const maximumRepeats = 5;
const seed = Number(process.env.EARSHOT_SEED ?? Math.floor(Math.random() * 2 ** 32));
console.log(`# seed ${seed} (EARSHOT_SEED)`);

/** Random numbers from 0 to 1: mulberry32. */
function randomNumbers(start) {
    let state = start >>> 0;
    return () => {
        state = (state + 0x6d2b79f5) >>> 0;
        let value = Math.imul(state ^ (state >>> 15), state | 1);
        value ^= value + Math.imul(value ^ (value >>> 7), value | 61);
        return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
    };
}

const sleep = (seconds) => new Promise((resolve) => setTimeout(resolve, 1000 * seconds));

/** Lets the Worker's receiver keep what it is given, and hand it out. */
const keepSound = (text) => `${text}
    if (typeof WorkerGlobalScope === 'function') {
        const parts = [];
        let channelCount;
        const makeReceiver = Modem.prototype.receiver;
        Modem.prototype.receiver = function (options) {
            channelCount = options.channelCount;
            const receiver = makeReceiver.call(this, options);
            const {push, skip} = receiver;
            receiver.push = (samples) => {
                parts.push(samples.slice());
                return push.call(receiver, samples);
            };
            receiver.skip = (sampleCount) => {
                parts.push(new Float32Array(sampleCount * channelCount));
                return skip.call(receiver, sampleCount);
            };
            return receiver;
        };
        new BroadcastChannel('sound').onmessage = async ({data}) => {
            if (data.path !== undefined) await fetch(data.path, {method: 'PUT', body: new Blob(parts)});
            new BroadcastChannel('sound').postMessage({channelCount});
        };
    }`;

/** The lines of JSON as "token profile". */
const tokensIn = (lines) => lines.filter(Boolean).map((line) => JSON.parse(line)).map(({token, profile}) => `${token} ${profile}`);

/** A page that hears tokens and says some. It keeps its sound. */
class ListeningPage {
    #page;
    #server;
    #rateHertz;

    static async open(browser, rateHertz) {
        const made = new ListeningPage();
        made.#rateHertz = rateHertz;
        // Its own origin: what one page keeps, no other page hands out.
        made.#server = await serve({replaced: {'modem.js': keepSound}});
        made.#page = await browser.open(made.#server.url, {hasWindow: true});
        const rate = await made.#page.run(async () => {
            const {Earshot} = await import('./earshot.js');
            window.Earshot = Earshot;
            window.heard = [];
            window.receiver = await Earshot.listen(({hex, profile}) => window.heard.push(`${hex} ${profile}`));
            return window.receiver.sampleRateHertz;
        });
        assert.equal(rate, rateHertz);
        return made;
    }

    say(token, profile) {
        return this.#page.run((hex, name) => window.Earshot.say(hex, name), token, profile);
    }

    heard() {
        return this.#page.run(() => window.heard);
    }

    /** Stops listening, and decodes the sound with the command line. */
    async decoded(folder) {
        const channelCount = await this.#page.run(async () => {
            const channel = new BroadcastChannel('sound');
            const answer = new Promise((resolve) => channel.onmessage = ({data}) => resolve(data.channelCount));
            channel.postMessage({path: '/sound.raw'});
            const count = await answer;
            await window.receiver.stop();
            return count;
        });
        const file = path.join(folder, `page-${this.#server.port}.raw`);
        await writeFile(file, this.#server.uploads.get('/sound.raw'));
        const lines = await output('earshot', ['decode', '--quiet', '--json', '--raw', `f32le:${this.#rateHertz}:${channelCount}`, file],
            {okCodes: [0, 1]});
        assert.deepEqual(this.#page.errors.filter((error) => !error.includes('/v1/openapi.json')), []);
        return tokensIn(lines.split('\n'));
    }

    async close() {
        await this.#page.close();
        await this.#server.close();
    }
}

describe('pages and programs hear each other', {concurrency: true}, () => {
    for (const rateHertz of [44100, 48000]) {
        test(`at ${rateHertz} Hz`, async (context) => {
            const random = randomNumbers(seed + rateHertz);
            const randomToken = () => Array.from({length: 8}, () => Math.floor(256 * random()).toString(16).padStart(2, '0')).join('');
            const room = await Room.open({rateHertz});
            const browser = await Browser.start({environment: room.environment});
            const first = await ListeningPage.open(browser, rateHertz);
            const other = await ListeningPage.open(browser, rateHertz);
            const recording = path.join(room.folder, 'listen.wav');
            const listening = new Program('earshot', ['listen', '--json', '--record', recording], {environment: room.environment});
            context.after(async () => {
                await listening.interrupt();
                await first.close();
                await other.close();
                await browser.close();
                await room.close();
            });
            // The first sound of a page begins late.
            await sleep(1);
            await first.say('00', 'fast');
            await sleep(1);

            /** What each receiver heard. */
            const heardBy = {
                'the other page': () => other.heard(),
                'the command line': async () => tokensIn(listening.lines),
                'the first page': () => first.heard(),
            };
            const senders = {
                'a page': {
                    receivers: ['the other page', 'the command line'],
                    send: (token, profile) => first.say(token, profile),
                },
                'the command line': {
                    receivers: ['the first page', 'the other page'],
                    send: (token, profile) => output('earshot',
                        ['broadcast', token, '--count', '1', '--profile', profile, '--quiet'], {environment: room.environment}),
                },
            };

            const sendings = [];
            for (const [sender, {receivers, send}] of Object.entries(senders)) {
                for (const [profile, count] of Object.entries(tokenCounts)) {
                    for (let number = 0; number < count; number += 1) {
                        const token = randomToken();
                        await send(token, profile);
                        sendings.push({sender, receivers, send, profile, token});
                    }
                }
            }
            const missing = async () => {
                await sleep(1.5);
                const found = [];
                for (const [receiver, heard] of Object.entries(heardBy)) {
                    const tokens = new Set(await heard());
                    for (const sending of sendings) {
                        if (!sending.receivers.includes(receiver) || tokens.has(`${sending.token} ${sending.profile}`)) continue;
                        found.push({...sending, receiver});
                    }
                }
                return found;
            };
            const missedAtFirst = await missing();
            let missed = missedAtFirst;
            for (let trial = 0; trial < maximumRepeats && missed.length > 0; trial += 1) {
                for (const {token, profile, send} of new Map(missed.map((one) => [one.token, one])).values()) await send(token, profile);
                missed = await missing();
            }

            for (const [sender, {receivers}] of Object.entries(senders)) {
                for (const receiver of receivers) {
                    const figures = Object.entries(tokenCounts).map(([profile, count]) => {
                        const lost = missedAtFirst.filter((one) =>
                            one.sender === sender && one.receiver === receiver && one.profile === profile);
                        return `${profile} ${count - lost.length}/${count}`;
                    });
                    context.diagnostic(`${rateHertz} Hz, ${sender} to ${receiver}, at first: ${figures.join(', ')}`);
                }
            }
            await listening.interrupt();
            const decoded = {
                'the other page': await other.decoded(room.folder),
                'the command line': tokensIn((await output('earshot', ['decode', '--quiet', '--json', recording])).split('\n')),
                'the first page': await first.decoded(room.folder),
            };
            for (const [receiver, heard] of Object.entries(heardBy)) {
                assert.deepEqual(decoded[receiver].toSorted(), (await heard()).toSorted(), `${receiver} and decode differ`);
            }
            assert.deepEqual(missed.map(({sender, receiver, profile, token}) => `${sender} to ${receiver}: ${token} ${profile}`), []);
            const sent = new Set([...sendings.map(({token}) => token), '00']);
            for (const tokens of Object.values(decoded)) assert.deepEqual(tokens.filter((one) => !sent.has(one.split(' ')[0])), []);
        });
    }
});
