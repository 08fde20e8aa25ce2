/// The background of a picture. Pictures are drawn on a dark one; the light one is derived from it.
package enum PictureTheme: String, CaseIterable, Sendable {
    case dark, light

    /// A document of `SVG` in this theme. The lightness of each colour is inverted, L' = 1 − 0.85·(L − 0.17) in OKLab,
    /// and its hue stays: the background becomes white, the text nearly black, and bright colours dark.
    package func applied(to document: String) -> String {
        guard self == .light else { return document }
        var result = ""
        result.reserveCapacity(document.utf8.count)
        // Colours are values of attributes. Text cannot look like one, because its quotation marks are escaped.
        var rest = document[...]
        while let start = rest.firstRange(of: "\"#") {
            result += rest[..<start.lowerBound]
            let value = rest[start.upperBound...].prefix(6)
            let end = rest.index(start.upperBound, offsetBy: 6, limitedBy: rest.endIndex) ?? rest.endIndex
            if value.count == 6, let colour = OKLab(hex: value), rest[end...].hasPrefix("\"") {
                result += "\"\(colour.turnedOver.hex)"
                rest = rest[end...]
            } else {
                result += "\"#"
                rest = rest[start.upperBound...]
            }
        }
        return result + rest
    }
}

extension OKLab {
    fileprivate var turnedOver: OKLab { OKLab(lightness: 1 - 0.85 * (lightness - 0.17), a: a, b: b) }
}
