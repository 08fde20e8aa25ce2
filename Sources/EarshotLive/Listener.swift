public import EarshotAudio
public import EarshotCoding
public import EarshotModem
import Glibc
import Synchronization

/// A microphone to frames: a `Microphone`, a receiver for each of its channels, and what happened, in order.
///
///     let listener = try Listener(DeviceRequest("default"))
///     for await event in listener.events {
///         if case .heard(let heard) = event { print(heard.payload) }
///     }
///
/// The device is read on a thread of its own; the frames are decoded on the thread that calls `run`, or on another one
/// behind `events`. Cost: about 0.05 % of a core for each channel, and what the sound server takes.
public final class Listener: Sendable {
    /// What to listen for, and what to report.
    public struct Options: Sendable {
        /// The air formats, all of them by default.
        public var profiles = Profile.all
        /// How many repeats in a burst are read together, 2 to 8; 1 for none. See `Receiver`.
        public var combinedCount = 1
        /// Whether to report tokens too quiet to be decoded, but decoded less than a minute before: `ReceivedFrame.isRecognised`.
        public var recognisesTokens = false
        /// Whether to decode the mean of all channels instead of each.
        public var mixesChannels = false
        /// Whether to report a frame for every channel that heard it, instead of once.
        public var reportsEveryChannel = false
        /// Ends after so much sound, gaps included.
        public var secondsLimit: Double?
        /// How often to report a level; nil for never.
        public var levelIntervalSeconds: Double?

        /// All profiles, each channel, each frame once, no level, no end.
        public init() {}
    }

    /// What the device does.
    public var format: DeviceFormat { microphone.format }

    private let microphone: Microphone
    private let options: Options
    private let own = Mutex<Set<Payload>>([])
    private let hasRun = Atomic(false)

    /// Opens a capture device. Its sound waits (4 s of it) until `run` or `events` takes it.
    /// - Parameter reconnects: whether to wait for a device that goes away.
    public init(_ request: DeviceRequest, reconnects: Bool = false, options: Options = Options()) throws(DeviceError) {
        precondition(!options.profiles.isEmpty, "no profile to listen for")
        microphone = try Microphone(request, reconnects: reconnects)
        self.options = options
    }

    /// Payloads that this machine broadcasts itself. They are heard like any other, and marked.
    public var ownPayloads: Set<Payload> {
        get { own.withLock { $0 } }
        set { own.withLock { $0 = newValue } }
    }

    /// Ends listening: what was recorded until now is still decoded and reported.
    public func stop() {
        microphone.stop()
    }

    /// Listens on this thread until `stop`, the end of `secondsLimit`, or the device's. Once: what was taken from the device
    /// cannot be heard again.
    /// - Parameters:
    ///   - tap: gets every block before it is decoded, for whoever records it.
    ///   - onEvent: gets what happens. It may call `stop`.
    public func run(
        tap: ((CaptureBlock, Span<Float>) -> Void)? = nil, onEvent: (ListenerEvent) -> Void
    ) {
        precondition(!hasRun.exchange(true, ordering: .relaxed), "a listener listens once")
        var session = ListeningSession(format: format, options: options)
        while !session.isOver {
            let isNew = microphone.next(milliseconds: 200) { block, samples in
                tap?(block, samples)
                session.take(block, samples, own: ownPayloads, ringFill: microphone.ringFill, onEvent)
            }
            // Where nothing may be on the air nobody needs to hear it at once: a third of the wake-ups.
            microphone.isUrgent = session.isExpecting
            if !isNew, microphone.isStopped { break }
            session.checkPatience()
        }
        microphone.stop()
        session.finish(own: ownPayloads, onEvent)
    }

    /// What happens, for whoever waits with `for await`. Decodes on a thread of its own from when this is called until
    /// the loop ends, is cancelled, or `stop` is called. To be called once, and not besides `run`.
    ///
    /// At most `largestBacklog` events wait; those beyond are counted in `missed`. The last one is `ended` all the same.
    public var events: AsyncStream<ListenerEvent> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: ListenerEvent.self, bufferingPolicy: .bufferingOldest(Listener.largestBacklog))
        let worker = Worker()
        continuation.onTermination = { [microphone] _ in microphone.stop() }
        worker.start { [self] in
            var missed = 0
            run { event in
                if case .ended = event {
                    // These two wait for room: whoever reads on has to learn how it ended.
                    if missed > 0 { Listener.insist(.missed(eventCount: missed), continuation) }
                    Listener.insist(event, continuation)
                    return
                }
                if missed > 0, case .enqueued = continuation.yield(.missed(eventCount: missed)) { missed = 0 }
                if case .dropped = continuation.yield(event) { missed += 1 }
            }
            continuation.finish()
        }
        return stream
    }

    /// Waits until there is room for an event, or nobody reads any more.
    private static func insist(_ event: ListenerEvent, _ continuation: AsyncStream<ListenerEvent>.Continuation) {
        while case .dropped = continuation.yield(event) { usleep(20_000) }
    }

    /// Events that wait for a slow reader of `events`.
    public static let largestBacklog = 1_024
}
