/**
 * Messages between devices in earshot, for a page in a browser: a client of earshotd, and today's rules of discovery in their
 * simplest correct form. docs/WEB.md describes it; docs/SERVICE.md and docs/DISCOVERY.md have the rules.
 *
 *     operations ─▶ leases with tokens ─▶ say          (discovery.js decides when)
 *     heard ─▶ near ─▶ reports ─▶ service ─▶ events ─▶ onFound, onLost
 */

import {TalkPolicy} from './discovery.js';
import {FoundBook} from './found.js';
import {SealedService} from './sealed-service.js';
import {BackOff, MessagesError, fromHex, maximumContentBytes, refuseUnknown, textProblem, toHex} from './service.js';
import {SightingReporter} from './sightings.js';

export {MessagesError, ReceivedMessage} from './service.js';

/** The time to live at the service without renewal. */
const leaseSeconds = 300;
/** The duration of a turn, if there are several tokens. */
const turnSeconds = 4;
/** Own tokens that are remembered: an echo, or a device that repeats them, may come late. */
const maximumOwnCount = 64;
const maximumNearCount = 4096;
/** Events kept for unknown subscriptions: they may arrive before the answer that names the subscription. */
const maximumStrayCount = 64;
/** The time in which a message that the service forgot must return; otherwise it is lost. */
const doubtSeconds = 40;
/** If a stream opens after so long without a report or a piece of a stream, the service may have taken all devices for gone. */
const outageSeconds = 14;
/** After so long without a piece of an open stream, where one comes every 15 s, the page was frozen, and its sightings may be over. */
const frozenSeconds = 30;
/** After an event stream that lived this long, the back-off restarts. */
const goodConnectionSeconds = 5;
const expiryIntervalSeconds = 0.25;
/** The pause before checking again whether the current report has ended. */
const reportPauseSeconds = 0.25;
/** A call of `say` has failed if it takes this much longer than its token. */
const maximumSaySeconds = 10;
const longestSeconds = 86_400;
const maximumEndCount = 5;

const systemClock = {
    now: () => performance.now(),
    setTimeout: (action, milliseconds) => setTimeout(action, milliseconds),
    clearTimeout: timer => clearTimeout(timer),
};

/** Publishes messages to devices in earshot, and finds theirs. */
export class Messages {
    #service;
    #say;
    #profile;
    #leadSeconds;
    #isBusy;
    #clock;
    #random;
    #page;
    #operations = new Set();
    #session = null;
    #opening = null;
    #openingStop = null;
    #sessionBackOff;
    #sessionPauseSeconds = 0;
    #reporter = new SightingReporter();
    /** Token → {heardSeconds, untilSeconds}. */
    #near = new Map();
    #ownTokens = new Set();
    #policy = null;
    #policyScans = false;
    #turn = {token: null, untilSeconds: -Infinity};
    #lastEventID = null;
    #lastSignOfLifeSeconds = null;
    #strayEvents = [];
    #problemsBySource = new Map();
    #loops = new Map();
    #wakes = new Map();
    #withdrawals = new Set();
    #isSuspended = false;
    #stopping = null;
    #onPageHide = () => this.#suspend();
    #onPageShow = () => this.#resume();

    /** Takes each problem that begins ({code, text, isOver: false}) or ends (isOver: true). @type {(problem: object) => void} */
    onProblem;

    /**
     * @param {object} options
     * @param {string} options.server the address of earshotd, without `/v1`; from the page's, if it begins with `/`, `./` or `../`
     * @param {string} options.key in a page a key of `earshotd key create --browser`; in node, which names no origin, one without `--browser`
     * @param {(token: Uint8Array, profile: string) => Promise<void>} [options.say] plays one token and resolves when it was played;
     *     without it the page only hears
     * @param {'fast'|'standard'|'far'} [options.profile] the profile of tokens: all devices need the same one
     * @param {(problem: {code: string, text: string, isOver: boolean}) => void} [options.onProblem]
     * @param {() => boolean} [options.isBusy] whether there is sound of another device in the band now
     * @param {number} [options.leadSeconds] the time from a call of `say` to the first sample on the air, 0 ... 1
     * @param {typeof fetch} [options.fetch]
     * @param {import('./service.js').Clock} [options.clock]
     * @param {() => number} [options.random] uniform in 0 ..< 1
     * @param {EventTarget|null} [options.page] sends `pagehide` and `pageshow`
     * @throws {MessagesError} `bad_option`
     */
    constructor({
        server, key, say = null, profile = 'fast', onProblem = () => {}, isBusy = () => false, leadSeconds = 0.15,
        fetch = globalThis.fetch.bind(globalThis), clock = systemClock, random = Math.random,
        page = typeof globalThis.addEventListener === 'function' ? globalThis : null, ...unknown
    } = {}) {
        refuseUnknown(unknown, 'Messages');
        if (typeof globalThis.crypto?.getRandomValues !== 'function') {
            throw new MessagesError('bad_option', 'There are no random numbers (globalThis.crypto) here: use node 20 or later.');
        }
        if (typeof leadSeconds !== 'number' || !(leadSeconds >= 0 && leadSeconds <= 1)) {
            throw new MessagesError('bad_option', '"leadSeconds" must be a number from 0 to 1.');
        }
        if (!['fast', 'standard', 'far'].includes(profile)) {
            throw new MessagesError('bad_option', `There is no profile "${profile}": use "fast", "standard" or "far".`);
        }
        if (say !== null && typeof say !== 'function') throw new MessagesError('bad_option', '"say" must be a function or null.');
        for (const [name, handler] of Object.entries({onProblem, isBusy, fetch, random})) {
            if (typeof handler !== 'function') throw new MessagesError('bad_option', `"${name}" must be a function.`);
        }
        this.#service = new SealedService({server, key, fetch, clock});
        this.#say = say;
        this.#profile = profile;
        this.#leadSeconds = leadSeconds;
        this.#isBusy = isBusy;
        this.#clock = clock;
        this.#random = random;
        this.#page = page;
        this.onProblem = onProblem;
        this.#sessionBackOff = new BackOff(random);
        this.#renewPolicy(true);
        page?.addEventListener('pagehide', this.#onPageHide);
        page?.addEventListener('pageshow', this.#onPageShow);
    }

    /** The problems there are now. @returns {{code: string, text: string}[]} */
    get problems() {
        const byCode = new Map([...this.#problemsBySource.values()].map(problem => [problem.code, problem]));
        return [...byCode.values()].map(({code, text}) => ({code, text}));
    }

    /** The number of tokens that are near. A device has one for each operation that talks, and two while it changes one. */
    get nearCount() {
        return this.#near.size;
    }

    /**
     * Takes a token that the receiver decoded. Payloads that are no tokens (not 8 bytes) and own tokens are ignored.
     *
     * @param {Uint8Array} token
     * @param {object} [reception]
     * @param {number} [reception.ageSeconds] the time since its last sample was on the air; the default is a usual one
     * @throws {MessagesError} `bad_option` if it is no Uint8Array, or the age no number
     */
    heard(token, options = {}) {
        const {ageSeconds = 0.15, ...unknown} = options ?? {};
        refuseUnknown(unknown, 'heard');
        if (!(token instanceof Uint8Array)) {
            throw new MessagesError('bad_option', 'The token must be a Uint8Array: the payload of a frame, not its digits.');
        }
        if (!Number.isFinite(ageSeconds)) throw new MessagesError('bad_option', `ageSeconds is ${ageSeconds}, but must be a number.`);
        if (token.length !== 8 || !this.#isScanning) return;
        const digits = toHex(token);
        if (this.#ownTokens.has(digits)) return;
        const now = this.#now;
        const age = Math.min(Math.max(ageSeconds, 0), 60);
        const startSeconds = now - age - this.#policy.tokenSeconds;
        const untilSeconds = startSeconds + this.#policy.hear(digits, startSeconds);
        if (untilSeconds <= now || !this.#near.has(digits) && this.#near.size >= maximumNearCount) return;
        this.#near.set(digits, {heardSeconds: now - age, untilSeconds});
        this.#reporter.hear(digits, now);
        this.#wake('report');
        this.#wake('talk');
    }

    /**
     * Publishes a message until `unpublish`, `stop` or the end of the page. Resolves when the service has it; while the service is
     * away, it waits and retries.
     *
     * @param {object} message
     * @param {Uint8Array|string} message.content at most 102,400 bytes
     * @param {string} [message.type] at most 32 characters
     * @param {string} [message.namespace] at most 64 characters
     * @param {object} [options]
     * @param {'both'|'broadcast'|'scan'} [options.strategy] whether the page talks for it, hears for it, or both
     * @param {number} [options.timeToLiveSeconds] the time after which it ends by itself, 1 ... 86,400
     * @param {AbortSignal} [options.signal] ends it
     * @returns {Promise<{unpublish: () => Promise<void>}>}
     * @throws {MessagesError} if the message exceeds a limit, or the service refuses the key or the message
     */
    async publish(message = {}, options = {}) {
        if (typeof message !== 'object' || message === null) {
            throw new MessagesError('bad_option', 'publish takes an object: {content: "hello"}.');
        }
        const {content, type = '', namespace = '', ...unknown} = message;
        for (const name of ['strategy', 'timeToLiveSeconds', 'signal'].filter((one) => one in unknown)) {
            throw new MessagesError('bad_option', `"${name}" belongs into publish's second argument.`);
        }
        refuseUnknown(unknown, 'The message');
        if (typeof content === 'string' && /\p{Surrogate}/u.test(content)) {
            throw new MessagesError('not_text', 'The content must be a text of whole characters, or a Uint8Array.');
        }
        const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
        if (!(bytes instanceof Uint8Array)) {
            throw new MessagesError('bad_option', 'The content must be a text or a Uint8Array.');
        }
        if (bytes.length > maximumContentBytes) {
            throw new MessagesError(
                'content_too_large',
                `The content has ${bytes.length} bytes, but at most ${maximumContentBytes} are allowed. Publish a link instead.`);
        }
        // A copy, because the caller may change its bytes.
        const operation = await this.#begin('publications', {content: bytes.slice(), type, namespace}, options);
        return {unpublish: () => this.#end(operation)};
    }

    /**
     * Finds the messages of devices in earshot until `unsubscribe`, `stop` or the end of the page. Each message is found once and
     * lost once; after `unsubscribe` there is no call any more.
     *
     * @param {object} options also those of `publish`
     * @param {(message: import('./service.js').ReceivedMessage) => void} [options.onFound]
     * @param {(message: import('./service.js').ReceivedMessage) => void} [options.onLost]
     * @param {{type?: string, namespace?: string}} [options.filter] an empty type finds all types of the namespace
     * @returns {Promise<{unsubscribe: () => Promise<void>}>}
     * @throws {MessagesError} if the filter exceeds a limit, or the service refuses the key
     */
    async subscribe(options = {}) {
        if (typeof options !== 'object' || options === null) {
            throw new MessagesError('bad_option', 'subscribe takes an object: {onFound: message => …}.');
        }
        const {onFound, onLost, filter = {}, ...others} = options;
        if (typeof filter !== 'object' || filter === null || Array.isArray(filter)) {
            throw new MessagesError('bad_option', 'The filter must be an object: {type: "greeting", namespace: ""}.');
        }
        for (const [name, handler] of Object.entries({onFound, onLost})) {
            if (handler == null || typeof handler === 'function') continue;
            throw new MessagesError('bad_option', `"${name}" must be a function.`);
        }
        const {type, namespace, ...unknown} = filter;
        refuseUnknown(unknown, 'The filter');
        const body = {type: type ?? '', namespace: namespace ?? ''};
        const operation = await this.#begin('subscriptions', body, others, {onFound, onLost});
        return {unsubscribe: () => this.#end(operation)};
    }

    /** Ends all operations and the session at the service: other devices lose the messages at once. Nothing can begin afterwards. */
    stop() {
        this.#stopping ??= this.#close();
        return this.#stopping;
    }

    // ---- Operations ----

    async #begin(kind, body, {strategy = 'both', timeToLiveSeconds, signal, ...unknown}, handlers = {}) {
        refuseUnknown(unknown, kind === 'publications' ? 'publish' : 'subscribe');
        const problem = textProblem(body.type, body.namespace);
        if (problem) throw problem;
        if (this.#stopping) throw stopped();
        if (!['both', 'broadcast', 'scan'].includes(strategy)) {
            throw new MessagesError('bad_option', `There is no strategy "${strategy}": use "both", "broadcast" or "scan".`);
        }
        if (strategy === 'broadcast' && !this.#say) {
            throw new MessagesError('bad_option', 'The strategy "broadcast" needs a loudspeaker: pass "say" to Messages.');
        }
        if (timeToLiveSeconds !== undefined && !(timeToLiveSeconds >= 1 && timeToLiveSeconds <= longestSeconds)) {
            throw new MessagesError('bad_option', `timeToLiveSeconds is ${timeToLiveSeconds}, but must be 1 to ${longestSeconds}.`);
        }
        if (signal != null && typeof signal.throwIfAborted !== 'function') {
            throw new MessagesError('bad_option', 'The signal must be an AbortSignal: the "signal" of a new AbortController().');
        }
        signal?.throwIfAborted();
        const operation = {
            kind, body, handlers, strategy, lease: null, isOver: false, worker: null, ending: null,
            found: new FoundBook(), timer: null, signal, onAbort: null,
        };
        operation.started = new Promise((resolve, reject) => Object.assign(operation, {resolve, reject}));
        if (timeToLiveSeconds !== undefined) {
            operation.timer = this.#clock.setTimeout(() => this.#end(operation), timeToLiveSeconds * 1000);
        }
        operation.onAbort = () => {
            operation.reject(signal.reason);
            this.#end(operation);
        };
        signal?.addEventListener('abort', operation.onAbort);
        this.#operations.add(operation);
        this.#startWorker(operation);
        this.#updateLoops();
        await operation.started;
        return operation;
    }

    #end(operation) {
        if (operation.ending) return operation.ending;
        const {lease} = operation;
        const session = this.#session;
        this.#leave(operation, stopped());
        operation.ending = lease && session ? this.#withdraw(operation.kind, lease, session) : Promise.resolve();
        return operation.ending;
    }

    /** Removes an operation, without the service. */
    #leave(operation, error) {
        operation.isOver = true;
        operation.lease = null;
        operation.worker?.abort();
        this.#clock.clearTimeout(operation.timer);
        operation.signal?.removeEventListener('abort', operation.onAbort);
        this.#operations.delete(operation);
        this.#solve(operation);
        operation.reject(error);
        this.#updateLoops();
    }

    #startWorker(operation) {
        operation.worker?.abort();
        operation.worker = new AbortController();
        this.#keepRegistered(operation, operation.worker.signal);
    }

    /** Publishes or subscribes, then renews, until the signal. */
    async #keepRegistered(operation, signal) {
        const backOff = new BackOff(this.#random);
        let key = newKey();
        while (!signal.aborted) {
            const session = await this.#currentSession();
            if (signal.aborted || session === null) return;
            try {
                const registration = await this.#register(operation, key, session, signal);
                if (registration === null) return;
                backOff.reset();
                this.#succeeded(session, operation);
                const due = this.#takeLease(operation, registration);
                operation.resolve();
                await this.#sleep(due - this.#now, signal);
            } catch (failure) {
                if (signal.aborted) return;
                if (failure.isBadSession) {
                    this.#loseSession(session);
                } else if (failure.isFinal || failure.isBadKey) {
                    // The service will never accept it.
                    this.#leave(operation, failure);
                    this.#replace({}, failure);
                    return;
                } else {
                    const hadLease = operation.lease !== null;
                    if (failure.isNoSuchThing) operation.lease = null;
                    // Items of the old key have ended, or are different ones.
                    if (failure.isNoSuchThing || failure.isRepeatDiffering) key = newKey();
                    if (failure.isNoSuchThing && hadLease) continue;
                    this.#replace(operation, failure);
                    await this.#sleep(backOff.pauseSeconds(failure.retryAfterSeconds), signal);
                }
            }
        }
    }

    /** Sends one request. It outlives the operation: if the service registered something, that must be withdrawn. */
    async #register(operation, key, session, signal) {
        const {kind, body, lease} = operation;
        const registration = lease
            ? await this.#service.renew(kind, lease.id, body, leaseSeconds, session)
            : await this.#service.register(kind, body, {ttl_s: leaseSeconds, idempotency_key: key}, session);
        if (!signal.aborted) return registration;
        if (!lease && session === this.#session) {
            await this.#withdraw(kind, {id: registration.id, expiresAtSeconds: this.#now + leaseSeconds}, session);
        }
        return null;
    }

    /** @returns {number} the time to renew: at half its life, so that the other half is left for failures */
    #takeLease(operation, registration) {
        const {id, token, expiresInSeconds, tokenExpiresInSeconds, rotateInSeconds} = registration;
        const now = this.#now;
        const isNew = operation.lease?.id !== id;
        operation.lease = {
            id, token, expiresAtSeconds: now + expiresInSeconds,
            tokenExpiresAtSeconds: now + Math.min(expiresInSeconds, tokenExpiresInSeconds),
        };
        // Before any device can hear it, because an echo must not become a neighbour.
        this.#own(token);
        this.#wake('talk');
        if (isNew) {
            // A sealed publication's keys may be due.
            this.#wake('report');
            const own = this.#strayEvents.filter(event => event.subscription === id);
            this.#strayEvents = this.#strayEvents.filter(event => event.subscription !== id);
            for (const event of own) this.#deliver(event, operation);
        }
        const due = this.#talksFor(operation) ? Math.min(expiresInSeconds / 2, rotateInSeconds) : expiresInSeconds / 2;
        return now + Math.max(due, 1);
    }

    /** Withdraws something at the service. It retries until that succeeds, or the lease has expired. */
    async #withdraw(kind, {id, expiresAtSeconds}, session) {
        const controller = new AbortController();
        this.#withdrawals.add(controller);
        const backOff = new BackOff(this.#random);
        while (this.#now < expiresAtSeconds && !controller.signal.aborted && session === this.#session) {
            try {
                await this.#service.withdraw(kind, id, session);
                break;
            } catch (failure) {
                if (failure.isNoSuchThing || failure.isBadSession) break;
                await this.#sleep(backOff.pauseSeconds(failure.retryAfterSeconds), controller.signal);
            }
        }
        this.#withdrawals.delete(controller);
    }

    // ---- Session ----

    /** The open session. If there is none, this opens one. @returns {Promise<string|null>} null if none is needed any more */
    #currentSession() {
        if (this.#session !== null) return Promise.resolve(this.#session);
        if (!this.#opening) {
            this.#openingStop = new AbortController();
            const opening = this.#open(this.#openingStop.signal).finally(() => {
                // A cancelled attempt may finish after another one has begun.
                if (this.#opening === opening) this.#opening = null;
            });
            this.#opening = opening;
        }
        return this.#opening;
    }

    async #open(signal) {
        const backOff = new BackOff(this.#random);
        await this.#sleep(this.#sessionPauseSeconds, signal);
        this.#sessionPauseSeconds = 0;
        while (!signal.aborted) {
            try {
                const session = await this.#service.openSession();
                if (signal.aborted) {
                    this.#service.endSessionOfLeavingPage(session);
                    return null;
                }
                this.#session = session;
                this.#solve('session');
                return session;
            } catch (failure) {
                if (signal.aborted) return null;
                this.#replace('session', failure);
                if (failure.isBadKey) {
                    for (const operation of [...this.#operations]) {
                        operation.reject(failure);
                        if (!operation.wasActive) this.#leave(operation, failure);
                    }
                    if (this.#operations.size === 0) return null;
                }
                await this.#sleep(backOff.pauseSeconds(failure.retryAfterSeconds), signal);
            }
        }
        return null;
    }

    #succeeded(session, source) {
        this.#solve(source);
        if (typeof source === 'object') source.wasActive = true;
        if (session === this.#session) this.#sessionBackOff.reset();
    }

    /** The service no longer knows the session: all operations register again in a new one. */
    #loseSession(session) {
        if (session !== this.#session || session === null) return;
        this.#session = null;
        // Without this pause, a service that opens sessions but accepts none would be asked in a tight loop.
        this.#sessionPauseSeconds = this.#sessionBackOff.pauseSeconds();
        this.#forgetSession();
        for (const operation of this.#operations) this.#startWorker(operation);
        this.#stopLoop('read');
        this.#updateLoops();
    }

    #forgetSession() {
        this.#reporter.forget(this.#now);
        this.#lastEventID = null;
        this.#strayEvents = [];
        for (const operation of this.#operations) {
            operation.lease = null;
            operation.found.doubt(this.#now + doubtSeconds);
        }
    }

    async #close() {
        this.#page?.removeEventListener('pagehide', this.#onPageHide);
        this.#page?.removeEventListener('pageshow', this.#onPageShow);
        for (const operation of [...this.#operations]) {
            operation.ending ??= Promise.resolve();
            this.#leave(operation, stopped());
        }
        for (const withdrawal of this.#withdrawals) withdrawal.abort();
        this.#openingStop?.abort();
        this.#near.clear();
        const session = this.#session;
        this.#session = null;
        const backOff = new BackOff(this.#random);
        for (let count = 0; session !== null && count < maximumEndCount; count += 1) {
            try {
                await this.#service.endSession(session);
                break;
            } catch (failure) {
                if (failure.isBadSession) break;
                if (count + 1 < maximumEndCount) await this.#sleep(backOff.pauseSeconds(failure.retryAfterSeconds));
            }
        }
        for (const source of [...this.#problemsBySource.keys()]) this.#solve(source);
    }

    /** The page goes away. It may come back: then all operations go on. */
    #suspend() {
        if (this.#isSuspended || this.#stopping) return;
        this.#isSuspended = true;
        this.#openingStop?.abort();
        const session = this.#session;
        this.#session = null;
        for (const operation of this.#operations) operation.worker?.abort();
        for (const withdrawal of this.#withdrawals) withdrawal.abort();
        this.#updateLoops();
        this.#forgetSession();
        if (session !== null) this.#service.endSessionOfLeavingPage(session);
    }

    #resume() {
        if (!this.#isSuspended || this.#stopping) return;
        this.#isSuspended = false;
        this.#forgetSession();
        // The attempt that the suspension ended may not have noticed yet.
        this.#opening = null;
        for (const operation of this.#operations) this.#startWorker(operation);
        this.#updateLoops();
    }

    // ---- Loops ----

    #updateLoops() {
        const isNeeded = this.#operations.size > 0 && !this.#isSuspended && !this.#stopping;
        const reads = [...this.#operations].some(operation => operation.kind === 'subscriptions');
        this.#setLoop('report', isNeeded, signal => this.#keepReporting(signal));
        this.#setLoop('read', isNeeded && reads, signal => this.#keepReading(signal));
        this.#setLoop('talk', isNeeded && this.#say !== null, signal => this.#keepTalking(signal));
        this.#setLoop('expire', isNeeded, signal => this.#keepExpiring(signal));
        if (this.#operations.size === 0) {
            this.#openingStop?.abort();
            this.#opening = null;
            this.#solve('session');
        }
        if (this.#isScanning !== this.#policyScans) {
            if (!this.#isScanning) for (const token of [...this.#near.keys()]) this.#lose(token);
            this.#renewPolicy(this.#isScanning);
        }
        this.#wake('talk');
    }

    #setLoop(name, isNeeded, run) {
        if (!isNeeded) {
            this.#stopLoop(name);
        } else if (!this.#loops.has(name)) {
            const controller = new AbortController();
            this.#loops.set(name, controller);
            run(controller.signal);
        }
    }

    #stopLoop(name) {
        this.#loops.get(name)?.abort();
        this.#loops.delete(name);
        this.#solve(name);
    }

    async #keepReporting(signal) {
        const backOff = new BackOff(this.#random);
        while (!signal.aborted) {
            const isDue = this.#session !== null && this.#service.hasKeysToSend(this.#session);
            const pause = isDue ? 0 : this.#reporter.dueSeconds - this.#now;
            if (pause > 0) {
                await this.#sleepUntilWoken('report', Math.min(pause, 3600), signal);
                continue;
            }
            const session = await this.#currentSession();
            if (signal.aborted || session === null) return;
            const report = this.#reporter.next(this.#now, isDue);
            if (report === null) {
                // A report of an ended loop is in progress.
                await this.#sleepUntilWoken('report', reportPauseSeconds, signal);
                continue;
            }
            const ages = new Map(report.heard.map(token => {
                const near = this.#near.get(token);
                return [token, near ? Math.max(0, this.#now - near.heardSeconds) : 0];
            }));
            const heard = report.heard.map(
                token => ({token, age_s: Math.round(ages.get(token) * 1000) / 1000}));
            try {
                const statuses = await this.#service.report(heard, report.lost, session);
                if (session !== this.#session) continue;
                this.#reporter.answered(statuses, ages, this.#now);
                this.#lastSignOfLifeSeconds = this.#now;
                this.#succeeded(session, 'report');
                backOff.reset();
            } catch (failure) {
                if (session === this.#session) this.#reporter.failed();
                if (signal.aborted) return;
                if (failure.isBadSession) {
                    this.#loseSession(session);
                    continue;
                }
                this.#replace('report', failure);
                await this.#sleep(backOff.pauseSeconds(failure.retryAfterSeconds), signal);
            }
        }
    }

    async #keepReading(signal) {
        const backOff = new BackOff(this.#random);
        while (!signal.aborted) {
            const session = await this.#currentSession();
            if (signal.aborted || session === null) return;
            const begin = this.#now;
            let failure = null;
            try {
                for await (const event of this.#service.events(session, this.#lastEventID, signal)) {
                    if (signal.aborted || session !== this.#session) break;
                    this.#take(event, session);
                }
            } catch (error) {
                failure = error;
            }
            // From now on reports are the signs of life.
            this.#reporter.hasStream = false;
            this.#wake('report');
            if (signal.aborted || session !== this.#session) return;
            if (failure?.isBadSession) {
                this.#loseSession(session);
                return;
            }
            if (this.#now - begin >= goodConnectionSeconds) backOff.reset();
            if (failure) this.#replace('read', failure);
            await this.#sleep(backOff.pauseSeconds(failure?.retryAfterSeconds), signal);
        }
    }

    #take(event, session) {
        const outage = this.#lastSignOfLifeSeconds === null ? 0 : this.#now - this.#lastSignOfLifeSeconds;
        this.#lastSignOfLifeSeconds = this.#now;
        // The pieces of a stream come before its events, even for the first event.
        const limitSeconds = event.kind === 'ready' ? outageSeconds : frozenSeconds;
        if (outage > limitSeconds) for (const {found} of this.#operations) found.settle(this.#now + doubtSeconds);
        if (event.kind === 'ready') {
            this.#succeeded(session, 'read');
            this.#reporter.hasStream = true;
            if (!event.isResumed) {
                for (const {found} of this.#operations) found.doubt(this.#now + doubtSeconds);
                this.#lastEventID = null;
            }
        } else if (event.kind === 'unreadable') {
            this.#replace('read', event.failure);
        } else if (event.kind === 'end') {
            this.#loseSession(session);
        } else if (event.subscription !== undefined) {
            if (event.eventID !== undefined) this.#lastEventID = event.eventID;
            const operation = [...this.#operations].find(
                ({kind, lease}) => kind === 'subscriptions' && lease?.id === event.subscription);
            if (operation) this.#deliver(event, operation);
            else if (this.#strayEvents.push(event) > maximumStrayCount) this.#strayEvents.shift();
        }
    }

    #deliver(event, operation) {
        const {found, body, handlers} = operation;
        if (event.kind === 'lost') {
            call(handlers.onLost, found.lose(event.id, this.#now));
            return;
        }
        // The service is not trusted: messages that the page did not ask for are ignored.
        const {message} = event;
        if (message?.namespace !== body.namespace || body.type !== '' && message.type !== body.type) return;
        call(handlers.onFound, found.find(message));
    }

    async #keepExpiring(signal) {
        while (!signal.aborted) {
            await this.#sleep(expiryIntervalSeconds, signal);
            if (signal.aborted) return;
            const now = this.#now;
            for (const [token, {untilSeconds}] of this.#near) if (untilSeconds < now) this.#lose(token);
            for (const {found, handlers} of [...this.#operations]) {
                for (const message of found.expire(now)) call(handlers.onLost, message);
            }
        }
    }

    #lose(token) {
        this.#near.delete(token);
        this.#reporter.lose(token);
        this.#wake('report');
    }

    // ---- Talking ----

    async #keepTalking(signal) {
        while (!signal.aborted) {
            const now = this.#now;
            const policy = this.#policy;
            const action = policy.step(
                now + this.#leadSeconds, {isBusy: call(this.#isBusy) === true, canTalk: this.#tokens().length > 0});
            if (action.talkAtSeconds === undefined) {
                await this.#sleepUntilWoken('talk', action.listenUntilSeconds - this.#leadSeconds - now, signal);
                continue;
            }
            await this.#sleep(action.talkAtSeconds - this.#leadSeconds - now, signal);
            const token = this.#nextToken();
            if (signal.aborted) return;
            if (token === null) continue;
            await this.#play(token, signal);
            await this.#sleep(action.talkAtSeconds + policy.tokenSeconds - this.#leadSeconds - this.#now, signal);
        }
    }

    async #play(token, signal) {
        const bytes = fromHex(token);
        const limitSeconds = this.#policy.tokenSeconds + maximumSaySeconds;
        try {
            const limit = this.#sleep(limitSeconds, signal).then(() => {
                if (!signal.aborted) throw new Error(`it took more than ${Math.round(limitSeconds)} s`);
            });
            limit.catch(() => {});
            await Promise.race([this.#say(bytes, this.#profile), limit]);
            if (!signal.aborted) this.#solve('talk');
        } catch (error) {
            if (signal.aborted) return;
            // A problem of earshot.js is a sentence with its own remedy.
            const text = String(error?.message ?? error);
            this.#replace('talk', new MessagesError(
                'cannot_play',
                text.endsWith('.')
                    ? `Cannot play a token: ${text}`
                    : `Cannot play a token: ${text}. Check the loudspeaker, and that the user has tapped the page.`));
        }
    }

    /** The tokens to say: a subscription's own only if there is no publication, or if it only broadcasts. */
    #tokens() {
        const now = this.#now;
        const talkers = [...this.#operations].filter(operation => this.#talksFor(operation));
        const publications = talkers.filter(({kind}) => kind === 'publications');
        const others = talkers.filter(
            ({kind, strategy}) => kind === 'subscriptions' && (publications.length === 0 || strategy === 'broadcast'));
        // After the operation's end the service would no longer resolve its token.
        return [...publications, ...others].map(({lease}) => lease)
            .filter(lease => lease && now < lease.tokenExpiresAtSeconds).map(({token}) => token);
    }

    /** The token whose turn it is; null if there is none. */
    #nextToken() {
        const tokens = this.#tokens();
        if (tokens.length === 0) return null;
        const now = this.#now;
        const index = tokens.indexOf(this.#turn.token);
        if (index < 0 || tokens.length > 1 && now >= this.#turn.untilSeconds) {
            this.#turn = {token: tokens[(index + 1) % tokens.length], untilSeconds: now + turnSeconds};
        }
        return this.#turn.token;
    }

    #talksFor({strategy}) {
        return this.#say !== null && strategy !== 'scan';
    }

    get #isScanning() {
        return !this.#stopping && [...this.#operations].some(({strategy}) => strategy !== 'broadcast');
    }

    #own(token) {
        this.#ownTokens.delete(token);
        this.#ownTokens.add(token);
        if (this.#ownTokens.size > maximumOwnCount) this.#ownTokens.delete(this.#ownTokens.values().next().value);
        if (this.#near.has(token)) this.#lose(token);
    }

    #renewPolicy(scans) {
        this.#policyScans = scans;
        this.#policy = new TalkPolicy({
            nowSeconds: this.#now + this.#leadSeconds, profile: this.#profile, scans, random: this.#random});
    }

    // ---- Time and problems ----

    get #now() {
        return this.#clock.now() / 1000;
    }

    /** Waits, at most until the signal. */
    #sleep(seconds, signal) {
        return new Promise(resolve => {
            if (signal?.aborted) return resolve();
            const end = () => {
                this.#clock.clearTimeout(timer);
                signal?.removeEventListener('abort', end);
                resolve();
            };
            const timer = this.#clock.setTimeout(end, Math.max(0, seconds * 1000));
            signal?.addEventListener('abort', end);
        });
    }

    /** Waits, at most until the signal or `#wake`. */
    async #sleepUntilWoken(name, seconds, signal) {
        const wake = new AbortController();
        const end = () => wake.abort();
        signal.addEventListener('abort', end);
        this.#wakes.set(name, wake);
        await this.#sleep(seconds, wake.signal);
        signal.removeEventListener('abort', end);
        if (this.#wakes.get(name) === wake) this.#wakes.delete(name);
    }

    #wake(name) {
        this.#wakes.get(name)?.abort();
    }

    #replace(source, {code, message}) {
        this.#change(() => this.#problemsBySource.set(source, {code, text: message}));
        // A refused operation is not a state: its problem begins and ends immediately.
        if (typeof source === 'object' && !this.#operations.has(source)) this.#solve(source);
    }

    #solve(source) {
        if (this.#problemsBySource.has(source)) this.#change(() => this.#problemsBySource.delete(source));
    }

    #change(change) {
        const before = this.problems;
        change();
        const after = this.problems;
        for (const problem of after) {
            const isKnown = before.some(({code, text}) => code === problem.code && text === problem.text);
            if (!isKnown) call(this.onProblem, {...problem, isOver: false});
        }
        for (const problem of before) {
            if (!after.some(({code}) => code === problem.code)) call(this.onProblem, {...problem, isOver: true});
        }
    }
}

/** Calls a handler of the page. What it throws is the page's problem, and must not stop a loop. */
function call(handler, value) {
    if (!handler || value === null) return undefined;
    try {
        return handler(value);
    } catch (error) {
        if (globalThis.reportError) globalThis.reportError(error);
        else console.error(error);
        return undefined;
    }
}

function stopped() {
    return new MessagesError('stopped', 'This Messages was stopped. Make another one.');
}

/** A random idempotency key. */
function newKey() {
    return toHex(crypto.getRandomValues(new Uint8Array(16)));
}
