import Dispatch
public import EarshotAudio
public import EarshotCoding
public import EarshotDiscovery
public import EarshotModem
import Synchronization

/// Discovery by near-ultrasound, through a microphone and a loudspeaker.
///
///     let sound = SoundMedium()
///     let discovery = Discovery(media: [sound], tokens: .always(token))
///
/// A device that only scans opens no loudspeaker, and one that only broadcasts opens no microphone. If a sound device is
/// missing, busy or not permitted, the medium reports a problem and keeps trying until it works.
public final class SoundMedium: DiscoveryMedium {
    /// The sound devices, and how to talk.
    public struct Options: Sendable {
        /// The microphone, with its format and buffer.
        public var capture: DeviceRequest
        /// The loudspeaker. Its buffer determines how far ahead the medium must decide when to talk.
        public var playback: DeviceRequest
        /// The air format to talk in; the medium hears all of them. Longer tokens are sent less often, see docs/DISCOVERY.md.
        public var profile = Profile.fast
        /// The peak of a token in dBFS, at most 0.
        public var levelDecibels = -12.0

        /// The devices of these names, in pieces of 20 ms.
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
    /// The maximum number of events that wait for a slow reader. The stream drops the oldest: newer ones matter more.
    private static let maximumBacklog = 4_096

    /// Does not open a device yet.
    public init(_ options: Options = Options()) {
        self.options = options
    }

    /// The medium on the PCMs of these names, with default values for the other options.
    public convenience init(microphone: String, loudspeaker: String) {
        self.init(Options(capture: microphone, playback: loudspeaker))
    }

    /// The kind of this medium, always `DiscoveryMediumKind.audio`.
    public var kind: DiscoveryMediumKind { .audio }

    /// Opens the devices that `mode` needs. See `DiscoveryMedium`.
    public func events(mode: DiscoveryMode) -> AsyncStream<MediumEvent> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: MediumEvent.self, bufferingPolicy: .bufferingNewest(Self.maximumBacklog))
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

    /// Sets the token to broadcast from now on. See `DiscoveryMedium`.
    public func broadcast(_ token: Payload) async {
        let session = state.withLock { state in
            state.token = token
            return state.session
        }
        session?.own(token)
    }

    /// Waits until the devices are closed, after the events are no longer read.
    /// - Returns: false if a device is still open after `seconds`.
    @discardableResult
    public func waitForEnd(seconds: Double) -> Bool {
        state.withLock { $0.session }?.waitForEnd(seconds: seconds) ?? true
    }

    /// Waits until the devices are closed, after the events are no longer read, or for 2 s if a driver or a sound server
    /// blocks one. See `DiscoveryMedium`.
    public func waitUntilClosed() async {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                self.waitForEnd(seconds: 2)
                continuation.resume()
            }
        }
    }
}
