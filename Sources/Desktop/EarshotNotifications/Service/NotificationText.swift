/// Prepares texts for display.
enum NotificationText {
    /// The text without control characters, cut with an ellipsis.
    ///
    /// It removes controls, private characters, and the formatting characters that change the direction of the text
    /// around them. Joiners and marks of direction stay, because scripts need them.
    /// - Parameters:
    ///   - maximumScalarCount: above 0.
    ///   - keepsLines: whether line ends stay; otherwise they become spaces.
    static func cleaned(_ text: String, maximumScalarCount: Int, keepsLines: Bool = false) -> String {
        var scalars = String.UnicodeScalarView()
        var count = 0
        var isAfterReturn = false
        for scalar in text.unicodeScalars {
            let isLineFeed = scalar == "\n"
            defer { isAfterReturn = scalar == "\r" }
            // A carriage return with a line feed is one line end.
            if isLineFeed && isAfterReturn { continue }
            guard let shown = shown(scalar, keepsLines: keepsLines) else { continue }
            guard count < maximumScalarCount else {
                scalars.removeLast()
                scalars.append("…")
                break
            }
            scalars.append(shown)
            count += 1
        }
        return String(scalars)
    }

    private static func shown(_ scalar: Unicode.Scalar, keepsLines: Bool) -> Unicode.Scalar? {
        switch scalar.value {
        case 0x0A, 0x0D, 0x85, 0x2028, 0x2029: return keepsLines ? "\n" : " "
        case 0x09: return " "
        // The zero-width joiners, and the marks of direction.
        case 0x200C...0x200F, 0x061C: return scalar
        default: break
        }
        if scalar.properties.isNoncharacterCodePoint { return nil }
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse: return nil
        default: return scalar
        }
    }

    /// The text escaped, so that markup shows it literally.
    static func escaped(_ text: String) -> String {
        var escaped = ""
        for character in text.unicodeScalars {
            switch character {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            default: escaped.unicodeScalars.append(character)
            }
        }
        return escaped
    }
}
