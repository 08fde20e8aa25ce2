// The public declarations of earshot.js: receives tokens with the microphone, and sends them with the loudspeaker.

import {Frame, Modem, Profile} from './modem.js';

export {EarshotError, Frame, Modem, ModuleSource, Profile, Receiver, ReceiverOptions} from './modem.js';
export {MessageProblem, Messages, MessagesError, OperationOptions, ReceivedMessage} from './messages.js';

/** A frame that the page heard. Its samples and seconds count on the clock of `Listener.context`. */
export interface Token extends Frame {
    startSeconds: number;
    endSeconds: number;
    /** Whether this page said it a moment ago. */
    isOwn: boolean;
}

/** The codes of problems; docs/WEB.md has a table. */
export type ProblemCode =
    | 'insecure-context' | 'no-microphone-access' | 'no-audio' | 'permission-denied' | 'no-microphone' | 'microphone-busy'
    | 'microphone-unusable' | 'rate-too-low' | 'modem-not-loaded' | 'modem-failed' | 'bad-payload' | 'echo-cancellation-on'
    | 'noise-suppression-on' | 'auto-gain-on' | 'processing-unknown' | 'microphone-ended' | 'microphone-muted'
    | 'microphone-silent' | 'suspended' | 'background' | 'sound-lost' | 'modem-restarted' | 'speaker-blocked'
    | 'speaker-rate-too-low' | 'speaker-failed';

export type Severity = 'error' | 'warning' | 'note';

/** The texts of all problems, for translations and tests. */
export const problemTexts: Record<ProblemCode, {severity: Severity; text: string}>;

/** A problem. */
export class Problem extends Error {
    constructor(code: ProblemCode, detail?: string, cause?: unknown);
    readonly code: ProblemCode;
    readonly severity: Severity;
    /** The problem and its remedy. The same as `message`. */
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
    /** The number of times that a token is sent, 2 to 8; 0 or 1: once. */
    burstCount?: number;
    /** The peak, above 0 and up to 1; 0.25 unless given. */
    amplitude?: number;
    /** As for `ListenOptions`. */
    wasm?: URL | string;
    /** Stops the sound, or removes it from the queue. */
    signal?: AbortSignal;
    /** Called when the sound begins. */
    onStart?: (sound: {seconds: number; sampleRateHertz: number}) => void;
}

/** Hears tokens until it is stopped. `Earshot.listen` makes it. */
export class Listener {
    private constructor();
    /** Called for each problem when it begins, or changes. */
    onProblem?: ((problem: Problem) => void) | undefined;
    /** Called when a problem is over. */
    onSolved?: ((problem: Problem) => void) | undefined;
    /** Called when sound was lost. If only the clock shows that it is missing, that is known up to 4 s later, and `startSeconds` is then. */
    onGap?: ((sampleCount: number, startSeconds: number) => void) | undefined;
    /** The current problems. */
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
    /** The number of times that the modem had a fault and was started again. */
    readonly restartCount: number;
    /** The version of the modem. */
    readonly version: string;
    readonly isStopped: boolean;
    /** Releases the microphone, the audio context and the Worker. */
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
