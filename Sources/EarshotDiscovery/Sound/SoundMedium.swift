public import EarshotAudio
public import EarshotCoding
public import EarshotModem
import Synchronization

/// Discovery by near-ultrasound, through a microphone and a loudspeaker.
///
///     let sound = SoundMedium()
///     let discovery = Discovery(media: [sound], tokens: .always(token))
///
/// Whoever only scans opens no loudspeaker, whoever only broadcasts no microphone. A device that is missing, taken or forbidden is
/// a problem that is reported, and tried again until it is gone.
public final class SoundMedium: DiscoveryMedium {
    /// Devices and the way to speak.
    public struct Options: Sendable {
        /// The microphone. Its format and buffer count, too.
        public var capture: DeviceRequest
        /// The loudspeaker. What it buffers is how far ahead it has to be decided when to talk.
        public var playback: DeviceRequest
        /// What is spoken; all profiles are heard. Whoever talks longer talks less often, see docs/DISCOVERY.md.
        public var profile = Profile.fast
        /// The peak, 0 is full scale.
        public var levelDecibels = -12.0

        /// The system's devices, in pieces of 20 ms.
        public init(capture: String = "default", playback: String = "default") {
            self.capture = DeviceRequest(capture, periodSeconds: 0.02, bufferSeconds: 0.5)
            self.playback = DeviceRequest(playback, periodSeconds: 0.02, bufferSeconds: 0.12)
        }
    }

    private struct State {
        var token: Payload?
        var session: SoundSession?
    }

    private let options: Options
    private let state = Mutex(State())
    /// Events that wait for a slow reader; a newer one says more than the oldest.
    private static let largestBacklog = 4_096

    /// Opens nothing yet.
    public init(_ options: Options = Options()) {
        self.options = options
    }

    /// See the protocol.
    public var kind: DiscoveryMediumKind { .audio }

    /// See the protocol.
    public func events(mode: DiscoveryMode) -> AsyncStream<MediumEvent> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: MediumEvent.self, bufferingPolicy: .bufferingNewest(Self.largestBacklog))
        let session = SoundSession(options, mode: mode) { continuation.yield($0) }
        let token = state.withLock { state in
            state.session = session
            return state.token
        }
        if let token { session.own(token) }
        continuation.onTermination = { _ in session.requestStop() }
        session.start()
        return stream
    }

    /// See the protocol.
    public func broadcast(_ token: Payload) async {
        let session = state.withLock { state in
            state.token = token
            return state.session
        }
        session?.own(token)
    }

    /// Waits until the devices are closed, after the events are no longer read.
    /// - Returns: false where one still is not after `seconds`.
    @discardableResult
    public func waitForEnd(seconds: Double) -> Bool {
        state.withLock { $0.session }?.waitForEnd(seconds: seconds) ?? true
    }
}
