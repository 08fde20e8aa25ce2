/**
 * When to say a token in sound, and how long a silent neighbour still counts as present.
 *
 * docs/DISCOVERY.md has the rules and the figures behind them. This is their simplest form that is correct towards other devices:
 * it keeps their slots, their rounds, their repeating patterns and their share of the air. docs/WEB.md says what it leaves out and
 * what that costs.
 */

/** The number of tones of a profile; docs/PROTOCOL.md, section 1. */
const toneCounts = {fast: 16, standard: 32, far: 64};
const bandwidthHertz = 1500;
const tonesPerToken = 52;

/** Talkers of one slot begin within its spread, and the next slot comes a guard after the latest end. */
const spreadSeconds = 0.2;
const guardSeconds = 0.05;

/** λ, the talkers that share one slot. Native devices move between 1.5 and 4. */
const talkersPerSlot = 2.5;
const minimumRoundSlots = 3;
/** The round of a device that does not listen and so cannot count devices. */
const deafRoundSlots = 6;
const shortestPeriodSlots = 15;
const minimumRoundCount = 3;
const maximumRoundCount = 5;
/** The maximum of the crowd estimate, and of the neighbours that are told apart: a flood of tokens must not fill the memory. */
const maximumCrowdCount = 4096;
/** The number of times that a neighbour should be heard in a period. */
const soughtCount = 3;
const neededMoveProbability = 0.5;
/** A neighbour that was never heard cannot show that a move is needed. */
const unaskedMoveProbability = 0.06;
/** Slots kept of each neighbour. */
const maximumSlotCount = 16;
const countedPeriodCount = 3;
/** A neighbour is lost after so many mean distances between its tokens: at one decoded token of two, chance makes 0.2 % of them. */
const missedTokenCount = 4.5;
const maximumPatiencePeriodCount = 4;
/** Tokens added to both counts of the recapture, so that two or three tokens do not make a crowd. */
const recaptureCaution = 8;
/** After a longer pause of the program the policy restarts. */
const longestGapSeconds = 60;

/** The lengths of rounds, in slots. There are few, so that devices with slightly different counts agree. */
const roundLengths = [3];
for (let octave = 4; octave <= 2048; octave *= 2) roundLengths.push(octave, octave * 5 / 4, octave * 3 / 2);

/**
 * The length of a token on the air.
 *
 * @param {'fast'|'standard'|'far'} profile
 * @returns {number} seconds
 * @throws {RangeError} if there is no such profile
 */
export function tokenSeconds(profile) {
    if (!Object.hasOwn(toneCounts, profile)) {
        throw new RangeError(`There is no profile "${profile}": use "fast", "standard" or "far".`);
    }
    return tonesPerToken * toneCounts[profile] / bandwidthHertz;
}

/**
 * Decides when to talk: a state machine without a clock.
 *
 * - **Slots.** Slot k begins at t₀ + k·S. A token that began outside the spread of a slot moves t₀ by the minimum that puts it inside.
 * - **Rounds.** The device talks once in G slots, G = max(3, n̂/λ), in slots that repeat after R rounds, a period.
 * - **Crowd.** n̂ = max(1 + m, (1 + m₀)·(c + 8)/(r + 8)): neighbours heard, and recapture of known ones among those heard.
 * - **Moves.** If a neighbour is heard too rarely, both probably talk at the same time: with probability ½ one talk moves.
 * - **Answers.** A device that knows no other answers the first that it hears in the next slot.
 * - **Sensing.** If the band is busy when a talk is due, the talk waits for the next slot, once.
 */
export class TalkPolicy {
    #random;
    #scans;
    #originSeconds;
    /** Token digits → {first, slots}. */
    #neighbours = new Map();
    #roundSlots;
    /** The slot of each round in which the device talks. */
    #positions = [];
    #periodBegin = 1;
    #patternBegin = 1;
    #roundBegin = 1;
    #nextSlot = 1;
    #knownCount = 0;
    #heardCount = 0;
    #againCount = 0;
    #isAnswering = false;
    #isHeld = false;
    #hasTalkedThisRound = false;
    #latestStepSeconds;

    /**
     * @param {object} options
     * @param {number} options.nowSeconds the time now, on the clock of all later calls
     * @param {'fast'|'standard'|'far'} [options.profile] the profile of tokens
     * @param {boolean} [options.scans] whether the device hears others
     * @param {() => number} [options.random] uniform in 0 ..< 1
     */
    constructor({nowSeconds, profile = 'fast', scans = true, random = Math.random}) {
        this.tokenSeconds = tokenSeconds(profile);
        /** The length of a slot, seconds. */
        this.slotSeconds = spreadSeconds + this.tokenSeconds + guardSeconds;
        this.#scans = scans;
        this.#random = random;
        this.#begin(nowSeconds);
    }

    /** The neighbours heard recently. */
    get neighbourCount() {
        return this.#neighbours.size;
    }

    /** G: the device talks once in this many slots. */
    get roundSlots() {
        return this.#roundSlots;
    }

    /** P, the slots after which the device's talks repeat. */
    get periodSlots() {
        return this.#positions.length * this.#roundSlots;
    }

    /** n̂, the estimated number of devices, this one included; 1 ... 4096. */
    get crowdCount() {
        const recaptured = (1 + this.#knownCount) * (this.#heardCount + recaptureCaution)
            / (this.#againCount + recaptureCaution);
        return Math.min(maximumCrowdCount, Math.max(1 + this.#neighbours.size, recaptured));
    }

    /**
     * The slot of a moment.
     *
     * @param {number} seconds
     * @returns {{index: number, lateSeconds: number}} the slot's number, and the time since its begin
     */
    slotAt(seconds) {
        const index = Math.floor((seconds - this.#originSeconds) / this.slotSeconds);
        return {index, lateSeconds: seconds - this.#beginSeconds(index)};
    }

    /**
     * Takes a token of another device.
     *
     * @param {string} token its digits
     * @param {number} startSeconds when its first sample was on the air
     * @returns {number} for how many seconds after its begin its sender counts as present
     */
    hear(token, startSeconds) {
        this.#follow(startSeconds);
        const slot = this.slotAt(startSeconds).index;
        const known = this.#neighbours.get(token);
        if (known) {
            const latest = known.slots[known.slots.length - 1];
            if (latest < this.#roundBegin) this.#count(true);
            if (slot > latest) {
                known.slots.push(slot);
                if (known.slots.length > maximumSlotCount) known.slots.shift();
            }
        } else if (this.#neighbours.size < maximumCrowdCount) {
            this.#count(false);
            this.#neighbours.set(token, {first: slot, slots: [slot]});
            if (slot === this.#nextSlot - 1 && this.#neighbours.size === 1) this.#isAnswering = true;
        }
        const heard = this.#neighbours.get(token) ?? {first: slot, slots: [slot]};
        // Talks of neighbouring slots begin up to a spread apart, and are decoded within another slot.
        return (this.#patienceSlots(heard) + 1) * this.slotSeconds;
    }

    /**
     * Decides what to do now.
     *
     * @param {number} nowSeconds not less than in the call before
     * @param {object} [state]
     * @param {boolean} [state.isBusy] whether there is sound of another device in the band
     * @param {boolean} [state.canTalk] whether there is a token to say
     * @returns {{talkAtSeconds: number}|{listenUntilSeconds: number}} when to begin to talk, or when to ask again
     */
    step(nowSeconds, {isBusy = false, canTalk = true} = {}) {
        if (nowSeconds - this.#latestStepSeconds > longestGapSeconds) this.#begin(nowSeconds);
        this.#latestStepSeconds = nowSeconds;
        // A grid that moved may have put the next slot into the past.
        while (nowSeconds >= this.#beginSeconds(this.#nextSlot + 1)) this.#finishSlot();
        if (nowSeconds < this.#beginSeconds(this.#nextSlot)) {
            return {listenUntilSeconds: this.#beginSeconds(this.#nextSlot)};
        }
        const slot = this.#nextSlot;
        this.#finishSlot();
        const listen = {listenUntilSeconds: this.#beginSeconds(this.#nextSlot)};
        const answers = this.#isAnswering;
        this.#isAnswering = false;
        const isDue = this.#isHeld || !this.#hasTalkedThisRound && (answers || this.#talks(slot - this.#periodBegin));
        if (!canTalk || !isDue) return listen;
        if (isBusy && !this.#isHeld && !this.#talks((slot + 1 - this.#periodBegin) % this.periodSlots)) {
            this.#isHeld = true;
            return listen;
        }
        // A delayed talk belongs to the previous round.
        const isRoundBegin = (slot - this.#periodBegin) % this.#roundSlots === 0;
        this.#hasTalkedThisRound = !(this.#isHeld && isRoundBegin);
        this.#isHeld = false;
        const begin = this.#beginSeconds(slot);
        // The program may be late: a talk outside the spread would move the slots of all others.
        if (nowSeconds > begin + spreadSeconds) {
            this.#hasTalkedThisRound = false;
            this.#isHeld = true;
            return listen;
        }
        return {talkAtSeconds: Math.max(nowSeconds, begin + spreadSeconds * this.#random())};
    }

    #begin(nowSeconds) {
        this.#originSeconds = nowSeconds;
        this.#latestStepSeconds = nowSeconds;
        this.#neighbours.clear();
        [this.#heardCount, this.#againCount] = [0, 0];
        [this.#isAnswering, this.#isHeld] = [false, false];
        // A new device listens for one slot, and begins anywhere in a round.
        this.#nextSlot = 1;
        this.#restart(this.#scans ? minimumRoundSlots : deafRoundSlots, 1);
    }

    #beginSeconds(slot) {
        return this.#originSeconds + slot * this.slotSeconds;
    }

    /** Moves the slots for a token that began at a moment. */
    #follow(startSeconds) {
        const {lateSeconds} = this.slotAt(startSeconds);
        if (lateSeconds <= spreadSeconds) return;
        const forward = lateSeconds - spreadSeconds;
        const back = this.slotSeconds - lateSeconds;
        this.#originSeconds += forward < back ? forward : -back;
    }

    #count(isKnown) {
        if (this.#knownCount === 0) return;
        this.#heardCount += 1;
        if (isKnown) this.#againCount += 1;
    }

    #talks(slotOfPeriod) {
        const round = Math.floor(slotOfPeriod / this.#roundSlots);
        return this.#positions[round] === slotOfPeriod % this.#roundSlots;
    }

    #finishSlot() {
        const slot = this.#nextSlot;
        this.#nextSlot += 1;
        this.#forgetSilent(slot);
        if ((slot - this.#periodBegin) % this.#roundSlots === 0) this.#beginRound(slot);
        const isPeriodOver = slot - this.#periodBegin >= this.periodSlots;
        const better = this.#scans ? this.#betterRoundSlots(isPeriodOver) : this.#roundSlots;
        if (better !== this.#roundSlots || isPeriodOver && !this.#scans) this.#restart(better, slot);
        else if (isPeriodOver) this.#mend(slot);
    }

    #forgetSilent(slot) {
        for (const [token, heard] of this.#neighbours) {
            const silentSlots = slot - heard.slots[heard.slots.length - 1];
            if (silentSlots > this.periodSlots && silentSlots > this.#patienceSlots(heard)) this.#neighbours.delete(token);
        }
    }

    #beginRound(slot) {
        this.#hasTalkedThisRound = false;
        this.#roundBegin = slot;
        this.#knownCount = this.#neighbours.size;
        this.#heardCount /= 2;
        this.#againCount /= 2;
    }

    #restart(roundSlots, slot) {
        const roundCount = Math.min(
            maximumRoundCount, Math.max(minimumRoundCount, Math.floor(shortestPeriodSlots / roundSlots)));
        this.#roundSlots = roundSlots;
        this.#positions = Array.from({length: roundCount}, () => this.#below(roundSlots));
        [this.#periodBegin, this.#patternBegin] = [slot, slot];
        this.#beginRound(slot);
    }

    /** The length of rounds for the crowd; the current one unless it is clearly wrong. */
    #betterRoundSlots(mayAdjust) {
        const wanted = Math.max(minimumRoundSlots, this.crowdCount / talkersPerSlot);
        const ratio = wanted / this.#roundSlots;
        if (ratio <= 1.5 && ratio >= 0.5 && !(mayAdjust && Math.abs(ratio - 1) > 0.2)) return this.#roundSlots;
        return roundLengths.reduce(
            (best, length) => (Math.abs(length - wanted) < Math.abs(best - wanted) ? length : best));
    }

    /** Begins another period, with one talk moved if a neighbour was heard too rarely in the last two. */
    #mend(slot) {
        const earliest = Math.max(this.#patternBegin, this.#periodBegin - this.periodSlots);
        const enough = Math.min(soughtCount, this.#positions.length - 1);
        let gains = this.#positions.map(() => 0);
        for (const {first, slots} of this.#neighbours.values()) {
            if (first > this.#periodBegin) continue;
            const places = slots.filter(heard => heard >= earliest && heard < slot)
                .map(heard => (heard - earliest) % this.periodSlots);
            const heard = new Set(places.filter(place => !this.#talks(place)));
            if (heard.size >= enough) continue;
            const rounds = new Set([...heard].map(place => Math.floor(place / this.#roundSlots)));
            gains = gains.map((gain, round) => gain + (rounds.has(round) ? 0 : 1));
        }
        this.#periodBegin = slot;
        const isNeeded = gains.some(gain => gain > 0);
        if (this.#random() >= (isNeeded ? neededMoveProbability : unaskedMoveProbability)) return;
        const most = Math.max(...gains);
        const candidates = gains.flatMap((gain, round) => (gain === most ? [round] : []));
        const round = candidates[this.#below(candidates.length)];
        this.#positions[round] = (this.#positions[round] + 1 + this.#below(this.#roundSlots - 1)) % this.#roundSlots;
    }

    /** The silent slots after which a neighbour is gone. */
    #patienceSlots({first, slots}) {
        const period = this.periodSlots;
        const latest = slots[slots.length - 1];
        const longest = maximumPatiencePeriodCount;
        let periodCount = longest;
        if (latest - first >= period) {
            const known = Math.min(latest - first + 1, countedPeriodCount * period);
            const perPeriod = slots.filter(slot => latest - slot < known).length * period / known;
            periodCount = Math.min(longest, Math.max(1, missedTokenCount / perPeriod));
        }
        return Math.ceil(Math.max(shortestPeriodSlots, period) * periodCount);
    }

    /** A random integer of 0 ..< count. */
    #below(count) {
        return Math.min(count - 1, Math.floor(this.#random() * count));
    }
}
