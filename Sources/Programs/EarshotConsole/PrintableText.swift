package import EarshotCoding

extension Payload {
    /// The payload as text if it is UTF-8 and every character is printable; else nil.
    package var printableText: String? {
        guard let text = String(validating: bytes, as: UTF8.self), text.unicodeScalars.allSatisfy(\.isPrintable) else {
            return nil
        }
        return text
    }
}

extension String {
    /// The text with each character that could move a terminal's cursor or hide something written as `\u{…}`.
    ///
    /// File names and text from the air come from strangers.
    package var escapedForTerminal: String {
        if unicodeScalars.allSatisfy(\.isPrintable) { return self }
        return unicodeScalars.reduce(into: "") { text, scalar in
            text += scalar.isPrintable ? String(scalar) : "\\u{\(String(scalar.value, radix: 16))}"
        }
    }
}

extension Unicode.Scalar {
    /// True for letters, digits, punctuation, symbols, the space and the emoji joiner; false for control characters.
    fileprivate var isPrintable: Bool {
        switch properties.generalCategory {
        case .control, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
        case .format: value == 0x200D
        default: true
        }
    }
}
