/// Numbers as text for readers and JSON: a fixed count of decimals, a point, no exponent, no negative zero.
package enum DecimalText {
    /// `value` with `decimals` (0 ... 9) digits after the decimal point, halves rounded away from zero; nil if it is
    /// not finite or has too many digits to be exact.
    package static func fixed(_ value: Double, decimals: Int) -> String? {
        let scale = (0..<decimals).reduce(1.0) { power, _ in power * 10 }
        let scaled = (value * scale).rounded()
        guard scaled.magnitude < 0x1p53 else { return nil }
        let digits = String(Int(scaled.magnitude))
        let padded = String(repeating: "0", count: max(0, decimals + 1 - digits.count)) + digits
        let sign = scaled < 0 ? "-" : ""
        guard decimals > 0 else { return sign + padded }
        return sign + padded.dropLast(decimals) + "." + padded.suffix(decimals)
    }

    /// `value` with at most `decimals` digits after the decimal point and without trailing zeros: -12, 0.5.
    package static func short(_ value: Double, decimals: Int = 3) -> String {
        guard var text = fixed(value, decimals: decimals) else { return "\(value)" }
        if text.contains(".") {
            while text.hasSuffix("0") { text.removeLast() }
            if text.hasSuffix(".") { text.removeLast() }
        }
        return text
    }

    /// `value` with `decimals` digits, for readers; non-finite values become words.
    package static func text(_ value: Double, decimals: Int) -> String {
        fixed(value, decimals: decimals) ?? "\(value)"
    }

    /// The same with a minus sign as wide as a plus, for pictures.
    package static func typeset(_ value: Double, decimals: Int) -> String {
        let text = text(value, decimals: decimals)
        return text.hasPrefix("-") ? "−" + text.dropFirst() : text
    }

    /// `value` in groups of three digits: 12,345.
    package static func grouped(_ value: Int) -> String {
        var text = ""
        for (index, digit) in String(value.magnitude).reversed().enumerated() {
            if index > 0, index.isMultiple(of: 3) { text.append(",") }
            text.append(digit)
        }
        return (value < 0 ? "-" : "") + String(text.reversed())
    }
}
