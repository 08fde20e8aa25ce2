// The rules of the message layer, in simulated time: who talks when, what is reported, and what the service's answers may do.

import assert from 'node:assert/strict';
import {test} from 'node:test';

import {TalkPolicy, tokenSeconds} from '../discovery.js';
import {FoundBook} from '../found.js';
import {BackOff, EventStreamParser, MessagesError, ReceivedMessage, Service, textProblem, toBase64} from '../service.js';
import {Messages} from '../messages.js';
import {SightingReporter} from '../sightings.js';
import {FakeClock, json, randomFrom, seed, soon} from './support/simulation.mjs';

/** A room of policies in which all talkers are decoded by those that listen. @returns talks, each with its begin and device */
function simulate(deviceCount, seconds, random) {
    const length = tokenSeconds('fast');
    const devices = Array.from({length: deviceCount}, (_, index) => ({
        name: `${index}`, policy: new TalkPolicy({nowSeconds: random(), random}), dueSeconds: 1, heard: new Set()}));
    const talks = [];
    let pending = [];
    for (let now = 1; now < seconds; now += 0.01) {
        for (const talk of pending.filter(({end}) => end <= now)) {
            for (const device of devices) {
                if (device === talk.device) continue;
                const talksToo = talks.some(
                    other => other.device === device && other.begin < talk.end && other.end > talk.begin);
                if (talksToo) continue;
                device.policy.hear(talk.device.name, talk.begin);
                device.heard.add(talk.device.name);
                if (!device.isTalking) device.dueSeconds = now;
            }
            talk.device.isTalking = false;
        }
        pending = pending.filter(({end}) => end > now);
        for (const device of devices) {
            if (device.isTalking || device.dueSeconds > now) continue;
            const action = device.policy.step(now);
            if (action.talkAtSeconds === undefined) {
                device.dueSeconds = action.listenUntilSeconds;
                continue;
            }
            const talk = {device, begin: action.talkAtSeconds, end: action.talkAtSeconds + length};
            device.isTalking = true;
            device.dueSeconds = talk.end;
            talks.push(talk);
            pending.push(talk);
        }
    }
    return {devices, talks};
}

test('devices in a room find each other, keep common slots, and their share of the air', () => {
    for (const count of [2, 5, 20]) {
        const {devices, talks} = simulate(count, 90, randomFrom(seed + count));
        for (const device of devices) assert.equal(device.heard.size, count - 1, `of ${count} devices, ${device.name}`);
        const {policy} = devices[0];
        const late = talks.filter(({begin}) => begin > 45);
        // A talk that holds back a slot, or a grid that follows others, may put one aside; not many.
        const inSpread = late.filter(({begin}) => policy.slotAt(begin).lateSeconds < 0.25 || policy.slotAt(begin).lateSeconds > 0.78);
        assert.ok(inSpread.length >= 0.95 * late.length, `${inSpread.length} of ${late.length} talks in the spread`);
        // The lengths of rounds beside the wanted one differ from it by a quarter; two talks are those at both ends.
        const due = 45 / policy.slotSeconds / Math.max(3, count / 2.5);
        for (const device of devices) {
            const talkCount = late.filter(talk => talk.device === device).length;
            assert.ok(talkCount <= 1.25 * due + 2 && talkCount >= 0.75 * due - 2,
                `of ${count} devices, ${device.name} talks ${talkCount} times, expected ${due}`);
        }
    }
});

test('a device alone talks once in three slots, one that hears nothing once in six, and a mute one never', () => {
    for (const [options, canTalk, every] of [[{}, true, 3], [{scans: false}, true, 6], [{}, false, Infinity]]) {
        const policy = new TalkPolicy({nowSeconds: 0, random: randomFrom(seed), ...options});
        let [now, count] = [0, 0];
        while (now < 300 * policy.slotSeconds) {
            const action = policy.step(now, {canTalk});
            if (action.talkAtSeconds !== undefined) {
                count += 1;
                assert.ok(policy.slotAt(action.talkAtSeconds).lateSeconds <= 0.2 + 1e-9);
                now = action.talkAtSeconds + policy.tokenSeconds;
            } else {
                now = action.listenUntilSeconds;
            }
        }
        assert.ok(Math.abs(count - 300 / every) <= 1, `${count} talks in 300 slots, expected one in ${every}`);
    }
});

test('a busy band holds a talk back by one slot, and a late program by as many as it needs', () => {
    const policy = new TalkPolicy({nowSeconds: 0, random: () => 0});
    // Random numbers of 0 put each talk into the first slot of its round.
    assert.ok(policy.step(policy.slotSeconds, {isBusy: true}).listenUntilSeconds);
    assert.ok(policy.step(2 * policy.slotSeconds, {isBusy: true}).talkAtSeconds);
    const late = new TalkPolicy({nowSeconds: 0, random: () => 0});
    assert.ok(late.step(late.slotSeconds + 0.3).listenUntilSeconds);
    assert.ok(late.step(2 * late.slotSeconds + 0.1).talkAtSeconds);
});

test('patience is four periods for a new neighbour, and follows from how often it is heard later', () => {
    const policy = new TalkPolicy({nowSeconds: 0, random: randomFrom(seed)});
    const slot = policy.slotSeconds;
    assert.ok(Math.abs(policy.hear('a', 0.1) - 61 * slot) < 1e-9);
    let patience;
    for (let index = 3; index <= 45; index += 3) {
        policy.step(index * slot, {canTalk: false});
        patience = policy.hear('a', index * slot + 0.1);
    }
    // Five tokens a period: 15 slots, and one for decoding.
    assert.ok(Math.abs(patience - 16 * slot) < 1e-9, `${patience / slot} slots`);
});

test('a flood of tokens does not fill the memory', () => {
    const policy = new TalkPolicy({nowSeconds: 0});
    for (let index = 0; index < 6000; index += 1) policy.hear(`${index}`, 0.1);
    assert.equal(policy.neighbourCount, 4096);
    assert.equal(policy.crowdCount, 4096);
});

test('reports: a new token waits a moment, one that stays is repeated, an unknown one is not', () => {
    const reporter = new SightingReporter();
    assert.equal(reporter.dueSeconds, Infinity);
    reporter.hear('a', 0);
    reporter.hear('b', 0.1);
    assert.equal(reporter.next(0.1), null);
    assert.deepEqual(reporter.next(0.31), {heard: ['a', 'b'], lost: []});
    assert.equal(reporter.next(9), null, 'one at a time');
    reporter.answered(new Map([['a', 'VALID'], ['b', 'INVALID']]), new Map(), 0.4);
    assert.deepEqual(reporter.next(5.31), {heard: [], lost: []}, 'a sign of life');
    reporter.failed();
    assert.deepEqual(reporter.next(11), {heard: ['a'], lost: []}, 'after a pause, all that is near');
    reporter.answered(new Map([['a', 'VALID']]), new Map(), 11);
    reporter.lose('b');
    reporter.hear('b', 12);
    reporter.lose('a');
    assert.deepEqual(reporter.next(12), {heard: [], lost: ['a']});
    reporter.answered(new Map(), new Map(), 12);
    assert.equal(reporter.dueSeconds, 600.4, 'the unknown token, after ten minutes');
});

test('reports: an open stream is a sign of life', () => {
    const reporter = new SightingReporter();
    reporter.hear('a', 0);
    reporter.next(1);
    reporter.answered(new Map([['a', 'VALID']]), new Map(), 1);
    reporter.hasStream = true;
    assert.equal(reporter.dueSeconds, 61, 'only the renewal');
    reporter.hasStream = false;
    assert.equal(reporter.dueSeconds, 6, 'without it, a sign of life');
    assert.deepEqual(reporter.next(40), {heard: ['a'], lost: []}, 'the service may have forgotten all');
});

test('a report has at most 100 tokens', () => {
    const reporter = new SightingReporter();
    for (let index = 0; index < 250; index += 1) reporter.hear(`${index}`, 0);
    assert.equal(reporter.next(1).heard.length, 100);
});

test('a message in doubt is lost only if it does not come again, also with another id', () => {
    const book = new FoundBook();
    const message = id => new ReceivedMessage(id, Uint8Array.of(1), 't', '');
    assert.equal(book.find(message('1')).id, '1');
    assert.equal(book.find(message('1')), null);
    book.doubt(40);
    assert.equal(book.find(message('2')), null, 'the same message');
    assert.deepEqual(book.expire(100), []);
    book.settle(140);
    assert.equal(book.lose('2', 101), null);
    assert.equal(book.doubtEndsAtSeconds, 140);
    assert.deepEqual(book.expire(140).map(({id}) => id), ['1']);
    assert.equal(book.lose('2', 150), null);
});

test('pauses double up to half a minute, and honour what the service asks for', () => {
    const backOff = new BackOff(() => 1);
    assert.deepEqual([1, 2, 3, 4, 5, 6, 7, 8].map(() => backOff.pauseSeconds()), [0.5, 1, 2, 4, 8, 16, 30, 30]);
    assert.equal(backOff.pauseSeconds(60), 60.5);
    assert.equal(backOff.pauseSeconds(1e9), 300.5);
    backOff.reset();
    assert.equal(backOff.pauseSeconds(), 0.5);
});

test('the event stream is parsed from pieces of any size, with any line end', () => {
    const text = ': quiet\n\nid: 7\r\nevent: found\rdata: {"a":\ndata:1}\n\nevent: none\n\nfoo\ndata\n\n';
    const expected = [{name: 'found', data: '{"a":\n1}', id: '7'}, {name: '', data: '', id: '7'}];
    for (let size = 1; size <= text.length; size += 1) {
        const parser = new EventStreamParser();
        const events = [];
        for (let begin = 0; begin < text.length; begin += size) events.push(...parser.take(text.slice(begin, begin + size)));
        assert.deepEqual(events, expected, `pieces of ${size}`);
    }
    assert.throws(() => new EventStreamParser().take(`data: ${'x'.repeat(300_000)}`), {code: 'service_invalid'});
});

const clock = new FakeClock();

function serviceThat(answer) {
    return new Service({server: 'https://tokens.example/x/', key: 'key', clock, fetch: async (url, options) => answer(url, options)});
}

test('a page at an address that is not secure learns that it needs https', async t => {
    const refusal = () => serviceThat(() => json(403, {problem: {code: 'origin_not_allowed'}})).openSession([]).catch(error => error.message);
    assert.match(await refusal(), /Use a key that names its origin\.$/);
    assert.doesNotMatch(await refusal(), /https/);
    globalThis.isSecureContext = false;
    t.after(() => delete globalThis.isSecureContext);
    assert.match(await refusal(), /A page of the service's own needs https:\/\/, or on this machine http:\/\/localhost\.$/);
});

test('answers that are not the service\'s are refused in words', async () => {
    const cases = [
        [() => json(200, {session: 'a b'}), 'service_invalid'],
        [() => new Response('<html>', {status: 200}), 'service_invalid'],
        [() => new Response('null', {status: 200}), 'service_invalid'],
        [() => new Response('x'.repeat(70_000), {status: 200}), 'service_invalid'],
        [() => new Response(null, {status: 302, headers: {Location: 'https://evil.example'}}), 'service_invalid'],
        [() => new Response('', {status: 404}), 'service_invalid'],
        // Other servers refuse, and know no POST: Python's http.server, nginx.
        ...[400, 401, 403, 405, 501, 505].map(status => [() => new Response('<html>', {status}), 'service_invalid']),
        [() => json(403, {error: 'forbidden'}), 'service_invalid'],
        ...[429, 500, 503].map(status => [() => new Response('<html>', {status}), 'service_refusing']),
        [() => json(418, {problem: {code: 'teapot'}}), 'service_refusing'],
        [() => new Response('', {status: 502}), 'service_unreachable'],
        [() => Promise.reject(new TypeError('Failed to fetch')), 'service_unreachable'],
        [() => json(429, {problem: {code: 'rate_limited', message: '<b>'}}, {'Retry-After': '7'}), 'service_refusing'],
        [() => json(503, {problem: {code: 'x y'}}, {'Retry-After': 'soon'}), 'service_refusing'],
    ];
    for (const [answer, code] of cases) {
        await assert.rejects(serviceThat(answer).openSession([]), error => {
            assert.ok(error instanceof MessagesError);
            assert.equal(error.code, code);
            assert.ok(!error.message.includes('<b>'));
            if (code === 'service_unreachable') assert.match(error.message, /^Cannot reach the service at https:\/\/tokens\.example\/x: /);
            assert.doesNotMatch(error.message, /docs\/|\.md/);
            assert.equal(error.retryAfterSeconds, error.serviceCode === 'rate_limited' ? 7 : undefined);
            return true;
        });
    }
    const urls = [];
    await serviceThat(async (url, options) => {
        urls.push(url, options.redirect, options.credentials);
        return json(201, {session: 's'});
    }).openSession([]);
    assert.deepEqual(urls, ['https://tokens.example/x/v1/devices', 'manual', 'omit']);
});

test('a server of another origin that answers, but not to this page, is no token service', async context => {
    context.after(() => delete globalThis.location);
    const requests = [];
    const serviceAt = (origin, answersOthers) => {
        globalThis.location = new URL(origin);
        return serviceThat((url, {mode, method, headers}) => {
            requests.push([method, url, mode, headers]);
            if (mode === 'no-cors' && answersOthers) return new Response(null, {status: 200});
            throw new TypeError('Failed to fetch');
        });
    };
    await assert.rejects(serviceAt('https://page.example', true).openSession([]), error => {
        assert.equal(error.code, 'service_invalid');
        assert.match(error.message, /answers, but not to pages of https:\/\/page\.example: it is no token service, or none of its browser keys/);
        return true;
    });
    // The question carries no key.
    assert.deepEqual(requests[1], ['HEAD', 'https://tokens.example/x/v1/openapi.json', 'no-cors', undefined]);
    await assert.rejects(serviceAt('https://page.example', false).openSession([]), {code: 'service_unreachable'});
    // The browser hides nothing from a page of the service's own origin.
    requests.length = 0;
    await assert.rejects(serviceAt('https://tokens.example', true).openSession([]), {code: 'service_unreachable'});
    assert.equal(requests.length, 1);
});

test('a request that is not answered ends after 30 s', async () => {
    const failed = assert.rejects(serviceThat(() => new Promise(() => {})).openSession([]), /does not answer in time/);
    await clock.advance(31);
    await failed;
});

test('limits are checked before anything is sent', async () => {
    const page = new Messages({server: 'https://tokens.example', key: 'k', page: null, clock, fetch: () => assert.fail('sent')});
    await assert.rejects(page.publish({content: new Uint8Array(102_401)}), {code: 'content_too_large'});
    await assert.rejects(page.publish({content: '', type: 'x'.repeat(33)}), {code: 'type_too_long'});
    await assert.rejects(page.subscribe({filter: {namespace: 'x'.repeat(65)}}), {code: 'namespace_too_long'});
    await assert.rejects(page.publish({content: 7}), {code: 'bad_option'});
    await assert.rejects(page.publish(), {code: 'bad_option', message: /must be a text/});
    await assert.rejects(page.publish({content: ''}, {strategy: 'broadcast'}), {code: 'bad_option'});
    await assert.rejects(page.subscribe({onFound: 5}), {code: 'bad_option', message: '"onFound" must be a function.'});
    await assert.rejects(page.subscribe({onLost: 'log'}), {code: 'bad_option', message: '"onLost" must be a function.'});
    await assert.rejects(page.subscribe(() => {}), {code: 'bad_option', message: /^subscribe takes an object/});
    for (const filter of ['greeting', ['greeting']]) {
        await assert.rejects(page.subscribe({filter}), {code: 'bad_option', message: /^The filter must be an object/});
    }
    for (const [operation, message, code = 'bad_option'] of [
        [page.publish({content: 'x\ud800y'}), 'The content must be a text of whole characters, or a Uint8Array.', 'not_text'],
        [page.publish({content: '', nameSpace: 'a'}), 'The message has no option "nameSpace".'],
        [page.publish('hello'), 'publish takes an object: {content: "hello"}.'],
        [page.publish({content: '', strategy: 'both'}), '"strategy" belongs into publish\'s second argument.'],
        [page.publish({content: ''}, {ttl: 5}), 'publish has no option "ttl".'],
        [page.subscribe({onfound: () => {}}), 'subscribe has no option "onfound".'],
        [page.subscribe({filter: {Type: 'greeting'}}), 'The filter has no option "Type".'],
    ]) {
        await assert.rejects(operation, {code, message});
    }
    for (const operation of [page.publish({content: ''}, {signal: 5}), page.subscribe({signal: {}})]) {
        await assert.rejects(operation, {code: 'bad_option', message: /^The signal must be an AbortSignal/});
    }
    assert.equal(textProblem('🙂'.repeat(32), ''), null, 'characters, not code units');
    await page.stop();
    await assert.rejects(page.publish({content: ''}), {code: 'stopped'});
    assert.throws(() => new Messages({server: 'javascript:1', key: 'k', page: null, clock}), {code: 'bad_option'});
    for (const [wrong, message] of [
        [{profile: 'slow'}, /no profile "slow"/], [{say: 5}, /"say" must be a function/], [{key: undefined}, /The key is missing/],
        [{leadSeconds: '1'}, /"leadSeconds" must be a number/], [{onProblem: 5}, /"onProblem" must be a function/],
        [{isBusy: true}, /"isBusy" must be a function/], [{fetch: 5}, /"fetch" must be a function/],
        [{random: 5}, /"random" must be a function/], [{sey: () => {}}, /^Messages has no option "sey"\.$/],
    ]) {
        const options = {server: 'https://tokens.example', key: 'k', page: null, clock, ...wrong};
        assert.throws(() => new Messages(options), {name: 'MessagesError', code: 'bad_option', message});
    }
    for (const options of [{}, {server: 'earshot', key: 'k'}, {server: '', key: 'k'}]) {
        assert.throws(() => new Messages({...options, page: null}), {code: 'bad_option', message: /is not the address of a service/});
    }
    assert.throws(
        () => new Messages({server: 'https://tokens.example/v1/', key: 'k', page: null}),
        {code: 'bad_option', message: '"https://tokens.example/v1/" has /v1 at its end; leave it out.'});
    assert.throws(() => new Messages({server: 'https://tokens.example', page: null}), {code: 'bad_option', message: /The key is missing/});
});

/** A service that answers as docs/SERVICE.md says, with a stream that the test writes. */
class FakeService {
    requests = [];
    tokenCount = 0;
    streams = [];
    fetch = async (url, options) => {
        const path = new URL(url).pathname;
        this.requests.push(`${options.method} ${path}`);
        const refusal = this.refuse?.(path, options);
        if (refusal) return refusal;
        if (options.method === 'DELETE') return json(204);
        if (path === '/v1/devices') return json(201, {session: 's'});
        if (path === '/v1/sightings') {
            const {heard} = JSON.parse(options.body);
            return json(200, {heard: heard.map(({token}) => ({token, status: 'VALID'})), lost: []});
        }
        if (path === '/v1/events') {
            const stream = new TransformStream();
            this.lastEventID = options.headers['Last-Event-ID'];
            this.writer = stream.writable.getWriter();
            this.writer.closed.catch(() => {});
            return new Response(stream.readable, {status: 200});
        }
        this.tokenCount += 1;
        const token = this.tokenCount.toString(16).padStart(16, '0');
        return json(200, {id: path.startsWith('/v1/pub') ? 'p' : 'u', expires_in_s: 299,
            token: {token, expires_in_s: 119, rotate_in_s: 59}});
    };

    send(text) {
        this.writer.write(new TextEncoder().encode(text)).catch(() => {});
    }

    change(name, id, message) {
        this.send(`id: ${id}\nevent: ${name}\ndata: ${JSON.stringify({subscription: 'u', message})}\n\n`);
    }
}

function pageOf(service, time, options = {}) {
    const page = new Messages({server: 'https://t.example', key: 'k', page: null, clock: time, fetch: service.fetch,
        random: randomFrom(seed), ...options});
    return page;
}

test('a publication\'s token is said in rounds, and rotated as the service says', async () => {
    const [service, time] = [new FakeService(), new FakeClock()];
    const said = [];
    const page = pageOf(service, time, {say: async token => {
        said.push([time.now() / 1000, token[7]]);
    }});
    await soon(time, page.publish({content: 'x'}));
    await time.advance(300);
    await page.stop();
    assert.ok(Math.abs(said.length - 300 / 0.805 / 3) < 4, `${said.length} tokens`);
    // A token a minute, and never one whose successor was given.
    assert.deepEqual([...new Set(said.map(([, number]) => number))], [1, 2, 3, 4, 5, 6]);
    for (let index = 1; index < said.length; index += 1) {
        assert.ok(said[index][1] >= said[index - 1][1]);
        assert.ok(said[index][0] - said[index - 1][0] >= 0.55, 'one at a time');
    }
    assert.equal(service.requests.at(-1), 'DELETE /v1/device');
});

test('events: found and lost once, unknown and unreadable ones ignored, the stream resumed', async () => {
    const [service, time] = [new FakeService(), new FakeClock()];
    const events = [];
    const problems = [];
    const page = pageOf(service, time, {onProblem: ({code, isOver}) => problems.push(`${code} ${isOver}`)});
    const failing = {onFound: ({text}) => events.push(`found ${text}`), onLost: ({text}) => events.push(`lost ${text}`)};
    await soon(time, page.subscribe(failing));
    await time.advance(0.1);
    const message = {id: 'm', content: toBase64(new TextEncoder().encode('é')), type: 't', namespace: ''};
    service.send('event: ready\ndata: {"resumed":false}\n\n');
    service.change('found', 1, message);
    service.change('found', 2, message);
    service.change('lost', 3, {id: 'never'});
    service.change('found', 4, {...message, id: 'o', namespace: 'not asked for'});
    service.change('surprise', 5, message);
    await time.advance(0.1);
    assert.deepEqual([events, problems], [['found é'], []]);
    service.send('id: 6\nevent: found\ndata: {"subscription":"u","message":{"id":"q","content":"%"}}\n\n');
    service.send('event: found\ndata: not JSON\n\n\0\n');
    await time.advance(0.1);
    assert.deepEqual(problems, ['service_invalid false']);
    // Silence ends the connection.
    await time.advance(50);
    assert.equal(service.lastEventID, '4');
    service.send('event: ready\ndata: {"resumed":true}\n\n');
    await time.advance(0.1);
    assert.deepEqual(page.problems, []);
    // After an outage, lost may only mean that reports were missing.
    service.change('lost', 7, message);
    await time.advance(1);
    assert.deepEqual(events, ['found é']);
    for (let count = 0; count < 5; count += 1) {
        service.send(': quiet\n\n');
        await time.advance(10);
    }
    assert.deepEqual(events, ['found é', 'lost é']);
    await page.stop();
});

test('own tokens and payloads that are no tokens are not reported', async () => {
    const [service, time] = [new FakeService(), new FakeClock()];
    const page = pageOf(service, time, {say: async () => {}});
    await soon(time, page.publish({content: 'x'}));
    page.heard(Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 1));
    page.heard(Uint8Array.of(1, 2, 3));
    for (const wrong of [undefined, '0000000000000009', [0, 0, 0, 0, 0, 0, 0, 9], {payload: Uint8Array.of(9)}]) {
        assert.throws(() => page.heard(wrong), {code: 'bad_option', message: /^The token must be a Uint8Array/});
    }
    for (const [reception, message] of [
        [{ageSeconds: 'x'}, 'ageSeconds is x, but must be a number.'], [{ageSeconds: NaN}, 'ageSeconds is NaN, but must be a number.'],
        [{age: 1}, 'heard has no option "age".'],
    ]) {
        assert.throws(() => page.heard(new Uint8Array(8), reception), {code: 'bad_option', message});
    }
    await time.advance(2);
    assert.equal(page.nearCount, 0);
    assert.ok(!service.requests.includes('POST /v1/sightings'));
    page.heard(Uint8Array.of(9, 9, 9, 9, 9, 9, 9, 9));
    await time.advance(2);
    assert.ok(service.requests.includes('POST /v1/sightings'));
    await time.advance(60);
    assert.equal(page.nearCount, 0, 'lost when it is silent for four periods');
    await page.stop();
});

test('a service that refuses is asked again after the pause that it names; a session that ended is replaced', async () => {
    const [service, time] = [new FakeService(), new FakeClock()];
    service.refuse = path => (path === '/v1/devices' && time.now() < 20_000
        ? json(429, {problem: {code: 'rate_limited'}}, {'Retry-After': '10'}) : null);
    const page = pageOf(service, time);
    const subscribing = page.subscribe();
    await time.advance(9.9);
    assert.equal(service.requests.length, 1);
    await time.advance(30);
    await subscribing;
    assert.ok(service.requests.length <= 8, service.requests.join(', '));
    service.requests = [];
    service.send('event: end\ndata: {}\n\n');
    await time.advance(5);
    assert.deepEqual([...new Set(service.requests)].sort(), ['GET /v1/events', 'POST /v1/devices', 'POST /v1/subscriptions']);
    await page.stop();
    assert.equal(time.timers.size, 0, 'nothing runs on');
});

test('an operation that begins while the report of an ended one is under way does not stop the page', async () => {
    const [service, time] = [new FakeService(), new FakeClock()];
    const page = pageOf(service, time);
    const first = await soon(time, page.subscribe());
    let answer;
    service.refuse = path => (path === '/v1/sightings' ? new Promise(resolve => answer = resolve) : null);
    page.heard(Uint8Array.of(9, 9, 9, 9, 9, 9, 9, 9));
    await time.advance(0.3);
    const ending = first.unsubscribe();
    const beginning = page.subscribe();
    service.refuse = undefined;
    await soon(time, ending);
    await soon(time, beginning);
    answer(json(200, {heard: [{token: '0909090909090909', status: 'VALID'}], lost: []}));
    await time.advance(1);
    // Nothing was listening in between, so the token is lost.
    assert.equal(service.requests.filter(request => request === 'POST /v1/sightings').length, 2);
    await page.stop();
});

test('a loudspeaker that fails is a problem that ends when it works again', async () => {
    const [service, time] = [new FakeService(), new FakeClock()];
    const problems = [];
    let works = false;
    const page = pageOf(service, time, {
        onProblem: ({code, isOver}) => problems.push(`${code} ${isOver}`),
        say: async () => {
            if (!works) throw new Error('no loudspeaker');
        },
    });
    await soon(time, page.publish({content: 'x'}));
    await time.advance(20);
    assert.deepEqual(problems, ['cannot_play false']);
    works = true;
    await time.advance(10);
    assert.deepEqual(problems, ['cannot_play false', 'cannot_play true']);
    await page.stop();
});

test('a page whose isBusy throws still talks', async context => {
    const lines = context.mock.method(console, 'error', () => {}).mock;
    const [service, time] = [new FakeService(), new FakeClock()];
    let count = 0;
    const page = pageOf(service, time, {
        isBusy: () => { throw new Error('no meter'); },
        say: async () => { count += 1; },
    });
    await soon(time, page.publish({content: 'x'}));
    await time.advance(60);
    await page.stop();
    assert.ok(count > 10, `${count} tokens`);
    assert.ok(lines.callCount() > 0);
});

test('a signal, a time to live and unpublish end an operation once', async () => {
    const [service, time] = [new FakeService(), new FakeClock()];
    const page = pageOf(service, time);
    await soon(time, page.publish({content: 'x'}, {timeToLiveSeconds: 30}));
    const controller = new AbortController();
    await soon(time, page.publish({content: 'y'}, {signal: controller.signal}));
    const third = await soon(time, page.publish({content: 'z'}));
    const withdrawn = () => service.requests.filter(request => request === 'DELETE /v1/publications/p').length;
    await time.advance(29);
    assert.equal(withdrawn(), 0);
    await time.advance(2);
    assert.equal(withdrawn(), 1);
    controller.abort();
    await soon(time, Promise.all([third.unpublish(), third.unpublish()]));
    await time.advance(1);
    assert.equal(withdrawn(), 3);
    await page.stop();
});
