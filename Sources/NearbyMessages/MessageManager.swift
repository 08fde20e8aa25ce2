public import EarshotDiscovery
public import Foundation

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
    /// Does nothing yet.
    /// - Parameter key: of `earshotd key create`. Belongs to a project: others do not see its messages.
    public init(key: String, configuration: Configuration = .system()) {
        fatalError("skeleton")
    }

    /// Publishes a message for as long as the publication is kept.
    ///
    /// Returns at once; how far it is say its statuses.
    /// - Parameter consent: asks the user in place of the configured way.
    /// - Throws: where the message is larger than one may be.
    public func publish(
        _ message: Message, strategy: DiscoveryStrategy = DiscoveryStrategy(), consent: ConsentHandler? = nil
    ) throws(MessageError) -> Publication {
        fatalError("skeleton")
    }

    /// Says 1 to 32 bytes in the sound itself, for as long as the publication is kept. Needs no service, and whoever hears it can
    /// read it. Subscriptions without namespace and type get it, not authenticated.
    /// - Throws: `directCount`, `directUnsendable`.
    public func publishDirectly(
        _ content: Data, strategy: DiscoveryStrategy = DiscoveryStrategy(), consent: ConsentHandler? = nil
    ) throws(MessageError) -> Publication {
        fatalError("skeleton")
    }

    /// Finds messages for as long as the subscription is kept.
    /// - Parameters:
    ///   - type: empty for all.
    ///   - consent: asks the user in place of the configured way.
    /// - Throws: where a filter is longer than what it filters may be.
    public func subscribe(
        namespace: String = "", type: String = "", strategy: DiscoveryStrategy = DiscoveryStrategy(),
        consent: ConsentHandler? = nil
    ) throws(MessageError) -> Subscription {
        fatalError("skeleton")
    }

    /// What is wrong now, and then whatever comes and goes. Each caller has a stream of its own. Ends with the manager.
    public var problems: AsyncStream<ManagerProblem> {
        fatalError("skeleton")
    }

    /// Ends everything, and waits until the service knows and the devices are closed, but not longer than `limit`.
    /// A program that exits without that leaves what it published to the service, until its token is no longer heard.
    public func stop(within limit: Duration = .seconds(3)) async {
        fatalError("skeleton")
    }
}
