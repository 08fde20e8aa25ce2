/// Values side by side as horizontal bars, in groups: speeds, sizes, levels.
///
/// On a logarithmic axis bars begin at a power of ten; on a linear one at zero, to either side.
/// The same values make the same text, to the byte.
package struct BarChart: Sendable {
    /// What was found for a bar.
    package enum Value: Sendable, Equatable {
        /// A number. On a logarithmic axis one that is not above zero is drawn as not measured, and so is everywhere what is
        /// not finite.
        case number(Double)
        /// It was tried, and there is no number: it never worked.
        case never
        /// It was not tried.
        case notMeasured
    }

    /// A value with its name.
    package struct Bar: Sendable {
        /// At its left.
        package var name: String
        /// How long it is.
        package var value: Value
        /// What stands at its end instead of the number; nil writes the number.
        package var text: String?
        /// Whether it is ours.
        package var isHighlighted: Bool

        /// A bar.
        package init(name: String, value: Value, text: String? = nil, isHighlighted: Bool = false) {
            self.name = name
            self.value = value
            self.text = text
            self.isHighlighted = isHighlighted
        }
    }

    /// Bars that belong together.
    package struct Group: Sendable {
        /// Above them; may be empty.
        package var name: String
        /// From top to bottom.
        package var bars: [Bar]

        /// A group.
        package init(name: String = "", bars: [Bar]) {
            self.name = name
            self.bars = bars
        }
    }

    /// Above everything.
    package var title: String
    /// Below the title; may be empty.
    package var subtitle: String
    /// Below everything; may be empty.
    package var footnote: String
    /// What the axis shows, with its unit.
    package var valueName: String
    /// Digits behind the point of the numbers at the bars, 0 ... 9; from 1,000 on there are none.
    package var decimals: Int
    /// Whether equal distances are equal factors.
    package var isLogarithmic: Bool
    /// From top to bottom.
    package var groups: [Group]

    /// A chart.
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

    /// The picture as SVG, 900 pixels wide.
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

    /// Every bar in words.
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

    /// What can be drawn as a length.
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
