// A program that uses all that the declarations offer. TypeScript's compiler must accept it, and refuse what is marked.

import {
    Earshot, EarshotError, Listener, ListenOptions, Messages, MessagesError, Modem, Problem, ProblemCode, Profile, ReceivedMessage,
    SayOptions, Severity, Token, problemTexts,
} from '../../earshot.js';
import {Messages as SameMessages, MessageProblem, OperationOptions} from '../../messages.js';
import {Frame, Modem as SameModem, ModuleSource, Receiver, ReceiverOptions} from '../../modem.js';

export async function hear(button: HTMLButtonElement, source: AudioNode): Promise<void> {
    const controller = new AbortController();
    const options: ListenOptions = {
        profiles: ['fast'], combineCount: 2, recognisesTokens: true, channelCount: 1, deviceId: 'x', source, wasm: '/earshot.wasm',
        signal: controller.signal,
        onProblem: (problem: Problem) => console.log(problem.code, problem.severity, problem.text),
        onSolved: ({code}) => console.log(code),
        onGap: (sampleCount, startSeconds) => console.log(sampleCount.toFixed(), startSeconds.toFixed()),
    };
    const listener: Listener = await Earshot.listen((token: Token) => {
        const bytes: Uint8Array = token.payload;
        const profile: Profile = token.profile;
        console.log(bytes.length, profile, token.hex, token.startSeconds + token.endSeconds, token.isOwn, token.snrDecibels);
    }, options);
    listener.onGap = undefined;
    const level: number = listener.level;
    const rate: number = listener.context.sampleRate + listener.sampleRateHertz + listener.lostSampleCount + listener.gapCount;
    console.log(level, rate, listener.analyser.fftSize, listener.settings?.deviceId, listener.label, listener.version);
    console.log(listener.restartCount, listener.isStopped, listener.problems.map(({code}) => code), listener instanceof Listener);
    button.onclick = () => listener.stop();

    const saying: SayOptions = {burstCount: 2, amplitude: 0.5, signal: controller.signal, wasm: new URL('https://example.org')};
    const {seconds} = await Earshot.say(Earshot.randomToken(), 'far', {...saying, onStart: (sound) => console.log(sound.seconds)});
    await Earshot.say('0123456789abcdef');
    console.log(seconds);
    const code: ProblemCode = 'no-microphone';
    const severity: Severity = problemTexts[code].severity;
    console.log(severity, new Problem('rate-too-low', '8000 Hz').message);

    // @ts-expect-error: there is no such profile.
    await Earshot.say('00', 'loud');
    // @ts-expect-error: a number is no payload.
    await Earshot.say(7);
    // @ts-expect-error: the listener is made by Earshot.listen.
    new Listener();
    // @ts-expect-error: what is measured cannot be set.
    listener.level = 0;
    // @ts-expect-error: there is no such problem.
    new Problem('no-such-code');
}

export async function decode(source: ModuleSource, samples: Float32Array): Promise<Frame[]> {
    const modem = new SameModem(await Modem.compile(source));
    const same: Modem = await Modem.load(source);
    const options: ReceiverOptions = {sampleRateHertz: 48000, profiles: ['far'], channelCount: 2};
    const receiver: Receiver = modem.receiver(options);
    const frames = [...receiver.push(samples), ...receiver.skip(100), ...receiver.flush()];
    receiver.close();
    const made: Float32Array = same.transmit(new Uint8Array(8), {sampleRateHertz: 48000, profile: 'fast', burstCount: 2, amplitude: 1});
    const {hertz, symbolSeconds} = modem.tones(new Uint8Array(8), {profile: 'fast'});
    console.log(made.length, hertz.length * symbolSeconds, modem.version, modem.memoryByteCount, (await Earshot.modem()).version);
    try {
        // @ts-expect-error: the rate is missing.
        modem.receiver({});
    } catch (error) {
        if (error instanceof EarshotError) console.log(error.status.toFixed());
    }
    return frames;
}

export async function exchange(): Promise<void> {
    const messages: SameMessages = new Messages({
        server: 'https://tokens.example', key: 'key', say: (token, profile) => Earshot.say(token, profile), profile: 'fast',
        isBusy: () => false, leadSeconds: 0.2, onProblem: ({code, text, isOver}: MessageProblem) => console.log(code, text, isOver),
    });
    const options: OperationOptions = {strategy: 'both', timeToLiveSeconds: 60, signal: new AbortController().signal};
    messages.heard(new Uint8Array(8), {ageSeconds: 0.1});
    const publication = await messages.publish({content: 'hello', type: 'greeting', namespace: ''}, options);
    const subscription = await messages.subscribe({
        ...options, filter: {type: 'greeting'}, onLost: ({id}) => console.log(id),
        onFound: (message: ReceivedMessage) => console.log(message.text, message.content.length, message.type, message.namespace),
    });
    console.log(messages.nearCount, messages.problems.map(({code}) => code));
    await publication.unpublish();
    await subscription.unsubscribe();
    await messages.stop().catch((error) => error instanceof MessagesError && console.log(error.code, error.serviceCode));
    // @ts-expect-error: a page has to name the service.
    new Messages({key: 'key'});
    // @ts-expect-error: there is no such strategy.
    await messages.publish({content: ''}, {strategy: 'loud'});
    // @ts-expect-error: what was found is not changed.
    new ReceivedMessage('id', new Uint8Array(), '', '').type = 'x';
}
