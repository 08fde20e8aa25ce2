/**
 * The client of earshotd over HTTP: requests with limits of time and size, the event stream, and the pauses between repetitions.
 * docs/SERVICE.md describes the interface. The answers are not trusted: each value is checked before it is used.
 */

/** The limit of one request. A message of maximum size then needs a line of 40 kbit/s. */
const requestSeconds = 30;
/** The service sends something at least every 15 s; a stream that is silent for this long is dead. */
const streamSilenceSeconds = 45;
/** The maximum size of an answer. The statuses of a hundred tokens have 6 KiB. */
const maximumAnswerBytes = 65_536;
/** The maximum size of an event. A sealed message of 100 KiB in base64 has 137,088 bytes, and each of its keys 115. */
const maximumEventCharacters = 262_144;
const longestLeaseSeconds = 86_400;

/** The maximum size of a content, bytes. */
export const maximumContentBytes = 102_400;
/** The maximum additional length of a sealed content. */
const maximumSealingBytes = 512;
/** Wrapped keys of one event that are read: the message's device has a few tokens, and this page too. */
const maximumKeyCount = 100;
/** The maximum length of a type, Unicode scalars. */
export const maximumTypeLength = 32;
/** The maximum length of a namespace, Unicode scalars. */
export const maximumNamespaceLength = 64;

/**
 * A request that failed, or that can never work. `message` says what failed, on what, and what to do; it holds no key, session,
 * token or content.
 */
export class MessagesError extends Error {
    /**
     * @param {string} code `content_too_large`, `type_too_long`, `namespace_too_long`, `not_text`, `bad_option`, `stopped`,
     *     `service_unreachable`, `service_invalid`, `service_refusing`, `sealing_unavailable`, `cannot_play`
     * @param {string} message
     * @param {object} [details]
     * @param {number} [details.status] the status of HTTP, if the service refused
     * @param {string} [details.serviceCode] the service's code, if it refused
     * @param {number} [details.retryAfterSeconds] the pause that the service asked for
     */
    constructor(code, message, {status, serviceCode, retryAfterSeconds} = {}) {
        super(message);
        this.name = 'MessagesError';
        this.code = code;
        this.status = status;
        this.serviceCode = serviceCode;
        this.retryAfterSeconds = retryAfterSeconds;
    }

    /** Whether the service no longer knows the session. */
    get isBadSession() {
        return this.status === 401 && !keyCodes.has(this.serviceCode);
    }

    /** Whether the service refuses the key itself, or this page with it. Repeating the request would not help. */
    get isBadKey() {
        return this.code === 'sealing_unavailable' || this.status === 403 || this.status === 401 && keyCodes.has(this.serviceCode);
    }

    /** Whether the publication or subscription does not exist. */
    get isNoSuchThing() {
        return this.status === 404 && this.code === 'service_refusing';
    }

    /** Whether the idempotency key belongs to a different publication or subscription. */
    get isRepeatDiffering() {
        return this.status === 409;
    }

    /** Whether the service will never accept this request. */
    get isFinal() {
        return [400, 413, 422].includes(this.status);
    }
}

const keyCodes = new Set(['bad_key', 'no_credentials', 'malformed_key']);

/** How a key is made. Only a page names an origin, and only a key of --browser asks for one. */
const keyCommand = globalThis.location === undefined ? '"earshotd key create PROJECT"' : '"earshotd key create PROJECT --browser"';
/** Where a key comes from. */
const newKey = `Get a ${globalThis.location === undefined ? '' : 'browser '}key from the operator of the service (${keyCommand}).`;

/** The remedies, in our own words: texts of an unknown server must not reach the page. */
const remedies = {
    bad_key: `the key is unknown or revoked. ${newKey}`,
    no_credentials: `the key is missing. ${newKey}`,
    malformed_key: 'the key is empty, or has a character that no key has. Copy the line that "earshotd key create" printed.',
    not_device_key: `this is an owner's key. Use a key of ${keyCommand}, and keep owner's keys out of pages and apps.`,
    not_browser_key: `this is no key for pages. ${newKey}`,
    bad_session: 'the session has ended. The page opens a new one.',
    no_origin: 'outside of a page a browser key does not work. Use a key of "earshotd key create PROJECT", without --browser.',
    rate_limited: 'it is busy. The page retries later.',
    overloaded: 'it is busy. The page retries later.',
    too_many_connections: 'it is busy. The page retries later.',
    sealing_required: 'the project seals its messages in a way that this page does not know. Update the page\'s files.',
    token_taken: 'the token belongs to another device. The page draws another one.',
    store_away: 'its database is away. The page retries later.',
    internal_error: 'it failed; its log says why. The page retries later.',
};

function remedy(status, code) {
    if (Object.hasOwn(remedies, code)) return remedies[code];
    if (code.startsWith('too_many_')) return 'a limit is reached. The page retries later.';
    if (status === 403) {
        // Browsers name a page of the service's own only at a secure address (Sec-Fetch-Site).
        return 'the key does not allow this page. Use a key that names its origin'
            + (globalThis.location === undefined ? '.' : ` ("earshotd key create PROJECT --browser --origin ${globalThis.location.origin}").`)
            + (globalThis.isSecureContext === false
                ? ' A page of the service\'s own needs https://, or on this machine http://localhost.' : '');
    }
    return status >= 500 ? 'it failed. The page retries later.' : 'the operator of the service can look the code up.';
}

/**
 * The pauses before a failed request is repeated: u · min(longest, shortest · 2ⁿ), u uniform in [½, 1].
 *
 * If the service names a pause, the result is at least that plus u · shortest, so that pages which were told the same do not return
 * together.
 */
export class BackOff {
    #failureCount = 0;
    #random;

    /** @param {() => number} random uniform in 0 ..< 1 */
    constructor(random) {
        this.#random = random;
    }

    reset() {
        this.#failureCount = 0;
    }

    /**
     * @param {number} [retryAfterSeconds] the pause that the service named
     * @returns {number} seconds
     */
    pauseSeconds(retryAfterSeconds) {
        const [shortest, longest, longestNamed] = [0.5, 30, 300];
        const share = (1 + this.#random()) / 2;
        const pause = Math.min(longest, shortest * 2 ** Math.min(this.#failureCount, 30)) * share;
        this.#failureCount += 1;
        if (!(retryAfterSeconds > 0)) return pause;
        return Math.max(pause, Math.min(retryAfterSeconds, longestNamed) + shortest * share);
    }
}

/** Parses server-sent events from pieces of text. Source: the WHATWG HTML standard, section 9.2. */
export class EventStreamParser {
    #line = '';
    #isAfterCarriageReturn = false;
    #name = '';
    #data = null;
    #id;

    /**
     * Takes the next piece.
     *
     * @param {string} text
     * @returns {{name: string, data: string, id: string|undefined}[]} the events that end in it
     * @throws {MessagesError} if an event exceeds the maximum size; the rest of the stream cannot be parsed then
     */
    take(text) {
        const events = [];
        let begin = 0;
        if (this.#isAfterCarriageReturn && text.length > 0) {
            if (text[0] === '\n') begin = 1;
            this.#isAfterCarriageReturn = false;
        }
        const ends = /\r\n|\r|\n/g;
        ends.lastIndex = begin;
        for (let end = ends.exec(text); end; end = ends.exec(text)) {
            this.#append(text.slice(begin, end.index));
            begin = ends.lastIndex;
            this.#isAfterCarriageReturn = end[0] === '\r' && begin === text.length;
            this.#endLine(events);
        }
        this.#append(text.slice(begin));
        return events;
    }

    #append(text) {
        if (this.#line.length + text.length + (this.#data?.length ?? 0) > maximumEventCharacters) {
            throw invalid('it sends an event that is too large');
        }
        this.#line += text;
    }

    #endLine(events) {
        const line = this.#line;
        this.#line = '';
        if (line === '') {
            if (this.#data !== null) events.push({name: this.#name, data: this.#data, id: this.#id});
            this.#name = '';
            this.#data = null;
            return;
        }
        const colon = line.indexOf(':');
        if (colon === 0) return;
        const field = colon < 0 ? line : line.slice(0, colon);
        let value = colon < 0 ? '' : line.slice(colon + 1);
        if (value.startsWith(' ')) value = value.slice(1);
        if (field === 'event') this.#name = value;
        else if (field === 'data') this.#data = this.#data === null ? value : `${this.#data}\n${value}`;
        else if (field === 'id' && !value.includes('\0')) this.#id = value;
    }
}

/** The requests of one page to one service. */
export class Service {
    #base;
    #key;
    #fetch;
    #clock;

    /**
     * @param {object} options
     * @param {string} options.server the address without `/v1`; from the page's, if it begins with `/`, `./` or `../`
     * @param {string} options.key
     * @param {typeof fetch} options.fetch
     * @param {Clock} options.clock
     * @throws {MessagesError} if the address is not one of HTTP
     */
    constructor({server, key, fetch, clock}) {
        let url;
        try {
            // "earshot" would be the page of that name.
            url = /^\.{0,2}\//.test(server) ? new URL(server, globalThis.location?.href) : new URL(server);
        } catch {
            throw new MessagesError('bad_option', `"${server}" is not the address of a service: use "https://tokens.example".`);
        }
        if (!['http:', 'https:'].includes(url.protocol) || url.username || url.password) {
            throw new MessagesError(
                'bad_option', `The address of the service must begin with https:// or http://, without a user's name.`);
        }
        if (typeof key !== 'string') {
            throw new MessagesError('bad_option', `The key is missing: ${keyCommand} makes one.`);
        }
        this.#base = (url.origin + url.pathname).replace(/\/+$/, '');
        if (this.#base.endsWith('/v1')) {
            throw new MessagesError('bad_option', `"${server}" has /v1 at its end; leave it out.`);
        }
        this.#key = key;
        this.#fetch = fetch;
        this.#clock = clock;
    }

    /**
     * Opens a session.
     *
     * @param {number[]} sealing the versions of sealing that the page can
     * @returns {Promise<{session: string, sealing: any}>} its secret, and the project's terms of sealing, unchecked; undefined in an
     *     open project
     */
    async openSession(sealing) {
        if (!isPlain(this.#key, 512)) throw refused(401, 'malformed_key');
        const answer = await this.#ask('POST', '/v1/devices', this.#key, {sealing}).catch(async error => {
            throw error.code === 'service_unreachable' && await this.#answersOthers() ? notForThisPage(this.#base) : error;
        });
        if (!isPlain(answer.session, 512)) throw invalid('it sends an invalid session');
        return {session: answer.session, sealing: answer.terms?.sealing};
    }

    /** Ends a session with all its items. */
    async endSession(session) {
        await this.#send('DELETE', '/v1/device', session);
    }

    /** Ends a session while the page is closed, without waiting for the answer. */
    endSessionOfLeavingPage(session) {
        try {
            const options = {...fetchOptions, method: 'DELETE', keepalive: true, headers: authorization(session)};
            this.#fetch(`${this.#base}/v1/device`, options).catch(() => {});
        } catch {
            // The service takes the page for gone after 15 s, and its tokens expire after 120 s.
        }
    }

    /**
     * Publishes or subscribes.
     *
     * @param {'publications'|'subscriptions'} kind
     * @param {object} body
     * @param {string} session
     * @returns {Promise<Registration>}
     */
    async register(kind, body, session) {
        return this.#registration('POST', `/v1/${kind}`, body, session);
    }

    /** Extends a lease, and gets the next token when that is due. Parameters as for `register`. */
    async renew(kind, id, body, session) {
        const renewed = await this.#registration('PUT', `/v1/${kind}/${id}`, body, session);
        if (renewed.id !== id) throw invalid('it renewed something else');
        return renewed;
    }

    /** Unpublishes or unsubscribes. */
    async withdraw(kind, id, session) {
        await this.#send('DELETE', `/v1/${kind}/${id}`, session);
    }

    /**
     * Reports tokens.
     *
     * @param {{token: string, age_s?: number}[]} heard
     * @param {string[]} lost
     * @param {string} session
     * @param {{token: string, publication: string, key: string}[]} [keys] the wrapped keys for heard tokens
     * @returns {Promise<Map<string, string>>} the status of each heard token
     */
    async report(heard, lost, session, keys) {
        const answer = await this.#ask('POST', '/v1/sightings', session, {heard, lost, keys});
        if (!Array.isArray(answer.heard)) throw invalid('its answer to a report has no statuses');
        const statuses = new Map();
        for (const entry of answer.heard.slice(0, heard.length)) {
            if (isToken(entry?.token) && typeof entry.status === 'string') statuses.set(entry.token, entry.status);
        }
        return statuses;
    }

    /**
     * Reads one connection of the event stream, until it ends.
     *
     * Unknown events are ignored. An event whose data are not as expected is `unreadable`, and the stream goes on.
     *
     * @param {string} session
     * @param {string|null} lastEventID
     * @param {AbortSignal} signal ends the connection
     * @param {boolean} isSealed whether found messages are sealed: their content may be longer, and `keys` comes along
     * @returns {AsyncGenerator<ServiceEvent>}
     * @throws {MessagesError} if the connection fails
     */
    async* events(session, lastEventID, signal, isSealed) {
        const headers = {...authorization(session), Accept: 'text/event-stream'};
        if (lastEventID !== null) headers['Last-Event-ID'] = lastEventID;
        const exchange = this.#open(
            '/v1/events', {method: 'GET', headers}, streamSilenceSeconds, 'its event stream is silent', signal);
        try {
            const response = await exchange.response;
            if (response.status !== 200) throw failure(this.#base, response, await exchange.body(maximumAnswerBytes));
            const parser = new EventStreamParser();
            const decoder = new TextDecoder();
            for await (const piece of exchange.pieces()) {
                exchange.restartTimer();
                yield {kind: 'quiet'};
                for (const item of parser.take(decoder.decode(piece, {stream: true}))) {
                    const event = readEvent(item, isSealed);
                    if (event) yield event;
                }
            }
        } finally {
            exchange.close();
        }
    }

    /**
     * Whether the server of another origin answers requests that carry no key and whose answers the page may not read. For want of a
     * permission, browsers report the page's own requests like those to a server that is away.
     */
    async #answersOthers() {
        const {origin} = globalThis.location ?? {};
        if (origin === undefined || new URL(this.#base).origin === origin) return false;
        const exchange = this.#open('/v1/openapi.json', {method: 'HEAD', mode: 'no-cors', redirect: 'follow'}, requestSeconds, '');
        try {
            await exchange.response;
            return true;
        } catch {
            return false;
        } finally {
            exchange.close();
        }
    }

    async #registration(method, path, body, session) {
        const answer = await this.#ask(method, path, session, body);
        if (!isIdentifier(answer.id, 128)) throw invalid('it sends an invalid id');
        if (!isToken(answer.token?.token)) throw invalid('it sends a token without 16 digits');
        const times = [answer.expires_in_s, answer.token.expires_in_s, answer.token.rotate_in_s];
        if (!times.every(Number.isFinite)) throw invalid('it sends a lease without times');
        const [expiresInSeconds, tokenExpiresInSeconds, rotateInSeconds] = times
            .map(seconds => Math.min(Math.max(seconds, 0), longestLeaseSeconds));
        return {id: answer.id, token: answer.token.token, expiresInSeconds, tokenExpiresInSeconds, rotateInSeconds};
    }

    async #ask(method, path, secret, body) {
        const text = await this.#send(method, path, secret, body);
        const answer = parse(text);
        if (answer === null) throw invalid(`its answer to ${method} is not the expected JSON`, this.#base);
        return answer;
    }

    async #send(method, path, secret, body) {
        const headers = {...authorization(secret), Accept: 'application/json'};
        if (body !== undefined) headers['Content-Type'] = 'application/json';
        const options = {method, headers, body: body === undefined ? undefined : JSON.stringify(body)};
        const exchange = this.#open(path, options, requestSeconds, 'it does not answer in time');
        try {
            const response = await exchange.response;
            const text = await exchange.body(maximumAnswerBytes);
            if (response.status < 200 || response.status >= 300) throw failure(this.#base, response, text);
            return text;
        } finally {
            exchange.close();
        }
    }

    /** Begins a request with a limit of time, which each `restartTimer` begins anew. */
    #open(path, options, limitSeconds, limitText, signal) {
        const clock = this.#clock;
        const controller = new AbortController();
        let [timer, isLate, reader] = [null, false, null];
        const restartTimer = () => {
            clock.clearTimeout(timer);
            timer = clock.setTimeout(() => {
                isLate = true;
                controller.abort();
            }, limitSeconds * 1000);
        };
        const abort = () => controller.abort();
        signal?.addEventListener('abort', abort);
        if (signal?.aborted) controller.abort();
        /** Waits for a step of the request, but not beyond its end: a fetch need not notice the end by itself. */
        const wait = async promise => {
            let onAbort;
            const end = new Promise((_, reject) => {
                onAbort = () => reject(new Error('aborted'));
                controller.signal.addEventListener('abort', onAbort);
                if (controller.signal.aborted) onAbort();
            });
            try {
                return await Promise.race([promise, end]);
            } catch {
                throw isLate ? unreachable(this.#base, limitText) : unreachable(
                    this.#base, 'no answer, or the connection broke: the service or the network is away, the service does not allow this page, '
                        + 'or the page\'s own security policy (connect-src) forbids it');
            } finally {
                controller.signal.removeEventListener('abort', onAbort);
            }
        };
        restartTimer();
        const begin = async () => this.#fetch(this.#base + path, {...fetchOptions, ...options, signal: controller.signal});
        const response = wait(begin());
        response.catch(() => {});
        const pieces = async function* () {
            reader = (await response).body?.getReader();
            while (reader) {
                const {done, value} = await wait(reader.read());
                if (done) return;
                yield value;
            }
        };
        return {
            response,
            restartTimer,
            pieces,
            /** The whole body as text, up to a limit of bytes. */
            async body(maximumBytes) {
                const decoder = new TextDecoder();
                let [text, count] = ['', 0];
                for await (const piece of pieces()) {
                    count += piece.length;
                    if (count > maximumBytes) throw invalid('its answer is too large');
                    text += decoder.decode(piece, {stream: true});
                }
                return text + decoder.decode();
            },
            close() {
                clock.clearTimeout(timer);
                signal?.removeEventListener('abort', abort);
                reader?.cancel().catch(() => {});
                controller.abort();
            },
        };
    }
}

/** A redirection must not carry the key to another host, and no cookie or address of a page goes along. */
const fetchOptions = {redirect: 'manual', credentials: 'omit', cache: 'no-store', referrerPolicy: 'no-referrer'};

function authorization(secret) {
    return {Authorization: `Bearer ${secret}`};
}

/** The failure for an unsuccessful answer. */
function failure(address, response, text) {
    const {status} = response;
    const named = response.headers.get('Retry-After');
    const retryAfterSeconds = named !== null && /^\d{1,9}$/.test(named) ? Number(named) : undefined;
    const code = parse(text)?.problem?.code;
    if (isIdentifier(code, 40) && code !== 'no_such_path') return refused(status, code, retryAfterSeconds);
    if (status === 0 || status >= 300 && status < 400) return invalid('it redirects to another address', address);
    if (status === 404) return invalid('it has no such path', address);
    // The answer of a proxy that does not reach the service.
    if (status === 502 || status === 504) return unreachable(address, 'the proxy cannot reach it');
    // What proxies say of a service that is too busy, or being replaced. The service itself names a code.
    if ([429, 500, 503].includes(status)) return refused(status, `http_${status}`, retryAfterSeconds);
    return invalid(`it answers with status ${status}`, address);
}

function unreachable(address, reason) {
    return new MessagesError('service_unreachable', `Cannot reach the service at ${address}: ${reason}. The page retries.`);
}

function notForThisPage(address) {
    return new MessagesError('service_invalid',
        `The server at ${address} answers, but not to pages of ${globalThis.location.origin}: it is no token service, or none of its browser keys `
        + 'allows this page. Check the address, and the origins of the key.');
}

/** The failure for an invalid answer of a service. The address is named if it may be the cause. */
export function invalid(reason, address) {
    const place = address === undefined ? '' : ` of ${address}`;
    return new MessagesError(
        'service_invalid', `The answer${place} is not from a token service: ${reason}. Check the address.`);
}

/** Refuses options that do not exist: they are usually misspelt. @param {object} unknown */
export function refuseUnknown(unknown, place) {
    const [name] = Object.keys(unknown);
    if (name !== undefined) throw new MessagesError('bad_option', `${place} has no option "${name}".`);
}

/** The failure of a request that the service refused. */
export function refused(status, serviceCode, retryAfterSeconds) {
    const text = `The service refused the request (${status}, ${serviceCode}): ${remedy(status, serviceCode)}`;
    return new MessagesError('service_refusing', text, {status, serviceCode, retryAfterSeconds});
}

/** The object that a text of JSON holds; null for anything else. */
function parse(text) {
    try {
        const value = JSON.parse(text);
        return typeof value === 'object' && !Array.isArray(value) ? value : null;
    } catch {
        return null;
    }
}

/** The meaning of a server-sent event; null if the event is unknown. */
function readEvent({name, data, id}, isSealed) {
    if (!['ready', 'found', 'lost', 'end'].includes(name)) return null;
    const body = parse(data);
    if (name === 'end') return {kind: 'end'};
    // Only an id that can be one of the service's is sent back to it.
    const eventID = isIdentifier(id, 64) ? id : undefined;
    if (name === 'ready') return typeof body?.resumed === 'boolean' ? {kind: 'ready', isResumed: body.resumed} : unreadable;
    if (!isIdentifier(body?.subscription, 128) || !isIdentifier(body.message?.id, 128)) return unreadable;
    const {subscription, message} = body;
    if (name === 'lost') return {kind: 'lost', subscription, id: message.id, eventID};
    const content = fromBase64(message.content, maximumContentBytes + (isSealed ? maximumSealingBytes : 0));
    if (!content || textProblem(message.type, message.namespace)) return unreadable;
    const received = new ReceivedMessage(message.id, content, message.type, message.namespace);
    const found = {kind: 'found', subscription, id: message.id, message: received, eventID};
    return isSealed ? {...found, keys: readKeys(message.keys)} : found;
}

/** The wrapped keys of a found message. Malformed ones are left out. */
function readKeys(keys) {
    return (Array.isArray(keys) ? keys : []).slice(0, maximumKeyCount)
        .map(entry => ({token: entry?.token, key: fromBase64(entry?.key, 60)}))
        .filter(({token, key}) => isToken(token) && key !== null);
}

const unreadable = {kind: 'unreadable', failure: invalid('an event is not the expected JSON')};

/** A message that a subscription received. The service vouches for the project's key, not for the content: show it as text only. */
export class ReceivedMessage {
    /**
     * @param {string} id the same in found and lost
     * @param {Uint8Array} content
     * @param {string} type
     * @param {string} namespace
     */
    constructor(id, content, type, namespace) {
        this.id = id;
        this.content = content;
        this.type = type;
        this.namespace = namespace;
        Object.freeze(this);
    }

    /** The content as text in UTF-8; invalid bytes become U+FFFD. */
    get text() {
        return new TextDecoder().decode(this.content);
    }
}

/**
 * Why the service would not accept a type and a namespace.
 *
 * @returns {MessagesError|null} null if it would
 */
export function textProblem(type, namespace) {
    for (const [name, value, maximum] of [
        ['type', type, maximumTypeLength], ['namespace', namespace, maximumNamespaceLength]]) {
        if (typeof value !== 'string' || /\p{Surrogate}/u.test(value)) {
            return new MessagesError('not_text', `The ${name} must be a text of whole characters.`);
        }
        // As the service counts: a letter with its accents may be several.
        const length = value.length <= 2 * maximum ? [...value].length : value.length;
        if (length > maximum) {
            return new MessagesError(
                `${name}_too_long`, `The ${name} has ${length} characters, but at most ${maximum} are allowed. Shorten it.`);
        }
    }
    return null;
}

/** Bytes as base64. */
export function toBase64(bytes) {
    let text = '';
    for (let begin = 0; begin < bytes.length; begin += 8192) {
        text += String.fromCharCode(...bytes.subarray(begin, begin + 8192));
    }
    return btoa(text);
}

/** The bytes that a text of base64 holds; null if it is no base64, or holds more than the maximum. */
export function fromBase64(text, maximumBytes) {
    if (typeof text !== 'string' || text.length > 4 * Math.ceil(maximumBytes / 3)) return null;
    try {
        const decoded = atob(text);
        if (decoded.length > maximumBytes) return null;
        return Uint8Array.from(decoded, character => character.charCodeAt(0));
    } catch {
        return null;
    }
}

/** Bytes as hexadecimal digits. */
export function toHex(bytes) {
    return Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('');
}

/** The bytes of an even number of hexadecimal digits. */
export function fromHex(digits) {
    return Uint8Array.from(digits.match(/../g) ?? [], pair => parseInt(pair, 16));
}

function isToken(text) {
    return typeof text === 'string' && /^[0-9a-f]{16}$/.test(text);
}

/** Whether a text can be in a header without changing it. */
function isPlain(text, maximumLength) {
    return typeof text === 'string' && text.length <= maximumLength && /^[\x21-\x7e]+$/.test(text);
}

/** Whether a text consists of letters, digits, `-` and `_`. */
function isIdentifier(text, maximumLength) {
    return typeof text === 'string' && text.length <= maximumLength && /^[A-Za-z0-9_-]+$/.test(text);
}

/**
 * @typedef {object} Clock
 * @property {() => number} now milliseconds, never less than before
 * @property {(action: () => void, milliseconds: number) => any} setTimeout
 * @property {(timer: any) => void} clearTimeout
 *
 * @typedef {object} Registration
 * @property {string} id
 * @property {string} token 16 hexadecimal digits
 * @property {number} expiresInSeconds
 * @property {number} tokenExpiresInSeconds
 * @property {number} rotateInSeconds
 *
 * @typedef {object} ServiceEvent
 * @property {'ready'|'found'|'lost'|'end'|'quiet'|'unreadable'} kind
 */
