/**
 * The service as the message layer sees it, sealed or open. In a sealed project, no token, text, content or content key reaches the
 * service: this layer draws the tokens, seals what is published, and opens what is found. docs/PROTOCOL.md, section 12, has the rules.
 *
 *     tokens, messages ─▶ this layer ─▶ identifiers, tags, sealed contents, wrapped keys ─▶ Service
 *
 * In an open project all passes as it is.
 */

import {
    canSeal, deriveToken, keyBytes, openMessage, randomBytes, readTerms, sealMessage, sealingVersion, tagOf, tokenBytes, unwrapKey, wrapKey,
} from './sealing.js';
import {MessagesError, ReceivedMessage, Service, invalid, refused, toBase64, toHex} from './service.js';

/** Sessions whose terms are remembered: requests of an old session may still run while a new one opens. */
const maximumSessionCount = 4;
/** Draws for one request, if identifiers are taken. Two in a row are no accident: 64 random bits meet none of a million others. */
const maximumDrawCount = 4;
/** Tokens that were offered for one publication or subscription: an answer names one of the last two, unless answers were lost. */
const maximumOfferCount = 8;
/** Heard tokens whose identifiers are remembered: as many as can be near. */
const maximumHeardCount = 4096;
/** Own tokens that are remembered: 64 publications and subscriptions draw this many in 16 minutes, and a token lives two. */
const maximumOwnCount = 1024;
/** The maximum of keys in one report. */
const keysPerReport = 400;
/** The service forgets a token after this time without a report. */
const sightingSeconds = 90;
/** The work for heard tokens: 5 % of a core that does 2,000,000 rounds a second, and at first as much as for ten seconds. */
const roundsPerSecond = 100_000;
const maximumSavedRounds = 1_000_000;

/** The requests of one page to one service. The parameters and answers hold tokens, not identifiers, and messages, not sealed ones. */
export class SealedService {
    #service;
    #clock;
    /** The newest project's tokens; null before the first sealed session. @type {TokenBook|null} */
    #book = null;
    /** Session → {book, publications, valid}; book is null in an open project. */
    #sessions = new Map();
    /** The body of an operation → its sealed data. */
    #drafts = new WeakMap();

    /** @param {object} options those of `Service` */
    constructor(options) {
        this.#service = new Service(options);
        this.#clock = options.clock;
    }

    /**
     * Opens a session.
     *
     * @returns {Promise<string>} its secret
     * @throws {MessagesError} `sealing_unavailable` if the project is sealed and the page has no WebCrypto
     */
    async openSession() {
        let opened;
        try {
            opened = await this.#service.openSession(canSeal() ? [sealingVersion] : []);
        } catch (failure) {
            throw failure.serviceCode === 'sealing_required' && !canSeal() ? unavailable() : failure;
        }
        const {session, sealing} = opened;
        try {
            this.#sessions.set(session, {book: this.#agree(sealing), publications: new Map(), valid: new Map()});
        } catch (failure) {
            this.#service.endSessionOfLeavingPage(session);
            throw failure;
        }
        if (this.#sessions.size > maximumSessionCount) this.#sessions.delete(this.#sessions.keys().next().value);
        return session;
    }

    /** @returns {TokenBook|null} the book of a project with these terms; null in an open one */
    #agree(sealing) {
        if (sealing === undefined) {
            // Otherwise the page's messages would be readable from now on.
            if (this.#book) throw invalid('its project was sealed, and now it is open');
            return null;
        }
        if (!canSeal()) throw unavailable();
        const terms = readTerms(sealing);
        if (!this.#book?.hasTerms(terms)) this.#book = new TokenBook(terms);
        return this.#book;
    }

    #state(session) {
        const state = this.#sessions.get(session);
        if (!state) throw refused(401, 'bad_session');
        return state;
    }

    /** Ends a session with all its items. */
    endSession(session) {
        return this.#service.endSession(session);
    }

    /** Ends a session while the page is closed, without waiting for the answer. */
    endSessionOfLeavingPage(session) {
        this.#service.endSessionOfLeavingPage(session);
    }

    /**
     * Publishes or subscribes.
     *
     * @param {'publications'|'subscriptions'} kind
     * @param {{namespace: string, type: string, content?: Uint8Array}} body the same object for each request of an operation
     * @param {{ttl_s: number, idempotency_key: string}} lease
     * @param {string} session
     * @returns {Promise<Registration>}
     */
    async register(kind, body, lease, session) {
        const {book, publications} = this.#state(session);
        if (!book) {
            const content = body.content && toBase64(body.content);
            return this.#service.register(kind, {...body, content, ...lease}, session);
        }
        const draft = await this.#draft(body, book);
        if (draft.idempotencyKey !== lease.idempotency_key) {
            // The token of an earlier publication may still belong to that.
            draft.idempotencyKey = lease.idempotency_key;
            draft.next = null;
        }
        const registration = await this.#offer(
            draft, token => this.#service.register(kind, {...draft.fields, ...lease, token}, session));
        if (draft.contentKey) publications.set(registration.id, draft.contentKey);
        return registration;
    }

    /** Extends a lease, and changes to the next token when that is due. */
    async renew(kind, id, body, timeToLiveSeconds, session) {
        const {book, publications} = this.#state(session);
        const lease = {ttl_s: timeToLiveSeconds};
        if (!book) return this.#service.renew(kind, id, lease, session);
        const draft = await this.#draft(body, book);
        try {
            return await this.#offer(draft, token => this.#service.renew(kind, id, {...lease, token}, session));
        } catch (failure) {
            if (failure.isNoSuchThing || failure.isFinal) publications.delete(id);
            throw failure;
        }
    }

    /** Unpublishes or unsubscribes. */
    withdraw(kind, id, session) {
        this.#sessions.get(session)?.publications.delete(id);
        return this.#service.withdraw(kind, id, session);
    }

    /** The sealed data of an operation, sealed once for all its requests. */
    async #draft(body, book) {
        const known = this.#drafts.get(body);
        if (known?.book === book) return known;
        const {namespace, type, content} = body;
        const contentKey = content ? randomBytes(keyBytes) : null;
        const [namespaceTag, typeTag, sealed] = await Promise.all([
            tagOf('namespace', namespace, book.terms), tagOf('type', type, book.terms), content && sealMessage(body, contentKey)]);
        const fields = {namespace: namespaceTag, type: typeTag, content: sealed && toBase64(sealed)};
        const draft = {book, contentKey, fields, idempotencyKey: null, next: null, current: null, offers: new Map()};
        this.#drafts.set(body, draft);
        return draft;
    }

    /**
     * Sends a request that offers a token. If no answer came, the next request offers the same one with the same bytes.
     *
     * @param {object} draft
     * @param {(token: {token: string, key?: string}) => Promise<Registration>} ask
     * @returns {Promise<Registration>} with the token that is in force, the offered one or an earlier one
     */
    async #offer(draft, ask) {
        for (let count = 1; ; count += 1) {
            draft.next ??= await this.#draw(draft);
            const offered = draft.next;
            try {
                const registration = await ask(offered);
                const token = draft.offers.get(registration.token);
                if (!token) throw invalid('it names a token that this page did not offer');
                if (draft.next === offered && registration.token === offered.token) draft.next = null;
                draft.current = registration.token;
                return {...registration, token: token.token};
            } catch (failure) {
                if (failure.serviceCode !== 'token_taken') throw failure;
                if (draft.next === offered) draft.next = null;
                if (count === maximumDrawCount) throw failure;
            }
        }
    }

    /** Draws a token. @returns its part of a request */
    async #draw(draft) {
        const {book, contentKey, current, offers} = draft;
        const token = await book.own(toHex(randomBytes(tokenBytes)));
        offers.set(token.identifier, token);
        if (offers.size > maximumOfferCount) offers.delete([...offers.keys()].find(identifier => identifier !== current));
        return {token: token.identifier, key: contentKey ? toBase64(await wrapKey(token, contentKey)) : undefined};
    }

    /**
     * Reports tokens, and sends the keys of all publications for those that are heard.
     *
     * @param {{token: string, age_s?: number}[]} heard
     * @param {string[]} lost
     * @param {string} session
     * @returns {Promise<Map<string, string>>} the status of each heard token. One without is to be reported again later: there is no
     *     work left to derive its identifier now.
     */
    async report(heard, lost, session) {
        const state = this.#state(session);
        const {book, valid} = state;
        if (!book) return this.#service.report(heard, lost, session);
        const derived = await Promise.all(heard.map(({token}) => book.hear(token, this.#now)));
        const reported = heard.flatMap((sighting, index) => (derived[index] ? [{...sighting, token: derived[index].identifier}] : []));
        const tokens = derived.filter(token => token !== null);
        const lostIdentifiers = lost.map(token => book.heard(token)?.identifier).filter(identifier => identifier !== undefined);
        for (const token of lost) valid.delete(token);
        // A service that was started again remembers tokens, but no keys: each report of a token has them.
        for (const {token} of tokens) valid.get(token)?.publications.clear();
        const due = dueKeys(state, tokens, this.#now).slice(0, keysPerReport);
        const keys = await Promise.all(due.map(async ({token, publication, contentKey}) => ({
            token: token.identifier, publication, key: toBase64(await wrapKey(token, contentKey))})));
        const answer = await this.#service.report(reported, lostIdentifiers, session, keys);
        const statuses = new Map();
        for (const token of tokens) {
            const status = answer.get(token.identifier);
            if (status !== undefined) statuses.set(token.token, status);
            if (status !== 'VALID') valid.delete(token.token);
            else valid.set(token.token, {token, untilSeconds: this.#now + sightingSeconds, publications: new Set()});
        }
        for (const {token, publication} of due) valid.get(token.token)?.publications.add(publication);
        return statuses;
    }

    /** Whether the service lacks keys for tokens that it knows and the page still hears: a report would send them. */
    hasKeysToSend(session) {
        const state = this.#sessions.get(session);
        return state?.book ? dueKeys(state, [], this.#now).length > 0 : false;
    }

    /**
     * Reads one connection of the event stream, until it ends. A found message is null if it cannot be opened.
     *
     * @returns {AsyncGenerator<ServiceEvent>} as `Service.events`
     */
    async* events(session, lastEventID, signal) {
        const {book} = this.#state(session);
        for await (const event of this.#service.events(session, lastEventID, signal, book !== null)) {
            yield book && event.kind === 'found' ? {...event, message: await open(event, book)} : event;
        }
    }

    get #now() {
        return this.#clock.now() / 1000;
    }
}

/** The keys that the service lacks: of each publication, for each of the given tokens, and for those it called VALID. */
function dueKeys({publications, valid}, tokens, nowSeconds) {
    const all = new Map(tokens.map(token => [token.token, {token, publications: new Set()}]));
    for (const [token, entry] of valid) {
        if (entry.untilSeconds <= nowSeconds) valid.delete(token);
        else all.set(token, entry);
    }
    return [...all.values()].flatMap(({token, publications: sent}) => [...publications]
        .filter(([publication]) => !sent.has(publication))
        .map(([publication, contentKey]) => ({token, publication, contentKey})));
}

/** The message of a found event, opened with the first of its keys that fits; null if none does. */
async function open({message: {id, content: sealed}, keys}, book) {
    for (const {token, key} of keys) {
        const known = book.withIdentifier(token);
        const contentKey = known && await unwrapKey(known, key);
        const message = contentKey && await openMessage(sealed, contentKey);
        if (message) return new ReceivedMessage(id, message.content, message.type, message.namespace);
    }
    return null;
}

/** The tokens of one project that the page has sent or heard, with the values derived from each. */
class TokenBook {
    /** Token → what follows from it. The first is the one that was not heard for the longest time. */
    #heard = new Map();
    /** Identifier → the same, of heard tokens. */
    #heardByIdentifier = new Map();
    /** Identifier → the same, of own tokens. */
    #own = new Map();
    #savedRounds = maximumSavedRounds;
    #savedSeconds = -Infinity;

    /** @param {import('./sealing.js').Terms} terms */
    constructor(terms) {
        this.terms = terms;
    }

    hasTerms({salt, rounds}) {
        return rounds === this.terms.rounds && toHex(salt) === toHex(this.terms.salt);
    }

    /** An own token. */
    async own(token) {
        const derived = await deriveToken(token, this.terms);
        this.#own.set(derived.identifier, derived);
        if (this.#own.size > maximumOwnCount) this.#own.delete(this.#own.keys().next().value);
        return derived;
    }

    /** A token that is heard. @returns null if there is no work left for it now */
    async hear(token, nowSeconds) {
        const derived = this.#heard.get(token) ?? (this.#spend(nowSeconds) ? await deriveToken(token, this.terms) : null);
        if (derived === null) return null;
        this.#heard.delete(token);
        this.#heard.set(token, derived);
        this.#heardByIdentifier.set(derived.identifier, derived);
        if (this.#heard.size > maximumHeardCount) {
            const [oldest, {identifier}] = this.#heard.entries().next().value;
            this.#heard.delete(oldest);
            this.#heardByIdentifier.delete(identifier);
        }
        return derived;
    }

    /** The values derived from a heard token; undefined if it was forgotten. */
    heard(token) {
        return this.#heard.get(token);
    }

    /** The own or heard token with an identifier; undefined if there is none. */
    withIdentifier(identifier) {
        return this.#own.get(identifier) ?? this.#heardByIdentifier.get(identifier);
    }

    /** Takes the work for one token from the budget. @returns whether there was enough */
    #spend(nowSeconds) {
        const earned = Math.max(0, nowSeconds - this.#savedSeconds) * roundsPerSecond;
        this.#savedRounds = Math.min(maximumSavedRounds, this.#savedRounds + earned);
        this.#savedSeconds = nowSeconds;
        if (this.#savedRounds < this.terms.rounds) return false;
        this.#savedRounds -= this.terms.rounds;
        return true;
    }
}

function unavailable() {
    return new MessagesError(
        'sealing_unavailable', 'The project seals its messages, and the browser gives this page no cryptography for that. '
            + 'Open the page by https://, or on this machine by http://localhost.');
}

/**
 * @typedef {import('./service.js').Registration} Registration
 * @typedef {import('./service.js').ServiceEvent} ServiceEvent
 */
