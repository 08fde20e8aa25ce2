// What the tests of the modem share: the built page and programs, sound files, seeded noise, and the command line's answers.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {readFileSync, writeFileSync} from 'node:fs';
import {resolve} from 'node:path';
import {fileURLToPath, pathToFileURL} from 'node:url';

export const repository = fileURLToPath(new URL('../../../../', import.meta.url));

/** The folder that an environment variable names; Bindings/web/test.sh sets it. */
function folder(variable) {
    const path = process.env[variable];
    assert(path, `${variable} is not set: run Bindings/web/test.sh`);
    return resolve(path);
}

export const programs = folder('EARSHOT_PROGRAMS');
export const page = folder('EARSHOT_PAGE');
export const modulePath = `${page}/earshot.wasm`;

/** The built page's modem.js, not that of the sources. */
export const {EarshotError, Modem, Receiver} = await import(pathToFileURL(`${page}/modem.js`));

/** Runs `earshot`; its standard output. Exit status 1 says that no token was found. */
export function earshot(...words) {
    try {
        return execFileSync(`${programs}/earshot`, words, {maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'pipe']});
    } catch (error) {
        if (error.status === 1) return error.stdout;
        throw new Error(`earshot ${words.join(' ')}: ${error.stderr}`);
    }
}

/** What the command line finds in a file. */
export function decodedByProgram(path, ...options) {
    const lines = earshot('decode', '--json', '--quiet', ...options, path).toString().split('\n');
    return lines.filter(Boolean).map((line) => JSON.parse(line));
}

/**
 * A WAV file of 8 or 16 bit integers or of floats.
 * @returns {{samples: Float32Array, sampleRateHertz: number, channelCount: number}} samples has the shape [samples][channels]
 */
export function readWav(source) {
    const bytes = typeof source === 'string' ? readFileSync(source) : source;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const name = (at) => bytes.toString('latin1', at, at + 4);
    assert.equal(name(0) + name(8), 'RIFFWAVE');
    let format, data;
    for (let at = 12; at + 8 <= bytes.length;) {
        const size = view.getUint32(at + 4, true);
        if (name(at) === 'fmt ') {
            format = {
                channelCount: view.getUint16(at + 10, true), sampleRateHertz: view.getUint32(at + 12, true),
                bits: view.getUint16(at + 22, true),
            };
        }
        if (name(at) === 'data') data = {at: at + 8, size: Math.min(size, bytes.length - at - 8)};
        at += 8 + size + size % 2;
    }
    const {bits, channelCount, sampleRateHertz} = format;
    const samples = new Float32Array(data.size * 8 / bits);
    for (let i = 0, at = data.at; i < samples.length; i++, at += bits / 8) {
        samples[i] = bits === 8 ? (view.getUint8(at) - 128) / 128
            : bits === 16 ? view.getInt16(at, true) / 32768 : view.getFloat32(at, true);
    }
    return {samples, sampleRateHertz, channelCount};
}

/** Writes 16 bit integers, and gives back what a reader of the file gets. */
export function writeWav(path, samples, sampleRateHertz, channelCount = 1) {
    const bytes = Buffer.alloc(44 + 2 * samples.length);
    bytes.write('RIFF', 0);
    bytes.writeUInt32LE(36 + 2 * samples.length, 4);
    bytes.write('WAVEfmt ', 8);
    bytes.writeUInt32LE(16, 16);
    bytes.writeUInt16LE(1, 20);
    bytes.writeUInt16LE(channelCount, 22);
    bytes.writeUInt32LE(sampleRateHertz, 24);
    bytes.writeUInt32LE(2 * channelCount * sampleRateHertz, 28);
    bytes.writeUInt16LE(2 * channelCount, 32);
    bytes.writeUInt16LE(16, 34);
    bytes.write('data', 36);
    bytes.writeUInt32LE(2 * samples.length, 40);
    const read = new Float32Array(samples.length);
    for (let i = 0; i < samples.length; i++) {
        const value = Math.max(-32768, Math.min(32767, Math.round(samples[i] * 32768)));
        bytes.writeInt16LE(value, 44 + 2 * i);
        read[i] = value / 32768;
    }
    writeFileSync(path, bytes);
    return read;
}

/** Repeatable random numbers: the 32 bit generator xorshift of Marsaglia, period 2³² − 1. */
export class Randomness {
    #state;

    constructor(seed) {
        this.seed = seed;
        this.#state = Math.imul(seed + 1, 0x9e3779b9) | 1;
        for (let i = 0; i < 8; i++) this.next();
    }

    /** 32 bits. */
    next() {
        let x = this.#state;
        x ^= x << 13;
        x ^= x >>> 17;
        x ^= x << 5;
        this.#state = x;
        return x >>> 0;
    }

    /** In 0 ..< limit. */
    integer(limit) {
        return Math.floor(this.uniform() * limit);
    }

    /** In 0 ..< 1. */
    uniform() {
        return this.next() / 2 ** 32;
    }

    /** One of several. */
    choice(values) {
        return values[this.integer(values.length)];
    }

    /** With deviation 1, by Box and Muller. */
    normal() {
        return Math.sqrt(-2 * Math.log(1 - this.uniform())) * Math.cos(2 * Math.PI * this.uniform());
    }

    bytes(count) {
        return Uint8Array.from({length: count}, () => this.integer(256));
    }

    /** Cuts 0 ..< count into consecutive pieces of random lengths up to `longest`; some are empty. */
    pieces(count, longest) {
        const pieces = [];
        for (let first = 0; first < count;) {
            const length = Math.min(this.integer(longest + 1), count - first);
            pieces.push([first, first + length]);
            first += length;
        }
        return pieces;
    }
}

/** All frames of a sound, given in one piece. */
export function decode(modem, {samples, ...options}) {
    const receiver = modem.receiver(options);
    try {
        return [...receiver.push(samples), ...receiver.flush()];
    } finally {
        receiver.close();
    }
}

/**
 * Compares frames with the command line's lines, which round to the digits that they print.
 *
 * The program transforms with FFTW, or with vectors of fused products, the module without: the results differ by about
 * 2⁻²⁴·log₂ N ≈ 10⁻⁶ of the strongest tone, −120 dB. In the fixture with the highest SNR, 67 dB, that is 53 dB below the
 * noise, which moves a level by at most 20·log10(1 + 10^(−53/20)) = 0.02 dB, and the other measures by as small a share.
 *
 * Where frames collide, a receiver subtracts one and searches the place of the next in steps. Two places may be as good as each
 * other to the sixth digit, and then the rounding decides: the results differ by less than the search's last step, a 24th of a
 * symbol or a 20th of a tone's spacing. A 24th of a symbol is 20·log10(24/23) = 0.37 dB, and 4 % of the path metric.
 * A burst that is read together may contain a single frame that is there; noise then decides where it seems to begin. Its path
 * metric is close to noise's, 1.4, and only its payload is compared.
 */
export function assertSameFrames(found, lines, sampleRateHertz, note, {mayCollide = false} = {}) {
    // The program prints frames by their ends; the receiver reports them as it decides them.
    const frames = found.toSorted((a, b) => a.endSample - b.endSample);
    assert.deepEqual(
        frames.map((frame) => [frame.hex, frame.payload.length, frame.profile, frame.channel, frame.combinedCount]),
        lines.map((line) => [line.token, line.bytes, line.profile, line.channel, line.combined ?? 1]), note);
    frames.forEach((frame, index) => {
        const line = lines[index];
        if (mayCollide && frame.combinedCount > 1 && line.path_metric < 2) return;
        const near = (value, key, bound) => assert(
            Math.abs(value - line[key]) <= bound, `${note}: ${key} of ${frame.hex} is ${value}, not ${line[key]}`);
        const symbolSeconds = {fast: 16, standard: 32, far: 64}[frame.profile] / 1500;
        const step = mayCollide
            ? {seconds: symbolSeconds / 24, hertz: 1 / symbolSeconds / 20, decibels: 0.37, metric: 0.04 * line.path_metric}
            : {seconds: 1.01 / sampleRateHertz, hertz: 0.02, decibels: 0.02, metric: 0.01};
        // And half of the last digit that is printed.
        near(frame.startSample / sampleRateHertz, 'start_s', 0.0005 + step.seconds);
        near(frame.endSample / sampleRateHertz, 'end_s', 0.0005 + step.seconds);
        near(frame.snrDecibels, 'snr_db', 0.05 + step.decibels);
        near(frame.offsetHertz, 'offset_hz', 0.05 + step.hertz);
        near(frame.pathMetric, 'path_metric', 0.005 + step.metric);
    });
}
