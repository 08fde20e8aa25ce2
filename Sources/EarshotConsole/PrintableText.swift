package import EarshotCoding

extension Payload {
    /// The payload as text, where it is UTF-8 and every character of it can be shown; else nil.
    package var printableText: String? {
        guard let text = String(validating: bytes, as: UTF8.self), text.unicodeScalars.allSatisfy(\.isPrintable) else {
            return nil
        }
        return text
    }
}

extension String {
    /// The text with what could move a terminal's cursor, or hide something, written as `\u{…}`.
    ///
    /// Names of files and text from the air come from strangers.
    package var escapedForTerminal: String {
        if unicodeScalars.allSatisfy(\.isPrintable) { return self }
        return unicodeScalars.reduce(into: "") { text, scalar in
            text += scalar.isPrintable ? String(scalar) : "\\u{\(String(scalar.value, radix: 16))}"
        }
    }
}

extension Unicode.Scalar {
    /// Letters, digits, punctuation, symbols, the space and what joins emoji: nothing that acts instead of showing.
    fileprivate var isPrintable: Bool {
        switch properties.generalCategory {
        case .control, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
        case .format: value == 0x200D
        default: true
        }
    }
}
