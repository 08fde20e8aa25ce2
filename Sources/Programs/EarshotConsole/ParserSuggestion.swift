import EarshotBasics

/// The parser's suggestion for a mistyped option. The parser always names the nearest option, so `--sec` for `--seconds` gets
/// "Did you mean '--mix'?". One that is not similar misleads.
package enum ParserSuggestion {
    /// The parser's message without a suggestion that `NearestName` would not make; nil if it has none.
    package static func withoutUnlikely(_ message: String) -> String? {
        let pattern = /(Unknown option '(-[^']*)')\. Did you mean '(-[^']*)'\?/
        guard let match = message.firstMatch(of: pattern) else { return nil }
        let (option, suggestion) = (name(match.2), name(match.3))
        guard NearestName.of(option, among: [suggestion]) == nil else { return nil }
        return message[..<match.range.lowerBound] + match.1 + "." + message[match.range.upperBound...]
    }

    private static func name(_ option: Substring) -> String { String(option.drop { $0 == "-" }) }
}
