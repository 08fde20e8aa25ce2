/// Text in the form that the man(7) macros need.
enum Roff {
    /// Text in which every character is literal, at the beginning of a line too.
    ///
    /// A hyphen-minus stays a hyphen within words, where a line may break; before an option or a number it becomes a minus,
    /// so that it can be copied into a shell.
    static func text(_ text: String) -> String {
        escaped(text, keepsHyphens: true)
    }

    /// Text that a user types or a program prints: every hyphen-minus stays one.
    static func literal(_ text: String) -> String {
        escaped(text, keepsHyphens: false)
    }

    static func bold(_ text: String) -> String { "\\fB\(literal(text))\\fR" }

    static func italic(_ text: String) -> String { "\\fI\(literal(text))\\fR" }

    /// A macro's argument in quotation marks.
    static func argument(_ text: String) -> String {
        "\"\(literal(text))\""
    }

    private static func escaped(_ text: String, keepsHyphens: Bool) -> String {
        var result = ""
        var previous: Unicode.Scalar = " "
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": result += "\\e"
            case "'": result += "\\(aq"
            case "\"": result += "\\(dq"
            case "`": result += "\\(ga"
            case "^": result += "\\(ha"
            case "~": result += "\\(ti"
            case "-": result += keepsHyphens && previous.properties.isAlphabetic ? "-" : "\\-"
            case ".": result += result.isEmpty ? "\\&." : "."
            case "\n": result += " "
            case _ where scalar.isASCII: result.unicodeScalars.append(scalar)
            default: result += "\\[u\(fourDigits(scalar.value))]"
            }
            previous = scalar
        }
        return result
    }

    private static func fourDigits(_ value: UInt32) -> String {
        let digits = String(value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
