import EarshotCoding
import EarshotDiscovery

/// What the operations of a manager need of each medium, taken together: there is one room, whoever wants something in it.
///
/// - It listens where one of them scans.
/// - It talks where one of them broadcasts and there is something to say, or will be as soon as the service answers.
/// - It says the tokens of publications and messages in the sound itself, one after another. A subscription's own token is
///   said where there are none of these, or where the subscription only broadcasts. One token of a device is enough to be found:
///   each more takes time from the others, and a device that listens finds the tokens of others itself.
///
/// With n tokens in turns of 4 s each is silent for 4·(n − 1) s, and others take a silence of about 15 s for the end: more than
/// four publications at once on one device may be lost and found again.
struct RoomPlan: Sendable, Equatable {
    /// What one operation wants.
    struct Wish: Sendable, Equatable {
        var mode: DiscoveryMode
        var kinds: Set<DiscoveryMediumKind>
        var isSubscription: Bool
        var token: Payload?
        /// Whether a token is on its way.
        var awaitsToken: Bool
    }

    /// What a medium has to do.
    struct Part: Sendable, Equatable {
        var mode: DiscoveryMode = []
        var tokens: [Payload] = []
    }

    private var parts: [DiscoveryMediumKind: Part] = [:]

    /// - Parameter wishes: the oldest first.
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
