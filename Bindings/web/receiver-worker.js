// The receiver on its own thread: takes blocks of sound from the audio thread, and reports the received frames to the
// page.
//
// In:  {kind: 'start', module, port, options, maximumRestarts, watchesClock}, once. Then blocks on `port`, see capture-worklet.js.
//      {kind: 'restart-clock'}            the context was paused, or goes on
// Out: {kind: 'ready', version}           the modem runs
//      {kind: 'frame', frame}             a frame; its samples count from the context's frame 0
//      {kind: 'gap', frame, frameCount}   sound that was lost; if only the clock shows it, the frame is that of the report
//      {kind: 'silence', isSilent}        nothing but zeros for a while, or sound again
//      {kind: 'restarted', restartCount, text}   the modem had a fault, and a new one goes on
//      {kind: 'failed', text}             no modem runs any more
//      {kind: 'ended'}                    the last block was read, and all frames in it were told

import {ClockWatch} from './clock-watch.js';
import {Modem} from './modem.js';

/** A microphone has noise. Zeros only mean that the system withholds the sound. */
const silenceSeconds = 3;

let module, options, maximumRestarts;
let receiver;
/** The context's frame at which the receiver's input began. */
let firstFrame;
let nextFrame;
let restartCount = 0;
/** The places of faults in the last minute of sound, as frames. */
let faults = [];
let hasFailed = false;
let silentFrameCount = 0;
/** Nothing for a context that renders as fast as it can. */
let clockWatch;
let isSilent = false;

self.onmessage = ({data}) => {
    if (data.kind === 'restart-clock') clockWatch?.restart();
    if (data.kind !== 'start') return;
    ({module, options, maximumRestarts} = data);
    if (data.watchesClock) clockWatch = new ClockWatch(options.sampleRateHertz);
    let version;
    try {
        version = startReceiver();
    } catch (error) {
        fail(error);
        return;
    }
    const {port} = data;
    port.onmessage = ({data: block}) => {
        if (block.isLast) {
            if (!hasFailed) attempt(() => receiver.flush());
            self.postMessage({kind: 'ended'});
            return;
        }
        if (!hasFailed) read(block);
        port.postMessage(block.samples, [block.samples.buffer]);
    };
    self.postMessage({kind: 'ready', version});
};

function startReceiver() {
    const modem = new Modem(module);
    receiver = modem.receiver(options);
    firstFrame = undefined;
    return modem.version;
}

function read({frame, frameCount, samples}) {
    const lostCount = nextFrame === undefined ? 0 : frame - nextFrame;
    nextFrame = frame + frameCount;
    if (lostCount > 0) {
        self.postMessage({kind: 'gap', frame: frame - lostCount, frameCount: lostCount});
        // A receiver without input so far begins after the gap.
        if (firstFrame !== undefined && !attempt(() => receiver.skip(lostCount))) return;
    }
    // The modem has continued meanwhile, and each token has its own start, so there is nothing to skip.
    const unseenCount = clockWatch?.take(nextFrame, performance.now() / 1000) ?? 0;
    if (unseenCount > 0) self.postMessage({kind: 'gap', frame: nextFrame, frameCount: unseenCount});
    firstFrame ??= frame;
    const block = samples.subarray(0, frameCount * (options.channelCount ?? 1));
    watchSilence(block, frameCount);
    attempt(() => receiver.push(block));
}

/** Runs a call of the receiver and tells the frames. After a fault of the modem a new one continues with the next block. */
function attempt(call) {
    let frames;
    try {
        frames = call();
    } catch (error) {
        recover(error);
        return false;
    }
    for (const frame of frames) {
        frame.startSample += firstFrame;
        frame.endSample += firstFrame;
        self.postMessage({kind: 'frame', frame});
    }
    return true;
}

function recover(error) {
    const minute = 60 * options.sampleRateHertz;
    faults = faults.filter((frame) => nextFrame - frame < minute);
    faults.push(nextFrame);
    if (faults.length > maximumRestarts) {
        fail(error);
        return;
    }
    try {
        startReceiver();
    } catch (second) {
        fail(second);
        return;
    }
    restartCount += 1;
    self.postMessage({kind: 'restarted', restartCount, text: String(error?.message ?? error)});
}

function fail(error) {
    hasFailed = true;
    receiver = undefined;
    self.postMessage({kind: 'failed', text: String(error?.message ?? error)});
}

function watchSilence(block, frameCount) {
    if (block.some((sample) => sample !== 0)) {
        silentFrameCount = 0;
        if (isSilent) self.postMessage({kind: 'silence', isSilent: false});
        isSilent = false;
        return;
    }
    silentFrameCount += frameCount;
    if (isSilent || silentFrameCount < silenceSeconds * options.sampleRateHertz) return;
    isSilent = true;
    self.postMessage({kind: 'silence', isSilent: true});
}
