public import EarshotDiscovery
public import Foundation
import Synchronization

/// Publishes messages to devices nearby, and finds theirs.
///
///     let manager = MessageManager(key: key)
///     let publication = try manager.publish(Message(content: Data("hello".utf8)))
///     let subscription = try manager.subscribe()
///     for await event in subscription { print(event) }
///
/// Everything ends with the manager: keep it, and keep what it returns. Nothing is played, recorded or sent before
/// the user consents. Requests to the service that fail are repeated until they work.
public final class MessageManager: Sendable {
    private let exchange: Exchange
    private let board: ProblemBoard
    private let operationCount = Atomic(0)
    private let isStopped = Atomic(false)

    /// Does nothing yet.
    /// - Parameter key: of `earshotd key create`. Belongs to a project: others do not see its messages.
    public init(key: String, configuration: Configuration = .system()) {
        let log = configuration.log
        let note: @Sendable (String) -> Void = { log?($0) }
        board = ProblemBoard(note: note)
        let service =
            configuration.service?(key)
            ?? HTTPMessageService(url: configuration.serviceURL, key: key, pace: configuration.pace)
        exchange = Exchange(configuration, service: service, board: board, note: note)
        Task { [exchange] in await exchange.run() }
    }

    deinit {
        Task { [exchange] in await exchange.close() }
    }

    /// Publishes a message for as long as the publication is kept.
    ///
    /// Returns at once; how far it is say its statuses.
    /// - Parameter consent: asks the user in place of the configured way.
    /// - Throws: where the message is larger than one may be, or the manager was stopped.
    public func publish(
        _ message: Message, strategy: DiscoveryStrategy = DiscoveryStrategy(), consent: ConsentHandler? = nil
    ) throws(MessageError) -> Publication {
        try message.check()
        return Publication(try begin(.message(message), strategy, consent))
    }

    /// Says 1 to 32 bytes in the sound itself, for as long as the publication is kept. Needs no service, and whoever hears it can
    /// read it. Subscriptions without namespace and type get it, not authenticated. A strategy without `broadcast` says nothing.
    /// - Throws: `directCount`, `directUnsendable`, or `stopped`.
    public func publishDirectly(
        _ content: Data, strategy: DiscoveryStrategy = DiscoveryStrategy(), consent: ConsentHandler? = nil
    ) throws(MessageError) -> Publication {
        let payload = try DirectMessage.payload(content)
        return Publication(try begin(.direct(payload), strategy, consent))
    }

    /// Finds messages for as long as the subscription is kept.
    /// - Parameters:
    ///   - type: empty for all.
    ///   - consent: asks the user in place of the configured way.
    /// - Throws: where a filter is longer than what it filters may be, or the manager was stopped.
    public func subscribe(
        namespace: String = "", type: String = "", strategy: DiscoveryStrategy = DiscoveryStrategy(),
        consent: ConsentHandler? = nil
    ) throws(MessageError) -> Subscription {
        try Message.check(namespace: namespace, type: type)
        return Subscription(try begin(.subscription(namespace: namespace, type: type), strategy, consent))
    }

    /// Finds messages in the sound itself for as long as the subscription is kept, and asks no service for any other. They are not
    /// authenticated, and have neither namespace nor type. A strategy without `scan` finds nothing.
    /// - Throws: `stopped`.
    public func subscribeDirectly(
        strategy: DiscoveryStrategy = DiscoveryStrategy(), consent: ConsentHandler? = nil
    ) throws(MessageError) -> Subscription {
        Subscription(try begin(.directSubscription, strategy, consent))
    }

    private func begin(
        _ purpose: OperationCore.Purpose, _ strategy: DiscoveryStrategy, _ consent: ConsentHandler?
    ) throws(MessageError) -> OperationCore {
        guard !isStopped.load(ordering: .acquiring) else { throw .stopped }
        let number = operationCount.add(1, ordering: .relaxed).newValue
        let input = exchange.input
        let operation = OperationCore(number, purpose, strategy, consent: consent) { input.yield(.end($0)) }
        input.yield(.add(operation))
        return operation
    }

    /// What is wrong now, and then whatever comes and goes. Each caller has a stream of its own. Ends with the manager.
    public var problems: AsyncStream<ManagerProblem> { board.stream }

    /// Ends everything, and waits until the service knows and the devices are closed, but not longer than `limit`.
    /// A program that exits without that leaves what it published to the service, until its token is no longer heard.
    public func stop(within limit: Duration = .seconds(3)) async {
        isStopped.store(true, ordering: .releasing)
        let (isOver, over) = AsyncStream.makeStream(of: Void.self)
        Task { [exchange] in
            await exchange.close()
            over.finish()
        }
        let timer = Task {
            try? await Task.sleep(for: limit)
            over.finish()
        }
        // In a task of its own: who was cancelled ends like this, and would not wait for a stream.
        await Task { for await _ in isOver {} }.value
        timer.cancel()
    }
}
