public import EarshotCoding
public import EarshotDiscovery
import Synchronization

/// Discovery by Bluetooth Low Energy, through BlueZ.
///
///     let bluetooth = BluetoothMedium()
///     let discovery = Discovery(media: [SoundMedium(), bluetooth], tokens: .always(token))
///
/// A device that only scans does not advertise, and one that only broadcasts does not scan. If the adapter is missing,
/// off or not permitted, the medium reports a problem and continues when it works.
public final class BluetoothMedium: DiscoveryMedium {
    /// The adapter, and how much of the time it listens.
    public struct Options: Sendable {
        /// The name of the adapter, such as `hci1`; nil for the first that is switched on.
        public var adapter: String?
        /// Whether the radio may pause between scans.
        public var power: ScanPower
        /// Whether the medium accepts a machine without Bluetooth. It then reports no problem, and waits until an
        /// adapter appears.
        public var isOptional: Bool

        /// The options of these values.
        public init(adapter: String? = nil, power: ScanPower = .continuous, isOptional: Bool = false) {
            self.adapter = adapter
            self.power = power
            self.isOptional = isOptional
        }
    }

    private struct State {
        var token: Payload?
        var tokens: AsyncStream<Payload>.Continuation?
        var session: Task<Void, Never>?
    }

    /// The maximum number of events that wait for a slow reader. The stream drops the oldest: newer ones matter more.
    private static let maximumBacklog = 4_096

    private let options: Options
    private let adapter: BluetoothAdapter
    private let state = Mutex(State())

    /// Does not use the adapter yet.
    public convenience init(_ options: Options = Options()) {
        self.init(options, adapter: BluetoothAdapter(options.adapter))
    }

    /// A medium on an adapter that others, such as beacons, may use too. They share one scan.
    public init(_ options: Options = Options(), adapter: BluetoothAdapter) {
        self.options = options
        self.adapter = adapter
    }

    /// The kind of this medium, always `DiscoveryMediumKind.bluetooth`.
    public var kind: DiscoveryMediumKind { .bluetooth }

    /// Uses the adapter as `mode` needs. See `DiscoveryMedium`.
    public func events(mode: DiscoveryMode) -> AsyncStream<MediumEvent> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: MediumEvent.self, bufferingPolicy: .bufferingNewest(Self.maximumBacklog))
        let (tokens, token) = AsyncStream.makeStream(of: Payload.self, bufferingPolicy: .bufferingNewest(1))
        let session = BluetoothSession(adapter, options, mode) { continuation.yield($0) }
        let (first, last) = state.withLock { state in
            let last = state.session
            state.tokens = token
            return (state.token, last)
        }
        if let first { token.yield(first) }
        let task = Task {
            // Two sessions must not advertise two tokens.
            await last?.value
            await session.run(tokens)
        }
        state.withLock { $0.session = task }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }

    /// Sets the token to broadcast from now on. See `DiscoveryMedium`.
    public func broadcast(_ token: Payload) async {
        let tokens = state.withLock { state in
            state.token = token
            return state.tokens
        }
        tokens?.yield(token)
    }

    /// Waits until the token is off the air and the adapter is released, after the events are no longer read.
    public func waitUntilClosed() async {
        await state.withLock { $0.session }?.value
    }
}
