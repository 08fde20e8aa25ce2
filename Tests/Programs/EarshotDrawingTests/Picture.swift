import EarshotDrawing
import Foundation
import FoundationXML
import Testing

/// A drawing as an XML parser reads it, with the positions of everything on it.
final class Picture: NSObject, XMLParserDelegate {
    struct Element {
        let name: String
        let attributes: [String: String]
        var text = ""

        func number(_ key: String) -> Double { attributes[key].flatMap(Double.init) ?? .nan }
    }

    private(set) var elements: [Element] = []
    private var open: [Int] = []

    init(_ document: String) throws {
        super.init()
        let parser = XMLParser(data: Data(document.utf8))
        parser.delegate = self
        try #require(parser.parse(), "not well-formed: \(String(describing: parser.parserError))")
    }

    var texts: [String] { elements.filter { $0.name == "text" }.map(\.text) }
    var size: (width: Double, height: Double) { (elements[0].number("width"), elements[0].number("height")) }

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String]
    ) {
        open.append(elements.count)
        elements.append(Element(name: name, attributes: attributes))
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) {
        if let last = open.last { elements[last].text += string }
    }

    func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
        open.removeLast()
    }

    /// The elements that extend beyond the view box, and those without a position.
    var outside: [Element] {
        elements.dropFirst().filter { element in
            let corners = Self.corners(element)
            return !corners.allSatisfy { (0...size.width).contains($0.x) && (0...size.height).contains($0.y) }
        }
    }

    private static func corners(_ element: Element) -> [(x: Double, y: Double)] {
        switch element.name {
        case "rect":
            let (x, y) = (element.number("x"), element.number("y"))
            return [(x, y), (x + element.number("width"), y + element.number("height"))]
        case "circle":
            let (x, y, r) = (element.number("cx"), element.number("cy"), element.number("r"))
            return [(x - r, y - r), (x + r, y + r)]
        case "polygon":
            return (element.attributes["points"] ?? "").split(separator: " ").map { pair in
                let numbers = pair.split(separator: ",").map { Double($0) ?? .nan }
                return (numbers[0], numbers[1])
            }
        case "path": return places(element.attributes["d"] ?? "")
        case "text": return textCorners(element)
        default: return []
        }
    }

    /// The corners of a text in the widest of the usual fonts: 0.6 em a character, bold 0.68.
    private static func textCorners(_ element: Element) -> [(x: Double, y: Double)] {
        let isFixedPitch = element.attributes["font-family"]?.contains("monospace") == true
        let isBold = element.attributes["font-weight"] == "600"
        let size = element.number("font-size")
        let width = Double(element.text.count) * size * (isBold && !isFixedPitch ? 0.68 : 0.602)
        let left =
            switch element.attributes["text-anchor"] {
            case "middle": element.number("x") - width / 2
            case "end": element.number("x") - width
            default: element.number("x")
            }
        let y = element.number("y")
        return [(left, y - size), (left + width, y + 0.3 * size)]
    }

    /// All positions that path data of M, L, H, V and their relatives reach.
    static func places(_ data: String) -> [(x: Double, y: Double)] {
        var places: [(x: Double, y: Double)] = []
        var (x, y) = (0.0, 0.0)
        var rest = data[...]
        while let command = rest.popFirst() {
            let text = rest.prefix { !$0.isLetter }
            rest = rest.dropFirst(text.count)
            let numbers = text.split(separator: " ").map { Double($0) ?? .nan }
            switch command {
            case "M", "L": (x, y) = (numbers[0], numbers[1])
            case "m": (x, y) = (x + numbers[0], y + numbers[1])
            case "H": x = numbers[0]
            case "h": x += numbers[0]
            case "V": y = numbers[0]
            case "v": y += numbers[0]
            case "z": continue
            default: Issue.record("unknown path command \(command)")
            }
            places.append((x, y))
        }
        return places
    }
}
