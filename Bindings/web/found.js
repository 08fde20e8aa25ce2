/**
 * The messages that a subscription has found. It reports each one found once and lost once, through failures of the network.
 *
 * Messages are in doubt if the service has forgotten them, or was away for so long that it took all devices for gone. A message in
 * doubt is lost only if it does not come again in time. A service that lost its memory gives a message a new id: a new message with
 * the content, type and namespace of one in doubt is the same message.
 */

/** Beyond this count, or these bytes of content, no more messages are found. */
const maximumCount = 1024;
const maximumBytes = 64 << 20;

export class FoundBook {
    /** The service's current id → {message, doubtUntilSeconds}. The message keeps the id with which it was found. */
    #records = new Map();
    #byteCount = 0;
    #settlesAtSeconds = -Infinity;

    /** A message is near. @returns the message if it is new; null otherwise */
    find(message) {
        const known = this.#records.get(message.id);
        if (known) {
            known.doubtUntilSeconds = Infinity;
            return null;
        }
        for (const [id, record] of this.#records) {
            if (record.doubtUntilSeconds === Infinity || !isSame(record.message, message)) continue;
            this.#records.delete(id);
            this.#records.set(message.id, {message: record.message, doubtUntilSeconds: Infinity});
            return null;
        }
        const count = message.content.length;
        if (this.#records.size >= maximumCount || this.#byteCount + count > maximumBytes) return null;
        this.#byteCount += count;
        this.#records.set(message.id, {message, doubtUntilSeconds: Infinity});
        return message;
    }

    /** A message is no longer near. @returns the message if it is lost; null if it is unknown, or only in doubt from now on */
    lose(id, nowSeconds) {
        const record = this.#records.get(id);
        if (!record) return null;
        if (nowSeconds < this.#settlesAtSeconds) {
            record.doubtUntilSeconds = Math.min(record.doubtUntilSeconds, this.#settlesAtSeconds);
            return null;
        }
        return this.#remove(id);
    }

    /** Until the given time, a lost event may only mean that reports were missing, so it puts the message in doubt. */
    settle(untilSeconds) {
        this.#settlesAtSeconds = Math.max(this.#settlesAtSeconds, untilSeconds);
    }

    /** The session was lost, or the event stream did not resume: all its messages are in doubt. */
    doubt(untilSeconds) {
        for (const record of this.#records.values()) {
            record.doubtUntilSeconds = Math.min(record.doubtUntilSeconds, untilSeconds);
        }
    }

    /** The time at which the next doubt ends; Infinity if there is none. */
    get doubtEndsAtSeconds() {
        return Math.min(Infinity, ...[...this.#records.values()].map(record => record.doubtUntilSeconds));
    }

    /** Loses the messages whose doubt has ended. */
    expire(nowSeconds) {
        const gone = [...this.#records].filter(([, record]) => record.doubtUntilSeconds <= nowSeconds);
        return gone.map(([id]) => this.#remove(id));
    }

    #remove(id) {
        const {message} = this.#records.get(id);
        this.#records.delete(id);
        this.#byteCount -= message.content.length;
        return message;
    }
}

function isSame(a, b) {
    return a.type === b.type && a.namespace === b.namespace && a.content.length === b.content.length
        && a.content.every((byte, index) => byte === b.content[index]);
}
