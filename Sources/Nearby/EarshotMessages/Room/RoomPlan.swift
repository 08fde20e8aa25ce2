import EarshotCoding
import EarshotDiscovery

/// The combined needs of a manager's operations, for each medium.
///
/// - The medium scans if an operation scans.
/// - It broadcasts if an operation broadcasts and has a token, or waits for the service to give one.
/// - It plays the tokens of publications and direct messages in turn. It plays a subscription's own token only if there
///   are none of these, or if the subscription only broadcasts. One token is enough to be found: each further one takes
///   time from the others, and a device that scans finds the others' tokens itself.
///
/// With n tokens in turns of 4 s, each token is silent for 4·(n − 1) s. Other devices report a loss after a silence of
/// about 15 s, so more than four publications at once on one device may be lost and found again.
struct RoomPlan: Sendable, Equatable {
    /// The needs of one operation.
    struct Wish: Sendable, Equatable {
        var mode: DiscoveryMode
        var kinds: Set<DiscoveryMediumKind>
        var isSubscription: Bool
        var token: Payload?
        /// Whether the service will give a token soon.
        var awaitsToken: Bool
    }

    /// The mode and the tokens of one medium.
    struct Part: Sendable, Equatable {
        var mode: DiscoveryMode = []
        var tokens: [Payload] = []
    }

    private var parts: [DiscoveryMediumKind: Part] = [:]

    /// - Parameter wishes: the needs of all operations, oldest first.
    init(_ wishes: [Wish], on kinds: Set<DiscoveryMediumKind>) {
        for kind in kinds { parts[kind] = Self.part(wishes.filter { $0.kinds.contains(kind) }) }
    }

    subscript(_ kind: DiscoveryMediumKind) -> Part { parts[kind] ?? Part() }

    private static func part(_ wishes: [Wish]) -> Part {
        let talkers = wishes.filter { $0.mode.contains(.broadcast) && ($0.token != nil || $0.awaitsToken) }
        let publications = talkers.filter { !$0.isSubscription }
        let subscriptions = talkers.filter { $0.isSubscription && (publications.isEmpty || $0.mode == .broadcast) }
        var part = Part()
        for token in (publications + subscriptions).compactMap(\.token) where !part.tokens.contains(token) {
            part.tokens.append(token)
        }
        if !talkers.isEmpty { part.mode.insert(.broadcast) }
        if wishes.contains(where: { $0.mode.contains(.scan) }) { part.mode.insert(.scan) }
        return part
    }
}
