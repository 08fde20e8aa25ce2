package import EarshotCoding

/// The tokens of this device: the present one and those before it, whose echoes, or repeats by others, may come late.
package struct OwnTokens: Sendable {
    /// The maximum number of remembered tokens.
    static let maximumCount = 64

    private var tokens: [Payload] = []

    package init() {}

    /// The token to broadcast now; nil before the first.
    package var present: Payload? { tokens.last }

    /// Makes a token the present one.
    package mutating func add(_ token: Payload) {
        tokens.removeAll { $0 == token }
        tokens.append(token)
        if tokens.count > Self.maximumCount { tokens.removeFirst() }
    }

    package func contains(_ token: Payload) -> Bool { tokens.contains(token) }
}
