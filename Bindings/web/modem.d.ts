// The public declarations of modem.js: the modem without audio, for pages, Workers and node.

/** The speed and reach: a token takes 0.555, 1.109 or 2.219 s. */
export type Profile = 'fast' | 'standard' | 'far';

/** The source of earshot.wasm. `file:` addresses work in node only. */
export type ModuleSource =
    URL | string | Response | Promise<Response> | ArrayBuffer | Uint8Array | WebAssembly.Module;

/** An invalid argument, with a description. */
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
    /** The sample after its last one. */
    endSample: number;
    /** The offset of its tones above their places, in hertz: Doppler and clock error. */
    offsetHertz: number;
    /** Signal power over noise power in 1,500 Hz, in decibels. */
    snrDecibels: number;
    /** From about 1.1 (a frame just decoded in noise; 0.9 if combined) to 4.6 (no noise); 0 if it was recognised. */
    pathMetric: number;
    /** The channel that heard it best, from 0 on. */
    channel: number;
    /** The number of repeats that were read together; 1 for a frame that was read alone. */
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
        /** The number of times that a token is sent, 2 to 8; 0 or 1: once. */
        burstCount?: number;
        /** The peak, above 0 and up to 1; 0.25 unless given. */
        amplitude?: number;
    }): Float32Array;
    /** The tones of a payload's frame in order, and the length of each. Throws `EarshotError`. */
    tones(payload: Uint8Array, options?: {profile?: Profile}): {hertz: Float32Array; symbolSeconds: number};
}

/** Takes samples and finds frames. `Modem.receiver` makes it. */
export class Receiver {
    private constructor();
    /** Takes samples in, [samples][channels], full scale 1, and returns the frames that ended. Throws `EarshotError`. */
    push(samples: Float32Array): Frame[];
    /** Skips samples that were lost. Throws `EarshotError`. */
    skip(sampleCount: number): Frame[];
    /** Ends the input, and returns the frames that can still be found. */
    flush(): Frame[];
    /** Releases the memory. */
    close(): void;
}
