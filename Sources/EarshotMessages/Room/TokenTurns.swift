import EarshotCoding

/// Which of several tokens to say: one after another, for a turn each.
struct TokenTurns: Sendable {
    private(set) var tokens: [Payload] = []
    private var index = 0

    /// None yet.
    init() {}

    /// What may be said from now on. The turn goes on where it was, also where the token whose turn it is was replaced.
    mutating func update(_ tokens: [Payload]) {
        if let current, let kept = tokens.firstIndex(of: current) { index = kept }
        self.tokens = tokens
        if index >= tokens.count { index = 0 }
    }

    /// Whose turn it is.
    var current: Payload? { tokens.indices.contains(index) ? tokens[index] : nil }

    /// Its turn is over.
    mutating func advance() {
        index = tokens.isEmpty ? 0 : (index + 1) % tokens.count
    }
}
