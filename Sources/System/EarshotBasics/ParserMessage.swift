/// The parser's messages about words that it does not know, where ours help more.
public enum ParserMessage {
    /// Our message in place of the parser's; nil if that one is good.
    public static func improved(_ message: String) -> String? {
        withoutUnlikely(message) ?? withComma(message) ?? withQuotation(message)
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

    /// A message that explains a second medium after `--medium audio`; nil for others.
    private static func withComma(_ message: String) -> String? {
        let pattern = /^Error: Unexpected argument '(audio|ble)'/
        guard let match = message.firstMatch(of: pattern) else { return nil }
        return match.0 + ". Write both media with a comma: --medium audio,ble." + message[match.range.upperBound...]
    }

    /// A message that explains a second word where a command takes one text; nil for others.
    private static func withQuotation(_ message: String) -> String? {
        let pattern = /^Error: [0-9]* ?[Uu]nexpected arguments?:? '[^\n]*/
        guard let match = message.firstMatch(of: pattern), message.contains("[<text>]") else { return nil }
        return match.0 + ". Put a text of several words in quotation marks." + message[match.range.upperBound...]
    }

    /// The message about an option in whose letters the parser finds the `-h` of help; nil if help was asked for. A text such as
    /// `-hello` would otherwise print help and report success.
    public static func mistakenHelp(in arguments: some Sequence<String>) -> String? {
        let words = arguments.prefix { $0 != "--" }
        let requests = ["-h", "--help", "--help-hidden", "help"]
        guard !words.contains(where: requests.contains),
            let word = words.first(where: { $0.wholeMatch(of: /-[^-]*h.*/) != nil })
        else { return nil }
        return "Error: Unknown option '\(word)'. Put '--' before a text that begins with '-'."
    }

    private static func name(_ option: Substring) -> String { String(option.drop { $0 == "-" }) }
}
