// The demo page: hears tokens, shows the devices nearby, sends tokens, and exchanges messages.

import {ageText, clarityOf, levelOf, readKey, readPayload, readServer} from './demo-texts.js';
import {Earshot, Messages, Problem} from './earshot.js';
import {Waterfall} from './waterfall.js';

const forgetSeconds = 600;
const maximumNearCount = 50;
/** How long a user waits for a service before the page gives up. */
const connectSeconds = 20;
/** Ten times a second is enough for the eye, and a bar that falls by 20 dB/s can be followed. */
const meterSeconds = 0.1;
const fallDecibelsPerSecond = 20;
const settingsKey = 'earshot';
const messageType = 'text';

const find = (selector) => document.querySelector(selector);

/** Creates an element with a class and children; a child is an element or text. */
function element(name, className = '', ...children) {
    const made = document.createElement(name);
    if (className !== '') made.className = className;
    made.append(...children);
    return made;
}

// ---- What is wrong ----

/** By place in the page at which the user can solve the problem: 'hear', 'say' or 'messages'. Each has its problems by code. */
const problems = {hear: new Map(), say: new Map(), messages: new Map()};

function showProblem(place, problem) {
    problems[place].set(problem.code ?? problem.message, problem);
    drawProblems(place);
}

function removeProblem(place, code) {
    if (problems[place].delete(code)) drawProblems(place);
}

function removeProblems(place) {
    problems[place].clear();
    drawProblems(place);
}

function drawProblems(place) {
    const section = find(`#${place}-problems`);
    const order = ['error', 'warning', 'note'];
    const severityOf = (problem) => problem.severity ?? 'error';
    const sorted = [...problems[place]].sort(([, a], [, b]) => order.indexOf(severityOf(a)) - order.indexOf(severityOf(b)));
    section.querySelector('ul').replaceChildren(...sorted.map(([code, problem]) => {
        const item = element('li', severityOf(problem), element('span', '', problem.text ?? problem.message));
        item.dataset.code = code;
        return item;
    }));
    section.hidden = sorted.length === 0;
}

/** Says below a field what is wrong with it; nothing without a text. */
function markField(name, text = '') {
    find(`#${name}`).setAttribute('aria-invalid', String(text !== ''));
    find(`#${name}-problem`).textContent = text;
    find(`#${name}-problem`).hidden = text === '';
}

for (const name of ['server', 'key', 'message']) find(`#${name}`).addEventListener('input', () => markField(name));

// ---- Hearing ----

const waterfall = new Waterfall(find('#waterfall'));
let listener;
let isStarting = false;
let wakeLock;

async function startListening() {
    if (isStarting) return;
    isStarting = true;
    const button = find('#listen');
    removeProblems('hear');
    setListenStatus('Opening the microphone …');
    try {
        await stopListening();
        const deviceId = find('#microphone').value || undefined;
        listener = await Earshot.listen(hear, {
            deviceId,
            onProblem: (problem) => showProblem('hear', problem),
            onSolved: (problem) => removeProblem('hear', problem.code),
        });
        button.setAttribute('aria-pressed', 'true');
        button.querySelector('span').textContent = 'Stop listening';
        find('#waterfall-hint').hidden = true;
        const rate = listener.sampleRateHertz.toLocaleString('en');
        setListenStatus(`Listening at ${rate} Hz${listener.label === '' ? '' : ` · ${listener.label}`}`);
        find('#version').textContent = `Modem ${listener.version}.`;
        waterfall.start(listener);
        drawMessagesStatus();
        await showMicrophones();
        await keepAwake();
    } catch (error) {
        setListenStatus('Not listening');
        showProblem('hear', error);
    } finally {
        isStarting = false;
    }
}

async function stopListening() {
    const stopped = listener;
    listener = undefined;
    if (stopped === undefined) return;
    waterfall.stop();
    await stopped.stop();
    await wakeLock?.release();
    wakeLock = undefined;
    for (const problem of stopped.problems) removeProblem('hear', problem.code);
    const button = find('#listen');
    button.setAttribute('aria-pressed', 'false');
    button.querySelector('span').textContent = 'Start listening';
    setListenStatus('Not listening');
    drawMessagesStatus();
}

function setListenStatus(text) {
    find('#listen-status').textContent = text;
}

/** The names of microphones are known after the permission. */
async function showMicrophones() {
    const devices = (await navigator.mediaDevices.enumerateDevices()).filter(({kind}) => kind === 'audioinput');
    const chosen = find('#microphone').value || listener?.settings?.deviceId;
    find('#microphone').replaceChildren(...devices.map(({deviceId, label}, number) =>
        new Option(label || `Microphone ${number + 1}`, deviceId, false, deviceId === chosen)));
    find('#microphone-field').hidden = devices.length < 2;
}

/** A phone whose screen goes off stops the page. */
async function keepAwake() {
    if (listener === undefined || document.visibilityState !== 'visible') return;
    wakeLock = await navigator.wakeLock?.request('screen').catch(() => undefined);
}

find('#listen').addEventListener('click', () => {
    if (listener === undefined) startListening();
    else stopListening();
});
find('#microphone').addEventListener('change', () => startListening());
document.addEventListener('visibilitychange', keepAwake);

let meterDecibels = -Infinity;
let shownSecond;
setInterval(() => {
    meterDecibels = Math.max(listener?.level ?? -Infinity, meterDecibels - meterSeconds * fallDecibelsPerSecond);
    if (listener === undefined) meterDecibels = -Infinity;
    const {text, decibels, share} = levelOf(meterDecibels);
    find('#level div').style.transform = `scaleX(${share})`;
    find('#level-text').textContent = listener === undefined ? '–' : text;
    find('#level').setAttribute('aria-valuenow', String(decibels));
    find('#level').setAttribute('aria-valuetext', listener === undefined ? 'not listening' : text);
    const second = Math.floor(Date.now() / 1000);
    if (second === shownSecond) return;
    shownSecond = second;
    drawAges();
}, 1000 * meterSeconds);

// ---- Who is near ----

/** By payload: what was heard, and its item in the list. */
const near = new Map();

/** The payload as text, if it is some. A token is random bytes. */
function textOf(payload) {
    try {
        const text = new TextDecoder('utf-8', {fatal: true}).decode(payload);
        return /^[^\p{C}]+$/u.test(text) ? text : undefined;
    } catch {
        return undefined;
    }
}

function nameOf(token) {
    return textOf(token.payload) ?? token.hex.match(/.{1,4}/g).join(' ');
}

async function hear(token) {
    if (!token.isOwn) messages?.heard(token.payload);
    const entry = near.get(token.hex) ?? {count: 0, item: element('li')};
    entry.count += 1;
    entry.token = token;
    entry.heardMilliseconds = performance.now();
    near.delete(token.hex);
    near.set(token.hex, entry);
    drawEntry(entry);
    find('#near').prepend(entry.item);
    if (near.size > maximumNearCount) forget(near.keys().next().value);
    drawAges();
    if (entry.count === 1 && !token.isOwn) find('#near-status').textContent = `Heard ${nameOf(token)}`;
    const tones = (await Earshot.modem()).tones(token.payload, {profile: token.profile});
    waterfall.add(token, tones, nameOf(token));
}

function drawEntry({item, token, count}) {
    const text = textOf(token.payload);
    const name = element('span', text === undefined ? 'name is-token' : 'name', nameOf(token));
    const clarity = clarityOf(token.snrDecibels, token.profile);
    const bar = element('b');
    bar.style.transform = `scaleX(${Math.max(clarity.share, 0.04).toFixed(2)})`;
    const details = element('div', 'details', element('span', 'badge', token.profile));
    if (token.isOwn) details.append(element('span', 'badge is-own', 'this page'));
    details.append(element('span', 'strength', element('i', '', bar), clarity.text));
    if (Math.abs(token.offsetHertz) >= 1) details.append(element('span', '', `${token.offsetHertz.toFixed(0)} Hz off`));
    if (count > 1) details.append(element('span', '', `${count} times`));
    item.replaceChildren(name, element('span', 'age'), details);
    item.dataset.hex = token.hex;
    item.dataset.profile = token.profile;
    item.dataset.count = count;
    item.classList.remove('is-new');
    // Asking for the width lets the animation begin again.
    item.getBoundingClientRect();
    item.classList.add('is-new');
}

function forget(hex) {
    near.get(hex).item.remove();
    near.delete(hex);
}

function drawAges() {
    for (const [hex, {item, heardMilliseconds}] of near) {
        const seconds = (performance.now() - heardMilliseconds) / 1000;
        if (seconds > forgetSeconds) forget(hex);
        else item.querySelector('.age').textContent = ageText(seconds);
    }
    find('#near-empty').hidden = near.size > 0;
    find('#near-count').textContent = near.size === 0 ? '' : `${near.size} heard`;
}

// ---- Saying ----

let saying;

function chosen(name) {
    return find(`input[name="${name}"]:checked`).value;
}

function typedPayload() {
    return readPayload(chosen('kind'), find('#payload').value);
}

async function drawPayload() {
    const {payload, text} = typedPayload();
    const size = find('#payload-size');
    size.textContent = text;
    size.classList.toggle('is-wrong', payload === undefined);
    find('#payload').setAttribute('aria-invalid', String(payload === undefined));
    find('#say-button').disabled = payload === undefined || saying !== undefined;
    const button = find('#say-button span');
    if (payload === undefined) {
        button.textContent = 'Say it';
        return;
    }
    try {
        const {hertz, symbolSeconds} = (await Earshot.modem()).tones(payload, {profile: chosen('profile')});
        button.textContent = `Say it · ${(hertz.length * symbolSeconds).toFixed(1)} s`;
    } catch (error) {
        showProblem('say', error);
    }
}

async function say(event) {
    event.preventDefault();
    const {payload} = typedPayload();
    if (payload === undefined || saying !== undefined) return;
    saying = new AbortController();
    removeProblems('say');
    const progress = find('#say-progress div');
    find('#say-button').disabled = true;
    find('#say-cancel').hidden = false;
    const {signal} = saying;
    try {
        await Earshot.say(payload, chosen('profile'), {
            signal,
            onStart: ({seconds}) => {
                find('#say-status').textContent = 'Saying it …';
                progress.animate([{transform: 'scaleX(0)'}, {transform: 'scaleX(1)'}], {duration: 1000 * seconds});
            },
        });
        find('#say-status').textContent = 'Said';
    } catch (error) {
        find('#say-status').textContent = signal.aborted ? 'Stopped' : 'Not said';
        if (!signal.aborted) showProblem('say', error);
    } finally {
        for (const animation of progress.getAnimations()) animation.cancel();
        saying = undefined;
        find('#say-cancel').hidden = true;
        drawPayload();
    }
}

function changeKind() {
    const isText = chosen('kind') === 'text';
    find('#random').hidden = isText;
    find('#payload-label').textContent = isText ? 'Up to 32 bytes of text' : 'Hexadecimal digits; a token has 8 bytes';
    find('#payload').value = isText ? 'Hello, room' : randomHex();
    drawPayload();
}

function randomHex() {
    const token = Earshot.randomToken();
    return Array.from(token, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

find('#say').addEventListener('submit', say);
find('#say-cancel').addEventListener('click', () => saying?.abort());
find('#payload').addEventListener('input', drawPayload);
find('#random').addEventListener('click', () => {
    find('#payload').value = randomHex();
    drawPayload();
});
for (const input of document.querySelectorAll('input[name="kind"]')) input.addEventListener('change', changeKind);
for (const input of document.querySelectorAll('input[name="profile"]')) input.addEventListener('change', drawPayload);

// ---- Messages ----

let messages;
/** Whether the service has accepted the page. */
let isConnected = false;
/** Ends the attempt to connect. */
let giveUp;

function settings() {
    try {
        return JSON.parse(localStorage.getItem(settingsKey)) ?? {};
    } catch {
        return {};
    }
}

function remember(values) {
    try {
        localStorage.setItem(settingsKey, JSON.stringify(values));
    } catch {
        // A private window keeps nothing, and the page works without.
    }
}

function drawMessagesStatus() {
    let text = 'Not connected';
    if (messages !== undefined && !isConnected) text = 'Connecting …';
    if (isConnected) {
        text = listener === undefined ? 'Connected; start listening to find messages' : 'Connected';
        if ([...problems.messages.keys()].some((code) => code.startsWith('service_'))) text = 'Connected before; trying again …';
    }
    find('#messages-status').textContent = text;
}

function showMessageProblem(problem) {
    if (problem.isOver) removeProblem('messages', problem.code);
    // Another server will not become a token service while the user waits.
    else if (problem.code === 'service_invalid' && giveUp !== undefined) giveUp(problem);
    else showProblem('messages', problem);
    drawMessagesStatus();
}

async function connect(event) {
    event.preventDefault();
    if (messages !== undefined) {
        await disconnect();
        return;
    }
    removeProblems('messages');
    const {server, text: serverProblem} = readServer(find('#server').value, location);
    const {key, text: keyProblem} = readKey(find('#key').value);
    markField('server', serverProblem);
    markField('key', keyProblem);
    if (server === undefined || key === undefined) {
        find(server === undefined ? '#server' : '#key').focus();
        return;
    }
    let made;
    try {
        made = new Messages({server, key, onProblem: showMessageProblem, say: (token, profile) => Earshot.say(token, profile)});
    } catch (error) {
        showProblem('messages', error);
        return;
    }
    messages = made;
    find('#connect-button span').textContent = 'Disconnect';
    drawMessagesStatus();
    const attempt = new AbortController();
    giveUp = (reason) => attempt.abort(reason);
    const timer = setTimeout(() => giveUp?.(problems.messages.has('service_refusing')
        ? {code: 'service_refusing', text: 'The service is busy. Connect again in a while.'}
        : {code: 'service_unreachable', text:
            `No token service has answered for ${connectSeconds} s. Check its address and your network, then connect again.`}),
    1000 * connectSeconds);
    try {
        const subscribing = made.subscribe({onFound: addMessage, onLost: loseMessage});
        await Promise.race([subscribing, new Promise((_, reject) => {
            attempt.signal.addEventListener('abort', () => reject(attempt.signal.reason));
        })]);
        if (messages !== made) return;
        isConnected = true;
        remember({server, key});
        find('#publish').hidden = false;
        drawMessagesStatus();
    } catch (error) {
        if (messages !== made) return;
        disconnect();
        showProblem('messages', error);
    } finally {
        clearTimeout(timer);
        if (messages === made || messages === undefined) giveUp = undefined;
    }
}

async function disconnect() {
    const stopped = messages;
    messages = undefined;
    isConnected = false;
    giveUp = undefined;
    find('#connect-button span').textContent = 'Connect';
    find('#publish').hidden = true;
    find('#published').replaceChildren();
    find('#found').replaceChildren();
    foundItems.clear();
    if (stopped !== undefined) stopped.onProblem = () => {};
    removeProblems('messages');
    drawMessagesStatus();
    await stopped?.stop();
}

document.addEventListener('securitypolicyviolation', ({effectiveDirective}) => {
    if (effectiveDirective !== 'connect-src') return;
    giveUp?.({code: 'service_invalid', text:
        'This page may not talk to that service: the security policy of its own server forbids it. Use the page that the service serves.'});
});

async function publish(event) {
    event.preventDefault();
    const text = find('#message').value.trim();
    markField('message', text === '' ? 'Write a message.' : '');
    if (text === '' || messages === undefined) return;
    find('#publish-button').disabled = true;
    try {
        const publication = await messages.publish({content: text, type: messageType, namespace: ''});
        const remove = element('button', '', 'Take back');
        remove.type = 'button';
        const item = element('li', '', element('span', '', text), remove);
        remove.addEventListener('click', async () => {
            remove.disabled = true;
            await publication.unpublish().then(() => item.remove(), showMessageProblem);
        });
        find('#published').append(item);
        find('#message').value = '';
    } catch (error) {
        showMessageProblem(error);
    } finally {
        find('#publish-button').disabled = false;
    }
}

/** The items of the messages that are near. */
const foundItems = new Map();

function addMessage(message) {
    const text = textOf(message.content) ?? `${message.content.length} bytes`;
    const label = [message.type, message.namespace].filter(Boolean).join(' · ');
    const item = element('li', '', element('p', '', text), element('span', 'small', label));
    foundItems.set(message.id, item);
    find('#found').prepend(item);
}

function loseMessage(message) {
    const item = foundItems.get(message.id);
    foundItems.delete(message.id);
    item?.classList.add('is-lost');
    setTimeout(() => item?.remove(), 5000);
}

find('#connect').addEventListener('submit', connect);
find('#publish').addEventListener('submit', publish);
find('#forget').addEventListener('click', async () => {
    await disconnect();
    try {
        localStorage.removeItem(settingsKey);
    } catch {
        // There was nothing to forget.
    }
    find('#server').value = '';
    find('#key').value = '';
});

/** Whether the server of this page is a token service too, as that of `earshotd serve --web`. */
async function isServedByService() {
    try {
        const response = await fetch('/v1/openapi.json', {signal: AbortSignal.timeout(5000)});
        // Reads every answer, because an unread answer keeps its connection.
        const text = await response.text();
        return response.ok && JSON.parse(text).info.title === 'Earshot token service';
    } catch {
        return false;
    }
}

const remembered = settings();
find('#server').value = remembered.server ?? '';
find('#key').value = remembered.key ?? '';
if (remembered.server === undefined) {
    isServedByService().then((isService) => {
        if (isService && find('#server').value === '') find('#server').value = location.origin;
    });
}

if (!isSecureContext) showProblem('hear', new Problem('insecure-context'));
drawPayload();

// Stores the page for use without a network, see service-worker.js.
navigator.serviceWorker?.register('service-worker.js').catch(() => {});
