import EarshotBasics
import RealModule

/// The positions of values on a bar chart, and the axis.
struct BarPlot {
    let frame: Rectangle
    private let isLogarithmic: Bool
    private let range: ClosedRange<Double>
    /// The horizontal range of the values; the labels at the bars' ends have room beside it.
    private let left: Double
    private let right: Double

    /// Creates a plot that fits the given values and the label at the end of each.
    init(frame: Rectangle, labels: [(value: Double?, width: Double)], isLogarithmic: Bool) {
        self.frame = frame
        self.isLogarithmic = isLogarithmic
        let values = labels.compactMap(\.value)
        // A label without a value is drawn where bars start.
        let room = labels.filter { ($0.value ?? 0) < 0 && !isLogarithmic }.map(\.width).max()
        left = frame.x + (room ?? 0)
        right = frame.right - (labels.filter { ($0.value ?? 0) >= 0 || isLogarithmic }.map(\.width).max() ?? 12)
        if isLogarithmic {
            // The range is at least a decade, and the shortest bar is visible.
            let low = Double.log10((values.min() ?? 1) * 0.8).rounded(.down)
            range = low...max(.log10(values.max() ?? 10), low + 1)
        } else {
            let (low, high) = (min(values.min() ?? 0, 0), max(values.max() ?? 0, 0))
            range = low...(high > low ? high : low + 1)
        }
    }

    /// The position where bars start, in pixels.
    var base: Double { isLogarithmic ? left : x(0) }

    func x(_ value: Double) -> Double {
        let place = isLogarithmic ? Double.log10(value) : value
        return left + (place - range.lowerBound) / (range.upperBound - range.lowerBound) * (right - left)
    }

    func drawAxis(into svg: inout SVG, name: String) {
        svg.rectangle(frame, fill: Palette.panel)
        let ticks = ticks
        for value in minorTicks { drawLine(&svg, x: x(value), opacity: 0.35) }
        var free = -Double.infinity
        for value in ticks.values {
            let x = x(value)
            drawLine(&svg, x: x, opacity: value == 0 ? 1 : 0.8)
            let text = Self.text(value, decimals: ticks.decimals(value))
            let width = SVG.Style.width(characterCount: text.count, size: 13)
            let middle = min(x, ChartText.right - width / 2)
            guard middle - width / 2 >= free else { continue }
            svg.path("M\(SVG.number(x)) \(SVG.number(frame.bottom))v6", stroke: Palette.faint)
            svg.text(
                text, x: middle, y: frame.bottom + 22, SVG.Style(size: 13, colour: Palette.faint, isFixedPitch: true),
                anchor: .middle)
            free = middle + width / 2 + 12
        }
        svg.path(frame.outline, stroke: Palette.line)
        let count = Int(frame.width / SVG.Style.width(characterCount: 1, size: 13))
        svg.text(
            ChartText.shortened(name, to: count), x: frame.x + frame.width / 2, y: frame.bottom + 44,
            SVG.Style(size: 13, colour: Palette.text), anchor: .middle)
    }

    private func drawLine(_ svg: inout SVG, x: Double, opacity: Double) {
        svg.path(
            "M\(SVG.number(x)) \(SVG.number(frame.y))v\(SVG.number(frame.height))", stroke: Palette.line,
            opacity: opacity)
    }

    private var ticks: (values: [Double], decimals: (Double) -> Int) {
        if isLogarithmic {
            let values = Ticks.decades(in: .exp10(range.lowerBound)...Double.exp10(range.upperBound))
            return (values, { $0 >= 1 ? 0 : min(Int((-Double.log10($0)).rounded()), 9) })
        }
        let ticks = Ticks(in: range, count: max(Int((right - left) / 75), 2))
        return (ticks.values, { _ in ticks.decimals })
    }

    /// The multiples 2, 3 … 9 of powers of ten.
    private var minorTicks: [Double] {
        guard isLogarithmic else { return [] }
        let highest = Double.exp10(range.upperBound)
        return Ticks.decades(in: .exp10(range.lowerBound)...highest).flatMap { decade in
            (2...9).map { Double($0) * decade }.filter { $0 <= highest }
        }
    }

    /// A number with groups of three digits, and without decimals from 1,000 on.
    static func text(_ value: Double, decimals: Int) -> String {
        guard value.magnitude >= 999.5, value.magnitude < 1e15 else {
            return DecimalText.typeset(value, decimals: decimals)
        }
        return (value < 0 ? "−" : "") + DecimalText.grouped(Int(value.magnitude.rounded()))
    }
}
