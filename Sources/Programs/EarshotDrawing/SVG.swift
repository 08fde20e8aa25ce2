import EarshotBasics

/// A drawing under construction: elements in painting order, all texts escaped.
package struct SVG {
    package private(set) var body = ""

    package init() {}

    package enum Anchor: String {
        case start, middle, end
    }

    /// The style of a text. Widths in fixed pitch are known without a font: 0.6 em a character.
    package struct Style {
        package var size: Double
        package var colour: String
        package var isFixedPitch: Bool
        package var isBold: Bool

        package init(size: Double, colour: String, isFixedPitch: Bool = false, isBold: Bool = false) {
            self.size = size
            self.colour = colour
            self.isFixedPitch = isFixedPitch
            self.isBold = isBold
        }

        package static func width(characterCount: Int, size: Double) -> Double { 0.602 * size * Double(characterCount) }
    }

    /// Adds an element; attribute values are escaped, `content` is not.
    package mutating func element(_ name: String, _ attributes: KeyValuePairs<String, String>, content: String? = nil) {
        let list = attributes.map { " \($0.key)=\"\(SVG.escaped($0.value))\"" }.joined()
        body += content.map { "<\(name)\(list)>\($0)</\(name)>\n" } ?? "<\(name)\(list)/>\n"
    }

    package mutating func rectangle(
        _ frame: Rectangle, fill: String, stroke: String? = nil, radius: Double = 0, opacity: Double = 1
    ) {
        element(
            "rect",
            [
                "x": SVG.number(frame.x), "y": SVG.number(frame.y), "width": SVG.number(frame.width),
                "height": SVG.number(frame.height), "rx": SVG.number(radius), "fill": fill,
                "stroke": stroke ?? "none", "opacity": SVG.number(opacity),
            ])
    }

    package mutating func path(
        _ data: String, stroke: String, width: Double = 1, dash: String = "none", opacity: Double = 1
    ) {
        element(
            "path",
            [
                "d": data, "fill": "none", "stroke": stroke, "stroke-width": SVG.number(width),
                "stroke-dasharray": dash, "opacity": SVG.number(opacity),
            ])
    }

    package mutating func text(_ text: String, x: Double, y: Double, _ style: Style, anchor: Anchor = .start) {
        let family =
            style.isFixedPitch
            ? "'DejaVu Sans Mono',Menlo,Consolas,'Liberation Mono',monospace"
            : "system-ui,-apple-system,'Segoe UI','DejaVu Sans',Roboto,sans-serif"
        element(
            "text",
            [
                "x": SVG.number(x), "y": SVG.number(y), "font-family": family, "font-size": SVG.number(style.size),
                "font-weight": style.isBold ? "600" : "400", "fill": style.colour, "text-anchor": anchor.rawValue,
                "xml:space": "preserve",
            ], content: SVG.escaped(text))
    }

    /// Puts everything that `draw` draws inside a group element.
    package mutating func group(_ attributes: KeyValuePairs<String, String>, _ draw: (inout SVG) -> Void) {
        var inner = SVG()
        draw(&inner)
        element("g", attributes, content: "\n" + inner.body)
    }

    /// The complete SVG document, with title and description for screen readers.
    package func document(width: Double, height: Double, title: String, description: String) -> String {
        let size = "\(SVG.number(width)) \(SVG.number(height))"
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(size)" width="\(SVG.number(width))" \
            height="\(SVG.number(height))" role="img">
            <title>\(SVG.escaped(title))</title>
            <desc>\(SVG.escaped(description))</desc>
            \(body)</svg>

            """
    }

    /// A coordinate as text with two decimals, a hundredth of a pixel.
    package static func number(_ value: Double) -> String { DecimalText.short(value, decimals: 2) }

    /// The text escaped for XML. Characters that XML does not allow become U+FFFD.
    package static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "\u{0}"..<"\u{20}", "\u{FFFE}", "\u{FFFF}": result += "\u{FFFD}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
