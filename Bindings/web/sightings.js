/**
 * Which heard tokens to report to the service, and when. It has no clock and sends nothing: the caller passes the time.
 *
 * A new token waits a moment for others; a lost one does not. A token that stays near is reported again well before the service
 * forgets it. While the service counts a token as heard, it expects a sign of life: an open event stream, or a report now and then, which
 * is empty if nothing else is due. A token that the service does not know is not reported for ten minutes. docs/SERVICE.md, *What a client has to know*.
 */

/** The maximum of tokens in one report. */
const tokensPerReport = 100;
const maximumNearCount = 4096;
const maximumUnknownCount = 10_000;
const delaySeconds = 0.2;
/** The service forgets a token after 90 s. */
const renewalSeconds = 60;
/** Without an open stream, the service takes a device for gone after 15 s without a report, so two reports may fail. */
const signOfLifeSeconds = 5;
const unknownSeconds = 600;

export class SightingReporter {
    /** Token → {dueSeconds, isKnown}; known: the service counts it as heard. */
    #near = new Map();
    /** Tokens that left but that the service still counts as heard. */
    #gone = new Set();
    /** Token → the time until which it is not reported. */
    #unknown = new Map();
    #latestReportSeconds = -Infinity;
    #underway = null;
    /** Whether the event stream of the device is open. */
    hasStream = false;

    /** The number of tokens that are near. */
    get nearCount() {
        return this.#near.size;
    }

    /** The time at which the next report is due; Infinity if nothing is near. */
    get dueSeconds() {
        if (this.#gone.size > 0) return -Infinity;
        let due = Infinity;
        let isExpected = false;
        for (const near of this.#near.values()) {
            due = Math.min(due, near.dueSeconds);
            isExpected ||= near.isKnown;
        }
        return isExpected && !this.hasStream ? Math.min(due, this.#latestReportSeconds + signOfLifeSeconds) : due;
    }

    /** A token came near, or was heard again. */
    hear(token, nowSeconds) {
        if (this.#near.has(token) || this.#near.size >= maximumNearCount) return;
        const isKnown = this.#gone.delete(token);
        const dueSeconds = Math.max(nowSeconds + delaySeconds, this.#unknown.get(token) ?? -Infinity);
        this.#near.set(token, {dueSeconds, isKnown});
    }

    /** A token is no longer near. */
    lose(token) {
        const near = this.#near.get(token);
        if (!near) return;
        this.#near.delete(token);
        if (near.isKnown || this.#underway?.heard.includes(token)) this.#gone.add(token);
    }

    /** The service has lost all reports: the session ended. */
    forget(nowSeconds) {
        this.#gone.clear();
        this.#underway = null;
        this.#latestReportSeconds = -Infinity;
        for (const [token, near] of this.#near) {
            near.dueSeconds = Math.max(nowSeconds, this.#unknown.get(token) ?? -Infinity);
            near.isKnown = false;
        }
    }

    /**
     * The report to send now. `answered` or `failed` must follow before the next one.
     *
     * @param {number} nowSeconds
     * @param {boolean} [isDue] whether one is due for another reason
     * @returns {{heard: string[], lost: string[]}|null} null if none is due
     */
    next(nowSeconds, isDue = false) {
        if (this.#underway || !isDue && this.dueSeconds > nowSeconds) return null;
        // After a longer silence the service may have forgotten all tokens.
        if (!this.hasStream && nowSeconds - this.#latestReportSeconds >= 2 * signOfLifeSeconds) {
            for (const near of this.#near.values()) {
                if (near.isKnown) near.dueSeconds = Math.min(near.dueSeconds, nowSeconds);
            }
        }
        const lost = [...this.#gone].slice(0, tokensPerReport);
        // Tokens that are nearly due join the report.
        const heard = [...this.#near]
            .filter(([, near]) => near.dueSeconds <= nowSeconds + (near.isKnown ? renewalSeconds / 2 : 0))
            .sort(([, a], [, b]) => a.dueSeconds - b.dueSeconds)
            .slice(0, tokensPerReport - lost.length)
            .map(([token]) => token);
        this.#underway = {heard, lost, sentSeconds: nowSeconds};
        return {heard, lost};
    }

    /**
     * The service accepted the report.
     *
     * @param {Map<string, string>} statuses the status of each token: VALID, INVALID or EXPIRED
     * @param {Map<string, number>} ages seconds since each token was heard: the service forgets it so much earlier
     * @param {number} nowSeconds
     */
    answered(statuses, ages, nowSeconds) {
        if (!this.#underway) return;
        const {heard, lost, sentSeconds} = this.#underway;
        this.#underway = null;
        this.#latestReportSeconds = sentSeconds;
        for (const token of lost) if (!this.#near.has(token)) this.#gone.delete(token);
        for (const token of heard) {
            const near = this.#near.get(token);
            const status = statuses.get(token);
            if (status === 'VALID') {
                const pause = Math.max(renewalSeconds - (ages.get(token) ?? 0), renewalSeconds / 4);
                if (near) this.#near.set(token, {dueSeconds: nowSeconds + pause, isKnown: true});
            } else if (status === 'INVALID' || status === 'EXPIRED') {
                this.#gone.delete(token);
                this.#remember(token, nowSeconds + unknownSeconds);
                if (near) this.#near.set(token, {dueSeconds: nowSeconds + unknownSeconds, isKnown: false});
            } else if (near) {
                near.dueSeconds = nowSeconds + renewalSeconds / 2;
            }
        }
    }

    /** The report failed, and all of it is still due. */
    failed() {
        this.#underway = null;
    }

    #remember(token, untilSeconds) {
        // A map keeps the order of insertion, so the first entry is the oldest.
        this.#unknown.delete(token);
        this.#unknown.set(token, untilSeconds);
        if (this.#unknown.size > maximumUnknownCount) this.#unknown.delete(this.#unknown.keys().next().value);
    }
}
