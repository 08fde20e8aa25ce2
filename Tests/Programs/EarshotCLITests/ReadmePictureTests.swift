import Foundation
import TestSupport
import Testing

/// The README's picture is the one that `inspect` draws today.
///
/// The comparison is by the visible content, not by bytes. The order of floating-point sums differs between processors
/// and between builds, so the last printed digit of a figure and single cells of the spectrogram may differ.
@Suite(.optimized) struct ReadmePictureTests {
    private static let remake = "earshot inspect Fixtures/two-talkers.48000.u8.wav -o docs/two-talkers.svg"

    @Test func thePictureIsUpToDate() throws {
        let scratch = try Scratch()
        let recording = Repository.path("Fixtures/two-talkers.48000.u8.wav")
        let result = try Tool.run(["inspect", recording, "-o", "new.svg"], in: scratch)
        try #require(result.status == 0, "\(result.error)")
        let drawn = try SVGContent(scratch.data("new.svg"))
        let shown = try SVGContent(Repository.contents("docs/two-talkers.svg"))

        let differences = Self.differences(shown, drawn)
        #expect(
            differences.isEmpty,
            """
            docs/two-talkers.svg is out of date. Remake it with
              \(Self.remake)
            \(differences.prefix(5).joined(separator: "\n"))
            """)
    }

    /// The comparison notices a change of two units in the last digit, of 1 px, and of one colour's area by 2 %.
    @Test func theComparisonNoticesVisibleChanges() throws {
        let shown = try Repository.contents("docs/two-talkers.svg")
        let text = String(decoding: shown, as: UTF8.self)
        func differences(_ old: String, _ new: String) throws -> [String] {
            try #require(text.contains(old))
            let changed = text.replacing(old, with: new, maxReplacements: 1)
            return Self.differences(try SVGContent(shown), try SVGContent(Data(changed.utf8)))
        }
        #expect(try differences("0.100 s", "0.101 s").isEmpty)
        #expect(try differences("0.100 s", "0.102 s").count == 1)
        #expect(try differences("a1a1a1a1", "a1a1a1a2").count == 1)
        #expect(try differences("<rect x=\"78\"", "<rect x=\"78.4\"").isEmpty)
        #expect(try differences("<rect x=\"78\"", "<rect x=\"79\"").count == 1)
        #expect(try differences("#101534\" d=\"", "#101534\" d=\"m0 0h2").isEmpty)
        #expect(try differences("#101534\" d=\"", "#101534\" d=\"m0 0h500").count == 1)
    }

    /// One line for each visible difference.
    private static func differences(_ old: SVGContent, _ new: SVGContent) -> [String] {
        guard old.labels.count == new.labels.count, old.elements.count == new.elements.count else {
            return ["it has \(new.labels.count) labels and \(new.elements.count) elements now"]
        }
        let labels = zip(old.labels, new.labels).filter { !isAlike($0, $1) }.map { "\($0) is \($1) now" }
        let elements = zip(old.elements, new.elements).compactMap(difference)
        return labels + elements
    }

    /// Whether words are equal, and numbers differ by at most one unit of their last digit.
    private static func isAlike(_ old: String, _ new: String) -> Bool {
        let (old, new) = (old.split(separator: " "), new.split(separator: " "))
        return old.count == new.count
            && zip(old, new).allSatisfy { old, new in
                if old == new { return true }
                guard let a = Double(old), let b = Double(new) else { return false }
                let decimals = old.split(separator: ".").dropFirst().first?.count ?? 0
                return abs(a - b) < 1.5 * pow(10, -Double(decimals))
            }
    }

    private static func difference(_ old: SVGContent.Element, _ new: SVGContent.Element) -> String? {
        let sizes = ["x", "y", "width", "height", "transform"]
        let isEnergy = old.name == "path" && old.attributes["fill"] == nil && old.attributes["d"]?.first == "m"
        for (name, value) in old.attributes {
            let now = new.attributes[name] ?? "nothing"
            let isEqual =
                switch name {
                case "d" where isEnergy: hasEqualArea(value, now)
                case "d": isNear(value, now)
                case _ where sizes.contains(name): isNear(value, now)
                default: value == now
                }
            if !isEqual { return "\(old.name): \(name) \(value.prefix(60)) is \(now.prefix(60)) now" }
        }
        return old.name == new.name ? nil : "\(old.name) is \(new.name) now"
    }

    /// Whether letters are equal, and coordinates differ by less than 0.5 px of 1,200.
    private static func isNear(_ old: String, _ new: String) -> Bool {
        let number = /-?[0-9]+(\.[0-9]+)?/
        let (a, b) = (old.matches(of: number), new.matches(of: number))
        return a.count == b.count && old.replacing(number, with: "n") == new.replacing(number, with: "n")
            && zip(a, b).allSatisfy { abs((Double($0.output.0) ?? 0) - (Double($1.output.0) ?? 0)) < 0.5 }
    }

    /// Whether one colour of the spectrogram paints nearly the same number of cells: within 1 %, or within 3 cells if
    /// it paints few.
    private static func hasEqualArea(_ old: String, _ new: String) -> Bool {
        func area(_ path: String) -> Int {
            path.split(separator: "h").dropFirst().reduce(0) { $0 + (Int($1.prefix { $0.isNumber }) ?? 0) }
        }
        let (a, b) = (area(old), area(new))
        return abs(a - b) <= max(3, a / 100)
    }
}
