// The modem of a web page: earshot.wasm behind a small interface, for a page, a Worker, and node 18 or later.
//
// The module is the C interface of Earshot (Sources/Bindings/CEarshot/earshot.h) for WebAssembly. It has no imports: it opens no
// device, starts no thread and reads no clock. The structs below are those of the header, where size_t has 4 bytes.

import {refuseUnknown, shown} from './options.js';

/** The bits of the profiles, as earshot.h has them. */
const profileBits = {fast: 1, standard: 2, far: 4};

/** The numbers of earshot_status that this file names. */
const status = {
    ok: 0, noFrame: 1, missing: -1, rate: -4, profile: -5, channels: -6, burst: -7, amplitude: -9, payload: -10, count: -12,
};

const flagRecogniseTokens = 2;
const maximumToneCount = 1024;
/** The module clips samples beyond this, so that no sum overflows. Integers that became floats exceed it. */
const clippedAmplitude = 100;
/** So few samples are looked at that it costs nothing; loud sound exceeds the limit for many. */
const lookedAt = 61;
/** earshot_receiver_options, earshot_transmission and earshot_frame, in bytes. */
const sizes = {options: 28, transmission: 20, frame: 88};
/** The samples that one call takes in; more are cut. */
const blockSampleCount = 16384;

/** An invalid argument, with a description. */
export class EarshotError extends Error {
    /**
     * @param {number} status The number of earshot_status, see earshot.h; negative.
     * @param {string} message
     */
    constructor(status, message) {
        super(message);
        this.name = 'EarshotError';
        this.status = status;
    }
}

/**
 * A frame that was heard.
 * @typedef {object} Frame
 * @property {Uint8Array} payload Its bytes, 1 to 32; a token has 8.
 * @property {string} hex The same in hexadecimal digits.
 * @property {'fast'|'standard'|'far'} profile
 * @property {number} startSample The sample of the input at which it starts; negative if it began before the input.
 * @property {number} endSample The sample after its last one.
 * @property {number} offsetHertz The offset of its tones above their places: Doppler and clock error.
 * @property {number} snrDecibels Signal power over noise power in 1,500 Hz.
 * @property {number} pathMetric From about 1.1 (a frame just decoded in noise; 0.9 if combined) to 4.6 (no noise); 0 if it was recognised.
 * @property {number} channel The channel that heard it best, from 0 on.
 * @property {number} combinedCount The number of repeats that were read together; 1 for a frame that was read alone.
 * @property {boolean} isRecognised Whether it was recognised instead of decoded.
 */

/**
 * An instance of the modem. It converts payloads to samples, and creates receivers.
 *
 * If a call throws `WebAssembly.RuntimeError`, the instance had no memory left or met a fault of its own. It is then dead, and
 * its receivers with it: all further calls throw the same. Make another one of the same module.
 */
export class Modem {
    #exports;
    /** For Receiver too. */
    _hasTrapped = false;

    /**
     * Compiles and starts earshot.wasm.
     * @param {URL|string|Response|Promise<Response>|ArrayBuffer|Uint8Array|WebAssembly.Module} source The module, or where it
     *     is; file: addresses in node only.
     * @returns {Promise<Modem>}
     * @throws {Error} if it cannot be fetched, `WebAssembly.CompileError` if it is none.
     */
    static async load(source) {
        const module = await Modem.compile(source);
        // A page may not start large modules synchronously.
        return new Modem(module, await WebAssembly.instantiate(module, {}));
    }

    /**
     * Compiles earshot.wasm. The result can be sent to a Worker, which calls `new Modem(module)`.
     * @param {URL|string|Response|Promise<Response>|ArrayBuffer|Uint8Array|WebAssembly.Module} source As for `load`.
     * @returns {Promise<WebAssembly.Module>}
     * @throws {Error} as for `load`.
     */
    static async compile(source) {
        let found = await source;
        if (found instanceof WebAssembly.Module) return found;
        let name = 'the module';
        if (typeof found === 'string' || found instanceof URL) {
            name = String(found);
            found = await fetchModule(found);
        }
        if (typeof Response === 'function' && found instanceof Response) {
            name = found.url || name;
            if (!found.ok) throw new Error(`${name}: ${found.status} ${found.statusText}`);
            if (found.headers.get('Content-Type') === 'application/wasm') return WebAssembly.compileStreaming(found);
            found = await found.arrayBuffer();
        }
        if (!(found instanceof ArrayBuffer || ArrayBuffer.isView(found))) {
            throw new TypeError(`the module is ${shown(found)}; give its address, a Response, its bytes or a WebAssembly.Module`);
        }
        try {
            return await WebAssembly.compile(found);
        } catch (error) {
            throw new WebAssembly.CompileError(`${name} is not earshot.wasm: ${error.message}`);
        }
    }

    /**
     * Starts an instance, synchronously.
     * @param {WebAssembly.Module} module From `compile`.
     */
    constructor(module, instance = new WebAssembly.Instance(module, {})) {
        if (typeof instance.exports.earshot_version !== 'function') throw new TypeError('the module is another one than earshot.wasm');
        this.#exports = instance.exports;
    }

    /** @returns {string} The version of Earshot, such as "0.2.0". */
    get version() {
        return this._text(this._call('earshot_version'));
    }

    /** @returns {number} The memory of the instance, in bytes. It grows if it must, and never shrinks. */
    get memoryByteCount() {
        return this.#exports.memory.buffer.byteLength;
    }

    /**
     * Makes a receiver at the start of its input.
     * @param {object} options
     * @param {number} options.sampleRateHertz 44100 to 768000, an integer.
     * @param {Array<'fast'|'standard'|'far'>} [options.profiles] What to listen for. Fewer cost less.
     * @param {number} [options.channelCount] 1 to 64. Two to eight are one device's microphones, heard as one.
     * @param {number} [options.combineCount] Repeats of a token in a burst that are read together, 2 to 8; 0 or 1: none.
     * @param {boolean} [options.recognisesTokens] Whether to report frames too that cannot be decoded, but have most tones of
     *     a token that was decoded less than a minute before.
     * @returns {Receiver}
     * @throws {EarshotError|TypeError} if an option has a wrong value, or does not exist.
     */
    receiver({
        sampleRateHertz, profiles = ['fast', 'standard', 'far'], channelCount = 1, combineCount = 0, recognisesTokens = false,
        ...unknown
    } = {}) {
        if (!Array.isArray(profiles) || profiles.length === 0) {
            throw new EarshotError(status.profile, 'profiles must be an array with a profile or more');
        }
        if (typeof recognisesTokens !== 'boolean') {
            throw new TypeError(`recognisesTokens is ${shown(recognisesTokens)}; give true or false`);
        }
        let bits = 0;
        for (const name of profiles) bits |= this.#profileBit(name);
        const fields = [
            sizes.options, this.#rate(sampleRateHertz), bits, this.#integer(channelCount, 1, 64, status.channels, 'channelCount'),
            this.#integer(combineCount, 0, 8, status.burst, 'combineCount, the repeats of a burst,'), recognisesTokens ? flagRecogniseTokens : 0, 0,
        ];
        refuseUnknown(unknown, 'receiver');
        const pointer = this._with([sizes.options, 4], (options, result) => {
            new Uint32Array(this.#exports.memory.buffer, options, fields.length).set(fields);
            this._check(this._call('earshot_receiver_create', options, result));
            return this._view().getUint32(result, true);
        });
        return new Receiver(this, pointer, channelCount);
    }

    /**
     * Makes the samples of a payload, from the frame's first sample to its last. The same arguments give the same samples.
     * @param {Uint8Array} payload 1 to 32 bytes; a token has 8.
     * @param {object} options
     * @param {number} options.sampleRateHertz 44100 to 768000, an integer.
     * @param {'fast'|'standard'|'far'} [options.profile]
     * @param {number} [options.burstCount] How many times a token is sent, 2 to 8; 0 or 1: once.
     * @param {number} [options.amplitude] The peak, above 0 and up to 1.
     * @returns {Float32Array} One channel, full scale 1.
     * @throws {EarshotError|TypeError} if an argument has a wrong value, or an option does not exist.
     */
    transmit(payload, {sampleRateHertz, profile = 'standard', burstCount = 0, amplitude = 0.25, ...unknown} = {}) {
        this.#checkPayload(payload);
        // In C, 0 means the default.
        if (typeof amplitude !== 'number' || !(amplitude > 0 && amplitude <= 1)) {
            throw new EarshotError(status.amplitude, `the amplitude is ${shown(amplitude)}; give a number above 0 and up to 1`);
        }
        const fields = [
            sizes.transmission, this.#rate(sampleRateHertz), this.#profileBit(profile),
            this.#integer(burstCount, 0, 8, status.burst, 'burstCount'),
        ];
        refuseUnknown(unknown, 'transmit');
        return this._with([sizes.transmission, payload.length, 4], (transmission, bytes, count) => {
            new Uint32Array(this.#exports.memory.buffer, transmission, fields.length).set(fields);
            this._view().setFloat32(transmission + 16, amplitude, true);
            this.#bytes(bytes, payload.length).set(payload);
            this._check(this._call('earshot_transmit_sample_count', transmission, payload.length, count));
            const sampleCount = this._view().getUint32(count, true);
            return this._with([4 * sampleCount], (samples) => {
                this._check(this._call(
                    'earshot_transmit_float', transmission, bytes, payload.length, samples, sampleCount, 0));
                return new Float32Array(this.#exports.memory.buffer, samples, sampleCount).slice();
            });
        });
    }

    /**
     * The tones of a payload's frame in their order, for drawing.
     * @param {Uint8Array} payload 1 to 32 bytes.
     * @param {object} [options]
     * @param {'fast'|'standard'|'far'} [options.profile]
     * @returns {{hertz: Float32Array, symbolSeconds: number}} The frequency of each tone, and how long each lasts.
     * @throws {EarshotError|TypeError} if an argument has a wrong value, or an option does not exist.
     */
    tones(payload, {profile = 'standard', ...unknown} = {}) {
        refuseUnknown(unknown, 'tones');
        this.#checkPayload(payload);
        const bit = this.#profileBit(profile);
        return this._with([payload.length, 4 * maximumToneCount, 8], (bytes, hertz, seconds) => {
            this.#bytes(bytes, payload.length).set(payload);
            const count = this._call('earshot_tones', bytes, payload.length, bit, hertz, maximumToneCount, seconds);
            this._check(Math.min(count, 0));
            return {
                hertz: new Float32Array(this.#exports.memory.buffer, hertz, count).slice(),
                symbolSeconds: this._view().getFloat64(seconds, true),
            };
        });
    }

    // Also for Receiver. Internal.

    /** Calls a function of the module. */
    _call(name, ...values) {
        if (this._hasTrapped) throw new WebAssembly.RuntimeError('this modem had a fault before; make another one');
        try {
            return this.#exports[name](...values);
        } catch (error) {
            // Its memory is now undefined.
            this._hasTrapped = true;
            throw error;
        }
    }

    /** Lends `body` pieces of memory of these sizes in bytes. */
    _with(byteCounts, body) {
        const pointers = [];
        try {
            for (const byteCount of byteCounts) pointers.push(this._allocate(byteCount));
            return body(...pointers);
        } finally {
            if (!this._hasTrapped) for (const pointer of pointers) this._call('free', pointer);
        }
    }

    _allocate(byteCount) {
        const pointer = this._call('malloc', byteCount);
        if (pointer === 0) throw new WebAssembly.RuntimeError(`no memory for ${byteCount} bytes`);
        return pointer;
    }

    /** The current memory: a call may move it. */
    _view() {
        return new DataView(this.#exports.memory.buffer);
    }

    _check(result) {
        if (result < 0) throw this._error(result);
    }

    _error(number) {
        return new EarshotError(number, this._text(this._call('earshot_status_text', number)));
    }

    _text(pointer) {
        const bytes = new Uint8Array(this.#exports.memory.buffer);
        return new TextDecoder().decode(bytes.slice(pointer, bytes.indexOf(0, pointer)));
    }

    #bytes(pointer, count) {
        return new Uint8Array(this.#exports.memory.buffer, pointer, count);
    }

    #checkPayload(payload) {
        if (!(payload instanceof Uint8Array)) {
            throw new EarshotError(status.payload, 'the payload is no Uint8Array; only Earshot.say takes hexadecimal digits');
        }
        if (payload.length < 1 || payload.length > 32) throw this._error(status.payload);
    }

    #profileBit(name) {
        if (!Object.hasOwn(profileBits, name)) {
            throw new EarshotError(status.profile, `there is no profile ${shown(name)}; use 'fast', 'standard' or 'far'`);
        }
        return profileBits[name];
    }

    /** Checks what JavaScript may pass and C cannot get. The texts of the statuses name neither option nor value. */
    #integer(value, minimum, maximum, number, name) {
        if (!Number.isInteger(value) || value < minimum || value > maximum) {
            throw new EarshotError(number, `${name} is ${shown(value)}; give an integer from ${minimum} to ${maximum}`);
        }
        return value;
    }

    #rate(hertz) {
        return this.#integer(hertz, 44_100, 768_000, status.rate, 'the sample rate, sampleRateHertz,');
    }
}

/** Takes samples and finds frames. `Modem.receiver` makes it. */
export class Receiver {
    #modem;
    #pointer;
    #channelCount;
    #hasWarned = false;
    /** The buffers for samples and for a frame. */
    #block;
    #frame;

    constructor(modem, pointer, channelCount) {
        if (!(modem instanceof Modem)) throw new TypeError('Modem.receiver makes a Receiver');
        this.#modem = modem;
        this.#pointer = pointer;
        this.#channelCount = channelCount;
        this.#block = modem._allocate(4 * blockSampleCount);
        this.#frame = modem._allocate(sizes.frame);
    }

    /**
     * Takes samples in. Blocks may have any size, and the frames do not depend on how the input is cut.
     * @param {Float32Array} samples Shape [samples][channels], full scale 1. NaN counts as silence. Samples beyond ±100 are clipped;
     *     if many are, a warning on the console says so once.
     * @returns {Frame[]} The frames that ended. Most are decided within 0.1 s of their last sample.
     * @throws {EarshotError} if it is not a Float32Array of whole samples, or the receiver was flushed or closed.
     */
    push(samples) {
        this.#checkOpen();
        if (!(samples instanceof Float32Array)) throw new EarshotError(status.missing, 'the samples are not a Float32Array');
        if (samples.length % this.#channelCount !== 0) {
            throw new EarshotError(
                status.count, `${samples.length} samples cannot be divided among ${this.#channelCount} channels`);
        }
        this.#warnOfIntegers(samples);
        const frames = [];
        const most = blockSampleCount - blockSampleCount % this.#channelCount;
        let first = 0;
        do {
            const block = samples.subarray(first, first + most);
            new Float32Array(this.#modem._view().buffer, this.#block, block.length).set(block);
            this.#take(frames, 'earshot_receiver_push_float', this.#block, block.length / this.#channelCount);
            first += block.length;
        } while (first < samples.length);
        return frames;
    }

    /**
     * Passes over samples that existed but were lost. A hole is not silence: a frame with a hole in it is decoded from the rest
     * if that suffices, and those after it keep their place.
     * @param {number} sampleCount The lost samples of each channel, an integer from 0 on.
     * @returns {Frame[]} As for `push`.
     * @throws {EarshotError} if it is no such number, or the receiver was flushed or closed.
     */
    skip(sampleCount) {
        this.#checkOpen();
        if (!Number.isSafeInteger(sampleCount) || sampleCount < 0) {
            throw new EarshotError(status.count, `the count of samples to skip is ${shown(sampleCount)}; give an integer from 0 on`);
        }
        return this.#take([], 'earshot_receiver_skip', BigInt(sampleCount));
    }

    /**
     * Ends the input. Further input is an error; flushing again does nothing.
     * @returns {Frame[]} The frames that can still be found.
     * @throws {EarshotError} if the receiver was closed.
     */
    flush() {
        this.#checkOpen();
        return this.#take([], 'earshot_receiver_flush');
    }

    /** Gives the receiver's memory back, up to 9 MB a channel. Closing again does nothing. */
    close() {
        if (this.#pointer === 0) return;
        const pointer = this.#pointer;
        this.#pointer = 0;
        // After a fault the memory is lost.
        if (this.#modem._hasTrapped) return;
        this.#modem._call('earshot_receiver_destroy', pointer);
        this.#modem._call('free', this.#block);
        this.#modem._call('free', this.#frame);
    }

    #warnOfIntegers(samples) {
        if (this.#hasWarned) return;
        for (let index = 0; index < samples.length; index += lookedAt) {
            const size = Math.abs(samples[index]);
            if (!(size > clippedAmplitude && size < Infinity)) continue;
            this.#hasWarned = true;
            console.warn(
                `Earshot: samples beyond ±${clippedAmplitude} are clipped, because full scale is 1; divide 16 bit integers by 32768`);
            return;
        }
    }

    #checkOpen() {
        if (this.#pointer === 0) throw new EarshotError(status.missing, 'the receiver was closed');
    }

    /** Calls a function of the receiver, and takes the waiting frames. */
    #take(frames, name, ...values) {
        this.#modem._check(this.#modem._call(name, this.#pointer, ...values));
        for (;;) {
            const result = this.#modem._call('earshot_receiver_poll', this.#pointer, this.#frame, sizes.frame);
            if (result === status.noFrame) return frames;
            this.#modem._check(result);
            frames.push(frameAt(this.#modem._view(), this.#frame));
        }
    }
}

/** An earshot_frame. */
function frameAt(view, pointer) {
    const payload = new Uint8Array(view.buffer, pointer, view.getUint32(pointer + 32, true)).slice();
    const bit = view.getUint32(pointer + 36, true);
    return {
        payload,
        hex: Array.from(payload, (byte) => byte.toString(16).padStart(2, '0')).join(''),
        profile: Object.keys(profileBits).find((name) => profileBits[name] === bit),
        startSample: Number(view.getBigInt64(pointer + 40, true)),
        endSample: Number(view.getBigInt64(pointer + 48, true)),
        offsetHertz: view.getFloat64(pointer + 56, true),
        snrDecibels: view.getFloat32(pointer + 64, true),
        pathMetric: view.getFloat32(pointer + 68, true),
        channel: view.getUint32(pointer + 72, true),
        combinedCount: view.getUint32(pointer + 76, true),
        isRecognised: view.getUint32(pointer + 80, true) !== 0,
    };
}

/** Gets a module by its address. node's fetch does not read files. */
async function fetchModule(address) {
    let url;
    try {
        url = new URL(address, globalThis.location?.href);
    } catch {
        throw new Error(`"${address}" is no address; in node give the bytes of the file, from readFile, or a URL with file:`);
    }
    if (url.protocol !== 'file:' || typeof process === 'undefined') {
        try {
            return await fetch(url);
        } catch (error) {
            throw new Error(`cannot fetch ${url}: ${error.cause?.message || error.message}`, {cause: error});
        }
    }
    const {readFile} = await import('node:fs/promises');
    return readFile(url);
}
