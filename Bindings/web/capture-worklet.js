// Copies the sound on the audio thread into blocks, and passes them on. It computes nothing, because a pause of a few
// milliseconds on this thread would be a hole in the sound.
//
// Each block says at which frame of the audio context it starts, so the receiver finds gaps as jumps of that number: the
// browser called late, the source paused, or the receiver could not follow.

/** The frames of a block, a multiple of the browser's 128: 21 ms at 48 kHz. */
const blockFrameCount = 1024;
/** The blocks that may wait for the receiver, 10 s. Further sound is dropped instead of filling the memory. */
const maximumWaitingCount = 480;

class CaptureProcessor extends AudioWorkletProcessor {
    #channelCount;
    /** The port to the receiver. The last block is returned after it was read, and is reused. */
    #port;
    #free = [];
    #waitingCount = 0;
    #block;
    #blockFrame = 0;
    #filledCount = 0;
    #isStopped = false;

    constructor({processorOptions: {channelCount}}) {
        super();
        this.#channelCount = channelCount;
        this.port.onmessage = ({data}) => {
            if (data.kind === 'connect') this.#connect(data.port);
            if (data.kind === 'stop') this.#stop();
        };
    }

    process([input]) {
        if (this.#isStopped) return false;
        // Without channels nothing is connected: there is no sound, which is different from silence.
        if (this.#port === undefined || input.length === 0) return true;
        const channelCount = this.#channelCount;
        const frameCount = input[0].length;
        if (this.#filledCount > 0 && this.#blockFrame + this.#filledCount !== currentFrame) this.#send();
        if (this.#filledCount === 0) {
            if (this.#waitingCount >= maximumWaitingCount) return true;
            this.#block = this.#free.pop() ?? new Float32Array(blockFrameCount * channelCount);
            this.#blockFrame = currentFrame;
        }
        for (let channel = 0; channel < channelCount; channel += 1) {
            const samples = input[Math.min(channel, input.length - 1)];
            let place = this.#filledCount * channelCount + channel;
            for (let frame = 0; frame < frameCount; frame += 1, place += channelCount) this.#block[place] = samples[frame];
        }
        this.#filledCount += frameCount;
        if (this.#filledCount + frameCount > blockFrameCount) this.#send();
        return true;
    }

    #connect(port) {
        this.#port = port;
        port.onmessage = ({data}) => {
            this.#waitingCount -= 1;
            if (this.#free.length < 8) this.#free.push(data);
        };
    }

    #send() {
        const samples = this.#block;
        this.#port.postMessage({frame: this.#blockFrame, frameCount: this.#filledCount, samples}, [samples.buffer]);
        this.#waitingCount += 1;
        this.#filledCount = 0;
        this.#block = undefined;
    }

    /** Sends the remaining sound, and reports on the port that it was the last. */
    #stop() {
        if (this.#filledCount > 0) this.#send();
        this.#port?.postMessage({isLast: true});
        this.#isStopped = true;
    }
}

registerProcessor('earshot-capture', CaptureProcessor);
