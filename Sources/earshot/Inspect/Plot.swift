import EarshotDrawing
import Glibc

/// Where times and frequencies lie on the drawing, and the axes that say so.
struct Plot {
    let frame: Rectangle
    let times: ClosedRange<Double>
    let hertz: ClosedRange<Double>

    var pixelsPerSecond: Double { frame.width / (times.upperBound - times.lowerBound) }
    var pixelsPerHertz: Double { frame.height / (hertz.upperBound - hertz.lowerBound) }

    func x(seconds: Double) -> Double { frame.x + (seconds - times.lowerBound) * pixelsPerSecond }
    func y(hertz value: Double) -> Double { frame.bottom - (value - hertz.lowerBound) * pixelsPerHertz }

    func drawAxes(into svg: inout SVG) {
        let style = SVG.Style(size: 14, colour: Palette.faint, isFixedPitch: true)
        for value in stride(from: 18_500.0, through: 20_000.0, by: 500) {
            let y = y(hertz: value)
            let isEdge = value == 18_500 || value == 20_000
            svg.path(
                "M\(SVG.number(frame.x)) \(SVG.number(y))h\(SVG.number(frame.width))", stroke: "#ffffff",
                dash: isEdge ? "5 5" : "1 6", opacity: isEdge ? 0.35 : 0.22)
            svg.text(
                DecimalText.text(value / 1_000, decimals: 1), x: frame.x - 9, y: y + 5, style, anchor: .end)
        }
        svg.text("kHz", x: frame.x - 9, y: y(hertz: 20_000) - 13, style, anchor: .end)

        let (step, decimals) = timeStep
        var tick = (times.lowerBound / step).rounded(.up)
        while tick * step <= times.upperBound + step * 1e-6 {
            let x = x(seconds: tick * step)
            // The unit stands at the right end.
            if x < frame.right - 40 {
                svg.path(
                    "M\(SVG.number(x)) \(SVG.number(frame.bottom))v6", stroke: Palette.faint)
                svg.text(
                    DecimalText.text(tick * step, decimals: decimals), x: x, y: frame.bottom + 23, style,
                    anchor: .middle)
            }
            tick += 1
        }
        svg.text("s", x: frame.right, y: frame.bottom + 23, style, anchor: .end)
        svg.path(frame.outline, stroke: Palette.line)
    }

    /// 1, 2 or 5 times a power of ten, such that about ten ticks fit.
    private var timeStep: (seconds: Double, decimals: Int) {
        let rough = (times.upperBound - times.lowerBound) / 10
        let exponent = log10(rough).rounded(.down)
        let power = pow(10, exponent)
        let factor = [1.0, 2, 5, 10].first { $0 * power >= rough * 0.999 } ?? 10
        return (factor * power, max(0, Int(-exponent) - (factor == 10 ? 1 : 0)))
    }
}
