import EarshotCoding

/// Alternates between several tokens.
struct TokenTurns: Sendable {
    private(set) var tokens: [Payload] = []
    private var index = 0

    /// Turns without tokens.
    init() {}

    /// Replaces the tokens. The turn stays with its token, or passes to the token that replaced it.
    mutating func update(_ tokens: [Payload]) {
        if let current, let kept = tokens.firstIndex(of: current) { index = kept }
        self.tokens = tokens
        if index >= tokens.count { index = 0 }
    }

    /// The token whose turn it is; nil if there are no tokens.
    var current: Payload? { tokens.indices.contains(index) ? tokens[index] : nil }

    /// Ends the turn of the current token.
    mutating func advance() {
        index = tokens.isEmpty ? 0 : (index + 1) % tokens.count
    }
}
