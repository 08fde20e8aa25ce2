import EarshotBasics

/// The parser's messages about words that it does not know, where ours help more.
package enum ParserMessage {
    /// Our message in place of the parser's; nil if that one is good.
    package static func improved(_ message: String) -> String? {
        withoutUnlikely(message) ?? withQuotation(message)
    }

    /// A message without a suggestion that `NearestName` would not make; nil if it has none. The parser always names the nearest
    /// option, so `--sec` for `--seconds` gets "Did you mean '--mix'?". One that is not similar misleads.
    private static func withoutUnlikely(_ message: String) -> String? {
        let pattern = /(Unknown option '(-[^']*)')\. Did you mean '(-[^']*)'\?/
        guard let match = message.firstMatch(of: pattern) else { return nil }
        let (option, suggestion) = (name(match.2), name(match.3))
        guard NearestName.of(option, among: [suggestion]) == nil else { return nil }
        return message[..<match.range.lowerBound] + match.1 + "." + message[match.range.upperBound...]
    }

    /// A message that explains a second word where a command takes one text; nil for others.
    private static func withQuotation(_ message: String) -> String? {
        let pattern = /^Error: [0-9]* ?[Uu]nexpected arguments?:? '[^\n]*/
        guard let match = message.firstMatch(of: pattern), message.contains("[<text>]") else { return nil }
        return match.0 + ". Put a text of several words in quotation marks." + message[match.range.upperBound...]
    }

    private static func name(_ option: Substring) -> String { String(option.drop { $0 == "-" }) }
}
