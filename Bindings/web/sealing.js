/**
 * Sealed messages: what a client of a sealed project computes, as section 12 of docs/PROTOCOL.md says. Pure functions on WebCrypto; they keep
 * nothing. Tokens and identifiers are 16 hexadecimal digits, as in the service's JSON.
 *
 *     token ─▶ identifier, which the service knows
 *           ─▶ wrapping key ─▶ content key ─▶ namespace, type, content
 *
 * What comes from the air or from the service is never trusted: a function that opens something returns null if it cannot be opened.
 */

import {fromBase64, fromHex, invalid, maximumContentBytes, textProblem, toHex} from './service.js';

/** The version of sealing that this page knows. */
export const sealingVersion = 1;
/** The size of a wrapped key: nonce, content key, tag. */
export const wrappedKeyBytes = 60;
/** The size of a content key and of a wrapping key. */
export const keyBytes = 32;
/** The size of a token, and of its identifier. */
export const tokenBytes = 8;
const saltBytes = 16;
const nonceBytes = 12;
const tagBytes = 16;
const [minimumRounds, maximumRounds] = [100, 100_000];

const encode = text => new TextEncoder().encode(text);

/** Whether the browser gives this page WebCrypto: only on secure origins. */
export function canSeal() {
    return globalThis.crypto?.subtle !== undefined;
}

/**
 * Checks a project's terms of sealing, `terms.sealing` of `POST /v1/devices`.
 *
 * @param {any} value
 * @returns {Terms}
 * @throws {MessagesError} `service_invalid` if the version is another one, or a value is out of range
 */
export function readTerms(value) {
    if (value?.version !== sealingVersion) throw invalid(`its terms of sealing are not of version ${sealingVersion}`);
    const salt = fromBase64(value.salt, saltBytes);
    if (salt?.length !== saltBytes) throw invalid(`its salt does not have ${saltBytes} bytes`);
    const {rounds} = value;
    if (!Number.isInteger(rounds) || rounds < minimumRounds || rounds > maximumRounds) {
        throw invalid(`its rounds of sealing are not ${minimumRounds} to ${maximumRounds}`);
    }
    return {salt, rounds};
}

/** Random bytes that cannot be guessed. */
export function randomBytes(count) {
    return crypto.getRandomValues(new Uint8Array(count));
}

/**
 * What follows from a token. It costs `rounds` of HMAC-SHA-256: 0.7 ms for 1,000, 44 ms for 100,000 on one core of an AMD EPYC.
 *
 * @param {string} token
 * @param {Terms} terms
 * @returns {Promise<DerivedToken>}
 */
export async function deriveToken(token, {salt, rounds}) {
    const {subtle} = crypto;
    const base = await subtle.importKey('raw', fromHex(token), 'PBKDF2', false, ['deriveBits']);
    const secret = await subtle.deriveBits({name: 'PBKDF2', hash: 'SHA-256', salt, iterations: rounds}, base, 256);
    const [identifier, wrappingKey] = await Promise.all(
        ['earshot identifier 1', 'earshot wrapping key 1'].map(name => authenticate(secret, encode(name))));
    return {token, identifier: toHex(identifier.subarray(0, tokenBytes)), wrappingKey};
}

/**
 * The tag of a namespace or type, by which the service selects messages without reading them.
 *
 * @param {'namespace'|'type'} kind
 * @param {string} text
 * @param {Terms} terms
 * @returns {Promise<string>} 32 hexadecimal digits; empty for the empty text
 */
export async function tagOf(kind, text, {salt}) {
    return text === '' ? '' : toHex((await authenticate(salt, encode(`${kind}\0${text}`))).subarray(0, tagBytes));
}

/**
 * Seals a message. Each call gives other bytes, because the nonce is random.
 *
 * @param {{namespace: string, type: string, content: Uint8Array}} message within the limits of a message
 * @param {Uint8Array} contentKey
 * @returns {Promise<Uint8Array>}
 */
export async function sealMessage({namespace, type, content}, contentKey) {
    const texts = [namespace, type].map(encode).flatMap(text => [Uint8Array.of(text.length >> 8, text.length & 255), text]);
    return encrypt(contentKey, encode(messageName), join([...texts, content]));
}

/**
 * Opens a sealed message.
 *
 * @param {Uint8Array} sealed
 * @param {Uint8Array} contentKey
 * @returns {Promise<{namespace: string, type: string, content: Uint8Array}|null>} null if the key does not open it, or it holds no message
 */
export async function openMessage(sealed, contentKey) {
    const bytes = await decrypt(contentKey, encode(messageName), sealed);
    if (bytes === null) return null;
    let begin = 0;
    const texts = [];
    try {
        for (let index = 0; index < 2; index += 1) {
            if (bytes.length < begin + 2) return null;
            const end = begin + 2 + (bytes[begin] << 8 | bytes[begin + 1]);
            if (bytes.length < end) return null;
            // Without `ignoreBOM`, a text that begins with U+FEFF would lose it, and no longer belong to its filter.
            texts.push(new TextDecoder('utf-8', {fatal: true, ignoreBOM: true}).decode(bytes.subarray(begin + 2, end)));
            begin = end;
        }
    } catch {
        return null;
    }
    const [namespace, type] = texts;
    const content = bytes.slice(begin);
    return textProblem(type, namespace) || content.length > maximumContentBytes ? null : {namespace, type, content};
}

/**
 * Wraps a content key for those who hear one token.
 *
 * @param {DerivedToken} token
 * @param {Uint8Array} contentKey
 * @returns {Promise<Uint8Array>} `wrappedKeyBytes` of them
 */
export async function wrapKey({identifier, wrappingKey}, contentKey) {
    return encrypt(wrappingKey, wrappingContext(identifier), contentKey);
}

/**
 * Unwraps a content key.
 *
 * @param {DerivedToken} token
 * @param {Uint8Array} wrapped
 * @returns {Promise<Uint8Array|null>} null if it is not wrapped for this token
 */
export async function unwrapKey({identifier, wrappingKey}, wrapped) {
    return wrapped?.length === wrappedKeyBytes ? decrypt(wrappingKey, wrappingContext(identifier), wrapped) : null;
}

const messageName = 'earshot message 1';

function wrappingContext(identifier) {
    return join([encode('earshot key 1'), fromHex(identifier)]);
}

/** HMAC-SHA-256. */
async function authenticate(key, message) {
    const algorithm = {name: 'HMAC', hash: 'SHA-256'};
    const imported = await crypto.subtle.importKey('raw', key, algorithm, false, ['sign']);
    return new Uint8Array(await crypto.subtle.sign(algorithm, imported, message));
}

/** AES-256-GCM: nonce ‖ ciphertext ‖ tag. */
async function encrypt(key, additionalData, message) {
    const iv = randomBytes(nonceBytes);
    const imported = await crypto.subtle.importKey('raw', key, 'AES-GCM', false, ['encrypt']);
    const sealed = await crypto.subtle.encrypt({name: 'AES-GCM', iv, additionalData}, imported, message);
    return join([iv, new Uint8Array(sealed)]);
}

/** The inverse of `encrypt`; null if the bytes are not such a result. */
async function decrypt(key, additionalData, sealed) {
    if (!(sealed?.length >= nonceBytes + tagBytes)) return null;
    try {
        const iv = sealed.subarray(0, nonceBytes);
        const imported = await crypto.subtle.importKey('raw', key, 'AES-GCM', false, ['decrypt']);
        const opened = await crypto.subtle.decrypt({name: 'AES-GCM', iv, additionalData}, imported, sealed.subarray(nonceBytes));
        return new Uint8Array(opened);
    } catch {
        return null;
    }
}

function join(parts) {
    const joined = new Uint8Array(parts.reduce((count, part) => count + part.length, 0));
    let begin = 0;
    for (const part of parts) {
        joined.set(part, begin);
        begin += part.length;
    }
    return joined;
}

/**
 * @typedef {object} Terms
 * @property {Uint8Array} salt 16 bytes
 * @property {number} rounds 100 … 100,000
 *
 * @typedef {object} DerivedToken
 * @property {string} token
 * @property {string} identifier
 * @property {Uint8Array} wrappingKey 32 bytes
 */
