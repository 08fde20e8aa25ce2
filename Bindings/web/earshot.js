// Earshot in a web page: receives tokens with the microphone, and sends them with the loudspeaker.
//
//     const receiver = await Earshot.listen(({hex}) => console.log(hex));
//     await Earshot.say('0123456789abcdef', 'fast');
//
// The sound goes from the microphone through an AudioWorklet to a Worker with the modem. It never leaves the page.

import {EarshotError, Modem} from './modem.js';
import {refuseUnknown, shown} from './options.js';

export {EarshotError, Modem, Receiver} from './modem.js';
export {Messages, MessagesError, ReceivedMessage} from './messages.js';

const minimumRateHertz = 44100;
const bandHertz = [18500, 20000];
const maximumPayloadByteCount = 32;
/** The number of faults of the modem in a minute of sound after which it is not started again. */
const maximumRestarts = 5;
/** The time that a context may take to start before the page reports why nothing is heard. */
const startSeconds = 2;
/** The silence before a sound, because loudspeakers that wake up cut the beginning. */
const leadSeconds = 0.1;
/** The time for which the loudspeaker stays open after the last sound. */
const idleSeconds = 5;
/** The sum of a Blackman window's squares over its length, as an AnalyserNode uses it. */
const windowPower = 0.3046;

/**
 * The texts of all problems: the problem and its remedy. docs/WEB.md has the same as a table.
 * @type {Object<string, {severity: 'error'|'warning'|'note', text: string}>}
 */
export const problemTexts = {
    'insecure-context': {severity: 'error', text:
        'The browser gives the microphone to secure pages only. Open the page by https://, or on this machine by http://localhost.'},
    'no-microphone-access': {severity: 'error', text:
        'This browser gives pages no microphone. Use a current Chrome, Edge, Firefox or Safari, and not the browser inside of another app.'},
    'no-audio': {severity: 'error', text:
        'This browser lacks Web Audio with worklets, or WebAssembly with SIMD. Use a current Chrome, Edge, Firefox or Safari.'},
    'permission-denied': {severity: 'error', text:
        'The page may not use the microphone. Allow it in the browser’s settings for this site and in those of the system, then start again.'},
    'no-microphone': {severity: 'error', text: 'There is no microphone. Plug one in, or choose another one, then start again.'},
    'microphone-busy': {severity: 'error', text:
        'The microphone cannot be opened. Close other programs that use it, or plug it in again, then start again.'},
    'microphone-unusable': {severity: 'error', text:
        'The browser cannot pass this microphone’s sound on. Choose another microphone, or set its sample rate to 48 kHz in the system.'},
    'rate-too-low': {severity: 'error', text:
        'The sound device runs below 44.1 kHz, which cannot carry 20 kHz. A headset’s microphone often causes that: choose another device, or take the headset off.'},
    'modem-not-loaded': {severity: 'error', text:
        'The modem could not be loaded. Check that earshot.wasm is beside the page and that its security policy allows \'wasm-unsafe-eval\', then load the page again.'},
    'modem-failed': {severity: 'error', text: 'The modem failed repeatedly, and nothing is heard any more. Load the page again.'},
    'bad-payload': {severity: 'error', text: 'A payload has 1 to 32 bytes: a Uint8Array, or two hexadecimal digits for each byte.'},
    'echo-cancellation-on': {severity: 'error', text:
        'The browser cancels echoes although the page asked it not to, and that removes the tones. Turn it off in the browser or the system, or choose another microphone.'},
    'noise-suppression-on': {severity: 'error', text:
        'The browser suppresses noise although the page asked it not to, and that removes the tones. Turn it off in the browser or the system, or choose another microphone.'},
    'auto-gain-on': {severity: 'warning', text:
        'The browser changes the microphone’s gain although the page asked it not to, and loud sounds then hide quiet tokens. Turn it off in the browser or the system.'},
    'processing-unknown': {severity: 'note', text:
        'The browser does not say whether it processes the microphone’s sound. If nothing is heard, try another browser.'},
    'microphone-ended': {severity: 'error', text: 'The microphone was removed, or its permission was withdrawn. Plug it in or allow it again, then start again.'},
    'microphone-muted': {severity: 'warning', text:
        'The system keeps the microphone muted. Turn it on, or end the call or the program that holds it.'},
    'microphone-silent': {severity: 'warning', text:
        'The microphone delivers nothing but zeros. Check its switch and its level in the system’s settings.'},
    'suspended': {severity: 'warning', text:
        'The browser has paused the sound. Tap or click on the page; a phone call or another app can be the reason, too.'},
    'background': {severity: 'note', text:
        'The page is in the background. It continues to listen, but a phone may stop it: keep the page in front.'},
    'sound-lost': {severity: 'warning', text:
        'Some sound was lost, because this machine was too busy. Close other programs if that happens often.'},
    'modem-restarted': {severity: 'warning', text:
        'The modem had a fault and was started again. A token may have been missed; you need not do anything.'},
    'speaker-blocked': {severity: 'error', text:
        'The browser plays no sound before a tap or a click on the page. Tap, then say it again.'},
    'speaker-rate-too-low': {severity: 'error', text:
        'The loudspeaker runs below 44.1 kHz, which cannot carry 20 kHz. A headset in a call often causes that: choose another device.'},
    'speaker-failed': {severity: 'error', text:
        'The loudspeaker stopped. Check which device the system plays to, then say it again.'},
};

/** A problem. Its text has the problem and its remedy. */
export class Problem extends Error {
    /**
     * @param {string} code A key of `problemTexts`.
     * @param {string} [detail] What the browser said, or a number.
     * @param {unknown} [cause] The error behind it.
     */
    constructor(code, detail = '', cause = undefined) {
        const {severity, text} = problemTexts[code];
        super(detail === '' ? text : `${text} (${detail})`, {cause});
        this.name = 'Problem';
        this.code = code;
        this.severity = severity;
    }

    /** The same as `message`: the problem and its remedy. */
    get text() {
        return this.message;
    }
}

/** Hears and says tokens. */
export class Earshot {
    /**
     * Opens the microphone and hears tokens until `stop()` of the receiver. Call it in the handler of a tap or a click: without
     * one, browsers keep the sound paused.
     * @param {(token: Token) => void} onToken Called for each frame, most within 0.2 s of its end.
     * @param {ListenOptions} [options]
     * @returns {Promise<Listener>}
     * @throws {Problem} if nothing can be heard at all. What can be wrong while listening goes to `onProblem`.
     */
    static async listen(onToken, options = {}) {
        if (typeof onToken !== 'function') throw new TypeError('listen needs a function that takes the tokens');
        const {
            profiles, combineCount, recognisesTokens, channelCount, deviceId, source, wasm, signal, onProblem, onSolved, onGap,
            ...unknown
        } = options;
        refuseUnknown(unknown, 'listen');
        if (channelCount !== undefined && !(Number.isInteger(channelCount) && channelCount >= 1 && channelCount <= 8)) {
            throw new TypeError(`channelCount is ${shown(channelCount)}; give an integer from 1 to 8`);
        }
        if (source !== undefined && typeof source?.connect !== 'function') {
            throw new TypeError('source must be an AudioNode, such as new MediaStreamAudioSourceNode(context, {mediaStream})');
        }
        const listener = new Listener(onToken, options);
        try {
            await listener._start();
        } catch (error) {
            await listener._release();
            throw error;
        }
        return listener;
    }

    /**
     * Plays a payload through the loudspeaker. Several calls play one after the other.
     * @param {Uint8Array|string} token 1 to 32 bytes, or as many pairs of hexadecimal digits; a token has 8 bytes.
     * @param {'fast'|'standard'|'far'} [profile] A token takes 0.6, 1.1 or 2.2 s.
     * @param {SayOptions} [options]
     * @returns {Promise<{seconds: number, sampleRateHertz: number}>} Resolves when it was played: how long it took on air.
     * @throws {Problem} if it cannot be played, `EarshotError` if an option has a wrong value, and what the signal says if it
     *     aborts.
     */
    static async say(token, profile = 'standard', options = {}) {
        const {signal, burstCount, amplitude, wasm, onStart, ...unknown} = options;
        refuseUnknown(unknown, 'say');
        const payload = bytesOf(token);
        signal?.throwIfAborted();
        return loudspeaker().say(payload, profile, options);
    }

    /**
     * The modem of this page, for its `tones` and `transmit`. Loaded once.
     * @param {URL|string} [source] Where earshot.wasm is; beside this file unless given. The first call decides.
     * @returns {Promise<Modem>}
     * @throws {Problem} `modem-not-loaded`
     */
    static async modem(source) {
        const {module} = await loadedModule(source);
        if (modemInstance === undefined || hasModemTrapped) {
            modemInstance = await Modem.load(module);
            hasModemTrapped = false;
        }
        return modemInstance;
    }

    /**
     * The random token of a device, 8 bytes.
     * @throws {Error} in node 18, which has no globalThis.crypto.
     */
    static randomToken() {
        if (globalThis.crypto === undefined) throw new Error('There are no random numbers (globalThis.crypto) here: use node 20 or later.');
        return crypto.getRandomValues(new Uint8Array(8));
    }
}

/**
 * A frame that was heard: a `Frame` of modem.js, and when.
 * @typedef {import('./modem.js').Frame & {startSeconds: number, endSeconds: number, isOwn: boolean}} Token
 */

/** Hears tokens until it is stopped. `Earshot.listen` makes it. */
export class Listener {
    /** @type {(problem: Problem) => void} Called for each problem when it begins, or changes. */
    onProblem;
    /** @type {(problem: Problem) => void} Called when a problem is over. */
    onSolved;
    /**
     * Called when sound was lost. If only the clock shows that it is missing, that is known up to 4 s later, and `startSeconds` is then.
     * @type {(sampleCount: number, startSeconds: number) => void}
     */
    onGap;

    #onToken;
    #options;
    #context;
    #ownsContext;
    #source;
    #stream;
    #track;
    #node;
    #analyser;
    #spectrum;
    #worker;
    #problems = new Map();
    #cleanups = [];
    #end;
    #stopping;
    #isReleased = false;
    #gapCount = 0;
    #lostSampleCount = 0;
    #restartCount = 0;
    #version = '';

    constructor(onToken, options) {
        this.#onToken = onToken;
        this.#options = options;
        this.onProblem = options.onProblem;
        this.onSolved = options.onSolved;
        this.onGap = options.onGap;
    }

    /** @returns {Problem[]} The current problems, in the order in which they began. */
    get problems() {
        return [...this.#problems.values()];
    }

    /** @returns {number} The sample rate at which it listens. */
    get sampleRateHertz() {
        return this.#context.sampleRate;
    }

    /** @returns {AudioContext} The context; its `currentTime` is the clock of `startSeconds` and `endSeconds`. */
    get context() {
        return this.#context;
    }

    /** @returns {AnalyserNode} The sound, for drawing: 2,048 samples a spectrum. */
    get analyser() {
        return this.#analyser;
    }

    /** @returns {number} The level between 18.5 and 20 kHz in decibels, 0 for a sine at full scale; −Infinity in silence. */
    get level() {
        const analyser = this.#analyser;
        if (analyser === undefined || this.#isReleased) return -Infinity;
        this.#spectrum ??= new Float32Array(analyser.frequencyBinCount);
        analyser.getFloatFrequencyData(this.#spectrum);
        const binHertz = this.#context.sampleRate / analyser.fftSize;
        let power = 0;
        for (let bin = Math.ceil(bandHertz[0] / binHertz); bin <= Math.floor(bandHertz[1] / binHertz); bin += 1) {
            power += 10 ** (this.#spectrum[bin] / 10);
        }
        return 10 * Math.log10(4 * power / windowPower);
    }

    /** @returns {MediaTrackSettings|undefined} What the browser says about the microphone. */
    get settings() {
        return this.#track?.getSettings?.();
    }

    /** @returns {string} The microphone's name. */
    get label() {
        return this.#track?.label ?? '';
    }

    /** @returns {number} The number of gaps. */
    get gapCount() {
        return this.#gapCount;
    }

    /** @returns {number} The samples of each channel that were lost in gaps. */
    get lostSampleCount() {
        return this.#lostSampleCount;
    }

    /** @returns {number} The number of times that the modem had a fault and was started again. */
    get restartCount() {
        return this.#restartCount;
    }

    /** @returns {string} The version of the modem. */
    get version() {
        return this.#version;
    }

    /** @returns {boolean} Whether it was stopped. */
    get isStopped() {
        return this.#stopping !== undefined || this.#isReleased;
    }

    /** Hears the sound so far, and gives the microphone, the audio context and the Worker back. Stopping again does nothing. */
    stop() {
        this.#stopping ??= this.#stop();
        return this.#stopping;
    }

    async #stop() {
        this.#track?.stop();
        this.#node?.port.postMessage({kind: 'stop'});
        // A context that is suspended or closed sends no last block.
        if (this.#context?.state === 'running' || isOffline(this.#context)) await Promise.race([this.#end, sleep(1)]);
        await this._release();
    }

    /** Opens everything. Internal. */
    async _start() {
        const {source, signal, wasm} = this.#options;
        signal?.throwIfAborted();
        checkBrowser(source === undefined);

        // The context comes first, while the browser still counts the tap: waiting for the permission can take longer.
        this.#ownsContext = source === undefined;
        this.#context = source?.context ?? new AudioContext({latencyHint: 'playback'});
        if (this.#ownsContext) this.#context.resume().catch(() => {});
        this.#checkRate();
        const loading = Promise.all([
            loadedModule(wasm),
            this.#context.audioWorklet.addModule(new URL('capture-worklet.js', import.meta.url)).catch((error) => {
                throw new Problem('modem-not-loaded', error.message, error);
            }),
        ]);
        // Its failure is reported below; until then it must not count as unhandled.
        loading.catch(() => {});
        if (source === undefined) await this.#openMicrophone();
        this.#checkAborted();
        const [{module}] = await loading;
        this.#checkAborted();
        await this.#connect(source ?? this.#source, module);
        this.#checkAborted();
        this.#watchContext();
        this.#watchPage();
        if (signal !== undefined) this.#on(signal, 'abort', () => this.stop());
    }

    #checkAborted() {
        this.#options.signal?.throwIfAborted();
    }

    #checkRate() {
        const rateHertz = this.#context.sampleRate;
        if (rateHertz < minimumRateHertz) throw new Problem('rate-too-low', `${rateHertz} Hz`);
    }

    async #openMicrophone() {
        const {deviceId} = this.#options;
        // Plain values and not exact ones: a browser that cannot do without a process should say so, instead of failing.
        const audio = {echoCancellation: false, noiseSuppression: false, autoGainControl: false};
        if (deviceId !== undefined) audio.deviceId = {exact: deviceId};
        try {
            this.#stream = await navigator.mediaDevices.getUserMedia({audio});
        } catch (error) {
            throw problemOfMicrophone(error);
        }
        [this.#track] = this.#stream.getAudioTracks();
        this.#watchTrack();
        try {
            this.#source = this.#context.createMediaStreamSource(this.#stream);
        } catch (error) {
            throw new Problem('microphone-unusable', error.message, error);
        }
    }

    #watchTrack() {
        const track = this.#track;
        this.#on(track, 'ended', () => this.#raise('microphone-ended'));
        this.#on(track, 'mute', () => this.#raise('microphone-muted'));
        this.#on(track, 'unmute', () => this.#solve('microphone-muted'));
        if (track.readyState === 'ended') this.#raise('microphone-ended');
        if (track.muted) this.#raise('microphone-muted');

        const settings = track.getSettings?.() ?? {};
        const unknown = [];
        for (const [name, code] of [
            ['echoCancellation', 'echo-cancellation-on'],
            ['noiseSuppression', 'noise-suppression-on'],
            ['autoGainControl', 'auto-gain-on'],
        ]) {
            if (settings[name] === undefined) unknown.push(name);
            else if (settings[name] !== false) this.#raise(code, settings[name] === true ? '' : String(settings[name]));
        }
        if (unknown.length > 0) this.#raise('processing-unknown', unknown.join(', '));
        if (settings.sampleRate < minimumRateHertz) this.#raise('rate-too-low', `${track.label}: ${settings.sampleRate} Hz`);
    }

    async #connect(source, module) {
        const context = this.#context;
        const wanted = this.#options.channelCount ?? this.settings?.channelCount ?? 1;
        const channelCount = Math.min(Math.max(wanted, 1), this.#options.channelCount === undefined ? 2 : 8);
        this.#analyser = new AnalyserNode(context, {fftSize: 2048, smoothingTimeConstant: 0, minDecibels: -130});
        this.#node = new AudioWorkletNode(context, 'earshot-capture', {
            numberOfInputs: 1, numberOfOutputs: 1, outputChannelCount: [1],
            // The separate channels: their mean would cancel sound that reaches two microphones at opposite phases.
            channelCount, channelCountMode: 'explicit', channelInterpretation: 'discrete',
            processorOptions: {channelCount},
        });
        this.#node.onprocessorerror = () => this.#raise('modem-failed', 'the audio thread');

        const {profiles, combineCount, recognisesTokens} = this.#options;
        const channel = new MessageChannel();
        this.#worker = new Worker(new URL('receiver-worker.js', import.meta.url), {type: 'module', name: 'earshot'});
        const ready = new Promise((resolve, reject) => {
            this.#worker.onerror = (event) => {
                event.preventDefault();
                const problem = new Problem('modem-not-loaded', event.message ?? 'receiver-worker.js');
                reject(problem);
                this.#raise('modem-failed', event.message ?? '');
            };
            this.#end = new Promise((end) => {
                this.#worker.onmessage = ({data}) => {
                    if (data.kind === 'ready') {
                        this.#version = data.version;
                        resolve();
                    }
                    if (data.kind === 'failed') reject(new EarshotError(0, data.text));
                    if (data.kind === 'ended') end();
                    this.#take(data);
                };
            });
        });
        this.#worker.postMessage({
            kind: 'start', module, port: channel.port1, maximumRestarts, watchesClock: !isOffline(context),
            options: {
                sampleRateHertz: context.sampleRate, channelCount,
                ...(profiles && {profiles}), ...(combineCount && {combineCount}), ...(recognisesTokens && {recognisesTokens}),
            },
        }, [channel.port1]);
        await ready;

        this.#node.port.postMessage({kind: 'connect', port: channel.port2}, [channel.port2]);
        source.connect(this.#analyser);
        source.connect(this.#node);
        // The worklet writes nothing, but browsers may not run a node without an output.
        this.#node.connect(context.destination);
        this.#cleanups.push(() => {
            source.disconnect(this.#analyser);
            source.disconnect(this.#node);
            this.#node.disconnect();
            this.#node.port.close();
        });
    }

    /** Handles a message of the Worker. */
    #take(message) {
        if (this.#isReleased) return;
        const rateHertz = this.#context.sampleRate;
        switch (message.kind) {
        case 'frame': {
            const {frame} = message;
            frame.startSeconds = frame.startSample / rateHertz;
            frame.endSeconds = frame.endSample / rateHertz;
            frame.isOwn = wasSaid(frame.hex);
            this.#onToken(frame);
            break;
        }
        case 'gap':
            this.#gapCount += 1;
            this.#lostSampleCount += message.frameCount;
            this.#raise('sound-lost', `${(this.#lostSampleCount / rateHertz).toFixed(2)} s so far`);
            this.onGap?.(message.frameCount, message.frame / rateHertz);
            break;
        case 'silence':
            if (message.isSilent) this.#raise('microphone-silent');
            else this.#solve('microphone-silent');
            break;
        case 'restarted':
            this.#restartCount = message.restartCount;
            this.#raise('modem-restarted', `${message.restartCount}: ${message.text}`);
            break;
        case 'failed':
            this.#raise('modem-failed', message.text);
            break;
        }
    }

    #watchContext() {
        const context = this.#context;
        // While it is paused, its frame count does not advance.
        this.#on(context, 'statechange', () => this.#worker?.postMessage({kind: 'restart-clock'}));
        if (!this.#ownsContext) return;
        const check = () => {
            if (this.isStopped) return;
            if (context.state === 'running') this.#solve('suspended');
            else this.#raise('suspended', context.state === 'suspended' ? '' : context.state);
        };
        this.#on(context, 'statechange', check);
        // Any tap may start it again.
        const resume = () => {
            if (context.state !== 'running' && !this.isStopped) context.resume().catch(() => {});
        };
        this.#on(document, 'pointerdown', resume);
        this.#on(document, 'keydown', resume);
        if (context.state === 'running') return;
        const timer = setTimeout(check, 1000 * startSeconds);
        this.#cleanups.push(() => clearTimeout(timer));
    }

    #watchPage() {
        const check = () => {
            if (document.visibilityState === 'hidden') this.#raise('background');
            else this.#solve('background');
        };
        this.#on(document, 'visibilitychange', check);
        check();
    }

    #on(target, type, listener) {
        target.addEventListener(type, listener);
        this.#cleanups.push(() => target.removeEventListener(type, listener));
    }

    #raise(code, detail = '') {
        if (this.#isReleased) return;
        const problem = new Problem(code, detail);
        this.#problems.set(code, problem);
        this.onProblem?.(problem);
    }

    #solve(code) {
        const problem = this.#problems.get(code);
        if (problem === undefined) return;
        this.#problems.delete(code);
        this.onSolved?.(problem);
    }

    /** Releases everything. Internal. */
    async _release() {
        if (this.#isReleased) return;
        this.#isReleased = true;
        for (const cleanup of this.#cleanups.splice(0)) cleanup();
        for (const track of this.#stream?.getTracks() ?? []) track.stop();
        this.#source?.disconnect();
        this.#worker?.terminate();
        if (this.#ownsContext && this.#context?.state !== 'closed') await this.#context?.close();
    }
}

/** The loudspeaker of the page: plays one sound after the other. */
class Loudspeaker {
    #context;
    #queue = Promise.resolve();
    #idleTimer;

    say(payload, profile, options) {
        clearTimeout(this.#idleTimer);
        // Immediately, while the browser still counts the tap.
        this.#context ??= new AudioContext({latencyHint: 'playback'});
        this.#context.resume().catch(() => {});
        const said = this.#queue.then(() => this.#say(payload, profile, options));
        const rest = said.catch(() => {}).then(() => {
            if (this.#queue !== rest) return;
            // An open loudspeaker consumes energy.
            clearTimeout(this.#idleTimer);
            this.#idleTimer = setTimeout(() => this.#context.suspend(), 1000 * idleSeconds);
        });
        this.#queue = rest;
        return said;
    }

    async #say(payload, profile, {signal, burstCount, amplitude, wasm, onStart}) {
        signal?.throwIfAborted();
        const context = this.#context;
        const sampleRateHertz = context.sampleRate;
        if (sampleRateHertz < minimumRateHertz) throw new Problem('speaker-rate-too-low', `${sampleRateHertz} Hz`);
        const modem = await Earshot.modem(wasm);
        const samples = guarded(() => modem.transmit(payload, {
            sampleRateHertz, profile, ...(burstCount && {burstCount}), ...(amplitude !== undefined && {amplitude}),
        }));
        await this.#run();
        signal?.throwIfAborted();

        const buffer = new AudioBuffer({length: samples.length, numberOfChannels: 1, sampleRate: sampleRateHertz});
        buffer.copyToChannel(samples, 0);
        const source = new AudioBufferSourceNode(context, {buffer});
        const gain = new GainNode(context);
        source.connect(gain).connect(context.destination);
        const startSeconds = context.currentTime + leadSeconds;
        const seconds = samples.length / sampleRateHertz;
        rememberSaid(payload, seconds);
        source.start(startSeconds);
        onStart?.({seconds, sampleRateHertz});
        try {
            await this.#ended(source, gain, seconds, signal);
        } finally {
            source.disconnect();
            gain.disconnect();
        }
        // The context is ahead of the loudspeaker.
        await sleep((context.baseLatency || 0) + (context.outputLatency || 0));
        return {seconds, sampleRateHertz};
    }

    async #run() {
        const context = this.#context;
        if (context.state === 'running') return;
        await Promise.race([context.resume().catch(() => {}), sleep(startSeconds)]);
        if (context.state !== 'running') throw new Problem('speaker-blocked');
    }

    /** Resolves when the source has ended. */
    #ended(source, gain, seconds, signal) {
        const context = this.#context;
        return new Promise((resolve, reject) => {
            // If a device disappears, the context's clock stops and no sound would end. A busy machine may be slow.
            const timer = setTimeout(() => finish(new Problem('speaker-failed')), 1000 * (3 * seconds + 10));
            const abort = () => {
                // An abrupt end would click.
                gain.gain.setTargetAtTime(0, context.currentTime, 0.003);
                source.stop(context.currentTime + 0.02);
                finish(signal.reason);
            };
            let isFinished = false;
            const finish = (error) => {
                if (isFinished) return;
                isFinished = true;
                clearTimeout(timer);
                signal?.removeEventListener('abort', abort);
                if (error === undefined) {
                    resolve();
                    return;
                }
                // Lets the end fade before the nodes are taken apart.
                sleep(0.05).then(() => reject(error));
            };
            source.onended = () => finish();
            if (signal?.aborted) abort();
            else signal?.addEventListener('abort', abort);
        });
    }
}

let pageLoudspeaker;
function loudspeaker() {
    if (typeof AudioContext !== 'function' || !runsModem()) throw new Problem('no-audio');
    pageLoudspeaker ??= new Loudspeaker();
    return pageLoudspeaker;
}

let modulePromise;
let modemInstance;
let hasModemTrapped = false;

/** The compiled module, the same for the page and its Worker. After a failure the next call tries again. */
function loadedModule(source = new URL('earshot.wasm', import.meta.url)) {
    modulePromise ??= Modem.compile(source).then((module) => ({module}), (error) => {
        modulePromise = undefined;
        throw new Problem('modem-not-loaded', error.message, error);
    });
    return modulePromise;
}

/** Runs a call of the page's modem; after a fault the next call gets a new one. */
function guarded(call) {
    try {
        return call();
    } catch (error) {
        if (error instanceof WebAssembly.RuntimeError) hasModemTrapped = true;
        throw error;
    }
}

/** The payloads that this page sent recently, so that it recognises them, with the time until which each may be heard. */
const said = new Map();

function rememberSaid(payload, seconds) {
    const now = performance.now();
    for (const [hex, until] of said) if (until < now) said.delete(hex);
    said.set(hexOf(payload), now + 1000 * (leadSeconds + seconds + 3));
}

function wasSaid(hex) {
    return (said.get(hex) ?? -Infinity) >= performance.now();
}

function checkBrowser(needsMicrophone) {
    if (needsMicrophone) {
        if (!globalThis.isSecureContext) throw new Problem('insecure-context');
        if (typeof navigator.mediaDevices?.getUserMedia !== 'function') throw new Problem('no-microphone-access');
    }
    if (typeof AudioContext !== 'function' || typeof AudioWorkletNode !== 'function' || !runsModem()) throw new Problem('no-audio');
}

/** Whether the browser has WebAssembly with SIMD: Chrome from 91, Firefox from 89, Safari from 16.4 on. */
function runsModem() {
    // The smallest module with such an instruction, i8x16.popcnt(i8x16.splat(0)).
    const module = new Uint8Array([
        0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11,
    ]);
    return typeof WebAssembly === 'object' && WebAssembly.validate(module);
}

function problemOfMicrophone(error) {
    const codes = {
        NotAllowedError: 'permission-denied', SecurityError: 'permission-denied',
        NotFoundError: 'no-microphone', OverconstrainedError: 'no-microphone',
        NotReadableError: 'microphone-busy', AbortError: 'microphone-busy',
    };
    return new Problem(codes[error?.name] ?? 'no-microphone-access', error?.message ?? String(error), error);
}

function bytesOf(token) {
    let bytes = token;
    if (typeof token === 'string') {
        if (!/^([0-9a-f]{2})+$/i.test(token)) throw new Problem('bad-payload', JSON.stringify(token));
        bytes = Uint8Array.from(token.match(/../g), (pair) => Number.parseInt(pair, 16));
    }
    if (!(bytes instanceof Uint8Array)) throw new Problem('bad-payload', typeof token);
    if (bytes.length < 1 || bytes.length > maximumPayloadByteCount) throw new Problem('bad-payload', `${bytes.length} bytes`);
    return bytes.slice();
}

function hexOf(bytes) {
    return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function isOffline(context) {
    return typeof OfflineAudioContext === 'function' && context instanceof OfflineAudioContext;
}

function sleep(seconds) {
    return new Promise((resolve) => setTimeout(resolve, 1000 * seconds));
}
