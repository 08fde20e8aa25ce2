// The public declarations of messages.js: publishes messages to devices in earshot, and finds theirs.

import {Profile} from './modem.js';

/** A request of the service that failed, or that can never work. The message says what failed, and what to do. */
export class MessagesError extends Error {
    constructor(code: string, message: string, details?: {status?: number; serviceCode?: string; retryAfterSeconds?: number});
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
    private constructor();
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

/** Publishes messages to devices in earshot, and finds theirs. It needs earshotd and a key of it. */
export class Messages {
    /** Throws `MessagesError` with `bad_option`. */
    constructor(options: {
        /** The address of earshotd, without `/v1`; from the page's, if it begins with `/`, `./` or `../`. */
        server: string;
        /** In a page a key of `earshotd key create --browser`; in node, which names no origin, a key without `--browser`. */
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
    /** The current problems. */
    readonly problems: {code: string; text: string}[];
    /**
     * The number of tokens that are near. A device has one for each of its operations that talk, and for some seconds two of one that has
     * just changed its token.
     */
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
