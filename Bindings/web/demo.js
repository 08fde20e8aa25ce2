// The demo page: hears, shows who is near, says something, and exchanges messages.

import {Earshot, Messages, Problem} from './earshot.js';
import {Waterfall} from './waterfall.js';

const forgetSeconds = 600;
const maximumNearCount = 50;
const maximumByteCount = 32;
const tokenByteCount = 8;
const settingsKey = 'earshot';
const messageType = 'text';

const find = (selector) => document.querySelector(selector);

/** Makes an element with a class and children; a child is an element or text. */
function element(name, className = '', ...children) {
    const made = document.createElement(name);
    if (className !== '') made.className = className;
    made.append(...children);
    return made;
}

// ---- What is wrong ----

const problems = new Map();
/** How the codes begin that come from the client of the service. */
const messageCodes = 'messages: ';

function showProblem(problem) {
    problems.set(problem.code ?? problem.message, problem);
    drawProblems();
}

function removeProblem(code) {
    if (problems.delete(code)) drawProblems();
}

function removeProblems(isOver) {
    for (const code of [...problems.keys()]) if (isOver(code)) problems.delete(code);
    drawProblems();
}

function drawProblems() {
    const list = find('#problems ul');
    const order = ['error', 'warning', 'note'];
    const sorted = [...problems].sort(([, a], [, b]) => order.indexOf(a.severity ?? 'error') - order.indexOf(b.severity ?? 'error'));
    list.replaceChildren(...sorted.map(([code, problem]) => {
        const item = element('li', problem.severity ?? 'error', element('span', '', problem.message));
        item.dataset.code = code;
        return item;
    }));
    find('#problems').hidden = problems.size === 0;
}

// ---- Hearing ----

const waterfall = new Waterfall(find('#waterfall'));
let listener;
let isStarting = false;
let wakeLock;

async function startListening() {
    if (isStarting) return;
    isStarting = true;
    const button = find('#listen');
    removeProblems((code) => !code.startsWith(messageCodes));
    setListenStatus('Opening the microphone …');
    try {
        await stopListening();
        const deviceId = find('#microphone').value || undefined;
        listener = await Earshot.listen(hear, {
            deviceId, onProblem: showProblem, onSolved: (problem) => removeProblem(problem.code),
        });
        button.setAttribute('aria-pressed', 'true');
        button.querySelector('span').textContent = 'Stop listening';
        find('#waterfall-hint').hidden = true;
        const rate = listener.sampleRateHertz.toLocaleString('en');
        setListenStatus(`Listening at ${rate} Hz${listener.label === '' ? '' : ` · ${listener.label}`}`);
        find('#version').textContent = `Modem ${listener.version}.`;
        waterfall.start(listener);
        if (!find('#publish').hidden) setMessagesStatus('Connected');
        await showMicrophones();
        await keepAwake();
    } catch (error) {
        setListenStatus('Not listening');
        showProblem(error);
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
    for (const problem of stopped.problems) removeProblem(problem.code);
    const button = find('#listen');
    button.setAttribute('aria-pressed', 'false');
    button.querySelector('span').textContent = 'Start listening';
    setListenStatus('Not listening');
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

/** Ten times a second is enough for the eye. */
let shownSecond;
setInterval(() => {
    const level = listener?.level ?? -Infinity;
    const share = Math.min(Math.max((level + 100) / 100, 0), 1);
    find('#level div').style.transform = `scaleX(${share.toFixed(3)})`;
    const second = Math.floor(Date.now() / 1000);
    if (second === shownSecond) return;
    shownSecond = second;
    const text = Number.isFinite(level) ? `${level.toFixed(0)} dBFS` : '–';
    find('#level-text').textContent = text;
    find('#level').setAttribute('aria-valuenow', String(Math.round(100 * share - 100)));
    find('#level').setAttribute('aria-valuetext', Number.isFinite(level) ? text : 'no sound');
    drawAges();
}, 100);

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
    const bar = element('b');
    bar.style.transform = `scaleX(${Math.min(Math.max((token.snrDecibels + 10) / 50, 0.04), 1).toFixed(2)})`;
    const details = element('div', 'details', element('span', 'badge', token.profile));
    if (token.isOwn) details.append(element('span', 'badge is-own', 'this page'));
    details.append(element('span', 'strength', element('i', '', bar), `${token.snrDecibels.toFixed(0)} dB SNR`));
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

function ageText(seconds) {
    if (seconds < 3) return 'just now';
    if (seconds < 60) return `${Math.floor(seconds)} s ago`;
    return `${Math.floor(seconds / 60)} min ago`;
}

// ---- Saying ----

let saying;

function chosen(name) {
    return find(`input[name="${name}"]:checked`).value;
}

/** What stands in the field as bytes; undefined if it is no payload. */
function payloadOf() {
    const value = find('#payload').value;
    if (chosen('kind') === 'text') {
        const bytes = new TextEncoder().encode(value);
        return bytes.length >= 1 && bytes.length <= maximumByteCount ? bytes : undefined;
    }
    const digits = value.replace(/\s/g, '');
    if (!/^([0-9a-f]{2})+$/i.test(digits) || digits.length > 2 * maximumByteCount) return undefined;
    return Uint8Array.from(digits.match(/../g), (pair) => Number.parseInt(pair, 16));
}

async function drawPayload() {
    const payload = payloadOf();
    const isText = chosen('kind') === 'text';
    const size = find('#payload-size');
    if (isText) size.textContent = `${new TextEncoder().encode(find('#payload').value).length} of ${maximumByteCount} bytes`;
    else size.textContent = payload === undefined ? 'Two hexadecimal digits for each byte, 1 to 32 bytes' : `${payload.length} bytes`;
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
        showProblem(error);
    }
}

async function say(event) {
    event.preventDefault();
    const payload = payloadOf();
    if (payload === undefined || saying !== undefined) return;
    saying = new AbortController();
    for (const code of ['speaker-blocked', 'speaker-rate-too-low', 'speaker-failed']) removeProblem(code);
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
        if (!signal.aborted) showProblem(error);
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
    return Array.from(token.subarray(0, tokenByteCount), (byte) => byte.toString(16).padStart(2, '0')).join('');
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

function setMessagesStatus(text) {
    find('#messages-status').textContent = text;
}

function showMessageProblem(problem) {
    const code = `${messageCodes}${problem.code ?? 'error'}`;
    if (problem.isOver) removeProblem(code);
    else showProblem({code, severity: 'error', message: problem.text ?? problem.message ?? String(problem)});
}

async function connect(event) {
    event.preventDefault();
    if (messages !== undefined) {
        await disconnect();
        return;
    }
    const server = find('#server').value.trim().replace(/\/+$/, '');
    const key = find('#key').value.trim();
    remember({server, key});
    removeProblems((code) => code.startsWith(messageCodes));
    setMessagesStatus('Connecting …');
    let made;
    try {
        made = new Messages({server, key, onProblem: showMessageProblem, say: (token, profile) => Earshot.say(token, profile)});
        // It waits while the service is away, until the user has enough.
        messages = made;
        find('#connect-button span').textContent = 'Disconnect';
        await made.subscribe({onFound: addMessage, onLost: loseMessage});
        find('#publish').hidden = false;
        setMessagesStatus(listener === undefined ? 'Connected; start listening to find messages' : 'Connected');
    } catch (error) {
        if (messages === made) {
            await disconnect();
            showMessageProblem(error);
        }
    }
}

async function disconnect() {
    const stopped = messages;
    messages = undefined;
    find('#connect-button span').textContent = 'Connect';
    find('#publish').hidden = true;
    find('#published').replaceChildren();
    find('#found').replaceChildren();
    foundItems.clear();
    setMessagesStatus('Not connected');
    await stopped?.stop();
}

async function publish(event) {
    event.preventDefault();
    const text = find('#message').value.trim();
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

const {server = location.origin, key = ''} = settings();
find('#server').value = server;
find('#key').value = key;

if (!isSecureContext) showProblem(new Problem('insecure-context'));
drawPayload();
