import EarshotCoding

/// Takes turns between several tokens.
struct TokenTurns: Sendable {
    private(set) var tokens: [Payload] = []
    private var index = 0

    /// Turns without tokens.
    init() {}

    /// Replaces the tokens. The turn stays with its token, or with the token that took its place.
    mutating func update(_ tokens: [Payload]) {
        if let current, let kept = tokens.firstIndex(of: current) { index = kept }
        self.tokens = tokens
        if index >= tokens.count { index = 0 }
    }

    /// The token that has its turn; nil if there are no tokens.
    var current: Payload? { tokens.indices.contains(index) ? tokens[index] : nil }

    /// Ends the turn of the current token.
    mutating func advance() {
        index = tokens.isEmpty ? 0 : (index + 1) % tokens.count
    }
}
