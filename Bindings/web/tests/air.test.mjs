// Tokens through the air, from page to page, from page to the command line, and from the command line to pages, at 44.1 and
// 48 kHz. EARSHOT_LONG=1 sends 20 tokens a profile instead of 20 fast ones and a few of the others.
//
// A busy machine drops sound: a sender's hole is in the air, a receiver's is not. So a third program records the room, and
// what is missing is judged by that: a token that the recording lacks as well was not in the air, and is sent again. One that
// was in the air and is not heard counts as missed.

import assert from 'node:assert/strict';
import {describe, test} from 'node:test';
import {Browser} from './support/browser.mjs';
import {Program, output} from './support/programs.mjs';
import {serve} from './support/server.mjs';
import {Room} from './support/sound.mjs';

const isLong = Boolean(process.env.EARSHOT_LONG);
const tokenCounts = isLong ? {fast: 20, standard: 20, far: 20} : {fast: 20, standard: 3, far: 2};
/** How often a token that never was in the air is sent again. */
const maximumRepeats = 3;
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

describe('pages and programs hear each other', {concurrency: true}, () => {
    for (const rateHertz of [44100, 48000]) {
        test(`at ${rateHertz} Hz`, async (context) => {
            const random = randomNumbers(seed + rateHertz);
            const randomToken = () => Array.from({length: 8}, () => Math.floor(256 * random()).toString(16).padStart(2, '0')).join('');
            const room = await Room.open({rateHertz});
            context.after(() => room.close());
            const server = await serve();
            context.after(() => server.close());
            const browser = await Browser.start({environment: room.environment});
            context.after(() => browser.close());

            const pages = [];
            for (const name of ['one', 'other']) {
                const page = await browser.open(server.url, {hasWindow: true});
                const rate = await page.run(async () => {
                    const {Earshot} = await import('./earshot.js');
                    window.Earshot = Earshot;
                    window.heard = [];
                    window.receiver = await Earshot.listen(({hex, profile}) => window.heard.push([hex, profile]));
                    return window.receiver.sampleRateHertz;
                });
                assert.equal(rate, rateHertz, `the rate of page ${name}`);
                pages.push(page);
            }
            const listening = new Program('earshot', ['listen', '--json'], {environment: room.environment});
            context.after(() => listening.interrupt());
            const recorder = room.record('air.raw', rateHertz);
            // The first sound of a page begins late.
            await sleep(1);
            await pages[0].run(() => window.Earshot.say('00', 'fast'));
            await sleep(1);

            /** What each receiver heard, as "token profile". */
            const heardBy = {
                'the other page': async () => (await pages[1].run(() => window.heard)).map((parts) => parts.join(' ')),
                'the command line': async () => listening.lines.map((line) => JSON.parse(line)).map(({token, profile}) => `${token} ${profile}`),
                'the first page': async () => (await pages[0].run(() => window.heard)).map((parts) => parts.join(' ')),
            };
            const senders = {
                'a page': {
                    receivers: ['the other page', 'the command line'],
                    send: (token, profile) => pages[0].run((hex, name) => window.Earshot.say(hex, name), token, profile),
                },
                'the command line': {
                    receivers: ['the first page', 'the other page'],
                    send: async (token, profile) => {
                        await output('earshot', ['broadcast', token, '--count', '1', '--profile', profile, '--quiet'],
                            {environment: room.environment});
                    },
                },
            };

            // All of it first, and the judgement at the end, when the recording is complete.
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
                const sets = {};
                for (const [receiver, heard] of Object.entries(heardBy)) sets[receiver] = new Set(await heard());
                for (const sending of sendings) {
                    for (const receiver of sending.receivers) {
                        if (!sets[receiver].has(`${sending.token} ${sending.profile}`)) found.push({...sending, receiver});
                    }
                }
                return found;
            };
            let missed = await missing();
            const recording = await recorder.stop();
            const missedInTheAir = [];
            let repeatCount = 0;
            if (missed.length > 0) {
                const recorded = (await output('earshot', ['decode', '--quiet', '--json', '--raw', `f32le:${rateHertz}:1`, recording],
                    {okCodes: [0, 1]})).split('\n');
                const inTheAir = new Set(recorded.filter(Boolean).map((line) => JSON.parse(line)).map(({token, profile}) => `${token} ${profile}`));
                missedInTheAir.push(...missed.filter(({token, profile}) => inTheAir.has(`${token} ${profile}`)));
                for (let trial = 0; trial < maximumRepeats && missed.length > 0; trial += 1) {
                    for (const {token, profile, sender, send} of new Map(missed.map((one) => [one.token, one])).values()) {
                        const receivers = missed.filter((one) => one.token === token).map(({receiver}) => receiver);
                        context.diagnostic(`sent again from ${sender}: ${token} ${profile}, missed by ${receivers.join(', ')}`);
                        await send(token, profile);
                        repeatCount += 1;
                    }
                    missed = await missing();
                }
            }

            const sent = new Set([...sendings.map(({token}) => token), '00']);
            const wrong = [];
            for (const heard of Object.values(heardBy)) wrong.push(...(await heard()).filter((one) => !sent.has(one.split(' ')[0])));
            for (const sender of Object.keys(senders)) {
                for (const receiver of senders[sender].receivers) {
                    const figures = Object.entries(tokenCounts).map(([profile, count]) => {
                        const lost = missedInTheAir.filter((one) => one.sender === sender && one.receiver === receiver && one.profile === profile);
                        return `${profile} ${count - lost.length}/${count}`;
                    });
                    context.diagnostic(`${rateHertz} Hz, from ${sender} to ${receiver}: ${figures.join(', ')}`);
                }
            }
            context.diagnostic(`${rateHertz} Hz: ${repeatCount} sent again, ${wrong.length} wrong`);
            const describe = (list) => list.map(({sender, receiver, profile, token}) => `${sender} to ${receiver}: ${token} ${profile}`);
            assert.deepEqual(describe(missedInTheAir), [], 'in the air, and not heard');
            assert.deepEqual(describe(missed), [], 'not heard however often it was sent');
            assert.deepEqual(wrong, []);
            for (const page of pages) assert.deepEqual(page.errors, []);
        });
    }
});
