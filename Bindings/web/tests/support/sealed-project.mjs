// A service with one sealed project, in simulated time, and a room in which all pages hear each other.

import {Messages} from '../../messages.js';
import {json, randomFrom, seed} from './simulation.mjs';

const isTokenText = text => typeof text === 'string' && /^[0-9a-f]{16}$/.test(text);
const refusal = (status, code) => json(status, {problem: {code}});

/** Answers as docs/SERVICE.md says of sealed projects. Tokens rotate after 60 s and live 120 s. */
export class SealedProject {
    terms = {version: 1, salt: btoa('0123456789abcdef'), rounds: 100};
    /** Every request: {method, path, body, text}. */
    requests = [];
    /** Answers a request instead of the service, if it returns an answer. */
    before = () => undefined;
    /** May change an answer after the service has done the work. */
    after = (request, answer) => answer;
    /** How many found events were sent. */
    foundCount = 0;
    /** May change the keys of found events. */
    spoil = keys => keys;
    devices = new Map();
    leases = new Map();
    #time;
    #count = 0;

    constructor(time) {
        this.#time = time;
    }

    get #now() {
        return this.#time.now() / 1000;
    }

    fetch = async (url, options) => {
        const request = {
            method: options.method, path: new URL(url).pathname, text: options.body ?? '',
            body: options.body === undefined ? {} : JSON.parse(options.body),
            session: options.headers.Authorization.slice('Bearer '.length),
        };
        this.requests.push(request);
        return await this.before(request) ?? this.after(request, this.#answer(request));
    };

    /** The bodies of the requests to a path, the newest last. */
    bodies(path, method = 'POST') {
        return this.requests.filter(request => request.method === method && request.path.startsWith(path)).map(({body}) => body);
    }

    #answer({method, path, body, session}) {
        if (path === '/v1/devices') {
            if (this.terms && !body.sealing?.includes(1)) return refusal(403, 'sealing_required');
            const secret = `session-${this.#count += 1}`;
            this.devices.set(secret, {heard: new Map(), found: new Map(), writer: null});
            return json(201, {session: secret, terms: this.terms ? {sealing: this.terms} : {}});
        }
        const device = this.devices.get(session);
        if (!device) return refusal(401, 'bad_session');
        if (path === '/v1/device') {
            for (const [id, lease] of this.leases) if (lease.device === device) this.leases.delete(id);
            this.devices.delete(session);
            this.#time.clearTimeout(device.timer);
            this.#match();
            return json(204);
        }
        if (path === '/v1/sightings') return this.#report(device, body);
        if (path === '/v1/events') return this.#stream(device);
        const [, , kind, id] = path.split('/');
        if (method === 'POST') return this.#register(device, kind, body);
        const lease = this.leases.get(id);
        if (lease?.device !== device) return refusal(404, 'no_such_publication');
        if (method === 'PUT') return this.#renew(lease, body);
        this.leases.delete(id);
        this.#match();
        return json(204);
    }

    #problem(kind, {token}) {
        if (!this.terms) return token === undefined ? null : refusal(422, 'out_of_range');
        const isRight = isTokenText(token?.token)
            && (kind === 'publications' ? atob(token.key ?? '').length === 60 : token.key === undefined);
        return isRight ? null : refusal(422, 'out_of_range');
    }

    #register(device, kind, body) {
        const known = [...this.leases.values()].find(
            lease => lease.device === device && lease.body.idempotency_key === body.idempotency_key);
        if (known) return JSON.stringify(known.body) === JSON.stringify(body) ? this.#leaseAnswer(known) : refusal(409, 'repeat_differs');
        const problem = this.#problem(kind, body);
        if (problem) return problem;
        const offered = body.token ?? {token: (this.#count += 1).toString(16).padStart(16, '0')};
        if (this.#owner(offered.token)) return refusal(409, 'token_taken');
        const lease = {id: `${kind[0]}${this.#count += 1}`, kind, device, body, tokens: [], keys: new Map()};
        this.leases.set(lease.id, lease);
        this.#rotate(lease, offered);
        return this.#leaseAnswer(lease);
    }

    #renew(lease, body) {
        const problem = this.#problem(lease.kind, body);
        if (problem) return problem;
        if (lease.rotates <= this.#now) {
            const offered = body.token ?? {token: (this.#count += 1).toString(16).padStart(16, '0')};
            if (this.#owner(offered.token)) return refusal(409, 'token_taken');
            this.#rotate(lease, offered);
        }
        return this.#leaseAnswer(lease);
    }

    #rotate(lease, {token, key}) {
        lease.tokens.push({token, key, until: this.#now + 120});
        lease.rotates = this.#now + 60;
        this.#match();
    }

    #leaseAnswer({id, tokens, rotates}) {
        const {token, until} = tokens.at(-1);
        return json(200, {id, expires_in_s: 299, token: {
            token, expires_in_s: until - this.#now, rotate_in_s: Math.max(0, rotates - this.#now)}});
    }

    #alive({tokens}) {
        return tokens.filter(({until}) => until > this.#now);
    }

    #owner(identifier) {
        return [...this.leases.values()].find(lease => lease.tokens.some(({token}) => token === identifier));
    }

    #report(device, {heard, lost, keys = []}) {
        if (keys.length > 400) return refusal(422, 'out_of_range');
        for (const token of lost) device.heard.delete(token);
        const statuses = heard.map(({token}) => {
            const owner = this.#owner(token);
            const status = !owner ? 'INVALID' : this.#alive(owner).some(alive => alive.token === token) ? 'VALID' : 'EXPIRED';
            if (status === 'VALID') device.heard.set(token, this.#now + 90);
            return {token, status};
        });
        for (const {token, publication, key} of keys) {
            const lease = this.leases.get(publication);
            if (lease?.device === device && device.heard.has(token)) lease.keys.set(token, key);
        }
        this.#match();
        return json(200, {heard: statuses, lost: []});
    }

    #stream(device) {
        const stream = new TransformStream();
        device.writer = stream.writable.getWriter();
        device.writer.closed.catch(() => {});
        this.#send(device, 'event: ready\ndata: {"resumed":false}\n\n');
        this.#time.clearTimeout(device.timer);
        const quieten = () => {
            this.#send(device, ': quiet\n\n');
            device.timer = this.#time.setTimeout(quieten, 15_000);
        };
        quieten();
        device.found.clear();
        this.#match();
        return new Response(stream.readable, {status: 200});
    }

    #send(device, text) {
        device.writer?.write(new TextEncoder().encode(text)).catch(() => {});
    }

    /** Sends what began or ended to be near. */
    #match() {
        for (const device of this.devices.values()) {
            if (!device.writer) continue;
            const near = new Map();
            for (const subscription of this.leases.values()) {
                if (subscription.kind !== 'subscriptions' || subscription.device !== device) continue;
                for (const publication of this.leases.values()) {
                    if (publication.kind !== 'publications' || publication.device === device || !belongs(publication, subscription)) continue;
                    const keys = this.#keys(publication, subscription);
                    if (keys.length > 0) near.set(`${subscription.id} ${publication.id}`, {subscription, publication, keys});
                }
            }
            for (const [name, pair] of near) {
                if (device.found.has(name)) continue;
                device.found.set(name, pair);
                this.#change(device, 'found', pair);
            }
            for (const [name, pair] of device.found) {
                if (near.has(name)) continue;
                device.found.delete(name);
                this.#change(device, 'lost', pair);
            }
        }
    }

    /** The keys of a publication for tokens that the subscriber's device hears or sends. */
    #keys(publication, subscription) {
        const hears = (device, token) => device.heard.get(token) > this.#now;
        const own = this.#alive(publication).filter(({token}) => hears(subscription.device, token));
        const sent = this.#alive(subscription).filter(({token}) => hears(publication.device, token)
            && (!this.terms || publication.keys.has(token)));
        return [...own, ...sent.map(({token}) => ({token, key: publication.keys.get(token)}))].map(({token, key}) => ({token, key}));
    }

    #change(device, name, {subscription, publication, keys}) {
        const {content, namespace, type} = publication.body;
        const message = {id: publication.id, content, namespace, type, keys: this.spoil(keys)};
        if (name === 'found') this.foundCount += 1;
        this.#send(device, `id: ${this.#count += 1}\nevent: ${name}\ndata: ${JSON.stringify({subscription: subscription.id, message})}\n\n`);
    }
}

function belongs({body: {namespace, type}}, {body}) {
    return namespace === body.namespace && (body.type === '' || type === body.type);
}

/** Pages that hear what another says, 0.555 s later. */
export class Room {
    pages = new Set();
    /** The tokens that were said, in hexadecimal digits. */
    said = [];
    #service;
    #time;

    constructor(service, time) {
        [this.#service, this.#time] = [service, time];
    }

    page(options = {}) {
        const problems = [];
        const page = new Messages({
            server: 'https://t.example', key: 'k', page: null, clock: this.#time, fetch: this.#service.fetch, leadSeconds: 0,
            random: randomFrom(seed + this.pages.size),
            onProblem: ({code, isOver}) => problems.push(`${code} ${isOver}`),
            say: async token => {
                this.said.push(Buffer.from(token).toString('hex'));
                await new Promise(resolve => this.#time.setTimeout(resolve, 555));
                for (const other of this.pages) if (other !== page) other.heard(token, {ageSeconds: 0});
            }, ...options,
        });
        page.log = problems;
        page.events = [];
        page.handlers = {
            onFound: ({text}) => page.events.push(`found ${text}`), onLost: ({text}) => page.events.push(`lost ${text}`)};
        this.pages.add(page);
        return page;
    }

    async close() {
        for (const page of this.pages) await page.stop();
    }
}
