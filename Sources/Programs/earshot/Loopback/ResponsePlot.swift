import EarshotBasics
import EarshotConsole
import EarshotDrawing
import EarshotLoopback

/// The places of frequencies and levels on the drawing of a pair's response, and its axes.
struct ResponsePlot {
    /// All pictures show the same frequencies, so that devices can be compared; unmeasured parts stay empty.
    static let hertz = 17_000.0...23_000.0
    /// The plot ends this far below the strongest level: no receiver decodes anything deeper.
    private static let maximumSpanDecibels = 100.0

    let frame: Rectangle
    /// The left axis: received over sent, dB.
    let responseDecibels: ClosedRange<Double>
    /// The right axis: noise in 1,500 Hz, dBFS.
    let noiseDecibels: ClosedRange<Double>

    /// A plot that shows all levels; the left axis spans whole steps of 10 dB.
    /// - Parameters:
    ///   - responseLevels: received over sent, dB.
    ///   - noiseLevels: noise in 1,500 Hz, dBFS.
    ///   - tokenLevelDecibels: the level on the right axis opposite 0 dB on the left one, dBFS.
    init(frame: Rectangle, responseLevels: [Double], noiseLevels: [Double], tokenLevelDecibels: Double) {
        self.frame = frame
        let finite = (responseLevels + noiseLevels.map { $0 - tokenLevelDecibels }).filter(\.isFinite)
        let top = (((finite.max() ?? 0) + 6) / 10).rounded(.up) * 10
        let bottom = (((finite.min() ?? -60) - 4) / 10).rounded(.down) * 10
        responseDecibels = max(min(bottom, top - 30), top - Self.maximumSpanDecibels)...top
        noiseDecibels =
            (responseDecibels.lowerBound + tokenLevelDecibels)...(responseDecibels.upperBound + tokenLevelDecibels)
    }

    func x(_ hertz: Double) -> Double {
        frame.x + (hertz - Self.hertz.lowerBound) / (Self.hertz.upperBound - Self.hertz.lowerBound) * frame.width
    }

    /// Levels beyond the plot are at its edge.
    func y(response level: Double) -> Double { y(level, on: responseDecibels) }

    /// Levels beyond the plot are at its edge.
    func y(noise level: Double) -> Double { y(level, on: noiseDecibels) }

    private func y(_ level: Double, on axis: ClosedRange<Double>) -> Double {
        let level = level.isNaN ? axis.lowerBound : level.clamped(to: axis)
        return frame.bottom - (level - axis.lowerBound) / (axis.upperBound - axis.lowerBound) * frame.height
    }

    /// Path data of a curve through points from left to right.
    func curve(_ points: [(x: Double, y: Double)]) -> String {
        points.enumerated().map { index, point in
            "\(index == 0 ? "M" : "L")\(SVG.number(point.x)) \(SVG.number(point.y))"
        }.joined()
    }

    func drawAxes(into svg: inout SVG, responseColour: String, noiseColour: String) {
        for level in ticks(responseDecibels) {
            let y = y(response: level)
            svg.path(
                "M\(SVG.number(frame.x)) \(SVG.number(y))h\(SVG.number(frame.width))", stroke: Palette.data,
                dash: "1 6", opacity: 0.22)
            drawNumber(level, x: frame.x - 9, y: y, responseColour, .end, into: &svg)
        }
        for level in ticks(noiseDecibels) {
            let y = y(noise: level)
            svg.path("M\(SVG.number(frame.right)) \(SVG.number(y))h6", stroke: noiseColour)
            drawNumber(level, x: frame.right + 10, y: y, noiseColour, .start, into: &svg)
        }
        let style = SVG.Style(size: 14, colour: Palette.faint, isFixedPitch: true)
        for hertz in stride(from: Self.hertz.lowerBound, through: Self.hertz.upperBound, by: 500) {
            svg.path("M\(SVG.number(x(hertz))) \(SVG.number(frame.bottom))v6", stroke: Palette.faint)
            svg.text(
                DecimalText.text(hertz / 1_000, decimals: 1), x: x(hertz), y: frame.bottom + 24, style, anchor: .middle)
        }
        svg.text("kHz", x: frame.right, y: frame.bottom + 44, style, anchor: .middle)
        svg.path(frame.outline, stroke: Palette.line)
    }

    /// Multiples of 10 dB, or of 20 dB on a long axis.
    private func ticks(_ axis: ClosedRange<Double>) -> StrideThrough<Double> {
        let step = axis.upperBound - axis.lowerBound > 60 ? 20.0 : 10
        return stride(from: (axis.lowerBound / step).rounded(.up) * step, through: axis.upperBound, by: step)
    }

    private func drawNumber(
        _ level: Double, x: Double, y: Double, _ colour: String, _ anchor: SVG.Anchor, into svg: inout SVG
    ) {
        let style = SVG.Style(size: 14, colour: colour, isFixedPitch: true)
        svg.text(DecimalText.typeset(level, decimals: 0), x: x, y: y + 5, style, anchor: anchor)
    }
}

extension Comparable {
    fileprivate func clamped(to range: ClosedRange<Self>) -> Self {
        min(max(self, range.lowerBound), range.upperBound)
    }
}
