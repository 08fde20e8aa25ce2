/// Values side by side as horizontal bars, in groups: speeds, sizes, levels.
///
/// On a logarithmic axis bars start at a power of ten; on a linear one they extend from zero to either side.
/// The same values give the same SVG text, byte for byte.
package struct BarChart: Sendable {
    /// The result that a bar shows.
    package enum Value: Sendable, Equatable {
        /// A number. The chart shows a number that is not finite, or not above zero on a logarithmic axis, as not
        /// measured.
        case number(Double)
        /// The measurement was tried and never succeeded, so there is no number.
        case never
        /// The measurement was not tried.
        case notMeasured
    }

    /// A value with its name.
    package struct Bar: Sendable {
        /// The name to the left of the bar.
        package var name: String
        /// The value, which gives the bar its length.
        package var value: Value
        /// The text at the end of the bar; nil writes the number.
        package var text: String?
        /// Whether the bar is highlighted, as one of Earshot's own results.
        package var isHighlighted: Bool

        /// Creates a bar from its properties.
        package init(name: String, value: Value, text: String? = nil, isHighlighted: Bool = false) {
            self.name = name
            self.value = value
            self.text = text
            self.isHighlighted = isHighlighted
        }
    }

    /// Bars that belong together.
    package struct Group: Sendable {
        /// The heading above the bars; may be empty.
        package var name: String
        /// The bars from top to bottom.
        package var bars: [Bar]

        /// Creates a group from its properties.
        package init(name: String = "", bars: [Bar]) {
            self.name = name
            self.bars = bars
        }
    }

    /// The title above the chart.
    package var title: String
    /// The text below the title; may be empty.
    package var subtitle: String
    /// The text below the chart; may be empty.
    package var footnote: String
    /// The name of the horizontal axis, with its unit.
    package var valueName: String
    /// The digits after the decimal point of the numbers at the bars, 0 ... 9; numbers from 1,000 on have none.
    package var decimals: Int
    /// Whether the axis is logarithmic: equal distances are equal factors.
    package var isLogarithmic: Bool
    /// The groups from top to bottom.
    package var groups: [Group]

    /// Creates a chart from its properties.
    package init(
        title: String, subtitle: String = "", footnote: String = "", valueName: String, decimals: Int = 0,
        isLogarithmic: Bool = false, groups: [Group]
    ) {
        self.title = title
        self.subtitle = subtitle
        self.footnote = footnote
        self.valueName = valueName
        self.decimals = decimals
        self.isLogarithmic = isLogarithmic
        self.groups = groups
    }

    private static let rowHeight = 28.0
    private static let barHeight = 18.0
    private static let headingHeight = 30.0
    private static let groupGap = 10.0
    private static let size = 13.0
    private static let largestNameCount = 36
    private static let largestTextCount = 24

    /// The chart as an SVG document, 900 pixels wide.
    package func document() -> String {
        let text = ChartText(title: title, subtitle: subtitle, footnote: footnote)
        let plot = plot(top: text.headHeight + 12)
        let footTop = plot.frame.bottom + 58
        let height = footTop + text.footHeight
        var svg = SVG()
        let page = Rectangle(x: 0, y: 0, width: ChartText.width, height: height)
        svg.rectangle(page, fill: Palette.background, radius: 10)
        plot.drawAxis(into: &svg, name: valueName)
        var y = plot.frame.y + 6
        for (index, group) in groups.enumerated() {
            if index > 0 { y += Self.groupGap }
            if !group.name.isEmpty {
                svg.text(
                    ChartText.shortened(group.name, to: 90), x: ChartText.margin, y: y + 20,
                    SVG.Style(size: 14, colour: Palette.text, isBold: true))
                y += Self.headingHeight
            }
            for bar in group.bars {
                draw(bar, into: &svg, plot, top: y)
                y += Self.rowHeight
            }
        }
        text.draw(into: &svg, footTop: footTop)
        return svg.document(
            width: ChartText.width, height: height, title: title, description: "\(valueName): \(summary).")
    }

    /// All bars in words.
    private var summary: String {
        groups.flatMap { group in
            group.bars.map { (group.name.isEmpty ? "" : group.name + ", ") + $0.name + " " + label($0) }
        }.joined(separator: "; ")
    }

    private func plot(top: Double) -> BarPlot {
        let bars = groups.flatMap(\.bars)
        func width(_ count: Int) -> Double { SVG.Style.width(characterCount: count, size: Self.size) }
        let nameWidth = width(min(bars.map { $0.name.count }.max() ?? 0, Self.largestNameCount))
        let height = groups.reduce(12 + Self.groupGap * Double(max(groups.count - 1, 0))) { sum, group in
            sum + (group.name.isEmpty ? 0 : Self.headingHeight) + Self.rowHeight * Double(group.bars.count)
        }
        let left = ChartText.margin + nameWidth + 14
        let frame = Rectangle(x: left, y: top, width: ChartText.right - left, height: height)
        let labels = bars.map { (value: number($0), width: width(label($0).count) + 16) }
        return BarPlot(frame: frame, labels: labels, isLogarithmic: isLogarithmic)
    }

    private func draw(_ bar: Bar, into svg: inout SVG, _ plot: BarPlot, top: Double) {
        let baseline = top + Self.rowHeight / 2 + 4.5
        svg.text(
            ChartText.shortened(bar.name, to: Self.largestNameCount), x: plot.frame.x - 12, y: baseline,
            SVG.Style(
                size: Self.size, colour: bar.isHighlighted ? Palette.text : Palette.faint, isFixedPitch: true,
                isBold: bar.isHighlighted), anchor: .end)
        guard let value = number(bar) else {
            svg.text(
                label(bar), x: plot.base + 8, y: baseline,
                SVG.Style(
                    size: Self.size, colour: bar.value == .never ? Palette.missing : Palette.faint, isFixedPitch: true))
            return
        }
        let end = plot.x(value)
        svg.rectangle(
            Rectangle(
                x: min(plot.base, end), y: top + (Self.rowHeight - Self.barHeight) / 2, width: abs(end - plot.base),
                height: Self.barHeight),
            fill: bar.isHighlighted ? Palette.sync : Palette.bar, radius: 2)
        svg.text(
            label(bar), x: end < plot.base ? end - 8 : end + 8, y: baseline,
            SVG.Style(size: Self.size, colour: Palette.text, isFixedPitch: true, isBold: bar.isHighlighted),
            anchor: end < plot.base ? .end : .start)
    }

    /// The value as a length; nil if the chart cannot draw it.
    private func number(_ bar: Bar) -> Double? {
        guard case .number(let value) = bar.value, value.isFinite, !isLogarithmic || value > 0 else { return nil }
        return value
    }

    private func label(_ bar: Bar) -> String {
        if let text = bar.text { return ChartText.shortened(text, to: Self.largestTextCount) }
        guard let value = number(bar) else { return bar.value == .never ? "never" : "not measured" }
        return BarPlot.text(value, decimals: decimals)
    }
}
