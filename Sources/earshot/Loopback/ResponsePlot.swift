import EarshotConsole
import EarshotDrawing
import EarshotLoopback

/// Where frequencies and levels lie on the drawing of a pair's response, and the axes that say so.
struct ResponsePlot {
    /// All pictures show the same frequencies, so that devices can be compared; what was not measured stays empty.
    static let hertz = 17_000.0...23_000.0
    /// At most this is shown below the strongest: what lies deeper is gone anyway.
    private static let largestSpanDecibels = 100.0

    let frame: Rectangle
    let decibels: ClosedRange<Double>

    /// A plot that shows all of some levels, in whole steps of 10 dB.
    init(frame: Rectangle, levels: [Double]) {
        self.frame = frame
        let finite = levels.filter(\.isFinite)
        let top = (((finite.max() ?? 0) + 6) / 10).rounded(.up) * 10
        let bottom = (((finite.min() ?? -60) - 4) / 10).rounded(.down) * 10
        decibels = max(min(bottom, top - 30), top - Self.largestSpanDecibels)...top
    }

    func x(_ hertz: Double) -> Double {
        frame.x + (hertz - Self.hertz.lowerBound) / (Self.hertz.upperBound - Self.hertz.lowerBound) * frame.width
    }

    /// Levels beyond the plot lie at its edge.
    func y(_ level: Double) -> Double {
        let level = level.isNaN ? decibels.lowerBound : level.clamped(to: decibels)
        return frame.bottom - (level - decibels.lowerBound) / (decibels.upperBound - decibels.lowerBound) * frame.height
    }

    /// Path data of a curve through points from left to right.
    func curve(_ points: [(hertz: Double, level: Double)]) -> String {
        points.enumerated().map { index, point in
            "\(index == 0 ? "M" : "L")\(SVG.number(x(point.hertz))) \(SVG.number(y(point.level)))"
        }.joined()
    }

    func drawAxes(into svg: inout SVG) {
        let style = SVG.Style(size: 14, colour: Palette.faint, isFixedPitch: true)
        let step = decibels.upperBound - decibels.lowerBound > 60 ? 20.0 : 10
        var level = (decibels.lowerBound / step).rounded(.up) * step
        while level <= decibels.upperBound {
            let y = y(level)
            svg.path(
                "M\(SVG.number(frame.x)) \(SVG.number(y))h\(SVG.number(frame.width))", stroke: Palette.data,
                dash: "1 6", opacity: 0.22)
            svg.text(DecimalText.typeset(level, decimals: 0), x: frame.x - 9, y: y + 5, style, anchor: .end)
            level += step
        }
        for hertz in stride(from: Self.hertz.lowerBound, through: Self.hertz.upperBound, by: 500) {
            svg.path("M\(SVG.number(x(hertz))) \(SVG.number(frame.bottom))v6", stroke: Palette.faint)
            svg.text(
                DecimalText.text(hertz / 1_000, decimals: 1), x: x(hertz), y: frame.bottom + 24, style, anchor: .middle)
        }
        svg.text("dB", x: frame.x - 9, y: frame.y - 10, style, anchor: .end)
        svg.text("kHz", x: frame.right, y: frame.bottom + 44, style, anchor: .middle)
        svg.path(frame.outline, stroke: Palette.line)
    }
}

extension Comparable {
    fileprivate func clamped(to range: ClosedRange<Self>) -> Self {
        min(max(self, range.lowerBound), range.upperBound)
    }
}
