import Foundation
import FoundationXML
import Testing

/// The content of an SVG document, as an XML parser reads it.
final class SVGContent: NSObject, XMLParserDelegate {
    struct Element {
        let name: String
        let attributes: [String: String]
    }

    /// All characters outside of tags.
    private(set) var text = ""
    /// The elements in the order of the document.
    private(set) var elements: [Element] = []
    /// The content of each `text` element, in the order of the document.
    private(set) var labels: [String] = []
    private var isInLabel = false

    init(_ data: Data) throws {
        super.init()
        let parser = XMLParser(data: data)
        parser.delegate = self
        try #require(parser.parse(), "not well-formed: \(String(describing: parser.parserError))")
    }

    /// The attributes of every `path`.
    var paths: [[String: String]] { elements.filter { $0.name == "path" }.map(\.attributes) }

    /// The `text` element with this text.
    func label(_ text: String) throws -> [String: String] {
        let all = elements.filter { $0.name == "text" }
        let index = try #require(labels.firstIndex(of: text), "no label \(text) among \(labels)")
        return all[index].attributes
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) {
        text += string
        if isInLabel { labels[labels.count - 1] += string }
    }

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String]
    ) {
        elements.append(Element(name: name, attributes: attributes))
        isInLabel = name == "text"
        if isInLabel { labels.append("") }
    }

    func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
        isInLabel = false
    }
}
