public import EarshotDiscovery
public import Foundation
import Synchronization

/// Publishes messages to devices nearby, and finds theirs.
///
///     let manager = MessageManager(
///         key: key,
///         configuration: .system(media: { [SoundMedium(microphone: $0.microphone, loudspeaker: $0.loudspeaker)] }))
///     let publication = try manager.publish(Message(content: Data("hello".utf8)))
///     let subscription = try manager.subscribe()
///     for await event in subscription { print(event) }
///
/// Keep the manager, its publications and its subscriptions: releasing one ends it, and releasing the manager ends all. The
/// manager plays, records and sends nothing before the user consents. It repeats failed requests to the service until they
/// succeed.
public final class MessageManager: Sendable {
    private let exchange: Exchange
    private let running: Task<Void, Never>
    private let board: ProblemBoard
    private let operationCount = Atomic(0)
    private let isStopped = Atomic(false)

    /// A manager without operations. It opens no device and sends nothing before the first one.
    /// - Parameters:
    ///   - key: a key of `earshotd key create`. Devices find only messages of the project that the key belongs to.
    ///   - configuration: the service, media and permission.
    public init(key: String, configuration: Configuration) {
        let log = configuration.log
        let note: @Sendable (String) -> Void = { log?($0) }
        board = ProblemBoard(note: note)
        let replacement = configuration.internals.service?(key)
        if replacement == nil, let refusal = configuration.serviceRefusal { configuration.internals.warn(refusal) }
        let service = replacement ?? configuration.webService(key: key)
        exchange = Exchange(configuration, key: key, service: service, board: board, note: note)
        running = Task { [exchange] in await exchange.run() }
    }

    deinit { exchange.input.finish() }

    /// Publishes a message for as long as the publication is kept.
    ///
    /// Returns immediately; `statuses` reports progress.
    /// - Parameters:
    ///   - message: the message, within the limits of `Message`.
    ///   - strategy: the directions and media to be found by.
    ///   - consent: asks the user for this operation, in place of the configured prompt.
    /// - Returns: the publication. Releasing it withdraws the message.
    /// - Throws: `MessageError.contentTooLarge`, `typeTooLong` or `namespaceTooLong` if the message exceeds a limit; `stopped`
    ///   if the manager was stopped.
    public func publish(
        _ message: Message, strategy: DiscoveryStrategy = DiscoveryStrategy(), consent: ConsentHandler? = nil
    ) throws(MessageError) -> Publication {
        try message.check()
        return Publication(try begin(.message(message), strategy, consent))
    }

    /// Sends 1 to 32 bytes in the sound itself, for as long as the publication is kept.
    ///
    /// It needs no service. Every device that hears the sound can read the bytes. Subscriptions without namespace and type
    /// receive them, with `isAuthenticated` false. If the strategy does not broadcast, nothing is sent.
    /// - Parameters:
    ///   - content: 1 to 32 bytes.
    ///   - strategy: the media to send on; it must broadcast.
    ///   - consent: asks the user for this operation, in place of the configured prompt.
    /// - Returns: the publication. Releasing it ends the sound.
    /// - Throws: `MessageError.directCount` if the content is not 1 to 32 bytes; `directUnsendable` if it is eight bytes and 24
    ///   zeros; `stopped` if the manager was stopped.
    public func publishDirectly(
        _ content: Data, strategy: DiscoveryStrategy = DiscoveryStrategy(), consent: ConsentHandler? = nil
    ) throws(MessageError) -> Publication {
        let payload = try DirectMessage.payload(content)
        return Publication(try begin(.direct(payload), strategy, consent))
    }

    /// Finds messages for as long as the subscription is kept.
    ///
    /// Returns immediately; `statuses` reports progress.
    /// - Parameters:
    ///   - namespace: only messages of this namespace are found. Empty for the default namespace.
    ///   - type: only messages of this type are found. Empty for all types.
    ///   - strategy: the directions and media to find devices by.
    ///   - consent: asks the user for this operation, in place of the configured prompt.
    /// - Returns: the subscription, a sequence of `MessageEvent`. Releasing it ends the search.
    /// - Throws: `MessageError.typeTooLong` or `namespaceTooLong` if a filter exceeds its limit; `stopped` if the manager was
    ///   stopped.
    public func subscribe(
        namespace: String = "", type: String = "", strategy: DiscoveryStrategy = DiscoveryStrategy(),
        consent: ConsentHandler? = nil
    ) throws(MessageError) -> Subscription {
        try Message.check(namespace: namespace, type: type)
        return Subscription(try begin(.subscription(namespace: namespace, type: type), strategy, consent))
    }

    /// Finds the messages that are attached to beacons nearby, for as long as the subscription is kept. With a `strategy`, it also
    /// finds the messages that devices nearby publish.
    ///
    /// A message is found when its beacon is first heard, and lost when the beacon is out of range. A message on
    /// several beacons is reported once, and lost when all of them are out of range. Returns immediately; `statuses`
    /// reports progress.
    /// - Parameters:
    ///   - namespace: empty for all messages of the project's own beacons. Otherwise only messages of this namespace,
    ///     which may belong to another project if that project has published it. Devices: as in
    ///     `subscribe(namespace:type:strategy:consent:)`.
    ///   - type: only messages of this type are found. Empty for all types.
    ///   - beacons: which beacons to look for, and at what cost.
    ///   - strategy: the directions and media to find devices by; nil to find beacons only.
    ///   - consent: asks the user for this operation, in place of the configured prompt.
    /// - Returns: the subscription, a sequence of `MessageEvent`. Releasing it ends the search.
    /// - Throws: `MessageError.namespaceTooLong`, `beaconTypeTooLong`, or, with a strategy, `typeTooLong` if a filter exceeds
    ///   its limit; `stopped` if the manager was stopped.
    public func subscribe(
        namespace: String = "", type: String = "", beacons: BeaconStrategy, strategy: DiscoveryStrategy? = nil,
        consent: ConsentHandler? = nil
    ) throws(MessageError) -> Subscription {
        try Message.check(namespace: namespace, type: strategy == nil ? "" : type)
        let count = type.unicodeScalars.count
        guard count <= BeaconAttachment.maximumTypeCount else { throw .beaconTypeTooLong(count) }
        let purpose: Operation.Purpose =
            strategy == nil
            ? .beaconSubscription(namespace: namespace, type: type) : .subscription(namespace: namespace, type: type)
        return Subscription(try begin(purpose, strategy ?? .onlyBeacons, consent, beacons: beacons))
    }

    /// Finds only messages in the sound itself, for as long as the subscription is kept.
    ///
    /// It needs no service. The messages are not authenticated, and have neither namespace nor type. If the strategy does not
    /// scan, nothing is found.
    /// - Parameters:
    ///   - strategy: the media to listen on; it must scan.
    ///   - consent: asks the user for this operation, in place of the configured prompt.
    /// - Returns: the subscription, a sequence of `MessageEvent`. Releasing it ends the search.
    /// - Throws: `MessageError.stopped` if the manager was stopped.
    public func subscribeDirectly(
        strategy: DiscoveryStrategy = DiscoveryStrategy(), consent: ConsentHandler? = nil
    ) throws(MessageError) -> Subscription {
        Subscription(try begin(.directSubscription, strategy, consent))
    }

    private func begin(
        _ purpose: Operation.Purpose, _ strategy: DiscoveryStrategy, _ consent: ConsentHandler?,
        beacons: BeaconStrategy? = nil
    ) throws(MessageError) -> OperationHandle {
        guard !isStopped.load(ordering: .acquiring) else { throw .stopped }
        let number = operationCount.add(1, ordering: .relaxed).newValue
        let input = exchange.input
        let operation = Operation(purpose, strategy, beacons: beacons)
        let handle = OperationHandle(number, operation, consent: consent) { input.yield(.table(.end($0))) }
        input.yield(.add(handle))
        return handle
    }

    /// The unsolved problems, and then each problem that begins or is solved. Each call returns a new stream, which
    /// ends with the manager. If a reader is more than 256 elements late, its stream drops the oldest.
    public var problems: AsyncStream<ManagerProblem> { board.stream }

    /// Ends all operations, and waits until the service is informed and the devices are closed.
    ///
    /// If a program exits without this call, its messages remain at the service. Other devices then lose them only when
    /// they no longer hear the tokens.
    /// - Parameter limit: the maximum time to wait. The rest is done in the background.
    public func stop(within limit: Duration = .seconds(3)) async {
        isStopped.store(true, ordering: .releasing)
        let (isOver, over) = AsyncStream.makeStream(of: Void.self)
        exchange.input.finish()
        Task { [running] in
            await running.value
            over.finish()
        }
        let timer = Task {
            try? await Task.sleep(for: limit)
            over.finish()
        }
        // In a task of its own: a cancelled caller, such as a program that is ending, would not wait for a stream.
        await Task { for await _ in isOver {} }.value
        timer.cancel()
    }
}

extension DiscoveryStrategy {
    /// No medium and no direction: it does not look for devices.
    fileprivate static var onlyBeacons: DiscoveryStrategy {
        var strategy = DiscoveryStrategy()
        (strategy.media, strategy.mode) = ([], [])
        return strategy
    }
}
