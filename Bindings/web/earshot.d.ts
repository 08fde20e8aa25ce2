// The public declarations of earshot.js, modem.js and messages.js.

/** How fast, and how far: a token takes 0.555, 1.109 or 2.219 s. */
export type Profile = 'fast' | 'standard' | 'far';

/** Where earshot.wasm comes from. `file:` addresses work in node only. */
export type ModuleSource =
    URL | string | Response | Promise<Response> | ArrayBuffer | Uint8Array | WebAssembly.Module;

// ---- modem.js ----

/** An argument that the modem does not take, in words. */
export class EarshotError extends Error {
    constructor(status: number, message: string);
    /** The number of `earshot_status` in earshot.h; negative. */
    readonly status: number;
}

/** A frame that was heard. */
export interface Frame {
    /** Its bytes, 1 to 32; a token has 8. */
    payload: Uint8Array;
    /** The same in hexadecimal digits. */
    hex: string;
    profile: Profile;
    /** The sample at which it starts; negative if it began before the input. */
    startSample: number;
    /** The sample behind its last one. */
    endSample: number;
    /** How far its tones lie above their places, in hertz: Doppler and clock error. */
    offsetHertz: number;
    /** Signal power over noise power in 1,500 Hz, in decibels. */
    snrDecibels: number;
    /** About 1.4 for noise, more for a frame; 0 if it was recognised. */
    pathMetric: number;
    /** The channel that heard it best, from 0 on. */
    channel: number;
    /** How many repeats were read together; 1 for a frame that was read alone. */
    combinedCount: number;
    /** Whether it was recognised instead of decoded. */
    isRecognised: boolean;
}

export interface ReceiverOptions {
    /** 44,100 to 768,000, an integer. */
    sampleRateHertz: number;
    /** What to listen for; all unless given. Fewer cost less. */
    profiles?: Profile[];
    /** 1 to 64; 1 unless given. Two to eight are one device's microphones, heard as one. */
    channelCount?: number;
    /** Repeats of a token in a burst that are read together, 2 to 8; 0 or 1: none. */
    combineCount?: number;
    /** Whether to report frames too that cannot be decoded, but have most tones of a token heard less than a minute before. */
    recognisesTokens?: boolean;
}

/**
 * The modem: makes samples from payloads, and receivers. If a call throws `WebAssembly.RuntimeError`, the instance and its
 * receivers are dead: make another one of the same module.
 */
export class Modem {
    /** Compiles and starts earshot.wasm. Rejects if it cannot be fetched or is no module. */
    static load(source: ModuleSource): Promise<Modem>;
    /** Compiles earshot.wasm; a Worker takes the result. Rejects as `load` does. */
    static compile(source: ModuleSource): Promise<WebAssembly.Module>;
    /** Starts an instance, synchronously. */
    constructor(module: WebAssembly.Module);
    /** Such as "0.2.0". */
    readonly version: string;
    /** The memory of the instance, in bytes. */
    readonly memoryByteCount: number;
    /** Makes a receiver at the start of its input. Throws `EarshotError` if an option has a wrong value. */
    receiver(options: ReceiverOptions): Receiver;
    /**
     * Makes the samples of a payload of 1 to 32 bytes, one channel, full scale 1.
     * Throws `EarshotError` if an argument has a wrong value.
     */
    transmit(payload: Uint8Array, options: {
        /** 44,100 to 768,000, an integer. */
        sampleRateHertz: number;
        profile?: Profile;
        /** How many times a token is sent, 2 to 8; 0 or 1: once. */
        burstCount?: number;
        /** The peak, above 0 and up to 1; 0.25 unless given. */
        amplitude?: number;
    }): Float32Array;
    /** The tones of a payload's frame in their order, and how long each lasts. Throws `EarshotError`. */
    tones(payload: Uint8Array, options?: {profile?: Profile}): {hertz: Float32Array; symbolSeconds: number};
}

/** Takes samples and finds frames. `Modem.receiver` makes it. */
export interface Receiver {
    /** Takes samples in, [samples][channels], full scale 1, and returns the frames that ended. Throws `EarshotError`. */
    push(samples: Float32Array): Frame[];
    /** Passes over samples that existed but were lost. Throws `EarshotError`. */
    skip(sampleCount: number): Frame[];
    /** Ends the input, and returns the frames that can still be found. */
    flush(): Frame[];
    /** Gives the memory back. */
    close(): void;
}

// ---- earshot.js ----

/** A frame that the page heard. Its samples and seconds count on the clock of `Listener.context`. */
export interface Token extends Frame {
    startSeconds: number;
    endSeconds: number;
    /** Whether this page said it a moment ago. */
    isOwn: boolean;
}

/** What can be wrong; docs/WEB.md has a table. */
export type ProblemCode =
    | 'insecure-context' | 'no-microphone-access' | 'no-audio' | 'permission-denied' | 'no-microphone' | 'microphone-busy'
    | 'microphone-unusable' | 'rate-too-low' | 'modem-not-loaded' | 'modem-failed' | 'bad-payload' | 'echo-cancellation-on'
    | 'noise-suppression-on' | 'auto-gain-on' | 'processing-unknown' | 'microphone-ended' | 'microphone-muted'
    | 'microphone-silent' | 'suspended' | 'background' | 'sound-lost' | 'modem-restarted' | 'speaker-blocked'
    | 'speaker-rate-too-low' | 'speaker-failed';

export type Severity = 'error' | 'warning' | 'note';

/** The texts of all problems, for translations and tests. */
export const problemTexts: Record<ProblemCode, {severity: Severity; text: string}>;

/** Something is wrong. */
export class Problem extends Error {
    constructor(code: ProblemCode, detail?: string, cause?: unknown);
    readonly code: ProblemCode;
    readonly severity: Severity;
    /** What is wrong, and what to do. The same as `message`. */
    readonly text: string;
}

export interface ListenOptions {
    /** What to listen for; all unless given. */
    profiles?: Profile[];
    /** As for `ReceiverOptions`. */
    combineCount?: number;
    /** As for `ReceiverOptions`. */
    recognisesTokens?: boolean;
    /** 1 to 8. Unless given: as many as the microphone says it has, 2 at most. */
    channelCount?: number;
    /** The microphone, as `enumerateDevices` names it. */
    deviceId?: string;
    /** Another sound than the microphone's. Its context may be an `OfflineAudioContext`. */
    source?: AudioNode;
    /** Where earshot.wasm is; beside earshot.js unless given. The first call of the page decides. */
    wasm?: URL | string;
    /** Stops listening. */
    signal?: AbortSignal;
    onProblem?: (problem: Problem) => void;
    onSolved?: (problem: Problem) => void;
    onGap?: (sampleCount: number, startSeconds: number) => void;
}

export interface SayOptions {
    /** How many times a token is sent, 2 to 8; 0 or 1: once. */
    burstCount?: number;
    /** The peak, above 0 and up to 1; 0.25 unless given. */
    amplitude?: number;
    /** As for `ListenOptions`. */
    wasm?: URL | string;
    /** Stops the sound, or takes it out of the queue. */
    signal?: AbortSignal;
    /** Called when the sound begins. */
    onStart?: (sound: {seconds: number; sampleRateHertz: number}) => void;
}

/** Hears tokens until it is stopped. `Earshot.listen` makes it. */
export interface Listener {
    /** Called for each problem when it begins, or changes. */
    onProblem?: (problem: Problem) => void;
    /** Called when a problem is over. */
    onSolved?: (problem: Problem) => void;
    /** Called when sound was lost. */
    onGap?: (sampleCount: number, startSeconds: number) => void;
    /** What is wrong now. */
    readonly problems: Problem[];
    readonly sampleRateHertz: number;
    /** The level between 18.5 and 20 kHz in decibels, 0 for a sine at full scale; −Infinity in silence. */
    readonly level: number;
    /** The sound, for drawing. */
    readonly analyser: AnalyserNode;
    readonly context: BaseAudioContext;
    /** What the browser says about the microphone. */
    readonly settings: MediaTrackSettings | undefined;
    /** The microphone's name. */
    readonly label: string;
    readonly gapCount: number;
    /** The samples of each channel that were lost in gaps. */
    readonly lostSampleCount: number;
    /** How often the modem had a fault and was started again. */
    readonly restartCount: number;
    /** The version of the modem. */
    readonly version: string;
    readonly isStopped: boolean;
    /** Gives the microphone, the audio context and the Worker back. */
    stop(): Promise<void>;
}

/** Hears and says tokens. */
export class Earshot {
    /**
     * Opens the microphone and hears tokens. Call it in the handler of a tap or a click.
     * Rejects with a `Problem` if nothing can be heard at all, and with the signal's reason.
     */
    static listen(onToken: (token: Token) => void, options?: ListenOptions): Promise<Listener>;
    /**
     * Plays 1 to 32 bytes, or as many pairs of hexadecimal digits. Several calls play one after the other. Resolves when it
     * was played. Rejects with a `Problem`, with `EarshotError` if an option has a wrong value, and with the signal's reason.
     */
    static say(token: Uint8Array | string, profile?: Profile, options?: SayOptions):
        Promise<{seconds: number; sampleRateHertz: number}>;
    /** The modem of this page, loaded once. Rejects with the problem `modem-not-loaded`. */
    static modem(source?: URL | string): Promise<Modem>;
    /** 8 random bytes. */
    static randomToken(): Uint8Array;
}

// ---- messages.js ----

/** A request of the service that failed, or that can never work. The message says what failed, and what to do. */
export class MessagesError extends Error {
    /**
     * `content_too_large`, `type_too_long`, `namespace_too_long`, `not_text`, `bad_option`, `stopped`, `service_unreachable`,
     * `service_invalid`, `service_refusing`, `sealing_unavailable` or `cannot_play`.
     */
    readonly code: string;
    /** The status of HTTP and the service's code, if the service refused. */
    readonly status?: number;
    readonly serviceCode?: string;
    /** The pause that the service asked for. */
    readonly retryAfterSeconds?: number;
}

/** A message that a subscription received. The service vouches for the project's key, not for the content: show it as text only. */
export class ReceivedMessage {
    /** The same in found and lost. */
    readonly id: string;
    readonly content: Uint8Array;
    readonly type: string;
    readonly namespace: string;
    /** The content as UTF-8; invalid bytes become U+FFFD. */
    readonly text: string;
}

export interface MessageProblem {
    code: string;
    text: string;
    /** Whether it has ended. */
    isOver: boolean;
}

export interface OperationOptions {
    /** Whether the page talks for it, hears for it, or both; both unless given. */
    strategy?: 'both' | 'broadcast' | 'scan';
    /** The time after which it ends by itself, 1 to 86,400. */
    timeToLiveSeconds?: number;
    /** Ends it. */
    signal?: AbortSignal;
}

/** Publishes messages to devices in earshot, and finds theirs. It needs earshotd and a browser key. */
export class Messages {
    /** Throws `MessagesError` with `bad_option`. */
    constructor(options: {
        /** The address of earshotd, without `/v1`. */
        server: string;
        /** A browser key of `earshotd key create --browser`. */
        key: string;
        /** Plays one token, and resolves when it was played; without it the page only hears. */
        say?: (token: Uint8Array, profile: Profile) => Promise<unknown>;
        /** The profile of tokens, `fast` unless given: all devices need the same one. */
        profile?: Profile;
        onProblem?: (problem: MessageProblem) => void;
        /** Whether there is sound of another device in the band now. */
        isBusy?: () => boolean;
        /** The time from a call of `say` to the first sample on the air, 0 to 1; 0.15 unless given. */
        leadSeconds?: number;
    });
    onProblem: (problem: MessageProblem) => void;
    /** The problems there are now. */
    readonly problems: {code: string; text: string}[];
    /** The number of devices whose tokens are near. */
    readonly nearCount: number;
    /** Takes a token that the receiver decoded. Other payloads and own tokens are ignored. */
    heard(token: Uint8Array, reception?: {ageSeconds?: number}): void;
    /**
     * Publishes at most 102,400 bytes until `unpublish`. Resolves when the service has the message; waits and retries while it is
     * away. Rejects with `MessagesError` if the message exceeds a limit, or the service refuses it or the key.
     */
    publish(message: {content: Uint8Array | string; type?: string; namespace?: string}, options?: OperationOptions):
        Promise<{unpublish: () => Promise<void>}>;
    /** Finds messages until `unsubscribe`; each is found once and lost once. Rejects as `publish` does. */
    subscribe(options: OperationOptions & {
        onFound?: (message: ReceivedMessage) => void;
        onLost?: (message: ReceivedMessage) => void;
        /** An empty type finds all types of the namespace. */
        filter?: {type?: string; namespace?: string};
    }): Promise<{unsubscribe: () => Promise<void>}>;
    /** Ends everything: other devices lose the messages at once. */
    stop(): Promise<void>;
}
