import EarshotBasics

/// The positions of levels and shares on a curve chart, and the axes.
struct CurvePlot {
    /// The room beyond 0 and 100 %, so that points there are complete.
    private static let shares = -0.03...1.03

    let frame: Rectangle
    let range: ClosedRange<Double>
    private let ticks: Ticks

    /// Creates a plot that fits all finite levels of `places`.
    init(frame: Rectangle, places: [Double]) {
        self.frame = frame
        let finite = places.filter(\.isFinite)
        let (low, high) = (finite.min() ?? 0, finite.max() ?? 0)
        // A single level, or none, gets a range around it.
        let room = high > low ? 0.025 * (high - low) : 1
        range = low - room...high + room
        ticks = Ticks(in: range, count: Int(frame.width / 55))
    }

    func x(_ value: Double) -> Double {
        frame.x + (value - range.lowerBound) / (range.upperBound - range.lowerBound) * frame.width
    }

    /// The vertical position of a share; shares beyond 0 ... 1 are drawn at the edge.
    func y(_ share: Double) -> Double {
        let place = (min(max(share, 0), 1) - Self.shares.lowerBound) / (Self.shares.upperBound - Self.shares.lowerBound)
        return frame.bottom - place * frame.height
    }

    func drawAxes(into svg: inout SVG, xName: String, shareName: String, markedShare: Double?) {
        let style = SVG.Style(size: 13, colour: Palette.faint, isFixedPitch: true)
        svg.rectangle(frame, fill: Palette.panel)
        for percent in stride(from: 0, through: 100, by: 10) {
            let y = y(Double(percent) / 100)
            drawLine(&svg, y: y, isStrong: percent.isMultiple(of: 50))
            svg.text("\(percent) %", x: frame.x - 9, y: y + 4.5, style, anchor: .end)
        }
        for value in ticks.values {
            let x = x(value)
            svg.path(
                "M\(SVG.number(x)) \(SVG.number(frame.y))v\(SVG.number(frame.height))", stroke: Palette.line,
                opacity: 0.45)
            svg.path("M\(SVG.number(x)) \(SVG.number(frame.bottom))v6", stroke: Palette.faint)
            svg.text(
                DecimalText.typeset(value, decimals: ticks.decimals), x: x, y: frame.bottom + 22, style, anchor: .middle
            )
        }
        if let markedShare {
            svg.path(
                "M\(SVG.number(frame.x)) \(SVG.number(y(markedShare)))h\(SVG.number(frame.width))",
                stroke: Palette.text, width: 1.2, dash: "2 4", opacity: 0.7)
        }
        svg.path(frame.outline, stroke: Palette.line)
        let name = SVG.Style(size: 13, colour: Palette.text)
        let count = Int(frame.width / SVG.Style.width(characterCount: 1, size: 13))
        svg.text(ChartText.shortened(shareName, to: count), x: frame.x, y: frame.y - 9, name)
        svg.text(
            ChartText.shortened(xName, to: count), x: frame.x + frame.width / 2, y: frame.bottom + 44, name,
            anchor: .middle)
    }

    private func drawLine(_ svg: inout SVG, y: Double, isStrong: Bool) {
        svg.path(
            "M\(SVG.number(frame.x)) \(SVG.number(y))h\(SVG.number(frame.width))", stroke: Palette.line,
            opacity: isStrong ? 1 : 0.45)
    }
}
