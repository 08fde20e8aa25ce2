// Random numbers, time and answers of a service, as a test says.

export const seed = Number(process.env.EARSHOT_SEED ?? Date.now() % 1_000_000);
console.log(`# EARSHOT_SEED=${seed}`);

/** Mulberry32: random numbers from a seed. */
export function randomFrom(number) {
    let state = number >>> 0;
    return () => {
        state = (state + 0x6d2b79f5) >>> 0;
        let mixed = Math.imul(state ^ (state >>> 15), state | 1);
        mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
        return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
    };
}

/** Computations of WebCrypto that are under way. They take real time, during which no simulated time passes. */
let cryptoCount = 0;
const realCrypto = globalThis.crypto;
const subtle = new Proxy(realCrypto.subtle, {
    get: (target, name) => (...parameters) => {
        cryptoCount += 1;
        return target[name](...parameters).finally(() => cryptoCount -= 1);
    },
});
export const countedCrypto = {subtle, getRandomValues: array => realCrypto.getRandomValues(array)};
/** Replaces the global WebCrypto. */
export function setCrypto(value) {
    Object.defineProperty(globalThis, 'crypto', {value, configurable: true});
}
setCrypto(countedCrypto);

/** Time that passes when a test says so. */
export class FakeClock {
    milliseconds = 0;
    timers = new Map();
    count = 0;
    now = () => this.milliseconds;
    setTimeout = (action, milliseconds) => {
        this.timers.set(++this.count, {action, at: this.milliseconds + milliseconds});
        return this.count;
    };
    clearTimeout = timer => this.timers.delete(timer);

    async advance(seconds) {
        const end = this.milliseconds + seconds * 1000;
        for (;;) {
            // Promises first, also those that follow from others.
            do {
                for (let turn = 0; turn < 3; turn += 1) await new Promise(resolve => setImmediate(resolve));
            } while (cryptoCount > 0);
            const [number, next] = [...this.timers].reduce((a, b) => (b[1].at < a[1].at ? b : a), [0, {at: Infinity}]);
            if (next.at > end) break;
            this.timers.delete(number);
            this.milliseconds = Math.max(this.milliseconds, next.at);
            next.action();
        }
        this.milliseconds = end;
    }
}

/** An answer of a service. */
export const json = (status, body, headers) => new Response(status === 204 ? null : JSON.stringify(body), {status, headers});

/** Lets a moment pass until something is done. */
export async function soon(time, promise) {
    await time.advance(0.01);
    return promise;
}
