import EarshotDrawing
import Testing

struct BarChartTests {
    private typealias Bar = BarChart.Bar

    private func bars(_ picture: Picture) -> [Picture.Element] {
        picture.elements.filter { $0.name == "rect" && $0.attributes["height"] == "18" }
    }

    private func x(_ text: String, _ picture: Picture) throws -> Double {
        try #require(picture.elements.first { $0.name == "text" && $0.text == text }, "no \(text)").number("x")
    }

    /// Compares lengths with the positions of the axis' labels; coordinates have two decimals.
    @Test func barsAreAsLongAsTheirValues() throws {
        let values = [-4.0, 6, 3, 0]
        let chart = BarChart(
            title: "t", valueName: "dB", decimals: 1,
            groups: [BarChart.Group(bars: values.map { Bar(name: "b", value: .number($0)) })])
        let picture = try Picture(chart.document())
        let (zero, six) = (try x("0", picture), try x("6", picture))
        for (value, bar) in zip(values, bars(picture)) {
            #expect(abs(bar.number("width") - abs(value) / 6 * (six - zero)) < 0.021)
            #expect(abs((value < 0 ? bar.number("x") + bar.number("width") : bar.number("x")) - zero) < 0.011)
        }
        #expect(["−4.0", "6.0", "3.0", "0.0"].allSatisfy(picture.texts.contains))
    }

    @Test func decadesAreEquallyLong() throws {
        let values = [20.0, 200, 2_000, 12_345.6]
        let chart = BarChart(
            title: "t", valueName: "times", isLogarithmic: true,
            groups: [BarChart.Group(name: "g", bars: values.map { Bar(name: "b", value: .number($0)) })])
        let picture = try Picture(chart.document())
        let lengths = bars(picture).map { $0.number("width") }
        let decade = try x("100", picture) - x("10", picture)
        // log₁₀ 2 = 0.30103
        #expect(abs(lengths[0] - 0.30103 * decade) < 0.05)
        #expect(abs(lengths[1] - lengths[0] - decade) < 0.021 && abs(lengths[2] - lengths[1] - decade) < 0.021)
        #expect(picture.texts.contains("12,346") && picture.texts.contains("1,000"))
    }

    @Test func barsWithoutAValueStateIt() throws {
        let chart = BarChart(
            title: "t", valueName: "times", isLogarithmic: true,
            groups: [
                BarChart.Group(
                    name: "g",
                    bars: [
                        Bar(name: "a", value: .never), Bar(name: "b", value: .notMeasured),
                        Bar(name: "c", value: .number(0)), Bar(name: "d", value: .number(.nan)),
                        Bar(name: "e", value: .number(5), text: "five or so", isHighlighted: true),
                    ])
            ])
        let picture = try Picture(chart.document())
        #expect(picture.texts.count { $0 == "not measured" } == 3)
        #expect(picture.texts.count { $0 == "never" } == 1)
        #expect(picture.texts.contains("five or so"))
        #expect(bars(picture).count == 1)
        let description = try #require(picture.elements.first { $0.name == "desc" }?.text)
        #expect(
            description
                == "times: g, a never; g, b not measured; g, c not measured; g, d not measured; g, e five or so.")
    }

    private static let hostile: [BarChart] = [
        BarChart(title: "", valueName: "", groups: []),
        BarChart(title: "", valueName: "", isLogarithmic: true, groups: [BarChart.Group(bars: [])]),
        BarChart(
            title: "<t> & \u{2}", footnote: "]]>", valueName: String(repeating: "v", count: 300),
            groups: [
                BarChart.Group(
                    name: String(repeating: "g", count: 300),
                    bars: [
                        Bar(name: String(repeating: "<", count: 300), value: .number(-1e300)),
                        Bar(name: "b", value: .number(1e300), text: String(repeating: "t", count: 300)),
                        Bar(name: "c", value: .never, isHighlighted: true),
                    ])
            ]),
        BarChart(
            title: "t", valueName: "v", isLogarithmic: true,
            groups: [BarChart.Group(bars: [1e-300, 1e300, 1].map { Bar(name: "b", value: .number($0)) })]),
        BarChart(
            title: "t", valueName: "v", decimals: 9,
            groups: [
                BarChart.Group(
                    bars: [-1e-9, -0.5].map { Bar(name: "b", value: .number($0)) } + [Bar(name: "n", value: .never)])
            ]),
    ]

    @Test(arguments: hostile.indices)
    func nothingLiesOutsideThePicture(index: Int) throws {
        let chart = Self.hostile[index]
        let document = chart.document()
        let picture = try Picture(document)
        #expect(picture.outside.map(\.attributes).isEmpty)
        #expect(picture.size.width == 900)
        #expect(document == chart.document())
    }
}
