// Sealed messages, section 12 of docs/PROTOCOL.md: the vectors of an independent script, everything that cannot be opened, and pages at a
// service that knows identifiers, tags and wrapped keys only. EARSHOT_LONG_TESTS=1 tries 100,000 inputs that open nothing instead of 20,000.

import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {test} from 'node:test';

import {canSeal, deriveToken, openMessage, readTerms, sealMessage, tagOf, unwrapKey, wrapKey} from '../sealing.js';
import {SealedService} from '../sealed-service.js';
import {MessagesError, fromHex, toBase64, toHex} from '../service.js';
import {Room, SealedProject} from './support/sealed-project.mjs';
import {FakeClock, countedCrypto, json, randomFrom, seed, setCrypto, soon} from './support/simulation.mjs';

const vectors = JSON.parse(readFileSync(new URL(
    '../../../Tests/Nearby/EarshotSealingTests/Vectors/sealing.json', import.meta.url), 'utf8'));
const inputCount = process.env.EARSHOT_LONG_TESTS === '1' ? 100_000 : 20_000;
const bytes = text => new TextEncoder().encode(text);

// ---- The computations ----

/** Does something with the random bytes that a vector has. */
async function withRandom(drawn, action) {
    setCrypto({...countedCrypto, getRandomValues: array => {
        assert.equal(array.length, drawn.length);
        array.set(drawn);
        return array;
    }});
    try {
        return await action();
    } finally {
        setCrypto(countedCrypto);
    }
}

test('the vectors of the independent script agree, in both directions', async () => {
    assert.equal(vectors.length, 7);
    for (const vector of vectors) {
        const terms = readTerms({version: 1, salt: toBase64(fromHex(vector.salt)), rounds: vector.rounds});
        const derived = await deriveToken(vector.token, terms);
        assert.deepEqual([derived.identifier, toHex(derived.wrappingKey)], [vector.identifier, vector.wrapping_key]);
        assert.equal(await tagOf('namespace', vector.namespace, terms), vector.namespace_tag);
        assert.equal(await tagOf('type', vector.type, terms), vector.type_tag);
        const [contentKey, sealed, wrapped] = [vector.content_key, vector.sealed, vector.wrapped].map(fromHex);
        const message = {namespace: vector.namespace, type: vector.type, content: fromHex(vector.content)};
        assert.deepEqual(await openMessage(sealed, contentKey), message);
        assert.deepEqual(await unwrapKey(derived, wrapped), contentKey);
        const sealedAgain = await withRandom(sealed.subarray(0, 12), () => sealMessage(message, contentKey));
        assert.equal(toHex(sealedAgain), vector.sealed);
        const wrappedAgain = await withRandom(wrapped.subarray(0, 12), () => wrapKey(derived, contentKey));
        assert.equal(toHex(wrappedAgain), vector.wrapped);
    }
});

test('a message at all limits is sealed in 32 bytes more and opened, and so is a text that begins with U+FEFF', async () => {
    const key = new Uint8Array(32).fill(7);
    const content = new Uint8Array(102_400).fill(9);
    const large = {namespace: '🙂'.repeat(64), type: '\u{FEFF}é'.repeat(16), content};
    const sealed = await sealMessage(large, key);
    assert.equal(sealed.length, 102_400 + 256 + 80 + 32);
    assert.deepEqual(await openMessage(sealed, key), large);
    assert.notEqual(toHex((await sealMessage(large, key)).subarray(0, 12)), toHex(sealed.subarray(0, 12)), 'another nonce');
});

test('random, truncated and changed inputs open nothing and throw nothing', async () => {
    const random = randomFrom(seed);
    const integer = limit => Math.floor(random() * limit);
    const noise = count => Uint8Array.from({length: count}, () => integer(256));
    const key = noise(32);
    const token = {token: '00', identifier: '0123456789abcdef', wrappingKey: noise(32)};
    const sealed = await sealMessage({namespace: 'n', type: 't', content: bytes('content')}, key);
    const wrapped = await wrapKey(token, key);
    const changed = original => {
        const copy = original.slice();
        copy[integer(copy.length)] ^= 1 << integer(8);
        return copy;
    };
    const cases = [
        () => openMessage(noise(integer(120)), key),
        () => openMessage(sealed.subarray(0, integer(sealed.length)), key),
        () => openMessage(changed(sealed), key),
        () => openMessage(sealed, changed(key)),
        () => openMessage(sealed, noise(integer(32))),
        () => unwrapKey(token, noise(random() < 0.5 ? 60 : integer(120))),
        () => unwrapKey(token, wrapped.subarray(0, integer(60))),
        () => unwrapKey(token, changed(wrapped)),
        () => unwrapKey({...token, wrappingKey: noise(32)}, wrapped),
        () => unwrapKey({...token, identifier: toHex(noise(8))}, wrapped),
    ];
    for (let count = 0; count < inputCount; count += 1000) {
        const opened = await Promise.all(Array.from({length: 1000}, (_, index) => cases[index % cases.length]()));
        assert.ok(opened.every(value => value === null));
    }
    for (const value of [undefined, null, '', 'x'.repeat(60), 7, {}, []]) {
        assert.equal(await openMessage(value, key), null);
        assert.equal(await unwrapKey(token, value), null);
    }
    assert.deepEqual(await unwrapKey(token, wrapped), key, 'the right input opens');
});

/** Seals bytes that need not be a message. */
async function sealBytes(plain, key) {
    const imported = await crypto.subtle.importKey('raw', key, 'AES-GCM', false, ['encrypt']);
    const iv = new Uint8Array(12);
    const additionalData = bytes('earshot message 1');
    return Uint8Array.from([...iv, ...new Uint8Array(await crypto.subtle.encrypt({name: 'AES-GCM', iv, additionalData}, imported, plain))]);
}

test('what the right key opens is still checked', async () => {
    const key = new Uint8Array(32);
    const random = randomFrom(seed + 1);
    for (const [plain, reason] of [
        [[], 'nothing'], [[0], 'half a length'], [[0, 1], 'no namespace'], [[0, 0, 0], 'half a second length'],
        [[0, 0, 255, 255, 1], 'a type beyond the end'], [[0, 1, 0xff, 0, 0], 'no UTF-8'], [[0, 3, 0xed, 0xa0, 0x80, 0, 0], 'half a surrogate'],
        [[0, 0, 0, 33, ...bytes('x'.repeat(33))], 'a type too long'], [[0, 65, ...bytes('x'.repeat(65)), 0, 0], 'a namespace too long'],
        [new Uint8Array(102_405), 'a content too long'],
    ]) assert.equal(await openMessage(await sealBytes(Uint8Array.from(plain), key), key), null, reason);
    assert.equal((await openMessage(await sealBytes(new Uint8Array(102_404), key), key)).content.length, 102_400);
    for (let count = 0; count < 5000; count += 1) {
        const plain = Uint8Array.from({length: Math.floor(random() * 12)}, () => Math.floor(random() * (count % 2 ? 256 : 4)));
        const opened = await openMessage(await sealBytes(plain, key), key);
        assert.ok(opened === null || opened.content.length <= plain.length - 4);
    }
});

test('terms of another version or out of range are refused in words', () => {
    const salt = toBase64(new Uint8Array(16));
    assert.deepEqual(readTerms({version: 1, salt, rounds: 100}), {salt: new Uint8Array(16), rounds: 100});
    assert.equal(readTerms({version: 1, salt, rounds: 100_000}).rounds, 100_000);
    const refused = (value, text) => assert.throws(() => readTerms(value), error => {
        assert.ok(error instanceof MessagesError);
        assert.equal(error.code, 'service_invalid');
        assert.match(error.message, text);
        return true;
    });
    for (const value of [null, 1, 'x', [], {}, {version: 2, salt, rounds: 100}, {version: '1', salt, rounds: 100}]) refused(value, /version 1/);
    for (const bad of [undefined, 7, '', '%', toBase64(new Uint8Array(15)), toBase64(new Uint8Array(17)), 'x'.repeat(100_000)]) {
        refused({version: 1, salt: bad, rounds: 100}, /salt/);
    }
    for (const rounds of [99, 100_001, 100.5, '100', null, undefined, NaN, Infinity, -100]) refused({version: 1, salt, rounds}, /rounds/);
});

// ---- Pages ----

async function meeting() {
    const time = new FakeClock();
    const service = new SealedProject(time);
    return {time, service, room: new Room(service, time)};
}

test('a subscriber that hears the publisher finds its message, and the service learns nothing of it', async () => {
    const {time, service, room} = await meeting();
    const [publisher, subscriber] = [room.page(), room.page({say: null})];
    await soon(time, subscriber.subscribe({...subscriber.handlers, filter: {namespace: 'ein Raum', type: 'Grüße'}}));
    const publication = await soon(time, publisher.publish({content: 'a secret', type: 'Grüße', namespace: 'ein Raum'}, {strategy: 'broadcast'}));
    await soon(time, publisher.publish({content: 'not asked for', type: 'other', namespace: 'ein Raum'}, {strategy: 'broadcast'}));
    await time.advance(200);
    assert.deepEqual(subscriber.events, ['found a secret']);
    await soon(time, publication.unpublish());
    await time.advance(1);
    assert.deepEqual(subscriber.events, ['found a secret', 'lost a secret']);
    await room.close();
    assert.deepEqual([publisher.log, subscriber.log], [[], []]);
    // A token that was being said ends.
    await time.advance(1);
    assert.equal(time.timers.size, 0, 'nothing runs on');
    const sent = service.requests.map(({text}) => text).join('\n');
    const tokens = new Set(room.said);
    assert.ok(tokens.size >= 6, `${tokens.size} tokens of two publications in 200 s`);
    for (const token of tokens) assert.ok(!sent.includes(token), 'a token was sent');
    for (const text of ['a secret', 'Grüße', 'ein Raum']) assert.ok(!sent.includes(text) && !sent.includes(toBase64(bytes(text))), text);
});

test('a publisher that only hears the subscriber sends the keys, for 100 KB and for a publication made later', async () => {
    const {time, service, room} = await meeting();
    const [publisher, subscriber] = [room.page({say: null}), room.page()];
    let found;
    await soon(time, subscriber.subscribe({onFound: message => found = message, filter: {type: 'large'}}));
    await soon(time, publisher.publish({content: 'another', type: 'small'}));
    await time.advance(20);
    assert.equal(found, undefined);
    const reports = service.bodies('/v1/sightings').length;
    const content = Uint8Array.from({length: 102_400}, (_, index) => index * 7);
    await soon(time, publisher.publish({content, type: 'large'}));
    await time.advance(0.1);
    assert.deepEqual(found?.content, content);
    assert.equal(found.type, 'large');
    const [report, ...others] = service.bodies('/v1/sightings').slice(reports);
    assert.deepEqual([report.heard, report.lost, report.keys.length, others], [[], [], 1, []], 'a report with keys only');
    await time.advance(200);
    await room.close();
    assert.deepEqual([publisher.log, subscriber.log], [[], []]);
});

test('a page that is only heard while it publishes itself finds by the tokens of its publication', async () => {
    const {time, room} = await meeting();
    const [first, second] = [room.page(), room.page()];
    for (const page of [first, second]) await soon(time, page.subscribe(page.handlers));
    await soon(time, first.publish({content: 'of the first'}));
    await soon(time, second.publish({content: 'of the second'}));
    await time.advance(300);
    assert.deepEqual([first.events, second.events], [['found of the second'], ['found of the first']]);
    await room.close();
});

test('a rotation under way: the answer names the old or the new token, or is lost', async () => {
    const {time, service, room} = await meeting();
    const [publisher, subscriber] = [room.page(), room.page({say: null})];
    await soon(time, subscriber.subscribe(subscriber.handlers));
    let lost = 0;
    service.after = ({method, path}, answer) => {
        // Each second answer to a publication is lost, after the service has done the work.
        if (!path.startsWith('/v1/publications') || (lost += 1) % 2 === 0) return answer;
        throw new TypeError('Failed to fetch');
    };
    const publishing = publisher.publish({content: 'x'});
    await time.advance(5);
    await publishing;
    const [first, second, ...none] = service.bodies('/v1/publications');
    assert.deepEqual([first, none], [second, []], 'a repeated request has the same bytes');
    await time.advance(400);
    assert.deepEqual(subscriber.events, ['found x']);
    const renewals = service.bodies('/v1/publications', 'PUT').map(({token}) => token);
    assert.ok(renewals.length >= 10);
    const identifiers = new Set(renewals.map(({token}) => token));
    assert.ok(identifiers.size <= renewals.length / 2 + 1, 'the same token is offered again');
    assert.equal(new Set(renewals.map(token => JSON.stringify(token))).size, identifiers.size, 'with the same key');
    assert.deepEqual([...service.leases.values()].find(({kind}) => kind === 'publications').tokens.length, new Set(room.said).size);
    await room.close();
});

test('a publisher that is started again is lost and found', async () => {
    const {time, room} = await meeting();
    const [publisher, subscriber] = [room.page(), room.page()];
    await soon(time, subscriber.subscribe(subscriber.handlers));
    await soon(time, publisher.publish({content: 'x'}));
    await time.advance(10);
    await soon(time, publisher.stop());
    await time.advance(3);
    assert.deepEqual(subscriber.events, ['found x', 'lost x']);
    await soon(time, room.page().publish({content: 'x'}));
    await time.advance(10);
    assert.deepEqual(subscriber.events, ['found x', 'lost x', 'found x']);
    await room.close();
});

test('a service that forgets its sessions, and a page that rests, begin anew with other tokens', async () => {
    const {time, service, room} = await meeting();
    const window = new EventTarget();
    const [publisher, subscriber] = [room.page({page: window}), room.page()];
    await soon(time, subscriber.subscribe(subscriber.handlers));
    await soon(time, publisher.publish({content: 'x'}));
    await time.advance(10);
    service.devices.clear();
    service.leases.clear();
    await time.advance(130);
    assert.deepEqual(subscriber.events, ['found x']);
    window.dispatchEvent(new Event('pagehide'));
    await time.advance(5);
    assert.deepEqual(subscriber.events, ['found x', 'lost x']);
    window.dispatchEvent(new Event('pageshow'));
    await time.advance(10);
    assert.deepEqual(subscriber.events, ['found x', 'lost x', 'found x']);
    const offers = service.bodies('/v1/publications').map(({token}) => token.token);
    assert.equal(new Set(offers).size, 3);
    await room.close();
});

test('a token that is taken is drawn again, at most four times for a request', async () => {
    const {time, service, room} = await meeting();
    const page = room.page();
    let count = 0;
    service.before = ({path}) => (path === '/v1/publications' && (count += 1) <= 3 ? json(409, {problem: {code: 'token_taken'}}) : undefined);
    await soon(time, page.publish({content: 'x'}));
    assert.equal(count, 4);
    const bodies = service.bodies('/v1/publications');
    assert.equal(new Set(bodies.map(({token}) => token.token)).size, 4);
    assert.equal(new Set(bodies.map(({content}) => content)).size, 1, 'the message is sealed once');
    assert.deepEqual(page.log, []);
    count = -Infinity;
    service.before = ({path}) => (path === '/v1/subscriptions' ? json(409, {problem: {code: 'token_taken'}}) : undefined);
    const subscribing = page.subscribe();
    await time.advance(60);
    const asked = service.bodies('/v1/subscriptions').length;
    assert.ok(asked <= 4 * 10, `${asked} requests in a minute`);
    assert.deepEqual(page.problems.map(({code}) => code), ['service_refusing']);
    service.before = () => undefined;
    await time.advance(40);
    await subscribing;
    await room.close();
});

test('a page without WebCrypto says so at a sealed project, and works at an open one', async () => {
    const {time, service, room} = await meeting();
    setCrypto({getRandomValues: countedCrypto.getRandomValues});
    try {
        assert.equal(canSeal(), false);
        const page = room.page();
        const rejected = assert.rejects(page.publish({content: 'x'}), error => {
            assert.equal(error.code, 'sealing_unavailable');
            assert.match(error.message, /https:/);
            return true;
        });
        await soon(time, rejected);
        assert.deepEqual(service.bodies('/v1/devices'), [{sealing: []}]);
        await time.advance(60);
        assert.equal(service.requests.length, 1);
        // A service that seals although the page cannot.
        service.before = ({path}) => (path === '/v1/devices' ? json(201, {session: 's', terms: {sealing: service.terms}}) : undefined);
        await soon(time, assert.rejects(room.page().publish({content: 'x'}), {code: 'sealing_unavailable'}));
        service.before = () => undefined;
        service.terms = null;
        const [publisher, subscriber] = [room.page(), room.page()];
        await soon(time, subscriber.subscribe(subscriber.handlers));
        await soon(time, publisher.publish({content: 'open'}));
        await time.advance(10);
        assert.deepEqual(subscriber.events, ['found open']);
        await room.close();
    } finally {
        setCrypto(countedCrypto);
    }
});

test('an open project goes on as before', async () => {
    const {time, service, room} = await meeting();
    service.terms = null;
    const [publisher, subscriber] = [room.page(), room.page()];
    await soon(time, subscriber.subscribe({...subscriber.handlers, filter: {type: 't'}}));
    await soon(time, publisher.publish({content: 'open', type: 't'}));
    await time.advance(100);
    assert.deepEqual(subscriber.events, ['found open']);
    const {idempotency_key: key, ...body} = service.bodies('/v1/publications')[0];
    assert.deepEqual([body, typeof key], [{content: toBase64(bytes('open')), type: 't', namespace: '', ttl_s: 300}, 'string']);
    assert.deepEqual(service.bodies('/v1/publications', 'PUT')[0], {ttl_s: 300});
    assert.deepEqual(Object.keys(service.bodies('/v1/sightings')[0]), ['heard', 'lost']);
    await room.close();
});

test('a project that wants a newer sealing refuses the page for good', async () => {
    const {time, service, room} = await meeting();
    service.before = ({path}) => (path === '/v1/devices' ? json(403, {problem: {code: 'sealing_required'}}) : undefined);
    const rejected = assert.rejects(room.page().publish({content: 'x'}), error => {
        assert.deepEqual([error.code, error.serviceCode], ['service_refusing', 'sealing_required']);
        assert.match(error.message, /Update the page/);
        return true;
    });
    await soon(time, rejected);
    assert.equal(service.requests.length, 1);
});

test('a service that lies about its terms gets no message, and its sessions are ended', async () => {
    for (const change of [{salt: 'AAAA'}, {version: 2}, {rounds: 99}, {rounds: 100_001}]) {
        const {time, service, room} = await meeting();
        const {terms} = service;
        service.terms = {...terms, ...change};
        const page = room.page();
        const publishing = page.publish({content: 'x'});
        await time.advance(5);
        assert.deepEqual(page.problems.map(({code}) => code), ['service_invalid']);
        assert.ok(service.requests.every(({path}) => path.startsWith('/v1/device')), 'nothing else was sent');
        assert.equal(service.devices.size, 0);
        service.terms = terms;
        await time.advance(20);
        await publishing;
        await room.close();
    }
});

test('a project that was sealed gets nothing when it says that it is open', async () => {
    const {time, service, room} = await meeting();
    const page = room.page();
    await soon(time, page.publish({content: 'x'}));
    service.terms = null;
    service.devices.clear();
    service.requests = [];
    await time.advance(100);
    assert.deepEqual(page.problems.map(({code}) => code), ['service_invalid']);
    assert.deepEqual(service.bodies('/v1/publications'), []);
    await room.close();
});

test('an answer that names a token of another device is refused', async () => {
    const {time, service, room} = await meeting();
    const page = room.page();
    service.after = ({path}, answer) => (path !== '/v1/publications' ? answer
        : json(200, {id: 'p', expires_in_s: 299, token: {token: '0123456789abcdef', expires_in_s: 119, rotate_in_s: 59}}));
    const publishing = page.publish({content: 'x'});
    await time.advance(5);
    assert.deepEqual(page.problems.map(({code}) => code), ['service_invalid']);
    assert.deepEqual(room.said, []);
    service.after = (request, answer) => answer;
    await time.advance(40);
    await publishing;
    await room.close();
});

test('a message whose keys do not open it, or that does not belong to the filter, is ignored', async () => {
    const {time, service, room} = await meeting();
    const [publisher, subscriber] = [room.page(), room.page({say: null})];
    await soon(time, subscriber.subscribe({...subscriber.handlers, filter: {type: 'a'}}));
    const wrong = toBase64(new Uint8Array(60));
    const publish = async (message, change = () => {}) => {
        const count = service.foundCount;
        const publication = await soon(time, publisher.publish(message));
        change([...service.leases.values()].at(-1).body);
        await time.advance(10);
        assert.equal(service.foundCount, count + 1);
        await soon(time, publication.unpublish());
    };
    for (const spoil of [
        () => undefined, () => [], () => 'x', () => [null, 7, {}, {token: 'x', key: wrong}], keys => keys.map(key => ({...key, key: wrong})),
        keys => keys.map(({key}) => ({token: '0123456789abcdef', key})), keys => keys.map(({token}) => ({token, key: 'AAAA'})),
    ]) {
        service.spoil = spoil;
        await publish({content: 'x', type: 'a'});
    }
    service.spoil = keys => [...Array.from({length: 50}, () => ({token: keys[0].token, key: wrong})), ...keys];
    // The service has changed the tag: the message is of another type than the filter's.
    const [{type}] = service.bodies('/v1/subscriptions');
    await publish({content: 'another type', type: 'b'}, body => body.type = type);
    await publish({content: 'another content', type: 'a'}, body => body.content = body.content.replace(/^./, first => (first === 'A' ? 'B' : 'A')));
    await publish({content: 'the right one', type: 'a'});
    await time.advance(1);
    assert.deepEqual(subscriber.events, ['found the right one', 'lost the right one']);
    assert.deepEqual(subscriber.log, []);
    await room.close();
});

// ---- The layer alone ----

/** A layer with a session, and what it sends in reports. All heard tokens are VALID. */
async function layerOf(terms = {}) {
    const [time, reports] = [new FakeClock(), []];
    const layer = {orders: []};
    const sealing = {version: 1, salt: toBase64(new Uint8Array(16)), rounds: 100, ...terms};
    let count = 0;
    layer.service = new SealedService({server: 'https://t.example', key: 'k', clock: time, fetch: async (url, options) => {
        if (options.method === 'DELETE') return json(204);
        const body = JSON.parse(options.body);
        layer.orders.push(body);
        if (layer.refusal) return layer.refusal;
        if (url.endsWith('/devices')) return json(201, {session: 's', terms: {sealing}});
        if (url.endsWith('/sightings')) {
            reports.push(body);
            return json(200, {heard: body.heard.map(({token}) => ({token, status: 'VALID'}))});
        }
        return json(200, {id: `p${count += 1}`, expires_in_s: 299, token: {token: body.token.token, expires_in_s: 119, rotate_in_s: 59}});
    }});
    await layer.service.openSession();
    layer.publish = () => layer.service.register(
        'publications', {namespace: '', type: '', content: bytes('x')}, {ttl_s: 300, idempotency_key: `${count}`}, 's');
    return Object.assign(layer, {time, reports});
}

const sightings = (count, first = 0) => Array.from({length: count}, (_, index) => ({token: (first + index).toString(16).padStart(16, '0')}));

test('keys go out once for each publication and token, at most 400 in a report, and again with each report of the token', async () => {
    const {service, publish, reports, time} = await layerOf();
    for (let count = 0; count < 7; count += 1) await publish();
    assert.equal(service.hasKeysToSend('s'), false);
    await service.report(sightings(100), [], 's');
    const pairs = new Set();
    while (service.hasKeysToSend('s')) await service.report([], [], 's');
    assert.deepEqual(reports.map(({heard, keys}) => [heard.length, keys.length]), [[100, 400], [0, 300]]);
    for (const {keys} of reports) for (const {token, publication} of keys) pairs.add(`${token} ${publication}`);
    assert.equal(pairs.size, 700);
    await service.report(sightings(1), [], 's');
    assert.equal(reports.at(-1).keys.length, 7, 'again');
    await publish();
    await service.withdraw('publications', 'p1', 's');
    await service.report([], sightings(1, 99).map(({token}) => token), 's');
    assert.deepEqual([reports.at(-1).lost.length, reports.at(-1).keys.length], [1, 99], 'the new one, for those that are still heard');
    await publish();
    time.milliseconds += 90_000;
    assert.equal(service.hasKeysToSend('s'), false, 'the service has forgotten all');
});

test('a report that fails leaves its keys due', async () => {
    const layer = await layerOf();
    await layer.publish();
    await layer.service.report(sightings(2), [], 's');
    layer.refusal = json(503, {problem: {code: 'overloaded'}});
    await assert.rejects(layer.service.report(sightings(2), [], 's'), {serviceCode: 'overloaded'});
    assert.equal(layer.service.hasKeysToSend('s'), true);
    layer.refusal = undefined;
    await layer.service.report([], [], 's');
    assert.equal(layer.reports.at(-1).keys.length, 2);
});

test('another registration of an operation draws another token, and one with the same key repeats its bytes', async () => {
    const layer = await layerOf();
    const body = {namespace: '', type: '', content: bytes('x')};
    layer.orders = [];
    const register = key => layer.service.register('publications', body, {ttl_s: 300, idempotency_key: key}, 's').catch(() => {});
    for (const key of ['a', 'a', 'b']) {
        layer.refusal = json(503, {problem: {code: 'overloaded'}});
        await register(key);
    }
    const [first, second, third] = layer.orders;
    assert.deepEqual(first, second);
    assert.notEqual(first.token.token, third.token.token);
    assert.equal(first.content, third.content, 'the message is sealed once');
});

test('a publication that the service has forgotten gets no keys any more', async () => {
    const layer = await layerOf();
    const body = {namespace: '', type: '', content: bytes('x')};
    const {id} = await layer.service.register('publications', body, {ttl_s: 300, idempotency_key: 'a'}, 's');
    await layer.service.report(sightings(1), [], 's');
    layer.refusal = json(404, {problem: {code: 'no_such_publication'}});
    await assert.rejects(layer.service.renew('publications', id, body, 300, 's'), {serviceCode: 'no_such_publication'});
    layer.refusal = undefined;
    await layer.service.report(sightings(1), [], 's');
    assert.deepEqual(layer.reports.map(({keys}) => keys.length), [1, 0]);
});

test('a flood of tokens costs ten seconds\' rounds at once, then 100,000 a second, and the memory of 4,096', async () => {
    const slow = await layerOf({rounds: 100_000});
    const statuses = await slow.service.report(sightings(14), [], 's');
    assert.equal(statuses.size, 10);
    slow.time.milliseconds += 2000;
    assert.equal((await slow.service.report(sightings(14), [], 's')).size, 12, 'ten are known, two are new');
    const {service, reports, time} = await layerOf();
    const reported = async first => {
        await service.report(sightings(100, first), [], 's');
        time.milliseconds += 1000;
    };
    for (let first = 0; first < 4200; first += 100) await reported(first);
    await service.report([], sightings(4200).map(({token}) => token), 's');
    assert.equal(reports.at(-1).lost.length, 4096, 'those heard last');
});

test('requests of a session that the page does not know fail as those of a bad session', async () => {
    const {service} = await layerOf();
    await assert.rejects(service.report([], [], 'other'), {serviceCode: 'bad_session'});
    assert.equal(service.hasKeysToSend('other'), false);
});
