import EarshotDrawing
import Testing

struct CurveChartTests {
    private typealias Curve = CurveChart.Curve
    private typealias Point = CurveChart.Point

    /// A curve that rises from 0 to 100 % within 4 dB.
    private static func rising(_ name: String, from start: Double, kind: CurveChart.Kind = .measured) -> Curve {
        Curve(
            name: name, kind: kind,
            points: (0...8).map { step in
                let share = Double(step) / 8
                return Point(
                    x: start + Double(step) / 2, share: share, interval: max(share - 0.1, 0)...min(share + 0.1, 1))
            })
    }

    /// The axes' labels give the positions of 0 and 100 % and of −10 and −6 dB: these determine the positions of the
    /// points.
    @Test func pointsLieAtTheirAxisPositions() throws {
        let chart = CurveChart(title: "t", curves: [Self.rising("a", from: -10), Self.rising("b", from: -2)])
        let picture = try Picture(chart.document())
        func label(_ text: String) throws -> Picture.Element {
            try #require(picture.elements.first { $0.name == "text" && $0.text == text }, "no label \(text)")
        }
        let (x0, x1) = (try label("−10").number("x"), try label("−6").number("x"))
        let (y0, y1) = (try label("0 %").number("y") - 4.5, try label("100 %").number("y") - 4.5)
        let circles = picture.elements.filter { $0.name == "circle" }
        #expect(circles.count == 9)
        for (index, circle) in circles.enumerated() {
            let part = Double(index) / 8
            // Coordinates have two decimals.
            #expect(abs(circle.number("cx") - (x0 + part * (x1 - x0))) < 0.011)
            #expect(abs(circle.number("cy") - (y0 + part * (y1 - y0))) < 0.011)
        }
        let bars = try #require(picture.elements.first { $0.attributes["stroke-width"] == "1.3" }?.attributes["d"])
        let middle = Picture.places(bars)[4 * 6..<5 * 6].map(\.y)
        #expect(try abs(#require(middle.max()) - (y0 + 0.4 * (y1 - y0))) < 0.011)
        #expect(try abs(#require(middle.min()) - (y0 + 0.6 * (y1 - y0))) < 0.011)
    }

    @Test func namesStandAtTheCurvesIfThereIsRoom() throws {
        let apart = CurveChart(title: "t", curves: [Self.rising("left", from: -10), Self.rising("right", from: 0)])
        let (few, many) = (try Picture(apart.document()), try Picture(Self.crowd.document()))
        func place(_ name: String, _ picture: Picture) throws -> Double {
            try #require(picture.elements.first { $0.name == "text" && $0.text == name }).number("x")
        }
        // At a third of its height, right of the curve's middle; in a legend the names are below each other.
        #expect(try place("right", few) - place("left", few) > 300)
        #expect(try place("curve 0", many) == place("curve 11", many))
        #expect(try place("curve 0", many) > 600)
        #expect(Self.crowd.curves.allSatisfy { many.texts.contains($0.name) })
        // The legend lists curves in the order in which they rise, not in the chart's order.
        #expect(many.texts.filter { $0.hasPrefix("curve") }.first == "curve 11")
    }

    private static let crowd = CurveChart(
        title: "t", curves: (0..<12).map { Self.rising("curve \($0)", from: -Double($0) / 5) })

    private static let hostile: [CurveChart] = [
        CurveChart(title: "", curves: []),
        CurveChart(title: "one point", curves: [Curve(name: "x", points: [Point(x: 3, share: 0.5)])]),
        CurveChart(
            title: String(repeating: "word ", count: 60) + String(repeating: "w", count: 300),
            subtitle: String(repeating: "s", count: 300), footnote: String(repeating: "foot note ", count: 100),
            xName: String(repeating: "x", count: 300), shareName: String(repeating: "y", count: 300), markedShare: 7,
            curves: [Self.rising(String(repeating: "n", count: 300), from: 0, kind: .highlighted)]),
        CurveChart(
            title: "<a href=\"x\"> & \u{1}",
            curves: [
                Curve(
                    name: "]]> <!-- & \u{1F}", colour: "\"/><script>",
                    points: [
                        Point(x: .nan, share: 0.5), Point(x: 1, share: .infinity), Point(x: -1e300, share: 2),
                        Point(x: 1e300, share: -1, interval: -5...5), Point(x: 5, share: 0.3),
                    ])
            ]),
        crowd,
        CurveChart(title: "t", curves: (0..<40).map { Self.rising("curve \($0)", from: -Double($0), kind: .bound) }),
    ]

    @Test(arguments: hostile.indices)
    func nothingLiesOutsideThePicture(index: Int) throws {
        let chart = Self.hostile[index]
        let document = chart.document()
        let picture = try Picture(document)
        #expect(picture.outside.map(\.attributes).isEmpty)
        #expect(picture.size.width == 900)
        #expect(picture.elements.contains { $0.name == "title" } && picture.elements.contains { $0.name == "desc" })
        #expect(!picture.elements.contains { $0.name == "script" || $0.name == "a" })
        #expect(document == chart.document())
    }
}
