// Finds sound that the browser lost before the audio context saw it: no jump of the context's frames shows such a hole.
//
// The context then stood still, or went on with less sound than the time that passed: its frames fall behind the clock of the machine,
// and never catch up. Measured in Firefox 153 on a busy machine: sound vanished in pieces of 6 ms, 2.9 s of 52 s, and the frames
// were behind by as much (docs/WEB.md).

const windowSeconds = 1;
/** A busy Worker reads late for some time, and catches up. A delay counts only if it lasts for this many windows. */
const windowCount = 3;
/** Sound cards and clocks differ by up to 300 ppm; a faster change has another cause. */
const driftSecondsPerWindow = 0.002;
/** The browser keeps this much sound between the microphone and the context: only what the frames fall further behind is lost. */
const bufferedSeconds = 0.1;
/** The shortest loss that is reported. */
const shortestSeconds = 0.005;
/** The machine slept. */
const pauseSeconds = 10;

export class ClockWatch {
    #sampleRateHertz;
    /** The minimum lateness in the window that runs, and in the last ones: blocks come late for many reasons, but never early. */
    #windowEndSeconds;
    #lowest;
    #minima;
    #lateness;
    #behindSeconds;
    #reportedSeconds;

    /** @param {number} sampleRateHertz */
    constructor(sampleRateHertz) {
        this.#sampleRateHertz = sampleRateHertz;
        this.restart();
    }

    /** Forgets the past: the context was paused, and its frames with it. */
    restart() {
        this.#windowEndSeconds = undefined;
        this.#lowest = Infinity;
        this.#minima = [];
        this.#lateness = undefined;
        this.#behindSeconds = 0;
        this.#reportedSeconds = 0;
    }

    /**
     * Takes the end of a block.
     * @param {number} endFrame The context's frame after the block.
     * @param {number} nowSeconds The clock of the machine, when the block was read.
     * @returns {number} The frames that were lost unseen and not reported before, found up to 4 s later; 0 almost always.
     */
    take(endFrame, nowSeconds) {
        const lateness = nowSeconds - endFrame / this.#sampleRateHertz;
        if (nowSeconds > this.#windowEndSeconds + pauseSeconds) this.restart();
        this.#windowEndSeconds ??= nowSeconds + windowSeconds;
        let lostFrameCount = 0;
        if (nowSeconds >= this.#windowEndSeconds) {
            lostFrameCount = this.#endWindow();
            this.#windowEndSeconds = nowSeconds + windowSeconds;
            this.#lowest = Infinity;
        }
        this.#lowest = Math.min(this.#lowest, lateness);
        return lostFrameCount;
    }

    #endWindow() {
        this.#minima.push(this.#lowest);
        // The first window is during the start of the browser's audio.
        if (this.#minima.length <= windowCount) return 0;
        this.#minima.shift();
        const lateness = Math.min(...this.#minima);
        const step = lateness - (this.#lateness ?? lateness);
        this.#lateness = lateness;
        if (Math.abs(step) <= driftSecondsPerWindow) return 0;
        this.#behindSeconds = Math.max(this.#behindSeconds + step, 0);
        const lostSeconds = Math.max(this.#behindSeconds - bufferedSeconds, 0);
        const newSeconds = lostSeconds - this.#reportedSeconds;
        // A Worker that read late for longer than the windows was no loss: what it catches up is taken back.
        if (newSeconds < 0) this.#reportedSeconds = lostSeconds;
        if (newSeconds < shortestSeconds) return 0;
        this.#reportedSeconds = lostSeconds;
        return Math.round(newSeconds * this.#sampleRateHertz);
    }
}
