// earshot.wasm and modem.js, compared with the command line.
import assert from 'node:assert/strict';
import {readFileSync, readdirSync, mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {basename, join} from 'node:path';
import {after, describe, test} from 'node:test';
import {pathToFileURL} from 'node:url';
import {Worker} from 'node:worker_threads';
import {
    EarshotError, Modem, Randomness, Receiver, assertSameFrames, decode, decodedByProgram, earshot, modulePath, page, readWav,
    repository, writeWav,
} from './support/modem-support.mjs';

const fixtures = readdirSync(`${repository}Fixtures`).filter((name) => name.endsWith('.wav')).sort();
const scratch = mkdtempSync(join(tmpdir(), 'earshot-modem-'));
after(() => rmSync(scratch, {recursive: true}));

const {Earshot} = await import(pathToFileURL(`${page}/earshot.js`));
const moduleBytes = readFileSync(modulePath);
const compiled = await Modem.compile(moduleBytes);
const modem = new Modem(compiled);
const token = Uint8Array.of(0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef);
const seed = Number(process.env.EARSHOT_SEED ?? 21);

/** A fixture's sound and what it is known to hold. */
function fixture(name) {
    const path = `${repository}Fixtures/${name}`;
    return {path, sound: readWav(path), truth: JSON.parse(readFileSync(path.replace(/wav$/, 'json')))};
}

describe('the module', () => {
    test('imports nothing, and exports the functions of earshot.h, the tones and the memory', () => {
        assert.deepEqual(WebAssembly.Module.imports(compiled), []);
        const header = readFileSync(`${repository}Sources/Bindings/CEarshot/earshot.h`, 'utf8').replace(/\/\*.*?\*\//gs, '');
        const declared = [...new Set(header.match(/\bearshot_[a-z0-9_]+(?=\()/g))];
        assert.equal(declared.length, 13);
        assert.deepEqual(
            WebAssembly.Module.exports(compiled).map(({name}) => name).sort(),
            [...declared, 'earshot_tones', 'free', 'malloc', 'memory'].sort());
    });

    test('has the version of the header', () => {
        const header = readFileSync(`${repository}Sources/Bindings/CEarshot/earshot.h`, 'utf8');
        assert.equal(modem.version, header.match(/#define EARSHOT_VERSION "(.*)"/)[1]);
    });

    test('loads from wherever it is', async () => {
        const headers = {'Content-Type': 'application/wasm'};
        const sources = [
            pathToFileURL(modulePath), pathToFileURL(modulePath).href, moduleBytes, new Uint8Array(moduleBytes),
            new Uint8Array(moduleBytes).buffer, compiled, Promise.resolve(compiled), new Response(moduleBytes, {headers}),
            new Response(moduleBytes), Promise.resolve(new Response(moduleBytes, {headers})),
        ];
        for (const source of sources) assert.equal((await Modem.load(source)).version, modem.version);
        await assert.rejects(Modem.load(new Response('', {status: 404, statusText: 'Not Found'})), /404 Not Found/);
        await assert.rejects(Modem.load(Uint8Array.of(1, 2, 3, 4)), WebAssembly.CompileError);
        await assert.rejects(Modem.load('earshot.wasm'), /"earshot.wasm" is no address; in node give the bytes of the file/);
    });

    test('runs in a Worker that gets the compiled module', async () => {
        const worker = new Worker(
            `const {parentPort, workerData} = require('node:worker_threads');
            import(workerData.address).then(({Modem}) => {
                const modem = new Modem(workerData.module);
                const receiver = modem.receiver({sampleRateHertz: 48000});
                const samples = modem.transmit(Uint8Array.of(7, 8, 9), {sampleRateHertz: 48000});
                parentPort.postMessage([...receiver.push(samples), ...receiver.flush()]);
            });`,
            {eval: true, workerData: {module: compiled, address: pathToFileURL(`${page}/modem.js`).href}});
        const frames = await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
        assert.deepEqual(frames.map((frame) => frame.hex), ['070809']);
        await worker.terminate();
    });
});

test('a module that cannot be fetched is named', async () => {
    await assert.rejects(Modem.load('http://127.0.0.1:1/x.wasm'), {message: /^cannot fetch http:\/\/127\.0\.0\.1:1\/x\.wasm: ./});
});

test('integers that became floats are warned of once', (context) => {
    const lines = context.mock.method(console, 'warn', () => {}).mock;
    const receiver = modem.receiver({sampleRateHertz: 48_000});
    const samples = modem.transmit(token, {sampleRateHertz: 48_000});
    receiver.push(samples);
    assert.equal(lines.callCount(), 0);
    const loud = samples.map((sample) => sample * 32_768);
    receiver.push(loud);
    receiver.push(loud);
    assert.equal(lines.callCount(), 1);
    assert.match(lines.calls[0].arguments[0], /samples beyond ±100 are clipped/);
    receiver.close();
});

test('a wrong option is named with its value', async () => {
    for (const options of [undefined, {}, {sampleRate: 48_000}, {sampleRateHertz: '48000'}, {sampleRateHertz: 16_000}]) {
        const named = {name: 'EarshotError', status: -4, message: /^the sample rate, sampleRateHertz, is .*; give an integer from 44100 to 768000$/};
        assert.throws(() => modem.transmit(token, options), named);
        assert.throws(() => modem.receiver(options), named);
    }
    const named = (message) => ({name: 'EarshotError', message});
    assert.throws(
        () => modem.receiver({sampleRateHertz: '48000'}),
        named("the sample rate, sampleRateHertz, is '48000'; give an integer from 44100 to 768000"));
    assert.throws(
        () => modem.receiver({sampleRateHertz: 48_000, profile: 'far'}), {name: 'TypeError', message: "receiver has no option 'profile'"});
    assert.throws(
        () => modem.transmit(token, {sampleRateHertz: 48_000, burst: 2}), {name: 'TypeError', message: "transmit has no option 'burst'"});
    assert.throws(() => modem.tones(token, {burst: 2}), {name: 'TypeError', message: "tones has no option 'burst'"});
    await assert.rejects(Earshot.say(token, 'fast', {burst: 2}), {name: 'TypeError', message: "say has no option 'burst'"});
    for (const channelCount of ['x', NaN, 0, 9, 1.5]) {
        const message = `channelCount is ${channelCount === 'x' ? "'x'" : channelCount}; give an integer from 1 to 8`;
        await assert.rejects(Earshot.listen(() => {}, {channelCount}), {name: 'TypeError', message});
    }
    await assert.rejects(Earshot.listen(() => {}, {source: {}}), {name: 'TypeError', message: /^source must be an AudioNode/});
    assert.throws(
        () => modem.receiver({sampleRateHertz: 48_000, recognisesTokens: 'no'}),
        {name: 'TypeError', message: "recognisesTokens is 'no'; give true or false"});
    await assert.rejects(Modem.load(), {name: 'TypeError', message: /^the module is undefined; give its address/});
    await assert.rejects(Modem.load(Buffer.from('<html>')), {name: 'CompileError', message: /^the module is not earshot.wasm: /});
    const another = new WebAssembly.Module(Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0));
    await assert.rejects(Modem.load(another), {name: 'TypeError', message: 'the module is another one than earshot.wasm'});
    await assert.rejects(Earshot.listen(() => {}, {profile: 'far'}), {name: 'TypeError', message: "listen has no option 'profile'"});
    const noProfile = named("there is no profile 'slow'; use 'fast', 'standard' or 'far'");
    assert.throws(() => modem.receiver({sampleRateHertz: 48_000, profiles: ['slow']}), noProfile);
    assert.throws(() => modem.transmit(token, {sampleRateHertz: 48_000, profile: 'slow'}), noProfile);
    assert.throws(
        () => modem.transmit(token, {sampleRateHertz: 48_000, amplitude: 0}),
        named('the amplitude is 0; give a number above 0 and up to 1'));
    assert.throws(() => new Receiver({sampleRateHertz: 48_000}), {name: 'TypeError', message: 'Modem.receiver makes a Receiver'});
    const receiver = modem.receiver({sampleRateHertz: 48_000});
    for (const count of [-1, 1.5, undefined]) assert.throws(() => receiver.skip(count), /the count of samples to skip is .*; give an integer from 0 on/);
    receiver.close();
});

describe('receiving', () => {
    test('there are fixtures', () => assert.equal(fixtures.length, 6));

    for (const name of fixtures) {
        test(`${name} decodes as the command line decodes it, and as it is known`, () => {
            const {path, sound, truth} = fixture(name);
            const frames = decode(modem, sound);
            assertSameFrames(
                frames, decodedByProgram(path), sound.sampleRateHertz, name, {mayCollide: truth.frames.length > 1});
            const sent = new Map(truth.frames.map(({payload, start}) => [payload, start]));
            assert.deepEqual(frames.map((frame) => frame.hex).sort(), [...sent.keys()].sort());
            for (const frame of frames) {
                assert.equal(frame.profile, truth.profile);
                const error = frame.startSample / sound.sampleRateHertz - sent.get(frame.hex);
                assert(Math.abs(error) <= truth.toleranceSeconds, `${frame.hex} starts ${error} s late`);
            }
        });
    }

    // Together 104 frames.
    const cases = [
        {options: {}, words: [], channelCount: 1},
        {options: {combineCount: 4}, words: ['--combine', '4'], channelCount: 1, burstCount: 4},
        {options: {profiles: ['fast', 'far']}, words: ['--profile', 'fast', '--profile', 'far'], channelCount: 1},
        {options: {}, words: [], channelCount: 2},
    ];
    cases.forEach(({options, words, channelCount, burstCount}, index) => {
        test(`26 frames in noise decode as the command line decodes them: ${JSON.stringify({...options, channelCount})}`, () => {
            const random = new Randomness(seed + index);
            const sampleRateHertz = random.choice([44100, 48000, 96000]);
            const sent = [];
            const noise = new Float32Array(40 * sampleRateHertz * channelCount);
            for (let i = 0; i < noise.length; i++) noise[i] = 0.05 * random.normal();
            while (sent.length < 26) {
                const payload = random.bytes(random.choice([8, 8, 8, 1 + random.integer(32)]));
                const isBurst = burstCount && payload.length === 8 && random.uniform() < 0.3;
                const frame = modem.transmit(payload, {
                    sampleRateHertz, profile: random.choice(['fast', 'standard', 'far']), amplitude: 0.5,
                    burstCount: isBurst ? burstCount : 0,
                });
                // SNR −14 to 6 dB in 1,500 Hz: the noise of the whole band is 15 to 18 dB stronger. Overlaps are welcome.
                const levels = Array.from({length: channelCount}, () => 10 ** (-1.4 + random.uniform()));
                const first = random.integer(40 * sampleRateHertz - frame.length);
                for (let n = 0; n < frame.length; n++) {
                    for (let c = 0; c < channelCount; c++) noise[(first + n) * channelCount + c] += levels[c] * frame[n];
                }
                sent.push(Buffer.from(payload).toString('hex'));
            }
            const path = `${scratch}/noise-${index}.wav`;
            const samples = writeWav(path, noise, sampleRateHertz, channelCount);
            const frames = decode(modem, {samples, sampleRateHertz, channelCount, ...options});
            assertSameFrames(frames, decodedByProgram(path, ...words), sampleRateHertz, `seed ${seed + index}`, {mayCollide: true});
            // Or the comparison says little.
            assert(frames.length >= 5, `only ${frames.length} of 26 frames, seed ${seed + index}`);
            for (const frame of frames) assert(sent.includes(frame.hex), `nobody sent ${frame.hex}, seed ${seed + index}`);
        });
    });

    test('the frames do not depend on how the input is cut', () => {
        for (const name of fixtures) {
            const {sound} = fixture(name);
            const whole = decode(modem, sound);
            for (const longest of [3, 128, 20_000]) {
                const random = new Randomness(seed + longest);
                const {samples, ...options} = sound;
                const receiver = modem.receiver(options);
                const frames = [];
                // The smallest blocks for a part only: there are half a million.
                const fine = longest === 3 ? Math.min(samples.length, 30_000) : samples.length;
                for (const [first, end] of random.pieces(fine, longest)) frames.push(...receiver.push(samples.subarray(first, end)));
                frames.push(...receiver.push(samples.subarray(fine)), ...receiver.flush());
                receiver.close();
                assert.deepEqual(frames, whole, `${name}, pieces up to ${longest}, seed ${seed + longest}`);
            }
        }
    });

    test('several receivers do not disturb one another', () => {
        const sounds = ['token-far-noise.48000.u8.wav', 'two-talkers.48000.u8.wav'].map((name) => fixture(name).sound);
        const receivers = sounds.map(({samples, ...options}) => modem.receiver(options));
        const found = [[], []];
        for (let first = 0; first < Math.max(...sounds.map(({samples}) => samples.length)); first += 1000) {
            sounds.forEach(({samples}, i) => found[i].push(...receivers[i].push(samples.subarray(first, first + 1000))));
        }
        receivers.forEach((receiver, i) => {
            found[i].push(...receiver.flush());
            receiver.close();
            assert.deepEqual(found[i], decode(modem, sounds[i]));
        });
    });

    test('a hole is passed over: frames in and after it keep their place', () => {
        const sampleRateHertz = 48000;
        const frame = modem.transmit(token, {sampleRateHertz});
        const random = new Randomness(seed);
        const samples = Float32Array.from({length: 4 * sampleRateHertz}, () => 0.001 * random.normal());
        const starts = [24000, 105600];
        for (const start of starts) frame.forEach((value, n) => { samples[start + n] += value; });
        const receiver = modem.receiver({sampleRateHertz});
        // 0.1 s of the first frame, a twelfth.
        const [from, to] = [48000, 52800];
        const frames = [...receiver.push(samples.subarray(0, from)), ...receiver.skip(to - from)];
        frames.push(...receiver.push(samples.subarray(to)), ...receiver.flush());
        assert.deepEqual(frames.map(({hex}) => hex), ['0123456789abcdef', '0123456789abcdef'], `seed ${seed}`);
        // A sample is 1/48 ms; a symbol has 1,024 of them.
        frames.forEach((found, i) => assert(Math.abs(found.startSample - starts[i]) < 48, `${found.startSample}`));
        receiver.close();
    });

    test('a long gap costs no time and shifts what follows', () => {
        const receiver = modem.receiver({sampleRateHertz: 48000});
        const hours = 100 * 3600 * 48000;
        assert.deepEqual(receiver.skip(hours), []);
        const frames = [...receiver.push(modem.transmit(token, {sampleRateHertz: 48000})), ...receiver.flush()];
        assert.equal(frames.length, 1);
        assert(Math.abs(frames[0].startSample - hours) < 48, `${frames[0].startSample - hours}`);
        receiver.close();
    });

    test('any sample rate works, and numbers do not exceed 32 bits', () => {
        for (const sampleRateHertz of [44100, 44101, 47999, 96000, 192000, 767999, 768000]) {
            for (const lostSampleCount of [sampleRateHertz - 1, 10 * sampleRateHertz + 7, 2 ** 31 - 5, 2 ** 40 + 1, 2 ** 52 + 3]) {
                const receiver = modem.receiver({sampleRateHertz, profiles: ['fast']});
                const frames = receiver.skip(lostSampleCount);
                frames.push(...receiver.push(modem.transmit(token, {sampleRateHertz, profile: 'fast'})), ...receiver.flush());
                receiver.close();
                assert.deepEqual(frames.map(({hex}) => hex), ['0123456789abcdef'], `${sampleRateHertz} Hz, ${lostSampleCount}`);
                const late = (frames[0].startSample - lostSampleCount) / sampleRateHertz;
                assert(Math.abs(late) < 0.001, `${late} s late at ${sampleRateHertz} Hz behind ${lostSampleCount}`);
            }
        }
    });

    test('a token that was decoded is recognised when it cannot be', () => {
        const sampleRateHertz = 48000;
        const frame = modem.transmit(token, {sampleRateHertz, profile: 'fast', amplitude: 0.5});
        const random = new Randomness(seed);
        const count = {decoded: 0, recognised: 0, plain: 0};
        const samples = Float32Array.from({length: 30 * sampleRateHertz}, () => 0.05 * random.normal());
        // The first is loud; the others are at the edge of decoding, -8 dB: some of them are decoded, some are recognised.
        for (let index = 0; index < 25; index++) {
            const level = index === 0 ? 1 : 0.014;
            frame.forEach((value, n) => { samples[index * 52800 + n] += level * value; });
        }
        for (const found of decode(modem, {samples, sampleRateHertz, recognisesTokens: true})) {
            assert.equal(found.hex, '0123456789abcdef');
            assert.equal(found.pathMetric === 0, found.isRecognised);
            count[found.isRecognised ? 'recognised' : 'decoded'] += 1;
        }
        for (const found of decode(modem, {samples, sampleRateHertz})) {
            assert(!found.isRecognised);
            count.plain += 1;
        }
        assert(count.decoded >= 1 && count.recognised >= 3 && count.plain === count.decoded, `${JSON.stringify(count)}, seed ${seed}`);
    });

    test('an hour of noise takes no more memory than its first minute', () => {
        const sampleRateHertz = 48000;
        const instance = new Modem(compiled);
        const random = new Randomness(seed);
        const receiver = instance.receiver({sampleRateHertz});
        // A minute that begins elsewhere each time, so that no two are alike.
        const minute = Float32Array.from({length: 61 * sampleRateHertz}, () => 0.05 * random.normal());
        let afterFirst;
        for (let count = 0; count < 60; count++) {
            const first = random.integer(sampleRateHertz);
            assert.deepEqual(receiver.push(minute.subarray(first, first + 60 * sampleRateHertz)), [], `seed ${seed}`);
            afterFirst ??= instance.memoryByteCount;
        }
        assert.equal(instance.memoryByteCount, afterFirst);
        // earshot.h promises 9 MB a channel and 6 MB once; the module has 1 MB of stack and some data.
        assert(afterFirst < 17e6, `${afterFirst} bytes`);
        receiver.close();
    });

    test('receivers that were closed leave their memory to others', () => {
        const instance = new Modem(compiled);
        const {sound} = fixture('token-standard-clean.48000.s16.wav');
        let afterThird;
        for (let count = 0; count < 30; count++) {
            assert.equal(decode(instance, sound).length, 1);
            if (count === 2) afterThird = instance.memoryByteCount;
        }
        assert.equal(instance.memoryByteCount, afterThird);
    });
});

describe('transmitting', () => {
    const amplitude = 10 ** (-12 / 20);

    for (const profile of ['fast', 'standard', 'far']) {
        for (const sampleRateHertz of [44100, 48000, 96000]) {
            test(`${profile} at ${sampleRateHertz} Hz has the samples of the command line`, () => {
                for (const payload of [token, Uint8Array.of(0xca), new Uint8Array(32).fill(0x5a)]) {
                    const hex = Buffer.from(payload).toString('hex');
                    const options = ['--profile', profile, '--rate', `${sampleRateHertz}`, '--format', 'f32', '--quiet'];
                    const {samples} = readWav(earshot('encode', hex, ...options, '-o', '-'));
                    assertSameSamples(modem.transmit(payload, {sampleRateHertz, profile, amplitude}), samples, sampleRateHertz);
                }
            });
        }
    }

    test('a burst has the samples of the command line', () => {
        const words = ['encode', '0123456789abcdef', '--burst', '4', '--format', 'f32', '--quiet', '-o', '-'];
        const burst = modem.transmit(token, {sampleRateHertz: 48000, burstCount: 4, amplitude});
        assertSameSamples(burst, readWav(earshot(...words)).samples, 48000);
    });

    /** The command line has 0.1 s of silence before and after. */
    function assertSameSamples(samples, written, sampleRateHertz) {
        const silence = Math.round(0.1 * sampleRateHertz);
        assert.equal(samples.length, written.length - 2 * silence);
        let largest = 0;
        for (let n = 0; n < samples.length; n++) largest = Math.max(largest, Math.abs(samples[n] - written[silence + n]));
        // Both work in double precision, with sines of different libraries, and round to single precision below ¼: half a unit
        // of the last place each, 2⁻²⁷. The phase adds 10⁵ roundings of 2⁻⁵³, far less.
        assert(largest <= 2 ** -26, `off by ${largest}`);
    }

    test('the defaults are the profile standard and the amplitude ¼', () => {
        const samples = modem.transmit(token, {sampleRateHertz: 48000});
        assert.deepEqual(samples, modem.transmit(token, {sampleRateHertz: 48000, profile: 'standard', amplitude: 0.25}));
        assert(Math.abs(samples.reduce((most, value) => Math.max(most, Math.abs(value)), 0) - 0.25) < 0.001);
    });

    test('the tones are those of the samples', () => {
        const sampleRateHertz = 48000;
        for (const profile of ['fast', 'standard', 'far']) {
            const {hertz, symbolSeconds} = modem.tones(token, {profile});
            const samples = modem.transmit(token, {sampleRateHertz, profile});
            assert.equal(hertz.length, 52);
            assert.equal(samples.length, Math.ceil(52 * symbolSeconds * sampleRateHertz));
            const symbolSamples = symbolSeconds * sampleRateHertz;
            hertz.forEach((expected, index) => {
                // The tone with most energy in the middle half of the symbol, away from the steps.
                const energy = (frequency) => {
                    let [real, imaginary] = [0, 0];
                    for (let n = Math.ceil((index + 0.25) * symbolSamples); n < (index + 0.75) * symbolSamples; n++) {
                        real += samples[n] * Math.cos(2 * Math.PI * frequency * n / sampleRateHertz);
                        imaginary += samples[n] * Math.sin(2 * Math.PI * frequency * n / sampleRateHertz);
                    }
                    return real ** 2 + imaginary ** 2;
                };
                const spacing = 1 / symbolSeconds;
                assert(energy(expected) > energy(expected - spacing) && energy(expected) > energy(expected + spacing));
            });
        }
        assert(modem.tones(new Uint8Array(32)).hertz.length > 52);
    });
});

describe('errors', () => {
    /** Expects an EarshotError with a status and words that say more than a number. */
    function refused(number, pattern, body) {
        assert.throws(body, (error) => {
            assert(error instanceof EarshotError && error instanceof Error, `${error}`);
            assert.equal(error.status, number, error.message);
            assert.match(error.message, pattern);
            return true;
        });
    }

    test('a receiver is refused for each wrong option', () => {
        for (const sampleRateHertz of [undefined, 0, -1, 44099, 768001, 44100.5, NaN, Infinity, '48000', 2 ** 32 + 48000]) {
            refused(-4, /sample rate/, () => modem.receiver({sampleRateHertz}));
        }
        refused(-4, /sample rate/, () => modem.receiver());
        for (const profiles of [[], ['slow'], ['fast', 'toString'], 'fast', null, [1]]) {
            refused(-5, /profile/, () => modem.receiver({sampleRateHertz: 48000, profiles}));
        }
        for (const channelCount of [0, 65, -1, 1.5, '2']) {
            refused(-6, /channelCount is /, () => modem.receiver({sampleRateHertz: 48000, channelCount}));
        }
        for (const combineCount of [9, -1, 2.5, null]) {
            refused(-7, /combineCount, the repeats of a burst, is /, () => modem.receiver({sampleRateHertz: 48000, combineCount}));
        }
    });

    test('a transmission is refused for each wrong argument', () => {
        const sampleRateHertz = 48000;
        for (const payload of [new Uint8Array(0), new Uint8Array(33), [1, 2], 'cafe', undefined, new Uint16Array(4)]) {
            refused(-10, /payload/, () => modem.transmit(payload, {sampleRateHertz}));
            refused(-10, /payload/, () => modem.tones(payload));
        }
        refused(-4, /sample rate/, () => modem.transmit(token));
        refused(-4, /sample rate/, () => modem.transmit(token, {sampleRateHertz: 8000}));
        refused(-5, /profile/, () => modem.transmit(token, {sampleRateHertz, profile: 'loud'}));
        refused(-5, /profile/, () => modem.tones(token, {profile: 'loud'}));
        for (const burstCount of [9, -1, 1.5]) refused(-7, /burst/, () => modem.transmit(token, {sampleRateHertz, burstCount}));
        refused(-7, /burst/, () => modem.transmit(Uint8Array.of(1), {sampleRateHertz, burstCount: 2}));
        for (const amplitude of [0, -0.1, 1.01, NaN, '1']) {
            refused(-9, /amplitude/, () => modem.transmit(token, {sampleRateHertz, amplitude}));
        }
    });

    test('wrong input is refused, and changes nothing', () => {
        const {sound: {samples}} = fixture('token-standard-clean.48000.s16.wav');
        const receiver = modem.receiver({sampleRateHertz: 48000});
        const frames = receiver.push(samples.subarray(0, 30_000));
        for (const wrong of [undefined, [1, 2], 'x', new Float64Array(2), new Int16Array(2)]) {
            refused(-1, /Float32Array/, () => receiver.push(wrong));
        }
        for (const wrong of [undefined, -1, 1.5, NaN, 2 ** 53, '1']) refused(-12, /count/, () => receiver.skip(wrong));
        frames.push(...receiver.push(samples.subarray(30_000)), ...receiver.flush());
        assert.deepEqual(frames, decode(modem, {samples, sampleRateHertz: 48000}));
        refused(-13, /flushed/, () => receiver.push(samples));
        refused(-13, /flushed/, () => receiver.skip(1));
        assert.deepEqual(receiver.flush(), []);
        receiver.close();
        receiver.close();
        for (const call of [() => receiver.push(samples), () => receiver.skip(1), () => receiver.flush()]) {
            refused(-1, /closed/, call);
        }
        const stereo = modem.receiver({sampleRateHertz: 48000, channelCount: 2});
        refused(-12, /2 channels/, () => stereo.push(new Float32Array(3)));
        stereo.close();
    });

    test('what is no number is silence', () => {
        const {sound} = fixture('token-standard-clean.48000.s16.wav');
        const broken = new Float32Array(2 * sound.samples.length);
        broken.fill(NaN);
        broken.set(sound.samples);
        broken[100] = Infinity;
        assert.deepEqual(decode(modem, {...sound, samples: broken}).map(({hex}) => hex), ['0123456789abcdef']);
    });

    test('a fault ends its own instance only', () => {
        // The same module with a memory that cannot grow: a receiver does not fit.
        const small = new Modem(new WebAssembly.Module(withFixedMemory(moduleBytes)));
        const other = new Modem(new WebAssembly.Module(withFixedMemory(moduleBytes)));
        assert.equal(small.version, modem.version);
        assert.throws(() => small.receiver({sampleRateHertz: 48000}), WebAssembly.RuntimeError);
        for (const call of [
            () => small.version, () => small.receiver({sampleRateHertz: 48000}), () => small.tones(token),
        ]) {
            assert.throws(call, WebAssembly.RuntimeError);
        }
        assert.equal(other.tones(token).hertz.length, 52);
        assert.equal(modem.tones(token).hertz.length, 52);
        assert.equal(new Modem(compiled).tones(token).hertz.length, 52);
    });

    /** Gives the memory of a module its initial size as its maximum. */
    function withFixedMemory(bytes) {
        const number = (at) => {
            let value = 0;
            for (let shift = 0; ; shift += 7) {
                const byte = bytes[at++];
                value |= (byte & 0x7f) << shift;
                if (byte < 0x80) return {value, end: at};
            }
        };
        for (let at = 8; at < bytes.length;) {
            const size = number(at + 1);
            if (bytes[at] === 5) {
                // A section of one memory without a maximum: 1, 0, its pages.
                const content = bytes.subarray(size.end, size.end + size.value);
                assert.deepEqual([content[0], content[1]], [1, 0]);
                const pages = content.subarray(2);
                const section = Buffer.from([5, 2 + 2 * pages.length, 1, 1, ...pages, ...pages]);
                return Buffer.concat([bytes.subarray(0, at), section, bytes.subarray(size.end + size.value)]);
            }
            at = size.end + size.value;
        }
        throw new Error(`${basename(modulePath)} has no memory`);
    }
});
