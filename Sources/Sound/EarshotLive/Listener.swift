public import EarshotAudio
public import EarshotCoding
public import EarshotModem
import EarshotSystem
import Glibc
import Synchronization

/// Decodes a microphone's sound: it has a `Microphone`, a receiver for its channels, and delivers events in order.
///
///     let listener = try Listener(DeviceRequest("default"))
///     for await event in listener.events() {
///         if case .heard(let heard) = event { print(heard.payload) }
///     }
///
/// A separate thread reads the device. The thread that calls `run` decodes the frames; for `events()` another thread
/// does. Cost: about 0.05 % of a core for each channel, and the cost of the sound server.
public final class Listener: Sendable {
    /// The profiles to listen for, and the events to report.
    public struct Options: Sendable {
        /// The air formats to decode; all of them by default.
        public var profiles = Profile.all
        /// How many repeats of a burst the receiver combines, 2 to 8; 1 for none. See `Receiver`.
        public var combinedCount = 1
        /// Whether to report tokens that are too quiet to decode but were decoded less than a minute before:
        /// `ReceivedFrame.isRecognised`.
        public var recognisesTokens = false
        /// Whether to decode the mean of all channels.
        public var mixesChannels = false
        /// Whether to decode each channel separately, instead of two to eight together; see `ReceiverBank`.
        public var separatesChannels = false
        /// Whether to report a frame for every channel that heard it, instead of once. Separates the channels.
        public var reportsEveryChannel = false
        /// Seconds after which listening ends; nil for no limit. Sound counts, gaps included. If sound is missing or
        /// decoding is late, a clock counts instead: listening ends at most 2 s later, and decodes as much of the
        /// recorded sound as possible until then.
        public var secondsLimit: Double?
        /// Seconds from one level report to the next; nil for none.
        public var levelIntervalSeconds: Double?

        /// All profiles, all channels as one, each frame once, no level report, no limit.
        public init() {}
    }

    private enum Phase {
        case waiting
        /// - isAttended: `run` listens, and continues without a stream.
        case listening(isAttended: Bool)
        case ended(ListenerSummary)
    }

    private struct State {
        var phase = Phase.waiting
        var readers: [(number: Int, reader: EventReader)] = []
        /// The number of the next reader.
        var nextNumber = 0
    }

    /// The format in which the device records.
    public var format: DeviceFormat { microphone.format }

    private let microphone: Microphone
    private let options: Options
    private let own = Mutex<Set<Payload>>([])
    private let state = Mutex(State())

    /// Opens a capture device. It keeps up to 4 s of sound until `run` or `events()` takes it.
    /// - Parameters:
    ///   - request: the device and its format.
    ///   - reconnects: whether to wait for a device that goes away.
    ///   - options: the profiles to listen for, and the events to report.
    /// - Throws: `DeviceError` if the device cannot be opened in the requested format.
    public init(_ request: DeviceRequest, reconnects: Bool = false, options: Options = Options()) throws(DeviceError) {
        precondition(!options.profiles.isEmpty, "no profile to listen for")
        microphone = try Microphone(request, reconnects: reconnects)
        self.options = options
    }

    /// The payloads that this machine itself broadcasts. The listener reports them like any other, and marks them.
    public var ownPayloads: Set<Payload> {
        get { own.withLock { $0 } }
        set { own.withLock { $0 = newValue } }
    }

    /// Ends listening. The listener still decodes and reports the sound recorded until now.
    public func stop() {
        microphone.stop()
    }

    /// Listens on this thread until `stop`, the end of `secondsLimit`, or the end of the device.
    /// - Parameters:
    ///   - tap: gets every block before it is decoded, for a recording.
    ///   - onEvent: gets every event, the last one is `ended`. It may call `stop`.
    /// - Throws: `DeviceError` with the kind `unsupported` if this listener listens already, or has ended: the device's
    ///   sound can be taken only once. Neither closure is called then.
    public func run(
        tap: ((CaptureBlock, Span<Float>) -> Void)? = nil, onEvent: (ListenerEvent) -> Void
    ) throws(DeviceError) {
        let isFirst = state.withLock { state in
            guard case .waiting = state.phase else { return false }
            state.phase = .listening(isAttended: true)
            return true
        }
        guard isFirst else {
            throw DeviceError(
                .unsupported, operation: "record from", device: format.name,
                detail: "this listener has taken its sound already", advice: "Open another listener")
        }
        let (summary, readers) = listen(tap: tap, onEvent: onEvent)
        // A slow reader of a stream must not block this thread.
        if !readers.isEmpty { Worker().start { Self.conclude(readers, with: summary) } }
    }

    /// The events from now on, in order; the last one is `ended`.
    ///
    /// The first call begins to listen, on its own thread, unless `run` listens already. Each further call returns
    /// another stream of the same events. Listening ends with `stop`, at the end of `secondsLimit` or of the device, or
    /// when no stream is read any longer and `run` does not listen. After that, this method returns a stream with only
    /// `ended`.
    ///
    /// At most `maximumBacklog` events wait in a stream. It counts further ones in `missed`, but always delivers
    /// `ended`.
    public func events() -> AsyncStream<ListenerEvent> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: ListenerEvent.self, bufferingPolicy: .bufferingOldest(Listener.maximumBacklog))
        let begins = state.withLock { state in
            if case .ended(let summary) = state.phase {
                continuation.yield(.ended(summary))
                continuation.finish()
                return false
            }
            let number = state.nextNumber
            state.nextNumber += 1
            state.readers.append((number, EventReader(continuation)))
            continuation.onTermination = { [self] _ in leave(number) }
            guard case .waiting = state.phase else { return false }
            state.phase = .listening(isAttended: false)
            return true
        }
        if begins {
            Worker().start { [self] in
                let (summary, readers) = listen(tap: nil) { _ in }
                Self.conclude(readers, with: summary)
            }
        }
        return stream
    }

    /// The maximum number of events that wait in a stream of `events()`.
    public static let maximumBacklog = 1_024

    /// Processes the device's sound until it ends.
    /// - Returns: the summary, and the streams that do not have it yet.
    private func listen(
        tap: ((CaptureBlock, Span<Float>) -> Void)?, onEvent: (ListenerEvent) -> Void
    ) -> (ListenerSummary, [EventReader]) {
        func report(_ event: ListenerEvent) {
            // Outside the lock: the end of a stream needs the lock, while it holds a lock of its reader's task that an
            // event needs.
            for (_, reader) in state.withLock({ $0.readers }) { reader.offer(event) }
            onEvent(event)
        }
        var session = ListeningSession(format: format, options: options) { MonotonicTime.nanoseconds }
        while !session.isOver {
            let isNew = microphone.next(milliseconds: 200) { block, samples in
                tap?(block, samples)
                session.take(block, samples, own: ownPayloads, ringFill: microphone.ringFill, report)
            }
            // While no frame may be on the air, decoding can wait: a third of the wake-ups.
            microphone.isUrgent = session.isExpecting
            if !isNew, microphone.isStopped { break }
            let lateness = session.lateness
            if lateness == .tooLate { break }
            if lateness == .late, !microphone.isStopped { microphone.stop() }
        }
        microphone.stop()
        let summary = session.finish(own: ownPayloads, report)
        let readers = state.withLock { state in
            state.phase = .ended(summary)
            return exchange(&state.readers, with: []).map(\.reader)
        }
        onEvent(.ended(summary))
        return (summary, readers)
    }

    /// Puts the last events into each stream as soon as there is room, because its reader must get the summary.
    private static func conclude(_ readers: [EventReader], with summary: ListenerSummary) {
        var waiting = readers
        while true {
            waiting.removeAll { $0.conclude(with: summary) }
            if waiting.isEmpty { return }
            usleep(20_000)
        }
    }

    private func leave(_ number: Int) {
        let isUnheard = state.withLock { state in
            state.readers.removeAll { $0.number == number }
            guard case .listening(isAttended: false) = state.phase else { return false }
            return state.readers.isEmpty
        }
        if isUnheard { microphone.stop() }
    }
}
