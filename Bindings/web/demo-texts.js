// The demo page's texts for values: pure functions, which node tests without a browser.

const maximumByteCount = 32;
/** The SNR at which 90 % of the tokens decode in white noise (docs/BENCHMARKS.md), rounded up, in decibels. */
const limitDecibels = {fast: -6, standard: -9, far: -12};
/** Echoes of a room cost up to 7 dB: below this distance from the limit, tokens may be missed. */
const faintDecibels = 7;
/** At this distance even a step aside or a hand in front of the microphone makes no difference. */
const veryClearDecibels = 25;

/**
 * How well a token was heard, for a reader and for a bar.
 * @param {number} snrDecibels
 * @param {'fast'|'standard'|'far'} profile
 * @returns {{text: string, share: number}} Such as "clear (12 dB)", and 0 at the profile's limit to 1 at 50 dB above it.
 */
export function clarityOf(snrDecibels, profile) {
    const marginDecibels = snrDecibels - limitDecibels[profile];
    let word = 'clear';
    if (marginDecibels < faintDecibels) word = 'faint';
    if (marginDecibels >= veryClearDecibels) word = 'very clear';
    return {text: `${word} (${withMinus(snrDecibels)} dB)`, share: Math.min(Math.max(marginDecibels / 50, 0), 1)};
}

/**
 * The level as the meter shows it: the number and the bar are the same value.
 * @param {number} decibels −Infinity in silence.
 * @returns {{text: string, decibels: number, share: number}} Whole decibels from −100 to 0, and 0 to 1 of the bar.
 */
export function levelOf(decibels) {
    // + 0 makes −0 a 0.
    const shown = Math.round(Math.min(Math.max(decibels, -100), 0)) + 0;
    const text = shown > -100 ? `${withMinus(shown)} dBFS` : 'no sound';
    return {text, decibels: shown, share: (shown + 100) / 100};
}

/**
 * What the user typed, as bytes to say.
 * @param {'text'|'token'} kind
 * @param {string} value
 * @returns {{payload?: Uint8Array, text: string}} Without a payload, the text says what is wrong.
 */
export function readPayload(kind, value) {
    const payload = kind === 'text' ? new TextEncoder().encode(value) : undefined;
    if (payload !== undefined) {
        if (payload.length === 0) return {text: 'Write something to say.'};
        const size = `${payload.length} of ${maximumByteCount} bytes`;
        if (payload.length <= maximumByteCount) return {payload, text: size};
        const excess = payload.length - maximumByteCount;
        return {text: `Too long by ${excess} ${excess === 1 ? 'byte' : 'bytes'}: ${size}. Letters with accents and emoji take several.`};
    }
    const digits = value.replace(/\s/g, '');
    if (digits === '') return {text: 'Write two hexadecimal digits for each byte.'};
    const wrong = digits.match(/[^0-9a-f]/iu)?.[0];
    if (wrong !== undefined) return {text: `“${wrong}” is no hexadecimal digit: use 0 to 9 and a to f.`};
    if (digits.length % 2 === 1) return {text: `A digit is missing: ${digits.length} digits, but each byte has two.`};
    const byteCount = digits.length / 2;
    if (byteCount > maximumByteCount) return {text: `Too long: ${byteCount} bytes, but at most ${maximumByteCount} can be said.`};
    return {
        payload: Uint8Array.from(digits.match(/../g), (pair) => Number.parseInt(pair, 16)),
        text: byteCount === 1 ? '1 byte' : `${byteCount} bytes`,
    };
}

/**
 * The address of a service as the user typed it.
 * @param {string} value
 * @param {{origin: string}} page The page's own origin: the only one that its security policy allows without https.
 * @returns {{server?: string, text?: string}} Without a server, the text says what is wrong.
 */
export function readServer(value, {origin}) {
    const address = value.trim();
    if (address === '') return {text: 'Write the address of a token service.'};
    let url;
    try {
        url = new URL(address);
    } catch {
        return {text: `“${address}” is no address: it begins with https://, such as https://earshot.example.org.`};
    }
    if (url.protocol !== 'https:' && url.origin !== origin) {
        return {text: 'The address must begin with https://. Without it, this page may only talk to its own server.'};
    }
    if (url.username !== '' || url.password !== '') return {text: 'The address must have no user name and no password.'};
    return {server: address.replace(/\/+$/, '')};
}

/**
 * A browser key as the user typed it.
 * @param {string} value
 * @returns {{key?: string, text?: string}} Without a key, the text says what is wrong.
 */
export function readKey(value) {
    const key = value.trim();
    if (key === '') return {text: 'Write a browser key. The operator of the service creates them.'};
    if (!/^[\x21-\x7e]{1,512}$/.test(key)) return {text: 'A key has no spaces and no special letters. Copy it once more.'};
    return {key};
}

/** Such as "5 s ago". */
export function ageText(seconds) {
    if (seconds < 3) return 'just now';
    if (seconds < 60) return `${Math.floor(seconds)} s ago`;
    return `${Math.floor(seconds / 60)} min ago`;
}

/** A rounded number with a true minus sign. */
function withMinus(number) {
    return number.toFixed(0).replace(/^-0$/, '0').replace('-', '−');
}
